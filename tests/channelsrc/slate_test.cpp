// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What is shown when nothing else can be, and the logo.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <future>
#include <numeric>
#include <thread>
#include <utility>

#include "elements/channelsrc/playout_engine.h"
#include "tests/channelsrc/stand.h"
#include "tests/support/file_content.h"
#include "tests/support/http_server.h"
#include "tests/support/log_lines.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

double mean(const std::vector<uint8_t> &bytes, size_t count) {
  return std::accumulate(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(count), 0.0) /
         static_cast<double>(count);
}

}  // namespace

TEST(Playout, RefusesAPictureThatNoClipCanBecome) {
  const auto refusal = [](const char *video) {
    const auto bin = GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(gst_bin_new("channel"))));
    PlayoutSettings settings;
    settings.video_caps = GRef<GstCaps>::adopt(gst_caps_from_string(video));
    settings.audio_caps = GRef<GstCaps>::adopt(
        gst_caps_from_string("audio/x-raw,format=F32LE,layout=interleaved,rate=48000,channels=2"));
    const auto made = make_playout(GST_BIN(bin.get()), settings);
    return made ? "" : made.error().text;
  };
  const std::string form = "video/x-raw,format=I420,height=240,framerate=25/1";
  EXPECT_EQ(refusal((form + ",width=320,interlace-mode=progressive").c_str()), "");
  for (const char *mode : {"interleaved", "mixed"})
    EXPECT_TRUE(
        refusal((form + ",width=320,interlace-mode=" + mode).c_str()).starts_with("video-caps is interlaced"))
        << mode;
  EXPECT_TRUE(refusal("video/x-raw(memory:GLMemory),format=RGBA,width=320,height=240,framerate=25/1")
                  .starts_with("video-caps must be in system memory."));
  EXPECT_EQ(refusal("video/x-raw(memory:SystemMemory),format=I420,width=320,height=240,framerate=25/1"), "");
  EXPECT_TRUE(
      refusal("video/x-h264,width=320,height=240,framerate=25/1").starts_with("video-caps must be raw"));
  EXPECT_TRUE(refusal((form + ",width=40000").c_str()).starts_with("video-caps has a size of 40000x240"));
}

TEST(Slate, IsThereAtOnceAndNotBlack) {
  const auto begin = std::chrono::steady_clock::now();
  Stand stand({.video = "video/x-raw,format=I420,width=1280,height=720,framerate=25/1",
               .speed = 1,
               .latency_ms = 500,
               .kept_pictures = {0}});
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_for_frames(1);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, time_limit(std::chrono::seconds(1)));
  EXPECT_GT(mean(stand.picture(0), 1280 * 720), 35);
  EXPECT_EQ(stand.stage().problem(), "");
}

TEST(Slate, IsThePictureThatWasGiven) {
  TemporaryFolder folder;
  for (const std::string encoder : {"pngenc", "jpegenc"}) {
    make_marked_still(folder.file(encoder), 11, encoder, "width=160,height=90");
    Stand stand({.slate = folder.file(encoder)});
    stand.set_state(GST_STATE_PLAYING);
    stand.wait_until([&] { return !stand.frames().empty() && stand.frames().back().mark; });
    const auto seen = stand.frames();
    EXPECT_EQ(seen.back().mark->clip, 11U);
    stand.wait_for_frames(seen.size() + 50);
    const auto later = stand.frames();
    for (size_t frame = seen.size(); frame < later.size(); ++frame) ASSERT_TRUE(later[frame].mark) << frame;
    stand.expect_exact_times();
  }
}

TEST(Slate, MovesRoundAndRoundAndBeginsAnewBehindAClip) {
  TemporaryFolder folder;
  make_marked_media(folder.file("slate.mp4"), {.clip = 12, .frames = 60, .size = "width=160,height=90"});
  make_marked_media(folder.file("clip.mp4"), {.clip = 3, .frames = 25, .size = "width=160,height=90"});
  // So slow that the slate is opened once more, on any machine, while it is shown: 1.2 s of the real time.
  Stand stand({.speed = 2, .latency_ms = 20000, .slate = folder.file("slate.mp4")});
  const CueId cue = stand.stage().cue(media_of(folder.file("clip.mp4")), 25);
  ASSERT_EQ(stand.wait_for(cue), CueState::ready);
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_until([&] { return !stand.frames().empty() && stand.frames().back().mark; });
  const uint64_t start = stand.stage().earliest_frame() + 90;
  stand.stage().take(cue, start, 25);
  stand.wait_for_frames(start + 50);
  stand.expect_clip(3, start, 25);
  const auto seen = stand.frames();
  std::optional<unsigned> before;
  for (uint64_t frame = 0; frame < start; ++frame) {
    const auto &mark = seen[frame].mark;
    if (!mark) continue;
    EXPECT_EQ(mark->clip, 12U);
    if (before && mark->number != *before + 1 && *before != 59) {
      ADD_FAILURE() << "frame " << frame << " shows " << mark->number << " behind " << *before;
    }
    before = mark->number;
  }
  // Behind the clip from its beginning.
  stand.expect_clip(12, start + 25, 20);
}

