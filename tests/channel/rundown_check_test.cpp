// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What is said of a rundown before anything is sent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/account/ledger.h"
#include "plugin/channel/preparer.h"
#include "plugin/channel/shown_source.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

RundownItem item(const std::string &source, Fresh fresh = Fresh::never) {
  RundownItem item;
  item.id = "item";
  item.source = source;
  item.fresh = fresh;
  item.line = 7;
  return item;
}

std::string problem_with(const std::string &source) {
  Rundown rundown;
  rundown.items.push_back(item(source));
  judge_rundown(rundown, {});
  return rundown.items[0].problem;
}

TEST(RundownCheck, AcceptsWhatTheCatalogAcceptsWithoutAKey) {
  EXPECT_EQ(problem_with("genclip://dance-2.5?prompt=kite&duration=6"), "");
  EXPECT_EQ(problem_with("file:///media/a.mp4"), "");
  EXPECT_EQ(problem_with("https://media.example/a.mp4"), "");
}

TEST(RundownCheck, ExpectsAClipToLastAsLongAsItsRequestSays) {
  const auto expected = [](const std::string &source, std::chrono::seconds in = {}) {
    Rundown rundown;
    rundown.items.push_back(item(source));
    rundown.items[0].in = in;
    judge_rundown(rundown, {});
    return rundown.items[0].expected_length;
  };
  EXPECT_EQ(expected("genclip://dance-2.5?prompt=kite&duration=6"), std::chrono::seconds(6));
  EXPECT_EQ(expected("genclip://dance-2.5?prompt=kite"), std::chrono::seconds(4)) << "the model's default";
  EXPECT_EQ(expected("genclip://dance-2.5?prompt=kite&duration=6", std::chrono::seconds(2)),
            std::chrono::seconds(4));
  EXPECT_EQ(expected("file:///media/a.mp4"), std::nullopt);
  EXPECT_EQ(expected("genclip://dream-5.0?prompt=lighthouse"), std::nullopt);
}

TEST(RundownCheck, RefusesAPartBehindTheEndOfItsClipBeforeItIsPaid) {
  const auto problem_from = [](const std::string &source, std::chrono::milliseconds in) {
    Rundown rundown;
    rundown.items.push_back(item(source));
    rundown.items[0].in = in;
    judge_rundown(rundown, {});
    return rundown.items[0].problem;
  };
  using std::chrono::milliseconds;
  const std::string kite = "genclip://dance-2.5?prompt=kite";
  EXPECT_EQ(problem_from(kite, milliseconds(4500)), "It lasts 4 s, and \"in\" is 4.5 s.");
  EXPECT_EQ(problem_from(kite, milliseconds(4000)), "It lasts 4 s, and \"in\" is 4 s.");
  EXPECT_EQ(problem_from(kite, milliseconds(3900)), "");
  EXPECT_EQ(problem_from(kite + "&duration=6", milliseconds(4500)), "");
  EXPECT_EQ(problem_from("file:///media/a.mp4", milliseconds(4500)), "") << "nobody knows how long it lasts";
}

TEST(RundownCheck, SaysWhatTheCatalogRefuses) {
  EXPECT_THAT(problem_with("genclip://dance-2.5?prompt=kite&duration=10000"), HasSubstr("duration"));
  EXPECT_THAT(problem_with("genclip://dance-2.5"), HasSubstr("prompt"));
  EXPECT_THAT(problem_with("rtmp://media.example/a?key=secret"), HasSubstr("rtmp://media.example/a"));
  EXPECT_THAT(problem_with("rtmp://media.example/a?key=secret"), Not(HasSubstr("secret")));
}

TEST(RundownCheck, RefusesAGeneratedStillWithoutALengthBeforeItIsPaid) {
  const std::string still = "genclip://dream-5.0?prompt=lighthouse";
  EXPECT_THAT(problem_with(still), HasSubstr("duration"));
  Rundown rundown;
  rundown.items.push_back(item(still));
  rundown.items[0].length = std::chrono::seconds(5);
  rundown.fallback = {still};
  judge_rundown(rundown, {});
  EXPECT_EQ(rundown.items[0].problem, "");
  EXPECT_THAT(rundown.warnings, IsEmpty()) << "a still in the fallback lasts as long as a step of the slate";
}

TEST(RundownCheck, RefusesAFileOfOnePictureWithoutALengthAtOnce) {
  for (const char *still :
       {"file:///card.png", "file:///a%20b/card.JPG", "https://media.example/card.jpeg?sig=1"})
    EXPECT_EQ(problem_with(still), kStillNeedsDuration) << still;
  for (const char *other :
       {"file:///loop.gif", "file:///png", "file:///clip.mp4", "https://media.example/?card.png"})
    EXPECT_EQ(problem_with(other), "") << other;
  Rundown rundown;
  rundown.items.push_back(item("file:///card.png"));
  rundown.items[0].length = std::chrono::seconds(5);
  rundown.fallback = {"file:///card.png"};
  judge_rundown(rundown, {});
  EXPECT_EQ(rundown.items[0].problem, "");
  EXPECT_THAT(rundown.warnings, IsEmpty());
}

