// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Cues that people can read: every limit holds for random answers in all scripts, and what is written by hand
// looks as a subtitler would write it.
#include "plugin/caption/cue_layout.h"

#include <glib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <tuple>

#include "tests/caption/random_answers.h"

namespace genclip {
namespace {

using test::letters;
using test::width;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kSecond = 1000 * kMs;
constexpr CueLimits kUsual{42, 2, 20};

std::vector<std::string> texts(const CueLayout &layout) {
  std::vector<std::string> all;
  for (const LaidCue &cue : layout.cues) all.push_back(cue.text);
  return all;
}

std::vector<std::string> laid(std::string_view text, uint64_t seconds, const CueLimits &limits = kUsual) {
  return texts(lay_out_cues(text, limits, seconds * kSecond));
}

std::string shown(const CueLayout &layout) {
  std::string all;
  for (const LaidCue &cue : layout.cues) all += cue.text + "\n";
  return all;
}

void expect_whole_words(const CueLayout &layout, const test::RandomAnswer &answer, const CueLimits &limits) {
  const std::vector<std::string> all = test::split(answer.text, " \n");
  std::set<std::string> known;
  for (const std::string &part : all) known.insert(letters(part));
  for (const std::string &part : test::split(shown(layout), " \n")) {
    const std::string word = letters(part);
    if (known.contains(word)) continue;
    EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                            [&](const std::string &whole) {
                              const bool is_too_long =
                                  limits.line_columns > 0 && width(whole) > limits.line_columns;
                              return is_too_long && letters(whole).find(word) != word.npos;
                            }))
        << "cut: " << word;
  }
}

void expect_limits(const CueLayout &layout, const CueLimits &limits, uint64_t duration) {
  uint64_t at = 0;
  for (const LaidCue &cue : layout.cues) {
    EXPECT_TRUE(g_utf8_validate(cue.text.data(), static_cast<gssize>(cue.text.size()), nullptr));
    EXPECT_EQ(cue.start, at);
    at = cue.end;
    ASSERT_GT(cue.end, cue.start);
    if (layout.cues.size() > 1) {
      EXPECT_GE(cue.end - cue.start, kSecond / 2) << cue.text;
    }
    const auto lines = test::split(cue.text, "\n");
    EXPECT_FALSE(lines.empty());
    if (limits.lines > 0) {
      EXPECT_LE(lines.size(), limits.lines) << cue.text;
    }
    if (limits.columns_per_second > 0) {
      EXPECT_LE(static_cast<double>(width(cue.text)) * 1000 / limits.columns_per_second,
                static_cast<double>(cue.end - cue.start) / kMs)
          << cue.text;
    }
    for (const std::string &line : lines) {
      EXPECT_FALSE(test::begins_inside_a_cluster(line)) << line;
      EXPECT_FALSE(line.starts_with(' ') || line.ends_with(' ')) << line;
      // A word that is longer than a line stands alone.
      if (limits.line_columns > 0 && line.find(' ') != line.npos) {
        EXPECT_LE(width(line), limits.line_columns) << line;
      }
    }
  }
  if (!layout.cues.empty()) {
    EXPECT_EQ(at, duration);
  }
}

