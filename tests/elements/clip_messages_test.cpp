// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Messages of a run that is stopped, or that are late: which of them are posted, and which threads wait.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "plugin/base/mutex.h"
#include "tests/elements/clip_pipeline.h"
#include "tests/elements/scripted_service.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

using namespace std::chrono_literals;

struct Progress {
  GstProgressType type;
  std::string code, text;
};

Progress progress_of(GstMessage *message) {
  GstProgressType type;
  char *code = nullptr;
  char *text = nullptr;
  gst_message_parse_progress(message, &type, &code, &text);
  return {type, GStringPtr(code).get(), GStringPtr(text).get()};
}

// READY, for a pipeline drops its messages on the way to NULL.
Progress progress_of_a_stop_at(const Script &script, const char *status) {
  TemporaryFolder store;
  ScriptedService service(script);
  ClipPipeline clip;
  use(clip, service.url(), store.path());
  clip.set("poll-interval", "600000");
  clip.go(GST_STATE_PLAYING);
  EXPECT_TRUE(clip.wait_for_element("genclip-task", [&](const GstStructure *task) {
    return g_str_equal(gst_structure_get_string(task, "status"), status);
  }));
  clip.go(GST_STATE_READY);
  for (;;) {
    const auto message = clip.wait(GST_MESSAGE_PROGRESS);
    if (!message) {
      ADD_FAILURE() << "what was begun never ends";
      return {};
    }
    const Progress progress = progress_of(message.get());
    if (progress.type == GST_PROGRESS_TYPE_CANCELED) return progress;
    EXPECT_NE(progress.type, GST_PROGRESS_TYPE_ERROR) << progress.text;
  }
}

// ---- BUFFERING.

// "40" for a message of BUFFERING, and "preroll".
std::vector<std::string> buffering_of(const ClipPipeline &clip) {
  std::vector<std::string> told;
  for (const auto &message : clip.seen) {
    int percent = 0;
    switch (GST_MESSAGE_TYPE(message.get())) {
      case GST_MESSAGE_BUFFERING:
        gst_message_parse_buffering(message.get(), &percent);
        told.push_back(std::to_string(percent));
        break;
      case GST_MESSAGE_ASYNC_DONE: told.emplace_back("preroll"); break;
      default: break;
    }
  }
  return told;
}

Script some_waiting(const std::string &end) {
  return {.poll = {answer(200, R"({"status":"queued"})"),
                   answer(200, R"({"status":"processing","progress":40})"), answer(200, end)}};
}

TEST(Buffering, ShowsTheWaitAndEndsBeforeTheFirstByte) {
  TemporaryFolder store;
  ScriptedService service(some_waiting(R"({"status":"completed","video_url":"URL/c"})"));
  for (const bool is_stored : {false, true}) {
    ClipPipeline clip;
    use(clip, service.url(), store.path());
    const auto error = clip.play();
    ASSERT_FALSE(error) << error->text;
    EXPECT_EQ(buffering_of(clip), is_stored ? (std::vector<std::string>{"preroll"})
                                            : (std::vector<std::string>{"0", "40", "100", "preroll"}));
  }
}

TEST(Buffering, EndsBeforeAnError) {
  TemporaryFolder store;
  ScriptedService service(some_waiting(R"({"status":"failed","error":"moderated"})"));
  ClipPipeline clip;
  use(clip, service.url(), store.path());
  ASSERT_TRUE(clip.play());
  EXPECT_EQ(buffering_of(clip), (std::vector<std::string>{"0", "40", "100"})) << "before the error";
}

