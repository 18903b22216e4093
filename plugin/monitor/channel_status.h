// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a person may know of a running channel: one plain value, from which the status, the metrics and the
// programme guide are made. It holds no key, no token and no signed URL; every text in it may be hostile.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plugin/base/clock.h"
#include "plugin/base/json.h"
#include "plugin/base/words.h"

namespace genclip {

// What is on the air, or will be.
struct ShownPiece {
  std::string id;
  std::string title;
  std::string kind;  // "clip", "fallback" or "slate", as the message genchannel-on-air says.
  uint64_t frame = 0;
  uint64_t duration_frames = 0;
  std::string source;  // Without secrets.
  Clock::WallTime since;
};

struct AheadItem {
  std::string id;
  std::string title;
  std::string state;  // As the message genchannel-item says.
  std::string reason;
  Clock::WallTime start;
  std::chrono::milliseconds duration{};  // 0: not known yet.
};

// Why items are in their states, as the messages genchannel-item tell. In months a channel hears of any
// number of IDs, so only those that it was told last are known: more than it prepares ahead.
class ItemReasons {
 public:
  static constexpr size_t kMost = 2000;

  void take(std::string id, std::string state, std::string reason);
  // Empty: none is known, or only that of another state, as of a turn before.
  std::string reason_of(const std::string &id, const std::string &state) const;

 private:
  struct Told {
    std::string state;
    std::string reason;                      // Not empty.
    std::list<std::string>::iterator place;  // In `order_`.
  };
  std::map<std::string, Told> told_;  // By ID.
  std::list<std::string> order_;      // Of the IDs, the newest last.
};

struct ChannelBudget {
  double limit = 0, spent = 0, reserved = 0;
  std::optional<Clock::WallTime> resumes_at;  // When the limit begins anew; none: never, or unknown.
  std::string text;                           // A sentence; empty: there is nothing to tell.
  std::string unit;                           // "credits", "tasks"; empty: the numbers are not known.
};

enum class ShownOutputState {
  starting,
  running,
  waiting,  // It failed and will be rebuilt.
  stopped,
};
template <>
inline constexpr Word<ShownOutputState> kWords<ShownOutputState>[] = {
    {ShownOutputState::starting, "starting"},
    {ShownOutputState::running, "running"},
    {ShownOutputState::waiting, "waiting"},
    {ShownOutputState::stopped, "stopped"}};

struct ShownOutput {
  std::string name;  // Without secrets (an RTMP URL holds its stream's key). No two have the same.
  std::string kind;  // "hls", "srt", …
  ShownOutputState state = ShownOutputState::starting;
  Clock::WallTime since;
  uint64_t rebuilds = 0;
  uint64_t bytes = 0;
  std::string error;  // The last one; empty: none.
};

struct FallbackStatus {
  Clock::WallTime since;
  std::string for_id;  // The item whose place it fills; empty: none.
  std::string reason;
};

struct ActiveAlarm {
  std::string kind;
  std::string subject;
  std::string text;
  Clock::WallTime since;
};

// Of alarms to those that are to be told.
struct AlarmDeliveries {
  uint64_t failed = 0;
  std::string error;  // Of the latest delivery of a target, a sentence; empty: it went well.
};

struct RundownStatus {
  bool accepted = false;  // Of the newest file. While it is false, the one before it is played.
  uint64_t items = 0;     // Of the one that is played.
  unsigned line = 0;      // Of the error; 0: none.
  std::string text;       // The error.
};

struct ChannelStatus {
  std::string channel;
  std::string run;
  Clock::WallTime at;          // When this was true.
  Clock::WallTime started_at;  // Of this run.
  double frames_per_second = 25;
  std::optional<ShownPiece> now, next;
  std::vector<AheadItem> ahead;  // In their order.

  // From the start of the run on.
  uint64_t frames = 0, audio_frames = 0;
  uint64_t aired = 0, fallbacks = 0, slates = 0;
  uint64_t late = 0, dropped = 0;  // Frames.
  uint64_t skipped = 0;            // Frames that were left out in front of an encoder that is too slow.
  double spent = 0;                // Credits.

  // The limit that has refused a clip; else the one that is nearest to its end. None: the store has none.
  std::optional<ChannelBudget> budget;
  std::vector<ShownOutput> outputs;
  std::optional<FallbackStatus> fallback;  // While one is on the air, or the slate.
  std::vector<ActiveAlarm> alarms;
  AlarmDeliveries alarm_deliveries;
  RundownStatus rundown;
  bool hold = false;
};

// The answer to GET /status. Times are RFC 3339 in UTC with milliseconds; members that do not apply are null.
Json status_json(const ChannelStatus &status);

// The answer to GET /metrics: Prometheus' text format 0.0.4.
std::string metrics_text(const ChannelStatus &status);

// The answer to GET /epg.xml: what is on and what comes, as XMLTV. Items of unknown length end where the next
// one begins, and are left out at the end.
std::string epg_xmltv(const ChannelStatus &status);

}  // namespace genclip
