// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A generation that follows its task: when it asks, how long, and what ends it. One thread, no real time.
#include <fstream>
#include <memory>

#include "plugin/generation/clip_work.h"
#include "plugin/generation/generation.h"
#include "plugin/store/clip_folder.h"
#include "tests/support/temporary_folder.h"
#include "tests/task/task_fixture.h"

namespace genclip::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kQueued[] = R"({"id":"t-1","status":"queued"})";
constexpr char kProcessing[] = R"({"id":"t-1","status":"processing","progress":5})";
constexpr char kCompleted[] =
    R"({"id":"t-1","status":"completed","video_url":"https://cdn.example/c.mp4?sig=1"})";

// Of an MP4 below 256 bytes.
std::string box(const std::string &name, const std::string &content) {
  return std::string(3, '\0') + static_cast<char>(8 + content.size()) + name + content;
}

class Warnings final : public GenerationObserver {
 public:
  void on_change(const GenerationState &state) override {
    if (state.eta >= 0) etas.push_back(state.eta);
  }
  void on_warning(const Error &warning) override { texts.push_back(warning.text); }

  std::vector<std::string> texts;
  std::vector<double> etas;
};

std::string text_of(const std::string &file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class Following : public testing::Test {
 protected:
  // A clip is known by GStreamer's typefinders.
  static void SetUpTestSuite() { gst_init(nullptr, nullptr); }

  Following() : http_(std::make_shared<FakeHttpClient>(clock_)) {}
  ~Following() override {
    EXPECT_EQ(http_->unexpected(), 0u) << "more requests than the test allows";
    EXPECT_EQ(http_->left(), 0u) << "fewer requests than the test expects";
  }

  GenerationJob job() const {
    GenerationJob job;
    job.request = checked("dance-2.5", Api::automatic, R"({"prompt":"a storm"})");
    job.model = "dance-2.5";
    job.endpoint = {"http://127.0.0.1:1", {kKey}, Api::tasks, seconds(30), ""};
    job.identity = {job.endpoint.base_url, "tasks", job.request->body(), 0};
    job.store = folder_.file("store");
    job.poll_interval = seconds(5);
    job.timeout = seconds(1800);
    job.retries = 2;
    return job;
  }

  Result<void> run(GenerationJob job) {
    const auto generation = std::make_shared<Generation>(std::move(job), GenerationServices{http_, &clock_});
    warnings_ = std::make_shared<Warnings>();
    EXPECT_TRUE(generation->join(warnings_));
    return ClipWork(*generation).run();
  }

  void expect_clip() {
    const std::string clip = box("ftyp", std::string("isom\0\0\2\0", 8)) +
                             box("moov", box("mvhd", std::string(100, '\0'))) +
                             box("mdat", std::string(200, 'm'));
    http_->expect(
        answer(200, clip, {{"Content-Length", std::to_string(clip.size())}, {"Content-Type", "video/mp4"}}));
  }

  ClipState state() const {
    const auto record =
        ClipFolder(FileSystem::posix(), ClipPath(job().store, job().identity.digest())).look();
    EXPECT_TRUE(record) << record.error().text;
    return record ? record->state : ClipState::intent;
  }

  // Between the requests of the last run to the API: the first is the submit.
  Pauses gaps() const {
    Pauses result;
    const auto requests = http_->requests();
    for (size_t i = 1; i < requests.size(); ++i)
      if (!requests[i].is_open)
        result.push_back(std::chrono::duration_cast<milliseconds>(requests[i].time - requests[i - 1].time));
    return result;
  }

  TemporaryFolder folder_;
  FakeClock clock_;
  std::shared_ptr<FakeHttpClient> http_;
  std::shared_ptr<Warnings> warnings_;
};

TEST_F(Following, AsksEveryFiveToTenSeconds) {
  http_->expect(answer(200, kQueued), 10);
  http_->expect(answer(200, kProcessing), 30);
  http_->expect(answer(200, kCompleted));
  expect_clip();
  const auto done = run(job());
  ASSERT_TRUE(done) << done.error().text;
  EXPECT_EQ(state(), ClipState::complete);
  EXPECT_EQ(http_->count(HttpRequest::Method::post), 1u);
  ASSERT_EQ(gaps().size(), 40u);
  size_t jittered = 0;
  for (const milliseconds gap : gaps()) {
    EXPECT_GE(gap, seconds(5));
    EXPECT_LE(gap, milliseconds(5500));
    if (gap > seconds(5)) ++jittered;
  }
  EXPECT_GT(jittered, 20u) << "two elements that start together must not stay together";
}

TEST_F(Following, GivesTheKeyToTheApiAndNeverToTheMedia) {
  http_->expect(answer(200, kQueued));
  http_->expect(answer(200, kCompleted));
  expect_clip();
  ASSERT_TRUE(run(job()));
  const auto requests = http_->requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[0].request.bearer_key, kKey);
  EXPECT_EQ(requests[1].request.bearer_key, kKey);
  EXPECT_EQ(requests[2].request.bearer_key, "");
  EXPECT_EQ(requests[2].request.url, "https://cdn.example/c.mp4?sig=1");
}

