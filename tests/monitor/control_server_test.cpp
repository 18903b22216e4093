// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/monitor/control_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "plugin/http/http_client.h"
#include "plugin/monitor/control_page.h"
#include "tests/monitor/fake_control.h"
#include "tests/monitor/status_examples.h"
#include "tests/support/give_up.h"
#include "tests/support/taken.h"

namespace genclip::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Method = HttpRequest::Method;

constexpr const char *kToken = "0123456789abcdef0123456789abcdef";

class Control : public testing::Test {
 protected:
  ServedResponse post(const std::string &path, const std::string &body = {},
                      const std::string &authorization = std::string("Bearer ") + kToken) {
    return ask({Method::post, path, authorization, body});
  }
  ServedResponse ask(const ServedRequest &request) {
    const auto route = std::find_if(routes_.begin(), routes_.end(), [&](const ServedRoute &candidate) {
      return candidate.method == request.method && candidate.path == request.path;
    });
    if (route == routes_.end()) give_up("no route " + request.path);
    return route->handler(request);
  }

  FakeControl control_;
  std::vector<ServedRoute> routes_ = control_routes(example_status, control_, kToken);
};

TEST_F(Control, DoesWhatItIsTold) {
  EXPECT_EQ(post("/skip").body, "{\"done\":\"skip\"}\n");
  post("/reload");
  post("/hold", R"({"on": true})");
  post("/hold", R"({"on": false})");
  EXPECT_EQ(post("/insert", R"({"item": {"source": "file:///a.mp4"}, "after": "kite"})").status, 200u);
  post("/insert", R"({"item": {"id": "x"}})");
  post("/insert", R"({"item": {"id": "y"}, "after": null})");
  EXPECT_THAT(control_.calls(), ElementsAre("skip", "reload", "hold", "end hold",
                                            R"(insert {"source":"file:///a.mp4"} after kite)",
                                            R"(insert {"id":"x"} after )", R"(insert {"id":"y"} after )"));
}

TEST_F(Control, NeedsTheToken) {
  for (const char *path : {"/skip", "/reload", "/hold", "/insert"})
    for (const std::string &authorization :
         {std::string(), std::string("Bearer "), std::string("Basic ") + kToken, std::string(kToken),
          std::string("Bearer 0123456789abcdef0123456789abcdee"), std::string("Bearer ") + kToken + "0",
          std::string("Bearer 1123456789abcdef0123456789abcdef")}) {
      const auto response = post(path, R"({"on": true, "item": {}})", authorization);
      EXPECT_EQ(response.status, 401u) << path << " " << authorization;
      EXPECT_THAT(response.headers, ElementsAre(std::pair<std::string, std::string>(
                                        "WWW-Authenticate", "Bearer realm=\"genclip channel\"")));
    }
  EXPECT_THAT(control_.calls(), IsEmpty());
}

TEST_F(Control, TakesTheSchemeInAnyCase) {
  EXPECT_EQ(post("/skip", "", std::string("bearer ") + kToken).status, 200u);
}

TEST_F(Control, WithoutATokenTakesNone) {
  routes_ = control_routes(example_status, control_, "");
  EXPECT_EQ(post("/skip", "", "Bearer ").status, 401u);
}

TEST_F(Control, RefusesWrongBodies) {
  for (const char *body : {"", "no", "[]", "{}", R"({"on": 1})", R"({"on": "true"})"})
    EXPECT_EQ(post("/hold", body).status, 400u) << body;
  for (const char *body :
       {"", "no", "[]", "{}", R"({"item": []})", R"({"item": "file:///a"})", R"({"item": {}, "after": 5})"})
    EXPECT_EQ(post("/insert", body).status, 400u) << body;
  EXPECT_THAT(control_.calls(), IsEmpty());
}

TEST_F(Control, SaysWhyTheChannelRefuses) {
  control_.refuse("Nothing is on the air.");
  const auto response = post("/skip");
  EXPECT_EQ(response.status, 409u);
  EXPECT_EQ(response.body, "{\"error\":\"Nothing is on the air.\"}\n");
}

TEST_F(Control, NamesItsTypes) {
  EXPECT_EQ(ask({Method::get, "/status", "", ""}).content_type, "application/json; charset=utf-8");
  EXPECT_EQ(ask({Method::get, "/metrics", "", ""}).content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(ask({Method::get, "/epg.xml", "", ""}).content_type, "application/xml; charset=utf-8");
  EXPECT_EQ(ask({Method::get, "/", "", ""}).content_type, "text/html; charset=utf-8");
}

TEST(ControlPage, HasNothingFromElsewhereAndOnlyItsOwnScript) {
  const std::string page = page_html();
  for (const char *unwanted : {"http://", "https://", " src=", "@import", "url(", " onclick", " style=",
                               "innerHTML", "localStorage", "sessionStorage", "document.cookie", "eval("})
    EXPECT_THAT(page, Not(HasSubstr(unwanted)));
  EXPECT_THAT(page, HasSubstr("id=\"alarm-list\""));
  EXPECT_THAT(page, HasSubstr("addEventListener"));
}

TEST(ControlPage, IsServedWithAStrictPolicy) {
  const auto response = page_response();
  const auto header = [&](const std::string &name) -> std::string {
    for (const auto &[key, value] : response.headers)
      if (key == name) return value;
    return {};
  };
  const std::string policy = header("Content-Security-Policy");
  EXPECT_TRUE(policy.starts_with("default-src 'none'; script-src 'sha256-")) << policy;
  for (const char *part :
       {"; connect-src 'self'", "; base-uri 'none'", "; form-action 'none'", "; frame-ancestors 'none'"})
    EXPECT_THAT(policy, HasSubstr(part));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_EQ(header("X-Frame-Options"), "DENY");
}

TEST(ControlServer, AnswersUnderItsUrl) {
  FakeControl control;
  const auto server = ControlServer::start({.token = kToken}, example_status, control);
  ASSERT_TRUE(server) << server.error().text;
  HttpRequest request;
  request.url = server->url() + "status";
  const auto reply = HttpClient::shared({})->call(request, nullptr);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200u);
  EXPECT_EQ(taken(Json::parse(reply->body)), taken(Json::parse(status_json(example_status()).to_text())));
  request.method = Method::post;
  request.url = server->url() + "skip";
  request.bearer_key = kToken;
  const auto skipped = HttpClient::shared({})->call(request, nullptr);
  ASSERT_TRUE(skipped);
  EXPECT_EQ(skipped->status, 200u);
  EXPECT_THAT(control.calls(), ElementsAre("skip"));
}

}  // namespace
}  // namespace genclip::test
