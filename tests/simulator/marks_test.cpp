// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Each frame and each second of a marked clip is recognised after encoding and scaling; times, levels and
// moderation follow the seed.
#include "tests/support/marks.h"

#include <gst/app/app.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "examples/simulator/clip_marks.h"
#include "plugin/base/gref.h"
#include "tests/simulator/web.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temporary_folder.h"

namespace genclip::sim::test {
namespace {

using genclip::test::find_seconds;
using genclip::test::FrameMark;
using genclip::test::make_marked_media;
using genclip::test::make_marked_still;
using genclip::test::read_frame_mark;
using genclip::test::TemporaryFolder;

std::vector<GRef<GstSample>> samples_of(const std::string &description, const std::string &input) {
  GErrorPtr error;
  GstElement *parsed = gst_parse_launch(description.c_str(), take(error));
  EXPECT_FALSE(error) << error->message;
  const auto pipeline = GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(parsed)));
  const auto element = [&](const char *name) {
    return GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline.get()), name));
  };
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  if (const auto in = element("in")) {
    gst_app_src_push_buffer(GST_APP_SRC(in.get()), gst_buffer_new_memdup(input.data(), input.size()));
    gst_app_src_end_of_stream(GST_APP_SRC(in.get()));
  }
  std::vector<GRef<GstSample>> all;
  const auto out = element("out");
  while (auto sample =
             GRef<GstSample>::adopt(gst_app_sink_try_pull_sample(GST_APP_SINK(out.get()), 20 * GST_SECOND)))
    all.push_back(std::move(sample));
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  return all;
}

// Of all frames, after `scaling` if that is given.
std::vector<std::optional<FrameMark>> marks_of(const std::string &source, const std::string &input = {},
                                               const std::string &scaling = "") {
  std::vector<std::optional<FrameMark>> marks;
  for (const auto &sample :
       samples_of(source + " ! decodebin ! " + scaling +
                      "videoconvert ! video/x-raw,format=I420 ! appsink name=out sync=false",
                  input))
    marks.push_back(read_frame_mark(sample.get()));
  return marks;
}

std::vector<int64_t> seconds_of(const std::string &source, const std::string &input = {}) {
  std::vector<float> sound;
  for (const auto &sample :
       samples_of(source + " ! decodebin ! audioconvert ! audio/x-raw,format=F32LE,channels=1,rate=48000 ! "
                           "appsink name=out sync=false",
                  input)) {
    GstBuffer *buffer = gst_sample_get_buffer(sample.get());
    const size_t before = sound.size(), size = gst_buffer_get_size(buffer);
    sound.resize(before + size / sizeof(float));
    gst_buffer_extract(buffer, 0, sound.data() + before, size);
  }
  return find_seconds(sound, 48000);
}

void expect_counted(const std::vector<std::optional<FrameMark>> &marks, unsigned clip, size_t count) {
  ASSERT_EQ(marks.size(), count);
  for (unsigned i = 0; i < count; ++i) {
    ASSERT_TRUE(marks[i]) << "frame " << i;
    EXPECT_EQ(*marks[i], (FrameMark{clip, i})) << marks[i]->clip << " " << marks[i]->number;
  }
}

void expect_seconds(const std::vector<int64_t> &seconds, size_t count) {
  ASSERT_EQ(seconds.size(), count);
  for (size_t i = 0; i < count; ++i)
    EXPECT_NEAR(static_cast<double>(seconds[i]), 48000.0 * static_cast<double>(i), 10) << "second " << i;
}

class Marks : public ::testing::Test {
 protected:
  void begin(SimulatorOptions options) {
    simulator_ = std::make_unique<Simulator>(std::move(options));
    ASSERT_TRUE(simulator_->start());
  }
  Json finished(const std::string &prompt, const std::string &size = "320x180") {
    return finished_task(*simulator_, Json::Object{{"model", "vidq3-turbo"},
                                                   {"duration", 2},
                                                   {"size", size},
                                                   {"generate_audio", true},
                                                   {"prompt", prompt}});
  }
  std::string clip(const std::string &prompt, const std::string &size = "320x180") {
    const Json task = finished(prompt, size);
    EXPECT_EQ(text(task, "status"), "completed") << task.to_text();
    return ask("GET", text(task, "result_url")).body;
  }

  std::unique_ptr<Simulator> simulator_;
};

TEST_F(Marks, EachFrameTellsItsClipAndItsNumberAndEachSecondItsBeginning) {
  begin({.frames_per_second = 25, .marks = true});
  const std::string bytes = clip("Nr. 4711, a red kite over 3 dunes");
  expect_counted(marks_of("appsrc name=in", bytes), 4711, 50);
  expect_seconds(seconds_of("appsrc name=in", bytes), 2);
}

