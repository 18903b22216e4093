// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The action signal prefetch: a clip is generated before its pipeline plays.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "tests/elements/clip_pipeline.h"
#include "tests/elements/scripted_service.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

bool prefetch(ClipPipeline &clip) {
  gboolean started = FALSE;
  g_signal_emit_by_name(clip.src(), "prefetch", &started);
  return started;
}

testing::AssertionResult comes_to(ClipPipeline &clip, const char *status) {
  const auto message = clip.wait_for_element("genclip-task", [&](const GstStructure *task) {
    return g_str_equal(gst_structure_get_string(task, "status"), status);
  });
  return message ? testing::AssertionSuccess() : testing::AssertionFailure() << "never " << status;
}

long count_of(const ClipPipeline &clip, GstProgressType wanted) {
  return std::count_if(clip.seen.begin(), clip.seen.end(), [&](const GRef<GstMessage> &message) {
    if (GST_MESSAGE_TYPE(message.get()) != GST_MESSAGE_PROGRESS) return false;
    GstProgressType type;
    gst_message_parse_progress(message.get(), &type, nullptr, nullptr);
    return type == wanted;
  });
}

std::string processing() { return answer(200, R"({"id":"t-7","status":"processing"})"); }
std::string completed() {
  return answer(200, R"({"id":"t-7","status":"completed","video_url":"URL/clip.mp4"})");
}

class Prefetch : public testing::Test {
 protected:
  TemporaryFolder store_;
};

TEST_F(Prefetch, GeneratesInReadyWhatPlayingThenShows) {
  ScriptedService service;
  ClipPipeline clip;
  use(clip, service.url(), store_.path());
  clip.go(GST_STATE_READY);
  ASSERT_TRUE(prefetch(clip));
  ASSERT_TRUE(comes_to(clip, "completed"));
  EXPECT_TRUE(std::ranges::none_of(clip.seen, [](const GRef<GstMessage> &message) {
    return GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_BUFFERING;
  })) << "nobody plays yet";
  EXPECT_EQ(clip.get("status"), "completed");
  EXPECT_TRUE(g_file_test(clip.get("clip-location").c_str(), G_FILE_TEST_IS_REGULAR));
  const size_t requests = service.requests().size();
  const auto error = clip.play();
  EXPECT_FALSE(error) << error->text;
  EXPECT_EQ(service.requests().size(), requests) << "playing asked the service again";
}

TEST_F(Prefetch, IsAttachedToByPlayingWithoutBeginningItsMessagesAnew) {
  ScriptedService service({.poll = {processing(), processing(), processing(), completed()}});
  ClipPipeline clip;
  use(clip, service.url(), store_.path());
  clip.set("poll-interval", "200");
  clip.go(GST_STATE_READY);
  ASSERT_TRUE(prefetch(clip));
  EXPECT_TRUE(prefetch(clip)) << "twice is once";
  ASSERT_TRUE(comes_to(clip, "processing"));
  const auto error = clip.play();
  EXPECT_FALSE(error) << error->text;
  EXPECT_EQ(service.submits(), 1);
  EXPECT_EQ(count_of(clip, GST_PROGRESS_TYPE_START), 2) << "submit and generate";
  EXPECT_EQ(count_of(clip, GST_PROGRESS_TYPE_CANCELED), 0);
}

std::atomic<unsigned> criticals = 0;

// GStreamer says once that the application is wrong. The element's threads post no more messages from then
// on.
TEST_F(Prefetch, OfAnElementThatIsDroppedInReadyTellsItNothingMore) {
  Script script;
  script.poll.clear();
  for (int i = 1; i < 90; ++i)
    script.poll.push_back(
        answer(200, R"({"id":"t-7","status":"processing","progress":)" + std::to_string(i) + "}"));
  ScriptedService service(script);
  GstElement *src = GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("genclipsrc", nullptr)));
  g_object_set(src, "model", "dance-2.5", "prompt", "x", "base-url", service.url().c_str(), "store",
               store_.path().c_str(), "poll-interval", 10, "api-key", kKey, nullptr);
  gst_element_set_state(src, GST_STATE_READY);
  gboolean started = FALSE;
  g_signal_emit_by_name(src, "prefetch", &started);
  ASSERT_TRUE(started);
  const auto end = std::chrono::steady_clock::now() + kHang;
  while (service.requests().size() < 3 && std::chrono::steady_clock::now() < end) g_usleep(1000);
  criticals = 0;
  const auto fatal = g_log_set_always_fatal(G_LOG_LEVEL_ERROR);
  const GLogFunc before = g_log_set_default_handler(
      [](const gchar *, GLogLevelFlags level, const gchar *, gpointer) {
        if (level & G_LOG_LEVEL_CRITICAL) ++criticals;  // GIO logs for debugging too.
      },
      nullptr);
  gst_object_unref(src);
  g_usleep(200'000);
  g_log_set_default_handler(before, nullptr);
  g_log_set_always_fatal(fatal);
  EXPECT_EQ(criticals, 1U);
}

