// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Captions in several languages: one request for all, and never the wrong language on a pad.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/captioner/caption_run.h"

namespace genclip::test {
namespace {

using sim::FormFault;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kLanguagesVideo =
    "videotestsrc name=src num-buffers=40 ! video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! ";

// gencaption with a sink of its name for each language; `src` for the always pad.
std::string film(const std::string &properties, const std::vector<const char *> &languages) {
  std::string line = kLanguagesVideo + "gencaption name=cap interval=1000000000 " + properties + " ";
  for (const std::string language : languages)
    line += (language == "plain" ? " cap.src" : " cap.src_" + language) + " ! appsink name=" + language +
            " sync=false";
  return line;
}

Cues said_in(const std::string &language, Cues cues) {
  for (Cue &cue : cues) cue.text = language + ": " + cue.text;
  return cues;
}

std::string prompt_of(const Json &body) {
  return *body.find("contents")->array()->at(0).find("parts")->array()->at(0).find("text")->string();
}

TEST(Languages, EachPadHasItsOwnAndAllAreAskedForAtOnce) {
  GatewayServer gateway;
  CaptionRun run(gateway, film("", {"de", "en"}));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues("de"), said_in("de", each_second(4)));
  EXPECT_EQ(run.cues("en"), said_in("en", each_second(4)));
  EXPECT_EQ(gateway.gateway().calls(), 4u);
  EXPECT_THAT(gateway.gateway().problems(), IsEmpty());
  EXPECT_EQ(run.stat("requests"), 4u);
  EXPECT_EQ(run.stat("captions"), 8u);
  EXPECT_THAT(run.warnings(), IsEmpty());
}

// The tokens of a request are in one of its messages.
TEST(Languages, AreNamedInTheMessages) {
  GatewayServer gateway;
  CaptionRun run(gateway, film("", {"de", "pt-BR"}));
  ASSERT_EQ(run.play(), "");
  std::map<std::string, unsigned> count;
  guint64 tokens = 0;
  for (const auto &message : run.captions()) {
    const GstStructure *structure = gst_message_get_structure(message.get());
    const std::string language = gst_structure_get_string(structure, "language");
    EXPECT_THAT(gst_structure_get_string(structure, "text"), testing::StartsWith(language + ": "));
    ++count[language];
    guint64 total = 0;
    gst_structure_get_uint64(structure, "total-tokens", &total);
    tokens += total;
  }
  EXPECT_THAT(count, ElementsAre(testing::Pair("de", 4u), testing::Pair("pt-BR", 4u)));
  EXPECT_EQ(tokens, run.stat("total-tokens"));
}

TEST(Languages, OfOnePadAloneNeedNoForm) {
  GatewayServer gateway;
  CaptionRun run(gateway, film("", {"de"}));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues("de"), said_in("de", each_second(4)));
  for (const Json &body : gateway.bodies()) EXPECT_THAT(prompt_of(body), testing::Not(HasSubstr("JSON")));
}

TEST(Languages, TheAlwaysPadSaysWhatTheFirstOfThemSays) {
  for (const auto &languages : {std::vector{"plain", "de"}, {"plain", "de", "en"}}) {
    GatewayServer gateway;
    CaptionRun run(gateway, film("", languages));
    ASSERT_EQ(run.play(), "");
    for (const char *language : languages)
      EXPECT_EQ(run.cues(language),
                said_in(std::string_view(language) == "plain" ? "de" : language, each_second(4)));
    EXPECT_EQ(gateway.gateway().calls(), 4u);
    EXPECT_EQ(run.stat("captions"), 4 * languages.size());
    for (const Json &body : gateway.bodies()) {
      EXPECT_THAT(prompt_of(body), testing::Not(HasSubstr("answer\"")));
      EXPECT_EQ(prompt_of(body).find("JSON") != std::string::npos, languages.size() > 2);
    }
    EXPECT_THAT(run.warnings(), IsEmpty());
  }
}

