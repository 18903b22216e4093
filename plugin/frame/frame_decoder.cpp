// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One pipeline without any choice of GStreamer's: filesrc, the demuxer of the container, the parser and the
// decoder of the first video stream. Other streams stay unlinked, so that long sound costs nothing. The first
// and the last frame are found by decoding in order, as a player does. In a long file, decoding begins some
// seconds before the wanted frame. If that proves nothing, the whole file is decoded: for example a gap
// between frames is longer, or the sound continues long after the picture. The pipeline runs in the time of
// the media (timeline.h). The index of an MP4 tells when the wanted frame begins, so a lost frame is noticed.
#include "plugin/frame/frame_decoder.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "plugin/base/background_work.h"
#include "plugin/base/gref.h"
#include "plugin/base/mutex.h"
#include "plugin/frame/frame_keeper.h"
#include "plugin/frame/frame_log.h"
#include "plugin/frame/replaced_bytes.h"
#include "plugin/frame/timeline.h"

namespace genclip {
namespace {

// Decoding this much takes about as long as a seek is worth.
constexpr GstClockTime kDecodedWhole = 10 * GST_SECOND;
// Where decoding begins before the wanted frame. Seeking is exact: from the keyframe before.
constexpr GstClockTime kRunUp = 4 * GST_SECOND;

struct Codec {
  const char *media_type;
  const char *name;
  const char *parser;
  std::array<const char *, 2> decoders;  // The first one that is installed. Software only.
};

// Each has a parser, which tells the size of a frame before the decoder needs memory for it.
constexpr Codec kCodecs[] = {
    {"video/x-h264", "H.264", "h264parse", {"avdec_h264", nullptr}},
    {"video/x-h265", "HEVC", "h265parse", {"avdec_h265", nullptr}},
    {"video/x-vp9", "VP9", "vp9parse", {"vp9dec", "avdec_vp9"}},
    {"video/x-av1", "AV1", "av1parse", {"av1dec", "dav1ddec"}},
    {"image/jpeg", "JPEG", "jpegparse", {"jpegdec", nullptr}},
    {"image/png", "PNG", "pngparse", {"pngdec", nullptr}},
};

Error not_decoded(const std::string &why) {
  return {ErrorKind::wrong_type, "cannot be decoded; it may be damaged or truncated (" + why + ")."};
}

std::string seconds_text(GstClockTime time) {
  std::array<char, G_ASCII_DTOSTR_BUF_SIZE> text;
  g_ascii_formatd(text.data(), static_cast<int>(text.size()), "%.3f", static_cast<double>(time) / GST_SECOND);
  return std::string(text.data()) + " s";
}

GRef<GstElement> make_element(const char *factory) {
  GstElement *element = gst_element_factory_make(factory, nullptr);
  return GRef<GstElement>::adopt(element ? GST_ELEMENT(gst_object_ref_sink(element)) : nullptr);
}

struct Order {
  const MediaFile &file;
  WantedFrame wanted;
  std::optional<GstClockTime> begin;  // Of the wanted frame in the media, if the file tells it.
  const FrameLimits &limits;
  gint64 deadline;  // By g_get_monotonic_time().
  GCancellable *cancellable;
};

// One run of the pipeline. Its callbacks come on the streaming thread, and report by messages on the bus.
class Decoding {
 public:
  explicit Decoding(const Order &order)
      : order_(order),
        keeper_(order.wanted),
        pipeline_(new_background_pipeline()),
        bus_(GRef<GstBus>::adopt(gst_element_get_bus(pipeline_.get()))) {
    if (order.cancellable)
      cancellation_ = g_cancellable_connect(order.cancellable, G_CALLBACK(on_cancelled), bus_.get(), nullptr);
  }

  ~Decoding() {
    if (cancellation_ != 0) g_cancellable_disconnect(order_.cancellable, cancellation_);
    gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
  }

  Decoding(const Decoding &) = delete;
  Decoding &operator=(const Decoding &) = delete;

  // Decodes the first frame.
  Result<void> begin() {
    if (auto built = build(); !built) return built;
    gst_element_set_state(pipeline_.get(), GST_STATE_PAUSED);
    return wait_for(GST_MESSAGE_ASYNC_DONE);
  }

  // 0 when the container does not say.
  GstClockTime duration() const {
    gint64 duration = 0;
    if (!gst_element_query_duration(pipeline_.get(), GST_FORMAT_TIME, &duration) || duration <= 0) return 0;
    return static_cast<GstClockTime>(duration);
  }

  // Continues with the frames that are displayed from then on, each with its own time except that the one
  // which is already displayed gets `from`.
  bool seek(GstClockTime from) {
    return gst_element_seek_simple(pipeline_.get(), GST_FORMAT_TIME,
                                   static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE),
                                   static_cast<gint64>(from));
  }

