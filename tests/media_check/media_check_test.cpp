// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Real media over real sockets.
#include "plugin/task/media_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <thread>

#include "plugin/base/gref.h"
#include "tests/media_check/media_files.h"
#include "tests/media_check/media_request.h"
#include "tests/support/http_server.h"
#include "tests/support/taken.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct Item {
  std::string bytes;
  std::string type = "application/octet-stream";
  unsigned status = 200;
  unsigned head_status = 200;
  unsigned range_status = 0;  // The answer to a request for a part, if it differs.
  bool has_ranges = true;
  bool has_length = true;
  bool hangs = false;
  std::string location = {};
  unsigned failures = 0;  // So many 503 come first.
  // The answer to HEAD, if it differs.
  std::optional<size_t> head_length = {};
  std::string head_type = {};
  std::string range_unit = "bytes ";
  // Answers a HEAD and a GET of everything with 206 and these headers.
  std::optional<std::string> part_headers = {};
};

// By path; 404 for anything else.
class MediaServer {
 public:
  explicit MediaServer(std::map<std::string, Item> items)
      : items_(std::move(items)), server_([this](ServedConnection &connection) { serve(connection); }) {}

  std::string url(const std::string &path) const { return server_.url(path); }
  std::vector<std::string> requests() const { return server_.requests(); }
  size_t count(const std::string &start) const {
    const auto all = requests();
    return static_cast<size_t>(std::count_if(all.begin(), all.end(),
                                             [&](const std::string &one) { return one.starts_with(start); }));
  }

 private:
  static std::string head_of(unsigned status, size_t length, const std::string &headers) {
    return "HTTP/1.1 " + std::to_string(status) + " Said\r\n" + headers +
           "Content-Length: " + std::to_string(length) + "\r\n\r\n";
  }

  void serve(ServedConnection &connection) {
    for (std::string request; !(request = connection.read_request()).empty();) {
      const bool is_head = request.starts_with("HEAD ");
      const auto path_begin = request.find(' ') + 1;
      const auto path = request.substr(path_begin, request.find(' ', path_begin) - path_begin);
      const auto found = items_.find(path.substr(0, path.find('?')));
      if (found == items_.end()) {
        connection.send(head_of(404, 0, ""));
        continue;
      }
      Item &item = found->second;
      if (item.hangs) return connection.hang();
      if (item.failures > 0) {
        --item.failures;
        connection.send(head_of(503, 0, ""));
        continue;
      }
      if (!item.location.empty()) {
        connection.send(head_of(302, 0, "Location: " + item.location + "\r\n"));
        continue;
      }
      const std::string type = item.type.empty() ? "" : "Content-Type: " + item.type + "\r\n";
      const bool is_part = item.range_status != 0 && request.find("bytes=0-0") != std::string::npos;
      const unsigned status = is_head ? item.head_status : is_part ? item.range_status : item.status;
      const bool is_range = item.has_ranges && request.find("bytes=0-0") != std::string::npos;
      if (status != 200) {
        connection.send(head_of(status, 0, ""));
      } else if (!item.has_length) {
        connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n" + type + "\r\n");
        if (!is_head) connection.send(item.bytes);
        return connection.close();
      } else if (item.part_headers && !is_range) {
        connection.send(head_of(206, item.bytes.size(), type + *item.part_headers));
        if (!is_head) connection.send(item.bytes);
      } else if (is_head) {
        const std::string said = item.head_type.empty() ? type : "Content-Type: " + item.head_type + "\r\n";
        connection.send(head_of(200, item.head_length.value_or(item.bytes.size()), said));
      } else if (is_range && item.bytes.empty()) {
        connection.send(head_of(416, 0, "Content-Range: bytes */0\r\n"));
      } else if (is_range) {
        connection.send(head_of(206, 1,
                                type + "Content-Range: " + item.range_unit + "0-0/" +
                                    std::to_string(item.bytes.size()) + "\r\n") +
                        item.bytes.substr(0, 1));
      } else {
        connection.send(head_of(200, item.bytes.size(), type));
        connection.send(item.bytes);
      }
    }
  }

  std::map<std::string, Item> items_;
  HttpServer server_;
};

MediaCheckOptions options(MediaCheck depth) {
  MediaCheckOptions options;
  options.depth = depth;
  options.retries = 0;
  options.time_limit = 20s;
  options.probe_limit = 2s;
  return options;
}

