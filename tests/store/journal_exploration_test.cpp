// SPDX-License-Identifier: LGPL-2.1-or-later
//
// All sequences of events up to a length, over the model of journal_world.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/store/journal_world.h"

namespace genclip::test {
namespace {

// Sequences that lead to the same state have the same future: each state is looked at once, sequences are
// counted.
class Exploration {
 public:
  explicit Exploration(JournalWorld start) { reach(std::move(start), -1, "start"); }

  void go(size_t length) {
    std::vector<double> paths{1};
    sequences_ = 1;
    for (size_t depth = 0; depth < length && violations_.empty(); ++depth) {
      std::vector<double> further;
      for (size_t state = 0; state < paths.size(); ++state) {
        if (paths[state] == 0) continue;
        for (const size_t next : next_of(state)) {
          if (next >= further.size()) further.resize(states_.size());
          further[next] += paths[state];
          sequences_ += paths[state];
        }
      }
      paths = std::move(further);
    }
  }

  size_t states() const { return states_.size(); }
  double sequences() const { return sequences_; }
  const std::vector<std::string> &violations() const { return violations_; }

 private:
  struct State {
    JournalWorld world;
    long before;
    std::string event;
    bool is_expanded = false;
    std::vector<size_t> next;
  };

  size_t reach(JournalWorld world, long before, const std::string &event) {
    const auto [known, is_new] = by_text_.try_emplace(world.text(), states_.size());
    if (!is_new) return known->second;
    std::string broken = broken_promise(world);
    states_.push_back({std::move(world), before, event});
    if (!broken.empty()) violations_.push_back(broken + "\n" + way_to(states_.size() - 1));
    return states_.size() - 1;
  }

  const std::vector<size_t> &next_of(size_t state) {
    if (!states_[state].is_expanded) {
      std::vector<size_t> next;
      for (WorldStep &step : steps_of(states_[state].world))
        next.push_back(reach(std::move(step.world), static_cast<long>(state), step.event));
      states_[state].next = std::move(next);
      states_[state].is_expanded = true;
    }
    return states_[state].next;
  }

  std::string way_to(size_t state) const {
    std::string way;
    for (long at = static_cast<long>(state); at >= 0; at = states_[static_cast<size_t>(at)].before)
      way = "  " + states_[static_cast<size_t>(at)].event + "\n" + way;
    return way + "  journal: " + states_[state].world.text();
  }

  std::vector<State> states_;
  std::unordered_map<std::string, size_t> by_text_;
  std::vector<std::string> violations_;
  double sequences_ = 0;
};

// GENCLIP_TEST_SEQUENCES: the length; the default takes a few seconds.
size_t length_of_sequences() {
  const char *set = std::getenv("GENCLIP_TEST_SEQUENCES");
  return set ? std::strtoul(set, nullptr, 10) : 8;
}

TEST(JournalExploration, NoSequenceOfEventsPaysWithoutAWordForgetsATaskOrLosesAWholeClip) {
  JournalWorld start;
  ServiceTask foreign;
  foreign.id = "foreign";
  foreign.is_foreign = foreign.is_done = true;
  start.tasks.push_back(foreign);
  Exploration exploration(start);
  exploration.go(length_of_sequences());
  std::cout << static_cast<uint64_t>(exploration.sequences()) << " sequences of up to "
            << length_of_sequences() << " events, " << exploration.states() << " states\n";
  ASSERT_TRUE(exploration.violations().empty())
      << exploration.violations().size() << " violations; the first:\n"
      << exploration.violations().front();
  EXPECT_GT(exploration.states(), 1000u);
}

}  // namespace
}  // namespace genclip::test
