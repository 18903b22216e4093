// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the workers get from the store and give to it, whatever the disk does.
#include "elements/captioner/answer_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "plugin/base/gref.h"
#include "plugin/caption/question_fault.h"
#include "plugin/store/caption_answers.h"
#include "plugin/store/clip_path.h"
#include "tests/support/lossy_file_system.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

ContentAnswer said(const std::string &text, const std::string &reason = "STOP") {
  ContentAnswer answer;
  answer.text = text;
  answer.finish_reason = reason;
  answer.prompt_tokens = 300;
  answer.output_tokens = 20;
  answer.total_tokens = 320;
  return answer;
}

// Is never destroyed: a job for the disk that nobody waits for may still use it behind the end of its test.
LossyFileSystem &lasting_files(const std::string &folder) {
  static auto *const all = new std::vector<std::unique_ptr<LossyFileSystem>>;
  return *all->emplace_back(std::make_unique<LossyFileSystem>(folder));
}

class AnswerStoreTest : public testing::Test {
 protected:
  AnswerStoreTest() { answers_.begin(root_); }

  std::optional<ContentAnswer> find(const std::string &key) {
    return answers_.find(key, AnswerStore::Use::noted, cancellable_.get());
  }
  std::optional<Error> keep(const std::string &key, const ContentAnswer &answer) {
    return answers_.keep(key, "m", answer, nullptr, cancellable_.get());
  }

  TemporaryFolder folder_;
  const std::string root_ = folder_.path() + "/store";
  LossyFileSystem &files_ = lasting_files(folder_.path());
  AnswerStore answers_{files_};
  const GRef<GCancellable> cancellable_ = GRef<GCancellable>::adopt(g_cancellable_new());
  const std::string a_ = std::string(64, 'a');
  const std::string b_ = std::string(64, 'b');
};

TEST_F(AnswerStoreTest, FindsWhatItHasKeptWithoutItsTokens) {
  EXPECT_FALSE(find(a_));
  EXPECT_FALSE(keep(a_, said("A kite.")));
  const auto found = find(a_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->text, "A kite.");
  EXPECT_EQ(found->finish_reason, "STOP");
  EXPECT_EQ(found->total_tokens, 0u);
  EXPECT_FALSE(find(b_));
  EXPECT_EQ(read_answer(files_, root_, a_)->total_tokens, 320u) << "the file tells what it took";
}

TEST_F(AnswerStoreTest, HasPutAnAnswerOnTheDiskOnceItReturns) {
  EXPECT_FALSE(keep(a_, said("A kite.")));
  files_.crash(Loss::both);
  EXPECT_TRUE(find(a_));
}

TEST_F(AnswerStoreTest, WarnsOnceInARunThatNothingCanBeKept) {
  files_.limit_space(0);
  const auto warning = keep(a_, said("A kite."));
  ASSERT_TRUE(warning);
  EXPECT_EQ(warning->kind, ErrorKind::no_space_left);
  EXPECT_THAT(warning->text, HasSubstr("cannot be kept in the store"));
  EXPECT_FALSE(keep(a_, said("A kite.")));
  EXPECT_FALSE(keep(b_, said("A kite.")));
  EXPECT_FALSE(find(a_));
  files_.limit_space(std::nullopt);
  EXPECT_FALSE(keep(b_, said("A kite.")));
  EXPECT_TRUE(find(b_)) << "it tries again with each answer";
  answers_.begin(root_);
  files_.limit_space(0);
  EXPECT_TRUE(keep(a_, said("A kite."))) << "this is another run";
}

// As after a run by another user, or with too many open files.
TEST_F(AnswerStoreTest, NeitherReplacesNorHidesAnAnswerThatItCannotRead) {
  EXPECT_FALSE(keep(a_, said("A kite.")));
  EXPECT_FALSE(answers_.unread({a_}));
  for (const ErrorKind kind : {ErrorKind::not_authorized, ErrorKind::open_read, ErrorKind::read}) {
    answers_.begin(root_);
    files_.fail_at(files_.operations() + 3, {kind, "It cannot be opened."});
    EXPECT_FALSE(find(a_));
    const auto warning = answers_.unread({a_});
    ASSERT_TRUE(warning);
    EXPECT_EQ(warning->kind, kind);
    EXPECT_THAT(warning->text, HasSubstr("is paid for again: It cannot be opened."));
    EXPECT_FALSE(answers_.unread({a_})) << "one warning in a run";
    const auto problem = answers_.problem({a_}, cancellable_.get());
    ASSERT_TRUE(problem) << "of cache=read-write";
    EXPECT_EQ(problem->text, warning->text);
    EXPECT_FALSE(keep(a_, said("Another kite.")));
    EXPECT_FALSE(keep(b_, said("A boat.")));
    EXPECT_EQ(find(a_)->text, "A kite.") << "it stays as it is";
    EXPECT_TRUE(find(b_));
  }
}

// As while too many files are open, which passes.
TEST_F(AnswerStoreTest, TellsOfAnAnswerThatItCannotReadOnlyWhoAsksForThatOneAndOnlyUntilItCan) {
  EXPECT_FALSE(keep(a_, said("A kite.")));
  files_.fail_at(files_.operations() + 3, {ErrorKind::open_read, "It cannot be opened."});
  EXPECT_FALSE(find(a_));
  EXPECT_FALSE(answers_.problem({b_}, cancellable_.get()));
  EXPECT_FALSE(answers_.unread({b_}));
  EXPECT_TRUE(answers_.problem({b_, a_}, cancellable_.get()));
  EXPECT_TRUE(find(a_));
  EXPECT_FALSE(answers_.problem({b_, a_}, cancellable_.get()));
  EXPECT_FALSE(answers_.unread({b_, a_}));
}

