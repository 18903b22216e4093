// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Requirements of every element: state cycles, reuse, two in a pipeline, concurrent calls from several
// threads.
#include <gst/check/gstharness.h>
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/elements/clip_pipeline.h"
#include "tests/elements/scripted_service.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

ptrdiff_t entries(const char *folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

TEST(ClipGeneric, AHundredCyclesOfAStoredClipLeaveNothingBehind) {
  TemporaryFolder store;
  ScriptedService service;
  ptrdiff_t files = 0;
  for (int cycle = 0; cycle < 100; ++cycle) {
    ClipPipeline clip;
    use(clip, service.url(), store.path());
    const auto error = clip.play();
    ASSERT_FALSE(error) << error->text;
    clip.go(GST_STATE_NULL);
    if (cycle == 10) files = entries("/proc/self/fd");
  }
  EXPECT_LE(entries("/proc/self/fd"), files + 2);
  EXPECT_EQ(service.submits(), 1);
}

TEST(ClipGeneric, AHundredCyclesOfOneElementUpToPlaying) {
  TemporaryFolder store;
  ScriptedService service;
  ClipPipeline clip;
  use(clip, service.url(), store.path());
  for (int cycle = 0; cycle < 100; ++cycle) {
    const auto error = clip.play();
    ASSERT_FALSE(error) << error->text;
    clip.go(cycle % 2 ? GST_STATE_NULL : GST_STATE_READY);
    clip.seen.clear();
  }
  EXPECT_EQ(service.submits(), 1);
}

TEST(ClipGeneric, AHundredCyclesWithNoPropertySetFailAndNothingElse) {
  auto src = GRef<GstElement>::adopt(
      GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("genclipsrc", nullptr))));
  for (int cycle = 0; cycle < 100; ++cycle) {
    EXPECT_EQ(gst_element_set_state(src.get(), GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
    EXPECT_EQ(gst_element_set_state(src.get(), GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    EXPECT_EQ(gst_element_set_state(src.get(), GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  }
}

TEST(ClipGeneric, CyclesThatNobodyWaitsForAttachToOneTask) {
  TemporaryFolder store;
  ScriptedService service(
      {.poll = {answer(200, R"({"status":"processing"})"), answer(200, R"({"status":"processing"})"),
                answer(200, R"({"status":"completed","video_url":"URL/clip.mp4"})")}});
  ClipPipeline clip;
  use(clip, service.url(), store.path());
  for (int cycle = 0; cycle < 100; ++cycle) {
    clip.go(cycle % 2 ? GST_STATE_PAUSED : GST_STATE_PLAYING);
    clip.go(cycle % 3 ? GST_STATE_NULL : GST_STATE_READY);
  }
  const auto error = clip.play();
  EXPECT_FALSE(error) << error->text;
  EXPECT_LE(service.submits(), 1);
}

TEST(ClipGeneric, TwoInOnePipelineShareOneGeneration) {
  TemporaryFolder store;
  ScriptedService service;
  ClipPipeline clip("fakesink sync=false  genclipsrc name=other ! fakesink sync=false");
  use(clip, service.url(), store.path());
  const auto other = clip.element("other");
  for (const char *property : {"model", "prompt", "base-url", "store", "poll-interval"})
    gst_util_set_object_arg(G_OBJECT(other.get()), property, clip.get(property).c_str());
  g_object_set(other.get(), "api-key", kKey, nullptr);
  const auto error = clip.play();
  EXPECT_FALSE(error) << error->text;
  EXPECT_EQ(service.submits(), 1);
}

// As in the stress tests of GStreamer's own elements: each kind of call from its own thread.
TEST(ClipGeneric, BearsStatesPropertiesQueriesAndEventsFromAllSides) {
  TemporaryFolder store;
  ScriptedService service;
  auto src = GRef<GstElement>::adopt(
      GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("genclipsrc", nullptr))));
  g_object_set(src.get(), "model", "dance-2.5", "prompt", "x", "api-key", kKey, "base-url",
               service.url().c_str(), "store", store.path().c_str(), "poll-interval", 10, nullptr);
  GstHarness *harness = gst_harness_new_with_element(src.get(), nullptr, "src");
  GValue take = G_VALUE_INIT;
  g_value_init(&take, G_TYPE_UINT);
  // The harness takes its own references.
  const auto seek = GRef<GstEvent>::adopt(gst_event_new_seek(1, GST_FORMAT_BYTES, GST_SEEK_FLAG_FLUSH,
                                                             GST_SEEK_TYPE_SET, 10, GST_SEEK_TYPE_NONE, -1));
  const auto reconfigure = GRef<GstEvent>::adopt(gst_event_new_reconfigure());
  const auto query_all = [&] {
    GstQuery *queries[] = {gst_query_new_duration(GST_FORMAT_BYTES),
                           gst_query_new_scheduling(),
                           gst_query_new_uri(),
                           gst_query_new_seeking(GST_FORMAT_BYTES),
                           gst_query_new_latency(),
                           gst_query_new_position(GST_FORMAT_BYTES)};
    for (GstQuery *query : queries) {
      gst_element_query(src.get(), query);
      gst_query_unref(query);
    }
    for (const char *property : {"status", "progress", "amount", "task-id", "clip-location", "model"}) {
      GValue value = G_VALUE_INIT;
      g_object_get_property(G_OBJECT(src.get()), property, &value);
      g_value_unset(&value);
    }
  };
  // On a busy machine a thread may not have had its turn when it is stopped.
  bool have_all_run = false;
  for (int round = 0; round < 30 && !have_all_run; ++round) {
    GstHarnessThread *threads[] = {
        gst_harness_stress_statechange_start(harness),
        gst_harness_stress_property_start(harness, "take", &take),
        gst_harness_stress_send_upstream_event_start(harness, seek.get()),
        gst_harness_stress_send_upstream_event_start(harness, reconfigure.get()),
    };
    for (int i = 0; i < 300; ++i) {
      query_all();
      g_usleep(1000);
    }
    have_all_run = true;
    for (GstHarnessThread *thread : threads)
      have_all_run = gst_harness_stress_thread_stop(thread) > 0 && have_all_run;
  }
  EXPECT_TRUE(have_all_run);
  gst_harness_teardown(harness);
  EXPECT_LE(service.submits(), 1);
}

}  // namespace
}  // namespace genclip::test
