// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Live, to NULL at once at any moment, and again from frame 0.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>

#include "tests/channelsrc/stand.h"
#include "tests/support/http_server.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

size_t entries(const char *folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

std::string some_clip(const TemporaryFolder &folder) {
  make_marked_media(folder.file("clip.mp4"), {.clip = 3, .frames = 50, .size = "width=160,height=90"});
  return folder.file("clip.mp4");
}

}  // namespace

TEST(States, IsLiveWithItsLatency) {
  Stand stand({.speed = 1, .latency_ms = 700});
  EXPECT_EQ(stand.set_state(GST_STATE_PAUSED), GST_STATE_CHANGE_NO_PREROLL);
  EXPECT_EQ(stand.set_state(GST_STATE_PLAYING), GST_STATE_CHANGE_SUCCESS);
  stand.wait_for_frames(1);
  GstQuery *query = gst_query_new_latency();
  ASSERT_TRUE(gst_pad_query(stand.stage().video_pad(), query));
  gboolean is_live = FALSE;
  GstClockTime least = 0, most = 0;
  gst_query_parse_latency(query, &is_live, &least, &most);
  gst_query_unref(query);
  EXPECT_TRUE(is_live);
  EXPECT_EQ(least, 700 * GST_MSECOND);
  EXPECT_EQ(most, GST_CLOCK_TIME_NONE);
  EXPECT_EQ(stand.set_state(GST_STATE_PAUSED), GST_STATE_CHANGE_NO_PREROLL);
}

TEST(States, FramesLeaveAtTheirTimes) {
  Stand stand({.speed = 1, .latency_ms = 500});
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_for_frames(30);
  const FrameTime now = stand.stage().clock();
  const uint64_t next = stand.stage().frame();
  EXPECT_LE(next, now.frame + 2);
  EXPECT_GE(next + 5, now.frame);
  EXPECT_EQ(stand.stage().counts().late, 0U);
}

TEST(States, APauseLosesNothing) {
  TemporaryFolder folder;
  Stand stand;
  const CueId cue = stand.stage().cue(media_of(some_clip(folder)), 50);
  ASSERT_EQ(stand.wait_for(cue), CueState::ready);
  stand.stage().take(cue, 10, 50);
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_for_frames(25);
  stand.set_state(GST_STATE_PAUSED);
  const size_t before = stand.frames().size();
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_for_frames(before + 60);
  stand.expect_exact_times();
  stand.expect_clip(3, 10, 50);
  EXPECT_EQ(stand.error(), "");
}

TEST(States, EosEndsBothStreamsAtOneFrame) {
  Stand stand;
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_for_frames(10);
  gst_element_send_event(stand.pipeline(), gst_event_new_eos());
  stand.wait_for_end();
  EXPECT_EQ(stand.sound().size(), stand.frames().size() * 1920);
  EXPECT_EQ(stand.stage().counts().audio_frames, stand.sound().size());
}

TEST(States, AFlushOfTheApplicationIsRefusedAndItsTagsLeaveOnBothPads) {
  Stand stand({.speed = 4});
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_for_frames(5);
  GstElement *pipeline = stand.pipeline();
  EXPECT_FALSE(gst_element_send_event(pipeline, gst_event_new_flush_start()));
  EXPECT_FALSE(gst_element_send_event(pipeline, gst_event_new_flush_stop(FALSE)));
  EXPECT_TRUE(
      gst_element_send_event(pipeline, gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, "Dunes", nullptr))));
  stand.wait_for_frames(15);
  stand.expect_exact_times();
  for (GstPad *pad : {stand.stage().video_pad(), stand.stage().audio_pad()})
    for (const GstEventType type : {GST_EVENT_SEGMENT, GST_EVENT_TAG}) {
      const auto event = GRef<GstEvent>::adopt(gst_pad_get_sticky_event(pad, type, 0));
      EXPECT_TRUE(event) << GST_PAD_NAME(pad) << " has no " << gst_event_type_get_name(type);
    }
}

TEST(States, AnOutputThatIsNotLinkedDoesNotStopTheOther) {
  TemporaryFolder folder;
  Stand stand;
  GstPad *audio = stand.stage().audio_pad();
  const auto ghost = GRef<GstPad>::adopt(gst_pad_get_peer(audio));
  const auto outside = GRef<GstPad>::adopt(GST_PAD(gst_proxy_pad_get_internal(GST_PROXY_PAD(ghost.get()))));
  const auto sink = GRef<GstPad>::adopt(gst_pad_get_peer(outside.get()));
  gst_pad_unlink(outside.get(), sink.get());
  const CueId cue = stand.stage().cue(media_of(some_clip(folder)), 50);
  ASSERT_EQ(stand.wait_for(cue), CueState::ready);
  stand.stage().take(cue, 10, 50);
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_until([&] { return stand.frames().size() > 70; });
  stand.expect_clip(3, 10, 50);
  EXPECT_EQ(stand.error(), "");
}

