// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Lines of text in both directions, each as it is displayed without the others.
#include "plugin/caption/bidi_lines.h"

#include <gtest/gtest.h>

#include "plugin/caption/cue_layout.h"

namespace genclip {
namespace {

std::vector<std::string> lines(std::string_view paragraph, const std::vector<std::string_view> &parts) {
  BidiLines bidi;
  bidi.begin(paragraph);
  std::vector<std::string> all;
  for (const std::string_view part : parts) all.push_back(bidi.line(part));
  return all;
}

using Lines = std::vector<std::string>;

TEST(BidiLines, LeavesPlainTextAlone) {
  EXPECT_EQ(lines("One two", {"One", "two"}), Lines({"One", "two"}));
  EXPECT_EQ(lines("رجل يرتدي", {"رجل", "يرتدي"}), Lines({"رجل", "يرتدي"}));
  EXPECT_EQ(lines("One \u2067א\u2069 two", {"One \u2067א\u2069", "two"}),
            Lines({"One \u2067א\u2069", "two"}));
  EXPECT_EQ(lines("3 2\u2069\u202C", {"3", "2\u2069\u202C"}), Lines({"3", "2\u2069\u202C"}))
      << "nothing is open";
}

TEST(BidiLines, ClosesAndReopensWhatGoesOnInTheNextLine) {
  EXPECT_EQ(lines("a \u2067א ב\u2069 c", {"a \u2067א", "ב\u2069 c"}),
            Lines({"a \u2067א\u2069", "\u200E\u2067ב\u2069 c"}));
  EXPECT_EQ(lines("a \u202B\u2068א ב ג", {"a \u202B\u2068א", "ב", "ג"}),
            Lines({"a \u202B\u2068א\u2069\u202C", "\u200E\u202B\u2068ב\u2069\u202C",
                   "\u200E\u202B\u2068ג\u2069\u202C"}));
  EXPECT_EQ(lines("a \u2067\u202Bא\u2069 b", {"a \u2067\u202Bא\u2069", "b"}),
            Lines({"a \u2067\u202Bא\u2069", "b"}))
      << "the end of the isolate also ends the embedding";
  EXPECT_EQ(lines("a \u2067א\u202C b", {"a \u2067א\u202C", "b"}),
            Lines({"a \u2067א\u202C\u2069", "\u200E\u2067b\u2069"}))
      << "an embedding that was not opened inside the isolate is not closed there";
}

TEST(BidiLines, KeepsTheDirectionOfTheParagraph) {
  EXPECT_EQ(lines("רשת WhatsApp", {"רשת", "WhatsApp"}), Lines({"רשת", "\u200FWhatsApp"}));
  EXPECT_EQ(lines("שנת 2024.", {"שנת", "2024."}), Lines({"שנת", "\u200F2024."}));
  EXPECT_EQ(lines("Say שלום now", {"Say", "שלום now"}), Lines({"Say", "\u200Eשלום now"}));
  EXPECT_EQ(lines("Say 3.", {"Say", "3."}), Lines({"Say", "3."}));
  EXPECT_EQ(lines("\u200FABC def", {"\u200FABC", "def"}), Lines({"\u200FABC", "\u200Fdef"})) << "by its mark";
}

TEST(BidiLines, StartAnewWithEachLineOfTheText) {
  constexpr CueLimits kNarrow{8, 1, 0};
  const auto layout = lay_out_cues("שלום לכולם\nGood day\n\u2067אבג דהוז חטי", kNarrow, 60'000'000'000);
  Lines all;
  for (const LaidCue &cue : layout.cues) all.push_back(cue.text);
  EXPECT_EQ(all, Lines({"שלום", "לכולם", "Good day", "\u2067אבג\u2069", "\u200F\u2067דהוז חטי\u2069"}));
  const FirstCue first = first_cue("a \u2067אבגד הוז\u2069 b", {6, 1, 0});
  EXPECT_EQ(first.text, "a \u2067אבגד\u2069");
  EXPECT_EQ(first.rest, "\u200E\u2067הוז\u2069 b");
}

}  // namespace
}  // namespace genclip
