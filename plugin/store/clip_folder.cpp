// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A commit is: sync, announce, rename, complete. Whichever step a crash interrupts, finish_commit completes
// the commit.
//
// A lock on a shared file system can be lost without notice: the machine slept or was cut off, and the server
// gave the lock up. So before it changes anything, a writer compares the journal with what it wrote there
// last: every writer that takes over writes the journal first.
#include "plugin/store/clip_folder.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "plugin/base/durable_file.h"
#include "plugin/catalog/check_request.h"
#include "plugin/store/clip_check.h"
#include "plugin/store/clip_record.h"
#include "plugin/store/store_log.h"

namespace genclip {
namespace {

constexpr size_t kMaxRecordSize = 4 << 20;
static_assert(kMostRequestBytes < kMaxRecordSize);
// The most that the answer to a submit adds to a record: an ID and the service's texts.
constexpr size_t kRecordGrowth = 16 << 10;
constexpr size_t kMaxUnsentSize = 64;

Result<std::shared_ptr<File>> open_shared(FileSystem &files, const std::string &path, FileSystem::Mode mode) {
  auto file = files.open(path, mode);
  if (!file) return std::move(file).error();
  return std::shared_ptr<File>(std::move(file).value());
}

Result<ClipRecord> parse(const std::string &text) {
  const auto json = Json::parse(text);
  return json ? ClipRecord::from_json(*json) : json.error();
}

constexpr const char *kOfAnother = "it is the journal of another request";

// A journal that this version cannot read may name a paid task, so it stays as it is.
Error unreadable(const std::string &path, const std::string &why) {
  return {ErrorKind::open_read, path + " cannot be read: " + why +
                                    ". Nothing was changed or paid for. Make it readable for this user and "
                                    "this version of genclip, or choose another folder with the "
                                    "property store."};
}

std::string sizes_text(size_t size, size_t limit) {
  return "(" + std::to_string(size) + " bytes; " + std::to_string(limit) + " are possible)";
}

// The task ID in a damaged record; empty when none can be found.
std::string task_id_in(std::string_view text) {
  constexpr std::string_view kKey = "\"task_id\"";
  auto at = text.find(kKey);
  if (at == std::string_view::npos) return "";
  at = text.find_first_not_of(" \t\r\n:", at + kKey.size());
  if (at == std::string_view::npos || text[at] != '"') return "";
  const auto end = text.find_first_of("\"\\\n", at + 1);
  if (end == std::string_view::npos || text[end] != '"') return "";
  const std::string_view id = text.substr(at + 1, end - at - 1);
  const bool printable = std::all_of(id.begin(), id.end(), [](char c) { return c > ' ' && c < 0x7f; });
  return printable ? std::string(id) : "";
}

}  // namespace

Result<std::string> ClipFolder::read_text() const {
  return read_whole(files_, path_.record(), kMaxRecordSize);
}

Result<ClipRecord> ClipFolder::look() const {
  const auto text = read_text();
  return text ? parse(*text) : text.error();
}

// All versions name the folder by what the record says; a folder that is being removed has another name.
bool ClipFolder::is_own(const ClipRecord &record) const {
  const std::string name = path_.digest();
  return !record.identity.request.object() || !ClipPath::is_digest(name) || record.identity.is_name(name);
}

Result<std::optional<StoreLock>> ClipFolder::lock_use() {
  auto lock = StoreLock::try_lock(path_.use(), StoreLock::Kind::shared);
  // This fails only in a store that is not ours to write, where the time is not needed.
  if (lock && *lock) static_cast<void>(files_.touch(path_.use()));
  return lock;
}

Result<std::shared_ptr<File>> ClipFolder::look_at_part() const {
  auto part = open_shared(files_, path_.part(), FileSystem::Mode::read);
  if (!part && part.error().kind == ErrorKind::not_found) return std::shared_ptr<File>();
  return part;
}

Result<std::shared_ptr<File>> ClipFolder::look_at_clip(const ClipRecord &record) const {
  auto clip = check_clip(files_, path_.file(record.clip_name), record.clip_size);
  if (!clip) return std::move(clip).error();
  return std::move(clip->file);
}

Result<std::shared_ptr<File>> ClipFolder::open_clip(const ClipRecord &record, const OnDamage &on_damage) {
  const std::string path = path_.file(record.clip_name);
  auto clip = check_clip(files_, path, record.clip_size);
  if (!clip) return std::move(clip).error();
  if (!clip->exists) on_damage(path + " is missing. genclip fetches it again.");
  if (clip->exists && !clip->file)
    if (auto aside = set_aside(files_, path, clip->flaw, on_damage); !aside) return aside.error();
  return std::move(clip->file);
}

Result<void> ClipFolder::make_folder(const OnDamage &on_damage) {
  const auto info = files_.info(path_.folder());
  if (!info) return info.error();
  if (*info && (*info)->is_folder) return {};
  if (!*info) return make_folder_durably(files_, path_.folder());
  // The clip's own locks lie in its folder, so they cannot cover it. Under the store's lock only one process
  // finds the foreign file.
  auto lock = StoreLock::try_lock(store_lock_path(path_.root()));
  if (!lock) return std::move(lock).error();
  if (!*lock) return {};  // Another process is at work on it.
  const auto now = files_.info(path_.folder());
  if (!now) return now.error();
  if (*now && !(*now)->is_folder)
    if (auto aside = set_aside(files_, path_.folder(), "it is not a folder", on_damage); !aside) return aside;
  return make_folder_durably(files_, path_.folder());
}

Result<std::optional<StoreLock>> ClipFolder::lock_writer(const OnDamage &on_damage) {
  if (auto ready = make_folder(on_damage); !ready) return std::move(ready).error();
  const auto info = files_.info(path_.lock());
  if (!info) return info.error();
  if (*info && !(*info)->is_regular) {
    auto repair = StoreLock::try_lock(store_lock_path(path_.root()));
    if (!repair) return std::move(repair).error();
    if (!*repair) return std::optional<StoreLock>();
    const auto now = files_.info(path_.lock());
    if (!now) return now.error();
    if (*now && !(*now)->is_regular)
      if (auto aside = set_aside(files_, path_.lock(), "it is not a file", on_damage); !aside)
        return std::move(aside).error();
  }
  auto lock = StoreLock::try_lock(path_.lock());
  // The folder was removed just then.
  if (!lock && lock.error().kind == ErrorKind::not_found) return std::optional<StoreLock>();
  if (lock)
    GST_CAT_DEBUG(store_category(), "%s: %s", path_.folder().c_str(),
                  *lock ? "locked" : "locked by another process");
  return lock;
}

Result<void> ClipFolder::set_strangers_aside(const OnDamage &on_damage) {
  const auto names = files_.list(path_.folder());
  if (!names) return names.error();
  for (const std::string &name : *names) {
    if (!ClipPath::is_own_name(name)) continue;
    const auto info = files_.info(path_.file(name));
    if (!info) return info.error();
    if (!*info || (*info)->is_regular) continue;
    if (auto aside = set_aside(files_, path_.file(name), "it is not a file", on_damage); !aside) return aside;
  }
  return {};
}

bool ClipFolder::holds_clip() const {
  const auto names = files_.list(path_.folder());
  return names && std::ranges::any_of(*names, [](std::string_view name) {
           return name.starts_with("clip.") && name != "clip.part" && name != "clip.xmp";
         });
}

Result<std::optional<ClipRecord>> ClipFolder::read_record(const OnDamage &on_damage) {
  const auto info = files_.info(path_.record());
  if (!info) return info.error();
  last_text_ = "";
  if (!*info) return std::optional<ClipRecord>();
  const auto text = read_text();
  if (text) last_text_ = *text;
  if (!text) {
    const ErrorKind kind = text.error().kind;
    if (kind == ErrorKind::not_found) return std::optional<ClipRecord>();
    if (kind == ErrorKind::not_authorized) return unreadable(path_.record(), text.error().text);
    // A file that cannot be read now is not damaged. Anything but a regular file is foreign.
    if (kind != ErrorKind::wrong_type) return text.error();
  }
  auto record = text ? parse(*text) : text.error();
  const bool is_foreign = record && !is_own(*record);
  if (record && !is_foreign) return std::optional<ClipRecord>(std::move(record).value());
  if (!record && record.error().kind == ErrorKind::open_read)
    return unreadable(path_.record(), record.error().text);
  const std::string task_id = text && !is_foreign ? task_id_in(*text) : "";
  const auto told = [&](const std::string &what) {
    std::string next =
        " It is unknown whether it named a task: the request may be submitted, and charged, again.";
    if (is_foreign)
      next = " Unless the ledger names a task of this request, it may be submitted, and charged, again.";
    if (!task_id.empty()) next = " genclip asks for the task that it named, " + task_id + ".";
    on_damage(what + next);
  };
  const std::string why = is_foreign ? kOfAnother : record.error().text;
  if (auto aside = set_aside(files_, path_.record(), why, told); !aside) return aside.error();
  if (task_id.empty()) return std::optional<ClipRecord>();
  ClipRecord rest;
  rest.state = ClipState::submitted;
  rest.task_id = task_id;
  return std::optional<ClipRecord>(std::move(rest));
}

bool ClipFolder::has(const std::string &path) const {
  const auto info = files_.info(path);
  return info && *info;
}

std::string ClipFolder::unsent() const {
  if (has(path_.record())) return "";
  auto text = read_whole(files_, path_.unsent(), kMaxUnsentSize);
  return text ? std::move(*text) : "";
}

// A version that knows nothing of this file may submit later, and lose its journal. So the file is about one
// reservation.
void ClipFolder::announce_intent(const std::string &reserved_at) {
  if (has(path_.record())) return;
  may_be_unsent_ = true;
  const auto file = files_.open(path_.unsent(), FileSystem::Mode::read_write);
  if (!file || !(*file)->truncate(0)) return;
  static_cast<void>((*file)->write_at(0, std::as_bytes(std::span(reserved_at))));
}

// A journal that was removed may be written anew, and an unreadable one proves nothing.
Result<void> ClipFolder::check_that_nobody_else_writes() {
  if (!last_text_) return {};
  auto now = read_text();
  if (!now) return {};
  // A write that failed may have got as far as its rename.
  if (*now == last_text_ || *now == next_text_) {
    last_text_ = std::move(*now);
    return {};
  }
  GST_CAT_WARNING(store_category(), "%s: another process has taken over", path_.folder().c_str());
  return Error{ErrorKind::busy, "Another process has taken over this clip: " + path_.record() +
                                    " changed while this process was suspended or cut off from the store. "
                                    "Run again to get the clip from there."};
}

Result<void> ClipFolder::write_record(const ClipRecord &record) {
  std::string text = record.to_json().to_pretty_text() + "\n";
  // No run could read it, so what stands there stays.
  if (text.size() > kMaxRecordSize)
    return Error{ErrorKind::settings, path_.record() + " would be too large " +
                                          sizes_text(text.size(), kMaxRecordSize) + ", and was not written."};
  if (auto alone = check_that_nobody_else_writes(); !alone) return alone;
  if (reserved_) {
    reserved_ = false;
    if (auto moved = files_.rename(path_.spare(), path_.record_temporary()); !moved) return moved;
  }
  const bool is_news = std::exchange(last_state_, record.state) != record.state;
  GST_CAT_LEVEL_LOG(store_category(), is_news ? GST_LEVEL_INFO : GST_LEVEL_DEBUG, nullptr,
                    "%s: the journal says %s%s%s", path_.folder().c_str(), to_word(record.state),
                    record.task_id.empty() ? "" : ", task ", record.task_id.c_str());
  next_text_ = std::move(text);
  auto written = write_synced(files_, path_.record_temporary(), next_text_);
  // Both are on the disk, or neither, before a request leaves. Nothing more stands between an answer and its
  // journal.
  if (written && may_be_unsent_) written = files_.remove(path_.unsent());
  if (written) may_be_unsent_ = false;
  if (written) written = rename_durably(files_, path_.record_temporary(), path_.record());
  if (written) last_text_ = next_text_;
  if (!written)
    GST_CAT_WARNING(store_category(), "%s: the journal could not be written: %s", path_.folder().c_str(),
                    log_text(written.error()).c_str());
  return written;
}

Result<void> ClipFolder::check_intent(const ClipRecord &record, size_t more_bytes) const {
  const size_t size = record.to_json().to_pretty_text().size() + more_bytes;
  if (size + kRecordGrowth <= kMaxRecordSize) return {};
  return Error{ErrorKind::settings,
               "The request is too large for the journal " +
                   sizes_text(size, kMaxRecordSize - kRecordGrowth) +
                   (record.replaced ? ", which has the stored clip's request as well" : "") +
                   ", and was not submitted. Shorten it."};
}

Result<void> ClipFolder::write_intent(const ClipRecord &record) {
  if (auto fits = check_intent(record); !fits) return fits;
  const size_t text_size = record.to_json().to_pretty_text().size();
  if (auto alone = check_that_nobody_else_writes(); !alone) return alone;
  // Another process may have made the folder, or the store, and not yet synced their names. A folder above
  // that we may not read existed before.
  if (auto synced = files_.sync_folder(path_.root()); !synced) return synced;
  for (std::string folder = path_.root(); folder != folder_of(folder);) {
    folder = folder_of(folder);
    static_cast<void>(files_.sync_folder(folder));
  }
  auto file = files_.open(path_.spare(), FileSystem::Mode::read_write);
  if (!file) return std::move(file).error();
  const std::vector<std::byte> blank(text_size + kRecordGrowth);
  if (auto written = (*file)->write_at(0, blank); !written) return written;
  if (auto synced = (*file)->sync(); !synced) return synced;
  if (auto intended = write_record(record); !intended) return intended;
  reserved_ = true;
  return {};
}

Result<std::shared_ptr<File>> ClipFolder::open_part() {
  if (auto alone = check_that_nobody_else_writes(); !alone) return std::move(alone).error();
  return open_shared(files_, path_.part(), FileSystem::Mode::read_write);
}

Result<void> ClipFolder::commit(File &part, ClipRecord &record) {
  if (auto synced = part.sync(); !synced) return synced;
  // From here on a crash leaves what finish_commit needs to complete the commit.
  record.state = ClipState::submitted;
  if (auto announced = write_record(record); !announced) return announced;
  if (auto renamed = rename_durably(files_, path_.part(), path_.file(record.clip_name)); !renamed)
    return renamed;
  return make_complete(record);
}

Result<void> ClipFolder::make_complete(ClipRecord &record) {
  const auto replaced = record.replaced;
  record = completed(std::move(record));
  if (auto written = write_record(record); !written) return written;
  // The clip is whole, whether or not the leftovers can be removed.
  static_cast<void>(files_.remove(path_.spare()));
  static_cast<void>(files_.remove(path_.thumbnail()));  // It may be newer than the clip, and of another one.
  if (replaced && replaced->clip_name != record.clip_name)
    static_cast<void>(files_.remove(path_.file(replaced->clip_name)));
  return {};
}

Result<void> ClipFolder::finish_commit(ClipRecord &record) {
  if (record.state != ClipState::submitted || record.clip_name.empty()) return {};
  const auto is_whole = [&](const FileInfo &info) {
    return info.is_regular && info.size == record.clip_size;
  };
  const auto part = files_.info(path_.part());
  if (!part) return part.error();
  // While clip.part exists, a clip of that name is the one to be replaced.
  if (*part) {
    if (!is_whole(**part)) return {};
    GST_CAT_INFO(store_category(), "%s: ends the commit that an earlier run began", path_.folder().c_str());
    auto renamed = rename_durably(files_, path_.part(), path_.file(record.clip_name));
    return renamed ? make_complete(record) : renamed;
  }
  const auto clip = files_.info(path_.file(record.clip_name));
  if (!clip) return clip.error();
  return *clip && is_whole(**clip) ? make_complete(record) : Result<void>();
}

Result<void> ClipFolder::discard_part() {
  if (auto alone = check_that_nobody_else_writes(); !alone) return alone;
  return files_.remove(path_.part());
}

}  // namespace genclip