// It is asked for once for both pads, and one of them warns.
TEST(Languages, TheAlwaysPadLacksWhatTheFirstOfThemLacks) {
  GatewayServer gateway;
  gateway.form_fault(FormFault::lacks_key, 1, "de");
  gateway.fault(sim::GatewayFaultKind::thinks_too_long, 1);
  CaptionRun run(gateway, film("max-in-flight=1", {"plain", "de", "en"}));
  ASSERT_EQ(run.play(), "");
  Cues german = said_in("de", each_second(4));
  german.erase(german.begin());
  EXPECT_EQ(run.cues("de"), german);
  EXPECT_EQ(run.cues("plain"), german);
  EXPECT_EQ(run.cues("en"), said_in("en", each_second(4)));
  EXPECT_EQ(gateway.gateway().calls(), 5u);
  EXPECT_THAT(run.warnings(), testing::UnorderedElementsAre(HasSubstr("output limit"),
                                                            HasSubstr("no answer in the language de")));
}

TEST(Languages, OfATextKeepItsTimes) {
  GatewayServer gateway;
  CaptionRun run(gateway,
                 "appsrc name=in format=time caps=text/x-raw,format=utf8 ! gencaption name=cap  cap.src_de ! "
                 "appsink name=de sync=false "
                 "cap.src_en ! appsink name=en sync=false");
  run.go(GST_STATE_PLAYING);
  const auto in_ = run.element("in");
  for (unsigned i = 0; i < 3; ++i) {
    GstBuffer *buffer = gst_buffer_new_memdup("Da.", 3);
    GST_BUFFER_PTS(buffer) = i * GST_SECOND;
    GST_BUFFER_DURATION(buffer) = GST_SECOND / 2;
    GstFlowReturn flow = GST_FLOW_OK;
    g_signal_emit_by_name(in_.get(), "push-buffer", buffer, &flow);
    gst_buffer_unref(buffer);
  }
  GstFlowReturn flow = GST_FLOW_OK;
  g_signal_emit_by_name(in_.get(), "end-of-stream", &flow);
  ASSERT_EQ(run.finish(), "");
  const Cues said = {{0, 500, "DA."}, {1000, 1500, "DA."}, {2000, 2500, "DA."}};
  EXPECT_EQ(run.cues("de"), said_in("de", said));
  EXPECT_EQ(run.cues("en"), said_in("en", said));
}

struct Form {
  const char *name;
  FormFault fault;
};
class FormsThatModelsReallyUse : public testing::TestWithParam<Form> {};

TEST_P(FormsThatModelsReallyUse, AreUnderstoodWithoutAnotherRequest) {
  GatewayServer gateway;
  gateway.form_fault(GetParam().fault, 0);
  CaptionRun run(gateway, film("", {"plain", "de", "en"}));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues("plain"), said_in("de", each_second(4)));
  EXPECT_EQ(run.cues("de"), said_in("de", each_second(4)));
  EXPECT_EQ(run.cues("en"), said_in("en", each_second(4)));
  EXPECT_EQ(gateway.gateway().calls(), 4u);
}

INSTANTIATE_TEST_SUITE_P(All, FormsThatModelsReallyUse,
                         testing::Values(Form{"Fence", FormFault::fence},
                                         Form{"Reversed", FormFault::reversed}),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(LackingLanguages, AreAskedForAloneOnce) {
  GatewayServer gateway;
  gateway.form_fault(FormFault::lacks_key, 1, "de");
  CaptionRun run(gateway, film("max-in-flight=1", {"de", "en"}));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues("de"), said_in("de", each_second(4)));
  EXPECT_EQ(run.cues("en"), said_in("en", each_second(4)));
  EXPECT_EQ(gateway.gateway().calls(), 5u);
  EXPECT_EQ(run.stat("requests"), 5u);
  EXPECT_THAT(run.warnings(), IsEmpty());
}

TEST(LackingLanguages, MayBeAllOfThem) {
  GatewayServer gateway;
  gateway.form_fault(FormFault::no_form, 1);
  CaptionRun run(gateway, film("max-in-flight=1", {"de", "en"}));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues("de"), said_in("de", each_second(4)));
  EXPECT_EQ(run.cues("en"), said_in("en", each_second(4)));
  EXPECT_EQ(gateway.gateway().calls(), 6u);
}

