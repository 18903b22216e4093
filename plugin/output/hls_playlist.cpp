// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/hls_playlist.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "plugin/base/number.h"
#include "plugin/base/trimmed.h"
#include "plugin/base/utc_time.h"

namespace genclip {
namespace {

constexpr std::string_view kSegmentPrefix = "segment-";
constexpr size_t kSegmentDigits = 8;

// The rest of the line when it begins so.
std::optional<std::string_view> after(std::string_view line, std::string_view tag) {
  if (!line.starts_with(tag)) return std::nullopt;
  return line.substr(tag.size());
}

Error foreign() {
  return {ErrorKind::settings,
          "holds a playlist index.m3u8 that genclip did not write; choose another folder."};
}

}  // namespace

std::string segment_name(uint64_t number, std::string_view suffix) {
  const std::string digits = std::to_string(number);
  return std::string(kSegmentPrefix) +
         std::string(kSegmentDigits - std::min(kSegmentDigits, digits.size()), '0') + digits +
         std::string(suffix);
}

std::optional<uint64_t> segment_number(std::string_view name, std::string_view suffix) {
  if (!name.starts_with(kSegmentPrefix) || !name.ends_with(suffix)) return std::nullopt;
  if (name.size() < kSegmentPrefix.size() + kSegmentDigits + suffix.size()) return std::nullopt;
  name.remove_prefix(kSegmentPrefix.size());
  name.remove_suffix(suffix.size());
  const auto number = parse_number<uint64_t>(name);
  // One name a number.
  if (!number || (name.size() > kSegmentDigits && name.front() == '0')) return std::nullopt;
  return number;
}

Result<void> HlsPlaylist::resume(std::string_view text) {
  HlsPlaylist read(target_seconds_, limit_);
  HlsSegment next;
  if (!text.starts_with("#EXTM3U")) return foreign();
  while (!text.empty()) {
    const auto line = trimmed(text.substr(0, text.find('\n')));
    text.remove_prefix(
        std::min(text.size(), text.find('\n') == text.npos ? text.size() : text.find('\n') + 1));
    if (const auto sequence = after(line, "#EXT-X-MEDIA-SEQUENCE:")) {
      read.media_sequence_ = parse_number<uint64_t>(*sequence).value_or(0);
    } else if (const auto breaks = after(line, "#EXT-X-DISCONTINUITY-SEQUENCE:")) {
      read.discontinuity_sequence_ = parse_number<uint64_t>(*breaks).value_or(0);
    } else if (const auto target = after(line, "#EXT-X-TARGETDURATION:")) {
      read.target_seconds_ = std::max(target_seconds_, parse_number<unsigned>(*target).value_or(0));
    } else if (line == "#EXT-X-DISCONTINUITY") {
      next.discontinuity = true;
    } else if (const auto time = after(line, "#EXT-X-PROGRAM-DATE-TIME:")) {
      if (const auto begin = utc_time(*time)) next.begin = *begin;
    } else if (auto length = after(line, "#EXTINF:")) {
      next.seconds = take_number<double>(*length).value_or(0);
    } else if (!line.empty() && !line.starts_with('#')) {
      const auto number = segment_number(line);
      if (!number) return foreign();
      next.number = *number;
      read.segments_.push_back(next);
      read.kept_.push_back(*number);
      next = {};
    }
  }
  *this = std::move(read);
  broken_ = true;
  return {};
}

void HlsPlaylist::keep(std::vector<uint64_t> numbers) {
  if (!kept_.empty()) std::erase_if(numbers, [this](uint64_t number) { return number >= kept_.front(); });
  std::ranges::sort(numbers);
  const auto count = static_cast<std::ptrdiff_t>(std::min<size_t>(numbers.size(), limit_));
  kept_.insert(kept_.begin(), numbers.end() - count, numbers.end());
}

void HlsPlaylist::add(HlsSegment segment) {
  segment.discontinuity = broken_ && !segments_.empty();
  broken_ = false;
  target_seconds_ = std::max(target_seconds_, static_cast<unsigned>(std::lround(segment.seconds)));
  segments_.push_back(segment);
  kept_.push_back(segment.number);
  while (segments_.size() > limit_) {
    ++media_sequence_;
    if (segments_.front().discontinuity) ++discontinuity_sequence_;
    segments_.pop_front();
  }
  while (kept_.size() > size_t{2} * limit_) kept_.pop_front();
}

std::string HlsPlaylist::text() const { return text_of(segments_.size(), kPictureSuffix); }

std::string HlsPlaylist::captions_text(size_t behind) const {
  return text_of(segments_.size() - std::min(segments_.size(), behind), kCaptionSuffix);
}

std::string HlsPlaylist::text_of(size_t count, std::string_view suffix) const {
  std::string text = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:" + std::to_string(target_seconds_) +
                     "\n#EXT-X-MEDIA-SEQUENCE:" + std::to_string(media_sequence_) + "\n";
  if (discontinuity_sequence_ > 0)
    text += "#EXT-X-DISCONTINUITY-SEQUENCE:" + std::to_string(discontinuity_sequence_) + "\n";
  for (size_t index = 0; index < count; ++index) {
    const auto &segment = segments_[index];
    if (segment.discontinuity) text += "#EXT-X-DISCONTINUITY\n";
    text += "#EXT-X-PROGRAM-DATE-TIME:" + utc_text(segment.begin) + "\n";
    text +=
        "#EXTINF:" + rounded_text(segment.seconds, 3) + ",\n" + segment_name(segment.number, suffix) + "\n";
  }
  if (finished_ && count == segments_.size()) text += "#EXT-X-ENDLIST\n";
  return text;
}

}  // namespace genclip
