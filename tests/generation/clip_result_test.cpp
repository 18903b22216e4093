// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a task has made, from its answer to the store: the right kind, the first of several, and the others.
#include <fstream>

#include "plugin/account/ledger.h"
#include "plugin/base/durable_file.h"
#include "tests/generation/work_fixture.h"
#include "tests/support/taken.h"

namespace genclip::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ClipResultTest : public WorkTest {
 protected:
  std::string journal() const {
    std::ifstream file(path().record());
    return std::string((std::istreambuf_iterator<char>(file)), {});
  }
  std::string last_media_url() const {
    std::string last;
    for (const auto &request : http_->requests())
      if (request.request.url.find("media.example") != std::string::npos) last = request.request.url;
    return last;
  }
};

TEST_F(ClipResultTest, OfSeveralTheFirstIsTakenAndTheOthersAreTold) {
  service_.results =
      R"("output":["https://media.example/0.mp4?sig=SECRET","https://media.example/1.mp4?sig=SECRET"])";
  const Outcome first = run();
  ASSERT_FALSE(first.error) << first.text();
  EXPECT_EQ(last_media_url(), "https://media.example/0.mp4?sig=SECRET");
  ASSERT_THAT(first.warnings, ElementsAre(HasSubstr("1 more result; task.json lists it")));
  EXPECT_THAT(first.warnings[0], HasSubstr("genclip store fetch --result 2 task-1"));
  const auto record = ClipRecord::from_json(*Json::parse(journal()));
  ASSERT_TRUE(record);
  ASSERT_EQ(record->further_results.size(), 1u);
  EXPECT_EQ(record->further_results[0].field, "output[1]");
  EXPECT_EQ(record->further_results[0].url, "https://media.example/1.mp4?***");
  EXPECT_THAT(journal(), Not(HasSubstr("SECRET")));

  // It is a clip of its own, of the same task, which costs nothing more.
  GenerationJob other = job();
  other.request.reset();
  other.task_id = "task-1";
  other.result = 2;
  other.identity.request = Json::Object{{"task_id", "task-1"}, {"result", 2}};
  const Outcome second = run(std::move(other));
  ASSERT_FALSE(second.error) << second.text();
  EXPECT_EQ(last_media_url(), "https://media.example/1.mp4?sig=SECRET");
  EXPECT_EQ(service_.submits(), 1u);
}

// It would stay a paid clip that nobody can fetch.
TEST_F(ClipResultTest, OfAResultThatTheTaskDoesNotHaveNothingIsWritten) {
  service_.results = R"("output":["https://media.example/0.mp4","https://media.example/1.mp4"])";
  ASSERT_FALSE(run().error);
  const auto ledger = [&] { return taken(read_whole(files_, LedgerPath(job().store).ledger, 1 << 20)); };
  const std::string before = ledger();
  service_.polls = 5;  // Its task is still under way at first.
  GenerationJob none = job();
  none.request.reset();
  none.task_id = "task-1";
  none.result = 3;
  none.identity.request = Json::Object{{"task_id", "task-1"}, {"result", 3}};
  const Outcome done = run(none);
  EXPECT_THAT(done.text(), HasSubstr("The task has only 2 results."));
  EXPECT_FALSE(ClipFolder(FileSystem::posix(), ClipPath(none.store, none.identity.digest())).look());
  EXPECT_EQ(ledger(), before);
  std::string charged;
  for (const ErrorDetail &detail : done.error.value_or(Error{}).details)
    if (detail.name == "charged") charged = std::get<std::string>(detail.value);
  EXPECT_EQ(charged, "no");
}

