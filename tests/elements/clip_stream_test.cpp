// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Output of the pad and of the bus: bytes, tags, sizes, messages in order.
#include <gst/check/gstharness.h>
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "tests/elements/clip_pipeline.h"
#include "tests/elements/scripted_service.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

std::set<std::string> comments_of(const GstTagList *tags) {
  std::set<std::string> all;
  for (guint i = 0; i < gst_tag_list_get_tag_size(tags, GST_TAG_EXTENDED_COMMENT); ++i) {
    const char *text = nullptr;
    gst_tag_list_peek_string_index(tags, GST_TAG_EXTENDED_COMMENT, i, &text);
    all.insert(text);
  }
  return all;
}

void expect_the_clips_tags(const GstTagList *tags) {
  const char *application = nullptr;
  EXPECT_TRUE(gst_tag_list_peek_string_index(tags, GST_TAG_APPLICATION_NAME, 0, &application));
  EXPECT_STREQ(application, "genclip");
  EXPECT_EQ(comments_of(tags),
            (std::set<std::string>{"genclip-model=dance-2.5", "genclip-task-id=t-7", "genclip-take=3"}));
}

TEST(ClipStream, CarriesTagsThatSayWhereItIsFrom) {
  for (const char *sink : {"fakesink sync=false", kPull}) {
    SCOPED_TRACE(sink);
    TemporaryFolder store;
    ScriptedService service;
    ClipPipeline clip(sink);
    use(clip, service.url(), store.path());
    clip.set("take", "3");
    const auto error = clip.play();
    ASSERT_FALSE(error) << error->text;
    bool tagged = false;
    for (const auto &message : clip.seen) {
      if (GST_MESSAGE_TYPE(message.get()) != GST_MESSAGE_TAG) continue;
      GstTagList *tags = nullptr;
      gst_message_parse_tag(message.get(), &tags);
      expect_the_clips_tags(tags);
      gst_tag_list_unref(tags);
      tagged = true;
    }
    EXPECT_TRUE(tagged);
  }
}

TEST(ClipStream, BeginsWithItsSegmentAndItsTagsThenTheBytes) {
  TemporaryFolder store;
  ScriptedService service;
  GstHarness *harness = gst_harness_new("genclipsrc");
  g_object_set(harness->element, "model", "dance-2.5", "prompt", "x", "api-key", kKey, "base-url",
               service.url().c_str(), "store", store.path().c_str(), "poll-interval", 10, "take", 3,
               "blocksize", 400, nullptr);
  gst_harness_play(harness);
  std::string bytes;
  while (bytes.size() < small_clip().size()) {
    auto buffer = GRef<GstBuffer>::adopt(gst_harness_pull(harness));
    ASSERT_TRUE(buffer);
    EXPECT_EQ(GST_BUFFER_OFFSET(buffer.get()), bytes.size());
    std::string part(gst_buffer_get_size(buffer.get()), '\0');
    gst_buffer_extract(buffer.get(), 0, part.data(), part.size());
    bytes += part;
    EXPECT_EQ(GST_BUFFER_OFFSET_END(buffer.get()), bytes.size());
  }
  EXPECT_EQ(bytes, small_clip());
  std::vector<GstEventType> order;
  for (GstEventType last = GST_EVENT_UNKNOWN; last != GST_EVENT_EOS;) {
    auto event = GRef<GstEvent>::adopt(gst_harness_pull_event(harness));
    ASSERT_TRUE(event);
    order.push_back(last = GST_EVENT_TYPE(event.get()));
    if (last == GST_EVENT_SEGMENT) {
      const GstSegment *segment = nullptr;
      gst_event_parse_segment(event.get(), &segment);
      EXPECT_EQ(segment->format, GST_FORMAT_BYTES);
      EXPECT_EQ(segment->duration, small_clip().size());
    }
    if (last == GST_EVENT_TAG) {
      GstTagList *tags = nullptr;
      gst_event_parse_tag(event.get(), &tags);
      expect_the_clips_tags(tags);
    }
  }
  EXPECT_EQ(order, (std::vector{GST_EVENT_STREAM_START, GST_EVENT_SEGMENT, GST_EVENT_TAG, GST_EVENT_EOS}));
  gst_harness_teardown(harness);
}

