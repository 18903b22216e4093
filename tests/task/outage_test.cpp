// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A task that exists is paid: it is asked for through an outage, until the deadline, and is not lost for one
// 404.
#include <algorithm>

#include "tests/task/task_fixture.h"

namespace genclip::test {
namespace {

using testing::HasSubstr;

class Outage : public TaskClientTest {
 protected:
  // What every query gets until `until`, counted from the beginning; then the task.
  void fails_until(seconds until, FakeAnswer failure) {
    http_.otherwise([this, until, failure](const HttpRequest &) {
      return clock_.now() - begin_ < until ? failure : answer(200, kTask);
    });
  }
  seconds longest_pause() const {
    const auto pauses = clock_.pauses();
    return pauses.empty() ? seconds(0)
                          : std::chrono::ceil<seconds>(*std::max_element(pauses.begin(), pauses.end()));
  }
};

FakeAnswer host_unknown() {
  FakeAnswer failure = not_sent("api.example is not known as a host.");
  failure.error->error.kind = ErrorKind::not_found;
  failure.error->transient = false;
  return failure;
}

FakeAnswer too_large() {
  FakeAnswer failure = lost("The answer is larger than 8388608 bytes.");
  failure.error->transient = false;
  failure.error->error.http_status = 200;
  return failure;
}

TEST_F(Outage, IsSurvivedForAsLongAsTheDeadlineAllows) {
  const std::vector<FakeAnswer> failures = {not_sent(),      lost(),          answer(408, ""),
                                            answer(429, ""), answer(500, ""), answer(501, ""),
                                            answer(502, ""), answer(503, ""), answer(530, ""),
                                            answer(999, ""), answer(200, ""), answer(200, "<html>"),
                                            too_large()};
  for (const FakeAnswer &failure : failures) {
    SCOPED_TRACE(failure.error ? failure.error->error.text : std::to_string(failure.reply.status));
    fails_until(std::chrono::duration_cast<seconds>(clock_.elapsed()) + seconds(1500), failure);
    const auto task = query(std::nullopt, 0, clock_.now() + seconds(1800));
    ASSERT_TRUE(task) << task.error().text;
  }
  EXPECT_LE(longest_pause(), seconds(30));
}

TEST_F(Outage, EndsWithTheDeadlineAndSaysThatTheTaskStays) {
  fails_until(seconds(100000), answer(503, R"({"message":"maintenance"})"));
  const auto task = query(std::nullopt, 0, begin_ + seconds(1800));
  ASSERT_FALSE(task);
  EXPECT_EQ(clock_.elapsed(), seconds(1800));
  EXPECT_EQ(task.error().kind, ErrorKind::busy);
  EXPECT_EQ(task.error().task_id, "t-1");
  EXPECT_THAT(task.error().text, HasSubstr("maintenance"));
  EXPECT_THAT(task.error().text, HasSubstr("run again to attach"));
  EXPECT_LE(http_.requests().size(), 100u) << "the pauses grow";
  EXPECT_GE(http_.requests().size(), 50u) << "and not for ever";
}

TEST_F(Outage, HasNoEndWithoutADeadline) {
  fails_until(seconds(48 * 3600), lost());
  const auto task = query(std::nullopt, 0);
  ASSERT_TRUE(task) << task.error().text;
  EXPECT_GE(clock_.elapsed(), std::chrono::hours(48));
}

TEST_F(Outage, OfANameServerIsOneOnceTheServiceWasReached) {
  http_.expect(host_unknown());
  EXPECT_FALSE(query()) << "a mistyped host is told at once";

  TaskClient one = client(0);
  http_.expect(answer(200, kTask));
  ASSERT_TRUE(one.query("t-1", std::nullopt, nullptr, begin_ + seconds(1800)));
  http_.expect(host_unknown(), 20);
  http_.expect(answer(200, kTask));
  const auto task = one.query("t-1", std::nullopt, nullptr, begin_ + seconds(1800));
  ASSERT_TRUE(task) << task.error().text;
}

// ---- What is told of it.

// The calls and texts that are told, and when.
struct Told {
  explicit Told(TaskClient &client, FakeClock &clock) : begin(clock.now()) {
    client.on_outage([this, &clock](TaskCall call, const Error &failure) {
      calls.push_back(call);
      texts.push_back(failure.text);
      at = std::chrono::duration_cast<milliseconds>(clock.now() - begin);
    });
  }
  Clock::Time begin;
  std::vector<TaskCall> calls;
  std::vector<std::string> texts;
  milliseconds at{-1};
};

TEST_F(Outage, IsToldOnceAndSoon) {
  TaskClient one = client();
  Told told(one, clock_);
  fails_until(seconds(1500), not_sent("127.0.0.1:18080 refuses the connection."));
  ASSERT_TRUE(one.query("t-1", std::nullopt, nullptr, begin_ + seconds(1800)));
  EXPECT_THAT(told.calls, testing::ElementsAre(TaskCall::query));
  EXPECT_THAT(told.texts, testing::ElementsAre("127.0.0.1:18080 refuses the connection."));
  EXPECT_LE(told.at, seconds(5)) << "before the wait that makes it long";

  fails_until(std::chrono::duration_cast<seconds>(clock_.elapsed()) + seconds(60), answer(502, ""));
  ASSERT_TRUE(one.query("t-1", std::nullopt, nullptr, clock_.now() + seconds(1800)));
  EXPECT_EQ(told.calls.size(), 2u) << "the next one is another";
}

TEST_F(Outage, OfAFewTriesIsNotTold) {
  for (const double die : {0.0, 0.5, 0.999}) {
    TaskClient one = client(5, Api::tasks, die);
    Told told(one, clock_);
    http_.expect(not_sent(), 3);
    http_.expect(answer(200, kTask));
    ASSERT_TRUE(one.submit(request_, nullptr));
    http_.expect(answer(503, ""), 3);
    http_.expect(answer(200, kTask));
    ASSERT_TRUE(one.query("t-1", std::nullopt, nullptr));
    EXPECT_THAT(told.calls, testing::IsEmpty()) << die;
  }
}

TEST_F(Outage, IsToldOfASubmitThatIsTriedAgain) {
  for (const double die : {0.0, 0.5, 0.999}) {
    TaskClient one = client(5, Api::tasks, die);
    Told told(one, clock_);
    http_.expect(not_sent("127.0.0.1:18080 refuses the connection."), 6);
    EXPECT_FALSE(one.submit(request_, nullptr));
    EXPECT_THAT(told.calls, testing::ElementsAre(TaskCall::submit)) << die;
    EXPECT_LE(told.at, seconds(5)) << die;
  }
}

TEST_F(Outage, IsToldAtOnceWhereTheServiceAsksForALongWait) {
  for (const auto &[wait, count] : {std::pair("4", 0u), std::pair("6", 1u)}) {
    TaskClient one = client();
    Told told(one, clock_);
    http_.expect(answer(429, "", {{"Retry-After", wait}}));
    http_.expect(answer(200, kTask));
    ASSERT_TRUE(one.submit(request_, nullptr));
    EXPECT_EQ(told.calls.size(), count) << wait;
    EXPECT_LE(told.at, seconds(0));
  }
}

// The service has answered, and what it said is not believed yet.
TEST_F(Outage, IsNotToldOfATaskThatIsNotKnownYet) {
  TaskClient one = client(0);
  Told told(one, clock_);
  http_.expect(answer(200, kTask));
  ASSERT_TRUE(one.submit(request_, nullptr));
  fails_until(seconds(59), answer(404, "{}"));
  ASSERT_TRUE(one.query("t-1", begin_, nullptr, begin_ + seconds(1800)));
  EXPECT_THAT(told.calls, testing::IsEmpty());
}

TEST_F(Outage, DoesNotHideThatTheKeyIsRefused) {
  for (const unsigned status : {401u, 402u, 403u, 407u}) {
    http_.expect(answer(503, ""));
    http_.expect(answer(status, ""));
    const auto task = query(std::nullopt, 0, begin_ + seconds(1800));
    ASSERT_FALSE(task);
    EXPECT_EQ(task.error().kind, ErrorKind::not_authorized);
    EXPECT_EQ(task.error().http_status, status);
  }
}

// ---- 404.

TEST_F(Outage, AFewTimes404AreNoLossYet) {
  for (const unsigned status : {404u, 410u}) {
    http_.expect(answer(status, "{}"), 3);
    http_.expect(answer(200, kTask));
    const auto task = query(std::nullopt, 0, begin_ + seconds(1800));
    ASSERT_TRUE(task) << task.error().text;
  }
  // Between two of them something else was wrong, so they say nothing.
  for (int round = 0; round < 5; ++round) {
    http_.expect(answer(404, "{}"), 3);
    http_.expect(answer(502, ""));
  }
  http_.expect(answer(200, kTask));
  EXPECT_TRUE(query(std::nullopt, 0, begin_ + seconds(1800)));
}

TEST_F(Outage, The404IsBelievedWhenItIsRepeated) {
  for (const unsigned status : {404u, 410u}) {
    http_.expect(answer(status, R"({"detail":"no such task"})"), 4);
    const auto task = query(std::nullopt, 0, begin_ + seconds(1800));
    ASSERT_FALSE(task);
    EXPECT_EQ(query_outcome(task.error()), QueryOutcome::gone);
    EXPECT_EQ(task.error().kind, ErrorKind::not_found);
    EXPECT_EQ(task.error().http_status, status);
    EXPECT_THAT(task.error().text, HasSubstr("no such task"));
  }
  const auto pauses = clock_.pauses();
  ASSERT_EQ(pauses.size(), 6u);
  for (const milliseconds pause : pauses) EXPECT_GE(pause, milliseconds(375));
}

TEST_F(Outage, A404WithinAMinuteOfTheSubmitIsNotYetKnown) {
  TaskClient one = client(0);
  http_.expect(answer(200, kTask));
  ASSERT_TRUE(one.submit(request_, nullptr));
  fails_until(seconds(59), answer(404, "{}"));
  const auto task = one.query("t-1", begin_, nullptr, begin_ + seconds(1800));
  ASSERT_TRUE(task) << task.error().text;
  EXPECT_LE(longest_pause(), seconds(5)) << "it may be known any moment";
  EXPECT_GE(http_.requests().size(), 10u);
  EXPECT_LE(http_.requests().size(), 30u);
}

TEST_F(Outage, A404LongAfterTheSubmitIsALoss) {
  TaskClient one = client(0);
  http_.expect(answer(200, kTask));
  ASSERT_TRUE(one.submit(request_, nullptr));
  fails_until(seconds(3600), answer(404, "{}"));
  const auto task = one.query("t-1", begin_, nullptr, begin_ + seconds(1800));
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().kind, ErrorKind::not_found);
  EXPECT_GE(clock_.elapsed(), seconds(60));
  EXPECT_LE(clock_.elapsed(), seconds(70));
}

TEST_F(Outage, A410RightAfterTheSubmitIsALossAtOnce) {
  TaskClient one = client(0);
  http_.expect(answer(200, kTask));
  ASSERT_TRUE(one.submit(request_, nullptr));
  http_.expect(answer(410, ""), 4);
  const auto task = one.query("t-1", begin_, nullptr, begin_ + seconds(1800));
  ASSERT_FALSE(task);
  EXPECT_EQ(query_outcome(task.error()), QueryOutcome::gone);
}

TEST_F(Outage, A404ThatTheDeadlineCutsShortIsNoLoss) {
  fails_until(seconds(3600), answer(404, "{}"));
  const auto task = query(begin_, 0, begin_ + seconds(10));
  ASSERT_FALSE(task);
  EXPECT_EQ(query_outcome(task.error()), QueryOutcome::no_answer) << "nobody said it often enough";
  EXPECT_THAT(task.error().text, HasSubstr("run again to attach"));
  EXPECT_EQ(clock_.elapsed(), seconds(10));
}

// ---- Retry-After.

TEST_F(Outage, IsWaitedOutAsTheServiceWishes) {
  http_.expect(answer(503, "", {{"Retry-After", "900"}}));
  http_.expect(answer(200, kTask));
  ASSERT_TRUE(query(std::nullopt, 0, begin_ + seconds(1800)));
  EXPECT_GE(clock_.elapsed(), seconds(900));
  EXPECT_LE(clock_.elapsed(), seconds(901));
}

TEST_F(Outage, WithoutADeadlineIsLookedAtEveryTenMinutesAtLeast) {
  http_.expect(answer(503, "", {{"Retry-After", "99999999999999"}}), 3);
  http_.expect(answer(200, kTask));
  ASSERT_TRUE(query(std::nullopt, 0));
  EXPECT_GE(clock_.elapsed(), seconds(1800));
  EXPECT_LE(clock_.elapsed(), seconds(1830));
}

// The task is paid for, and one answer may be wrong about the end.
TEST_F(Outage, WhoseEndIsToldToBeBeyondTheDeadlineIsLookedAtEachHalfMinute) {
  for (const unsigned status : {429u, 500u, 503u})
    for (const char *wish : {"1801", "3600", "Fri, 31 Dec 9999 23:59:59 GMT"}) {
      SCOPED_TRACE(std::to_string(status) + " " + wish);
      const Clock::Time begin = clock_.now();
      http_.expect(answer(status, "", {{"Retry-After", wish}}), 2);
      http_.expect(answer(200, kTask));
      EXPECT_TRUE(query(std::nullopt, 0, begin + seconds(1800)));
      EXPECT_EQ(clock_.now() - begin, seconds(60));
    }
}

TEST_F(Outage, WhoseEndIsToldToBeBeyondTheDeadlineEndsTheRunThere) {
  fails_until(seconds(3600), answer(503, "", {{"Retry-After", "86400"}}));
  const auto task = query(std::nullopt, 0, begin_ + seconds(1800));
  ASSERT_FALSE(task);
  EXPECT_EQ(clock_.elapsed(), seconds(1800));
  EXPECT_THAT(task.error().text, HasSubstr("It asks to wait for 1440 minutes"));
}

}  // namespace
}  // namespace genclip::test