Result<void> check(const CheckedRequest &request, const MediaCheckOptions &how,
                   GCancellable *cancellable = nullptr) {
  return check_media(HttpClient::shared({}).get(), Clock::system(), request, {}, how, cancellable);
}

std::string text_of(const Result<void> &result) { return result ? "" : result.error().text; }

const std::string &png() {
  static const std::string bytes = image_file("pngenc", 400, 320);
  return bytes;
}

std::string blank(size_t size) { return std::string(size, 'x'); }

TEST(MediaHeaders, ComeByOneHeadAndNoMore) {
  MediaServer server({{"/a", {png(), "image/png"}}});
  const auto request = media_request("sd_2.0_special", {{"reference_images", {server.url("/a")}}});
  EXPECT_EQ(text_of(check(request, options(MediaCheck::headers))), "");
  EXPECT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(server.count("HEAD /a "), 1u);
}

TEST(MediaHeaders, ComeByAByteWhereHeadIsRefused) {
  for (const unsigned status : {403u, 405u, 501u, 404u}) {
    MediaServer server({{"/a", {blank(31000000), "image/png", 200, status}}});
    const auto request = media_request("sd_2.0_special", {{"reference_images", {server.url("/a")}}});
    EXPECT_EQ(text_of(check(request, options(MediaCheck::headers))),
              "reference_images has 31 MB; sd_2.0_special takes below 30.");
    EXPECT_EQ(server.count("GET /a "), 1u);
  }
}

TEST(MediaHeaders, ComeByTheHeadOfAllWhereARangeIsRefused) {
  for (const unsigned status : {400u, 403u, 405u, 416u, 500u, 501u}) {
    Item item{blank(31000000), "image/png", 200, 405};
    item.range_status = status;
    MediaServer server({{"/a", item}});
    const auto request = media_request("sd_2.0_special", {{"reference_images", {server.url("/a")}}});
    EXPECT_EQ(text_of(check(request, options(MediaCheck::headers))),
              "reference_images has 31 MB; sd_2.0_special takes below 30.")
        << status;
    EXPECT_EQ(server.count("GET /a "), 2u);
  }
}

