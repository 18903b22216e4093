// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/captioner/cut_windows.h"

#include <algorithm>
#include <limits>

namespace genclip {
namespace {

CutWindows::Rules sound(CutWindows::Rules rules) {
  rules.interval = std::max<uint64_t>(rules.interval, 1);
  rules.min_interval = std::clamp<uint64_t>(rules.min_interval, 1, rules.interval);
  rules.step = std::max<uint64_t>(rules.step, 1);
  return rules;
}

uint64_t later(uint64_t time, uint64_t by) {
  return time + std::min(by, std::numeric_limits<uint64_t>::max() - 1 - time);
}

}  // namespace

CutWindows::CutWindows(const Rules &rules) : rules_(sound(rules)) {}

void CutWindows::reset(uint64_t earliest) {
  begun_ = false;
  end_ = last_time_ = earliest;
}

bool CutWindows::is_cut(const Seen &seen) const {
  return seen.changed >= rules_.threshold && seen.time - start_ >= rules_.min_interval;
}

CutWindows::Decision CutWindows::begin(const Seen &seen, uint64_t start) {
  Decision decision{true, true, start, 0, {}};
  if (begun_) decision.last = std::min(end_, start);
  begun_ = true;
  last_step_ = 0;
  start_ = start;
  end_ = decision.end = std::max(later(start, rules_.interval), later(seen.time, seen.lasts));
  return decision;
}

CutWindows::Decision CutWindows::on_picture(const Seen &seen) {
  if (begun_ && seen.time < last_time_) return {};
  last_time_ = seen.time;
  const bool follows = seen.time >= end_ && seen.time - end_ < rules_.min_interval;
  if (!begun_ || seen.time >= end_) return begin(seen, follows ? end_ : seen.time);
  if (is_cut(seen)) return begin(seen, seen.time);
  const uint64_t step = (seen.time - start_) / rules_.step;
  const bool keep = step != last_step_;
  last_step_ = step;
  return {keep, false, start_, end_, {}};
}

}  // namespace genclip
