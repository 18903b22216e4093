// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Runs Outputs over a live test picture and tone, for tests that play the clients and servers.
//
// outputs_driver NAME=VALUE…: one of hls, srt, udp, rtmp, record and window for each output, or a setting
// below. Writes a line of JSON for each change of an output's state. Lines on its input: "status" writes all
// of them; "end SECONDS" ends; "eos" lets the channel end; "restart" says before that another run follows.
// The program ends with the outputs, exit code 0 when all was finished.
#include <gst/gst.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <string>

#include "plugin/base/gref.h"
#include "plugin/base/json.h"
#include "plugin/base/number.h"
#include "plugin/output/outputs.h"

namespace genclip {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

Json json_of(const OutputStatus &status) {
  return Json::Object{
      {"kind", to_word(status.kind)},
      {"name", status.name},
      {"state", to_word(status.state)},
      {"since_ms", int64_t{duration_cast<milliseconds>(status.since.time_since_epoch()).count()}},
      {"rebuilds", static_cast<int64_t>(status.rebuilds)},
      {"bytes", static_cast<int64_t>(status.bytes)},
      {"packets", static_cast<int64_t>(status.packets)},
      {"dropped", static_cast<int64_t>(status.dropped)},
      {"last_error", status.last_error},
  };
}

void print(const Json &json) {
  const auto line = json.to_text() + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

unsigned number(const std::string &text) { return parse_number<unsigned>(text).value_or(0); }

int fail(const Error &error) {
  std::fprintf(stderr, "%s\n", error.text.c_str());
  return 2;
}

// A picture and a tone as the channel makes them, or as fast as the encoders can.
std::string source_line(bool live) {
  const std::string is_live = live ? "is-live=true" : "is-live=false";
  return "videotestsrc name=v " + is_live +
         " pattern=ball ! video/x-raw,format=I420,width=320,height=180,framerate=25/1 ! identity "
         "name=video_end "
         "audiotestsrc name=a " +
         is_live +
         " samplesperbuffer=960 ! audio/x-raw,format=F32LE,rate=48000,channels=2 ! identity name=audio_end";
}

// Until the outputs have ended. The exit code.
int play(Outputs &outputs, GstElement *pipeline) {
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  milliseconds limit{30'000};
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "status") {
      Json::Array all;
      for (const auto &status : outputs.status()) all.push_back(json_of(status));
      print(Json::Object{{"outputs", std::move(all)},
                         {"frames", static_cast<int64_t>(outputs.encoded_frames())},
                         {"skipped", static_cast<int64_t>(outputs.skipped_frames())}});
    } else if (line == "restart") {
      outputs.expect_restart();
    } else if (line == "eos") {
      gst_element_send_event(pipeline, gst_event_new_eos());
      const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline));
      gst_message_unref(gst_bus_timed_pop_filtered(bus.get(), GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS));
      break;
    } else if (line.starts_with("end ")) {
      limit = milliseconds(number(line.substr(4)) * 1000);
      break;
    }
  }
  const bool whole = outputs.end(limit);
  Json::Array all;
  for (const auto &status : outputs.status()) all.push_back(json_of(status));
  const auto begun = std::chrono::steady_clock::now();
  gst_element_set_state(pipeline, GST_STATE_NULL);
  const auto stopped = duration_cast<milliseconds>(std::chrono::steady_clock::now() - begun);
  print(Json::Object{{"ended", whole}, {"outputs", std::move(all)}, {"null_ms", int64_t{stopped.count()}}});
  return whole ? 0 : 1;
}

int run(int count, char **words) {
  OutputSettings settings;
  settings.video_kbps = 600;
  std::vector<OutputSpec> specs;
  bool live = true;
  const std::map<std::string, std::function<void(const std::string &)>> rows = {
      {"live", [&](const std::string &value) { live = value == "true"; }},
      {"video-encoder", [&](const std::string &value) { settings.video_encoder = value; }},
      {"audio-encoder", [&](const std::string &value) { settings.audio_encoder = value; }},
      {"video-kbps", [&](const std::string &value) { settings.video_kbps = number(value); }},
      {"segment-seconds", [&](const std::string &value) { settings.segment_seconds = number(value); }},
      {"playlist-segments", [&](const std::string &value) { settings.playlist_segments = number(value); }},
      {"record-minutes", [&](const std::string &value) { settings.record_minutes = number(value); }},
      {"keep-days", [&](const std::string &value) { settings.keep_days = number(value); }},
      {"stall-ms", [&](const std::string &value) { settings.stall = milliseconds(number(value)); }},
      {"last-back-off-ms",
       [&](const std::string &value) { settings.last_back_off = milliseconds(number(value)); }},
      {"window-video-sink", [&](const std::string &value) { settings.window_video_sink = value; }},
      {"window-audio-sink", [&](const std::string &value) { settings.window_audio_sink = value; }},
  };
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto name = word.substr(0, word.find('='));
    const auto value = word.substr(std::min(word.size(), name.size() + 1));
    if (const auto kind = from_word<OutputKind>(name)) {
      const auto spec = parse_output(*kind, value);
      if (!spec) return fail(spec.error());
      specs.push_back(*spec);
    } else if (const auto row = rows.find(name); row != rows.end()) {
      row->second(value);
    } else {
      return fail({ErrorKind::settings, "unknown: " + name});
    }
  }
  auto outputs = Outputs::create(specs, settings, [](const OutputStatus &status) { print(json_of(status)); });
  if (!outputs) return fail(outputs.error());
  const auto pipeline = GRef<GstElement>::adopt(
      GST_ELEMENT(g_object_ref_sink(gst_parse_launch(source_line(live).c_str(), nullptr))));
  gst_bin_add(GST_BIN(pipeline.get()), (*outputs)->bin());
  for (const std::string stream : {"video", "audio"}) {
    const auto end =
        GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline.get()), (stream + "_end").c_str()));
    gst_element_link_pads(end.get(), "src", (*outputs)->bin(), stream.c_str());
  }
  return play(**outputs, pipeline.get());
}

}  // namespace
}  // namespace genclip

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  return genclip::run(argc, argv);
}
