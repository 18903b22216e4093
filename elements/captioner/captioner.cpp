// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The GObject shell: pads, properties and states, each a single call of the stage.
#include "elements/captioner/captioner.h"

#include <string>
#include <utility>
#include <vector>

#include "elements/captioner/caption_settings.h"
#include "elements/captioner/caption_stage.h"
#include "elements/element_log.h"
#include "elements/post_error.h"
#include "elements/startup_warnings.h"
#include "plugin/http/api_key.h"
#include "plugin/http/redaction.h"

namespace genclip {
namespace {

struct CaptionerParts {
  CaptionerParts(GstElement *element, GstPad *sink, GstPad *src) : stage(element, sink, src) {}

  Mutex mutex;
  CaptionSettings settings GUARDED_BY(mutex);
  bool running GUARDED_BY(mutex) = false;              // from READY to PAUSED, and back
  std::shared_ptr<HttpClient> http GUARDED_BY(mutex);  // null: the network
  CaptionStage stage;
};

}  // namespace

struct Captioner {
  GstElement parent;
  CaptionerParts *parts;
};
struct CaptionerClass {
  GstElementClass parent_class;
};

namespace {

GstStaticPadTemplate kSink = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS(
        "video/x-raw; image/jpeg; image/png; text/x-raw, format = { (string) utf8, (string) pango-markup }"));
GstStaticPadTemplate kSrc = GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS,
                                                    GST_STATIC_CAPS("text/x-raw, format = (string) utf8"));

GstElementClass *parent_class = nullptr;

Captioner *captioner(gpointer object) { return static_cast<Captioner *>(object); }
CaptionerParts &parts(gpointer object) { return *captioner(object)->parts; }

guint stats_id() { return static_cast<guint>(caption_properties().size()) + 1; }

GstStructure *stats_structure(const CaptionStats &stats) {
  const guint64 mean =
      stats.answers > 0 ? static_cast<guint64>(stats.latency_sum.count()) / stats.answers : 0;
  return gst_structure_new("gencaption-stats", "requests", G_TYPE_UINT64, stats.requests, "captions",
                           G_TYPE_UINT64, stats.captions, "skipped", G_TYPE_UINT64, stats.skipped, "late",
                           G_TYPE_UINT64, stats.late, "retries", G_TYPE_UINT64, stats.retries,
                           "prompt-tokens", G_TYPE_UINT64, stats.prompt_tokens, "output-tokens",
                           G_TYPE_UINT64, stats.output_tokens, "total-tokens", G_TYPE_UINT64,
                           stats.total_tokens, "mean-latency", G_TYPE_UINT64, mean, nullptr);
}

void captioner_set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec) noexcept {
  auto &self = parts(object);
  const auto &row = caption_properties()[id - 1];
  bool refused = false;
  {
    MutexLock lock(self.mutex);
    refused = self.running && row.access != Access::while_playing;
    if (!refused) {
      set_field(self.settings, row, value);
      self.stage.set_prompt(self.settings.prompt, self.settings.system_instruction);
    }
  }
  if (refused)
    GST_CAT_WARNING_OBJECT(gencaption_category(), object,
                           "The property %s can change in NULL and READY only.", spec->name);
}

void captioner_get_property(GObject *object, guint id, GValue *value, GParamSpec *) noexcept {
  auto &self = parts(object);
  if (id == stats_id()) {
    g_value_take_boxed(value, stats_structure(self.stage.stats()));
    return;
  }
  MutexLock lock(self.mutex);
  get_field(self.settings, caption_properties()[id - 1], value);
}

bool start(Captioner *self) {
  CaptionSettings settings;
  std::shared_ptr<HttpClient> http;
  {
    MutexLock lock(self->parts->mutex);
    settings = self->parts->settings;
    http = self->parts->http;
    self->parts->running = true;
  }
  auto good = checked(std::move(settings));
  if (!good) {
    post_error(&self->parent, gencaption_category(), good.error());
    return false;
  }
  std::vector<std::string> warnings = key_in_clear(good->llm_base_url, "llm-base-url");
  for (std::string &mistakes : unreported_catalog_mistakes()) warnings.push_back(std::move(mistakes));
  for (std::string &warning : warnings)
    post_warning(&self->parent, gencaption_category(), {ErrorKind::settings, std::move(warning)});
  GST_CAT_INFO_OBJECT(gencaption_category(), self, "asks %s of %s", good->model.c_str(),
                      redact_url(good->llm_base_url).c_str());
  if (!http) http = HttpClient::shared({good->proxy, good->tls_ca_file});
  self->parts->stage.start(*good, std::move(http));
  return true;
}

