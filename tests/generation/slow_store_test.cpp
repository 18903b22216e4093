// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A user of a clip never waits for its disk: not to search, read or leave.
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "plugin/generation/clip_reader.h"
#include "plugin/generation/generations.h"
#include "tests/generation/slow_files.h"
#include "tests/generation/work_fixture.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

// Of this process; false while it waits for something, and once it is gone.
bool is_running(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string stat;
  std::getline(file, stat);
  return stat.find(") R ") != stat.npos;
}

class SlowStore : public WorkTest {
 protected:
  GenerationServices slow_services() {
    GenerationServices slow = services();
    slow.files = &slow_;
    return slow;
  }
  Joined join(GenerationJob wanted) {
    auto joined = join_generation(std::move(wanted), slow_services(), listener_);
    generations_.push_back(joined.generation);
    return joined;
  }
  void TearDown() override {
    slow_.let_go();
    for (const auto &weak : generations_)
      while (!weak.expired()) std::this_thread::yield();
    while (slow_.open_files() > 0) std::this_thread::yield();
  }

  SlowFiles slow_;
  const std::shared_ptr<KeptWarnings> listener_ = std::make_shared<KeptWarnings>();
  std::vector<std::weak_ptr<Generation>> generations_;
};

TEST_F(SlowStore, IsLookedIntoReadAndLeftWithoutTheCallersThread) {
  ASSERT_FALSE(run().error);
  slow_.hang();
  auto joined = join(job());
  joined.generation->look();
  ASSERT_TRUE(slow_.wait_for_caller());
  EXPECT_FALSE(joined.generation->wait_for_look(std::chrono::milliseconds(1)));
  joined.generation->start([] {});
  EXPECT_EQ(joined.generation->clip().size(), std::nullopt);
  EXPECT_EQ(joined.generation->state().status, ClipStatus::idle);
  slow_.let_go();
  EXPECT_TRUE(joined.generation->wait_for_look(kHang));
  EXPECT_EQ(joined.generation->clip().size(), service_.clip().size());
  // Now it has a file and a lock to release.
  slow_.hang();
  joined.generation->leave(listener_.get());
  joined.generation.reset();
  EXPECT_EQ(slow_.calls_of_owner(), 0u);
}

TEST_F(SlowStore, ThatHangsAmidAReadIsLeftByAnInterrupt) {
  ASSERT_FALSE(run().error);
  auto joined = join(job());
  joined.generation->look();
  ASSERT_TRUE(joined.generation->wait_for_look(kHang));
  GrowingClip &clip = joined.generation->clip();
  slow_.hang();
  const auto clip_reader = std::make_shared<ClipReader>();
  Interrupt interrupt;
  const Interrupt::Watch watch(interrupt);
  std::optional<Error> error;
  std::atomic<pid_t> reader_id = 0;
  std::thread reader([&] {
    reader_id = gettid();
    std::vector<std::byte> bytes(100);
    const auto count = clip_reader->read(clip, 0, bytes, watch);
    if (!count) error = count.error();
  });
  const bool hung = slow_.wait_for_caller();
  // Until the reader waits, it would see the interrupt without being woken.
  while (is_running(reader_id)) std::this_thread::yield();
  interrupt.raise();
  clip_reader->wake();
  reader.join();
  ASSERT_TRUE(hung);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, ErrorKind::cancelled);
  slow_.let_go();
  std::vector<std::byte> bytes(100);
  const Interrupt never;
  const auto count = clip_reader->read(clip, 0, bytes, Interrupt::Watch(never));
  ASSERT_TRUE(count) << count.error().text;
  EXPECT_TRUE(are_same(std::string(reinterpret_cast<const char *>(bytes.data()), *count),
                       service_.clip().substr(0, 100)));
  joined.generation->leave(listener_.get());
}

// The stored clip is not what this kind of run wants.
TEST_F(SlowStore, IsNotSharedWithWhoWantsAnotherClipWhileItIsLookedInto) {
  ASSERT_FALSE(run().error);
  slow_.hang();
  const auto stored = join(job());
  stored.generation->look();
  GenerationJob anew = job();
  anew.reuse = false;
  const auto one = join(anew);
  const auto two = join(anew);
  EXPECT_NE(one.generation, stored.generation);
  EXPECT_EQ(one.generation, two.generation);
  EXPECT_EQ(join(job()).generation, stored.generation) << "who takes any clip waits for no other one";
  for (const auto *joined : {&stored, &one}) joined->generation->leave(listener_.get());
}

TEST_F(SlowStore, IsAskedForNothingByALookAlone) {
  auto joined = join(job());
  joined.generation->look();
  ASSERT_TRUE(joined.generation->wait_for_look(kHang));
  EXPECT_EQ(joined.generation->clip().size(), std::nullopt);
  joined.generation->leave(listener_.get());
  const std::weak_ptr<Generation> work = joined.generation;
  joined.generation.reset();
  while (!work.expired()) std::this_thread::yield();
  EXPECT_EQ(service_.submits(), 0u);
  EXPECT_FALSE(std::filesystem::exists(path().folder()));
}

}  // namespace
}  // namespace genclip::test
