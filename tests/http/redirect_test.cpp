// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Redirects: only for media, at most ten, never from https to http.
#include "plugin/http/http_url.h"
#include "tests/http/client_fixture.h"

namespace genclip::test {
namespace {

std::string redirect_to(const std::string &where, unsigned status = 302) {
  return answer(status, "gone", "Location: " + where + "\r\n");
}

// Answers /N with a redirect to /N-1, and /0 with the end.
HttpServer::Script countdown() {
  return [](ServedConnection &peer) {
    for (;;) {
      const std::string request = peer.read_request();
      if (request.empty()) return;
      const int left = std::atoi(request.substr(request.find('/') + 1).c_str());
      peer.send(left == 0 ? answer(200, "here") : redirect_to("/" + std::to_string(left - 1)));
    }
  };
}

TEST(Redirect, IsAReplyUnlessAskedFor) {
  HttpServer server(countdown());
  for (const HttpRequest &request : {get(server.url("/1")), post(server.url("/1"))}) {
    const auto reply = client()->call(request, nullptr);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 302u);
    EXPECT_EQ(reply->header("Location"), "/0");
  }
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST(Redirect, NeverTakesAPostOrAKeyAlong) {
  HttpServer server(countdown());
  HttpRequest with_key = follow(server.url("/1"));
  with_key.bearer_key = "K-1";
  HttpRequest with_body = post(server.url("/1"));
  with_body.follow_redirects = true;
  for (const HttpRequest &request : {with_key, with_body}) {
    const auto reply = client()->call(request, nullptr);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 302u);
  }
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST(Redirect, IsFollowedTenTimesAndNoMore) {
  HttpServer server(countdown());
  const auto reply = client()->call(follow(server.url("/10")), nullptr);
  ASSERT_TRUE(reply) << reply.error().error.text;
  EXPECT_EQ(reply->body, "here");
  EXPECT_EQ(reply->final_url, server.url("/0"));
  const auto lost = client()->call(follow(server.url("/11")), nullptr);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().error.kind, ErrorKind::open_read);
  EXPECT_NE(lost.error().error.text.find("more than 10 times"), std::string::npos) << lost.error().error.text;
  EXPECT_FALSE(lost.error().transient);
  EXPECT_FALSE(lost.error().leads_astray) << "it may lead to the clip later";
}

TEST(Redirect, GoesToOtherHostsWithTheSameHeaders) {
  HttpServer media(always(answer(206, "part")), {.address = "127.0.0.2"});
  for (const unsigned status : {301u, 302u, 303u, 307u, 308u}) {
    HttpServer server(always(redirect_to(media.url("/m?sig=1"), status)));
    HttpRequest request = follow(server.url());
    request.headers = {{"Range", "bytes=5-"}};
    const auto reply = client()->call(request, nullptr);
    ASSERT_TRUE(reply) << status;
    EXPECT_EQ(reply->body, "part");
    EXPECT_NE(media.requests().back().find("\r\nRange: bytes=5-\r\n"), std::string::npos);
  }
}

TEST(Redirect, WithoutAPlaceIsAReply) {
  HttpServer server(always(answer(302, "where?")));
  const auto reply = client()->call(follow(server.url()), nullptr);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 302u);
}

TEST(Redirect, ToWhatIsNoHttpUrlIsAnErrorThatHidesTheQuery) {
  for (const char *target : {"file:///etc/passwd", "ftp://h/x?SECRET", "data:,SECRET", "javascript:SECRET",
                             "http://", "//", "http://h:99999999/"}) {
    HttpServer server(always(redirect_to(target)));
    const auto reply = client()->call(follow(server.url()), nullptr);
    ASSERT_FALSE(reply) << target;
    EXPECT_EQ(reply.error().error.kind, ErrorKind::open_read) << target;
    EXPECT_EQ(reply.error().error.text.find("SECRET"), std::string::npos) << reply.error().error.text;
    EXPECT_TRUE(reply.error().leads_astray) << target;
  }
}

TEST(Redirect, NeverLeadsFromHttpsToHttp) {
  const auto from = parse_http_url("https://a.example/x");
  ASSERT_TRUE(from);
  EXPECT_TRUE(redirect_target(from->get(), "https://b.example/y"));
  EXPECT_TRUE(redirect_target(from->get(), "//b.example/y"));
  const auto weaker = redirect_target(from->get(), "http://a.example/x?SECRET");
  ASSERT_FALSE(weaker);
  EXPECT_NE(weaker.error().text.find("https to http"), std::string::npos) << weaker.error().text;
  EXPECT_EQ(weaker.error().text.find("SECRET"), std::string::npos) << weaker.error().text;
}

}  // namespace
}  // namespace genclip::test