TEST(LackingLanguages, AreAskedForAloneFromTheStartAfterThreeAnswersWithoutAny) {
  GatewayServer gateway;
  gateway.form_fault(FormFault::no_form, 0);
  for (int run = 0; run < 2; ++run) {
    const unsigned before = gateway.gateway().calls();
    CaptionRun film_run(gateway, film("max-in-flight=1", {"de", "en"}));
    ASSERT_EQ(film_run.play(), "");
    EXPECT_EQ(film_run.cues("de"), said_in("de", each_second(4)));
    EXPECT_EQ(film_run.cues("en"), said_in("en", each_second(4)));
    EXPECT_EQ(gateway.gateway().calls() - before, 3u * 3u + 2u) << "each run tries anew";
    EXPECT_THAT(film_run.warnings(), ElementsAre(HasSubstr("asked for by itself")));
  }
}

TEST(LackingLanguages, UnderAnotherKeyAreNotTakenForAnotherLanguage) {
  GatewayServer gateway;
  gateway.form_fault(FormFault::other_key, 0, "en");
  CaptionRun run(gateway, film("", {"de", "en"}));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues("de"), said_in("de", each_second(4)));
  EXPECT_EQ(run.cues("en"), said_in("en", each_second(4)));
  EXPECT_EQ(gateway.gateway().calls(), 8u);
}

// The request for all, and then one that fails.
TEST(LackingLanguages, ThatFailAgainAreSilenceOnThatPadAndTold) {
  GatewayServer gateway;
  gateway.form_fault(FormFault::lacks_key, 1, "de");
  gateway.fault(sim::GatewayFaultKind::thinks_too_long, 1);
  CaptionRun run(gateway, film("max-in-flight=1", {"de", "en"}));
  ASSERT_EQ(run.play(), "");
  Cues german = said_in("de", each_second(4));
  german.erase(german.begin());
  EXPECT_EQ(run.cues("de"), german);
  EXPECT_EQ(run.cues("en"), said_in("en", each_second(4)));
  EXPECT_THAT(run.warnings(), testing::UnorderedElementsAre(HasSubstr("output limit"),
                                                            HasSubstr("no answer in the language de")));
  EXPECT_EQ(run.stat("skipped"), 1u);
}

// Asking for each alone would bring no more than all tries for both.
TEST(LackingLanguages, AreNotAskedForAloneWhereThereIsNoTextAtAll) {
  GatewayServer gateway;
  gateway.silence("STOP", 2);
  CaptionRun run(gateway, film("max-in-flight=1 retries=1", {"de", "en"}));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(gateway.gateway().calls(), 2u + 3u);
  EXPECT_THAT(run.warnings(), ElementsAre(HasSubstr("no text (STOP)"), HasSubstr("no text (STOP)")));
  EXPECT_EQ(run.stat("skipped"), 2u);
  for (const char *language : {"de", "en"}) EXPECT_EQ(run.cues(language).size(), 3u) << language;
}

TEST(LackingLanguages, ThatAreSilentAloneAreTold) {
  GatewayServer gateway;
  gateway.form_fault(FormFault::lacks_key, 1, "de");
  gateway.silence("STOP", 2);
  CaptionRun run(gateway, film("max-in-flight=1 retries=1", {"de", "en"}));
  ASSERT_EQ(run.play(), "");
  EXPECT_THAT(run.warnings(),
              testing::UnorderedElementsAre(HasSubstr("no text"), HasSubstr("no answer in the language de")));
  EXPECT_EQ(run.cues("de").size(), 3u);
}

TEST(LackingLanguages, TakeOfTheBudget) {
  GatewayServer gateway;
  gateway.form_fault(FormFault::lacks_key, 1, "de");
  CaptionRun run(gateway, film("max-in-flight=1 max-requests=1", {"de", "en"}));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues("de"), Cues());
  EXPECT_EQ(run.cues("en").size(), 1u);
  EXPECT_EQ(gateway.gateway().calls(), 1u);
  EXPECT_THAT(run.warnings(), ElementsAre(HasSubstr("max-requests is used up")));
}

