// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Sentences as people perceive them, however the text was split.
#include "plugin/caption/sentence_splitter.h"

#include <gtest/gtest.h>

#include <ctime>

namespace genclip {
namespace {

using Sentences = std::vector<std::string>;

void add(Sentences more, Sentences &sentences) {
  for (std::string &sentence : more) sentences.push_back(std::move(sentence));
}

Sentences split(const std::vector<std::string_view> &pieces) {
  SentenceSplitter splitter;
  Sentences sentences;
  for (const std::string_view piece : pieces) add(splitter.push(piece), sentences);
  add(splitter.finish(), sentences);
  return sentences;
}

const std::pair<std::string, Sentences> kCases[] = {
    {"", {}},
    {"A kite", {"A kite"}},
    {"A kite. It is red. ", {"A kite.", "It is red."}},
    {"What?! Really... Yes.", {"What?!", "Really...", "Yes."}},
    {"He waits... and waits. Then he goes.", {"He waits... and waits.", "Then he goes."}},
    {"Dr. Smith and J. Doe, e.g. here. They wave.", {"Dr. Smith and J. Doe, e.g. here.", "They wave."}},
    {"He waves, and so do I. They wave back.", {"He waves, and so do I.", "They wave back."}},
    {"It costs 3.50 at www.example.com today. Cheap!", {"It costs 3.50 at www.example.com today.", "Cheap!"}},
    {"\"Stop!\" He stops. (He does.) Good.", {"\"Stop!\"", "He stops.", "(He does.)", "Good."}},
    {"First line\nSecond line\n\n", {"First line", "Second line"}},
    {"風箏在飛。它是紅色的！真的？是", {"風箏在飛。", "它是紅色的！", "真的？", "是"}},
    {"Ein „Drachen“ fliegt. Über Dünen.", {"Ein „Drachen“ fliegt.", "Über Dünen."}},
    {"यह पतंग है। वह लाल है। क्या?", {"यह पतंग है।", "वह लाल है।", "क्या?"}},
    {"هل هذا طائر؟ نعم.", {"هل هذا طائر؟", "نعم."}},
    {"...", {"..."}},
    {"Wait.  \n Mr.\u00a0Fox (No. 7) comes.", {"Wait.", "Mr.\u00a0Fox (No. 7) comes."}},
    {"Cut\xff. Here", {"Cut\xef\xbf\xbd.", "Here"}},
};

TEST(SentenceSplitter, CutsWhereASentenceEnds) {
  for (const auto &[text, sentences] : kCases) EXPECT_EQ(split({text}), sentences) << text;
}

TEST(SentenceSplitter, CutsTheSameHoweverTheTextComes) {
  for (const auto &[text, sentences] : kCases) {
    const std::string_view whole = text;
    for (size_t a = 0; a <= whole.size(); ++a)
      for (size_t b = a; b <= whole.size(); ++b)
        ASSERT_EQ(split({whole.substr(0, a), whole.substr(a, b - a), whole.substr(b)}), sentences)
            << text << " cut at " << a << " and " << b;
  }
}

TEST(SentenceSplitter, GivesASentenceOnceTheNextHasBegun) {
  SentenceSplitter splitter;
  EXPECT_EQ(splitter.push("A kite."), Sentences());
  EXPECT_EQ(splitter.push(" "), Sentences());
  EXPECT_EQ(splitter.push("I"), Sentences({"A kite."}));
  EXPECT_EQ(splitter.push("t is red"), Sentences());
  EXPECT_EQ(splitter.finish(), Sentences({"It is red"}));
  EXPECT_EQ(splitter.finish(), Sentences());
}

// A model that never ends its sentence, or says nothing but marks. What looks back once for each piece takes
// minutes of the processor for this much.
TEST(SentenceSplitter, LooksAtEachCharacterOnce) {
  constexpr size_t kBytes = 2 << 20;
  for (const std::string_view words :
       {"on and on ", "................", "a.b.c.d.", "Wait.\u00a0", ". \"\"\" ", "no. no. "}) {
    SentenceSplitter splitter;
    const std::clock_t begin = std::clock();
    for (size_t size = 0; size < kBytes; size += words.size()) splitter.push(words);
    splitter.finish();
    EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 60) << words;
  }
  SentenceSplitter splitter;
  splitter.push("A kite.");
  const std::clock_t begin = std::clock();
  for (size_t size = 0; size < kBytes; size += 8) splitter.push("        ");
  EXPECT_EQ(splitter.push("I"), Sentences({"A kite."}));
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 60);
}

}  // namespace
}  // namespace genclip
