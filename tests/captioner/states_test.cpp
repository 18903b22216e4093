// SPDX-License-Identifier: LGPL-2.1-or-later
//
// NULL at any moment, repeatedly, without leftovers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/captioner/caption_run.h"
#include "tests/support/sanitized.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

using sim::GatewayFaultKind;
using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

const char *const kShapes[] = {
    "videotestsrc name=src ! video/x-raw,format=RGB,width=64,height=36 ! gencaption name=cap "
    "interval=200000000 %s ! "
    "fakesink sync=false",
    "videotestsrc name=src is-live=true ! video/x-raw,format=RGB,width=64,height=36 ! gencaption name=cap "
    "interval=200000000 %s ! fakesink",
    "videotestsrc name=src ! video/x-raw,format=RGB,width=64,height=36 ! tee name=t t. ! queue ! textoverlay "
    "name=o ! "
    "fakesink sync=false t. ! queue ! gencaption name=cap interval=200000000 %s ! o.text_sink",
};

std::string with(const char *shape, const std::string &properties) {
  std::string text = shape;
  return text.replace(text.find("%s"), 2, properties);
}

TEST(States, GoToNullAtOnceAtAnyMoment) {
  std::mt19937 random(7);
  for (const GatewayFaultKind kind :
       {GatewayFaultKind::none, GatewayFaultKind::hang, GatewayFaultKind::status})
    for (const char *shape : kShapes) {
      std::vector<milliseconds> times;
      for (const char *properties : {"", "stream=true", "retries=100 on-error=skip frames=3"}) {
        GatewayServer gateway;
        gateway.gateway().set_pace({.chunk = 5, .before = milliseconds(10), .between = milliseconds(20)});
        if (kind != GatewayFaultKind::none) gateway.fault(kind, 0, 503);
        CaptionRun run(gateway, with(shape, properties));
        run.go(GST_STATE_PLAYING);
        g_usleep(random() % 150000);
        times.push_back(run.time_to_null());
      }
      std::sort(times.begin(), times.end());
      EXPECT_LE(times[times.size() / 2], time_limit(kAtOnce)) << shape << " " << static_cast<int>(kind);
    }
}

TEST(States, CanBeGoneThroughAHundredTimes) {
  std::mt19937 random(11);
  GatewayServer gateway;
  for (const char *shape : kShapes) {
    CaptionRun run(gateway, with(shape, "max-in-flight=4"));
    for (int round = 0; round < 100; ++round) {
      const GstState up = random() % 3 ? GST_STATE_PLAYING : GST_STATE_PAUSED;
      run.go(up);
      if (random() % 2) g_usleep(random() % 5000);
      ASSERT_EQ(run.go(random() % 2 ? GST_STATE_READY : GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS) << round;
    }
    for (const auto &message : run.seen)
      EXPECT_NE(GST_MESSAGE_TYPE(message.get()), GST_MESSAGE_ERROR) << shape;
  }
}

TEST(States, BeginAnewAfterReady) {
  GatewayServer gateway;
  CaptionRun run(
      gateway,
      "videotestsrc name=src num-buffers=20 ! video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! "
      "gencaption name=cap interval=1000000000 max-requests=2 ! appsink name=out sync=false");
  for (int round = 1; round <= 3; ++round) {
    ASSERT_EQ(run.play(), "") << round;
    EXPECT_EQ(run.cues().size(), 2u * static_cast<size_t>(round)) << round;
    EXPECT_EQ(run.stat("captions"), 2u) << "each run has its own count";
    run.go(GST_STATE_READY);
  }
}

// A pad of fixed caps answers with those of its stream, which GStreamer reads on after it let go of their
// lock (1.22 to 1.26): a state change may have freed them.
TEST(States, DoNotFreeWhatAQueryForCapsReads) {
  GatewayServer gateway;
  CaptionRun run(gateway, "videotestsrc ! gencaption name=cap interval=200000000 ! fakesink sync=false");
  const auto src = GRef<GstPad>::adopt(gst_element_get_static_pad(run.element("cap").get(), "src"));
  EXPECT_FALSE(GST_PAD_IS_FIXED_CAPS(src.get()));
  const auto always = GRef<GstCaps>::adopt(gst_pad_get_pad_template_caps(src.get()));
  for (const GstState state : {GST_STATE_NULL, GST_STATE_PAUSED, GST_STATE_READY}) {
    run.go(state);
    gst_element_get_state(run.pipeline(), nullptr, nullptr, 60 * GST_SECOND);
    const auto caps = GRef<GstCaps>::adopt(gst_pad_query_caps(src.get(), nullptr));
    EXPECT_TRUE(gst_caps_is_equal(caps.get(), always.get())) << gst_element_state_get_name(state);
  }
}

// The output of gst-launch-1.0 with the leaks tracer.
std::string traced_run(const std::string &pipeline) {
  char **environment = g_get_environ();
  environment = g_environ_setenv(environment, "GST_TRACERS", "leaks", TRUE);
  environment = g_environ_setenv(environment, "GST_DEBUG", "GST_TRACER:7", TRUE);
  environment = g_environ_setenv(environment, "GST_DEBUG_NO_COLOR", "1", TRUE);
  environment = g_environ_unsetenv(environment, "GST_DEBUG_FILE");
  const std::string command = "gst-launch-1.0 " + pipeline;
  char **arguments = nullptr;
  g_shell_parse_argv(command.c_str(), nullptr, &arguments, nullptr);
  char *out = nullptr, *err = nullptr;
  int status = -1;
  GErrorPtr error;
  g_spawn_sync(nullptr, arguments, environment, G_SPAWN_SEARCH_PATH, nullptr, nullptr, &out, &err, &status,
               take(error));
  const GStringPtr said(out), logged(err);
  g_strfreev(arguments);
  g_strfreev(environment);
  EXPECT_FALSE(error) << error->message;
  EXPECT_EQ(status, 0) << said.get() << logged.get();
  return logged ? logged.get() : "";
}

bool is_alive(const std::string &logged) {
  return g_regex_match_simple("object-alive, type-name=\\(string\\)[A-Za-z]", logged.c_str(),
                              GRegexCompileFlags(0), GRegexMatchFlags(0));
}

TEST(States, LeaveNothingBehind) {
  if (kIsSanitized) GTEST_SKIP() << "gst-launch-1.0 cannot load a plugin of a sanitizer's build";
  GatewayServer gateway;
  const std::string pipeline =
      "videotestsrc num-buffers=60 ! video/x-raw,width=64,height=36 ! tee name=t t. ! queue ! textoverlay "
      "name=o ! "
      "fakesink t. ! queue ! gencaption interval=300000000 frames=2 stream=true scene-threshold=0.01 "
      "llm-base-url=" +
      gateway.url() + " api-key=k ! o.text_sink";
  // A codec that NULL has abandoned holds its picture, and so the source's pool, for a moment longer than the
  // pipeline lives; on a busy machine the process ends first. A leak is there each time.
  std::string logged;
  for (int run = 0; run < 5 && (run == 0 || is_alive(logged)); ++run) {
    logged = traced_run(pipeline);
    ASSERT_THAT(logged, HasSubstr("object-alive.class")) << "the tracer did not run";
  }
  EXPECT_GE(gateway.gateway().valid_calls(), 1u);
  EXPECT_FALSE(is_alive(logged)) << logged;
}

}  // namespace
}  // namespace genclip::test