TEST(MediaHeaders, AreNotAskedForAThirdTimeWhereNothingIs) {
  MediaServer server({{"/a", {png(), "image/png", 404, 404}}});
  const auto request = media_request("sd_2.0_special", {{"reference_images", {server.url("/a")}}});
  EXPECT_THAT(text_of(check(request, options(MediaCheck::headers))), HasSubstr("answers HTTP 404"));
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST(MediaHeaders, TellTheSizeThoughTheRangeHasNoUnit) {
  Item item{blank(31000000), "image/png", 200, 405};
  item.range_unit = "";
  MediaServer server({{"/a", item}});
  const auto request = media_request("sd_2.0_special", {{"reference_images", {server.url("/a")}}});
  EXPECT_EQ(text_of(check(request, options(MediaCheck::headers))),
            "reference_images has 31 MB; sd_2.0_special takes below 30.");
}

TEST(MediaHeaders, AreAskedAgainByAByteWhenHeadSaysThatItIsEmpty) {
  for (const bool has_ranges : {true, false}) {
    Item large{blank(31000000), "image/png"};
    large.head_length = 0;
    large.has_ranges = has_ranges;
    MediaServer server({{"/a", large}});
    const auto request = media_request("sd_2.0_special", {{"reference_images", {server.url("/a")}}});
    EXPECT_EQ(text_of(check(request, options(MediaCheck::headers))),
              "reference_images has 31 MB; sd_2.0_special takes below 30.");
    EXPECT_EQ(server.count("GET /a "), 1u);
  }
}

TEST(MediaHeaders, AreAskedAgainByAByteWhenHeadSaysThatItIsNoMedium) {
  for (const char *type : {"text/html", "text/plain; charset=utf-8", "application/json", "application/xml"}) {
    Item image{png(), "image/png"};
    image.head_type = type;
    MediaServer server({{"/a", image}});
    const auto request = media_request("sd_2.0_special", {{"reference_images", {server.url("/a")}}});
    EXPECT_EQ(text_of(check(request, options(MediaCheck::headers))), "") << type;
    EXPECT_EQ(server.count("GET /a "), 1u);
  }
  MediaServer server({{"/a", {"<html>", "text/html"}}});
  const auto request = media_request("sd_2.0_special", {{"reference_images", {server.url("/a")}}});
  EXPECT_EQ(text_of(check(request, options(MediaCheck::headers))),
            "reference_images is \"text/html\", which is not image data.");
}

TEST(MediaHeaders, OfAnEmptyMediumAreAProblem) {
  for (const bool has_ranges : {true, false}) {
    Item empty{"", "image/png"};
    empty.has_ranges = has_ranges;
    MediaServer server({{"/a", empty}});
    const auto request = media_request("sd_2.0_special", {{"reference_images", {server.url("/a")}}});
    EXPECT_EQ(text_of(check(request, options(MediaCheck::headers))),
              "reference_images is empty: its server sends 0 bytes.");
  }
}

TEST(MediaHeaders, ComeFromAServerThatIgnoresRangesWithoutFetchingAll) {
  MediaServer server(
      {{"/a", {.bytes = blank(31000000), .type = "image/png", .head_status = 405, .has_ranges = false}}});
  const auto request = media_request("sd_2.0_special", {{"reference_images", {server.url("/a")}}});
  EXPECT_EQ(text_of(check(request, options(MediaCheck::headers))),
            "reference_images has 31 MB; sd_2.0_special takes below 30.");
}

TEST(MediaHeaders, TakeTheNameForTheTypeWhereTheServerTellsNone) {
  MediaServer server({{"/a.gif", {blank(10)}}, {"/b", {blank(10)}}, {"/c.png", {blank(10), ""}}});
  const auto request = media_request(
      "wave2.7-i2v", {{"first_image", {server.url("/a.gif?x=.png")}}, {"last_image", {server.url("/b")}}});
  EXPECT_THAT(text_of(check(request, options(MediaCheck::headers))),
              HasSubstr("first_image is gif; wave2.7-i2v"));
  const auto fine = media_request(
      "wave2.7-i2v", {{"first_image", {server.url("/c.png")}}, {"last_image", {server.url("/b")}}});
  EXPECT_EQ(text_of(check(fine, options(MediaCheck::headers))), "");
}

TEST(MediaHeaders, SayWhatWasSentInPlaceOfAType) {
  for (const auto &[type, said] : {std::pair{"binary/octet-stream", "sends \"binary/octet-stream\";"},
                                   {"application/download", "sends \"application/download\";"},
                                   {"octet-stream", "sends \"octet-stream\";"},
                                   {"*/*", "sends \"*/*\";"},
                                   {"Application/X-Download", "sends \"Application/X-Download\";"},
                                   {"", "sends none;"}}) {
    MediaServer server({{"/b", {blank(10), type}}});
    const auto request = media_request(
        "wave2.7-i2v", {{"first_image", {server.url("/b")}}, {"last_image", {server.url("/b")}}});
    EXPECT_THAT(text_of(check(request, options(MediaCheck::headers))),
                HasSubstr(std::string("first_image has an unknown type: its server ") + said +
                          " check-media=full probes it"));
  }
}

TEST(MediaHeaders, SayThatASizeIsUnknown) {
  MediaServer server(
      {{"/a", {.bytes = png(), .type = "image/png", .has_ranges = false, .has_length = false}}});
  const auto request = media_request("sd_2.0_special", {{"reference_images", {server.url("/a")}}});
  EXPECT_THAT(text_of(check(request, options(MediaCheck::headers))),
              HasSubstr("has a size that cannot be determined"));
}

TEST(MediaHeaders, FollowRedirectsAndJudgeWhereTheyEnd) {
  MediaServer server({{"/a", {.bytes = "", .location = "/b"}}, {"/b", {png(), "text/html"}}});
  const auto request = media_request("dance-2.5", {{"reference_images", {server.url("/a")}}});
  EXPECT_EQ(text_of(check(request, options(MediaCheck::headers))),
            "reference_images is \"text/html\", which is not image data.");
}

TEST(MediaHeaders, AreAskedForAgainAfterATransientFailure) {
  MediaServer server({{"/a", {.bytes = png(), .type = "image/png", .failures = 2}}});
  const auto request = media_request("dance-2.5", {{"reference_images", {server.url("/a")}}});
  auto twice = options(MediaCheck::headers);
  twice.retries = 1;
  EXPECT_EQ(text_of(check(request, twice)), "");
}

// Each of these bytes would be another one if any code rewrote escapes.
constexpr char kSigned[] = "/v/a%40b%2fd%7Ee~f.png?s=a%2Bb+c%20d&e=%7b%7D'(1)*&n=%E4%00";

TEST(MediaCheck, AsksForTheBytesOfAUrlAlsoBehindARedirect) {
  const std::string path(kSigned, std::string_view(kSigned).find('?'));
  MediaServer server({{path, {png(), "image/png", 200, 405}}, {"/a", {.bytes = "", .location = kSigned}}});
  for (const char *named : {kSigned, "/a"})
    for (const MediaCheck depth : {MediaCheck::headers, MediaCheck::full}) {
      const auto request = media_request("sd_2.0_special", {{"reference_images", {server.url(named)}}});
      EXPECT_EQ(text_of(check(request, options(depth))), "") << named;
    }
  EXPECT_EQ(server.count("HEAD " + std::string(kSigned) + " "), 2u);
  EXPECT_EQ(server.count("GET " + std::string(kSigned) + " "), 4u);
}

TEST(MediaCheck, NamesEveryReferenceThatCannotBeFetchedAtOnce) {
  MediaServer server({{"/gone", {png(), "image/png", 410, 410}}, {"/fine", {png(), "image/png"}}});
  const std::string refused = "http://127.0.0.1:" + std::to_string(refused_port()) + "/x?sig=SECRET";
  const auto request = media_request(
      "dance-2.5",
      {{"reference_images", {server.url("/none"), server.url("/fine"), server.url("/gone"), refused}}});
  for (const MediaCheck depth : {MediaCheck::headers, MediaCheck::full}) {
    const auto checked = check(request, options(depth));
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().kind, ErrorKind::settings);
    EXPECT_THAT(checked.error().text,
                AllOf(HasSubstr("3 problems"),
                      HasSubstr("reference_images[0] cannot be fetched: its server answers HTTP 404"),
                      HasSubstr("reference_images[2] cannot be fetched: its server answers HTTP 410"),
                      HasSubstr("reference_images[3] cannot be fetched"),
                      Not(HasSubstr("reference_images[1]")), Not(HasSubstr("SECRET"))));
  }
}

