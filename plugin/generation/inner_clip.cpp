// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The thread of the outer generation sleeps while the inner one works on its own thread.
#include "plugin/generation/inner_clip.h"

#include <algorithm>
#include <utility>

#include "plugin/base/shown_text.h"
#include "plugin/generation/generations.h"
#include "plugin/generation/paid_amount.h"
#include "plugin/generation/request_identity.h"

namespace genclip {
namespace {

constexpr size_t kShownPrompt = 40;  // Characters.
constexpr char kLinkTask[] = "link-task-id";

std::string name_of(const CheckedRequest &request, const std::string &key) {
  const Json *prompt = request.body().find("prompt");
  return "clip " + key.substr(0, 8) + " (" + request.model() +
         (prompt && prompt->string() ? ", \"" + shown_line(*prompt->string(), kShownPrompt) + "\"" : "") +
         ")";
}

// As the outer run tells it. A task's ID is that clip's alone: who attached the outer request to it would
// store a wrong clip. What comes from a link of that link says so already.
Error about_link(Error error, const std::string &about) {
  const bool is_told = std::any_of(error.details.begin(), error.details.end(),
                                   [](const ErrorDetail &detail) { return detail.name == kLinkTask; });
  if (is_told) return error;
  error.details.push_back({kLinkTask, std::exchange(error.task_id, {})});
  error.text = "Of the " + about + ", which comes before the one that was asked for: " + error.text;
  return error;
}

class InnerObserver final : public GenerationObserver {
 public:
  InnerObserver(Generation &outer, std::string about)
      : outer_(outer.weak_from_this()), about_(std::move(about)) {}

  void on_change(const GenerationState &state) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (state.version < state_.version) return;
    state_ = state;
    is_new_ = true;
    changed_.notify_all();
  }

  // May come while the outer one ends.
  void on_warning(const Error &warning) override {
    const auto outer = outer_.lock();
    if (outer) outer->warn(about_link(warning, about_));
  }

  void wake() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    is_new_ = true;
    changed_.notify_all();
  }

  // The next state, or the last one again after wake().
  GenerationState wait() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (!is_new_) changed_.wait(lock);
    is_new_ = false;
    return state_;
  }

 private:
  const std::weak_ptr<Generation> outer_;
  const std::string about_;  // Names the clip.
  Mutex mutex_;
  CondVar changed_;
  bool is_new_ GUARDED_BY(mutex_) = false;
  GenerationState state_ GUARDED_BY(mutex_);
};

// Wakes the observer when the outer generation is cancelled. Lives as long as the wait.
class WakeOnCancel {
 public:
  WakeOnCancel(GCancellable *cancellable, InnerObserver &observer)
      : cancellable_(cancellable),
        handler_(g_cancellable_connect(cancellable, G_CALLBACK(wake), &observer, nullptr)) {}
  ~WakeOnCancel() { g_cancellable_disconnect(cancellable_, handler_); }
  WakeOnCancel(const WakeOnCancel &) = delete;
  WakeOnCancel &operator=(const WakeOnCancel &) = delete;

 private:
  static void wake(GCancellable *, InnerObserver *observer) { observer->wake(); }

  GCancellable *const cancellable_;
  const gulong handler_;
};

// What the outer run has paid before that clip, and whether it was charged.
struct PaidBefore {
  double amount = 0;
  bool charged = false;
};

// A clip that was there when this run came to it costs it nothing, though this process may have made it.
void show(Generation &outer, const GenerationState &inner, unsigned link, const PaidBefore &before,
          bool was_there) {
  outer.change([&](GenerationState &state) {
    state.status = ClipStatus::preparing;
    state.link = link;
    state.links = static_cast<unsigned>(count_links(*outer.job().request));
    state.progress = inner.status == ClipStatus::completed ? 100 : inner.progress;
    state.link_submits = inner.is_submitting();
    if (was_there) return;
    state.charged = state.links_charged = before.charged || inner.charged;
    state.links_amount = before.amount + paid_amount(inner);
  });
}

// Null: the clip belongs to another request.
std::optional<std::string> key_of(const std::string &location, const IdentifiedRequest &request) {
  const std::string key = request.meaning.digest();
  if (location.find(key) != std::string::npos) return key;
  const std::string older = request.older ? request.older->digest() : key;
  return location.find(older) != std::string::npos ? std::optional(older) : std::nullopt;
}

Error error_of(Generation &inner, const std::string &about) {
  // The state is reported a moment before the error is set.
  const Interrupt never;
  const auto bytes = inner.clip().wait(0, UINT64_MAX, false, Interrupt::Watch(never));
  Error error = bytes ? Error{ErrorKind::failed, "It could not be generated."} : bytes.error();
  if (error.task_id.empty()) error.task_id = inner.state().task_id;
  return about_link(std::move(error), about);
}

}  // namespace

Result<InnerClip> make_inner_clip(Generation &outer, const MediaReference &reference,
                                  const std::shared_ptr<const IdentifiedRequest> &identified,
                                  unsigned links_before) {
  const std::string about = name_of(*reference.clip, identified->identity.digest());
  const auto observer = std::make_shared<InnerObserver>(outer, about);
  const Joined joined =
      join_generation(job_of_inner(outer.job(), *reference.clip, identified), outer.services(), observer);
  Generation &inner = *joined.generation;
  const auto own_links = static_cast<unsigned>(count_links(*reference.clip));
  const bool was_there = joined.state.status == ClipStatus::completed;
  const PaidBefore before{outer.state().links_amount, outer.state().links_charged};
  observer->on_change(joined.state);
  inner.start([] {});
  GenerationState state;
  {
    const WakeOnCancel wake(outer.cancellable(), *observer);
    do {
      state = observer->wait();
      const bool is_preparing = state.status == ClipStatus::preparing && state.link > 0;
      if (state.status != ClipStatus::idle)
        show(outer, state, links_before + (is_preparing ? state.link : own_links), before, was_there);
    } while (state.status != ClipStatus::completed && state.status != ClipStatus::failed &&
             !g_cancellable_is_cancelled(outer.cancellable()));
  }
  inner.leave(observer.get());
  if (state.status == ClipStatus::failed) {
    Error error = error_of(inner, about);
    // There was a task, but it may have cost nothing; the error says so.
    outer.change([&](GenerationState &outer_state) {
      outer_state.charged = outer_state.links_charged = before.charged || charged_of(error) == Charged::yes;
    });
    return error;
  }
  if (state.status != ClipStatus::completed) return cancelled();
  // It may have been under way already, for a request whose references had another content.
  const auto key = key_of(state.clip_location, *identified);
  if (!key)
    return Error{ErrorKind::busy,
                 "A reference of the " + about +
                     " has changed while the clip was generated. Run again to use it as it is now."};
  return InnerClip{joined.generation, *key, state.clip_location, state.task_id};
}

}  // namespace genclip
