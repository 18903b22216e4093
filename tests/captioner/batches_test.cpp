// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Several texts in one request: each keeps its time and gets its own answer, or is asked about by itself.
//
// Which texts share a request depends on when they come, so most tests push them behind a Gate.
#include <gmock/gmock.h>

#include <atomic>
#include <memory>
#include <optional>

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

// The gateway answers no request before the test opens it. With max-in-flight=1, all waits behind the first
// request, which is about one text alone: the others are there when its answer comes, however slowly the
// test pushes them, so that no clock decides what is asked about together. It has no fault; those that a test
// adds later are for the requests behind it.
class Gate {
 public:
  explicit Gate(GatewayServer &gateway) {
    gateway.fault(sim::GatewayFaultKind::none);
    gateway.refuse([state = state_](const std::string &) {
      MutexLock lock(state->mutex);
      state->has_request = true;
      state->changed.notify_all();
      while (!state->is_open) state->changed.wait(lock);
      return false;
    });
  }
  ~Gate() { open(); }
  Gate(const Gate &) = delete;
  Gate &operator=(const Gate &) = delete;

  // Closed, for `count` texts at once; at most twice as many as share a request.
  void push(Harness &harness, unsigned count) {
    push_texts(harness, 0, 1);
    separate(harness);
    push_texts(harness, 1, count);
  }
  // Nothing that comes later shares a request with what has come.
  void separate(Harness &harness) {
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    harness.begin(segment);
    await_request();
  }
  void await_request() {
    MutexLock lock(state_->mutex);
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!state_->has_request && std::chrono::steady_clock::now() < end)
      state_->changed.wait_until(lock, end);
    EXPECT_TRUE(state_->has_request);
  }
  // Behind the end of the stream.
  Cues open_at_end(Harness &harness) {
    harness.push_end();
    open();
    return harness.output_until_end();
  }
  void open() {
    MutexLock lock(state_->mutex);
    state_->is_open = true;
    state_->changed.notify_all();
  }

 private:
  // The server's threads share it.
  struct State {
    Mutex mutex;
    CondVar changed;
    bool has_request GUARDED_BY(mutex) = false;
    bool is_open GUARDED_BY(mutex) = false;
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

TEST(Batches, AskAboutThatManyTextsAtOnceAndTheRestAtTheEnd) {
  GatewayServer gateway;
  Gate gate(gateway);
  Harness harness(gateway, "cues-per-request=4 max-in-flight=1", kUtf8);
  gate.push(harness, 8);
  EXPECT_EQ(gate.open_at_end(harness), answers(0, 8));
  EXPECT_EQ(gateway.gateway().calls(), 1u + 2u);
  EXPECT_EQ(harness.stat("requests"), 3u);
  EXPECT_EQ(harness.stat("captions"), 8u);
  EXPECT_THAT(gateway.gateway().problems(), IsEmpty());
  EXPECT_THAT(harness.warnings(), IsEmpty());
}

TEST(Batches, DoNotWaitForEverForMoreTexts) {
  GatewayServer gateway;
  Gate gate(gateway);
  Harness harness(gateway, "cues-per-request=10 max-in-flight=1", kUtf8);
  gate.push(harness, 4);
  gate.open();
  for (unsigned i = 0; i < 4; ++i) {
    GstBuffer *buffer = gst_harness_pull(harness.get());
    ASSERT_TRUE(buffer);
    EXPECT_EQ(text_of(buffer), "TEXT " + std::to_string(i) + ".");
    gst_buffer_unref(buffer);
  }
  EXPECT_EQ(gateway.gateway().calls(), 1u + 1u);
}

TEST(Batches, HaveTheLinesOfOverlappingTextsInOneCue) {
  GatewayServer gateway;
  Gate gate(gateway);
  Harness harness(gateway, "cues-per-request=3 max-in-flight=1", kUtf8);
  gate.push(harness, 1);
  harness.push("Eins.", 1000 * kMs, 2000 * kMs);
  harness.push("Zwei.", 2000 * kMs, 2000 * kMs);
  harness.push("Drei.", 5000 * kMs, 1000 * kMs);
  EXPECT_EQ(gate.open_at_end(harness),
            Cues({{0, 800, "TEXT 0."}, {1000, 4000, "EINS.\nZWEI."}, {5000, 6000, "DREI."}}));
  EXPECT_EQ(gateway.gateway().calls(), 1u + 1u);
}

TEST(Batches, AskAboutEqualTextsOnce) {
  GatewayServer gateway;
  Gate gate(gateway);
  const std::string once = std::to_string(g_random_int());
  Harness harness(gateway, "cues-per-request=3 max-in-flight=1 cache=read-write prompt=" + once, kUtf8);
  gate.push(harness, 1);
  for (const auto &[start, text] : {std::pair{1, "ja"}, {2, "nein"}, {3, "ja"}, {4, "doch"}})
    harness.push(text, start * GST_SECOND, GST_SECOND);
  const Cues cues = gate.open_at_end(harness);
  ASSERT_EQ(cues.size(), 5u);
  EXPECT_EQ(cues[3].text, "JA");
  EXPECT_EQ(gateway.gateway().calls(), 1u + 1u);
}

class UncertainAnswers : public testing::TestWithParam<std::pair<const char *, FormFault>> {};

TEST_P(UncertainAnswers, AreNotUsedAndEachTextIsAskedAboutByItself) {
  GatewayServer gateway;
  Gate gate(gateway);
  gateway.form_fault(GetParam().second, 1);
  Harness harness(gateway, "cues-per-request=4 max-in-flight=1", kUtf8);
  gate.push(harness, 8);
  EXPECT_EQ(gate.open_at_end(harness), answers(0, 8));
  EXPECT_EQ(gateway.gateway().calls(), 1u + 1u + 4u + 1u);
  EXPECT_THAT(harness.warnings(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, UncertainAnswers,
                         testing::Values(std::pair{"LacksNumber", FormFault::lacks_number},
                                         std::pair{"WrongNumber", FormFault::wrong_number},
                                         std::pair{"NoForm", FormFault::no_form}),
                         [](const auto &info) { return std::string(info.param.first); });

// A model that never keeps the numbers: the requests about several texts would bring nothing each time. Each
// text is asked about by itself in the end, whichever have shared a request.
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
    Gate gate(gateway);
    gateway.form_fault(fault, 0);
    Harness harness(gateway, "cues-per-request=4 max-in-flight=1", kUtf8);
    gate.push(harness, 8);
    EXPECT_EQ(gate.open_at_end(harness), answers(0, 8));
    EXPECT_EQ(gateway.gateway().calls(), 1u + 2u);
  }
}

// One of the texts may be why, and none may get a text that was cut.
TEST(Batches, WithoutTextOrCutAreAskedOneByOne) {
  for (const bool is_cut : {false, true}) {
    GatewayServer gateway;
    Gate gate(gateway);
    if (is_cut)
      gateway.fault(sim::GatewayFaultKind::cut_behind, 1, 11);
    else
      gateway.silence("OTHER");
    Harness harness(gateway, "cues-per-request=4 max-in-flight=1 retries=0 stream=true", kUtf8);
    gate.push(harness, 5);
    EXPECT_EQ(gate.open_at_end(harness), answers(0, 5));
    EXPECT_EQ(gateway.gateway().calls(), 1u + 5u);
    EXPECT_THAT(harness.warnings(), IsEmpty());
  }
}

// Of one text, the model withholds the answer; the others have theirs.
TEST(Batches, ThatAreBlockedAreAskedOneByOne) {
  GatewayServer gateway;
  Gate gate(gateway);
  gateway.fault(sim::GatewayFaultKind::blocked, 2, 0, "SAFETY");
  Harness harness(gateway, "cues-per-request=4 max-in-flight=1 on-error=skip", kUtf8);
  gate.push(harness, 5);
  Cues others = answers(0, 5);
  others.erase(others.begin() + 1);
  EXPECT_EQ(gate.open_at_end(harness), others);
  EXPECT_EQ(gateway.gateway().calls(), 1u + 5u);
  EXPECT_THAT(harness.warnings(), ElementsAre(HasSubstr("SAFETY")));
}

// An answer that the limit of tokens cut has all numbers, but maybe not all words.
TEST(Batches, ThatAreCutShortAreAskedOneByOne) {
  GatewayServer gateway;
  Gate gate(gateway);
  Harness harness(gateway, "cues-per-request=2 max-in-flight=1 max-output-tokens=5", kUtf8);
  gate.push(harness, 3);
  EXPECT_EQ(gate.open_at_end(harness), answers(0, 3));
  EXPECT_EQ(gateway.gateway().calls(), 1u + 3u);
}

// An outage costs no request for each text.
TEST(Batches, AreNotAskedOneByOneOnceTheGatewayFailsAtAll) {
  GatewayServer gateway;
  Gate gate(gateway);
  gateway.fault(sim::GatewayFaultKind::status, 100, 501);
  Harness harness(gateway, "cues-per-request=4 max-in-flight=1 on-error=skip retries=1", kUtf8);
  gate.push(harness, 8);
  EXPECT_EQ(gate.open_at_end(harness), answers(0, 1));
  EXPECT_EQ(gateway.gateway().calls(), 1u + 1 + 4 + 1);
}

// At one of the texts, the gateway fails; the others have their answers.
TEST(Batches, AtWhichTheGatewayFailsAreAskedOneByOneWithinTheRetries) {
  struct Case {
    const char *settings;
    unsigned failures, left_out, calls;
  };
  for (const Case &one :
       {Case{"on-error=skip retries=1", 2, 1, 1 + 1 + 4}, {"on-error=skip retries=0", 1, 4, 1 + 1}}) {
    GatewayServer gateway;
    Gate gate(gateway);
    gateway.fault(sim::GatewayFaultKind::status, one.failures, 501);
    Harness harness(gateway, std::string("cues-per-request=4 max-in-flight=1 ") + one.settings, kUtf8);
    gate.push(harness, 5);
    Cues others = answers(0, 5);
    others.erase(others.begin() + 1, others.begin() + 1 + one.left_out);
    EXPECT_EQ(gate.open_at_end(harness), others) << one.settings;
    EXPECT_EQ(gateway.gateway().calls(), one.calls) << one.settings;
    EXPECT_THAT(harness.warnings(), ElementsAre(HasSubstr("501"))) << one.settings;
  }
}

TEST(Batches, ThatFailAreToldOnce) {
  GatewayServer gateway;
  Gate gate(gateway);
  gateway.fault(sim::GatewayFaultKind::status, 1, 403);
  Harness harness(gateway, "cues-per-request=4 max-in-flight=1 on-error=skip", kUtf8);
  gate.push(harness, 8);
  Cues others = answers(0, 8);
  others.erase(others.begin() + 1, others.begin() + 5);
  EXPECT_EQ(gate.open_at_end(harness), others);
  EXPECT_EQ(gateway.gateway().calls(), 1u + 2u);
  EXPECT_EQ(harness.warnings().size(), 1u);
  EXPECT_EQ(harness.stat("skipped"), 4u);
}

TEST(Batches, CountAsOneRequestOfTheBudget) {
  GatewayServer gateway;
  Gate gate(gateway);
  Harness harness(gateway, "cues-per-request=4 max-requests=2 max-in-flight=1", kUtf8);
  gate.push(harness, 8);
  EXPECT_EQ(gate.open_at_end(harness), answers(0, 5));
  EXPECT_EQ(gateway.gateway().calls(), 1u + 1u);
  EXPECT_THAT(harness.warnings(), ElementsAre(HasSubstr("max-requests")));
  EXPECT_EQ(harness.stat("skipped"), 3u);
}

TEST(Batches, AreKeptTextByText) {
  GatewayServer gateway;
  const std::string own = "cache=read-write prompt=\"" + std::to_string(g_random_int()) + "\" ";
  {
    Gate gate(gateway);
    Harness harness(gateway, own + "cues-per-request=4 max-in-flight=1", kUtf8);
    gate.push(harness, 8);
    EXPECT_EQ(gate.open_at_end(harness), answers(0, 8));
    EXPECT_EQ(gateway.gateway().calls(), 1u + 2u);
  }
  for (const auto &[properties, to, calls] :
       {std::tuple{"cues-per-request=1", 8u, 3u}, {"cues-per-request=3", 9u, 4u}}) {
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

GstPadProbeReturn note_end(GstPad *, GstPadProbeInfo *info, gpointer has_ended) {
  if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_EOS)
    *static_cast<std::atomic<bool> *>(has_ended) = true;
  return GST_PAD_PROBE_OK;
}

struct Translated {
  GatewayServer gateway;
  Gate gate{gateway};
  std::atomic<bool> has_ended = false;  // All texts are in gencaption.
  std::optional<CaptionRun> run;

  void push(unsigned text) {
    const std::string words = "Text " + std::to_string(text) + ".";
    GstFlowReturn flow = GST_FLOW_OK;
    GstBuffer *buffer = gst_buffer_new_memdup(words.data(), words.size());
    GST_BUFFER_PTS(buffer) = text * GST_SECOND;
    GST_BUFFER_DURATION(buffer) = 800 * kMs;
    g_signal_emit_by_name(run->element("in").get(), "push-buffer", buffer, &flow);
    gst_buffer_unref(buffer);
  }
  void play(unsigned texts) {
    run.emplace(gateway,
                "appsrc name=in format=time caps=text/x-raw,format=utf8 ! "
                "gencaption name=cap cues-per-request=4 max-in-flight=1 "
                "cap.src_de ! appsink name=de sync=false  cap.src_en ! appsink name=en sync=false");
    const auto sink = GRef<GstPad>::adopt(gst_element_get_static_pad(run->element("cap").get(), "sink"));
    gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note_end, &has_ended, nullptr);
    run->go(GST_STATE_PLAYING);
    push(0);
    gate.await_request();
    for (unsigned i = 1; i < texts; ++i) push(i);
    GstFlowReturn flow = GST_FLOW_OK;
    g_signal_emit_by_name(run->element("in").get(), "end-of-stream", &flow);
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!has_ended && std::chrono::steady_clock::now() < end) g_usleep(1000);
    gate.open();
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
    film.play(8);
    EXPECT_EQ(film.gateway.gateway().calls(), 1u + 2u);
    EXPECT_THAT(film.gateway.gateway().problems(), IsEmpty());
  }
}

TEST(BatchesInLanguages, ThatLackOneAskForItTextByText) {
  Translated film;
  film.gateway.form_fault(FormFault::lacks_key, 1, "de");
  film.play(8);
  EXPECT_EQ(film.gateway.gateway().calls(), 1u + 1u + 4u + 1u);
}

TEST(BatchesInLanguages, WithWrongNumbersAskForBothTextByText) {
  Translated film;
  film.gateway.form_fault(FormFault::wrong_number, 1);
  film.play(5);
  EXPECT_EQ(film.gateway.gateway().calls(), 1u + 1u + 4u);
}

// A text goes out within the latency, however many the request could hold.
TEST(LiveBatches, AreNoReasonToBeLate) {
  GatewayServer gateway;
  CaptionRun run(gateway,
                 "appsrc name=in is-live=true do-timestamp=true format=time caps=text/x-raw,format=utf8 ! "
                 "gencaption name=cap cues-per-request=50 latency=60000 ! appsink name=out sync=false");
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
}

}  // namespace
}  // namespace genclip::test