// Who believed that of a bad moment would give a channel's item up.
TEST(MediaCheck, MayBeTriedAgainWhereAllProblemsMayPass) {
  MediaServer server(
      {{"/busy", {png(), "image/png", 503, 503, 503}}, {"/gone", {png(), "image/png", 410, 410, 410}}});
  const std::string busy = server.url("/busy"), gone = server.url("/gone");
  const std::vector<ErrorDetail> again = {{"retry", true}};
  for (const MediaCheck depth : {MediaCheck::headers, MediaCheck::full}) {
    const auto details = [&](const std::vector<std::string> &urls) {
      return failure_of(check(media_request("dance-2.5", {{"reference_images", urls}}), options(depth)))
          .details;
    };
    EXPECT_EQ(details({busy}), again);
    EXPECT_EQ(details({busy, busy}), again);
    EXPECT_EQ(details({gone}), std::vector<ErrorDetail>());
    EXPECT_EQ(details({busy, gone}), std::vector<ErrorDetail>());
  }
}

TEST(MediaCheck, SendsNoKeyAndLooksAtNoAsset) {
  MediaServer server({{"/a", {png(), "image/png"}}});
  const auto request = media_request(
      "sd_2.0_special", {{"reference_images", {"assetId://7", server.url("/a"), "assetId://8"}}});
  for (const MediaCheck depth : {MediaCheck::headers, MediaCheck::full})
    EXPECT_EQ(text_of(check(request, options(depth))), "");
  EXPECT_EQ(server.requests().size(), 2u);
  for (const std::string &sent : server.requests()) EXPECT_THAT(sent, Not(HasSubstr("Authorization")));
}

TEST(MediaCheck, AsksForNothingWhenItIsNotWanted) {
  MediaServer server({});
  const auto request = media_request("dance-2.5", {{"reference_images", {server.url("/none")}}});
  EXPECT_EQ(text_of(check(request, options(MediaCheck::none))), "");
  EXPECT_TRUE(server.requests().empty());
}

