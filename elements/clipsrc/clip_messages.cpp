// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A queue that GStreamer's thread pool empties (gst_element_call_async).
#include "elements/clipsrc/clip_messages.h"

#include <tuple>
#include <utility>
#include <vector>

#include "elements/element_log.h"
#include "elements/post_error.h"

namespace genclip {
namespace {

// Null: none is open in that status.
const ProgressCode *code_of(ClipStatus status) {
  static constexpr ProgressCode prepare = {"prepare", "Preparing the references of", "Prepared",
                                           "Preparing failed",
                                           "Stopped while preparing; what was made is stored, and a task "
                                           "continues at the service: run again to go on"};
  static constexpr ProgressCode submit = {"submit", "Submitting the request for", "Submitted",
                                          "Submitting failed", "Stopped while submitting"};
  static constexpr ProgressCode generate = {
      "generate", "Generating", "Generated", "Generating failed",
      "Stopped; the task continues at the service: run again to attach to it"};
  switch (status) {
    case ClipStatus::preparing: return &prepare;
    case ClipStatus::submitting: return &submit;
    case ClipStatus::queued:
    case ClipStatus::processing: return &generate;
    default: return nullptr;
  }
}

std::string continue_text(const GenerationState &state) {
  std::string text = "Generating: " + std::string(to_word(state.status));
  if (state.status == ClipStatus::preparing)
    text = state.link == 0
               ? "Preparing: publishing"
               : "Preparing: clip " + std::to_string(state.link) + " of " + std::to_string(state.links);
  if (state.progress >= 0) text += ", " + std::to_string(state.progress) + " %";
  return text;
}

// A property, and whether it differs between two states.
struct Notified {
  const char *property;
  bool (*differs)(const GenerationState &, const GenerationState &);
};

template <auto field>
bool differs(const GenerationState &one, const GenerationState &other) {
  return one.*field != other.*field;
}

constexpr Notified kNotified[] = {
    {"status", differs<&GenerationState::status>},
    {"progress", differs<&GenerationState::progress>},
    {"amount", differs<&GenerationState::amount>},
    {"estimate", differs<&GenerationState::estimate>},
    {"actual-duration", differs<&GenerationState::actual_duration>},
    {"task-id", differs<&GenerationState::task_id>},
    {"clip-location", differs<&GenerationState::clip_location>},
};

void notify_changes(GstElement *element, const std::optional<GenerationState> &before,
                    const GenerationState &now) {
  for (const auto &[property, differs] : kNotified)
    if (!before || differs(*before, now)) g_object_notify(G_OBJECT(element), property);
}

// Whether their messages are the same.
bool are_alike(const GenerationState &one, const GenerationState &other) {
  const auto told = [](const GenerationState &state) {
    return std::tie(state.model, state.task_id, state.status, state.progress, state.amount,
                    state.actual_duration, state.reused);
  };
  return told(one) == told(other);
}

void post_task(GstElement *element, const GenerationState &state) {
  GstStructure *task = gst_structure_new(
      "genclip-task", "model", G_TYPE_STRING, state.model.c_str(), "task-id", G_TYPE_STRING,
      state.task_id.c_str(), "status", G_TYPE_STRING, to_word(state.status), "progress", G_TYPE_INT,
      state.progress, "amount", G_TYPE_DOUBLE, state.amount, "actual-duration", G_TYPE_DOUBLE,
      state.actual_duration, "reused", G_TYPE_BOOLEAN, static_cast<gboolean>(state.reused), nullptr);
  gst_element_post_message(element, gst_message_new_element(GST_OBJECT(element), task));
}

// Destroying a pipeline does not wait for this thread. A message passes through the parent bins of the
// element, so they must stay alive.
class Ancestors {
 public:
  explicit Ancestors(GstElement *element) {
    auto parent = GRef<GstObject>::adopt(gst_object_get_parent(GST_OBJECT(element)));
    while (parent) {
      held_.push_back(parent);
      parent = GRef<GstObject>::adopt(gst_object_get_parent(held_.back().get()));
    }
  }

