// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How a request and its settings are validated before a run, and what they may leave out.
#include "plugin/generation/clip_plan.h"

#include <glib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "plugin/base/gref.h"
#include "plugin/generation/request_identity.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

using testing::HasSubstr;

class ClipPlanTest : public testing::Test {
 protected:
  ClipPlanTest() {
    for (const char *variable :
         {"GENCLIP_API_KEY", "GENCLIP_API_KEY_FILE", "GENCLIP_BASE_URL", "GENCLIP_MAX_AMOUNT",
          "GENCLIP_MAX_TASKS", "GENCLIP_PROJECT", "GENCLIP_PUBLISH_FOLDER", "GENCLIP_PUBLISH_URL",
          "GENCLIP_PUBLISH_COMMAND", "GENCLIP_PUBLISH_ROOTS"})
      g_unsetenv(variable);
    request_.model = "dance-2.5";
    request_.fields.set("prompt", "a storm");
    run_.base_url = "https://api.example";
    run_.api_key = "sk-4711";
    run_.store = folder_.path();
  }
  GenerationJob job() const {
    auto plan = plan_clip(request_, run_);
    EXPECT_TRUE(plan) << plan.error().text;
    return plan ? plan->job : GenerationJob();
  }
  std::string problems() const {
    const auto plan = plan_clip(request_, run_);
    if (plan) return "";
    EXPECT_EQ(plan.error().kind, ErrorKind::settings);
    return plan.error().text;
  }

  TemporaryFolder folder_;
  ClipRequest request_;
  RunSettings run_;
};

TEST_F(ClipPlanTest, AttachingNeedsNoRequest) {
  const std::string digest = [&] {
    request_ = {};
    run_.task_id = "t-7";
    return job().identity.digest();
  }();
  EXPECT_FALSE(job().request);
  EXPECT_EQ(job().model, "");

  request_.model = "dance-2.5";
  EXPECT_FALSE(job().request);
  EXPECT_EQ(job().model, "dance-2.5");
  EXPECT_EQ(job().identity.digest(), digest) << "a part of a request is none: the task's ID is its place";

  request_.model = "";
  request_.fields.set("prompt", "a storm");
  EXPECT_EQ(job().identity.digest(), digest);
}

TEST_F(ClipPlanTest, OneServiceHasOneIdentityAndIsAskedAtTheAddressThatWasGiven) {
  run_.base_url = "http://localhost:8000/api";
  const std::string digest = job().identity.digest();
  for (const char *url : {"http://localhost:8000//api", "http://localhost:8000/./api",
                          "http://localhost:8000/%61pi", "http://localhost.:8000/api"}) {
    run_.base_url = url;
    EXPECT_EQ(job().identity.digest(), digest) << url;
    EXPECT_EQ(job().endpoint.base_url, url);
    const auto found = identify_request(job(), {}, false, nullptr);
    ASSERT_TRUE(found && found->older) << url;
    ClipIdentity then = found->meaning;
    then.base_url = url;
    EXPECT_EQ(found->older->digest(), then.digest()) << url;
  }
}

// It was part of the digest, and requests worked.
TEST_F(ClipPlanTest, AnAddressWithALineBreakAtItsEndFindsWhatItHasPaidFor) {
  run_.base_url = "http://localhost:8000/api";
  const std::string digest = job().identity.digest();
  run_.base_url += "\n";
  EXPECT_EQ(job().identity.digest(), digest);
  EXPECT_EQ(job().endpoint.base_url, "http://localhost:8000/api");
  const auto found = identify_request(job(), {}, false, nullptr);
  ASSERT_TRUE(found && found->older);
  EXPECT_EQ(found->older->base_url, run_.base_url);
  EXPECT_NE(found->older->digest(), digest);
}

TEST_F(ClipPlanTest, ADefaultThatIsSpelledOutIsNoPartOfTheIdentity) {
  const std::string digest = job().identity.digest();
  request_.fields.set("duration", 4);
  EXPECT_EQ(job().identity.digest(), digest);
  const GenerationJob spelled_out = job();
  EXPECT_EQ(*spelled_out.request->body().find("duration"), Json(4));
  request_.fields.set("duration", 5);
  EXPECT_NE(job().identity.digest(), digest);
}

TEST_F(ClipPlanTest, AttachingAsksTheApiOfTheModelOrTheOneThatIsSet) {
  run_.task_id = "t-7";
  request_ = {};
  EXPECT_EQ(job().endpoint.api, Api::tasks);
  request_.model = "sky2Stable";
  EXPECT_EQ(job().endpoint.api, Api::legacy);
  request_.api = Api::tasks;
  EXPECT_EQ(job().endpoint.api, Api::tasks);
  request_.model = "a-model-that-nobody-knows";
  request_.api = Api::legacy;
  EXPECT_EQ(job().endpoint.api, Api::legacy);
}

