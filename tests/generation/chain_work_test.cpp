// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Chains of pictures over a fake service: what is paid, what is held meanwhile, and what ends a run before
// anything is paid. core/chain_run.h decides; chain_exploration_test.cpp asks that of every sequence.
#include "plugin/generation/chain_work.h"

#include <filesystem>
#include <fstream>
#include <limits>

#include "plugin/account/ledger.h"
#include "plugin/catalog/clip_uri.h"
#include "plugin/store/clip_removal.h"
#include "tests/generation/work_fixture.h"
#include "tests/support/give_up.h"

namespace genclip::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string picture(const std::string &prompt, const std::vector<std::string> &references = {}) {
  ClipRequest request;
  request.model = "dream-5.0";
  request.fields.set("prompt", prompt);
  if (!references.empty()) {
    Json::Array items(references.begin(), references.end());
    request.fields.set("reference_images", std::move(items));
  }
  return clip_uri(*Catalog::built_in(), request);
}

class ChainWorkTest : public WorkTest {
 protected:
  ChainWorkTest() {
    service_.set_clip(sample_png(3000));
    std::filesystem::create_directory(published());
    http_->before_answer([this](const HttpRequest &request) {
      if (request.method == HttpRequest::Method::post && on_submit) on_submit(service_.submits() + 1);
      if (request.method != HttpRequest::Method::post && on_query) on_query();
    });
  }

  std::string published() const { return folder_.path() + "/published"; }

  GenerationJob job_of(const std::string &uri, const std::string &base_url = "https://api.example") {
    const auto request = parse_clip_uri(*Catalog::built_in(), uri);
    auto checked = check_request(*Catalog::built_in(), *request, {.publishes = true});
    if (!checked) give_up(problems_text(checked.error()));
    GenerationJob chain = job();
    chain.endpoint.base_url = chain.identity.base_url = base_url;
    chain.request = std::move(*checked);
    chain.model = chain.request->model();
    chain.identity.request = chain.request->body();
    chain.publish.folder = published();
    chain.publish.url = "https://public.example/copies";
    chain.publish.check = PublishCheck::none;
    chain.publish.roots = {folder_.path()};
    const auto identified = identify_request(chain, services(), false, nullptr);
    chain.identified = std::make_shared<const IdentifiedRequest>(identified.value());
    return chain;
  }
  // With a limit of the store's size that removes every clip that nobody holds.
  Outcome run_small(const std::string &uri) {
    GenerationJob chain = job_of(uri);
    chain.store_max_size = 1;
    return run(chain);
  }
  using World::run;
  Outcome run(const std::string &uri) { return World::run(job_of(uri)); }

  // What a neighbour with a limit of the store's size does.
  void prune() { static_cast<void>(prune_store(FileSystem::posix(), job().store, 1, "")); }
  bool is_stored(const std::string &uri) {
    const GenerationJob chain = job_of(uri);
    return link_of(record_of(chain, *chain.identified, services())).state == LinkState::stored;
  }
  ClipPath path_of(const std::string &uri) {
    return ClipPath(job().store, job_of(uri).identified->identity.digest());
  }
  // Waits until its generation has let the clip go.
  void forget(const std::string &uri) {
    for (;;) {
      const auto use = StoreLock::try_lock(path_of(uri).use());
      if (!use || *use) return;
      std::this_thread::yield();
    }
  }

  void limit(const Json::Object &budget) {
    std::filesystem::create_directories(job().store);
    std::ofstream(job().store + "/budget.json") << Json(budget).to_text();
  }
  void reserve(const std::string &key, double price) {
    LedgerEntry entry;
    entry.event = LedgerEvent::reserve;
    entry.key = key;
    entry.base_url = "https://api.example";
    entry.estimate = Estimate{price, price, price, 3, "same"};
    ASSERT_TRUE(Ledger(FileSystem::posix(), clock_, job().store).append({entry}, nullptr));
  }

  void release(const std::string &key) {
    LedgerEntry entry;
    entry.event = LedgerEvent::release;
    entry.key = key;
    entry.base_url = "https://api.example";
    ASSERT_TRUE(Ledger(FileSystem::posix(), clock_, job().store).append({entry}, nullptr));
  }

  // What a neighbour does that learns of it from the service.
  void fail(const std::string &uri) {
    ClipFolder folder(FileSystem::posix(), path_of(uri));
    const auto lock = folder.lock_writer([](const std::string &) {});
    auto record = folder.look();
    ASSERT_TRUE(record);
    record->state = ClipState::failed;
    ASSERT_TRUE(folder.write_record(*record));
  }