 private:
  std::vector<GRef<GstObject>> held_;
};

}  // namespace

void ClipMessages::on_change(const GenerationState &state) {
  MutexLock lock(mutex_);
  if (!element_ || (last_ && last_->version != 0 && state.version <= last_->version)) return;
  enqueue_progress(state);
  enqueue([before = std::exchange(last_, state), state](GstElement *element) {
    if (!before || !are_alike(*before, state)) post_task(element, state);
    notify_changes(element, before, state);
  });
}

void ClipMessages::on_warning(const Error &warning) {
  MutexLock lock(mutex_);
  if (element_)
    enqueue([warning](GstElement *element) { post_warning(element, genclipsrc_category(), warning); });
}

void ClipMessages::post_in_turn(std::function<void(GstElement *)> post) {
  MutexLock lock(mutex_);
  if (element_) enqueue(std::move(post));
}

void ClipMessages::enqueue_progress_message(GstProgressType type, std::string text, int percent) {
  const char *code = open_->name;
  if (type == GST_PROGRESS_TYPE_COMPLETE || type == GST_PROGRESS_TYPE_CANCELED ||
      type == GST_PROGRESS_TYPE_ERROR)
    open_ = nullptr;
  enqueue([type, code, text = std::move(text), percent](GstElement *element) {
    GstMessage *message = gst_message_new_progress(GST_OBJECT(element), type, code, text.c_str());
    if (percent >= 0)
      gst_structure_set(gst_message_writable_structure(message), "percent", G_TYPE_INT, percent, nullptr);
    gst_element_post_message(element, message);
  });
}

void ClipMessages::enqueue_progress(const GenerationState &state) {
  const ProgressCode *code = code_of(state.status);
  const std::string task = state.task_id.empty() ? "" : " (task " + state.task_id + ")";
  if (open_ && code != open_) {
    if (state.status == ClipStatus::failed)
      enqueue_progress_message(GST_PROGRESS_TYPE_ERROR, open_->failed + task, -1);
    else
      enqueue_progress_message(GST_PROGRESS_TYPE_COMPLETE, open_->done + task, 100);
  }
  if (code && code != open_) {
    open_ = code;
    has_progress_ = true;
    const std::string what = state.model.empty() ? "the clip" : "a clip with " + state.model;
    enqueue_progress_message(GST_PROGRESS_TYPE_START, std::string(code->begins) + " " + what + task, -1);
  }
  const bool moved = !last_ || state.status != last_->status || state.progress != last_->progress ||
                     state.link != last_->link;
  if (code && state.status != ClipStatus::submitting && moved)
    enqueue_progress_message(GST_PROGRESS_TYPE_CONTINUE, continue_text(state), state.progress);
}

void ClipMessages::enqueue(Post post) {
  queue_.push_back(std::move(post));
  if (draining_) return;
  draining_ = true;
  // Takes its own reference to the element.
  gst_element_call_async(
      element_,
      [](GstElement *element, gpointer self) {
        (*static_cast<std::shared_ptr<ClipMessages> *>(self))->drain(element);
      },
      new std::shared_ptr<ClipMessages>(shared_from_this()),
      [](gpointer self) { delete static_cast<std::shared_ptr<ClipMessages> *>(self); });
}

void ClipMessages::drain(GstElement *element) {
  MutexLock lock(mutex_);
  while (!queue_.empty()) {
    const Post post = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    {
      const Ancestors alive(element);
      post(element);
    }
    lock.lock();
  }
  draining_ = false;
  posted_.notify_all();
}

bool ClipMessages::wait_posted(const Interrupt::Watch &watch) {
  MutexLock lock(mutex_);
  while (draining_ && !watch.interrupted()) posted_.wait(lock);
  return !watch.interrupted();
}

bool ClipMessages::wait_progress_posted(const Interrupt::Watch &watch) {
  {
    MutexLock lock(mutex_);
    if (!has_progress_) return !watch.interrupted();
  }
  return wait_posted(watch);
}

void ClipMessages::wake() {
  MutexLock lock(mutex_);
  posted_.notify_all();
}

void ClipMessages::close() {
  MutexLock lock(mutex_);
  if (!element_) return;
  if (open_) enqueue_progress_message(GST_PROGRESS_TYPE_CANCELED, open_->stopped, -1);
  element_ = nullptr;
}

}  // namespace genclip
