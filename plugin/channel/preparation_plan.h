// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a channel does next to have its items ready, without I/O: every decision of the preparer that can cost
// money.
//
// An item on its way: it is surveyed (is its clip in the store, is there a task?), then generated, then
// vetted. What is known of its source is in source_memory.h. The journal knows the same for the next run of
// the program.
//
// The preparer reports what has happened, asks next() what to do, and does it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plugin/base/clock.h"
#include "plugin/channel/generation_end.h"
#include "plugin/channel/item_state.h"
#include "plugin/channel/planned_wish.h"
#include "plugin/channel/preparer.h"
#include "plugin/channel/source_memory.h"
#include "plugin/core/clip_run.h"

namespace genclip {

// What the store knows of a clip.
struct Survey {
  std::string refusal;  // The request is refused, so nothing can be known. Else empty.
  std::string problem;  // The settings are, which a reload may mend. Else empty.
  bool is_stored = false;
  bool has_task = false;              // That may bring the clip.
  bool has_failed = false;            // The last one has.
  bool hangs = false;                 // It does not end, so nothing is known.
  std::optional<unsigned> last_take;  // The last one that is stored, of a fresh item.
  MissingTakes missing;               // Between that one and the item's own.
};

// The first is that of files of this machine, which wait for no server.
inline constexpr unsigned kVettingLanes = 3;

struct PlanAction {
  enum class Kind { survey, generate, abandon, vet, look_at_budget };
  Kind kind = Kind::survey;
  WishKey key;                              // Not of look_at_budget.
  unsigned take = 0;                        // Of survey and generate.
  MaySubmit may_submit = MaySubmit::never;  // Of generate.
  unsigned lane = 0;                        // Of vet: below kVettingLanes. In each lane, one at a time.

  friend bool operator==(const PlanAction &, const PlanAction &) = default;
};

// As in ItemStatus. When it is ready, the media are those that were vetted last.
struct PlannedStatus {
  ItemState state = ItemState::planned;
  std::string reason;

  friend bool operator==(const PlannedStatus &, const PlannedStatus &) = default;
};

// A plain value; one thread.
class PreparationPlan {
 public:
  PreparationPlan(unsigned workers, OnUnknown on_unknown) : workers_(workers), on_unknown_(on_unknown) {}

  // In the order in which they will be on the air; the fallbacks come last.
  void want(std::vector<PlannedWish> wishes);
  // All that are wanted, in their order.
  const std::vector<WishKey> &wanted() const { return order_; }
  bool wants(const WishKey &key) const { return entries_.contains(key); }
  // Grows when an item begins anew as another source: what was under way for it is nobody's, or has another
  // key.
  uint64_t version(const WishKey &key) const;
  // The key of what was under way for that item in that version, where the item has become something else
  // meanwhile, and it is to be fetched because it is paid.
  std::optional<WishKey> key_of_replaced(const WishKey &key, uint64_t version) const;

  // Takes of its source that are stored, and not fit to be shown.
  std::set<unsigned> unfit_takes(const WishKey &key) const;
  // … and those that are known not to be stored.
  MissingTakes missing_takes(const WishKey &key) const;

  // ---- What has happened. Keys that are not wanted are ignored.
  // One that hangs may be told again: as what it has found, once it has ended.
  void surveyed(const WishKey &key, const Survey &survey, Clock::Time now);
  // Whether a request of its generation is on its way to the service.
  void submits(const WishKey &key, bool is_submitting);
  // Whether it waits for another clip before it may be submitted: for its price, or for its slot.
  void waits(const WishKey &key, bool is_waiting);
  // Its generation has a task: its own, or one of a clip that it is made of.
  void accepted(const WishKey &key, bool is_own);
  void generated(const WishKey &key, const GenerationEnd &end, Clock::Time now);
  // `problem`: why it is not fit to be shown; empty: it is fit. `may_pass`: the same media may be fit later,
  // so they are vetted again, at growing intervals. `is_silent`: their server sent nothing in time, so its
  // other media are put off as well.
  void vetted(const WishKey &key, const std::string &problem, bool may_pass = false, Clock::Time now = {},
              bool is_silent = false);
  // The file of foreign media is not the one that was vetted.
  void changed(const WishKey &key);
  // Whether the reason of the halt has gone.
  void budget_looked(bool is_over, Clock::Time now);
  // Without a budget that ends what fresh takes cost, they wait.
  void set_bound(bool is_bound);
  bool is_bound() const { return is_bound_; }
  void reload(Clock::Time now);

  // ---- What to do. Each action is given once; the preparer does them all.
  std::vector<PlanAction> next(Clock::Time now);
  // When next() has something to do again, if nothing happens before; nothing: not of itself.
  std::optional<Clock::Time> due(Clock::Time now) const;

  PlannedStatus status(const WishKey &key) const;
  // Nothing: submits go on.
  const std::optional<Halt> &halt() const { return halt_; }
  // Of what is not submitted, for the halt or for the lack of a budget.
  std::optional<BudgetNotice> notice() const;
  bool is_disk_full() const { return is_disk_full_; }

