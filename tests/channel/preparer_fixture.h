// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A preparer over a service in which each prompt has its fate, with a vetter that decodes nothing and a clock
// that a test moves.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "plugin/account/ledger.h"
#include "plugin/channel/preparer.h"
#include "tests/channel/channel_service.h"
#include "tests/support/fake_clock.h"
#include "tests/support/lossy_file_system.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {

// Any thread. All media are fit, two seconds long and have sound, unless a part of their URI is listed.
class FakeVetter final : public Vetter {
 public:
  Result<VettedMedia> vet(const VettingRequest &request, GCancellable *) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    requests_.push_back(request);
    for (const auto &[part, problem] : problems_)
      if (request.uri.find(part) != std::string::npos) return problem;
    VettedMedia media;
    media.is_still = request.uri.ends_with(".png");
    media.has_audio = !media.is_still;
    media.in = request.in;
    media.length = std::chrono::seconds(2);
    if (media.is_still) media.length = request.length.value_or(request.still_length.value_or(media.length));
    media.frames = 50;
    media.lufs = -20;
    media.gain_db = -3;
    return media;
  }
  void refuse(const std::string &part, const std::string &problem, ErrorKind kind = ErrorKind::wrong_type)
      EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    problems_[part] = {kind, problem};
  }
  void accept_all() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    problems_.clear();
  }
  std::vector<VettingRequest> requests() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return requests_;
  }

 private:
  mutable Mutex mutex_;
  std::vector<VettingRequest> requests_ GUARDED_BY(mutex_);
  std::map<std::string, Error> problems_ GUARDED_BY(mutex_);
};

// Any thread.
class Heard final : public PreparerListener {
 public:
  struct Item {
    std::string id;
    uint64_t turn;
    ItemStatus status;
  };

  void on_item(const std::string &id, uint64_t turn, const ItemStatus &status) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    items_.push_back({id, turn, status});
    items_.back().status.media.reset();  // It would keep the clip in the store.
    changed_.notify_all();
  }
  void on_budget(const std::optional<BudgetNotice> &notice) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    notices_.push_back(notice);
    changed_.notify_all();
  }
  void on_warning(const Error &warning) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    warnings_.push_back(warning.text);
    changed_.notify_all();
  }
  void on_alarm(const std::string &kind, const std::string &, bool is_active) override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    alarms_.push_back(is_active ? kind : kind + " is over");
    changed_.notify_all();
  }

  void wait_for_news(std::chrono::milliseconds most) EXCLUDES(mutex_) {
    const auto end = std::chrono::steady_clock::now() + most;
    MutexLock lock(mutex_);
    changed_.wait_until(lock, end);
  }
  std::vector<ItemState> states_of(const std::string &id) const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    std::vector<ItemState> states;
    for (const Item &item : items_)
      if (item.id == id) states.push_back(item.status.state);
    return states;
  }
  std::vector<Item> items() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return items_;
  }
  std::vector<std::optional<BudgetNotice>> notices() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return notices_;
  }
  std::vector<std::string> alarms() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return alarms_;
  }
  std::vector<std::string> warnings() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return warnings_;
  }

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  std::vector<Item> items_ GUARDED_BY(mutex_);
  std::vector<std::optional<BudgetNotice>> notices_ GUARDED_BY(mutex_);
  std::vector<std::string> warnings_ GUARDED_BY(mutex_);
  std::vector<std::string> alarms_ GUARDED_BY(mutex_);
};

inline Wish clip(const std::string &prompt, uint64_t turn = 0) {
  Wish wish;
  wish.item.id = prompt;
  wish.item.source = "genclip://dance-2.5?prompt=" + prompt;
  wish.turn = turn;
  return wish;
}

inline Wish fresh(const std::string &prompt, uint64_t turn) {
  Wish wish = clip(prompt, turn);
  wish.item.fresh = Fresh::each_turn;
  return wish;
}

class PreparerTest : public testing::Test {
 protected:
  PreparerTest() : http_(std::make_shared<FakeHttpClient>(clock_)), files_(folder_.path()) {
    http_->otherwise([this](const HttpRequest &request) { return service_(request); });
    clock_.hold(true);
    settings_.run.base_url = "https://api.example";
    settings_.run.api_key = "key";
    settings_.run.store = store();
    settings_.run.retries = 0;
  }
  // What works on a thread of its own borrows the clock and the files, and holds the client.
  ~PreparerTest() override {
    stop();
    while (http_.use_count() > 1) std::this_thread::yield();
    // use_count() orders nothing. Giving up a share does: after it, what those threads did has happened.
    std::shared_ptr<FakeHttpClient>(http_).reset();
  }

  std::string store() const { return folder_.path() + "/store"; }
  void start() { preparer_ = make_preparer(settings_, {http_, &clock_, &files_, "boot"}, vetter_, heard_); }
  // As a crash: the next one knows what the store knows.
  void restart() {
    stop();
    start();
  }
  void stop() {
    if (preparer_) preparer_->close();
    preparer_.reset();
  }
  void want(std::vector<Wish> wishes, std::vector<std::string> fallback = {}) {
    if (!preparer_) start();
    preparer_->want(std::move(wishes), std::move(fallback));
  }

  ItemStatus status(const std::string &id, uint64_t turn = 0) const { return preparer_->status(id, turn); }
  ItemState state(const std::string &id, uint64_t turn = 0) const { return status(id, turn).state; }

  // Moves the clock on until that holds. False: it does not, whatever the time.
  testing::AssertionResult comes(const std::function<bool()> &holds,
                                 std::chrono::milliseconds step = std::chrono::seconds(1)) {
    const auto begin = std::chrono::steady_clock::now();
    for (unsigned looks = 0; !holds(); ++looks) {
      if (std::chrono::steady_clock::now() > begin + std::chrono::seconds(60))
        return testing::AssertionFailure() << "it does not come";
      // Where work takes longer, time goes slower: else the patience for a lock or a run is over before the
      // machine gets to it.
      heard_.wait_for_news(std::chrono::milliseconds(std::clamp(looks / 25, 1U, 200U)));
      clock_.advance(step);
    }
    return testing::AssertionSuccess();
  }
  testing::AssertionResult becomes(const std::string &id, ItemState wanted, uint64_t turn = 0) {
    const auto came = comes([&] { return state(id, turn) == wanted; });
    if (came) return came;
    const ItemStatus now = status(id, turn);
    return testing::AssertionFailure() << id << " is " << to_word(now.state) << ": " << now.reason;
  }
  // Time goes on, and everything that could happen does.
  void pass(std::chrono::seconds time, int looks = 100) {
    for (int i = 0; i < looks; ++i) {
      heard_.wait_for_news(std::chrono::milliseconds(1));
      clock_.advance(time / looks);
    }
  }

  void set_budget(double Budget::*limit, double value) {
    for (const BudgetLimit &known : budget_limits()) {
      if (known.value != limit) continue;
      // By a clock of its own: this one stands still while it waits for the ledger's lock.
      const auto changed = Ledger(files_, Clock::system(), store()).change_budget({{known, value}}, nullptr);
      ASSERT_TRUE(changed) << changed.error().text;
    }
  }

  TemporaryFolder folder_;
  FakeClock clock_;
  std::shared_ptr<FakeHttpClient> http_;
  LossyFileSystem files_;
  ChannelService service_{clock_};
  std::shared_ptr<FakeVetter> vetter_ = std::make_shared<FakeVetter>();
  Heard heard_;
  PreparerSettings settings_;
  std::shared_ptr<Preparer> preparer_;
};

}  // namespace genclip::test