  // Whether a frame came that begins after the wanted one.
  bool is_certain() const { return keeper_.is_certain(); }

  // Decodes until the frame is certain, at the latest to the end. Nothing when there was no frame.
  Result<std::optional<RawFrame>> finish() {
    gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
    if (!keeper_.is_certain())
      if (auto ended = wait_for(GST_MESSAGE_EOS); !ended) return std::move(ended).error();
    return keeper_.kept();
  }

 private:
  static constexpr const char *kCertain = "genclip-frame-certain";
  static constexpr const char *kCancelled = "genclip-frame-cancelled";
  static constexpr const char *kRefused = "genclip-frame-refused";

  static void post(GstBus *bus, const char *name) {
    gst_bus_post(bus, gst_message_new_application(nullptr, gst_structure_new_empty(name)));
  }

  static void on_cancelled(GCancellable *, GstBus *bus) { post(bus, kCancelled); }

  // Ends the run with this error instead of the one that GStreamer may have.
  void refuse(Error error) {
    {
      const MutexLock lock(mutex_);
      if (!refusal_) refusal_ = std::move(error);
    }
    post(bus_.get(), kRefused);
  }

  Result<void> build() {
    const auto source = make_element("filesrc");
    sink_ = make_element("fakesink");
    if (!source || !sink_) return missing("GStreamer's core elements");
    g_object_set(source.get(), "location", order_.file.location().c_str(), nullptr);
    g_object_set(sink_.get(), "sync", FALSE, "enable-last-sample", FALSE, nullptr);
    add(source);
    add(sink_);
    watch(sink_, on_frame, GST_PAD_PROBE_TYPE_EVENT_FLUSH);
    const ContainerType &type = order_.file.type();
    if (!type.demuxer) return link_codec(type.media_type, source, "src");
    if (order_.file.movie()) replace_bytes(source.get(), order_.file.movie()->replacements);
    const auto demuxer = make_element(type.demuxer);
    if (!demuxer) return missing(std::string("the element ") + type.demuxer);
    g_signal_connect(demuxer.get(), "pad-added", G_CALLBACK(on_stream), this);
    g_signal_connect(demuxer.get(), "no-more-pads", G_CALLBACK(on_all_streams), this);
    add(demuxer);
    gst_element_link(source.get(), demuxer.get());
    return {};
  }

  static Error missing(const std::string &what) {
    return {ErrorKind::failed, "cannot be decoded: " + what +
                                   " is not installed (Debian: gstreamer1.0-plugins-good, "
                                   "gstreamer1.0-plugins-bad and gstreamer1.0-libav)."};
  }

  void add(const GRef<GstElement> &element) { gst_bin_add(GST_BIN(pipeline_.get()), element.get()); }

  void watch(const GRef<GstElement> &element, GstPadProbeCallback see, int more_types = 0) {
    const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(element.get(), "sink"));
    constexpr int kTypes = GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM;
    gst_pad_add_probe(pad.get(), static_cast<GstPadProbeType>(kTypes | more_types), see, this, nullptr);
  }

  // From a pad with encoded pictures to the sink.
  Result<void> link_codec(std::string_view media_type, const GRef<GstElement> &from, const char *pad) {
    const auto *codec = std::find_if(std::begin(kCodecs), std::end(kCodecs),
                                     [&](const Codec &one) { return media_type == one.media_type; });
    if (codec == std::end(kCodecs))
      return Error{ErrorKind::failed, "has pictures of a kind that genclip does not decode (" +
                                          std::string(media_type) +
                                          "); it decodes H.264, HEVC, VP9, AV1 and JPEG."};
    const auto parser = make_element(codec->parser);
    GRef<GstElement> decoder;
    for (const char *factory : codec->decoders)
      if (factory && !decoder) decoder = make_element(factory);
    if (!parser || !decoder) return missing(std::string("a decoder for ") + codec->name);
    // The fast transformations of jpegdec are not exact.
    if (g_object_class_find_property(G_OBJECT_GET_CLASS(decoder.get()), "idct-method"))
      gst_util_set_object_arg(G_OBJECT(decoder.get()), "idct-method", "islow");
    add(parser);
    add(decoder);
    watch(decoder, on_encoded);
    if (!gst_element_link(decoder.get(), sink_.get()) || !gst_element_link(parser.get(), decoder.get()) ||
        !gst_element_link_pads(from.get(), pad, parser.get(), "sink"))
      return not_decoded("its streams cannot be linked");
    for (const auto &element : {decoder, parser}) gst_element_sync_state_with_parent(element.get());
    return {};
  }