// On return, without a wait: nobody looks at the bus later, and NULL flushes it.
TEST(Buffering, HasEndedWhenTheElementHasLeftPaused) {
  for (const GstState state : {GST_STATE_READY, GST_STATE_NULL}) {
    TemporaryFolder store;
    ScriptedService service(Script{});
    ClipPipeline clip;
    use(clip, service.url(), store.path());
    clip.set("poll-interval", "600000");
    clip.go(GST_STATE_PLAYING);
    ASSERT_TRUE(clip.wait(GST_MESSAGE_BUFFERING));
    static std::atomic<int> last;
    last = -1;
    const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(clip.pipeline()));
    gst_bus_set_sync_handler(
        bus.get(),
        [](GstBus *, GstMessage *message, gpointer) {
          int percent = 0;
          if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_BUFFERING) {
            gst_message_parse_buffering(message, &percent);
            last = percent;
          }
          return GST_BUS_PASS;
        },
        nullptr, nullptr);
    clip.go(state);
    EXPECT_EQ(last, 100) << gst_element_state_get_name(state);
    gst_bus_set_sync_handler(bus.get(), nullptr, nullptr, nullptr);
  }
}

TEST(Buffering, ComesInEachRunFromReady) {
  ClipPipeline clip;
  for (int run = 0; run < 2; ++run) {
    TemporaryFolder store;
    ScriptedService service(some_waiting(R"({"status":"completed","video_url":"URL/c"})"));
    use(clip, service.url(), store.path());
    const auto error = clip.play();
    ASSERT_FALSE(error) << error->text;
    EXPECT_EQ(buffering_of(clip), (std::vector<std::string>{"0", "40", "100", "preroll"})) << run;
    clip.go(GST_STATE_READY);
    clip.seen.clear();
  }
}

// It stays in PAUSED until its clip is there, and the pipeline plays on.
TEST(Buffering, IsNotPostedByWhatIsAddedToAPipelineThatPlays) {
  // Without async-handling, the pipeline leaves PLAYING for PAUSED until the bin is there.
  for (const bool async_handling : {true, false}) {
    SCOPED_TRACE(async_handling);
    TemporaryFolder store;
    ScriptedService service(some_waiting(R"({"status":"completed","video_url":"URL/c"})"));
    ClipPipeline clip("fakesink name=sink sync=false");
    use(clip, service.url(), store.path());
    const auto sink = clip.element("sink");
    auto *const pipeline = GST_BIN(clip.pipeline());
    for (GstElement *element : {clip.src(), sink.get()}) ASSERT_TRUE(gst_bin_remove(pipeline, element));
    ASSERT_TRUE(gst_bin_add(
        pipeline, gst_parse_bin_from_description("audiotestsrc ! fakesink sync=true", FALSE, nullptr)));
    clip.go(GST_STATE_PLAYING);
    ASSERT_EQ(gst_element_get_state(clip.pipeline(), nullptr, nullptr, GST_CLOCK_TIME_NONE),
              GST_STATE_CHANGE_SUCCESS);

    GstElement *late = gst_bin_new("late");
    g_object_set(late, "async-handling", static_cast<gboolean>(async_handling), nullptr);
    for (GstElement *element : {clip.src(), sink.get()}) ASSERT_TRUE(gst_bin_add(GST_BIN(late), element));
    ASSERT_TRUE(gst_element_link(clip.src(), sink.get()));
    ASSERT_TRUE(gst_bin_add(pipeline, late));
    ASSERT_TRUE(gst_element_sync_state_with_parent(late));
    ASSERT_TRUE(clip.wait_for_element("genclip-task", [](const GstStructure *task) {
      return g_str_equal(gst_structure_get_string(task, "status"), "completed");
    }));
    for (const std::string &told : buffering_of(clip)) EXPECT_EQ(told, "preroll");
  }
}

TEST(Buffering, CanBeSwitchedOff) {
  TemporaryFolder store;
  ScriptedService service(some_waiting(R"({"status":"completed","video_url":"URL/c"})"));
  ClipPipeline clip;
  use(clip, service.url(), store.path());
  clip.set("buffering-messages", "false");
  ASSERT_FALSE(clip.play());
  EXPECT_EQ(buffering_of(clip), (std::vector<std::string>{"preroll"}));
}

// ---- PROGRESS.

