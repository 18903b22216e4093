// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/preparer_work.h"

#include <glib.h>

#include <algorithm>
#include <cmath>

#include "plugin/account/decision.h"
#include "plugin/account/ledger.h"
#include "plugin/base/background_work.h"
#include "plugin/base/disk_thread.h"
#include "plugin/channel/clip_survey.h"
#include "plugin/channel/item_vetting.h"
#include "plugin/generation/generations.h"
#include "plugin/http/api_key.h"
#include "plugin/store/clip_path.h"

namespace genclip {
namespace {

constexpr char kDiskFullAlarm[] = "disk-full";
constexpr char kDiskFull[] =
    "The disk of the store is full. Nothing is generated until there is room; what is stored goes on.";
constexpr char kDiskHasRoom[] = "The disk of the store has room again.";
// Different warnings that are remembered.
constexpr size_t kMostWarned = 10000;
// A fallback has no duration of its own: a still is shown as long as a step of the slate.
constexpr auto kFallbackStill = std::chrono::seconds(5);

PlannedWish planned(const RundownItem &item, uint64_t turn) {
  PlannedWish wish;
  wish.is_generated = is_clip_uri(item.source);
  wish.is_fresh = wish.is_generated && item.fresh == Fresh::each_turn;
  wish.key = {item.id, wish.is_fresh ? turn : 0};
  wish.source = item.source;
  wish.request = request_of_uri(item.source);
  wish.in = item.in;
  (item.is_length_of_still ? wish.still_length : wish.length) = item.length;
  wish.may_retry = item.retry;
  wish.take = take_of_uri(item.source) + static_cast<unsigned>(wish.key.turn);
  wish.problem = item.problem;
  return wish;
}

PlannedWish planned_fallback(const std::string &source, size_t index) {
  RundownItem item;
  item.id = fallback_id(index);
  item.source = source;
  PlannedWish wish = planned(item, 0);
  wish.still_length = kFallbackStill;
  wish.is_fallback = true;
  return wish;
}

size_t paid_key(const PlannedWish &wish, unsigned take) {
  return std::hash<std::string>()(wish.request + "\n" + std::to_string(take));
}

// What a look at the store decides whether submits may go on. A copy: the look may hang.
struct HaltToEnd {
  Halt halt;
  std::string refused_key;
  std::optional<Budget> budget_at_halt;
};

Ledger ledger_of(const GenerationServices &services, const RunSettings &run) {
  return {*services.files, *services.clock, store_root(run.store)};
}

// Blocks for the disk.
bool has_ended(const HaltToEnd &known, const GenerationServices &services, const RunSettings &run) {
  const Halt &halt = known.halt;
  Ledger ledger = ledger_of(services, run);
  const auto budget = ledger.budget();
  if (!budget) return false;
  if (halt.notice.is_key) {
    const auto key = find_api_key(run.api_key, run.api_key_file);
    return (key && key->value != known.refused_key) ||
           (known.budget_at_halt && *budget != *known.budget_at_halt);
  }
  const auto reading = ledger.read_condensed();
  if (!reading) return false;
  std::optional<Estimate> estimate;
  if (halt.estimate >= 0)
    estimate = Estimate{.low = halt.estimate, .likely = halt.estimate, .high = halt.estimate};
  Spending spending = clip_spending(*budget, 0, estimate);
  if (!estimate) spending.is_known = spending.is_assumed = false;  // Any room is enough.
  const Decision decision = decide(reading->account, *budget, spending, to_utc(services.clock->wall_now()));
  return decision.verdict != Verdict::refuse ||
         is_limit_of_clip(decision.budget, decision.estimate, decision.limit);
}

Error error_of(Generation &generation) {
  // The state is reported a moment before the error is set.
  const Interrupt never;
  const auto bytes = generation.clip().wait(0, UINT64_MAX, false, Interrupt::Watch(never));
  return bytes ? Error{ErrorKind::failed, "The clip could not be generated."} : bytes.error();
}

}  // namespace

// Hands over the reports of one generation. Thread-safe.
class PreparerWork::Reports final : public GenerationObserver {
 public:
  Reports(const std::shared_ptr<PreparerWork> &work, WishKey key, uint64_t ticket)
      : work_(work), key_(std::move(key)), ticket_(ticket) {}

