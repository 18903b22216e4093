// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Over real sockets, byte for byte.
#include "plugin/http/local_server.h"

#include <gio/gio.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "plugin/base/gref.h"
#include "tests/support/taken.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using Method = HttpRequest::Method;

class Local : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<ServedRoute> routes;
    routes.push_back({Method::get, "/", [](const ServedRequest &) {
                        return ServedResponse{200, "text/html", "<p>hello", {{"X-Frame-Options", "DENY"}}};
                      }});
    const auto echo = [this](const ServedRequest &request) {
      ++calls_;
      return ServedResponse{200, "text/plain", request.authorization + "|" + request.body};
    };
    routes.push_back({Method::post, "/echo", echo});
    LocalServerSettings settings;
    settings.max_body = 1000;
    server_ = taken(LocalServer::start(settings, std::move(routes)));
  }

  GRef<GSocketConnection> connected(const std::string &address = "127.0.0.1") const {
    const auto client = GRef<GSocketClient>::adopt(g_socket_client_new());
    g_socket_client_set_enable_proxy(client.get(), FALSE);
    g_socket_client_set_timeout(client.get(), 20);
    const auto target =
        GRef<GSocketAddress>::adopt(g_inet_socket_address_new_from_string(address.c_str(), server_->port()));
    return GRef<GSocketConnection>::adopt(
        g_socket_client_connect(client.get(), G_SOCKET_CONNECTABLE(target.get()), nullptr, nullptr));
  }

  // What the server answers to these bytes before it, or this end, closes the connection.
  std::string said(const std::string &bytes, const std::string &address = "127.0.0.1") const {
    const auto connection = connected(address);
    return connection ? said_on(connection, bytes) : "no connection";
  }
  static std::string said_on(const GRef<GSocketConnection> &connection, const std::string &bytes) {
    g_output_stream_write_all(g_io_stream_get_output_stream(G_IO_STREAM(connection.get())), bytes.data(),
                              bytes.size(), nullptr, nullptr, nullptr);
    std::string all;
    char buffer[4096];
    gssize count = 0;
    while ((count = g_input_stream_read(g_io_stream_get_input_stream(G_IO_STREAM(connection.get())), buffer,
                                        sizeof buffer, nullptr, nullptr)) > 0)
      all.append(buffer, static_cast<size_t>(count));
    return count < 0 ? all + "(timed out)" : all;
  }
  std::string request(const std::string &line, const std::string &headers = {}, const std::string &body = {},
                      const std::string &host = "localhost") const {
    return line + " HTTP/1.1\r\nHost: " + host + ":" + std::to_string(server_->port()) +
           "\r\nConnection: close\r\n" + headers + "\r\n" + body;
  }

  std::unique_ptr<LocalServer> server_;
  std::atomic<int> calls_ = 0;
};

TEST_F(Local, AnswersOnBothLoopbackAddresses) {
  EXPECT_THAT(said(request("GET /")), HasSubstr("<p>hello"));
  const auto v6 = GRef<GSocket>::adopt(
      g_socket_new(G_SOCKET_FAMILY_IPV6, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, nullptr));
  const auto any = GRef<GSocketAddress>::adopt(g_inet_socket_address_new_from_string("::1", 0));
  if (!v6 || !g_socket_bind(v6.get(), any.get(), FALSE, nullptr)) GTEST_SKIP() << "no IPv6 here";
  EXPECT_THAT(said(request("GET /", "", "", "[::1]"), "::1"), HasSubstr("<p>hello"));
}

TEST_F(Local, SendsItsHeadersAndNoPermissionForOtherOrigins) {
  const std::string text = said(request("GET /", "Origin: http://evil.example\r\n"));
  for (const char *header : {"HTTP/1.1 200 OK\r\n", "X-Frame-Options: DENY\r\n", "Connection: close\r\n",
                             "Content-Type: text/html\r\n", "X-Content-Type-Options: nosniff\r\n",
                             "Cross-Origin-Resource-Policy: same-origin\r\n", "Cache-Control: no-store\r\n"})
    EXPECT_THAT(text, HasSubstr(header));
  EXPECT_THAT(text, Not(HasSubstr("Access-Control")));
}

TEST_F(Local, AnswersHeadWithoutABody) {
  const std::string text = said(request("HEAD /"));
  EXPECT_THAT(text, HasSubstr("Content-Length: 8\r\n"));
  EXPECT_TRUE(text.ends_with("\r\n\r\n")) << text;
}

TEST_F(Local, HandsOverTheBodyAndTheAuthorization) {
  EXPECT_TRUE(said(request("POST /echo", "Authorization: Bearer x\r\nContent-Length: 3\r\n", "abc"))
                  .ends_with("\r\n\r\nBearer x|abc"));
  EXPECT_TRUE(said(request("POST /echo")).ends_with("\r\n\r\n|"));
}

