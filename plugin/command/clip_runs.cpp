// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Carries events between the generations, which have threads of their own, and the governor.
#include "plugin/command/clip_runs.h"

#include <glib.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "plugin/account/decision.h"
#include "plugin/base/file_lock.h"
#include "plugin/base/mutex.h"
#include "plugin/command/account_reading.h"
#include "plugin/command/command.h"
#include "plugin/command/console.h"
#include "plugin/command/stop_signals.h"
#include "plugin/core/run_ending.h"
#include "plugin/generation/chain_work.h"
#include "plugin/generation/generations.h"
#include "plugin/generation/store_account.h"
#include "plugin/store/clip_folder.h"
#include "plugin/store/clip_removal.h"

namespace genclip {
namespace {

// What the generations' threads report, until the main loop takes it. Thread-safe.
class ReportBox {
 public:
  struct Content {
    std::map<size_t, GenerationState> states;  // The latest of each clip.
    std::vector<std::pair<size_t, std::string>> warnings;
  };

  void put(size_t index, const GenerationState &state) EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      GenerationState &latest = content_.states[index];
      if (state.version >= latest.version) latest = state;
    }
    g_main_context_wakeup(nullptr);
  }

  void put(size_t index, const std::string &warning) EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      content_.warnings.emplace_back(index, warning);
    }
    g_main_context_wakeup(nullptr);
  }

  Content take() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return std::exchange(content_, {});
  }

 private:
  Mutex mutex_;
  Content content_ GUARDED_BY(mutex_);
};

class ClipReporter final : public GenerationObserver {
 public:
  ClipReporter(std::shared_ptr<ReportBox> box, size_t index) : box_(std::move(box)), index_(index) {}

  void on_change(const GenerationState &state) override { box_->put(index_, state); }
  void on_warning(const Error &warning) override { box_->put(index_, warning.text); }

 private:
  const std::shared_ptr<ReportBox> box_;
  const size_t index_;
};

// Wakes the main context at a time, for as long as it lives.
class Alarm {
 public:
  explicit Alarm(std::optional<Clock::Time> time) {
    if (!time) return;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*time - Clock::system().now());
    id_ = g_timeout_add(static_cast<guint>(std::max<int64_t>(left.count(), 0)), ring, this);
  }
  ~Alarm() {
    if (id_ != 0) g_source_remove(id_);
  }
  Alarm(const Alarm &) = delete;
  Alarm &operator=(const Alarm &) = delete;

 private:
  static gboolean ring(gpointer self) {
    static_cast<Alarm *>(self)->id_ = 0;
    return G_SOURCE_REMOVE;
  }

  guint id_ = 0;
};

const double *retry_after(const Error &error) {
  for (const ErrorDetail &detail : error.details)
    if (detail.name == "retry-after") return std::get_if<double>(&detail.value);
  return nullptr;
}

// The credits of the account are spent, or its quota is used up. (A 429 that passes has `retry-after`.)
bool is_spent_account(const Error &error) { return error.http_status == 402 || error.http_status == 429; }

// Of a generation whose state is failed.
Error error_of(Generation &generation, const GenerationState &state) {
  // The state is reported a moment before the error is set. Asks for all bytes, as some may be readable
  // nevertheless.
  const Interrupt never;
  const auto ready = generation.clip().wait(0, UINT64_MAX, false, Interrupt::Watch(never));
  Error error = ready ? Error{ErrorKind::failed, "The clip could not be generated."} : ready.error();
  if (error.task_id.empty()) error.task_id = state.task_id;
  return error;
}

// One call of run_clips().
class Runs {
 public:
  Runs(std::vector<ClipToRun> clips, const GovernorSettings &settings, ClipRunsListener &listener)
      : clips_(std::move(clips)), listener_(listener), governor_(settings, paid_of(clips_)) {}

