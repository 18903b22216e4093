// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/encoders.h"

#include <gst/app/gstappsink.h>
#include <gst/video/video.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string_view>
#include <utility>

#include "plugin/output/caption_burner.h"
#include "plugin/output/encoder_pace.h"
#include "plugin/output/run_start.h"

namespace genclip {
namespace {

struct Encoder {
  const char *element;
  const char *launch;  // With %RATE% for the rate.
  unsigned rate_unit;  // In bits per second.
};

// The first that is installed. Their own key frames are off: each would begin a group of pictures that no
// segment needs.
constexpr Encoder kVideoEncoders[] = {
    {"x264enc",
     "x264enc tune=zerolatency speed-preset=veryfast key-int-max=100000 option-string=scenecut=0 "
     "bitrate=%RATE%",
     1000},
    {"openh264enc", "openh264enc complexity=low gop-size=100000 scene-change-detection=false bitrate=%RATE%",
     1},
};
constexpr Encoder kAudioEncoders[] = {
    {"fdkaacenc", "fdkaacenc bitrate=%RATE%", 1},
    {"avenc_aac", "avenc_aac bitrate=%RATE%", 1},
    {"voaacenc", "voaacenc bitrate=%RATE%", 1},
};

struct Format {
  const char *caps;
  const char *parser;
  const char *launch;  // The parser, and the form in which all outputs take it.
};

constexpr Format kVideoFormats[] = {
    {"video/x-h264", "h264parse",
     "h264parse name=video_parser config-interval=-1 ! video/x-h264,stream-format=byte-stream,alignment=au"},
    {"video/x-h265", "h265parse",
     "h265parse name=video_parser config-interval=-1 ! video/x-h265,stream-format=byte-stream,alignment=au"},
};
constexpr Format kAudioFormats[] = {
    {"audio/mpeg,mpegversion=4", "aacparse", "aacparse ! audio/mpeg,mpegversion=4,stream-format=raw"},
};

struct EncoderChoice {
  std::string launch;
  const Format *format = nullptr;
};

Error unusable(const char *option, const std::string &why) {
  return {ErrorKind::settings, std::string("--") + option + " " + why};
}

GRef<GstElement> bin_of(const std::string &launch, std::string &problem) {
  GErrorPtr error;
  GstElement *made = gst_parse_bin_from_description_full(launch.c_str(), TRUE, nullptr,
                                                         GST_PARSE_FLAG_FATAL_ERRORS, take(error));
  if (made) return GRef<GstElement>::adopt(GST_ELEMENT(g_object_ref_sink(made)));
  problem = error ? error->message : launch;
  return {};
}

GRef<GstPad> end_of(const GRef<GstElement> &bin, const char *name) {
  return GRef<GstPad>::adopt(gst_element_get_static_pad(bin.get(), name));
}

// What comes out of a piece of launch line.
Result<const Format *> format_of(const std::string &piece, std::span<const Format> formats,
                                 const char *option, const char *wanted) {
  // As in the pipeline, it is between elements, which caps at its ends need.
  std::string problem, ignored;
  const auto bin = bin_of("identity ! " + piece + " ! identity", problem);
  if (!bin) {
    const auto alone = bin_of(piece, ignored);
    const bool has_ends = !alone || (end_of(alone, "src") && end_of(alone, "sink"));
    return unusable(option,
                    has_ends ? "cannot be used: " + problem : "needs elements with an input and an output.");
  }
  const auto source = end_of(bin, "src");
  const auto made =
      GRef<GstCaps>::adopt(source ? gst_pad_query_caps(source.get(), nullptr) : gst_caps_new_any());
  for (const Format &format : formats) {
    const auto caps = GRef<GstCaps>::adopt(gst_caps_from_string(format.caps));
    if (!gst_caps_is_any(made.get()) && gst_caps_can_intersect(made.get(), caps.get())) return &format;
  }
  return unusable(option, std::string("must make ") + wanted + ".");
}

Result<EncoderChoice> choose(const std::string &given, std::span<const Encoder> known, unsigned kbps,
                             std::span<const Format> formats, const char *option, const char *wanted) {
  EncoderChoice choice{given};
  if (given.empty()) {
    const auto encoder = std::ranges::find_if(known, [](const Encoder &row) {
      return static_cast<bool>(GRef<GstElementFactory>::adopt(gst_element_factory_find(row.element)));
    });
    if (encoder == known.end()) {
      std::string names;
      for (const Encoder &row : known) names += std::string(names.empty() ? "" : ", ") + row.element;
      return unusable(option, "is needed, since none of " + names + " is installed.");
    }
    constexpr std::string_view kRate = "%RATE%";
    choice.launch = encoder->launch;
    choice.launch.replace(choice.launch.find(kRate), kRate.size(),
                          std::to_string(uint64_t{kbps} * 1000 / encoder->rate_unit));
  }
  const auto format = format_of(choice.launch, formats, option, wanted);
  if (!format) return format.error();
  choice.format = *format;
  return choice;
}

Result<EncoderChoice> choose_video(const OutputSettings &settings) {
  return choose(settings.video_encoder, kVideoEncoders, settings.video_kbps, kVideoFormats, "video-encoder",
                "H.264 or H.265");
}

Result<EncoderChoice> choose_audio(const OutputSettings &settings) {
  return choose(settings.audio_encoder, kAudioEncoders, settings.audio_kbps, kAudioFormats, "audio-encoder",
                "AAC");
}

// Asks for a key frame at the first frame of every kKeyFrameSeconds of running time. On the encoder's thread.
struct KeyFrameClock {
  GRef<GstPad> parser;
  uint64_t next = 0;
  unsigned count = 0;

