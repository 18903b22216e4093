// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Errors in every known format.
#include "plugin/caption/service_fault.h"

#include <gtest/gtest.h>

namespace genclip {
namespace {

using std::chrono::milliseconds;

std::optional<ServiceFault> fault(const std::string &text) {
  auto json = Json::parse(text);
  EXPECT_TRUE(json) << text;
  return json ? read_service_fault(*json) : std::nullopt;
}

struct FaultShape {
  const char *text;
  int code;
  const char *status;
  const char *message;
};

TEST(ServiceFault, ReadsEveryShape) {
  const FaultShape kShapes[] = {
      {R"({"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}})", 400, "INVALID_ARGUMENT",
       "bad"},
      {R"({"error":{"message":"bad","type":"invalid_request","param":null,"code":"model_gone"}})", 0,
       "invalid_request", "bad"},
      {R"({"error":{"message":"bad","code":"429"}})", 429, "429", "bad"},
      {R"({"error":"bad"})", 0, "", "bad"},
      {R"({"error":"bad_key","message":"the key is bad"})", 0, "", "bad_key"},
      {R"({"error":{"code":503},"message":"overloaded"})", 503, "", "overloaded"},
      {R"({"message":"bad","code":402})", 402, "", "bad"},
      {R"({"detail":"bad"})", 0, "", "bad"},
      {R"({"type":"about:blank","title":"Bad","status":"x","detail":"very bad"})", 0, "x", "very bad"},
      {R"({"error":{"error":{"code":403,"message":"inner"}}})", 403, "", "inner"},
      {R"({"error":{"code":500,"message":"{\"error\":{\"message\":\"upstream\",\"status\":\"X\"}}"}})", 500,
       "X", "upstream"},
      {R"({"error":{"code":502,"message":"{\"error\":{\"code\":429,\"message\":\"quota\"}}"}})", 429, "",
       "quota"},
      {R"({"error":"{\"error\":\"{\\\"message\\\":\\\"deep\\\"}\"}"})", 0, "", "deep"},
      {R"({"error":{"code":500,"message":"{not json"}})", 500, "", "{not json"},
  };
  for (const FaultShape &shape : kShapes) {
    const auto read = fault(shape.text);
    ASSERT_TRUE(read) << shape.text;
    EXPECT_EQ(read->code, shape.code) << shape.text;
    EXPECT_EQ(read->status, shape.status) << shape.text;
    EXPECT_EQ(read->message, shape.message) << shape.text;
    EXPECT_FALSE(read->retry_delay) << shape.text;
    EXPECT_FALSE(read->daily_quota) << shape.text;
  }
}

TEST(ServiceFault, SeesNoneWhereNoneIsReported) {
  for (const char *text :
       {"{}", "[]", "7", R"("x")", R"({"error":null})", R"({"error":{}})", R"({"error":""})",
        R"({"error":{"code":0}})", R"({"candidates":[],"message":"fine"})"})
    EXPECT_FALSE(fault(text)) << text;
}

TEST(ServiceFault, KnowsARefusalOfTheContent) {
  for (const auto &[text, word] :
       {std::pair{R"({"error":{"code":"content_policy_violation","type":"invalid_request_error"}})",
                  "content_policy_violation"},
        {R"({"error":{"code":400,"type":"content_filter","message":"no"}})", "content_filter"},
        {R"({"error":{"code":403,"status":"PROHIBITED_CONTENT"}})", "PROHIBITED_CONTENT"},
        {R"({"error":{"code":502,"message":"{\"error\":{\"reason\":\"SAFETY\",\"message\":\"no\"}}"}})",
         "SAFETY"},
        {R"({"error":{"reason":"SAFETY"}})", "SAFETY"},
        {R"({"error":{"code":"content_filter","message":"{\"error\":{\"message\":\"no\"}}"}})",
         "content_filter"},
        {R"({"error":{"code":403,"status":"PERMISSION_DENIED","message":"a content policy"}})", ""}})
    EXPECT_EQ(fault(text)->withheld, word) << text;
}

TEST(ServiceFault, ReadsTheDelayOfRetryInfo) {
  const auto with_delay = [](const std::string &delay) {
    return fault(R"({"error":{"code":429,"details":[{"@type":"x.RetryInfo","retryDelay":)" + delay + "}]}}")
        ->retry_delay;
  };
  EXPECT_EQ(with_delay(R"("45.8s")"), milliseconds(45800));
  EXPECT_EQ(with_delay(R"("0s")"), milliseconds(0));
  EXPECT_EQ(with_delay(R"("0.0015s")"), milliseconds(2));
  for (const char *nonsense :
       {R"("45")", R"("s")", R"("-1s")", R"("infs")", R"("1e9s")", R"("1sx")", "45", "null"})
    EXPECT_EQ(with_delay(nonsense), std::nullopt) << nonsense;
}

TEST(ServiceFault, KnowsTheQuotaOfTheDay) {
  for (const char *text :
       {R"({"error":{"code":429,"details":[{"violations":[{"quotaId":"RequestsPerDayPerProject"}]}]}})",
        R"({"error":{"code":429,"details":[{"violations":[{"quotaMetric":"x/requests_per_day"}]}]}})",
        R"({"error":{"code":429,"message":"Daily limit reached"}})"})
    EXPECT_TRUE(fault(text)->daily_quota) << text;
  EXPECT_FALSE(fault(R"({"error":{"code":429,"details":[{"violations":[{"quotaId":"RequestsPerMinute"}]}]}})")
                   ->daily_quota);
}

TEST(ServiceFault, UnwrapsNoDeeperThanItsBound) {
  std::string text = R"({"message":"core"})";
  for (int i = 0; i < 12; ++i) text = Json(Json::Object{{"error", text}}).to_text();
  const auto read = fault(text);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->message.starts_with("{")) << read->message;
}

}  // namespace
}  // namespace genclip
