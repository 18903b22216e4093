// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The message gencaption-estimate: when it comes, and what it says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "elements/captioner/caption_estimate.h"
#include "plugin/account/ledger.h"
#include "plugin/base/segment_stretch.h"
#include "plugin/caption/window_count.h"
#include "tests/captioner/caption_run.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

struct Told {
  guint64 windows = 0, requests = 0, tokens = 0, length = 0;
  std::string basis;
};

std::vector<Told> told_so_far(const CaptionRun &run) {
  std::vector<Told> all;
  for (const auto &message : run.seen) {
    const GstStructure *structure = gst_message_get_structure(message.get());
    if (!structure || !gst_structure_has_name(structure, "gencaption-estimate")) continue;
    Told told;
    gst_structure_get_uint64(structure, "windows", &told.windows);
    gst_structure_get_uint64(structure, "requests", &told.requests);
    gst_structure_get_uint64(structure, "tokens", &told.tokens);
    gst_structure_get_uint64(structure, "length", &told.length);
    told.basis = gst_structure_get_string(structure, "basis");
    all.push_back(told);
  }
  return all;
}

// Of a film of that many seconds, in windows of a second.
std::string film(unsigned seconds, const std::string &properties = "") {
  return "videotestsrc name=src num-buffers=" + std::to_string(10 * seconds) +
         " ! video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! "
         "gencaption name=cap interval=1000000000 " +
         properties + " ! appsink name=out sync=false";
}

std::vector<Told> told_by(CaptionRun &run) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (told_so_far(run).empty() && std::chrono::steady_clock::now() < end)
    run.wait(GST_MESSAGE_ELEMENT, std::chrono::milliseconds(100));
  return told_so_far(run);
}

// Begins with that segment.
std::vector<Told> played(CaptionRun &run, uint64_t start, uint64_t stop) {
  run.go(GST_STATE_READY);
  gst_element_send_event(
      run.element("src").get(),
      gst_event_new_seek(1, GST_FORMAT_TIME, GST_SEEK_FLAG_NONE, GST_SEEK_TYPE_SET,
                         static_cast<gint64>(start), GST_SEEK_TYPE_SET, static_cast<gint64>(stop)));
  EXPECT_EQ(run.play(), "");
  return told_by(run);
}

TEST(CaptionEstimate, CountsEveryWindowThatIsTouched) {
  EXPECT_EQ(windows_between(0, 10, 5), 2u);
  EXPECT_EQ(windows_between(0, 11, 5), 3u);
  EXPECT_EQ(windows_between(4, 6, 5), 2u);
  EXPECT_EQ(windows_between(5, 10, 5), 1u);
  EXPECT_EQ(windows_between(7, 7, 5), 0u);
  EXPECT_EQ(windows_between(7, 3, 5), 0u);
  EXPECT_EQ(windows_between(0, UINT64_MAX, 1'000'000), UINT64_MAX / 1'000'000 + 1);
  EXPECT_EQ(windows_between(0, 10, 0), 0u);
}

TEST(CaptionEstimate, OneCountServesTheRunAndTheDryRun) {
  const WindowCount fixed = count_windows(0, 10, {5});
  EXPECT_EQ(std::pair(fixed.windows, fixed.most), std::pair(uint64_t{2}, uint64_t{2}));
  const WindowCount cut = count_windows(0, 10, {5, 3});
  EXPECT_EQ(std::pair(cut.windows, cut.most), std::pair(uint64_t{2}, uint64_t{4}));
  const WindowCount slow = count_windows(0, 10, {5, 9});
  EXPECT_EQ(slow.most, 2u) << "min-interval is no longer than interval";
}

GstSegment segment_of(uint64_t start, uint64_t stop) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = start;
  segment.time = 0;
  segment.stop = stop;
  return segment;
}

TEST(CaptionEstimate, APictureEndsBeforeTheSoundBesideIt) {
  EXPECT_EQ(stretch_of(segment_of(0, 50), 52), (Stretch{0, 50}));
  EXPECT_EQ(stretch_of(segment_of(10, 60), 52), (Stretch{0, 50}));
  EXPECT_EQ(stretch_of(segment_of(0, 90), 52), (Stretch{0, 52})) << "a stop is no promise of more";
  EXPECT_EQ(stretch_of(segment_of(0, GST_CLOCK_TIME_NONE), 52), (Stretch{0, 52}));
  EXPECT_EQ(stretch_of(segment_of(0, 50), -1), (Stretch{0, 50}));
  EXPECT_FALSE(stretch_of(segment_of(0, GST_CLOCK_TIME_NONE), -1));
}