TEST_F(Following, DoesNotTakeAFailedQueryForAFailedTask) {
  http_->expect(answer(200, kQueued));
  http_->otherwise(
      [](const HttpRequest &) { return answer(500, R"({"status":"failed","error":"gateway"})"); });
  const auto broken = run(job());
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().kind, ErrorKind::open_read);
  EXPECT_EQ(broken.error().task_id, "t-1");
  EXPECT_EQ(state(), ClipState::submitted) << "the task is paid for and goes on";
  EXPECT_EQ(std::chrono::floor<seconds>(clock_.elapsed()), job().timeout);

  http_->expect(answer(200, kCompleted));
  expect_clip();
  const auto done = run(job());
  ASSERT_TRUE(done) << done.error().text;
  EXPECT_EQ(http_->count(HttpRequest::Method::post), 1u) << "submitted again";
}

TEST_F(Following, WaitsAsTheServiceWishesAndThenGoesOnAsBefore) {
  http_->expect(answer(200, kQueued));
  http_->expect(answer(429, "", {{"Retry-After", "90"}}));
  http_->expect(answer(200, kProcessing));
  http_->expect(answer(200, kCompleted));
  expect_clip();
  ASSERT_TRUE(run(job()));
  const auto waits = gaps();
  ASSERT_EQ(waits.size(), 3u);
  EXPECT_GE(waits[1], seconds(90));
  EXPECT_LE(waits[1], seconds(91));
  EXPECT_LE(waits[2], milliseconds(5500));
}

TEST_F(Following, ForgivesMany404sOnlyUntilTheTaskIsKnown) {
  http_->expect(answer(200, kQueued));
  http_->expect(answer(404, "{}"), 6);
  http_->expect(answer(200, kProcessing));
  http_->expect(answer(404, "{}"), 4);
  const auto gone = run(job());
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind, ErrorKind::not_found);
  EXPECT_EQ(gone.error().http_status, 404u);
  EXPECT_EQ(gone.error().task_id, "t-1");
}

TEST_F(Following, SurvivesAnOutageWhateverTheRetries) {
  http_->expect(answer(200, kQueued));
  http_->expect(not_sent(), 8);
  http_->expect(answer(404, "{}"), 3);
  http_->expect(answer(200, kCompleted));
  expect_clip();
  GenerationJob job = this->job();
  job.retries = 0;
  const auto done = run(job);
  ASSERT_TRUE(done) << done.error().text;
  EXPECT_EQ(http_->count(HttpRequest::Method::post), 1u);
}

TEST_F(Following, AsksForAFreshUrlThroughAnOutageNoLongerThanTheTimeout) {
  http_->expect(answer(200, kQueued));
  http_->expect(answer(200, kCompleted));
  http_->expect(answer(403, "expired"));
  http_->otherwise([](const HttpRequest &) { return answer(502, ""); });
  GenerationJob job = this->job();
  job.timeout = seconds(60);
  ASSERT_FALSE(run(job));
  EXPECT_LE(clock_.elapsed(), seconds(300)) << "not for ever";
  EXPECT_EQ(state(), ClipState::submitted);
}

TEST_F(Following, AsksForALostTaskNoLongerThanTheTimeout) {
  http_->expect(answer(200, kQueued));
  http_->expect(answer(200, kProcessing));
  http_->expect(answer(404, "{}"), 4);
  ASSERT_FALSE(run(job()));
  ASSERT_EQ(state(), ClipState::lost);
  http_->otherwise([](const HttpRequest &) { return answer(502, ""); });
  const auto before = clock_.elapsed();
  ASSERT_FALSE(run(job()));
  EXPECT_EQ(std::chrono::floor<seconds>(clock_.elapsed() - before), job().timeout);
  EXPECT_EQ(state(), ClipState::lost);
  EXPECT_EQ(http_->count(HttpRequest::Method::post), 1u) << "nobody knows whether the task is lost";
}

