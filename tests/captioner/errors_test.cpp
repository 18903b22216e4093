// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Failures, their messages, and that no message contains a secret.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <set>

#include "plugin/base/mutex.h"
#include "tests/captioner/caption_run.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {
namespace {

using sim::GatewayFaultKind;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::string captioned(unsigned seconds, const std::string &properties) {
  return "videotestsrc name=src num-buffers=" + std::to_string(10 * seconds) +
         " ! video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! gencaption name=cap "
         "interval=1000000000 " +
         properties + " ! appsink name=out sync=false";
}

// Domain and code of the last error that was seen.
std::pair<std::string, int> last_code(const CaptionRun &run) {
  GError *raw = nullptr;
  gst_message_parse_error(run.seen.back().get(), &raw, nullptr);
  const GErrorPtr error(raw);
  return {g_quark_to_string(error->domain), error->code};
}

void expect_no_key(CaptionRun &run) {
  run.captions();
  for (const auto &message : run.seen) {
    const GstStructure *structure = gst_message_get_structure(message.get());
    const GStringPtr text(structure ? gst_structure_to_string(structure) : g_strdup(""));
    EXPECT_THAT(text.get(), Not(HasSubstr(kKey)));
  }
}

struct Failure {
  GatewayFaultKind kind;
  unsigned code;
  const char *text;
  GstResourceError as;
  const char *said;
};

const Failure kFailures[] = {
    {GatewayFaultKind::status, 400, "", GST_RESOURCE_ERROR_SETTINGS, "400"},
    {GatewayFaultKind::status, 401, "", GST_RESOURCE_ERROR_NOT_AUTHORIZED, "api-key"},
    {GatewayFaultKind::status, 402, "", GST_RESOURCE_ERROR_NOT_AUTHORIZED, "credits"},
    {GatewayFaultKind::status, 404, "", GST_RESOURCE_ERROR_NOT_FOUND, "llm-base-url"},
    {GatewayFaultKind::status, 429, "", GST_RESOURCE_ERROR_BUSY, "interval"},
    {GatewayFaultKind::status, 503, "", GST_RESOURCE_ERROR_OPEN_READ, "later"},
    {GatewayFaultKind::error_on_200, 500, "", GST_RESOURCE_ERROR_OPEN_READ, "It broke."},
    {GatewayFaultKind::error_in_array, 429, "", GST_RESOURCE_ERROR_BUSY, "It broke."},
    {GatewayFaultKind::blocked, 0, "SAFETY", GST_RESOURCE_ERROR_FAILED, "SAFETY"},
    {GatewayFaultKind::prompt_blocked, 0, "BLOCKLIST", GST_RESOURCE_ERROR_FAILED, "BLOCKLIST"},
    {GatewayFaultKind::no_finish, 0, "", GST_RESOURCE_ERROR_READ, "before the model finished"},
    {GatewayFaultKind::cut, 40, "", GST_RESOURCE_ERROR_READ, ""},
    {GatewayFaultKind::html, 0, "", GST_RESOURCE_ERROR_READ, "neither JSON"},
    {GatewayFaultKind::empty, 0, "", GST_RESOURCE_ERROR_READ, "empty"},
};

TEST(Errors, EndTheStreamWithWhatToDoNext) {
  for (const Failure &failure : kFailures) {
    GatewayServer gateway;
    gateway.fault(failure.kind, 0, failure.code, failure.text);
    CaptionRun run(gateway, captioned(3, "retries=0"));
    const std::string text = run.play();
    EXPECT_THAT(
        text, AllOf(HasSubstr(failure.said), Not(HasSubstr("Internal data")), Not(testing::StrEq("stalled"))))
        << static_cast<int>(failure.kind) << " " << failure.code;
    EXPECT_EQ(last_code(run).first, "gst-resource-error-quark") << text;
    EXPECT_EQ(last_code(run).second, failure.as) << text;
    expect_no_key(run);
  }
}

// The source has long ended when downstream refuses the only caption.
TEST(Errors, OfAPadThatIsUnlinkedAreSaidThoughTheInputHasEnded) {
  GatewayServer gateway;
  gateway.gateway().set_pace({.chunk = 0, .before = std::chrono::milliseconds(300), .between = {}});
  CaptionRun run(gateway,
                 "videotestsrc name=src num-buffers=3 ! video/x-raw,format=RGB,width=64,height=36 ! "
                 "gencaption name=cap ! appsink name=out sync=false");
  run.go(GST_STATE_PLAYING);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (gateway.gateway().calls() == 0 && std::chrono::steady_clock::now() < end) g_usleep(1000);
  gst_element_unlink(run.element("cap").get(), run.element("out").get());
  EXPECT_THAT(run.finish(), HasSubstr("Internal data stream error"));
  EXPECT_EQ(gateway.gateway().calls(), 1u);
}

TEST(Errors, AreWarningsWhenTheyAreToBeSkipped) {
  for (const Failure &failure : kFailures) {
    GatewayServer gateway;
    gateway.fault(failure.kind, 1, failure.code, failure.text);
    CaptionRun run(gateway, captioned(3, "retries=0 on-error=skip max-in-flight=1"));
    ASSERT_EQ(run.play(), "") << static_cast<int>(failure.kind) << " " << failure.code;
    EXPECT_EQ(run.cues(), Cues({{1000, 2000, caption_at(1)}, {2000, 3000, caption_at(2)}}));
    EXPECT_THAT(run.warnings(), ElementsAre(HasSubstr(failure.said)));
    EXPECT_EQ(run.stat("skipped"), 1u);
    EXPECT_EQ(run.stat("unasked"), 0u);
    expect_no_key(run);
  }
}

// Amid a film: the first two captions are asked for with the old key.
TEST(Errors, OfAKeyThatIsRenewedInItsFileAreNone) {
  const TemporaryFolder folder;
  const std::string file = folder.file("key");
  const auto renew_with = [&file](const std::string &key) {
    std::ofstream(file) << key;
    EXPECT_EQ(::chmod(file.c_str(), 0600), 0);
  };
  renew_with("sk-1");
  GatewayServer gateway;
  Mutex mutex;
  unsigned calls = 0;
  std::string current = "sk-1";
  gateway.refuse([&](const std::string &authorization) {
    MutexLock lock(mutex);
    if (++calls == 3) renew_with(current = "sk-2");
    return authorization != "Bearer " + current;
  });
  CaptionRun run(gateway, captioned(5, "retries=0"));
  run.set("cap", "api-key", "");
  run.set("cap", "api-key-file", file);
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues(), each_second(5));
  EXPECT_THAT(run.warnings(), IsEmpty());
  EXPECT_EQ(gateway.gateway().valid_calls(), 5u);
  EXPECT_GE(run.stat("requests"), 6u);
  EXPECT_LE(run.stat("requests"), 7u) << "two may be on their way";
}

