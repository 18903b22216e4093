// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Prices are within estimates here: of that alone the budget's promise speaks.
#include "tests/account/money_world.h"

#include <algorithm>
#include <functional>

#include "plugin/account/decision.h"
#include "tests/account/sample_entries.h"

namespace genclip::test {
namespace {

using State = Attempt::State;

constexpr size_t kMostAttempts = 4;
constexpr int kLastDay = 1;
// Of every clip, priced or not.
constexpr double kLow = 1, kHigh = 2;

std::string key_of(size_t process) { return "clip" + std::to_string(process); }

std::optional<Estimate> estimate_of(const MoneyWorld &world, size_t process) {
  if (!world.rules.is_priced[process]) return std::nullopt;
  return Estimate{kLow, kHigh, kHigh, 1, "same"};
}

void write_line(MoneyWorld &world, size_t process, LedgerEvent event, const std::string &task = "",
                std::optional<double> amount = {}, const std::string &status = "") {
  LedgerEntry entry = entry_of(event, key_of(process), task);
  entry.at = noon_of(world.day);
  entry.amount = amount;
  entry.status = status;
  if (event == LedgerEvent::reserve) entry.estimate = estimate_of(world, process);
  write(world, entry);
}

// ---- The books.

bool is_under_way(const Attempt &attempt) {
  return attempt.state == State::reserved || attempt.state == State::running;
}

double held(const MoneyWorld &world, const Attempt &attempt) {
  const bool is_open =
      is_under_way(attempt) || attempt.state == State::doubtful || attempt.state == State::untold;
  if (!is_open) return 0;
  return world.rules.is_priced[attempt.process] ? kHigh : world.rules.budget.assumed_price;
}

struct Books {
  double paid = 0, spent = 0, reserved = 0;
  uint64_t tasks = 0, unknown = 0, untold = 0;
};

// Of one day, or, without one, of all.
Books books_of(const MoneyWorld &world, std::optional<int> day) {
  Books books;
  for (const Attempt &attempt : world.attempts) {
    if (day && attempt.day != *day) continue;
    books.paid += attempt.price;
    if (attempt.state == State::told) books.spent += attempt.known;
    books.reserved += held(world, attempt);
    if (attempt.state != State::released) ++books.tasks;
    if (attempt.state == State::doubtful) ++books.unknown;
    if (attempt.state == State::untold) ++books.untold;
  }
  return books;
}

Verdict expected_verdict(const MoneyWorld &world, size_t process) {
  const Budget &budget = world.rules.budget;
  const bool is_known = world.rules.is_priced[process] || budget.assumed_price > 0;
  const double price = world.rules.is_priced[process] ? kHigh : budget.assumed_price;
  const Books all = books_of(world, {}), today = books_of(world, world.day);
  const auto is_over = [&](double limit, const Books &books) {
    const double used = books.spent + books.reserved;
    return limit > 0 && (is_known ? used + price > limit : used >= limit);
  };
  // The second day is in another month.
  if (is_over(budget.total, all) || is_over(budget.per_month, today) || is_over(budget.per_day, today))
    return Verdict::refuse;
  if (budget.tasks_per_day > 0 && static_cast<double>(today.tasks) >= budget.tasks_per_day)
    return Verdict::refuse;
  const bool is_alone =
      std::none_of(world.attempts.begin(), world.attempts.end(), [&](const Attempt &attempt) {
        return is_under_way(attempt) && !world.rules.is_priced[attempt.process];
      });
  if (!is_known && !is_alone && budget.limits_credits()) return Verdict::wait;
  // A task of another day has ended long ago, though nobody has told the ledger.
  const auto slots = std::count_if(world.attempts.begin(), world.attempts.end(), [&](const Attempt &attempt) {
    return is_under_way(attempt) && attempt.told_on == world.day;
  });
  const bool has_slot = world.rules.max_tasks == 0 || slots < world.rules.max_tasks;
  return has_slot ? Verdict::allow : Verdict::wait;
}

// ---- Events.

class Steps {
 public:
  explicit Steps(const MoneyWorld &world) : world_(world) {
    for (size_t process = 0; process < world.rules.is_priced.size(); ++process) asks(process);
    for (size_t index = 0; index < world.attempts.size(); ++index) {
      const Attempt &attempt = world.attempts[index];
      if (attempt.is_dead)
        is_looked_at(index);
      else if (attempt.state == State::reserved)
        submits(index);
      else if (attempt.state == State::running)
        ends(index);
      is_corrected(index);
    }
    add_caption_steps(world, steps_);
    if (world.day < kLastDay)
      add("a day passes", [](MoneyWorld &next) {
        ++next.day;
        for (Captioner &captioner : next.captioners) captioner.is_refused = false;
      });
  }
  std::vector<MoneyStep> take() { return std::move(steps_); }

 private:
  void add(const std::string &event, const std::function<void(MoneyWorld &)> &change) {
    MoneyStep step{event, world_};
    change(step.world);
    steps_.push_back(std::move(step));
  }