  static GstPadProbeReturn see(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    auto &clock = *static_cast<KeyFrameClock *>(data);
    const auto event = GRef<GstEvent>::adopt(gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0));
    if (!event) return GST_PAD_PROBE_OK;
    const GstSegment *segment = nullptr;
    gst_event_parse_segment(event.get(), &segment);
    const auto time = gst_segment_to_running_time(segment, GST_FORMAT_TIME,
                                                  GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info)));
    if (!GST_CLOCK_TIME_IS_VALID(time) || time < clock.next) return GST_PAD_PROBE_OK;
    constexpr GstClockTime kStep = kKeyFrameSeconds * GST_SECOND;
    clock.next = (time / kStep + 1) * kStep;
    // The encoder makes it of the next frame that it is given: this one.
    gst_pad_push_event(clock.parser.get(),
                       gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, ++clock.count));
    return GST_PAD_PROBE_OK;
  }
};

// The other end of an appsink.
struct Exit {
  Stream stream;
  std::shared_ptr<EncoderCalls> calls;
  std::function<void(const EncodedFrame &)> EncoderCalls::*call;
  RunStart start = {};

  Clock::WallTime shown_at(GstElement *sink, int64_t pts) {
    const Clock::WallTime wall = Clock::system().wall_now();
    const auto clock = GRef<GstClock>::adopt(gst_element_get_clock(sink));
    if (!clock) return wall;
    const GstClockTimeDiff running =
        GST_CLOCK_DIFF(gst_element_get_base_time(sink), gst_clock_get_time(clock.get()));
    return start.of(wall, std::chrono::nanoseconds(running)) +
           std::chrono::duration_cast<Clock::WallTime::duration>(std::chrono::nanoseconds(pts));
  }

  static FrameTimes times_of(GstSample *sample) {
    const GstSegment *segment = gst_sample_get_segment(sample);
    const GstBuffer *buffer = gst_sample_get_buffer(sample);
    const auto running = [segment](GstClockTime time) {
      guint64 value = 0;
      const int sign = gst_segment_to_running_time_full(segment, GST_FORMAT_TIME, time, &value);
      return sign < 0 ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
    };
    const GstClockTime pts =
        GST_BUFFER_PTS_IS_VALID(buffer) ? GST_BUFFER_PTS(buffer) : GST_BUFFER_DTS(buffer);
    const GstClockTime dts = GST_BUFFER_DTS_IS_VALID(buffer) ? GST_BUFFER_DTS(buffer) : pts;
    return {running(pts), running(dts)};
  }

  static GstFlowReturn frame(GstAppSink *sink, gpointer data) {
    auto &self = *static_cast<Exit *>(data);
    auto sample = GRef<GstSample>::adopt(gst_app_sink_pull_sample(sink));
    if (!sample || !gst_sample_get_buffer(sample.get())) return GST_FLOW_OK;
    EncodedFrame frame{self.stream, sample, times_of(sample.get())};
    frame.key_frame =
        !GST_BUFFER_FLAG_IS_SET(gst_sample_get_buffer(sample.get()), GST_BUFFER_FLAG_DELTA_UNIT);
    frame.shown_at = self.shown_at(GST_ELEMENT(sink), frame.times.pts);
    ((*self.calls).*self.call)(frame);
    return GST_FLOW_OK;
  }

