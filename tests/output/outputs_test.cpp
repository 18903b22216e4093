// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What Outputs refuses before anything runs.
#include "plugin/output/outputs.h"

#include <gtest/gtest.h>

#include "plugin/output/encoders.h"

namespace genclip {
namespace {

std::string refusal(const OutputSettings &settings,
                    std::vector<OutputSpec> specs = {{OutputKind::udp, "127.0.0.1:9", "127.0.0.1", 9}}) {
  const auto outputs = Outputs::create(std::move(specs), settings, nullptr);
  EXPECT_FALSE(outputs);
  return outputs ? "" : outputs.error().text;
}

TEST(Outputs, RefusesEncodersThatMakeSomethingElse) {
  OutputSettings settings;
  settings.video_encoder = "vp8enc";
  EXPECT_EQ(refusal(settings), "--video-encoder must make H.264 or H.265.");
  settings = {};
  settings.audio_encoder = "opusenc";
  EXPECT_EQ(refusal(settings), "--audio-encoder must make AAC.");
  settings.audio_encoder = "audio/x-raw ! lamemp3enc ! mpegaudioparse";
  EXPECT_EQ(refusal(settings), "--audio-encoder must make AAC.");
  settings.audio_encoder = "fakesink";
  EXPECT_EQ(refusal(settings), "--audio-encoder needs elements with an input and an output.");
}

TEST(Outputs, AreCheckedAsTheyAreMade) {
  OutputSettings settings;
  settings.video_encoder = "video/x-h265";
  const std::vector<OutputSpec> rtmp = {{OutputKind::rtmp, "rtmp://127.0.0.1:9/live"}};
  constexpr char kNeedsH264[] = "--rtmp needs a --video-encoder that makes H.264.";
  EXPECT_EQ(refusal(settings, rtmp), kNeedsH264);
  const auto checked = Outputs::check(rtmp, settings);
  EXPECT_EQ(checked ? "" : checked.error().text, kNeedsH264);
  EXPECT_TRUE(Outputs::check({{OutputKind::hls, "www"}}, settings));
  EXPECT_TRUE(Outputs::check({}, settings));
  settings = {};
  settings.record_minutes = 2000;
  EXPECT_FALSE(Outputs::check({}, settings));
  settings = {};
  settings.captions.track = true;
  EXPECT_FALSE(Outputs::check(rtmp, settings));
  EXPECT_TRUE(Outputs::check({}, settings)) << "the outputs are not known";
}

// As in any launch line, with caps at its ends.
TEST(Outputs, TakesPiecesOfLaunchLineAsEncoders) {
  for (const char *video : {"x264enc ! video/x-h264,profile=baseline", "video/x-raw,format=NV12 ! x264enc",
                            "queue ! x264enc ! h264parse"})
    for (const char *audio : {"avenc_aac ! audio/mpeg,mpegversion=4", "avenc_aac ! aacparse",
                              "audio/x-raw,channels=1 ! avenc_aac"}) {
      OutputSettings settings;
      settings.video_encoder = video;
      settings.audio_encoder = audio;
      const auto encoders = make_encoders(settings, {});
      EXPECT_TRUE(encoders) << video << ", " << audio << ": " << encoders.error().text;
    }
}

TEST(Outputs, NamesAnElementThatDoesNotExist) {
  OutputSettings settings;
  settings.video_encoder = "nosuchenc bitrate=3";
  const auto text = refusal(settings);
  EXPECT_TRUE(text.starts_with("--video-encoder cannot be used: ")) << text;
  EXPECT_NE(text.find("nosuchenc"), text.npos) << text;
}

TEST(Outputs, RefusesNumbersThatCannotWork) {
  OutputSettings settings;
  settings.record_minutes = 0;
  EXPECT_NE(refusal(settings).find("--record-minutes"), std::string::npos);
  settings = {};
  settings.segment_seconds = 5;
  EXPECT_NE(refusal(settings).find("even number"), std::string::npos);
  settings = {};
  settings.playlist_segments = 2;
  EXPECT_NE(refusal(settings).find("3 to 1000"), std::string::npos);
  settings = {};
  settings.video_kbps = 0;
  EXPECT_NE(refusal(settings).find("bitrate"), std::string::npos);
}

// The playlist lists all that wait for their captions.
TEST(Outputs, RefusesATrackThatComesMuchTooLate) {
  OutputSettings settings;
  settings.captions.track = true;
  // Any element that has a latency.
  settings.captions.gencaption = GRef<GstElement>::adopt(
      GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("rtpjitterbuffer", nullptr))));
  for (const guint latency_ms : {60'000u, 60'001u}) {
    g_object_set(settings.captions.gencaption.get(), "latency", latency_ms, nullptr);
    const auto checked = Outputs::check({{OutputKind::hls, "www"}}, settings);
    EXPECT_EQ(checked ? "" : checked.error().text,
              latency_ms == 60'000 ? "" : "--caption-latency must be at most 60000 with --captions.");
  }
}

TEST(Outputs, RefusesTwoOutputsToOnePlace) {
  const OutputSpec spec{OutputKind::hls, "www"};
  EXPECT_NE(refusal({}, {spec, spec}).find("--hls was given"), std::string::npos);
}

TEST(Outputs, RefusesAWindowWithoutADesktop) {
  g_unsetenv("DISPLAY");
  g_unsetenv("WAYLAND_DISPLAY");
  EXPECT_NE(refusal({}, {{OutputKind::window}}).find("--window needs a desktop"), std::string::npos);
}

// Else what an output has begun would never be closed.
TEST(Outputs, AreGoneWithTheirEncoders) {
  const auto alive = std::make_shared<int>();
  {
    EncoderCalls calls;
    calls.encoded = [alive](const EncodedFrame &) {};
    calls.ended = [](Stream) {};
    calls.skipped = [] {};
    const auto encoders = make_encoders({}, std::move(calls));
    ASSERT_TRUE(encoders) << encoders.error().text;
    EXPECT_GT(alive.use_count(), 1);
  }
  EXPECT_EQ(alive.use_count(), 1);
}

// At one picture a second, too, more have room than may wait for an encoder that is too slow.
TEST(Outputs, HaveRoomForSomePicturesAtAnyFrameRate) {
  EncoderCalls calls;
  calls.encoded = [](const EncodedFrame &) {};
  calls.ended = [](Stream) {};
  calls.skipped = [] {};
  const auto encoders = make_encoders({}, std::move(calls));
  ASSERT_TRUE(encoders) << encoders.error().text;
  GstElement *bin = encoders->bin.get();
  const auto queue = GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(bin), "video_queue"));
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(bin, "video"));
  gst_element_set_state(bin, GST_STATE_PAUSED);
  gst_pad_send_event(pad.get(), gst_event_new_stream_start("pictures"));
  for (const auto &[rate, seconds] : {std::pair{"25/1", 1u}, {"1/1", 4u}}) {
    const auto caps = GRef<GstCaps>::adopt(gst_caps_from_string(
        (std::string("video/x-raw,format=I420,width=32,height=32,framerate=") + rate).c_str()));
    gst_pad_send_event(pad.get(), gst_event_new_caps(caps.get()));
    guint64 room = 0;
    g_object_get(queue.get(), "max-size-time", &room, nullptr);
    EXPECT_EQ(room, seconds * GST_SECOND) << rate;
  }
  gst_element_set_state(bin, GST_STATE_NULL);
}

TEST(Outputs, GiveTheirBinTwoPadsForRawMedia) {
  auto outputs = Outputs::create({}, {}, nullptr);
  ASSERT_TRUE(outputs) << outputs.error().text;
  for (const char *name : {"video", "audio"}) {
    GstPad *pad = gst_element_get_static_pad((*outputs)->bin(), name);
    ASSERT_NE(pad, nullptr) << name;
    EXPECT_EQ(gst_pad_get_direction(pad), GST_PAD_SINK);
    gst_object_unref(pad);
  }
  EXPECT_TRUE((*outputs)->end(std::chrono::seconds(5)));
}

}  // namespace
}  // namespace genclip
