// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A stored clip answers whatever filesrc answers on the clip's file. Each test runs on both; the pulls are
// those of the core's own test of filesrc.
#include <gst/check/gstharness.h>
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "tests/elements/clip_pipeline.h"
#include "tests/elements/scripted_service.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

constexpr gint64 kSize = 300000;

class LikeFilesrc : public testing::TestWithParam<const char *> {
 protected:
  LikeFilesrc() {
    ClipPipeline first;
    use(first, service_.url(), store_.path());
    const auto error = first.play();
    EXPECT_FALSE(error) << error->text;
    location_ = first.get("clip-location");
  }

  // Of a stored clip, or of its file.
  GRef<GstElement> make() {
    auto src = GRef<GstElement>::adopt(
        GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make(GetParam(), nullptr))));
    if (GetParam() == std::string_view("filesrc"))
      g_object_set(src.get(), "location", location_.c_str(), nullptr);
    else
      g_object_set(src.get(), "model", "dance-2.5", "prompt", "x", "base-url", service_.url().c_str(),
                   "store", store_.path().c_str(), "poll-interval", 10, "api-key", kKey, nullptr);
    return src;
  }

  TemporaryFolder store_;
  ScriptedService service_{{.media = {answer(200, small_clip(kSize))}}};
  std::string location_;
};

struct Seeking {
  gboolean answered = FALSE, seekable = FALSE;
  gint64 start = -7, stop = -7;
};

Seeking seeking_of(GstElement *src) {
  Seeking found;
  const auto query = GRef<GstQuery>::adopt(gst_query_new_seeking(GST_FORMAT_BYTES));
  found.answered = gst_element_query(src, query.get());
  gst_query_parse_seeking(query.get(), nullptr, &found.seekable, &found.start, &found.stop);
  return found;
}

gint64 duration_of(GstElement *src, GstFormat format) {
  gint64 duration = -7;
  return gst_element_query_duration(src, format, &duration) ? duration : -7;
}

// Size of the received data, or the negative flow return.
gint64 pulled(GstPad *pad, guint64 offset, guint size) {
  GstBuffer *buffer = nullptr;
  const GstFlowReturn flow = gst_pad_get_range(pad, offset, size, &buffer);
  if (flow != GST_FLOW_OK) return flow;
  const auto count = static_cast<gint64>(gst_buffer_get_size(buffer));
  gst_buffer_unref(buffer);
  return count;
}

