// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/hls_folder.h"

#include <gio/gio.h>
#include <glib/gstdio.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/base/durable_file.h"
#include "plugin/base/file_system.h"
#include "plugin/base/gref.h"
#include "plugin/base/mutex.h"
#include "plugin/output/codec_name.h"
#include "plugin/output/hls_captions.h"
#include "plugin/output/hls_playlist.h"
#include "plugin/output/output_log.h"

namespace genclip {
namespace {

constexpr size_t kLongestPlaylist = 1 << 20;
constexpr int kFolderMode = 0755;
constexpr int kPlaylistMode = 0644;
constexpr const char *kPictureList = "index.m3u8";
constexpr const char *kCaptionList = "captions.m3u8";
constexpr const char *kMultivariantList = "master.m3u8";

class HlsFolder : public FileWriter {
 public:
  HlsFolder(std::string folder, unsigned segment_seconds, unsigned playlist_segments, HlsCaptions captions)
      : folder_(std::move(folder)),
        captions_(std::move(captions)),
        players_behind_s_(captions_.segments_behind > 1 ? (captions_.segments_behind + 2) * segment_seconds
                                                        : 0),
        playlist_(segment_seconds, playlist_segments + unwritten_at_most()) {}

  Result<void> begin() override {
    if (g_mkdir_with_parents(folder_.c_str(), kFolderMode) != 0)
      return Error{ErrorKind::open_write, folder_ + " cannot be made: " + g_strerror(errno) + "."};
    MutexLock lock(mutex_);
    playlist_.break_timeline();
    offered_ = false;
    if (std::exchange(begun_, true)) return begin_again();
    auto &files = FileSystem::posix();
    const std::string path = folder_ + "/" + kPictureList;
    const auto info = files.info(path);
    if (!info) return forget(info.error());
    if (*info && (*info)->size > 0) {
      const auto text = read_whole(files, path, kLongestPlaylist);
      if (!text) return forget(text.error());
      if (auto resumed = playlist_.resume(*text); !resumed) return forget(std::move(resumed).error());
    }
    const auto names = files.list(folder_);
    if (!names) return forget(names.error());
    next_ = playlist_.next_number();
    std::vector<uint64_t> numbers;
    for (const auto &name : *names)
      if (const auto number = segment_number(name)) {
        numbers.push_back(*number);
        next_ = std::max(next_, *number + 1);
      }
    playlist_.keep(std::move(numbers));
    if (!playlist_.segments().empty()) remove_unfinished(*names);
    first_ = next_;
    auto captioned = captions_.cues ? fill_captions(*names) : retract_captions(*names);
    if (captioned) return {};
    // Perhaps for lack of room: the next start has some.
    if (!playlist_.segments().empty()) remove_segments(*names, 0, playlist_.segments().front().number);
    return forget(std::move(captioned).error());
  }

  std::string open(WallTime, const GstCaps *picture) override {
    MutexLock lock(mutex_);
    if (const auto name = codec_name(picture); !name.empty()) picture_codec_ = name;
    return folder_ + "/" + segment_name(next_++);
  }

  std::optional<std::chrono::nanoseconds> until_cut(WallTime) override { return std::nullopt; }

  Result<void> close(const Written &file) override {
    const auto number = segment_number(std::string_view(file.path).substr(file.path.rfind('/') + 1));
    if (!number) return {};
    MutexLock lock(mutex_);
    // Of a pipeline that hung, whose file begin() has removed.
    if (*number < first_) return {};
    playlist_.add({.number = *number,
                   .seconds = std::chrono::duration<double>(file.length).count(),
                   .begin = file.begun});
    if (captions_.cues) uncaptioned_.push_back({*number, file});
    if (uncaptioned_.size() > playlist_.segments().size()) uncaptioned_.pop_front();
    // First, so that a full disk has room for what is written.
    if (auto removed = remove_old(); !removed) return removed;
    if (auto written = write(kPictureList, playlist_.text()); !written) return written;
    if (captions_.cues)
      if (auto written = write_captions(captions_.segments_behind); !written) return written;
    has_finished_one_ = true;
    return {};
  }

  Result<void> discard(const std::string &path) override { return FileSystem::posix().remove(path); }

  Result<void> finish(bool finally) override {
    MutexLock lock(mutex_);
    if (finally) {
      playlist_.finish();
      if (auto written = write(kPictureList, playlist_.text()); !written) return written;
    }
    return captions_.cues ? write_captions(0) : Result<void>();
  }

 private:
  struct Uncaptioned {
    uint64_t number;
    Written segment;
  };

  // So that as many segments as without captions have theirs.
  unsigned unwritten_at_most() const {
    return captions_.cues ? static_cast<unsigned>(captions_.segments_behind) : 0;
  }

  // The next attempt looks again.
  Error forget(Error error) REQUIRES(mutex_) {
    begun_ = false;
    error.text = folder_ + " " + error.text;
    return error;
  }

  Result<void> write(const std::string &name, const std::string &text) REQUIRES(mutex_) {
    GErrorPtr error;
    const std::string path = folder_ + "/" + name;
    if (!g_file_set_contents_full(path.c_str(), text.data(), static_cast<gssize>(text.size()),
                                  G_FILE_SET_CONTENTS_CONSISTENT, kPlaylistMode, take(error)))
      return Error{ErrorKind::write, name + " cannot be written: " + std::string(error->message) + "."};
    return {};
  }

