// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Limits that an operator changes while the film runs, and captions that are lost in other ways.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>

#include "tests/captioner/caption_harness.h"
#include "tests/captioner/caption_run.h"
#include "tests/captioner/harness.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kSlides[] = "video/x-raw,format=RGB,width=4,height=4,framerate=1/1";
constexpr char kOfASecond[] = "interval=1000000000 max-in-flight=4";

void push_slides(Harness &harness, unsigned from, unsigned to) {
  for (unsigned at = from; at < to; ++at)
    ASSERT_EQ(harness.push(std::string(48, static_cast<char>(20 * at)), at * GST_SECOND, GST_SECOND),
              GST_FLOW_OK);
}

bool wait_for(Harness &harness, const char *stat, uint64_t value) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (harness.stat(stat) != value && std::chrono::steady_clock::now() < end) g_usleep(1000);
  return harness.stat(stat) == value;
}

TEST(ChangedBudget, HoldsFromThenOn) {
  GatewayServer gateway;
  gateway.gateway().set_pace({.chunk = 0, .before = std::chrono::milliseconds(300), .between = {}});
  Harness harness(gateway, kOfASecond, kSlides);
  push_slides(harness, 0, 2);
  EXPECT_TRUE(wait_for(harness, "in-flight", 2));
  g_object_set(harness.element(), "max-requests", 2U, nullptr);
  push_slides(harness, 2, 6);
  EXPECT_TRUE(wait_for(harness, "skipped", 4));
  EXPECT_TRUE(wait_for(harness, "in-flight", 0));
  EXPECT_EQ(gateway.gateway().calls(), 2u);
  g_object_set(harness.element(), "max-requests", 3U, nullptr);
  push_slides(harness, 6, 9);
  const Cues cues = harness.finish();
  ASSERT_EQ(cues.size(), 3u) << testing::PrintToString(cues);
  EXPECT_EQ(cues[2].start, 6000u);
  EXPECT_EQ(gateway.gateway().calls(), 3u);
  EXPECT_EQ(harness.stat("in-flight"), 0u);
  EXPECT_THAT(harness.warnings(), ElementsAre(HasSubstr("max-requests"), HasSubstr("max-requests")));
}

TEST(Asking, EndsAndBeginsAgainWhileTheFilmPlays) {
  GatewayServer gateway;
  gateway.gateway().set_pace({.chunk = 0, .before = std::chrono::milliseconds(300), .between = {}});
  Harness harness(gateway, kOfASecond, kSlides);
  push_slides(harness, 0, 2);
  EXPECT_TRUE(wait_for(harness, "in-flight", 2));
  g_object_set(harness.element(), "asking", FALSE, nullptr);
  push_slides(harness, 2, 6);
  EXPECT_TRUE(wait_for(harness, "unasked", 4));
  EXPECT_TRUE(wait_for(harness, "in-flight", 0));
  g_object_set(harness.element(), "asking", TRUE, nullptr);
  push_slides(harness, 6, 7);
  const Cues cues = harness.finish();
  ASSERT_EQ(cues.size(), 3u) << testing::PrintToString(cues);
  EXPECT_EQ(cues[2].start, 6000u);
  EXPECT_EQ(gateway.gateway().calls(), 3u);
  EXPECT_THAT(harness.warnings(), testing::IsEmpty()) << "somebody has wished it";
}

// Until the first answer is there, nobody knows what a request takes.
TEST(Asking, EndsForThoseThatWaitForALimitOfTokens) {
  std::atomic<unsigned> came = 0;
  std::atomic<bool> is_answered = false;
  GatewayServer gateway;
  gateway.refuse([&](const std::string &) {
    for (++came; !is_answered;) g_usleep(1000);
    return false;
  });
  Harness harness(gateway, std::string(kOfASecond) + " max-tokens=100000", kSlides);
  push_slides(harness, 0, 4);
  EXPECT_TRUE(wait_for(harness, "requests", 4));
  EXPECT_TRUE(wait_for(harness, "in-flight", 1)) << "the others have not been sent";
  g_object_set(harness.element(), "asking", FALSE, nullptr);
  is_answered = true;
  EXPECT_TRUE(wait_for(harness, "in-flight", 0));
  EXPECT_EQ(harness.finish().size(), 1u);
  EXPECT_EQ(came, 1u);
  EXPECT_EQ(harness.stat("requests"), 1u);
  EXPECT_EQ(harness.stat("unasked"), 3u);
}