  static void on_stream(GstElement *demuxer, GstPad *pad, Decoding *self) {
    const auto caps = GRef<GstCaps>::adopt(gst_pad_get_current_caps(pad));
    if (!caps || self->has_video_) return;
    const std::string_view type = gst_structure_get_name(gst_caps_get_structure(caps.get(), 0));
    if (!type.starts_with("video/") && !type.starts_with("image/")) return;
    self->has_video_ = true;
    const GStringPtr name(gst_pad_get_name(pad));
    if (auto linked = self->link_codec(type, GRef<GstElement>::share(demuxer), name.get()); !linked)
      self->refuse(std::move(linked).error());
  }

  static void on_all_streams(GstElement *, Decoding *self) {
    if (!self->has_video_) self->refuse({ErrorKind::wrong_type, "has no video stream that can be played."});
  }

  // Before the decoder.
  static GstPadProbeReturn on_encoded(GstPad *, GstPadProbeInfo *info, gpointer data) {
    auto *self = static_cast<Decoding *>(data);
    if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
      if (!self->is_too_large_) return GST_PAD_PROBE_OK;
      gst_buffer_unref(GST_PAD_PROBE_INFO_BUFFER(info));
      GST_PAD_PROBE_INFO_FLOW_RETURN(info) = GST_FLOW_ERROR;
      return GST_PAD_PROBE_HANDLED;
    }
    GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
    if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) {
      GstCaps *caps = nullptr;
      gst_event_parse_caps(event, &caps);
      self->check_size(gst_caps_get_structure(caps, 0));
    } else if (GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT && self->order_.file.movie()) {
      GST_PAD_PROBE_INFO_DATA(info) = without_end(event);
      gst_event_unref(event);
    }
    return GST_PAD_PROBE_OK;
  }

  static GstEvent *without_end(GstEvent *event) {
    GstSegment segment;
    gst_event_copy_segment(event, &segment);
    segment.stop = GST_CLOCK_TIME_NONE;
    GstEvent *open = gst_event_new_segment(&segment);
    gst_event_set_seqnum(open, gst_event_get_seqnum(event));
    return open;
  }

  void check_size(const GstStructure *type) {
    int width = 0;
    int height = 0;
    gst_structure_get_int(type, "width", &width);
    gst_structure_get_int(type, "height", &height);
    const bool is_negative = width < 0 || height < 0;
    if (!is_negative &&
        static_cast<uint64_t>(width) * static_cast<uint64_t>(height) <= order_.limits.max_pixels)
      return;
    is_too_large_ = true;
    refuse({ErrorKind::settings, "has frames of " + std::to_string(width) + "×" + std::to_string(height) +
                                     " pixels, and the limit is " +
                                     std::to_string(order_.limits.max_pixels / 1'000'000) + " megapixels."});
  }

  // Behind the decoder.
  static GstPadProbeReturn on_frame(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    auto *self = static_cast<Decoding *>(data);
    if (!(info->type & GST_PAD_PROBE_TYPE_BUFFER))
      self->keeper_.see(GST_PAD_PROBE_INFO_EVENT(info));
    else if (self->keeper_.see(pad, GST_PAD_PROBE_INFO_BUFFER(info)))
      post(self->bus_.get(), kCertain);
    return GST_PAD_PROBE_OK;
  }

  // Until a message of that type, or until the frame is certain.
  Result<void> wait_for(GstMessageType wanted) {
    constexpr int kAlways = GST_MESSAGE_ERROR | GST_MESSAGE_APPLICATION;
    for (;;) {
      const gint64 left = std::max<gint64>(0, order_.deadline - g_get_monotonic_time());
      const auto message = GRef<GstMessage>::adopt(
          left == 0 ? nullptr
                    : gst_bus_timed_pop_filtered(bus_.get(), static_cast<GstClockTime>(left) * GST_USECOND,
                                                 static_cast<GstMessageType>(kAlways | wanted)));
      if (!message)
        return Error{ErrorKind::timed_out, "could not be decoded in " +
                                               std::to_string(order_.limits.time.count() / 1000) +
                                               " s; it may be damaged or too long."};
      if (GST_MESSAGE_TYPE(message.get()) == wanted || gst_message_has_name(message.get(), kCertain))
        return {};
      if (gst_message_has_name(message.get(), kCancelled)) return cancelled();
      return failure(message.get());
    }
  }

  // What ended the run: an own reason, or else GStreamer's.
  Error failure(GstMessage *message) {
    {
      const MutexLock lock(mutex_);
      if (refusal_) return *refusal_;
    }
    GErrorPtr error;
    GStringPtr debug;
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
      char *text = nullptr;
      gst_message_parse_error(message, take(error), &text);
      debug.reset(text);
    }
    if (!has_video_ && order_.file.type().demuxer)
      return {ErrorKind::wrong_type, "has no video stream that can be read; it may be damaged or truncated.",
              debug ? debug.get() : ""};
    Error failed = not_decoded(error ? error->message : "unknown reason");
    if (debug) failed.debug = debug.get();
    return failed;
  }

  const Order &order_;
  FrameKeeper keeper_;
  const GRef<GstElement> pipeline_;
  const GRef<GstBus> bus_;
  GRef<GstElement> sink_;
  gulong cancellation_ = 0;
  std::atomic<bool> has_video_ = false;
  std::atomic<bool> is_too_large_ = false;
  Mutex mutex_;
  std::optional<Error> refusal_ GUARDED_BY(mutex_);
};