  static void ended(GstAppSink *, gpointer data) {
    const auto &self = *static_cast<Exit *>(data);
    if (self.call == &EncoderCalls::encoded) self.calls->ended(self.stream);
  }
};

void connect(GstElement *bin, const char *name, Exit exit) {
  const auto sink = GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(bin), name));
  GstAppSinkCallbacks callbacks = {};
  callbacks.new_sample = Exit::frame;
  callbacks.eos = Exit::ended;
  gst_app_sink_set_callbacks(GST_APP_SINK(sink.get()), &callbacks, new Exit(std::move(exit)),
                             [](gpointer data) { delete static_cast<Exit *>(data); });
}

void add_ghost_pad(GstElement *bin, const char *name, const char *inner) {
  const auto element = GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(bin), inner));
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(element.get(), "sink"));
  gst_element_add_pad(bin, gst_ghost_pad_new(name, pad.get()));
}

// In front of the encoder's queue, on the channel's thread.
struct PaceProbe {
  GstElement *queue;  // Whose pad holds this.
  std::shared_ptr<EncoderCalls> calls;
  EncoderPace pace = {};

  // How far the clock is past the picture; 0 where one of them is missing.
  static std::chrono::nanoseconds lag_of(GstElement *element, GstPad *pad, GstBuffer *picture) {
    const auto clock = GRef<GstClock>::adopt(gst_element_get_clock(element));
    const auto event = GRef<GstEvent>::adopt(gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0));
    if (!clock || !event) return {};
    const GstSegment *segment = nullptr;
    gst_event_parse_segment(event.get(), &segment);
    const auto time = gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(picture));
    if (!GST_CLOCK_TIME_IS_VALID(time)) return {};
    const auto now = gst_clock_get_time(clock.get()) - gst_element_get_base_time(element);
    return std::chrono::nanoseconds(GST_CLOCK_DIFF(time, now));
  }

  // Room for more pictures than wait for a slow encoder, at any frame rate.
  void make_room(GstEvent *event) const {
    GstCaps *caps = nullptr;
    int n = 0, d = 0;
    gst_event_parse_caps(event, &caps);
    gst_structure_get_fraction(gst_caps_get_structure(caps, 0), "framerate", &n, &d);
    if (n <= 0 || d <= 0) return;
    const auto least =
        gst_util_uint64_scale(GST_SECOND, guint64{EncoderPace::kWaiting + 1} * guint64(d), guint64(n));
    g_object_set(queue, "max-size-time", std::max<guint64>(GST_SECOND, least), nullptr);
  }

  static GstPadProbeReturn see(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    auto &self = *static_cast<PaceProbe *>(data);
    if (info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
      GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
      if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) self.make_room(event);
      return GST_PAD_PROBE_OK;
    }
    guint waiting = 0;
    g_object_get(self.queue, "current-level-buffers", &waiting, nullptr);
    const auto lag = lag_of(self.queue, pad, GST_PAD_PROBE_INFO_BUFFER(info));
    if (!self.pace.skips(lag, waiting, Clock::system().now())) return GST_PAD_PROBE_OK;
    self.calls->skipped();
    return GST_PAD_PROBE_DROP;
  }
};

void keep_pace(GstElement *bin, std::shared_ptr<EncoderCalls> calls) {
  const auto queue = GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(bin), "video_queue"));
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(queue.get(), "sink"));
  constexpr auto kWhat =
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM);
  gst_pad_add_probe(pad.get(), kWhat, PaceProbe::see, new PaceProbe{queue.get(), std::move(calls)},
                    [](gpointer data) { delete static_cast<PaceProbe *>(data); });
}

void keep_key_frames(GstElement *bin) {
  const auto parser = GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(bin), "video_parser"));
  const auto entry = GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(bin), "video_entry"));
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(entry.get(), "sink"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, KeyFrameClock::see,
                    new KeyFrameClock{GRef<GstPad>::adopt(gst_element_get_static_pad(parser.get(), "sink"))},
                    [](gpointer data) { delete static_cast<KeyFrameClock *>(data); });
}

}  // namespace

