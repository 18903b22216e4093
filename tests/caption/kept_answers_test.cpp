// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Kept answers of one run: found again, distinguished, and limited.
#include "plugin/caption/kept_answers.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <set>

namespace genclip {
namespace {

ContentAnswer answer(const std::string &text) {
  ContentAnswer made;
  made.text = text;
  made.finish_reason = "STOP";
  return made;
}

ContentRequest question() {
  ContentRequest request;
  request.model = "m";
  request.prompt = "p";
  request.stills = {{.digest = "1"}, {.digest = "2"}};
  return request;
}

TEST(KeptAnswers, AreFoundAgain) {
  KeptAnswers kept;
  EXPECT_EQ(kept.find("a"), nullptr);
  kept.keep("a", answer("One."));
  kept.keep("b", answer("Two."));
  ASSERT_TRUE(kept.find("a"));
  EXPECT_EQ(kept.find("a")->text, "One.");
  EXPECT_EQ(kept.find("b")->text, "Two.");
  kept.keep("a", answer("Another."));
  EXPECT_EQ(kept.find("a")->text, "One.") << "who asked first was answered first";
  kept.clear();
  EXPECT_EQ(kept.find("a"), nullptr);
  kept.keep("a", answer("Anew."));
  EXPECT_EQ(kept.find("a")->text, "Anew.");
}

TEST(KeptAnswers, GoOldestFirstWhereThereAreTooMany) {
  KeptAnswers kept(10000);
  for (unsigned i = 0; i < 1000; ++i) kept.keep(std::to_string(i), answer(std::string(100, 'x')));
  unsigned known = 0;
  for (unsigned i = 0; i < 1000; ++i)
    if (kept.find(std::to_string(i))) ++known;
  EXPECT_GT(known, 10u);
  EXPECT_LT(known, 100u);
  for (unsigned i = 1000 - known; i < 1000; ++i) EXPECT_TRUE(kept.find(std::to_string(i))) << i;
  kept.keep("long", answer(std::string(20000, 'x')));
  EXPECT_EQ(kept.find("long"), nullptr) << "one that would push out all others is not kept";
  EXPECT_TRUE(kept.find("999"));
}

TEST(QuestionKey, TellsApartAllThatIsSentAndTheTimeItIsSentFor) {
  const std::function<void(ContentRequest &)> kChanges[] = {
      [](ContentRequest &) {},
      [](ContentRequest &r) { r.model = "n"; },
      [](ContentRequest &r) { r.prompt = "q"; },
      [](ContentRequest &r) { r.text = "p"; },
      [](ContentRequest &r) { r.system_instruction = "p"; },
      [](ContentRequest &r) { r.temperature = 0; },
      [](ContentRequest &r) { r.temperature = 0.25; },
      [](ContentRequest &r) { r.top_p = 0; },
      [](ContentRequest &r) { r.max_output_tokens = 1; },
      [](ContentRequest &r) { r.stills.pop_back(); },
      [](ContentRequest &r) { r.stills[1].digest = "3"; },
      [](ContentRequest &r) { std::swap(r.stills[0], r.stills[1]); },
      [](ContentRequest &r) { r.stills.pop_back(), r.earlier = {"2"}; },
      [](ContentRequest &r) { r.earlier = {"ab"}; },
      [](ContentRequest &r) {
        r.earlier = {"a", "b"};
      },
      [](ContentRequest &r) { r.model = "mp", r.prompt = ""; },
  };
  std::set<std::string> keys;
  for (const auto &change : kChanges) {
    ContentRequest request = question();
    change(request);
    EXPECT_TRUE(keys.insert(question_key(request, 5)).second) << keys.size();
    EXPECT_TRUE(keys.insert(question_key(request, 6)).second) << keys.size();
    EXPECT_TRUE(keys.insert(question_key(request, std::nullopt)).second) << keys.size();
    EXPECT_EQ(question_key(request, 5), question_key(request, 5));
  }
}

// The store has files of these names: if this fails, all that users have paid for is asked again.
TEST(QuestionKey, StaysAsItIs) {
  ContentRequest request = question();
  EXPECT_EQ(question_key(request, std::nullopt),
            "22d7a48eb08cdb804b67788153a18354f6e93630744a923f338d596b1a8b3b59");
  request.text = "Guten Tag";
  request.system_instruction = "s";
  request.temperature = 0.25;
  request.top_p = 0.9;
  request.max_output_tokens = 64;
  request.earlier = {"One.", "Two."};
  EXPECT_EQ(question_key(request, std::nullopt),
            "9e3c9be0135725499c8b9a0e4fdc1ac7dce34b01ea8fcc30ba0a8757ff1b53f7");
}

}  // namespace
}  // namespace genclip
