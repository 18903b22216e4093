// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which alarms a person must be told of: pure rules over what was observed. An alarm is raised once when its
// condition has held for its time, and cleared once when the condition is gone.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugin/base/clock.h"
#include "plugin/base/json.h"
#include "plugin/base/words.h"
#include "plugin/monitor/channel_status.h"

namespace genclip {

enum class AlarmKind {
  fallback,  // On the air longer than 60 s.
  budget,    // Spent.
  key,       // Refused by the service.
  output,    // Dead for 10 s.
  silence,   // For 10 s in what leaves.
  frozen,    // The same picture for 10 s in what leaves.
  stopped,   // No frame has left for 10 s.
  overload,  // Pictures are left out in front of the encoder.
  disk,      // Full.
  rundown,   // The newest one was refused; the one before it plays on.
  asrun,     // The as-run log cannot be written.
  state,     // The state file cannot be written.
  lock,      // That of the state file is lost: another channel may use the file.
};
template <>
inline constexpr Word<AlarmKind> kWords<AlarmKind>[] = {
    {AlarmKind::fallback, "fallback"}, {AlarmKind::budget, "budget"},     {AlarmKind::key, "key"},
    {AlarmKind::output, "output"},     {AlarmKind::silence, "silence"},   {AlarmKind::frozen, "frozen"},
    {AlarmKind::stopped, "stopped"},   {AlarmKind::overload, "overload"}, {AlarmKind::disk, "disk"},
    {AlarmKind::rundown, "rundown"},   {AlarmKind::asrun, "asrun"},       {AlarmKind::state, "state"},
    {AlarmKind::lock, "lock"}};

// What is known at one moment; look about once a second. Texts are one sentence each, without secrets. Those
// of a fallback, of a rundown and of an output say why, and stand behind the rule's own text; the others
// replace it. Any may be empty.
struct Observation {
  struct Fact {
    bool holds = false;
    std::string text = {};
  };
  struct Output {
    std::string name;
    bool runs = true;
    std::string error = {};
  };

  Fact fallback;  // A fallback or the slate is on the air, and nobody holds it by hand.
  Fact budget, key, disk, rundown, asrun, state, lock;
  std::vector<Output> outputs;
  // For how long the picture and the sound that leave have stood still: PictureWatch. They count only where
  // they must not: not while a still, the slate or a clip without sound is shown.
  std::chrono::nanoseconds still_for{}, silent_for{};
  bool may_be_still = false, may_be_silent = false;
  std::optional<uint64_t> frames = {};  // How many have left; none: not looked at.
  uint64_t skipped = 0;                 // How many were left out in front of the encoder.
};

struct AlarmName {
  AlarmKind kind = AlarmKind::fallback;
  std::string subject;  // The output's name; empty for the others.

  friend auto operator<=>(const AlarmName &, const AlarmName &) = default;
};

// What the rules remember: each condition that holds.
struct AlarmRecord {
  struct Entry {
    Clock::Time since;           // When it began to hold.
    Clock::WallTime wall_since;  // For people.
    bool raised = false;
    std::string text;
  };
  std::map<AlarmName, Entry> entries;
  std::optional<uint64_t> frames;  // At the last look.
  uint64_t skipped = 0;            // Likewise.
  std::optional<Clock::Time> last_skip;
};

struct AlarmEvent {
  AlarmName name;
  bool raised = true;  // False: cleared.
  std::string text;
  Clock::WallTime since;  // When the condition began.
  Clock::WallTime at;
};

std::pair<AlarmRecord, std::vector<AlarmEvent>> next_alarms(AlarmRecord record, const Observation &seen,
                                                            Clock::Time now, Clock::WallTime wall_now);

// For ChannelStatus: those that are raised.
std::vector<ActiveAlarm> active_alarms(const AlarmRecord &record);

// What an alarm's command reads and its URL gets: `alarm`, `subject` (or null), `state` ("raised" or
// "cleared"), `text`, `channel`, `run`, `since`, `at`.
Json alarm_json(const AlarmEvent &event, const std::string &channel, const std::string &run);

}  // namespace genclip