TEST_F(Prefetch, LeavesTheTaskWithTheServiceInNull) {
  ScriptedService service;
  {
    ClipPipeline clip;
    use(clip, service.url(), store_.path());
    clip.set("poll-interval", "600000");
    clip.go(GST_STATE_READY);
    ASSERT_TRUE(prefetch(clip));
    ASSERT_TRUE(comes_to(clip, "queued"));
    EXPECT_LT(clip.time_to(GST_STATE_NULL), time_limit(std::chrono::seconds(1)));
    EXPECT_EQ(clip.get("status"), "idle");
  }
  ClipPipeline later;
  use(later, service.url(), store_.path());
  const auto error = later.play();
  EXPECT_FALSE(error) << error->text;
  EXPECT_EQ(service.submits(), 1);
}

TEST_F(Prefetch, IsRefusedInNull) {
  ScriptedService service;
  ClipPipeline clip;
  use(clip, service.url(), store_.path());
  EXPECT_FALSE(prefetch(clip));
  clip.go(GST_STATE_READY);
  clip.go(GST_STATE_NULL);
  EXPECT_FALSE(prefetch(clip));
  EXPECT_TRUE(service.requests().empty());
}

TEST_F(Prefetch, PostsOneErrorForASettingThatCannotBe) {
  ScriptedService service;
  ClipPipeline clip;
  use(clip, service.url(), store_.path());
  clip.set("duration", "3000");
  clip.go(GST_STATE_READY);
  EXPECT_FALSE(prefetch(clip));
  const auto message = clip.wait(GST_MESSAGE_ERROR);
  ASSERT_TRUE(message);
  EXPECT_TRUE(error_of(message).is(GST_RESOURCE_ERROR_SETTINGS));
  EXPECT_TRUE(service.requests().empty());
}

TEST_F(Prefetch, WarnsOfAFailureAndLeavesTheErrorToPlaying) {
  ScriptedService service({.submit = {answer(400, R"({"error":"no such style"})"),
                                      answer(200, R"({"id":"t-7","status":"queued"})")}});
  ClipPipeline clip;
  use(clip, service.url(), store_.path());
  clip.go(GST_STATE_READY);
  ASSERT_TRUE(prefetch(clip));
  const auto message = clip.wait(static_cast<GstMessageType>(GST_MESSAGE_WARNING | GST_MESSAGE_ERROR));
  ASSERT_TRUE(message);
  ASSERT_EQ(GST_MESSAGE_TYPE(message.get()), GST_MESSAGE_WARNING);
  EXPECT_NE(error_of(message).text.find("no such style"), std::string::npos) << error_of(message).text;
  EXPECT_EQ(clip.get("status"), "failed");
  const auto error = clip.play();
  EXPECT_FALSE(error) << error->text;
  EXPECT_EQ(service.submits(), 2) << "playing begins anew after a failure";
}

TEST_F(Prefetch, DoesNotServeARequestThatHasChangedSince) {
  ScriptedService service;
  ClipPipeline clip;
  use(clip, service.url(), store_.path());
  clip.go(GST_STATE_READY);
  ASSERT_TRUE(prefetch(clip));
  ASSERT_TRUE(comes_to(clip, "completed"));
  const std::string former = clip.get("clip-location");
  clip.set("prompt", "another");
  const auto error = clip.play();
  EXPECT_FALSE(error) << error->text;
  EXPECT_EQ(service.submits(), 2);
  EXPECT_NE(clip.get("clip-location"), former);
}

TEST_F(Prefetch, OfAStoredClipAsksNobody) {
  ScriptedService service;
  ClipPipeline first;
  use(first, service.url(), store_.path());
  ASSERT_FALSE(first.play());
  const size_t requests = service.requests().size();
  ClipPipeline clip;
  use(clip, service.url(), store_.path());
  clip.go(GST_STATE_READY);
  ASSERT_TRUE(prefetch(clip));
  ASSERT_TRUE(comes_to(clip, "completed"));
  EXPECT_EQ(service.requests().size(), requests);
}

}  // namespace
}  // namespace genclip::test