TEST_F(AnswerStoreTest, ReplacesADamagedAnswerOfWhichNobodyHasToBeTold) {
  EXPECT_FALSE(keep(a_, said("A kite.")));
  std::ofstream(caption_path(root_, a_)) << "nonsense";
  EXPECT_FALSE(find(a_));
  EXPECT_FALSE(answers_.unread({a_}));
  EXPECT_FALSE(answers_.problem({a_}, cancellable_.get()));
  EXPECT_FALSE(keep(a_, said("Another kite.")));
  EXPECT_EQ(find(a_)->text, "Another kite.");
}

TEST_F(AnswerStoreTest, LooksAgainWhetherItCanKeepAnythingOnceItCouldNot) {
  EXPECT_FALSE(answers_.problem({a_}, cancellable_.get()));
  files_.limit_space(0);
  EXPECT_FALSE(answers_.problem({a_}, cancellable_.get())) << "once in a run is enough";
  EXPECT_TRUE(keep(a_, said("A kite.")));
  EXPECT_TRUE(answers_.problem({a_}, cancellable_.get()));
  files_.limit_space(std::nullopt);
  EXPECT_FALSE(answers_.problem({a_}, cancellable_.get()));
}

TEST_F(AnswerStoreTest, OnceCancelledWaitsForNothingButStillWrites) {
  g_cancellable_cancel(cancellable_.get());
  EXPECT_FALSE(find(a_));
  EXPECT_FALSE(keep(a_, said("A kite.")));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!read_answer(files_, root_, a_) && std::chrono::steady_clock::now() < end) g_usleep(1000);
  EXPECT_TRUE(read_answer(files_, root_, a_));
}

TEST(IsWorthKeeping, IsAWholeAnswerWithATextAndWithoutTheKey) {
  EXPECT_TRUE(is_worth_keeping(said("A kite."), "key"));
  for (const char *reason : {"stop", "end_turn", "COMPLETE"})
    EXPECT_TRUE(is_worth_keeping(said("A kite.", reason), "")) << reason;
  for (const char *reason : {"", "MAX_TOKENS", "SAFETY", "OTHER", "STOPPED"})
    EXPECT_FALSE(is_worth_keeping(said("A kite.", reason), "key")) << reason;
  for (const char *text : {"", " \n\t", "\u200B", "```\n```"})
    EXPECT_FALSE(is_worth_keeping(said(text), "key"));
  ContentAnswer cut = said("A kite.");
  cut.cut_short = true;
  EXPECT_FALSE(is_worth_keeping(cut, "key"));
  ContentAnswer broken = said("A kite.");
  broken.broken_off = true;
  EXPECT_FALSE(is_worth_keeping(broken, "key"));
  EXPECT_FALSE(is_worth_keeping(said("Your key is sk-4711."), "sk-4711"));
  EXPECT_TRUE(is_worth_keeping(said("Your key is sk-4711."), "sk-4712"));
}

TEST_F(AnswerStoreTest, WarnsOnceThatAnswersAreShownAndNotWorthKeeping) {
  ContentAnswer cut = said("A kite.", "MAX_TOKENS");
  cut.cut_short = true;
  EXPECT_FALSE(answers_.not_worth_keeping(cut)) << "the caption's own warning says so";
  const auto warning = answers_.not_worth_keeping(said("A kite.", "OTHER\n"));
  ASSERT_TRUE(warning);
  EXPECT_THAT(warning->text,
              AllOf(HasSubstr("ends with OTHER  and not with STOP"), HasSubstr("pays for them")));
  EXPECT_EQ(warning->details, (std::vector<ErrorDetail>{{kCaptionShown, true}}));
  EXPECT_FALSE(answers_.not_worth_keeping(said("A kite.", "OTHER")));
  answers_.begin(root_);
  EXPECT_THAT(answers_.not_worth_keeping(said("The key."))->text, HasSubstr("has the API key in its text"));
}

TEST_F(AnswerStoreTest, OneAsksAndTheOthersWait) {
  auto first = answers_.lock({a_, b_}, cancellable_.get());
  ASSERT_FALSE(first->empty());
  EXPECT_FALSE(answers_.lock({std::string(64, 'c')}, cancellable_.get())->empty()) << "another question";
  std::atomic<bool> is_let_go = false;
  std::thread end([&first, &is_let_go] {
    g_usleep(150 * 1000);
    is_let_go = true;
    first = nullptr;
  });
  const auto second = answers_.lock({b_}, cancellable_.get());
  EXPECT_TRUE(is_let_go);
  EXPECT_FALSE(second->empty());
  end.join();
}

TEST_F(AnswerStoreTest, NobodyWaitsForALockOnceItIsCancelled) {
  const auto first = answers_.lock({a_}, cancellable_.get());
  const auto other = GRef<GCancellable>::adopt(g_cancellable_new());
  std::thread end([&other] {
    g_usleep(50 * 1000);
    g_cancellable_cancel(other.get());
  });
  EXPECT_TRUE(answers_.lock({a_}, other.get())->empty());
  end.join();
}

TEST_F(AnswerStoreTest, WhereNothingCanBeLockedNobodyWaits) {
  std::ofstream(root_) << "no folder";
  const auto first = answers_.lock({a_}, cancellable_.get());
  EXPECT_TRUE(first->empty());
  EXPECT_TRUE(answers_.lock({a_}, cancellable_.get())->empty());
}

}  // namespace
}  // namespace genclip::test