TEST(Errors, ThatMayPassAreTriedAgainAndNotSaid) {
  for (const bool stream : {false, true})
    for (const GatewayFaultKind kind :
         {GatewayFaultKind::error_on_200, GatewayFaultKind::no_finish, GatewayFaultKind::cut,
          GatewayFaultKind::html, GatewayFaultKind::empty}) {
      GatewayServer gateway;
      gateway.fault(kind, 1, kind == GatewayFaultKind::cut ? 30 : 503);
      CaptionRun run(gateway, captioned(1, stream ? "stream=true" : ""));
      const std::string end = run.play();
      if (stream && kind == GatewayFaultKind::no_finish) {
        // Its first sentence was sent and cannot be taken back.
        EXPECT_THAT(end, HasSubstr("before the model finished"));
        continue;
      }
      ASSERT_EQ(end, "") << static_cast<int>(kind);
      EXPECT_THAT(run.cues(), Not(IsEmpty()));
      EXPECT_THAT(run.warnings(), IsEmpty());
      EXPECT_EQ(run.stat("retries"), 1u);
      EXPECT_EQ(run.stat("requests"), 2u);
    }
}

TEST(Errors, OfAStreamHalfwayKeepWhatWasSaidAndAreSaid) {
  GatewayServer gateway;
  gateway.fault(GatewayFaultKind::error_midway, 1, 503);
  CaptionRun run(gateway, captioned(2, "stream=true on-error=skip retries=0 max-in-flight=1 prompt=x"));
  ASSERT_EQ(run.play(), "");
  EXPECT_THAT(run.warnings(), ElementsAre(HasSubstr("midway")));
  const Cues cues = run.cues();
  ASSERT_THAT(cues, Not(IsEmpty()));
  EXPECT_EQ(cues.back().end, 2000u);
}

