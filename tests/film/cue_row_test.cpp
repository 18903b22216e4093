// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/cue_row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace genclip {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

TEST(CueRow, GivesEachCueATimeOfItsOwnAndTheWayBack) {
  const std::vector<FilmCue> cues{
      {0s, 20s, "sign"}, {3s, 5s, "line"}, {3s, 5s, "another"}, {1h, 1h + 1s, "end"}};
  const CueRow row(cues);
  EXPECT_THAT(row.row(), ElementsAre(FilmCue{0s, 20s, "sign"}, FilmCue{21s, 23s, "line"},
                                     FilmCue{24s, 26s, "another"}, FilmCue{27s, 28s, "end"}));
  for (size_t i = 0; i < cues.size(); ++i) EXPECT_EQ(row.back(row.row()[i]), cues[i]) << i;
}

TEST(CueRow, PartsOfACueStayParts) {
  const CueRow row({{0s, 20s, "sign"}, {3s, 5s, "line"}});
  EXPECT_EQ(row.back({22s, 23s, "part"}), (FilmCue{4s, 5s, "part"}));
}

// WebVTT wants beginnings that do not fall.
TEST(CueRow, PartsOfALongCueStandAmongTheOthers) {
  const CueRow row({{0s, 20s, "sign"}, {1s, 2s, "line"}, {10s, 11s, "another"}});
  EXPECT_THAT(
      row.all_back({{0s, 10s, "sign"}, {10s, 20s, "more"}, {21s, 22s, "line"}, {23s, 24s, "another"}}),
      ElementsAre(FilmCue{0s, 10s, "sign"}, FilmCue{1s, 2s, "line"}, FilmCue{10s, 20s, "more"},
                  FilmCue{10s, 11s, "another"}));
}

TEST(CueRow, MayBeEmpty) { EXPECT_EQ(CueRow({}).back({1s, 2s, "x"}), (FilmCue{1s, 2s, "x"})); }

}  // namespace
}  // namespace genclip
