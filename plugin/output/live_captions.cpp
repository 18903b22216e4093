// SPDX-License-Identifier: LGPL-2.1-or-later
//
// gencaption compares the clock of its pipeline with the times of the pictures, to know which caption comes
// too late. So the first picture is given the time at which it came, and the others follow at the channel's
// own distances.
#include "plugin/output/live_captions.h"

#include <gst/app/gstappsrc.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "plugin/output/output_log.h"

namespace genclip {
namespace {

using std::chrono::nanoseconds;

std::string text_of(GstMessage *message) {
  GErrorPtr error;
  GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR ? gst_message_parse_error(message, take(error), nullptr)
                                                 : gst_message_parse_warning(message, take(error), nullptr);
  return error ? error->message : "It failed.";
}

bool has_detail(GstMessage *warning, const char *name) {
  const GstStructure *details = nullptr;
  gst_message_parse_warning_details(warning, &details);
  return details && gst_structure_has_field(details, name);
}

// Of a limit that is used up. gencaption tells that once.
bool is_of_budget(GstMessage *warning) { return has_detail(warning, "budget"); }

// Of a caption that comes all the same, though not all of it.
bool is_of_shown(GstMessage *warning) { return has_detail(warning, "caption-shown"); }

// The error that gencaption has posted, and the warnings before it.
Result<void> take_messages(GstBus *bus, std::vector<std::string> &warnings) {
  constexpr auto kTold = static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  while (const auto message = GRef<GstMessage>::adopt(gst_bus_pop_filtered(bus, kTold))) {
    if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_ERROR)
      return Error{ErrorKind::settings, text_of(message.get())};
    warnings.push_back(text_of(message.get()));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<LiveCaptions>> LiveCaptions::start(const CaptionOutput &settings, Listener listener) {
  const auto pipeline = GRef<GstElement>::adopt(GST_ELEMENT(g_object_ref_sink(gst_pipeline_new("captions"))));
  GstElement *source = gst_element_factory_make("appsrc", "pictures");
  GstElement *sink = gst_element_factory_make("appsink", "cues");
  if (!source || !sink) return Error{ErrorKind::settings, "Captions need GStreamer's appsrc and appsink."};
  GstElement *captioner = settings.gencaption.get();
  gst_bin_add_many(GST_BIN(pipeline.get()), source, GST_ELEMENT(gst_object_ref(captioner)), sink, nullptr);
  // Two pictures: gencaption takes one of many.
  g_object_set(source, "format", GST_FORMAT_TIME, "is-live", TRUE, "max-buffers", guint64{2}, "max-bytes",
               guint64{0}, "max-time", guint64{0}, "leaky-type", GST_APP_LEAKY_TYPE_DOWNSTREAM, nullptr);
  g_object_set(sink, "sync", FALSE, "async", FALSE, "enable-last-sample", FALSE, nullptr);
  gst_util_set_object_arg(G_OBJECT(captioner), "on-error", "skip");
  if (!gst_element_link_many(source, captioner, sink, nullptr))
    return Error{ErrorKind::settings, "gencaption cannot be linked."};

  std::unique_ptr<LiveCaptions> captions(new LiveCaptions(pipeline, settings, std::move(listener)));
  GstAppSinkCallbacks callbacks = {};
  callbacks.new_sample = take;
  gst_app_sink_set_callbacks(GST_APP_SINK(sink), &callbacks, captions.get(), nullptr);
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline.get()));
  const bool started = gst_element_set_state(pipeline.get(), GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE;
  const auto told = [&](const std::string &text) {
    return std::ranges::find(settings.told_before, text) != settings.told_before.end();
  };
  std::vector<std::string> warnings;
  const auto fine = take_messages(bus.get(), warnings);
  for (const std::string &warning : warnings)
    if (!told(warning)) captions->say(warning);
  if (!fine) return fine.error();
  if (!started) return Error{ErrorKind::settings, "gencaption cannot be started."};
  gst_bus_set_sync_handler(bus.get(), handle, captions.get(), nullptr);
  return captions;
}

Result<void> LiveCaptions::check(GstElement *gencaption, std::vector<std::string> &warnings) {
  const auto bus = GRef<GstBus>::adopt(gst_bus_new());
  gst_element_set_bus(gencaption, bus.get());
  gst_element_set_state(gencaption, GST_STATE_PAUSED);
  gst_element_set_state(gencaption, GST_STATE_NULL);
  gst_element_set_bus(gencaption, nullptr);
  return take_messages(bus.get(), warnings);
}

LiveCaptions::LiveCaptions(GRef<GstElement> pipeline, const CaptionOutput &settings, Listener listener)
    : pipeline_(std::move(pipeline)),
      source_(GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline_.get()), "pictures"))),
      told_(settings.told),
      listener_(std::move(listener)) {}

