// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which copies a record names is found in its text, and not by its members: so a record of any version, and a
// damaged one, keeps what it names.
#include "plugin/publish/published_copies.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "plugin/base/durable_file.h"
#include "plugin/base/json.h"
#include "plugin/publish/copy.h"
#include "plugin/publish/publish_secret.h"
#include "plugin/store/clip_path.h"

namespace genclip {
namespace {

constexpr size_t kMaxRecord = size_t{4} << 20;  // As docs/store-format.md says.
constexpr size_t kHexDigits = 64;
constexpr size_t kLongestExtension = 5;

int64_t unix_seconds(Clock::WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

CopyUse use_of(const std::string &digest, std::string_view record) {
  CopyUse use{digest, {}, 0};
  const auto json = Json::parse(record);
  const auto parsed = json ? ClipRecord::from_json(*json) : Result<ClipRecord>(json.error());
  if (!parsed) return use;
  use.state = parsed->state;
  use.updated_at = parsed->updated_at;
  return use;
}

// By the name of each copy that a record names.
using Uses = std::map<std::string, std::vector<CopyUse>>;

Result<Uses> uses_in(FileSystem &files, const std::string &store) {
  Uses uses;
  const auto there = files.info(store);
  if (!there) return there.error();
  if (!*there) return uses;
  const auto names = files.list(store);
  if (!names) return names.error();
  for (const std::string &digest : *names) {
    if (!ClipPath::is_digest(digest)) continue;
    const auto record = read_whole(files, ClipPath(store, digest).record(), kMaxRecord);
    if (!record && record.error().kind == ErrorKind::not_found) continue;
    if (!record)
      return Error{
          record.error().kind,
          "Which copies are needed is unknown, because a record cannot be read. " + record.error().text};
    for (const std::string &name : copy_names_in(*record)) uses[name].push_back(use_of(digest, *record));
  }
  return uses;
}

// Whether the secret, and so the store, made this copy.
bool is_made_with(const std::string &secret, const std::string &path, const std::string &name) {
  const auto file = LocalFile::open(path, nullptr);
  if (!file) return false;
  const auto digest = content_hmac(*file, secret, nullptr);
  return digest && name.starts_with(*digest + ".");
}

Result<void> check_folder(FileSystem &files, const std::string &folder) {
  const auto info = files.info(folder + "/.");
  if (!info) return info.error();
  if (*info && (*info)->is_folder) return {};
  return Error{ErrorKind::not_found,
               "There is no folder " + folder + ". Mount it, or correct publish-folder."};
}

}  // namespace

std::vector<std::string> copy_names_in(std::string_view record) {
  std::vector<std::string> names;
  for (size_t dot = record.find('.'); dot != record.npos; dot = record.find('.', dot + 1)) {
    if (dot < kHexDigits) continue;
    for (size_t size = 1; size <= kLongestExtension; ++size) {
      const std::string name(record.substr(dot - kHexDigits, kHexDigits + 1 + size));
      if (is_copy_name(name) && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    }
  }
  return names;
}

Result<std::vector<PublishedCopy>> list_copies(FileSystem &files, Clock &clock, const std::string &store,
                                               const std::string &folder) {
  if (auto checked = check_folder(files, folder); !checked) return std::move(checked).error();
  const auto names = files.list(folder);
  if (!names) return names.error();
  const auto secret = read_publish_secret(files, store);
  if (!secret) return secret.error();
  // After the copies: a record that names one of these is there already, or the copy is recent.
  auto uses = uses_in(files, store);
  if (!uses) return std::move(uses).error();
  std::vector<PublishedCopy> copies;
  for (const std::string &name : *names) {
    if (!is_copy_name(name)) continue;
    const std::string path = folder + "/" + name;
    const auto info = files.info(path);
    if (!info) return info.error();
    if (!*info || !(*info)->is_regular) continue;
    PublishedCopy copy{name, (*info)->size, unix_seconds((*info)->modified), (*uses)[name]};
    copy.fate = copy_fate(copy.modified, copy.uses, unix_seconds(clock.wall_now()));
    if (copy.fate == CopyFate::due && !(*secret && is_made_with(**secret, path, name)))
      copy.fate = CopyFate::foreign;
    copies.push_back(std::move(copy));
  }
  std::stable_sort(copies.begin(), copies.end(),
                   [](const PublishedCopy &a, const PublishedCopy &b) { return a.modified < b.modified; });
  return copies;
}

Result<PruneReport> prune_copies(FileSystem &files, Clock &clock, const std::string &store,
                                 const std::string &folder, bool dry_run) {
  auto copies = list_copies(files, clock, store, folder);
  if (!copies) return std::move(copies).error();
  const auto is_old = [&](const FileInfo &info) {
    return unix_seconds(clock.wall_now()) - unix_seconds(info.modified) >= kCopyGrace;
  };
  // Looked at once more: a run may have published the file again meanwhile.
  const auto remove_if_old = [&](const std::string &name) -> Result<bool> {
    const std::string path = folder + "/" + name;
    const auto info = files.info(path);
    if (!info) return info.error();
    if (!*info || !is_old(**info)) return false;
    if (dry_run) return true;
    if (auto removed = files.remove(path); !removed) return std::move(removed).error();
    return true;
  };
  PruneReport report;
  for (PublishedCopy &copy : *copies) {
    const auto removed = copy.fate == CopyFate::due ? remove_if_old(copy.name) : Result<bool>(false);
    if (!removed) return removed.error();
    (*removed ? report.removed : report.kept).push_back(std::move(copy));
  }
  const auto names = files.list(folder);
  if (!names) return names.error();
  for (const std::string &name : *names) {
    const auto removed = is_temporary_name(name) ? remove_if_old(name) : Result<bool>(false);
    if (!removed) return removed.error();
  }
  return report;
}

}  // namespace genclip