std::shared_ptr<const LocalFile> local(const std::string &bytes) {
  return std::make_shared<const LocalFile>(taken(LocalFile::with_content(bytes)));
}

std::string check_locals(const CheckedRequest &request, const LocalMedia &locals, MediaCheck depth) {
  return text_of(
      check_media(HttpClient::shared({}).get(), Clock::system(), request, locals, options(depth), nullptr));
}

TEST(MediaCheck, ExaminesLocalFilesAtAnyDepthWithoutTheNetwork) {
  MediaServer server({});
  const auto request = media_request("sd_2.0_special", {{"reference_images", {server.url("/none")}}});
  for (const MediaCheck depth : {MediaCheck::none, MediaCheck::headers, MediaCheck::full}) {
    EXPECT_EQ(check_locals(request, {{0, local(png())}}, depth), "");
    EXPECT_EQ(check_locals(request, {{0, local(image_file("pngenc", 200, 320))}}, depth),
              "reference_images is 200 pixels wide; sd_2.0_special takes above 300 and below 6000.");
    EXPECT_EQ(check_locals(request, {{0, local("#!/bin/sh\n")}}, depth),
              "reference_images is not a known kind of media file.");
  }
  EXPECT_TRUE(server.requests().empty());
}

TEST(MediaCheck, KnowsWithoutTheNetworkWhatAClipWillBeUntilThereIsItsFile) {
  const auto request = media_request(
      "sd_2.0_special", {{"reference_images", {"genclip://dream-5.0?prompt=x&size=200x400", "assetId://7"}}});
  const auto text = [&](const LocalMedia &locals) {
    return text_of(check_media(nullptr, Clock::system(), request, locals, {}, nullptr));
  };
  EXPECT_EQ(text({}),
            "reference_images[0] will be 200 pixels wide; sd_2.0_special takes above 300 and below 6000.");
  EXPECT_EQ(text({{0, local(png())}}), "") << "the service has made a larger one";
}

// Without what GStreamer says, which is not always the same of a damaged file.
std::string own_text(const std::string &text) { return text.substr(0, text.find(" (")); }

TEST(MediaCheck, SaysOfALocalFileWhatItSaysOfAUrl) {
  const std::string small = image_file("pngenc", 200, 200);
  const std::string kinds[] = {small, png().substr(0, 100), audio_file("wavenc", 1), "no medium",
                               blank(31000000)};
  for (const std::string &bytes : kinds) {
    MediaServer server({{"/a", {bytes, "image/png"}}});
    const auto request = media_request("sd_2.0_special", {{"reference_images", {server.url("/a")}}});
    const std::string said = text_of(check(request, options(MediaCheck::full)));
    EXPECT_NE(said, "");
    if (bytes.size() < 1000000) {
      EXPECT_EQ(own_text(check_locals(request, {{0, local(bytes)}}, MediaCheck::none)), own_text(said));
    } else {
      EXPECT_THAT(check_locals(request, {{0, local(bytes)}}, MediaCheck::none), HasSubstr("has 31 MB"));
    }
  }
}

TEST(MediaCheck, ChecksUrlsBesideLocalFilesAsDeepAsItIsTold) {
  MediaServer server({{"/a", {"<html>", "text/html"}}, {"/c", {"no picture", "image/png"}}});
  const auto request = media_request(
      "dance-2.5", {{"reference_images", {server.url("/a"), server.url("/b"), server.url("/c")}}});
  const LocalMedia locals = {{1, local("no medium")}};
  const std::string bad = "reference_images[1] is not a known kind of media file";
  EXPECT_EQ(check_locals(request, locals, MediaCheck::none), bad + ".");
  EXPECT_TRUE(server.requests().empty());
  EXPECT_THAT(check_locals(request, locals, MediaCheck::headers),
              AllOf(HasSubstr("2 problems"), HasSubstr("[0] is \"text/html\""), HasSubstr(bad)));
  EXPECT_THAT(check_locals(request, locals, MediaCheck::full),
              AllOf(HasSubstr("3 problems"), HasSubstr("[0] is not a known"), HasSubstr(bad),
                    HasSubstr("[2] is not a known")));
}

