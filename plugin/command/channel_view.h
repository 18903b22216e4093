// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the program knows of its channel: from the element's messages and properties, for the status page and
// the alarms.
#pragma once

#include <gst/gst.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugin/base/clock.h"
#include "plugin/base/file_system.h"
#include "plugin/base/gref.h"
#include "plugin/base/mutex.h"
#include "plugin/monitor/alarms.h"
#include "plugin/monitor/channel_status.h"
#include "plugin/monitor/picture_watch.h"
#include "plugin/output/outputs.h"

namespace genclip {

// The limit of the store's budget that is nearest to its end; none: no limit of many clips. Blocks for the
// disk.
Result<std::optional<ChannelBudget>> read_standing_budget(FileSystem &files, Clock &clock,
                                                          const std::string &store);

// Thread-safe.
class ChannelView {
 public:
  ChannelView(GRef<GstElement> channel, const Outputs &outputs, double frames_per_second);

  // A message of the element.
  void take(const GstStructure *message) EXCLUDES(mutex_);
  void set_alarms(std::vector<ActiveAlarm> alarms, AlarmDeliveries deliveries) EXCLUDES(mutex_);

  // What is shown of the budget while it refuses nothing. None: no limit binds.
  void set_budget(std::optional<ChannelBudget> budget) EXCLUDES(mutex_);

  ChannelStatus status() const EXCLUDES(mutex_);
  // What the rules of the alarms look at.
  Observation observe(const PictureWatch &watch) const EXCLUDES(mutex_);

 private:
  // When that frame is shown, as things are.
  Clock::WallTime wall_of(uint64_t frame, uint64_t frames, Clock::WallTime now) const;

  const GRef<GstElement> channel_;
  const Outputs &outputs_;
  const double frames_per_second_;
  const Clock::WallTime started_at_;

  mutable Mutex mutex_;
  ItemReasons reasons_ GUARDED_BY(mutex_);
  std::optional<FallbackStatus> fallback_ GUARDED_BY(mutex_);
  std::optional<ChannelBudget> budget_ GUARDED_BY(mutex_);    // Why nothing is submitted; none: it is.
  std::optional<ChannelBudget> standing_ GUARDED_BY(mutex_);  // Whatever it refuses.
  std::string key_problem_ GUARDED_BY(mutex_);                // Empty: none.
  std::string disk_problem_ GUARDED_BY(mutex_);               // Likewise.
  std::string asrun_problem_ GUARDED_BY(mutex_);
  std::string state_problem_ GUARDED_BY(mutex_);
  RundownStatus rundown_ GUARDED_BY(mutex_);
  std::vector<ActiveAlarm> alarms_ GUARDED_BY(mutex_);
  AlarmDeliveries deliveries_ GUARDED_BY(mutex_);
  bool may_be_still_ GUARDED_BY(mutex_) = true;
  bool may_be_silent_ GUARDED_BY(mutex_) = true;
};

}  // namespace genclip