TEST(ClipStream, AnswersQueriesWithoutStartingAnything) {
  TemporaryFolder store;
  ScriptedService service;
  ClipPipeline clip;
  use(clip, service.url(), store.path());
  clip.go(GST_STATE_READY);
  auto query = GRef<GstQuery>::adopt(gst_query_new_scheduling());
  ASSERT_TRUE(gst_element_query(clip.src(), query.get()));
  EXPECT_TRUE(
      gst_query_has_scheduling_mode_with_flags(query.get(), GST_PAD_MODE_PULL, GST_SCHEDULING_FLAG_SEEKABLE));
  EXPECT_TRUE(gst_query_has_scheduling_mode(query.get(), GST_PAD_MODE_PUSH));
  query = GRef<GstQuery>::adopt(gst_query_new_duration(GST_FORMAT_BYTES));
  EXPECT_TRUE(gst_element_query(clip.src(), query.get()));
  gint64 size = 0;
  gst_query_parse_duration(query.get(), nullptr, &size);
  EXPECT_EQ(size, -1);
  clip.set("random-access", "false");
  query = GRef<GstQuery>::adopt(gst_query_new_scheduling());
  ASSERT_TRUE(gst_element_query(clip.src(), query.get()));
  EXPECT_FALSE(gst_query_has_scheduling_mode(query.get(), GST_PAD_MODE_PULL));
  EXPECT_TRUE(service.requests().empty());
}

std::string queried_uri(GstElement *element) {
  auto query = GRef<GstQuery>::adopt(gst_query_new_uri());
  if (!gst_element_query(element, query.get())) return "no answer";
  char *uri = nullptr;
  gst_query_parse_uri(query.get(), &uri);
  return GStringPtr(uri).get();
}

// Typefind then finds an mp4 with one look instead of dozens.
TEST(ClipStream, NamesAFileInItsUriToWhoPullsItAndToNobodyElse) {
  const std::string uri = "genclip://dance-2.5?prompt=x";
  for (const char *sink : {"fakesink sync=false", kPull}) {
    SCOPED_TRACE(sink);
    TemporaryFolder store;
    ScriptedService service;
    ClipPipeline clip(sink);
    use(clip, service.url(), store.path());
    ASSERT_TRUE(gst_uri_handler_set_uri(GST_URI_HANDLER(clip.src()), uri.c_str(), nullptr));
    clip.go(GST_STATE_READY);
    EXPECT_EQ(queried_uri(clip.src()), uri);
    clip.go(GST_STATE_PAUSED);
    ASSERT_TRUE(clip.wait(GST_MESSAGE_ASYNC_DONE));
    EXPECT_EQ(queried_uri(clip.src()),
              std::string_view(sink) == kPull ? "genclip://dance-2.5/clip.mp4?prompt=x" : uri);
    EXPECT_EQ(GStringPtr(gst_uri_handler_get_uri(GST_URI_HANDLER(clip.src()))).get(), uri);
  }
}

TEST(ClipStream, SeeksByBytesInPushMode) {
  TemporaryFolder store;
  ScriptedService service({.media = {answer(200, small_clip(300000))}});
  struct Seen {
    std::vector<guint64> offsets;
    guint64 size = 0;
  } seen;
  ClipPipeline clip("fakesink name=sink sync=false signal-handoffs=true");
  use(clip, service.url(), store.path());
  const auto handoff = +[](GstElement *, GstBuffer *buffer, GstPad *, Seen *all) {
    all->offsets.push_back(GST_BUFFER_OFFSET(buffer));
    all->size += gst_buffer_get_size(buffer);
  };
  g_signal_connect(clip.element("sink").get(), "handoff", G_CALLBACK(handoff), &seen);
  clip.go(GST_STATE_PAUSED);
  ASSERT_TRUE(clip.wait(GST_MESSAGE_ASYNC_DONE));
  ASSERT_TRUE(gst_element_send_event(
      clip.pipeline(), gst_event_new_seek(1, GST_FORMAT_BYTES, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 250000,
                                          GST_SEEK_TYPE_SET, 260000)));
  seen = {};
  const auto error = clip.play();
  ASSERT_FALSE(error) << error->text;
  ASSERT_FALSE(seen.offsets.empty());
  EXPECT_EQ(seen.offsets.back(), 250000u);
  EXPECT_EQ(service.submits(), 1);
}

