// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What GST_DEBUG=gen*:6 says of captions: each question and its answer, and no picture, word or key.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/captioner/caption_run.h"
#include "tests/support/log_lines.h"

namespace genclip::test {
namespace {

using sim::GatewayFaultKind;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr char kCaptioned[] =
    "videotestsrc name=src num-buffers=20 ! video/x-raw,format=RGB,width=64,height=36,framerate=10/1 ! "
    "gencaption name=cap interval=1000000000 prompt=\"SECRET-PROMPT\" ";

std::string log_of(GatewayServer &gateway, const std::string &properties) {
  LogLines log("gen*:6");
  CaptionRun run(gateway, kCaptioned + properties + " ! appsink name=out sync=false");
  run.play();
  run.go(GST_STATE_NULL);
  return log.text();
}

// A still is sent as base64 of a JPEG, which begins so.
const auto kHasNoSecret =
    AllOf(Not(HasSubstr("/9j/")), Not(HasSubstr(kKey)), Not(HasSubstr("SECRET-PROMPT")));

TEST(CaptionLog, HasEachQuestionAnswerAndBuffer) {
  GatewayServer gateway;
  const std::string text = log_of(gateway, "");
  EXPECT_THAT(text, AllOf(HasSubstr("INFO gencaption: asks gem-2.5-flash-lite of " + gateway.url()),
                          HasSubstr("DEBUG gencaption: 0:00:01.000000000: asks: 1 stills, 0 bytes of text"),
                          HasSubstr("DEBUG gencaption: 0:00:01.000000000: answered with "),
                          HasSubstr("DEBUG genclip-http: POST " + gateway.url()),
                          HasSubstr("LOG gencaption: buffer: "),
                          HasSubstr("INFO gencaption: stopped: 2 requests (0 of them again), 2 captions, 0 "
                                    "windows skipped, 0 answers late")));
  EXPECT_THAT(text, AllOf(kHasNoSecret, Not(HasSubstr(caption_at(1)))));
}

TEST(CaptionLog, TellsWhyATryFailedAndWhatIsDoneNext) {
  GatewayServer gateway;
  gateway.fault(GatewayFaultKind::status, 1, 503, "");
  const std::string text = log_of(gateway, "max-in-flight=1");
  EXPECT_THAT(text, AllOf(HasSubstr("DEBUG gencaption: 0:00:00.000000000: asks again in "),
                          HasSubstr("[HTTP 503"), HasSubstr("3 requests (1 of them again), 2 captions")));
  EXPECT_THAT(text, kHasNoSecret);
}

TEST(CaptionLog, TellsWhyACaptionIsMissing) {
  GatewayServer gateway;
  gateway.fault(GatewayFaultKind::status, 1, 401, "");
  const std::string text = log_of(gateway, "on-error=skip max-in-flight=1");
  EXPECT_THAT(text,
              AllOf(HasSubstr("INFO gencaption: 0:00:00.000000000: no caption: "), HasSubstr("[HTTP 401"),
                    HasSubstr("WARN gencaption: "), HasSubstr("1 captions, 1 windows skipped")));
  EXPECT_THAT(text, kHasNoSecret);
}

TEST(CaptionLog, TellsWhatEndedTheStream) {
  GatewayServer gateway;
  gateway.fault(GatewayFaultKind::status, 0, 402, "");
  const std::string text = log_of(gateway, "");
  EXPECT_THAT(text, AllOf(HasSubstr("ERROR gencaption: The text gateway refused the request (402)"),
                          HasSubstr("INFO gencaption: pauses: error")));
  EXPECT_THAT(text, kHasNoSecret);
}

}  // namespace
}  // namespace genclip::test