TEST_F(Local, NamesTheMethodsOfAPath) {
  for (const char *method : {"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "BREW"}) {
    const std::string text = said(request(std::string(method) + " /echo", "Content-Length: 0\r\n"));
    EXPECT_THAT(text, HasSubstr("405 ")) << method;
    EXPECT_THAT(text, HasSubstr("Allow: POST\r\n")) << method;
  }
  EXPECT_THAT(said(request("POST /", "Content-Length: 0\r\n")), HasSubstr("Allow: GET, HEAD\r\n"));
  EXPECT_EQ(calls_, 0);
}

TEST_F(Local, HasNothingElse) {
  for (const char *path : {"/echo/", "/nothing", "/../etc/passwd", "//", "/%00"})
    EXPECT_THAT(said(request(std::string("GET ") + path)), HasSubstr("HTTP/1.1 40")) << path;
}

TEST_F(Local, TakesBodiesOfTheLargestSizeAndNoLarger) {
  EXPECT_THAT(said(request("POST /echo", "Content-Length: 1000\r\n", std::string(1000, 'x'))),
              HasSubstr("200 OK"));
  EXPECT_THAT(said(request("POST /echo", "Content-Length: 1001\r\n", std::string(1001, 'x'))),
              HasSubstr("HTTP/1.1 413 "));
  EXPECT_THAT(said(request("POST /echo", "Content-Length: 3000000\r\n", std::string(3000000, 'x'))),
              Not(HasSubstr("200 OK")));
  EXPECT_EQ(calls_, 1);
}

TEST_F(Local, TakesNoBodyOfUnknownLength) {
  EXPECT_THAT(said(request("POST /echo", "Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n")),
              HasSubstr("HTTP/1.1 411 "));
  EXPECT_EQ(calls_, 0);
}

TEST_F(Local, AnswersUnderItsOwnNamesOnly) {
  for (const char *host : {"evil.example", "127.0.0.1.evil.example", "10.0.0.1", "localhost.evil.example"})
    EXPECT_THAT(said(request("POST /echo", "Content-Length: 0\r\n", "", host)), HasSubstr("HTTP/1.1 421 "))
        << host;
  EXPECT_THAT(said("GET / HTTP/1.1\r\nHost: localhost:1\r\nConnection: close\r\n\r\n"), HasSubstr("421 "));
  EXPECT_THAT(said("GET / HTTP/1.0\r\n\r\n"), HasSubstr("421 "));
  EXPECT_THAT(said("GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"), HasSubstr("421 "));
  EXPECT_THAT(said("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"), HasSubstr("<p>hello"));
  EXPECT_EQ(calls_, 0);
}

TEST_F(Local, SurvivesNonsense) {
  for (const std::string &bytes :
       {std::string("\r\n\r\n\r\n"), std::string("GET\r\n\r\n"), std::string(100000, 'A') + "\r\n\r\n",
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 15)})
    said(bytes);
  EXPECT_THAT(said(request("GET /")), HasSubstr("<p>hello"));
}

// How many files this process has open.
size_t open_files() {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                                           std::filesystem::directory_iterator()));
}

// Whether there come to be so many, at the latest in a minute.
bool come_to(const std::function<bool(size_t)> &is_enough) {
  const auto end = std::chrono::steady_clock::now() + kHang;
  while (!is_enough(open_files())) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}
bool come_down_to(size_t files) {
  return come_to([=](size_t count) { return count <= files; });
}

TEST_F(Local, KeepsNoConnection) {
  const size_t before = open_files();
  for (int times = 0; times < 30; ++times)
    ASSERT_THAT(said("GET / HTTP/1.1\r\nHost: localhost:" + std::to_string(server_->port()) + "\r\n\r\n"),
                Not(HasSubstr("timed out")));
  EXPECT_TRUE(come_down_to(before)) << open_files() - before << " more";
}

// The check of a load balancer connects and closes, each few seconds for months.
TEST_F(Local, KeepsNoConnectionWhoseClientSentNothing) {
  const size_t before = open_files();
  for (int times = 0; times < 50; ++times) ASSERT_TRUE(connected());
  ASSERT_THAT(said(request("GET /")), HasSubstr("200 OK")) << "it has been at those before";
  EXPECT_TRUE(come_down_to(before)) << open_files() - before << " more";
}

TEST_F(Local, ClosesTheOldestConnectionForOneMoreThanItTakes) {
  LocalServerSettings settings;
  settings.max_connections = 3;
  settings.max_connection = std::chrono::hours(1);
  server_ = taken(LocalServer::start(settings, {}));
  const size_t before = open_files();
  std::vector<GRef<GSocketConnection>> idle;
  for (int times = 0; times < 20; ++times) idle.push_back(connected());
  EXPECT_THAT(said_on(idle.back(), request("GET /")), HasSubstr("404 ")) << "the newest is kept";
  EXPECT_TRUE(come_down_to(before + 20 + 2)) << open_files() - before - 20 << " at the server";
  EXPECT_EQ(said_on(idle.front(), ""), "") << "the oldest is closed";
}