TEST(MediaCheck, LooksAtUrlsInFieldsThatNoTableTypes) {
  MediaServer server({{"/fine", {png(), "image/png"}}, {"/page", {"<html>", "text/html"}}});
  const auto request =
      media_request("veo", {{"photos", {server.url("/fine"), server.url("/none"), server.url("/page")}}});
  EXPECT_EQ(text_of(check(request, options(MediaCheck::none))), "");
  EXPECT_TRUE(server.requests().empty());
  EXPECT_THAT(text_of(check(request, options(MediaCheck::headers))),
              AllOf(HasSubstr("2 problems"), HasSubstr("photos[1] cannot be fetched"),
                    HasSubstr("photos[2] is \"text/html\", which is not media data")));
  EXPECT_THAT(text_of(check(request, options(MediaCheck::full))),
              AllOf(HasSubstr("photos[1] cannot be fetched"), Not(HasSubstr("photos[0]"))));
}

TEST(MediaCheck, LooksAtReferencesSideBySide) {
  Mutex mutex;
  CondVar changed;
  size_t waiting = 0;
  constexpr size_t kTogether = 4;
  // No answer before all requests have arrived.
  HttpServer server([&](ServedConnection &connection) {
    if (connection.read_request().empty()) return;
    {
      MutexLock lock(mutex);
      ++waiting;
      changed.notify_all();
      const auto end = steady_clock::now() + kHang;
      while (waiting < kTogether)
        if (!changed.wait_until(lock, end)) return;
    }
    connection.send("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 5\r\n\r\n");
  });
  std::vector<std::string> urls;
  for (size_t i = 0; i < kTogether; ++i) urls.push_back(server.url("/" + std::to_string(i)));
  const auto request = media_request("dance-2.5", {{"reference_images", urls}});
  EXPECT_EQ(text_of(check(request, options(MediaCheck::headers))), "");
}

TEST(MediaCheck, IsLeftWithinMillisecondsWhateverTheNetworkDoes) {
  MediaServer server({{"/a", {.bytes = "", .hangs = true}}});
  const FullBacklog backlog;
  const auto request = media_request("dance-2.5", {{"reference_images", {server.url("/a"), backlog.url()}}});
  for (const MediaCheck depth : {MediaCheck::headers, MediaCheck::full}) {
    const auto cancellable = GRef<GCancellable>::adopt(g_cancellable_new());
    const size_t before = server.requests().size();
    steady_clock::time_point left;
    std::thread leaver([&] {
      while (server.requests().size() == before) std::this_thread::yield();
      left = steady_clock::now();
      g_cancellable_cancel(cancellable.get());
    });
    const auto checked = check(request, options(depth), cancellable.get());
    leaver.join();
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().kind, ErrorKind::cancelled);
    EXPECT_LT(steady_clock::now() - left, time_limit(1s));
  }
}

TEST(MediaCheck, HasATimeLimitForAllTogether) {
  MediaServer server({{"/a", {.bytes = "", .hangs = true}}, {"/b", {png(), "image/png"}}});
  const auto request = media_request(
      "dance-2.5", {{"reference_images", {server.url("/a"), server.url("/b"), server.url("/a")}}});
  auto brief = options(MediaCheck::full);
  brief.time_limit = 1s;
  const Error late = failure_of(check(request, brief));
  EXPECT_THAT(late.text, AllOf(HasSubstr("reference_images[0] could not be checked within 1 s"),
                               HasSubstr("reference_images[2] could not be checked within 1 s"),
                               Not(HasSubstr("reference_images[1]"))));
  EXPECT_EQ(late.details, (std::vector<ErrorDetail>{{"retry", true}}));
}

TEST(MediaContent, OfGoodMediaPassesEveryRule) {
  MediaServer server({{"/image", {png()}},
                      {"/jpeg", {image_file("jpegenc", 301, 500)}},
                      {"/webp", {image_file("webpenc", 640, 480)}},
                      {"/animation", {webp_animation(640, 480)}},
                      {"/bmp", {image_file("avenc_bmp", 640, 480)}},
                      {"/video", {video_file("mp4mux", 320, 180, 72, 24)}},
                      {"/mov", {video_file("qtmux", 320, 180, 90, 30)}},
                      {"/wav", {audio_file("wavenc", 3)}},
                      {"/mp3", {audio_file("lamemp3enc", 3)}}});
  const auto request =
      media_request("sd_2.0_special", {{"reference_images",
                                        {server.url("/image"), server.url("/jpeg"), server.url("/webp"),
                                         server.url("/animation"), server.url("/bmp")}},
                                       {"reference_videos", {server.url("/video"), server.url("/mov")}},
                                       {"reference_audios", {server.url("/wav"), server.url("/mp3")}}});
  EXPECT_EQ(text_of(check(request, options(MediaCheck::full))), "");
}

