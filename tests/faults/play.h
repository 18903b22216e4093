// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A fault case played: the run with the fault, the run without it, and what each left behind.
#pragma once

#include <future>
#include <map>
#include <string>
#include <vector>

#include "tests/faults/scene.h"

namespace genclip::test {

// What there is after a run.
struct Aftermath {
  unsigned charges = 0;
  size_t requests = 0;
  unsigned media_with_key = 0;
  std::vector<std::string> leaking_files;
};

struct Play {
  std::string obstacle;  // It was not played.
  std::string clip;      // As the service has it.
  FaultRun before;       // Of a case whose clip is stored already.
  FaultRun broken;
  std::vector<FaultRun> guests;
  Aftermath after_broken;
  FaultRun healed;
  Aftermath after_healed;
};

Play play_fault_case(const FaultCase &one);

// The checks for every row, and those of this row.
void expect_play(const FaultCase &one, const Play &play);

// Plays the cases of a table that GoogleTest will request, several in parallel, because they mostly wait.
class Playhouse {
 public:
  explicit Playhouse(std::vector<FaultCase> cases, unsigned stages = 6);
  ~Playhouse();
  Playhouse(const Playhouse &) = delete;
  Playhouse &operator=(const Playhouse &) = delete;

  // Waits for it.
  Play play(const FaultCase &one);

 private:
  const std::vector<FaultCase> cases_;
  std::map<std::string, std::promise<Play>> plays_;
  std::atomic<size_t> next_ = 0;
  std::vector<std::thread> stages_;
};

// A table as a test suite: `cases` is a function that makes it.
#define FAULT_TABLE(Suite, cases)                                                       \
  class Suite : public testing::TestWithParam<FaultCase> {                              \
   protected:                                                                           \
    static void SetUpTestSuite() { playhouse_ = std::make_unique<Playhouse>(cases()); } \
    static void TearDownTestSuite() { playhouse_.reset(); }                             \
    static inline std::unique_ptr<Playhouse> playhouse_;                                \
  };                                                                                    \
  TEST_P(Suite, EndsAsItsRowSaysAndTheNextRunHasTheClip) {                              \
    expect_play(GetParam(), playhouse_->play(GetParam()));                              \
  }                                                                                     \
  INSTANTIATE_TEST_SUITE_P(Faults, Suite, testing::ValuesIn(cases()),                   \
                           [](const auto &row) { return row.param.name; })

}  // namespace genclip::test