// At its own loudness, 20 dB above, not even its first sample is heard.
TEST(Slate, IsAsLoudAsAllClipsAndSilentUntilThatIsKnown) {
  TemporaryFolder folder;
  make_marked_media(folder.file("slate.mp4"),
                    {.clip = 12, .frames = 75, .size = "width=160,height=90", .tone = -3});
  const auto peak = [](const std::vector<float> &sound) {
    float most = 0;
    for (const float sample : sound) most = std::max(most, std::abs(sample));
    return most;
  };
  // Both what is being shown when it becomes known, and what is opened later.
  Stand stand({.speed = 4, .latency_ms = 1000, .slate = folder.file("slate.mp4")});
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_until([&] { return peak(stand.sound()) > 0.05; });
  stand.wait_for_frames(stand.stage().frame() + 200);
  EXPECT_LT(peak(stand.sound()), 0.2);
  EXPECT_EQ(stand.stage().problem(), "");
}

TEST(Slate, OfSilenceIsNoFault) {
  TemporaryFolder folder;
  make_marked_media(folder.file("slate.mp4"),
                    {.clip = 12, .frames = 75, .size = "width=160,height=90", .tone = -100});
  Stand stand({.speed = 4, .latency_ms = 1000, .slate = folder.file("slate.mp4")});
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_for_frames(500);
  EXPECT_EQ(stand.stage().problem(), "");
}

TEST(Slate, WhoseLoudnessCannotBeMeasuredIsShownSilentAndIsTold) {
  TemporaryFolder folder;
  make_marked_media(
      folder.file("whole.mkv"),
      {.clip = 12, .frames = 150, .size = "width=160,height=90", .muxer = "matroskamux", .tone = -3});
  const std::string bytes = content(folder.file("whole.mkv"));
  std::ofstream(folder.file("part.mkv"), std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  Stand stand({.slate = folder.file("part.mkv")});
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_until([&] {
    return stand.stage().problem().starts_with("The slate is silent, because its loudness is not known: ");
  });
  const uint64_t known = stand.stage().frame();
  stand.wait_for_frames(known + 50);
  const auto seen = stand.frames();
  EXPECT_TRUE(std::any_of(seen.begin() + static_cast<ptrdiff_t>(known), seen.end(),
                          [](const SeenFrame &frame) { return frame.mark.has_value(); }));
  for (const float sample : stand.sound()) ASSERT_EQ(sample, 0);
}

// The picture is far ahead when the sound puts the slate there, and the decoder does not come as far in time.
TEST(Slate, ThatThePictureBeginsFarBehindItsBeginningIsTheCardUntilAPictureComes) {
  constexpr uint64_t kFrames = 5000;
  TemporaryFolder folder;
  make_marked_media(folder.file("slate.mkv"),
                    {.frames = 50, .size = "width=160,height=90", .muxer = "matroskamux"});
  const std::string bytes = content(folder.file("slate.mkv"));
  std::promise<void> begins;
  HttpServer server([&bytes, begun = begins.get_future().share()](ServedConnection &connection) {
    if (connection.read_request().empty()) return;
    begun.wait();
    connection.send("HTTP/1.1 200 OK\r\nAccept-Ranges: none\r\nContent-Length: " +
                    std::to_string(bytes.size() + 1) + "\r\n\r\n" + bytes);
    connection.hang();
  });
  std::promise<void> begin = std::move(begins);  // Destroyed before the server, which waits for it.
  LogLines log("genclip-playout:4");
  PlayoutSettings settings;
  settings.video_caps = GRef<GstCaps>::adopt(gst_caps_from_string(StandOptions().video.c_str()));
  settings.audio_caps = GRef<GstCaps>::adopt(gst_caps_from_string(StandOptions().audio.c_str()));
  settings.slate = server.url("/slate.mkv");
  auto engine = PlayoutEngine::make(settings);
  ASSERT_TRUE(engine);
  const auto element = GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(gst_bin_new("clocked"))));
  const auto clock = fast_clock(1000);
  gst_element_set_clock(element.get(), clock.get());
  gst_element_set_base_time(element.get(), gst_clock_get_time(clock.get()));
  (*engine)->start();
  (*engine)->set_playing(true);
  GRef<GstBuffer> buffer;
  for (uint64_t frame = 0; frame < kFrames; ++frame)
    ASSERT_EQ((*engine)->next(Output::video, element.get(), buffer), GST_FLOW_OK);
  const auto card = buffer;
  begin.set_value();
  for (uint64_t frame = 0; log.text().find("slate: from frame") == std::string::npos; ++frame) {
    ASSERT_LT(frame, kFrames / 2);
    ASSERT_EQ((*engine)->next(Output::audio, element.get(), buffer), GST_FLOW_OK);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_EQ((*engine)->next(Output::video, element.get(), buffer), GST_FLOW_OK);
  EXPECT_EQ(GST_BUFFER_OFFSET(buffer.get()), kFrames);
  EXPECT_EQ(gst_buffer_peek_memory(buffer.get(), 0), gst_buffer_peek_memory(card.get(), 0));
  (*engine)->interrupt();
  (*engine)->stop();
}