TEST(Errors, WaitAsLongAsTheGatewayAsks) {
  GatewayServer gateway;
  gateway.fault(GatewayFaultKind::status, 1, 429, "", "0.8s");
  CaptionRun run(gateway, captioned(1, ""));
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(run.play(), "");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(800));
  EXPECT_EQ(run.cues(), Cues({{0, 1000, caption_at(0)}}));
}

TEST(Errors, OfMaxTokensKeepTheTextAndWarn) {
  GatewayServer gateway;
  gateway.fault(GatewayFaultKind::thinks_too_long, 1);
  CaptionRun run(gateway, captioned(2, "max-in-flight=1"));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues(), Cues({{1000, 2000, caption_at(1)}}));
  EXPECT_THAT(run.warnings(), ElementsAre(HasSubstr("max-output-tokens")));
}

TEST(Silence, IsAskedAboutAgain) {
  for (const char *stream : {"", "stream=true"})
    for (const char *as : {"content", "blank", "thought", "fence", "candidates", "nothing"}) {
      GatewayServer gateway;
      gateway.silence("OTHER", 1, as);
      CaptionRun run(gateway, captioned(1, stream));
      ASSERT_EQ(run.play(), "") << as;
      EXPECT_THAT(run.cues(), Not(IsEmpty())) << as;
      EXPECT_THAT(run.warnings(), IsEmpty()) << as;
      EXPECT_EQ(run.stat("requests"), 2u) << as;
    }
}

// A picture may show nothing: even with on-error=fail it does not end the stream.
TEST(Silence, AboutAPictureLeavesOutItsCaption) {
  GatewayServer gateway;
  gateway.silence("NO_IMAGE", 2);
  CaptionRun run(gateway, captioned(2, "retries=1 max-in-flight=1"));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues(), Cues({{1000, 2000, caption_at(1)}}));
  EXPECT_THAT(run.warnings(), ElementsAre(HasSubstr("no text (NO_IMAGE)")));
  EXPECT_EQ(run.stat("skipped"), 1u);
  EXPECT_EQ(run.stat("requests"), 3u);
}

TEST(Silence, StaysWithinABudget) {
  GatewayServer gateway;
  gateway.silence("STOP", 0);
  CaptionRun run(gateway, captioned(2, "retries=5 max-requests=2 max-in-flight=1"));
  ASSERT_EQ(run.play(), "");
  EXPECT_THAT(run.warnings(), ElementsAre(HasSubstr("no text (STOP)"), HasSubstr("max-requests")));
  EXPECT_EQ(gateway.gateway().calls(), 2u);
}

