// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/channel/survey_guard.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "plugin/base/clock.h"
#include "plugin/base/gref.h"

namespace genclip::test {
namespace {

// A disk that does not answer until it is opened.
class HungDisk {
 public:
  Survey look() EXCLUDES(mutex_) {
    ++looks;
    MutexLock lock(mutex_);
    while (!is_open_) changed_.wait(lock);
    Survey found;
    found.is_stored = true;
    return found;
  }
  void open() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }

  std::atomic<unsigned> looks = 0;

 private:
  Mutex mutex_;
  CondVar changed_;
  bool is_open_ GUARDED_BY(mutex_) = false;
};

// What was told: "hangs", or "stored".
class Told {
 public:
  SurveyGuard::Tell by(const std::string &who) {
    return [this, who](const Survey &survey) {
      MutexLock lock(mutex_);
      texts_.push_back(who + (survey.hangs ? " hangs" : survey.is_stored ? " is stored" : " is not stored"));
      changed_.notify_all();
    };
  }
  std::vector<std::string> first(size_t count) EXCLUDES(mutex_) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    MutexLock lock(mutex_);
    while (texts_.size() < count && changed_.wait_until(lock, end)) {
    }
    return texts_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::vector<std::string> texts_ GUARDED_BY(mutex_);
};

using Texts = std::vector<std::string>;

struct SurveyGuardTest : testing::Test {
  // Shared with what hangs.
  std::shared_ptr<HungDisk> disk = std::make_shared<HungDisk>();
  std::shared_ptr<Told> told = std::make_shared<Told>();
  GRef<GCancellable> cancellable = GRef<GCancellable>::adopt(g_cancellable_new());

  void survey(SurveyGuard &guard, const std::string &name, const std::string &who, SurveyGuard::Look look) {
    guard.survey(
        name, std::move(look), [told = told, tell = told->by(who)](const Survey &found) { tell(found); },
        cancellable.get());
  }
  SurveyGuard::Look at_hung_disk() {
    return [disk = disk] { return disk->look(); };
  }
};

TEST_F(SurveyGuardTest, LeavesWhatHangsAndTellsWhenItHasEnded) {
  const auto guard = std::make_shared<SurveyGuard>(std::chrono::milliseconds(20));
  survey(*guard, "hung", "one", at_hung_disk());
  EXPECT_EQ(told->first(1), Texts{"one hangs"});
  survey(*guard, "hung", "two", at_hung_disk());
  EXPECT_EQ(told->first(2), (Texts{"one hangs", "two hangs"}));
  disk->open();
  EXPECT_EQ(told->first(3), (Texts{"one hangs", "two hangs", "two is stored"}));
  EXPECT_EQ(disk->looks, 1u) << "one thread hangs, however often it is asked";
}

TEST_F(SurveyGuardTest, LeavesNoMoreThanSixteen) {
  const auto guard = std::make_shared<SurveyGuard>(std::chrono::milliseconds(1));
  for (int i = 0; i < 20; ++i) survey(*guard, std::to_string(i), "it", at_hung_disk());
  EXPECT_EQ(told->first(20), Texts(20, "it hangs"));
  disk->open();
  EXPECT_EQ(told->first(36).size(), 36u);
  EXPECT_EQ(disk->looks, 16u);
}

TEST_F(SurveyGuardTest, LooksAtOthersMeanwhile) {
  const auto guard = std::make_shared<SurveyGuard>(std::chrono::milliseconds(20));
  survey(*guard, "hung", "one", at_hung_disk());
  survey(*guard, "other", "other", [] { return Survey(); });
  const Texts texts = told->first(2);
  ASSERT_GE(texts.size(), 2u);
  EXPECT_EQ(texts[0], "one hangs");
  EXPECT_TRUE(texts[1].starts_with("other")) << texts[1];
  disk->open();
  told->first(3);
}

TEST_F(SurveyGuardTest, WaitsForWhatAnswersAndBeginsItAgain) {
  const auto guard = std::make_shared<SurveyGuard>(std::chrono::minutes(1));
  for (size_t times = 1; times <= 3; ++times) {
    survey(*guard, "a", "a", [] { return Survey(); });
    EXPECT_EQ(told->first(times), Texts(times, "a is not stored"));
  }
}

TEST_F(SurveyGuardTest, ACancelledWaitEndsAtOnce) {
  const auto guard = std::make_shared<SurveyGuard>(std::chrono::minutes(10));
  g_cancellable_cancel(cancellable.get());
  survey(*guard, "hung", "one", at_hung_disk());
  disk->open();
  EXPECT_EQ(told->first(1), Texts{"one is stored"});
}

}  // namespace
}  // namespace genclip::test
