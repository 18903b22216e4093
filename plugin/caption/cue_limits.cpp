// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/caption/cue_limits.h"

#include <gst/gst.h>

#include <algorithm>

namespace genclip {
namespace {

uint64_t most_characters(unsigned speed, uint64_t duration) {
  return std::max<uint64_t>(gst_util_uint64_scale(duration, speed, GST_SECOND), 1);
}

}  // namespace

std::string sentence_about(const CueLimits &limits, std::optional<uint64_t> duration, uint64_t shortest) {
  std::string rules;
  const auto add = [&rules](const std::string &rule) { rules += (rules.empty() ? "" : ", ") + rule; };
  const unsigned speed = limits.columns_per_second;
  if (speed > 0 && duration) {
    const uint64_t most = most_characters(speed, *duration);
    const uint64_t sure = shortest > 0 ? most_characters(speed, shortest) : most;
    add("at most " + std::to_string(most) + " characters in all");
    if (sure < most)
      rules += ", of which only the first " + std::to_string(sure) + " are shown if the scene is short";
  } else if (speed > 0) {
    add("at most " + std::to_string(speed) + " characters per second");
  }
  if (limits.line_columns > 0) add("at most " + std::to_string(limits.line_columns) + " characters per line");
  if (limits.lines > 0)
    add("at most " + std::to_string(limits.lines) + (limits.lines == 1 ? " line" : " lines") + " at a time");
  if (rules.empty()) return {};
  if (speed > 0 || limits.line_columns > 0) rules += "; a full-width character counts as two";
  return "The answer is shown as subtitles: " + rules + ".";
}

}  // namespace genclip
