// SPDX-License-Identifier: LGPL-2.1-or-later
//
// uridecodebin chooses the elements, as it does when the clip is shown. Probes count what goes into the
// decoders and what comes out of them; nothing is copied or converted but the sound. All callbacks come on
// streaming threads and report by messages on the bus.
#include "plugin/vetting/decode_pass.h"

#include <gst/video/video.h>

#include <algorithm>
#include <array>
#include <deque>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/base/background_work.h"
#include "plugin/base/disk_thread.h"
#include "plugin/base/image_size.h"
#include "plugin/base/mutex.h"
#include "plugin/vetting/access_unit.h"
#include "plugin/vetting/channel_positions.h"
#include "plugin/vetting/server_fault.h"
#include "plugin/vetting/vetting_log.h"

namespace genclip {
namespace {

using std::chrono::nanoseconds;

constexpr const char *kCancelled = "genclip-vetting-cancelled";
constexpr const char *kRefused = "genclip-vetting-refused";
constexpr const char *kReached = "genclip-vetting-reached";

// 8K video, and pictures of 37 megapixels: a decoder keeps up to 20 frames of this size.
constexpr uint64_t kMostPixels = uint64_t{8192} * 4608;
constexpr size_t kMostFrames = size_t{1} << 20;
// While clips are on the air, vetting must not take all cores.
constexpr int kThreads = 2;

// What GstAutoplugSelectResult of decodebin says, which has no public header.
enum Autoplug { kTry = 0, kSkip = 2 };

void post(GstBus *bus, const char *name) {
  gst_bus_post(bus, gst_message_new_application(nullptr, gst_structure_new_empty(name)));
}

void on_cancelled(GCancellable *, GstBus *bus) { post(bus, kCancelled); }

GRef<GstElement> make_element(const char *factory) {
  GstElement *element = gst_element_factory_make(factory, nullptr);
  return GRef<GstElement>::adopt(element ? GST_ELEMENT(gst_object_ref_sink(element)) : nullptr);
}

// When a buffer is shown, in running time: what the playout goes by as well. The stream time of MPEG files
// does not begin at 0. Nothing: it is not shown.
struct Place {
  nanoseconds begin{};
  nanoseconds length{};   // 0: unknown.
  nanoseconds own_end{};  // By the file's own clock.
};
std::optional<Place> place_of(GstPad *pad, GstBuffer *buffer) {
  const auto event = GRef<GstEvent>::adopt(gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0));
  if (!event) return std::nullopt;
  const GstSegment *segment = nullptr;
  gst_event_parse_segment(event.get(), &segment);
  // The decoder of a still gives no time.
  if (!GST_BUFFER_PTS_IS_VALID(buffer) || segment->format != GST_FORMAT_TIME) return Place{};
  const GstClockTime begin = GST_BUFFER_PTS(buffer);
  const bool has_length = GST_BUFFER_DURATION_IS_VALID(buffer);
  guint64 shown = begin, shown_end = has_length ? begin + GST_BUFFER_DURATION(buffer) : GST_CLOCK_TIME_NONE;
  if (!gst_segment_clip(segment, GST_FORMAT_TIME, begin, shown_end, &shown, &shown_end)) return std::nullopt;
  const guint64 time = gst_segment_to_running_time(segment, GST_FORMAT_TIME, shown);
  if (!GST_CLOCK_TIME_IS_VALID(time)) return std::nullopt;
  return Place{nanoseconds(time), nanoseconds(has_length ? static_cast<int64_t>(shown_end - shown) : 0),
               nanoseconds(has_length ? shown_end : shown)};
}

void set_if_there(GstElement *element, const char *property, int value) {
  const GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), property);
  if (spec && (spec->flags & G_PARAM_WRITABLE))
    gst_util_set_object_arg(G_OBJECT(element), property, std::to_string(value).c_str());
}

void watch(GstElement *element, const char *pad_name, GstPadProbeCallback see, gpointer data,
           GDestroyNotify free = nullptr) {
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(element, pad_name));
  constexpr int kTypes =
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_EVENT_FLUSH;
  if (pad)
    gst_pad_add_probe(pad.get(), static_cast<GstPadProbeType>(kTypes), see, data, free);
  else if (free)
    free(data);
}

}  // namespace