  // With the attempt, and a function that writes a line about it.
  using Line = std::function<void(LedgerEvent, std::optional<double>, const std::string &)>;
  void change(size_t index, const std::string &event,
              const std::function<void(Attempt &, const Line &)> &what) {
    add(key_of(world_.attempts[index].process) + " " + event, [&](MoneyWorld &next) {
      Attempt &attempt = next.attempts[index];
      what(attempt, [&](LedgerEvent line, std::optional<double> amount, const std::string &status) {
        attempt.told_on = next.day;
        write_line(next, attempt.process, line, attempt.task, amount, status);
      });
    });
  }

  void asks(size_t process) {
    const bool is_busy =
        std::any_of(world_.attempts.begin(), world_.attempts.end(), [&](const Attempt &attempt) {
          return attempt.process == process && (attempt.is_dead || is_under_way(attempt));
        });
    if (is_busy || world_.attempts.size() >= kMostAttempts) return;
    add(key_of(process) + " asks", [&](MoneyWorld &next) {
      const Spending spending =
          clip_spending(next.rules.budget, 0, estimate_of(next, process), next.rules.max_tasks);
      const Decision decision = decide(next.account, next.rules.budget, spending, noon_of(next.day));
      if (decision.verdict != expected_verdict(next, process))
        accuse(next, "another verdict than the books': " + decision.text);
      const Decision again = decide(next.condensed, next.rules.budget, spending, noon_of(next.day));
      if (again.verdict != decision.verdict) accuse(next, "another verdict with the summary: " + again.text);
      if (decision.verdict != Verdict::allow) return;
      Attempt attempt;
      attempt.process = process;
      attempt.day = attempt.told_on = next.day;
      next.attempts.push_back(attempt);
      write_line(next, process, LedgerEvent::reserve);
    });
  }

  void submits(size_t index) {
    const auto id = "T" + std::to_string(index);
    change(index, "is refused", [](Attempt &attempt, const Line &line) {
      attempt.state = State::released;
      line(LedgerEvent::release, {}, "");
    });
    change(index, "gets no answer, and was not accepted", [](Attempt &attempt, const Line &line) {
      attempt.state = State::doubtful;
      line(LedgerEvent::unknown, {}, "");
    });
    change(index, "is killed before the intent",
           [](Attempt &attempt, const Line &) { attempt.is_dead = true; });
    for (const double price : {kLow, kHigh}) {
      const std::string of = " at " + std::to_string(static_cast<int>(price));
      change(index, "is accepted" + of, [&](Attempt &attempt, const Line &line) {
        attempt.state = State::running;
        attempt.price = price;
        attempt.task = id;
        line(LedgerEvent::submitted, {}, "");
      });
      change(index, "gets no answer, but was accepted" + of, [&](Attempt &attempt, const Line &line) {
        attempt.state = State::doubtful;
        attempt.price = price;
        line(LedgerEvent::unknown, {}, "");
      });
      change(index, "is killed when it was accepted" + of, [&](Attempt &attempt, const Line &) {
        attempt.is_dead = attempt.is_intended = true;
        attempt.price = price;
      });
    }
  }

  void ends(size_t index) {
    change(index, "is completed", [](Attempt &attempt, const Line &line) {
      attempt.state = State::told;
      attempt.known = attempt.price;
      line(LedgerEvent::settle, attempt.price, "completed");
    });
    change(index, "is completed without an amount", [](Attempt &attempt, const Line &line) {
      attempt.state = State::untold;
      line(LedgerEvent::settle, {}, "completed");
    });
    change(index, "has failed for nothing", [](Attempt &attempt, const Line &line) {
      attempt.state = State::told;
      attempt.price = 0;
      line(LedgerEvent::settle, {}, "failed");
    });
    change(index, "has failed and is charged", [](Attempt &attempt, const Line &line) {
      attempt.state = State::told;
      attempt.known = attempt.price;
      line(LedgerEvent::settle, attempt.price, "failed");
    });
    change(index, "is not known any more", [](Attempt &attempt, const Line &line) {
      attempt.state = State::doubtful;
      line(LedgerEvent::unknown, {}, "");
    });
    change(index, "is killed while it waits", [](Attempt &attempt, const Line &) { attempt.is_dead = true; });
  }

  // By two at once, as the clip's journal has it: none of them knows that the other one writes the same.
  void is_looked_at(size_t index) {
    change(index, "is looked at after its death", [](Attempt &attempt, const Line &line) {
      attempt.is_dead = false;
      for (int looks = 0; looks < 2; ++looks) {
        if (!attempt.task.empty())
          line(LedgerEvent::settle, attempt.price, "completed");
        else
          line(attempt.is_intended ? LedgerEvent::unknown : LedgerEvent::release, {}, "");
      }
      attempt.known = attempt.price;
      attempt.state = !attempt.task.empty() ? State::told
                      : attempt.is_intended ? State::doubtful
                                            : State::released;
    });
  }

