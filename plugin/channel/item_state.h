// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How far an item of a rundown is, and what can be shown of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "plugin/base/words.h"

namespace genclip {

// The last five: it is not shown in this turn.
enum class ItemState {
  planned,
  budget,  // Waits for money or for a valid key.
  generating,
  vetting,
  ready,
  cued,
  on_air,
  aired,
  refused,         // The catalog refuses it.
  failed,          // The service failed, or the clip is unfit.
  unknown,         // The outcome of its submit is unknown.
  paid_unfetched,  // It is paid, but its clip cannot be fetched (yet).
  skipped,
};
template <>
inline constexpr Word<ItemState> kWords<ItemState>[] = {
    {ItemState::planned, "planned"},       {ItemState::budget, "budget"},
    {ItemState::generating, "generating"}, {ItemState::vetting, "vetting"},
    {ItemState::ready, "ready"},           {ItemState::cued, "cued"},
    {ItemState::on_air, "on-air"},         {ItemState::aired, "aired"},
    {ItemState::refused, "refused"},       {ItemState::failed, "failed"},
    {ItemState::unknown, "unknown"},       {ItemState::paid_unfetched, "paid-unfetched"},
    {ItemState::skipped, "skipped"}};

// A clip or a still that was vetted: it can be shown at once.
struct ReadyMedia {
  std::string uri;         // What is played: file:, or the http URL of foreign media. Secret if it is signed.
  std::string source;      // The same for people: the item's source, without secrets.
  size_t source_hash = 0;  // Of the item's whole source: two may be the same for people.
  bool is_still = false;
  bool has_audio = false;
  bool may_have_holes = false;  // It was too long for all of its pictures to be looked at.
  // From which position, and for how long its picture lasts from there.
  std::chrono::nanoseconds in{};
  std::chrono::nanoseconds length{};
  double lufs = 0;        // Measured integrated loudness; 0: silence or not measured.
  double gain_db = 0;     // To be applied.
  std::string gain_note;  // Why the gain is not what the loudness asks for; empty: it is.
  std::string task_id;    // Of a generated clip; may be empty.
  unsigned take = 0;
  double credits = 0;  // What this run has paid for it, the same each time it is shown; 0: it was stored.
};

inline bool have_same_source(const ReadyMedia &one, const ReadyMedia &other) {
  return one.source == other.source && one.source_hash == other.source_hash;
}

// What is known of one item in one turn.
struct ItemStatus {
  ItemState state = ItemState::planned;
  std::string reason;                       // A sentence, or empty.
  std::shared_ptr<const ReadyMedia> media;  // If ready.
};

// Whether the item can be shown later in the same turn, if one waits.
constexpr bool may_become_ready(ItemState state) {
  return state == ItemState::planned || state == ItemState::generating || state == ItemState::vetting ||
         state == ItemState::paid_unfetched;
}

// Whether its clip is paid or may be, and is not there yet.
constexpr bool is_being_made(ItemState state) {
  return state == ItemState::generating || state == ItemState::vetting || state == ItemState::paid_unfetched;
}

// Whether the item is passed over in this turn, as things are. What waits for money is, though it may be
// there in time after all.
constexpr bool is_passed_over(ItemState state) {
  return state == ItemState::budget || state == ItemState::refused || state == ItemState::failed ||
         state == ItemState::unknown || state == ItemState::skipped;
}

}  // namespace genclip