TEST(CueLayout, HoldsAllLimitsForRandomAnswersInAllScripts) {
  std::mt19937 random(17);
  const auto pick = [&](unsigned least, unsigned most) {
    return least + static_cast<unsigned>(random() % (most - least + 1));
  };
  unsigned split = 0, shortened = 0, whole = 0;
  for (int round = 0; round < 250; ++round)
    for (const test::Script &script : test::scripts()) {
      const auto answer = test::random_answer(script, random);
      CueLimits limits = kUsual;
      if (round % 2) limits = {pick(0, 1) * pick(8, 60), pick(0, 4), pick(0, 3) ? pick(5, 40) : 0};
      const uint64_t duration =
          pick(0, 1) ? pick(200, 20000) * kMs : pick(200'000, 4'000'000) * uint64_t{1001};
      SCOPED_TRACE(testing::Message()
                   << script.name << " " << limits.line_columns << "x" << limits.lines << ", "
                   << limits.columns_per_second << "/s, " << duration << " ns: " << answer.text);
      const CueLayout layout = lay_out_cues(answer.text, limits, duration);
      expect_limits(layout, limits, duration);
      EXPECT_EQ(letters(shown(layout)) + letters(layout.left_out), letters(answer.text));
      if (script.has_spaces) expect_whole_words(layout, answer, limits);
      // Katakana words that happen to follow each other are one long word.
      const bool has_short_words = !script.has_spaces && script.name != std::string_view("Japanese");
      if (has_short_words && limits.line_columns >= 20) {
        for (const std::string &line : test::split(shown(layout), "\n"))
          EXPECT_LE(width(line), limits.line_columns) << line;
      }
      const uint64_t readable = duration * limits.columns_per_second / kSecond;
      if (limits.columns_per_second > 0 && !answer.has_lines && !layout.left_out.empty()) {
        EXPECT_GT(2 * width(answer.text) + 2 * limits.columns_per_second, readable)
            << "left out without need";
      }
      if (round % 2 == 0 && !answer.has_lines && !layout.left_out.empty()) {
        EXPECT_GE(2 * width(shown(layout)) + 120, std::min<uint64_t>(readable, 1000)) << "left out too much";
      }
      if (!limits.columns_per_second && limits.lines == 0) {
        EXPECT_THAT(layout.left_out, IsEmpty());
      }
      ++(!layout.left_out.empty() ? shortened : layout.cues.size() > 1 ? split : whole);
      if (testing::Test::HasFailure()) return;
    }
  EXPECT_GT(split, 200u);
  EXPECT_GT(shortened, 200u);
  EXPECT_GT(whole, 200u);
}

TEST(CueLayout, LeavesATextAloneThatIsGood) {
  EXPECT_THAT(laid("A kite.", 5), ElementsAre("A kite."));
  EXPECT_THAT(laid("- Who is there?\n- It's me.", 5), ElementsAre("- Who is there?\n- It's me."));
  const std::string any = "A text that is longer than a line, \u2067and opens what it does not close";
  EXPECT_THAT(laid(any, 1, {}), ElementsAre(any));
}

TEST(CueLayout, BreaksLinesAtPhrasesAndElseInTheMiddle) {
  EXPECT_THAT(laid("When the rain stops, the children run outside.", 5),
              ElementsAre("When the rain stops,\nthe children run outside."));
  EXPECT_THAT(laid("The old man and the sea and the boat and the fish", 5),
              ElementsAre("The old man and the sea\nand the boat and the fish"));
  EXPECT_THAT(laid("Dr. Smith meets Mr. Jones in the old town hall.", 5),
              ElementsAre("Dr. Smith meets Mr. Jones\nin the old town hall."));
  EXPECT_THAT(laid("一个穿红色外套的男人沿着海滩散步，两只狗在他身后追逐。", 5),
              ElementsAre("一个穿红色外套的男人沿着海滩散步，\n两只狗在他身后追逐。"));
}

TEST(CueLayout, KnowsTheWordsOfThaiAndJapanese) {
  EXPECT_THAT(laid("นี่คือภาษาไทยที่ไม่มีช่องว่าง", 5, {16, 2, 20}), ElementsAre("นี่คือภาษาไทย\nที่ไม่มีช่องว่าง"));
  EXPECT_THAT(laid("コンピューターが好きです", 5, {16, 2, 20}), ElementsAre("コンピューターが\n好きです"));
  EXPECT_THAT(laid("소프트웨어를 개발하는 사람들이", 5, {20, 2, 20}),
              ElementsAre("소프트웨어를\n개발하는 사람들이"));
}

TEST(CueLayout, MakesMoreCuesOfWhatIsTooLongForOne) {
  const CueLayout layout = lay_out_cues(
      "A man in a red coat walks along the beach. Two dogs chase each other through the surf behind him.",
      kUsual, 10 * kSecond);
  EXPECT_THAT(texts(layout), ElementsAre("A man in a red coat walks along the beach.",
                                         "Two dogs chase each other\nthrough the surf behind him."));
  ASSERT_EQ(layout.cues.size(), 2u);
  EXPECT_EQ(layout.cues[0].end / kMs, 4375u) << "42 of 96 columns";
  EXPECT_EQ(layout.cues[1].end, 10 * kSecond);
  EXPECT_THAT(laid("- One.\n- Two.\n- Three.", 6), ElementsAre("- One.\n- Two.", "- Three."));
  EXPECT_THAT(laid("One. Two. Three. Four.", 10), ElementsAre("One. Two. Three. Four."));
}

TEST(CueLayout, GivesEachCueASecondIfThereIsTimeAndNeverLessThanHalf) {
  const CueLimits limits{8, 1, 20};
  EXPECT_EQ(lay_out_cues("Yes.\nAll fine", limits, 2 * kSecond).cues.at(0).end, kSecond);
  const CueLayout hasty = lay_out_cues("Yes.\nAll it", limits, kSecond);
  ASSERT_EQ(hasty.cues.size(), 2u);
  EXPECT_EQ(hasty.cues[0].end, kSecond / 2);
  EXPECT_EQ(lay_out_cues("Yes.\nAll it", limits, kSecond - kMs).left_out, "All it");
}

TEST(CueLayout, EndsATextEarlyThatNobodyCouldReadInItsTime) {
  const std::string text =
      "A man in a red coat walks along the beach. Two dogs chase each other through the surf, and a child "
      "laughs.";
  const CueLayout at_sentence = lay_out_cues(text, kUsual, 3 * kSecond);
  EXPECT_THAT(texts(at_sentence), ElementsAre("A man in a red coat walks along the beach."));
  EXPECT_EQ(at_sentence.left_out, "Two dogs chase each other through the surf, and a child laughs.");
  const CueLayout at_phrase =
      lay_out_cues("When the rain stops, the children run outside.", kUsual, 2 * kSecond);
  EXPECT_THAT(texts(at_phrase), ElementsAre("When the rain stops…"));
  EXPECT_EQ(at_phrase.left_out, "the children run outside.");
  const CueLayout at_word = lay_out_cues("The old man and the sea and the boat", kUsual, kSecond);
  EXPECT_THAT(texts(at_word), ElementsAre("The old man and the…"));
  EXPECT_EQ(at_word.left_out, "sea and the boat");
}

TEST(CueLayout, HasAnEllipsisOnlyIfItFits) {
  EXPECT_THAT(laid("abcdefghij klm", 5, {10, 1, 3}), ElementsAre("abcdefghij", "klm"));
  EXPECT_THAT(texts(lay_out_cues("abcdefghij klm", {10, 1, 20}, 600 * kMs)), ElementsAre("abcdefghij"));
  EXPECT_THAT(texts(lay_out_cues("abcdefghi klm", {10, 1, 20}, 600 * kMs)), ElementsAre("abcdefghi…"));
}

TEST(CueLayout, ShowsNothingIfNotEvenAWordCanBeRead) {
  const CueLayout layout = lay_out_cues("Notwithstanding that", kUsual, 500 * kMs);
  EXPECT_THAT(layout.cues, IsEmpty());
  EXPECT_EQ(layout.left_out, "Notwithstanding that");
}

TEST(CueLayout, GivesALongWordALineOfItsOwn) {
  EXPECT_THAT(laid("Die Donaudampfschifffahrtsgesellschaft kommt", 5, {20, 3, 20}),
              ElementsAre("Die\nDonaudampfschifffahrtsgesellschaft\nkommt"));
  EXPECT_THAT(laid("see https://example.com/a/long/path now", 5, {20, 4, 20}),
              ElementsAre("see https://\nexample.com/a/\nlong/path now"));
  EXPECT_THAT(laid("so well-known that", 5, {10, 3, 20}), ElementsAre("so\nwell-known\nthat"));
}

TEST(CueLayout, EndsATextInFrontOfALongWordThatCannotBeReadAsAWhole) {
  const CueLimits narrow{20, 4, 20};
  EXPECT_THAT(texts(lay_out_cues("see https://example.com/a/long/path now", narrow, 1200 * kMs)),
              ElementsAre("see…"));
  std::string marks = "a";
  for (int i = 0; i < 3000; ++i) marks += "\u0301";
  const CueLayout layout = lay_out_cues(marks, kUsual, 5 * kSecond);
  EXPECT_THAT(layout.cues, IsEmpty());
  EXPECT_EQ(layout.left_out, marks);
}

TEST(CueLayout, TakesAnEndlessAnswer) {
  std::string text;
  while (text.size() < (1u << 20)) text += "on and on ";
  const CueLayout layout = lay_out_cues(text + "on", kUsual, 5 * kSecond);
  EXPECT_LE(width(shown(layout)), 102u);
  EXPECT_GE(width(shown(layout)), 90u);
  EXPECT_EQ(letters(shown(layout)) + letters(layout.left_out), letters(text + "on"));
  for (const CueLimits &limits : {CueLimits{42, 2, 0}, CueLimits{42, 0, 0}, CueLimits{0, 2, 0}}) {
    const CueLayout slow = lay_out_cues(text + "on", limits, 3600 * kSecond);
    EXPECT_EQ(letters(shown(slow)) + letters(slow.left_out), letters(text + "on"));
  }
  EXPECT_THAT(lay_out_cues(std::string(1 << 20, 'x'), kUsual, 5 * kSecond).cues, IsEmpty());
}

TEST(FirstCue, IsFollowedByTheRest) {
  std::mt19937 random(4);
  for (int round = 0; round < 40; ++round)
    for (const test::Script &script : test::scripts()) {
      const auto answer = test::random_answer(script, random);
      std::string all;
      std::string rest = answer.text;
      while (!rest.empty()) {
        FirstCue first = first_cue(rest, kUsual);
        ASSERT_LT(letters(first.rest).size(), letters(rest).size()) << rest;
        const CueLayout one{{{first.text, 0, kSecond * 60}}, {}};
        expect_limits(one, kUsual, kSecond * 60);
        all += first.text;
        rest = std::move(first.rest);
      }
      ASSERT_EQ(letters(all), letters(answer.text));
    }
  EXPECT_EQ(first_cue("A kite.", kUsual).text, "A kite.");
  EXPECT_EQ(first_cue("A kite.", kUsual).rest, "");
  EXPECT_EQ(first_cue("A kite.", {}).text, "A kite.");
}

TEST(FirstCue, OfAnEndlessSentenceLeavesTheRestForLater) {
  std::string text;
  while (text.size() < 20000) text += "again and ";
  text += "again";
  const FirstCue first = first_cue(text, {0, 2, 20});
  EXPECT_EQ(first.text + " " + first.rest, text);
  EXPECT_TRUE(first.rest.starts_with("again ") || first.rest.starts_with("and ")) << first.rest.substr(0, 20);
}

TEST(ReadingTime, IsWhatTheLayoutNeeds) {
  EXPECT_EQ(reading_time("Hi.", kUsual), kSecond);
  EXPECT_EQ(reading_time(std::string(40, 'x'), kUsual), 2 * kSecond);
  EXPECT_EQ(reading_time(std::string(40, 'x'), {}), 2 * kSecond);
  EXPECT_EQ(reading_time(std::string(40, 'x'), {42, 2, 10}), 4 * kSecond);
  EXPECT_EQ(reading_time("红色外套的男人沿着海滩散步一个穿", kUsual), 1600 * kMs);
  std::string thai;
  for (int i = 0; i < 40; ++i) thai += "ที่";
  EXPECT_EQ(reading_time(thai, kUsual), 2 * kSecond) << "marks above a letter take no time";
  EXPECT_EQ(reading_time("- One.\n- Two.\n- Three.", kUsual), 2 * kSecond);
  std::mt19937 random(5);
  for (int round = 0; round < 40; ++round)
    for (const test::Script &script : test::scripts()) {
      const auto answer = test::random_answer(script, random);
      ASSERT_THAT(lay_out_cues(answer.text, kUsual, reading_time(answer.text, kUsual)).left_out, IsEmpty())
          << answer.text;
    }
}

TEST(CueLimits, AreToldToTheModel) {
  EXPECT_EQ(sentence_about({}, 5 * kSecond), "");
  EXPECT_EQ(
      sentence_about(kUsual, 5 * kSecond),
      "The answer is shown as subtitles: at most 100 characters in all, at most 42 characters per line, at "
      "most 2 lines at a time; a full-width character counts as two.");
  EXPECT_EQ(
      sentence_about({0, 0, 17}, {}),
      "The answer is shown as subtitles: at most 17 characters per second; a full-width character counts "
      "as two.");
  EXPECT_EQ(sentence_about({0, 1, 0}, 5 * kSecond),
            "The answer is shown as subtitles: at most 1 line at a time.");
  EXPECT_EQ(
      sentence_about({0, 0, 20}, 5 * kSecond, kSecond),
      "The answer is shown as subtitles: at most 100 characters in all, of which only the first 20 are shown "
      "if the scene is short; a full-width character counts as two.");
  EXPECT_EQ(sentence_about({0, 0, 20}, kSecond, kSecond), sentence_about({0, 0, 20}, kSecond));
}

TEST(CueLayout, OfAWholeTextLeavesNothingOut) {
  const std::string text =
      "The old man and the sea and the boat. When the rain stops, the children run outside.";
  const CueLimits limits{20, 2, 20};
  for (const auto &[duration, cues, hurried] :
       {std::tuple(6 * kSecond, 3u, false), {3 * kSecond, 3u, true}, {kSecond, 1u, true}, {kMs, 1u, true}}) {
    const CueLayout layout = lay_out_whole(text, limits, duration);
    EXPECT_EQ(layout.is_hurried, hurried) << duration;
    EXPECT_EQ(layout.left_out, "");
    ASSERT_EQ(layout.cues.size(), cues) << duration;
    EXPECT_EQ(layout.cues.front().start, 0u);
    EXPECT_EQ(layout.cues.back().end, duration);
    std::string words;
    for (const LaidCue &cue : layout.cues) words += (words.empty() ? "" : " ") + cue.text;
    std::ranges::replace(words, '\n', ' ');
    EXPECT_EQ(words, text);
  }
}

}  // namespace
}  // namespace genclip
