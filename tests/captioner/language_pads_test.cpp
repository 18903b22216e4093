// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The pads of languages: their names, their events, and pads that come, go, wait or refuse.
#include <gmock/gmock.h>
#include <gst/app/gstappsink.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/captioner/caption_run.h"

namespace genclip::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kFilm =
    "videotestsrc name=src num-buffers=40 ! video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! "
    "gencaption name=cap interval=1000000000 ";

Cues in(const std::string &language, Cues cues) {
  for (Cue &cue : cues) cue.text = language + ": " + cue.text;
  return cues;
}

GRef<GstElement> element() {
  return GRef<GstElement>::adopt(
      static_cast<GstElement *>(gst_object_ref_sink(gst_element_factory_make("gencaption", nullptr))));
}

// The name of the pad that this request gives; empty if none.
std::string requested(GstElement *element, const char *name) {
  GstPad *pad = gst_element_request_pad_simple(element, name);
  if (!pad) return "";
  const GStringPtr own(gst_pad_get_name(pad));
  gst_object_unref(pad);
  return own.get();
}

TEST(LanguagePads, AreNamedByTheTagOfTheirLanguage) {
  const auto caption = element();
  for (const auto &[name, own] : {std::pair{"src_de", "src_de"},
                                  {"src_EN", "src_en"},
                                  {"src_deu", "src_deu"},
                                  {"src_pt-BR", "src_pt-BR"},
                                  {"src_pt-pt", "src_pt-PT"},
                                  {"src_zh-hant", "src_zh-Hant"},
                                  {"src_sr-latn-rs", "src_sr-Latn-RS"},
                                  {"src_es-419", "src_es-419"},
                                  {"src_de-CH-1996", "src_de-CH-1996"},
                                  {"src_haw", "src_haw"}})
    EXPECT_EQ(requested(caption.get(), name), own);
}

TEST(LanguagePads, OfNoLanguageAreRefused) {
  const auto caption = element();
  for (const char *name :
       {"src_", "src_xx", "src_german", "src_0", "src_d", "src_de_DE", "src_de-", "src_-de", "src_de-DE-DE",
        "src_pt-BRA", "src_de x", "src_d\xC3\xA9", "src_de-1996-12345678-12345678-12345678-12345678"})
    EXPECT_EQ(requested(caption.get(), name), "") << name;
  EXPECT_EQ(caption->numsrcpads, 1);
}

TEST(LanguagePads, OfOneLanguageThereIsOne) {
  const auto caption = element();
  EXPECT_EQ(requested(caption.get(), "src_de"), "src_de");
  EXPECT_EQ(requested(caption.get(), "src_DE"), "");
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(caption.get(), "src_de"));
  gst_element_release_request_pad(caption.get(), pad.get());
  EXPECT_EQ(requested(caption.get(), "src_DE"), "src_de");
}

// The sticky events of a pad.
template <typename Parse>
void with_event(GstElement *element, const char *pad, GstEventType type, Parse parse) {
  const auto one = GRef<GstPad>::adopt(gst_element_get_static_pad(element, pad));
  const auto event = GRef<GstEvent>::adopt(gst_pad_get_sticky_event(one.get(), type, 0));
  ASSERT_TRUE(event) << pad << " lacks " << gst_event_type_get_name(type);
  parse(event.get());
}

std::string stream_id(GstElement *element, const char *pad) {
  std::string id;
  with_event(element, pad, GST_EVENT_STREAM_START, [&](GstEvent *event) {
    const char *own = nullptr;
    gst_event_parse_stream_start(event, &own);
    GstStreamFlags flags = GST_STREAM_FLAG_NONE;
    gst_event_parse_stream_flags(event, &flags);
    EXPECT_EQ(flags, GST_STREAM_FLAG_SPARSE);
    id = own;
  });
  return id;
}

