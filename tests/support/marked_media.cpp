// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>
#include <fstream>
#include <map>
#include <mutex>

#include "examples/simulator/clip_marks.h"
#include "examples/simulator/render_pipeline.h"
#include "tests/support/file_content.h"
#include "tests/support/give_up.h"
#include "tests/support/marks.h"

namespace genclip::test {
namespace {

constexpr unsigned kRate = 48000;

struct Marking {
  const MarkedMedia &media;
  uint64_t frame = 0;
  uint64_t sample = 0;
};

GstPadProbeReturn mark_frame(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
  auto &marking = *static_cast<Marking *>(data);
  const auto caps = GRef<GstCaps>::adopt(gst_pad_get_current_caps(pad));
  GstBuffer *buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_PAD_PROBE_INFO_DATA(info) = buffer;
  GstVideoInfo format;
  GstVideoFrame frame;
  if (gst_video_info_from_caps(&format, caps.get()) &&
      gst_video_frame_map(&frame, &format, buffer, GST_MAP_READWRITE)) {
    sim::draw_frame_mark(frame, marking.media.clip, marking.frame++);
    gst_video_frame_unmap(&frame);
  }
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn mark_sound(GstPad *, GstPadProbeInfo *info, gpointer data) {
  auto &marking = *static_cast<Marking *>(data);
  GstBuffer *buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_PAD_PROBE_INFO_DATA(info) = buffer;
  GstMapInfo map;
  if (gst_buffer_map(buffer, &map, GST_MAP_READWRITE)) {
    const size_t count = map.size / sizeof(float) / marking.media.channels;
    sim::add_ticks(reinterpret_cast<float *>(map.data), count, marking.media.channels, marking.sample, kRate,
                   marking.media.audio_delay);
    marking.sample += count;
    gst_buffer_unmap(buffer, &map);
  }
  return GST_PAD_PROBE_OK;
}

void run(const std::string &description, Marking &marking) {
  const auto pipeline = sim::new_pipeline(description);
  if (!pipeline) give_up(description + ": " + pipeline.error().text);
  for (const auto &[name, mark] : {std::pair("frames", &mark_frame), std::pair("sound", &mark_sound)})
    if (const auto element = sim::element_of(*pipeline, name)) {
      const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(element.get(), "sink"));
      gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, mark, &marking, nullptr);
    }
  const auto done = sim::run_to_end(*pipeline, nullptr);
  gst_element_set_state(pipeline->get(), GST_STATE_NULL);
  if (!done) give_up(description + ": " + done.error().text);
}

std::string picture(unsigned frames, const std::string &rate, const std::string &size,
                    const std::string &pattern) {
  return "videotestsrc pattern=" + pattern + " num-buffers=" + std::to_string(frames) +
         " ! video/x-raw,format=I420,pixel-aspect-ratio=1/1,framerate=" + rate + "," + size +
         " ! identity name=frames ! videoconvert ! ";
}

double seconds_of(const MarkedMedia &media) {
  if (media.audio_seconds > 0) return media.audio_seconds;
  const size_t slash = media.rate.find('/');
  const double fps =
      std::stod(media.rate) / (slash == media.rate.npos ? 1 : std::stod(media.rate.substr(slash + 1)));
  return media.frames / fps;
}

void encode(const std::string &path, const MarkedMedia &media) {
  std::string text = media.muxer + " name=mux ! filesink location=" + path + " ";
  if (media.frames > 0)
    text += picture(media.frames, media.rate, media.size, media.pattern) + media.video + " ! queue ! mux. ";
  // 10 ms a buffer.
  if (!media.audio.empty())
    text += "audiotestsrc samplesperbuffer=480 freq=440 num-buffers=" +
            std::to_string(std::lround(seconds_of(media) * 100)) +
            " volume=" + std::to_string(std::pow(10, media.tone / 20)) +
            " ! audio/x-raw,format=F32LE,layout=interleaved,rate=48000,channels=" +
            std::to_string(media.channels) + " ! identity name=sound ! audioconvert ! " + media.audio +
            " ! queue ! mux. ";
  Marking marking{media};
  run(text, marking);
}

}  // namespace

void make_marked_media(const std::string &path, const MarkedMedia &media) {
  // Each test of a fixture has the same media, and encoding takes longer than most of what they do.
  static std::mutex mutex;
  static std::map<MarkedMedia, std::string> encoded;
  const std::scoped_lock lock(mutex);
  if (const auto known = encoded.find(media); known != encoded.end()) {
    std::ofstream(path, std::ios::binary) << known->second;
    return;
  }
  encode(path, media);
  encoded.emplace(media, content(path));
}

void make_marked_still(const std::string &path, unsigned clip, const std::string &encoder,
                       const std::string &size) {
  const MarkedMedia media{.clip = clip};
  Marking marking{media};
  run(picture(1, "1/1", size, media.pattern) + encoder + " ! filesink location=" + path, marking);
}

}  // namespace genclip::test
