// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/store/caption_answers.h"

#include <glib.h>

#include <algorithm>
#include <chrono>
#include <span>

#include "plugin/base/durable_file.h"
#include "plugin/base/gref.h"
#include "plugin/base/json.h"
#include "plugin/base/trimmed.h"
#include "plugin/store/clip_path.h"
#include "plugin/store/store_log.h"

namespace genclip {
namespace {

constexpr int64_t kAnswerVersion = 1;
// Far more than any caption has.
constexpr size_t kLargestAnswer = 1 << 20;
constexpr auto kUseIsNotedAfter = std::chrono::hours(24);
constexpr auto kLeftoverAfter = std::chrono::hours(1);

std::string checksum_of(const Json &without_checksum) {
  const std::string text = without_checksum.to_canonical_text();
  return GStringPtr(
             g_compute_checksum_for_string(G_CHECKSUM_SHA256, text.data(), static_cast<gssize>(text.size())))
      .get();
}

const std::string *text_member(const Json &json, std::string_view name) {
  const Json *member = json.find(name);
  return member ? member->string() : nullptr;
}

std::optional<int64_t> count_member(const Json &json, std::string_view name) {
  const Json *member = json.find(name);
  if (!member || !member->integer() || *member->integer() < 0) return std::nullopt;
  return *member->integer();
}

Json::Object without_checksum(const Json::Object &object) {
  Json::Object rest;
  for (const Json::Member &member : object)
    if (member.first != "sha256") rest.push_back(member);
  return rest;
}

bool is_older(const FileInfo &info, std::chrono::system_clock::duration age) {
  return std::chrono::system_clock::now() - info.modified > age;
}

}  // namespace

std::string answer_text(const std::string &key, const StoredAnswer &answer) {
  Json json(Json::Object{{"version", kAnswerVersion},
                         {"question", key},
                         {"model", answer.model},
                         {"text", answer.text},
                         {"finish_reason", answer.finish_reason},
                         {"prompt_tokens", static_cast<int64_t>(answer.prompt_tokens)},
                         {"output_tokens", static_cast<int64_t>(answer.output_tokens)},
                         {"total_tokens", static_cast<int64_t>(answer.total_tokens)},
                         {"answered_at", answer.answered_at}});
  json.set("sha256", checksum_of(json));
  return json.to_pretty_text() + "\n";
}

Result<StoredAnswer> read_answer_text(const std::string &key, const std::string &text) {
  const auto damaged = [](const char *why) { return Error{ErrorKind::wrong_type, std::string(why)}; };
  const auto json = Json::parse(text);
  if (!json || !json->object()) return damaged("it is not a JSON object");
  if (count_member(*json, "version") != kAnswerVersion) return damaged("its version is not 1");
  const std::string *checksum = text_member(*json, "sha256");
  if (!checksum || *checksum != checksum_of(without_checksum(*json->object())))
    return damaged("its content does not match its checksum");
  const std::string *question = text_member(*json, "question");
  if (!question || *question != key) return damaged("it has the name of another answer");
  const std::string *model = text_member(*json, "model");
  const std::string *said = text_member(*json, "text");
  const std::string *reason = text_member(*json, "finish_reason");
  const auto prompt = count_member(*json, "prompt_tokens");
  const auto output = count_member(*json, "output_tokens");
  const auto total = count_member(*json, "total_tokens");
  const auto at = count_member(*json, "answered_at");
  if (!model || !said || said->empty() || !reason || !prompt || !output || !total || !at)
    return damaged("it lacks a member");
  return StoredAnswer{*model,
                      *said,
                      *reason,
                      static_cast<uint64_t>(*prompt),
                      static_cast<uint64_t>(*output),
                      static_cast<uint64_t>(*total),
                      *at};
}

Result<StoredAnswer> read_answer(FileSystem &files, const std::string &root, const std::string &key) {
  const std::string path = caption_path(root, key);
  // To open it may fail in many ways where there is no folder of answers.
  if (const auto info = files.info(path); info && !*info)
    return Error{ErrorKind::not_found, path + " is not there."};
  const auto text = read_whole(files, path, kLargestAnswer);
  if (!text && text.error().kind == ErrorKind::wrong_type)
    return Error{ErrorKind::wrong_type, path + " is damaged: " + text.error().text};
  if (!text) return text.error();
  auto answer = read_answer_text(key, *text);
  if (!answer)
    return Error{ErrorKind::wrong_type,
                 path + " is damaged: " + std::string(without_full_stop(answer.error().text)) + "."};
  return answer;
}

Result<void> write_answer(FileSystem &files, const std::string &root, const std::string &key,
                          const StoredAnswer &answer) {
  const std::string text = answer_text(key, answer);
  if (text.size() > kLargestAnswer)
    return Error{ErrorKind::write, "An answer of " + std::to_string(text.size()) + " bytes is not kept."};
  if (auto made = make_folder_durably(files, captions_folder(root)); !made) return made;
  const std::string temporary = caption_temporary(root, key);
  auto written = write_durably(files, caption_path(root, key), text, temporary);
  if (!written) (void)files.remove(temporary);
  return written;
}

Result<void> try_writing_answers(FileSystem &files, const std::string &root) {
  if (auto made = make_folder_durably(files, captions_folder(root)); !made) return made;
  constexpr size_t kKeyLength = 64;
  const std::string path = caption_temporary(root, std::string(kKeyLength, '0'));
  const auto file = files.open(path, FileSystem::Mode::read_write);
  auto written = file ? (*file)->write_at(0, std::as_bytes(std::span("{}", 2))) : Result<void>(file.error());
  auto removed = files.remove(path);
  return written ? removed : written;
}

void note_use_of_answer(FileSystem &files, const std::string &root, const std::string &key) {
  const std::string path = caption_path(root, key);
  const auto info = files.info(path);
  if (info && *info && is_older(**info, kUseIsNotedAfter)) (void)files.touch(path);
}

Result<std::vector<AnswerFile>> list_answers(FileSystem &files, const std::string &root) {
  std::vector<AnswerFile> answers;
  const std::string folder = captions_folder(root);
  const auto there = files.info(folder);
  if (!there) return there.error();
  if (!*there || !(*there)->is_folder) return answers;
  const auto names = files.list(folder);
  if (!names) return names.error();
  for (const std::string &name : *names) {
    auto key = caption_key_of(name);
    if (!key) continue;
    const auto info = files.info(folder + "/" + name);
    if (!info || !*info || !(*info)->is_regular) continue;
    const auto used = std::chrono::duration_cast<std::chrono::seconds>((*info)->modified.time_since_epoch());
    answers.push_back({*std::move(key), (*info)->size, used.count()});
  }
  std::stable_sort(answers.begin(), answers.end(),
                   [](const AnswerFile &a, const AnswerFile &b) { return a.last_used < b.last_used; });
  return answers;
}

Result<void> remove_answer(FileSystem &files, const std::string &root, const std::string &key) {
  return files.remove(caption_path(root, key));
}

void remove_answer_leftovers(FileSystem &files, const std::string &root) {
  const std::string folder = captions_folder(root);
  const auto names = files.list(folder);
  if (!names) return;
  for (const std::string &name : *names) {
    if (!is_caption_temporary(name)) continue;
    const auto info = files.info(folder + "/" + name);
    if (!info || !*info || !(*info)->is_regular || !is_older(**info, kLeftoverAfter)) continue;
    if (auto removed = files.remove(folder + "/" + name); !removed)
      GST_CAT_WARNING(store_category(), "%s", removed.error().text.c_str());
  }
}

}  // namespace genclip