// The pipeline, and what its callbacks share with the pass.
class DecodePass::Work {
 public:
  explicit Work(const DecodeOrder &order)
      : is_strict_(order.is_strict),
        is_mono_(order.is_mono),
        access_(order.access),
        pipeline_(new_background_pipeline()),
        bus_(GRef<GstBus>::adopt(gst_element_get_bus(pipeline_.get()))) {}

  GstElement *pipeline() const { return pipeline_.get(); }
  GstBus *bus() const { return bus_.get(); }

  Result<void> build(const DecodeOrder &order) {
    const auto source = make_element("uridecodebin");
    if (!source) return missing("uridecodebin");
    if (!order.with_picture) {
      const auto caps = GRef<GstCaps>::adopt(gst_caps_from_string("audio/x-raw"));
      g_object_set(source.get(), "caps", caps.get(), "expose-all-streams", FALSE, nullptr);
    }
    g_object_set(source.get(), "uri", order.uri.c_str(), nullptr);
    g_signal_connect(source.get(), "source-setup", G_CALLBACK(on_source), this);
    g_signal_connect(source.get(), "autoplug-select", G_CALLBACK(on_choice), this);
    g_signal_connect(source.get(), "pad-added", G_CALLBACK(on_stream), this);
    g_signal_connect(pipeline_.get(), "deep-element-added", G_CALLBACK(on_element), this);
    gst_bin_add(GST_BIN(pipeline_.get()), source.get());
    return {};
  }

