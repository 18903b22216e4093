// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Sharing of a generation in one process: joining, leaving, and what continues.
#include "plugin/generation/generations.h"

#include <future>
#include <random>
#include <thread>

#include "tests/generation/work_fixture.h"
#include "tests/support/seed.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

// Counts notifications; any thread.
class Listener final : public GenerationObserver {
 public:
  void on_change(const GenerationState &state) override {
    MutexLock lock(mutex_);
    last_ = state;
  }
  void on_warning(const Error &) override {}
  GenerationState last() const {
    MutexLock lock(mutex_);
    return last_;
  }

 private:
  mutable Mutex mutex_;
  GenerationState last_ GUARDED_BY(mutex_);
};

// A user of the clip, like an element.
class Wanting {
 public:
  Wanting(GenerationJob job, GenerationServices services)
      : listener_(std::make_shared<Listener>()),
        joined_(join_generation(std::move(job), std::move(services), listener_)) {
    joined_.generation->start([] {});
  }
  ~Wanting() { leave(); }
  Wanting(const Wanting &) = delete;
  Wanting &operator=(const Wanting &) = delete;

  void leave() {
    if (joined_.generation) joined_.generation->leave(listener_.get());
    joined_.generation.reset();
  }
  Result<std::string> bytes() {
    GrowingClip &clip = joined_.generation->clip();
    const Interrupt never;
    const auto ready = clip.wait(0, UINT64_MAX, false, Interrupt::Watch(never));
    if (!ready) return ready.error();
    return read_all(clip);
  }
  const std::shared_ptr<Generation> &generation() const { return joined_.generation; }
  std::shared_ptr<Listener> listener() const { return listener_; }

 private:
  std::shared_ptr<Listener> listener_;
  Joined joined_;
};

class Generations : public WorkTest {
 protected:
  // The threads of generations that were left end by themselves; the store and the service must outlive them.
  void TearDown() override {
    for (const auto &weak : started_)
      while (!weak.expired()) std::this_thread::yield();
  }
  std::unique_ptr<Wanting> want(const GenerationJob &job) {
    auto wanting = std::make_unique<Wanting>(job, services());
    started_.push_back(wanting->generation());
    return wanting;
  }
  std::unique_ptr<Wanting> want() { return want(job()); }

  std::vector<std::weak_ptr<Generation>> started_;
};

TEST_F(Generations, ShareOneSubmitAndOneDownload) {
  std::vector<std::unique_ptr<Wanting>> all;
  for (int i = 0; i < 8; ++i) all.push_back(want());
  for (const auto &one : all) {
    EXPECT_EQ(one->generation(), all[0]->generation());
    const auto bytes = one->bytes();
    ASSERT_TRUE(bytes) << bytes.error().text;
    EXPECT_TRUE(are_same(*bytes, service_.clip()));
  }
  EXPECT_EQ(service_.submits(), 1u);
  EXPECT_EQ(service_.media_bytes(), service_.clip().size());
}

