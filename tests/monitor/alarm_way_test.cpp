// SPDX-License-Identifier: LGPL-2.1-or-later
//
// By which way an alarm reaches its URL, over a real connection.
#include <gtest/gtest.h>

#include "plugin/monitor/alarm_teller.h"
#include "tests/monitor/status_examples.h"
#include "tests/support/http_server.h"
#include "tests/support/taken.h"

namespace genclip::test {
namespace {

TEST(AlarmUrl, IsReachedThroughTheProxyOfTheChannel) {
  HttpServer proxy(always("HTTP/1.1 204 No Content\r\n\r\n"));
  const auto teller = taken(AlarmTeller::make(
      {.url = "http://alarms.example/hook", .http = {.proxy = "127.0.0.1:" + std::to_string(proxy.port())}}));
  teller->tell({{{AlarmKind::fallback, ""}, true, "A fallback.", kNow, kNow}}, "Dunes", "r-7");
  EXPECT_TRUE(teller->finish(std::chrono::minutes(1)));
  EXPECT_EQ(teller->deliveries().error, "");
  ASSERT_EQ(proxy.requests().size(), 1u);
  EXPECT_TRUE(proxy.requests().front().starts_with("POST http://alarms.example/hook "))
      << proxy.requests().front();
}

// For the proxy, that address would be its own machine.
TEST(AlarmUrl, OfThisMachineIsReachedWithoutTheProxy) {
  HttpServer receiver(always("HTTP/1.1 204 No Content\r\n\r\n"));
  HttpServer proxy(always("HTTP/1.1 403 Forbidden\r\n\r\n"));
  const auto teller = taken(AlarmTeller::make(
      {.url = receiver.url("/hook"), .http = {.proxy = "127.0.0.1:" + std::to_string(proxy.port())}}));
  teller->tell({{{AlarmKind::fallback, ""}, true, "A fallback.", kNow, kNow}}, "Dunes", "r-7");
  EXPECT_TRUE(teller->finish(std::chrono::minutes(1)));
  EXPECT_EQ(teller->deliveries().error, "");
  EXPECT_EQ(receiver.requests().size(), 1u);
}

}  // namespace
}  // namespace genclip::test
