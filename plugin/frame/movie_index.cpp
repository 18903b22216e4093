// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/frame/movie_index.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace genclip {
namespace {

// A year: no sum of such times overflows.
constexpr GstClockTime kMaxTime = GstClockTime{1} << 55;
constexpr uint64_t kMaxFrames = uint64_t{1} << 22;
constexpr uint32_t kNormalRate = 0x10000;
// Some programs write 1 instead of 1.0, and all players play it at normal speed.
constexpr uint32_t kMistakenRate = 1;

Error not_readable(const std::string &why) {
  return {ErrorKind::wrong_type,
          "has no video stream that can be read; it may be damaged or truncated (" + why + ")."};
}

struct Header {
  uint64_t timescale = 0;
  uint64_t duration = 0;
  uint64_t duration_offset = 0;  // In the file.
  size_t duration_size = 0;

  Replacement with_duration(uint64_t value) const {
    if (duration_size == 4) value = std::min<uint64_t>(value, G_MAXUINT32 - 1);
    std::string bytes;
    for (size_t i = duration_size; i-- > 0;) bytes += static_cast<char>(value >> 8 * i);
    return {duration_offset, bytes};
  }
};

// Of the movie ("mvhd") or of the media ("mdhd"), whose first members are the same.
std::optional<Header> read_header(const BoxReader &boxes, const std::optional<Box> &box) {
  if (!box) return std::nullopt;
  const bool is_long = boxes.number(*box, 0, 1) == 1;
  const uint64_t place = is_long ? 20 : 12;
  const size_t size = is_long ? 8 : 4;
  const auto timescale = boxes.number(*box, place, 4);
  const auto duration = boxes.number(*box, place + 4, size);
  if (!timescale || *timescale == 0 || !duration) return std::nullopt;
  return Header{*timescale, *duration, box->content + place + 4, size};
}

// Makes a demuxer skip the box. All offsets stay.
Replacement without(const Box &box) { return {box.start + 4, "free"}; }

GstClockTime in_nanoseconds(uint64_t time, uint64_t timescale) {
  return gst_util_uint64_scale(time, GST_SECOND, timescale);
}

// The values of frames, as runs of equal ones: (count, value), (count, value), ...
class Runs {
 public:
  explicit Runs(std::vector<uint32_t> rows) : rows_(std::move(rows)) {}

  // The value of the next frame.
  std::optional<uint32_t> next() {
    while (at_ < rows_.size() && used_ == rows_[at_]) {
      at_ += 2;
      used_ = 0;
    }
    if (at_ >= rows_.size()) return std::nullopt;
    ++used_;
    return rows_[at_ + 1];
  }

 private:
  const std::vector<uint32_t> rows_;
  size_t at_ = 0;
  uint32_t used_ = 0;
};

struct FrameTimes {
  std::vector<GstClockTime> begins;
  uint64_t duration = 0;  // The sum, in units of the media.
};

// From the tables of the frames' durations and of the offsets of their display.
std::optional<FrameTimes> read_frame_times(BoxReader &boxes, const Box &tables, uint64_t timescale) {
  const auto sizes = boxes.find(tables, {"stsz"});
  const auto compact_sizes = boxes.find(tables, {"stz2"});
  const auto durations = boxes.find(tables, {"stts"});
  const auto offsets = boxes.find(tables, {"ctts"});
  if ((!sizes && !compact_sizes) || !durations) return std::nullopt;
  const auto count = boxes.number(sizes ? *sizes : *compact_sizes, 8, 4);
  auto duration_rows = boxes.table(*durations, 4, 2);
  auto offset_rows = offsets ? boxes.table(*offsets, 4, 2) : std::vector<uint32_t>();
  if (!count || *count > kMaxFrames || !duration_rows || !offset_rows) return std::nullopt;
  Runs duration_runs(std::move(*duration_rows));
  Runs offset_runs(std::move(*offset_rows));
  std::vector<GstClockTime> begins;
  begins.reserve(static_cast<size_t>(*count));
  int64_t decoded = 0;
  for (uint64_t i = 0; i < *count; ++i) {
    const auto duration = duration_runs.next();
    if (!duration) return std::nullopt;
    const int64_t begin = decoded + static_cast<int32_t>(offset_runs.next().value_or(0));
    begins.push_back(in_nanoseconds(static_cast<uint64_t>(std::max<int64_t>(begin, 0)), timescale));
    decoded += *duration;
  }
  std::sort(begins.begin(), begins.end());
  return FrameTimes{std::move(begins), static_cast<uint64_t>(decoded)};
}

Result<std::vector<Edit>> read_edits(const BoxReader &boxes, const Box &list, uint64_t movie_timescale,
                                     uint64_t media_timescale) {
  const bool is_long = boxes.number(list, 0, 1) == 1;
  const unsigned columns = is_long ? 5 : 3;
  const auto rows = boxes.table(list, 4, columns);
  if (!rows) return not_readable("its edit list is longer than the box around it");
  std::vector<Edit> edits;
  uint64_t shown = 0;
  for (size_t at = 0; at < rows->size(); at += columns) {
    const auto number = [&](size_t column) { return uint64_t{(*rows)[at + column]}; };
    const uint64_t duration = is_long ? number(0) << 32 | number(1) : number(0);
    const uint64_t media = is_long ? number(2) << 32 | number(3) : number(1);
    const bool is_empty =
        media == (is_long ? std::numeric_limits<uint64_t>::max() : std::numeric_limits<uint32_t>::max());
    const uint64_t rate = number(columns - 1);
    if (!is_empty && rate != kNormalRate && rate != kMistakenRate)
      return Error{ErrorKind::wrong_type,
                   "has an edit list that changes the speed, which genclip cannot apply."};
    Edit edit;
    edit.shown = in_nanoseconds(shown, movie_timescale);
    const GstClockTime length = in_nanoseconds(duration, movie_timescale);
    const GstClockTime media_begin = is_empty ? 0 : in_nanoseconds(media, media_timescale);
    if (edit.shown > kMaxTime || length > kMaxTime || media_begin > kMaxTime)
      return not_readable("its edit list is damaged");
    if (!is_empty) edit.media = media_begin;
    const bool is_open = !is_empty && duration == 0;
    if (!is_open) {
      shown += duration;
      edit.shown_end = in_nanoseconds(shown, movie_timescale);
      // The edit's end is rounded to units of the media, as other players do.
      const uint64_t units = gst_util_uint64_scale_round(duration, media_timescale, movie_timescale);
      if (!is_empty) edit.media_end = in_nanoseconds(media + units, media_timescale);
    }
    edits.push_back(edit);
    if (is_open) break;
  }
  return edits;
}

struct VideoTrack {
  Box box;
  Box media;
  Header header;
};

}  // namespace