LiveCaptions::~LiveCaptions() { gst_element_set_state(pipeline_.get(), GST_STATE_NULL); }

void LiveCaptions::feed(const EncodedFrame &picture) {
  int64_t to_pipeline = 0;
  {
    MutexLock lock(mutex_);
    if (failed_) return;
    if (to_pipeline_ == INT64_MAX)
      to_pipeline_ =
          static_cast<int64_t>(gst_element_get_current_running_time(pipeline_.get())) - picture.times.pts;
    to_pipeline = to_pipeline_;
  }
  auto *source = GST_APP_SRC(source_.get());
  GstCaps *caps = gst_sample_get_caps(picture.sample.get());
  if (caps_.get() != caps) {
    caps_ = GRef<GstCaps>::share(caps);
    gst_app_src_set_caps(source, caps);
  }
  GstBuffer *buffer = gst_buffer_copy(gst_sample_get_buffer(picture.sample.get()));
  GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(picture.times.pts + to_pipeline);
  GST_BUFFER_DTS(buffer) = GST_CLOCK_TIME_NONE;
  gst_app_src_push_buffer(source, buffer);
}

GstFlowReturn LiveCaptions::take(GstAppSink *sink, gpointer data) {
  auto &self = *static_cast<LiveCaptions *>(data);
  const auto sample = GRef<GstSample>::adopt(gst_app_sink_pull_sample(sink));
  GstBuffer *buffer = sample ? gst_sample_get_buffer(sample.get()) : nullptr;
  GstMapInfo map;
  if (!buffer || !GST_BUFFER_PTS_IS_VALID(buffer) || !GST_BUFFER_DURATION_IS_VALID(buffer) ||
      !gst_buffer_map(buffer, &map, GST_MAP_READ))
    return GST_FLOW_OK;
  CaptionCue cue;
  cue.text.assign(reinterpret_cast<const char *>(map.data), map.size);
  gst_buffer_unmap(buffer, &map);
  {
    MutexLock lock(self.mutex_);
    cue.begin = nanoseconds(static_cast<int64_t>(GST_BUFFER_PTS(buffer)) - self.to_pipeline_);
  }
  cue.end = cue.begin + nanoseconds(static_cast<int64_t>(GST_BUFFER_DURATION(buffer)));
  self.tell("", false);
  self.listener_(cue);
  return GST_FLOW_OK;
}

GstBusSyncReply LiveCaptions::handle(GstBus *, GstMessage *message, gpointer data) {
  auto &self = *static_cast<LiveCaptions *>(data);
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    // Further ones follow from the first.
    bool has_failed = false;
    {
      MutexLock lock(self.mutex_);
      has_failed = std::exchange(self.failed_, true);
    }
    if (!has_failed) self.tell(text_of(message) + " There are no more captions in this run.", true);
  }
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING) {
    if (is_of_shown(message))
      self.note(text_of(message));
    else
      self.tell(text_of(message), is_of_budget(message));
  }
  gst_message_unref(message);
  return GST_BUS_DROP;
}

void LiveCaptions::tell(const std::string &trouble, bool is_lasting) {
  {
    MutexLock lock(mutex_);
    if (std::exchange(in_trouble_, !trouble.empty()) == !trouble.empty() && !is_lasting) return;
  }
  say(trouble);
}

void LiveCaptions::note(const std::string &flaw) {
  {
    MutexLock lock(mutex_);
    if (!noted_.insert(flaw).second) return;
  }
  say(flaw);
}

void LiveCaptions::say(const std::string &trouble) const {
  GST_CAT_INFO(output_category(), "captions: %s", trouble.empty() ? "come again" : trouble.c_str());
  if (told_) told_(trouble);
}

}  // namespace genclip