  void on_change(const GenerationState &state) override {
    if (const auto work = work_.lock())
      work->post(
          [key = key_, ticket = ticket_, state](PreparerWork &self) { self.report(key, ticket, state); });
  }
  void on_warning(const Error &warning) override {
    if (const auto work = work_.lock())
      work->post([warning, id = key_.id](PreparerWork &self) { self.warn(warning, id); });
  }

 private:
  const std::weak_ptr<PreparerWork> work_;
  const WishKey key_;
  const uint64_t ticket_;
};

PreparerWork::PreparerWork(PreparerSettings settings, GenerationServices services,
                           std::shared_ptr<Vetter> vetter, std::shared_ptr<PreparerOutlet> outlet)
    : settings_(without_task(std::move(settings))),
      services_(std::move(services)),
      outlet_(std::move(outlet)),
      vetting_(std::make_shared<VettingMemory>(std::move(vetter), *services_.files)),
      cancellable_(GRef<GCancellable>::adopt(g_cancellable_new())),
      plan_(std::max(settings_.workers, 1U), settings_.on_unknown),
      file_watch_(vetting_, cancellable_) {}

PreparerSettings PreparerWork::without_task(PreparerSettings settings) {
  settings.run.task_id.clear();
  settings.run.dry_run = false;
  settings.run.reuse = true;
  return settings;
}

// ---- The queue.

// They come each second. Only the newest ones count, so no more than these wait in the queue.
void PreparerWork::want(std::vector<Wish> wishes, std::vector<std::string> fallback) {
  {
    MutexLock lock(mutex_);
    const bool is_posted = newest_.has_value();
    newest_ = Wanted{std::move(wishes), std::move(fallback)};
    if (is_posted) return;
  }
  post([](PreparerWork &self) {
    self.take_newest_wishes();
    self.look_at_files();
  });
}

void PreparerWork::take_newest_wishes() {
  std::optional<Wanted> newest;
  {
    MutexLock lock(mutex_);
    newest = std::exchange(newest_, std::nullopt);
  }
  if (newest) take_wishes(std::move(newest->wishes), std::move(newest->fallback));
}

void PreparerWork::set_bound(bool is_bound) {
  post([is_bound](PreparerWork &self) { self.plan_.set_bound(is_bound); });
}

void PreparerWork::reload() {
  post([](PreparerWork &self) { self.plan_.reload(self.services_.clock->now()); });
}

// Generations are let go here, because a job of the queue may wait for a disk. Their tasks stay.
void PreparerWork::close() {
  std::map<uint64_t, Attended> attended;
  {
    MutexLock lock(mutex_);
    is_closed_ = true;
    attended.swap(attended_);
  }
  for (const auto &[ticket, one] : attended) one.generation->leave(one.reports.get());
  g_cancellable_cancel(cancellable_.get());
  queue_->add([self = shared_from_this()] {
    if (self->timer_) g_cancellable_cancel(self->timer_.get());
    self->works_.clear();
  });
}

bool PreparerWork::is_closed() const {
  MutexLock lock(mutex_);
  return is_closed_;
}

void PreparerWork::post(Job job) {
  queue_->add([weak = weak_from_this(), job = std::move(job)] {
    if (const auto self = weak.lock()) self->run(job);
  });
}

void PreparerWork::run(const Job &job) {
  if (is_closed()) return;
  job(*this);
  advance();
}

// What is due at `now` is done, and what is due later gets a timer: by one reading of the clock, so that
// nothing can become due between the two.
void PreparerWork::advance() {
  for (;;) {
    const Clock::Time now = services_.clock->now();
    const auto actions = plan_.next(now);
    for (const PlanAction &action : actions) act(action);
    if (!actions.empty()) continue;
    publish();
    return set_timer(plan_.due(now));
  }
}

void PreparerWork::take_wishes(std::vector<Wish> wishes, std::vector<std::string> fallback) {
  const auto is_same = [](const Wish &one, const Wish &other) {
    return one.item == other.item && one.turn == other.turn;
  };
  if (fallback == fallback_ &&
      std::equal(wishes.begin(), wishes.end(), wishes_.begin(), wishes_.end(), is_same))
    return;
  std::vector<PlannedWish> all;
  all.reserve(wishes.size() + fallback.size());
  for (const Wish &wish : wishes) all.push_back(planned(wish.item, wish.turn));
  for (size_t i = 0; i < fallback.size(); ++i) all.push_back(planned_fallback(fallback[i], i));
  wishes_ = std::move(wishes);
  fallback_ = std::move(fallback);

  plan_.want(all);
  for (auto known = works_.begin(); known != works_.end();) {
    if (!plan_.wants(known->first)) outlet_->forget(known->first);
    if (known->second.version == plan_.version(known->first)) {
      ++known;
      continue;
    }
    file_watch_.forget(known->first);
    auto work = works_.extract(known++);
    if (const auto key = plan_.key_of_replaced(work.key(), work.mapped().version)) {
      work.key() = work.mapped().wish.key = *key;
      works_.insert(std::move(work));
    } else {
      give_up(work.mapped());
    }
  }
  for (PlannedWish &wish : all) {
    Work work;
    work.version = plan_.version(wish.key);
    const WishKey key = wish.key;
    work.wish = std::move(wish);
    works_.try_emplace(key, std::move(work));
  }
}

// Whoever says what it wants does so every second, so there is no timer.
void PreparerWork::look_at_files() {
  file_watch_.look(services_.clock->now(), [self = shared_from_this()](FileWatch::Looks changed) {
    self->post([changed = std::move(changed)](PreparerWork &here) {
      for (const WishKey &key : here.file_watch_.take(changed)) here.plan_.changed(key);
    });
  });
}

PreparerWork::Work *PreparerWork::find(const WishKey &key, uint64_t ticket) {
  // It may have been replaced since under its name.
  for (auto found = works_.lower_bound({key.id, key.turn}); found != works_.end(); ++found) {
    if (found->first.id != key.id || found->first.turn != key.turn) break;
    if (found->second.ticket == ticket) return &found->second;
  }
  return nullptr;
}

void PreparerWork::set_timer(std::optional<Clock::Time> due) {
  if (due == timer_due_) return;
  if (timer_) g_cancellable_cancel(timer_.get());
  timer_ = {};
  timer_due_ = due;
  if (!due) return;
  timer_ = GRef<GCancellable>::adopt(g_cancellable_new());
  on_disk_thread([weak = weak_from_this(), services = services_, time = *due, timer = timer_] {
    if (!services.clock->sleep_until(time, timer.get())) return;
    if (const auto self = weak.lock())
      self->post([time](PreparerWork &work) {
        if (work.timer_due_ == time) work.timer_due_.reset();
      });
  });
}

// ---- What the plan says.

void PreparerWork::act(const PlanAction &action) {
  if (action.kind == PlanAction::Kind::look_at_budget) return look_at_budget();
  Work &work = works_.at(action.key);
  switch (action.kind) {
    case PlanAction::Kind::survey: return survey(work);
    case PlanAction::Kind::generate: return generate(work, action);
    case PlanAction::Kind::abandon: return give_up(work);
    case PlanAction::Kind::vet: return vet(work, action.lane);
    case PlanAction::Kind::look_at_budget: break;
  }
}

void PreparerWork::survey(Work &work) {
  work.ticket = ++tickets_;
  const auto tell = [weak = weak_from_this(), key = work.wish.key, ticket = work.ticket](Survey found) {
    const auto self = weak.lock();
    if (!self) return;
    self->post([found = std::move(found), key, ticket](PreparerWork &here) {
      Work *surveyed = here.find(key, ticket);
      if (!surveyed) return;
      here.plan_.surveyed(surveyed->wish.key, found, here.services_.clock->now());
    });
  };
  // What hangs holds nothing of this but copies.
  const auto look = [wish = work.wish, unfit = plan_.unfit_takes(work.wish.key),
                     missing = plan_.missing_takes(work.wish.key), run = settings_.run, services = services_,
                     cancellable = cancellable_] {
    return survey_item(wish, unfit, missing, run, services, cancellable.get());
  };
  survey_queue_->add([self = shared_from_this(), look, tell, name = SourceMemories::name_of(work.wish)] {
    if (self->is_closed()) return;
    self->surveys_->survey(name, look, tell, self->cancellable_.get());
  });
}

void PreparerWork::generate(Work &work, const PlanAction &action) {
  work.ticket = ++tickets_;
  work.take = action.take;
  work.was_charged = false;
  work.reported_version = 0;
  work.links_amount = work.links_before = 0;
  work.at_hand = nullptr;
  work.no_key.clear();
  work.key.clear();
  auto plan = plan_item(work.wish.source, action.take, settings_.run);
  if (!plan) return fail(work, with_ending(plan.error(), {Outcome::not_submitted, Charged::no, false}));
  for (const std::string &warning : plan->warnings) warn({ErrorKind::settings, warning});
  plan->job.may_submit = action.may_submit;
  const auto links = paid_for_links_.find(paid_key(work.wish, action.take));
  if (links != paid_for_links_.end()) plan->job.paid_before = work.links_before = links->second;
  work.no_key = plan->job.no_key;
  work.key = plan->job.endpoint.api_key.value;
  GenerationServices services = services_;
  if (!services.http) services.http = HttpClient::shared(plan->http);
  const auto reports = std::make_shared<Reports>(shared_from_this(), work.wish.key, work.ticket);
  const Joined joined = join_generation(std::move(plan->job), std::move(services), reports);
  {
    MutexLock lock(mutex_);
    if (!is_closed_) attended_[work.ticket] = {joined.generation, reports};
  }
  if (is_closed()) return joined.generation->leave(reports.get());
  joined.generation->start([] {});
  reports->on_change(joined.state);
}

// Many items of a rundown have the same to say.
void PreparerWork::warn(Error warning, const std::string &id) {
  if (warned_.size() >= kMostWarned) warned_.clear();
  if (!warned_.insert(warning.text).second) return;
  if (!id.empty()) warning.text = "Of the item \"" + id + "\": " + warning.text;
  outlet_->tell([&](PreparerListener &listener) { listener.on_warning(warning); });
}

std::optional<PreparerWork::Attended> PreparerWork::stop_attending(uint64_t ticket) {
  MutexLock lock(mutex_);
  const auto found = attended_.find(ticket);
  if (found == attended_.end()) return std::nullopt;
  Attended one = std::move(found->second);
  attended_.erase(found);
  return one;
}

// Two items of one request share its generation.
void PreparerWork::keep_links_amount(const Work &work) {
  if (work.links_amount <= 0) return;
  double &known = paid_for_links_[paid_key(work.wish, work.take)];
  known = std::max(known, work.links_before + work.links_amount);
}

// The request that is on its way to the service is answered and journalled nevertheless.
void PreparerWork::give_up(Work &work) {
  if (const auto attended = stop_attending(work.ticket)) {
    keep_links_amount(work);
    attended->generation->leave(attended->reports.get());
  }
  work.ticket = 0;
}

void PreparerWork::vet(Work &work, unsigned lane) {
  work.ticket = ++tickets_;
  if (!work.wish.is_generated) {
    work.at_hand = std::make_shared<Held>();
    work.at_hand->media.uri = work.wish.source;
    work.expected.reset();
  }
  file_watch_.forget(work.wish.key);
  const VettingRequest request =
      vetting_request(work.wish, work.at_hand->media.uri, work.expected, settings_);
  vetting_queues_.at(lane)->add([self = shared_from_this(), request, key = work.wish.key,
                                 ticket = work.ticket, working = std::make_shared<BackgroundWork>()] {
    if (self->is_closed()) return;
    const auto vetted = self->vetting_->vet(request, self->cancellable_.get());
    self->post([vetted, key, ticket](PreparerWork &here) {
      Work *found = here.find(key, ticket);
      if (!found) return;
      // What has changed during the vetting is seen by the next look.
      // A file that hangs is not one that is missing.
      const bool hangs = !vetted.file && !vetted.media && vetted.media.error().kind == ErrorKind::timed_out;
      if (!found->wish.is_generated && !hangs) here.file_watch_.watch(key, found->wish.source, vetted.file);
      here.take_vetted(*found, vetted.media);
    });
  });
}

// The store may be on a server that does not answer. While one look hangs, no other one begins.
void PreparerWork::look_at_budget() {
  if (std::exchange(is_looking_at_budget_, true)) return;
  store_queue_->add([weak = weak_from_this(), known = HaltToEnd{*plan_.halt(), refused_key_, budget_at_halt_},
                     number = halts_, services = services_, run = settings_.run] {
    const bool is_over = has_ended(known, services, run);
    const auto self = weak.lock();
    if (!self) return;
    self->post([is_over, halt = known.halt, number](PreparerWork &here) {
      here.is_looking_at_budget_ = false;
      if (!here.plan_.halt() || number != here.halts_) return;
      if (is_over && !halt.notice.is_key && halt.estimate < 0) here.may_halt_again_ = true;
      here.plan_.budget_looked(is_over, here.services_.clock->now());
    });
  });
}

// So that a later look sees that somebody has changed it since.
void PreparerWork::remember_budget() {
  budget_at_halt_.reset();
  store_queue_->add([weak = weak_from_this(), number = halts_, services = services_, run = settings_.run] {
    const auto read = ledger_of(services, run).budget();
    const auto self = weak.lock();
    if (!self || !read) return;
    self->post([budget = *read, number](PreparerWork &here) {
      if (number == here.halts_) here.budget_at_halt_ = budget;
    });
  });
}

// ---- What comes back.

void PreparerWork::report(const WishKey &key, uint64_t ticket, const GenerationState &state) {
  Work *work = find(key, ticket);
  if (!work || state.version < work->reported_version) return;
  work->reported_version = state.version;
  count_spending(*work, state);
  const WishKey &now = work->wish.key;
  plan_.submits(now, state.is_submitting());
  plan_.waits(now, state.waits_for_clip);
  const bool is_own = !state.task_id.empty() && state.status != ClipStatus::preparing;
  if (state.charged) plan_.accepted(now, is_own);
  if (state.charged && !std::exchange(work->was_charged, true)) may_halt_again_ = false;
  const bool is_over = state.status == ClipStatus::completed || state.status == ClipStatus::failed;
  const auto attended = is_over ? stop_attending(ticket) : std::nullopt;
  if (!attended) return;
  if (state.status == ClipStatus::completed) return finish(*work, state, attended->generation);
  fail(*work, error_of(*attended->generation));
}

void PreparerWork::finish(Work &work, const GenerationState &state, std::shared_ptr<Generation> generation) {
  const GStringPtr uri(g_filename_to_uri(state.clip_location.c_str(), nullptr, nullptr));
  const auto paid = paid_.find(paid_key(work.wish, work.take));
  work.at_hand = std::make_shared<Held>();
  work.at_hand->generation = std::move(generation);
  ReadyMedia &media = work.at_hand->media;
  media.uri = uri ? uri.get() : "";
  media.task_id = state.task_id;
  media.take = work.take;
  media.credits = work.links_before + state.links_amount + (paid == paid_.end() ? 0 : paid->second);
  paid_for_links_.erase(paid_key(work.wish, work.take));
  work.expected.reset();
  if (state.actual_duration > 0)
    work.expected = std::chrono::nanoseconds(std::llround(state.actual_duration * 1e9));
  plan_.generated(work.wish.key, GenerationEnd(), services_.clock->now());
}

void PreparerWork::fail(Work &work, const Error &error) {
  keep_links_amount(work);
  const GenerationEnd end = generation_end(error, work.no_key, utc_now());
  const bool is_known = plan_.halt() && end.halt && is_same_reason(*plan_.halt(), *end.halt);
  plan_.generated(work.wish.key, end, services_.clock->now());
  if (!end.halt || is_known) return;
  ++halts_;
  refused_key_ = work.key;
  remember_budget();
}

// What a clip cost may be known only after this run has come back to its task.
void PreparerWork::count_spending(Work &work, const GenerationState &state) {
  if (state.links_amount > work.links_amount)
    outlet_->spend(state.links_amount - std::exchange(work.links_amount, state.links_amount));
  const size_t key = paid_key(work.wish, work.take);
  if (state.charged && !state.reused && !state.task_id.empty()) paid_.try_emplace(key, 0);
  const auto paid = paid_.find(key);
  if (paid == paid_.end() || state.amount <= paid->second) return;
  outlet_->spend(state.amount - std::exchange(paid->second, state.amount));
}

void PreparerWork::take_vetted(Work &work, const Result<VettedMedia> &vetted) {
  const auto at_hand = std::exchange(work.at_hand, nullptr);
  const std::string fault = media_fault(work.wish, vetted, work.key);
  const bool is_vetted_again = !fault.empty() && media_may_pass(work.wish, vetted);
  if (is_vetted_again) work.at_hand = at_hand;
  if (fault.empty()) {
    ReadyMedia &media = at_hand->media;
    describe(media, work.wish, *vetted);
    work.media = std::shared_ptr<const ReadyMedia>(at_hand, &media);
  }
  plan_.vetted(work.wish.key, fault, is_vetted_again, services_.clock->now(),
               !vetted && vetted.error().kind == ErrorKind::open_read);
}

// ---- What others see.

void PreparerWork::publish() {
  // What was fetched though nobody wanted it any more.
  std::erase_if(works_, [this](const auto &known) { return plan_.version(known.first) == 0; });
  bool is_more_to_come = false;
  for (const WishKey &key : plan_.wanted()) {
    const Work &work = works_.at(key);
    PlannedStatus status = plan_.status(key);
    if (status.state == ItemState::planned || status.state == ItemState::generating) is_more_to_come = true;
    outlet_->show(work.wish, {status.state, std::move(status.reason),
                              status.state == ItemState::ready ? work.media : nullptr});
  }
  if (!is_more_to_come) may_halt_again_ = false;
  tell_notice(plan_.notice());
  if (std::exchange(told_disk_full_, plan_.is_disk_full()) == plan_.is_disk_full()) return;
  outlet_->tell([is_full = told_disk_full_](PreparerListener &listener) {
    listener.on_alarm(kDiskFullAlarm, is_full ? kDiskFull : kDiskHasRoom, is_full);
  });
}

// A listener takes a notice back before it gets one of the other kind.
void PreparerWork::tell_notice(std::optional<BudgetNotice> notice) {
  // Fresh items come into the look-ahead and leave it; the budget is missing all the time.
  if (!notice && told_halt_ && told_halt_->is_unbound && !plan_.is_bound()) return;
  if (!notice && told_halt_ && may_halt_again_) return;
  may_halt_again_ = false;
  const bool is_other_kind = notice && told_halt_ && !g_str_equal(notice->alarm(), told_halt_->alarm());
  if (notice.has_value() == told_halt_.has_value() && (!notice || notice->text == told_halt_->text)) return;
  if (is_other_kind) outlet_->tell([](PreparerListener &listener) { listener.on_budget(std::nullopt); });
  told_halt_ = std::move(notice);
  outlet_->tell([&](PreparerListener &listener) { listener.on_budget(told_halt_); });
}

}  // namespace genclip