TEST(RundownCheck, LeavesAProblemThatIsKnownAsItIs) {
  Rundown rundown;
  rundown.items.push_back(item("file:///media/a.mp4"));
  rundown.items[0].problem = "It is known.";
  judge_rundown(rundown, {});
  EXPECT_EQ(rundown.items[0].problem, "It is known.");
}

TEST(RundownCheck, WarnsOfWhatHasNoEffect) {
  Rundown rundown;
  rundown.items.push_back(item("file:///media/a.mp4", Fresh::each_turn));
  rundown.fallback = {"file:///media/ident.mp4", "ftp://media.example/a"};
  judge_rundown(rundown, {});
  for (int times = 0; times < 2; ++times) {
    ASSERT_THAT(rundown.warnings, SizeIs(2));
    EXPECT_EQ(rundown.warnings[0].line, 7u);
    EXPECT_THAT(rundown.warnings[1].text, HasSubstr("fallback"));
    judge_rundown(rundown, {});
  }
}

TEST(RundownCheck, LeavesOutAFallbackThatIsRefused) {
  const std::vector<std::string> sources = {"ftp://media.example/a", "genclip://dance-2.5",
                                            "file:///media/ident.mp4"};
  Rundown rundown;
  rundown.fallback = sources;
  for (int times = 0; times < 2; ++times) {
    judge_rundown(rundown, {});
    EXPECT_EQ(rundown.fallback, std::vector<std::string>{"file:///media/ident.mp4"});
    ASSERT_THAT(rundown.refused_fallback, SizeIs(2));
    EXPECT_EQ(rundown.refused_fallback[0].source, "ftp://media.example/a");
    EXPECT_THAT(rundown.refused_fallback[1].problem, HasSubstr("prompt"));
    EXPECT_THAT(rundown.warnings, SizeIs(2));
    forget_judgement(rundown);
    EXPECT_THAT(rundown.fallback, testing::UnorderedElementsAreArray(sources));
    EXPECT_THAT(rundown.warnings, IsEmpty());
  }
}

class RundownBudget : public testing::Test {
 protected:
  Result<void, RundownLine> check(Fresh fresh,
                                  const std::string &source = "genclip://dance-2.5?prompt=kite") {
    Rundown rundown;
    rundown.items.push_back(item("genclip://dance-2.5?prompt=other"));
    rundown.items.push_back(item(source, fresh));
    return check_budget(rundown,
                        [this] { return Ledger(FileSystem::posix(), clock_, folder_.path()).budget(); });
  }
  void set(double Budget::*limit, double value) {
    Ledger ledger(FileSystem::posix(), clock_, folder_.path());
    for (const BudgetLimit &known : budget_limits()) {
      if (known.value == limit) {
        ASSERT_TRUE(ledger.change_budget({{known, value}}, nullptr));
      }
    }
  }

  TemporaryFolder folder_;
  FakeClock clock_;
};

TEST_F(RundownBudget, IsNotNeededByWhatIsMadeOnce) {
  EXPECT_TRUE(check(Fresh::never));
  EXPECT_TRUE(check(Fresh::each_turn, "file:///media/a.mp4"));
}

TEST_F(RundownBudget, IsNeededByWhatIsMadeForEachTurn) {
  const auto refused = check(Fresh::each_turn);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().line, 7u);
  EXPECT_THAT(refused.error().text, HasSubstr("genclip budget set"));
}

TEST_F(RundownBudget, OfOneClipBindsNoLoop) {
  set(&Budget::per_clip, 3);
  EXPECT_FALSE(check(Fresh::each_turn));
}

TEST_F(RundownBudget, OfCreditsOrTasksIsEnough) {
  for (const auto limit : {&Budget::per_day, &Budget::per_month, &Budget::total, &Budget::tasks_per_day}) {
    set(limit, 3);
    EXPECT_TRUE(check(Fresh::each_turn));
    set(limit, 0);
    EXPECT_FALSE(check(Fresh::each_turn));
  }
}

TEST(ShownSource, KeepsThePromptAndHidesWhatMayBeSigned) {
  const std::string inner =
      "genclip%3A%2F%2Fdance-2.5%3Fprompt%3Dinner%26first_image%3D"
      "https%253A%252F%252Fmedia.example%252Fi.png%253Fsig%253Dsecret";
  for (const std::string &source : {
           std::string(
               "genclip://"
               "dance-2.5?prompt=a%20kite&first_image=https%3A%2F%2Fuser%3Asecret%40media.example%2Fp.png"
               "%3Fsig%3Dsecret"),
           "genclip://dance-2.5?prompt=a%20kite&first_image=" + inner,
       }) {
    const std::string shown = shown_source(source);
    EXPECT_THAT(shown, HasSubstr("kite"));
    EXPECT_THAT(shown, Not(HasSubstr("secret")));
  }
  EXPECT_EQ(shown_source("file:///media/a.mp4"), "file:///media/a.mp4");
}

}  // namespace
}  // namespace genclip::test