// L1
TEST_F(ClipResultTest, NoTextShowsTheSignatureOfAUrlHoweverTheServiceEchoesIt) {
  GenerationJob own = job();
  ClipRequest request;
  request.model = "dance-2.5";
  request.fields.set("prompt", "a storm");
  request.fields.set("reference_videos", Json::Array{"https://media.example/own.mp4?sig=SEC%2FRET%2Bxyz"});
  own.request = *check_request(*Catalog::built_in(), request);
  own.identity.request = own.request->body();
  const std::string echo =
      R"(Cannot fetch https%3A%2F%2Fmedia.example%2Fown.mp4%3Fsig%3DSEC%252FRET%252Bxyz (SEC/RET+xyz).)";
  const std::string kept = "Cannot fetch https://media.example/own.mp4?*** (***).";
  const auto shows_none = [&](const Outcome &done) {
    ASSERT_TRUE(done.error);
    EXPECT_THAT(done.text(), HasSubstr(kept));
    EXPECT_EQ(done.error->service_message, kept);
    std::string all = done.text() + done.error->debug + done.error->service_message;
    for (const std::string &warning : done.warnings) all += warning;
    EXPECT_THAT(all, Not(HasSubstr("SEC")));
    const auto record = ClipFolder(FileSystem::posix(), ClipPath(own.store, own.identity.digest())).look();
    ASSERT_TRUE(record);
    EXPECT_THAT(record->error, HasSubstr(kept));
    EXPECT_THAT(record->error, Not(HasSubstr("SEC")));
  };
  service_.odd_submits = {answer(400, Json(Json::Object{{"error", echo}}).to_text())};
  shows_none(run(own));
  service_.failure = echo;
  shows_none(run(own));
}

TEST_F(ClipResultTest, IsNotAUrlOfTheRequestItself) {
  GenerationJob own = job();
  ClipRequest request;
  request.model = "dance-2.5";
  request.fields.set("prompt", "a storm");
  request.fields.set("reference_videos", Json::Array{"https://media.example/own.mp4"});
  own.request = *check_request(*Catalog::built_in(), request);
  own.identity.request = own.request->body();
  service_.results =
      R"("source":"https://media.example/own.mp4","deliverable":{"link":"https://media.example/v.mp4"})";
  const Outcome done = run(std::move(own));
  ASSERT_FALSE(done.error) << done.text();
  EXPECT_EQ(last_media_url(), "https://media.example/v.mp4");
}

