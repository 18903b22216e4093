// SPDX-License-Identifier: LGPL-2.1-or-later
//
// All sequences of events up to a length, over a model of the world.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/support/sanitized.h"

namespace genclip::test {

// GENCLIP_TEST_SEQUENCES: the length of sequences; GENCLIP_TEST_LONGER: how much longer than `usual`, which
// takes a few seconds.
inline size_t length_of_sequences(size_t usual) {
  const char *set = std::getenv("GENCLIP_TEST_SEQUENCES"), *more = std::getenv("GENCLIP_TEST_LONGER");
  return set ? std::strtoul(set, nullptr, 10) : usual + (more ? std::strtoul(more, nullptr, 10) : 0);
}

// A sanitizer judges the code, not the sequences, and takes a multiple of their time.
constexpr size_t kMostStates = kIsSanitized ? 20'000 : static_cast<size_t>(-1);

// Sequences that lead to the same state have the same future: each state is looked at once, sequences are
// counted. Beside a World stand World::text(), all that tells it from others; steps_of(world), a vector of
// structs with the members `event` and `world`; and broken_promise(world), empty when all is well.
// States are told apart by a hash of their text: that two of a million share one has a chance of 3 in 10^8.
template <typename World>
class Exploration {
 public:
  explicit Exploration(World start) { reach(std::move(start), -1, "start", true); }

  // Once. Ends at the first length at which a promise is broken, or that has kMostStates.
  void go(size_t length) {
    std::vector<double> paths{1};
    sequences_ = 1;
    for (size_t depth = 0; depth < length && violations_.empty() && states_.size() < kMostStates; ++depth) {
      std::vector<double> further;
      for (size_t state = 0; state < paths.size(); ++state) {
        if (paths[state] == 0) continue;
        for (const size_t next : next_of(state, depth + 1 < length)) {
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
  // Each with the way to it.
  const std::vector<std::string> &violations() const { return violations_; }

 private:
  struct State {
    std::unique_ptr<World> world;  // Until its steps are known; worlds are large.
    long before;
    std::string event;
    std::vector<size_t> next;
  };

  size_t reach(World world, long before, const std::string &event, bool has_steps) {
    const std::string text = world.text();
    const auto [known, is_new] = by_hash_.try_emplace(std::hash<std::string>()(text), states_.size());
    if (!is_new) return known->second;
    const std::string broken = broken_promise(world);
    states_.push_back({has_steps ? std::make_unique<World>(std::move(world)) : nullptr, before, event, {}});
    if (!broken.empty()) violations_.push_back(broken + "\n" + way_to(states_.size() - 1) + "  " + text);
    return states_.size() - 1;
  }

  const std::vector<size_t> &next_of(size_t state, bool have_steps) {
    if (const auto world = std::move(states_[state].world)) {
      std::vector<size_t> next;
      for (auto &step : steps_of(*world))
        next.push_back(reach(std::move(step.world), static_cast<long>(state), step.event, have_steps));
      states_[state].next = std::move(next);
    }
    return states_[state].next;
  }

  std::string way_to(size_t state) const {
    std::string way;
    for (long at = static_cast<long>(state); at >= 0; at = states_[static_cast<size_t>(at)].before)
      way = "  " + states_[static_cast<size_t>(at)].event + "\n" + way;
    return way;
  }

  std::deque<State> states_;
  std::unordered_map<size_t, size_t> by_hash_;
  std::vector<std::string> violations_;
  double sequences_ = 0;
};

}  // namespace genclip::test
