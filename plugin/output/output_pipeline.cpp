// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Frames come from the channel's threads, which must never wait: an appsrc that does not block takes them,
// and KeyFrameJoin leaves out what would make its queue too long. Changes of state may wait for a server or a
// disk for as long as they like, so those of a pipeline run on a thread of its own, in order: one that went
// to PLAYING behind its NULL would keep its port and its files. What such a thread still uses after the
// output has turned away from it is counted: the GstPipeline, and Wiring.
#include "plugin/output/output_pipeline.h"

#include <gst/app/gstappsrc.h>

#include <string_view>
#include <utility>

#include "plugin/output/output_log.h"
#include "plugin/output/output_recipe.h"

namespace genclip {

// Bytes: seven packets of MPEG-TS, as the multiplexer is told to align them.
constexpr uint64_t kDatagram = 7 * 188;
// More than that in an appsrc, and frames are left out up to a key frame.
constexpr GstClockTime kLongestQueue = 5 * GST_SECOND;
// Files may come late: behind a process that was stopped for 10 s, the sound is that far ahead of the
// picture.
constexpr GstClockTime kLongestFileQueue = 20 * GST_SECOND;
// Of raw frames in a window, which need memory and should not be late.
constexpr GstClockTime kLongestRawQueue = GST_SECOND / 2;

static GstClockTime longest_queue(OutputKind kind) {
  if (takes_raw(kind)) return kLongestRawQueue;
  return writes_files(kind) ? kLongestFileQueue : kLongestQueue;
}

struct TrafficCount {
  std::atomic<uint64_t> packets{0};
  std::atomic<uint64_t> bytes{0};
};

struct OutputPipeline::Wiring {
  Wiring(OutputSpec spec, std::shared_ptr<FileWriter> writer, Listener listener)
      : spec(std::move(spec)), listener(std::move(listener)) {
    if (writer) cuts.emplace(std::move(writer));
  }

  const OutputSpec spec;
  const Listener listener;
  TrafficCount traffic;
  std::optional<FileCuts> cuts;
  std::atomic<bool> closing{false};
  std::atomic<bool> finally{false};

  Mutex mutex;
  CondVar changed;
  bool closed GUARDED_BY(mutex) = false;

  // With the lock, so that no event is under way when close() returns. The listener may take locks of its
  // own.
  void tell(Event event, const std::string &text) {
    const auto shown = without_secrets(spec, text);
    MutexLock lock(mutex);
    if (!closing) listener(event, shown);
  }

  void handle(GstMessage *message);
  // Of the signal that asks for the next file's path.
  static gchar *begin_file(GstElement *, guint, GstSample *first, gpointer data);
  void check(const Result<void> &result) {
    if (!result) tell(Event::failed, result.error().text);
  }
};

namespace {

// A closure's data: one more owner of the wiring.
template <typename T>
std::shared_ptr<T> *owner(const std::shared_ptr<T> &shared) {
  return new std::shared_ptr<T>(shared);
}
template <typename T>
void drop_owner(gpointer data) {
  delete static_cast<std::shared_ptr<T> *>(data);
}

std::string failure_text(GstMessage *message) {
  GErrorPtr error;
  GStringPtr debug;
  {
    GError *raw = nullptr;
    gchar *raw_debug = nullptr;
    gst_message_parse_error(message, &raw, &raw_debug);
    error.reset(raw);
    debug.reset(raw_debug);
  }
  std::string text = error ? error->message : "It failed.";
  // What follows the place in the source is often the only line that says why.
  if (debug) {
    const std::string_view details(debug.get());
    const auto line = details.rfind(":\n");
    if (line != details.npos && line + 2 < details.size())
      text += " (" + std::string(details.substr(line + 2)) + ")";
  }
  if (!text.ends_with('.')) text += '.';
  for (char &byte : text)
    if (byte == '\n' || byte == '\r') byte = ' ';
  return text;
}

GstPadProbeReturn count(GstPad *, GstPadProbeInfo *info, gpointer data) {
  TrafficCount &traffic = **static_cast<std::shared_ptr<TrafficCount> *>(data);
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST) {
    GstBufferList *list = GST_PAD_PROBE_INFO_BUFFER_LIST(info);
    traffic.packets += gst_buffer_list_length(list);
    traffic.bytes += gst_buffer_list_calculate_size(list);
  } else {
    ++traffic.packets;
    traffic.bytes += gst_buffer_get_size(GST_PAD_PROBE_INFO_BUFFER(info));
  }
  return GST_PAD_PROBE_OK;
}

// Counts at each sink, also at those that splitmuxsink and autovideosink make later.
void watch(GstElement *element, const std::shared_ptr<TrafficCount> &traffic) {
  if (!GST_OBJECT_FLAG_IS_SET(element, GST_ELEMENT_FLAG_SINK) || GST_IS_BIN(element)) return;
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(element, "sink"));
  if (!pad) return;
  constexpr auto kBuffers =
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST);
  gst_pad_add_probe(pad.get(), kBuffers, count, owner(traffic), drop_owner<TrafficCount>);
}

