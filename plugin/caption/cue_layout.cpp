// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/caption/cue_layout.h"

#include <gst/gst.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "plugin/caption/bidi_lines.h"
#include "plugin/caption/cue_breaks.h"
#include "plugin/caption/text_pieces.h"

namespace genclip {
namespace {

using Pieces = std::span<const TextPiece>;

// Speed at which captions are paced if there is no limit.
constexpr uint64_t kColumnsPerSecond = 20;
constexpr uint64_t kGoodCue = GST_SECOND;
// Shorter cues are not noticed.
constexpr uint64_t kShortestCue = GST_SECOND / 2;
// Nobody reads a longer caption.
constexpr uint64_t kMostColumns = 2000;
constexpr char kEllipsis[] = "…";

// In whole milliseconds, because subtitle files have no other times.
uint64_t time_to_read(std::string_view text, uint64_t columns_per_second) {
  return gst_util_uint64_scale_ceil(column_count(text), GST_SECOND / GST_MSECOND, columns_per_second) *
         GST_MSECOND;
}

std::string_view source(Pieces pieces) {
  const char *begin = pieces.front().text.data();
  return {begin, static_cast<size_t>(pieces.back().text.data() + pieces.back().text.size() - begin)};
}

// Unless it ends well, or is so long that not even the ellipsis fits beside it.
bool needs_ellipsis(const TextPiece &last, const CueLimits &limits) {
  return last.end != TextEnd::sentence && (limits.line_columns == 0 || last.columns <= limits.line_columns);
}

// Writes lines and cues; remembers what is open between them.
class CueWriter {
 public:
  explicit CueWriter(Pieces all) : all_(all) {}

  // The cue of the next pieces, up to `end`.
  std::string cue(size_t end, const CueLimits &limits, bool is_ended_early) {
    std::string cue;
    const size_t begin = at_;
    for (const size_t line_end : line_breaks(all_.subspan(begin, end - begin), limits.line_columns)) {
      begin_paragraph();
      const Pieces line = all_.subspan(at_, begin + line_end - at_);
      at_ += line.size();
      std::string text(source(line));
      if (is_ended_early && at_ == end && needs_ellipsis(line.back(), limits))
        text = std::string(without_phrase_mark(text)) + kEllipsis;
      cue += (cue.empty() ? "" : "\n") + lines_.line(text);
    }
    return cue;
  }

  // The rest of the text whose pieces reach up to `known`.
  std::string rest(std::string_view text, size_t known) {
    if (at_ == all_.size()) return std::string(text.substr(known));
    begin_paragraph();
    const auto from = static_cast<size_t>(all_[at_].text.data() - text.data());
    return lines_.opening(source(all_.subspan(at_, 1))) + std::string(text.substr(from));
  }

 private:
  void begin_paragraph() {
    if (at_ > 0 && !all_[at_ - 1].ends_line) return;
    size_t end = at_;
    while (end + 1 < all_.size() && !all_[end].ends_line) ++end;
    lines_.begin(source(all_.subspan(at_, end + 1 - at_)));
  }