TEST(ClipMessages, SayThatWhatWasUnderWayIsCancelledWhenTheRunIsStopped) {
  const Progress generating = progress_of_a_stop_at({}, "queued");
  EXPECT_EQ(generating.code, "generate");
  EXPECT_NE(generating.text.find("run again to attach"), std::string::npos) << generating.text;

  const Progress submitting = progress_of_a_stop_at({.submit = {""}}, "submitting");
  EXPECT_EQ(submitting.code, "submit");
  EXPECT_EQ(submitting.text.find("attach"), std::string::npos) << submitting.text;

  const Progress waiting =
      progress_of_a_stop_at({.submit = {answer(429, "{}", "Retry-After: 300\r\n")}}, "submitting");
  EXPECT_EQ(waiting.code, "submit");
}

// As of gst-launch -e at Ctrl-C, which begins to play, and so comes to its end, once no progress is open.
TEST(EarlyEnd, ClosesTheProgressAndEndsTheStream) {
  for (const char *sink : {"fakesink sync=false", kPull}) {
    SCOPED_TRACE(sink);
    TemporaryFolder store;
    ScriptedService service({.poll = {answer(200, R"({"status":"queued"})")}});
    ClipPipeline clip(sink);
    use(clip, service.url(), store.path());
    clip.go(GST_STATE_PLAYING);
    ASSERT_TRUE(clip.wait_for_element("genclip-task", [](const GstStructure *task) {
      return g_str_equal(gst_structure_get_string(task, "status"), "queued");
    }));
    ASSERT_TRUE(gst_element_send_event(clip.pipeline(), gst_event_new_eos()));

    // In this order, but not if a handler of messages is slow just then.
    std::vector<Progress> told;
    bool has_ended = false;
    while (!has_ended || told.empty() || told.back().type != GST_PROGRESS_TYPE_CANCELED) {
      const auto message =
          clip.wait(static_cast<GstMessageType>(GST_MESSAGE_PROGRESS | GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
      ASSERT_TRUE(message) << (has_ended ? "the progress stays open" : "the stream never ends");
      if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_PROGRESS)
        told.push_back(progress_of(message.get()));
      else
        has_ended = true;
    }
    EXPECT_NE(told.back().text.find("run again to attach"), std::string::npos) << told.back().text;
    EXPECT_EQ(clip.get("status"), "queued") << "what is known stays";
    EXPECT_EQ(clip.get("task-id"), "t-7");
  }
}

TEST(EarlyEnd, LeavesTheTaskToWhoeverSeeksOrRunsNext) {
  TemporaryFolder store;
  ScriptedService service(Script{});
  ClipPipeline clip("fakesink name=sink sync=false");
  use(clip, service.url(), store.path());
  clip.set("poll-interval", "600000");
  clip.go(GST_STATE_PLAYING);
  ASSERT_TRUE(clip.wait_for_element("genclip-task", [](const GstStructure *task) {
    return g_str_equal(gst_structure_get_string(task, "status"), "queued");
  }));
  ASSERT_TRUE(gst_element_send_event(clip.pipeline(), gst_event_new_eos()));
  ASSERT_TRUE(clip.wait(GST_MESSAGE_EOS));

  ASSERT_TRUE(gst_element_seek_simple(clip.src(), GST_FORMAT_BYTES, GST_SEEK_FLAG_FLUSH, 0));
  const auto error = clip.finish();
  EXPECT_FALSE(error) << error->text;
  EXPECT_EQ(clip.get("status"), "completed");
  EXPECT_EQ(service.submits(), 1);
}

TEST(EarlyEnd, IsFollowedByAStreamThatBeginsAnew) {
  TemporaryFolder store;
  ScriptedService service(Script{});
  ClipPipeline clip("fakesink name=sink sync=false");
  use(clip, service.url(), store.path());
  ASSERT_FALSE(clip.play());
  const auto openings = [&clip] {
    return std::count_if(clip.seen.begin(), clip.seen.end(), [](const auto &message) {
      return GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_DURATION_CHANGED;
    });
  };
  const auto first = openings();
  EXPECT_GT(first, 0);
  gst_element_send_event(clip.src(), gst_event_new_eos());
  ASSERT_TRUE(gst_element_seek_simple(clip.src(), GST_FORMAT_BYTES, GST_SEEK_FLAG_FLUSH, 0));
  EXPECT_FALSE(clip.finish());
  EXPECT_GT(openings(), first) << "its messages are not waited for";
}

TEST(EarlyEnd, OfAClipThatWasMadeAnewIsFollowedByTheSameClip) {
  TemporaryFolder store;
  ScriptedService service(Script{});
  ClipPipeline clip("fakesink name=sink sync=false");
  use(clip, service.url(), store.path());
  clip.set("reuse", "false");
  ASSERT_FALSE(clip.play());
  gst_element_send_event(clip.src(), gst_event_new_eos());
  ASSERT_TRUE(gst_element_seek_simple(clip.src(), GST_FORMAT_BYTES, GST_SEEK_FLAG_FLUSH, 0));
  EXPECT_FALSE(clip.finish());
  EXPECT_EQ(service.submits(), 1);
}

TEST(EarlyEnd, OfAnElementThatIsReadyKeepsWhatItPrefetches) {
  TemporaryFolder store;
  ScriptedService service(Script{});
  ClipPipeline clip;
  use(clip, service.url(), store.path());
  clip.go(GST_STATE_READY);
  gboolean is_started = FALSE;
  g_signal_emit_by_name(clip.src(), "prefetch", &is_started);
  ASSERT_TRUE(is_started);
  gst_element_send_event(clip.src(), gst_event_new_eos());
  EXPECT_TRUE(clip.wait_for_element("genclip-task", [](const GstStructure *task) {
    return g_str_equal(gst_structure_get_string(task, "status"), "completed");
  }));
}

// Blocks posting a genclip-task with this status until it is opened.
struct Gate {
  Mutex mutex;
  CondVar changed;
  std::string status;
  bool reached GUARDED_BY(mutex) = false;
  bool open GUARDED_BY(mutex) = false;
};

GstBusSyncReply hold_at_the_gate(GstBus *, GstMessage *message, gpointer data) {
  Gate &gate = **static_cast<std::shared_ptr<Gate> *>(data);
  const GstStructure *structure = gst_message_get_structure(message);
  if (!gst_message_has_name(message, "genclip-task") ||
      gate.status != gst_structure_get_string(structure, "status"))
    return GST_BUS_PASS;
  MutexLock lock(gate.mutex);
  gate.reached = true;
  gate.changed.notify_all();
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!gate.open && gate.changed.wait_until(lock, end)) {
  }
  return GST_BUS_PASS;
}

