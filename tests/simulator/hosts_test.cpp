// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Hosts of clips as they really are: late, behind a login or a cookie, strict about the bytes of a target.
#include <gtest/gtest.h>

#include "plugin/base/gref.h"
#include "tests/simulator/web.h"
#include "tests/support/fake_clock.h"

namespace genclip::sim::test {
namespace {

class Hosts : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(simulator_.start());
    task_ = finished_task(simulator_, *Json::parse(R"({"model":"dance-2.5","prompt":"a kite"})"));
    url_ = text(task_, "video_url");
    ASSERT_FALSE(url_.empty()) << task_.to_text();
  }
  void fault(const std::string &text) {
    const auto added = simulator_.add_fault(text);
    ASSERT_TRUE(added) << added.error().text;
  }
  Answer get(const std::vector<std::string> &headers = {}) { return ask("GET", url_, headers); }
  std::string url_with(const char *one) {
    fault(one);
    return text(ask_api("GET", simulator_.base_url() + "/v2/model-center/tasks/" + text(task_, "id")).json(),
                "video_url");
  }

  genclip::test::FakeClock clock_;
  Simulator simulator_{{.queued = std::chrono::milliseconds(0),
                        .processing = std::chrono::milliseconds(0),
                        .clip_bytes = "the clip",
                        .clock = &clock_}};
  Json task_;
  std::string url_;
};

TEST_F(Hosts, HaveTheClipSomeTimeAfterItsUrl) {
  fault("media:lag=60000");
  EXPECT_EQ(get().status, 404u);
  clock_.advance(std::chrono::seconds(50));
  EXPECT_EQ(get().status, 404u);
  clock_.advance(std::chrono::seconds(10));
  EXPECT_EQ(get().body, "the clip");
}

TEST_F(Hosts, TellInManyWaysThatTheClipIsNotThere) {
  struct Case {
    const char *form;
    unsigned status;
    const char *type, *wait;
  };
  for (const auto &[form, status, type, wait] :
       {Case{"404", 404, "application/xml", ""}, Case{"403", 403, "application/xml", ""},
        Case{"503", 503, "text/plain", ""}, Case{"202", 202, "text/plain", "5"},
        Case{"202;retry-after=1", 202, "text/plain", "1"}, Case{"page", 200, "text/html; charset=utf-8", ""},
        Case{"empty", 200, "video/mp4", ""}}) {
    fault(std::string("media#1:lag=86400000;as=") + form);
    const Answer answer = get();
    EXPECT_EQ(answer.status, status) << form;
    EXPECT_EQ(answer.headers.at("content-type"), type) << form;
    EXPECT_EQ(answer.headers.contains("retry-after") ? answer.headers.at("retry-after") : "", wait) << form;
    EXPECT_EQ(answer.body.empty(), std::string(form) == "empty") << form;
    EXPECT_EQ(get().body, "the clip") << form << " does not end";
    simulator_.clear_faults();
  }
}

TEST_F(Hosts, SendNoByteOfTheClip) {
  fault("media:empty");
  for (const char *header : {"Accept: */*", "Range: bytes=2-"}) {
    const Answer answer = get({header});
    EXPECT_EQ(answer.status, 200u);
    EXPECT_EQ(answer.headers.at("content-type"), "video/mp4");
    EXPECT_EQ(answer.headers.at("content-length"), "0");
    EXPECT_FALSE(answer.headers.contains("content-range"));
    EXPECT_EQ(answer.body, "");
  }
}

TEST_F(Hosts, WantTheKeyAndRefuseIt) {
  fault("media:want-key");
  EXPECT_EQ(get().status, 401u);
  EXPECT_EQ(get().body, R"({"error":"missing bearer token"})");
  EXPECT_EQ(simulator_.stats().media_with_authorization, 0u);
  EXPECT_EQ(get({"Authorization: Bearer sim-key"}).status, 400u);
  EXPECT_EQ(simulator_.stats().media_with_authorization, 1u);
}

TEST_F(Hosts, MayBeTheApiItself) {
  const std::string url = url_with("query:api-origin");
  EXPECT_TRUE((simulator_.base_url() + "/").starts_with(url.substr(0, url.find("/clips")) + "/")) << url;
  EXPECT_EQ(ask("GET", url).body, "the clip");
  EXPECT_EQ(simulator_.stats().media_requests, 1u);
}

TEST_F(Hosts, GiveTheClipToWhoeverReturnsTheCookie) {
  fault("media#1-2:cookie");
  const Answer first = get(), second = get();
  ASSERT_EQ(first.status, 302u);
  const std::string url = simulator_.media_url() + first.headers.at("location");
  const std::string cookie = first.headers.at("set-cookie");
  const auto with = [&](const std::string &set_cookie) {
    return ask("GET", url, {"Cookie: a=b; " + set_cookie.substr(0, set_cookie.find(';'))});
  };
  EXPECT_EQ(ask("GET", url).status, 403u);
  EXPECT_EQ(with(second.headers.at("set-cookie")).status, 403u) << "the cookie of another run was enough";
  EXPECT_EQ(with(cookie).body, "the clip");
}