TEST_F(Marks, SurviveScalingToASmallPictureAndBack) {
  begin({.frames_per_second = 10, .marks = true});
  const std::string bytes = clip("clip 9", "1280x720");
  expect_counted(marks_of("appsrc name=in", bytes, "videoscale ! video/x-raw,width=160,height=90 ! "), 9, 20);
  expect_counted(marks_of("appsrc name=in", bytes,
                          "videoscale ! video/x-raw,width=160,height=90 ! x264enc speed-preset=ultrafast ! "
                          "avdec_h264 ! videoscale ! video/x-raw,width=1280,height=720 ! "),
                 9, 20);
}

TEST_F(Marks, AreNotThereUnasked) {
  begin({});
  const std::string bytes = clip("clip 9");
  for (const auto &mark : marks_of("appsrc name=in", bytes)) EXPECT_FALSE(mark);
  EXPECT_TRUE(seconds_of("appsrc name=in", bytes).empty());
}

TEST_F(Marks, AreMadeInOtherMediaToo) {
  gst_init(nullptr, nullptr);
  const TemporaryFolder folder;
  const std::string film = folder.file("film.mkv"), still = folder.file("still.jpg");
  make_marked_media(film, {.clip = 300,
                           .frames = 60,
                           .rate = "30/1",
                           .video = "vp8enc deadline=1",
                           .muxer = "matroskamux",
                           .audio = "flacenc",
                           .audio_delay = 0,
                           .channels = 1});
  expect_counted(marks_of("filesrc location=" + film), 300, 60);
  expect_seconds(seconds_of("filesrc location=" + film), 2);
  make_marked_still(still, 301, "jpegenc");
  expect_counted(marks_of("filesrc location=" + still), 301, 1);
}

TEST_F(Marks, AreNoMarksInABlackOrAGreyOrANoisyPicture) {
  for (const std::string pattern : {"black", "white", "snow", "smpte", "gradient"})
    for (const auto &mark : marks_of("videotestsrc num-buffers=20 pattern=" + pattern))
      EXPECT_FALSE(mark) << pattern;
}

TEST_F(Marks, NameAClipByTheFirstNumberInItsPrompt) {
  EXPECT_EQ(clip_mark("12 kites and 13 dunes"), 12u);
  EXPECT_EQ(clip_mark("kite65537"), 1u) << "modulo 2^16";
  EXPECT_EQ(clip_mark("a kite"), clip_mark("a kite"));
  EXPECT_NE(clip_mark("a kite"), clip_mark("a dune"));
}

TEST_F(Marks, ModerationRefusesItsShareOfPromptsAndAlwaysTheSameOnes) {
  const auto refused = [&](uint64_t seed, double share) {
    begin({.queued = std::chrono::milliseconds(0),
           .processing = std::chrono::milliseconds(0),
           .clip_bytes = "clip",
           .moderated = share,
           .seed = seed});
    std::set<int> failed;
    for (int i = 0; i < 40; ++i)
      if (const Json task = finished("prompt " + std::to_string(i)); text(task, "status") == "failed") {
        EXPECT_NE(task.to_text().find("moderation"), std::string::npos) << task.to_text();
        failed.insert(i);
      }
    return failed;
  };
  const auto some = refused(7, 0.25);
  EXPECT_GE(some.size(), 4u);
  EXPECT_LE(some.size(), 18u);
  EXPECT_EQ(refused(7, 0.25), some);
  EXPECT_NE(refused(8, 0.25), some);
  EXPECT_TRUE(refused(7, 0).empty());
  EXPECT_EQ(refused(7, 1).size(), 40u);
}

TEST(Chance, GivesEachTaskATimeOfItsOwnBetweenTheTwo) {
  genclip::test::FakeClock clock;
  Simulator simulator({.queued = std::chrono::milliseconds(1000),
                       .processing = std::chrono::hours(1),
                       .most_queued = std::chrono::milliseconds(2000),
                       .clip_bytes = "clip",
                       .clock = &clock});
  ASSERT_TRUE(simulator.start());
  const std::string tasks = simulator.base_url() + "/v2/model-center/tasks";
  std::vector<std::string> ids;
  for (int i = 0; i < 40; ++i)
    ids.push_back(text(ask_api("POST", tasks, R"({"model": "dance-2.5", "prompt": "a"})").json(), "id"));
  const auto queued = [&] {
    return std::count_if(ids.begin(), ids.end(), [&](const std::string &id) {
      return text(ask_api("GET", tasks + "/" + id).json(), "status") == "queued";
    });
  };
  clock.advance(std::chrono::milliseconds(999));
  EXPECT_EQ(queued(), 40);
  clock.advance(std::chrono::milliseconds(500));
  EXPECT_GE(queued(), 8);
  EXPECT_LE(queued(), 32);
  clock.advance(std::chrono::milliseconds(501));
  EXPECT_EQ(queued(), 0);
}

}  // namespace
}  // namespace genclip::sim::test