void end_run(CaptionerParts &parts) {
  parts.stage.stop();
  MutexLock lock(parts.mutex);
  parts.running = false;
}

GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) noexcept {
  CaptionStage &stage = parts(element).stage;
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start(captioner(element))) {
    end_run(parts(element));
    return GST_STATE_CHANGE_FAILURE;
  }
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) stage.abort();
  const auto result = parent_class->change_state(element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY ||
      (transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE))
    end_run(parts(element));
  return result;
}

void captioner_finalize(GObject *object) noexcept {
  delete captioner(object)->parts;
  G_OBJECT_CLASS(parent_class)->finalize(object);
}

GstFlowReturn chain(GstPad *, GstObject *element, GstBuffer *buffer) noexcept {
  return parts(element).stage.chain(GRef<GstBuffer>::adopt(buffer));
}
// The flow return gives the reason: FLUSHING is not an error of the stream.
GstFlowReturn sink_event(GstPad *, GstObject *element, GstEvent *event) noexcept {
  return parts(element).stage.sink_event(GRef<GstEvent>::adopt(event));
}
gboolean sink_query(GstPad *, GstObject *element, GstQuery *query) noexcept {
  return parts(element).stage.sink_query(query);
}
gboolean src_event(GstPad *, GstObject *element, GstEvent *event) noexcept {
  return parts(element).stage.src_event(GRef<GstEvent>::adopt(event));
}
gboolean src_query(GstPad *, GstObject *element, GstQuery *query) noexcept {
  return parts(element).stage.src_query(query);
}
gboolean activate_src(GstPad *, GstObject *element, GstPadMode mode, gboolean active) noexcept {
  return mode == GST_PAD_MODE_PUSH && parts(element).stage.activate_src(active);
}

void instance_init(GTypeInstance *instance, gpointer) {
  auto *self = reinterpret_cast<Captioner *>(instance);
  GstPad *sink = gst_pad_new_from_static_template(&kSink, "sink");
  gst_pad_set_chain_function(sink, chain);
  gst_pad_set_event_full_function(sink, sink_event);
  gst_pad_set_query_function(sink, sink_query);
  GstPad *src = gst_pad_new_from_static_template(&kSrc, "src");
  gst_pad_set_event_function(src, src_event);
  gst_pad_set_query_function(src, src_query);
  gst_pad_set_activatemode_function(src, activate_src);
  self->parts = new CaptionerParts(&self->parent, sink, src);
  gst_element_add_pad(&self->parent, sink);
  gst_element_add_pad(&self->parent, src);
}

void class_init(gpointer klass, gpointer) {
  parent_class = static_cast<GstElementClass *>(g_type_class_peek_parent(klass));
  auto *object_class = static_cast<GObjectClass *>(klass);
  auto *element_class = static_cast<GstElementClass *>(klass);
  object_class->set_property = captioner_set_property;
  object_class->get_property = captioner_get_property;
  object_class->finalize = captioner_finalize;
  install_properties(object_class, caption_properties());
  g_object_class_install_property(
      object_class, stats_id(),
      g_param_spec_boxed(
          "stats", "Stats",
          "Requests, captions, skipped and late ones, retries, tokens, and the mean latency in ns",
          GST_TYPE_STRUCTURE, static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
  element_class->change_state = change_state;
  gst_element_class_add_static_pad_template(element_class, &kSink);
  gst_element_class_add_static_pad_template(element_class, &kSrc);
  gst_element_class_set_static_metadata(element_class, "Generated captions", "Filter/Analyzer/Text/Network",
                                        "Captions video or rewrites text with a model of the text gateway",
                                        "genclip developers");
}

}  // namespace

GType captioner_get_type() {
  static const GType type = [] {
    GTypeInfo info = {};
    info.class_size = sizeof(CaptionerClass);
    info.class_init = class_init;
    info.instance_size = sizeof(Captioner);
    info.instance_init = [](GTypeInstance *instance, gpointer klass) { instance_init(instance, klass); };
    return g_type_register_static(GST_TYPE_ELEMENT, "GenCaption", &info, static_cast<GTypeFlags>(0));
  }();
  return type;
}

bool register_captioner(GstPlugin *plugin) {
  return gst_element_register(plugin, "gencaption", GST_RANK_NONE, captioner_get_type());
}

void set_captioner_http(GstElement *element, std::shared_ptr<HttpClient> http) {
  auto &self = parts(element);
  MutexLock lock(self.mutex);
  self.http = std::move(http);
}

}  // namespace genclip