  // What comes behind the next flush begins there.
  void begin_at(nanoseconds from) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    from_ = from;
  }

  void stop_at(std::optional<nanoseconds> until) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    until_ = until;
  }

  DecodeRecord record() const EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    DecodeRecord record = record_;
    for (const Encoded &encoded : encoded_)
      if (encoded.is_whole && !is_interlaced_) record.encoded = std::max(record.encoded, encoded.count);
    for (const Encoded &encoded : encoded_)
      if (!record.first_damaged) record.first_damaged = encoded.first_damaged;
    return record;
  }

  std::optional<Error> refusal() const EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return refusal_;
  }

 private:
  // What goes into a parser or a decoder.
  struct Encoded {
    Work *work = nullptr;
    bool is_whole = false;  // H.264 or HEVC, and each buffer is one picture.
    std::optional<UnitFormat> units;
    size_t count = 0;
    std::optional<nanoseconds> first_damaged;
  };

  // What comes to a demuxer or decoder first.
  struct Opening {
    Work *work = nullptr;
    SizeByOpening size;
  };

  static Error missing(const std::string &element) {
    return {ErrorKind::failed, "It cannot be decoded: the element " + element + " is not installed."};
  }

  // Ends the pass with this error instead of the one that GStreamer may have.
  void refuse(Error error) EXCLUDES(mutex_) {
    {
      const MutexLock lock(mutex_);
      if (!refusal_) refusal_ = std::move(error);
    }
    post(bus_.get(), kRefused);
  }

  static void on_source(GstElement *, GstElement *source, Work *self) {
    if (auto done = set_up_media_source(source, self->access_); !done) self->refuse(std::move(done).error());
  }

  // Nothing tells how large an OpenEXR picture is before it is decoded.
  static int on_choice(GstElement *, GstPad *, GstCaps *caps, GstElementFactory *factory, Work *self) {
    const std::string_view klass = gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS);
    const bool is_other_file = klass.find("Adaptive") != klass.npos;
    const bool is_exr = gst_structure_has_name(gst_caps_get_structure(caps, 0), "image/x-exr");
    return is_exr || klass.find("Hardware") != klass.npos || (self->is_strict_ && is_other_file) ? kSkip
                                                                                                 : kTry;
  }

  static void on_element(GstBin *, GstBin *, GstElement *element, Work *self) {
    GstElementFactory *factory = gst_element_get_factory(element);
    if (!factory) return;
    const auto is = [&](GstElementFactoryListType type) {
      return gst_element_factory_list_is_type(factory, type) != FALSE;
    };
    const bool is_decoder = is(GST_ELEMENT_FACTORY_TYPE_DECODER);
    if (is(GST_ELEMENT_FACTORY_TYPE_DEMUXER)) {
      see_opening(element, self);
      const MutexLock lock(self->mutex_);
      self->record_.has_demuxer = true;
    }
    if (is_decoder) {
      for (const char *property : {"max-threads", "threads", "n-threads"})
        set_if_there(element, property, kThreads);
      if (self->is_strict_) set_if_there(element, "max-errors", 0);
    }
    const bool is_picture =
        is(GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO) || is(GST_ELEMENT_FACTORY_TYPE_MEDIA_IMAGE);
    if (!is_picture || (!is_decoder && !is(GST_ELEMENT_FACTORY_TYPE_PARSER))) return;
    Encoded *encoded = nullptr;
    {
      const MutexLock lock(self->mutex_);
      self->encoded_.push_back({.work = self});
      encoded = &self->encoded_.back();
    }
    watch(element, "sink", on_encoded, encoded);
    if (is_decoder) see_opening(element, self);
  }

  static void on_stream(GstElement *, GstPad *pad, Work *self) {
    const auto caps = GRef<GstCaps>::adopt(gst_pad_get_current_caps(pad));
    if (!caps) return;
    const std::string_view type = gst_structure_get_name(gst_caps_get_structure(caps.get(), 0));
    if (type == "video/x-raw") self->link_picture(pad);
    if (type == "audio/x-raw") self->link_sound(pad);
  }

  // The first one of each kind, as it is shown.
  bool is_first(bool DecodeRecord::*kind) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    return !std::exchange(record_.*kind, true);
  }

  void link_picture(GstPad *pad) {
    if (is_first(&DecodeRecord::has_picture)) link(pad, {"fakesink"}, on_frame);
  }

  void link_sound(GstPad *pad) {
    if (is_first(&DecodeRecord::has_sound))
      link(pad, {"audioconvert", "audioresample", "capsfilter", "fakesink"}, on_sound);
  }

  void link(GstPad *pad, std::initializer_list<const char *> factories, GstPadProbeCallback see) {
    const bool is_sound = factories.size() > 2;
    std::vector<GRef<GstElement>> chain;
    for (const char *factory : factories) {
      chain.push_back(make_element(factory));
      if (!chain.back()) return refuse(missing(factory));
      gst_bin_add(GST_BIN(pipeline_.get()), chain.back().get());
      if (chain.size() > 1) gst_element_link(chain[chain.size() - 2].get(), chain.back().get());
    }
    if (is_sound) {
      const auto caps = GRef<GstCaps>::adopt(gst_caps_new_simple(
          "audio/x-raw", "format", G_TYPE_STRING, G_BYTE_ORDER == G_LITTLE_ENDIAN ? "F32LE" : "F32BE",
          "layout", G_TYPE_STRING, "interleaved", "rate", G_TYPE_INT, int{LoudnessMeter::kRate}, "channels",
          G_TYPE_INT, is_mono_ ? 1 : int{LoudnessMeter::kChannels}, nullptr));
      g_object_set(chain[chain.size() - 2].get(), "caps", caps.get(), nullptr);
    }
    g_object_set(chain.back().get(), "sync", FALSE, "qos", FALSE, "enable-last-sample", FALSE, nullptr);
    watch(chain.back().get(), "sink", see, this);
    const auto entry = GRef<GstPad>::adopt(gst_element_get_static_pad(chain.front().get(), "sink"));
    if (is_sound) give_channel_positions(entry.get());
    for (const auto &element : chain) gst_element_sync_state_with_parent(element.get());
    if (gst_pad_link(pad, entry.get()) != GST_PAD_LINK_OK)
      refuse({ErrorKind::failed, "It cannot be decoded: its streams cannot be linked."});
  }

  // False: they are larger than a decoder may take memory for, and refused.
  bool accept_frames_of(int64_t width, int64_t height) EXCLUDES(mutex_) {
    const bool is_negative = width < 0 || height < 0;
    if (!is_negative && static_cast<uint64_t>(width) * static_cast<uint64_t>(height) <= kMostPixels)
      return true;
    refuse({ErrorKind::settings, "Its frames of " + std::to_string(width) + "×" + std::to_string(height) +
                                     " pixels are larger than " + std::to_string(kMostPixels / 1'000'000) +
                                     " megapixels."});
    return false;
  }

  void check_size(GstCaps *caps) EXCLUDES(mutex_) {
    const GstStructure *structure = gst_caps_get_structure(caps, 0);
    int width = 0, height = 0;
    gst_structure_get_int(structure, "width", &width);
    gst_structure_get_int(structure, "height", &height);
    accept_frames_of(width, height);
  }

  // The caps of some pictures have no size, and the decoder, or a demuxer that decodes to find one, takes
  // memory for all of it. So neither gets the first bytes before they are looked at here.
  static void see_opening(GstElement *element, Work *self) {
    watch(element, "sink", on_opening, new Opening{.work = self, .size = {}},
          [](gpointer data) { delete static_cast<Opening *>(data); });
  }

  static GstPadProbeReturn on_opening(GstPad *, GstPadProbeInfo *info, gpointer data) {
    auto &opening = *static_cast<Opening *>(data);
    Work *self = opening.work;
    if (!(info->type & GST_PAD_PROBE_TYPE_BUFFER)) return GST_PAD_PROBE_OK;
    if (self->refusal()) return GST_PAD_PROBE_DROP;
    GstMapInfo map;
    if (!gst_buffer_map(GST_PAD_PROBE_INFO_BUFFER(info), &map, GST_MAP_READ)) return GST_PAD_PROBE_REMOVE;
    const auto size = opening.size.take({reinterpret_cast<const char *>(map.data), map.size});
    gst_buffer_unmap(GST_PAD_PROBE_INFO_BUFFER(info), &map);
    if (size && !self->accept_frames_of(size->width, size->height)) return GST_PAD_PROBE_DROP;
    return !size && opening.size.may_come() ? GST_PAD_PROBE_OK : GST_PAD_PROBE_REMOVE;
  }

  static GstPadProbeReturn on_encoded(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    auto &encoded = *static_cast<Encoded *>(data);
    Work *self = encoded.work;
    if (!(info->type & GST_PAD_PROBE_TYPE_BUFFER)) {
      self->see_event(encoded, GST_PAD_PROBE_INFO_EVENT(info));
      return GST_PAD_PROBE_OK;
    }
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    if (self->refusal()) {
      gst_buffer_unref(buffer);
      GST_PAD_PROBE_INFO_FLOW_RETURN(info) = GST_FLOW_ERROR;
      return GST_PAD_PROBE_HANDLED;
    }
    auto place = place_of(pad, buffer);
    const bool is_shown = place && !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DECODE_ONLY);
    const MutexLock lock(self->mutex_);
    if (place) place->begin += self->from_;
    if (is_shown && (!self->until_ || place->begin < *self->until_)) ++encoded.count;
    if (!self->is_strict_ || !encoded.units || encoded.first_damaged) return GST_PAD_PROBE_OK;
    GstMapInfo map;
    if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) return GST_PAD_PROBE_OK;
    if (is_damaged(*encoded.units, std::span(map.data, map.size)))
      encoded.first_damaged = place ? place->begin : nanoseconds::zero();
    gst_buffer_unmap(buffer, &map);
    return GST_PAD_PROBE_OK;
  }

  void see_event(Encoded &encoded, GstEvent *event) EXCLUDES(mutex_) {
    if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) {
      const MutexLock lock(mutex_);
      encoded.count = 0;
      encoded.first_damaged.reset();
    }
    if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return;
    GstCaps *caps = nullptr;
    gst_event_parse_caps(event, &caps);
    check_size(caps);
    const GstStructure *structure = gst_caps_get_structure(caps, 0);
    const std::string_view type = gst_structure_get_name(structure);
    const char *alignment = gst_structure_get_string(structure, "alignment");
    const MutexLock lock(mutex_);
    encoded.is_whole = (type == "video/x-h264" || type == "video/x-h265") && alignment &&
                       std::string_view(alignment) == "au";
    encoded.units = unit_format(caps);
  }

  static GstPadProbeReturn on_frame(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    auto *self = static_cast<Work *>(data);
    if (!(info->type & GST_PAD_PROBE_TYPE_BUFFER)) {
      self->see_frame_event(GST_PAD_PROBE_INFO_EVENT(info));
      return GST_PAD_PROBE_OK;
    }
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    auto place = place_of(pad, buffer);
    if (!place) return GST_PAD_PROBE_OK;
    const MutexLock lock(self->mutex_);
    DecodeRecord &record = self->record_;
    place->begin += self->from_;
    if (self->until_ && place->begin >= *self->until_) {
      if (!std::exchange(self->has_reached_, true)) post(self->bus_.get(), kReached);
      return GST_PAD_PROBE_OK;
    }
    if (record.frames.size() == kMostFrames) return GST_PAD_PROBE_OK;
    record.frames.push_back({place->begin, place->length});
    record.own_end = std::max(record.own_end, place->own_end);
    if (GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_CORRUPTED)) {
      ++record.damaged;
      if (!record.first_damaged) record.first_damaged = place->begin;
    }
    return GST_PAD_PROBE_OK;
  }

  void see_frame_event(GstEvent *event) EXCLUDES(mutex_) {
    GstCaps *caps = nullptr;
    if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) gst_event_parse_caps(event, &caps);
    // A drawing has no size before, and frames may be larger than their container says.
    if (caps) check_size(caps);
    const MutexLock lock(mutex_);
    if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) {
      record_.frames.clear();
      record_.own_end = {};
      record_.damaged = 0;
      record_.first_damaged.reset();
    } else if (caps) {
      GstVideoInfo format;
      is_interlaced_ = !gst_video_info_from_caps(&format, caps) || GST_VIDEO_INFO_IS_INTERLACED(&format);
    }
  }

  static GstPadProbeReturn on_sound(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    auto *self = static_cast<Work *>(data);
    if (!(info->type & GST_PAD_PROBE_TYPE_BUFFER)) {
      if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_FLUSH_STOP) {
        const MutexLock lock(self->mutex_);
        self->record_.loudness = {};
        self->record_.sound_begin.reset();
        self->record_.sound_end.reset();
      }
      return GST_PAD_PROBE_OK;
    }
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    auto place = place_of(pad, buffer);
    GstMapInfo map;
    if (!place || !gst_buffer_map(buffer, &map, GST_MAP_READ)) return GST_PAD_PROBE_OK;
    const MutexLock lock(self->mutex_);
    place->begin += self->from_;
    DecodeRecord &record = self->record_;
    if (!record.sound_begin) record.sound_begin = place->begin;
    record.sound_end = place->begin + place->length;
    record.own_end = std::max(record.own_end, place->own_end);
    self->measure(std::span(reinterpret_cast<const float *>(map.data), map.size / sizeof(float)));
    gst_buffer_unmap(buffer, &map);
    return GST_PAD_PROBE_OK;
  }

  // One channel is as loud as two of which the other is silent.
  void measure(std::span<const float> samples) REQUIRES(mutex_) {
    if (!is_mono_) return record_.loudness.add(samples);
    std::vector<float> pairs(samples.size() * LoudnessMeter::kChannels);
    for (size_t i = 0; i < samples.size(); ++i) pairs[i * LoudnessMeter::kChannels] = samples[i];
    record_.loudness.add(pairs);
  }

  const bool is_strict_;
  const bool is_mono_;
  const MediaAccess access_;
  const GRef<GstElement> pipeline_;
  const GRef<GstBus> bus_;
  mutable Mutex mutex_;
  DecodeRecord record_ GUARDED_BY(mutex_);
  std::deque<Encoded> encoded_ GUARDED_BY(mutex_);  // Stay where they are.
  bool is_interlaced_ GUARDED_BY(mutex_) = false;
  nanoseconds from_ GUARDED_BY(mutex_) = {};
  std::optional<nanoseconds> until_ GUARDED_BY(mutex_);
  bool has_reached_ GUARDED_BY(mutex_) = false;
  std::optional<Error> refusal_ GUARDED_BY(mutex_);
};