  // By its task where it has one; else by its key, where it is the latest.
  void is_corrected(size_t index) {
    const Attempt &attempt = world_.attempts[index];
    if (attempt.state != State::doubtful && attempt.state != State::untold) return;
    const bool is_latest =
        std::none_of(world_.attempts.begin() + static_cast<long>(index) + 1, world_.attempts.end(),
                     [&](const Attempt &later) {
                       return later.process == attempt.process && later.state != State::released;
                     });
    if (attempt.task.empty() && !is_latest) return;
    change(index, "is corrected", [](Attempt &corrected, const Line &line) {
      corrected.state = State::told;
      corrected.known = corrected.price;
      line(LedgerEvent::correct, corrected.price, "");
    });
  }

  const MoneyWorld &world_;
  std::vector<MoneyStep> steps_;
};

bool are_equal(const Sums &sums, const Books &books) {
  return sums.spent.credits == books.spent && sums.reserved.credits == books.reserved &&
         sums.spent.tasks == static_cast<double>(books.tasks) && sums.unknown == books.unknown &&
         sums.untold == books.untold;
}

}  // namespace

UtcTime noon_of(int day) { return at(day == 0 ? "2026-11-30T12:00:00.000Z" : "2026-12-01T12:00:00.000Z"); }

void accuse(MoneyWorld &world, const std::string &violation) {
  if (world.violation.empty()) world.violation = violation;
}

void write(MoneyWorld &world, const LedgerEntry &entry) {
  if (!world.account.apply(entry)) accuse(world, "the whole account did not take a line");
  // What it cannot take is read anew, as Ledger does.
  if (!world.condensed.apply(entry)) world.condensed = world.account;
  world.condensed = world.condensed.condensed();
}

MoneyWorld money_world(const MoneyRules &rules) {
  MoneyWorld world;
  world.rules = rules;
  world.condensed = world.account.condensed();
  world.captioners.resize(rules.caption_runs);
  for (size_t captioner = 0; captioner < rules.caption_runs; ++captioner) begin_run(world, captioner);
  return world;
}

std::string MoneyWorld::text() const {
  std::string all = std::to_string(day) + violation;
  for (const Attempt &attempt : attempts)
    all += "|" + key_of(attempt.process) + "," + std::to_string(attempt.day) + "," +
           std::to_string(attempt.told_on) + std::to_string(static_cast<int>(attempt.state)) +
           (attempt.is_dead ? "d" : "") + (attempt.is_intended ? "i" : "") + attempt.task + "," +
           std::to_string(static_cast<int>(attempt.price * 10 + attempt.known));
  for (const Charge &charge : account.charges())
    all += "|" + std::to_string(static_cast<int>(charge.state)) + charge.task_id +
           (charge.amount ? amount_text(*charge.amount) : "-") + (charge.corrected ? "c" : "") +
           std::to_string(charge.at.time_since_epoch().count());
  // Else a sum on the wrong day would pass for the state that another way led to.
  for (const auto &[day_of_sum, total] : condensed.let_go())
    all += "|" + day_text(day_of_sum) + amount_text(total.credits) + "," + amount_text(total.tasks);
  for (const Charge &charge : condensed.charges())
    all += "|" + charge.task_id + std::to_string(static_cast<int>(charge.state));
  return all + caption_text(*this);
}

std::vector<MoneyStep> steps_of(const MoneyWorld &world) { return Steps(world).take(); }

std::string broken_promise(const MoneyWorld &world) {
  if (!world.violation.empty()) return world.violation;
  const Budget &budget = world.rules.budget;
  const UtcDay second = day_of(noon_of(1));
  const struct {
    Period period;
    std::optional<int> day;
    double limit;
  } spans[] = {{{}, {}, budget.total}, {{{}, second}, 0, budget.per_day}, {{second, {}}, 1, budget.per_day}};
  for (const auto &[period, day, limit] : spans) {
    const Books books = books_of(world, day);
    const std::string which = day ? " of day " + std::to_string(*day) : "";
    if (!are_equal(world.account.sums(period, budget.assumed_price), books)) return "other sums" + which;
    if (!are_equal(world.condensed.sums(period, budget.assumed_price), books))
      return "other sums with the summary" + which;
    const bool is_any_unpriced =
        budget.assumed_price == 0 && std::find(world.rules.is_priced.begin(), world.rules.is_priced.end(),
                                               false) != world.rules.is_priced.end();
    // An unpriced clip may overshoot by itself, for nobody knows.
    if (limit > 0 && !is_any_unpriced && books.paid > limit) return "paid more than the limit" + which;
    if (day && budget.tasks_per_day > 0 && static_cast<double>(books.tasks) > budget.tasks_per_day)
      return "more tasks than the limit" + which;
  }
  const auto unpriced =
      std::count_if(world.attempts.begin(), world.attempts.end(), [&](const Attempt &attempt) {
        return is_under_way(attempt) && !world.rules.is_priced[attempt.process];
      });
  if (budget.limits_credits() && budget.assumed_price == 0 && unpriced > 1)
    return "two clips of unknown price at once";
  return broken_caption_promise(world);
}

}  // namespace genclip::test