std::optional<GstClockTime> MovieIndex::begin_of(const WantedFrame &wanted) const {
  const auto passed = std::find_if(begins.begin(), begins.end(),
                                   [&](GstClockTime begin) { return wanted.is_passed_by(begin); });
  if (passed == begins.begin()) return std::nullopt;
  return *std::prev(passed);
}

std::optional<Stretch> MovieIndex::shown() const {
  if (edits.empty()) return media_duration ? std::optional(Stretch{0, *media_duration}) : std::nullopt;
  const auto has_frames = [](const Edit &edit) { return edit.media.has_value(); };
  const auto first = std::ranges::find_if(edits, has_frames);
  const auto last = std::find_if(edits.rbegin(), edits.rend(), has_frames);
  if (first == edits.end() || !GST_CLOCK_TIME_IS_VALID(last->shown_end)) return std::nullopt;
  return Stretch{first->shown, last->shown_end};
}

bool MovieIndex::is_in_parts() const {
  return std::ranges::count_if(edits, [](const Edit &edit) { return edit.media.has_value(); }) > 1;
}

Result<MovieIndex> read_movie_index(const ReadAt &read, uint64_t file_size) {
  BoxReader boxes(read, file_size);
  std::optional<Box> moov;
  for (const Box &box : boxes.boxes()) {
    const bool is_needed = box.is("moov") || box.is("mdat") || box.is("moof");
    if (is_needed && box.is_cut) return not_readable("its end is missing");
    if (box.is("moov") && !moov) moov = box;
  }
  if (!moov) return not_readable("there is no index");
  const auto movie = read_header(boxes, boxes.find(*moov, {"mvhd"}));
  if (!movie) return not_readable("its header is damaged");

  MovieIndex index;
  const auto fragments = boxes.find(*moov, {"mvex"});
  index.is_fragmented = fragments.has_value();
  uint64_t duration = movie->duration;
  index.replacements.push_back(movie->with_duration(0));
  if (fragments)
    if (const auto header = boxes.find(*fragments, {"mehd"})) {
      const bool is_long = boxes.number(*header, 0, 1) == 1;
      duration = std::max(duration, boxes.number(*header, 4, is_long ? 8 : 4).value_or(0));
      index.replacements.push_back(without(*header));
    }
  const GstClockTime shown = in_nanoseconds(duration, movie->timescale);
  if (duration > 0 && shown <= kMaxTime) index.duration = shown;

  std::optional<VideoTrack> video;
  for (const Box &track : boxes.boxes(*moov)) {
    if (!track.is("trak")) continue;
    const auto media = boxes.find(track, {"mdia"});
    const auto handler = media ? boxes.find(*media, {"hdlr"}) : std::nullopt;
    // After the version and a type that only QuickTime uses.
    if (!handler || boxes.number(*handler, 8, 4) != uint64_t{0x76696465}) continue;  // "vide"
    const auto header = read_header(boxes, boxes.find(*media, {"mdhd"}));
    if (!header) return not_readable("a track's header is damaged");
    if (video)
      index.replacements.push_back(without(track));
    else
      video = VideoTrack{track, *media, *header};
  }
  if (!video) return Error{ErrorKind::wrong_type, "has no video stream that can be played."};

  for (const Box &box : boxes.boxes(video->box)) {
    if (!box.is("edts")) continue;
    index.replacements.push_back(without(box));
    const auto list = boxes.find(box, {"elst"});
    if (!list || !index.edits.empty()) continue;
    auto edits = read_edits(boxes, *list, movie->timescale, video->header.timescale);
    if (!edits) return std::move(edits).error();
    index.edits = std::move(*edits);
  }
  // An edit list is written with the index, before the length of the fragments is known.
  if (index.is_fragmented && !index.edits.empty() && index.edits.back().media)
    index.edits.back().shown_end = index.edits.back().media_end = GST_CLOCK_TIME_NONE;

  if (!index.is_fragmented) {
    const auto tables = boxes.find(video->media, {"minf", "stbl"});
    auto times = tables ? read_frame_times(boxes, *tables, video->header.timescale) : std::nullopt;
    if (!times || times->begins.empty()) return not_readable("the table of its frames is damaged");
    index.begins = std::move(times->begins);
    const GstClockTime media = in_nanoseconds(times->duration, video->header.timescale);
    if (media <= kMaxTime) index.media_duration = media;
    index.replacements.push_back(video->header.with_duration(times->duration));
  }
  return index;
}

}  // namespace genclip