DecodePass::DecodePass(const DecodeOrder &order) : order_(order), work_(std::make_shared<Work>(order)) {
  if (order.cancellable)
    cancellation_ = g_cancellable_connect(order.cancellable, G_CALLBACK(on_cancelled), work_->bus(), nullptr);
}

DecodePass::~DecodePass() {
  if (cancellation_ != 0) g_cancellable_disconnect(order_.cancellable, cancellation_);
  const auto stop = [work = std::move(work_)] { gst_element_set_state(work->pipeline(), GST_STATE_NULL); };
  // At the end of the stream, nothing hangs.
  if (has_ended_)
    stop();
  else
    on_disk_thread(stop);
}

Result<void> DecodePass::open() {
  if (auto built = work_->build(order_); !built) return built;
  if (gst_element_set_state(work_->pipeline(), GST_STATE_PAUSED) == GST_STATE_CHANGE_NO_PREROLL)
    return Error{ErrorKind::settings, "It is a live source, which has no end."};
  return wait_for(GST_MESSAGE_ASYNC_DONE);
}

std::optional<nanoseconds> DecodePass::duration() const {
  gint64 duration = 0;
  if (!gst_element_query_duration(work_->pipeline(), GST_FORMAT_TIME, &duration) || duration <= 0)
    return std::nullopt;
  return nanoseconds(duration);
}