// GstBaseSrc refuses it at once where it sets the timestamps.
TEST(ClipStream, IsNotStoppedByASeekThatIsRefused) {
  TemporaryFolder store;
  ScriptedService service({.poll = {answer(200, R"({"status":"queued"})"),
                                    answer(200, R"({"status":"completed","video_url":"URL/c"})")}});
  ClipPipeline clip;
  use(clip, service.url(), store.path());
  clip.set("do-timestamp", "true");
  clip.go(GST_STATE_PLAYING);
  ASSERT_TRUE(clip.wait_for_element("genclip-task", [](const GstStructure *task) {
    return g_str_equal(gst_structure_get_string(task, "status"), "queued");
  }));
  EXPECT_FALSE(gst_element_seek_simple(clip.src(), GST_FORMAT_BYTES, GST_SEEK_FLAG_NONE, 0));
  EXPECT_FALSE(clip.finish());
}

TEST(ClipMessages, TellOfEachChangeOnceAndNotifyOnlyWhatChanged) {
  TemporaryFolder store;
  const std::string queued = answer(200, R"({"status":"queued"})");
  ScriptedService service(
      {.poll = {queued, queued, queued, answer(200, R"({"status":"completed","video_url":"URL/c"})")}});
  ClipPipeline clip;
  use(clip, service.url(), store.path());
  static std::atomic<int> id_notifications;
  static std::atomic<int> amount_notifications;
  id_notifications = amount_notifications = 0;
  g_signal_connect(clip.src(), "notify::task-id", G_CALLBACK(+[] { ++id_notifications; }), nullptr);
  g_signal_connect(clip.src(), "notify::amount", G_CALLBACK(+[] { ++amount_notifications; }), nullptr);
  const auto error = clip.play();
  ASSERT_FALSE(error) << error->text;
  std::vector<std::string> told;
  for (const auto &message : clip.seen)
    if (gst_message_has_name(message.get(), "genclip-task"))
      told.emplace_back(GStringPtr(gst_structure_to_string(gst_message_get_structure(message.get()))).get());
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(std::adjacent_find(told.begin(), told.end()), told.end()) << testing::PrintToString(told);
  EXPECT_NE(told.back().find("completed"), std::string::npos) << "not before the end: " << told.back();
  // At the start, and when it became known; the amount never did.
  EXPECT_EQ(id_notifications, 2);
  EXPECT_EQ(amount_notifications, 1);
}

std::string mp4_box(const std::string &type, const std::string &content) {
  const auto size = static_cast<uint32_t>(content.size() + 8);
  return std::string{static_cast<char>(size >> 24), static_cast<char>(size >> 16),
                     static_cast<char>(size >> 8), static_cast<char>(size)} +
         type + content;
}

TEST(ClipMessages, TellOfContentCredentialsWithTheWholeClip) {
  const std::string plain = mp4_box("ftyp", "isom0000isom") + mp4_box("mdat", std::string(500, 'x'));
  const std::string mark("\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81", 16);
  for (const auto &[media, expected] : {std::pair<std::string, std::string>{plain, ""},
                                        {plain + mp4_box("uuid", mark + "manifest"), "c2pa"}}) {
    TemporaryFolder store;
    ScriptedService service({.media = {answer(200, media)}});
    for (const bool is_stored : {false, true}) {
      ClipPipeline clip;
      use(clip, service.url(), store.path());
      const auto error = clip.play();
      ASSERT_FALSE(error) << error->text;
      std::string told;
      for (const auto &message : clip.seen)
        if (gst_message_has_name(message.get(), "genclip-task"))
          told = gst_structure_get_string(gst_message_get_structure(message.get()), "provenance");
      EXPECT_EQ(told, expected) << is_stored;
    }
  }
}

