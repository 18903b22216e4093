// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/chosen_clips.h"

#include <glib.h>
#include <stdlib.h>

#include <memory>
#include <optional>

#include "plugin/base/gref.h"
#include "plugin/base/shown_text.h"
#include "plugin/catalog/clip_uri.h"
#include "plugin/channel/clip_survey.h"
#include "plugin/command/known_models.h"
#include "plugin/command/setting_options.h"
#include "plugin/generation/clip_plan.h"
#include "plugin/generation/request_identity.h"
#include "plugin/http/service_address.h"
#include "plugin/store/clip_path.h"

namespace genclip {
namespace {

constexpr const char *kFileScheme = "file:";

std::string path_of(const std::string &word) {
  if (!word.starts_with(kFileScheme)) return word;
  const GStringPtr path(g_filename_from_uri(word.c_str(), nullptr, nullptr));
  return path ? path.get() : word;
}

// Without links, as far as the path is there.
std::string resolved(const std::string &path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? real.get() : GStringPtr(g_canonicalize_filename(path.c_str(), nullptr)).get();
}

// The clip whose folder is, or holds, that path. A file that is not there names only the clip that it was.
std::optional<std::string> key_in_path(const std::string &root, const std::string &word) {
  const std::string path = resolved(path_of(word)), store = resolved(root) + "/";
  if (!path.starts_with(store)) return std::nullopt;
  const std::string inside = path.substr(store.size());
  const std::string folder = inside.substr(0, inside.find('/'));
  if (!ClipPath::is_digest(folder)) return std::nullopt;
  const auto is_there = [](const std::string &file) {
    return g_file_test(file.c_str(), G_FILE_TEST_EXISTS) != 0;
  };
  if (inside == folder || is_there(path) || !is_there(store + folder)) return folder;
  const auto clip = stored_in(FileSystem::posix(), root, folder);
  const ClipRecord *record = clip ? clip->whole() : nullptr;
  if (!record && clip && clip->record) record = &*clip->record;
  const bool is_its = !clip || (record && inside == folder + "/" + record->clip_name);
  return is_its ? std::optional(folder) : std::nullopt;
}

Result<std::string> key_of_uri(const std::string &uri, RunSettings run) {
  const auto request = parse_clip_uri(*known_models(), uri);
  if (!request) return request.error();
  run.dry_run = true;  // For its identity alone.
  const auto plan = plan_clip(*request, run);
  if (!plan) return plan.error();
  const auto identified = identify_request(plan->job, {}, false, nullptr);
  if (!identified) return identified.error();
  return identified->identity.digest();
}

}  // namespace

void add_choice_options(CommandOptions &options, RunSettings &run) {
  add_setting(options, "base-url", run.base_url);
  add_setting(options, "store", run.store);
}

bool names_place(const std::string &word) {
  const bool is_path = word.starts_with('/') || word.starts_with("./") || word.starts_with("../");
  return is_path || word.starts_with(kFileScheme) || is_clip_uri(word) ||
         g_file_test(word.c_str(), G_FILE_TEST_EXISTS);
}

Result<std::string> clip_key(const std::string &word, RunSettings run) {
  if (is_clip_uri(word)) return key_of_uri(word, std::move(run));
  if (!names_place(word)) return word;
  return key_in_path(store_root(run.store), word).value_or(word);
}

Result<StoredClip> chosen_clip(const std::string &word, const RunSettings &run) {
  const std::string root = store_root(run.store);
  const auto key = clip_key(word, run);
  if (!key) return key.error();
  auto clip = find_stored(FileSystem::posix(), root, *key);
  if (clip || clip.error().kind != ErrorKind::not_found || !is_clip_uri(word)) return clip;
  const std::string address = service_address(run.base_url, {"base-url", "GENCLIP_BASE_URL"});
  const std::string at = address.empty() ? "without GENCLIP_BASE_URL or --base-url"
                                         : "at the service's address \"" + shown_line(address) + "\"";
  return Error{ErrorKind::not_found,
               "The store " + root + " does not contain the clip of this URI, " + at + "."};
}

Result<std::vector<StoredClip>> chosen_clips(const Words &words, const RunSettings &run) {
  if (words.empty()) return list_store(FileSystem::posix(), store_root(run.store));
  std::vector<StoredClip> clips;
  for (const std::string &word : words) {
    auto clip = chosen_clip(word, run);
    if (!clip) return std::move(clip).error();
    clips.push_back(std::move(*clip));
  }
  return clips;
}

Json keys_of(const std::vector<StoredClip> &clips) {
  Json::Array keys;
  for (const StoredClip &clip : clips) keys.emplace_back(clip.digest);
  return keys;
}

}  // namespace genclip