TEST_F(Generations, AreSharedOverThreadsThatComeAndGo) {
  std::vector<std::thread> threads;
  std::atomic<int> whole{0};
  Mutex mutex;
  const unsigned seed = test_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (unsigned i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      std::mt19937 random(seed + i);
      for (int round = 0; round < 20; ++round) {
        std::unique_ptr<Wanting> one;
        {
          MutexLock lock(mutex);
          one = want();
        }
        if (random() % 2 == 0) continue;  // Leaves at once.
        const auto bytes = one->bytes();
        if (bytes && *bytes == service_.clip()) ++whole;
        if (!bytes) ADD_FAILURE() << bytes.error().text;
      }
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_GT(whole, 0);
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(Generations, GoOnWhenOneOfSeveralLeaves) {
  clock_.hold(true);
  const auto one = want();
  const auto two = want();
  ASSERT_TRUE(clock_.wait_for_sleepers(1));
  one->leave();
  clock_.hold(false);
  const auto bytes = two->bytes();
  ASSERT_TRUE(bytes) << bytes.error().text;
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(Generations, StopWhenTheLastOneLeavesAndTheTaskStays) {
  clock_.hold(true);
  auto one = want();
  auto two = want();
  ASSERT_TRUE(clock_.wait_for_sleepers(1));
  const std::weak_ptr<Generation> work = one->generation();
  one.reset();
  EXPECT_FALSE(work.expired());
  two.reset();
  while (!work.expired()) std::this_thread::yield();
  EXPECT_EQ(record()->state, ClipState::submitted);
  const unsigned queries = service_.queries();

  clock_.hold(false);
  const auto again = want();
  const auto bytes = again->bytes();
  ASSERT_TRUE(bytes) << bytes.error().text;
  EXPECT_EQ(service_.submits(), 1u);
  EXPECT_GT(service_.queries(), queries);
  EXPECT_TRUE(again->generation()->state().reused);
}

TEST_F(Generations, ThatFailedAreNotJoinedAnyMore) {
  service_.failure = "moderated";
  const auto one = want();
  EXPECT_FALSE(one->bytes());
  service_.failure = "";
  const auto two = want();
  EXPECT_NE(one->generation(), two->generation());
  const auto bytes = two->bytes();
  EXPECT_TRUE(bytes) << bytes.error().text;
}

TEST_F(Generations, WithoutReuseShareWhatIsUnderWayButNotWhatIsDone) {
  GenerationJob anew = job();
  anew.reuse = false;
  clock_.hold(true);
  const auto one = want(anew);
  const auto two = want(anew);
  EXPECT_EQ(one->generation(), two->generation());
  clock_.hold(false);
  EXPECT_TRUE(one->bytes());
  EXPECT_EQ(service_.submits(), 1u);
  const auto three = want(anew);
  EXPECT_NE(one->generation(), three->generation());
  EXPECT_TRUE(three->bytes());
  EXPECT_EQ(service_.submits(), 2u);
}

// B2
TEST_F(Generations, WithAnotherKeyDoNotShareThatTheirsWasRefused) {
  // A generation that has failed is shared by nobody, so the refusal comes once both are there.
  std::promise<void> are_there;
  http_->before_answer([both = are_there.get_future().share()](const HttpRequest &) { both.wait(); });
  http_->otherwise([this](const HttpRequest &request) {
    return request.bearer_key == "wrong" ? answer(401, "") : service_(request);
  });
  GenerationJob wrong = job();
  wrong.endpoint.api_key = {"wrong"};
  const auto one = want(wrong);
  const auto two = want();
  EXPECT_NE(one->generation(), two->generation());
  are_there.set_value();
  EXPECT_TRUE(two->bytes());
  EXPECT_EQ(service_.submits(), 1u);
}

// Two names of one store are two generations here, but one clip.
TEST_F(Generations, OfTwoPathsToOneStoreSubmitOnce) {
  std::filesystem::create_directories(folder_.path() + "/stores");
  std::filesystem::create_directory_symlink(folder_.path() + "/stores", folder_.path() + "/alias");
  GenerationJob other = job();
  other.store = folder_.path() + "/alias/store";
  const auto one = want();
  const auto two = want(other);
  EXPECT_NE(one->generation(), two->generation());
  for (const auto *wanting : {&one, &two}) {
    const auto bytes = (*wanting)->bytes();
    ASSERT_TRUE(bytes) << bytes.error().text;
    EXPECT_TRUE(are_same(*bytes, service_.clip()));
  }
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(Generations, KeepTheirClipInTheStoreAsLongAsSomebodyHasIt) {
  auto one = want();
  ASSERT_TRUE(one->bytes());
  const auto is_free = [&] {
    const auto lock = StoreLock::try_lock(path().use());
    return lock && *lock;
  };
  EXPECT_FALSE(is_free());
  const std::weak_ptr<Generation> work = one->generation();
  one.reset();
  while (!work.expired()) std::this_thread::yield();
  // A thread that may wait for a disk releases it.
  const auto end = std::chrono::steady_clock::now() + kHang;
  while (!is_free() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_TRUE(is_free());
}

// A file may have another content by then.
TEST_F(Generations, OfRequestsThatNameFilesAreNotShared) {
  ClipRequest request;
  request.model = "dance-2.5";
  request.fields.set("prompt", "a storm");
  request.fields.set("reference_images", Json::Array{Json("/no/picture.png")});
  auto checked = check_request(*Catalog::built_in(), request, {.publishes = true});
  ASSERT_TRUE(checked) << problems_text(checked.error());
  GenerationJob with_file = job();
  with_file.request = std::move(*checked);
  with_file.identity.request = with_file.request->body();
  const auto one = want(with_file), other = want(with_file);
  EXPECT_NE(one->generation(), other->generation());
  const auto shared = want(), same = want();
  EXPECT_EQ(shared->generation(), same->generation());
}

}  // namespace
}  // namespace genclip::test