  ClipRunsEnd run() {
    hold_stored();
    while (true) {
      begin_all();
      read_reports();
      tell_over_budget();
      begin_all();
      tell_ends();
      tell_jobs();
      tell_second();
      if (governor_.is_over() || (signals_.count() > 0 && has_stopped())) break;
      const Alarm alarm(governor_.wakes_at());
      g_main_context_iteration(nullptr, TRUE);
    }
    for (const auto &[index, run] : runs_) end_.amid_submit = end_.amid_submit || run.state.is_submitting();
    leave_if([](const Run &) { return true; });
    end_.pending = governor_.pending();
    end_.signal = signals_.last();
    std::sort(end_.stopped.begin(), end_.stopped.end());
    // Somebody waits for the end. The next clip that is stored makes room.
    if (signals_.count() == 0) make_room();
    return std::move(end_);
  }

 private:
  struct Run {
    std::shared_ptr<ClipReporter> reporter;
    std::shared_ptr<Generation> generation;
    GenerationState state;
  };

  static std::vector<bool> paid_of(const std::vector<ClipToRun> &clips) {
    std::vector<bool> paid;
    paid.reserve(clips.size());
    for (const ClipToRun &clip : clips) paid.push_back(clip.is_paid);
    return paid;
  }

  void hold(const ClipToRun &clip, const std::string &key) {
    ClipFolder folder(FileSystem::posix(), ClipPath(clip.plan.job.store, key));
    held_->hold(folder);
  }

  // What is not stored yet is held by the run that makes it.
  void hold_stored() {
    for (const ClipToRun &clip : clips_)
      for (const std::string &key : clip.links)
        if (needed_[key]++ == 0) hold(clip, key);
    for (const ClipToRun &clip : clips_) ++needed_[clip.key];
  }

  // A clip that has ended is held for those that need it later.
  void let_go(size_t index, bool is_stored) {
    const ClipToRun &clip = clips_[index];
    if (is_stored) last_stored_ = index;
    if (is_stored && needed_[clip.key] > 1) hold(clip, clip.key);
    std::vector<std::string> keys = clip.links;
    keys.push_back(clip.key);
    for (const std::string &key : keys)
      if (--needed_[key] == 0) held_->let_go(key);
  }

  // As if what was held had been there to be removed when the last clip was stored.
  void make_room() {
    const bool held_any =
        std::any_of(clips_.begin(), clips_.end(), [](const auto &clip) { return !clip.links.empty(); });
    if (!held_any || !last_stored_) return;
    const ClipToRun &last = clips_[*last_stored_];
    const GenerationJob &job = last.plan.job;
    if (job.store_max_size == 0) return;
    hold(last, last.key);
    for (const auto &[key, count] : needed_)
      if (key != last.key) held_->let_go(key);
    Ledger ledger = ledger_of(job.store);
    const auto pruned = prune_store(FileSystem::posix(), job.store, job.store_max_size, last.key, {},
                                    [&](const StoredClip &clip) {
                                      return bury_before_removal(FileSystem::posix(), ledger, job.store, clip,
                                                                 nullptr, kShortLockPatience);
                                    });
    if (!pruned) return;
    if (const std::string text = removal_text(*pruned); !text.empty()) listener_.on_notice(text);
  }

  void begin_all() {
    if (signals_.count() > 0) governor_.stop();
    while (const auto index = governor_.next(Clock::system().now())) begin(*index);
  }

  void begin(size_t index) {
    ClipPlan plan = clips_[index].plan;
    plan.job.submit_once = true;
    plan.job.paid_before = paid_before_[index];
    plan.job.held_for_later = held_;
    const auto reporter = std::make_shared<ClipReporter>(box_, index);
    auto joined = join_generation(std::move(plan.job), {HttpClient::shared(plan.http)}, reporter);
    runs_[index] = {reporter, joined.generation, joined.state};
    joined.generation->start([reporter, state = joined.state] { reporter->on_change(state); });
    // One that this process has at hand may not change any more.
    reporter->on_change(joined.generation->state());
  }

