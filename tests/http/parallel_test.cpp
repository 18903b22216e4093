// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Many threads, many settings, one I/O thread.
#include <atomic>

#include "tests/http/client_fixture.h"

namespace genclip::test {
namespace {

constexpr int kThreads = 64;
constexpr int kCalls = 20;

template <typename Work>
void in_parallel(Work work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([work, i] { work(i); });
  for (std::thread &thread : threads) thread.join();
}

TEST(Parallel, CallsDoNotMix) {
  HttpServer server([](ServedConnection &peer) {
    for (;;) {
      const std::string request = peer.read_request();
      if (request.empty()) return;
      const auto path = request.find('/');
      peer.send(answer(200, request.substr(path, request.find(' ', path) - path)));
    }
  });
  std::atomic<int> right = 0;
  in_parallel([&](int thread) {
    for (int i = 0; i < kCalls; ++i) {
      const std::string path = "/" + std::to_string(thread) + "/" + std::to_string(i);
      const auto reply = client()->call(i % 2 ? get(server.url(path)) : post(server.url(path)), nullptr);
      if (reply && reply->body == path)
        ++right;
      else
        ADD_FAILURE() << path << ": " << (reply ? reply->body : reply.error().error.text);
    }
  });
  EXPECT_EQ(right, kThreads * kCalls);
}

// Over a connection that was used before, libsoup 3.2 sent them again by itself, and crashed.
TEST(Parallel, RequestsAreSentOnceWhereTheServerResetsConnections) {
  std::atomic<unsigned> answered = 0;
  HttpServer server([&answered](ServedConnection &peer) {
    while (!peer.read_request().empty()) {
      if (answered++ % 7 == 6) return peer.reset();
      if (!peer.send(answer(200, "x"))) return;
    }
  });
  const auto one = client();
  std::atomic<int> failed = 0;
  in_parallel([&](int) {
    for (int i = 0; i < kCalls; ++i) failed += !one->call(get(server.url()), nullptr);
  });
  EXPECT_EQ(server.requests().size(), size_t{kThreads} * kCalls);
  EXPECT_EQ(failed, kThreads * kCalls / 7);
}

TEST(Parallel, BodiesDoNotMix) {
  HttpServer server([](ServedConnection &peer) {
    for (;;) {
      const std::string request = peer.read_request();
      if (request.empty()) return;
      peer.send(answer(200, std::string(300'000, request[request.find('/') + 1])));
    }
  });
  in_parallel([&](int thread) {
    const char letter = static_cast<char>('0' + thread);
    auto body = client()->open(get(server.url(std::string("/") + letter)), nullptr);
    ASSERT_TRUE(body) << body.error().error.text;
    const auto all = drain(**body);
    ASSERT_TRUE(all);
    EXPECT_TRUE(*all == std::string(300'000, letter)) << letter;
  });
}

TEST(Parallel, CancelsTimeoutsAndClientsComeAndGo) {
  HttpServer slow([](ServedConnection &peer) {
    while (!peer.read_request().empty()) {
      peer.pause(milliseconds(3));
      peer.send(answer(200, "x"));
    }
  });
  in_parallel([&](int thread) {
    for (int i = 0; i < kCalls; ++i) {
      // Few settings, so that clients are shared, released and created concurrently.
      const auto own = client({.proxy = "", .tls_ca_file = thread % 8 == 0 ? "/nowhere" : ""});
      HttpRequest request = get(slow.url());
      if (i % 3 == 0) request.timeout = milliseconds(2);
      const auto cancellable = GRef<GCancellable>::adopt(g_cancellable_new());
      std::thread canceller([&cancellable, i] {
        g_usleep(static_cast<gulong>(i) * 400);
        g_cancellable_cancel(cancellable.get());
      });
      (void)own->call(request, i % 3 == 1 ? cancellable.get() : nullptr);
      canceller.join();
    }
  });
  EXPECT_TRUE(client()->call(get(slow.url()), nullptr));
}

}  // namespace
}  // namespace genclip::test