 private:
  // At the budget while halted, and at whether there is room again.
  static constexpr std::chrono::minutes kHaltLookInterval{1};
  // The first look at the store may come before it knows.
  static constexpr unsigned kLooks = 2;

  enum class Step { idle, surveying, surveyed, generating, at_hand, vetting, ready, over };

  struct Entry {
    PlannedWish wish;
    std::string server;  // Of foreign media that come over the network.
    uint64_t version = 0;
    Step step = Step::idle;
    unsigned lane = 0;  // Of the vetting.
    Survey survey;
    // Of what is generated, or at hand: not the wished take if it stands in for it.
    unsigned take = 0;
    MaySubmit may_submit = MaySubmit::never;
    bool is_submitting = false;
    bool is_accepted = false;
    bool has_own_task = false;
    bool is_waiting = false;    // Before its submit, for another clip.
    bool is_behind = false;     // Another take of its source comes first.
    bool is_put_back = false;   // Until nothing waits any more: it had waited, and others come first.
    bool has_stand_in = false;  // An earlier take is ready.
    bool keeps_media = false;   // They failed, and are still there to be vetted again.

    bool is_stand_in() const { return take != wish.take; }
    // It is served from the store: no worker's work.
    bool is_served() const { return is_stand_in() || survey.is_stored; }
    bool is_at_work() const { return step == Step::generating && !is_served(); }
  };

  // A server that sent nothing in time.
  struct Silence {
    SourceVerdict verdict;
    Clock::Time not_before{};
  };

  SourceMemory &memory(const Entry &entry) { return memories_.of(entry.wish); }
  const SourceMemory *known(const Entry &entry) const { return memories_.find(entry.wish); }
  const SeriesMemory *find_series(const WishKey &key) const;
  Entry *find(const WishKey &key, Step step);
  Entry *find_hanging(const WishKey &key);
  void let_go(Entry &entry);
  void forget_what_left();

  // The parts of next().
  void abandon_unpaid_carried(std::vector<PlanAction> &actions);
  bool put_back_waiting(std::vector<PlanAction> &actions);
  void abandon_unsubmitted(Clock::Time now, std::vector<PlanAction> &actions);
  void take_retries(Clock::Time now);
  void begin_again(Clock::Time now);
  void begin_surveys(std::vector<PlanAction> &actions);
  void begin_generations(Clock::Time now, bool is_any_waiting, std::vector<PlanAction> &actions);
  void put_off_silent(Clock::Time now);
  void begin_vetting(std::vector<PlanAction> &actions);
  Entry *next_to_vet(bool is_local, const std::set<std::string> &asked, bool has_fallback);
  bool may_pay(Clock::Time now) const;
  void forget_what_was_carried(Clock::Time now);
  std::vector<std::string> under_way() const;
  bool waits_for_another_take(const Entry &entry, Clock::Time now) const;
  bool is_series_over(const Entry &entry) const;
  // Until there is money for it.
  bool is_halted(const Entry &entry) const { return halt_ || is_unbound(entry); }
  bool is_unbound(const Entry &entry) const { return !is_bound_ && entry.wish.is_fresh; }
  bool is_barred(Clock::Time now) const { return halt_ || is_put_off_by_disk(now); }
  bool is_put_off_by_disk(Clock::Time now) const { return is_disk_full_ && now < disk_until_; }
  bool has_paid_clip_to_fetch() const;
  bool is_room_needed() const;
  std::optional<PlanAction> generation_of(Entry &entry, Clock::Time now, bool may_submit, bool has_worker);

  void task_failed(Entry &entry, SourceMemory &memory, const std::string &reason, Clock::Time now);
  // The parts of generated().
  void end_badly(Entry &entry, SourceMemory &memory, const GenerationEnd &end, Clock::Time now);
  void note_server(const std::string &server, bool is_silent, Clock::Time now);
  void halt_for(const Entry &entry, const Halt &halt, Clock::Time now);
  void forget_what_halted();
  void survey_fresh();
  static void give_up(Entry &entry, SourceMemory &memory, ItemState state, const std::string &reason,
                      bool until_reload);
  void give_up_series(const Entry &entry, ItemState state, const std::string &reason, bool until_reload);

  unsigned workers_;
  OnUnknown on_unknown_;
  std::vector<WishKey> order_;
  std::map<WishKey, Entry> entries_;
  // Those that are not wanted any more, and whose paid clip is still to be fetched. None has the key of an
  // entry.
  std::map<WishKey, Entry> carried_;
  SourceMemories memories_;
  std::map<std::string, Silence> silent_;  // By server.
  uint64_t versions_ = 0;
  std::optional<Halt> halt_;
  std::string halted_by_;      // What was asked for and refused; all takes of it cost the same.
  bool is_bound_ = true;       // The store has a budget that ends what fresh takes cost.
  Clock::Time next_look_{};    // At the budget, while halted.
  bool is_disk_full_ = false;  // Until something was stored again.
  Clock::Time disk_until_{};   // No submit before, while the disk is full.
};

}  // namespace genclip
