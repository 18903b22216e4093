// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The schedule of captions with an upstream, a still maker, two workers, the gateway and source pads around
// it, as plain values: every state that they can come to is reached by applying events, and what must never
// be is a violation.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "elements/captioner/caption_schedule.h"

namespace genclip::test {

enum class Material { pictures, open_pictures, texts };

struct WorldRules {
  Material material = Material::pictures;
  bool live = false;
  bool backwards = false;
  unsigned windows = 3;
  unsigned workers = 2;
  bool equal_windows = false;     // all ask the same question
  bool repeats_first = false;     // texts: the third and the fourth are the first one again
  bool can_flush = false;         // once
  bool can_be_unlinked = false;   // once, and linked again
  bool can_break = false;         // downstream fails
  bool can_drain = false;         // once
  bool can_lose_pad = false;      // the last one is released, once
  bool can_tell_silence = false;  // once, about a window whose picture may still follow
  bool can_fail = true;           // stills and answers
  bool can_stop_asking = false;   // once
  bool can_be_unsent = false;     // tries do not reach the gateway
  bool can_be_unchanged = false;  // pictures, as with settings.joins_repeats
  bool answers_in_pieces = false;
  // Workers look into the store, which may have the answer, and wait until the budget lets them send.
  bool is_store_slow = false;
  bool is_downstream_slow = false;
  std::vector<std::string> languages = {""};
  CaptionScheduleSettings settings = {};
};

// A worker with its question, and then with its request.
struct Worker {
  Question question;
  std::optional<CaptionRequest> request;
  bool has_looked = false;
  bool has_said = false;  // a piece of the answer has come
  bool is_cancelled = false;
  bool is_unsent = false;  // until it tries again
  bool is_sent = false;
};

// What a pad has sent.
struct Sent {
  std::vector<std::string> all;
  std::map<unsigned, unsigned> spoken;  // windows, and how often
  std::map<unsigned, unsigned> rest;    // … of their second sentences
  std::map<unsigned, unsigned> told;    // … of their failures
  uint64_t until = 0;                   // of the timeline
  bool has_segment = false;
  bool has_ended = false;
};

struct ScheduleWorld {
  WorldRules rules;
  CaptionSchedule schedule;
  Instant now{};
  unsigned next = 0;  // step of upstream: the segment, windows, EOS
  bool has_flushed = false;
  bool is_unlinked = false;
  bool was_unlinked = false;
  std::optional<unsigned> requests_at_break;
  std::optional<unsigned> requests_at_failure;  // settings.ends_on_error: of the first caption
  std::optional<unsigned> requests_at_stop;     // of asking; those that were not sent are taken off
  unsigned budget_warnings = 0;
  bool was_drained = false;
  bool drains = false;  // the streaming thread waits
  bool has_lost_pad = false;
  bool has_told_silence = false;
  bool has_stood_still = false;      // for a second since then
  std::optional<unsigned> silenced;  // window whose time may have been sent when its picture came
  std::optional<Instant> wakes_at;   // The first thread that waits for a time.
  unsigned first_wanted = 0;         // windows before it were flushed
  std::optional<StillJob> pushed;    // waits for room
  std::optional<CaptionSlot> pushed_slot;
  std::optional<StillJob> job;
  std::vector<std::optional<Worker>> workers;
  std::map<OutletId, Sent> sent;
  std::map<unsigned, std::string> outcome;  // of windows: "text", "late", "unchanged", "failed"
  unsigned requests = 0;
  std::vector<SlotId> asked;  // in their order
  std::string violation;

  std::string text() const;
};

ScheduleWorld world_with(const WorldRules &rules);

struct ScheduleStep {
  std::string event;
  ScheduleWorld world;
};
std::vector<ScheduleStep> steps_of(const ScheduleWorld &world);

std::string broken_promise(const ScheduleWorld &world);

}  // namespace genclip::test
