// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/channelsrc/playout_source.h"

#include <array>
#include <atomic>
#include <utility>

namespace genclip {

// What one pad's thread knows.
struct PlayoutPad {
  Output output = Output::video;
  GstPad *pad = nullptr;  // The element's.
  std::atomic<GstFlowReturn> flow = GST_FLOW_OK;
  bool has_begun = false;
  bool has_ended = false;
};

struct GenPlayoutSource {
  GstElement parent;
  std::shared_ptr<PlayoutEngine> *engine;
  std::array<PlayoutPad, 2> *pads;
  guint group_id;
};
struct GenPlayoutSourceClass {
  GstElementClass parent_class;
};

G_DEFINE_TYPE(GenPlayoutSource, gen_playout_source, GST_TYPE_ELEMENT)

static GstStaticPadTemplate kPlayoutVideo =
    GST_STATIC_PAD_TEMPLATE("video", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS("video/x-raw"));
static GstStaticPadTemplate kPlayoutAudio =
    GST_STATIC_PAD_TEMPLATE("audio", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS("audio/x-raw"));

static GenPlayoutSource *playout_source(gpointer object) { return static_cast<GenPlayoutSource *>(object); }
static PlayoutEngine &engine_of(gpointer object) { return **playout_source(object)->engine; }

// ---- A pad's thread.

static void begin_stream(GenPlayoutSource *source, PlayoutPad &own) {
  const PlayoutForm &form = engine_of(source).form();
  const bool is_video = own.output == Output::video;
  gchar *id = gst_pad_create_stream_id(own.pad, GST_ELEMENT(source), is_video ? "video" : "audio");
  GstEvent *start = gst_event_new_stream_start(id);
  g_free(id);
  gst_event_set_group_id(start, source->group_id);
  gst_pad_push_event(own.pad, start);
  gst_pad_push_event(own.pad, gst_event_new_caps(is_video ? form.video_caps.get() : form.audio_caps.get()));
}

static void begin_segment(GenPlayoutSource *source, PlayoutPad &own) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.base = engine_of(source).origin();
  gst_pad_push_event(own.pad, gst_event_new_segment(&segment));
}

// What comes of a push. An output that is not linked, wants no more, or is flushing for a while is counted on
// without it, for the other output and its clips: if its sound was not taken, a clip would soon stall.
static bool goes_on(GenPlayoutSource *source, PlayoutPad &own, GstFlowReturn flow) {
  own.flow = flow;
  if (flow == GST_FLOW_OK || flow == GST_FLOW_FLUSHING) return true;
  if (flow == GST_FLOW_EOS && !std::exchange(own.has_ended, true))
    gst_pad_push_event(own.pad, gst_event_new_eos());
  if (flow != GST_FLOW_EOS && flow != GST_FLOW_NOT_LINKED) return false;
  for (const PlayoutPad &pad : *source->pads)
    if (const GstFlowReturn other = pad.flow; other == GST_FLOW_OK || other == GST_FLOW_FLUSHING) return true;
  return false;
}

static void playout_loop(gpointer data) noexcept {
  auto &own = *static_cast<PlayoutPad *>(data);
  auto *source = playout_source(GST_PAD_PARENT(own.pad));
  PlayoutEngine &engine = engine_of(source);
  if (!own.has_begun) begin_stream(source, own);
  GRef<GstBuffer> buffer;
  GstFlowReturn flow = engine.next(own.output, GST_ELEMENT(source), buffer);
  if (flow == GST_FLOW_FLUSHING) {
    gst_pad_pause_task(own.pad);
    return;
  }
  const bool begins = !std::exchange(own.has_begun, true);
  if (begins) begin_segment(source, own);
  if (flow == GST_FLOW_OK) {
    GstBuffer *next = gst_buffer_ref(buffer.get());
    if (begins) {
      next = gst_buffer_make_writable(next);
      GST_BUFFER_FLAG_SET(next, GST_BUFFER_FLAG_DISCONT);
    }
    flow = gst_pad_push(own.pad, next);
    if (goes_on(source, own, flow)) return;
  }
  gst_pad_pause_task(own.pad);
  engine.leave(own.output);
  if (flow != GST_FLOW_EOS) GST_ELEMENT_FLOW_ERROR(source, flow);
  if (!own.has_ended) gst_pad_push_event(own.pad, gst_event_new_eos());
}

static gboolean activate_playout_pad(GstPad *pad, GstObject *parent, GstPadMode mode,
                                     gboolean active) noexcept {
  if (mode != GST_PAD_MODE_PUSH) return FALSE;
  auto *source = playout_source(parent);
  for (PlayoutPad &own : *source->pads) {
    if (own.pad != pad) continue;
    if (!active) {
      engine_of(source).interrupt();
      return gst_pad_stop_task(pad);
    }
    own.has_begun = own.has_ended = false;
    own.flow = GST_FLOW_OK;
    return gst_pad_start_task(pad, playout_loop, &own, nullptr);
  }
  return FALSE;
}

// A channel cannot seek; by default, GStreamer would answer that it has.
static gboolean take_playout_event(GstPad *pad, GstObject *parent, GstEvent *event) noexcept {
  if (GST_EVENT_TYPE(event) != GST_EVENT_SEEK) return gst_pad_event_default(pad, parent, event);
  gst_event_unref(event);
  return FALSE;
}