TEST(ClipMessages, ComeInOrderAndProgressIsClosedBeforeTheFirstByte) {
  TemporaryFolder store;
  ScriptedService service(
      {.poll = {
           answer(200, R"({"status":"queued"})"), answer(200, R"({"status":"processing","progress":40})"),
           answer(200, R"({"status":"completed","video_url":"URL/c","amount":"2.5","actualDuration":5})")}});
  ClipPipeline clip;
  use(clip, service.url(), store.path());
  const auto error = clip.play();
  ASSERT_FALSE(error) << error->text;
  // The last change is posted on a thread of its own, so that EOS may overtake it.
  const auto is_completed = [](const GstStructure *structure) {
    return std::string_view(gst_structure_get_string(structure, "status")) == "completed";
  };
  const bool overtaken = std::none_of(clip.seen.begin(), clip.seen.end(), [&](const auto &message) {
    return gst_message_has_name(message.get(), "genclip-task") &&
           is_completed(gst_message_get_structure(message.get()));
  });
  if (overtaken) {
    ASSERT_TRUE(clip.wait_for_element("genclip-task", is_completed));
  }
  std::vector<std::string> statuses, progress;
  bool last_reused = true;
  double last_amount = 0;
  for (const auto &message : clip.seen) {
    const GstStructure *structure = gst_message_get_structure(message.get());
    if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_PROGRESS) {
      GstProgressType type;
      char *code = nullptr;
      char *text = nullptr;
      gst_message_parse_progress(message.get(), &type, &code, &text);
      const char *words[] = {"start", "continue", "complete", "canceled", "error"};
      progress.push_back(std::string(code) + " " + words[type]);
      g_free(code);
      g_free(text);
    } else if (gst_message_has_name(message.get(), "genclip-task")) {
      const std::string status = gst_structure_get_string(structure, "status");
      if (statuses.empty() || statuses.back() != status) statuses.push_back(status);
      gboolean reused = TRUE;
      EXPECT_TRUE(gst_structure_get(structure, "reused", G_TYPE_BOOLEAN, &reused, "amount", G_TYPE_DOUBLE,
                                    &last_amount, nullptr));
      last_reused = reused;
    } else if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_ASYNC_DONE) {
      progress.push_back("preroll");
    }
  }
  EXPECT_EQ(progress, (std::vector<std::string>{"submit start", "submit complete", "generate start",
                                                "generate continue", "generate continue", "generate complete",
                                                "preroll"}));
  EXPECT_EQ(statuses, (std::vector<std::string>{"idle", "submitting", "queued", "processing", "downloading",
                                                "completed"}));
  EXPECT_FALSE(last_reused);
  EXPECT_EQ(last_amount, 2.5);
  EXPECT_EQ(clip.get("progress"), "100");
  EXPECT_EQ(clip.get("task-id"), "t-7");
  EXPECT_TRUE(clip.get("clip-location").starts_with(store.path()));
  clip.go(GST_STATE_NULL);
  clip.seen.clear();
  ASSERT_FALSE(clip.play());
  for (const auto &message : clip.seen) {
    gboolean reused = FALSE;
    EXPECT_NE(GST_MESSAGE_TYPE(message.get()), GST_MESSAGE_PROGRESS);
    if (gst_message_has_name(message.get(), "genclip-task") &&
        gst_structure_has_field_typed(gst_message_get_structure(message.get()), "task-id", G_TYPE_STRING) &&
        *gst_structure_get_string(gst_message_get_structure(message.get()), "task-id")) {
      gst_structure_get_boolean(gst_message_get_structure(message.get()), "reused", &reused);
      EXPECT_TRUE(reused);
    }
  }
}

}  // namespace
}  // namespace genclip::test