Result<void> check_encoders(const OutputSettings &settings, const std::vector<OutputSpec> &outputs) {
  if (!settings.video_encoder.empty()) {
    const auto video = choose_video(settings);
    if (!video) return video.error();
    const bool rtmp = std::ranges::find(outputs, OutputKind::rtmp, &OutputSpec::kind) != outputs.end();
    if (rtmp && video->format->parser != std::string_view("h264parse"))
      return Error{ErrorKind::settings, "--rtmp needs a --video-encoder that makes H.264."};
  }
  if (!settings.audio_encoder.empty())
    if (const auto audio = choose_audio(settings); !audio) return audio.error();
  return {};
}

Result<Encoders> make_encoders(const OutputSettings &settings, EncoderCalls calls) {
  const auto video = choose_video(settings);
  if (!video) return video.error();
  const auto audio = choose_audio(settings);
  if (!audio) return audio.error();

  // A second of patience in front of the encoders: more is memory, less is felt as a hiccup by the source.
  const std::string queue = "queue max-size-buffers=0 max-size-bytes=0 max-size-time=1000000000";
  const std::string video_queue = queue + " name=video_queue";
  // Behind that one, so that what waits is not twice as old.
  const std::string short_queue = "queue max-size-buffers=2 max-size-bytes=0 max-size-time=0";
  const std::string raw_queue = "queue leaky=downstream max-size-buffers=8 max-size-bytes=0 max-size-time=0";
  const std::string sink = "appsink sync=false async=false enable-last-sample=false name=";
  // What comes in is clean; what video_tee has may have captions.
  const std::string burner =
      calls.burnt ? "tee name=video_in ! " + video_queue + " ! " + kCaptionBurner + " ! " : std::string();
  const std::string video_in = calls.burnt ? "video_in" : "video_tee";
  std::string launch = burner + "tee name=video_tee ! " + (calls.burnt ? short_queue : video_queue) +
                       " ! videoconvert name=video_entry ! " + video->launch + " ! " + video->format->launch +
                       " ! " + sink + "video_exit tee name=audio_tee ! " + queue +
                       " ! audioconvert ! audioresample ! " + audio->launch + " ! " + audio->format->launch +
                       " ! " + sink + "audio_exit";
  if (calls.raw)
    launch += " video_tee. ! " + raw_queue + " ! " + sink + "video_raw audio_tee. ! " + raw_queue + " ! " +
              sink + "audio_raw";
  if (calls.clean_picture) launch += " " + video_in + ". ! " + raw_queue + " ! " + sink + "video_clean";
  GErrorPtr error;
  GstElement *made = gst_parse_bin_from_description_full(launch.c_str(), FALSE, nullptr,
                                                         GST_PARSE_FLAG_FATAL_ERRORS, take(error));
  if (!made) return Error{ErrorKind::settings, "The encoders cannot be made: " + std::string(error->message)};
  Encoders encoders{GRef<GstElement>::adopt(GST_ELEMENT(g_object_ref_sink(made))), video->format->parser};
  GstElement *bin = encoders.bin.get();
  gst_object_set_name(GST_OBJECT(bin), "outputs");
  add_ghost_pad(bin, "video", video_in.c_str());
  add_ghost_pad(bin, "audio", "audio_tee");
  keep_key_frames(bin);
  if (calls.burnt) {
    const auto overlay = GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(bin), "caption_burner"));
    burn_captions(overlay.get(), calls.burnt);
  }
  const auto shared = std::make_shared<EncoderCalls>(std::move(calls));
  keep_pace(bin, shared);
  connect(bin, "video_exit", {Stream::video, shared, &EncoderCalls::encoded});
  connect(bin, "audio_exit", {Stream::audio, shared, &EncoderCalls::encoded});
  if (shared->raw) connect(bin, "video_raw", {Stream::video, shared, &EncoderCalls::raw});
  if (shared->raw) connect(bin, "audio_raw", {Stream::audio, shared, &EncoderCalls::raw});
  if (shared->clean_picture)
    connect(bin, "video_clean", {Stream::video, shared, &EncoderCalls::clean_picture});
  return encoders;
}

}  // namespace genclip