TEST_F(Hosts, SendAPartThatNobodyAskedFor) {
  fault("media:unasked-part");
  const Answer whole = get();
  EXPECT_EQ(whole.status, 206u);
  EXPECT_EQ(whole.body, "the clip");
  EXPECT_FALSE(whole.headers.contains("content-range"));
  EXPECT_EQ(get({"Range: bytes=4-"}).headers.at("content-range"), "bytes 4-7/8");
  EXPECT_EQ(ask("HEAD", url_).status, 200u);
}

TEST_F(Hosts, WantTheUserOfTheUrl) {
  std::string url = url_with("query#1:userinfo");
  ASSERT_TRUE(url.starts_with("http://kite:p%40ss@127.0.0.1:")) << url;
  url.erase(7, url.find('@') - 6);
  const Answer refused = ask("GET", url);
  EXPECT_EQ(refused.status, 401u);
  EXPECT_EQ(refused.headers.at("www-authenticate"), "Basic realm=\"clips\"");
  EXPECT_EQ(ask("GET", url, {"Authorization: Basic a2l0ZTpwYXNz"}).status, 401u);
  EXPECT_EQ(ask("GET", url, {"Authorization: Basic a2l0ZTpwQHNz"}).body, "the clip");
  EXPECT_EQ(simulator_.stats().media_with_authorization, 0u);
  EXPECT_EQ(ask("GET", url, {"Authorization: Bearer sim-key"}).status, 400u);
  EXPECT_EQ(simulator_.stats().media_with_authorization, 1u);
  EXPECT_EQ(get().body, "the clip") << "the plain address wants a user too";
}

TEST_F(Hosts, TakeATargetOnlyAsItIsWritten) {
  struct Change {
    const char *old, *now;
  };
  const std::string given = url_with("query:exact");
  for (const auto &[old, now] :
       {Change{"%7E", "~"}, Change{"%2f", "%2F"}, Change{"%40", "@"}, Change{"+", "%20"},
        Change{"(1)", "%281%29"}, Change{"*", "%2A"}, Change{"%7b", "%7B"}}) {
    std::string changed = given;
    ASSERT_NE(changed.find(old), changed.npos) << given;
    EXPECT_EQ(ask("GET", changed.replace(changed.find(old), std::string(old).size(), now)).status, 403u)
        << old;
  }
  const Answer first = ask("GET", given);
  ASSERT_EQ(first.status, 302u) << given;
  const std::string origin = given.substr(0, given.find("/v/"));
  const Answer second = ask("HEAD", origin + first.headers.at("location"));
  ASSERT_EQ(second.status, 302u) << first.headers.at("location");
  EXPECT_EQ(second.body, "");
  EXPECT_EQ(ask("GET", second.headers.at("location")).body, "the clip");
}

TEST_F(Hosts, TakeTheTargetThatTheyAreTold) {
  struct Case {
    const char *given, *sent, *wrong;
  };
  for (const auto &[given, sent, wrong] :
       {Case{"/v/a.mp4?", "/v/a.mp4?", "/v/a.mp4"},
        Case{"/v/a b.mp4?s=x==", "/v/a%20b.mp4?s=x==", "/v/a+b.mp4?s=x=="},
        Case{"/v/a.mp4?sig=1#t=0,5", "/v/a.mp4?sig=1", "/v/a.mp4?sig=1#t=0,5"}}) {
    const std::string url = url_with((std::string("query#1:exact=") + given).c_str());
    const std::string origin = url.substr(0, url.find("/v/"));
    EXPECT_EQ(url, origin + given);
    EXPECT_EQ(ask("GET", origin + sent).status, 302u) << given;
    EXPECT_EQ(ask("GET", origin + wrong).status, 403u) << given;
  }
}

TEST_F(Hosts, EndWhileAClientSaysOnlyHalfOfItsRequest) {
  const std::string url = url_with("query:exact");
  const auto client = GRef<GSocketClient>::adopt(g_socket_client_new());
  g_socket_client_set_enable_proxy(client.get(), FALSE);
  const auto connection = GRef<GSocketConnection>::adopt(
      g_socket_client_connect_to_uri(client.get(), url.c_str(), 80, nullptr, nullptr));
  ASSERT_TRUE(connection) << url;
  g_output_stream_write_all(g_io_stream_get_output_stream(G_IO_STREAM(connection.get())), "GET /", 5, nullptr,
                            nullptr, nullptr);
  EXPECT_EQ(ask("GET", url).status, 302u) << "another client has to wait";
  simulator_.stop();
}

}  // namespace
}  // namespace genclip::sim::test