TEST_F(ClipResultTest, ThatIsOnlyAPictureIsAskedForAgainAndIsThenAnError) {
  service_.results = R"("video_url":"https://media.example/cover.jpg")";
  const Outcome none = run();
  EXPECT_THAT(none.text(), HasSubstr("a picture came where a video was asked for"));
  EXPECT_THAT(none.text(), HasSubstr("paid for"));
  EXPECT_EQ(last_media_url(), "");
  EXPECT_GE(service_.queries(), 5u);
  EXPECT_EQ(service_.submits(), 1u);
  // The task is kept, and brings the clip once the service has it.
  service_.results =
      R"("video_url":"https://media.example/cover.jpg","result_url":"https://media.example/v.mp4")";
  const Outcome then = run();
  ASSERT_FALSE(then.error) << then.text();
  EXPECT_EQ(last_media_url(), "https://media.example/v.mp4");
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(ClipResultTest, WithTheExtensionOfAPictureIsTakenAtLastAndItsBytesDecide) {
  service_.results = R"("video_url":"https://media.example/v.jpg?sig=SECRET")";
  const Outcome done = run();
  ASSERT_FALSE(done.error) << done.text();
  EXPECT_EQ(last_media_url(), "https://media.example/v.jpg?sig=SECRET");
  EXPECT_EQ(service_.queries(), service_.polls + 5);
  EXPECT_THAT(done.warnings, ElementsAre(HasSubstr("one in video_url, which may be another file")));

  GenerationJob other = job();
  other.identity.take = 1;
  const std::string head("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0", 29);
  service_.odd_media = {1000, answer(200, head + std::string(500, 'x'))};
  const Outcome none = run(std::move(other));
  EXPECT_THAT(none.text(), HasSubstr("a picture came where a video was asked for"));
  EXPECT_THAT(none.text(), HasSubstr("paid for"));
}

TEST_F(ClipResultTest, IsLookedForInTheModelsKindForATaskByItsId) {
  service_.model = "dance-2.5";
  service_.results = R"("output":["https://media.example/cover.jpg","https://media.example/v.mp4"])";
  ASSERT_FALSE(run().error);
  GenerationJob attach = job();
  attach.request.reset();
  attach.model.clear();
  attach.task_id = "task-1";
  attach.identity.request = Json::Object{{"task_id", "task-1"}};
  const Outcome done = run(std::move(attach));
  ASSERT_FALSE(done.error) << done.text();
  EXPECT_EQ(last_media_url(), "https://media.example/v.mp4");
}

// For good: later runs of the request find that clip in the store.
TEST_F(ClipResultTest, OfATaskOfAnotherModelIsStoredWithAWarning) {
  service_.results = R"("video_url":"https://media.example/v.mp4")";
  ASSERT_FALSE(run().error);
  unsigned take = 0;
  const auto attach = [&](const std::string &model) {
    service_.model = model;
    GenerationJob named = job();
    named.identity.take = ++take;
    named.task_id = "task-1";
    const Outcome done = run(std::move(named));
    EXPECT_FALSE(done.error) << done.text();
    return done.warnings;
  };
  EXPECT_THAT(attach("dance-2.5"), ElementsAre());
  EXPECT_THAT(attach("vendor/dance-v2"), ElementsAre()) << "the service's own name";
  EXPECT_THAT(attach(""), ElementsAre());
  EXPECT_THAT(
      attach("sd_2.0_special"),
      ElementsAre(HasSubstr("task-1 is of the model sd_2.0_special, and the request is for dance-2.5")));
  EXPECT_EQ(service_.submits(), 1u);
}

TEST_F(ClipResultTest, IsAwaitedWhereThereIsAPreviewFirst) {
  service_.results = R"("preview_url":"https://media.example/p.mp4")";
  const std::string both = service_.results + R"(,"video_url":"https://media.example/v.mp4")";
  http_->before_answer([&](const HttpRequest &) {
    if (service_.queries() == service_.polls + 2) service_.results = both;
  });
  const Outcome done = run();
  ASSERT_FALSE(done.error) << done.text();
  EXPECT_EQ(last_media_url(), "https://media.example/v.mp4");
  EXPECT_THAT(done.warnings, ElementsAre());
}

TEST_F(ClipResultTest, IsThePreviewWhereNothingElseComes) {
  service_.results = R"("preview_url":"https://media.example/p.mp4","err_msg":"no credits")";
  const Outcome done = run();
  ASSERT_FALSE(done.error) << done.text();
  EXPECT_EQ(last_media_url(), "https://media.example/p.mp4");
  EXPECT_EQ(service_.queries(), service_.polls + 5);
  EXPECT_THAT(done.warnings,
              ElementsAre(HasSubstr("one in preview_url, which may be another file. It says: no "
                                    "credits.")));
}

// A fresh URL is one of the same file.
TEST_F(ClipResultTest, IsNoPreviewThatComesInstead) {
  service_.results = R"("video_url":"https://media.example/v.mp4")";
  service_.odd_media = {answer(403, "")};
  http_->before_answer([&](const HttpRequest &request) {
    if (request.url.find("media.example") != std::string::npos)
      service_.results = R"("preview_url":"https://media.example/p.mp4")";
  });
  const Outcome none = run();
  EXPECT_TRUE(none.error);
  EXPECT_EQ(last_media_url(), "https://media.example/v.mp4");
}

TEST_F(ClipResultTest, IsThePreviewOfATaskThatTheServiceForgot) {
  service_.odd_submits = {answer(200, R"({"id":"task-1","status":"completed",
                                          "preview_url":"https://media.example/p.mp4"})")};
  service_.knows_no_task = true;
  const Outcome done = run();
  ASSERT_FALSE(done.error) << done.text();
  EXPECT_EQ(last_media_url(), "https://media.example/p.mp4");
}

TEST_F(ClipResultTest, IsNotAUrlOfThePrompt) {
  GenerationJob own = job();
  own.request = sample_request("Remake https://media.example/film.mp4 in lego");
  own.identity.request = own.request->body();
  service_.results = R"("instruction":"Remake https://media.example/film.mp4 in lego")";
  const Outcome none = run(std::move(own));
  EXPECT_THAT(none.text(), HasSubstr("gives no URL for its clip"));
  EXPECT_EQ(last_media_url(), "");

  // A place that gives everything is no medium.
  own = job();
  own.request = sample_request("As https://media.example/get?id=1");
  own.identity.request = own.request->body();
  service_.results = R"("link":"https://media.example/get?id=7")";
  const Outcome done = run(std::move(own));
  ASSERT_FALSE(done.error) << done.text();
  EXPECT_EQ(last_media_url(), "https://media.example/get?id=7");
}

TEST_F(ClipResultTest, IsNotAReferenceThatAnEarlierRunPublished) {
  service_.polls = 1000;
  GenerationJob hasty = job();
  hasty.timeout = std::chrono::seconds(20);
  ASSERT_TRUE(run(std::move(hasty)).error);
  const std::string copy = std::string(64, 'a') + ".mp4";
  ClipRecord submitted = *record();
  submitted.references = {{"reference_videos", 0, std::string(64, 'b'), copy, "", ""}};
  {
    ClipFolder folder(FileSystem::posix(), path());
    const auto lock = folder.lock_writer([](const std::string &) {});
    ASSERT_TRUE(folder.write_record(submitted));
  }
  service_.polls = 1;
  service_.results =
      R"("video":"https://media.example/copies/)" + copy + R"(?sig=1","clip":"https://media.example/v.mp4")";
  const Outcome done = run();
  ASSERT_FALSE(done.error) << done.text();
  EXPECT_EQ(last_media_url(), "https://media.example/v.mp4");
}

TEST_F(ClipResultTest, WithoutAUrlShowsTheShapeOfTheAnswer) {
  service_.results = R"("deliverable":{"text":"SECRET"})";
  const Outcome none = run();
  EXPECT_THAT(none.text(), HasSubstr("gives no URL for its clip"));
  EXPECT_THAT(none.text(), HasSubstr("deliverable.text"));
  EXPECT_THAT(none.text(), Not(HasSubstr("SECRET")));
}

TEST_F(ClipResultTest, IsPaidThoughTheServiceForgetsOrFailsItsTaskAfterwards) {
  service_.polls = 0;
  service_.odd_media = {1000, answer(403, "")};
  http_->before_answer([this](const HttpRequest &request) {
    if (request.url.find("media.example") != std::string::npos) service_.knows_no_task = true;
  });
  const Outcome forgotten = run();
  EXPECT_THAT(forgotten.error->details, testing::Contains(ErrorDetail{"outcome", "paid-unfetched"}));
  EXPECT_THAT(forgotten.error->details, testing::Contains(ErrorDetail{"charged", "yes"}));

  GenerationJob other = job();
  other.identity.take = 1;
  service_.knows_no_task = false;
  http_->before_answer([this](const HttpRequest &request) {
    if (request.url.find("media.example") != std::string::npos) service_.failure = "expired";
  });
  const Outcome failed = run(std::move(other));
  EXPECT_THAT(failed.text(), HasSubstr("was completed and is paid for"));
  EXPECT_THAT(failed.text(), HasSubstr("It says: expired."));
  EXPECT_THAT(failed.error->details, testing::Contains(ErrorDetail{"retry", false}));
}

TEST_F(ClipResultTest, InAPathWithATokenIsToldWithoutIt) {
  service_.results =
      R"("output":["https://media.example/0.mp4","https://media.example/hdnts=TOKEN~acl/1.mp4?x=1"])";
  ASSERT_FALSE(run().error);
  EXPECT_THAT(journal(), HasSubstr("https://media.example/hdnts=***/1.mp4?***"));
}

TEST_F(ClipResultTest, ThatLagsIsWaitedForNoLongerThanTheTimeout) {
  GenerationJob short_of_time = job();
  short_of_time.timeout = std::chrono::seconds(60);
  service_.polls = 0;
  service_.odd_media = {1000, answer(503, "")};
  const Clock::Time begin = clock_.now();
  const Outcome none = run(std::move(short_of_time));
  EXPECT_THAT(none.text(), HasSubstr("paid for"));
  EXPECT_GE(clock_.now() - begin, std::chrono::seconds(60));
  EXPECT_LE(clock_.now() - begin, std::chrono::seconds(63));
  EXPECT_THAT(none.error->details, testing::Contains(ErrorDetail{"outcome", "paid-unfetched"}));
  EXPECT_EQ(service_.submits(), 1u);
}

}  // namespace
}  // namespace genclip::test
