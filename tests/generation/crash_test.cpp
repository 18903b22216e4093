// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A crash at every file operation of a generation, and how the next run continues.
#include <fstream>
#include <random>
#include <sstream>

#include "tests/generation/work_fixture.h"
#include "tests/support/seed.h"

namespace genclip::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

std::string name_of(Loss loss) {
  switch (loss) {
    case Loss::nothing: return "ProcessDied";
    case Loss::names: return "NamesLost";
    case Loss::contents: return "ContentsLost";
    case Loss::both: return "AllUnsyncedLost";
  }
  return "?";
}

// Position where the download breaks off once.
class CutWorld : public World {
 public:
  CutWorld() { service_.cuts = {90'000}; }

  bool has_id() {
    const auto found = record();
    return found && !found->task_id.empty();
  }
};

class Crash : public testing::TestWithParam<Loss> {
 protected:
  static size_t operations_of_a_run() {
    CutWorld world;
    const Outcome whole = world.run();
    EXPECT_FALSE(whole.error) << whole.text();
    return whole.operations;
  }
};

TEST_P(Crash, AtAnyOperationCostsNoSilentSecondSubmitAndNoByte) {
  const size_t operations = operations_of_a_run();
  ASSERT_GT(operations, 40u);
  unsigned paid_twice = 0;
  for (size_t at = 1; at <= operations; ++at) {
    SCOPED_TRACE("operation " + std::to_string(at) + " of " + std::to_string(operations));
    CutWorld world;
    world.files_.die_at(at);
    const Outcome first = world.run();
    const unsigned submits = world.service_.submits();
    world.crash(GetParam());
    const bool id_was_kept = world.has_id();

    const Outcome second = world.run();
    ASSERT_FALSE(second.error) << second.text();
    EXPECT_TRUE(are_same(second.bytes, world.service_.clip()));
    EXPECT_EQ(second.state.status, ClipStatus::completed);
    if (submits == 0 || id_was_kept) {
      EXPECT_EQ(world.service_.submits(), 1u);
    } else {
      ++paid_twice;
      EXPECT_EQ(world.service_.submits(), 2u);
      EXPECT_THAT(second.warnings, Contains(HasSubstr("charged twice")));
    }
    const auto stored = world.record();
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->state, ClipState::complete);

    const unsigned queries = world.service_.queries();
    const Outcome third = world.run();
    EXPECT_TRUE(are_same(third.bytes, world.service_.clip()));
    EXPECT_TRUE(third.state.reused);
    EXPECT_EQ(world.service_.queries(), queries) << "a stored clip needs no network";
  }
  // Between the answer and its journal: a look at the journal that is there (four operations), temporary,
  // write, truncate, sync, rename, sync of the folder, no more.
  EXPECT_LE(paid_twice, 11u);
}

TEST_P(Crash, TwiceInARowIsNoWorse) {
  const size_t operations = operations_of_a_run();
  const unsigned seed = test_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 60; ++i) {
    const size_t first = 1 + random() % operations;
    const size_t second = 1 + random() % operations;
    SCOPED_TRACE("operations " + std::to_string(first) + " and " + std::to_string(second));
    CutWorld world;
    unsigned warned = 0;
    unsigned forgotten = 0;  // Submits whose ID no crash left.
    for (const size_t at : {first, second}) {
      const unsigned before = world.service_.submits();
      world.files_.die_at(at);
      const Outcome died = world.run();
      warned += died.warnings.empty() ? 0 : 1;
      world.crash(GetParam());
      if (world.service_.submits() > before && !world.has_id()) ++forgotten;
    }
    const Outcome last = world.run();
    ASSERT_FALSE(last.error) << last.text();
    warned += last.warnings.empty() ? 0 : 1;
    EXPECT_TRUE(are_same(last.bytes, world.service_.clip()));
    EXPECT_EQ(world.service_.submits(), 1 + forgotten);
    EXPECT_GE(warned, forgotten);
  }
}

INSTANTIATE_TEST_SUITE_P(With, Crash, testing::Values(Loss::nothing, Loss::names, Loss::contents, Loss::both),
                         [](const auto &info) { return name_of(info.param); });

// ---- The disk is full from some byte on; later there is room again.

TEST(FullDisk, AtAnyPointKeepsWhatIsThereAndNeverPaysTwice) {
  const size_t clip_size = CutWorld().service_.clip().size();
  for (size_t space = 0; space < clip_size + 40'000; space += space < 4'000 ? 61 : 1'111) {
    SCOPED_TRACE(std::to_string(space) + " bytes of space");
    CutWorld world;
    world.files_.limit_space(space);
    const Outcome full = world.run();
    if (!full.error) {
      EXPECT_TRUE(are_same(full.bytes, world.service_.clip()));
      continue;
    }
    EXPECT_EQ(full.error->kind, ErrorKind::no_space_left) << full.text();
    const size_t downloaded = world.service_.media_bytes();
    if (downloaded > 0 && downloaded < clip_size) {
      EXPECT_THAT(full.text(), HasSubstr("missing"));
    }
    world.files_.limit_space(std::nullopt);
    const Outcome again = world.run();
    ASSERT_FALSE(again.error) << again.text();
    EXPECT_THAT(again.warnings, IsEmpty()) << "the space for the ID was there before the POST";
    EXPECT_TRUE(are_same(again.bytes, world.service_.clip()));
    EXPECT_EQ(world.service_.submits(), 1u);
    // Requested again: the bytes that did not fit, the rest of their answer, and the seams.
    EXPECT_LE(world.service_.media_bytes(), clip_size + downloaded + 2 * kSeam);
  }
}

TEST(FullDisk, SaysHowMuchIsThereAndHowMuchIsMissing) {
  CutWorld world;
  world.files_.limit_space(150'000);
  const Outcome full = world.run();
  ASSERT_TRUE(full.error);
  const auto stored = world.record();
  ASSERT_TRUE(stored);
  EXPECT_EQ(full.error->kind, ErrorKind::no_space_left);
  EXPECT_EQ(full.error->task_id, "task-1");
  EXPECT_THAT(full.text(), testing::ContainsRegex("[0-9]+ bytes of the clip are stored, [0-9]+ are missing"));
}

// ---- One operation fails and the next ones work, as on an unreliable network share.

TEST(FlakyDisk, AtAnyOperationEndsInAnErrorOrAWholeClip) {
  CutWorld measure;
  const size_t operations = measure.run().operations;
  for (size_t at = 1; at <= operations; ++at) {
    SCOPED_TRACE("operation " + std::to_string(at));
    CutWorld world;
    world.files_.fail_at(at, {ErrorKind::write, "Input/output error."});
    const Outcome first = world.run();
    if (first.error) {
      EXPECT_THAT(first.text(), HasSubstr("Input/output error."));
    } else {
      EXPECT_TRUE(are_same(first.bytes, world.service_.clip()));
    }
    const bool lost_id = world.service_.submits() == 1 && !world.has_id();
    if (lost_id) {
      EXPECT_EQ(first.error ? first.error->task_id : "none", "task-1") << "the error must tell the ID";
    }
    const Outcome second = world.run();
    ASSERT_FALSE(second.error) << second.text();
    EXPECT_TRUE(are_same(second.bytes, world.service_.clip()));
    EXPECT_EQ(world.service_.submits(), lost_id ? 2u : 1u);
    if (lost_id) {
      EXPECT_THAT(second.warnings, Contains(HasSubstr("charged twice")));
    }
  }
}

}  // namespace
}  // namespace genclip::test
