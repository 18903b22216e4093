// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The table "Items" of the channel, row by row.
#include <filesystem>
#include <fstream>

#include "plugin/channel/clip_survey.h"
#include "plugin/generation/request_identity.h"
#include "plugin/store/clip_path.h"
#include "tests/channel/hanging_files.h"
#include "tests/channel/preparer_fixture.h"

namespace genclip::test {
namespace {

namespace fs = std::filesystem;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

TEST_F(PreparerTest, GeneratesVetsAndTellsEachStep) {
  want({clip("kite")});
  ASSERT_TRUE(becomes("kite", ItemState::ready));
  EXPECT_THAT(heard_.states_of("kite"),
              ElementsAre(ItemState::generating, ItemState::vetting, ItemState::ready));
  const ItemStatus ready = status("kite");
  ASSERT_TRUE(ready.media);
  EXPECT_TRUE(ready.media->uri.starts_with("file:///"));
  EXPECT_EQ(ready.media->task_id, "task-1");
  EXPECT_EQ(ready.media->length, std::chrono::seconds(2));
  EXPECT_EQ(ready.media->gain_db, -3);
  EXPECT_EQ(ready.media->credits, 2);
  EXPECT_EQ(preparer_->spent(), 2);
  ASSERT_THAT(vetter_->requests(), SizeIs(1));
  EXPECT_TRUE(vetter_->requests()[0].is_generated);
}

TEST_F(PreparerTest, GivesItemsThatAreMadeOnceOneStatusForAllTurns) {
  want({clip("kite", 0), clip("kite", 1)});
  ASSERT_TRUE(becomes("kite", ItemState::ready, 7));
  EXPECT_EQ(service_.submits(), 1u);
  EXPECT_THAT(vetter_->requests(), SizeIs(1));
}

TEST_F(PreparerTest, ServesWhatIsStoredWithoutPaying) {
  want({clip("kite")});
  ASSERT_TRUE(becomes("kite", ItemState::ready));
  restart();
  want({clip("kite")});
  ASSERT_TRUE(becomes("kite", ItemState::ready));
  EXPECT_EQ(service_.submits(), 1u);
  EXPECT_EQ(preparer_->spent(), 0);
  EXPECT_EQ(status("kite").media->credits, 0);
}

TEST_F(PreparerTest, SaysThatAClipIsPaidAgainBeforeItIs) {
  want({clip("kite")});
  ASSERT_TRUE(becomes("kite", ItemState::ready));
  want({clip("kite"), fresh("storm", 0)});
  ASSERT_TRUE(becomes("storm", ItemState::ready));
  stop();
  // Somewhere else, because a generation that is about to end would still serve its clip.
  settings_.run.store = store() + "-of-another-day";
  fs::rename(store(), settings_.run.store);
  for (const auto &clip : fs::directory_iterator(settings_.run.store))
    if (clip.is_directory()) fs::remove_all(clip);
  // Nothing can be paid yet.
  service_.refuse_all(503);
  want({clip("kite"), fresh("storm", 0), fresh("storm", 1)});
  const auto is_told = [&](const char *id, const char *task) {
    return std::ranges::count(heard_.warnings(), "Of the item \"" + std::string(id) +
                                                     "\": The clip of this request was paid for before "
                                                     "(2 credits, task " +
                                                     task +
                                                     "), and is not in the store "
                                                     "any more. It is paid for again.");
  };
  EXPECT_TRUE(comes([&] { return is_told("kite", "task-1") == 1 && is_told("storm", "task-2") == 1; }))
      << testing::PrintToString(heard_.warnings());
  EXPECT_EQ(service_.submits(), 2u) << "nothing is paid yet";
  service_.refuse_all(0);
  ASSERT_TRUE(becomes("storm", ItemState::ready, 1));
  EXPECT_EQ(is_told("kite", "task-1"), 1) << "once, however often it is tried";
  EXPECT_THAT(heard_.warnings(), Not(testing::Contains(HasSubstr("task-3"))));
}

TEST_F(PreparerTest, ServesWhatIsStoredWhileAllWorkersAreBusy) {
  want({clip("stored")});
  ASSERT_TRUE(becomes("stored", ItemState::ready));
  restart();
  settings_.workers = 1;
  service_.set("slow", {.hangs = true});
  want({clip("slow"), clip("stored")});
  ASSERT_TRUE(becomes("stored", ItemState::ready));
  EXPECT_NE(state("slow"), ItemState::ready);
}

TEST_F(PreparerTest, KeepsToItsWorkers) {
  std::vector<Wish> wishes;
  for (int i = 0; i < 12; ++i) wishes.push_back(clip("p" + std::to_string(i)));
  settings_.workers = 2;
  want(wishes);
  for (const Wish &wish : wishes) ASSERT_TRUE(becomes(wish.item.id, ItemState::ready));
  EXPECT_EQ(service_.most_under_way(), 2u);
  EXPECT_EQ(service_.submits(), 12u);
}

TEST_F(PreparerTest, BeginsWithWhatComesFirst) {
  settings_.workers = 1;
  service_.set("c", {.hangs = true});
  want({clip("c"), clip("b"), clip("a")});
  ASSERT_TRUE(becomes("c", ItemState::generating));
  pass(std::chrono::seconds(60));
  EXPECT_EQ(service_.submits("a") + service_.submits("b"), 0u);
}

TEST_F(PreparerTest, VetsForeignMediaWithoutTheService) {
  Wish news;
  news.item.id = "news";
  news.item.source = "file:///media/news.mp4";
  news.item.in = std::chrono::seconds(1);
  news.item.length = std::chrono::seconds(30);
  want({news});
  ASSERT_TRUE(becomes("news", ItemState::ready));
  EXPECT_EQ(service_.attempts(), 0u);
  EXPECT_EQ(status("news").media->in, std::chrono::seconds(1));
  EXPECT_EQ(status("news").media->length, std::chrono::seconds(2)) << "no longer than it is";
  EXPECT_FALSE(vetter_->requests()[0].is_generated);
}

TEST_F(PreparerTest, ShowsNoSecretOfASource) {
  Wish news;
  news.item.id = "news";
  news.item.source = "https://user:word@media.example/a.mp4?sig=secret";
  Wish made = clip("a");
  made.item.source += "&first_image=https%3A%2F%2Fmedia.example%2Fp.png%3Fsig%3Dsecret";
  want({news, made});
  ASSERT_TRUE(becomes("news", ItemState::ready));
  ASSERT_TRUE(comes([&] { return state("a") == ItemState::ready || state("a") == ItemState::refused; }));
  EXPECT_THAT(status("news").media->source, Not(HasSubstr("secret")));
  EXPECT_THAT(status("news").media->source, Not(HasSubstr("word")));
  EXPECT_THAT(status("news").media->source, HasSubstr("media.example/a.mp4"));
  EXPECT_EQ(status("news").media->uri, news.item.source) << "this is what is played";
  if (status("a").media) {
    EXPECT_THAT(status("a").media->source, Not(HasSubstr("secret")));
    EXPECT_THAT(status("a").media->source, HasSubstr("prompt=a"));
  }
  EXPECT_THAT(status("a").reason, Not(HasSubstr("secret")));
}

TEST_F(PreparerTest, TellsSourcesApartByTheirQueriesWithoutShowingThem) {
  const auto item = [](const char *id, const char *source) {
    Wish wish;
    wish.item.id = id;
    wish.item.source = source;
    return wish;
  };
  want({item("a", "https://media.example/clip?id=1"), item("b", "https://media.example/clip?id=2"),
        item("c", "https://media.example/clip?id=1")});
  for (const char *id : {"a", "b", "c"}) ASSERT_TRUE(becomes(id, ItemState::ready)) << id;
  EXPECT_EQ(status("a").media->source, status("b").media->source);
  EXPECT_FALSE(have_same_source(*status("a").media, *status("b").media));
  EXPECT_TRUE(have_same_source(*status("a").media, *status("c").media));
}

TEST_F(PreparerTest, TellsNoSecretThatTheVetterRepeats) {
  Wish news;
  news.item.id = "news";
  news.item.source = "https://media.example/a.mp4?sig=secret";
  vetter_->refuse("a.mp4", "Cannot open https://media.example/a.mp4?sig=secret.");
  want({news});
  ASSERT_TRUE(becomes("news", ItemState::failed));
  EXPECT_THAT(status("news").reason, Not(HasSubstr("secret")));
  EXPECT_THAT(status("news").reason, HasSubstr("Cannot open"));
}

// ---- Refused.

TEST_F(PreparerTest, NeverPaysForAStillThatCannotBeShown) {
  Rundown rundown;
  for (const char *id : {"endless", "card"}) {
    RundownItem item;
    item.id = id;
    item.source = "genclip://dream-5.0?prompt=" + item.id;
    rundown.items.push_back(item);
  }
  rundown.items[1].length = std::chrono::seconds(5);
  judge_rundown(rundown, settings_.run);
  want({{rundown.items[0]}});
  ASSERT_TRUE(becomes("endless", ItemState::refused));
  EXPECT_THAT(status("endless").reason, HasSubstr("duration"));
  pass(std::chrono::minutes(5));
  EXPECT_EQ(service_.submits(), 0u);
  want({{rundown.items[0]}, {rundown.items[1]}});
  EXPECT_TRUE(comes([&] { return service_.submits() == 1; })) << "with a length it is generated";
}

TEST_F(PreparerTest, NeverSubmitsWhatTheCatalogRefuses) {
  Wish wrong = clip("a");
  wrong.item.source = "genclip://dance-2.5?prompt=a&duration=10000";
  Wish judged = clip("b");
  judged.item.problem = "It was refused at load.";
  want({wrong, judged});
  ASSERT_TRUE(becomes("a", ItemState::refused));
  ASSERT_TRUE(becomes("b", ItemState::refused));
  EXPECT_THAT(status("a").reason, HasSubstr("duration"));
  EXPECT_EQ(status("b").reason, "It was refused at load.");
  EXPECT_EQ(service_.attempts(), 0u);
}

TEST_F(PreparerTest, SubmitsOnceWhatTheServiceRefuses) {
  service_.set("a", {.refusal = 400});
  want({clip("a")});
  ASSERT_TRUE(becomes("a", ItemState::failed));
  want({});
  pass(std::chrono::minutes(30));
  want({clip("a")});
  ASSERT_TRUE(becomes("a", ItemState::failed));
  EXPECT_EQ(service_.attempts(), 1u);
  service_.set("a", {});
  preparer_->reload();
  EXPECT_TRUE(becomes("a", ItemState::ready)) << "a reload tries again what has cost nothing";
}

// ---- Task failed.

TEST_F(PreparerTest, SubmitsAFailedTaskNotAgainInThisRun) {
  service_.set("a", {.failure = "moderated"});
  want({clip("a")});
  ASSERT_TRUE(becomes("a", ItemState::failed));
  EXPECT_THAT(status("a").reason, HasSubstr("moderated"));
  for (int turn = 0; turn < 3; ++turn) {
    want({});
    pass(std::chrono::minutes(10), 20);
    want({clip("a")});
    ASSERT_TRUE(becomes("a", ItemState::failed));
    preparer_->reload();
    pass(std::chrono::minutes(10), 20);
  }
  EXPECT_EQ(service_.submits(), 1u);
  restart();
  service_.set("a", {});
  want({clip("a")});
  EXPECT_TRUE(becomes("a", ItemState::ready)) << "another run tries";
  EXPECT_EQ(service_.submits(), 2u);
}

TEST_F(PreparerTest, SubmitsAFailedTaskAgainWhenItsSourceChanges) {
  service_.set("a", {.failure = "moderated"});
  want({clip("a")});
  ASSERT_TRUE(becomes("a", ItemState::failed));
  Wish changed = clip("a");
  changed.item.source = clip("b").item.source;
  want({changed});
  ASSERT_TRUE(becomes("a", ItemState::ready));
  EXPECT_EQ(service_.submits("b"), 1u);
}

TEST_F(PreparerTest, TriesAFailedTaskOnceMoreIfTheItemSaysSo) {
  service_.set("a", {.failure = "moderated"});
  Wish wish = clip("a");
  wish.item.retry = true;
  want({wish});
  ASSERT_TRUE(becomes("a", ItemState::failed));
  pass(std::chrono::minutes(60));
  EXPECT_EQ(service_.submits(), 2u);
}

TEST_F(PreparerTest, SubmitsASourceOfTwoItemsOnceEvenIfItFails) {
  service_.set("a", {.failure = "moderated"});
  Wish other = clip("a");
  other.item.id = "other";
  want({clip("a"), other});
  ASSERT_TRUE(becomes("a", ItemState::failed));
  ASSERT_TRUE(becomes("other", ItemState::failed));
  EXPECT_EQ(service_.submits(), 1u);
}

// ---- Outcome unknown.

TEST_F(PreparerTest, SubmitsAFailedTaskNotAgainInAnotherSpelling) {
  service_.set("two words", {.failure = "moderated"});
  Wish plus;
  plus.item.id = "plus";
  plus.item.source = "genclip://dance-2.5?prompt=two+words&duration=6";
  Wish escaped = plus;
  escaped.item.id = "escaped";
  escaped.item.source = "genclip://dance-2.5/label?duration=6&prompt=two%20words";
  want({plus});
  ASSERT_TRUE(becomes("plus", ItemState::failed));
  want({plus, escaped});
  ASSERT_TRUE(becomes("escaped", ItemState::failed));
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(PreparerTest, NeverSubmitsAnUnknownOutcomeAgainAlsoNotByARestart) {
  service_.set("a", {.loses_answer = true});
  want({clip("a")});
  ASSERT_TRUE(becomes("a", ItemState::unknown));
  for (int run = 0; run < 3; ++run) {
    preparer_->reload();
    pass(std::chrono::minutes(60));
    restart();
    want({clip("a")});
    ASSERT_TRUE(becomes("a", ItemState::unknown));
    EXPECT_THAT(status("a").reason, HasSubstr("not submitted again"));
  }
  EXPECT_EQ(service_.attempts(), 1u);
}

TEST_F(PreparerTest, SubmitsAnUnknownOutcomeOnceMoreIfThatIsWanted) {
  settings_.on_unknown = OnUnknown::resubmit;
  service_.set("a", {.loses_answer = true});
  want({clip("a")});
  ASSERT_TRUE(becomes("a", ItemState::unknown));
  pass(std::chrono::minutes(60));
  EXPECT_EQ(service_.attempts(), 2u);
  EXPECT_THAT(heard_.warnings(), testing::Contains(HasSubstr("submitted again")));
}

TEST_F(PreparerTest, TellsOfEachClipThatItIsSubmittedOnceMore) {
  settings_.on_unknown = OnUnknown::resubmit;
  for (const char *id : {"a", "b", "c"}) service_.set(id, {.loses_answer = true});
  want({clip("a"), clip("b"), clip("c")});
  for (const char *id : {"a", "b", "c"}) ASSERT_TRUE(becomes(id, ItemState::unknown));
  EXPECT_EQ(service_.attempts(), 6u);
  for (const char *id : {"a", "b", "c"})
    EXPECT_THAT(heard_.warnings(),
                testing::Contains(testing::ContainsRegex("Of the item \"" + std::string(id) +
                                                         "\": An earlier run submitted the request of the "
                                                         "clip [0-9a-f]+ at 2026-01-01T.* It is submitted "
                                                         "again")));
}

// ---- Paid, not fetched.

TEST_F(PreparerTest, FetchesAPaidClipAgainAndAgainAndNeverPaysTwice) {
  service_.set("a", {.media_status = 404});
  want({clip("a")});
  ASSERT_TRUE(becomes("a", ItemState::paid_unfetched));
  pass(std::chrono::hours(2), 300);
  EXPECT_EQ(state("a"), ItemState::paid_unfetched);
  service_.set("a", {});
  ASSERT_TRUE(becomes("a", ItemState::ready));
  EXPECT_EQ(service_.submits(), 1u);
  EXPECT_EQ(preparer_->spent(), 2);
  EXPECT_EQ(status("a").media->credits, 2);
}

TEST_F(PreparerTest, DoesNotPayAgainWhenThePaidTaskIsDenied) {
  service_.set("a", {.media_status = 404});
  want({clip("a")});
  ASSERT_TRUE(becomes("a", ItemState::paid_unfetched));
  service_.set("a", {.is_denied = true});
  preparer_->reload();
  pass(std::chrono::minutes(60));
  EXPECT_EQ(state("a"), ItemState::paid_unfetched);
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(PreparerTest, AttachesToATaskThatIsNotDoneInTime) {
  settings_.run.timeout_s = 60;
  service_.set("a", {.hangs = true});
  want({clip("a")});
  ASSERT_TRUE(becomes("a", ItemState::generating));
  pass(std::chrono::minutes(20), 300);
  EXPECT_EQ(state("a"), ItemState::generating);
  service_.set("a", {});
  ASSERT_TRUE(becomes("a", ItemState::ready));
  EXPECT_EQ(service_.submits(), 1u);
}

// What becomes due after the look at what is due and before its timer is set would be forgotten.
TEST_F(PreparerTest, TriesAgainHoweverTheTimePassesBetweenItsLooks) {
  clock_.creep(std::chrono::seconds(3));  // A look comes 3 s after the refusal; the pause is 5 s.
  for (const std::string prompt : {"a", "b", "c", "d"}) {
    service_.set(prompt, {.refusal = 503});
    const unsigned before = service_.attempts();
    want({clip(prompt)});
    ASSERT_TRUE(comes([&] { return service_.attempts() >= before + 2; })) << prompt;
  }
}

// ---- Key, credits, budget.

TEST_F(PreparerTest, SubmitsNothingMoreWhenTheKeyIsRefused) {
  want({clip("stored")});
  ASSERT_TRUE(becomes("stored", ItemState::ready));
  restart();
  service_.refuse_all(401);
  settings_.workers = 1;
  want({clip("a"), clip("b"), clip("stored")});
  ASSERT_TRUE(becomes("a", ItemState::budget));
  ASSERT_TRUE(becomes("b", ItemState::budget));
  ASSERT_TRUE(becomes("stored", ItemState::ready));
  pass(std::chrono::hours(3), 300);
  ASSERT_THAT(heard_.notices(), SizeIs(1));
  ASSERT_TRUE(heard_.notices()[0]);
  EXPECT_TRUE(heard_.notices()[0]->is_key);
  EXPECT_STREQ(heard_.notices()[0]->alarm(), "key");
  EXPECT_THAT(heard_.notices()[0]->text, HasSubstr("key"));
  const unsigned attempts = service_.attempts();
  EXPECT_LE(attempts, 1u + 3u) << "those that were on their way";

  service_.refuse_all(0);
  preparer_->reload();
  ASSERT_TRUE(becomes("a", ItemState::ready));
  ASSERT_TRUE(becomes("b", ItemState::ready));
  ASSERT_THAT(heard_.notices(), SizeIs(2));
  EXPECT_FALSE(heard_.notices()[1]);
}

TEST_F(PreparerTest, WithoutCreditsFetchesWhatIsPaid) {
  service_.set("paid", {.hangs = true});
  want({clip("paid")});
  ASSERT_TRUE(becomes("paid", ItemState::generating));
  ASSERT_TRUE(comes([&] { return service_.queries() > 0; }));
  settings_.workers = 1;
  restart();
  service_.refuse_all(402);
  want({clip("a"), clip("paid")});
  ASSERT_TRUE(becomes("a", ItemState::budget));
  service_.set("paid", {});
  ASSERT_TRUE(becomes("paid", ItemState::ready));
  EXPECT_EQ(service_.submits(), 1u);
  ASSERT_THAT(heard_.notices(), SizeIs(1));
  ASSERT_TRUE(heard_.notices()[0]);
  EXPECT_STREQ(heard_.notices()[0]->alarm(), "budget");
  EXPECT_THAT(heard_.notices()[0]->text, HasSubstr("credits"));
}

TEST_F(PreparerTest, WaitsForTheBudgetsReset) {
  set_budget(&Budget::tasks_per_day, 2);
  want({clip("a"), clip("b"), clip("c")});
  ASSERT_TRUE(comes([&] { return !heard_.notices().empty(); }));
  const auto notice = heard_.notices()[0];
  ASSERT_TRUE(notice);
  EXPECT_FALSE(notice->is_key);
  EXPECT_EQ(notice->unit, "tasks");
  EXPECT_EQ(notice->limit, 2);
  EXPECT_EQ(notice->spent, 2);
  ASSERT_TRUE(notice->resumes);
  EXPECT_EQ(utc_text(*notice->resumes), "2026-01-02T00:00:00.000Z");
  ASSERT_TRUE(comes([&] { return service_.submits() == 2; }));
  pass(std::chrono::hours(12), 200);
  EXPECT_EQ(service_.submits(), 2u);
  EXPECT_THAT(heard_.notices(), SizeIs(1));
  pass(std::chrono::hours(13), 200);
  for (const char *id : {"a", "b", "c"}) ASSERT_TRUE(becomes(id, ItemState::ready));
  EXPECT_EQ(service_.submits(), 3u);
  ASSERT_THAT(heard_.notices(), SizeIs(2));
  EXPECT_FALSE(heard_.notices()[1]);
}

// Fresh items come into the look-ahead and leave it; the alarm does not follow them.
TEST_F(PreparerTest, DoesNotWaitForADayOnWhichAClipIsNotTooDear) {
  set_budget(&Budget::per_day, 100);
  set_budget(&Budget::assumed_price, 120);
  want({clip("a")});
  ASSERT_TRUE(becomes("a", ItemState::failed));
  EXPECT_THAT(status("a").reason, HasSubstr("120"));
  EXPECT_THAT(heard_.notices(), IsEmpty());
  set_budget(&Budget::per_day, 200);
  preparer_->reload();
  ASSERT_TRUE(becomes("a", ItemState::ready));
}

TEST_F(PreparerTest, AHaltEndsForWhatIsCheaperThanTheAssumedPrice) {
  set_budget(&Budget::per_day, 100);
  set_budget(&Budget::assumed_price, 60);
  service_.set("a", {.amount = 50});
  want({clip("a")});
  ASSERT_TRUE(becomes("a", ItemState::ready));
  // Nobody knows what a clip of another model costs.
  const auto dear = [](const std::string &prompt) {
    Wish wish = clip(prompt);
    wish.item.source = "genclip://dance_2_0?prompt=" + prompt;
    return wish;
  };
  want({dear("b")});
  ASSERT_TRUE(becomes("b", ItemState::budget));
  ASSERT_TRUE(comes([&] { return heard_.notices().size() == 1; }));
  want({dear("d")});
  ASSERT_TRUE(comes([&] {
    return testing::Value(heard_.states_of("d"), testing::Contains(ItemState::generating)) &&
           state("d") == ItemState::budget;
  }));
  EXPECT_THAT(heard_.notices(), SizeIs(1)) << "it is refused too, so the alarm was never over";
  want({clip("c")});
  ASSERT_TRUE(becomes("c", ItemState::ready));
  ASSERT_THAT(heard_.notices(), SizeIs(2));
  EXPECT_FALSE(heard_.notices()[1]);
}

TEST_F(PreparerTest, ASurveyThatHangsHoldsUpNoOtherItem) {
  HangingFiles &files = HangingFiles::shared();
  const GenerationServices services{http_, &clock_, &files, "boot"};
  const Wish hung = clip("hung");
  const auto plan = plan_item(hung.item.source, 0, settings_.run);
  ASSERT_TRUE(plan);
  const auto identified = identify_request(plan->job, services, true, nullptr);
  ASSERT_TRUE(identified);
  files.hang(ClipPath(store(), identified->identity.digest()).folder());
  preparer_ = make_preparer(settings_, services, vetter_, heard_);
  want({hung, clip("a"), clip("b")});
  EXPECT_TRUE(becomes("hung", ItemState::failed));
  EXPECT_TRUE(files.holds_somebody());
  EXPECT_TRUE(becomes("a", ItemState::ready));
  EXPECT_TRUE(becomes("b", ItemState::ready));
  EXPECT_THAT(status("hung").reason, HasSubstr("does not answer"));
  files.hang("");
  EXPECT_TRUE(becomes("hung", ItemState::ready));
}

TEST_F(PreparerTest, ABudgetThatHangsHoldsUpNothingElse) {
  HangingFiles &files = HangingFiles::shared();
  set_budget(&Budget::tasks_per_day, 1);
  settings_.workers = 1;
  preparer_ = make_preparer(settings_, {http_, &clock_, &files, "boot"}, vetter_, heard_);
  want({clip("a"), clip("b")});
  ASSERT_TRUE(becomes("a", ItemState::ready));
  ASSERT_TRUE(becomes("b", ItemState::budget));
  files.hang(store() + "/budget.json");
  EXPECT_TRUE(comes([&] { return files.holds_somebody(); }));
  pass(std::chrono::minutes(3));  // It may have been the one that remembers the budget, and not yet a look.
  Wish news;
  news.item.id = "news";
  news.item.source = "file:///media/news.mp4";
  want({clip("a"), clip("b"), news});
  EXPECT_TRUE(becomes("news", ItemState::ready));
  EXPECT_EQ(state("b"), ItemState::budget);
  files.hang("");
  set_budget(&Budget::tasks_per_day, 5);
  EXPECT_TRUE(becomes("b", ItemState::ready));
}

// Of the first item it hears of it hears for long.
class HearsSlowly final : public PreparerListener {
 public:
  void on_item(const std::string &, uint64_t, const ItemStatus &) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    hears_ = true;
    changed_.notify_all();
    while (!may_go_on_) changed_.wait(lock);
  }
  void on_budget(const std::optional<BudgetNotice> &) override {}
  void on_warning(const Error &) override {}
  void on_alarm(const std::string &, const std::string &, bool) override {}

  void wait_until_it_hears() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (!hears_) changed_.wait(lock);
  }
  void go_on() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    may_go_on_ = true;
    changed_.notify_all();
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool hears_ GUARDED_BY(mutex_) = false;
  bool may_go_on_ GUARDED_BY(mutex_) = false;
};

TEST_F(PreparerTest, KeepsNoWishesBesideTheNewest) {
  const auto file = [](const std::string &id) {
    Wish wish;
    wish.item.id = id;
    wish.item.source = "file:///media/" + id + ".mp4";
    return wish;
  };
  HearsSlowly slow;
  preparer_ = make_preparer(settings_, {http_, &clock_, &files_, "boot"}, vetter_, slow);
  want({file("first")});
  slow.wait_until_it_hears();
  want({file("older")});
  want({file("newest")});
  slow.go_on();
  ASSERT_TRUE(becomes("newest", ItemState::ready));
  for (const VettingRequest &request : vetter_->requests()) EXPECT_THAT(request.uri, Not(HasSubstr("older")));
  stop();
}

TEST_F(PreparerTest, TellsOnceThatTheBudgetOfFreshItemsIsMissing) {
  want({clip("a")});
  ASSERT_TRUE(becomes("a", ItemState::ready));
  preparer_->set_bound(false);
  want({clip("a"), fresh("kite", 0)});
  ASSERT_TRUE(comes([&] { return heard_.notices().size() == 1; }));
  ASSERT_TRUE(heard_.notices()[0]);
  EXPECT_TRUE(heard_.notices()[0]->is_unbound);
  want({clip("c")});
  ASSERT_TRUE(becomes("c", ItemState::ready));
  want({clip("a"), fresh("kite", 1)});
  ASSERT_TRUE(becomes("kite", ItemState::budget, 1));
  EXPECT_THAT(heard_.notices(), SizeIs(1));
  // A notice of another kind: the first one is taken back.
  service_.refuse_all(401);
  want({clip("b"), fresh("kite", 1)});
  ASSERT_TRUE(comes([&] { return heard_.notices().size() == 3; }));
  EXPECT_FALSE(heard_.notices()[1]);
  ASSERT_TRUE(heard_.notices()[2]);
  EXPECT_TRUE(heard_.notices()[2]->is_key);
  EXPECT_EQ(service_.submits(), 2u);
}

TEST_F(PreparerTest, LooksOnceAMinuteWhetherTheBudgetIsSet) {
  set_budget(&Budget::tasks_per_day, 1);
  settings_.workers = 1;
  want({clip("a"), clip("b")});
  ASSERT_TRUE(becomes("a", ItemState::ready));
  ASSERT_TRUE(becomes("b", ItemState::budget));
  set_budget(&Budget::tasks_per_day, 5);
  ASSERT_TRUE(becomes("b", ItemState::ready));
  EXPECT_LT(clock_.elapsed(), std::chrono::hours(12));
  EXPECT_THAT(heard_.notices(), SizeIs(2));
}

TEST_F(PreparerTest, RepeatsTheLastStoredTakeWhileTheBudgetIsSpent) {
  set_budget(&Budget::tasks_per_day, 2);
  settings_.workers = 1;
  want({fresh("kite", 0)});
  ASSERT_TRUE(becomes("kite", ItemState::ready, 0));
  want({fresh("kite", 0), fresh("kite", 1)});
  ASSERT_TRUE(becomes("kite", ItemState::ready, 1));
  EXPECT_EQ(status("kite", 1).media->take, 1u);
  want({fresh("kite", 1), fresh("kite", 2), fresh("kite", 3)});
  ASSERT_TRUE(becomes("kite", ItemState::ready, 2));
  ASSERT_TRUE(becomes("kite", ItemState::ready, 3));
  EXPECT_EQ(status("kite", 2).media->take, 1u);
  EXPECT_EQ(status("kite", 3).media->take, 1u);
  EXPECT_EQ(service_.submits(), 2u);
  restart();
  want({fresh("kite", 4), fresh("new", 4)});
  ASSERT_TRUE(becomes("kite", ItemState::ready, 4));
  EXPECT_EQ(status("kite", 4).media->take, 1u);
  ASSERT_TRUE(becomes("new", ItemState::budget, 4));

  set_budget(&Budget::tasks_per_day, 10);
  ASSERT_TRUE(comes([&] { return status("kite", 4).media && status("kite", 4).media->take == 4; }));
  EXPECT_EQ(state("kite", 4), ItemState::ready);
  ASSERT_TRUE(becomes("new", ItemState::ready, 4));
  EXPECT_EQ(service_.submits(), 4u);
}

TEST_F(PreparerTest, RepeatsTheLastStoredTakeHoweverManyTurnsTheBudgetIsSpent) {
  set_budget(&Budget::tasks_per_day, 1);
  want({fresh("kite", 0)});
  ASSERT_TRUE(becomes("kite", ItemState::ready, 0));
  // Its loop is longer than the look-ahead.
  want({});
  ASSERT_TRUE(becomes("kite", ItemState::planned, 0));
  want({fresh("kite", 50000)});
  ASSERT_TRUE(becomes("kite", ItemState::ready, 50000));
  EXPECT_EQ(status("kite", 50000).media->take, 0u);
  restart();
  want({fresh("kite", 2000)});
  ASSERT_TRUE(becomes("kite", ItemState::ready, 2000));
  EXPECT_EQ(status("kite", 2000).media->take, 0u);
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(PreparerTest, TakesTheUrisOwnTakeAsTheFirst) {
  Wish wish = fresh("kite", 3);
  wish.item.source += "&take=5";
  want({wish});
  ASSERT_TRUE(becomes("kite", ItemState::ready, 3));
  EXPECT_EQ(status("kite", 3).media->take, 8u);
}

TEST_F(PreparerTest, ALimitOfOneClipStopsThatClipAlone) {
  settings_.run.max_amount = 1;
  want({clip("a")});
  ASSERT_TRUE(becomes("a", ItemState::failed));
  EXPECT_THAT(heard_.notices(), IsEmpty());
  EXPECT_EQ(service_.attempts(), 0u);
}

TEST_F(PreparerTest, WithoutAKeyShowsWhatIsStored) {
  want({clip("stored")});
  ASSERT_TRUE(becomes("stored", ItemState::ready));
  settings_.run.api_key.clear();
  restart();
  want({clip("a"), clip("stored")});
  ASSERT_TRUE(becomes("stored", ItemState::ready));
  ASSERT_TRUE(becomes("a", ItemState::budget));
  ASSERT_TRUE(comes([&] { return heard_.notices().size() == 1; }));
  EXPECT_TRUE(heard_.notices()[0]->is_key);
  EXPECT_THAT(heard_.notices()[0]->text,
              StartsWith("This clip is not in the store " + settings_.run.store + "."));
}

// ---- Unfit media.

TEST_F(PreparerTest, NeverShowsWhatTheVetterRefusesAndSaysThatItIsPaid) {
  vetter_->refuse("clip.mp4", "3 of 50 frames are missing.");
  want({clip("a")});
  ASSERT_TRUE(becomes("a", ItemState::failed));
  EXPECT_THAT(status("a").reason, HasSubstr("3 of 50 frames are missing."));
  EXPECT_THAT(status("a").reason, HasSubstr("paid"));
  EXPECT_FALSE(status("a").media);
  pass(std::chrono::minutes(30));
  want({});
  pass(std::chrono::minutes(1), 20);
  want({clip("a")});
  ASSERT_TRUE(becomes("a", ItemState::failed));
  EXPECT_EQ(service_.submits(), 1u);
  EXPECT_THAT(vetter_->requests(), SizeIs(1)) << "not decoded in each turn";
  vetter_->accept_all();
  preparer_->reload();
  ASSERT_TRUE(becomes("a", ItemState::ready));
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(PreparerTest, AStillNeedsALength) {
  Wish card;
  card.item.id = "card";
  card.item.source = "file:///media/card.png";
  want({card});
  ASSERT_TRUE(becomes("card", ItemState::failed));
  EXPECT_THAT(status("card").reason, HasSubstr("duration"));
  card.item.length = std::chrono::seconds(5);
  want({card});
  ASSERT_TRUE(becomes("card", ItemState::ready));
  EXPECT_EQ(status("card").media->length, std::chrono::seconds(5));
}

TEST_F(PreparerTest, ALengthOfStillsCutsNoClip) {
  Wish clip;
  clip.item.id = "clip";
  clip.item.source = "file:///media/news.mp4";
  clip.item.length = std::chrono::seconds(1);
  clip.item.is_length_of_still = true;
  Wish card = clip;
  card.item.id = "card";
  card.item.source = "file:///media/card.png";
  want({clip, card});
  ASSERT_TRUE(becomes("clip", ItemState::ready));
  EXPECT_EQ(status("clip").media->length, std::chrono::seconds(2)) << "M3U files round it";
  ASSERT_TRUE(becomes("card", ItemState::ready));
  EXPECT_EQ(status("card").media->length, std::chrono::seconds(1));
}

TEST_F(PreparerTest, AStillInTheFallbackLastsAsLongAsAStepOfTheSlate) {
  want({}, {"file:///media/card.png", "file:///media/ident.mp4"});
  ASSERT_TRUE(becomes(fallback_id(0), ItemState::ready));
  EXPECT_TRUE(status(fallback_id(0)).media->is_still);
  EXPECT_EQ(status(fallback_id(0)).media->length, std::chrono::seconds(5));
  ASSERT_TRUE(becomes(fallback_id(1), ItemState::ready));
  EXPECT_EQ(status(fallback_id(1)).media->length, std::chrono::seconds(2)) << "a clip is shown whole";
}

TEST_F(PreparerTest, VetsAFileAgainOnlyWhenItHasChanged) {
  const std::string path = folder_.file("news.mp4");
  std::ofstream(path) << "one";
  Wish news;
  news.item.id = "news";
  news.item.source = "file://" + path;
  for (int turn = 0; turn < 3; ++turn) {
    want({news});
    ASSERT_TRUE(becomes("news", ItemState::ready));
    want({});
    ASSERT_TRUE(becomes("news", ItemState::planned));
  }
  EXPECT_THAT(vetter_->requests(), SizeIs(1));
  std::ofstream(path) << "another content";
  want({news});
  ASSERT_TRUE(becomes("news", ItemState::ready));
  EXPECT_THAT(vetter_->requests(), SizeIs(2));
}

TEST_F(PreparerTest, VetsAReadyFileAgainThatIsReplaced) {
  const std::string path = folder_.file("news.mp4");
  std::ofstream(path) << "one";
  Wish news;
  news.item.id = "news";
  news.item.source = "file://" + path;
  want({news}, {news.item.source});
  ASSERT_TRUE(becomes("news", ItemState::ready));
  ASSERT_TRUE(becomes(fallback_id(0), ItemState::ready));
  std::ofstream(path) << "another content";
  vetter_->refuse("news", "It is broken.");
  const auto both_are = [&](ItemState wanted) {
    return comes([&] {
      want({news}, {news.item.source});
      return state("news") == wanted && state(fallback_id(0)) == wanted;
    });
  };
  EXPECT_TRUE(both_are(ItemState::failed)) << "what was vetted is not what is there";
  vetter_->accept_all();
  std::ofstream(path) << "a good one";
  EXPECT_TRUE(both_are(ItemState::ready));
}

TEST_F(PreparerTest, AFileThatComesLaterIsShownWithoutAReload) {
  const std::string path = folder_.file("news.mp4");
  Wish news;
  news.item.id = "news";
  news.item.source = "file://" + path;
  vetter_->refuse("news", "It cannot be decoded.");
  want({news});
  ASSERT_TRUE(becomes("news", ItemState::failed));
  vetter_->accept_all();
  std::ofstream(path) << "one";
  EXPECT_TRUE(comes([&] {
    want({news});
    return state("news") == ItemState::ready;
  }));
}

TEST_F(PreparerTest, AsksAgainForForeignMediaAndVetsASlowClipAgainWithoutPaying) {
  Wish news;
  news.item.id = "news";
  news.item.source = "https://media.example/news.mp4";
  vetter_->refuse("news", "The host cannot be reached.");
  vetter_->refuse("/store/", "It could not be decoded within 20 s.", ErrorKind::timed_out);
  want({news, clip("a")});
  ASSERT_TRUE(becomes("news", ItemState::failed));
  ASSERT_TRUE(becomes("a", ItemState::failed));
  vetter_->accept_all();
  EXPECT_TRUE(becomes("news", ItemState::ready));
  EXPECT_TRUE(becomes("a", ItemState::ready));
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(PreparerTest, DoesNotAskASilentServerForEachOfItsItems) {
  const auto foreign = [](const std::string &id, const std::string &source) {
    Wish wish;
    wish.item.id = id;
    wish.item.source = source;
    return wish;
  };
  vetter_->refuse("silent", "Its server sent nothing.", ErrorKind::open_read);
  want({foreign("one", "https://silent.example/one.mp4"), foreign("two", "https://silent.example/two.mp4"),
        foreign("here", "file:///media/here.mp4")});
  ASSERT_TRUE(becomes("here", ItemState::ready));
  ASSERT_TRUE(becomes("two", ItemState::failed));
  EXPECT_THAT(status("two").reason, HasSubstr("when another item of it was looked at"));
  for (const VettingRequest &request : vetter_->requests())
    EXPECT_THAT(request.uri, Not(HasSubstr("two.mp4")));
  vetter_->accept_all();
  EXPECT_TRUE(becomes("one", ItemState::ready));
  EXPECT_TRUE(becomes("two", ItemState::ready));
}

TEST_F(PreparerTest, HasAFallbackBeforeEverythingElse) {
  want({clip("kite")}, {"file:///media/ident.mp4"});
  ASSERT_TRUE(becomes(fallback_id(0), ItemState::ready));
  ASSERT_TRUE(becomes("kite", ItemState::ready));
}

// ---- No room.

TEST_F(PreparerTest, GeneratesNothingMoreOnAFullDiskAndSaysSoOnce) {
  want({clip("stored")});
  ASSERT_TRUE(becomes("stored", ItemState::ready));
  restart();
  settings_.workers = 1;
  files_.limit_space(0);
  want({clip("a"), clip("b"), clip("stored")});
  ASSERT_TRUE(becomes("stored", ItemState::ready));
  ASSERT_TRUE(comes([&] { return !heard_.alarms().empty(); }));
  pass(std::chrono::hours(1), 200);
  EXPECT_THAT(heard_.alarms(), ElementsAre("disk-full"));
  EXPECT_LE(service_.submits("a") + service_.submits("b"), 1u);
  files_.limit_space(std::nullopt);
  ASSERT_TRUE(becomes("a", ItemState::ready));
  ASSERT_TRUE(becomes("b", ItemState::ready));
  EXPECT_EQ(service_.submits("a"), 1u);
  EXPECT_EQ(service_.submits("b"), 1u);
  EXPECT_THAT(heard_.alarms(), ElementsAre("disk-full", "disk-full is over"));
}

// ---- The window.

TEST_F(PreparerTest, FetchesWhatIsPaidAlsoIfNobodyWantsItAnyMore) {
  service_.set("a", {.hangs = true});
  want({clip("a")});
  ASSERT_TRUE(comes([&] { return service_.submits("a") == 1; }));
  want({clip("b")});
  ASSERT_TRUE(becomes("b", ItemState::ready));
  EXPECT_EQ(state("a"), ItemState::planned);
  service_.set("a", {});
  ASSERT_TRUE(comes([&] { return service_.downloads("a") == 1; }));
  EXPECT_EQ(state("a"), ItemState::planned);
  want({clip("a")});
  ASSERT_TRUE(becomes("a", ItemState::ready));
  EXPECT_EQ(service_.submits("a"), 1u);
  EXPECT_EQ(service_.downloads("a"), 1u);
}

TEST_F(PreparerTest, FetchesWhatIsPaidAlsoIfItsItemHasBecomeSomethingElse) {
  service_.set("a", {.hangs = true});
  want({clip("a")});
  ASSERT_TRUE(comes([&] { return service_.submits("a") == 1; }));
  Wish edited = clip("a");
  edited.item.source = clip("b").item.source;
  want({edited});
  ASSERT_TRUE(becomes("a", ItemState::ready));
  EXPECT_EQ(service_.downloads("b"), 1u);
  service_.set("a", {});
  ASSERT_TRUE(comes([&] { return service_.downloads("a") == 1; }));
  ASSERT_TRUE(comes([&] { return preparer_->spent() == 4; })) << "both are told";
  EXPECT_EQ(state("a"), ItemState::ready);
  want({clip("a")});
  ASSERT_TRUE(comes([&] { return status("a").media && status("a").media->source == clip("a").item.source; }));
  EXPECT_EQ(service_.submits("a"), 1u);
  EXPECT_EQ(service_.downloads("a"), 1u);
}

TEST_F(PreparerTest, KeepsWhatIsWantedOrShownFromEviction) {
  settings_.run.store_max_size = 45'000;  // Two clips.
  want({clip("a"), clip("b")});
  ASSERT_TRUE(becomes("a", ItemState::ready));
  ASSERT_TRUE(becomes("b", ItemState::ready));
  auto shown = status("a").media;
  std::vector<Wish> more = {clip("b")};
  for (int i = 0; i < 5; ++i) more.push_back(clip("p" + std::to_string(i)));
  want(more);
  for (const Wish &wish : more) ASSERT_TRUE(becomes(wish.item.id, ItemState::ready));
  const auto path = [](const ReadyMedia &media) { return media.uri.substr(std::string("file://").size()); };
  EXPECT_TRUE(fs::exists(path(*shown))) << "it is on the air";
  for (const Wish &wish : more) EXPECT_TRUE(fs::exists(path(*status(wish.item.id).media)));
  const std::string before = path(*shown);
  shown.reset();
  want({clip("q")});
  ASSERT_TRUE(becomes("q", ItemState::ready));
  more.clear();
  for (int i = 0; i < 4; ++i) {
    want({clip("r" + std::to_string(i))});
    ASSERT_TRUE(becomes("r" + std::to_string(i), ItemState::ready));
  }
  EXPECT_FALSE(fs::exists(before)) << "nobody wants it any more";
}

TEST_F(PreparerTest, TellsNothingAfterItIsClosed) {
  service_.set("a", {.hangs = true});
  want({clip("a")});
  ASSERT_TRUE(becomes("a", ItemState::generating));
  preparer_->close();
  const size_t told = heard_.items().size();
  service_.set("a", {});
  preparer_->want({clip("b")}, {});
  pass(std::chrono::minutes(5));
  EXPECT_EQ(heard_.items().size(), told);
  EXPECT_EQ(service_.submits("b"), 0u);
}

}  // namespace
}  // namespace genclip::test
