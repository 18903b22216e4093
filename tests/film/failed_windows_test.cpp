// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/failed_windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace genclip {
namespace {

// a: answered, s: 5xx, t: a time-out, q: 429. How many windows are asked about until the run ends; all of
// them if it does not.
size_t asked(const std::string &windows) {
  FailedWindows failed;
  for (size_t i = 0; i < windows.size(); ++i) {
    const char window = windows[i];
    const unsigned status = window == 's' ? 500 + static_cast<unsigned>(i) : window == 't' ? 0 : 429;
    if (window == 'a')
      failed.answered();
    else if (failed.is_outage(status, window == 't'))
      return i + 1;
  }
  return windows.size();
}

TEST(FailedWindows, OfAGatewayThatAnswersInBetweenAreLeftOut) {
  EXPECT_EQ(asked("aaasaaaa"), 8u);
  EXPECT_EQ(asked("saaaaass"), 8u) << "also the first and the last ones";
  EXPECT_EQ(asked("ssassass"), 8u);
  EXPECT_EQ(asked("aatttaaa"), 5u);
  EXPECT_EQ(asked("ttattast"), 8u) << "one that it never ends in time";
}

TEST(FailedWindows, EndTheRunWhereAllOthersWouldFail) {
  EXPECT_EQ(asked("aasssaaa"), 5u);
  EXPECT_EQ(asked("aaqaaaaa"), 3u);
  FailedWindows failed;
  for (const unsigned status : {0u, 402u, 408u, 425u, 429u})
    EXPECT_TRUE(failed.is_outage(status, false)) << status;
}

TEST(FailedWindows, AnswersOfTheStoreStandBetweenThemInAllLanguagesOrNotAtAll) {
  FailedWindows failed;
  for (int i = 0; i < 9; ++i) {
    EXPECT_FALSE(failed.is_outage(500, false));
    failed.kept("de", 2);
    failed.kept("en", 2);
  }
  for (const bool is_outage : {false, false, true}) {
    EXPECT_EQ(failed.is_outage(500, false), is_outage);
    failed.kept("de", 2);
    failed.kept("de", 2);
  }
}

// All sequences of eight windows.
TEST(FailedWindows, EndTheRunAtTheFirstThreeInARowAndNowhereElse) {
  for (unsigned all = 0; all < 6561; ++all) {
    std::string windows;
    for (unsigned rest = all; windows.size() < 8; rest /= 3) windows += "asq"[rest % 3];
    const size_t outage = windows.find("sss"), quota = windows.find('q');
    const size_t end = std::min(outage == windows.npos ? windows.size() : outage + 3,
                                quota == windows.npos ? windows.size() : quota + 1);
    EXPECT_EQ(asked(windows), end) << windows;
  }
}

}  // namespace
}  // namespace genclip