std::string language_tag(GstElement *element, const char *pad) {
  const auto one = GRef<GstPad>::adopt(gst_element_get_static_pad(element, pad));
  for (guint i = 0;; ++i) {
    const auto event = GRef<GstEvent>::adopt(gst_pad_get_sticky_event(one.get(), GST_EVENT_TAG, i));
    if (!event) return "";
    GstTagList *tags = nullptr;
    gst_event_parse_tag(event.get(), &tags);
    gchar *code = nullptr;
    if (gst_tag_list_get_string(tags, GST_TAG_LANGUAGE_CODE, &code)) return GStringPtr(code).get();
  }
}

TEST(LanguagePads, HaveAStreamOfTheirOwnWithItsLanguage) {
  GatewayServer gateway;
  CaptionRun run(gateway, kFilm +
                              "cap.src ! fakesink sync=false  cap.src_de ! fakesink sync=false  "
                              "cap.src_pt-BR ! fakesink sync=false  cap.src_fra ! fakesink sync=false");
  ASSERT_EQ(run.play(), "");
  const auto caption = run.element("cap");
  EXPECT_NE(stream_id(caption.get(), "src"), stream_id(caption.get(), "src_de"));
  EXPECT_NE(stream_id(caption.get(), "src_de"), stream_id(caption.get(), "src_pt-BR"));
  EXPECT_EQ(language_tag(caption.get(), "src"), "");
  EXPECT_EQ(language_tag(caption.get(), "src_de"), "de");
  EXPECT_EQ(language_tag(caption.get(), "src_pt-BR"), "pt");
  EXPECT_EQ(language_tag(caption.get(), "src_fra"), "fr");
  for (const char *pad : {"src", "src_de", "src_pt-BR", "src_fra"})
    for (const GstEventType type : {GST_EVENT_CAPS, GST_EVENT_SEGMENT, GST_EVENT_EOS})
      with_event(caption.get(), pad, type, [](GstEvent *) {});
}

TEST(LanguagePads, ThatAreNotLinkedAreNotAskedFor) {
  GatewayServer gateway;
  CaptionRun run(gateway, kFilm + "cap.src_de ! appsink name=de sync=false");
  EXPECT_EQ(requested(run.element("cap").get(), "src_en"), "src_en");
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues("de"), in("de", each_second(4)));
  for (const Json &body : gateway.bodies()) EXPECT_EQ(body.to_text().find("JSON"), std::string::npos);
}

TEST(LanguagePads, KeepTheirNamesOverRuns) {
  GatewayServer gateway;
  CaptionRun run(gateway,
                 kFilm + "cap.src_de ! appsink name=de sync=false cap.src_en ! appsink name=en sync=false");
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues("en").size(), 4u);
  run.go(GST_STATE_READY);
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues("de").size(), 8u);
  EXPECT_EQ(run.cues("en").size(), 8u);
}

// A pipeline whose pictures the test pushes, one for each second.
class PushedFilm {
 public:
  explicit PushedFilm(const std::string &rest, const std::string &properties = "")
      : run(gateway, "appsrc name=in format=time caps=text/x-raw,format=utf8 ! gencaption name=cap " +
                         properties + " " + rest) {}

  void push(unsigned second) {
    const std::string text = "t" + std::to_string(second);
    GstBuffer *buffer = gst_buffer_new_memdup(text.data(), text.size());
    GST_BUFFER_PTS(buffer) = second * GST_SECOND;
    GST_BUFFER_DURATION(buffer) = GST_SECOND;
    GstFlowReturn flow = GST_FLOW_OK;
    g_signal_emit_by_name(run.element("in").get(), "push-buffer", buffer, &flow);
    gst_buffer_unref(buffer);
  }
  void end() {
    GstFlowReturn flow = GST_FLOW_OK;
    g_signal_emit_by_name(run.element("in").get(), "end-of-stream", &flow);
  }
  bool wait_for_cues(const char *sink, size_t count) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (run.cues(sink).size() < count && std::chrono::steady_clock::now() < end) g_usleep(1000);
    return run.cues(sink).size() == count;
  }

  GatewayServer gateway;
  CaptionRun run;
};

std::vector<std::string> texts(const Cues &cues) {
  std::vector<std::string> all;
  for (const Cue &cue : cues) all.push_back(cue.text);
  return all;
}