  void read_reports() {
    ReportBox::Content content = box_->take();
    for (const auto &[index, warning] : content.warnings) listener_.on_warning(index, warning);
    for (auto &[index, state] : content.states) {
      const auto found = runs_.find(index);
      // A report of an earlier try.
      if (found == runs_.end() || state.version < found->second.state.version) continue;
      take(found, std::move(state));
    }
  }

  void take(std::map<size_t, Run>::iterator found, GenerationState state) {
    auto &[index, run] = *found;
    const bool is_accepted = state.charged && !run.state.charged && !state.reused;
    run.state = std::move(state);
    if (is_accepted) governor_.accepted();
    if (run.state.status == ClipStatus::completed) {
      governor_.made(index);
      end(found, {});
    } else if (run.state.status == ClipStatus::failed) {
      judge(found, error_of(*run.generation, run.state));
    } else if (run.state.status != ClipStatus::idle) {
      listener_.on_change(index, run.state);
    }
  }

  void judge(std::map<size_t, Run>::iterator found, Error error) {
    const size_t index = found->first;
    if (!is_without_task(error)) {
      // Whatever is wrong is wrong with this one's task, which is paid for, and not with the account.
      governor_.failed(index);
      end(found, std::move(error));
    } else if (const double *seconds = retry_after(error)) {
      std::optional<std::chrono::milliseconds> wished;
      if (*seconds > 0) wished = std::chrono::milliseconds(static_cast<int64_t>(*seconds * 1000));
      const bool has_paused = governor_.halt() != ClipGovernor::Halt::none;
      governor_.refused(index, Clock::system().now(), wished);
      wait_again(found);
      tell_width(error, wished);
      if (governor_.halt() == ClipGovernor::Halt::paused && !has_paused) pause(std::move(error));
    } else if (is_spent_budget(error)) {
      governor_.over_budget(index);
      wait_again(found);
      if (governor_.halt() == ClipGovernor::Halt::none)
        over_budget_ = index;
      else
        pause(std::move(error), index);
    } else if (is_spent_account(error)) {
      governor_.spent(index);
      wait_again(found);
      pause(std::move(error));
    } else {
      governor_.failed(index);
      end(found, std::move(error));
    }
  }

  void wait_again(std::map<size_t, Run>::iterator found) {
    GenerationState state;
    state.version = found->second.state.version;
    state.model = found->second.state.model;
    // No task of its own was charged: it was refused.
    state.link_tasks = found->second.state.link_tasks;
    state.links_amount = found->second.state.links_amount;
    state.charged = found->second.state.charged;
    paid_before_[found->first] += state.links_amount;
    listener_.on_change(found->first, state);
    found->second.generation->leave(found->second.reporter.get());
    runs_.erase(found);
  }

  void tell_width(const Error &error, std::optional<std::chrono::milliseconds> wished) {
    if (std::exchange(told_width_, governor_.width()) == governor_.width() ||
        governor_.halt() != ClipGovernor::Halt::none)
      return;
    std::string text = error.text;
    if (wished) {
      const int64_t seconds = std::chrono::ceil<std::chrono::seconds>(*wished).count();
      text += " It asks to wait for " + std::to_string(seconds) + (seconds == 1 ? " second." : " seconds.");
    }
    listener_.on_notice(text + " At most " + std::to_string(governor_.width()) +
                        (governor_.width() == 1 ? " clip is" : " clips are") + " made at once for now.");
  }

  // Those that have begun together may all be refused: then none is under way, and the run pauses.
  void tell_over_budget() {
    if (!over_budget_ || has_told_budget_ || end_.pause) return;
    const bool has_paid = std::any_of(runs_.begin(), runs_.end(), [](const auto &run) {
      return run.second.state.charged || run.second.state.is_submitting();
    });
    if (!has_paid) return;
    has_told_budget_ = true;
    listener_.on_refused(
        *over_budget_,
        "It waits, because the budget has no room for it beside the clips under way. They may "
        "cost less than is reserved for them, so it is tried again when one of them ends.");
  }

