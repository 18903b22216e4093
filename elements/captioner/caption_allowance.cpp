// SPDX-License-Identifier: LGPL-2.1-or-later
//
// CaptionRun decides; here are the waits, and the calls of the ledger, one at a time.
#include "elements/captioner/caption_allowance.h"

#include <utility>

#include "elements/element_log.h"
#include "plugin/account/caption_run.h"
#include "plugin/account/ledger.h"
#include "plugin/base/base_url.h"
#include "plugin/base/disk_thread.h"
#include "plugin/base/gref.h"
#include "plugin/base/log.h"
#include "plugin/base/mutex.h"
#include "plugin/base/number.h"
#include "plugin/caption/stream_text.h"
#include "plugin/generation/exit_guard.h"

namespace genclip {
namespace {

// Requests at a time: a channel with a caption every five seconds writes a line every 80 seconds.
constexpr uint64_t kBlock = 16;
// After a refusal. Somebody may have raised the limit, or given back what they held.
constexpr auto kUntilNextTry = std::chrono::seconds(10);

Error refusal_of(const Decision &decision) {
  Error error = refusal_error(decision);
  error.text += kStreamContinues;
  return error;
}

Error max_tokens_reached(const CaptionRun &run) {
  const auto limit = static_cast<double>(run.max_tokens());
  const auto used = static_cast<double>(run.used_tokens());
  Error error{ErrorKind::settings, "The budget of max-tokens is used up: " + amount_text(used) + " of " +
                                       counted(amount_text(limit), "token") +
                                       " are used, and one more caption may exceed it." +
                                       std::string(kStreamContinues)};
  error.details = {{"budget", "max-tokens"}, {"limit", limit}, {"spent", used}};
  return error;
}

}  // namespace

struct CaptionAllowance::State : std::enable_shared_from_this<State> {
  State(FileSystem &files, Clock &its_clock, const AllowanceSettings &settings)
      : clock(its_clock), ledger(files, its_clock, settings.store), run(settings.max_tokens) {
    facts.key = GStringPtr(g_uuid_string_random()).get();
    facts.api = "llm";
    facts.base_url = normal_base_url(settings.base_url);
    facts.model = settings.model;
    facts.project = settings.project;
  }

  Answer ask(GCancellable *leaving) EXCLUDES(mutex);
  std::optional<Error> once(const std::string &reason, Error error) REQUIRES(mutex);
  void call() EXCLUDES(mutex);
  void report(uint64_t wanted, GCancellable *cancellable) EXCLUDES(mutex);
  void take(const CaptionRun::Report &report, Result<Ledger::CaptionLease> lease, bool binds) REQUIRES(mutex);

  Clock &clock;
  ChargeFacts facts;
  Ledger ledger;  // Of the call under way.
  const GRef<GCancellable> cancellable = GRef<GCancellable>::adopt(g_cancellable_new());