TEST(LanguagePads, ThatAreAddedWhilePlayingHaveTheNextCaptions) {
  PushedFilm film("cap.src_de ! appsink name=de sync=false");
  film.run.go(GST_STATE_PLAYING);
  film.push(0);
  film.push(1);
  ASSERT_TRUE(film.wait_for_cues("de", 1));
  const auto sink = GRef<GstElement>::share(gst_element_factory_make("appsink", "en"));
  g_object_set(sink.get(), "sync", FALSE, "wait-on-eos", FALSE, nullptr);
  gst_bin_add(GST_BIN(film.run.pipeline()), GST_ELEMENT(gst_object_ref(sink.get())));
  ASSERT_TRUE(gst_element_link_pads(film.run.element("cap").get(), "src_en", sink.get(), "sink"));
  gst_element_sync_state_with_parent(sink.get());
  film.push(2);
  film.push(3);
  film.end();
  ASSERT_EQ(film.run.finish(), "");
  EXPECT_THAT(texts(film.run.cues("de")), ElementsAre("de: T0", "de: T1", "de: T2", "de: T3"));
  EXPECT_THAT(texts(film.run.cues("en")), ElementsAre("en: T2", "en: T3"));
  EXPECT_EQ(language_tag(film.run.element("cap").get(), "src_en"), "en");
  for (const GstEventType type : {GST_EVENT_STREAM_START, GST_EVENT_CAPS, GST_EVENT_SEGMENT})
    with_event(film.run.element("cap").get(), "src_en", type, [](GstEvent *) {});
}

TEST(LanguagePads, ThatAreReleasedWhilePlayingLeaveTheOthers) {
  PushedFilm film(
      "cap.src_de ! appsink name=de sync=false  cap.src_en ! appsink name=en sync=false async=false");
  film.run.go(GST_STATE_PLAYING);
  film.push(0);
  film.push(1);
  ASSERT_TRUE(film.wait_for_cues("en", 1));
  const auto caption = film.run.element("cap");
  const auto sink = film.run.element("en");
  gst_element_unlink_pads(caption.get(), "src_en", sink.get(), "sink");
  {
    const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(caption.get(), "src_en"));
    gst_element_release_request_pad(caption.get(), pad.get());
  }
  gst_element_set_state(sink.get(), GST_STATE_NULL);
  gst_bin_remove(GST_BIN(film.run.pipeline()), sink.get());
  for (unsigned i = 2; i < 30; ++i) film.push(i);
  film.end();
  ASSERT_EQ(film.run.finish(), "");
  EXPECT_EQ(film.run.cues("de").size(), 30u);
  EXPECT_THAT(film.run.warnings(), IsEmpty());
}

// Releases its pad from the pad's own task.
struct ReleasedPad {
  GstElement *caption = nullptr;
  std::atomic<std::thread::id> task = {};
  std::atomic<std::thread::id> freed_by = {};
};

GstPadProbeReturn release_own_pad(GstPad *pad, GstPadProbeInfo *, gpointer data) {
  auto &released = *static_cast<ReleasedPad *>(data);
  released.task = std::this_thread::get_id();
  g_object_weak_ref(
      G_OBJECT(pad),
      [](gpointer by, GObject *) { static_cast<ReleasedPad *>(by)->freed_by = std::this_thread::get_id(); },
      data);
  gst_pad_unlink(pad, GRef<GstPad>::adopt(gst_pad_get_peer(pad)).get());
  gst_element_release_request_pad(released.caption, pad);
  return GST_PAD_PROBE_REMOVE;
}

