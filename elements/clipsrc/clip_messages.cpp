// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/clipsrc/clip_messages.h"

#include <cmath>
#include <tuple>
#include <utility>

#include "elements/element_log.h"
#include "elements/post_error.h"
#include "plugin/generation/paid_amount.h"

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
  static constexpr ProgressCode wait = {"wait", "Waiting for the turn of", "It is its turn", "Waiting failed",
                                        "Stopped while waiting; this clip was not submitted"};
  switch (status) {
    case ClipStatus::waiting: return &wait;
    case ClipStatus::preparing: return &prepare;
    case ClipStatus::submitting: return &submit;
    case ClipStatus::queued:
    case ClipStatus::processing: return &generate;
    default: return nullptr;
  }
}

std::string continue_text(const GenerationState &state) {
  if (state.status == ClipStatus::submitting)
    return "Submitting: not accepted yet; it is sent again " +
           (state.sent_again_in > 0
                ? "in " + std::to_string(std::lround(std::ceil(state.sent_again_in))) + " s"
                : std::string("now"));
  if (state.status == ClipStatus::waiting) return "Waiting: this clip is not submitted yet";
  std::string text = "Generating: " + std::string(to_word(state.status));
  if (state.status == ClipStatus::preparing)
    text = state.link == 0
               ? "Preparing: checking and publishing"
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
    {"eta", differs<&GenerationState::eta>},
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
                    state.actual_duration, state.eta, state.reused, state.provenance);
  };
  return told(one) == told(other);
}

void post_task(GstElement *element, const GenerationState &state) {
  GstStructure *task = gst_structure_new(
      "genclip-task", "model", G_TYPE_STRING, state.model.c_str(), "task-id", G_TYPE_STRING,
      state.task_id.c_str(), "status", G_TYPE_STRING, to_word(state.status), "progress", G_TYPE_INT,
      state.progress, "amount", G_TYPE_DOUBLE, state.amount, "actual-duration", G_TYPE_DOUBLE,
      state.actual_duration, "eta", G_TYPE_DOUBLE, state.eta, "reused", G_TYPE_BOOLEAN,
      static_cast<gboolean>(state.reused), "provenance", G_TYPE_STRING, state.provenance.c_str(), nullptr);
  gst_element_post_message(element, gst_message_new_element(GST_OBJECT(element), task));
}

// `eta`: seconds, -1 unknown.
void post_buffering(GstElement *element, int percent, double eta) {
  GstMessage *message = gst_message_new_buffering(GST_OBJECT(element), percent);
  const gint64 left_ms = percent == 100 ? 0 : eta < 0 ? -1 : static_cast<gint64>(eta * 1000);
  gst_message_set_buffering_stats(message, GST_BUFFERING_STREAM, -1, -1, left_ms);
  gst_element_post_message(element, message);
}

}  // namespace

void ClipMessages::on_change(const GenerationState &state) {
  MutexLock lock(mutex_);
  if (closed_ || (last_ && last_->version != 0 && state.version <= last_->version)) return;
  enqueue_progress(state);
  enqueue_buffering(state);
  queue_->add([before = std::exchange(last_, state), state](GstElement *element) {
    if (!before || !are_alike(*before, state)) post_task(element, state);
    notify_changes(element, before, state);
  });
}

void ClipMessages::on_warning(const Error &warning) {
  queue_->add([warning](GstElement *element) { post_warning(element, genclipsrc_category(), warning); });
}

void ClipMessages::on_failure(const Error &error) {
  GenerationState state;
  {
    MutexLock lock(mutex_);
    if (has_reader_) return;
    state = last_.value_or(GenerationState());
  }
  on_warning(with_paid(error, state));
}

void ClipMessages::expect_reader(bool joins) {
  MutexLock lock(mutex_);
  has_reader_ = true;
  joins_ = joins;
  if (last_ && !closed_) enqueue_buffering(*last_);
}

void ClipMessages::enqueue_progress_message(GstProgressType type, std::string text, int percent) {
  const char *code = open_->name;
  if (type == GST_PROGRESS_TYPE_COMPLETE || type == GST_PROGRESS_TYPE_CANCELED ||
      type == GST_PROGRESS_TYPE_ERROR)
    open_ = nullptr;
  queue_->add([type, code, text = std::move(text), percent](GstElement *element) {
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
    const bool is_submitted = open_ != code_of(ClipStatus::submitting) || !state.task_id.empty();
    if (state.status == ClipStatus::failed)
      enqueue_progress_message(GST_PROGRESS_TYPE_ERROR, open_->failed + task, -1);
    else if (!is_submitted)
      enqueue_progress_message(GST_PROGRESS_TYPE_CANCELED, "Not submitted yet", -1);
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
                     state.link != last_->link || state.sent_again_in != last_->sent_again_in;
  const bool is_on_its_way = state.status == ClipStatus::submitting && state.sent_again_in < 0;
  if (code && !is_on_its_way && moved)
    enqueue_progress_message(GST_PROGRESS_TYPE_CONTINUE, continue_text(state), state.progress);
}

// An application pauses the pipeline for such a message. A pipeline that plays already does not need this
// clip yet, so nothing is posted then. An element that joins it may stay in PAUSED until its clip is there.
void ClipMessages::enqueue_buffering(const GenerationState &state) {
  if (!buffering_ || !has_reader_) return;
  queue_->add([buffering = buffering_, joins = joins_, state](GstElement *element) {
    const bool plays = joins || GST_STATE(element) == GST_STATE_PLAYING;
    const auto percent = buffering->locked(
        [&](BufferingGauge &gauge) { return gauge.next(state, std::chrono::steady_clock::now(), plays); });
    if (!percent) return;
    post_buffering(element, *percent, state.eta);
    // close() may have posted the last one meanwhile.
    const bool is_late =
        *percent < 100 && buffering->locked([](BufferingGauge &gauge) { return gauge.has_ended(); });
    if (is_late) post_buffering(element, 100, 0);
  });
}

bool ClipMessages::wait_progress_posted(const Interrupt::Watch &watch) {
  {
    MutexLock lock(mutex_);
    if (!has_progress_) return !watch.interrupted();
  }
  return wait_posted(watch);
}

void ClipMessages::close() {
  {
    MutexLock lock(mutex_);
    if (std::exchange(closed_, true)) return;
    if (open_) enqueue_progress_message(GST_PROGRESS_TYPE_CANCELED, open_->stopped, -1);
  }
  queue_->close();
  if (!buffering_) return;
  // Not by the queue, which may still be at an earlier message.
  const auto percent = buffering_->locked([](BufferingGauge &gauge) { return gauge.end(); });
  if (percent) post_buffering(element_, *percent, 0);
}

}  // namespace genclip