TEST(Slate, ThatCannotBeShownIsTheCardAndIsTold) {
  Stand stand({.slate = "/nonexistent/slate.png", .logo = "/nonexistent/logo.png"});
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_until([&] { return !stand.stage().problem().empty(); });
  stand.wait_for_frames(10);
  EXPECT_EQ(stand.error(), "");
}

// It would be paid by an element of its own, and again as long as it fails.
TEST(Slate, ThatWouldHaveToBeGeneratedIsTheCardAndIsTold) {
  TemporaryFolder folder;
  make_marked_media(folder.file("clip.mp4"), {.frames = 75, .size = "width=160,height=90"});
  Stand stand({.slate = "genclip://dance-2.5?prompt=card", .logo = "GenClip://dream-5.0?prompt=logo"});
  const CueId cue = stand.stage().cue(media_of(folder.file("clip.mp4")), 75);
  ASSERT_EQ(stand.wait_for(cue), CueState::ready);
  stand.stage().take(cue, 10, 75);
  stand.set_state(GST_STATE_PLAYING);
  const std::string why =
      "cannot be shown: A genclip:// URI is generated for an item of the rundown alone. Generate the clip "
      "first, with \"genclip generate\", and name its file.";
  stand.wait_until([&] { return stand.stage().problem() == "The slate " + why + " The logo " + why; });
  EXPECT_EQ(stand.error(), "");
}

// Nobody listens there.
TEST(Slate, AndItsUrlIsLoggedWithoutItsSecrets) {
  LogLines log("genclip-playout:6");
  {
    Stand stand({.slate = "http://user:word@127.0.0.1:9/card.png?sig=secret",
                 .logo = "http://user:word@127.0.0.1:9/logo.png?sig=secret"});
    stand.set_state(GST_STATE_PLAYING);
    stand.wait_until([&] { return !stand.stage().problem().empty(); });
    EXPECT_EQ(stand.stage().problem().find("secret"), std::string::npos);
  }
  const std::string text = log.text();
  for (const char *name : {"127.0.0.1:9/card.png", "127.0.0.1:9/logo.png"})
    EXPECT_NE(text.find(name), std::string::npos) << text;
  for (const char *secret : {"word", "secret"}) EXPECT_EQ(text.find(secret), std::string::npos) << text;
}

TEST(Logo, IsOverClipsButNotOverTheSlate) {
  TemporaryFolder folder;
  make_marked_still(folder.file("logo.png"), 0xFFFF, "pngenc", "width=40,height=20");
  make_marked_media(folder.file("clip.mp4"), {.frames = 75, .size = "width=160,height=90"});
  const auto corner = [&](const std::string &logo, uint64_t frame) {
    // At speed 4, so that the logo is read before frame 60.
    Stand stand({.speed = 4, .logo = logo, .logo_position = Corner::bottom_left, .kept_pictures = {5, 60}});
    const CueId cue = stand.stage().cue(media_of(folder.file("clip.mp4")), 75);
    EXPECT_EQ(stand.wait_for(cue), CueState::ready);
    stand.stage().take(cue, 10, 75);
    stand.set_state(GST_STATE_PLAYING);
    stand.wait_for_frames(70);
    stand.expect_exact_times();
    const auto picture = stand.picture(frame);
    std::vector<uint8_t> part;
    for (size_t y = 66; y < 86; ++y)
      for (size_t x = 4; x < 44; ++x) part.push_back(picture[y * 160 + x]);
    return part;
  };
  EXPECT_EQ(corner(folder.file("logo.png"), 5), corner("", 5));
  EXPECT_NE(corner(folder.file("logo.png"), 60), corner("", 60));
}

}  // namespace genclip::test
