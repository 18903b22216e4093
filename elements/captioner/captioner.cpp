// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The GObject shell of CaptionStage (element_shell.h).
#include "elements/captioner/captioner.h"

#include <chrono>
#include <string>
#include <string_view>

#include "elements/captioner/caption_settings.h"
#include "elements/captioner/caption_stage.h"
#include "elements/element_log.h"
#include "elements/element_shell.h"
#include "elements/post_error.h"
#include "plugin/caption/language_tag.h"

namespace genclip {

struct GenCaption {
  GstElement parent;
  CaptionStage *stage;
};
struct GenCaptionClass {
  GstElementClass parent_class;
};

G_DEFINE_TYPE(GenCaption, gen_caption, GST_TYPE_ELEMENT)

namespace {

GstStaticPadTemplate kCaptionSink = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS(
        "video/x-raw; image/jpeg; image/png; text/x-raw, format = { (string) utf8, (string) pango-markup }"));
GstStaticPadTemplate kCaptionSrc =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS,
                            GST_STATIC_CAPS("text/x-raw, format = { (string) utf8, (string) pango-markup }"));
GstStaticPadTemplate kCaptionLanguageSrc =
    GST_STATIC_PAD_TEMPLATE("src_%s", GST_PAD_SRC, GST_PAD_REQUEST,
                            GST_STATIC_CAPS("text/x-raw, format = { (string) utf8, (string) pango-markup }"));

CaptionStage &stage_of(gpointer object) { return *static_cast<GenCaption *>(object)->stage; }

GstStructure *stats_structure(const CaptionStats &stats) {
  const guint64 mean =
      stats.answers > 0 ? static_cast<guint64>(stats.latency_sum.count()) / stats.answers : 0;
  return gst_structure_new("gencaption-stats", "requests", G_TYPE_UINT64, stats.requests, "captions",
                           G_TYPE_UINT64, stats.captions, "skipped", G_TYPE_UINT64, stats.skipped, "unasked",
                           G_TYPE_UINT64, stats.unasked, "late", G_TYPE_UINT64, stats.late, "shortened",
                           G_TYPE_UINT64, stats.shortened, "retries", G_TYPE_UINT64, stats.retries, "cached",
                           G_TYPE_UINT64, stats.cached, "prompt-tokens", G_TYPE_UINT64, stats.prompt_tokens,
                           "output-tokens", G_TYPE_UINT64, stats.output_tokens, "total-tokens", G_TYPE_UINT64,
                           stats.total_tokens, "most-tokens", G_TYPE_UINT64, stats.most_tokens, "in-flight",
                           G_TYPE_UINT64, stats.in_flight, "mean-latency", G_TYPE_UINT64, mean, nullptr);
}

const ReadOnly<CaptionStage> kCaptionReadOnly[] = {
    {[](GParamFlags flags) {
       return g_param_spec_boxed("stats", "Stats",
                                 "Requests, captions, skipped, late and shortened ones, retries, answers "
                                 "from the store, tokens, requests in flight, and the mean latency in ns",
                                 GST_TYPE_STRUCTURE, flags);
     },
     [](const CaptionStage &stage, GValue *value) {
       g_value_take_boxed(value, stats_structure(stage.stats()));
     }},
    {[](GParamFlags flags) {
       return g_param_spec_uint(
           "max-observed-latency", "Maximum observed latency",
           "Live: the longest time so far from a picture to its caption, in milliseconds; a caption that was "
           "given up counts until then",
           0, G_MAXUINT, 0, flags);
     },
     [](const CaptionStage &stage, GValue *value) {
       const auto longest = std::chrono::duration_cast<std::chrono::milliseconds>(stage.stats().longest);
       g_value_set_uint(value, static_cast<guint>(longest.count()));
     }},
};

const ElementProperties<CaptionStage, CaptionSettings> &caption_element_properties() {
  static const ElementProperties<CaptionStage, CaptionSettings> all(caption_properties(), kCaptionReadOnly);
  return all;
}

void gen_caption_set_property(GObject *object, guint id, const GValue *value, GParamSpec *) noexcept {
  caption_element_properties().set(object, stage_of(object), gencaption_category(), id, value);
}

void gen_caption_get_property(GObject *object, guint id, GValue *value, GParamSpec *) noexcept {
  caption_element_properties().get(stage_of(object), id, value);
}

void gen_caption_finalize(GObject *object) noexcept {
  delete &stage_of(object);
  G_OBJECT_CLASS(gen_caption_parent_class)->finalize(object);
}

GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) noexcept {
  CaptionStage &stage = stage_of(element);
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    if (const auto prepared = stage.prepare(); !prepared) {
      post_error(element, gencaption_category(), prepared.error());
      return GST_STATE_CHANGE_FAILURE;
    }
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) stage.interrupt();
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED) stage.set_paused(true);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING) stage.set_paused(false);
  const auto result = GST_ELEMENT_CLASS(gen_caption_parent_class)->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY ||
      (transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE))
    stage.release();
  return result;
}