  Mutex mutex;
  CondVar changed;
  CaptionRun run GUARDED_BY(mutex);
  bool is_calling GUARDED_BY(mutex) = false;
  bool is_ended GUARDED_BY(mutex) = false;
  uint64_t answers GUARDED_BY(mutex) = 0;
  std::optional<uint64_t> awaits_more_than GUARDED_BY(mutex);  // Of the answers, before it asks again.
  std::optional<Error> refusal GUARDED_BY(mutex);
  std::string refused_by GUARDED_BY(mutex);  // Limit and day.
  UtcDay refused_on GUARDED_BY(mutex) = {};
  Clock::Time next_try GUARDED_BY(mutex) = {};
  std::optional<Error> warning GUARDED_BY(mutex);  // For the next request that is sent.
  std::string told GUARDED_BY(mutex);              // The reason that was told last.
  bool has_told_of_ledger GUARDED_BY(mutex) = false;
  std::unique_ptr<ExitGuard> guard GUARDED_BY(mutex);  // Until the last line is written.
};

std::optional<Error> CaptionAllowance::State::once(const std::string &reason, Error error) {
  if (std::exchange(told, reason) == reason) return std::nullopt;
  return error;
}

CaptionAllowance::Answer CaptionAllowance::State::ask(GCancellable *leaving) {
  MutexLock lock(mutex);
  while (!g_cancellable_is_cancelled(leaving)) {
    const UtcDay today = day_of(to_utc(clock.wall_now()));
    switch (run.next(today)) {
      case CaptionRun::Step::send: run.began(); return {true, std::exchange(warning, std::nullopt)};
      case CaptionRun::Step::stop: return {false, once("max-tokens", max_tokens_reached(run))};
      case CaptionRun::Step::wait: changed.wait(lock); continue;
      case CaptionRun::Step::ask: break;
    }
    const bool awaits_answer = run.unanswered() > 0 && awaits_more_than && answers <= *awaits_more_than;
    if (is_calling || awaits_answer) {
      changed.wait(lock);
      continue;
    }
    if (refusal && refused_on == today && clock.now() < next_try) return {false, once(refused_by, *refusal)};
    is_calling = true;
    lock.unlock();
    call();
    lock.lock();
  }
  return {};
}

void CaptionAllowance::State::call() {
  on_disk_thread([self = shared_from_this()] {
    MutexLock lock(self->mutex);
    const bool is_last = self->is_ended;
    lock.unlock();
    if (!is_last) self->report(kBlock, self->cancellable.get());
    lock.lock();
    if (self->is_ended) {
      lock.unlock();
      self->report(0, nullptr);
      lock.lock();
    }
    self->is_calling = false;
    self->guard.reset();
    self->changed.notify_all();
  });
}

void CaptionAllowance::State::report(uint64_t wanted, GCancellable *until) {
  MutexLock lock(mutex);
  const CaptionRun::Report report = run.begin_report(wanted);
  const uint64_t before = answers;
  lock.unlock();
  auto lease = ledger.lease_captions(facts, report.use, report.ask, until);
  bool binds = false;
  if (!lease && lease.error().kind != ErrorKind::cancelled) {
    const auto limits = ledger.budget();
    binds = !limits || limits->limits_captions();
    GST_CAT_WARNING(gencaption_category(), "the ledger is not told of captions: %s",
                    log_text(lease.error()).c_str());
  } else if (lease && lease->skipped > 0) {
    GST_CAT_WARNING(gencaption_category(),
                    "the ledger has %" G_GUINT64_FORMAT " lines that cannot be read; they count nothing",
                    lease->skipped);
  }
  lock.lock();
  awaits_more_than = before;
  take(report, std::move(lease), binds);
}

void CaptionAllowance::State::take(const CaptionRun::Report &report, Result<Ledger::CaptionLease> lease,
                                   bool binds) {
  const UtcDay today = day_of(to_utc(clock.wall_now()));
  const auto refuse = [&](const std::string &reason, UtcDay day, Error error) REQUIRES(mutex) {
    refusal = std::move(error);
    refused_by = reason + " " + day_text(day);
    refused_on = day;
    next_try = clock.now() + kUntilNextTry;
  };
  refusal.reset();
  if (lease && lease->decision.verdict != Verdict::wait) awaits_more_than.reset();
  if (lease) {
    run.allowed(lease->hold, lease->day, lease->most_of_model);
    if (lease->decision.verdict == Verdict::refuse)
      refuse(lease->decision.budget, lease->day, refusal_of(lease->decision));
    return;
  }
  awaits_more_than.reset();
  run.not_reported();
  if (lease.error().kind == ErrorKind::cancelled) return;
  const std::string why = lease.error().text;
  if (binds) {
    Error unknown{lease.error().kind,
                  "No caption was requested: the store's budget limits captions, and the ledger "
                  "cannot be used: " +
                      why + std::string(kStreamContinues)};
    unknown.details = {{"budget", "ledger"}};
    refuse("ledger", today, std::move(unknown));
    return;
  }
  run.allowed({report.ask.wanted, 0}, today, report.ask.most_of_model);
  if (!std::exchange(has_told_of_ledger, true))
    warning = Error{lease.error().kind, "What captions use is not noted in the store: " + why};
}

void CaptionAllowance::begin(const AllowanceSettings &settings) {
  state_ = std::make_shared<State>(files_, clock_, settings);
}

CaptionAllowance::Answer CaptionAllowance::ask(GCancellable *cancellable) {
  State &state = *state_;
  const auto wake = +[](GCancellable *, gpointer data) {
    auto &waited = *static_cast<State *>(data);
    MutexLock lock(waited.mutex);
    waited.changed.notify_all();
  };
  const gulong handler = g_cancellable_connect(cancellable, G_CALLBACK(wake), &state, nullptr);
  Answer answer = state.ask(cancellable);
  g_cancellable_disconnect(cancellable, handler);
  return answer;
}

uint64_t CaptionAllowance::ended(const ContentTry &used) {
  State &state = *state_;
  MutexLock lock(state.mutex);
  const uint64_t tokens = state.run.ended(
      {used.is_told, used.prompt_tokens, used.output_tokens, used.total_tokens, used.was_sent});
  ++state.answers;
  state.changed.notify_all();
  return tokens;
}

void CaptionAllowance::end() {
  if (!state_) return;
  const auto state = std::exchange(state_, nullptr);
  MutexLock lock(state->mutex);
  state->is_ended = true;
  const bool has_to_call = !state->is_calling && state->run.has_anything_to_report();
  if (!state->is_calling && !has_to_call) return;
  state->guard = std::make_unique<ExitGuard>();
  state->is_calling = true;
  lock.unlock();
  // A call under way may wait for the ledger's lock.
  g_cancellable_cancel(state->cancellable.get());
  if (has_to_call) state->call();
}

}  // namespace genclip
