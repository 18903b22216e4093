// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Several texts in one request: each keeps its time and gets its own answer, or is asked about by itself.
#include <gmock/gmock.h>

#include "elements/captioner/form_trust.h"
#include "tests/captioner/harness.h"

namespace genclip::test {
namespace {

using sim::FormFault;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr GstClockTime kMs = GST_MSECOND;

void push_texts(Harness &harness, unsigned from, unsigned to) {
  for (unsigned i = from; i < to; ++i)
    harness.push("Text " + std::to_string(i) + ".", i * 1000 * kMs, 800 * kMs);
}

Cues answers(unsigned from, unsigned to) {
  Cues cues;
  for (unsigned i = from; i < to; ++i)
    cues.push_back({i * 1000, i * 1000 + 800, "TEXT " + std::to_string(i) + "."});
  return cues;
}

TEST(Batches, AskAboutThatManyTextsAtOnceAndTheRestAtTheEnd) {
  GatewayServer gateway;
  Harness harness(gateway, "cues-per-request=4", kUtf8);
  push_texts(harness, 0, 10);
  EXPECT_EQ(harness.finish(), answers(0, 10));
  EXPECT_EQ(gateway.gateway().calls(), 3u);
  EXPECT_EQ(harness.stat("requests"), 3u);
  EXPECT_EQ(harness.stat("captions"), 10u);
  EXPECT_THAT(gateway.gateway().problems(), IsEmpty());
  EXPECT_THAT(harness.warnings(), IsEmpty());
}

TEST(Batches, AreTheSameInEveryRunOfAFile) {
  for (int run = 0; run < 5; ++run) {
    GatewayServer gateway;
    Harness harness(gateway, "cues-per-request=7 max-in-flight=4", kUtf8);
    push_texts(harness, 0, 60);
    EXPECT_EQ(harness.finish(), answers(0, 60));
    EXPECT_EQ(gateway.gateway().calls(), 9u);
  }
}

TEST(Batches, DoNotWaitForEverForMoreTexts) {
  GatewayServer gateway;
  Harness harness(gateway, "cues-per-request=10", kUtf8);
  push_texts(harness, 0, 3);
  for (unsigned i = 0; i < 3; ++i) {
    GstBuffer *buffer = gst_harness_pull(harness.get());
    ASSERT_TRUE(buffer);
    EXPECT_EQ(text_of(buffer), "TEXT " + std::to_string(i) + ".");
    gst_buffer_unref(buffer);
  }
  EXPECT_EQ(gateway.gateway().calls(), 1u);
}

TEST(Batches, HaveTheLinesOfOverlappingTextsInOneCue) {
  GatewayServer gateway;
  Harness harness(gateway, "cues-per-request=3", kUtf8);
  harness.push("Eins.", 0, 2000 * kMs);
  harness.push("Zwei.", 1000 * kMs, 2000 * kMs);
  harness.push("Drei.", 4000 * kMs, 1000 * kMs);
  EXPECT_EQ(harness.finish(), Cues({{0, 3000, "EINS.\nZWEI."}, {4000, 5000, "DREI."}}));
  EXPECT_EQ(gateway.gateway().calls(), 1u);
}

TEST(Batches, AskAboutEqualTextsOnce) {
  GatewayServer gateway;
  Harness harness(gateway, "cues-per-request=3 cache=read-write", kUtf8);
  const std::string once = std::to_string(g_random_int());
  for (const auto &[start, text] :
       {std::pair{0, "ja " + once}, {1, "nein " + once}, {2, "ja " + once}, {3, "doch " + once}})
    harness.push(text, start * GST_SECOND, GST_SECOND);
  const Cues cues = harness.finish();
  ASSERT_EQ(cues.size(), 4u);
  EXPECT_EQ(cues[2].text, "JA " + once);
  EXPECT_EQ(gateway.gateway().calls(), 1u);
}

class UncertainAnswers : public testing::TestWithParam<std::pair<const char *, FormFault>> {};

TEST_P(UncertainAnswers, AreNotUsedAndEachTextIsAskedAboutByItself) {
  GatewayServer gateway;
  gateway.form_fault(GetParam().second, 1);
  Harness harness(gateway, "cues-per-request=4 max-in-flight=1", kUtf8);
  push_texts(harness, 0, 8);
  EXPECT_EQ(harness.finish(), answers(0, 8));
  EXPECT_EQ(gateway.gateway().calls(), 1u + 4u + 1u);
  EXPECT_THAT(harness.warnings(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, UncertainAnswers,
                         testing::Values(std::pair{"LacksNumber", FormFault::lacks_number},
                                         std::pair{"WrongNumber", FormFault::wrong_number},
                                         std::pair{"NoForm", FormFault::no_form}),
                         [](const auto &info) { return std::string(info.param.first); });

// A model that never keeps the numbers: the requests about several texts would bring nothing each time.
TEST(Batches, AreGivenUpWhenThreeInARowHaveNoNumbers) {
  GatewayServer gateway;
  gateway.form_fault(FormFault::no_form, 0);
  Harness harness(gateway, "cues-per-request=4 max-in-flight=1", kUtf8);
  push_texts(harness, 0, 20);
  EXPECT_EQ(harness.finish(), answers(0, 20));
  EXPECT_EQ(gateway.gateway().calls(), 3u + 20u);
  EXPECT_EQ(harness.stat("in-flight"), 0u);
  EXPECT_THAT(harness.warnings(), ElementsAre(HasSubstr("asked about by itself")));
}

TEST(Batches, AreNotGivenUpForTwoInARow) {
  FormTrust trust = trust_in_numbers();
  for (int round = 0; round < 5; ++round) {
    EXPECT_FALSE(trust.note(false));
    EXPECT_FALSE(trust.note(false));
    EXPECT_FALSE(trust.note(true));
    EXPECT_TRUE(trust.holds());
  }
  trust.note(false);
  trust.note(false);
  EXPECT_TRUE(trust.note(false));
  EXPECT_FALSE(trust.holds());
  EXPECT_FALSE(trust.note(true)) << "told once";
  EXPECT_FALSE(trust.holds()) << "for the run";
}

TEST(Batches, ThatAreAlwaysCutShortAreGivenUp) {
  GatewayServer gateway;
  Harness harness(gateway, "cues-per-request=2 max-in-flight=1 max-output-tokens=5", kUtf8);
  push_texts(harness, 0, 10);
  EXPECT_EQ(harness.finish(), answers(0, 10));
  EXPECT_EQ(gateway.gateway().calls(), 3u + 10u);
  EXPECT_THAT(harness.warnings(), ElementsAre(HasSubstr("cut short")));
}

TEST(Batches, AreUnderstoodInOtherOrdersAndInFences) {
  for (const FormFault fault : {FormFault::reversed, FormFault::fence}) {
    GatewayServer gateway;
    gateway.form_fault(fault, 0);
    Harness harness(gateway, "cues-per-request=4", kUtf8);
    push_texts(harness, 0, 8);
    EXPECT_EQ(harness.finish(), answers(0, 8));
    EXPECT_EQ(gateway.gateway().calls(), 2u);
  }
}

// One of the texts may be why, and none may get a text that was cut.
TEST(Batches, WithoutTextOrCutAreAskedOneByOne) {
  for (const bool is_cut : {false, true}) {
    GatewayServer gateway;
    if (is_cut)
      gateway.fault(sim::GatewayFaultKind::cut_behind, 1, 11);
    else
      gateway.silence("OTHER");
    Harness harness(gateway, "cues-per-request=4 max-in-flight=1 retries=0 stream=true", kUtf8);
    push_texts(harness, 0, 4);
    EXPECT_EQ(harness.finish(), answers(0, 4));
    EXPECT_EQ(gateway.gateway().calls(), 5u);
    EXPECT_THAT(harness.warnings(), IsEmpty());
  }
}

// Of one text, the model withholds the answer; the others have theirs.
TEST(Batches, ThatAreBlockedAreAskedOneByOne) {
  GatewayServer gateway;
  gateway.fault(sim::GatewayFaultKind::blocked, 2, 0, "SAFETY");
  Harness harness(gateway, "cues-per-request=4 max-in-flight=1 on-error=skip", kUtf8);
  push_texts(harness, 0, 4);
  EXPECT_EQ(harness.finish(), answers(1, 4));
  EXPECT_EQ(gateway.gateway().calls(), 5u);
  EXPECT_THAT(harness.warnings(), ElementsAre(HasSubstr("SAFETY")));
}

// An answer that the limit of tokens cut has all numbers, but maybe not all words.
TEST(Batches, ThatAreCutShortAreAskedOneByOne) {
  GatewayServer gateway;
  Harness harness(gateway, "cues-per-request=2 max-in-flight=1 max-output-tokens=5", kUtf8);
  push_texts(harness, 0, 2);
  EXPECT_EQ(harness.finish(), answers(0, 2));
  EXPECT_EQ(gateway.gateway().calls(), 3u);
}

TEST(Batches, ThatFailAreToldOnce) {
  GatewayServer gateway;
  gateway.fault(sim::GatewayFaultKind::status, 1, 403);
  Harness harness(gateway, "cues-per-request=4 max-in-flight=1 on-error=skip", kUtf8);
  push_texts(harness, 0, 8);
  EXPECT_EQ(harness.finish(), answers(4, 8));
  EXPECT_EQ(gateway.gateway().calls(), 2u);
  EXPECT_EQ(harness.warnings().size(), 1u);
  EXPECT_EQ(harness.stat("skipped"), 4u);
}

TEST(Batches, CountAsOneRequestOfTheBudget) {
  GatewayServer gateway;
  Harness harness(gateway, "cues-per-request=4 max-requests=2 max-in-flight=3", kUtf8);
  push_texts(harness, 0, 20);
  EXPECT_EQ(harness.finish(), answers(0, 8));
  EXPECT_EQ(gateway.gateway().calls(), 2u);
  EXPECT_THAT(harness.warnings(), ElementsAre(HasSubstr("max-requests")));
  EXPECT_EQ(harness.stat("skipped"), 12u);
}

TEST(Batches, AreKeptTextByText) {
  GatewayServer gateway;
  const std::string own = "cache=read-write prompt=\"" + std::to_string(g_random_int()) + "\" ";
  for (const auto &[properties, to, calls] : {std::tuple{"cues-per-request=4", 8u, 2u},
                                              {"cues-per-request=1", 8u, 2u},
                                              {"cues-per-request=3", 10u, 4u}}) {
    Harness harness(gateway, own + properties, kUtf8);
    push_texts(harness, 0, to);
    EXPECT_EQ(harness.finish(), answers(0, to)) << properties;
    EXPECT_EQ(gateway.gateway().calls(), calls) << properties;
  }
}

TEST(Batches, EndWithAFlush) {
  GatewayServer gateway;
  Harness harness(gateway, "cues-per-request=4", kUtf8);
  push_texts(harness, 0, 3);
  gst_harness_push_event(harness.get(), gst_event_new_flush_start());
  gst_harness_push_event(harness.get(), gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  harness.begin(segment);
  push_texts(harness, 5, 9);
  EXPECT_EQ(harness.finish(), answers(5, 9));
}

// Pictures have no texts that could share a request.
TEST(Batches, ChangeNothingForPictures) {
  GatewayServer gateway;
  CaptionRun run(
      gateway,
      "videotestsrc name=src num-buffers=40 ! video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! "
      "gencaption name=cap interval=1000000000 cues-per-request=8 ! appsink name=out sync=false");
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues(), each_second(4));
  EXPECT_EQ(gateway.gateway().calls(), 4u);
}

struct Translated {
  GatewayServer gateway;
  std::optional<CaptionRun> run;

  void play(const std::string &properties, unsigned texts) {
    run.emplace(gateway,
                "appsrc name=in format=time caps=text/x-raw,format=utf8 ! gencaption name=cap " + properties +
                    " cap.src_de ! appsink name=de sync=false  cap.src_en ! appsink name=en sync=false");
    run->go(GST_STATE_PLAYING);
    GstFlowReturn flow = GST_FLOW_OK;
    for (unsigned i = 0; i < texts; ++i) {
      const std::string text = "Text " + std::to_string(i) + ".";
      GstBuffer *buffer = gst_buffer_new_memdup(text.data(), text.size());
      GST_BUFFER_PTS(buffer) = i * GST_SECOND;
      GST_BUFFER_DURATION(buffer) = 800 * kMs;
      g_signal_emit_by_name(run->element("in").get(), "push-buffer", buffer, &flow);
      gst_buffer_unref(buffer);
    }
    g_signal_emit_by_name(run->element("in").get(), "end-of-stream", &flow);
    ASSERT_EQ(run->finish(), "");
    for (const std::string language : {"de", "en"}) {
      Cues wanted = answers(0, texts);
      for (Cue &cue : wanted) cue.text = language + ": " + cue.text;
      EXPECT_EQ(run->cues(language.c_str()), wanted);
    }
  }
};

TEST(BatchesInLanguages, AreOneRequest) {
  for (const FormFault fault : {FormFault::none, FormFault::fence, FormFault::reversed}) {
    Translated film;
    film.gateway.form_fault(fault, 0);
    film.play("cues-per-request=4", 10);
    EXPECT_EQ(film.gateway.gateway().calls(), 3u);
    EXPECT_THAT(film.gateway.gateway().problems(), IsEmpty());
  }
}

TEST(BatchesInLanguages, ThatLackOneAskForItTextByText) {
  Translated film;
  film.gateway.form_fault(FormFault::lacks_key, 1, "de");
  film.play("cues-per-request=4 max-in-flight=1", 8);
  EXPECT_EQ(film.gateway.gateway().calls(), 1u + 4u + 1u);
}

TEST(BatchesInLanguages, WithWrongNumbersAskForBothTextByText) {
  Translated film;
  film.gateway.form_fault(FormFault::wrong_number, 1);
  film.play("cues-per-request=4 max-in-flight=1", 4);
  EXPECT_EQ(film.gateway.gateway().calls(), 1u + 4u);
}

// A text goes out within the latency, however many the request could hold.
TEST(LiveBatches, AreNoReasonToBeLate) {
  GatewayServer gateway;
  CaptionRun run(gateway,
                 "appsrc name=in is-live=true do-timestamp=true format=time caps=text/x-raw,format=utf8 ! "
                 "gencaption name=cap cues-per-request=50 latency=2000 ! appsink name=out sync=false");
  run.go(GST_STATE_PLAYING);
  for (unsigned i = 0; i < 3; ++i) {
    GstBuffer *buffer = gst_buffer_new_memdup("Da.", 3);
    GST_BUFFER_DURATION(buffer) = 300 * kMs;
    GstFlowReturn flow = GST_FLOW_OK;
    g_signal_emit_by_name(run.element("in").get(), "push-buffer", buffer, &flow);
    gst_buffer_unref(buffer);
  }
  ASSERT_TRUE(run.wait_for_captions(1));
  EXPECT_EQ(run.stat("late"), 0u);
  EXPECT_EQ(gateway.gateway().calls(), 1u);
}

}  // namespace
}  // namespace genclip::test