  // The request that was submitted last.
  FakeHttpClient::Request last_submit() const {
    std::optional<FakeHttpClient::Request> last;
    for (const auto &sent : http_->requests())
      if (sent.request.method == HttpRequest::Method::post) last = sent;
    if (!last) give_up("nothing was submitted");
    return *last;
  }

  std::function<void(unsigned number)> on_submit;
  std::function<void()> on_query;
  const std::string x_ = picture("x"), y_ = picture("y");
};

TEST_F(ChainWorkTest, ACheckOfReferencesIsToldWhileItIsMade) {
  for (const bool checks : {false, true}) {
    GenerationJob job = job_of(picture(checks ? "checked" : "unchecked", {"https://m.example/a.png"}));
    job.media_check.depth = checks ? MediaCheck::headers : MediaCheck::none;
    const std::vector<GenerationState> states = run(job).states;
    const auto told = std::ranges::find(states, ClipStatus::preparing, &GenerationState::status);
    EXPECT_EQ(told != states.end(), checks);
  }
}

// ---- A link stays until the request that needs it was submitted.

TEST_F(ChainWorkTest, ALimitOfTheStoreRemovesNoLinkThatIsStillNeeded) {
  const Outcome made = run_small(picture("of both", {x_, y_, x_}));
  ASSERT_FALSE(made.error) << made.text();
  EXPECT_EQ(service_.submits(), 3u);
  // On a busy machine, the run may end before the threads that made the links.
  forget(x_);
  forget(y_);
  ASSERT_FALSE(run_small(picture("another")).error);
  EXPECT_FALSE(is_stored(x_)) << "the limit holds in the end";
  EXPECT_FALSE(is_stored(y_));
}

TEST_F(ChainWorkTest, ALimitRemovesNoLinkThatTwoBranchesNeed) {
  const Outcome made = run_small(picture("of two branches", {picture("a", {x_}), picture("b", {x_})}));
  ASSERT_FALSE(made.error) << made.text();
  EXPECT_EQ(service_.submits(), 4u);
}

TEST_F(ChainWorkTest, ANeighbourRemovesNoLinkBeforeTheRequestIsSubmitted) {
  ASSERT_FALSE(run(x_).error);
  forget(x_);
  unsigned pruned = 0;
  on_submit = [&](unsigned) { prune(), ++pruned; };
  on_query = [&] { prune(), ++pruned; };
  const Outcome made = run(picture("of both", {y_, x_}));
  ASSERT_FALSE(made.error) << made.text();
  EXPECT_EQ(service_.submits(), 3u) << "the stored one is held from the beginning";
  EXPECT_GT(pruned, 4u);
  EXPECT_FALSE(is_stored(x_)) << "once the request was submitted, it may go";
}

// Each takes a file descriptor. Where they run out, the ID of a paid task is lost.
TEST_F(ChainWorkTest, NoMoreThanAnyNumberOfClipsIsHeldForLaterRuns) {
  HeldLinks held(1);
  for (const std::string &uri : {x_, y_}) {
    ASSERT_FALSE(run(uri).error);
    forget(uri);
    ClipFolder folder(FileSystem::posix(), path_of(uri));
    EXPECT_TRUE(held.hold(folder)) << "it is not being removed";
  }
  prune();
  EXPECT_TRUE(is_stored(x_));
  ASSERT_FALSE(is_stored(y_));
  ASSERT_FALSE(run(y_).error);
  forget(y_);
  held.let_go(path_of(x_).digest());
  ClipFolder folder(FileSystem::posix(), path_of(y_));
  EXPECT_TRUE(held.hold(folder));
  prune();
  EXPECT_FALSE(is_stored(x_));
  EXPECT_TRUE(is_stored(y_)) << "there is room again";
}

TEST_F(ChainWorkTest, AChainKeepsItsOwnLinksHoweverManyAreHeldForLaterRuns) {
  on_submit = [&](unsigned) { prune(); };
  on_query = [&] { prune(); };
  for (const size_t most : {0u, 2u}) {
    const auto later = std::make_shared<HeldLinks>(most);
    GenerationJob chain = job_of(picture("of both " + std::to_string(most), {x_, y_}));
    chain.held_for_later = later;
    const unsigned before = service_.submits();
    const Outcome made = World::run(chain);
    ASSERT_FALSE(made.error) << made.text();
    EXPECT_EQ(service_.submits(), before + 3);
    if (most == 0) forget(x_), forget(y_);
    prune();
    EXPECT_EQ(is_stored(x_), most > 0);
    EXPECT_EQ(is_stored(y_), most > 0);
  }
}

