// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/soak/day_check.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "plugin/base/json.h"
#include "tests/soak/day_service.h"

namespace genclip::test {
namespace {

constexpr uint64_t kNear = 250;  // Frames.

void check_line(Checked &checked, const Json &line, const DayWatch &watch) {
  const auto number = [&](const char *name) {
    const Json *value = line.find(name);
    return value && value->integer() ? static_cast<uint64_t>(*value->integer()) : 0;
  };
  const auto text = [&](const char *name) {
    const Json *value = line.find(name);
    return value && value->string() ? *value->string() : "";
  };
  const uint64_t begin = number("frame"), frames = number("played_frames");
  if (begin != checked.told) checked.wrong.push_back("the log has a gap before " + line.to_text());
  checked.told = begin + frames;
  const std::string kind = text("kind");
  ++checked.lines;
  ++(kind == "clip" ? checked.clips : kind == "slate" ? checked.slates : checked.fallbacks);
  if (kind != "clip" && text("reason").empty()) checked.wrong.push_back("untold: " + line.to_text());
  const unsigned clip = kind == "slate" ? 0 : number_of(text("source"));
  std::optional<FrameMark> first, last;
  for (uint64_t i = 0; i < frames; ++i) {
    const auto mark = watch.mark(begin + i);
    if (!clip && !mark) continue;
    if (clip && mark && !first) first = FrameMark{clip, mark->number - static_cast<unsigned>(i)};
    const bool is_begin = first && (first->number == 0 || first->number == kDayRate);
    if (is_begin && mark == FrameMark{clip, first->number + static_cast<unsigned>(i)}) {
      last = mark;
    } else if (clip && mark && mark == last) {
      ++checked.repeated;
      checked.repeats.push_back(begin + i);
    } else {
      uint64_t same = 0;
      for (uint64_t k = i; k < frames; ++k) same += watch.mark(begin + k) == mark;
      checked.wrong.push_back(
          "frame " + std::to_string(begin + i) + " shows " +
          (mark ? std::to_string(mark->clip) + ":" + std::to_string(mark->number) : "no mark") + ", as do " +
          std::to_string(same) + " of the " + std::to_string(frames - i) + " from there on, in " +
          line.to_text());
      return;
    }
  }
}

}  // namespace

Checked check_log(const std::string &path, const DayWatch &watch) {
  Checked checked;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (const auto json = Json::parse(line))
      check_line(checked, *json, watch);
    else
      checked.wrong.push_back("no JSON: " + line);
  return checked;
}

Sounds check_sound(DayWatch &watch, const std::vector<uint64_t> &repeats) {
  Sounds sounds;
  const auto &ticks = watch.seconds();
  const auto is_late_near = [&](uint64_t frame) {
    const auto late = std::lower_bound(repeats.begin(), repeats.end(), frame - std::min(frame, kNear));
    return late != repeats.end() && *late <= frame + kNear;
  };
  size_t next = 0;
  for (uint64_t frame = 0; frame + 3 < watch.frames(); ++frame) {
    const auto mark = watch.mark(frame), third = watch.mark(frame + 2);
    const bool is_second =
        mark && mark->number % kDayRate == 0 && third && *third == FrameMark{mark->clip, mark->number + 2};
    const auto sample = static_cast<int64_t>(frame * kDayStep);
    if (!is_second || sample > watch.searched()) continue;
    ++sounds.expected;
    while (next < ticks.size() && ticks[next] < sample - kMostApart) {
      if (!is_late_near(static_cast<uint64_t>(ticks[next++] / kDayStep))) ++sounds.stray;
    }
    if (next < ticks.size() && ticks[next] <= sample + kMostApart) {
      sounds.most_apart = std::max(sounds.most_apart, std::abs(ticks[next] - sample));
      ++next;
      continue;
    }
    if (!is_late_near(frame)) ++sounds.lost;
  }
  return sounds;
}

}  // namespace genclip::test