TEST(LanguagePads, MayBeReleasedByAProbeOnTheirOwnTask) {
  PushedFilm film("cap.src_de ! appsink name=de sync=false  cap.src_en ! fakesink async=false");
  const auto caption = film.run.element("cap");
  ReleasedPad released{caption.get()};
  gst_pad_add_probe(GRef<GstPad>::adopt(gst_element_get_static_pad(caption.get(), "src_en")).get(),
                    static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER),
                    release_own_pad, &released, nullptr);
  // They hold the pads.
  gst_bus_set_sync_handler(
      GRef<GstBus>::adopt(gst_element_get_bus(film.run.pipeline())).get(),
      [](GstBus *, GstMessage *message, gpointer) {
        if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_STREAM_STATUS) return GST_BUS_PASS;
        gst_message_unref(message);
        return GST_BUS_DROP;
      },
      nullptr, nullptr);
  film.run.go(GST_STATE_PLAYING);
  for (unsigned i = 0; i < 20; ++i) film.push(i);
  film.end();
  // The sink without a pad has no EOS.
  EXPECT_TRUE(film.wait_for_cues("de", 20));
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (released.freed_by == std::thread::id() && std::chrono::steady_clock::now() < end) g_usleep(1000);
  EXPECT_NE(released.freed_by.load(), std::thread::id()) << "the pad is there for ever";
  EXPECT_NE(released.freed_by.load(), released.task.load()) << "the task has freed what it uses";
  EXPECT_THAT(film.run.warnings(), IsEmpty());
  EXPECT_EQ(requested(caption.get(), "src_en"), "src_en");
}

// A sink that takes one text and no more, while nobody pulls.
TEST(LanguagePads, WhoseDownstreamWaitsDelayNoOther) {
  PushedFilm film(
      "cap.src_de ! appsink name=de sync=false  cap.src_en ! appsink name=en sync=false max-buffers=1",
      "max-in-flight=8");
  film.run.go(GST_STATE_PLAYING);
  for (unsigned i = 0; i < 8; ++i) film.push(i);
  EXPECT_TRUE(film.wait_for_cues("de", 7));
  film.end();
  EXPECT_TRUE(film.wait_for_cues("de", 8));
  EXPECT_TRUE(film.wait_for_cues("en", 8));
}

// One of two sinks wants one text only.
TEST(LanguagePads, WhoseDownstreamWantsNoMoreLeaveTheOthers) {
  PushedFilm film(
      "cap.src_de ! appsink name=de sync=false  cap.src_en ! identity eos-after=2 ! appsink name=en "
      "sync=false");
  film.run.go(GST_STATE_PLAYING);
  for (unsigned i = 0; i < 20; ++i) film.push(i);
  film.end();
  ASSERT_EQ(film.run.finish(), "");
  EXPECT_EQ(film.run.cues("de").size(), 20u);
  EXPECT_EQ(film.run.cues("en").size(), 1u);
}

TEST(LanguagePads, EndTheInputOnceNobodyWantsMore) {
  PushedFilm film(
      "cap.src_de ! identity eos-after=2 ! fakesink async=false  cap.src_en ! identity eos-after=4 ! "
      "fakesink async=false");
  // The source ends the stream when it is told EOS.
  std::atomic<bool> has_ended = false;
  const auto sink = GRef<GstPad>::adopt(gst_element_get_static_pad(film.run.element("cap").get(), "sink"));
  gst_pad_add_probe(
      sink.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      [](GstPad *, GstPadProbeInfo *info, gpointer ended) {
        if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_EOS)
          *static_cast<std::atomic<bool> *>(ended) = true;
        return GST_PAD_PROBE_OK;
      },
      &has_ended, nullptr);
  film.run.go(GST_STATE_PLAYING);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (unsigned i = 0; !has_ended && std::chrono::steady_clock::now() < end; ++i) {
    film.push(i);
    g_usleep(1000);
  }
  EXPECT_TRUE(has_ended);
  film.run.go(GST_STATE_NULL);
}

TEST(LanguagePads, ThatAreUnlinkedWhilePlayingLeaveTheOthers) {
  PushedFilm film(
      "cap.src_de ! appsink name=de sync=false  cap.src_en ! fakesink name=en sync=false async=false");
  film.run.go(GST_STATE_PLAYING);
  for (unsigned i = 0; i < 20; ++i) {
    film.push(i);
    if (i == 5)
      gst_element_unlink_pads(film.run.element("cap").get(), "src_en", film.run.element("en").get(), "sink");
  }
  film.end();
  // The sink without a pad has no EOS.
  EXPECT_TRUE(film.wait_for_cues("de", 20));
  EXPECT_THAT(film.run.warnings(), IsEmpty());
}