// Recordings and decoders may have used them up for a moment.
TEST_F(Local, ListensOnAfterThereWasNoFileLeftForAConnection) {
  const size_t before = open_files();
  const auto first = connected();
  const auto second = connected();
  ASSERT_TRUE(come_to([=](size_t count) { return count >= before + 4; })) << "the server has both";
  const auto socket = GRef<GSocket>::adopt(
      g_socket_new(G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, nullptr));
  const auto target =
      GRef<GSocketAddress>::adopt(g_inet_socket_address_new_from_string("127.0.0.1", server_->port()));
  ASSERT_TRUE(first && second && socket);
  rlimit limit;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const int next = dup(0);
  close(next);
  rlimit none = limit;
  none.rlim_cur = static_cast<rlim_t>(next);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const bool is_connected = g_socket_connect(socket.get(), target.get(), nullptr, nullptr);
  // Once the second is answered, the server has been at the connection that it cannot take.
  const std::string answers = said_on(first, request("GET /")) + said_on(second, request("GET /"));
  setrlimit(RLIMIT_NOFILE, &limit);
  ASSERT_TRUE(is_connected);
  EXPECT_THAT(answers, HasSubstr("<p>hello"));
  EXPECT_THAT(said(request("GET /")), HasSubstr("<p>hello"));
}

// The head has room for 20 000 of them, each of which would be answered with all of the body.
TEST_F(Local, AnswersNoRanges) {
  std::string ranges = "bytes=0-";
  while (ranges.size() < 60000) ranges += ",0-";
  for (const std::string &range : {ranges, std::string("bytes=0-99999999"), std::string("bytes=3-")}) {
    const std::string text = said(request("GET /", "Range: " + range + "\r\n"));
    EXPECT_TRUE(text.starts_with("HTTP/1.1 200 OK\r\n")) << text.substr(0, 200);
    EXPECT_TRUE(text.ends_with("\r\n\r\n<p>hello")) << text.size();
  }
}

TEST_F(Local, ClosesConnectionsThatNeverEnd) {
  LocalServerSettings settings;
  settings.max_connection = std::chrono::milliseconds(100);
  server_ = taken(LocalServer::start(settings, {}));
  // A read that waits ends when the server closes.
  const std::string unfinished = "GET / HTTP/1.1\r\nHost:";
  ASSERT_THAT(said(unfinished), Not(HasSubstr("timed out")));
  const size_t before = open_files();
  for (int times = 0; times < 5; ++times) EXPECT_EQ(said(times == 0 ? "" : unfinished), "");
  EXPECT_TRUE(come_down_to(before)) << open_files() - before << " more";
}

TEST_F(Local, EndsWithConnectionsOpen) {
  const auto client = GRef<GSocketClient>::adopt(g_socket_client_new());
  const auto connection = GRef<GSocketConnection>::adopt(
      g_socket_client_connect_to_host(client.get(), "127.0.0.1", server_->port(), nullptr, nullptr));
  ASSERT_TRUE(connection);
  server_ = nullptr;
}

TEST_F(Local, SaysWhyItCannotListen) {
  LocalServerSettings settings;
  settings.port = server_->port();
  EXPECT_EQ(failure_of(LocalServer::start(settings, {})).kind, ErrorKind::failed) << "another has the port";
  settings.address = "some.name";
  EXPECT_EQ(failure_of(LocalServer::start(settings, {})).kind, ErrorKind::settings);
}

TEST_F(Local, ListensElsewhereWhenTold) {
  LocalServerSettings settings;
  settings.address = "0.0.0.0";
  const auto anywhere = taken(LocalServer::start(settings, {}));
  EXPECT_NE(anywhere->port(), 0);
}

TEST(NamesThisMachine, TakesLoopbackNamesWithThePortOrWithoutOne) {
  for (const char *host : {"localhost:8080", "LOCALHOST:8080", "127.0.0.1:8080", "127.8.8.8:8080",
                           "[::1]:8080", "localhost", "127.0.0.1", "[::1]"})
    EXPECT_TRUE(names_this_machine(host, 8080, true)) << host;
  for (const char *host : {"", ":8080", "localhost:80", "::1:8080", "[::1", "localhost:", "localhost:8080x",
                           "10.0.0.1:8080", "10.0.0.1", "[fe80::1]:8080", "[fe80::1]", "name:8080", "name",
                           "localhost.evil.example", "127.0.0.1.evil.example"})
    EXPECT_FALSE(names_this_machine(host, 8080, true)) << host;
}

TEST(NamesThisMachine, TakesAnyAddressButNoNameElsewhere) {
  EXPECT_TRUE(names_this_machine("10.0.0.1:8080", 8080, false));
  EXPECT_TRUE(names_this_machine("[fe80::1]:8080", 8080, false));
  for (const char *address : {"127.0.0.1", "0.0.0.0", "::", "fe80::1"})
    EXPECT_TRUE(is_numeric_address(address)) << address;
  for (const char *name : {"", "localhost", "127.0.0.1:80", "[::1]", "1.2.3"})
    EXPECT_FALSE(is_numeric_address(name)) << name;
  EXPECT_FALSE(names_this_machine("evil.example:8080", 8080, false));
}

}  // namespace
}  // namespace genclip::test
