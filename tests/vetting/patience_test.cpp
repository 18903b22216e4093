// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Vetting ends when its patience ends, and at once when it is cancelled.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "tests/support/http_server.h"
#include "tests/support/marks.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/time_limit.h"
#include "tests/vetting/vetted.h"

namespace genclip {
namespace {

using test::HttpServer;
using test::make_marked_media;
using test::reason;
using test::ServedConnection;
using test::TemporaryFolder;
using test::uri_of;
using test::vet;

const std::string kHead = "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 10000000\r\n\r\n";

// Answers, and then nothing comes any more.
void stalls(ServedConnection &connection) {
  connection.read_request();
  connection.send(kHead + std::string("\0\0\0\x18"
                                      "ftypisom",
                                      12));
  connection.hang();
}

std::chrono::microseconds time_since(gint64 begin) {
  return std::chrono::microseconds(g_get_monotonic_time() - begin);
}

TEST(Patience, EndsWithASourceThatStalls) {
  const HttpServer server(stalls);
  const gint64 begin = g_get_monotonic_time();
  const auto vetted = vet({.uri = server.url("/clip.mp4"), .patience = std::chrono::seconds(1)});
  EXPECT_EQ(reason(vetted), "Its server sent nothing that can be decoded within 1 s.");
  ASSERT_FALSE(vetted);
  EXPECT_EQ(vetted.error().kind, ErrorKind::open_read);
  EXPECT_GE(time_since(begin), std::chrono::milliseconds(900));
  EXPECT_LT(time_since(begin), test::time_limit(std::chrono::seconds(5)));
}

TEST(Patience, EndsWithASourceThatDoesNotAnswer) {
  const HttpServer server([](ServedConnection &connection) { connection.hang(); });
  const gint64 begin = g_get_monotonic_time();
  EXPECT_EQ(reason(vet({.uri = server.url("/clip.mp4"), .patience = std::chrono::seconds(1)})),
            "Its server sent nothing that can be decoded within 1 s.");
  EXPECT_LT(time_since(begin), test::time_limit(std::chrono::seconds(5)));
}

TEST(Patience, NamesNoAddress) {
  const HttpServer server(test::always(test::answer(404, "")));
  const auto vetted = vet({.uri = server.url("/clip.mp4?signature=secret")});
  ASSERT_FALSE(vetted);
  EXPECT_EQ(vetted.error().text.find("secret"), std::string::npos) << vetted.error().text;
  EXPECT_EQ(vetted.error().debug.find("secret"), std::string::npos) << vetted.error().debug;
  EXPECT_EQ(reason(vet({.uri = "http:secret://x"})).find("secret"), std::string::npos);
}

TEST(Patience, TellsWhatTheServerSays) {
  const auto told = [](HttpServer::Script script) {
    const HttpServer server(std::move(script));
    return reason(vet({.uri = server.url("/clip.mp4")}));
  };
  const std::pair<unsigned, const char *> answers[] = {
      {403, "Its server refuses it (HTTP 403)."},       {401, "Its server refuses it (HTTP 401)."},
      {404, "Its server does not have it (HTTP 404)."}, {410, "Its server does not have it (HTTP 410)."},
      {503, "Its server cannot give it (HTTP 503)."},
  };
  for (const auto &[status, text] : answers) EXPECT_EQ(told(test::always(test::answer(status, ""))), text);
  std::string address;
  {
    const HttpServer gone([](ServedConnection &) {});
    address = gone.url("/clip.mp4");
  }
  EXPECT_EQ(reason(vet({.uri = address})), "Its server cannot be reached.");
  const auto breaks_off = [](ServedConnection &connection) {
    connection.read_request();
    connection.send(kHead +
                    std::string("\0\0\0\x10"
                                "ftypisom\0\0\0\0"
                                "\0\x90\0\0"
                                "mdat",
                                24) +
                    std::string(100'000, '\0'));
    connection.reset();
  };
  EXPECT_EQ(told(breaks_off), "Its server broke the transfer off, or cannot send it from a later place on.");
  EXPECT_EQ(told(test::always(test::answer(200, "This is no film."))).find("server"), std::string::npos);
}

// Longer than both ends take to decode, shorter than all of the sound takes.
constexpr int kPatience_s = test::kIsSanitized ? 8 : 3;

TEST(Patience, EndsWithALongSoundOfWhichTheLoudnessStaysUnknown) {
  if (!test::measures_time()) GTEST_SKIP() << "the suite timing measures";
  const TemporaryFolder folder;
  const std::string path = folder.file("film.mkv");
  make_marked_media(path, {.frames = 3000,
                           .rate = "1/1",
                           .size = "width=32,height=32",
                           .video = "x264enc speed-preset=ultrafast key-int-max=5 ! h264parse",
                           .muxer = "matroskamux",
                           .audio = "audioresample ! audio/x-raw,rate=8000,channels=1 ! mulawenc",
                           .channels = 1});
  const gint64 begin = g_get_monotonic_time();
  const auto vetted = vet({.uri = uri_of(path), .patience = std::chrono::seconds(kPatience_s)});
  ASSERT_EQ(reason(vetted), "fit");
  EXPECT_LT(time_since(begin), test::time_limit(std::chrono::seconds(3 * kPatience_s)));
  EXPECT_NEAR(test::seconds(vetted->length), 3000, 1);
  EXPECT_TRUE(vetted->has_audio);
  EXPECT_TRUE(vetted->is_loudness_unknown);
  EXPECT_EQ(vetted->gain_db, 0);
  EXPECT_EQ(vetted->gain_note,
            "Its loudness could not be measured within " + std::to_string(kPatience_s) + " s.");
}

// How long vet() takes to end after it was cancelled.
std::chrono::microseconds time_to_cancel(const VettingRequest &request, std::chrono::milliseconds after) {
  const auto cancellable = GRef<GCancellable>::adopt(g_cancellable_new());
  gint64 cancelled_at = 0;
  std::thread canceller([&] {
    std::this_thread::sleep_for(after);
    cancelled_at = g_get_monotonic_time();
    g_cancellable_cancel(cancellable.get());
  });
  const auto vetted = vet(request, cancellable.get());
  const gint64 ended = g_get_monotonic_time();
  canceller.join();
  EXPECT_EQ(reason(vetted), cancelled().text);
  return std::chrono::microseconds(ended - cancelled_at);
}

// The machine may be busy, so the best of some.
std::chrono::microseconds best_time_to_cancel(const VettingRequest &request) {
  std::chrono::microseconds best = std::chrono::hours(1);
  for (const int ms : {20, 40, 60})
    best = std::min(best, time_to_cancel(request, std::chrono::milliseconds(ms)));
  return best;
}

TEST(Cancel, EndsAStalledSourceAtOnce) {
  const HttpServer server(stalls);
  EXPECT_LT(best_time_to_cancel({.uri = server.url("/clip.mp4")}),
            test::time_limit(std::chrono::milliseconds(100)));
}

TEST(Cancel, EndsDecodingAtOnce) {
  const TemporaryFolder folder;
  const std::string path = folder.file("film.mp4");
  make_marked_media(path, {.frames = 150,
                           .size = "width=1280,height=720",
                           .pattern = "snow",
                           .video = "x264enc speed-preset=ultrafast key-int-max=25 ! h264parse",
                           .audio = ""});
  EXPECT_LT(best_time_to_cancel({.uri = uri_of(path), .is_generated = true}),
            test::time_limit(std::chrono::milliseconds(100)));
}

TEST(Cancel, BeforeTheBeginningOpensNothing) {
  const auto cancellable = GRef<GCancellable>::adopt(g_cancellable_new());
  g_cancellable_cancel(cancellable.get());
  const auto vetted = vet({.uri = "file:///nonexistent"}, cancellable.get());
  ASSERT_FALSE(vetted);
  EXPECT_EQ(vetted.error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace genclip