TEST(Asking, IsOffFromTheStart) {
  GatewayServer gateway;
  Harness harness(gateway, std::string(kOfASecond) + " asking=false", kSlides);
  push_slides(harness, 0, 3);
  EXPECT_TRUE(harness.finish().empty());
  EXPECT_EQ(gateway.gateway().calls(), 0u);
}

// A handler of messages stands for another thread that sets it while the run is prepared.
TEST(Asking, MayEndWhileTheRunIsPrepared) {
  const TemporaryFolder folder;
  const std::string key = folder.path() + "/key";
  std::ofstream(key) << kKey << "\n";
  std::filesystem::permissions(key, std::filesystem::perms(0644));
  GatewayServer gateway;
  CaptionRun run(gateway,
                 "videotestsrc name=src num-buffers=20 ! video/x-raw,format=RGB,width=64,height=36,"
                 "framerate=10/1 ! gencaption name=cap interval=1000000000 ! appsink name=out sync=false");
  run.set("cap", "api-key", "");
  run.set("cap", "api-key-file", key);
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(run.pipeline()));
  gst_bus_set_sync_handler(
      bus.get(),
      [](GstBus *, GstMessage *message, gpointer) {
        if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING)
          g_object_set(GST_MESSAGE_SRC(message), "asking", FALSE, nullptr);
        return GST_BUS_PASS;
      },
      nullptr, nullptr);
  EXPECT_EQ(run.play(), "");
  EXPECT_THAT(run.warnings(), ElementsAre(HasSubstr("is open to other users")));
  EXPECT_EQ(gateway.gateway().calls(), 0u);
  EXPECT_EQ(run.stat("unasked"), 2u);
}

// The picture stays while captions are lost. What is sent then has left once its window is silence.
class LostCaptions : public testing::Test {
 protected:
  void show(unsigned second) {
    ASSERT_EQ(harness_.push(std::string(48, 20), second * GST_SECOND, GST_SECOND), GST_FLOW_OK);
  }
  void wait_for_silence_until(uint64_t second) {
    const CameOut silence{"gap", (second - 1) * GST_SECOND, second * GST_SECOND};
    for (size_t count = 1; count < 100 && !has(silence); ++count) harness_.wait_for("gap", count);
    ASSERT_TRUE(has(silence)) << testing::PrintToString(harness_.so_far());
  }
  Cues finish() {
    Cues cues;
    for (const CameOut &one : only(harness_.finish(), "caption"))
      cues.push_back({one.start / GST_SECOND, one.end / GST_SECOND, ""});
    return cues;
  }

  GatewayServer gateway_;
  CaptionHarness harness_{gateway_, "interval=1000000000 scene-threshold=0.1 on-error=skip retries=0",
                          kSlides};

 private:
  bool has(const CameOut &one) {
    const auto all = harness_.so_far();
    return std::find(all.begin(), all.end(), one) != all.end();
  }
};

TEST_F(LostCaptions, ByAFailureComeWithTheNextWindow) {
  gateway_.fault(sim::GatewayFaultKind::status, 1, 503);
  harness_.push_segment(0);
  show(0);
  wait_for_silence_until(1);
  for (unsigned second = 1; second < 4; ++second) show(second);
  EXPECT_EQ(finish(), (Cues{{1, 2, ""}, {2, 3, ""}, {3, 4, ""}}));
  EXPECT_EQ(gateway_.gateway().calls(), 2u);
}

TEST_F(LostCaptions, WhileNothingWasAskedComeWithTheNextWindow) {
  g_object_set(harness_.get()->element, "asking", FALSE, nullptr);
  harness_.push_segment(0);
  show(0);
  wait_for_silence_until(1);
  show(1);
  wait_for_silence_until(2);
  g_object_set(harness_.get()->element, "asking", TRUE, nullptr);
  for (unsigned second = 2; second < 4; ++second) show(second);
  EXPECT_EQ(finish(), (Cues{{2, 3, ""}, {3, 4, ""}}));
  EXPECT_EQ(gateway_.gateway().calls(), 1u);
}

TEST(ChangedBudget, OfNoneIsNoLimit) {
  GatewayServer gateway;
  Harness harness(gateway, std::string(kOfASecond) + " max-requests=1", kSlides);
  push_slides(harness, 0, 1);
  g_object_set(harness.element(), "max-requests", 0U, nullptr);
  push_slides(harness, 1, 6);
  EXPECT_EQ(harness.finish().size(), 6u);
  EXPECT_THAT(harness.warnings(), testing::IsEmpty());
}

}  // namespace
}  // namespace genclip::test
