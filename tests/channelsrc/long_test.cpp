// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Many clips, one behind the other, on a fast clock: nothing drifts and nothing grows.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/channelsrc/stand.h"

namespace genclip::test {
namespace {

size_t entries_of(const char *folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace

TEST(Long, ClipsOfFiveSecondsFollowEachOtherWithoutAGap) {
  const char *minutes = g_getenv("GENCLIP_PLAYOUT_MINUTES");
  const int clips = minutes ? std::atoi(minutes) * 12 : 12;
  TemporaryFolder folder;
  make_marked_media(folder.file("clip.mp4"), {.frames = 125, .size = "width=160,height=90"});
  Stand stand;
  stand.set_state(GST_STATE_PLAYING);
  size_t files = 0, threads = 0;
  uint64_t start = 100;
  std::vector<uint64_t> starts;
  for (int clip = 0; clip < clips; ++clip) {
    const CueId cue = stand.stage().cue(media_of(folder.file("clip.mp4")), 125);
    ASSERT_EQ(stand.wait_for(cue), CueState::ready);
    // More of the slate on a machine that is too busy.
    start = std::max(start, stand.stage().earliest_frame() + 10);
    starts.push_back(start);
    stand.stage().take(cue, start, 125);
    if (clip > 1) stand.wait_for_frames(starts[starts.size() - 2]);  // One is on the air, one is ahead.
    if (clip == 5) {
      files = entries_of("/proc/self/fd");
      threads = entries_of("/proc/self/task");
    }
    start += 125;
  }
  if (clips > 10) {
    EXPECT_LE(entries_of("/proc/self/fd"), files + 20);
    EXPECT_LE(entries_of("/proc/self/task"), threads + 20);
  }
  stand.stage().end(start);
  stand.wait_for_end();
  stand.expect_exact_times();
  EXPECT_EQ(stand.sound().size(), start * 1920);
  stand.expect_slate(0, 100);
  for (const uint64_t begin : starts) stand.expect_clip(1, begin, 125);
  EXPECT_EQ(find_seconds(stand.sound(), 48000).size(), static_cast<size_t>(clips) * 5);
  EXPECT_EQ(stand.stage().counts().dropped, 0U);
}

}  // namespace genclip::test