// A translation must not lose a line silently.
TEST(Silence, AboutATextIsAnError) {
  const TemporaryFolder folder;
  const std::string file = folder.file("in.srt");
  std::ofstream(file)
      << "1\n00:00:00,000 --> 00:00:01,000\neins\n\n2\n00:00:01,000 --> 00:00:02,000\nzwei\n\n";
  const auto line = [&file](const std::string &more) {
    return "filesrc location=" + file + " ! subparse ! gencaption name=cap retries=0 max-in-flight=1 " +
           more + " ! appsink name=out sync=false";
  };
  for (const bool skip : {false, true}) {
    GatewayServer gateway;
    gateway.silence("STOP");
    CaptionRun run(gateway, line(skip ? "on-error=skip" : ""));
    const std::string end = run.play();
    EXPECT_THAT(end, skip ? testing::Matcher<std::string>("") : HasSubstr("no text (STOP)"));
    if (!skip) continue;
    EXPECT_THAT(run.warnings(), ElementsAre(HasSubstr("no text (STOP)")));
    EXPECT_EQ(run.cues(), Cues({{1000, 2000, "ZWEI"}}));
  }
}

TEST(Streams, ThatAreCutBehindAFinishReasonAreAskedForAgain) {
  GatewayServer gateway;
  gateway.fault(GatewayFaultKind::cut_behind, 1, 2);
  CaptionRun run(gateway, captioned(1, "stream=true"));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.stat("requests"), 2u);
  EXPECT_THAT(run.warnings(), IsEmpty());
  EXPECT_EQ(run.cues().back().text, "It is red.");
}

TEST(Streams, ThatAreCutInEachTryGiveTheirTextAndAWarning) {
  GatewayServer gateway;
  gateway.fault(GatewayFaultKind::cut_behind, 2, 2);
  CaptionRun run(gateway, captioned(2, "stream=true retries=1 max-in-flight=1"));
  ASSERT_EQ(run.play(), "");
  EXPECT_EQ(run.cues().front().text, "1 still");
  EXPECT_THAT(run.warnings(), ElementsAre(HasSubstr("broke off")));
  EXPECT_EQ(run.stat("skipped"), 0u);
}

TEST(Streams, JoinTheHalvesOfACharacter) {
  for (const char *stream : {"", "stream=true"}) {
    GatewayServer gateway;
    gateway.fault(GatewayFaultKind::halves, 1);
    CaptionRun run(gateway, captioned(1, stream));
    ASSERT_EQ(run.play(), "");
    EXPECT_THAT(run.cues().front().text, HasSubstr("1 🪁 still"));
  }
}

TEST(Streams, NeverSpeakAFence) {
  for (const char *stream : {"", "stream=true"}) {
    GatewayServer gateway;
    gateway.form_fault(sim::FormFault::fence, 0);
    CaptionRun run(gateway, captioned(2, stream));
    ASSERT_EQ(run.play(), "");
    EXPECT_THAT(run.cues(), Not(IsEmpty()));
    for (const Cue &cue : run.cues())
      EXPECT_THAT(cue.text, AllOf(Not(HasSubstr("`")), Not(HasSubstr("text"))));
  }
}

TEST(Errors, DoNotCountThoughts) {
  for (const char *properties : {"stream=false", "stream=true"}) {
    GatewayServer gateway;
    gateway.fault(GatewayFaultKind::thinks_aloud, 1);
    CaptionRun run(gateway, captioned(1, properties));
    ASSERT_EQ(run.play(), "");
    EXPECT_THAT(run.cues(), Not(IsEmpty()));
    for (const Cue &cue : run.cues()) EXPECT_THAT(cue.text, Not(HasSubstr("Hm")));
  }
}