  // `over_budget`: the clip that the budget has no room for.
  void pause(Error error, std::optional<size_t> over_budget = {}) {
    if (end_.pause) return;
    // Of all clips: others may be sent, and paid.
    const std::string text = without_nothing_sent(error.text) + " No further clip is begun.";
    if (over_budget)
      listener_.on_refused(*over_budget, text);
    else
      listener_.on_notice(text);
    end_.pause = std::move(error);
  }

  void end(std::map<size_t, Run>::iterator found, std::optional<Error> error) {
    told_width_ = governor_.width();
    Run &run = found->second;
    let_go(found->first, !error);
    if (error) run.generation->leave(run.reporter.get());
    ends_.emplace_back(found->first,
                       ClipEnd{std::move(run.state), std::move(error), std::move(run.generation)});
    runs_.erase(found);
  }

  // After others have begun: what the listener does with a clip takes its time.
  void tell_ends() {
    for (const auto &[index, end] : std::exchange(ends_, {})) listener_.on_end(index, end);
  }

  void tell_jobs() {
    const bool is_halted = governor_.halt() != ClipGovernor::Halt::none;
    const unsigned jobs = is_halted ? 0 : governor_.width();
    if (std::exchange(told_jobs_, jobs) != jobs) listener_.on_jobs(jobs);
  }

  void tell_second() {
    if (std::exchange(seconds_, signals_.seconds()) != signals_.seconds()) listener_.on_second();
  }

  // True: it is time to end. Only the answers to submits are waited for; what has not submitted must not
  // begin to.
  bool has_stopped() {
    leave_if([](const Run &run) { return !run.state.is_submitting(); });
    if (runs_.empty() || signals_.count() > 1 || (stop_at_ && signals_.seconds() >= *stop_at_)) return true;
    if (!stop_at_) {
      stop_at_ = signals_.seconds() + StopSignals::kSubmitPatience_s;
      listener_.on_notice("Stopping once the service has answered; press Ctrl-C again to stop at once.");
    }
    return false;
  }

  template <typename Which>
  void leave_if(Which which) {
    for (auto run = runs_.begin(); run != runs_.end();) {
      if (!which(run->second)) {
        ++run;
        continue;
      }
      end_.stopped.push_back(run->first);
      run->second.generation->leave(run->second.reporter.get());
      run = runs_.erase(run);
    }
  }

  const std::vector<ClipToRun> clips_;
  ClipRunsListener &listener_;
  const StopSignals signals_;
  const std::shared_ptr<ReportBox> box_ = std::make_shared<ReportBox>();
  const std::shared_ptr<HeldLinks> held_ = std::make_shared<HeldLinks>(most_locks());
  std::map<std::string, size_t> needed_;  // By key: by how many clips that have not ended.
  std::optional<size_t> last_stored_;
  ClipGovernor governor_;
  std::map<size_t, Run> runs_;
  std::map<size_t, double> paid_before_;  // Credits, by index: for links, in earlier tries.
  std::vector<std::pair<size_t, ClipEnd>> ends_;
  unsigned told_width_ = 0;
  std::optional<unsigned> told_jobs_;
  std::optional<size_t> over_budget_;  // The latest clip that the budget has refused.
  bool has_told_budget_ = false;
  unsigned seconds_ = 0;
  std::optional<unsigned> stop_at_;
  ClipRunsEnd end_;
};

}  // namespace

size_t gone_from_store(const std::vector<std::string> &clips) {
  return static_cast<size_t>(std::count_if(clips.begin(), clips.end(), [](const std::string &clip) {
    return !g_file_test(clip.c_str(), G_FILE_TEST_EXISTS);
  }));
}

int exit_code_of(const ClipRunsEnd &end, size_t failed) {
  if (end.signal != 0) return 128 + end.signal;
  if (end.pause) return kPending;
  return failed > 0 ? kFailed : kOk;
}

ClipRunsEnd run_clips(std::vector<ClipToRun> clips, const GovernorSettings &settings,
                      ClipRunsListener &listener) {
  return Runs(std::move(clips), settings, listener).run();
}

}  // namespace genclip
