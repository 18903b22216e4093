// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The side of the stage towards the service and downstream.
#include <gst/gst.h>

#include <utility>

#include "elements/captioner/caption_stage.h"
#include "elements/captioner/gap_event.h"
#include "elements/element_log.h"
#include "elements/post_error.h"
#include "plugin/caption/caption_text.h"
#include "plugin/caption/sentence_splitter.h"

namespace genclip {

// Of a request and its answer the log has the sizes: the words are the user's.
void CaptionStage::log_question(const CaptionSlot &slot) const {
  GST_CAT_DEBUG_OBJECT(gencaption_category(), element_,
                       "%" GST_TIME_FORMAT ": %s: %" G_GSIZE_FORMAT " stills, %" G_GSIZE_FORMAT
                       " bytes of text, %" G_GSIZE_FORMAT " earlier captions",
                       GST_TIME_ARGS(slot.window.start), slot.known ? "has the answer already" : "asks",
                       slot.request.stills.size(), slot.request.text.size(), slot.request.earlier.size());
}

void CaptionStage::log_answer(const CaptionSlot &slot, const Result<ContentAnswer> &answer) const {
  if (!answer) {
    GST_CAT_INFO_OBJECT(gencaption_category(), element_, "%" GST_TIME_FORMAT ": no caption: %s",
                        GST_TIME_ARGS(slot.window.start), log_text(answer.error()).c_str());
    return;
  }
  GST_CAT_DEBUG_OBJECT(gencaption_category(), element_,
                       "%" GST_TIME_FORMAT ": answered with %" G_GSIZE_FORMAT
                       " bytes (%s), %" G_GUINT64_FORMAT " tokens",
                       GST_TIME_ARGS(slot.window.start), answer->text.size(), answer->finish_reason.c_str(),
                       answer->total_tokens);
}

void CaptionStage::log_retry(const CaptionSlot &slot, const Error &failure,
                             std::chrono::milliseconds pause) const {
  GST_CAT_DEBUG_OBJECT(
      gencaption_category(), element_, "%" GST_TIME_FORMAT ": asks again in %" G_GINT64_FORMAT " ms: %s",
      GST_TIME_ARGS(slot.window.start), static_cast<gint64>(pause.count()), log_text(failure).c_str());
}

// A retry is a request as well.
bool CaptionStage::may_send_again(const CaptionSlot &slot) {
  if (!line_.may_retry()) return false;
  const auto leave = allowance_.ask(slot.cancellable.get());
  if (leave.warning) post_warning(element_, gencaption_category(), *leave.warning);
  if (!leave.may_send) line_.did_not_retry();
  return leave.may_send;
}

void CaptionStage::work() {
  while (const SlotPtr slot = line_.next_question()) {
    if (!slot->known) {
      auto leave = allowance_.ask(slot->cancellable.get());
      if (!leave.may_send) {
        line_.did_not_ask(slot, std::move(leave.warning));
        continue;
      }
      if (leave.warning) post_warning(element_, gencaption_category(), *leave.warning);
    }
    const bool by_sentence = settings_.stream && !slot->one_piece;
    SentenceSplitter splitter;
    ContentListener listener;
    if (by_sentence)
      listener.on_text = [&](std::string_view text) {
        auto sentences = splitter.push(text);
        if (sentences.empty()) return false;
        line_.add_sentences(slot, std::move(sentences));
        return true;
      };
    listener.on_try_ended = [&](const ContentTry &used) { allowance_.ended(used); };
    listener.on_failure = [&](const Error &failure, std::chrono::milliseconds pause) {
      log_retry(*slot, failure, pause);
    };
    listener.on_retry = [&] {
      splitter = {};
      return may_send_again(*slot);
    };
    log_question(*slot);
    Result<ContentAnswer> answer =
        slot->known ? *slot->known : client_->ask(slot->request, listener, slot->cancellable.get());
    log_answer(*slot, answer);
    if (answer && !slot->known) line_.keep_answer(slot, *answer);
    if (slot->known && listener.on_text) listener.on_text(answer->text);
    std::vector<std::string> sentences;
    if (answer) {
      answer->text = caption_text(answer->text);
      if (by_sentence)
        sentences = splitter.finish();
      else if (!answer->text.empty())
        sentences = {answer->text};
    }
    line_.answered(slot, std::move(answer), std::move(sentences));
  }
}

void CaptionStage::start_task() {
  gst_pad_start_task(
      src_, [](gpointer stage) noexcept { static_cast<CaptionStage *>(stage)->run_task(); }, this, nullptr);
}

// The timestamp up to which time must be sent by now. Empty without a running clock.
std::optional<uint64_t> CaptionStage::due() const {
  if (!live_ || out_segment_.format != GST_FORMAT_TIME || GST_STATE(element_) != GST_STATE_PLAYING)
    return std::nullopt;
  const auto clock = GRef<GstClock>::adopt(gst_element_get_clock(element_));
  if (!clock) return std::nullopt;
  const uint64_t now = gst_clock_get_time(clock.get());
  const uint64_t behind = gst_element_get_base_time(element_) + upstream_latency_ + own_latency_;
  if (now < behind) return std::nullopt;
  const uint64_t position =
      gst_segment_position_from_running_time(&out_segment_, GST_FORMAT_TIME, now - behind);
  return GST_CLOCK_TIME_IS_VALID(position) ? std::optional(position) : std::nullopt;
}

void CaptionStage::run_task() {
  LineOutput output = line_.next(due());
  if (std::holds_alternative<Nothing>(output)) return;
  const GstFlowReturn flow = put_out(std::move(output));
  if (flow == GST_FLOW_OK) return;
  GST_CAT_INFO_OBJECT(gencaption_category(), src_, "pauses: %s", gst_flow_get_name(flow));
  const bool is_heard = line_.set_flow(flow);
  // Post the error here, as queues do: upstream has already sent EOS and cannot report it.
  if (!is_heard && (flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS) && flow != GST_FLOW_ERROR)
    GST_ELEMENT_FLOW_ERROR(element_, flow);
  gst_pad_pause_task(src_);
}

GstFlowReturn CaptionStage::put_out(LineOutput output) {
  if (auto *event = std::get_if<GRef<GstEvent>>(&output)) {
    const GstEventType type = GST_EVENT_TYPE(event->get());
    GST_CAT_DEBUG_OBJECT(gencaption_category(), src_, "%s", GST_EVENT_TYPE_NAME(event->get()));
    if (type == GST_EVENT_SEGMENT) gst_event_copy_segment(event->get(), &out_segment_);
    if (!gst_pad_push_event(src_, GRef<GstEvent>(*event).release())) line_.keep(std::move(*event));
    return GST_FLOW_OK;
  }
  if (const auto *silence = std::get_if<Silence>(&output)) {
    GST_CAT_LOG_OBJECT(gencaption_category(), src_, "silence from %" GST_TIME_FORMAT " to %" GST_TIME_FORMAT,
                       GST_TIME_ARGS(silence->span.start), GST_TIME_ARGS(silence->span.end));
    gst_pad_push_event(src_,
                       gap_event(silence->span.start, silence->span.end - silence->span.start).release());
    return GST_FLOW_OK;
  }
  if (const auto *spoken = std::get_if<Spoken>(&output)) return put_out_caption(*spoken);
  if (const auto *notice = std::get_if<Notice>(&output)) return put_out_notice(*notice);
  return GST_FLOW_FLUSHING;
}

GstFlowReturn CaptionStage::put_out_caption(const Spoken &spoken) {
  const uint64_t duration = spoken.span.end - spoken.span.start;
  GstStructure *message = gst_structure_new(
      "gencaption-caption", "text", G_TYPE_STRING, spoken.text.c_str(), "pts", G_TYPE_UINT64,
      spoken.span.start, "duration", G_TYPE_UINT64, duration, "finish-reason", G_TYPE_STRING,
      spoken.answer.finish_reason.c_str(), "prompt-tokens", G_TYPE_UINT64, spoken.answer.prompt_tokens,
      "output-tokens", G_TYPE_UINT64, spoken.answer.output_tokens, "total-tokens", G_TYPE_UINT64,
      spoken.answer.total_tokens, "latency", G_TYPE_UINT64, static_cast<guint64>(spoken.latency.count()),
      "repeated", G_TYPE_BOOLEAN, static_cast<gboolean>(spoken.repeated), nullptr);
  gst_element_post_message(element_, gst_message_new_element(GST_OBJECT(element_), message));

  GstBuffer *buffer = gst_buffer_new_memdup(spoken.text.data(), spoken.text.size());
  GST_BUFFER_PTS(buffer) = spoken.span.start;
  GST_BUFFER_DURATION(buffer) = duration;
  GST_CAT_LOG_OBJECT(gencaption_category(), src_, "%" GST_PTR_FORMAT, static_cast<gpointer>(buffer));
  return gst_pad_push(src_, buffer);
}

GstFlowReturn CaptionStage::put_out_notice(const Notice &notice) {
  if (!notice.failed || settings_.on_error == OnError::skip) {
    post_warning(element_, gencaption_category(), notice.error);
    return GST_FLOW_OK;
  }
  if (notice.error.kind == ErrorKind::cancelled) return GST_FLOW_FLUSHING;
  post_error(element_, gencaption_category(), notice.error);
  gst_pad_push_event(src_, gst_event_new_eos());
  return GST_FLOW_ERROR;
}

bool CaptionStage::src_event(GRef<GstEvent> event) {
  switch (GST_EVENT_TYPE(event.get())) {
    case GST_EVENT_QOS:
    case GST_EVENT_RECONFIGURE: return true;
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

bool CaptionStage::src_query(GstQuery *query) {
  if (GST_QUERY_TYPE(query) != GST_QUERY_LATENCY)
    return gst_pad_query_default(src_, GST_OBJECT(element_), query);
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
