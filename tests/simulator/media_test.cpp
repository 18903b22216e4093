// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Clips at signed addresses: ranges, validators, refusals, and each fault of a download.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "plugin/base/gref.h"
#include "tests/simulator/web.h"
#include "tests/support/fake_clock.h"
#include "tests/support/time_limit.h"

namespace genclip::sim::test {
namespace {

constexpr size_t kSize = 100000;

std::string clip_bytes() {
  std::string bytes;
  for (size_t i = 0; i < kSize; ++i) bytes += static_cast<char>(i * 31 >> 3);
  return bytes;
}

Json request(const char *model = "dance-2.5") { return Json::Object{{"model", model}, {"prompt", "a kite"}}; }

class Media : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto started = simulator_.start();
    ASSERT_TRUE(started) << started.error().text;
    url_ = text(finished_task(simulator_, request()), "video_url");
    ASSERT_TRUE(url_.starts_with(simulator_.media_url() + "/")) << url_;
  }
  Answer get(const std::vector<std::string> &headers = {}) { return ask("GET", url_, headers); }
  void fault(const char *text) {
    const auto added = simulator_.add_fault(text);
    ASSERT_TRUE(added) << added.error().text;
  }

  const std::string bytes_ = clip_bytes();
  Simulator simulator_{{.queued = std::chrono::milliseconds(0),
                        .processing = std::chrono::milliseconds(0),
                        .clip_bytes = bytes_}};
  std::string url_;
};

TEST_F(Media, GivesTheWholeClip) {
  const Answer answer = get();
  EXPECT_EQ(answer.status, 200u);
  EXPECT_EQ(answer.body, bytes_);
  EXPECT_EQ(answer.headers.at("content-type"), "video/mp4");
  EXPECT_EQ(answer.headers.at("content-length"), std::to_string(kSize));
  EXPECT_EQ(answer.headers.at("accept-ranges"), "bytes");
  EXPECT_TRUE(answer.headers.contains("last-modified"));
  const auto stats = simulator_.stats();
  EXPECT_EQ(stats.downloads, 1u);
  EXPECT_EQ(stats.bytes_sent, kSize);
}

TEST_F(Media, TellsTheSizeToHead) {
  const Answer answer = ask("HEAD", url_);
  EXPECT_EQ(answer.status, 200u);
  EXPECT_EQ(answer.headers.at("content-length"), std::to_string(kSize));
  EXPECT_EQ(answer.body, "");
  EXPECT_EQ(simulator_.stats().downloads, 0u);
}

TEST_F(Media, GivesTheRangeThatIsAskedFor) {
  struct Case {
    const char *range;
    unsigned status;
    size_t first, count;
  };
  for (const auto &[range, status, first, count] :
       {Case{"bytes=0-0", 206, 0, 1}, Case{"bytes=10-19", 206, 10, 10}, Case{"bytes=99990-", 206, 99990, 10},
        Case{"bytes=99990-200000", 206, 99990, 10}, Case{"bytes=-5", 206, 99995, 5},
        Case{"bytes=-200000", 206, 0, kSize}, Case{"bytes=0-", 206, 0, kSize},
        Case{"bytes=9-3", 200, 0, kSize}, Case{"bytes=a-b", 200, 0, kSize},
        Case{"bytes=0-1,5-6", 200, 0, kSize}, Case{"items=0-1", 200, 0, kSize}}) {
    const Answer answer = get({std::string("Range: ") + range});
    EXPECT_EQ(answer.status, status) << range;
    EXPECT_TRUE(answer.body == bytes_.substr(first, count)) << range << " gave " << answer.body.size();
    const std::string part =
        status == 206 ? "bytes " + std::to_string(first) + "-" + std::to_string(first + count - 1) + "/100000"
                      : "";
    EXPECT_EQ(answer.headers.contains("content-range") ? answer.headers.at("content-range") : "", part);
  }
  for (const char *range : {"bytes=100000-", "bytes=-0"}) {
    const Answer answer = get({std::string("Range: ") + range});
    EXPECT_EQ(answer.status, 416u) << range;
    EXPECT_EQ(answer.headers.at("content-range"), "bytes */100000");
  }
}

TEST_F(Media, HonoursIfRange) {
  const Answer whole = get();
  for (const char *validator : {"etag", "last-modified"})
    EXPECT_EQ(get({"Range: bytes=5-", "If-Range: " + whole.headers.at(validator)}).status, 206u) << validator;
  for (const char *validator : {"\"other\"", "Mon, 01 Jan 2024 00:00:00 GMT"})
    EXPECT_EQ(get({"Range: bytes=5-", std::string("If-Range: ") + validator}).status, 200u) << validator;
}