TEST(LanguagePads, StartAnewAfterAFlush) {
  GatewayServer gateway;
  // The source has no end of its own, so that there are pictures for a second time.
  CaptionRun run(gateway,
                 "videotestsrc name=src ! video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! "
                 "gencaption name=cap interval=1000000000 cap.src_de ! appsink name=de sync=false "
                 "cap.src_en ! appsink name=en sync=false");
  run.go(GST_STATE_PAUSED);
  ASSERT_TRUE(run.wait(GST_MESSAGE_ASYNC_DONE));
  ASSERT_TRUE(gst_element_seek(run.pipeline(), 1, GST_FORMAT_TIME,
                               static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE),
                               GST_SEEK_TYPE_SET, 2 * GST_SECOND, GST_SEEK_TYPE_SET, 4 * GST_SECOND));
  ASSERT_TRUE(run.wait(GST_MESSAGE_ASYNC_DONE));
  ASSERT_EQ(run.play(), "");
  for (const char *language : {"de", "en"}) {
    const Cues cues = run.cues(language);
    ASSERT_FALSE(cues.empty()) << language;
    EXPECT_EQ(cues[0].start, 2000u) << language;
    EXPECT_EQ(cues[0].text, language + std::string(": ") + caption_at(2));
    const auto pad = GRef<GstPad>::adopt(
        gst_element_get_static_pad(run.element("cap").get(), ("src_" + std::string(language)).c_str()));
    EXPECT_EQ(language_tag(run.element("cap").get(), ("src_" + std::string(language)).c_str()), language);
  }
}

// What a muxer sees of each pad: time that ascends without a hole, as captions or as silence.
struct SeenByMuxer {
  Mutex mutex;
  uint64_t until GUARDED_BY(mutex) = 0;
  bool has_hole GUARDED_BY(mutex) = false;
};

GstPadProbeReturn look_as_muxer(GstPad *, GstPadProbeInfo *info, gpointer data) {
  auto &seen = *static_cast<SeenByMuxer *>(data);
  GstClockTime start = 0;
  GstClockTime length = 0;
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    start = GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info));
    length = GST_BUFFER_DURATION(GST_PAD_PROBE_INFO_BUFFER(info));
  } else if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_GAP) {
    gst_event_parse_gap(GST_PAD_PROBE_INFO_EVENT(info), &start, &length);
  } else {
    return GST_PAD_PROBE_OK;
  }
  MutexLock lock(seen.mutex);
  if (start != seen.until) seen.has_hole = true;
  seen.until = start + length;
  return GST_PAD_PROBE_OK;
}

TEST(LanguagePads, AreSilentWhereTheyHaveNoCaption) {
  GatewayServer gateway;
  gateway.form_fault(sim::FormFault::lacks_key, 1, "de");
  gateway.fault(sim::GatewayFaultKind::thinks_too_long, 1);
  CaptionRun run(gateway,
                 kFilm +
                     "max-in-flight=1 cap.src ! fakesink sync=false  cap.src_de ! fakesink sync=false "
                     " cap.src_en ! fakesink sync=false");
  SeenByMuxer seen[3];
  const char *pads[] = {"src", "src_de", "src_en"};
  for (int i = 0; i < 3; ++i) {
    const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(run.element("cap").get(), pads[i]));
    gst_pad_add_probe(
        pad.get(),
        static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM | GST_PAD_PROBE_TYPE_BUFFER),
        look_as_muxer, &seen[i], nullptr);
  }
  ASSERT_EQ(run.play(), "");
  for (int i = 0; i < 3; ++i) {
    MutexLock lock(seen[i].mutex);
    EXPECT_FALSE(seen[i].has_hole) << pads[i];
    EXPECT_EQ(seen[i].until, 4 * GST_SECOND) << pads[i];
  }
}

}  // namespace
}  // namespace genclip::test
