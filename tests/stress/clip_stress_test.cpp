// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclipsrc under everything at once: it does not crash, hang, fail or submit twice, and works afterwards.
#include <gtest/gtest.h>

#include "tests/elements/clip_pipeline.h"
#include "tests/elements/scripted_service.h"
#include "tests/stress/stress.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

constexpr size_t kSize = 300'000;
constexpr unsigned kTakes = 4;

// A task takes a few polls, and sometimes the service fails.
Script moody() {
  const std::string busy = answer(200, R"({"id":"t-7","status":"processing","progress":40})");
  const std::string done =
      answer(200, R"({"id":"t-7","status":"completed","video_url":"URL/clip.mp4?sig=s3cr3t"})");
  const std::string clip = answer(200, small_clip(kSize));
  return {.poll = {busy, busy, done, busy, answer(502, "{}"), busy, done, done},
          .media = {clip.substr(0, 100'000), clip}};
}

class ClipStress : public testing::TestWithParam<const char *> {};

TEST_P(ClipStress, IsBorneAndLeavesAWorkingElement) {
  TemporaryFolder store;
  ScriptedService service(moody());
  ClipPipeline clip(GetParam());
  use(clip, service.url(), store.path());
  clip.set("retries", "20");
  clip.set("http-timeout", "2");  // The first answer stops halfway.
  GstElement *pipeline = clip.pipeline();
  const Toll toll = stress(
      pipeline,
      {change_state(pipeline), change_state(pipeline), change_state(pipeline),
       seek(pipeline, GST_FORMAT_BYTES, kSize),
       query(clip.src(), {[] { return gst_query_new_duration(GST_FORMAT_BYTES); }, gst_query_new_scheduling,
                          gst_query_new_uri, [] { return gst_query_new_seeking(GST_FORMAT_BYTES); },
                          gst_query_new_latency, [] { return gst_query_new_position(GST_FORMAT_BYTES); }}),
       query(pipeline, {[] { return gst_query_new_duration(GST_FORMAT_BYTES); }, gst_query_new_latency,
                        [] { return gst_query_new_position(GST_FORMAT_BYTES); }}),
       get_properties(clip.src(), {"status", "progress", "amount", "actual-duration", "task-id",
                                   "clip-location", "model", "prompt", "extra-params", "reference-images"}),
       set_property(clip.src(), {{"take", "0"},
                                 {"take", "1"},
                                 {"take", "2"},
                                 {"take", "3"},
                                 {"poll-interval", "10"},
                                 {"http-timeout", "2"},
                                 {"store-max-size", "0"}})});
  for (const unsigned times : toll.times) EXPECT_GT(times, 0u);
  for (const std::string &error : toll.errors) ADD_FAILURE() << error;
  EXPECT_LT(toll.slowest, time_limit(std::chrono::seconds(20)));
  clip.go(GST_STATE_NULL);
  clip.seen.clear();
  const auto error = clip.play();
  EXPECT_FALSE(error) << error->text;
  EXPECT_LE(service.submits(), static_cast<long>(kTakes));
}

INSTANTIATE_TEST_SUITE_P(Pipelines, ClipStress,
                         testing::Values("fakesink name=sink sync=false",
                                         "queue ! fakesink name=sink sync=false",
                                         "typefind ! fakesink name=sink sync=false"));

}  // namespace
}  // namespace genclip::test
