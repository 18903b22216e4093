// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Sharing of a generation in one process: joining, leaving, and what continues.
#include "plugin/generation/generations.h"

#include <filesystem>
#include <fstream>
#include <future>
#include <random>
#include <thread>

#include "plugin/catalog/clip_uri.h"
#include "plugin/catalog/request_meaning.h"
#include "plugin/generation/chain_plan.h"
#include "plugin/generation/charge_facts.h"
#include "plugin/generation/request_identity.h"
#include "tests/generation/work_fixture.h"
#include "tests/support/give_up.h"
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
  void on_warning(const Error &warning) override {
    MutexLock lock(mutex_);
    warnings_.push_back(warning.text);
  }
  GenerationState last() const {
    MutexLock lock(mutex_);
    return last_;
  }
  std::vector<std::string> warnings() const {
    MutexLock lock(mutex_);
    return warnings_;
  }

 private:
  mutable Mutex mutex_;
  GenerationState last_ GUARDED_BY(mutex_);
  std::vector<std::string> warnings_ GUARDED_BY(mutex_);
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
  std::unique_ptr<Wanting> want(const GenerationJob &job) { return want(job, services()); }
  std::unique_ptr<Wanting> want(const GenerationJob &job, const GenerationServices &services) {
    auto wanting = std::make_unique<Wanting>(job, services);
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

// Between the moment when nobody can join any more and the one when its work is cancelled, the work may begin
// a pause, of which nobody would wake it.
TEST_F(Generations, ThatNobodyCanJoinAnyMoreBeginNoPause) {
  const auto one = want();
  ASSERT_TRUE(one->bytes());
  EXPECT_FALSE(g_cancellable_is_cancelled(one->generation()->begin_pause().get()));
  service_.failure = "moderated";
  GenerationJob anew = job();
  anew.reuse = false;
  const auto two = want(anew);
  ASSERT_FALSE(two->bytes());
  ASSERT_FALSE(g_cancellable_is_cancelled(two->generation()->cancellable()));
  EXPECT_TRUE(g_cancellable_is_cancelled(two->generation()->begin_pause().get()));
}

TEST_F(Generations, ThatTakeAStoredClipGetItWhateverBecomesOfANewOne) {
  ASSERT_TRUE(want()->bytes());
  std::ofstream(job().store + "/budget.json") << R"({"tasks_per_day":1})";
  GenerationJob anew = job();
  anew.reuse = false;
  // Not started, as of an element in PAUSED.
  const auto listener = std::make_shared<Listener>();
  const auto refused = join_generation(anew, services(), listener).generation;
  started_.push_back(refused);
  const auto stored = want();
  EXPECT_NE(stored->generation(), refused);
  const auto bytes = stored->bytes();
  EXPECT_TRUE(bytes) << bytes.error().text;
  EXPECT_FALSE(want(anew)->bytes()) << "the budget is spent";
  refused->leave(listener.get());
}

// One follows the other, and pays nothing.
TEST_F(Generations, WithAndWithoutReusePayOnceForAClipThatIsNotStored) {
  for (const bool reuses_first : {true, false}) {
    GenerationJob first = job();
    first.request = sample_request(reuses_first ? "reused" : "anew");
    first.identity.request = first.request->body();
    first.timeout = {};  // The clock jumps.
    GenerationJob second = first;
    first.reuse = reuses_first;
    second.reuse = !reuses_first;
    const unsigned submits = service_.submits();
    clock_.hold(true);
    const auto one = want(first);
    ASSERT_TRUE(clock_.wait_for_sleepers(1));
    const auto two = want(second);
    ASSERT_TRUE(clock_.wait_for_sleepers(2));
    clock_.hold(false);
    for (const auto *wanting : {&one, &two}) {
      const auto bytes = (*wanting)->bytes();
      ASSERT_TRUE(bytes) << bytes.error().text;
      EXPECT_TRUE(are_same(*bytes, service_.clip()));
    }
    EXPECT_EQ(service_.submits(), submits + 1);
  }
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

struct JobEdit {
  const char *name;
  std::function<void(GenerationJob &)> edit;
};

// B2 of the findings: each of them, so that none is another's.
TEST_F(Generations, AreSharedOnlyWithTheSameOptions) {
  const JobEdit edits[] = {
      {"result", [](auto &job) { job.result = 2; }},
      {"http-timeout", [](auto &job) { job.endpoint.http_timeout += std::chrono::seconds(1); }},
      {"user-agent", [](auto &job) { job.endpoint.user_agent = "other"; }},
      {"api-key", [](auto &job) { job.endpoint.api_key.value = "other"; }},
      {"no key", [](auto &job) { job.no_key = "none"; }},
      {"poll-interval", [](auto &job) { job.poll_interval += std::chrono::seconds(1); }},
      {"timeout", [](auto &job) { job.timeout += std::chrono::seconds(1); }},
      {"retries", [](auto &job) { ++job.retries; }},
      {"submit once", [](auto &job) { job.submit_once = true; }},
      {"on-unknown", [](auto &job) { job.may_submit = MaySubmit::unless_in_doubt; }},
      {"store-max-size", [](auto &job) { job.store_max_size = 1; }},
      {"max-amount", [](auto &job) { job.max_amount = 1; }},
      {"the setting of max-amount", [](auto &job) { job.max_amount.setting = "GENCLIP_MAX_AMOUNT"; }},
      {"paid before", [](auto &job) { job.paid_before = 1; }},
      {"GENCLIP_MAX_TASKS", [](auto &job) { job.max_tasks = 1; }},
      {"with-prompt", [](auto &job) { job.with_prompt = true; }},
      {"project", [](auto &job) { job.project = "other"; }},
      {"check-media", [](auto &job) { job.media_check.depth = MediaCheck::full; }},
      {"publish-folder", [](auto &job) { job.publish.folder = "other"; }},
      {"reference-identity", [](auto &job) { job.reference_identity = ReferenceIdentity::content; }},
      {"max-download-size", [](auto &job) { job.download.max_size = 1; }},
  };
  const auto joined = [&](const GenerationJob &job, const GenerationServices &services) {
    const auto listener = std::make_shared<Listener>();
    auto generation = join_generation(job, services, listener).generation;
    started_.push_back(generation);
    return std::pair(std::move(generation), listener);
  };
  const auto [usual, usual_listener] = joined(job(), services());
  const auto [same, same_listener] = joined(job(), services());
  EXPECT_EQ(usual, same);
  for (const JobEdit &edit : edits) {
    GenerationJob other = job();
    edit.edit(other);
    const auto [generation, listener] = joined(other, services());
    const auto [again, listener_again] = joined(other, services());
    EXPECT_NE(generation, usual) << edit.name;
    EXPECT_EQ(generation, again) << edit.name;
  }
  GenerationServices by_proxy = services();
  by_proxy.http = std::make_shared<FakeHttpClient>(clock_);
  EXPECT_NE(joined(job(), by_proxy).first, usual);
  EXPECT_EQ(joined(job(), services()).first, usual);
}

// B2: and the work is shared in the store.
TEST_F(Generations, WithOtherLimitsShareTheWorkButNotTheFailure) {
  const JobEdit edits[] = {
      {"max-amount", [](auto &job) { job.max_amount = 1; }},
      {"timeout", [](auto &job) { job.timeout = std::chrono::seconds(1); }},
      {"retries", [](auto &job) { job.retries = 0; }},
      {"max-download-size", [](auto &job) { job.download.max_size = 1000; }},
      {"GENCLIP_MAX_TASKS", [](auto &job) { job.max_tasks = 1; }},
  };
  unsigned submits = 0;
  for (const JobEdit &edit : edits)
    for (const bool is_tight_first : {true, false}) {
      SCOPED_TRACE(edit.name + std::string(is_tight_first ? " first" : " second"));
      GenerationJob usual = job();
      usual.request = sample_request(edit.name + std::to_string(is_tight_first));
      usual.identity.request = usual.request->body();
      usual.timeout = {};  // The clock jumps.
      GenerationJob tight = usual;
      edit.edit(tight);
      service_.odd_submits = {answer(429, "")};
      const auto first = want(is_tight_first ? tight : usual), second = want(is_tight_first ? usual : tight);
      const auto bytes = (is_tight_first ? second : first)->bytes();
      ASSERT_TRUE(bytes) << bytes.error().text;
      EXPECT_TRUE(are_same(*bytes, service_.clip()));
      static_cast<void>((is_tight_first ? first : second)->bytes());
      EXPECT_EQ(service_.submits(), ++submits);
    }
}

// B2: a run that others wait for polls as often as any of them wants.
TEST_F(Generations, PollAtTheShortestIntervalOfThoseThatWantTheClip) {
  using std::chrono::milliseconds;
  GenerationJob slow = job(), usual = job(), fast = job();
  slow.poll_interval = milliseconds(60'000);
  usual.poll_interval = {};
  fast.poll_interval = milliseconds(100);
  const auto joined = [&](const GenerationJob &job) {
    auto generation = join_generation(job, services(), std::make_shared<Listener>()).generation;
    started_.push_back(generation);
    return generation;
  };
  const auto one = joined(slow);
  EXPECT_EQ(one->poll_interval(), slow.poll_interval);
  const auto two = joined(usual);
  EXPECT_EQ(one->poll_interval(), usual.poll_interval);
  const auto three = joined(fast);
  EXPECT_EQ(one->poll_interval(), fast.poll_interval);
  EXPECT_EQ(two->poll_interval(), fast.poll_interval);
  const auto four = joined(slow);
  EXPECT_EQ(four, one);
  GenerationJob other = slow;
  other.retries = 7;
  const auto five = joined(other);
  EXPECT_EQ(five->poll_interval(), fast.poll_interval);
  EXPECT_EQ(three->poll_interval(), fast.poll_interval);
}

TEST_F(Generations, ThatCannotConnectStopNoOtherOne) {
  GenerationServices by_proxy = services();
  const auto proxy = std::make_shared<FakeHttpClient>(clock_);
  proxy->otherwise([](const HttpRequest &) { return not_sent(); });
  by_proxy.http = proxy;
  const auto one = want(job(), by_proxy), other = want();
  const auto bytes = other->bytes();
  ASSERT_TRUE(bytes) << bytes.error().text;
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

// ---- Requests that mean the same (docs/store-format.md, "DIGEST").

class SameMeaning : public Generations {
 protected:
  // dance-2.5 makes 4 s, as its document says, if nothing else is asked for.
  static constexpr char kUsual[] = "dance-2.5?prompt=caf\u00e9";
  static constexpr char kSpelledOut[] = "dance-2.5?prompt=cafe\u0301&duration=4&resolution=480p";

  GenerationJob job_of(const std::string &request) {
    const auto parsed = parse_clip_uri(*Catalog::built_in(), "genclip://" + request);
    if (!parsed) give_up(parsed.error().text);
    auto checked = check_request(*Catalog::built_in(), *parsed, {.publishes = true});
    if (!checked) give_up(problems_text(checked.error()));
    GenerationJob made = job();
    made.request = std::move(*checked);
    made.identity.request = meaning_of(made.request->spec(), made.request->body());
    made.identity.take = made.request->take();
    return made;
  }
  IdentifiedRequest identified(const std::string &request) {
    auto found = identify_request(job_of(request), services(), false, nullptr);
    if (!found) give_up(found.error().text);
    return std::move(*found);
  }
  ClipPath older_path() { return {job().store, identified(kSpelledOut).older.value().digest()}; }
  ClipPath new_path() { return {job().store, identified(kSpelledOut).meaning.digest()}; }
  std::optional<ClipRecord> record_in(const ClipPath &path) {
    auto found = ClipFolder(FileSystem::posix(), path).look();
    return found ? std::optional<ClipRecord>(std::move(*found)) : std::nullopt;
  }

  // As an earlier version left it.
  void write_older(ClipState state, const std::string &task_id = "", bool is_readable = true) {
    ClipFolder folder(FileSystem::posix(), older_path());
    const auto lock = folder.lock_writer([](const std::string &) {});
    ASSERT_TRUE(lock && *lock);
    ClipRecord record;
    record.identity = identified(kSpelledOut).older.value();
    record.model = "dance-2.5";
    record.state = state;
    record.task_id = task_id;
    if (state == ClipState::complete) {
      record.clip_name = "clip.mp4";
      record.media_type = "video/mp4";
      record.clip_size = service_.clip().size();
      std::ofstream(older_path().file("clip.mp4"), std::ios::binary) << service_.clip();
    }
    ASSERT_TRUE(folder.write_record(record));
    if (!is_readable) std::ofstream(older_path().record()) << R"({"state":"sub)";
  }

  // What an earlier version has written of a submit; without a task: and no answer came.
  void tell_ledger(const std::string &task_id) {
    Ledger ledger(FileSystem::posix(), clock_, job().store);
    const ChargeFacts facts = charge_facts(identified(kSpelledOut).older.value(), "dance-2.5", "");
    ASSERT_TRUE(ledger.reserve(facts, 0, nullptr));
    LedgerEntry entry(task_id.empty() ? LedgerEvent::unknown : LedgerEvent::submitted, facts);
    entry.task_id = task_id;
    ASSERT_TRUE(ledger.append({entry}, nullptr));
  }

  std::string run(const std::string &request, bool reuse = true) {
    GenerationJob made = job_of(request);
    made.reuse = reuse;
    const auto one = want(made);
    const auto bytes = one->bytes();
    if (!bytes) return bytes.error().text;
    EXPECT_TRUE(are_same(*bytes, service_.clip()));
    return one->listener()->last().clip_location;
  }
};

TEST_F(SameMeaning, IsPaidOnceAndSentAsItWasAskedFor) {
  std::vector<std::string> bodies;
  http_->before_answer([&](const HttpRequest &request) {
    if (request.method == HttpRequest::Method::post) bodies.push_back(request.body);
  });
  const std::string clip = run(kSpelledOut);
  EXPECT_EQ(clip, new_path().file("clip.mp4"));
  EXPECT_EQ(run(kUsual), clip);
  EXPECT_EQ(run("dance-2.5?aspect_ratio=9:16&prompt=caf\u00e9"), clip);
  EXPECT_EQ(service_.submits(), 1u);
  ASSERT_EQ(bodies.size(), 1u);
  const auto sent = Json::parse(bodies[0]);
  ASSERT_TRUE(sent);
  EXPECT_EQ(*sent->find("prompt"), Json("cafe\u0301"));
  EXPECT_EQ(*sent->find("duration"), Json(4));
  EXPECT_NE(run("dance-2.5?prompt=caf\u00e9&duration=5"), clip);
  EXPECT_EQ(service_.submits(), 2u);
  EXPECT_FALSE(std::filesystem::exists(older_path().folder()));
}

TEST_F(SameMeaning, OfTheRequestThatAnEarlierVersionKnewIsItsNameThen) {
  const IdentifiedRequest usual = identified(kUsual);
  EXPECT_FALSE(usual.older);
  ClipIdentity then = job().identity;
  then.request = Json::Object{{"model", "dance-2.5"}, {"prompt", "caf\u00e9"}};
  EXPECT_EQ(usual.identity.digest(), then.digest());
  then.request = job_of(kSpelledOut).request->body();
  EXPECT_EQ(older_path().folder(), ClipPath(job().store, then.digest()).folder());
}

// Another spelling may have a clip of an earlier version, which needs no task.
TEST_F(SameMeaning, IsServedFromTheStoreWhileAnotherSpellingIsGenerated) {
  write_older(ClipState::complete, "task-old");
  const auto usual = want(job_of(kUsual)), spelled_out = want(job_of(kSpelledOut));
  EXPECT_NE(usual->generation(), spelled_out->generation());
  ASSERT_TRUE(spelled_out->bytes());
  EXPECT_EQ(spelled_out->listener()->last().clip_location, older_path().file("clip.mp4"));
  ASSERT_TRUE(usual->bytes());
  EXPECT_EQ(usual->listener()->last().clip_location, new_path().file("clip.mp4"));
}

TEST_F(SameMeaning, IsPaidOnceByTwoRunsAtATime) {
  const auto usual = want(job_of(kUsual)), spelled_out = want(job_of(kSpelledOut));
  ASSERT_TRUE(usual->bytes());
  ASSERT_TRUE(spelled_out->bytes());
  EXPECT_EQ(usual->listener()->last().clip_location, spelled_out->listener()->last().clip_location);
  EXPECT_EQ(service_.submits(), 1u);
}

// A ledger grows with the years, and a stored clip plays at once.
TEST_F(SameMeaning, OfAStoredClipIsFoundWithoutTheLedger) {
  run(kUsual);
  const ClipPath path = new_path();
  const uint64_t before = files_.bytes_read();
  EXPECT_EQ(identified(kSpelledOut).identity.digest(), path.digest());
  EXPECT_EQ(files_.bytes_read() - before, std::filesystem::file_size(path.record()));
}

// Finding: 0.3.0 left out the default, and kept the line break.
TEST_F(SameMeaning, IsServedAsTheVersionBeforeKnewItByTheSpellingOfItsAddress) {
  GenerationJob broken = job_of(kSpelledOut);
  broken.older_base_url = broken.endpoint.base_url + "\n";
  ClipRecord record;
  record.identity = broken.identity;
  record.identity.base_url = broken.older_base_url;
  record.model = "dance-2.5";
  record.state = ClipState::submitted;
  record.task_id = "task-old";
  const ClipPath then(job().store, record.identity.digest());
  EXPECT_NE(then.folder(), new_path().folder());
  {
    ClipFolder folder(FileSystem::posix(), then);
    const auto lock = folder.lock_writer([](const std::string &) {});
    ASSERT_TRUE(lock && *lock);
    ASSERT_TRUE(folder.write_record(record));
  }
  const auto one = want(broken);
  ASSERT_TRUE(one->bytes());
  EXPECT_EQ(one->listener()->last().clip_location, then.file("clip.mp4"));
  EXPECT_EQ(one->listener()->last().task_id, "task-old");
  EXPECT_EQ(service_.submits(), 0u);
}

TEST_F(SameMeaning, ServesTheClipOfAnEarlierVersionAndPaysNothing) {
  write_older(ClipState::complete, "task-old");
  EXPECT_EQ(run(kSpelledOut), older_path().file("clip.mp4"));
  EXPECT_EQ(service_.submits(), 0u);
  // Also beside a new one, which another spelling has paid for.
  EXPECT_EQ(run(kUsual), new_path().file("clip.mp4"));
  EXPECT_EQ(run(kSpelledOut), older_path().file("clip.mp4"));
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(SameMeaning, ReplacesTheClipOfAnEarlierVersionInItsPlace) {
  write_older(ClipState::complete, "task-old");
  EXPECT_EQ(run(kSpelledOut, false), older_path().file("clip.mp4"));
  EXPECT_EQ(service_.submits(), 1u);
  EXPECT_EQ(run(kSpelledOut), older_path().file("clip.mp4"));
  EXPECT_EQ(record_in(older_path())->task_id, "task-1");
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(SameMeaning, AttachesToTheTaskOfAnEarlierVersion) {
  ASSERT_NE(run("dance-2.5?prompt=other"), "");  // task-1, which the service then knows.
  write_older(ClipState::submitted, "task-1");
  EXPECT_EQ(run(kSpelledOut), older_path().file("clip.mp4"));
  EXPECT_EQ(service_.submits(), 1u);
}

// What nobody knows is asked or told where it is written, as ever.
TEST_F(SameMeaning, HasTheDoubtOfAnEarlierVersion) {
  write_older(ClipState::ambiguous);
  GenerationJob careful = job_of(kSpelledOut);
  careful.may_submit = MaySubmit::unless_in_doubt;
  {
    const auto one = want(careful);
    EXPECT_FALSE(one->bytes());
  }
  EXPECT_EQ(service_.submits(), 0u);
  EXPECT_EQ(run(kSpelledOut), older_path().file("clip.mp4"));
  EXPECT_EQ(service_.submits(), 1u);
  EXPECT_EQ(record_in(older_path())->unanswered_submits, 1u);
}

TEST_F(SameMeaning, HasNoDoubtOfAnEarlierVersionWhereTheClipIsThere) {
  const std::string clip = run(kUsual);
  write_older(ClipState::ambiguous);
  EXPECT_EQ(run(kSpelledOut), clip);
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(SameMeaning, BeginsAnewWhereThatOfAnEarlierVersionHasEnded) {
  for (const ClipState state : {ClipState::failed, ClipState::refused}) {
    write_older(state, state == ClipState::failed ? "task-old" : "");
    EXPECT_EQ(run(kSpelledOut), new_path().file("clip.mp4"));
    EXPECT_EQ(record_in(older_path())->state, state);
  }
  EXPECT_EQ(service_.submits(), 1u);
}

// In one run, so that the one that pays is the one that has warned.
TEST_F(SameMeaning, SetsADamagedRecordOfAnEarlierVersionAsideAndGoesOnInTheNewFolder) {
  write_older(ClipState::submitted, "task-old", false);
  EXPECT_TRUE(identified(kSpelledOut).has_older_folder);
  const auto one = want(job_of(kSpelledOut));
  ASSERT_TRUE(one->bytes());
  EXPECT_EQ(one->listener()->last().clip_location, new_path().file("clip.mp4"));
  EXPECT_EQ(service_.submits(), 1u);
  const auto warnings = one->listener()->warnings();
  ASSERT_FALSE(warnings.empty());
  EXPECT_THAT(warnings.front(), testing::HasSubstr("again"));
}

// A folder of an earlier version whose task was running vanished, and the task was paid again silently.
TEST_F(SameMeaning, AsksForTheTaskThatTheLedgerKnowsUnderTheNameOfAnEarlierVersion) {
  const std::vector<std::pair<const char *, std::function<void()>>> losses = {
      {"there is no folder", [] {}},
      {"there is no record", [this] { std::filesystem::create_directories(older_path().folder()); }},
      {"the record is damaged", [this] { write_older(ClipState::submitted, "task-old", false); }}};
  for (const auto &[what, lose] : losses) {
    SCOPED_TRACE(what);
    std::filesystem::remove_all(job().store);
    tell_ledger("task-old");
    lose();
    EXPECT_EQ(run(kSpelledOut), older_path().file("clip.mp4"));
    EXPECT_EQ(service_.submits(), 0u);
    const auto record = record_in(older_path());
    ASSERT_TRUE(record);
    EXPECT_EQ(record->task_id, "task-old");
  }
}

// A clip without its record counts as one whose record says so.
TEST_F(SameMeaning, AsksForTheTaskOfAStoredClipOfAnEarlierVersionWhoseRecordIsGone) {
  tell_ledger("task-old");
  Ledger ledger(FileSystem::posix(), clock_, job().store);
  LedgerEntry settled(LedgerEvent::settle, charge_facts(*identified(kSpelledOut).older, "dance-2.5", ""));
  settled.task_id = "task-old";
  settled.status = "completed";
  ASSERT_TRUE(ledger.append({settled}, nullptr));
  write_older(ClipState::complete, "task-old");
  std::filesystem::remove(older_path().record());
  EXPECT_EQ(run(kSpelledOut), older_path().file("clip.mp4"));
  EXPECT_EQ(service_.submits(), 0u);
  ASSERT_TRUE(record_in(older_path()));
  EXPECT_EQ(record_in(older_path())->task_id, "task-old");
}

TEST_F(SameMeaning, WarnsOfASubmitThatTheLedgerKnowsUnderTheNameOfAnEarlierVersion) {
  tell_ledger("");
  GenerationJob careful = job_of(kSpelledOut);
  careful.may_submit = MaySubmit::unless_in_doubt;
  const auto doubt = want(careful)->bytes();
  ASSERT_FALSE(doubt);
  EXPECT_THAT(doubt.error().text, testing::HasSubstr("never learned whether it was accepted"));
  EXPECT_EQ(service_.submits(), 0u);
  const auto one = want(job_of(kSpelledOut));
  ASSERT_TRUE(one->bytes());
  EXPECT_THAT(one->listener()->warnings(), testing::Contains(testing::HasSubstr("may be charged twice")));
}

// Without a summary, a long ledger takes a second.
TEST_F(SameMeaning, ReadsTheLedgerOnceForAPlanOfManyRequests) {
  tell_ledger("task-old");
  std::filesystem::remove(job().store + "/ledger.summary");
  const auto size = std::filesystem::file_size(job().store + "/ledger.jsonl");
  const GenerationServices plan = services_of_plan(services());
  const uint64_t before = files_.bytes_read();
  for (int take = 0; take < 20; ++take) {
    GenerationJob row = job_of(kSpelledOut);
    row.identity.take = static_cast<unsigned>(take);
    const auto found = identify_request(row, plan, false, nullptr);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->has_older_folder, take == 0);
    EXPECT_FALSE(with_take(*found, 100, row, plan).has_older_folder);
    EXPECT_FALSE(estimate_of(row, *found, plan));
  }
  EXPECT_LE(files_.bytes_read() - before, 2 * size) << "once in short, and once whole";
  // One request alone reads no less than what is written meanwhile.
  EXPECT_TRUE(identified(kSpelledOut).has_older_folder);
}

// Between the choice of the folder and its lock; else two runs could pay, one in each folder.
TEST_F(SameMeaning, PaysInTheNewFolderWhereThatOfAnEarlierVersionWasRemoved) {
  write_older(ClipState::complete, "task-old");
  GenerationJob late = job_of(kSpelledOut);
  late.reuse = false;
  std::optional<IdentifiedRequest> removed = identified(kSpelledOut);
  ASSERT_TRUE(removed->has_older_folder);
  std::filesystem::remove_all(older_path().folder());
  choose_folder(*removed, late, services());
  EXPECT_FALSE(removed->has_older_folder);
  EXPECT_EQ(run(kSpelledOut), new_path().file("clip.mp4"));
}

// A whole clip that is to be replaced settles nothing.
TEST_F(SameMeaning, AsksForTheTaskOfAnEarlierVersionBeforeItPaysAnew) {
  ASSERT_NE(run("dance-2.5?prompt=other"), "");  // task-1, which the service then knows.
  const std::string clip = run(kUsual);
  EXPECT_EQ(service_.submits(), 2u);
  write_older(ClipState::lost, "task-1");
  EXPECT_EQ(run(kSpelledOut), clip) << "which is there";
  EXPECT_EQ(run(kSpelledOut, false), older_path().file("clip.mp4"));
  EXPECT_EQ(service_.submits(), 2u);
}

TEST_F(SameMeaning, GoesOnWhereATaskCanBeAsked) {
  write_older(ClipState::ambiguous);
  for (const auto &[state, is_older] :
       {std::pair(ClipState::submitted, false), std::pair(ClipState::lost, false),
        std::pair(ClipState::failed, true), std::pair(ClipState::ambiguous, true)}) {
    IdentifiedRequest request = identified(kSpelledOut);
    ClipFolder folder(FileSystem::posix(), new_path());
    {
      const auto lock = folder.lock_writer([](const std::string &) {});
      ASSERT_TRUE(lock && *lock);
      ClipRecord record;
      record.identity = request.meaning;
      record.model = "dance-2.5";
      record.state = state;
      record.task_id = state == ClipState::ambiguous ? "" : "task-new";
      ASSERT_TRUE(folder.write_record(record));
    }
    choose_folder(request, job_of(kSpelledOut), services());
    EXPECT_EQ(request.has_older_folder, is_older) << to_word(state);
  }
}

TEST_F(SameMeaning, ChoosesTheFolderAgainWhenItsClipIsWanted) {
  write_older(ClipState::complete, "task-old");
  const auto listener = std::make_shared<Listener>();
  GenerationJob anew = job_of(kSpelledOut);
  anew.reuse = false;
  const Joined joined = join_generation(anew, services(), listener);
  started_.push_back(joined.generation);
  joined.generation->look();
  ASSERT_TRUE(joined.generation->wait_for_look(kHang));
  std::filesystem::remove_all(older_path().folder());
  joined.generation->start([] {});
  const Interrupt never;
  ASSERT_TRUE(joined.generation->clip().wait(0, UINT64_MAX, false, Interrupt::Watch(never)));
  EXPECT_EQ(joined.generation->state().clip_location, new_path().file("clip.mp4"));
  joined.generation->leave(listener.get());
}

TEST_F(SameMeaning, OfAChainIsThatOfItsClips) {
  const auto chain = [](const std::string &inner) {
    const GStringPtr escaped(g_uri_escape_string(("genclip://" + inner + "#last").c_str(), nullptr, FALSE));
    return "sd_2.0_special?prompt=a&first_image=" + std::string(escaped.get());
  };
  const IdentifiedRequest usual = identified(chain(kUsual)), spelled_out = identified(chain(kSpelledOut));
  EXPECT_EQ(usual.identity.digest(), spelled_out.identity.digest());
  EXPECT_FALSE(usual.older);
  ASSERT_TRUE(spelled_out.older);
  EXPECT_EQ(spelled_out.older->request.find("first_image")->array()->front(),
            Json("genclip:" + identified(kSpelledOut).older->digest() + "#last"));
  // Where the clip inside has the folder of an earlier version, the outer one has its meaning still.
  write_older(ClipState::complete, "task-old");
  const IdentifiedRequest now = identified(chain(kSpelledOut));
  EXPECT_EQ(now.identity.digest(), usual.identity.digest());
  EXPECT_EQ(now.clips.at(0)->identity.digest(), identified(kSpelledOut).older->digest());
}

TEST_F(SameMeaning, OfAnotherTakeHasThatTakesFolder) {
  write_older(ClipState::complete, "task-old");
  const IdentifiedRequest found = identified(kSpelledOut);
  const IdentifiedRequest other = with_take(found, 1, job(), services());
  EXPECT_FALSE(other.has_older_folder);
  EXPECT_EQ(other.identity.digest(), identified(std::string(kUsual) + "&take=1").identity.digest());
  EXPECT_TRUE(with_take(other, 0, job(), services()).has_older_folder);
}

}  // namespace
}  // namespace genclip::test
