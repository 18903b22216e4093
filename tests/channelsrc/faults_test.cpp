// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A clip's failure is never the channel's: the slate is shown at the next frame, and the cue tells why.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/channelsrc/stand.h"
#include "tests/support/file_content.h"
#include "tests/support/http_server.h"

namespace genclip::test {
namespace {

constexpr uint64_t kBegin = 10;

class Faults : public testing::Test {
 protected:
  // Three seconds that can be played while they are read.
  std::string long_clip() {
    const std::string path = folder_.file("long.mkv");
    make_marked_media(path, {.clip = 3,
                             .frames = 150,
                             .size = "width=160,height=90",
                             .video = "x264enc bframes=0 tune=zerolatency key-int-max=5 ! h264parse",
                             .muxer = "matroskamux"});
    return path;
  }
  // All frames of clip 3 from kBegin on, each once, and the slate behind them; returns how many.
  uint64_t expect_part(Stand &stand) {
    const auto seen = stand.frames();
    uint64_t shown = 0;
    while (kBegin + shown < seen.size() && seen[kBegin + shown].mark) ++shown;
    stand.expect_clip(3, kBegin, shown);
    stand.expect_slate(kBegin + shown, seen.size() - kBegin - shown);
    stand.expect_exact_times();
    EXPECT_EQ(stand.error(), "");
    return shown;
  }
  TemporaryFolder folder_;
};

// Answers each request with the head of a file of that size, and its first bytes.
HttpServer::Script first_bytes(const std::string &bytes, size_t count, bool hang) {
  return [=](ServedConnection &connection) {
    const std::string request = connection.read_request();
    if (request.empty()) return;
    if (request.find("Range: bytes=0-") == request.npos && request.find("Range:") != request.npos) return;
    connection.send("HTTP/1.1 200 OK\r\nContent-Type: video/x-matroska\r\nContent-Length: " +
                    std::to_string(bytes.size()) + "\r\n\r\n" + bytes.substr(0, count));
    if (hang) connection.hang();
  };
}

}  // namespace

TEST_F(Faults, WhatCannotBeOpenedFailsWhileItIsPrepared) {
  Stand stand;
  const CueId missing = stand.stage().cue(media_of(folder_.file("missing.mp4")), 25);
  std::ofstream(folder_.file("noise.mp4")) << std::string(20000, 'x');
  const CueId noise = stand.stage().cue(media_of(folder_.file("noise.mp4")), 25);
  make_marked_media(folder_.file("sound.mp4"), {.frames = 0, .audio_seconds = 1});
  const CueId sound = stand.stage().cue(media_of(folder_.file("sound.mp4")), 25);
  for (const CueId cue : {missing, noise, sound}) {
    EXPECT_EQ(stand.wait_for(cue), CueState::failed);
    EXPECT_NE(stand.stage().failure(cue), "");
  }
  EXPECT_EQ(stand.stage().failure(sound), "It has no picture.");
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_for_frames(20);
  stand.expect_slate(0, 20);
  EXPECT_EQ(stand.error(), "");
}

TEST_F(Faults, AClipThatEndsTooSoonIsFollowedByTheSlate) {
  const std::string bytes = content(long_clip());
  std::ofstream(folder_.file("part.mkv"), std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  Stand stand;
  const CueId cue = stand.stage().cue(media_of(folder_.file("part.mkv")), 150);
  ASSERT_EQ(stand.wait_for(cue), CueState::ready);
  stand.stage().take(cue, kBegin, 150);
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_for_frames(kBegin + 160);
  const uint64_t shown = expect_part(stand);
  EXPECT_GT(shown, 20U);
  EXPECT_LT(shown, 140U);
  EXPECT_EQ(stand.stage().state(cue), CueState::failed);
  EXPECT_NE(stand.stage().failure(cue), "");
  EXPECT_EQ(stand.stage().failure_frame(cue), kBegin + shown);
}

// The file of a bad disk: its index promises what is not there.
TEST_F(Faults, AHoleInALongFileIsFollowedByTheSlate) {
  const std::string path = folder_.file("hole.mp4");
  make_marked_media(path, {.clip = 3,
                           .frames = 150,
                           .size = "width=160,height=90",
                           .video = "x264enc bframes=0 tune=zerolatency key-int-max=5 ! h264parse",
                           .muxer = "mp4mux faststart=true",
                           .audio = ""});
  std::string bytes = content(path);
  const size_t data = bytes.find("mdat");
  const size_t size = bytes.size() - data;
  bytes.replace(data + size * 2 / 5, size * 2 / 5, size * 2 / 5, 0);
  std::ofstream(path, std::ios::binary) << bytes;
  Stand stand;
  ReadyMedia media = media_of(path, false);
  media.may_have_holes = true;
  const CueId cue = stand.stage().cue(media, 150);
  ASSERT_EQ(stand.wait_for(cue), CueState::ready);
  stand.stage().take(cue, kBegin, 150);
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_for_frames(kBegin + 160);
  const auto seen = stand.frames();
  uint64_t shown = 0;
  while (kBegin + shown < seen.size() && seen[kBegin + shown].mark) ++shown;
  stand.expect_slate(kBegin + shown, seen.size() - kBegin - shown);
  stand.expect_exact_times();
  EXPECT_GT(shown, 30U);
  EXPECT_LT(shown, 90U);
  EXPECT_EQ(stand.stage().failure(cue),
            "Its pictures are missing for more than a second; the file may be damaged.");
  EXPECT_EQ(stand.stage().failure_frame(cue), kBegin + shown);
}

TEST_F(Faults, AServerThatStallsIsFollowedByTheSlate) {
  const std::string bytes = content(long_clip());
  HttpServer server(first_bytes(bytes, bytes.size() / 2, true));
  Stand stand({.speed = 4, .latency_ms = 16000});
  ReadyMedia media;
  media.uri = media.source = server.url("/clip.mkv");
  const CueId cue = stand.stage().cue(media, 150);
  ASSERT_EQ(stand.wait_for(cue), CueState::ready) << stand.stage().failure(cue);
  stand.stage().take(cue, kBegin, 150);
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_until([&] { return stand.stage().state(cue) == CueState::failed; });
  const uint64_t first_told = stand.stage().failure_frame(cue);
  stand.wait_for_frames(stand.stage().frame() + 5);
  const uint64_t shown = expect_part(stand);
  EXPECT_GT(shown, 20U);
  EXPECT_EQ(stand.stage().failure(cue), "Its decoder stalled.");
  EXPECT_EQ(first_told, kBegin + shown) << "the sound may stall first, at a later frame";
  EXPECT_EQ(stand.stage().failure_frame(cue), kBegin + shown);
  EXPECT_EQ(stand.stage().counts().dropped, 0U);
}

// A sound that does not come is waited for, and meanwhile the picture goes on.
TEST_F(Faults, WhatThePictureHasShownIsToldAsShownThoughTheSoundStallsEarlier) {
  const std::string path = folder_.file("long.mp4");
  make_marked_media(path, {.clip = 3,
                           .frames = 150,
                           .size = "width=160,height=90",
                           .video = "x264enc bframes=0 tune=zerolatency key-int-max=5 ! h264parse",
                           .muxer = "mp4mux faststart=true",
                           .audio_seconds = 2});
  const std::string bytes = content(path);
  HttpServer server(first_bytes(bytes, bytes.size() * 3 / 4, true));
  Stand stand({.speed = 4, .latency_ms = 16000});
  ReadyMedia media;
  media.uri = media.source = server.url("/clip.mp4");
  const CueId cue = stand.stage().cue(media, 150);
  ASSERT_EQ(stand.wait_for(cue), CueState::ready) << stand.stage().failure(cue);
  stand.stage().take(cue, kBegin, 150);
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_until([&] { return stand.stage().state(cue) == CueState::failed; });
  const uint64_t told = stand.stage().failure_frame(cue);
  stand.wait_for_frames(stand.stage().frame() + 5);
  const uint64_t shown = expect_part(stand);
  EXPECT_GT(shown, 60U) << "the sound ends at 50";
  EXPECT_EQ(told, kBegin + shown);
}

TEST_F(Faults, AConnectionThatBreaksIsFollowedByTheSlate) {
  const std::string bytes = content(long_clip());
  HttpServer server(first_bytes(bytes, bytes.size() / 2, false));
  Stand stand({.speed = 4, .latency_ms = 16000});
  ReadyMedia media;
  media.uri = media.source = server.url("/clip.mkv?signature=secret");
  const CueId cue = stand.stage().cue(media, 150);
  ASSERT_NE(stand.wait_for(cue), CueState::preparing);
  stand.stage().take(cue, kBegin, 150);
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_until([&] { return stand.stage().frame() > kBegin + 100; });
  expect_part(stand);
  EXPECT_EQ(stand.stage().state(cue), CueState::failed);
  EXPECT_NE(stand.stage().failure(cue), "");
  EXPECT_EQ(stand.stage().failure(cue).find("secret"), std::string::npos);
}

TEST_F(Faults, ATakenCueThatIsNeverReadyShowsTheSlateAndTheNextClipIsOnItsFrame) {
  HttpServer server([](ServedConnection &connection) { connection.hang(); });
  Stand stand({.speed = 4, .latency_ms = 16000});
  ReadyMedia media;
  media.uri = media.source = server.url("/never.mp4");
  const CueId never = stand.stage().cue(media, 50);
  const CueId next = stand.stage().cue(media_of(long_clip()), 50);
  ASSERT_EQ(stand.wait_for(next), CueState::ready);
  stand.stage().take(never, kBegin, 50);
  stand.stage().take(next, kBegin + 50, 50);
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_for_frames(kBegin + 105);
  stand.expect_slate(0, kBegin + 50);
  stand.expect_clip(3, kBegin + 50, 50);
  EXPECT_EQ(stand.stage().state(never), CueState::failed);
  EXPECT_EQ(stand.stage().failure_frame(never), kBegin);
}

// As after a stop of the whole process: twenty seconds of the clock are gone. The clip is ahead by
// eight, and may be late by four, which is a second of a busy machine.
TEST_F(Faults, AfterAStopTheMissedFramesAreSentAtOnceAndTheClipIsWhereItWouldBe) {
  make_marked_media(folder_.file("clip.mp4"), {.clip = 3, .frames = 900, .size = "width=160,height=90"});
  Stand stand({.speed = 4, .latency_ms = 8000});
  const CueId cue = stand.stage().cue(media_of(folder_.file("clip.mp4")), 900);
  ASSERT_EQ(stand.wait_for(cue), CueState::ready);
  stand.stage().take(cue, kBegin, 900);
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_for_frames(kBegin + 40);
  const auto clock = GRef<GstClock>::adopt(gst_element_get_clock(stand.pipeline()));
  const GstClockTime internal = gst_clock_get_internal_time(clock.get());
  gst_clock_set_calibration(clock.get(), internal, gst_clock_get_time(clock.get()) + 20 * GST_SECOND, 4, 1);
  stand.wait_for_frames(kBegin + 910);
  stand.expect_exact_times();
  EXPECT_EQ(stand.stage().state(cue), CueState::ready) << stand.stage().failure(cue);
  EXPECT_GT(stand.stage().counts().late, 100U);
  EXPECT_GT(stand.stage().counts().dropped, 10U);
  const auto seen = stand.frames();
  unsigned last = 0;
  for (uint64_t index = 0; index < 900; ++index) {
    const auto &mark = seen[kBegin + index].mark;
    ASSERT_TRUE(mark) << index;
    EXPECT_LE(mark->number, index);
    EXPECT_GE(mark->number, last);
    last = mark->number;
  }
  stand.expect_clip(3, kBegin, 30);
  stand.expect_clip(3, kBegin + 870, 30, 870);
  EXPECT_EQ(stand.error(), "");
}

}  // namespace genclip::test