static gboolean query_playout_pad(GstPad *pad, GstObject *parent, GstQuery *query) noexcept {
  PlayoutEngine &engine = engine_of(parent);
  switch (GST_QUERY_TYPE(query)) {
    case GST_QUERY_LATENCY:
      gst_query_set_latency(query, TRUE, engine.latency(), GST_CLOCK_TIME_NONE);
      return TRUE;
    case GST_QUERY_POSITION: {
      GstFormat format;
      gst_query_parse_position(query, &format, nullptr);
      if (format != GST_FORMAT_TIME) return FALSE;
      gst_query_set_position(query, format, static_cast<gint64>(engine.form().grid.time_of(engine.frame())));
      return TRUE;
    }
    case GST_QUERY_SEEKING: {
      GstFormat format;
      gst_query_parse_seeking(query, &format, nullptr, nullptr, nullptr);
      gst_query_set_seeking(query, format, FALSE, 0, -1);
      return TRUE;
    }
    case GST_QUERY_CAPS: {
      GstCaps *filter = nullptr;
      gst_query_parse_caps(query, &filter);
      const PlayoutForm &form = engine.form();
      const bool is_video = (*playout_source(parent)->pads)[0].pad == pad;
      GstCaps *caps = is_video ? form.video_caps.get() : form.audio_caps.get();
      const auto both =
          filter ? GRef<GstCaps>::adopt(gst_caps_intersect_full(filter, caps, GST_CAPS_INTERSECT_FIRST))
                 : GRef<GstCaps>::share(caps);
      gst_query_set_caps_result(query, both.get());
      return TRUE;
    }
    default: return gst_pad_query_default(pad, parent, query);
  }
}

// ---- The element.

static GstStateChangeReturn change_playout_state(GstElement *element, GstStateChange change) noexcept {
  PlayoutEngine &engine = engine_of(element);
  if (change == GST_STATE_CHANGE_READY_TO_PAUSED) {
    playout_source(element)->group_id = gst_util_group_id_next();
    engine.start();
  }
  if (change == GST_STATE_CHANGE_PLAYING_TO_PAUSED) engine.set_playing(false);
  GstStateChangeReturn result =
      GST_ELEMENT_CLASS(gen_playout_source_parent_class)->change_state(element, change);
  if (result == GST_STATE_CHANGE_FAILURE) return result;
  switch (change) {
    case GST_STATE_CHANGE_PAUSED_TO_PLAYING: engine.set_playing(true); break;
    case GST_STATE_CHANGE_PAUSED_TO_READY: engine.stop(); break;
    case GST_STATE_CHANGE_READY_TO_PAUSED:
    case GST_STATE_CHANGE_PLAYING_TO_PAUSED: return GST_STATE_CHANGE_NO_PREROLL;
    default: break;
  }
  return result;
}

// By default an element sends what the application gives it on one pad. EOS ends both outputs at one frame.
// A flush is refused as a seek is: it would take the segment of a stream that goes on.
static gboolean send_playout_event(GstElement *element, GstEvent *given) noexcept {
  const auto event = GRef<GstEvent>::adopt(given);
  switch (GST_EVENT_TYPE(given)) {
    case GST_EVENT_EOS: engine_of(element).end(engine_of(element).earliest_frame()); return TRUE;
    case GST_EVENT_FLUSH_START:
    case GST_EVENT_FLUSH_STOP: return FALSE;
    default: break;
  }
  if (!(gst_event_type_get_flags(GST_EVENT_TYPE(given)) & GST_EVENT_TYPE_DOWNSTREAM)) return FALSE;
  bool is_taken = false;
  for (const PlayoutPad &own : *playout_source(element)->pads)
    is_taken |= gst_pad_push_event(own.pad, gst_event_ref(given)) != FALSE;
  return is_taken;
}

static void finalize_playout_source(GObject *object) noexcept {
  delete playout_source(object)->engine;
  delete playout_source(object)->pads;
  G_OBJECT_CLASS(gen_playout_source_parent_class)->finalize(object);
}

static void gen_playout_source_class_init(GenPlayoutSourceClass *klass) {
  auto *element_class = GST_ELEMENT_CLASS(klass);
  G_OBJECT_CLASS(klass)->finalize = finalize_playout_source;
  element_class->change_state = change_playout_state;
  element_class->send_event = send_playout_event;
  gst_element_class_add_static_pad_template(element_class, &kPlayoutVideo);
  gst_element_class_add_static_pad_template(element_class, &kPlayoutAudio);
  gst_element_class_set_static_metadata(element_class, "Channel playout", "Source/Audio/Video",
                                        "Sends a channel's frames at their times", "genclip");
}

static void gen_playout_source_init(GenPlayoutSource *source) {
  source->engine = new std::shared_ptr<PlayoutEngine>;
  source->pads = new std::array<PlayoutPad, 2>;
  GST_OBJECT_FLAG_SET(source, GST_ELEMENT_FLAG_SOURCE);
  GstStaticPadTemplate *const templates[] = {&kPlayoutVideo, &kPlayoutAudio};
  for (size_t index = 0; index < 2; ++index) {
    GstPad *pad = gst_pad_new_from_static_template(templates[index], templates[index]->name_template);
    PlayoutPad &own = (*source->pads)[index];
    own.output = index == 0 ? Output::video : Output::audio;
    own.pad = pad;
    gst_pad_set_activatemode_function(pad, activate_playout_pad);
    gst_pad_set_query_function(pad, query_playout_pad);
    gst_pad_set_event_function(pad, take_playout_event);
    gst_pad_use_fixed_caps(pad);
    gst_element_add_pad(GST_ELEMENT(source), pad);
  }
}

GstElement *new_playout_source(std::shared_ptr<PlayoutEngine> engine) {
  auto *element = GST_ELEMENT(g_object_new(gen_playout_source_get_type(), nullptr));
  *playout_source(element)->engine = std::move(engine);
  return element;
}

}  // namespace genclip
