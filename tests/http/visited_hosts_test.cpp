// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Cookies of redirects and users of URLs: each goes back to its own host, within one call.
#include "plugin/http/visited_hosts.h"

#include <map>

#include "plugin/http/http_url.h"
#include "tests/http/client_fixture.h"
#include "tests/support/log_lines.h"

namespace genclip::test {
namespace {

constexpr char kAuthorization[] = "Authorization";
constexpr char kCookie[] = "Cookie";

GRef<GUri> url(const std::string &text) { return std::move(parse_http_url(text)).value(); }

std::string header_of(const HttpHeaders &headers, std::string_view name) {
  for (const auto &[known, value] : headers)
    if (known == name) return value;
  return {};
}

// The value of a header in a request as it came.
std::string header_in(const std::string &request, const std::string &name) {
  const std::string start = "\r\n" + name + ": ";
  const auto begin = request.find(start);
  if (begin == request.npos) return {};
  return request.substr(begin + start.size(), request.find("\r\n", begin + 2) - begin - start.size());
}

std::string path_in(const std::string &request) {
  const auto begin = request.find(' ') + 1;
  return request.substr(begin, request.find(' ', begin) - begin);
}

struct Hop {
  std::string location = {};  // Empty: the end.
  std::string headers = {};
};

// By path.
HttpServer::Script hops(const std::map<std::string, Hop> &by_path) {
  return [&by_path](ServedConnection &peer) {
    const std::string request = peer.read_request();
    if (request.empty()) return;
    const Hop &hop = by_path.at(path_in(request));
    peer.send(hop.location.empty() ? answer(200, "x", hop.headers)
                                   : answer(302, "", "Location: " + hop.location + "\r\n" + hop.headers));
  };
}

struct CookieRow {
  const char *set_at;
  std::vector<std::string> set;
  const char *asked_at;
  const char *sent;
};

TEST(VisitedHosts, TellAHostItsOwnCookies) {
  const CookieRow kRows[] = {
      {"http://h/a/b", {"n=v"}, "http://h/a/c", "n=v"},
      {"http://h/a/b", {"n=v"}, "http://h/", ""},
      {"http://h/a/b", {"n=v"}, "http://h/ab", ""},
      {"http://h/a/b", {"n=v; Path=/"}, "http://h/c", "n=v"},
      {"http://h/", {"n=v"}, "http://H:80/", "n=v"},
      {"http://h/", {"n=v"}, "https://h/", "n=v"},
      {"http://h/", {"n=v"}, "http://h:81/", ""},
      {"http://h/", {"n=v"}, "http://other/", ""},
      {"https://a.example/", {"n=v; Domain=example.com"}, "https://a.example/", ""},
      {"https://a.example.com/", {"n=v; Domain=example.com"}, "https://a.example.com/", "n=v"},
      {"https://a.example.com/", {"n=v; Domain=example.com"}, "https://b.example.com/", ""},
      {"https://a.example.com/", {"n=v; Domain=example.com"}, "https://c.a.example.com/", ""},
      {"https://s3.amazonaws.com/", {"n=v"}, "https://s3.amazonaws.com/", "n=v"},
      {"http://127.0.0.1/", {"n=v"}, "http://127.0.0.1/", "n=v"},
      {"https://h/", {"n=v; Secure; HttpOnly; SameSite=Strict"}, "https://h/", "n=v"},
      {"https://h/", {"n=v; Secure"}, "http://h/", ""},
      {"http://h/", {"n=v; Max-Age=0"}, "http://h/", ""},
      {"http://h/", {"n=v; Max-Age=60"}, "http://h/", "n=v"},
      {"http://h/", {"n=v", "n=w", "m=x"}, "http://h/", "n=w; m=x"},
      {"http://h/", {"n=v", "n=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"}, "http://h/", ""},
      {"http://h/a/", {"n=v; Path=/", "n=w; Path=/a"}, "http://h/a/", "n=w; n=v"},
      {"http://h/", {"n=a=b%20c\"d\""}, "http://h/", "n=a=b%20c\"d\""},
  };
  for (const CookieRow &row : kRows) {
    VisitedHosts visited;
    HttpReply reply;
    for (const std::string &value : row.set) reply.headers.emplace_back("set-cookie", value);
    visited.keep_cookies(url(row.set_at).get(), reply);
    EXPECT_EQ(header_of(visited.visit(url(row.asked_at).get()), kCookie), row.sent)
        << row.set_at << " " << row.set.back() << " " << row.asked_at;
  }
}

struct UserRow {
  const char *first;
  const char *then;
  const char *sent;
};

TEST(VisitedHosts, TellAHostTheUserOfItsUrl) {
  constexpr UserRow kRows[] = {
      {"http://user:pa%40ss@h/a", "http://h/b", "Basic dXNlcjpwYUBzcw=="},
      {"http://user:pa%40ss@h/a", "http://H:80/b", "Basic dXNlcjpwYUBzcw=="},
      {"http://user:pa%40ss@h/a", "http://h:81/b", ""},
      {"http://user:pa%40ss@h/a", "https://h/b", ""},
      {"http://user:pa%40ss@h/a", "https://h:80/b", ""},
      {"http://user:pa%40ss@h/a", "http://other/b", ""},
      {"http://user:pa%40ss@h/a", "http://own@other/b", "Basic b3duOg=="},
      {"http://user:pa%40ss@h/a", "http://own@h/b", "Basic b3duOg=="},
      {"http://h/", "http://h/", ""},
      {"http://@h/", "http://h/", ""},
      {"http://:p@h/", "http://h/", "Basic OnA="},
  };
  for (const UserRow &row : kRows) {
    VisitedHosts visited;
    visited.visit(url(row.first).get());
    EXPECT_EQ(header_of(visited.visit(url(row.then).get()), kAuthorization), row.sent)
        << row.first << " " << row.then;
  }
}

TEST(Cookies, OfARedirectGoBackToTheSameHostInTheSameCallOnly) {
  HttpServer other(always(answer(200, "x")), {.address = "127.0.0.2"});
  std::map<std::string, Hop> by_path;
  HttpServer server(hops(by_path));
  by_path = {{"/a", {"/b", "Set-Cookie: one=1\r\nSet-Cookie: two=2; Path=/\r\n"}},
             {"/b", {"/c", "Set-Cookie: one=; Max-Age=0\r\n"}},
             {"/c", {other.url("/d")}}};
  for (const HttpRequest::Method method : {HttpRequest::Method::get, HttpRequest::Method::head}) {
    HttpRequest request = follow(server.url("/a"));
    request.method = method;
    const auto reply = client()->call(request, nullptr);
    ASSERT_TRUE(reply) << reply.error().error.text;
    EXPECT_EQ(reply->status, 200u);
    const auto asked = server.requests();
    ASSERT_GE(asked.size(), 3u);
    EXPECT_EQ(header_in(asked[asked.size() - 3], kCookie), "") << "of an earlier call";
    EXPECT_EQ(header_in(asked[asked.size() - 2], kCookie), "one=1; two=2");
    EXPECT_EQ(header_in(asked[asked.size() - 1], kCookie), "two=2");
    EXPECT_EQ(header_in(other.requests().back(), kCookie), "") << "of another host";
  }
}

TEST(Cookies, AreKnownToTheRequestsOfOneDownload) {
  HttpServer other(always(answer(200, "x")), {.address = "127.0.0.2"});
  std::map<std::string, Hop> by_path;
  HttpServer server(hops(by_path));
  by_path = {{"/a", {other.url("/b"), "Set-Cookie: one=1; Path=/\r\n"}}, {"/c", {other.url("/d")}}};
  HttpRequest request = follow(server.url("/a"));
  request.visited = remember_hosts();
  ASSERT_TRUE(client()->call(request, nullptr));
  request.url = server.url("/c");
  ASSERT_TRUE(client()->call(request, nullptr));
  EXPECT_EQ(header_in(server.requests().back(), kCookie), "one=1");
  request.visited = remember_hosts();
  ASSERT_TRUE(client()->call(request, nullptr));
  EXPECT_EQ(header_in(server.requests().back(), kCookie), "");
}

TEST(Cookies, GoToNoHostWhoseRedirectsAreNotFollowed) {
  HttpServer server(always(answer(302, "", "Location: /\r\nSet-Cookie: one=1\r\n")));
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(client()->call(get(server.url()), nullptr));
  for (const std::string &request : server.requests()) EXPECT_EQ(header_in(request, kCookie), "");
}

std::string with_user(const std::string &text, const std::string &user) {
  const auto begin = text.find("://") + 3;
  return text.substr(0, begin) + user + "@" + text.substr(begin);
}

TEST(UserOfAUrl, IsSentToItsHostOnly) {
  HttpServer other(always(answer(200, "x")), {.address = "127.0.0.2"});
  std::map<std::string, Hop> by_path;
  HttpServer server(hops(by_path));
  by_path = {{"/relative", {"/absolute"}},
             {"/absolute", {server.url("/away")}},
             {"/away", {other.url("/")}},
             {"/own", {with_user(other.url("/"), "own:2")}}};
  for (const char *path : {"/relative", "/own"}) {
    const auto reply = client()->call(follow(with_user(server.url(path), "user:pa%40ss")), nullptr);
    ASSERT_TRUE(reply) << reply.error().error.text;
  }
  for (const std::string &request : server.requests())
    EXPECT_EQ(header_in(request, kAuthorization), "Basic dXNlcjpwYUBzcw==") << request;
  EXPECT_EQ(server.requests().size(), 4u);
  ASSERT_EQ(other.requests().size(), 2u);
  EXPECT_EQ(header_in(other.requests()[0], kAuthorization), "");
  EXPECT_EQ(header_in(other.requests()[1], kAuthorization), "Basic b3duOjI=");
}

TEST(UserOfAUrl, IsSentWithoutRedirectsAndBesideNoKey) {
  HttpServer server(always(answer(200, "x")));
  const std::string text = with_user(server.url(), "user:p");
  HttpRequest with_key = get(text);
  with_key.bearer_key = "K-1";
  ASSERT_TRUE(client()->call(post(text), nullptr));
  ASSERT_TRUE(client()->call(with_key, nullptr));
  EXPECT_EQ(header_in(server.requests()[0], kAuthorization), "Basic dXNlcjpw");
  EXPECT_EQ(header_in(server.requests()[1], kAuthorization), "Bearer K-1");
  for (const std::string &request : server.requests())
    EXPECT_EQ(header_in(request, "Host"), "127.0.0.1:" + std::to_string(server.port()));
}

TEST(VisitedHosts, AreNeverLogged) {
  LogLines log("*:9");
  std::map<std::string, Hop> by_path;
  HttpServer server(hops(by_path));
  by_path = {{"/a", {"/b", "Set-Cookie: n=SECRET-COOKIE\r\n"}},
             {"/b", {with_user(server.url("/c"), "SECRET-USER:SECRET-OTHER")}},
             {"/c", {"ftp://SECRET-USER:SECRET-OTHER@h/", "Set-Cookie: n=SECRET-COOKIE\r\n"}}};
  const auto reply = client()->call(follow(with_user(server.url("/a"), "SECRET-USER:SECRET-PASS")), nullptr);
  ASSERT_FALSE(reply);
  const auto refused = client()->call(get("http://SECRET-USER:SECRET-PASS@h:99999/"), nullptr);
  ASSERT_FALSE(refused);
  for (const HttpError &error : {reply.error(), refused.error()})
    EXPECT_EQ((error.error.text + error.error.debug).find("SECRET"), std::string::npos)
        << error.error.text << error.error.debug;
  const std::string text = log.text();
  EXPECT_NE(text.find("://***@"), std::string::npos) << "users are masked: " << text;
  for (const char *secret : {"SECRET", "U0VDUkVU"})  // Plain, and in the base64 of Authorization.
    EXPECT_EQ(text.find(secret), std::string::npos) << text;
}

}  // namespace
}  // namespace genclip::test
