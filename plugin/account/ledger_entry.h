// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One line of the ledger as a value (docs/store-format.md, ledger.jsonl).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "plugin/base/utc_time.h"
#include "plugin/base/words.h"

namespace genclip {

enum class LedgerEvent {
  reserve,    // Before the intent is journalled: from here on the clip counts with its estimate.
  submitted,  // The task exists; `task_id` is set. Again: its `amount` was told before it ended.
  settle,     // The task ended: `status` says how, `amount` what it cost, where that was told.
  unfetched,  // The task was completed, and its clip is not in the store yet.
  stored,     // … and now it is.
  release,    // It is sure that no task exists.
  unknown,    // Whether a task exists, or what became of it, is unknown: it stays reserved.
  correct,    // A person says what it cost: of `task_id`, or, without one, of the latest charge of `key`.
  captions,   // What a run of captions has used since its previous line, and what it may still use.
  other,      // An event of a later version: kept in the file, and ignored. Never written.
};
template <>
inline constexpr Word<LedgerEvent> kWords<LedgerEvent>[] = {
    {LedgerEvent::reserve, "reserve"},  {LedgerEvent::submitted, "submitted"},
    {LedgerEvent::settle, "settle"},    {LedgerEvent::unfetched, "unfetched"},
    {LedgerEvent::stored, "stored"},    {LedgerEvent::release, "release"},
    {LedgerEvent::unknown, "unknown"},  {LedgerEvent::correct, "correct"},
    {LedgerEvent::captions, "captions"}};

// What a clip is expected to cost, in credits; 0 <= low <= likely <= high.
struct Estimate {
  double low = 0;
  double likely = 0;
  double high = 0;
  unsigned samples = 0;  // How many settled tasks it rests on.
  std::string basis;     // The rule that made it: see plugin/account/estimate.h.

  friend bool operator==(const Estimate &, const Estimate &) = default;
};

// The most requests or tokens that a line holds; a larger sum counts as this.
constexpr double kMostTallied = 9e15;

// What requests to the text gateway have used. There are no credits: the gateway tells no price.
struct CaptionUse {
  uint64_t requests = 0;  // Sent, retries included.
  uint64_t untold = 0;    // Those of them whose tokens the gateway did not tell.
  uint64_t prompt_tokens = 0;
  uint64_t output_tokens = 0;
  uint64_t total_tokens = 0;
  uint64_t assumed_tokens = 0;  // What the untold ones count with.
  uint64_t most_tokens = 0;     // Of the largest single answer.

  // What a limit counts.
  uint64_t tokens() const { return total_tokens + assumed_tokens; }
  void add(const CaptionUse &other);

  friend bool operator==(const CaptionUse &, const CaptionUse &) = default;
};

// What a run of captions may still use.
struct CaptionHold {
  uint64_t held_requests = 0;  // Not sent yet.
  uint64_t held_tokens = 0;    // For those, and for the ones that are not answered yet.

  friend bool operator==(const CaptionHold &, const CaptionHold &) = default;
};

struct CaptionCounts : CaptionUse, CaptionHold {
  friend bool operator==(const CaptionCounts &, const CaptionCounts &) = default;
};

// Whose clip it is, and all that its price hangs on (service-interface.txt §2.2, §2.3): the same in each line
// about it. Holds no prompt, no key of the account and no URL of media.
struct ChargeFacts {
  std::string key;  // The clip's digest: its folder in the store. Of `captions`, the run's random name.
  unsigned take = 0;
  std::string model;
  std::string api;       // "tasks" or "legacy"; of `captions` "llm"
  std::string base_url;  // In its normal spelling.
  std::string project;   // Whose account it is; may be empty.
  // As the request says them; unset or empty: it does not.
  std::optional<double> duration = {};  // s
  std::string resolution = {};
  std::string size = {};
  std::optional<bool> audio = {};
  // How many media references each field has, by the service's names ("first_image", "reference_videos"),
  // also of fields without a type. Fields without any are left out.
  std::map<std::string, unsigned, std::less<>> references = {};

  friend bool operator==(const ChargeFacts &, const ChargeFacts &) = default;
};

struct LedgerEntry : ChargeFacts {
  LedgerEntry() = default;
  LedgerEntry(LedgerEvent what, ChargeFacts facts) : ChargeFacts(std::move(facts)), event(what) {}

  UtcTime at = {};
  LedgerEvent event = LedgerEvent::other;
  std::string task_id;
  std::optional<Estimate> estimate;  // Of `reserve`; none: it is unknown.
  // Credits, of a task (`submitted`, `settle`, `unknown`) or of a correction; none: it was not told.
  std::optional<double> amount;
  std::optional<double> actual_duration;  // s
  // Of `settle`, from the run that submitted the task and followed it without a break to its completion: how
  // long that took (s), give or take `waited_error` (plugin/account/wait_history.h).
  std::optional<double> waited;
  std::optional<double> waited_error;
  std::string status;  // Of `settle`: "completed" or "failed".
  // Of `release`, in genclip's own words: a text of the service's may quote the prompt or a URL.
  std::string why;
  bool imported = false;        // Made of a clip's record, which is all that is known of it.
  bool attached = false;        // The task was named by its ID; this store has not submitted it.
  bool corrected = false;       // Of a summary's `settle`: a person has entered the amount.
  CaptionCounts captions = {};  // Of `captions`.

  friend bool operator==(const LedgerEntry &, const LedgerEntry &) = default;
};

// Without its newline. Texts are made shown UTF-8 and cut at 1000 bytes, so that any bytes make a line that
// can be read.
std::string ledger_line(const LedgerEntry &entry);

// A line without its newline. A member of the wrong type, or out of range, counts as missing. Nothing: it is
// not a JSON object, or one without `at`, `event` and `key`. An event that this version does not know is
// `other`.
std::optional<LedgerEntry> read_ledger_line(std::string_view line);

// The two ways by which read_ledger_line reads: without a JSON parser, which takes a tenth of the time and
// only what ledger_line writes (nothing: not by this way), and with one.
std::optional<LedgerEntry> scan_ledger_line(std::string_view line);
std::optional<LedgerEntry> parse_ledger_line(std::string_view line);

// The names of all members of a line, in the order in which docs/store-format.md has them.
std::span<const std::string_view> ledger_members();

// A member of a line's `captions`.
struct CaptionMember {
  std::string_view name;
  uint64_t CaptionCounts::*count;
};
std::span<const CaptionMember> caption_members();

}  // namespace genclip