bool is_damaged(const RawFrame &frame) {
  return GST_BUFFER_FLAG_IS_SET(frame.buffer.get(), GST_BUFFER_FLAG_CORRUPTED);
}

GstClockTime duration_of(const RawFrame &frame) {
  const GstClockTime duration = GST_BUFFER_DURATION(frame.buffer.get());
  return GST_CLOCK_TIME_IS_VALID(duration) ? duration : 0;
}

Error not_displayed() { return {ErrorKind::wrong_type, "has no frame that is displayed."}; }

// With the time of its display.
RawFrame shown_frame(RawFrame frame, const WantedFrame &wanted) {
  frame.time = wanted.shown(frame.time);
  return frame;
}

// Decodes what is around the wanted frame, which begins at about `target`. Nothing when that does not prove
// which frame it is.
Result<std::optional<RawFrame>> decode_near(Decoding &decoding, const Order &order, GstClockTime target) {
  const GstClockTime from = target - kRunUp;
  if (!decoding.seek(from)) return std::optional<RawFrame>();
  auto found = decoding.finish();
  if (!found || !*found) return found;
  const GstClockTime begin = (*found)->time;
  // A frame that begins at `from` may have begun before. A later one follows those that the seek left out.
  const bool is_between = begin > from && begin <= target + kTimeTolerance;
  const bool has_reached =
      order.begin ? begin + kTimeTolerance >= *order.begin
                  : decoding.is_certain() || begin + duration_of(**found) + kTimeTolerance >= target;
  if (!is_between || !has_reached || is_damaged(**found)) found->reset();
  return found;
}

bool is_final(const Error &error) {
  return error.kind == ErrorKind::cancelled || error.kind == ErrorKind::timed_out;
}

}  // namespace

Result<RawFrame> decode_frame(const MediaFile &file, FramePosition position, const FrameLimits &limits,
                              GCancellable *cancellable) {
  const auto &movie = file.movie();
  const GstClockTime time = position.time
                                ? static_cast<GstClockTime>(std::max<int64_t>(0, position.time->count()))
                                : GST_CLOCK_TIME_NONE;
  const auto wanted = wanted_frame(movie ? movie->edits : std::vector<Edit>(), time);
  if (!wanted) return not_displayed();
  const gint64 deadline = g_get_monotonic_time() + std::chrono::microseconds(limits.time).count();
  const Order order{file,   *wanted,  movie ? movie->begin_of(*wanted) : std::nullopt,
                    limits, deadline, cancellable};

  auto decoding = std::make_unique<Decoding>(order);
  if (auto begun = decoding->begin(); !begun) return std::move(begun).error();
  const GstClockTime duration = (movie ? movie->duration : std::nullopt).value_or(decoding->duration());
  // The last frame is wanted at the end of time.
  const GstClockTime target = movie ? order.begin.value_or(0) : std::min(wanted->media, duration);
  if (target > kDecodedWhole) {
    auto near = decode_near(*decoding, order, target);
    if (near && *near) return shown_frame(std::move(**near), *wanted);
    if (!near && is_final(near.error())) return std::move(near).error();
    GST_CAT_DEBUG(frame_category(),
                  "The frame is not certain from %" G_GUINT64_FORMAT " on: %s. Decoding it all.",
                  target - kRunUp, near ? "no such frame" : near.error().text.c_str());
    decoding = std::make_unique<Decoding>(order);
    if (auto begun = decoding->begin(); !begun) return std::move(begun).error();
  }
  auto found = decoding->finish();
  if (!found) return std::move(found).error();
  if (!*found) return not_displayed();
  if (is_damaged(**found)) return not_decoded("this frame is damaged");
  if (order.begin && (*found)->time + kTimeTolerance < *order.begin)
    return not_decoded("the frame at " + seconds_text(wanted->shown(*order.begin)) + " is missing");
  const GstClockTime end = std::max(
      duration, std::min(wanted->edit.shown_end, wanted->shown((*found)->time) + duration_of(**found)));
  const bool has_successor = decoding->is_certain() && !GST_CLOCK_TIME_IS_VALID(wanted->media_end);
  const auto spare = kTimeTolerance + static_cast<GstClockTime>(position.spare.count());
  if (position.time && !has_successor && time > end + spare)
    return Error{ErrorKind::settings, "is only " + seconds_text(end) + " long."};
  return shown_frame(std::move(**found), *wanted);
}

}  // namespace genclip