TEST_F(ChainWorkTest, ALinkThatAPersonRemovesMeanwhileIsNotPaidAgain) {
  on_submit = [&](unsigned number) {
    if (number == 2) std::filesystem::remove_all(path_of(x_).folder());
  };
  const Outcome made = run(picture("of both", {x_, y_}));
  ASSERT_FALSE(made.error) << made.text();
  EXPECT_EQ(service_.submits(), 3u);
}

// Both tasks were under way when the run looked, so that what is before them was not needed; a neighbour
// learns that they have failed, and what is before them is needed twice.
TEST_F(ChainWorkTest, WhatTheRunOfALinkHadToMakeStaysForTheNextLink) {
  const std::string a = picture("a", {x_}), b = picture("b", {x_});
  ASSERT_FALSE(run(x_).error);
  service_.polls = 1000;
  for (const std::string &link : {a, b}) {
    GenerationJob once = job_of(link);
    once.timeout = std::chrono::seconds(1);
    ASSERT_EQ(run(once).error->kind, ErrorKind::timed_out);
  }
  service_.polls = 2;
  forget(x_);
  prune();
  ASSERT_FALSE(is_stored(x_));
  ASSERT_EQ(service_.submits(), 3u);
  const std::string own = folder_.path() + "/own.png";
  std::ofstream(own, std::ios::binary) << service_.clip();
  GenerationJob chain = job_of(picture("of two branches", {a, b, own}));
  chain.publish.check = PublishCheck::headers;
  chain.store_max_size = 1;
  bool has_failed = false;
  on_query = [&] {  // The first is that of the own picture's copy.
    if (std::exchange(has_failed, true)) return;
    fail(a), fail(b);
  };
  const Outcome made = run(chain);
  EXPECT_EQ(service_.submits(), 3u + 4u) << made.text();
}

// A store of a version before the ledger knows them from its journals, as it does for a clip alone.
TEST_F(ChainWorkTest, MaxAmountKnowsThePricesOfAStoreThatHasNoLedgerYet) {
  const Outcome before = run(picture("before", {x_}));
  ASSERT_FALSE(before.error) << before.text();
  std::filesystem::remove(LedgerPath(job().store).ledger);
  GenerationJob chain = job_of(picture("of one", {y_}));
  chain.max_amount = 6;
  const Outcome made = run(chain);
  EXPECT_FALSE(made.error) << made.text();
  EXPECT_EQ(service_.submits(), 4u);
}

// A run of a chain waits for as many timeouts as the chain has links.
TEST_F(ChainWorkTest, WaitsForAnotherRunHoweverLongItsTimeoutIs) {
  for (const std::string &link : {x_, y_}) ASSERT_FALSE(run(link).error);
  const std::string uri = picture("of both", {x_, y_});
  GenerationJob chain = job_of(uri);
  chain.timeout = std::chrono::seconds(std::numeric_limits<unsigned>::max());
  ClipFolder folder(FileSystem::posix(), path_of(uri));
  auto lock = folder.lock_writer([](const std::string &) {});
  ASSERT_TRUE(lock && *lock);
  ActingClock clock(clock_, {{3, [&] { lock->reset(); }}});
  GenerationServices services = this->services();
  services.clock = &clock;
  const auto generation = std::make_shared<Generation>(chain, services);
  const auto done = ClipWork(*generation).run();
  EXPECT_TRUE(done) << done.error().text;
  EXPECT_EQ(service_.submits(), 3u);
}

TEST_F(ChainWorkTest, ABudgetThatCannotBeReadRefusesAsItDoesForAClipAlone) {
  limit({});
  std::ofstream(job().store + "/budget.json") << "{";
  const Outcome chain = run(picture("of one", {y_})), alone = run(x_);
  ASSERT_TRUE(chain.error && alone.error);
  EXPECT_EQ(chain.error->kind, ErrorKind::not_authorized);
  EXPECT_EQ(chain.text(), alone.text());
  EXPECT_EQ(chain.error->details, alone.error->details);
  EXPECT_THAT(chain.text(), testing::StartsWith("Nothing was sent: "));
  EXPECT_THAT(chain.error->details, testing::Contains(ErrorDetail{"budget", std::string("budget.json")}));
  EXPECT_THAT(chain.error->details, testing::Contains(ErrorDetail{"retry", false}));
  EXPECT_EQ(service_.submits(), 0u);
}