bool DecodePass::seek(nanoseconds from, nanoseconds to) {
  has_ended_ = false;
  work_->begin_at(from);
  constexpr auto kFlags = static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE);
  const bool can_seek = gst_element_seek(work_->pipeline(), 1, GST_FORMAT_TIME, kFlags, GST_SEEK_TYPE_SET,
                                         from.count(), GST_SEEK_TYPE_SET, to.count());
  if (!can_seek) work_->begin_at(nanoseconds::zero());
  return can_seek;
}

Result<void> DecodePass::run(std::optional<nanoseconds> until) {
  work_->stop_at(until);
  gst_element_set_state(work_->pipeline(), GST_STATE_PLAYING);
  return wait_for(GST_MESSAGE_EOS);
}

DecodeRecord DecodePass::record() const { return work_->record(); }

// An address may be signed, and so secret.
Error DecodePass::failure(GstMessage *message) const {
  if (std::string fault = server_fault(message); !fault.empty()) return {ErrorKind::read, std::move(fault)};
  GErrorPtr error;
  char *text = nullptr;
  gst_message_parse_error(message, take(error), &text);
  const GStringPtr debug(text);
  std::string why = error->message;
  if (why.ends_with('.')) why.pop_back();
  if (why.find("://") != why.npos) why = "its address is not valid";
  const bool is_file = order_.uri.starts_with("file:");
  return {ErrorKind::wrong_type, "It cannot be decoded; it may be damaged (" + why + ").",
          is_file && debug ? debug.get() : ""};
}

Result<void> DecodePass::wait_for(GstMessageType wanted) {
  constexpr int kAlways = GST_MESSAGE_ERROR | GST_MESSAGE_APPLICATION;
  for (;;) {
    const gint64 left = std::max<gint64>(0, order_.deadline - g_get_monotonic_time());
    const auto message = GRef<GstMessage>::adopt(
        gst_bus_timed_pop_filtered(work_->bus(), static_cast<GstClockTime>(left) * GST_USECOND,
                                   static_cast<GstMessageType>(kAlways | wanted)));
    if (!message) return Error{ErrorKind::timed_out, "It could not be decoded in time."};
    if (GST_MESSAGE_TYPE(message.get()) == wanted) {
      has_ended_ = wanted == GST_MESSAGE_EOS;
      return {};
    }
    if (gst_message_has_name(message.get(), kReached)) return {};
    if (gst_message_has_name(message.get(), kCancelled)) return cancelled();
    if (auto refusal = work_->refusal()) return std::move(*refusal);
    if (GST_MESSAGE_TYPE(message.get()) != GST_MESSAGE_ERROR) continue;
    return failure(message.get());
  }
}

}  // namespace genclip