TEST_F(ClipPlanTest, ATaskOfAWholeRequestHasThePlaceOfTheRequest) {
  const std::string digest = job().identity.digest();
  run_.task_id = "t-7";
  EXPECT_EQ(job().identity.digest(), digest);
  EXPECT_TRUE(job().request);
  request_.fields.set("duration", 99);
  EXPECT_THAT(problems(), HasSubstr("duration")) << "a bad one has none";
}

TEST_F(ClipPlanTest, OneServiceIsOneHoweverItsAddressIsWritten) {
  const GenerationJob usual = job();
  EXPECT_EQ(usual.endpoint.base_url, "https://api.example");
  for (const char *spelling : {"HTTPS://api.example", "https://API.EXAMPLE/", "https://api.example:443"}) {
    run_.base_url = spelling;
    EXPECT_EQ(job().identity.digest(), usual.identity.digest()) << spelling;
    EXPECT_EQ(job().endpoint.base_url, usual.endpoint.base_url) << spelling;
  }
  run_.base_url = "https://api.example:444";
  EXPECT_NE(job().identity.digest(), usual.identity.digest());
}

TEST_F(ClipPlanTest, AKeyThatIsMissingIsForTheGenerationToTellWhichKnowsWhetherTheClipIsStored) {
  run_.api_key = "";
  EXPECT_THAT(job().no_key, HasSubstr("There is no API key"));
  EXPECT_EQ(job().endpoint.api_key.value, "");
  request_.fields.set("duration", 99);
  EXPECT_THAT(problems(), HasSubstr("There is no API key")) << "with all else that is wrong";
}

TEST_F(ClipPlanTest, ARequestThatShowsTheKeyIsRefusedAndNothingOfItIsTold) {
  const std::string key = "sk-SECRET-0123456789abcdef";
  run_.api_key = key;
  const ClipRequest plain = request_;
  const auto refuses = [&] {
    for (const bool dry_run : {false, true}) {
      run_.dry_run = dry_run;
      const std::string text = problems();
      EXPECT_THAT(text, HasSubstr("The request contains the API key"));
      EXPECT_THAT(text, testing::Not(HasSubstr("0123456789")));
    }
    request_ = plain;
    run_.task_id.clear();
  };
  request_.fields.set("prompt", "a storm over " + key);
  refuses();
  request_.model = key;
  refuses();
  request_.fields.set("aspect_ratio", key);
  refuses();
  request_.extra.set("style", Json::Object{{"a", Json::Array{"Bearer " + key}}});
  refuses();
  request_.extra.set(key, "1");
  refuses();
  request_.fields.set("first_image", Json::Array{"https://h/x?k=sk-SECRET%2D0123456789abcdef"});
  refuses();
  run_.task_id = key;
  refuses();
  run_.api_key.clear();
  g_setenv("GENCLIP_API_KEY", key.c_str(), TRUE);
  request_.fields.set("prompt", key);
  refuses();
  g_unsetenv("GENCLIP_API_KEY");
}

TEST_F(ClipPlanTest, AKeyThatMayBeAWordMayStandInARequest) {
  run_.base_url = "https://api.example";
  for (const char *key : {"k", "sk-4711", "rehearsal", "simulator"}) {
    run_.api_key = key;
    request_.fields.set("prompt", std::string("a rehearsal of the simulator sk-4711 ") + key);
    EXPECT_EQ(problems(), "") << key;
  }
  run_.api_key = "sk-471147";
  request_.fields.set("prompt", "sk-471147");
  EXPECT_THAT(problems(), HasSubstr("The request contains the API key"));
}

