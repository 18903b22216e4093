// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Failures of the service end with an error in the expected domain and a helpful text, or are recovered from.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include "tests/elements/clip_pipeline.h"
#include "tests/elements/scripted_service.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

struct Failure {
  const char *name;
  Script script;
  GQuark domain;
  int code;
  std::vector<std::string> texts;  // each a part of the error's text
  unsigned http_status = 0;
  bool names_task = false;
};

void PrintTo(const Failure &failure, std::ostream *out) { *out << failure.name; }

Failure resource(const char *name, Script script, GstResourceError code, std::vector<std::string> texts,
                 unsigned http_status = 0, bool names_task = false) {
  return {name,        std::move(script), GST_RESOURCE_ERROR, static_cast<int>(code), std::move(texts),
          http_status, names_task};
}

Script submit(std::string text) { return {.submit = {std::move(text)}}; }
Script poll(std::string text) { return {.poll = {std::move(text)}}; }
Script media(std::string text) { return {.media = {std::move(text)}}; }

std::vector<Failure> failures() {
  const std::string page = "<!DOCTYPE html><html><body>Sign in</body></html>";
  return {
      resource("SubmitUnauthorized", submit(answer(401, R"({"error":{"message":"bad token"}})")),
               GST_RESOURCE_ERROR_NOT_AUTHORIZED, {"key", "bad token"}, 401),
      resource("SubmitWithoutCredits", submit(answer(402, R"({"message":"balance is 0"})")),
               GST_RESOURCE_ERROR_NOT_AUTHORIZED, {"credits", "balance is 0"}, 402),
      resource("SubmitForbidden", submit(answer(403, "{}")), GST_RESOURCE_ERROR_NOT_AUTHORIZED, {}, 403),
      resource("SubmitToNowhere", submit(answer(404, "<html>no</html>")), GST_RESOURCE_ERROR_NOT_FOUND,
               {"base-url"}, 404),
      resource("SubmitRefused", submit(answer(400, R"({"detail":"prompt was rejected by moderation"})")),
               GST_RESOURCE_ERROR_SETTINGS, {"prompt was rejected by moderation"}, 400),
      resource("SubmitTooOften", submit(answer(429, R"({"error":"slow down"})", "Retry-After: 0\r\n")),
               GST_RESOURCE_ERROR_BUSY, {}, 429),
      resource("SubmitFailsInside", submit(answer(500, "oops")), GST_RESOURCE_ERROR_OPEN_READ,
               {"unknown", "task-id"}, 500),
      resource("SubmitAnsweredWithoutAnId", submit(answer(200, "{}")), GST_RESOURCE_ERROR_READ,
               {"task ID", "unknown"}, 200),
      resource("SubmitAnsweredWithAPage", submit(answer(200, page)), GST_RESOURCE_ERROR_READ, {"unknown"},
               200),
      resource("PollUnauthorized", poll(answer(401, "{}")), GST_RESOURCE_ERROR_NOT_AUTHORIZED, {"key"}, 401,
               true),
      resource("PollFailsInsideForEver", poll(answer(500, "{}")), GST_RESOURCE_ERROR_OPEN_READ, {}, 500,
               true),
      resource("TaskFails",
               poll(answer(200, R"({"id":"t-7","status":"failed","error":{"message":"NSFW content"}})")),
               GST_RESOURCE_ERROR_FAILED, {"NSFW content"}, 0, true),
      resource("TaskHasNoUrl", poll(answer(200, R"({"id":"t-7","status":"completed"})")),
               GST_RESOURCE_ERROR_NOT_FOUND, {"no URL"}, 0, true),
      {"MediaIsAPage",
       media(answer(200, page, "Content-Type: text/html\r\n")),
       GST_STREAM_ERROR,
       GST_STREAM_ERROR_WRONG_TYPE,
       {"page"},
       0,
       true},
      resource("MediaFailsInside", media(answer(500, "")), GST_RESOURCE_ERROR_OPEN_READ, {}, 500, true),
      resource("MediaIsGone", media(answer(404, "")), GST_RESOURCE_ERROR_NOT_FOUND, {}, 404, true),
      resource("MediaIsForbidden", media(answer(403, "")), GST_RESOURCE_ERROR_NOT_AUTHORIZED, {}, 403, true),
      resource("MediaIsTooLarge", media("HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\n"),
               GST_RESOURCE_ERROR_READ, {"max-download-size"}, 0, true),
  };
}

// The last element message's status, and whether each progress that began has ended.
std::string last_status(const ClipPipeline &clip) {
  const GstStructure *task = clip.posted("genclip-task");
  return task ? gst_structure_get_string(task, "status") : "";
}

