// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Clips of other rates, sizes and kinds are shown as the channel's form asks.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "plugin/vetting/make_vetter.h"
#include "tests/channelsrc/stand.h"
#include "tests/support/file_content.h"
#include "tests/support/http_server.h"
#include "tests/support/with_exif.h"

namespace genclip::test {
namespace {

class Clips : public testing::Test {
 protected:
  std::string make(const MarkedMedia &media, const std::string &name = "clip.mp4") {
    make_marked_media(folder_.file(name), media);
    return folder_.file(name);
  }
  // Shows the clip from frame 5 on, until some frames behind it.
  void show(Stand &stand, const ReadyMedia &media, uint64_t frames) {
    const CueId cue = stand.stage().cue(media, frames);
    ASSERT_EQ(stand.wait_for(cue), CueState::ready) << stand.stage().failure(cue);
    stand.stage().take(cue, kStart, frames);
    stand.stage().end(kStart + frames + 10);
    stand.set_state(GST_STATE_PLAYING);
    stand.wait_for_end();
    EXPECT_EQ(stand.stage().failure(cue), "");
    stand.expect_exact_times();
    stand.expect_slate(0, kStart);
    stand.expect_slate(kStart + frames, 10);
  }
  // Which frame of the clip is shown at each frame.
  std::vector<int> numbers(Stand &stand, uint64_t frames) {
    std::vector<int> all;
    const auto seen = stand.frames();
    for (uint64_t frame = kStart; frame < kStart + frames; ++frame)
      all.push_back(seen[frame].mark ? static_cast<int>(seen[frame].mark->number) : -1);
    return all;
  }