TEST_P(LikeFilesrc, KnowsItsSizeBeforeAnyRead) {
  for (const GstState state : {GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_PLAYING}) {
    SCOPED_TRACE(gst_element_state_get_name(state));
    for (const bool asks_duration_first : {false, true}) {
      const auto src = make();
      const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(src.get(), "src"));
      ASSERT_EQ(gst_element_set_state(src.get(), GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
      ASSERT_TRUE(gst_pad_activate_mode(pad.get(), GST_PAD_MODE_PULL, TRUE));
      EXPECT_EQ(gst_element_set_state(src.get(), state), GST_STATE_CHANGE_SUCCESS);
      if (asks_duration_first) {
        EXPECT_EQ(duration_of(src.get(), GST_FORMAT_BYTES), kSize);
      }
      const Seeking seeking = seeking_of(src.get());
      EXPECT_TRUE(seeking.answered);
      EXPECT_TRUE(seeking.seekable);
      EXPECT_EQ(seeking.start, 0);
      EXPECT_EQ(seeking.stop, kSize);
      EXPECT_EQ(duration_of(src.get(), GST_FORMAT_BYTES), kSize);
      gst_element_set_state(src.get(), GST_STATE_NULL);
    }
  }
}

TEST_P(LikeFilesrc, CannotSeekBeforeItStarts) {
  const auto src = make();
  for (const GstState state : {GST_STATE_NULL, GST_STATE_READY}) {
    gst_element_set_state(src.get(), state);
    const Seeking seeking = seeking_of(src.get());
    EXPECT_TRUE(seeking.answered);
    EXPECT_FALSE(seeking.seekable) << gst_element_state_get_name(state);
  }
  gst_element_set_state(src.get(), GST_STATE_NULL);
}

TEST_P(LikeFilesrc, GivesEachPullItsBytesAndAnEmptyBufferForNone) {
  const auto src = make();
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(src.get(), "src"));
  gst_element_set_state(src.get(), GST_STATE_READY);
  ASSERT_TRUE(gst_pad_activate_mode(pad.get(), GST_PAD_MODE_PULL, TRUE));
  ASSERT_EQ(gst_element_set_state(src.get(), GST_STATE_PLAYING), GST_STATE_CHANGE_SUCCESS);
  const auto stop = static_cast<guint64>(seeking_of(src.get()).stop);
  EXPECT_EQ(pulled(pad.get(), 0, 0), 0) << "none at the beginning, before anything was read";
  EXPECT_EQ(pulled(pad.get(), 0, 100), 100);
  EXPECT_EQ(pulled(pad.get(), 50, 50), 50);
  EXPECT_EQ(pulled(pad.get(), 1000, 0), 0) << "none amid it";
  EXPECT_EQ(pulled(pad.get(), stop - 10, 10), 10);
  EXPECT_EQ(pulled(pad.get(), stop - 10, 20), 10);
  EXPECT_EQ(pulled(pad.get(), stop - 1, 0), 0) << "none before the last byte";
  EXPECT_EQ(pulled(pad.get(), stop - 1, 10), 1);
  for (const guint64 beyond : {stop, stop + 10})
    for (const guint size : {0u, 10u}) EXPECT_EQ(pulled(pad.get(), beyond, size), GST_FLOW_EOS) << beyond;
  gst_element_set_state(src.get(), GST_STATE_NULL);
}

TEST_P(LikeFilesrc, AnswersADurationInOtherFormatsAsItsBaseClassDoes) {
  const auto src = make();
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(src.get(), "src"));
  gst_element_set_state(src.get(), GST_STATE_READY);
  ASSERT_TRUE(gst_pad_activate_mode(pad.get(), GST_PAD_MODE_PULL, TRUE));
  gst_element_set_state(src.get(), GST_STATE_PAUSED);
  EXPECT_EQ(pulled(pad.get(), 0, 100), 100);
  EXPECT_EQ(duration_of(src.get(), GST_FORMAT_BYTES), kSize);
  EXPECT_EQ(duration_of(src.get(), GST_FORMAT_PERCENT), GST_FORMAT_PERCENT_MAX);
  EXPECT_EQ(duration_of(src.get(), GST_FORMAT_TIME), -7);
  EXPECT_EQ(duration_of(src.get(), GST_FORMAT_DEFAULT), -7);
  gst_element_set_state(src.get(), GST_STATE_NULL);
}

// Offsets of all buffers, in the order in which they came.
struct Pushed {
  std::vector<guint64> offsets;
  guint64 bytes = 0;
  gdouble rate = 0;
};

Pushed push_all(GstElement *src) {
  Pushed all;
  GstHarness *harness = gst_harness_new_with_element(src, nullptr, "src");
  gst_harness_play(harness);
  for (bool ended = false; !ended;) {
    const auto event = GRef<GstEvent>::adopt(gst_harness_pull_event(harness));
    if (!event) {
      ADD_FAILURE() << "no end";
      break;
    }
    ended = GST_EVENT_TYPE(event.get()) == GST_EVENT_EOS;
    const GstSegment *segment = nullptr;
    if (GST_EVENT_TYPE(event.get()) == GST_EVENT_SEGMENT) {
      gst_event_parse_segment(event.get(), &segment);
      all.rate = segment->rate;
    }
  }
  while (auto buffer = GRef<GstBuffer>::adopt(gst_harness_try_pull(harness))) {
    all.offsets.push_back(GST_BUFFER_OFFSET(buffer.get()));
    all.bytes += gst_buffer_get_size(buffer.get());
  }
  gst_harness_teardown(harness);
  return all;
}