  const Pieces all_;
  size_t at_ = 0;
  BidiLines lines_;
};

std::vector<LaidCue> written(Pieces all, const std::vector<size_t> &ends, const CueLimits &limits,
                             bool is_ended_early) {
  std::vector<LaidCue> cues;
  cues.reserve(ends.size());
  CueWriter writer(all);
  for (const size_t end : ends)
    cues.push_back({writer.cue(end, limits, is_ended_early && end == all.size()), 0, 0});
  return cues;
}

// Gives each cue the time to read it, at least `shortest`, and a share of the rest by its length. False: the
// duration is too short.
bool share_time(std::vector<LaidCue> &cues, const CueLimits &limits, uint64_t duration, uint64_t shortest) {
  uint64_t needed = 0;
  uint64_t columns = 0;
  std::vector<uint64_t> needs;
  for (const LaidCue &cue : cues) {
    uint64_t need = limits.columns_per_second > 0 ? time_to_read(cue.text, limits.columns_per_second) : 0;
    if (cues.size() > 1) need = std::max(need, shortest);
    needs.push_back(need);
    needed += need;
    columns += column_count(cue.text);
  }
  if (needed > duration) return false;
  uint64_t at = 0;
  for (size_t i = 0; i < cues.size(); ++i) {
    cues[i].start = at;
    at += needs[i] + gst_util_uint64_scale((duration - needed) / GST_MSECOND, column_count(cues[i].text),
                                           std::max<uint64_t>(columns, 1)) *
                         GST_MSECOND;
    cues[i].end = at;
  }
  cues.back().end = duration;
  return true;
}

std::optional<std::vector<LaidCue>> cues_in(Pieces pieces, const CueLimits &limits, uint64_t duration) {
  struct Way {
    CueWish wish;
    uint64_t shortest;
  };
  for (const Way &way : {Way{CueWish::phrases, kGoodCue}, Way{CueWish::few, kShortestCue}}) {
    auto cues = written(pieces, cue_breaks(pieces, limits, way.wish), limits, false);
    if (share_time(cues, limits, duration, way.shortest)) return cues;
  }
  return std::nullopt;
}

// The same for a text that goes on, but ends here.
std::optional<std::vector<LaidCue>> cues_up_to(Pieces pieces, const CueLimits &limits, uint64_t duration) {
  std::vector<TextPiece> ended(pieces.begin(), pieces.end());
  TextPiece &last = ended.back();
  if (last.end != TextEnd::sentence)
    last.columns = column_count(without_phrase_mark(last.text)) + column_count(kEllipsis);
  auto cues = written(ended, cue_breaks(ended, limits, CueWish::few), limits, true);
  if (!share_time(cues, limits, duration, kShortestCue)) return std::nullopt;
  return cues;
}

// Whole words.
std::vector<size_t> possible_ends(Pieces pieces) {
  std::vector<size_t> ends;
  for (size_t end = 1; end <= pieces.size(); ++end)
    if (pieces[end - 1].end != TextEnd::none) ends.push_back(end);
  return ends;
}

// How many pieces can be read in the duration, at most.
size_t readable_pieces(Pieces pieces, const CueLimits &limits, uint64_t duration) {
  const std::vector<size_t> ends = possible_ends(pieces);
  const auto is_readable = [&](size_t end) {
    return cues_up_to(pieces.first(end), limits, duration).has_value();
  };
  auto found = std::partition_point(ends.begin(), ends.end(), is_readable);
  while (found != ends.begin() && !is_readable(*(found - 1))) --found;
  return found == ends.begin() ? 0 : *(found - 1);
}

// Ends of the text at which it is best ended, best first, none of which leaves out more than half of what
// could be read.
std::vector<size_t> early_ends(Pieces pieces, size_t most) {
  const size_t enough = column_count(source(pieces.first(most))) / 2;
  std::vector<size_t> ends;
  for (const TextEnd wanted : {TextEnd::sentence, TextEnd::phrase})
    for (size_t end = most; end > 0; --end)
      if (const TextPiece &last = pieces[end - 1];
          last.end == wanted || (wanted == TextEnd::phrase && last.ends_line)) {
        if (column_count(source(pieces.first(end))) >= enough) ends.push_back(end);
        break;
      }
  ends.push_back(most);
  return ends;
}

CueLayout ended_early(std::string_view text, Pieces pieces, size_t most, const CueLimits &limits,
                      uint64_t duration) {
  if (most > 0)
    for (const size_t end : early_ends(pieces, most))
      if (auto cues = cues_up_to(pieces.first(end), limits, duration)) {
        const char *last = pieces[end - 1].blank.data() + pieces[end - 1].blank.size();
        return {*std::move(cues), std::string(text.substr(static_cast<size_t>(last - text.data())))};
      }
  return {{}, std::string(text)};
}

// The first `columns` of the text, and more.
std::string_view beginning(std::string_view text, uint64_t columns) {
  const size_t most = 1000 + 4 * static_cast<size_t>(std::min<uint64_t>(columns, kMostColumns));
  if (text.size() <= most) return text;
  if (g_utf8_strlen(text.data(), static_cast<gssize>(text.size())) <= static_cast<glong>(most)) return text;
  return text.substr(
      0, static_cast<size_t>(g_utf8_offset_to_pointer(text.data(), static_cast<glong>(most)) - text.data()));
}

}  // namespace

CueLayout lay_out_cues(std::string_view text, const CueLimits &limits, uint64_t duration) {
  if (!limits.any() || text.empty()) return {{{std::string(text), 0, duration}}, {}};
  const unsigned speed = limits.columns_per_second;
  const std::string_view start =
      beginning(text, speed > 0 ? gst_util_uint64_scale(duration, speed, GST_SECOND) : kMostColumns);
  const std::vector<TextPiece> pieces = text_pieces(start, limits.line_columns);
  if (start.size() < text.size()) {
    // The last piece may be a part of a word.
    const Pieces whole = Pieces(pieces).first(pieces.size() - 1);
    return ended_early(text, whole, readable_pieces(whole, limits, duration), limits, duration);
  }
  if (auto cues = cues_in(pieces, limits, duration)) return {*std::move(cues), {}};
  const Pieces fewer = Pieces(pieces).first(pieces.size() - 1);
  return ended_early(text, fewer, readable_pieces(fewer, limits, duration), limits, duration);
}

CueLayout lay_out_whole(std::string_view text, const CueLimits &limits, uint64_t duration) {
  CueLayout laid = lay_out_cues(text, limits, duration);
  for (const CueLimits &looser :
       {CueLimits{limits.line_columns, limits.lines, 0}, CueLimits{limits.line_columns, 0, 0}}) {
    if (!laid.cues.empty() && laid.left_out.empty()) break;
    CueLayout faster = lay_out_cues(text, looser, duration);
    // Of more than 9000 characters the end is left out however fast it is read.
    if (!laid.cues.empty() && faster.left_out.size() >= laid.left_out.size()) break;
    laid = std::move(faster);
    laid.is_hurried = true;
  }
  return laid;
}

FirstCue first_cue(std::string_view text, const CueLimits &limits) {
  if (!limits.any() || text.empty()) return {std::string(text), {}};
  const uint64_t columns = uint64_t{limits.line_columns} * limits.lines;
  const std::string_view start = beginning(text, columns > 0 ? 2 * columns : kMostColumns);
  std::vector<TextPiece> pieces = text_pieces(start, limits.line_columns);
  size_t known = start.size();
  if (known < text.size() && pieces.size() > 1) {
    // The last piece may be a part of a word.
    known = static_cast<size_t>(pieces.back().text.data() - text.data());
    pieces.pop_back();
  }
  CueWriter writer(pieces);
  std::string first = writer.cue(cue_breaks(pieces, limits, CueWish::phrases).front(), limits, false);
  return {std::move(first), writer.rest(text, known)};
}

uint64_t reading_time(std::string_view text, const CueLimits &limits) {
  const uint64_t speed = limits.columns_per_second > 0 ? limits.columns_per_second : kColumnsPerSecond;
  if (!limits.any() || text.empty()) return std::max(time_to_read(text, speed), kGoodCue);
  const std::string_view start = beginning(text, kMostColumns);
  const std::vector<TextPiece> pieces = text_pieces(start, limits.line_columns);
  uint64_t time = 0;
  for (const LaidCue &cue : written(pieces, cue_breaks(pieces, limits, CueWish::phrases), limits, false))
    time += std::max(time_to_read(cue.text, speed), kGoodCue);
  return time;
}

}  // namespace genclip