  static constexpr uint64_t kStart = 5;
  TemporaryFolder folder_;
};

void make_file(const std::string &line, const std::string &path) {
  const auto pipeline = GRef<GstElement>::adopt(GST_ELEMENT(
      g_object_ref_sink(gst_parse_launch((line + " ! filesink location=" + path).c_str(), nullptr))));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline.get()));
  const auto end = GRef<GstMessage>::adopt(gst_bus_timed_pop_filtered(
      bus.get(), GST_CLOCK_TIME_NONE, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  EXPECT_EQ(GST_MESSAGE_TYPE(end.get()), GST_MESSAGE_EOS);
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
}

struct Rate {
  const char *rate;
  unsigned frames;
  double fps;
};
class ClipsOfRate : public Clips, public testing::WithParamInterface<Rate> {};

}  // namespace

TEST_P(ClipsOfRate, ShowTheFrameOfTheTime) {
  const Rate &rate = GetParam();
  const auto frames = static_cast<uint64_t>(rate.frames / rate.fps * 25 + 0.5);
  Stand stand;
  show(stand, media_of(make({.frames = rate.frames, .rate = rate.rate, .size = "width=160,height=90"})),
       frames);
  const auto shown = numbers(stand, frames);
  for (size_t index = 0; index < shown.size(); ++index) {
    ASSERT_GE(shown[index], 0) << index;
    const double ahead = shown[index] / rate.fps - static_cast<double>(index) / 25;
    EXPECT_LE(ahead, 0.5 / 25 + 1e-6) << index;
    EXPECT_GE(ahead, -1 / rate.fps - 0.5 / 25) << index;
    EXPECT_GE(shown[index], shown[index == 0 ? 0 : index - 1]);
  }
  EXPECT_EQ(shown.front(), 0);
}
INSTANTIATE_TEST_SUITE_P(All, ClipsOfRate,
                         testing::Values(Rate{"24/1", 48, 24}, Rate{"30/1", 60, 30},
                                         Rate{"30000/1001", 60, 29.97}, Rate{"50/1", 100, 50},
                                         Rate{"12/1", 24, 12}),
                         [](const auto &rate) {
                           std::string name = rate.param.rate;
                           for (char &letter : name)
                             if (letter == '/') letter = '_';
                           return name;
                         });

TEST_F(Clips, OfMatroskaWithRoundedTimesLoseNothing) {
  Stand stand({.video = "video/x-raw,format=I420,width=160,height=90,framerate=30000/1001"});
  show(stand,
       media_of(
           make({.frames = 60, .rate = "30000/1001", .size = "width=160,height=90", .muxer = "matroskamux"},
                "clip.mkv")),
       60);
  stand.expect_clip(1, kStart, 60);
  const auto seconds = find_seconds(stand.sound(), 48000);
  ASSERT_EQ(seconds.size(), 2U);
  EXPECT_NEAR(static_cast<double>(seconds[0]), 5 * 48000 * 1001 / 30000.0, 48);
}

// The times of MPEG files do not begin at 0.
TEST_F(Clips, OfEachContainerAreAsLongAsTheirVettingSays) {
  const std::pair<const char *, MarkedMedia> kinds[] = {
      {"film.ts", {.muxer = "mpegtsmux"}},
      {"film.mkv", {.muxer = "matroskamux"}},
      {"film.webm", {.video = "vp8enc deadline=1", .muxer = "webmmux", .audio = "vorbisenc"}},
      {"film.avi", {.video = "jpegenc", .muxer = "avimux", .audio = "audioconvert"}}};
  for (const auto &[name, kind] : kinds) {
    MarkedMedia media = kind;
    media.size = "width=160,height=90";
    ReadyMedia ready = media_of(make(media, name));
    for (const int in : {0, 800}) {
      const std::string label = std::string(name) + " from " + std::to_string(in) + " ms";
      VettingRequest request{.uri = ready.uri, .in = std::chrono::milliseconds(in)};
      request.patience = std::chrono::seconds(120);
      const auto vetted = make_vetter()->vet(request, nullptr);
      ASSERT_TRUE(vetted) << label << ": " << vetted.error().text;
      ready.in = vetted->in;
      Stand stand;
      const auto frames =
          static_cast<uint64_t>(std::chrono::duration<double>(vetted->length).count() * 25 + 0.5);
      show(stand, ready, frames);
      EXPECT_TRUE(in != 0 || frames == 50) << label << ": " << frames;
      for (const int number : numbers(stand, frames)) EXPECT_GE(number, 0) << label;
    }
  }
}

TEST_F(Clips, BeginAtTheirIn) {
  ReadyMedia media = media_of(make({.frames = 125, .size = "width=160,height=90"}));
  media.in = std::chrono::milliseconds(1240);
  Stand stand;
  show(stand, media, 60);
  stand.expect_clip(1, kStart, 60, 31);
  // The clip's seconds 2 and 3.
  const auto seconds = find_seconds(stand.sound(), 48000);
  ASSERT_EQ(seconds.size(), 2U);
  EXPECT_NEAR(static_cast<double>(seconds[0]), 0.04 * 48000 * kStart + 0.76 * 48000, 48);
}

// A MOV file does not say where its channels are heard.
TEST_F(Clips, OfManyChannelsAreHeard) {
  const std::string stereo = make({.frames = 75, .size = "width=160,height=90"});
  for (const char *channels : {"4", "6", "8"}) {
    const std::string path = folder_.file("many.mov");
    const char *const words[] = {"ffmpeg", "-v",   "error",     "-y",  "-i",     stereo.c_str(), "-c:v",
                                 "copy",   "-c:a", "pcm_s16le", "-ac", channels, path.c_str(),   nullptr};
    int status = -1;
    ASSERT_TRUE(g_spawn_sync(nullptr, const_cast<char **>(words), nullptr, G_SPAWN_SEARCH_PATH, nullptr,
                             nullptr, nullptr, nullptr, &status, nullptr));
    ASSERT_EQ(status, 0);
    ReadyMedia ready = media_of(path);
    const auto vetted =
        make_vetter()->vet({.uri = ready.uri, .patience = std::chrono::seconds(120)}, nullptr);
    ASSERT_TRUE(vetted) << channels << ": " << vetted.error().text;
    EXPECT_LT(vetted->lufs, 0);
    Stand stand;
    show(stand, ready, 75);
    EXPECT_EQ(find_seconds(stand.sound(), 48000).size(), 3U) << channels;
  }
}

TEST_F(Clips, WithoutSoundAreSilent) {
  Stand stand;
  show(stand, media_of(make({.frames = 25, .size = "width=160,height=90", .audio = ""}), false), 25);
  stand.expect_clip(1, kStart, 25);
  for (const float sample : stand.sound()) ASSERT_EQ(sample, 0);
}

TEST_F(Clips, WhoseSoundIsShorterEndInSilence) {
  Stand stand;
  show(stand, media_of(make({.frames = 75, .size = "width=160,height=90", .audio_seconds = 1.5})), 75);
  stand.expect_clip(1, kStart, 75);
  EXPECT_EQ(find_seconds(stand.sound(), 48000).size(), 2U);
}

TEST_F(Clips, WhoseSoundIsLongerAreCutWithThePicture) {
  Stand stand;
  show(stand, media_of(make({.frames = 25, .size = "width=160,height=90", .audio_seconds = 3})), 25);
  EXPECT_EQ(find_seconds(stand.sound(), 48000).size(), 1U);
  const auto sound = stand.sound();
  for (size_t sample = (kStart + 25) * 1920; sample < sound.size(); ++sample) ASSERT_EQ(sound[sample], 0);
  EXPECT_NE(sound[(kStart + 25) * 1920 - 480], 0);
}

TEST_F(Clips, ThatAreInterlacedAreShown) {
  const std::string path =
      make({.frames = 50,
            .rate = "50/1",
            .size = "width=160,height=96",
            .video = "interlace field-pattern=1:1 ! x264enc interlaced=true ! h264parse"});
  Stand stand;
  show(stand, media_of(path), 24);
}

// A second of black, whose sound is no number.
void make_without_numbers(const std::string &path) {
  const auto pipeline = GRef<GstElement>::adopt(GST_ELEMENT(g_object_ref_sink(
      gst_parse_launch(("matroskamux name=mux ! filesink location=" + path +
                        " videotestsrc num-buffers=25 pattern=black ! "
                        "video/x-raw,format=I420,width=160,height=90,framerate=25/1 ! "
                        "jpegenc ! mux. audiotestsrc num-buffers=50 samplesperbuffer=960 ! "
                        "audio/x-raw,format=F32LE,rate=48000,channels=2 ! identity name=spoil ! mux.")
                           .c_str(),
                       nullptr))));
  const auto spoil = GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline.get()), "spoil"));
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(spoil.get(), "sink"));
  gst_pad_add_probe(
      pad.get(), GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad *, GstPadProbeInfo *info, gpointer) {
        GstBuffer *buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
        info->data = buffer;
        const std::vector<float> none(gst_buffer_get_size(buffer) / sizeof(float), NAN);
        gst_buffer_fill(buffer, 0, none.data(), none.size() * sizeof(float));
        return GST_PAD_PROBE_OK;
      },
      nullptr, nullptr);
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline.get()));
  gst_message_unref(gst_bus_timed_pop_filtered(
      bus.get(), GST_CLOCK_TIME_NONE, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
}

TEST_F(Clips, WhoseSoundIsNoNumberAreSilent) {
  make_without_numbers(folder_.file("nan.mkv"));
  Stand stand;
  show(stand, media_of(folder_.file("nan.mkv")), 25);
  for (const float sample : stand.sound()) ASSERT_EQ(sample, 0);
}

TEST_F(Clips, HaveTheirGain) {
  ReadyMedia media = media_of(make({.frames = 25, .size = "width=160,height=90", .tone = -40}));
  const auto peak = [&](double gain) {
    Stand stand;
    media.gain_db = gain;
    show(stand, media, 25);
    const auto sound = stand.sound();
    float most = 0;
    for (size_t sample = kStart * 1920 + 24000; sample < kStart * 1920 + 40000; ++sample)
      most = std::max(most, std::abs(sound[sample]));
    return 20 * std::log10(most);
  };
  EXPECT_NEAR(peak(0), -40, 1);
  EXPECT_NEAR(peak(12), -28, 1);
}

TEST_F(Clips, ThatAreStillsLastAsLongAsTheyAreShown) {
  make_marked_still(folder_.file("still.png"), 9, "pngenc", "width=160,height=90");
  ReadyMedia media = media_of(folder_.file("still.png"), false);
  media.is_still = true;
  Stand stand;
  show(stand, media, 125);
  const auto seen = stand.frames();
  for (uint64_t frame = kStart; frame < kStart + 125; ++frame) {
    ASSERT_TRUE(seen[frame].mark) << frame;
    EXPECT_EQ(seen[frame].mark->clip, 9U);
  }
}

TEST_F(Clips, ThatAreTransparentAreShownOverBlack) {
  struct Case {
    const char *argb;
    uint8_t luma, chroma;  // Cb.
  };
  for (const auto &[argb, luma, chroma] :
       {Case{"0x00ff00ff", 16, 128}, Case{"0x80ffffff", 126, 128}, Case{"0xffffffff", 235, 128}}) {
    SCOPED_TRACE(argb);
    const auto path = folder_.file("alpha.png");
    make_file(std::string("videotestsrc num-buffers=1 pattern=solid-color foreground-color=") + argb +
                  " ! video/x-raw,format=RGBA,width=160,height=90 ! pngenc",
              path);
    ReadyMedia media = media_of(path, false);
    media.is_still = true;
    Stand stand({.kept_pictures = {kStart + 5}});
    show(stand, media, 10);
    const auto picture = stand.picture(kStart + 5);
    ASSERT_GE(picture.size(), 160U * 90 + 80U * 45);
    EXPECT_NEAR(picture[160 * 45 + 80], luma, 1);
    EXPECT_NEAR(picture[160 * 90 + 80 * 22 + 40], chroma, 1);
  }
}

TEST_F(Clips, ThatAreStillsOfACameraAreShownUpright) {
  struct Case {
    const char *turn, *tag;
    size_t ahead;
  };
  for (const auto &[turn, tag, ahead] :
       {Case{"180", "rotate-180", 2}, {"90r", "rotate-270", 60000}, {"horiz", "flip-rotate-0", 9000}}) {
    SCOPED_TRACE(tag);
    const auto path = folder_.file("camera.jpg");
    make_marked_still(path, 9, std::string("videoflip video-direction=") + turn + " ! jpegenc",
                      "width=160,height=90");
    const std::string jpeg = content(path);
    std::ofstream(path, std::ios::binary) << with_exif(jpeg, tag, ahead);
    ReadyMedia media = media_of(path, false);
    media.is_still = true;
    Stand stand;
    show(stand, media, 25);
    const auto seen = stand.frames();
    ASSERT_TRUE(seen[kStart + 5].mark);
    EXPECT_EQ(seen[kStart + 5].mark->clip, 9U);
  }
}

// Each picture has three bytes of them, of which one is its number.
TEST_F(Clips, KeepTheirClosedCaptionsWhereEachPictureIsShownOnce) {
  const std::string path = folder_.file("captioned.mp4");
  const auto pipeline = GRef<GstElement>::adopt(GST_ELEMENT(g_object_ref_sink(
      gst_parse_launch(("videotestsrc num-buffers=25 name=source ! "
                        "video/x-raw,format=I420,width=160,height=90,framerate=25/1 ! "
                        "x264enc speed-preset=ultrafast ! h264parse ! mp4mux ! filesink location=" +
                        path)
                           .c_str(),
                       nullptr))));
  const auto source = GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline.get()), "source"));
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(source.get(), "src"));
  gst_pad_add_probe(
      pad.get(), GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad *, GstPadProbeInfo *info, gpointer) -> GstPadProbeReturn {
        auto *buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
        GST_PAD_PROBE_INFO_DATA(info) = buffer;
        const guint8 captions[] = {0xfc, 0x20, static_cast<guint8>(0x40 + GST_BUFFER_OFFSET(buffer))};
        gst_buffer_add_video_caption_meta(buffer, GST_VIDEO_CAPTION_TYPE_CEA708_RAW, captions,
                                          sizeof captions);
        return GST_PAD_PROBE_OK;
      },
      nullptr, nullptr);
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline.get()));
  const auto end = GRef<GstMessage>::adopt(gst_bus_timed_pop_filtered(
      bus.get(), GST_CLOCK_TIME_NONE, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  ASSERT_EQ(GST_MESSAGE_TYPE(end.get()), GST_MESSAGE_EOS);
  // The last picture stands for two more frames.
  const auto shown = [&](const char *video, uint64_t frames) {
    Stand stand({.video = video});
    show(stand, media_of(path, false), frames);
    return stand.frames();
  };
  const auto of_its_rate = shown("video/x-raw,format=I420,width=160,height=90,framerate=25/1", 27);
  for (size_t frame = 0; frame < of_its_rate.size(); ++frame) {
    std::vector<uint8_t> expected;
    if (frame >= kStart && frame < kStart + 25)
      expected = {0xfc, 0x20, static_cast<uint8_t>(0x40 + frame - kStart)};
    EXPECT_EQ(of_its_rate[frame].captions, expected) << frame;
  }
  for (const SeenFrame &frame : shown("video/x-raw,format=I420,width=160,height=90,framerate=24/1", 24))
    EXPECT_EQ(frame.captions.size(), 0U) << frame.offset;
}

TEST_F(Clips, OfAnotherShapeArePaddedCroppedOrStretched) {
  // The bars of that number begin bright.
  const std::string square = make({.clip = 0xFFFF, .frames = 25, .size = "width=240,height=240"});
  for (const Fit fit : {Fit::pad, Fit::crop, Fit::stretch}) {
    Stand stand({.video = "video/x-raw,format=I420,width=320,height=180,framerate=25/1",
                 .fit = fit,
                 .kept_pictures = {kStart + 10}});
    show(stand, media_of(square), 25);
    const auto picture = stand.picture(kStart + 10);
    ASSERT_GE(picture.size(), 320U * 180);
    const FrameMark mark{0xFFFF, 10};
    EXPECT_EQ(stand.frames()[kStart + 10].mark == mark, fit == Fit::stretch) << static_cast<int>(fit);
    EXPECT_EQ(read_frame_mark(picture.data() + 70, 320, 180, 180) == mark, fit == Fit::pad)
        << static_cast<int>(fit);
    bool has_border = true;
    for (size_t y = 0; y < 180; ++y)
      for (size_t x = 0; x < 60; ++x) has_border &= picture[y * 320 + x] <= 16;
    EXPECT_EQ(has_border, fit == Fit::pad) << static_cast<int>(fit);
  }
}

// Nothing but the proxy knows that host.
TEST_F(Clips, SlateAndLogoAtUrlsComeByTheProxyOfTheSettings) {
  const std::string clip =
      content(make({.frames = 25, .size = "width=160,height=90", .muxer = "matroskamux"}));
  make_marked_still(folder_.file("card.png"), 9, "pngenc", "width=160,height=90");
  HttpServer proxy([clip, card = content(folder_.file("card.png"))](ServedConnection &connection) {
    for (;;) {
      const std::string request = connection.read_request();
      if (request.empty()) return;
      connection.send(
          answer(200, request.find(".png ") == request.npos ? clip : card, "Accept-Ranges: none\r\n"));
    }
  });
  Stand stand({.slate = "http://media.example/slate.png",
               .logo = "http://media.example/logo.png",
               .access = {{.proxy = "http://127.0.0.1:" + std::to_string(proxy.port()), .tls_ca_file = ""},
                          "Channel/7"}});
  ReadyMedia media;
  media.uri = media.source = "http://media.example/clip.mkv";
  const CueId cue = stand.stage().cue(media, 25);
  ASSERT_EQ(stand.wait_for(cue), CueState::ready) << stand.stage().failure(cue);
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_until([&] { return !stand.frames().empty() && stand.frames().back().mark; });
  std::string asked;
  for (const std::string &request : proxy.requests()) asked += request;
  for (const char *name : {"slate.png", "logo.png", "clip.mkv"})
    EXPECT_NE(asked.find(std::string("GET http://media.example/") + name + " "), std::string::npos) << asked;
  EXPECT_NE(asked.find("User-Agent: Channel/7\r\n"), std::string::npos) << asked;
  EXPECT_EQ(stand.stage().problem(), "");
}

}  // namespace genclip::test