TEST_P(LikeFilesrc, PushesItsBlocksBackwardsAfterAReverseSeekInReady) {
  const auto src = make();
  g_object_set(src.get(), "blocksize", 100000, nullptr);
  gst_element_set_state(src.get(), GST_STATE_READY);
  ASSERT_TRUE(gst_element_seek(src.get(), -1, GST_FORMAT_BYTES, GST_SEEK_FLAG_NONE, GST_SEEK_TYPE_SET, 100,
                               GST_SEEK_TYPE_SET, -1));
  const Pushed all = push_all(src.get());
  EXPECT_EQ(all.rate, -1);
  EXPECT_EQ(all.offsets, (std::vector<guint64>{200000, 100000, 100}));
  EXPECT_EQ(all.bytes, static_cast<guint64>(kSize - 100));
}

// Its segment is in time then, and GstBaseSrc asks for no certain offset.
TEST_P(LikeFilesrc, PushesAllOfItOnceWithTimestampsOfItsBaseClass) {
  const auto src = make();
  g_object_set(src.get(), "blocksize", 100000, "do-timestamp", TRUE, nullptr);
  for (int again = 0; again < 2; ++again) {
    const Pushed all = push_all(src.get());
    // A block of a clip that is still arriving may be shorter.
    EXPECT_GE(all.offsets.size(), 3u);
    EXPECT_TRUE(std::is_sorted(all.offsets.begin(), all.offsets.end()));
    EXPECT_EQ(all.bytes, static_cast<guint64>(kSize));
    gst_element_set_state(src.get(), GST_STATE_NULL);
  }
}

// As many nanoseconds as it has bytes would be taken for its length.
TEST_P(LikeFilesrc, HasNoLengthWithTimestampsOfItsBaseClass) {
  const auto src = make();
  g_object_set(src.get(), "do-timestamp", TRUE, nullptr);
  GstHarness *harness = gst_harness_new_with_element(src.get(), nullptr, "src");
  gst_harness_play(harness);
  for (const GstFormat format : {GST_FORMAT_TIME, GST_FORMAT_BYTES}) {
    seeking_of(src.get());
    EXPECT_LT(duration_of(src.get(), format), 0) << gst_format_get_name(format);
  }
  gst_harness_teardown(harness);
}

INSTANTIATE_TEST_SUITE_P(ClipSrc, LikeFilesrc, testing::Values("filesrc", "genclipsrc"),
                         [](const auto &row) { return std::string(row.param); });

// A query is answered from known data, without any request.
TEST(ClipOfUnknownSize, SaysSoAndSubmitsNothing) {
  TemporaryFolder store;
  ScriptedService service;
  auto src = GRef<GstElement>::adopt(
      GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("genclipsrc", nullptr))));
  g_object_set(src.get(), "model", "dance-2.5", "prompt", "x", "base-url", service.url().c_str(), "store",
               store.path().c_str(), "api-key", kKey, nullptr);
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(src.get(), "src"));
  gst_element_set_state(src.get(), GST_STATE_READY);
  ASSERT_TRUE(gst_pad_activate_mode(pad.get(), GST_PAD_MODE_PULL, TRUE));
  ASSERT_EQ(gst_element_set_state(src.get(), GST_STATE_PLAYING), GST_STATE_CHANGE_SUCCESS);
  EXPECT_EQ(duration_of(src.get(), GST_FORMAT_BYTES), -1);
  const Seeking seeking = seeking_of(src.get());
  EXPECT_TRUE(seeking.seekable);
  EXPECT_EQ(seeking.stop, -1);
  gst_element_set_state(src.get(), GST_STATE_NULL);
  EXPECT_TRUE(service.requests().empty());
}