void watch_all(GstElement *pipeline, const std::shared_ptr<TrafficCount> &traffic) {
  g_signal_connect_data(
      pipeline, "deep-element-added", G_CALLBACK(+[](GstBin *, GstBin *, GstElement *element, gpointer data) {
        watch(element, *static_cast<std::shared_ptr<TrafficCount> *>(data));
      }),
      owner(traffic), [](gpointer data, GClosure *) { drop_owner<TrafficCount>(data); }, GConnectFlags{});
  const std::unique_ptr<GstIterator, decltype(&gst_iterator_free)> elements(
      gst_bin_iterate_recurse(GST_BIN(pipeline)), gst_iterator_free);
  gst_iterator_foreach(
      elements.get(),
      [](const GValue *value, gpointer data) {
        watch(GST_ELEMENT(g_value_get_object(value)),
              *static_cast<const std::shared_ptr<TrafficCount> *>(data));
      },
      const_cast<std::shared_ptr<TrafficCount> *>(&traffic));
}

// False for one that waits for players, which it may have or not.
bool calls(GstElement *srtsink) {
  constexpr gint kListener = 2;  // GstSRTConnectionMode, which no header has.
  gint mode = 0;
  g_object_get(srtsink, "mode", &mode, nullptr);
  return mode != kListener;
}

}  // namespace

gchar *OutputPipeline::Wiring::begin_file(GstElement *, guint, GstSample *first, gpointer data) {
  const auto path = (*static_cast<std::shared_ptr<Wiring> *>(data))->cuts->open(first);
  GST_CAT_DEBUG(output_category(), "%s: begins", path.c_str());
  return g_strdup(path.c_str());
}

void OutputPipeline::Wiring::handle(GstMessage *message) {
  if (closing) return;
  switch (GST_MESSAGE_TYPE(message)) {
    case GST_MESSAGE_ERROR: tell(Event::failed, failure_text(message)); break;
    case GST_MESSAGE_EOS:
      if (cuts) check(cuts->finish(finally));
      tell(Event::ended, "");
      break;
    case GST_MESSAGE_ELEMENT:
      if (cuts) check(cuts->handle(message));
      break;
    default: break;
  }
}

OutputPipeline::OutputPipeline(GRef<GstElement> pipeline, std::shared_ptr<Wiring> wiring)
    : pipeline_(std::move(pipeline)),
      wiring_(std::move(wiring)),
      sources_{GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline_.get()), "video")),
               GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline_.get()), "audio"))} {}

Result<std::unique_ptr<OutputPipeline>> OutputPipeline::build(const OutputSpec &spec,
                                                              const OutputSettings &settings,
                                                              const std::string &parser,
                                                              std::shared_ptr<FileWriter> writer,
                                                              Listener listener) {
  auto pipeline = make_pipeline(spec, settings, parser);
  if (!pipeline) return pipeline.error();
  const auto wiring = std::make_shared<Wiring>(spec, std::move(writer), std::move(listener));
  watch_all(pipeline->get(), std::shared_ptr<TrafficCount>(wiring, &wiring->traffic));
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline->get()));
  gst_bus_set_sync_handler(
      bus.get(),
      [](GstBus *, GstMessage *message, gpointer data) {
        (*static_cast<std::shared_ptr<Wiring> *>(data))->handle(message);
        gst_message_unref(message);
        return GST_BUS_DROP;
      },
      owner(wiring), drop_owner<Wiring>);
  if (wiring->cuts) {
    const auto mux = GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline->get()), "mux"));
    g_signal_connect_data(
        mux.get(), "format-location-full", G_CALLBACK(Wiring::begin_file), owner(wiring),
        [](gpointer data, GClosure *) { drop_owner<Wiring>(data); }, GConnectFlags{});
  }
  return std::unique_ptr<OutputPipeline>(new OutputPipeline(*std::move(pipeline), wiring));
}

