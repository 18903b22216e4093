// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/store/store_census.h"

#include <algorithm>
#include <chrono>

#include "plugin/base/durable_file.h"
#include "plugin/store/clip_path.h"
#include "plugin/store/store_listing.h"
#include "plugin/store/store_lock.h"
#include "plugin/store/store_log.h"

namespace genclip {
namespace {

// 2 000 000 clips.
constexpr size_t kMaxSummary = 256 << 20;
constexpr int64_t kSettledAfter = int64_t{5} * 1'000'000'000;

int64_t nanoseconds(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

}  // namespace

StoreCensus::StoreCensus(FileSystem &files, const std::string &root, const std::vector<std::string> &names,
                         std::string_view new_clip, CensusPace pace)
    : files_(files), root_(root), pace_(pace) {
  if (const auto store = files.info(root); store && *store) store_changed_ = nanoseconds((*store)->modified);
  if (auto text = read_whole(files, store_summary_path(root), kMaxSummary)) text_ = std::move(*text);
  if (auto summary = read_store_summary(text_)) summary_ = std::move(*summary);
  const std::vector<FolderRow> &rows = summary_.rows;
  const size_t checked = new_clip.empty() ? rows.size() : std::min(pace.asked, rows.size());
  const auto turn = std::ranges::lower_bound(rows, summary_.turn, {}, &FolderRow::digest);
  const size_t begin = static_cast<size_t>(turn - rows.begin());
  if (!rows.empty()) turn_end_ = (begin + checked) % rows.size();

  folders_.reserve(names.size());
  size_t next = 0;
  for (const std::string &name : names) {
    for (; next < rows.size() && rows[next].digest < name; ++next) ++gone_;
    if (next == rows.size() || rows[next].digest != name) {
      if (ClipPath::is_digest(name)) visit(name, nullptr, true);
      continue;
    }
    const FolderRow &row = rows[next];
    const bool has_its_turn = (next + rows.size() - begin) % rows.size() < checked;
    visit(name, &row, has_its_turn || !row.is_complete || name == new_clip);
    ++next;
  }
  gone_ += rows.size() - next;
}

void StoreCensus::visit(std::string_view digest, const FolderRow *row, bool asks) {
  if (asks) {
    const auto info = files_.info(root_ + "/" + std::string(digest));
    if (!info || !*info || !(*info)->is_folder) return;
    if (!row || row->changed != nanoseconds((*info)->modified)) {
      const auto folder = look(digest, **info);
      if (row) compare(*row, folder);
      if (folder)
        folders_.push_back(*folder);
      else
        without_clip_.push_back(digest);
      return;
    }
  }
  Folder folder{*row};
  folder.digest = digest;
  folder.is_settled = true;
  folders_.push_back(folder);
}

// `info` is from before the look, so that a change during it makes the row untrue.
std::optional<StoreCensus::Folder> StoreCensus::look(std::string_view digest, const FileInfo &info) const {
  const auto clip = stored_in(files_, root_, std::string(digest));
  if (!clip) return std::nullopt;
  Folder folder;
  folder.digest = digest;
  folder.changed = nanoseconds(info.modified);
  folder.size = clip->size;
  folder.last_used = clip->last_used;
  folder.is_complete = clip->is_complete();
  folder.is_pinned = clip->pinned;
  folder.is_settled = clip->settled_at && *clip->settled_at <= info.modified &&
                      folder.changed <= store_changed_ - kSettledAfter;
  folder.is_news = true;
  return folder;
}

void StoreCensus::compare(const FolderRow &row, const std::optional<Folder> &now) {
  is_untrue_ |= row.is_complete &&
                (!now || now->size != row.size || !now->is_complete || now->is_pinned != row.is_pinned);
}

void StoreCensus::refresh(Folder &folder) {
  const auto info = files_.info(root_ + "/" + std::string(folder.digest));
  std::optional<Folder> now;
  if (info && *info && (*info)->is_folder) now = look(folder.digest, **info);
  compare(folder, now);
  folder = now ? *now : Folder{FolderRow{.digest = folder.digest}};
}

void StoreCensus::save() {
  const auto is_news = [](const Folder &folder) { return folder.is_settled && folder.is_news; };
  if (static_cast<size_t>(std::ranges::count_if(folders_, is_news)) + gone_ > pace_.most_news || is_untrue_)
    return write();
  if (summary_.rows.size() <= pace_.asked) return;
  // Unsynced, and not under the lock: any turn is as good as another.
  auto file = files_.open(store_summary_path(root_), FileSystem::Mode::read_write);
  if (!file) return;
  const std::string turn = turn_text(summary_.rows[turn_end_].digest);
  static_cast<void>((*file)->write_at(0, std::as_bytes(std::span(turn))));
}

void StoreCensus::write() {
  // Whoever has it writes what this process would.
  const auto lock = StoreLock::try_lock(store_summary_lock_path(root_));
  if (!lock || !*lock) return;
  StoreSummary summary;
  if (!summary_.rows.empty()) summary.turn = summary_.rows[turn_end_].digest;
  for (const Folder &folder : folders_)
    if (folder.is_settled) summary.rows.push_back(folder);
  const std::string path = store_summary_path(root_), temporary = path + ".tmp";
  if (auto written = write_durably(files_, path, store_summary_text(summary), temporary); !written) {
    GST_CAT_INFO(store_category(), "%s: %s", path.c_str(), log_text(written.error()).c_str());
    static_cast<void>(files_.remove(temporary));  // On a full disk it is in the way.
  }
}

}  // namespace genclip