TEST(MediaContent, IsMeasured) {
  MediaServer server({{"/narrow", {image_file("pngenc", 299, 800), "image/png"}},
                      {"/short", {video_file("mp4mux", 320, 180, 12, 12), "video/mp4"}},
                      {"/long", {audio_file("wavenc", 16), "audio/wav"}}});
  const auto request = media_request("sd_2.0_special", {{"reference_images", {server.url("/narrow")}},
                                                        {"reference_videos", {server.url("/short")}},
                                                        {"reference_audios", {server.url("/long")}}});
  EXPECT_THAT(
      text_of(check(request, options(MediaCheck::full))),
      AllOf(HasSubstr("reference_images is 299 pixels wide"),
            HasSubstr("reference_images has a width / height of 0.37"),
            HasSubstr("reference_videos lasts 1 second;"),
            HasSubstr("reference_videos has 12 frames a second"),
            HasSubstr("reference_audios lasts 16 seconds"), HasSubstr("reference_audios together last 16")));
  EXPECT_EQ(text_of(check(request, options(MediaCheck::headers))), "") << "headers do not tell any of it";
}

TEST(MediaContent, OfAWebpIsJudgedAndOneThatIsCutIsRefused) {
  const std::string animation = webp_animation(640, 480), still = image_file("webpenc", 640, 480);
  MediaServer server({{"/narrow", {webp_animation(200, 200), "image/webp"}},
                      {"/cut", {animation.substr(0, animation.size() / 2), "image/webp"}},
                      {"/still", {still.substr(0, still.size() / 2), "image/webp"}}});
  const auto request = media_request(
      "sd_2.0_special",
      {{"reference_images", {server.url("/narrow"), server.url("/cut"), server.url("/still")}}});
  EXPECT_THAT(text_of(check(request, options(MediaCheck::full))),
              AllOf(HasSubstr("reference_images[0] is 200 pixels wide"),
                    HasSubstr("reference_images[1] is cut off: it says that it has at least " +
                              std::to_string(animation.size()) + " bytes, and has " +
                              std::to_string(animation.size() / 2) + "."),
                    HasSubstr("reference_images[2] is cut off")));
}

TEST(MediaContent, CountsAndNotItsName) {
  MediaServer server({{"/a.png", {image_file("jpegenc", 400, 400), "image/gif"}},
                      {"/page.png", {"<!DOCTYPE html><html></html>", "image/png"}}});
  const auto fine = media_request(
      "wave2.7-i2v", {{"first_image", {server.url("/a.png")}}, {"last_image", {server.url("/a.png")}}});
  EXPECT_EQ(text_of(check(fine, options(MediaCheck::full))), "");
  const auto page = media_request("dance-2.5", {{"reference_images", {server.url("/page.png")}}});
  EXPECT_EQ(text_of(check(page, options(MediaCheck::full))),
            "reference_images is \"text/html\", which is not image data.");
}

TEST(MediaContent, ThatIsDamagedOrAPlaylistIsRefused) {
  const std::string clip = video_file("mp4mux", 320, 180, 72, 24);
  // All boxes are there, but nothing is in the one that says what they hold.
  const size_t index = clip.rfind("moov") + 4;
  MediaServer server(
      {{"/empty", {clip.substr(0, index) + std::string(clip.size() - index, '\0'), "video/mp4"}},
       {"/list", {"#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nhttp://127.0.0.1/x\n", "video/mp4"}},
       {"/noise", {blank(5000), "video/mp4"}}});
  const auto request = media_request(
      "dance-2.5", {{"reference_videos", {server.url("/empty"), server.url("/list"), server.url("/noise")}}});
  EXPECT_THAT(text_of(check(request, options(MediaCheck::full))),
              AllOf(HasSubstr("3 problems"),
                    testing::ContainsRegex(
                        "reference_videos.0. (cannot|could not) be decoded.*it may be damaged or truncated"),
                    HasSubstr("reference_videos[1] is"), HasSubstr("reference_videos[2] is")));
}