TEST_F(Media, RefusesAForgedAddressAndCountsAKey) {
  EXPECT_EQ(ask("GET", url_.substr(0, url_.find('?'))).status, 403u);
  std::string forged = url_;
  forged.back() = forged.back() == '0' ? '1' : '0';
  EXPECT_EQ(ask("GET", forged).status, 403u);
  EXPECT_EQ(ask("GET", simulator_.media_url() + "/clips/other.mp4").status, 404u);
  EXPECT_EQ(ask("DELETE", url_).status, 405u);
  EXPECT_EQ(simulator_.stats().media_with_authorization, 0u);
  EXPECT_EQ(get({"Authorization: Bearer sim-key"}).status, 400u);
  EXPECT_EQ(simulator_.stats().media_with_authorization, 1u);
  EXPECT_EQ(simulator_.stats().bytes_sent, 0u);
}

TEST_F(Media, CutsAfterThatManyBytes) {
  fault("media#1-2:cut=777");
  const Answer answer = get();
  EXPECT_EQ(answer.headers.at("content-length"), std::to_string(kSize));
  EXPECT_TRUE(answer.body == bytes_.substr(0, 777)) << answer.body.size();
  EXPECT_TRUE(get({"Range: bytes=777-"}).body == bytes_.substr(777, 777));
  EXPECT_EQ(simulator_.stats().bytes_sent, 2u * 777);
  EXPECT_EQ(get().body.size(), kSize) << "the fault does not end";
}

TEST_F(Media, SendsAtThePaceOfAThrottle) {
  fault("media:throttle=200000");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(get().body == bytes_);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(400));
}

TEST_F(Media, IgnoresRangesWhenToldTo) {
  fault("media:no-range");
  const Answer answer = get({"Range: bytes=5-"});
  EXPECT_EQ(answer.status, 200u);
  EXPECT_TRUE(answer.body == bytes_);
  EXPECT_FALSE(answer.headers.contains("accept-ranges"));
}

TEST_F(Media, ChangesTheClipWhenToldTo) {
  const Answer before = get();
  fault("media#1:changed-content");
  const Answer after = get({"Range: bytes=5-", "If-Range: " + before.headers.at("etag")});
  EXPECT_EQ(after.status, 200u);
  EXPECT_EQ(after.body.size(), kSize);
  EXPECT_FALSE(after.body == bytes_);
  EXPECT_NE(after.headers.at("etag"), before.headers.at("etag"));
}

TEST_F(Media, LiesAboutLengthAndTypeWhenToldTo) {
  fault("media#1:wrong-length=10");
  fault("media#2:wrong-length=-10");
  fault("media#3:wrong-type=text/html");
  fault("media#4:html");
  fault("media#5:garbage-json");
  EXPECT_EQ(get().headers.at("content-length"), "100010");
  const Answer shorter = get();
  EXPECT_EQ(shorter.headers.at("content-length"), "99990");
  EXPECT_EQ(shorter.body.size(), kSize);
  EXPECT_EQ(get().headers.at("content-type"), "text/html");
  const Answer page = get();
  EXPECT_EQ(page.status, 200u);
  EXPECT_NE(page.body.find("<html>"), std::string::npos);
  EXPECT_TRUE(get().json().is_null());
}

TEST_F(Media, RedirectsAsOftenAsToldTo) {
  fault("media#1:redirects=2");
  std::string url = url_;
  for (int hop = 0; hop < 2; ++hop) {
    const Answer answer = ask("GET", url);
    ASSERT_EQ(answer.status, 302u);
    url = simulator_.media_url() + answer.headers.at("location");
  }
  EXPECT_TRUE(ask("GET", url).body == bytes_);
  fault("media#1:redirect=http://127.0.0.2:9/elsewhere");
  EXPECT_EQ(get().headers.at("location"), "http://127.0.0.2:9/elsewhere");
  fault("media:redirect-loop");
  EXPECT_EQ(get().headers.at("location"), url_);
}

