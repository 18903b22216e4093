// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The side of the stage towards downstream.
#include <gst/gst.h>

#include <utility>

#include "elements/captioner/caption_stage.h"
#include "elements/captioner/stream_event.h"
#include "elements/element_log.h"
#include "elements/post_error.h"

namespace genclip {
namespace {

thread_local const CaptionPad *own_pad = nullptr;  // whose task this thread runs

}  // namespace

void CaptionStage::start_task(CaptionPad &pad) {
  pad.flow = GST_FLOW_OK;
  const auto run = +[](gpointer data) noexcept {
    auto &one = *static_cast<CaptionPad *>(data);
    own_pad = &one;
    one.stage.run_task(one);
    own_pad = nullptr;
  };
  gst_pad_start_task(pad.pad.get(), run, &pad, nullptr);
  // The application may have released the pad in the meantime, and found no task to stop.
  if (!pad.is_active) stop_task(pad);
}

// A task cannot wait for its own end, as in a probe that releases its pad. So another thread does, and holds
// the pad and the element until then.
void CaptionStage::stop_task(CaptionPad &pad) {
  if (own_pad != &pad) {
    gst_pad_stop_task(pad.pad.get());
    return;
  }
  gst_element_call_async(
      element_,
      [](GstElement *, gpointer held) {
        const CaptionPad &one = **static_cast<CaptionPadPtr *>(held);
        if (!one.is_active) gst_pad_stop_task(one.pad.get());
      },
      new CaptionPadPtr(pad.shared_from_this()),
      [](gpointer held) { delete static_cast<CaptionPadPtr *>(held); });
}

void CaptionStage::start_tasks() {
  for (const CaptionPadPtr &one : pads_.all())
    if (one->is_active) start_task(*one);
}

// The timestamp up to which time must be sent by now. Empty without a running clock.
std::optional<uint64_t> CaptionStage::due(const CaptionPad &pad) const {
  if (!live_ || pad.out_segment.format != GST_FORMAT_TIME || GST_STATE(element_) != GST_STATE_PLAYING)
    return std::nullopt;
  const auto clock = GRef<GstClock>::adopt(gst_element_get_clock(element_));
  if (!clock) return std::nullopt;
  const uint64_t now = gst_clock_get_time(clock.get());
  const uint64_t behind = gst_element_get_base_time(element_) + upstream_latency_ + own_latency_;
  if (now < behind) return std::nullopt;
  const uint64_t position =
      gst_segment_position_from_running_time(&pad.out_segment, GST_FORMAT_TIME, now - behind);
  return GST_CLOCK_TIME_IS_VALID(position) ? std::optional(position) : std::nullopt;
}

void CaptionStage::run_task(CaptionPad &pad) {
  const unsigned links = links_;
  const auto output = queue_.look_once(&CaptionSchedule::next_output, pad.outlet, due(pad));
  if (!output) return;
  if (std::holds_alternative<Stopped>(*output)) return pause_task(pad, links);
  const GstFlowReturn flow = put_out(pad, *output);
  if (flow == GST_FLOW_OK) return;
  // One pad that is not linked, or wants no more, does not end the others.
  const GstFlowReturn of_all = flow == GST_FLOW_ERROR ? flow : pads_.flow();
  if (of_all == GST_FLOW_OK) return;
  end_stream(pad, of_all);
  pause_task(pad, links);
}

void CaptionStage::end_stream(const CaptionPad &pad, GstFlowReturn flow) {
  GST_CAT_INFO_OBJECT(gencaption_category(), pad.pad.get(), "pauses: %s", gst_flow_get_name(flow));
  const bool is_released = !pad.is_active;
  const bool is_heard = is_released || queue_.tell(&CaptionSchedule::set_flow, static_cast<Flow>(flow));
  // Post the error here, as queues do: upstream has already sent EOS and cannot report it.
  if (!is_heard && (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS) && flow != GST_FLOW_ERROR)
    GST_ELEMENT_FLOW_ERROR(element_, flow);
}

// `links`: when the task looked for the output that ended it.
void CaptionStage::pause_task(CaptionPad &pad, unsigned links) {
  // A failure ends the stream on every pad.
  if (queue_.flow() == Flow::error) gst_pad_push_event(pad.pad.get(), gst_event_new_eos());
  gst_pad_pause_task(pad.pad.get());
  // A pad may have been linked, or a stream begun, just before: whoever did that has found this task running.
  if (links_ != links && link_again()) gst_pad_push_event(sink_, gst_event_new_reconfigure());
  if (pad.is_active && queue_.flow() == Flow::ok) start_task(pad);
}

void CaptionStage::put_out_event(CaptionPad &pad, const StreamEvent &handed) {
  if (handed.kind == StreamEvent::Kind::drain) {
    const auto query = GRef<GstQuery>::adopt(gst_query_new_drain());
    gst_pad_peer_query(pad.pad.get(), query.get());
    return;
  }
  const GRef<GstEvent> event = event_in(handed);
  const GstEventType type = GST_EVENT_TYPE(event.get());
  GST_CAT_DEBUG_OBJECT(gencaption_category(), pad.pad.get(), "%s", GST_EVENT_TYPE_NAME(event.get()));
  if (type == GST_EVENT_SEGMENT) gst_event_copy_segment(event.get(), &pad.out_segment);
  if (type == GST_EVENT_STREAM_START) {
    pad.is_tagged = false;
    pad.flow = GST_FLOW_OK;
  }
  if (!gst_pad_push_event(pad.pad.get(), event_of(pad, event).release()))
    queue_.tell(&CaptionSchedule::keep, pad.outlet, handed);
  if (type == GST_EVENT_SEGMENT && !pad.language.empty() && !std::exchange(pad.is_tagged, true))
    gst_pad_push_event(pad.pad.get(), language_tag_event(pad.language).release());
}

GstFlowReturn CaptionStage::put_out(CaptionPad &pad, const CaptionOutput &output) {
  if (const auto *event = std::get_if<StreamEvent>(&output)) {
    put_out_event(pad, *event);
    return GST_FLOW_OK;
  }
  if (const auto *silence = std::get_if<Silence>(&output)) {
    GST_CAT_LOG_OBJECT(gencaption_category(), pad.pad.get(),
                       "silence from %" GST_TIME_FORMAT " to %" GST_TIME_FORMAT,
                       GST_TIME_ARGS(silence->span.start), GST_TIME_ARGS(silence->span.end));
    GstEvent *gap = gst_event_new_gap(silence->span.start, silence->span.end - silence->span.start);
    // Since GStreamer 1.26, matroskamux writes other GAPs as empty subtitles.
    gst_event_set_gap_flags(gap, GST_GAP_FLAG_MISSING_DATA);
    gst_pad_push_event(pad.pad.get(), gap);
    return GST_FLOW_OK;
  }
  if (const auto *spoken = std::get_if<Spoken>(&output)) return put_out_caption(pad, *spoken);
  if (const auto *notice = std::get_if<Notice>(&output)) return put_out_notice(*notice);
  return GST_FLOW_FLUSHING;
}

GstFlowReturn CaptionStage::put_out_caption(CaptionPad &pad, const Spoken &spoken) {
  if (pad.flow == GST_FLOW_EOS) return GST_FLOW_EOS;
  const uint64_t duration = spoken.span.end - spoken.span.start;
  GstStructure *message = gst_structure_new(
      "gencaption-caption", "text", G_TYPE_STRING, spoken.text.c_str(), "pts", G_TYPE_UINT64,
      spoken.span.start, "duration", G_TYPE_UINT64, duration, "finish-reason", G_TYPE_STRING,
      spoken.answer.finish_reason.c_str(), "prompt-tokens", G_TYPE_UINT64, spoken.answer.prompt_tokens,
      "output-tokens", G_TYPE_UINT64, spoken.answer.output_tokens, "total-tokens", G_TYPE_UINT64,
      spoken.answer.total_tokens, "latency", G_TYPE_UINT64, static_cast<guint64>(spoken.latency.count()),
      "repeated", G_TYPE_BOOLEAN, static_cast<gboolean>(spoken.repeated), "cached", G_TYPE_BOOLEAN,
      static_cast<gboolean>(spoken.cached), "left-out", G_TYPE_STRING, spoken.left_out.c_str(), "language",
      G_TYPE_STRING, pad.language.c_str(), nullptr);
  gst_element_post_message(element_, gst_message_new_element(GST_OBJECT(element_), message));

  if (!spoken.left_out.empty())
    GST_CAT_INFO_OBJECT(gencaption_category(), pad.pad.get(),
                        "%" GST_TIME_FORMAT ": left out the last %" G_GSIZE_FORMAT
                        " bytes, which nobody could read in its time",
                        GST_TIME_ARGS(spoken.span.start), spoken.left_out.size());
  // The pad was linked anew, perhaps to an element that wants another format.
  if (gst_pad_check_reconfigure(pad.pad.get()) && format_for(pad.pad.get()) != pad.format)
    gst_pad_push_event(pad.pad.get(), caps_event(pad).release());
  const std::string text = in_format(pad.format, spoken.text);
  GstBuffer *buffer = gst_buffer_new_memdup(text.data(), text.size());
  GST_BUFFER_PTS(buffer) = spoken.span.start;
  GST_BUFFER_DURATION(buffer) = duration;
  GST_CAT_LOG_OBJECT(gencaption_category(), pad.pad.get(), "%" GST_PTR_FORMAT, static_cast<gpointer>(buffer));
  return pad.flow = gst_pad_push(pad.pad.get(), buffer);
}

GstFlowReturn CaptionStage::put_out_notice(const Notice &notice) {
  // Without a key, for example, no window would have a caption.
  const auto reason = reason_to_ask_nothing(settings_);
  const bool is_of_all = reason && notice.error.text == reason->text;
  const bool goes_on = !notice.failed || (settings_.on_error == OnError::skip && !is_of_all);
  if (notice.told) return goes_on ? GST_FLOW_OK : GST_FLOW_ERROR;
  if (goes_on) {
    post_warning(element_, gencaption_category(), notice.error);
    return GST_FLOW_OK;
  }
  if (notice.error.kind == ErrorKind::cancelled) return GST_FLOW_FLUSHING;
  post_error(element_, gencaption_category(), notice.error);
  return GST_FLOW_ERROR;
}

// As queues do: upstream, which was told that no pad is linked, goes on.
bool CaptionStage::link_again() {
  const bool was_stopped = queue_.tell(&CaptionSchedule::link_again);
  if (was_stopped) start_tasks();
  return told_not_linked_.exchange(false) || was_stopped;
}

bool CaptionStage::src_event(GstPad *pad, GRef<GstEvent> event) {
  switch (GST_EVENT_TYPE(event.get())) {
    case GST_EVENT_QOS: return true;
    case GST_EVENT_RECONFIGURE:
      ++links_;
      if (const CaptionPadPtr one = pads_.find(pad); one && one->flow == GST_FLOW_NOT_LINKED)
        one->flow = GST_FLOW_OK;
      if (!link_again()) return true;
      break;
    case GST_EVENT_LATENCY: looked_live_ = false; break;
    case GST_EVENT_SEEK: {
      // An overlay sends the same seek along both of its branches.
      const uint32_t seqnum = gst_event_get_seqnum(event.get());
      if (last_seek_.exchange(seqnum) == seqnum) return true;
      break;
    }
    default: break;
  }
  return gst_pad_push_event(sink_, event.release());
}

bool CaptionStage::src_query(GstPad *pad, GstQuery *query) {
  if (GST_QUERY_TYPE(query) != GST_QUERY_LATENCY)
    return gst_pad_query_default(pad, GST_OBJECT(element_), query);
  if (!gst_pad_peer_query(sink_, query)) return false;
  gboolean live = FALSE;
  GstClockTime min = 0;
  GstClockTime max = GST_CLOCK_TIME_NONE;
  gst_query_parse_latency(query, &live, &min, &max);
  set_live(live, min);
  if (!live) return true;
  const GstClockTime own = own_latency_;
  gst_query_set_latency(query, TRUE, min + own, GST_CLOCK_TIME_IS_VALID(max) ? max + own : max);
  return true;
}

}  // namespace genclip