TEST(States, AnOutputThatWantsNoMoreEndsAloneAndTheClipGoesOn) {
  TemporaryFolder folder;
  Stand stand;
  const CueId cue = stand.stage().cue(media_of(some_clip(folder)), 50);
  ASSERT_EQ(stand.wait_for(cue), CueState::ready);
  stand.stage().take(cue, 10, 50);
  // The sound's sink takes three buffers.
  const auto ghost = GRef<GstPad>::adopt(gst_pad_get_peer(stand.stage().audio_pad()));
  const auto outside = GRef<GstPad>::adopt(GST_PAD(gst_proxy_pad_get_internal(GST_PROXY_PAD(ghost.get()))));
  const auto sink = GRef<GstPad>::adopt(gst_pad_get_peer(outside.get()));
  const auto element = GRef<GstElement>::adopt(gst_pad_get_parent_element(sink.get()));
  g_object_set(element.get(), "num-buffers", 3, nullptr);
  stand.set_state(GST_STATE_PLAYING);
  stand.wait_until([&] { return stand.frames().size() > 70; });
  stand.expect_clip(3, 10, 50);
  EXPECT_LT(stand.sound().size(), 5U * 1920);
  EXPECT_EQ(stand.stage().failure(cue), "");
  EXPECT_EQ(stand.error(), "");
}

TEST(States, ToNullIsAtOnceAtAnyMomentAndTheNextRunBeginsAnew) {
  TemporaryFolder folder;
  const std::string clip = some_clip(folder);
  HttpServer silent([](ServedConnection &connection) { connection.hang(); });
  std::mt19937 random(3);
  std::vector<std::chrono::steady_clock::duration> times;
  for (int run = 0; run < 12; ++run) {
    Stand stand;
    ReadyMedia hanging;
    hanging.uri = hanging.source = silent.url("/" + std::to_string(run));
    stand.set_state(GST_STATE_PLAYING);
    stand.stage().cue(hanging, 50);
    const CueId cue = stand.stage().cue(media_of(clip), 50);
    if (run % 2 == 0) stand.stage().take(cue, 10, 50);
    stand.wait_for_frames(random() % 40);
    const auto begin = std::chrono::steady_clock::now();
    stand.set_state(GST_STATE_NULL);
    times.push_back(std::chrono::steady_clock::now() - begin);
    EXPECT_EQ(stand.stage().counts().frames, 0U);
    EXPECT_EQ(stand.error(), "");
  }
  std::sort(times.begin(), times.end());
  EXPECT_LT(times[times.size() / 2], time_limit(std::chrono::milliseconds(100)));
}

TEST(States, ASecondRunIsLikeTheFirst) {
  TemporaryFolder folder;
  const std::string clip = some_clip(folder);
  Stand stand({.speed = 4});
  size_t before = 0;
  for (int run = 0; run < 3; ++run) {
    const CueId cue = stand.stage().cue(media_of(clip), 50);
    ASSERT_EQ(stand.wait_for(cue), CueState::ready);
    stand.stage().take(cue, 10, 50);
    stand.set_state(GST_STATE_PLAYING);
    stand.wait_until([&] { return stand.frames().size() >= before + 70; });
    const auto seen = stand.frames();
    EXPECT_EQ(seen[before].pts, 0U);
    EXPECT_EQ(seen[before + 10].mark, (FrameMark{3, 0}));
    EXPECT_EQ(seen[before + 59].mark, (FrameMark{3, 49}));
    stand.set_state(GST_STATE_READY);
    before = stand.frames().size();
  }
}

TEST(States, DroppedCuesLeaveNothing) {
  TemporaryFolder folder;
  const std::string clip = some_clip(folder);
  Stand stand;
  stand.set_state(GST_STATE_PLAYING);
  const auto round = [&](int count) {
    for (int index = 0; index < count; ++index) {
      const CueId cue = stand.stage().cue(media_of(clip), 50);
      if (index % 4 == 0) stand.wait_for(cue);
      stand.stage().drop(cue);
    }
  };
  round(10);
  stand.wait_until([&] { return entries("/proc/self/task") < 20; });
  const size_t files = entries("/proc/self/fd"), threads = entries("/proc/self/task");
  round(200);
  stand.wait_until(
      [&] { return entries("/proc/self/task") <= threads + 3 && entries("/proc/self/fd") <= files + 3; });
  stand.expect_exact_times();
}

}  // namespace genclip::test