TEST_F(Following, TellsWhatTheServiceSaysOfACompletedTaskWithoutAUrl) {
  http_->expect(answer(200, kQueued));
  http_->expect(answer(200, R"({"id":"t-1","status":"completed","error":{"message":"The upload broke."}})"),
                5);
  const auto without = run(job());
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().kind, ErrorKind::not_found);
  EXPECT_EQ(without.error().service_message, "The upload broke.");
  EXPECT_THAT(without.error().text, HasSubstr("no URL"));
  EXPECT_THAT(without.error().text, HasSubstr("It says: The upload broke."));
}

TEST_F(Following, KeepsAskingThroughAnUnknownStatusAndWarnsOnce) {
  http_->expect(answer(200, kQueued));
  http_->expect(answer(200, R"({"id":"t-1","status":"Reticulating","progress":100})"), 3);
  http_->expect(answer(200, R"({"id":"t-1"})"), 2);
  http_->expect(answer(200, kCompleted));
  expect_clip();
  ASSERT_TRUE(run(job()));
  ASSERT_EQ(warnings_->texts.size(), 1u);
  EXPECT_THAT(warnings_->texts[0], HasSubstr("\"Reticulating\""));
}

TEST_F(Following, EndsAtTheTimeoutAndNamesTheTaskThatGoesOn) {
  http_->otherwise([](const HttpRequest &) { return answer(200, kProcessing); });
  GenerationJob job = this->job();
  job.timeout = seconds(60);
  const auto late = run(job);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::timed_out);
  EXPECT_EQ(late.error().task_id, "t-1");
  EXPECT_THAT(late.error().text, HasSubstr("run again to attach"));
  EXPECT_EQ(clock_.elapsed(), seconds(60)) << "with a last query at the very end";
  EXPECT_EQ(state(), ClipState::submitted);
}

TEST_F(Following, DoesNotRetryPastTheTimeout) {
  http_->expect(answer(200, kQueued));
  http_->otherwise([](const HttpRequest &) { return answer(503, ""); });
  GenerationJob job = this->job();
  job.timeout = seconds(20);
  job.retries = 1000;
  const auto late = run(job);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::busy);
  EXPECT_GE(clock_.elapsed(), seconds(20));
  EXPECT_LE(clock_.elapsed(), milliseconds(20001));
  EXPECT_EQ(state(), ClipState::submitted);
}

TEST_F(Following, AsksAFewTimesForAUrlAndThenSaysSo) {
  http_->expect(answer(200, kQueued));
  http_->expect(answer(200, R"({"id":"t-1","status":"completed","video_url":"","result_url":"none"})"), 5);
  const auto without = run(job());
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().kind, ErrorKind::not_found);
  EXPECT_EQ(without.error().task_id, "t-1");
  EXPECT_THAT(without.error().text, HasSubstr("no URL"));

  http_->expect(answer(200, kCompleted));
  expect_clip();
  EXPECT_TRUE(run(job())) << "it can be asked for again later";
  EXPECT_EQ(http_->count(HttpRequest::Method::post), 1u);
}

TEST_F(Following, TellsWhyTheTaskFailed) {
  http_->expect(answer(200, kQueued));
  http_->expect(
      answer(200, R"({"id":"t-1","status":"Rejected","error":{"message":"The first image shows a face."}})"));
  const auto failed = run(job());
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::failed);
  EXPECT_EQ(failed.error().service_message, "The first image shows a face.");
  EXPECT_EQ(state(), ClipState::failed);
}

TEST_F(Following, HasTheIntentOnDiskBeforeTheSubmitAndTheIdBeforeTheFirstQuery) {
  std::vector<ClipState> seen;
  http_->before_answer([&](const HttpRequest &) { seen.push_back(state()); });
  http_->expect(answer(200, kQueued));
  http_->expect(answer(200, kCompleted));
  expect_clip();
  ASSERT_TRUE(run(job()));
  EXPECT_THAT(seen, ElementsAre(ClipState::intent, ClipState::submitted, ClipState::submitted));
}