// Its task was under way when the run looked, and cost nothing more.
TEST_F(ChainWorkTest, MaxAmountIsForWhatTheRunOfALinkHasToMakeToo) {
  const std::string a = picture("a", {y_});
  ASSERT_FALSE(run(y_).error);
  service_.polls = 1000;
  GenerationJob once = job_of(a);
  once.timeout = std::chrono::seconds(1);
  ASSERT_EQ(run(once).error->kind, ErrorKind::timed_out);
  service_.polls = 2;
  forget(y_);
  prune();
  ASSERT_EQ(service_.submits(), 2u);
  GenerationJob chain = job_of(picture("of both", {x_, a}));
  chain.publish = {};
  chain.max_amount = 5;
  on_query = [&] {  // When its first link is there, it asks whether the service can fetch it.
    if (service_.submits() == 3 && is_stored(x_)) fail(a);
  };
  const Outcome refused = run(chain);
  EXPECT_EQ(service_.submits(), 3u) << refused.text();
  EXPECT_EQ(refused.state.links_amount, 2.5);
  EXPECT_THAT(refused.text(), HasSubstr("which comes before the one that was asked for"));
}

// What its folder of an older version was chosen for is gone when its run begins.
TEST_F(ChainWorkTest, ALinkMayBeMadeInAnotherFolderThanWasPlanned) {
  GenerationJob chain = job_of(picture("of it", {x_}));
  IdentifiedRequest identified = *chain.identified;
  IdentifiedRequest link = *identified.clips.at(0);
  link.older = link.meaning;
  link.older->base_url += "/./";
  link.identity = *link.older;
  link.has_older_folder = true;
  identified.clips[0] = std::make_shared<const IdentifiedRequest>(link);
  chain.identified = std::make_shared<const IdentifiedRequest>(identified);
  const Outcome made = run(chain);
  ASSERT_FALSE(made.error) << made.text();
  EXPECT_EQ(service_.submits(), 2u);
}

// ---- What may be had from an earlier task is not paid, nor what stands before it.

TEST_F(ChainWorkTest, ADamagedLinkIsFetchedFromItsTaskAndNothingBeforeItIsPaid) {
  const std::string b = picture("b", {x_});
  ASSERT_FALSE(run(b).error);
  forget(b);
  std::filesystem::remove_all(path_of(x_).folder());
  std::filesystem::resize_file(path_of(b).file("clip.png"), 100);
  GenerationJob chain = job_of(picture("of it", {b}));
  chain.max_amount = 2.5;
  const Outcome made = run(chain);
  ASSERT_FALSE(made.error) << made.text();
  EXPECT_EQ(service_.submits(), 3u);
}

TEST_F(ChainWorkTest, ALinkWhoseTaskWasLostIsAskedForBeforeAnythingBeforeItIsPaid) {
  const std::string b = picture("b", {x_});
  ASSERT_FALSE(run(x_).error);
  service_.knows_no_task = true;
  ASSERT_TRUE(run(b).error);
  while (record_of(job_of(b), *job_of(b).identified, services())->state != ClipState::lost) run(b);
  const unsigned submits = service_.submits();
  service_.knows_no_task = false;
  std::filesystem::remove_all(path_of(x_).folder());
  const Outcome made = run(picture("of it", {b}));
  ASSERT_FALSE(made.error) << made.text();
  EXPECT_EQ(service_.submits(), submits + 1);
}

// ---- What is known beforehand is told before anything is paid.

TEST_F(ChainWorkTest, AnEarlierSubmitInDoubtOfAnyLinkEndsARunThatMustNotRepeatIt) {
  service_.loses_submit_answers = true;
  ASSERT_TRUE(run(y_).error);
  service_.loses_submit_answers = false;
  GenerationJob chain = job_of(picture("of both", {x_, y_}));
  chain.may_submit = MaySubmit::unless_in_doubt;
  const Outcome ended = run(chain);
  EXPECT_EQ(service_.submits(), 1u);
  EXPECT_THAT(ended.text(), HasSubstr("reference_images[1]: "));
}

// The other run may have to make the clips before it, too.
TEST_F(ChainWorkTest, ARunThatHasWaitedForAnotherOneSaysHowLong) {
  const std::string of_it = picture("of it", {x_});
  GenerationJob hasty = job_of(of_it);
  hasty.timeout = std::chrono::seconds(3);
  ClipFolder folder(FileSystem::posix(), path_of(of_it));
  const auto lock = folder.lock_writer([](const std::string &) {});
  ASSERT_TRUE(lock && *lock);
  EXPECT_THAT(World::run(hasty).text(), HasSubstr("for 6 s (property timeout, for each clip of the chain)"));
}

// To ask for it costs nothing.
TEST_F(ChainWorkTest, ALinkThatMayBeInDoubtIsAskedForBeforeAnotherOneIsPaid) {
  service_.knows_no_task = true;
  ASSERT_TRUE(run(y_).error);
  GenerationJob chain = job_of(picture("of both", {x_, y_}));
  chain.may_submit = MaySubmit::unless_in_doubt;
  EXPECT_THAT(World::run(chain).text(), HasSubstr("(dream-5.0, \"y\")"));
  EXPECT_EQ(service_.submits(), 1u);
}

