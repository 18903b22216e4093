// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Does what the preparation plan says, and reports back what became of it.
//
// All of it but close() runs on one queue, one job at a time: a job tells the plan what has happened, then
// does what the plan says next. Nothing waits there for the network. What takes long (surveys, vetting,
// generations, looks at the budget) has threads of its own, which post what they found.
#pragma once

#include <gio/gio.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plugin/account/budget.h"
#include "plugin/base/disk_queue.h"
#include "plugin/base/gref.h"
#include "plugin/channel/file_watch.h"
#include "plugin/channel/preparation_plan.h"
#include "plugin/channel/preparer_outlet.h"
#include "plugin/channel/survey_guard.h"
#include "plugin/channel/vetting_memory.h"
#include "plugin/generation/generation.h"

namespace genclip {

class PreparerWork : public std::enable_shared_from_this<PreparerWork> {
 public:
  PreparerWork(PreparerSettings settings, GenerationServices services, std::shared_ptr<Vetter> vetter,
               std::shared_ptr<PreparerOutlet> outlet);

  // Any thread; none waits.
  void want(std::vector<Wish> wishes, std::vector<std::string> fallback) EXCLUDES(mutex_);
  void set_bound(bool is_bound);
  void reload();
  void close() EXCLUDES(mutex_);

 private:
  class Reports;
  // A clip that is kept in the store as long as anybody shows it.
  struct Held {
    std::shared_ptr<Generation> generation;  // None of foreign media.
    ReadyMedia media;
  };
  // An item's work. What comes back with another ticket is of work that was given up.
  struct Work {
    PlannedWish wish;
    uint64_t version = 0;
    uint64_t ticket = 0;
    unsigned take = 0;  // Of the generation, as are the next six.
    bool was_charged = false;
    uint64_t reported_version = 0;  // Of its state. Reports of two threads may overtake each other.
    std::string no_key, key;
    double links_amount = 0, links_before = 0;  // `links_before`: in earlier tries.
    std::optional<std::chrono::nanoseconds> expected;
    std::shared_ptr<Held> at_hand;
    std::shared_ptr<const ReadyMedia> media;  // Vetted last.
  };
  struct Attended {
    std::shared_ptr<Generation> generation;
    std::shared_ptr<Reports> reports;
  };
  using Job = std::function<void(PreparerWork &)>;
  struct Wanted {
    std::vector<Wish> wishes;
    std::vector<std::string> fallback;
  };

  // What a single run may be asked for is no item's.
  static PreparerSettings without_task(PreparerSettings settings);

  void post(Job job);
  void run(const Job &job) EXCLUDES(mutex_);
  void advance() EXCLUDES(mutex_);
  void take_newest_wishes() EXCLUDES(mutex_);
  void take_wishes(std::vector<Wish> wishes, std::vector<std::string> fallback);
  void look_at_files();
  Work *find(const WishKey &key, uint64_t ticket);

  // Actions.
  void act(const PlanAction &action);
  void survey(Work &work);
  void generate(Work &work, const PlanAction &action) EXCLUDES(mutex_);
  void keep_links_amount(const Work &work);
  void give_up(Work &work) EXCLUDES(mutex_);
  void vet(Work &work, unsigned lane);
  void look_at_budget();
  void remember_budget();

  // Reports.
  void report(const WishKey &key, uint64_t ticket, const GenerationState &state) EXCLUDES(mutex_);
  void finish(Work &work, const GenerationState &state, std::shared_ptr<Generation> generation);
  void fail(Work &work, const Error &error);
  void count_spending(Work &work, const GenerationState &state);
  void take_vetted(Work &work, const Result<VettedMedia> &vetted);

  // `id`: of the item whose clip it is about; empty: of all.
  void warn(Error warning, const std::string &id = "");
  void publish();
  void tell_notice(std::optional<BudgetNotice> notice);
  void set_timer(std::optional<Clock::Time> due);
  std::optional<Attended> stop_attending(uint64_t ticket) EXCLUDES(mutex_);
  bool is_closed() const EXCLUDES(mutex_);
  UtcTime utc_now() const { return to_utc(services_.clock->wall_now()); }

  const PreparerSettings settings_;
  const GenerationServices services_;
  const std::shared_ptr<PreparerOutlet> outlet_;
  const std::shared_ptr<VettingMemory> vetting_;
  const GRef<GCancellable> cancellable_;
  const std::shared_ptr<DiskQueue> queue_ = DiskQueue::make();
  const std::shared_ptr<DiskQueue> survey_queue_ = DiskQueue::make();
  const std::shared_ptr<DiskQueue> store_queue_ = DiskQueue::make();
  const std::shared_ptr<SurveyGuard> surveys_ = std::make_shared<SurveyGuard>();
  const std::array<std::shared_ptr<DiskQueue>, kVettingLanes> vetting_queues_{
      DiskQueue::make(), DiskQueue::make(), DiskQueue::make()};

  // ---- On the queue.
  PreparationPlan plan_;
  std::map<WishKey, Work> works_;
  std::vector<Wish> wishes_;
  std::vector<std::string> fallback_;
  uint64_t tickets_ = 0;
  FileWatch file_watch_;          // Of foreign media.
  std::set<std::string> warned_;  // Texts that were told.
  // Credits of this run, by the hash of source and take: for the clip, and for its links in tries that
  // brought none.
  std::unordered_map<size_t, double> paid_, paid_for_links_;
  std::optional<BudgetNotice> told_halt_;
  // A halt has ended only because nobody wants the clip that it was about: the next one may be refused too.
  bool may_halt_again_ = false;
  bool told_disk_full_ = false;
  uint64_t halts_ = 0;  // So far. What is found out about an earlier one is nobody's.
  bool is_looking_at_budget_ = false;
  std::string refused_key_;  // While a halt is about the key.
  std::optional<Budget> budget_at_halt_;
  std::optional<Clock::Time> timer_due_;
  GRef<GCancellable> timer_;

  mutable Mutex mutex_;
  std::optional<Wanted> newest_ GUARDED_BY(mutex_);           // A job that takes it is in the queue.
  std::map<uint64_t, Attended> attended_ GUARDED_BY(mutex_);  // By ticket.
  bool is_closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace genclip
