// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Connections that serve several POSTs: none is sent twice, and no answer is mistaken for another.
#include <atomic>

#include "tests/http/client_fixture.h"

namespace genclip::test {
namespace {

const std::shared_ptr<HttpClient> &keeping() {
  static const auto kept = client({.keeps_connections = true});
  return kept;
}

TEST(KeptConnections, ServePostsOneAfterTheOther) {
  HttpServer server(always(answer(200, "{}")));
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(keeping()->call(post(server.url()), nullptr));
  EXPECT_EQ(server.connections(), 1u);
  EXPECT_EQ(server.requests().size(), 5u);
}

TEST(KeptConnections, AreForClientsThatAskForThem) {
  HttpServer server(always(answer(200, "{}")));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(client()->call(post(server.url()), nullptr));
  EXPECT_EQ(server.connections(), 3u);
}

// libsoup repeats a GET by itself.
TEST(KeptConnections, ServeNoGet) {
  HttpServer server(always(answer(200, "{}")));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(keeping()->call(get(server.url()), nullptr));
  EXPECT_EQ(server.connections(), 3u);
}

TEST(KeptConnections, ThatCloseAsAPostComesDoNotRepeatIt) {
  for (const bool resets : {false, true}) {
    HttpServer server([resets](ServedConnection &peer) {
      peer.read_request();
      peer.send(answer(200, "{}"));
      peer.read_request();
      if (resets) peer.reset();
    });
    ASSERT_TRUE(keeping()->call(post(server.url()), nullptr));
    const auto second = keeping()->call(post(server.url()), nullptr);
    ASSERT_FALSE(second);
    EXPECT_TRUE(second.error().maybe_sent);
    EXPECT_TRUE(second.error().transient);
    EXPECT_TRUE(second.error().stale);
    EXPECT_EQ(server.requests().size(), 2u);
    EXPECT_EQ(server.connections(), 1u);
  }
}

TEST(KeptConnections, ThatCloseBeforeAPostAreNotUsed) {
  std::atomic<bool> is_closed = false;
  HttpServer server([&is_closed](ServedConnection &peer) {
    peer.read_request();
    peer.send(answer(200, "{}"));
    peer.close();
    is_closed = true;
  });
  ASSERT_TRUE(keeping()->call(post(server.url()), nullptr));
  while (!is_closed) g_usleep(1000);
  g_usleep(200'000);
  ASSERT_TRUE(keeping()->call(post(server.url()), nullptr));
  EXPECT_EQ(server.connections(), 2u);
}

// Only the connection shows that a chunked body was cut between two chunks.
TEST(KeptConnections, ShowWhatWasCut) {
  HttpServer server([](ServedConnection &peer) {
    peer.read_request();
    peer.send(answer(200, "{}"));
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
  });
  ASSERT_TRUE(keeping()->call(post(server.url()), nullptr));
  auto body = keeping()->open(post(server.url()), nullptr);
  ASSERT_TRUE(body) << body.error().error.text;
  EXPECT_FALSE(drain(**body));
  EXPECT_EQ(server.connections(), 1u);
}

TEST(KeptConnections, WhoseAnswerIsLeftServeNobodyElse) {
  HttpServer server([](ServedConnection &peer) {
    peer.read_request();
    peer.send(answer(200, "{}"));
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegin");
    peer.hang();
  });
  ASSERT_TRUE(keeping()->call(post(server.url()), nullptr));
  {
    auto body = keeping()->open(post(server.url()), nullptr);
    ASSERT_TRUE(body);
  }
  const auto third = keeping()->call(post(server.url()), nullptr);
  ASSERT_TRUE(third) << third.error().error.text;
  EXPECT_EQ(third->body, "{}");
  EXPECT_EQ(server.connections(), 2u);
}

}  // namespace
}  // namespace genclip::test