std::string range_of(const std::string &first, const std::string &total) {
  return "Content-Range: bytes " + first + "-" + std::to_string(png().size() - 1) + "/" + total + "\r\n";
}

TEST(MediaContent, IsTakenFromA206ThatHoldsAllOfIt) {
  const std::string size = std::to_string(png().size());
  const std::pair<std::string, bool> kCases[] = {{"", true},
                                                 {range_of("0", size), true},
                                                 {range_of("0", size + "0"), false},
                                                 {range_of("1", size), false},
                                                 {range_of("0", "*"), false},
                                                 {"Content-Range: pages 1-2/2\r\n", false}};
  for (const auto &[headers, good] : kCases) {
    Item item{png(), "image/png"};
    item.part_headers = headers;
    MediaServer server({{"/a", item}});
    const auto request = media_request("sd_2.0_special", {{"reference_images", {server.url("/a")}}});
    EXPECT_EQ(text_of(check(request, options(MediaCheck::full))),
              good ? ""
                   : "reference_images cannot be fetched: its server answers HTTP 206; the service will not "
                     "get it either.")
        << headers;
  }
  Item parts{png(), "Multipart/ByteRanges; boundary=x"};
  parts.part_headers = "";
  MediaServer server({{"/a", parts}});
  const auto request = media_request("sd_2.0_special", {{"reference_images", {server.url("/a")}}});
  EXPECT_THAT(text_of(check(request, options(MediaCheck::full))), HasSubstr("answers HTTP 206"));
}

TEST(MediaHeaders, TellTheSizeThoughHeadIsAnsweredWith206) {
  Item item{blank(31000000), "image/png"};
  item.part_headers = "";
  MediaServer server({{"/a", item}});
  const auto request = media_request("sd_2.0_special", {{"reference_images", {server.url("/a")}}});
  EXPECT_EQ(text_of(check(request, options(MediaCheck::headers))),
            "reference_images has 31 MB; sd_2.0_special takes below 30.");
  EXPECT_EQ(server.count("GET "), 0u);
}

TEST(MediaContent, OfOneThatIsTooLargeIsNotFetched) {
  MediaServer server({{"/a", {blank(21000000), "image/png"}}});
  const auto request = media_request("horse-1.0-i2v", {{"first_image", {server.url("/a")}}});
  EXPECT_EQ(text_of(check(request, options(MediaCheck::full))),
            "first_image has 21 MB; horse-1.0-i2v takes at most 20.");
}

TEST(MediaContent, StopsAtTheLimitWhereNoLengthIsTold) {
  MediaServer server({{"/a", {blank(21000000), "image/png", 200, 200, false, false}}});
  const auto limited = media_request("horse-1.0-i2v", {{"first_image", {server.url("/a")}}});
  EXPECT_THAT(text_of(check(limited, options(MediaCheck::full))),
              HasSubstr("horse-1.0-i2v takes at most 20"));
  const auto unlimited = media_request("dance-2.5", {{"reference_images", {server.url("/a")}}});
  auto small = options(MediaCheck::full);
  small.max_bytes = 1 << 20;
  EXPECT_THAT(text_of(check(unlimited, small)),
              HasSubstr("is larger than 1 MiB, which is too large to probe"));
}

TEST(MediaContent, OfAnEditIsAtLeastAsLongAsTheEdit) {
  MediaServer server({{"/a", {video_file("mp4mux", 320, 180, 96, 24)}}});
  const MediaFields fields{{"reference_videos", {server.url("/a")}}};
  EXPECT_EQ(text_of(check(media_request("wave2.7-videoedit", fields, 4), options(MediaCheck::full))), "");
  EXPECT_THAT(text_of(check(media_request("wave2.7-videoedit", fields, 5), options(MediaCheck::full))),
              HasSubstr("duration is 5, but reference_videos lasts 4 seconds"));
}

TEST(MediaContent, LoadsNoOtherHttpLibrary) {
  MediaServer server({{"/a", {video_file("mp4mux", 320, 180, 96, 24)}}});
  const auto request = media_request("dance-2.5", {{"reference_videos", {server.url("/a")}}});
  ASSERT_EQ(text_of(check(request, options(MediaCheck::full))), "");
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) EXPECT_THAT(line, Not(HasSubstr("libsoup-2")));
}

}  // namespace
}  // namespace genclip::test
