// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/record_folder.h"

#include <glib/gstdio.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "plugin/base/file_system.h"
#include "plugin/base/mutex.h"
#include "plugin/output/output_log.h"
#include "plugin/output/record_name.h"

namespace genclip {
namespace {

constexpr std::chrono::seconds kShortestFile{10};
constexpr int kRecordFolderMode = 0755;

struct TimeZoneUnref {
  void operator()(GTimeZone *zone) const { g_time_zone_unref(zone); }
};

class RecordFolder : public FileWriter {
 public:
  RecordFolder(std::string folder, unsigned record_minutes, unsigned keep_days)
      : folder_(std::move(folder)), minutes_(record_minutes), keep_days_(keep_days) {}

  Result<void> begin() override {
    if (g_mkdir_with_parents(folder_.c_str(), kRecordFolderMode) != 0)
      return Error{ErrorKind::open_write, folder_ + " cannot be made: " + g_strerror(errno) + "."};
    remove_empty();
    MutexLock lock(mutex_);
    last_.clear();
    inode_.reset();
    return {};
  }

  std::string open(WallTime begun, const GstCaps *) override {
    remove_old(begun);
    const auto zone = local_zone();
    for (unsigned copy = 1;; ++copy) {
      const auto path = folder_ + "/" + record_name(begun, zone.get(), copy);
      const auto info = FileSystem::posix().info(path);
      // What else is wrong with the folder, writing will tell.
      if (info && *info) continue;
      MutexLock lock(mutex_);
      inode_.reset();
      return last_ = path;
    }
  }

  std::optional<std::chrono::nanoseconds> until_cut(WallTime begun) override {
    // A clock that is set, or a frame that comes early, must not make a file of a moment.
    return until_next_record(begun + kShortestFile, local_zone().get(), minutes_) + kShortestFile;
  }

  // Bytes that go to a file without a name are lost when it is closed.
  Result<void> look() override {
    std::string path;
    {
      MutexLock lock(mutex_);
      path = last_;
    }
    GStatBuf facts;
    const bool is_there = !path.empty() && g_lstat(path.c_str(), &facts) == 0;
    MutexLock lock(mutex_);
    if (path != last_) return {};
    if (is_there && !inode_) inode_ = facts.st_ino;
    if (!inode_ || (is_there && *inode_ == facts.st_ino)) return {};
    return Error{ErrorKind::write, path + " was removed or replaced while it was written."};
  }

  Result<void> close(const Written &file) override {
    GST_CAT_DEBUG(output_category(), "%s: complete", file.path.c_str());
    return {};
  }

  Result<void> discard(const std::string &path) override {
    {
      MutexLock lock(mutex_);
      if (last_ == path) last_.clear();
      inode_.reset();
    }
    return FileSystem::posix().remove(path);
  }

  Result<void> finish(bool) override { return {}; }

 private:
  // Anew each time: a channel outlives a change of the machine's zone.
  static std::unique_ptr<GTimeZone, TimeZoneUnref> local_zone() {
    return std::unique_ptr<GTimeZone, TimeZoneUnref>(g_time_zone_new_local());
  }

  // A full disk fails each build, which would leave a file each time. Only a file of this run, which nobody
  // else writes.
  void remove_empty() {
    std::string path;
    {
      MutexLock lock(mutex_);
      path = last_;
    }
    const auto info = FileSystem::posix().info(path);
    if (path.empty() || !info || !*info || !(*info)->is_regular || (*info)->size > 0) return;
    if (const auto removed = FileSystem::posix().remove(path); !removed)
      GST_CAT_WARNING(output_category(), "%s", log_text(removed.error()).c_str());
  }

  void remove_old(WallTime now) {
    const auto names = FileSystem::posix().list(folder_);
    if (!names) return;
    for (const auto &name : *names) {
      if (!record_expired(name, now, keep_days_)) continue;
      const auto path = folder_ + "/" + name;
      GStatBuf facts;
      if (g_lstat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) continue;
      GST_CAT_INFO(output_category(), "%s: removed, older than %u days", path.c_str(), keep_days_);
      if (const auto removed = FileSystem::posix().remove(path); !removed)
        GST_CAT_WARNING(output_category(), "%s", log_text(removed.error()).c_str());
    }
  }

  const std::string folder_;
  const unsigned minutes_;
  const unsigned keep_days_;
  Mutex mutex_;
  std::string last_ GUARDED_BY(mutex_);            // The file that was opened last.
  std::optional<ino_t> inode_ GUARDED_BY(mutex_);  // Its own, once it is there.
};

}  // namespace

std::unique_ptr<FileWriter> make_record_folder(std::string folder, unsigned record_minutes,
                                               unsigned keep_days) {
  return std::make_unique<RecordFolder>(std::move(folder), record_minutes, keep_days);
}

}  // namespace genclip
