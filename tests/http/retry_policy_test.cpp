// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Retry times, with fixed dates and known random numbers.
#include "plugin/http/retry_policy.h"

#include <gtest/gtest.h>

#include <string>

namespace genclip {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Fri, 31 Dec 1999 23:59:59 GMT
const Clock::WallTime kNow{std::chrono::seconds(946684799)};

RetryPolicy policy(unsigned retries, double die) {
  return RetryPolicy(retries, [die] { return die; });
}

TEST(RetryAfter, ReadsSecondsAndDatesAndNothingElse) {
  constexpr std::optional<milliseconds> kNothing;
  const struct {
    std::string text;
    std::optional<milliseconds> wait;
  } kRows[] = {
      {"0", milliseconds(0)},
      {"120", milliseconds(120000)},
      {" 7 ", milliseconds(7000)},
      {"1.5", milliseconds(1500)},
      {"0.0004", milliseconds(0)},
      {"600", kMaxRetryAfter},
      {"601", kMaxRetryAfter},
      {"99999999999999999999", kMaxRetryAfter},
      {"Sat, 01 Jan 2000 00:00:59 GMT", milliseconds(60000)},
      {"Saturday, 01-Jan-00 00:00:59 GMT", milliseconds(60000)},
      {"Sat Jan  1 00:00:59 2000", milliseconds(60000)},
      {"Fri, 31 Dec 1999 23:59:59 GMT", milliseconds(0)},
      {"Thu, 01 Jan 1970 00:00:00 GMT", milliseconds(0)},
      {"Mon, 01 Jan 0001 00:00:00 GMT", milliseconds(0)},
      {"Sat, 01 Jan 2000 00:09:58 GMT", milliseconds(599000)},
      {"Sat, 01 Jan 2000 00:10:00 GMT", kMaxRetryAfter},
      {"Fri, 31 Dec 9999 23:59:59 GMT", kMaxRetryAfter},
      {"Sat, 01 Jan 2050 00:00:00 GMT", kMaxRetryAfter},
      {"", kNothing},
      {"-1", kNothing},
      {"+1", kNothing},
      {"1.", kNothing},
      {".5", kNothing},
      {"1e9", kNothing},
      {"inf", kNothing},
      {"nan", kNothing},
      {"0x10", kNothing},
      {"1 2", kNothing},
      {"1,5", kNothing},
      {"soon", kNothing},
      {std::string("5\0", 2), kNothing},
      {std::string(100, '9'), kNothing},
      {"Sat, 99 Jan 2000 00:00:59 GMT", kNothing},
      {"Sat, 01 Foo 2000 00:00:59 GMT", kNothing},
  };
  for (const auto &row : kRows) EXPECT_EQ(parse_retry_after(row.text, kNow), row.wait) << row.text;
}

TEST(RetryPolicy, DoublesTheDelayUpToThirtySeconds) {
  const RetryPolicy even = policy(100, 0.5);
  const int kExpected[] = {500, 1000, 2000, 4000, 8000, 16000, 30000, 30000};
  unsigned attempt = 0;
  for (const int expected : kExpected)
    EXPECT_EQ(even.delay_before(++attempt), milliseconds(expected)) << attempt;
  EXPECT_EQ(even.delay_before(100), milliseconds(30000));
}

TEST(RetryPolicy, VariesTheDelayByAQuarter) {
  EXPECT_EQ(policy(5, 0).delay_before(1), milliseconds(375));
  EXPECT_EQ(policy(5, 0.999999).delay_before(1), milliseconds(625));
}

TEST(RetryPolicy, EndsAfterItsRetries) {
  EXPECT_TRUE(policy(2, 0.5).delay_before(2));
  EXPECT_FALSE(policy(2, 0.5).delay_before(3));
  EXPECT_FALSE(policy(0, 0.5).delay_before(1));
}

TEST(RetryPolicy, KeepsToWhatTheServerAsksForAndNeverComesEarly) {
  EXPECT_EQ(policy(5, 0).delay_before(1, milliseconds(7000)), milliseconds(7000));
  EXPECT_EQ(policy(5, 0.999999).delay_before(1, milliseconds(7000)), milliseconds(7125));
  EXPECT_EQ(policy(5, 0).delay_before(3, milliseconds(0)), milliseconds(0));
}

TEST(RetryPolicy, HasADieOfItsOwn) {
  const RetryPolicy real(1);
  for (int i = 0; i < 1000; ++i) {
    const auto delay = real.delay_before(1);
    ASSERT_TRUE(delay);
    EXPECT_GE(*delay, milliseconds(375));
    EXPECT_LE(*delay, milliseconds(625));
  }
}

TEST(TransientStatus, IsWhatMayBeBetterNextTime) {
  for (const unsigned status : {408u, 425u, 429u, 500u, 502u, 503u, 504u, 522u})
    EXPECT_TRUE(is_transient_status(status)) << status;
  for (const unsigned status : {0u, 200u, 206u, 301u, 304u, 400u, 401u, 402u, 403u, 404u, 407u, 409u, 410u,
                                416u, 422u, 451u, 501u, 505u, 511u})
    EXPECT_FALSE(is_transient_status(status)) << status;
}

TEST(RetryAfterOf, ComparesADateWithTheDateOfTheAnswer) {
  HttpReply reply;
  const Clock::WallTime now{seconds(1767225600)};  // 2026-01-01
  reply.headers = {{"Retry-After", "Sat, 01 Jan 2000 00:01:00 GMT"},
                   {"Date", "Sat, 01 Jan 2000 00:00:00 GMT"}};
  EXPECT_EQ(retry_after_of(reply, now), seconds(60));
  for (const char *odd : {"", "soon", "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT"}) {
    reply.headers[1].second = odd;
    EXPECT_EQ(retry_after_of(reply, now), seconds(0)) << odd;
  }
  reply.headers = {{"Retry-After", "7"}, {"Date", "Sat, 01 Jan 2000 00:00:00 GMT"}};
  EXPECT_EQ(retry_after_of(reply, now), seconds(7));
  EXPECT_EQ(retry_after_of(HttpReply{}, now), std::nullopt);
}

}  // namespace
}  // namespace genclip
