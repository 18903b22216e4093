// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a run writes into the ledger, and what the ledger lets it do.
#include "plugin/generation/clip_account.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "plugin/generation/charge_facts.h"
#include "plugin/generation/store_account.h"
#include "tests/generation/work_fixture.h"
#include "tests/support/give_up.h"
#include "tests/support/taken.h"

namespace genclip::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ClipAccounts : public WorkTest {
 protected:
  GenerationJob job_for(const std::string &prompt) const {
    GenerationJob other = job();
    other.request = sample_request(prompt);
    other.identity.request = other.request->body();
    return other;
  }
  Ledger ledger() { return Ledger(FileSystem::posix(), clock_, job().store); }
  // While the run sleeps: on its clock, a wait for the ledger's lock would take minutes.
  void release_while_it_sleeps(const ChargeFacts &facts) {
    clock_.hold(true);
    EXPECT_TRUE(clock_.wait_for_sleepers(1));
    EXPECT_TRUE(ledger().append({LedgerEntry(LedgerEvent::release, facts)}, nullptr));
    clock_.hold(false);
  }
  Account account() {
    auto reading = ledger().read_all();
    EXPECT_TRUE(reading) << reading.error().text;
    return reading ? std::move(reading->account) : Account();
  }
  Sums sums() { return account().sums({}, 0); }
  // "event task" of each line.
  std::vector<std::string> lines() {
    std::vector<std::string> all;
    std::ifstream file(LedgerPath(job().store).ledger);
    for (std::string line; std::getline(file, line);) {
      const auto entry = read_ledger_line(line);
      EXPECT_TRUE(entry) << line;
      if (!entry) continue;
      std::string text = to_word(entry->event);
      if (!entry->task_id.empty()) text += " " + entry->task_id;
      if (!entry->status.empty()) text += " " + entry->status;
      all.push_back(text);
    }
    return all;
  }
  // Its task is paid, and its clip did not come.
  void leave_unfetched(GenerationJob job) {
    job.retries = 0;
    service_.cuts = {100'000};
    EXPECT_TRUE(run(job).error);
    service_.cuts.clear();
  }
  void set_budget(const std::string &json) {
    EXPECT_EQ(g_mkdir_with_parents(job().store.c_str(), 0700), 0);
    std::ofstream(LedgerPath(job().store).budget) << json;
  }
};

std::string text_detail(const Error &error, const std::string &name) {
  for (const ErrorDetail &detail : error.details)
    if (detail.name == name) return std::get<std::string>(detail.value);
  return "";
}
double number_detail(const Error &error, const std::string &name) {
  for (const ErrorDetail &detail : error.details)
    if (detail.name == name) return std::get<double>(detail.value);
  return -99;
}

TEST_F(ClipAccounts, ARunWritesALineForEachStep) {
  const Outcome done = run();
  ASSERT_FALSE(done.error) << done.text();
  const std::string id = done.state.task_id;
  EXPECT_THAT(lines(), ElementsAre("reserve", "submitted " + id, "unfetched " + id,
                                   "settle " + id + " completed", "stored " + id));
  EXPECT_EQ(sums().spent.credits, done.state.amount);
  EXPECT_EQ(sums().reserved.credits, 0);
  ASSERT_TRUE(record());
  EXPECT_EQ(record()->reserved_at, utc_text(account().charges().at(0).at));
}

// Finding M2: later answers may leave out what an earlier one told.
TEST_F(ClipAccounts, AnAmountCountsWheneverItIsTold) {
  for (const char *when : {"submit", "processing"}) {
    service_.tells_amount = when;
    const Outcome done = run(job_for(when));
    ASSERT_FALSE(done.error) << done.text();
    EXPECT_EQ(done.state.amount, 2.5) << when;
  }
  EXPECT_EQ(sums().spent.credits, 5);
  EXPECT_EQ(sums().untold, 0u);
  set_budget(R"({"per_day":5})");
  EXPECT_EQ(text_detail(run().error.value_or(Error{}), "budget"), "per-day");
}

TEST_F(ClipAccounts, ATaskThatFailsHasCostWhatWasTold) {
  for (const char *when : {"submit", "failed"}) {
    service_.tells_amount = when;
    service_.failure = "moderated";
    const Outcome failed = run(job_for(when));
    ASSERT_TRUE(failed.error);
    EXPECT_EQ(text_detail(*failed.error, "charged"), "yes") << when;
    EXPECT_EQ(failed.state.amount, 2.5) << when;
  }
  EXPECT_EQ(sums().spent.credits, 5);
}

TEST_F(ClipAccounts, AnAmountCountsWhileTheTaskRuns) {
  service_.tells_amount = "processing";
  service_.polls = 1000;
  GenerationJob short_one = job();
  short_one.timeout = std::chrono::seconds(20);
  ASSERT_TRUE(run(short_one).error);
  EXPECT_EQ(sums().spent.credits, 2.5);
  EXPECT_EQ(sums().reserved.credits, 0);
  ASSERT_TRUE(record());
  EXPECT_EQ(record()->amount, 2.5);
}

// A queued task may say that it has cost nothing, as it has. Four of these went through a budget for one.
TEST_F(ClipAccounts, AnAmountOfNothingIsNoneBeforeTheTaskHasEnded) {
  service_.amount = "0";
  service_.tells_amount = "submit processing";
  service_.failure = "moderated";
  const Outcome failed = run(job_for("failed"));
  ASSERT_TRUE(failed.error);
  EXPECT_EQ(text_detail(*failed.error, "charged"), "maybe");
  service_.failure.clear();

  set_budget(R"({"per_day":10,"assumed_price":9})");
  service_.polls = 1000;
  GenerationJob short_one = job();
  short_one.timeout = std::chrono::seconds(20);
  ASSERT_TRUE(run(short_one).error);
  EXPECT_EQ(account().sums({}, 9).reserved.credits, 9);
  EXPECT_EQ(text_detail(run(job_for("next")).error.value_or(Error{}), "budget"), "per-day");

  service_.polls = 1;
  const Outcome done = run();
  ASSERT_FALSE(done.error) << done.text();
  EXPECT_EQ(done.state.amount, -1);
  EXPECT_THAT(done.warnings, ElementsAre(HasSubstr("has not told what the task")));
  EXPECT_EQ(account().sums({}, 9).reserved.credits, 9);
}

// Not even if no other answer comes.
TEST_F(ClipAccounts, AnAmountOfNothingIsNoneInAnAnswerToASubmitThatHasTheClip) {
  service_.odd_submits = {
      answer(200, R"({"id":"task-1","status":"completed","amount":0,"url":"https://cdn.example/clip.mp4"})")};
  service_.knows_no_task = true;
  EXPECT_FALSE(run().error);
  EXPECT_EQ(sums().untold, 1u);
}

TEST_F(ClipAccounts, AnAmountOfNothingIsNoneInAnAnswerThatSaysOnlyThatTheCallWentWell) {
  service_.odd_submits = {answer(200, R"({"id":"task-1","status":"success","amount":0})"),
                          answer(500, R"({"status":"failed","amount":0})")};
  service_.tells_amount = "";
  ASSERT_FALSE(run().error);
  EXPECT_EQ(sums().untold, 1u);
  EXPECT_EQ(text_detail(run(job_for("two")).error.value_or(Error{}), "outcome"), "unknown");
  EXPECT_EQ(account().sums({}, 9).reserved.credits, 18);
}

// An answer without a task counts with what it tells, too.
TEST_F(ClipAccounts, AnAmountCountsThoughTheAnswerHasNoTask) {
  for (const FakeAnswer &odd :
       {answer(200, R"({"status":"queued","amount":9})"), answer(500, R"({"error":"busy","amount":9})")}) {
    service_.odd_submits = {odd};
    EXPECT_EQ(text_detail(run(job_for(odd.reply.body)).error.value_or(Error{}), "outcome"), "unknown");
  }
  EXPECT_EQ(sums().spent.credits, 18);
  EXPECT_EQ(sums().unknown, 2u);
  set_budget(R"({"per_day":18})");
  EXPECT_EQ(text_detail(run().error.value_or(Error{}), "budget"), "per-day");
}

// It is sure that such a request has no task.
TEST_F(ClipAccounts, AnAmountBesideARefusalIsNotSpent) {
  for (const unsigned status : {400u, 402u, 422u}) {
    service_.odd_submits = {answer(status, R"({"error":"no","amount":9})")};
    const Outcome refused = run(job_for(std::to_string(status)));
    ASSERT_TRUE(refused.error);
    EXPECT_EQ(text_detail(*refused.error, "outcome"), "refused") << status;
    EXPECT_EQ(text_detail(*refused.error, "charged"), "no") << status;
    EXPECT_EQ(refused.state.amount, -1) << status;
  }
  EXPECT_EQ(sums().spent.credits, 0);
  EXPECT_EQ(sums().reserved.credits, 0);
}

TEST_F(ClipAccounts, AnAmountCountsThoughTheQueryIsAnsweredWithAnError) {
  for (const unsigned status : {404u, 410u, 500u}) {
    GenerationJob short_one = job_for(std::to_string(status));
    short_one.timeout = std::chrono::seconds(120);
    service_.odd_query = answer(status, R"({"error":"oops","amount":9})");
    ASSERT_TRUE(run(short_one).error);
    service_.odd_query.reset();
    EXPECT_EQ(sums().spent.credits, 9) << status;
    EXPECT_EQ(sums().reserved.credits, 0);
    std::filesystem::remove_all(job().store);
  }
}

TEST_F(ClipAccounts, AStoredClipWritesNone) {
  ASSERT_FALSE(run().error);
  const size_t before = lines().size();
  ASSERT_FALSE(run().error);
  EXPECT_EQ(lines().size(), before);
}

TEST_F(ClipAccounts, TheNextClipHasAnEstimate) {
  const Outcome first = run();
  ASSERT_FALSE(first.error) << first.text();
  EXPECT_EQ(first.state.estimate, -1);
  const Outcome second = run(job_for("two"));
  ASSERT_FALSE(second.error) << second.text();
  EXPECT_EQ(second.state.estimate, first.state.amount);
}

TEST_F(ClipAccounts, WhatTheServiceRefusesIsReleased) {
  service_.odd_submits = {answer(400, R"({"error":{"message":"the prompt says secret"}})")};
  ASSERT_TRUE(run().error);
  EXPECT_THAT(lines(), ElementsAre("reserve", "release"));
  EXPECT_EQ(account().charges().at(0).why, "the service refused it with HTTP 400");
}

TEST_F(ClipAccounts, EachTryOfARequestIsReservedAnew) {
  service_.odd_submits = {answer(429, "{}", {{"Retry-After", "1"}})};
  const Outcome done = run();
  ASSERT_FALSE(done.error) << done.text();
  const std::string id = done.state.task_id;
  EXPECT_THAT(lines(), ElementsAre("reserve", "release", "reserve", "submitted " + id, "unfetched " + id,
                                   "settle " + id + " completed", "stored " + id));
}

// A line that could not be written is made of the journal, as it is by now.
TEST_F(ClipAccounts, ARefusalThatTheLedgerWasNotToldOfIsToldByTheNextTry) {
  class Unlocks final : public GenerationObserver {
   public:
    void on_change(const GenerationState &state) override {
      if (state.sent_again_in >= 0) lock.reset();
    }
    void on_warning(const Error &) override {}
    std::optional<FileLock> lock;
  };
  const auto observer = std::make_shared<Unlocks>();
  service_.odd_submits = {answer(429, "{}", {{"Retry-After", "1"}})};
  http_->before_answer([&](const HttpRequest &request) {
    if (request.method == HttpRequest::Method::post && http_->count(HttpRequest::Method::post) == 1)
      observer->lock = taken(FileLock::try_lock(LedgerPath(job().store).lock));
  });
  const auto generation = std::make_shared<Generation>(job(), services());
  generation->join(observer);
  const auto done = ClipWork(*generation).run();
  ASSERT_TRUE(done) << done.error().text;
  EXPECT_GT(clock_.elapsed(), std::chrono::seconds(10)) << "it waits for the ledger";
  EXPECT_THAT(lines(), ElementsAre("reserve", "release", "reserve", "submitted task-1", "unfetched task-1",
                                   "settle task-1 completed", "stored task-1"));
}

// A disk may be slow.
TEST_F(ClipAccounts, ARunThatIsStoppedWhileItsIntentIsWrittenSendsNothing) {
  class Stops final : public GenerationObserver {
   public:
    void on_change(const GenerationState &state) override {
      if (state.status == ClipStatus::submitting) g_cancellable_cancel(generation->cancellable());
    }
    void on_warning(const Error &) override {}
    Generation *generation = nullptr;
  };
  const auto generation = std::make_shared<Generation>(job(), services());
  const auto observer = std::make_shared<Stops>();
  observer->generation = generation.get();
  generation->join(observer);
  const auto done = ClipWork(*generation).run();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(service_.submits(), 0u);
  EXPECT_THAT(lines(), ElementsAre("reserve", "release"));
  EXPECT_EQ(record()->state, ClipState::refused);
  const Outcome next = run();
  EXPECT_FALSE(next.error) << next.text();
  EXPECT_THAT(next.warnings, testing::IsEmpty());
}

TEST_F(ClipAccounts, ARequestThatIsRepeatedWithARenewedKeyIsReservedAnew) {
  GenerationJob renewed = job();
  renewed.endpoint.api_key = {"sk-1", folder_.file("key")};
  std::ofstream(renewed.endpoint.api_key.file) << "sk-2";
  ASSERT_EQ(::chmod(renewed.endpoint.api_key.file.c_str(), 0600), 0);
  service_.odd_submits = {answer(401, "{}")};
  const Outcome done = run(renewed);
  ASSERT_FALSE(done.error) << done.text();
  const std::string id = done.state.task_id;
  EXPECT_THAT(lines(), ElementsAre("reserve", "release", "reserve", "submitted " + id, "unfetched " + id,
                                   "settle " + id + " completed", "stored " + id));
}

TEST_F(ClipAccounts, AnAnswerThatIsLostStaysReserved) {
  ASSERT_FALSE(run(job_for("one")).error);
  service_.loses_submit_answers = true;
  ASSERT_TRUE(run().error);
  EXPECT_EQ(lines().back(), "unknown");
  EXPECT_GT(sums().reserved.credits, 0);
  EXPECT_EQ(sums().unknown, 1u);
}

TEST_F(ClipAccounts, ATaskThatWasOnlyNamedCountsInNoBudget) {
  GenerationJob attaches = job();
  attaches.task_id = "task_of_somebody";
  attaches.request.reset();
  attaches.identity.request = Json::Object{{"task_id", attaches.task_id}};
  const Outcome done = run(attaches);
  ASSERT_FALSE(done.error) << done.text();
  EXPECT_THAT(lines(), ElementsAre("unfetched task_of_somebody", "settle task_of_somebody completed",
                                   "stored task_of_somebody"));
  EXPECT_EQ(sums().spent.credits, 0);
  EXPECT_EQ(account().charges().at(0).state, ChargeState::attached);
}

TEST_F(ClipAccounts, ASpentBudgetRefusesBeforeAnythingIsSent) {
  ASSERT_FALSE(run(job_for("one")).error);
  const double amount = sums().spent.credits;
  set_budget(R"({"total":)" + std::to_string(amount * 1.5) + "}");
  const unsigned submits = service_.submits();
  const Outcome refused = run();
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(service_.submits(), submits);
  EXPECT_EQ(refused.error->kind, ErrorKind::not_authorized);
  EXPECT_THAT(refused.error->text, HasSubstr("genclip budget set --total"));
  EXPECT_EQ(text_detail(*refused.error, "budget"), "total");
  EXPECT_EQ(number_detail(*refused.error, "limit"), amount * 1.5);
  EXPECT_EQ(number_detail(*refused.error, "spent"), amount);
  EXPECT_EQ(number_detail(*refused.error, "reserved"), 0);
  EXPECT_EQ(number_detail(*refused.error, "estimate"), amount);
  EXPECT_FALSE(record()) << "no journal of what was never sent";
  EXPECT_FALSE(run(job_for("one")).error) << "a stored clip needs no budget";
}

TEST_F(ClipAccounts, MaxAmountBindsOneClip) {
  ASSERT_FALSE(run(job_for("one")).error);
  GenerationJob dear = job();
  dear.max_amount = sums().spent.credits / 2;
  const Outcome refused = run(dear);
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(text_detail(*refused.error, "budget"), "max-amount");
  dear.max_amount = sums().spent.credits;
  EXPECT_FALSE(run(dear).error);
}

TEST_F(ClipAccounts, AFurtherTryThatTheBudgetRefusesIsNotSent) {
  ASSERT_FALSE(run(job_for("one")).error);
  service_.odd_submits = {answer(429, "{}", {{"Retry-After", "1"}})};
  const unsigned submits = service_.submits();
  bool is_set = false;
  const FakeService *service = &service_;
  http_->otherwise([this, service, &is_set](const HttpRequest &request) {
    if (request.method == HttpRequest::Method::post && !std::exchange(is_set, true))
      set_budget(R"({"tasks_per_day":1})");
    return (*const_cast<FakeService *>(service))(request);
  });
  const Outcome refused = run();
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(text_detail(*refused.error, "budget"), "tasks-per-day");
  EXPECT_EQ(text_detail(*refused.error, "outcome"), "not-submitted") << "the service's refusal was before";
  EXPECT_THAT(refused.error->details, testing::Contains(ErrorDetail{"retry", true}));
  EXPECT_EQ(service_.submits(), submits);
  EXPECT_EQ(account().sums({}, 1).reserved.credits, 0);
}

TEST_F(ClipAccounts, AClipThatCostsMoreThanExpectedIsToldOf) {
  Ledger books = ledger();
  LedgerEntry cheap(LedgerEvent::settle, charge_facts(job().identity, job().model, ""));
  cheap.imported = true;
  cheap.task_id = "cheap";
  cheap.status = "completed";
  cheap.amount = 0.01;
  cheap.key = "another";
  ASSERT_TRUE(books.append({cheap}, nullptr));
  const Outcome done = run();
  ASSERT_FALSE(done.error) << done.text();
  EXPECT_THAT(done.warnings, ElementsAre(HasSubstr("at most 0.01 were expected")));
}

// ---- Prices that are not known.

TEST_F(ClipAccounts, AnAmountThatIsNotToldIsToldOnceInEachRun) {
  set_budget(R"({"per_day":100,"assumed_price":4})");
  for (const char *amount : {"", R"("12,5")"}) {
    service_.amount = amount;
    service_.missing_urls = 3;  // It is asked about its completed task again and again.
    const Outcome done = run(job_for(std::string("amount ") + amount));
    ASSERT_FALSE(done.error) << done.text();
    ASSERT_EQ(done.warnings.size(), 1u) << amount;
    EXPECT_THAT(done.warnings[0],
                HasSubstr("has not told what the task " + done.state.task_id + " has cost"));
    EXPECT_THAT(done.warnings[0], HasSubstr("4 credits, which is the assumed price"));
    EXPECT_THAT(done.warnings[0], HasSubstr("genclip cost correct " + done.state.task_id));
    EXPECT_EQ(done.warnings[0].find(R"(its amount is "12,5")") != std::string::npos, *amount != 0);
  }
  EXPECT_EQ(account().sums({}, 4).reserved.credits, 8);
}

TEST_F(ClipAccounts, AnAmountThatIsNotToldIsMissedByNobodyWithoutALimit) {
  service_.amount.clear();
  EXPECT_THAT(run().warnings, IsEmpty());
  GenerationJob limited = job_for("limited");
  set_budget(R"({"assumed_price":4})");
  limited.max_amount = 5;
  EXPECT_THAT(run(limited).warnings, ElementsAre(HasSubstr("has not told what the task")));
}

TEST_F(ClipAccounts, AClipThatWasFreeLeavesThePriceUnknown) {
  service_.amount = "0";
  ASSERT_FALSE(run(job_for("free")).error);
  set_budget(R"({"per_clip":5})");
  const Outcome refused = run();
  ASSERT_TRUE(refused.error) << "the next one may cost anything";
  EXPECT_EQ(text_detail(*refused.error, "budget"), "per-clip");
  EXPECT_EQ(number_detail(*refused.error, "estimate"), -1);
}

TEST_F(ClipAccounts, TheFirstClipOfUnknownPriceIsSubmittedUnderALimitOfATimeWithOneWarning) {
  set_budget(R"({"per_day":100})");
  // Each try is reserved anew.
  service_.odd_submits = {answer(429, "{}", {{"Retry-After", "1"}})};
  const Outcome done = run();
  ASSERT_FALSE(done.error) << done.text();
  EXPECT_THAT(done.warnings, ElementsAre(HasSubstr("the price of this clip is unknown. It is submitted")));
  EXPECT_THAT(run(job_for("next")).warnings, IsEmpty()) << "its price is known";
}

// ---- Deaths.

TEST_F(ClipAccounts, ARunThatFindsItsClipsReservationBuriesIt) {
  Ledger books = ledger();
  ASSERT_TRUE(books.reserve(charge_facts(job().identity, job().model, ""), 0, nullptr));
  const Outcome done = run();
  ASSERT_FALSE(done.error) << done.text();
  EXPECT_THAT(lines().at(1), "unknown") << "its journal may have been removed";
  EXPECT_EQ(sums().spent.tasks, 2u);
}

TEST_F(ClipAccounts, EachRefusalReleasesItsReservation) {
  const FakeAnswer later = answer(429, "{}", {{"Retry-After", "1"}});
  service_.odd_submits = {later, later, later};
  const Outcome done = run();
  ASSERT_FALSE(done.error) << done.text();
  EXPECT_EQ(lines().size(), 11u);
  EXPECT_EQ(account().sums({}, 7).reserved.credits, 0);
}

// As the error advises.
TEST_F(ClipAccounts, ATaskThatIsFoundAtTheServiceAfterALostAnswerCounts) {
  service_.loses_submit_answers = true;
  ASSERT_TRUE(run().error);
  service_.loses_submit_answers = false;
  GenerationJob attaches = job();
  attaches.task_id = "task_found";
  const Outcome done = run(attaches);
  ASSERT_FALSE(done.error) << done.text();
  EXPECT_EQ(sums().spent.credits, done.state.amount);
  EXPECT_EQ(sums().unknown, 0u);
}

TEST_F(ClipAccounts, DamagedLinesAreSaid) {
  ASSERT_FALSE(run(job_for("one")).error);
  std::ofstream(LedgerPath(job().store).ledger, std::ios::app) << "garbage\n";
  const Outcome done = run();
  ASSERT_FALSE(done.error) << done.text();
  EXPECT_THAT(done.warnings, ElementsAre(HasSubstr("1 damaged line.")));
}

// Its journal, which alone tells that the reservation became a task, is overwritten by the next run.
TEST_F(ClipAccounts, ATaskOfADeadRunCountsThoughAnotherTaskTakesItsPlace) {
  Ledger books = ledger();
  const auto reserved = books.reserve(charge_facts(job().identity, job().model, ""), 0, nullptr);
  ASSERT_TRUE(reserved);
  ClipRecord journal;
  journal.identity = job().identity;
  journal.model = job().model;
  journal.state = ClipState::submitted;
  journal.task_id = "own";
  journal.reserved_at = utc_text(reserved->at);
  {
    ClipFolder folder(files_, path());
    ASSERT_TRUE(folder.lock_writer([](const std::string &) {}));
    ASSERT_TRUE(folder.write_record(journal));
  }
  GenerationJob attaches = job();
  attaches.task_id = "task_of_somebody";
  const Outcome done = run(attaches);
  ASSERT_FALSE(done.error) << done.text();
  EXPECT_THAT(lines(), ElementsAre("reserve", "submitted own", "unfetched task_of_somebody",
                                   "settle task_of_somebody completed", "stored task_of_somebody"));
  EXPECT_EQ(account().sums({}, 7).reserved.credits, 7);
}

TEST_F(ClipAccounts, ABudgetThatTheDeadHoldIsFreed) {
  ASSERT_FALSE(run(job_for("one")).error);
  Ledger books = ledger();
  const GenerationJob dead = job_for("dead");
  ASSERT_TRUE(books.reserve(charge_facts(dead.identity, dead.model, ""), 0, nullptr));
  // The journal is of an earlier submit, and nobody is at work on it.
  ClipFolder folder(files_, ClipPath(dead.store, dead.identity.digest()));
  ClipRecord earlier;
  earlier.identity = dead.identity;
  earlier.state = ClipState::refused;
  {
    const auto lock = folder.lock_writer([](const std::string &) {});
    ASSERT_TRUE(lock && *lock);
    ASSERT_TRUE(folder.write_record(earlier));
  }
  set_budget(R"({"tasks_per_day":2})");
  const Outcome done = run();
  EXPECT_FALSE(done.error) << done.text();
}

TEST_F(ClipAccounts, WhatARunAtWorkHoldsIsLeftAlone) {
  ASSERT_FALSE(run(job_for("one")).error);
  Ledger books = ledger();
  const GenerationJob alive = job_for("alive");
  ASSERT_TRUE(books.reserve(charge_facts(alive.identity, alive.model, ""), 0, nullptr));
  ClipFolder folder(FileSystem::posix(), ClipPath(alive.store, alive.identity.digest()));
  const auto lock = folder.lock_writer([](const std::string &) {});
  ASSERT_TRUE(lock && *lock);
  set_budget(R"({"tasks_per_day":2})");
  EXPECT_TRUE(run().error);
  const auto reconciled = reconcile(FileSystem::posix(), books, job().store, "", nullptr);
  ASSERT_TRUE(reconciled);
  EXPECT_EQ(*reconciled, 0u);
}

// Without a price and with a limit in credits, clips go one at a time.
TEST_F(ClipAccounts, AClipOfUnknownPriceWaitsForTheOneBeforeIt) {
  Ledger books = ledger();
  const GenerationJob other = job_for("other");
  const ChargeFacts facts = charge_facts(other.identity, other.model, "");
  ASSERT_TRUE(books.reserve(facts, 0, nullptr));
  ClipFolder folder(FileSystem::posix(), ClipPath(other.store, other.identity.digest()));
  auto lock = folder.lock_writer([](const std::string &) {});
  ASSERT_TRUE(lock && *lock);
  set_budget(R"({"total":100})");
  std::thread ends([&] {
    while (clock_.sleeps().size() < 3) std::this_thread::yield();
    release_while_it_sleeps(facts);
  });
  GenerationJob patient = job();
  patient.timeout = {};
  const Outcome done = run(patient);
  ends.join();
  ASSERT_FALSE(done.error) << done.text();
  EXPECT_THAT(done.warnings, ElementsAre(HasSubstr("--assumed-price"))) << "once";
  EXPECT_EQ(lines().at(1), "release") << "nothing was reserved before";
}

// Where only so many tasks may run at once, clips wait for their turn, without a warning.
TEST_F(ClipAccounts, AClipWaitsForASlotAndSubmitsNothingMeanwhile) {
  Ledger books = ledger();
  const GenerationJob other = job_for("other");
  const ChargeFacts facts = charge_facts(other.identity, other.model, "");
  ASSERT_TRUE(books.reserve(facts, 0, nullptr));
  ClipFolder folder(FileSystem::posix(), ClipPath(other.store, other.identity.digest()));
  auto lock = folder.lock_writer([](const std::string &) {});
  ASSERT_TRUE(lock && *lock);
  std::thread ends([&] {
    while (clock_.sleeps().size() < 3) std::this_thread::yield();
    EXPECT_EQ(service_.submits(), 0u);
    release_while_it_sleeps(facts);
  });
  GenerationJob limited = job();
  limited.max_tasks = 1;
  limited.timeout = {};
  const Outcome done = run(limited);
  ends.join();
  ASSERT_FALSE(done.error) << done.text();
  EXPECT_THAT(done.warnings, ElementsAre());
  EXPECT_EQ(lines().at(1), "release") << "nothing was reserved before";
  EXPECT_TRUE(std::ranges::any_of(
      done.states, [](const GenerationState &state) { return state.status == ClipStatus::waiting; }));
  EXPECT_EQ(service_.submits(), 1u);
}

// A run of this process is at work on the clip, and has reserved.
class UnderWay {
 public:
  UnderWay(const GenerationJob &job, Ledger &books)
      : facts_(charge_facts(job.identity, job.model, "")),
        folder_(FileSystem::posix(), ClipPath(job.store, job.identity.digest())) {
    // Whatever the budget says by now.
    if (!books.append({LedgerEntry(LedgerEvent::reserve, facts_)}, nullptr)) give_up("not reserved");
    auto lock = folder_.lock_writer([](const std::string &) {});
    if (!lock || !*lock) give_up("not locked");
    lock_ = std::move(*lock);
  }
  void release(Ledger &books) const {
    if (!books.append({LedgerEntry(LedgerEvent::release, facts_)}, nullptr)) give_up("not released");
  }

 private:
  ChargeFacts facts_;
  ClipFolder folder_;
  std::optional<StoreLock> lock_;
};

// L5
TEST_F(ClipAccounts, AClipWaitsForNoPriceAndNoSlotBeyondItsTimeout) {
  Ledger books = ledger();
  const UnderWay other(job_for("other"), books);
  GenerationJob waits = job();
  waits.timeout = std::chrono::seconds(5);
  const auto fails = [&](const std::string &text) {
    const auto begin = clock_.elapsed();
    const Outcome done = run(waits);
    ASSERT_TRUE(done.error);
    EXPECT_EQ(done.error->kind, ErrorKind::busy);
    EXPECT_THAT(done.text(), testing::StartsWith("Nothing was sent: "));
    EXPECT_THAT(done.text(), HasSubstr(text));
    EXPECT_THAT(done.text(), HasSubstr("for 5 s (property timeout)"));
    EXPECT_THAT(done.error->details, testing::Contains(ErrorDetail{"outcome", std::string("not-submitted")}));
    EXPECT_THAT(done.error->details, testing::Contains(ErrorDetail{"retry", true}));
    EXPECT_EQ(clock_.elapsed() - begin, waits.timeout + std::chrono::seconds(waits.max_tasks > 0 ? 1 : 0));
  };
  set_budget(R"({"total":100})");
  fails("--assumed-price");
  waits.max_tasks = 1;
  set_budget("{}");
  fails("as may run at once");
  EXPECT_EQ(service_.submits(), 0u);
  EXPECT_THAT(lines(), ElementsAre("reserve"));
}

// Its own run has died, and it goes on at the service. Its slot became free when any clip waited for a price.
TEST_F(ClipAccounts, ATaskOfADeadRunKeepsItsSlotWhileAnotherPriceIsWaitedFor) {
  Ledger books = ledger();
  for (const char *prompt : {"priced", "unpriced"}) {
    const GenerationJob dead = job_for(prompt);
    LedgerEntry entry(LedgerEvent::reserve, charge_facts(dead.identity, dead.model, ""));
    if (prompt == std::string("priced")) entry.estimate = Estimate{1, 1, 1, 1, "same"};
    ASSERT_TRUE(books.append({entry}, nullptr));
    entry.event = LedgerEvent::submitted;
    entry.task_id = prompt;
    ASSERT_TRUE(books.append({entry}, nullptr));
    ClipRecord journal;
    journal.identity = dead.identity;
    journal.state = ClipState::submitted;
    journal.task_id = prompt;
    ClipFolder folder(FileSystem::posix(), ClipPath(dead.store, dead.identity.digest()));
    const auto lock = folder.lock_writer([](const std::string &) {});
    ASSERT_TRUE(lock && *lock);
    ASSERT_TRUE(folder.write_record(journal));
  }
  set_budget(R"({"per_day":100})");
  GenerationJob waits = job();
  waits.max_tasks = 1;
  waits.timeout = std::chrono::seconds(5);
  EXPECT_THAT(run(waits).text(), HasSubstr("as may run at once"));
  EXPECT_EQ(lines().back(), "unknown unpriced") << "nobody will tell its price";
  EXPECT_EQ(sums().unknown, 1u);
  EXPECT_EQ(service_.submits(), 0u);
}

// Finding: a wait began anew whenever any clip came or went.
TEST_F(ClipAccounts, AWaitForAClipDoesNotBeginAnewWhenAnotherComes) {
  Ledger books = ledger();
  const UnderWay one(job_for("one"), books);
  GenerationJob waits = job();
  waits.timeout = std::chrono::seconds(50);
  const auto fails = [&](const std::string &other, unsigned sleeps) {
    std::optional<UnderWay> two;
    ActingClock clock(clock_, {{sleeps, [&] { two.emplace(job_for(other), books); }}});
    GenerationServices services = this->services();
    services.clock = &clock;
    const auto begin = clock_.elapsed();
    const auto generation = std::make_shared<Generation>(waits, services);
    const auto done = ClipWork(*generation).run();
    EXPECT_FALSE(done);
    EXPECT_TRUE(two) << "another one comes while it waits";
    EXPECT_EQ(clock_.elapsed() - begin, waits.timeout);
    if (two) two->release(books);
    return done ? std::string() : done.error().text;
  };
  set_budget(R"({"total":100})");
  EXPECT_THAT(fails("two", 60), HasSubstr(job_for("one").identity.digest().substr(0, 8)));
  set_budget("{}");
  waits.max_tasks = 1;
  EXPECT_THAT(fails("three", 12), HasSubstr("as may run at once"));
  EXPECT_EQ(service_.submits(), 0u);
}

// Many may be before it, and each of them may take as long as it may.
TEST_F(ClipAccounts, AClipWaitsAsLongAsTheOnesBeforeItEnd) {
  Ledger books = ledger();
  const UnderWay one(job_for("one"), books);
  std::optional<UnderWay> two;
  set_budget(R"({"total":100})");
  GenerationJob waits = job();
  waits.timeout = std::chrono::seconds(50);  // 100 sleeps.
  ActingClock clock(clock_, {{50, [&] { two.emplace(job_for("two"), books); }},
                             {60, [&] { one.release(books); }},
                             {140, [&] { two->release(books); }}});
  GenerationServices services = this->services();
  services.clock = &clock;
  const auto generation = std::make_shared<Generation>(waits, services);
  const auto done = ClipWork(*generation).run();
  EXPECT_TRUE(done) << done.error().text;
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(ClipAccounts, ATryThatHasWaitedForItsTurnHasTheRestOfItsTimeout) {
  Ledger books = ledger();
  service_.odd_submits = {answer(429, "{}", {{"Retry-After", "1"}})};
  service_.polls = 5;
  std::optional<UnderWay> other;
  http_->before_answer([&](const HttpRequest &request) {
    if (request.method == HttpRequest::Method::post && !other) other.emplace(job_for("other"), books);
  });
  GenerationJob waits = job();
  waits.max_tasks = 1;
  waits.timeout = std::chrono::seconds(60);
  ActingClock clock(clock_, {{29, [&] { other->release(books); }}});  // After 56 seconds.
  GenerationServices services = this->services();
  services.clock = &clock;
  const auto generation = std::make_shared<Generation>(waits, services);
  const auto done = ClipWork(*generation).run();
  EXPECT_TRUE(done) << done.error().text;
  EXPECT_EQ(service_.submits(), 1u);
  EXPECT_GT(clock_.elapsed(), std::chrono::seconds(60));
}

// N4: a file server keeps the locks of a machine that has died until their lease ends.
TEST_F(ClipAccounts, TheLedgerThatAMachineHasDiedWithIsWaitedForAndThatIsTold) {
  ASSERT_TRUE(FileSystem::posix().make_folder(job().store));
  auto dead = taken(FileLock::try_lock(LedgerPath(job().store).lock));
  ASSERT_TRUE(dead);
  // About a hundred seconds.
  ActingClock clock(clock_, {{2000, [&] { dead.reset(); }}});
  GenerationServices services = this->services();
  services.clock = &clock;
  const auto generation = std::make_shared<Generation>(job(), services);
  const auto kept = std::make_shared<KeptWarnings>();
  generation->join(kept);
  const auto done = ClipWork(*generation).run();
  ASSERT_TRUE(done) << done.error().text;
  EXPECT_GT(clock_.elapsed(), std::chrono::seconds(60));
  EXPECT_THAT(kept->warnings,
              ElementsAre(HasSubstr("ledger.lock, for up to 150 s: another process has locked it.")));
  EXPECT_EQ(service_.submits(), 1u);
}

// It is paid, and its URL expires. Whoever looks next writes what the journal tells.
TEST_F(ClipAccounts, APaidClipDoesNotWaitForTheLedger) {
  std::optional<FileLock> dead;
  http_->before_answer([&](const HttpRequest &request) {
    if (request.method == HttpRequest::Method::post && !dead)
      dead = taken(FileLock::try_lock(LedgerPath(job().store).lock));
  });
  const Outcome done = run();
  ASSERT_FALSE(done.error) << done.text();
  ASSERT_TRUE(dead);
  EXPECT_LT(clock_.elapsed(), std::chrono::seconds(60));
  EXPECT_THAT(lines(), ElementsAre("reserve"));
  dead.reset();
  Ledger books = ledger();
  ASSERT_TRUE(reconcile(FileSystem::posix(), books, job().store, "", nullptr));
  EXPECT_EQ(sums().spent.credits, done.state.amount);
}

// L5: no run can be at work on it.
TEST_F(ClipAccounts, AReservationOfADamagedKeyBlocksNoClip) {
  Ledger books = ledger();
  ChargeFacts damaged = charge_facts(job_for("other").identity, "dance-2.5", "");
  for (const char *key : {"no digest", "../x"}) {
    damaged.key = key;
    ASSERT_TRUE(books.reserve(damaged, 0, nullptr));
  }
  set_budget(R"({"total":100})");
  const Outcome done = run();
  ASSERT_FALSE(done.error) << done.text();
  EXPECT_EQ(account().sums({}, 0).unknown, 2u);
}

// ---- A store without a ledger.

// With a reading and a sync for each, a thousand took half a minute, whatever the timeout.
TEST_F(ClipAccounts, ManyReservationsOfTheDeadAreBuriedInOneStep) {
  std::vector<LedgerEntry> dead;
  for (int i = 0; i < 300; ++i) {
    LedgerEntry &entry = dead.emplace_back();
    entry.event = LedgerEvent::reserve;
    entry.key = std::to_string(i);
    if (i % 2 == 0) entry.key.insert(0, 64 - entry.key.size(), '0');
  }
  Ledger books(files_, clock_, job().store);
  ASSERT_TRUE(books.append(dead, nullptr));
  const size_t operations = files_.operations();
  const uint64_t bytes = std::filesystem::file_size(LedgerPath(job().store).ledger);
  const uint64_t read = files_.bytes_read();
  EXPECT_EQ(taken(reconcile(files_, books, job().store, "", nullptr)), 300u);
  EXPECT_EQ(sums().unknown, 300u);
  EXPECT_LT(files_.bytes_read() - read, 4 * bytes);
  EXPECT_LT(files_.operations() - operations, 300u);
}

// Each lock takes a file descriptor.
TEST_F(ClipAccounts, ManyClipsOfTheDeadAreBuriedAFewAtATime) {
  std::vector<LedgerEntry> dead;
  for (int i = 0; i < 230; ++i) {
    LedgerEntry &entry = dead.emplace_back();
    entry.event = LedgerEvent::reserve;
    entry.key = std::to_string(1000 + i);
    entry.key.insert(0, 60, 'a');
    std::filesystem::create_directories(ClipPath(job().store, entry.key).folder());
  }
  Ledger books(files_, clock_, job().store);
  ASSERT_TRUE(books.append(dead, nullptr));
  const uint64_t bytes = std::filesystem::file_size(LedgerPath(job().store).ledger);
  const uint64_t read = files_.bytes_read();
  EXPECT_EQ(taken(reconcile(FileSystem::posix(), books, job().store, "", nullptr)), 230u);
  EXPECT_LT(files_.bytes_read() - read, 20 * bytes);
  EXPECT_EQ(account().charges().front().is_under_way(), false);
}

TEST_F(ClipAccounts, ManyClipsOfTheDeadAreBuriedWithFewFileDescriptors) {
  std::vector<LedgerEntry> dead;
  for (int i = 0; i < 120; ++i) {
    LedgerEntry &entry = dead.emplace_back();
    entry.event = LedgerEvent::reserve;
    entry.key = std::to_string(1000 + i);
    entry.key.insert(0, 60, 'a');
    std::filesystem::create_directories(ClipPath(job().store, entry.key).folder());
  }
  Ledger books(files_, clock_, job().store);
  ASSERT_TRUE(books.append(dead, nullptr));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{90, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const auto written = reconcile(FileSystem::posix(), books, job().store, "", nullptr);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_TRUE(written) << written.error().text;
  EXPECT_EQ(*written, 120u);
}

TEST_F(ClipAccounts, AStoreWithoutALedgerGetsOneFromItsJournals) {
  ASSERT_FALSE(run(job_for("one")).error);
  const double amount = sums().spent.credits;
  ASSERT_GT(amount, 0);
  const LedgerPath path(job().store);
  ASSERT_EQ(std::remove(path.ledger.c_str()), 0);
  ASSERT_FALSE(run().error);
  const Account books = account();
  EXPECT_EQ(books.sums({}, 0).spent.credits, 2 * amount);
  ASSERT_EQ(books.charges().size(), 2u);
  EXPECT_TRUE(books.charges()[0].imported);
  EXPECT_FALSE(books.charges()[1].imported);
  EXPECT_EQ(books.charges()[0].duration, books.charges()[1].duration);
}

TEST_F(ClipAccounts, AStoreWhoseLedgerBeganWithCaptionsKnowsWhatItsClipsHaveCost) {
  leave_unfetched(job());
  LedgerEntry captions;
  captions.event = LedgerEvent::captions;
  captions.key = "run";
  captions.captions.requests = 5;
  const std::string line = ledger_line(captions);
  std::ofstream(LedgerPath(job().store).ledger) << line << "\n" << line.substr(0, line.size() / 2);
  ASSERT_FALSE(run(job_for("other")).error);
  EXPECT_EQ(sums().spent.credits, 5);
  std::filesystem::remove_all(path().folder());
  const Outcome fetched = run();
  ASSERT_FALSE(fetched.error) << fetched.text();
  EXPECT_EQ(fetched.state.task_id, "task-1");
  EXPECT_EQ(service_.submits(), 2u);
  EXPECT_EQ(sums().spent.credits, 5);
  EXPECT_EQ(sums().spent.requests, 5);
}

// A run of 0.2.0 that was killed after each of its journals, and before the ledger was told.
TEST_F(ClipAccounts, WhatAKilledRunOfAnEarlierVersionHasNotToldIsToldOnce) {
  leave_unfetched(job_for("paid"));
  ASSERT_FALSE(run(job_for("stored")).error);
  GenerationJob running = job_for("running");
  running.timeout = std::chrono::seconds(20);
  service_.polls = 1000;
  ASSERT_TRUE(run(running).error);
  service_.polls = 1;
  for (const char *prompt : {"paid", "stored", "running"}) {
    ClipFolder folder(FileSystem::posix(), ClipPath(job().store, job_for(prompt).identity.digest()));
    const auto lock = folder.lock_writer([](const std::string &) {});
    ASSERT_TRUE(lock && *lock);
    ClipRecord record = taken(folder.look());
    record.completed_tasks.clear();
    ASSERT_TRUE(folder.write_record(record));
  }
  std::string reserved;
  std::ifstream before(LedgerPath(job().store).ledger);
  for (std::string line; std::getline(before, line);)
    if (read_ledger_line(line)->event == LedgerEvent::reserve) reserved += line + "\n";
  std::ofstream(LedgerPath(job().store).ledger) << reserved;
  Ledger books = ledger();
  EXPECT_EQ(taken(reconcile(FileSystem::posix(), books, job().store, "", nullptr)), 3u);
  EXPECT_EQ(taken(reconcile(FileSystem::posix(), books, job().store, "", nullptr)), 0u);
  EXPECT_EQ(sums().spent.credits, 5) << "of the running one nothing is known";
  for (const char *prompt : {"paid", "running"}) {
    std::filesystem::remove_all(ClipPath(job().store, job_for(prompt).identity.digest()).folder());
    EXPECT_FALSE(run(job_for(prompt)).error);
  }
  EXPECT_EQ(service_.submits(), 3u);
  EXPECT_EQ(sums().spent.credits, 7.5);
  EXPECT_EQ(sums().spent.tasks, 3);
}

TEST_F(ClipAccounts, ALedgerThatCannotBeWrittenSendsNothing) {
  const LedgerPath path(job().store);
  ASSERT_EQ(g_mkdir_with_parents(path.ledger.c_str(), 0700), 0);
  const Outcome refused = run();
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(service_.submits(), 0u);
}

// ---- What prices hang on.

TEST(ChargeFacts, AreTakenFromTheBody) {
  ClipIdentity identity;
  identity.base_url = "https://api.example";
  identity.api = "tasks";
  identity.take = 3;
  identity.request = Json::Object{{"model", "m"},
                                  {"prompt", "secret"},
                                  {"duration", 8},
                                  {"resolution", "720p"},
                                  {"size", "1x1"},
                                  {"generate_audio", false},
                                  {"first_image", Json::Array{"https://media.example/?sig=1"}},
                                  {"reference_videos", Json::Array{"a", "b"}},
                                  {"reference_audios", Json::Array{}}};
  const genclip::ChargeFacts facts = charge_facts(identity, "m", "p");
  EXPECT_EQ(facts.key, identity.digest());
  EXPECT_EQ(facts.take, 3u);
  EXPECT_EQ(facts.project, "p");
  EXPECT_EQ(facts.duration, 8.0);
  EXPECT_EQ(facts.resolution, "720p");
  EXPECT_EQ(facts.size, "1x1");
  EXPECT_EQ(facts.audio, false);
  EXPECT_THAT(facts.references, ElementsAre(std::pair<const std::string, unsigned>("first_image", 1u),
                                            std::pair<const std::string, unsigned>("reference_videos", 2u)));
  EXPECT_THAT(ledger_line(LedgerEntry(LedgerEvent::reserve, facts)),
              testing::AllOf(testing::Not(HasSubstr("secret")), testing::Not(HasSubstr("sig"))));
}

// Other readers of the ledger need not have the file.
TEST(ChargeFacts, SayADefaultThatOnlyAFileOfModelsHas) {
  const auto catalog = Catalog::with_files({{"mine.json", R"({"models": [
    {"id": "storm-1", "fields": {"prompt": {}, "duration": {"min": 1, "max": 9, "default": 7}}},
    {"id": "dance-2.5", "like": "dance-2.5", "fields": {"resolution": {"default": "720p"}}}]})"}});
  ASSERT_TRUE(catalog->mistakes().empty()) << catalog->mistakes()[0].to_text();
  const auto facts_of = [&](const Catalog &known, const char *model) {
    ClipRequest request{.model = model};
    request.fields.set("prompt", "p");
    const auto checked = check_request(known, request);
    if (!checked) give_up(problems_text(checked.error()));
    return charge_facts(ClipIdentity{"https://api.example", "tasks", checked->body(), 0}, *checked, "");
  };
  EXPECT_EQ(facts_of(*catalog, "storm-1").duration, 7.0);
  EXPECT_EQ(facts_of(*catalog, "dance-2.5").resolution, "720p");
  EXPECT_EQ(facts_of(*Catalog::built_in(), "dance-2.5").resolution, "") << "as earlier lines";
  EXPECT_FALSE(facts_of(*catalog, "dance-2.5").audio);
}

TEST(ChargeFacts, LeaveOutWhatIsOfAnotherType) {
  ClipIdentity identity;
  identity.request = Json::Object{
      {"duration", "long"}, {"resolution", 7}, {"generate_audio", "yes"}, {"first_image", "not a list"}};
  const genclip::ChargeFacts facts = charge_facts(identity, "m", "");
  EXPECT_FALSE(facts.duration);
  EXPECT_EQ(facts.resolution, "");
  EXPECT_FALSE(facts.audio);
  EXPECT_THAT(facts.references, IsEmpty());
}

}  // namespace
}  // namespace genclip::test