// Its folder was removed, and the ledger alone knows of it.
TEST_F(ChainWorkTest, ALinkInDoubtWithoutAJournalIsOneBeforeAnotherOneIsPaid) {
  service_.loses_submit_answers = true;
  ASSERT_TRUE(run(y_).error);
  service_.loses_submit_answers = false;
  std::filesystem::remove_all(path_of(y_).folder());
  GenerationJob chain = job_of(picture("of both", {x_, y_}));
  chain.may_submit = MaySubmit::unless_in_doubt;
  EXPECT_THAT(World::run(chain).text(), HasSubstr("reference_images[1]: "));
  EXPECT_EQ(service_.submits(), 1u);
}

// A neighbour that has reserved it is about to send it, and is followed.
TEST_F(ChainWorkTest, ALinkThatANeighbourHasReservedIsNotInDoubt) {
  reserve(path_of(y_).digest(), 2.5);
  GenerationJob chain = job_of(picture("of both", {x_, y_}));
  chain.may_submit = MaySubmit::unless_in_doubt;
  std::optional<unsigned> submits_of_x;
  on_submit = [&](unsigned number) {
    if (!submits_of_x) submits_of_x = number;
  };
  static_cast<void>(World::run(chain));
  EXPECT_TRUE(submits_of_x);
}

// A service at a private address gives no URL that others can fetch, so its clips have to be published.
TEST_F(ChainWorkTest, PublishingIsTriedBeforeALinkIsPaid) {
  std::filesystem::remove_all(published());
  const Outcome ended = World::run(job_of(picture("of it", {x_}), "http://localhost:1"));
  // These words are taken back where a run of it has paid: see with_paid().
  EXPECT_THAT(ended.text(), testing::StartsWith("Nothing was sent: "));
  EXPECT_EQ(service_.submits(), 0u);
}

TEST_F(ChainWorkTest, PublishingIsTriedBeforeALinkIsPaidThatAnotherNeedsBesideAFile) {
  const std::string own = folder_.path() + "/own.png";
  std::ofstream(own, std::ios::binary) << service_.clip();
  const std::string b = picture("b", {x_, own});
  std::filesystem::remove_all(published());
  EXPECT_THAT(run(picture("of it", {b})).text(), HasSubstr("publishing does not work"));
  EXPECT_EQ(service_.submits(), 0u);
}

