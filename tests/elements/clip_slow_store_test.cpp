// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A store on a disk that hangs, or that takes half a second per call, blocks neither state changes nor
// queries.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/elements/clip_pipeline.h"
#include "tests/elements/scripted_service.h"
#include "tests/elements/slow_disk.h"
#include "tests/support/seed.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

using namespace std::chrono_literals;

// Waiting for a hanging disk takes until SlowDisk stops hanging, which is longer than any delay of a busy
// machine.
constexpr auto kNoTime = 2s;
// No run makes more calls.
constexpr size_t kMostCalls = 1000;

bool is_over(ClipPipeline &clip) {
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(clip.pipeline()));
  const auto message = GRef<GstMessage>::adopt(gst_bus_timed_pop_filtered(
      bus.get(), GST_MSECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  return static_cast<bool>(message);
}

// A run on a disk that hangs after this number of calls. True: the run ended before.
bool ends_before_the_disk_hangs(const char *sink, const std::string &url, const std::string &store,
                                const std::string &key, unsigned take, size_t calls) {
  SCOPED_TRACE("the disk hangs after " + std::to_string(calls) + " calls");
  ClipPipeline clip(sink);
  use(clip, url, store);
  clip.set("api-key", key);
  clip.set("take", std::to_string(take));
  bool ended = false;
  {
    const SlowDisk disk(store, calls);
    EXPECT_LT(clip.time_to(GST_STATE_PLAYING), time_limit(kNoTime));
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!disk.is_waited_for() && !(ended = is_over(clip))) {
      if (std::chrono::steady_clock::now() > end) {
        ADD_FAILURE() << "neither hung nor over";
        break;
      }
    }
    const auto begun = std::chrono::steady_clock::now();
    gint64 size = 0;
    gst_element_query_duration(clip.src(), GST_FORMAT_BYTES, &size);
    const auto seeking = GRef<GstQuery>::adopt(gst_query_new_seeking(GST_FORMAT_BYTES));
    gst_element_query(clip.src(), seeking.get());
    clip.get("status");
    EXPECT_LT(std::chrono::steady_clock::now() - begun, time_limit(kNoTime));
    EXPECT_LT(clip.time_to(GST_STATE_NULL), time_limit(kNoTime));
    EXPECT_EQ(disk.calls_of_this_thread(), 0u) << "the application's thread does the disk's work";
    EXPECT_FALSE(disk.gave_up());
  }
  return ended;
}

class ClipHungStore : public testing::TestWithParam<const char *> {
 protected:
  TemporaryFolder store_;
  ScriptedService service_{{.media = {answer(200, small_clip(300000))}}};
};

TEST_P(ClipHungStore, KeepsNobodyWaitingAtAnyCallOfAStoredClip) {
  ClipPipeline first;
  use(first, service_.url(), store_.path());
  ASSERT_FALSE(first.play());
  first.go(GST_STATE_NULL);
  // A stored clip needs no key.
  size_t calls = 0;
  while (!HasFailure() && calls < kMostCalls &&
         !ends_before_the_disk_hangs(GetParam(), service_.url(), store_.path(), "", 0, calls))
    ++calls;
  EXPECT_GT(calls, 5u) << "it takes a journal, a lock and a clip";
  EXPECT_LT(calls, kMostCalls);
}

TEST_P(ClipHungStore, KeepsNobodyWaitingAtAnyCallOfAGeneration) {
  // Else each run would import the clips of all runs before it into a ledger.
  ClipPipeline first;
  use(first, service_.url(), store_.path());
  ASSERT_FALSE(first.play());
  first.go(GST_STATE_NULL);
  // Which calls there are depends on when the threads run: a prime step meets them all in time.
  size_t calls = 0;
  unsigned take = 1;
  while (!HasFailure() && calls < kMostCalls &&
         !ends_before_the_disk_hangs(GetParam(), service_.url(), store_.path(), kKey, take++, calls))
    calls += calls < 20 ? 1 : 3;
  EXPECT_GT(calls, 20u);
  EXPECT_LT(calls, kMostCalls);
}

INSTANTIATE_TEST_SUITE_P(ClipSrc, ClipHungStore, testing::Values("fakesink name=sink sync=false", kPull),
                         [](const auto &row) {
                           return std::string_view(row.param) == kPull ? "Pulled" : "Pushed";
                         });

TEST(ClipSlowStore, TakesNoPartOfItsHalfSecondPerCallOutOfAStateChange) {
  TemporaryFolder store;
  ScriptedService service;
  ClipPipeline first;
  use(first, service.url(), store.path());
  ASSERT_FALSE(first.play());
  first.go(GST_STATE_NULL);
  const unsigned seed = test_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::array<std::chrono::milliseconds, 5> up, down;
  for (size_t i = 0; i < up.size(); ++i) {
    ClipPipeline clip(i % 2 ? kPull : "fakesink sync=false");
    use(clip, service.url(), store.path());
    clip.set("api-key", "");
    const SlowDisk disk(store.path(), 500ms);
    up[i] = clip.time_to(GST_STATE_PLAYING);
    // Any moment of the first calls.
    const auto moment = std::chrono::steady_clock::now() + std::chrono::milliseconds(random() % 1500);
    while (std::chrono::steady_clock::now() < moment && !is_over(clip)) {
    }
    down[i] = clip.time_to(GST_STATE_NULL);
  }
  // The median, because the machine may be busy.
  std::sort(up.begin(), up.end());
  std::sort(down.begin(), down.end());
  EXPECT_LT(up[2], time_limit(100ms));
  EXPECT_LT(down[2], time_limit(100ms));
}

// It begins at the end, so the state change waits for the size. A busy machine takes longer for it than a
// query used to wait.
TEST(ClipSlowStore, PlaysAStoredClipBackwards) {
  TemporaryFolder store;
  ScriptedService service;
  ClipPipeline first;
  use(first, service.url(), store.path());
  ASSERT_FALSE(first.play());
  first.go(GST_STATE_NULL);
  for (const char *sink : {"fakesink sync=false", "queue ! fakesink sync=false"}) {
    ClipPipeline clip(sink);
    use(clip, service.url(), store.path());
    clip.go(GST_STATE_READY);
    ASSERT_TRUE(gst_element_seek(clip.src(), -1, GST_FORMAT_BYTES, GST_SEEK_FLAG_NONE, GST_SEEK_TYPE_SET, 0,
                                 GST_SEEK_TYPE_SET, -1));
    const SlowDisk disk(store.path(), 10ms);
    EXPECT_NE(clip.go(GST_STATE_PLAYING), GST_STATE_CHANGE_FAILURE);
    const auto error = clip.finish();
    EXPECT_FALSE(error) << error->text;
  }
}

TEST(ClipSlowStore, TellsThatThereIsNoKeyOnceItHasLookedForTheClip) {
  g_unsetenv("GENCLIP_API_KEY");
  g_unsetenv("GENCLIP_API_KEY_FILE");
  TemporaryFolder store;
  ScriptedService service;
  ClipPipeline clip;
  use(clip, service.url(), store.path());
  clip.set("api-key", "");
  EXPECT_EQ(clip.go(GST_STATE_PAUSED), GST_STATE_CHANGE_ASYNC);
  const auto error = clip.finish();
  ASSERT_TRUE(error);
  EXPECT_TRUE(error->is(GST_RESOURCE_ERROR_SETTINGS)) << error->text;
  EXPECT_TRUE(
      error->text.starts_with("This clip is not in the store " + store.path() + ". There is no API key"))
      << error->text;
  EXPECT_TRUE(service.requests().empty());
}

}  // namespace
}  // namespace genclip::test
