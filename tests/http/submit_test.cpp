// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Requirements of a POST that costs money: it is sent once, and an unknown outcome is reported as unknown.
#include "tests/http/client_fixture.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

TEST(Submit, IsSentOnceWhenTheAnswerIsLost) {
  HttpServer server([](ServedConnection &peer) { peer.read_request(); });
  const auto reply = client()->call(post(server.url()), nullptr);
  ASSERT_FALSE(reply);
  EXPECT_TRUE(reply.error().maybe_sent);
  EXPECT_EQ(reply.error().error.kind, ErrorKind::read);
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST(Submit, IsSentOnceWhenTheConnectionIsReset) {
  HttpServer server([](ServedConnection &peer) {
    peer.read_request();
    peer.reset();
  });
  const auto reply = client()->call(post(server.url()), nullptr);
  ASSERT_FALSE(reply);
  EXPECT_TRUE(reply.error().maybe_sent);
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST(Submit, IsSentOnceWhenTheServerSaysItWasMisdirected) {
  HttpServer server(always(answer(421, "elsewhere")));
  const auto reply = client()->call(post(server.url()), nullptr);
  ASSERT_TRUE(reply) << reply.error().error.text;
  EXPECT_EQ(reply->status, 421u);
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST(Submit, IsInDoubtWhenTheServerTakesItAndHangs) {
  HttpServer server([](ServedConnection &peer) {
    peer.read_request();
    peer.hang();
  });
  HttpRequest request = post(server.url());
  request.timeout = milliseconds(500);
  const auto failure = failure_that(was_maybe_sent, request);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->error.kind, ErrorKind::timed_out);
  EXPECT_TRUE(failure->maybe_sent);
}

TEST(Submit, IsWaitedForLongerOnceItWasSent) {
  HttpServer server([](ServedConnection &peer) {
    peer.read_request();
    peer.pause(milliseconds(1500));
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{");
    peer.pause(milliseconds(1500));
    peer.send("}");
  });
  HttpRequest request = post(server.url());
  request.timeout = milliseconds(1400);  // Less than a pause.
  request.answer_timeout = kHang;
  const auto reply = client()->call(request, nullptr);
  ASSERT_TRUE(reply) << reply.error().error.text;
  EXPECT_EQ(reply->body, "{}");
}

TEST(Submit, IsNotWaitedForLongerUntilItWasSent) {
  FullBacklog full;
  HttpServer frozen([](ServedConnection &peer) { peer.freeze(); });
  for (HttpRequest request : {post(full.url()), post(frozen.url(), std::string(16 << 20, 'x'))}) {
    request.timeout = milliseconds(500);
    request.answer_timeout = std::chrono::hours(1);
    const auto reply = client()->call(request, nullptr);
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().error.kind, ErrorKind::timed_out);
  }
}

TEST(Submit, EndsWithTheTimeForItsAnswer) {
  HttpServer server([](ServedConnection &peer) {
    peer.read_request();
    peer.hang();
  });
  HttpRequest request = post(server.url());
  request.timeout = milliseconds(100);
  request.answer_timeout = milliseconds(700);
  const auto begin = std::chrono::steady_clock::now();
  const auto is_of_answer = [](const HttpError &error) {
    return error.error.text.find("within 0.7 s") != std::string::npos;
  };
  const auto failure = failure_that(is_of_answer, request);
  const auto took = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->error.kind, ErrorKind::timed_out);
  EXPECT_TRUE(is_of_answer(*failure)) << failure->error.text;
  EXPECT_GE(took, milliseconds(690));
  EXPECT_LE(took, time_limit(milliseconds(20000)));
}

TEST(Submit, HandsOverWhatCameOfAnAnswerThatBrokeOff) {
  HttpServer server([](ServedConnection &peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"id\":1}");
  });
  const auto reply = client()->call(post(server.url()), nullptr);
  ASSERT_FALSE(reply);
  ASSERT_TRUE(reply.error().begun);
  EXPECT_EQ(reply.error().begun->status, 200u);
  EXPECT_EQ(reply.error().begun->body, "{\"id\":1}");
}

TEST(Submit, TimesOutWhenTheServerStopsTakingTheBody) {
  HttpServer server([](ServedConnection &peer) { peer.freeze(); });
  HttpRequest request = post(server.url(), std::string(16 << 20, 'x'));
  request.timeout = milliseconds(1000);
  const auto failure = failure_that(was_maybe_sent, request);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->error.kind, ErrorKind::timed_out);
  EXPECT_TRUE(failure->maybe_sent);
}

TEST(Submit, ASlowUploadIsProgress) {
  HttpServer server([](ServedConnection &peer) {
    // Reads 6 MB in small parts, in total longer than the timeout, which no part exceeds on a busy machine.
    for (int i = 0; i < 8; ++i) {
      peer.pause(milliseconds(600));
      if (!peer.take(768 * 1024)) return;
    }
    peer.read_request();
    peer.send(answer(200, "x"));
  });
  HttpRequest request = post(server.url(), std::string(16 << 20, 'x'));
  request.timeout = milliseconds(4000);
  const auto reply = client()->call(request, nullptr);
  ASSERT_TRUE(reply) << reply.error().error.text;
}

TEST(Submit, OfACancelledCallerIsNotSentAtAll) {
  HttpServer server(always(answer(200, "x")));
  const auto cancellable = GRef<GCancellable>::adopt(g_cancellable_new());
  g_cancellable_cancel(cancellable.get());
  const auto reply = client()->call(post(server.url()), cancellable.get());
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().error.kind, ErrorKind::cancelled);
  EXPECT_FALSE(reply.error().maybe_sent);
  EXPECT_EQ(server.connections(), 0u);
}

TEST(Submit, CalledNotSentIsNeverSentLater) {
  const auto one = client();
  // Cancelled at random moments: a request that was reported as "not sent" must not be at the server.
  for (int round = 0; round < 200; ++round) {
    HttpServer server(always(answer(200, "x")));
    const auto cancellable = GRef<GCancellable>::adopt(g_cancellable_new());
    std::thread canceller([&cancellable, round] {
      g_usleep(static_cast<gulong>(round) * 5);
      g_cancellable_cancel(cancellable.get());
    });
    const auto reply = one->call(post(server.url()), cancellable.get());
    canceller.join();
    if (reply || reply.error().maybe_sent) continue;
    // A second call is behind the first on the I/O thread: by then the first would have left.
    ASSERT_TRUE(one->call(get(server.url("/later")), nullptr));
    for (const std::string &request : server.requests())
      EXPECT_FALSE(request.starts_with("POST")) << "round " << round;
  }
}

}  // namespace
}  // namespace genclip::test
