// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the log contains about an exchange, what it must never contain, and that a process may exit during
// one.
#include "tests/http/client_fixture.h"
#include "tests/support/log_lines.h"

namespace genclip::test {
namespace {

constexpr char kThresholds[] = "*:2,genclip-http:9";

TEST(ExchangeLog, NamesMethodPlaceStatusBytesAndTimeAndNoSecret) {
  LogLines log(kThresholds);
  HttpServer server(always(answer(403, "SECRET-BODY", "X: SECRET-HEADER\r\n")));
  HttpRequest request = post(server.url("/v2/tasks?token=SECRET-QUERY"), "SECRET-PROMPT");
  request.bearer_key = "SECRET-KEY";
  request.headers = {{"X", "SECRET-SENT"}};
  ASSERT_TRUE(client()->call(request, nullptr));
  const std::string text = log.text();
  EXPECT_NE(text.find("genclip-http: POST " + server.url("/v2/tasks?***") + ": status 403, 11 bytes, "),
            std::string::npos)
      << text;
  EXPECT_LT(text.find("genclip-http: POST " + server.url("/v2/tasks?***") + ": begins, sends 13 bytes"),
            text.find("status 403"))
      << "one that hangs can be seen before it ends: " << text;
  EXPECT_EQ(text.find("SECRET"), std::string::npos) << text;
}

TEST(ExchangeLog, TellsOfFailuresWithoutTheirSecrets) {
  LogLines log(kThresholds);
  HttpServer server(always("garbage SECRET-BODY\r\n\r\n"));
  HttpRequest request = get(server.url("/clip.mp4?sig=SECRET-QUERY"));
  request.bearer_key = "SECRET-KEY";
  ASSERT_FALSE(client()->call(request, nullptr));
  const std::string text = log.text();
  EXPECT_NE(text.find("status 0"), std::string::npos) << text;
  EXPECT_NE(text.find("that is not HTTP"), std::string::npos) << text;
  EXPECT_EQ(text.find("SECRET"), std::string::npos) << text;
}

TEST(ExchangeLog, LeavesOutThePathOfWhatNoKeyOpens) {
  LogLines log(kThresholds);
  HttpServer server(always(answer(200, "x")));
  ASSERT_TRUE(client()->call(get(server.url("/SECRET-PATH/clip.mp4")), nullptr));
  const std::string text = log.text();
  EXPECT_NE(text.find("GET " + server.url("/***") + ": status 200"), std::string::npos) << text;
  EXPECT_EQ(text.find("SECRET"), std::string::npos) << text;
}

TEST(ExchangeLog, WarnsOnceOfAKeyInClear) {
  LogLines log(kThresholds);
  HttpServer proxy(always(answer(200, "x")));
  const auto one = client({.proxy = "127.0.0.1:" + std::to_string(proxy.port()), .tls_ca_file = ""});
  HttpRequest request = get("http://clear.example/");
  request.bearer_key = "SECRET-KEY";
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(one->call(request, nullptr));
  const std::string text = log.text();
  const auto warning = text.find("clear.example over plain http");
  EXPECT_NE(warning, std::string::npos) << text;
  EXPECT_EQ(text.find("over plain http", warning + 40), std::string::npos) << text;
}

void exit_amid_an_exchange() {
  // Both keep running: nothing waits for them.
  auto *server = new HttpServer([](ServedConnection &peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\n\r\n");
    while (peer.send(std::string(100000, 'x'))) {
    }
  });
  auto body = client()->open(get(server->url()), nullptr);
  if (!body || !(*body)->read()) std::exit(1);
  for (int i = 0; i < 8; ++i)
    std::thread([url = server->url()] {
      if (auto other = client()->open(get(url), nullptr)) (void)drain(**other);
    }).detach();
  std::exit(0);
}

TEST(Exit, AmidExchangesIsNoCrash) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (int i = 0; i < 3; ++i) EXPECT_EXIT(exit_amid_an_exchange(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace genclip::test
