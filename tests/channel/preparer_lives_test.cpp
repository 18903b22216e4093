// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Random lives of channels: items come and go, programs die, days pass, the service fails. No life pays twice
// or more than its budget, and in the end everything that can be shown is ready.
#include <cstdlib>
#include <random>

#include "tests/channel/preparer_fixture.h"

namespace genclip::test {
namespace {

enum class Lot { good, doubtful, failing, refused };

struct Character {
  std::string prompt;
  Lot lot = Lot::good;
  bool is_fresh = false;
  bool may_retry = false;
  unsigned departures = 0;  // How often it was not wanted, or nothing could be paid.
};

Lot lot_of(unsigned number) {
  if (number % 10 < 7) return Lot::good;
  return number % 10 == 7 ? Lot::doubtful : number % 10 == 8 ? Lot::failing : Lot::refused;
}

class PreparerLives : public PreparerTest, public testing::WithParamInterface<unsigned> {
 protected:
  void live(unsigned steps) {
    for (unsigned i = 0; i < 10; ++i) {
      characters_.push_back({"p" + std::to_string(i), lot_of(number()), i >= 8, i % 3 == 0});
      choose_fate(characters_.back());
    }
    if (GetParam() % 2 == 0) limit_ = 2 + number() % 4;
    if (limit_ > 0) set_budget(&Budget::tasks_per_day, limit_);
    settings_.workers = 1 + number() % 3;
    settings_.run.timeout_s = 120;
    if (GetParam() % 3 == 0) settings_.run.store_max_size = 50'000;
    start();
    for (unsigned i = 0; i < steps; ++i) step();
  }

  void choose_fate(const Character &character) {
    Fate fate;
    fate.loses_answer = character.lot == Lot::doubtful;
    if (character.lot == Lot::failing) fate.failure = "moderated";
    if (character.lot == Lot::refused) fate.refusal = 400;
    if (chance(20)) fate.hangs = true;
    if (chance(20)) fate.media_status = 404;
    service_.set(character.prompt, fate);
  }

  unsigned number() { return static_cast<unsigned>(random_()); }
  bool chance(unsigned percent) { return number() % 100 < percent; }

  Wish wish_of(const Character &character) const {
    Wish wish = character.is_fresh ? fresh(character.prompt, turn_) : clip(character.prompt);
    wish.item.retry = character.may_retry;
    return wish;
  }

  void want_some() {
    if (chance(30)) ++turn_;
    std::vector<Wish> wishes;
    for (Character &character : characters_) {
      const bool is_wanted = chance(60);
      if (!is_wanted) ++character.departures;
      if (is_wanted) wishes.push_back(wish_of(character));
    }
    want(wishes);
  }

  void step() {
    if (chance(30)) want_some();
    if (chance(8)) {
      restart();
      ++runs_;
      want_some();
    }
    if (chance(5)) preparer_->reload();
    if (chance(20)) choose_fate(characters_[number() % characters_.size()]);
    if (chance(10)) {
      service_.refuse_all(chance(50) ? 402 : 401);
      for (Character &character : characters_) ++character.departures;
    }
    if (chance(40)) service_.refuse_all(0);
    pass(chance(10) ? std::chrono::hours(5) : std::chrono::seconds(100), 5);
    for (const Character &character : characters_) {
      const ItemStatus now = status(character.prompt, turn_);
      ASSERT_EQ(now.state == ItemState::ready, now.media != nullptr) << character.prompt;
      if (now.media) {
        const std::string path = now.media->uri.substr(std::string("file://").size());
        ASSERT_TRUE(std::filesystem::exists(path)) << character.prompt << " was removed while it is wanted";
      }
    }
  }

  void expect_no_second_payment() {
    for (const Character &character : characters_) {
      const unsigned submits = service_.submits(character.prompt);
      // A clip that nobody wanted may have been removed from a store that is full.
      const bool may_be_evicted = settings_.run.store_max_size > 0;
      const uint64_t takes = character.is_fresh ? turn_ + 1 : 1;
      // A task may fail at the moment in which its item is given up; who wants it again does not know that.
      const unsigned lives = runs_ + character.departures;
      const uint64_t tries = character.lot != Lot::failing ? 1 : lives * (character.may_retry ? 2 : 1);
      if (character.lot == Lot::good && may_be_evicted) continue;
      EXPECT_LE(submits, takes * tries) << character.prompt;
    }
  }

  // What is reserved on one day and sent on the next counts for the first one; each worker may have one such.
  void expect_days_within_budget() {
    unsigned days = 0, sent = 0;
    for (const unsigned submits : service_.days()) {
      EXPECT_LE(submits, limit_ + settings_.workers);
      EXPECT_LE(sent += submits, limit_ * ++days + settings_.workers);
    }
  }

  void end_well() {
    service_.refuse_all(0);
    if (limit_ > 0) set_budget(&Budget::tasks_per_day, 1000);
    for (const Character &character : characters_) {
      Fate fate;
      fate.loses_answer = character.lot == Lot::doubtful;
      if (character.lot == Lot::failing) fate.failure = "moderated";
      if (character.lot == Lot::refused) fate.refusal = 400;
      service_.set(character.prompt, fate);
    }
    preparer_->reload();
    std::vector<Wish> all;
    for (const Character &character : characters_) all.push_back(wish_of(character));
    want(all);
    for (const Character &character : characters_) {
      const ItemState wanted = character.lot == Lot::good       ? ItemState::ready
                               : character.lot == Lot::doubtful ? ItemState::unknown
                                                                : ItemState::failed;
      const auto is_over = [&] {
        const ItemState now = state(character.prompt, turn_);
        // A refusal that was still on its way when all was well again halts everything once more.
        if (now == ItemState::budget) preparer_->reload();
        // On a busy machine a run may have ended between its intent and the service's answer.
        const bool may_be_unknown = runs_ > 1 && now == ItemState::unknown;
        // What was paid and could not be fetched may have been removed from a store that was full.
        const bool may_be_gone = settings_.run.store_max_size > 0 && now == ItemState::failed &&
                                 service_.submits(character.prompt) > 0;
        return now == wanted || (character.is_fresh && now == ItemState::ready) || may_be_unknown ||
               may_be_gone;
      };
      ASSERT_TRUE(comes(is_over, std::chrono::seconds(20)))
          << character.prompt << " is " << to_word(state(character.prompt, turn_)) << ": "
          << status(character.prompt, turn_).reason;
    }
  }

  std::mt19937 random_{GetParam()};
  std::vector<Character> characters_;
  uint64_t turn_ = 0;
  unsigned runs_ = 1;
  unsigned limit_ = 0;
};

TEST_P(PreparerLives, PayOnceKeepToTheBudgetAndEndWell) {
  ASSERT_NO_FATAL_FAILURE(live(40));
  expect_no_second_payment();
  if (limit_ > 0) expect_days_within_budget();
  ASSERT_NO_FATAL_FAILURE(end_well());
  expect_no_second_payment();
}

unsigned rounds() {
  const char *set = std::getenv("GENCLIP_ROUNDS");
  return set ? static_cast<unsigned>(std::strtoul(set, nullptr, 10)) : 12;
}

INSTANTIATE_TEST_SUITE_P(Seeds, PreparerLives, testing::Range(0U, rounds()));

}  // namespace
}  // namespace genclip::test
