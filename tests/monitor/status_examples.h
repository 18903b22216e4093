// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A channel in the middle of its day.
#pragma once

#include <string>

#include "plugin/monitor/channel_status.h"

namespace genclip::test {

// 2026-11-22T20:30:00Z
inline constexpr Clock::WallTime kNow{std::chrono::seconds(1795379400)};

inline ChannelStatus example_status() {
  using namespace std::chrono_literals;
  ChannelStatus status;
  status.channel = "Dunes";
  status.run = "r-7";
  status.at = kNow;
  status.started_at = kNow - 3661s;
  status.now = {"kite",   "Red kite", "clip", 91'500, 150, "genclip://dance-2.5?prompt=a%20red%20kite",
                kNow - 2s};
  status.next = {"news", "News", "clip", 91'650, 750, "file:///media/news.mp4", kNow + 4s};
  status.ahead = {{"news", "News", "cued", "", kNow + 4s, 30s},
                  {"noon", "Noon", "generating", "", kNow + 34s, 0ms},
                  {"card", "", "failed", "The task failed.", kNow + 40s, 5s},
                  {"late", "Late", "planned", "", kNow + 45s, 0ms}};
  status.frames = 91'550;
  status.audio_frames = 175'776'000;
  status.aired = 610;
  status.fallbacks = 2;
  status.slates = 1;
  status.late = 3;
  status.dropped = 4;
  status.skipped = 5;
  status.spent = 12.5;
  status.budget = {100, 40, 2.25, {}, "", "credits"};
  status.outputs = {
      {"www/", "hls", ShownOutputState::running, kNow - 3600s, 0, 123'456'789, ""},
      {"srt://:9000", "srt", ShownOutputState::waiting, kNow - 5s, 7, 1000, "Connection refused."}};
  status.rundown = {true, 48, 0, ""};
  return status;
}

// Texts that try to be something else.
inline const std::string kHostile =
    "</script><script>hacked()</script><img src=x onerror=hacked()>\"'&]]>\\ {{7*7}}\n# EOF\r\xff\x01 "
    "e\xCC\x81\xF0\x9F\xAA\x81";

inline ChannelStatus hostile_status() {
  ChannelStatus status = example_status();
  status.channel = status.run = kHostile;
  for (auto *piece : {&*status.now, &*status.next}) piece->id = piece->title = piece->source = kHostile;
  for (AheadItem &item : status.ahead) item.id = item.title = item.reason = item.state = kHostile;
  for (ShownOutput &output : status.outputs) output.name = output.kind = output.error = kHostile;
  status.budget->text = kHostile;
  status.fallback = {kNow, kHostile, kHostile};
  status.alarms = {{"output", kHostile, kHostile, kNow}};
  status.rundown = {false, 1, 3, kHostile};
  return status;
}

}  // namespace genclip::test
