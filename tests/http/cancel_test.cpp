// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A cancelled call returns within milliseconds, at any stage of the exchange.
#include <algorithm>
#include <array>
#include <functional>

#include "tests/http/client_fixture.h"
#include "tests/support/sanitized.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

using Clock = std::chrono::steady_clock;

// A race detector looks up the names of suppressed functions, which takes time.
constexpr milliseconds kSoon{kIsThreadSanitized ? 500 : 100};
constexpr milliseconds kInPlace{40};  // Until the exchange is surely where the test wants it.

// Cancels some time after it is armed, and records when.
class LaterCancel {
 public:
  LaterCancel() : cancellable_(GRef<GCancellable>::adopt(g_cancellable_new())) {}
  void arm() {
    thread_ = std::thread([this] {
      g_usleep(static_cast<gulong>(kInPlace.count()) * 1000);
      at_ = Clock::now();
      g_cancellable_cancel(cancellable_.get());
    });
  }
  ~LaterCancel() {
    if (thread_.joinable()) thread_.join();
  }

  GCancellable *get() { return cancellable_.get(); }
  milliseconds since() {
    const auto now = Clock::now();
    thread_.join();
    return std::chrono::duration_cast<milliseconds>(now - at_);
  }

 private:
  const GRef<GCancellable> cancellable_;
  Clock::time_point at_;
  std::thread thread_;
};

// The time from the cancel to the end. Delays of a busy machine vary; a wait of the client occurs every time.
void expect_soon(const std::function<milliseconds()> &cancelled_call) {
  milliseconds best = milliseconds::max();
  for (int i = 0; i < 3 && best >= kSoon; ++i) best = std::min(best, cancelled_call());
  EXPECT_LT(best, time_limit(kSoon));
}

void expect_cancelled(const HttpRequest &request) {
  expect_soon([&] {
    LaterCancel cancel;
    cancel.arm();
    const auto reply = client()->call(request, cancel.get());
    const milliseconds took = cancel.since();
    EXPECT_TRUE(!reply && reply.error().error.kind == ErrorKind::cancelled);
    return took;
  });
}

TEST(Cancel, EndsTheWaitForAConnection) {
  const FullBacklog hole;
  expect_cancelled(get(hole.url()));
  expect_cancelled(post(hole.url()));
}

TEST(Cancel, EndsTheWaitBehindOthersWhoConnect) {
  const FullBacklog hole;
  // libsoup lets a GET wait for a connection to the same host that is being made.
  const auto first = GRef<GCancellable>::adopt(g_cancellable_new());
  std::thread other([&] { (void)client()->call(get(hole.url()), first.get()); });
  expect_cancelled(get(hole.url()));
  g_cancellable_cancel(first.get());
  other.join();
}

TEST(Cancel, EndsTheWaitForAnAnswer) {
  HttpServer server(hangs_after(""));
  expect_cancelled(get(server.url()));
  expect_cancelled(post(server.url()));
}

TEST(Cancel, EndsTheWaitAmidTheHead) {
  HttpServer server(hangs_after("HTTP/1.1 200 OK\r\nX-"));
  expect_cancelled(get(server.url()));
}

TEST(Cancel, EndsTheWaitForTheBody) {
  HttpServer server(hangs_after("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"));
  expect_cancelled(get(server.url()));
}

TEST(Cancel, EndsAnUploadThatNobodyTakes) {
  HttpServer server([](ServedConnection &peer) { peer.freeze(); });
  expect_cancelled(post(server.url(), std::string(16 << 20, 'x')));
}

TEST(Cancel, EndsABodyThatNeverEnds) {
  HttpServer server([](ServedConnection &peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\n\r\n");
    while (peer.send(std::string(100000, 'x'))) {
    }
  });
  expect_soon([&] {
    LaterCancel cancel;
    auto body = client()->open(get(server.url()), cancel.get());
    EXPECT_TRUE(body);
    if (!body) return milliseconds::max();
    cancel.arm();
    const auto all = drain(**body);
    const milliseconds took = cancel.since();
    EXPECT_TRUE(!all && all.error().error.kind == ErrorKind::cancelled);
    return took;
  });
}

TEST(Cancel, DoesNotHoldUpOthers) {
  HttpServer stuck(hangs_after(""));
  HttpServer server(always(answer(200, "x")));
  std::array<Clock::duration, 21> times;
  for (auto &time : times) {
    HttpRequest request = post(stuck.url(), std::string(100000, 'x'));
    request.timeout = milliseconds(5);
    EXPECT_FALSE(client()->call(request, nullptr));
    const auto begin = Clock::now();
    EXPECT_TRUE(client()->call(get(server.url()), nullptr));
    time = Clock::now() - begin;
  }
  // The median, because the machine may be busy.
  std::sort(times.begin(), times.end());
  EXPECT_LT(times[times.size() / 2], time_limit(milliseconds(500)));
}

TEST(Cancel, LetsGoOfTheConnectionAtOnce) {
  Mutex mutex;
  CondVar changed;
  bool left = false;
  HttpServer server([&](ServedConnection &peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx");
    peer.hang();
    MutexLock lock(mutex);
    left = true;
    changed.notify_all();
  });
  ASSERT_TRUE(client()->open(get(server.url()), nullptr));  // Nobody reads it.
  MutexLock lock(mutex);
  const auto deadline = Clock::now() + kHang;
  while (!left && changed.wait_until(lock, deadline)) {
  }
  EXPECT_TRUE(left);
}

}  // namespace
}  // namespace genclip::test