OutputPipeline::~OutputPipeline() { close(); }

void OutputPipeline::start() {
  states_->add([pipeline = pipeline_, wiring = wiring_] {
    if (wiring->closing) return;
    if (gst_element_set_state(pipeline.get(), GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
      wiring->tell(Event::failed, "It cannot be started.");
  });
}

bool OutputPipeline::feed(const EncodedFrame &frame) {
  const auto index = static_cast<size_t>(frame.stream);
  auto *source = GST_APP_SRC(sources_[index].get());
  const bool full = gst_app_src_get_current_level_time(source) > longest_queue(wiring_->spec.kind);
  MutexLock lock(mutex_);
  if (closing_) return false;
  const auto times = frame.stream == Stream::video ? join_.video(frame.key_frame, frame.times, full)
                                                   : join_.audio(frame.times, full);
  // Also what cannot be taken: an output that takes nothing any more is stalled. Until its first key frame,
  // nothing can leave.
  if (join_.has_begun()) ++fed_;
  if (!times) return false;
  if (frame.stream == Stream::video && frame.key_frame && wiring_->cuts)
    wiring_->cuts->shown(times->pts, frame.times.pts, frame.shown_at);
  // The bytes are shared between the outputs, the times are not.
  GstBuffer *buffer = gst_buffer_copy(gst_sample_get_buffer(frame.sample.get()));
  GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(times->pts);
  GST_BUFFER_DTS(buffer) = times->dts < 0 ? GST_CLOCK_TIME_NONE : static_cast<GstClockTime>(times->dts);
  if (takes_raw(wiring_->spec.kind)) GST_BUFFER_PTS(buffer) = GST_BUFFER_DTS(buffer) = GST_CLOCK_TIME_NONE;
  GstCaps *caps = gst_sample_get_caps(frame.sample.get());
  if (caps_[index].get() != caps) {
    caps_[index] = GRef<GstCaps>::share(caps);
    gst_app_src_set_caps(source, caps);
  }
  return gst_app_src_push_buffer(source, buffer) == GST_FLOW_OK;
}

void OutputPipeline::end(bool finally) {
  if (finally) wiring_->finally = true;
  for (const auto &source : sources_) gst_app_src_end_of_stream(GST_APP_SRC(source.get()));
}

void OutputPipeline::close() {
  {
    MutexLock lock(mutex_);
    if (std::exchange(closing_, true)) return;
  }
  {
    MutexLock lock(wiring_->mutex);
    wiring_->closing = true;
  }
  states_->add([pipeline = pipeline_, wiring = wiring_]() mutable {
    gst_element_set_state(pipeline.get(), GST_STATE_NULL);
    pipeline = nullptr;
    MutexLock lock(wiring->mutex);
    wiring->closed = true;
    wiring->changed.notify_all();
  });
}

bool OutputPipeline::wait_closed(Clock::Time limit) {
  MutexLock lock(wiring_->mutex);
  while (!wiring_->closed)
    if (!wiring_->changed.wait_until(lock, limit)) return wiring_->closed;
  return true;
}

// Some sinks also take packets that nobody gets, and count those that left themselves.
Traffic OutputPipeline::traffic() const {
  const auto sink = GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline_.get()), "sink"));
  std::optional<guint64> sent;
  if (wiring_->spec.kind == OutputKind::udp) {
    // For a host that is not found, or that cannot be reached.
    g_object_get(sink.get(), "bytes-served", &sent.emplace(), nullptr);
  } else if (wiring_->spec.kind == OutputKind::srt && calls(sink.get())) {
    // Until the other side has answered.
    GstStructure *stats = nullptr;
    g_object_get(sink.get(), "stats", &stats, nullptr);
    gst_structure_get_uint64(stats, "bytes-sent-total", &sent.emplace());
    gst_structure_free(stats);
  }
  if (!sent) return {wiring_->traffic.packets, wiring_->traffic.bytes};
  return {*sent / kDatagram, *sent};
}

}  // namespace genclip