TEST(Settings, AreAllJudgedAtOnceBeforeAnythingIsSent) {
  GatewayServer gateway;
  CaptionRun run(gateway, captioned(1, "model=gem-2.5-flash-light temperature=-0.5"));
  run.set("cap", "api-key", "");
  run.set("cap", "llm-base-url", "ftp://x");
  run.set("cap", "proxy", "ftp://proxy.example");
  run.set("cap", "tls-ca-file", "/nowhere.pem");
  run.set("cap", "user-agent", "a\nb");
  g_unsetenv("GENCLIP_API_KEY");
  g_unsetenv("GENCLIP_API_KEY_FILE");
  EXPECT_THAT(run.play(),
              AllOf(HasSubstr("gem-2.5-flash-lite"), HasSubstr("temperature"), HasSubstr("llm-base-url"),
                    HasSubstr("API key"), HasSubstr("ftp://proxy.example"), HasSubstr("/nowhere.pem"),
                    HasSubstr("user-agent")));
  EXPECT_EQ(last_code(run).second, GST_RESOURCE_ERROR_SETTINGS);
  EXPECT_EQ(gateway.gateway().calls(), 0u);
}

TEST(Settings, TakeEveryTextModelAndNoOther) {
  for (const char *model :
       {"gem-2.5-flash-lite", "gem-2.5-pro", "gem-2.5-pro-official", "gem-2.5-pro-low", "gem-3-flash-preview",
        "gem-3-flash-preview-official", "gem-3-flash-preview-low", "gem-3.1-flash-lite-preview",
        "gem-3.1-pro-preview", "gem-3.1-pro-preview-official", "gem-3.1-pro-preview-low"}) {
    GatewayServer gateway;
    CaptionRun run(gateway, captioned(1, std::string("model=") + model));
    EXPECT_EQ(run.play(), "") << model;
    EXPECT_THAT(gateway.gateway().problems(), IsEmpty());
  }
  for (const char *model :
       {"gem-2.5-flash-lite-low", "gem-3.1-flash-lite-preview-official", "GEM-2.5-PRO", "dance-2.5"}) {
    GatewayServer gateway;
    CaptionRun run(gateway, captioned(1, std::string("model=") + model));
    EXPECT_THAT(run.play(), HasSubstr(model));
    EXPECT_EQ(gateway.gateway().calls(), 0u);
  }
}

TEST(Settings, WarnOfAKeyThatGoesInTheClear) {
  GatewayServer gateway;
  CaptionRun run(gateway, captioned(1, ""));
  run.set("cap", "llm-base-url", "http://gateway.example/llm");
  // The element alone: no picture, so nothing is sent.
  gst_element_set_state(run.element("cap").get(), GST_STATE_PAUSED);
  EXPECT_THAT(run.warnings(), ElementsAre(HasSubstr("llm-base-url")));
  expect_no_key(run);
}

TEST(Settings, NeverGiveTheKeyBack) {
  GatewayServer gateway;
  CaptionRun run(gateway, captioned(1, ""));
  guint count = 0;
  const auto element = run.element("cap");
  GParamSpec **specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(element.get()), &count);
  for (guint i = 0; i < count; ++i) {
    if (std::string_view(specs[i]->name) == "api-key") {
      EXPECT_FALSE(specs[i]->flags & G_PARAM_READABLE);
      continue;
    }
    if (!(specs[i]->flags & G_PARAM_READABLE)) continue;
    GValue value = G_VALUE_INIT;
    g_value_init(&value, specs[i]->value_type);
    g_object_get_property(G_OBJECT(element.get()), specs[i]->name, &value);
    const GStringPtr text(gst_value_serialize(&value));
    if (text) {
      EXPECT_THAT(text.get(), Not(HasSubstr(kKey))) << specs[i]->name;
    }
    g_value_unset(&value);
  }
  g_free(specs);
  EXPECT_EQ(run.play(), "");
  expect_no_key(run);
}

TEST(Settings, ComeFromTheEnvironmentWhereTheyAreUnset) {
  GatewayServer gateway;
  CaptionRun run(gateway, captioned(1, ""));
  run.set("cap", "api-key", "");
  run.set("cap", "llm-base-url", "");
  g_setenv("GENCLIP_LLM_BASE_URL", gateway.url().c_str(), TRUE);
  g_setenv("GENCLIP_API_KEY", "from-the-environment", TRUE);
  EXPECT_EQ(run.play(), "");
  g_unsetenv("GENCLIP_LLM_BASE_URL");
  g_unsetenv("GENCLIP_API_KEY");
  EXPECT_EQ(gateway.gateway().valid_calls(), 1u);
}

