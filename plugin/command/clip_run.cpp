// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Brings the reports of the generation's thread, and signals, to one main loop.
#include "plugin/command/clip_run.h"

#include "plugin/base/mutex.h"
#include "plugin/command/console.h"
#include "plugin/command/stop_signals.h"
#include "plugin/generation/generations.h"
#include "plugin/generation/paid_amount.h"

namespace genclip {
namespace {

// Hands over the reports of the generation's thread. Thread-safe.
class Reports final : public GenerationObserver {
 public:
  void on_change(const GenerationState &state) override EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      if (state.version >= state_.version) state_ = state;
    }
    g_main_context_wakeup(nullptr);
  }

  void on_warning(const Error &warning) override EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      warnings_.push_back(warning.text);
    }
    g_main_context_wakeup(nullptr);
  }

  GenerationState state() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return state_;
  }

  std::vector<std::string> take_warnings() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return std::exchange(warnings_, {});
  }

 private:
  Mutex mutex_;
  GenerationState state_ GUARDED_BY(mutex_);
  std::vector<std::string> warnings_ GUARDED_BY(mutex_);
};

}  // namespace

RunEnd run_clip(ClipPlan plan, ProgressLine &progress) {
  const StopSignals signals;
  const auto reports = std::make_shared<Reports>();
  RunEnd end;
  const auto warn = [&](const std::string &text) {
    end.warned = true;
    progress.clear();
    print_warning(text);
  };
  for (const std::string &warning : plan.warnings) warn(warning);
  auto joined = join_generation(std::move(plan.job), {HttpClient::shared(plan.http)}, reports);
  joined.generation->start([&] { reports->on_change(joined.state); });

  uint64_t seen = 0;
  unsigned ticked = 0;
  std::optional<unsigned> stop_at;
  for (;;) {
    for (const std::string &warning : reports->take_warnings()) warn(warning);
    end.state = reports->state();
    if (end.state.version > seen) progress.show(end.state);
    seen = end.state.version;
    if (std::exchange(ticked, signals.seconds()) != signals.seconds()) {
      GrowingClip &clip = joined.generation->clip();
      progress.tick(clip.available(), clip.size().value_or(0));
    }
    const ClipStatus status = end.state.status;
    if (status == ClipStatus::completed || status == ClipStatus::failed) break;
    if (signals.count() > 0) {
      if (!end.state.is_submitting() || signals.count() > 1 || (stop_at && signals.seconds() >= *stop_at)) {
        end.signal = signals.last();
        end.amid_submit = end.state.is_submitting();
        break;
      }
      if (!stop_at) {
        stop_at = signals.seconds() + StopSignals::kSubmitPatience_s;
        progress.clear();
        print_error("Stopping once the service has answered; press Ctrl-C again to stop at once.");
      }
    }
    g_main_context_iteration(nullptr, TRUE);
  }
  progress.clear();
  if (end.state.status == ClipStatus::failed) {
    // The state is reported a moment before the error is set. Asks for all bytes, as some may be readable
    // nevertheless.
    const Interrupt never;
    const auto ready = joined.generation->clip().wait(0, UINT64_MAX, false, Interrupt::Watch(never));
    end.error = ready ? Error{ErrorKind::failed, "The clip could not be generated."} : ready.error();
    if (end.error->task_id.empty()) end.error->task_id = end.state.task_id;
    end.error = with_paid(std::move(*end.error), end.state);
  }
  for (const std::string &warning : reports->take_warnings()) warn(warning);
  if (end.state.status != ClipStatus::completed) joined.generation->leave(reports.get());
  end.generation = std::move(joined.generation);
  return end;
}

}  // namespace genclip