TEST_F(Media, ResetsHangsAndRefuses) {
  fault("media#1:reset");
  fault("media#2:hang");
  fault("media#3:status=503;retry-after=7");
  fault("media#4:lose-answer");
  EXPECT_TRUE(get().was_reset);
  {
    const Impatience impatience;
    EXPECT_TRUE(get().timed_out);
  }
  const Answer busy = get();
  EXPECT_EQ(busy.status, 503u);
  EXPECT_EQ(busy.headers.at("retry-after"), "7");
  EXPECT_TRUE(get().was_reset);
  EXPECT_EQ(simulator_.stats().bytes_sent, 0u);
}

TEST_F(Media, EndsAtOnceWithFaultsUnderWay) {
  fault("media#1:hang");
  fault("media#2:throttle=10");
  fault("media#3:delay=60000");
  std::vector<std::thread> clients;
  for (int i = 0; i < 3; ++i) clients.emplace_back([this] { get(); });
  while (simulator_.stats().media_requests < 3) std::this_thread::yield();
  const auto start = std::chrono::steady_clock::now();
  simulator_.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - start, genclip::test::time_limit(std::chrono::seconds(10)));
  for (auto &client : clients) client.join();
}

TEST(MediaAddresses, ExpireAndAreRenewedByAQuery) {
  genclip::test::FakeClock clock;
  Simulator simulator({.queued = std::chrono::milliseconds(0),
                       .processing = std::chrono::milliseconds(0),
                       .url_lifetime = std::chrono::milliseconds(300),
                       .clip_bytes = "clip",
                       .clock = &clock});
  ASSERT_TRUE(simulator.start());
  const Json task = finished_task(simulator, request());
  const std::string first = text(task, "video_url");
  EXPECT_EQ(ask("GET", first).status, 200u);
  clock.advance(std::chrono::milliseconds(310));
  EXPECT_EQ(ask("GET", first).status, 403u);
  const std::string query = simulator.base_url() + "/v2/model-center/tasks/" + text(task, "id");
  const std::string second = text(ask_api("GET", query).json(), "video_url");
  EXPECT_NE(second, first);
  EXPECT_EQ(ask("GET", second).body, "clip");
  ASSERT_TRUE(simulator.add_fault("query#1:expire-urls"));
  EXPECT_EQ(ask("GET", text(ask_api("GET", query).json(), "video_url")).status, 403u);
}

TEST(MediaAddresses, CanBeOnAnotherHost) {
  Simulator simulator({.media_host = "127.0.0.2",
                       .queued = std::chrono::milliseconds(0),
                       .processing = std::chrono::milliseconds(0),
                       .clip_bytes = "clip"});
  ASSERT_TRUE(simulator.start());
  const std::string url = text(finished_task(simulator, request()), "video_url");
  EXPECT_TRUE(url.starts_with("http://127.0.0.2:")) << url;
  EXPECT_EQ(ask("GET", url).body, "clip");
}

std::string contents(const std::string &path) {
  gchar *text = nullptr;
  EXPECT_TRUE(g_file_get_contents(path.c_str(), &text, nullptr, nullptr)) << path;
  return text ? std::string(GStringPtr(text).get()) : "";
}

TEST(MediaAddresses, CanBeOverTls) {
  const std::string folder = GENCLIP_CERTIFICATES;
  Simulator simulator({.queued = std::chrono::milliseconds(0),
                       .processing = std::chrono::milliseconds(0),
                       .clip_bytes = "clip",
                       .media_certificate = contents(folder + "/good.pem"),
                       .media_private_key = contents(folder + "/good.key")});
  const auto started = simulator.start();
  ASSERT_TRUE(started) << started.error().text;
  const std::string url = text(finished_task(simulator, request()), "video_url");
  EXPECT_TRUE(url.starts_with("https://127.0.0.1:")) << url;
  EXPECT_EQ(ask("GET", url).body, "clip");
  ASSERT_TRUE(simulator.add_fault("media#1:redirect=http://127.0.0.1:9/"));
  EXPECT_EQ(ask("GET", url).headers.at("location"), "http://127.0.0.1:9/");
  ASSERT_TRUE(simulator.add_fault("media#1:cut=2"));
  EXPECT_EQ(ask("GET", url).body, "cl");
  ASSERT_TRUE(simulator.add_fault("media#1:reset"));
  EXPECT_EQ(ask("GET", url).status, 0u);
}

TEST_F(Media, OutlivesAClientThatLeavesWhileItWaits) {
  fault("media#1:delay=3000");
  {
    const Impatience impatience;
    EXPECT_TRUE(get().timed_out);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(2200));
  EXPECT_TRUE(get().body == bytes_);
}

}  // namespace
}  // namespace genclip::sim::test
