// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The thread of the outer generation sleeps while the inner one works on its own thread.
#include "plugin/generation/link_work.h"

#include <algorithm>
#include <utility>

#include "plugin/base/shown_text.h"
#include "plugin/generation/generations.h"
#include "plugin/generation/paid_amount.h"

namespace genclip {
namespace {

constexpr size_t kShownPrompt = 40;  // Characters.
constexpr char kLinkTask[] = "link-task-id";

// "clip 1a2b3c4d (dance-2.5, "a storm")"
std::string link_name(const PlannedLink &link) {
  const Json *prompt = link.request->body().find("prompt");
  return "clip " + link.key().substr(0, 8) + " (" + link.request->model() +
         (prompt && prompt->string() ? ", \"" + shown_line(*prompt->string(), kShownPrompt) + "\"" : "") +
         ")";
}

Error about_named(Error error, const std::string &name) {
  const bool is_told = std::any_of(error.details.begin(), error.details.end(),
                                   [](const ErrorDetail &detail) { return detail.name == kLinkTask; });
  if (is_told) return error;
  error.details.push_back({kLinkTask, std::exchange(error.task_id, {})});
  error.text = "Of the " + name + ", which comes before the one that was asked for: " + error.text;
  return error;
}

class LinkObserver final : public GenerationObserver {
 public:
  LinkObserver(Generation &outer, std::string name)
      : outer_(outer.weak_from_this()), name_(std::move(name)) {}

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
    if (outer) outer->warn(about_named(warning, name_));
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
  const std::string name_;
  Mutex mutex_;
  CondVar changed_;
  bool is_new_ GUARDED_BY(mutex_) = false;
  GenerationState state_ GUARDED_BY(mutex_);
};

// Wakes the observer when the outer generation is cancelled. Lives as long as the wait.
class WakeOnCancel {
 public:
  WakeOnCancel(GCancellable *cancellable, LinkObserver &observer)
      : cancellable_(cancellable),
        handler_(g_cancellable_connect(cancellable, G_CALLBACK(wake), &observer, nullptr)) {}
  ~WakeOnCancel() { g_cancellable_disconnect(cancellable_, handler_); }
  WakeOnCancel(const WakeOnCancel &) = delete;
  WakeOnCancel &operator=(const WakeOnCancel &) = delete;

 private:
  static void wake(GCancellable *, LinkObserver *observer) { observer->wake(); }

  GCancellable *const cancellable_;
  const gulong handler_;
};

LinkPaid paid_for(const GenerationState &state) {
  const bool lacks_amount = state.charged && !state.reused && state.amount < 0;
  return {paid_amount(state), !lacks_amount, state.charged, paid_tasks(state)};
}

// Nothing: the clip belongs to another request.
std::optional<std::string> key_of(const std::string &location, const IdentifiedRequest &request) {
  const std::string key = request.meaning.digest();
  if (location.find(key) != std::string::npos) return key;
  for (const auto *older : {&request.older, &request.spelled_address})
    if (*older && location.find((*older)->digest()) != std::string::npos) return (*older)->digest();
  return std::nullopt;
}

Error error_of(Generation &inner) {
  // The state is reported a moment before the error is set.
  const Interrupt never;
  const auto bytes = inner.clip().wait(0, UINT64_MAX, false, Interrupt::Watch(never));
  Error error = bytes ? Error{ErrorKind::failed, "It could not be generated."} : bytes.error();
  if (error.task_id.empty()) error.task_id = inner.state().task_id;
  return error;
}

}  // namespace

// A task's ID is that clip's alone: who attached the outer request to it would store a wrong clip. What comes
// from a link of that link says so already.
Error about_link(Error error, const PlannedLink &link) {
  return about_named(std::move(error), link_name(link));
}

Result<MadeLink> make_link(Generation &outer, GenerationJob job, const PlannedLink &link,
                           const ShowLink &show) {
  const auto observer = std::make_shared<LinkObserver>(outer, link_name(link));
  const Joined joined = join_generation(std::move(job), outer.services(), observer);
  Generation &inner = *joined.generation;
  const bool was_there = joined.state.status == ClipStatus::completed;
  observer->on_change(joined.state);
  inner.start([] {});
  GenerationState state;
  {
    const WakeOnCancel wake(outer.cancellable(), *observer);
    do {
      state = observer->wait();
      if (state.status != ClipStatus::idle) show(state, was_there ? LinkPaid() : paid_for(state));
    } while (state.status != ClipStatus::completed && state.status != ClipStatus::failed &&
             !g_cancellable_is_cancelled(outer.cancellable()));
  }
  inner.leave(observer.get());
  if (state.status == ClipStatus::failed) return about_link(error_of(inner), link);
  if (state.status != ClipStatus::completed) return cancelled();
  // It may have been under way already, for a request whose references had another content.
  auto key = key_of(state.clip_location, *link.identified);
  if (!key)
    return Error{ErrorKind::busy,
                 "A reference of the " + link_name(link) +
                     " has changed while the clip was generated. Run again to use it as it is now."};
  return MadeLink{joined.generation, std::move(*key)};
}

}  // namespace genclip
