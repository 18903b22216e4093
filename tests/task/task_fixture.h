// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A TaskClient on a scripted network and a clock that jumps.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "plugin/base/gref.h"
#include "plugin/catalog/check_request.h"
#include "plugin/task/task_client.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_http_client.h"

namespace genclip::test {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Pauses = std::vector<milliseconds>;

constexpr char kKey[] = "sk-Very+Secret/Key=";
constexpr char kTask[] = R"({"id":"t-1","status":"queued"})";

inline CheckedRequest checked(const std::string &model, Api api, const std::string &fields) {
  ClipRequest request;
  request.model = model;
  request.api = api;
  request.fields = *Json::parse(fields);
  auto result = check_request(*Catalog::built_in(), request);
  if (!result) ADD_FAILURE() << problems_text(result.error());
  return std::move(result).value();
}

class TaskClientTest : public testing::Test {
 protected:
  TaskClientTest() : cancellable_(GRef<GCancellable>::adopt(g_cancellable_new())) {}
  ~TaskClientTest() override {
    EXPECT_EQ(http_.unexpected(), 0u) << "more requests than the test allows";
    EXPECT_EQ(http_.left(), 0u) << "fewer requests than the test expects";
    for (const auto &request : http_.requests())
      EXPECT_EQ(request.request.url.find(kKey), std::string::npos) << request.request.url;
  }

  // The die always falls in the middle: no jitter on a backoff, half of it on a Retry-After.
  TaskClient client(unsigned retries = 3, Api api = Api::tasks, double die = 0.5) {
    return TaskClient(http_, clock_, {"https://api.example/prefix/", key_, api, seconds(30), "agent/1"},
                      RetryPolicy(retries, [die] { return die; }));
  }

  Result<Task, SubmitFailure> submit(unsigned retries = 3, TaskClient::Deadline deadline = std::nullopt) {
    return client(retries).submit(request_, cancellable_.get(), deadline);
  }
  Result<Task> query(std::optional<Clock::Time> submitted_at = std::nullopt, unsigned retries = 3,
                     TaskClient::Deadline deadline = std::nullopt) {
    return client(retries).query("t-1", submitted_at, cancellable_.get(), deadline);
  }

  // When each request left, from the beginning.
  Pauses times() const {
    Pauses result;
    for (const auto &request : http_.requests())
      result.push_back(std::chrono::duration_cast<milliseconds>(request.time - begin_));
    return result;
  }

  ApiKey key_{kKey};
  FakeClock clock_;
  FakeHttpClient http_{clock_};
  const Clock::Time begin_ = clock_.now();
  const GRef<GCancellable> cancellable_;
  const CheckedRequest request_ =
      checked("dance-2.5", Api::automatic, R"({"prompt":"a storm","duration":5})");
};

// No secret, nothing unprintable, not endless, and a sentence.
inline void expect_fit_for_people(const Error &error) {
  for (const std::string *text : {&error.text, &error.debug, &error.service_message}) {
    EXPECT_EQ(text->find(kKey), std::string::npos) << *text;
    EXPECT_EQ(text->find("Signature"), std::string::npos) << *text;
    EXPECT_TRUE(g_utf8_validate(text->data(), static_cast<gssize>(text->size()), nullptr)) << *text;
    EXPECT_LE(text->size(), 4000u);
    for (const char c : *text) EXPECT_FALSE(g_ascii_iscntrl(c)) << *text;
  }
  EXPECT_FALSE(error.text.empty());
}

}  // namespace genclip::test