// Its end is unknown, and so is the position to start from.
TEST(ClipOfUnknownSize, RefusesToBeginBackwards) {
  TemporaryFolder store;
  ScriptedService service;
  ClipPipeline clip;
  use(clip, service.url(), store.path());
  clip.go(GST_STATE_READY);
  ASSERT_TRUE(gst_element_seek(clip.src(), -1, GST_FORMAT_BYTES, GST_SEEK_FLAG_NONE, GST_SEEK_TYPE_SET, 0,
                               GST_SEEK_TYPE_SET, -1));
  EXPECT_EQ(clip.go(GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  const auto error = error_of(clip.wait(GST_MESSAGE_ERROR));
  EXPECT_NE(error.text.find("backwards"), std::string::npos) << error.text;
  EXPECT_TRUE(service.requests().empty());
}

// The task is completed when it is first asked for, which is after the polling interval.
class ClipThatIsGenerated : public testing::Test {
 protected:
  void generate(const char *sink, const char *poll_interval) {
    static unsigned take = 0;
    clip_ = std::make_unique<ClipPipeline>(sink);
    use(*clip_, service_.url(), store_.path());
    clip_->set("poll-interval", poll_interval);
    clip_->set("take", std::to_string(++take));
    clip_->go(GST_STATE_PLAYING);
    EXPECT_TRUE(clip_->wait_for_element("genclip-task", [](const GstStructure *task) {
      return g_str_equal(gst_structure_get_string(task, "status"), "queued");
    }));
  }
  gboolean seek(GstElement *element, gdouble rate, gint64 start) {
    return gst_element_seek(element, rate, GST_FORMAT_BYTES, GST_SEEK_FLAG_NONE, GST_SEEK_TYPE_SET, start,
                            GST_SEEK_TYPE_SET, -1);
  }

  TemporaryFolder store_;
  ScriptedService service_{{.poll = {answer(200, R"({"status":"processing"})"),
                                     answer(200, R"({"status":"completed","video_url":"URL/clip.mp4"})")},
                            .media = {answer(200, small_clip(kSize))}}};
  std::unique_ptr<ClipPipeline> clip_;
};

TEST_F(ClipThatIsGenerated, KeepsNoSeekWaitingThatDoesNotFlush) {
  for (const char *sink : {"fakesink sync=false", "queue ! fakesink sync=false"})
    for (const bool is_for_pipeline : {false, true}) {
      generate(sink, "600000");
      EXPECT_TRUE(seek(is_for_pipeline ? clip_->pipeline() : clip_->src(), 1, 100));
      EXPECT_EQ(clip_->get("status"), "queued");
      clip_->go(GST_STATE_NULL);
    }
}

TEST_F(ClipThatIsGenerated, BeginsWhereASeekThatDoesNotFlushSays) {
  generate("identity name=all ! fakesink sync=false", "500");
  std::atomic<guint64> first = static_cast<guint64>(-1), bytes = 0;
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(clip_->src(), "src"));
  const auto count = [&](GstBuffer *buffer) {
    if (bytes == 0) first = GST_BUFFER_OFFSET(buffer);
    bytes += gst_buffer_get_size(buffer);
  };
  gst_pad_add_probe(
      pad.get(), GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad *, GstPadProbeInfo *info, gpointer data) {
        (*static_cast<decltype(count) *>(data))(GST_PAD_PROBE_INFO_BUFFER(info));
        return GST_PAD_PROBE_OK;
      },
      const_cast<gpointer>(static_cast<gconstpointer>(&count)), nullptr);
  EXPECT_TRUE(seek(clip_->src(), 1, 100));
  const auto error = clip_->finish();
  ASSERT_FALSE(error) << error->text;
  EXPECT_EQ(first, 100u);
  EXPECT_EQ(bytes, static_cast<guint64>(kSize - 100));
}

// Applications take an error for the end of the pipeline.
TEST_F(ClipThatIsGenerated, RefusesAReverseSeekWithoutAnError) {
  generate("fakesink sync=false", "600000");
  EXPECT_FALSE(seek(clip_->src(), -1, 0));
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(clip_->pipeline()));
  const auto error = GRef<GstMessage>::adopt(gst_bus_pop_filtered(bus.get(), GST_MESSAGE_ERROR));
  EXPECT_FALSE(error) << error_of(error).text;
}

}  // namespace
}  // namespace genclip::test
