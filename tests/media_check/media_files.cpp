// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Pipelines into a file.
#include "tests/media_check/media_files.h"

#include <gst/gst.h>

#include <fstream>
#include <sstream>

#include "plugin/base/gref.h"
#include "tests/support/give_up.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

std::string make(const std::string &pipeline) {
  const TemporaryFolder folder;
  const std::string path = folder.file("made");
  GErrorPtr error;
  const auto made = GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(
      gst_parse_launch((pipeline + " ! filesink location=" + path).c_str(), take(error)))));
  if (error) give_up(pipeline + ": " + error->message);
  gst_element_set_state(made.get(), GST_STATE_PLAYING);
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(made.get()));
  const auto end = GRef<GstMessage>::adopt(gst_bus_timed_pop_filtered(
      bus.get(), 60 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  gst_element_set_state(made.get(), GST_STATE_NULL);
  if (!end || GST_MESSAGE_TYPE(end.get()) != GST_MESSAGE_EOS) give_up(pipeline + " fails");
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

std::string size_text(int width, int height) {
  return "width=" + std::to_string(width) + ",height=" + std::to_string(height);
}

std::string little(uint64_t value, int size) {
  std::string bytes;
  for (int shift = 0; shift < 8 * size; shift += 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

std::string chunk(const std::string &name, const std::string &body) {
  return name + little(body.size(), 4) + body + std::string(body.size() % 2, '\0');
}

}  // namespace

std::string image_file(const std::string &encoder, int width, int height) {
  return make("videotestsrc num-buffers=1 ! video/x-raw," + size_text(width, height) + " ! videoconvert ! " +
              encoder);
}

// No encoder of GStreamer makes one, so the frames are stills without their file's head.
std::string webp_animation(int width, int height) {
  const std::string size = little(width - 1, 3) + little(height - 1, 3);
  const std::string frame =
      little(0, 6) + size + little(500, 3) + little(0, 1) + image_file("webpenc", width, height).substr(12);
  const std::string body = "WEBP" + chunk("VP8X", little(2, 4) + size) + chunk("ANIM", little(0, 6)) +
                           chunk("ANMF", frame) + chunk("ANMF", frame);
  return chunk("RIFF", body);
}

std::string video_file(const std::string &muxer, int width, int height, int frames, int frame_rate) {
  return make("videotestsrc num-buffers=" + std::to_string(frames) + " ! video/x-raw," +
              size_text(width, height) + ",framerate=" + std::to_string(frame_rate) +
              "/1 ! x264enc speed-preset=ultrafast ! h264parse ! " + muxer);
}

std::string audio_file(const std::string &encoder, int seconds) {
  return make("audiotestsrc samplesperbuffer=441 num-buffers=" + std::to_string(100 * seconds) +
              " ! audio/x-raw,rate=44100,channels=1 ! audioconvert ! " + encoder);
}

}  // namespace genclip::test