TEST_F(ClipPlanTest, NamesAProxyAndACaFileThatCannotBeUsedWithAllElse) {
  request_.fields.set("duration", 99);
  run_.api_key = "";
  run_.proxy = "ftp://u:SECRET@proxy.example";
  run_.tls_ca_file = folder_.file("missing.pem");
  run_.user_agent = "a\nb";
  const std::string text = problems();
  EXPECT_THAT(text, HasSubstr("5 problems"));
  for (const char *part : {"duration", "API key", "proxy.example", "missing.pem", "user-agent"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_EQ(text.find("SECRET"), std::string::npos) << text;
  request_.fields.set("duration", 5);
  run_.dry_run = true;
  EXPECT_THAT(problems(), HasSubstr("proxy.example")) << "a run with it would fail";
  EXPECT_THAT(problems(), HasSubstr("missing.pem"));
  EXPECT_THAT(problems(), HasSubstr("user-agent"));
}

TEST_F(ClipPlanTest, ADryRunMayLackAnAddressAndRefusesOneThatARunWouldRefuse) {
  run_.dry_run = true;
  run_.base_url = "";
  EXPECT_EQ(problems(), "");
  for (const char *address : {"http://u:SECRET@api.example/", "ftp://api.example", "nonsense",
                              "https://api.example/?key=SECRET", "https://api.example/#SECRET"}) {
    run_.base_url = address;
    EXPECT_THAT(problems(), HasSubstr("base-url must")) << address;
    EXPECT_EQ(problems().find("SECRET"), std::string::npos) << problems();
  }
}

// A12
TEST_F(ClipPlanTest, RefusesToPayForAClipThatItWouldNotTake) {
  run_.max_download_size = 0;
  EXPECT_THAT(problems(), HasSubstr("max-download-size is 0"));
}

TEST_F(ClipPlanTest, PollsFromHistoryOrNotMoreOftenThanEveryTenMilliseconds) {
  EXPECT_EQ(job().poll_interval.count(), 0);
  run_.poll_interval_ms = 9;
  EXPECT_THAT(problems(), HasSubstr("poll-interval is 9 ms. Set it to 0"));
  run_.poll_interval_ms = 10;
  EXPECT_EQ(job().poll_interval.count(), 10);
}

TEST_F(ClipPlanTest, TakesALimitAndAProjectFromTheEnvironmentUnlessTheyAreSet) {
  g_setenv("GENCLIP_MAX_AMOUNT", "7.5", TRUE);
  g_setenv("GENCLIP_PROJECT", "spring", TRUE);
  EXPECT_EQ(job().max_amount.credits, 7.5);
  EXPECT_STREQ(job().max_amount.setting, "GENCLIP_MAX_AMOUNT") << "what a refusal names";
  EXPECT_EQ(job().project, "spring");
  run_.max_amount = 9;
  run_.project = "autumn";
  EXPECT_EQ(job().max_amount.credits, 7.5) << "the lower one";
  EXPECT_STREQ(job().max_amount.setting, "GENCLIP_MAX_AMOUNT");
  run_.max_amount = 7;
  EXPECT_EQ(job().max_amount.credits, 7);
  EXPECT_STREQ(job().max_amount.setting, "max-amount");
  EXPECT_EQ(job().project, "autumn");
  run_.max_amount = 0;
  for (const char *wrong : {"two", "-1", "1e999", "3 credits"}) {
    g_setenv("GENCLIP_MAX_AMOUNT", wrong, TRUE);
    EXPECT_THAT(problems(), HasSubstr("GENCLIP_MAX_AMOUNT")) << wrong;
  }
  g_unsetenv("GENCLIP_MAX_AMOUNT");
  g_unsetenv("GENCLIP_PROJECT");
}

TEST_F(ClipPlanTest, TakesFromTheEnvironmentHowManyTasksMayRunAtOnce) {
  EXPECT_EQ(job().max_tasks, 0u);
  for (const auto &[text, number] : {std::pair{"4", 4u}, {"0", 0u}, {"", 0u}}) {
    g_setenv("GENCLIP_MAX_TASKS", text, TRUE);
    EXPECT_EQ(job().max_tasks, number);
  }
  for (const char *wrong : {"four", "-1", "1.5"}) {
    g_setenv("GENCLIP_MAX_TASKS", wrong, TRUE);
    EXPECT_THAT(problems(), HasSubstr("GENCLIP_MAX_TASKS")) << wrong;
  }
  g_unsetenv("GENCLIP_MAX_TASKS");
}

class ClipPlanReferences : public ClipPlanTest {
 protected:
  ~ClipPlanReferences() override {
    for (const char *variable : {"GENCLIP_PUBLISH_FOLDER", "GENCLIP_PUBLISH_URL", "GENCLIP_PUBLISH_COMMAND",
                                 "GENCLIP_PUBLISH_ROOTS"})
      g_unsetenv(variable);
  }
  void refer_to(const char *field, const char *reference) {
    request_.fields.set(field, Json::Array{reference});
  }
};

// What the environment has is set for many runs, also for those that only play what is stored.
TEST_F(ClipPlanReferences, AloneNeedAnEnvironmentThatPublishesInOneWay) {
  g_setenv("GENCLIP_PUBLISH_FOLDER", "/srv/www", TRUE);
  g_setenv("GENCLIP_PUBLISH_URL", "https://p.example/refs", TRUE);
  g_setenv("GENCLIP_PUBLISH_COMMAND", "/usr/bin/publish", TRUE);
  EXPECT_EQ(problems(), "");
  refer_to("reference_images", "https://p.example/a.png");
  EXPECT_EQ(problems(), "");
  refer_to("reference_images", "/home/me/a.png");
  EXPECT_THAT(problems(), HasSubstr("The environment has both"));
  request_ = {};
  run_.task_id = "t-1";
  EXPECT_EQ(problems(), "") << "attaching publishes nothing";
}

TEST_F(ClipPlanReferences, ToFilesNeedPublishing) {
  refer_to("reference_images", "/home/me/a.png");
  EXPECT_THAT(problems(), HasSubstr("set publish-folder and publish-url"));
  run_.publish_folder = "/srv/www";
  EXPECT_THAT(problems(), HasSubstr("publish-folder is set without publish-url"));
  run_.publish_url = "https://p.example/refs";
  EXPECT_EQ(problems(), "");
  EXPECT_EQ(job().publish.folder, "/srv/www");
  EXPECT_EQ(job().publish.url, "https://p.example/refs");
  run_.publish_url = "ftp://p.example/refs";
  EXPECT_THAT(problems(), HasSubstr("publish-url must be an http or https URL"));
  for (const char *url : {"https://p.example/a b", "https://p.example/a\tb"}) {
    run_.publish_url = url;
    EXPECT_THAT(problems(), HasSubstr("publish-url contains a blank")) << url;
  }
  run_.publish_folder = run_.publish_url = "";
  g_setenv("GENCLIP_PUBLISH_COMMAND", "/usr/bin/publish", TRUE);
  EXPECT_EQ(problems(), "");
  EXPECT_EQ(job().publish.command, "/usr/bin/publish");
}

TEST_F(ClipPlanReferences, OfAPrivateNetworkAreRefusedForAPublicService) {
  for (const char *url : {"http://localhost:8000/a.png", "http://192.168.1.5/a.png"}) {
    run_.base_url = "https://api.example";
    refer_to("reference_images", url);
    EXPECT_THAT(problems(), HasSubstr("reference_images is at an address of this machine")) << url;
    for (const char *service : {"http://127.0.0.1:8080", "http://10.0.0.7", "http://genclip-proxy"}) {
      run_.base_url = service;
      EXPECT_EQ(problems(), "") << url << " " << service;
    }
    run_.base_url = "";
    run_.dry_run = true;
    EXPECT_EQ(problems(), "") << "the address may still become a private one";
    run_.dry_run = false;
  }
}

TEST_F(ClipPlanReferences, ArePublishedAtAPublicUrlForAPublicService) {
  run_.publish_folder = "/srv/www";
  run_.publish_url = "http://127.0.0.1:8000";
  refer_to("reference_images", "https://m.example/a.png");
  EXPECT_EQ(problems(), "") << "nothing is published";
  for (const char *published : {"/home/me/a.png", "genclip://dance-2.5?prompt=x#last"}) {
    refer_to("reference_images", published);
    run_.base_url = "https://api.example";
    EXPECT_THAT(problems(), HasSubstr("publish-url is at an address of this machine")) << published;
    run_.base_url = "http://127.0.0.1:8080";
    EXPECT_EQ(problems(), "") << published;
  }
}

TEST_F(ClipPlanReferences, AreHeldAgainstThatAlsoWhenTheirUrlIsKnownOnlyLater) {
  for (const bool is_public : {true, false}) {
    run_.base_url = is_public ? "https://api.example" : "http://127.0.0.1:8080";
    const auto plan = plan_clip(request_, run_);
    ASSERT_TRUE(plan) << plan.error().text;
    EXPECT_EQ(plan->job.publish.refuses_private_hosts, is_public) << "a publish command prints it";
  }
}

TEST_F(ClipPlanReferences, ToWholeClipsNeedAPublicServiceOrPublishing) {
  refer_to("reference_videos", "genclip://dance-2.5?prompt=x");
  EXPECT_EQ(problems(), "");
  run_.base_url = "http://127.0.0.1:8080";
  const auto plan = plan_clip(request_, run_);
  ASSERT_TRUE(plan) << "a stored clip needs nothing";
  EXPECT_THAT(problems_text(plan->job.request->unpublished()), HasSubstr("a service at a private address"));
  g_setenv("GENCLIP_PUBLISH_FOLDER", "/srv/www", TRUE);
  g_setenv("GENCLIP_PUBLISH_URL", "https://p.example", TRUE);
  EXPECT_EQ(problems(), "");
  g_unsetenv("GENCLIP_PUBLISH_FOLDER");
  g_unsetenv("GENCLIP_PUBLISH_URL");
  run_.base_url = "";
  run_.dry_run = true;
  EXPECT_EQ(problems(), "") << "the address may still become a public one";
}

TEST_F(ClipPlanReferences, ChangeNoIdentityOfOthers) {
  refer_to("reference_images", "https://media.example/a.png");
  const std::string digest = job().identity.digest();
  // printf %s '{"api":"tasks","base_url":"https://api.example","request":{"model":"dance-2.5","prompt":"a
  // storm","reference_images":["https://media.example/a.png"]},"take":0}' | sha256sum
  EXPECT_EQ(digest, "a9ea47779c41c91c7d55c590bba51b7340469662c669a513c21a64750a9fd8dd");
  run_.publish_folder = "/srv/www";
  run_.publish_url = "https://p.example";
  EXPECT_EQ(job().identity.digest(), digest);
}

TEST_F(ClipPlanReferences, ArePublishedInOneWay) {
  refer_to("reference_images", "/home/me/a.png");
  g_setenv("GENCLIP_PUBLISH_COMMAND", "/usr/bin/publish", TRUE);
  g_setenv("GENCLIP_PUBLISH_FOLDER", "/srv/www", TRUE);
  g_setenv("GENCLIP_PUBLISH_URL", "https://p.example", TRUE);
  EXPECT_THAT(problems(), HasSubstr("GENCLIP_PUBLISH_COMMAND"));
  run_.publish_folder = "/srv/other";
  EXPECT_EQ(problems(), "") << "what the user has set here wins";
  EXPECT_EQ(job().publish.command, "");
  EXPECT_EQ(job().publish.url, "https://p.example");
}

// M15: an application may change its current folder while the clip is generated.
TEST_F(ClipPlanReferences, AreOfTheFolderInWhichTheRunWasPlanned) {
  const TemporaryFolder elsewhere;
  std::ofstream(folder_.file("k.png")) << "planned";
  std::ofstream(elsewhere.file("k.png")) << "another";
  g_setenv("GENCLIP_PUBLISH_ROOTS", folder_.path().c_str(), TRUE);
  request_.model = "sd_2.0_special";
  refer_to("first_image", "genclip://sd_2.0_special?prompt=x&first_image=k.png#last");
  refer_to("last_image", "k.png");
  run_.publish_folder = "public";
  run_.publish_url = "https://p.example";
  GenerationJob planned, early;
  {
    const CurrentFolder current(folder_.path());
    planned = job();
    run_.store = "store";
    early = job();
  }
  EXPECT_EQ(planned.publish.folder, folder_.file("public"));
  EXPECT_EQ(planned.publish.working_folder, folder_.path());
  EXPECT_EQ(early.store, folder_.file("store"));
  const CurrentFolder current(elsewhere.path());
  const auto found = identify_request(planned, {}, false, nullptr);
  ASSERT_TRUE(found) << found.error().text;
  const GStringPtr sha256(g_compute_checksum_for_string(G_CHECKSUM_SHA256, "planned", -1));
  EXPECT_EQ(found->files.at(1).sha256, sha256.get());
  EXPECT_EQ(found->clips.at(0)->files.at(0).sha256, sha256.get()) << "inside a clip too";

  std::filesystem::remove(folder_.file("k.png"));
  EXPECT_THAT(identify_request(planned, {}, false, nullptr).error().text, HasSubstr("(k.png)"))
      << "as it was given";
}

TEST_F(ClipPlanReferences, OfAPlanThatIsMadeLaterMayBeOfAnotherFolder) {
  run_.working_folder = "/srv/channel";
  run_.publish_folder = "public";
  run_.publish_url = "https://p.example";
  EXPECT_EQ(job().publish.folder, "/srv/channel/public");
  EXPECT_EQ(job().publish.working_folder, "/srv/channel");
}

TEST_F(ClipPlanReferences, OfUrisAreBelowRootsWithFullPaths) {
  g_setenv("GENCLIP_PUBLISH_ROOTS", ":/srv/a::/srv/b:", TRUE);
  EXPECT_EQ(job().publish.roots, (std::vector<std::string>{"/srv/a", "/srv/b"}));
  g_setenv("GENCLIP_PUBLISH_ROOTS", "/srv/a:pictures", TRUE);
  EXPECT_EQ(problems(), "") << "the run publishes nothing";
  refer_to("reference_images", "/home/me/a.png");
  run_.publish_folder = "/srv/www";
  run_.publish_url = "https://p.example";
  EXPECT_THAT(problems(), HasSubstr("GENCLIP_PUBLISH_ROOTS"));
}

}  // namespace
}  // namespace genclip::test