TEST(CaptionEstimate, IsToldOnceForASegmentOfKnownLength) {
  GatewayServer gateway;
  CaptionRun run(gateway, film(1000));
  const auto told = played(run, GST_SECOND / 2, 4 * GST_SECOND);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].windows, 4u);
  EXPECT_EQ(told[0].requests, 4u);
  EXPECT_EQ(told[0].length, 3'500'000'000u);
}

TEST(CaptionEstimate, ALimitOfRequestsHoldsForIt) {
  GatewayServer gateway;
  CaptionRun run(gateway, film(1000, "max-requests=2"));
  const auto told = played(run, 0, 4 * GST_SECOND);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].windows, 4u);
  EXPECT_EQ(told[0].requests, 2u);
}

TEST(CaptionEstimate, CutsMakeAtMostAWindowEachMinInterval) {
  EXPECT_EQ(most_windows_with_cuts(0, 10, 3), 4u);
  EXPECT_EQ(most_windows_with_cuts(5, 14, 3), 3u);
  EXPECT_EQ(most_windows_with_cuts(5, 5, 3), 0u);
  for (const auto &[properties, most] :
       {std::pair("align=cuts min-interval=400000000", 10u),
        std::pair("align=cuts min-interval=9000000000", 4u),
        std::pair("align=cuts min-interval=400000000 max-requests=7", 7u), std::pair("align=fixed", 4u)}) {
    GatewayServer gateway;
    CaptionRun run(gateway, film(1000, properties));
    const auto told = played(run, 0, 4 * GST_SECOND);
    ASSERT_EQ(told.size(), 1u) << properties;
    EXPECT_EQ(told[0].windows, 4u) << properties;
    EXPECT_EQ(told[0].requests, most) << properties;
  }
}

TEST(CaptionEstimate, CutsNeverMakeMoreThanWasTold) {
  GatewayServer gateway;
  // Each picture is another one.
  CaptionRun run(gateway,
                 "videotestsrc pattern=blink num-buffers=40 ! "
                 "video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! gencaption name=cap "
                 "align=cuts min-interval=500000000 ! appsink name=out sync=false");
  ASSERT_EQ(run.play(), "");
  const auto told = told_by(run);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].requests, 8u);
  EXPECT_EQ(gateway.gateway().calls(), 8u);
}

TEST(CaptionEstimate, TellsTokensByWhatTheLedgerKnows) {
  const TemporaryFolder folder;
  const std::string store = folder.path() + "/store";
  std::filesystem::create_directory(store);
  GatewayServer gateway;
  {
    CaptionRun first(gateway, film(1000, "store=" + store));
    const auto told = played(first, 0, 2 * GST_SECOND);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].basis, "none");
    EXPECT_EQ(told[0].tokens, 0u);
  }
  Ledger ledger(FileSystem::posix(), Clock::system(), store);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  uint64_t total = 0, requests = 0;
  while (requests < 2 && std::chrono::steady_clock::now() < end) {
    total = requests = 0;
    const auto reading = ledger.read_all();
    ASSERT_TRUE(reading);
    for (const auto &[of, use] : reading->account.captions_used()) {
      total += use.total_tokens;
      requests += use.requests;
    }
    g_usleep(1000);
  }
  ASSERT_GE(requests, 2u);
  CaptionRun again(gateway, film(1000, "store=" + store));
  const auto told = played(again, 0, 10 * GST_SECOND);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].basis, "ledger");
  EXPECT_EQ(told[0].tokens, 10 * total / requests);
}

TEST(CaptionEstimate, AnUnknownLengthAndALiveStreamHaveNone) {
  GatewayServer gateway;
  CaptionRun unknown(gateway,
                     "videotestsrc name=src ! identity eos-after=21 ! "
                     "video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! gencaption name=cap "
                     "interval=1000000000 ! appsink name=out sync=false");
  ASSERT_EQ(unknown.play(), "");
  unknown.wait(GST_MESSAGE_NEW_CLOCK, std::chrono::milliseconds(200));
  EXPECT_TRUE(told_so_far(unknown).empty());
  CaptionRun live(gateway,
                  "videotestsrc name=src is-live=true num-buffers=10 ! "
                  "video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! gencaption name=cap "
                  "interval=1000000000 ! appsink name=out sync=false");
  ASSERT_EQ(live.play(), "");
  live.wait(GST_MESSAGE_NEW_CLOCK, std::chrono::milliseconds(200));
  EXPECT_TRUE(told_so_far(live).empty());
}

}  // namespace
}  // namespace genclip::test