TEST_F(ChainWorkTest, PublishingIsTriedBeforeALinkIsPaidForAStoredOneThatTheServiceHasForgotten) {
  ASSERT_FALSE(run(x_).error);
  std::filesystem::remove_all(published());
  service_.knows_no_task = true;
  EXPECT_THAT(run(picture("of both", {x_, y_})).text(), HasSubstr("publishing does not work"));
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(ChainWorkTest, PublishingIsNotTriedWhereTheServiceFetchesAllFromItself) {
  std::filesystem::remove_all(published());
  const Outcome made = run(picture("of it", {x_}));
  EXPECT_FALSE(made.error) << made.text();
}

TEST_F(ChainWorkTest, AStoredLinkThatTheServiceHasForgottenIsToldBeforeAnotherIsPaid) {
  ASSERT_FALSE(run(x_).error);
  GenerationJob chain = job_of(picture("of both", {x_, y_}));
  chain.publish = {};
  service_.knows_no_task = true;
  const Outcome ended = run(chain);
  EXPECT_THAT(ended.text(), HasSubstr("publish-folder"));
  EXPECT_EQ(service_.submits(), 1u);
}

// Its clip is paid, and nobody else can make it public.
TEST_F(ChainWorkTest, AUrlOfTheServiceIsWaitedForWhereNothingElseIsPublic) {
  ASSERT_FALSE(run(x_).error);
  GenerationJob chain = job_of(picture("of it", {x_}));
  chain.publish = {};
  service_.odd_query = answer(500, "");
  const auto begin = clock_.now();
  on_query = [&] {
    if (clock_.now() - begin > std::chrono::minutes(3)) service_.odd_query.reset();
  };
  const Outcome made = World::run(chain);
  ASSERT_FALSE(made.error) << made.text();
  EXPECT_THAT(last_submit().request.body.text(), HasSubstr("\"https://media.example/task-1"));
  EXPECT_THAT(made.warnings, testing::Contains(HasSubstr("genclip asks again")));
}

TEST_F(ChainWorkTest, WhyThereIsNoUrlOfTheServiceIsToldInItsOwnWords) {
  ASSERT_FALSE(run(x_).error);
  GenerationJob chain = job_of(picture("of it", {x_}));
  chain.publish = {};
  for (const unsigned status : {500u, 401u, 404u}) {
    SCOPED_TRACE(status);
    service_.odd_query = answer(status, "");
    const auto begin = clock_.now();
    const Outcome ended = World::run(chain);
    ASSERT_TRUE(ended.error);
    EXPECT_EQ(ended.error->http_status, status == 404 ? 0 : status);
    EXPECT_EQ(ended.text().find("publish-folder") != std::string::npos, status == 404) << ended.text();
    EXPECT_EQ(ended.error->task_id, "") << "it is the link's";
    EXPECT_EQ(clock_.now() - begin >= chain.timeout, status == 500);
  }
  EXPECT_EQ(service_.submits(), 1u);
}

// The run of the link may have passed over other URLs of its task, by their bytes.
TEST_F(ChainWorkTest, WhatGoesOutAsALinkIsTheClipThatIsStored) {
  ASSERT_FALSE(run(x_).error);
  http_->otherwise([this](const HttpRequest &request) {
    const std::string cover = sample_png(1000);
    const bool is_cover = request.url.find("cover") != std::string::npos;
    return is_cover ? answer(200, cover, {{"Content-Length", std::to_string(cover.size())}})
                    : service_(request);
  });
  const std::string cover = R"("result_url":"https://media.example/cover.png")";
  service_.results = cover + R"(,"url":"https://media.example/real.png")";
  ASSERT_FALSE(run(picture("of the real one", {x_})).error);
  EXPECT_THAT(last_submit().request.body.text(), HasSubstr("\"https://media.example/real.png\""));
  service_.results = cover;
  ASSERT_FALSE(run(picture("of a copy", {x_})).error);
  EXPECT_THAT(last_submit().request.body.text(), HasSubstr("\"https://public.example/copies/"));
}

// Its server may have a bad moment just then.
TEST_F(ChainWorkTest, AUrlWhoseServerDoesNotAnswerIsBetterThanNone) {
  ASSERT_FALSE(run(x_).error);
  http_->otherwise([this](const HttpRequest &request) {
    const bool is_link = request.url.find("media.example/task-1") != std::string::npos;
    return is_link ? answer(503, "") : service_(request);
  });
  GenerationJob chain = job_of(picture("of it", {x_}));
  ASSERT_FALSE(run(picture("of a copy", {x_})).error);
  EXPECT_THAT(last_submit().request.body.text(), HasSubstr("\"https://public.example/copies/"));
  chain.publish = {};
  const Outcome made = World::run(chain);
  ASSERT_FALSE(made.error) << made.text();
  EXPECT_THAT(last_submit().request.body.text(), HasSubstr("\"https://media.example/task-1"));
}

// The journal has the content of the URL in its place, and prune looks into journals.
TEST_F(ChainWorkTest, ACopyThatAUrlNamesIsInTheJournal) {
  const std::string copy = std::string(64, 'a') + ".png";
  GenerationJob chain = job_of(picture("of it", {"https://public.example/copies/" + copy + "?version=1"}));
  chain.reference_identity = ReferenceIdentity::content;
  ASSERT_FALSE(World::run(chain).error);
  const auto record = record_of(chain, *chain.identified, services());
  ASSERT_TRUE(record);
  ASSERT_EQ(record->references.size(), 1u);
  EXPECT_EQ(record->references[0].field, "reference_images");
  EXPECT_EQ(record->references[0].copy, copy);
}

// ---- What is signed expires.

TEST_F(ChainWorkTest, AUrlOfTheServiceIsFreshWhenTheRequestIsSubmittedHoweverLongItHadToWait) {
  ASSERT_FALSE(run(x_).error);
  ClipFolder folder(FileSystem::posix(), path_of(y_));
  const auto lock = folder.lock_writer([](const std::string &) {});
  ASSERT_TRUE(lock && *lock);
  reserve(path_of(y_).digest(), 2.5);
  GenerationJob chain = job_of(picture("of it", {x_}));
  chain.max_tasks = 1;
  ActingClock clock(clock_, {{100, [this] { release(path_of(y_).digest()); }}});
  GenerationServices slow = services();
  slow.clock = &clock;
  const auto begin = clock_.elapsed();
  const auto generation = std::make_shared<Generation>(chain, slow);
  const auto made = ClipWork(*generation).run();
  ASSERT_TRUE(made) << made.error().text;
  ASSERT_GT(clock_.elapsed() - begin, std::chrono::minutes(3)) << "it has waited for the slot";
  Clock::Time asked;
  for (const auto &sent : http_->requests())
    if (sent.request.url.ends_with("/task-1")) asked = sent.time;
  EXPECT_LT(last_submit().time - asked, std::chrono::minutes(1));
  EXPECT_EQ(service_.submits(), 2u);
}

TEST_F(ChainWorkTest, WhatCannotBeMadeFreshAfterAWaitIsSentAsItIs) {
  ASSERT_FALSE(run(x_).error);
  ClipFolder folder(FileSystem::posix(), path_of(y_));
  const auto lock = folder.lock_writer([](const std::string &) {});
  ASSERT_TRUE(lock && *lock);
  reserve(path_of(y_).digest(), 2.5);
  GenerationJob chain = job_of(picture("of it", {x_}));
  chain.max_tasks = 1;
  chain.publish = {};
  ActingClock clock(clock_, {{100, [this] {
                                release(path_of(y_).digest());
                                service_.knows_no_task = true;
                              }}});
  GenerationServices slow = services();
  slow.clock = &clock;
  const auto generation = std::make_shared<Generation>(chain, slow);
  const auto kept = std::make_shared<KeptWarnings>();
  ASSERT_TRUE(generation->join(kept));
  static_cast<void>(ClipWork(*generation).run());
  EXPECT_EQ(service_.submits(), 2u);
  EXPECT_THAT(kept->warnings, testing::Contains(HasSubstr("The URL of the first publication is sent")));
}

// The early publication shows that it works.
TEST_F(ChainWorkTest, ACommandPublishesAgainWhatWasPublishedBeforeALinkWasMade) {
  const std::string own = folder_.path() + "/own.png", script = folder_.path() + "/upload";
  std::ofstream(own, std::ios::binary) << service_.clip();
  std::ofstream(script) << "#!/bin/sh\necho >> '" + folder_.path() +
                               "/calls'\necho https://public.example/own.png?call=$(wc -l < '" +
                               folder_.path() + "/calls')\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  GenerationJob chain = job_of(picture("of both", {x_, own}));
  chain.publish.folder = chain.publish.url = "";
  chain.publish.command = script;
  on_submit = [this](unsigned number) {
    EXPECT_EQ(std::filesystem::file_size(folder_.path() + "/calls"), number) << "before the submit";
  };
  const Outcome made = World::run(chain);
  ASSERT_FALSE(made.error) << made.text();
  EXPECT_THAT(last_submit().request.body.text(), HasSubstr("own.png?call=2"));
  EXPECT_EQ(service_.submits(), 2u);
}

// The path of a file is no URL that an earlier publication has brought.
TEST_F(ChainWorkTest, WhatCannotBePublishedOnceIsNotSent) {
  const std::string own = folder_.path() + "/own.png", script = folder_.path() + "/upload";
  std::ofstream(own, std::ios::binary) << service_.clip();
  std::ofstream(script) << "#!/bin/sh\nexit 1\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  GenerationJob chain = job_of(picture("of it", {own}));
  chain.publish.folder = chain.publish.url = "";
  chain.publish.command = script;
  EXPECT_TRUE(World::run(chain).error);
  EXPECT_EQ(service_.submits(), 0u);
}

// No table says that it takes media.
TEST_F(ChainWorkTest, ALinkMayStandInAnyFieldThatNamesMedia) {
  const std::string own = folder_.path() + "/own.png";
  std::ofstream(own, std::ios::binary) << service_.clip();
  ClipRequest request{.model = "dream-5.0"};
  request.fields.set("prompt", "of it");
  request.extra.set("photo", x_);
  request.extra.set("mask_url", own);
  const Outcome made = run(clip_uri(*Catalog::built_in(), request));
  ASSERT_FALSE(made.error) << made.text();
  EXPECT_EQ(service_.submits(), 2u);
  const auto json = Json::parse(last_submit().request.body.text());
  ASSERT_TRUE(json) << last_submit().request.body.text();
  EXPECT_THAT(*json->find("photo")->string(), testing::StartsWith("https://"));
  EXPECT_THAT(*json->find("mask_url")->string(), testing::StartsWith("https://public.example/copies/"));
}

// ---- Money

// The journal of a clip that is made anew has the request of the stored one as well.
TEST_F(ChainWorkTest, NoLinkIsPaidForARequestThatTheJournalCannotHold) {
  GenerationJob anew = job_of(picture(std::string(2200 << 10, 'p'), {x_}));
  const Outcome made = World::run(anew);
  ASSERT_FALSE(made.error) << made.text();
  EXPECT_EQ(service_.submits(), 2u);
  forget(x_);
  std::filesystem::remove_all(path_of(x_).folder());
  anew.reuse = false;
  const Outcome refused = World::run(anew);
  EXPECT_THAT(refused.text(), HasSubstr("which has the stored clip's request as well"));
  EXPECT_EQ(service_.submits(), 2u);
}

TEST_F(ChainWorkTest, ARunTellsTheSumOfAllItsLinksWhateverBecomesOfTheRequest) {
  const Outcome made = run(picture("of both", {picture("a", {x_}), y_}));
  ASSERT_FALSE(made.error) << made.text();
  EXPECT_EQ(made.state.links_amount, 7.5);
  EXPECT_THAT(made.state.link_tasks, testing::ElementsAre(PaidTask{"task-1", 2.5}, PaidTask{"task-2", 2.5},
                                                          PaidTask{"task-3", 2.5}));
  EXPECT_EQ(made.state.links, 4u);
  on_submit = [&](unsigned number) {
    if (number == 6) service_.odd_submits = {answer(400, R"({"error":"no"})")};
  };
  const Outcome refused = run(picture("of all", {picture("b", {x_}), y_}));
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(refused.state.links_amount, 2.5) << "two of three were stored";
  EXPECT_TRUE(refused.state.links_charged);
}

TEST_F(ChainWorkTest, MaxAmountIsForTheWholeChainAndAskedBeforeEachPayment) {
  ASSERT_FALSE(run(picture("prices")).error);
  GenerationJob chain = job_of(picture("of it", {picture("a", {x_})}));
  chain.max_amount = 7.4;
  EXPECT_EQ(run(chain).error->kind, ErrorKind::not_authorized);
  EXPECT_EQ(service_.submits(), 1u);
  chain.max_amount = 7.5;
  service_.amount = "4";
  const Outcome ended = run(chain);
  EXPECT_EQ(service_.submits(), 2u) << "the first link was dearer, so the others do not fit any more";
  EXPECT_THAT(ended.text(), HasSubstr("that this run has paid for"));
  service_.amount = "2.5";
  GenerationJob last = job_of(picture("of a stored one", {picture("prices")}));
  last.max_amount = 4;
  EXPECT_FALSE(run(last).error) << "what is stored costs nothing";
}

TEST_F(ChainWorkTest, ALimitOfATimeIsForTheWholeChainAndAskedBeforeEachPayment) {
  ASSERT_FALSE(run(picture("prices")).error);
  const std::string uri = picture("of it", {picture("a", {x_})});
  limit({{"total", 9.9}});
  const Outcome refused = run(uri);
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(refused.error->kind, ErrorKind::not_authorized);
  EXPECT_THAT(refused.text(), HasSubstr("the clips of the chain that are to be paid before it"));
  limit({{"tasks_per_day", 3}});
  EXPECT_TRUE(run(uri).error);
  EXPECT_EQ(service_.submits(), 1u);
  limit({{"total", 10}, {"tasks_per_day", 4}});
  service_.amount = "4";
  EXPECT_TRUE(run(uri).error);
  EXPECT_EQ(service_.submits(), 2u) << "the first link was dearer, so the others do not fit any more";
  service_.amount = "2.5";
  limit({{"total", 14.5}});
  EXPECT_FALSE(run(uri).error) << "what is stored costs nothing, and each of the others 4 at most";
}

TEST_F(ChainWorkTest, AClipOfUnknownPricePassesALimitOfATimeWithAWarningInAChainToo) {
  limit({{"total", 1}});
  service_.amount = "0.1";
  const Outcome made = run(picture("of it", {x_}));
  EXPECT_FALSE(made.error) << made.text();
  EXPECT_THAT(made.warnings, testing::Contains(HasSubstr("the price of this clip is unknown")));
}

TEST_F(ChainWorkTest, WhatADeadRunHadReservedIsNotInTheWayOfAChain) {
  ASSERT_FALSE(run(picture("prices")).error);
  ASSERT_FALSE(run(y_).error);
  reserve(path_of(y_).digest(), 2.5);
  limit({{"total", 10}});
  const Outcome made = run(picture("of it", {x_}));
  EXPECT_FALSE(made.error) << made.text();
}

// Whoever pays for it.
TEST_F(ChainWorkTest, ALinkThatAnotherRunIsAboutToSubmitCountsOnce) {
  ASSERT_FALSE(run(picture("prices")).error);
  ClipFolder folder(FileSystem::posix(), path_of(x_));
  const auto lock = folder.lock_writer([](const std::string &) {});
  ASSERT_TRUE(lock && *lock);
  reserve(path_of(x_).digest(), 2.5);
  limit({{"total", 7.5}});
  const Outcome waited = run(picture("of it", {x_}));
  EXPECT_THAT(waited.text(), HasSubstr("has been working on this clip"));
}

}  // namespace
}  // namespace genclip::test