// Only the whole of such an answer says where each language begins.
TEST(StreamedLanguages, ComeWithTheWholeAnswer) {
  GatewayServer gateway;
  CaptionRun run(gateway, film("stream=true", {"de", "en"}));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues("de"), said_in("de", each_second(4)));
  EXPECT_EQ(run.cues("en"), said_in("en", each_second(4)));
}

TEST(StreamedLanguages, OfOnePadComeSentenceBySentence) {
  GatewayServer gateway;
  CaptionRun run(gateway, film("stream=true", {"de"}));
  ASSERT_EQ(run.play(), "");
  const Cues cues = run.cues("de");
  ASSERT_GT(cues.size(), 4u);
  EXPECT_EQ(cues[0].text, "de: 1 still of 64x36.");
}

TEST(KeptLanguages, AreFreeOneByOne) {
  GatewayServer gateway;
  const std::string own = "cache=read-write prompt=\"" + std::to_string(g_random_int()) + "\"";
  const struct {
    std::vector<const char *> languages;
    unsigned calls, cached;
  } kRuns[] = {{{"de"}, 4, 0},       {{"de"}, 4, 4}, {{"en", "de"}, 8, 0},
               {{"de", "en"}, 8, 4}, {{"en"}, 8, 4}, {{"plain", "de"}, 8, 4}};
  for (const auto &[languages, calls, cached] : kRuns) {
    CaptionRun run(gateway, film(own, languages));
    ASSERT_EQ(run.play(), "");
    for (const char *language : languages)
      EXPECT_EQ(run.cues(language),
                said_in(std::string_view(language) == "plain" ? "de" : language, each_second(4)));
    EXPECT_EQ(gateway.gateway().calls(), calls);
    EXPECT_EQ(run.stat("cached"), cached);
  }
  // What was missing was asked for alone.
  for (const Json &body : gateway.bodies()) EXPECT_THAT(prompt_of(body), testing::Not(HasSubstr("JSON")));
}

TEST(KeptLanguages, ArePushedThoughTheRequestForTheOthersFails) {
  GatewayServer gateway;
  const std::string own = "on-error=skip cache=read-write prompt=\"" + std::to_string(g_random_int()) + "\"";
  {
    CaptionRun run(gateway, film(own, {"de"}));
    ASSERT_EQ(run.play(), "");
  }
  gateway.fault(sim::GatewayFaultKind::status, 0, 403);
  CaptionRun run(gateway, film(own, {"de", "en"}));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues("de"), said_in("de", each_second(4)));
  EXPECT_EQ(run.cues("en"), Cues());
  EXPECT_EQ(run.warnings().size(), 4u);
  for (const auto &message : run.seen) {
    if (GST_MESSAGE_TYPE(message.get()) != GST_MESSAGE_WARNING) continue;
    const GstStructure *details = nullptr;
    gst_message_parse_warning_details(message.get(), &details);
    guint status = 0;
    EXPECT_TRUE(gst_structure_get_uint(details, "http-status", &status));
    EXPECT_EQ(status, 403u);
  }
}

TEST(FailingLanguages, EndEveryPadAndAreToldOnce) {
  GatewayServer gateway;
  gateway.fault(sim::GatewayFaultKind::status, 0, 403);
  CaptionRun run(gateway, film("", {"de", "en"}));
  EXPECT_THAT(run.play(), HasSubstr("403"));
  EXPECT_EQ(run.cues("de"), Cues());
  EXPECT_EQ(run.cues("en"), Cues());
  EXPECT_TRUE(run.has_ended("de"));
  EXPECT_TRUE(run.has_ended("en"));
  // A source that still runs adds one about the flow this ends with.
  EXPECT_EQ(run.errors_of("cap"), 1u);
}

TEST(FailingLanguages, WithOnErrorSkipWarnOnceForEachWindow) {
  GatewayServer gateway;
  gateway.fault(sim::GatewayFaultKind::status, 1, 403);
  CaptionRun run(gateway, film("on-error=skip max-in-flight=1", {"de", "en"}));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues("de").size(), 3u);
  EXPECT_EQ(run.cues("en").size(), 3u);
  EXPECT_EQ(run.warnings().size(), 1u);
}

}  // namespace
}  // namespace genclip::test