TEST_F(Following, LeavesADoubtInTheStoreAndWarnsOfItNextTime) {
  http_->expect(lost());
  const auto doubtful = run(job());
  ASSERT_FALSE(doubtful);
  EXPECT_THAT(doubtful.error().text, HasSubstr("unknown"));
  EXPECT_EQ(state(), ClipState::ambiguous);

  http_->expect(answer(200, kQueued));
  http_->expect(answer(200, kCompleted));
  expect_clip();
  ASSERT_TRUE(run(job()));
  ASSERT_EQ(warnings_->texts.size(), 1u);
  EXPECT_THAT(warnings_->texts[0], HasSubstr("charged twice"));
}

TEST_F(Following, LeavesNoDoubtAfterARefusal) {
  for (const unsigned status : {401u, 402u, 422u, 429u}) {
    http_->expect(answer(status, "{}"), status == 429 ? 3 : 1);
    ASSERT_FALSE(run(job()));
    EXPECT_EQ(state(), ClipState::refused) << status;
  }
  http_->expect(answer(200, kQueued));
  http_->expect(answer(200, kCompleted));
  expect_clip();
  ASSERT_TRUE(run(job()));
  EXPECT_TRUE(warnings_->texts.empty()) << warnings_->texts[0];
}

// What the ledger's next run of this shape goes by.
TEST_F(Following, TellsTheLedgerHowLongATaskTook) {
  http_->expect(answer(200, kQueued), 10);
  http_->expect(answer(200, kCompleted));
  expect_clip();
  ASSERT_TRUE(run(job()));
  const std::string ledger = text_of(folder_.file("store/ledger.jsonl"));
  const size_t at = ledger.find(R"("waited":)");
  ASSERT_NE(at, ledger.npos) << ledger;
  // The submit and 9 queries say queued, the 10th does not. Every 5 s and a tenth at most.
  EXPECT_GE(std::stod(ledger.substr(at + 9)), 47);
  EXPECT_LE(std::stod(ledger.substr(at + 9)), 53);
  EXPECT_NE(ledger.find(R"("waited_error":2.)"), ledger.npos) << ledger;
}

TEST_F(Following, DoesNotTellHowLongATaskTookThatALaterRunFound) {
  unsigned take = 0;
  for (const seconds later : {seconds(1), seconds(3600)}) {
    GenerationJob first = job();
    first.identity.take = take++;
    http_->expect(answer(200, kQueued), 3);
    GenerationJob second = first;
    first.timeout = seconds(9);
    ASSERT_FALSE(run(first));
    clock_.advance(later);
    http_->expect(answer(200, kProcessing));
    http_->expect(answer(200, kCompleted));
    expect_clip();
    ASSERT_TRUE(run(second));
  }
  const std::string ledger = text_of(folder_.file("store/ledger.jsonl"));
  EXPECT_NE(ledger.find(R"("settle")"), ledger.npos);
  EXPECT_EQ(ledger.find("waited"), ledger.npos) << ledger;
}

TEST_F(Following, DoesNotTellHowLongATaskTookIfItAskedSeldom) {
  http_->expect(answer(200, kQueued), 3);
  http_->expect(answer(200, kCompleted));
  expect_clip();
  GenerationJob seldom = job();
  seldom.poll_interval = seconds(60);
  ASSERT_TRUE(run(seldom));
  EXPECT_EQ(text_of(folder_.file("store/ledger.jsonl")).find("waited"), std::string::npos);
}

TEST_F(Following, KnowsFromEarlierTasksWhenTheNextOneIsCompleted) {
  for (unsigned take = 0; take < 3; ++take) {
    http_->expect(answer(200, kQueued), 10);
    http_->expect(answer(200, kCompleted));
    expect_clip();
    GenerationJob next = job();
    next.identity.take = take;
    next.poll_interval = seconds(take < 2 ? 5 : 0);
    ASSERT_TRUE(run(next));
    EXPECT_EQ(warnings_->etas.empty(), take == 0);
  }
  ASSERT_FALSE(warnings_->etas.empty());
  EXPECT_NEAR(warnings_->etas.front(), 50, 8) << "right after the submit";
  for (size_t i = 1; i < warnings_->etas.size(); ++i) EXPECT_LT(warnings_->etas[i], warnings_->etas[i - 1]);
}

}  // namespace
}  // namespace genclip::test