GstFlowReturn chain(GstPad *, GstObject *element, GstBuffer *buffer) noexcept {
  return stage_of(element).chain(GRef<GstBuffer>::adopt(buffer));
}
// The flow return gives the reason: FLUSHING is not an error of the stream.
GstFlowReturn sink_event(GstPad *, GstObject *element, GstEvent *event) noexcept {
  return stage_of(element).sink_event(GRef<GstEvent>::adopt(event));
}
gboolean sink_query(GstPad *, GstObject *element, GstQuery *query) noexcept {
  return stage_of(element).sink_query(query);
}
gboolean src_event(GstPad *pad, GstObject *element, GstEvent *event) noexcept {
  return stage_of(element).src_event(pad, GRef<GstEvent>::adopt(event));
}
gboolean src_query(GstPad *pad, GstObject *element, GstQuery *query) noexcept {
  return stage_of(element).src_query(pad, query);
}
// A pad of a running element is activated before the element has it.
gboolean activate_src(GstPad *pad, GstObject *, GstPadMode mode, gboolean active) noexcept {
  auto *stage = static_cast<CaptionStage *>(gst_pad_get_element_private(pad));
  return mode == GST_PAD_MODE_PUSH && stage->activate_src(pad, active);
}

GstPad *new_src(GstStaticPadTemplate &pad_template, const char *name) {
  GstPad *src = gst_pad_new_from_static_template(&pad_template, name);
  gst_pad_set_event_function(src, src_event);
  gst_pad_set_query_function(src, src_query);
  gst_pad_set_activatemode_function(src, activate_src);
  return src;
}

// `name`: src_LANGUAGE.
GstPad *request_new_pad(GstElement *element, GstPadTemplate *, const gchar *name, const GstCaps *) noexcept {
  constexpr std::string_view kPrefix = "src_";
  const std::string_view said = name ? name : "";
  const auto language = canonical_language(said.starts_with(kPrefix) ? said.substr(kPrefix.size()) : "");
  if (!language) {
    GST_CAT_WARNING_OBJECT(gencaption_category(), element,
                           "There is no pad %s: %s The name of a pad is src_ and the language.",
                           name ? name : "without a name", log_text(language.error()).c_str());
    return nullptr;
  }
  GstPad *pad = new_src(kCaptionLanguageSrc, (std::string(kPrefix) + *language).c_str());
  if (!stage_of(element).add_pad(pad, *language)) {
    GST_CAT_WARNING_OBJECT(gencaption_category(), element, "There is a pad for the language %s already.",
                           language->c_str());
    gst_object_unref(gst_object_ref_sink(pad));
    return nullptr;
  }
  if (stage_of(element).is_active()) gst_pad_set_active(pad, TRUE);
  gst_element_add_pad(element, pad);
  return pad;
}

void release_pad(GstElement *element, GstPad *pad) noexcept {
  gst_pad_set_active(pad, FALSE);
  stage_of(element).remove_pad(pad);
  gst_element_remove_pad(element, pad);
}

}  // namespace

static void gen_caption_class_init(GenCaptionClass *klass) {
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = gen_caption_set_property;
  object_class->get_property = gen_caption_get_property;
  object_class->finalize = gen_caption_finalize;
  caption_element_properties().install(object_class);

  auto *element_class = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element_class, &kCaptionSink);
  gst_element_class_add_static_pad_template(element_class, &kCaptionSrc);
  gst_element_class_add_static_pad_template(element_class, &kCaptionLanguageSrc);
  gst_element_class_set_static_metadata(element_class, "Generated captions", "Filter/Analyzer/Text/Network",
                                        "Captions video or rewrites text with a model of the text gateway",
                                        "The genclip developers");
  element_class->change_state = change_state;
  element_class->request_new_pad = request_new_pad;
  element_class->release_pad = release_pad;
}

static void gen_caption_init(GenCaption *self) {
  GstElement *element = GST_ELEMENT(self);
  GstPad *sink = gst_pad_new_from_static_template(&kCaptionSink, "sink");
  gst_pad_set_chain_function(sink, chain);
  gst_pad_set_event_full_function(sink, sink_event);
  gst_pad_set_query_function(sink, sink_query);
  GstPad *src = new_src(kCaptionSrc, "src");
  self->stage = new CaptionStage(element, sink, src);
  gst_element_add_pad(element, sink);
  gst_element_add_pad(element, src);
}

bool register_captioner(GstPlugin *plugin) {
  gencaption_category();  // So that --gst-debug-help lists it.
  return gst_element_register(plugin, "gencaption", GST_RANK_NONE, gen_caption_get_type());
}

}  // namespace genclip