  // A run without captions, or one that was killed, leaves segments without a file of captions, which the
  // playlist of captions would list.
  Result<void> fill_captions(const std::vector<std::string> &names) REQUIRES(mutex_) {
    for (const auto &segment : playlist_.segments()) {
      const auto name = segment_name(segment.number, kCaptionSuffix);
      if (std::ranges::find(names, name) != names.end()) continue;
      if (auto written = write(name, caption_segment_text({}, {})); !written) return written;
    }
    return {};
  }

  // Those of an earlier run. Players of master.m3u8 keep the picture.
  Result<void> retract_captions(const std::vector<std::string> &names) REQUIRES(mutex_) {
    const auto is_there = [&](const char *name) { return std::ranges::find(names, name) != names.end(); };
    if (is_there(kMultivariantList))
      if (auto written =
              write(kMultivariantList, multivariant_text(kPictureList, "", captions_.bits_per_second, ""));
          !written)
        return written;
    if (!is_there(kCaptionList)) return {};
    return FileSystem::posix().remove(folder_ + "/" + kCaptionList);
  }

  // All but those of the last `behind` segments.
  Result<void> write_captions(size_t behind) REQUIRES(mutex_) {
    while (uncaptioned_.size() > behind) {
      const auto &[number, segment] = uncaptioned_.front();
      const auto cues =
          captions_.cues->between(segment.channel_begin, segment.channel_begin + segment.length);
      const CaptionSegmentPlace place{segment.muxed_begin, segment.muxed_begin - segment.channel_begin};
      const auto text = caption_segment_text(cues, place);
      if (auto written = write(segment_name(number, kCaptionSuffix), text); !written) return written;
      uncaptioned_.pop_front();
    }
    const size_t unwritten = uncaptioned_.size();
    if (playlist_.segments().size() <= unwritten) return {};
    if (auto written = write(kCaptionList, playlist_.captions_text(unwritten)); !written) return written;
    if (offered_) return {};
    auto written =
        write(kMultivariantList, multivariant_text(kPictureList, kCaptionList, captions_.bits_per_second,
                                                   picture_codec_, players_behind_s_));
    offered_ = written.has_value();
    return written;
  }

  Result<void> remove_old() REQUIRES(mutex_) {
    const auto names = FileSystem::posix().list(folder_);
    if (!names) return names.error();
    // Whoever has cleared the folder gets it again with the next segment.
    offered_ = offered_ && std::ranges::find(*names, kMultivariantList) != names->end();
    remove_segments(*names, 0, playlist_.oldest_kept());
    return {};
  }

  // A pipeline that has finished no segment may have found a full disk, and so may the next one. Then the
  // segments go, too, that have left the playlist, and that slow players may still read.
  Result<void> begin_again() REQUIRES(mutex_) {
    const auto names = FileSystem::posix().list(folder_);
    if (!names) return names.error();
    remove_unfinished(*names);
    const auto &listed = playlist_.segments();
    if (!std::exchange(has_finished_one_, false) && !listed.empty())
      remove_segments(*names, 0, listed.front().number);
    first_ = next_;
    return {};
  }

  // What an earlier pipeline has left behind the last segment: it is listed nowhere.
  void remove_unfinished(const std::vector<std::string> &names) REQUIRES(mutex_) {
    remove_segments(names, playlist_.next_number(), next_);
  }

  // With their captions: those of the numbers from `begin` on, and below `end`.
  void remove_segments(const std::vector<std::string> &names, uint64_t begin, uint64_t end) {
    for (const auto &name : names) {
      const auto number =
          segment_number(name, name.ends_with(kCaptionSuffix) ? kCaptionSuffix : kPictureSuffix);
      if (!number || *number < begin || *number >= end) continue;
      if (const auto removed = FileSystem::posix().remove(folder_ + "/" + name); !removed)
        GST_CAT_WARNING(output_category(), "%s", log_text(removed.error()).c_str());
    }
  }

  const std::string folder_;
  const HlsCaptions captions_;
  // Players begin three segments before the end of the list, where late captions are not yet. 0: they are.
  const size_t players_behind_s_;
  Mutex mutex_;
  bool begun_ GUARDED_BY(mutex_) = false;
  HlsPlaylist playlist_ GUARDED_BY(mutex_);
  uint64_t next_ GUARDED_BY(mutex_) = 0;              // The number of the next file.
  uint64_t first_ GUARDED_BY(mutex_) = 0;             // That of the first file since begin().
  bool has_finished_one_ GUARDED_BY(mutex_) = false;  // Since then.
  // Segments of the playlist without their captions, the last ones.
  std::deque<Uncaptioned> uncaptioned_ GUARDED_BY(mutex_);
  std::string picture_codec_ GUARDED_BY(mutex_);  // Empty: unknown.
  bool offered_ GUARDED_BY(mutex_) = false;       // master.m3u8 is there, of this run.
};

}  // namespace

std::unique_ptr<FileWriter> make_hls_folder(std::string folder, unsigned segment_seconds,
                                            unsigned playlist_segments, HlsCaptions captions) {
  return std::make_unique<HlsFolder>(std::move(folder), segment_seconds, playlist_segments,
                                     std::move(captions));
}

}  // namespace genclip