// Another value than the one it has.
void change(GstElement *element, GParamSpec *spec, const char *text) {
  GValue value = G_VALUE_INIT;
  g_value_init(&value, spec->value_type);
  g_object_get_property(G_OBJECT(element), spec->name, &value);
  if (G_VALUE_HOLDS_STRING(&value))
    g_value_set_string(&value, text);
  else if (G_VALUE_HOLDS_BOOLEAN(&value))
    g_value_set_boolean(&value, !g_value_get_boolean(&value));
  else if (G_VALUE_HOLDS_UINT(&value))
    g_value_set_uint(&value, g_value_get_uint(&value) + 1);
  else if (G_VALUE_HOLDS_UINT64(&value))
    g_value_set_uint64(&value, g_value_get_uint64(&value) + 1);
  else if (G_VALUE_HOLDS_DOUBLE(&value))
    g_value_set_double(&value, 0.75);
  else if (G_VALUE_HOLDS_ENUM(&value))
    g_value_set_enum(&value, g_value_get_enum(&value) == 1 ? 0 : 1);
  else
    ADD_FAILURE() << spec->name;
  g_object_set_property(G_OBJECT(element), spec->name, &value);
  g_value_unset(&value);
}

std::string shown(GstElement *element, GParamSpec *spec) {
  GValue value = G_VALUE_INIT;
  g_value_init(&value, spec->value_type);
  g_object_get_property(G_OBJECT(element), spec->name, &value);
  const GStringPtr text(gst_value_serialize(&value));
  g_value_unset(&value);
  return text ? text.get() : "(null)";
}

TEST(Settings, ThatWouldHaveNoEffectAreRefusedWhilePlaying) {
  GatewayServer gateway;
  CaptionRun run(gateway, "videotestsrc ! gencaption name=cap ! fakesink sync=false");
  const auto element = run.element("cap");
  const std::set<std::string> kEffective = {"asking", "max-requests", "prompt", "system-instruction"};
  guint count = 0;
  GParamSpec **specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(element.get()), &count);
  for (const GstState state : {GST_STATE_PLAYING, GST_STATE_READY}) {
    run.go(state);
    gst_element_get_state(run.pipeline(), nullptr, nullptr, 60 * GST_SECOND);
    for (guint i = 0; i < count; ++i) {
      GParamSpec *spec = specs[i];
      if (spec->owner_type != G_OBJECT_TYPE(element.get()) || !(spec->flags & G_PARAM_WRITABLE) ||
          !(spec->flags & G_PARAM_READABLE))
        continue;
      const bool changes = state == GST_STATE_READY || kEffective.contains(spec->name);
      const std::string before = shown(element.get(), spec);
      change(element.get(), spec, gst_element_state_get_name(state));
      EXPECT_EQ(shown(element.get(), spec) != before, changes) << spec->name << " " << before;
      EXPECT_EQ(bool(spec->flags & GST_PARAM_MUTABLE_PLAYING), kEffective.contains(spec->name)) << spec->name;
      EXPECT_EQ(bool(spec->flags & GST_PARAM_MUTABLE_READY), !kEffective.contains(spec->name)) << spec->name;
    }
  }
  g_free(specs);
}

// A failed start is not a run.
TEST(Settings, CanBeMendedAfterAStartThatFailed) {
  GatewayServer gateway;
  CaptionRun run(gateway, captioned(1, "model=unheard-of"));
  EXPECT_THAT(run.play(), HasSubstr("unheard-of"));
  run.set("cap", "model", "gem-2.5-flash-lite");
  run.go(GST_STATE_NULL);
  EXPECT_EQ(run.play(), "");
}

}  // namespace
}  // namespace genclip::test