int open_progresses(const ClipPipeline &clip) {
  int open = 0;
  for (const auto &message : clip.seen) {
    if (GST_MESSAGE_TYPE(message.get()) != GST_MESSAGE_PROGRESS) continue;
    GstProgressType type;
    gst_message_parse_progress(message.get(), &type, nullptr, nullptr);
    if (type == GST_PROGRESS_TYPE_START) ++open;
    if (type == GST_PROGRESS_TYPE_COMPLETE || type == GST_PROGRESS_TYPE_ERROR) --open;
  }
  return open;
}

class ClipFailure : public testing::TestWithParam<Failure> {};

TEST_P(ClipFailure, EndsInItsDomainWithATextToActOn) {
  const Failure &failure = GetParam();
  TemporaryFolder store;
  ScriptedService service(failure.script);
  ClipPipeline clip;
  use(clip, service.url(), store.path());
  // A paid task is queried until then, whatever the service answers.
  if (failure.names_task) clip.set("timeout", "3");
  const auto error = clip.play();
  ASSERT_TRUE(error);
  ASSERT_TRUE(error->message) << error->text;
  EXPECT_EQ(error->domain, failure.domain) << error->text;
  EXPECT_EQ(error->code, failure.code) << error->text;
  for (const std::string &text : failure.texts)
    EXPECT_NE(error->text.find(text), std::string::npos) << '"' << text << "\" in: " << error->text;
  EXPECT_EQ(error->detail("http-status"), failure.http_status ? std::to_string(failure.http_status) : "");
  EXPECT_EQ(error->detail("task-id"), failure.names_task ? "t-7" : "");
  for (const std::string &secret : {std::string(kKey), std::string("s3cr3t")}) {
    const GStringPtr whole(gst_structure_to_string(gst_message_get_structure(error->message.get())));
    EXPECT_EQ(std::string(whole.get()).find(secret), std::string::npos) << whole.get();
  }
  EXPECT_LE(service.submits(), failure.http_status == 429 ? 2 : 1);
  EXPECT_EQ(clip.get("status"), "failed");
  // All messages come before the error, because applications stop listening after it.
  EXPECT_EQ(last_status(clip), "failed");
  EXPECT_EQ(open_progresses(clip), 0);
  if (HasFailure()) GTEST_LOG_(INFO) << error->text << " / " << error->debug;
}

INSTANTIATE_TEST_SUITE_P(ClipSrc, ClipFailure, testing::ValuesIn(failures()),
                         [](const auto &row) { return row.param.name; });

TEST(ClipErrors, AServiceThatIsNotThereIsSaidSo) {
  TemporaryFolder store;
  ClipPipeline clip;
  use(clip, "http://127.0.0.1:" + std::to_string(refused_port()), store.path());
  const auto error = clip.play();
  ASSERT_TRUE(error);
  EXPECT_TRUE(error->is(GST_RESOURCE_ERROR_OPEN_READ)) << error->code;
  EXPECT_NE(error->text.find("127.0.0.1"), std::string::npos) << error->text;
}

// An error that comes before its main loop runs would never end gst-launch.
TEST(ClipErrors, ComeWhenTheApplicationHasBegun) {
  TemporaryFolder store;
  ScriptedService service({.submit = {answer(402, "{}")}});
  for (int i = 0; i < 2; ++i) {
    ClipPipeline clip;
    use(clip, service.url(), store.path());
    const auto begun = std::chrono::steady_clock::now();
    ASSERT_TRUE(clip.play());
    EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(100));
  }
}

TEST(ClipErrors, AnElementCanBeUsedAgainAfterOne) {
  TemporaryFolder store;
  ScriptedService service(
      {.submit = {answer(402, "{}"), answer(200, R"({"id":"t-7"})")}, .media = {answer(200, small_clip())}});
  ClipPipeline clip;
  use(clip, service.url(), store.path());
  EXPECT_TRUE(clip.play());
  clip.go(GST_STATE_NULL);
  EXPECT_EQ(clip.get("status"), "idle");
  const auto error = clip.play();
  EXPECT_FALSE(error) << error->text;
  EXPECT_EQ(service.submits(), 2);
}

TEST(ClipErrors, OfTransientKindAreRecoveredFrom) {
  TemporaryFolder store;
  ScriptedService service(
      {.submit = {answer(503, "", "Retry-After: 0\r\n"), answer(200, R"({"id":17})")},
       .poll = {answer(404, "{}", "Retry-After: 0\r\n"), answer(502, "", "Retry-After: 0\r\n"),
                answer(200, R"({"status":"Succeeded","video_url":"URL/c"})")},
       .media = {answer(503, "", "Retry-After: 0\r\n"), answer(200, small_clip())}});
  ClipPipeline clip;
  use(clip, service.url(), store.path());
  clip.set("retries", "3");
  const auto error = clip.play();
  EXPECT_FALSE(error) << error->text;
  EXPECT_EQ(service.submits(), 2);
}

}  // namespace
}  // namespace genclip::test