// The streaming thread waits for its messages at two places: before the first byte and before the end.
TEST(ClipMessages, ThatAreSlowToPostKeepNoStateChangeWaiting) {
  for (const char *status : {"queued", "completed"}) {
    for (const char *sink : {"fakesink sync=false", kPull}) {
      SCOPED_TRACE(std::string(status) + " into " + sink);
      TemporaryFolder store;
      ScriptedService service;
      const auto gate = std::make_shared<Gate>();
      gate->status = status;
      ClipPipeline clip(sink);
      use(clip, service.url(), store.path());
      const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(clip.pipeline()));
      gst_bus_set_sync_handler(bus.get(), hold_at_the_gate, new std::shared_ptr<Gate>(gate),
                               [](gpointer data) { delete static_cast<std::shared_ptr<Gate> *>(data); });
      clip.go(GST_STATE_PLAYING);
      {
        MutexLock lock(gate->mutex);
        const auto end = std::chrono::steady_clock::now() + kPatience;
        while (!gate->reached && gate->changed.wait_until(lock, end)) {
        }
        ASSERT_TRUE(gate->reached);
      }
      // Until the clip is there and its reader waits only for the messages.
      const auto end = std::chrono::steady_clock::now() + kPatience;
      while (clip.get("status") != "completed" && std::chrono::steady_clock::now() < end) g_usleep(1000);
      const auto begun = std::chrono::steady_clock::now();
      clip.go(GST_STATE_READY);
      EXPECT_LT(std::chrono::steady_clock::now() - begun, time_limit(5s));
      MutexLock lock(gate->mutex);
      gate->open = true;
      gate->changed.notify_all();
    }
  }
}

}  // namespace
}  // namespace genclip::test
