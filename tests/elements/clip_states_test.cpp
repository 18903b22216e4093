// SPDX-License-Identifier: LGPL-2.1-or-later
//
// State changes never wait for the network, whatever it does.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/elements/clip_pipeline.h"
#include "tests/support/http_server.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/time_limit.h"

namespace genclip::test {
namespace {

using namespace std::chrono_literals;

enum class Stall { connect, submit, poll, wait, download, failed_submit };

struct Hang {
  const char *name;
  Stall stall;
  const char *sink;
};

void PrintTo(const Hang &hang, std::ostream *out) { *out << hang.name; }

constexpr char kPush[] = "fakesink name=sink sync=false";

class ClipHang : public testing::TestWithParam<Hang> {
 protected:
  static bool is_post(const std::string &request) { return request.starts_with("POST"); }
  static bool is_poll(const std::string &request) { return request.starts_with("GET /v2/"); }

  void serve(ServedConnection &connection) {
    for (;;) {
      const std::string request = connection.read_request();
      if (request.empty()) return;
      const Stall stall = GetParam().stall;
      if (is_post(request)) {
        if (stall == Stall::submit) return connection.hang();
        connection.send(stall == Stall::failed_submit ? answer(429, "{}", "Retry-After: 300\r\n")
                                                      : answer(200, R"({"id":"t-7","status":"queued"})"));
      } else if (is_poll(request)) {
        if (stall == Stall::poll) return connection.hang();
        connection.send(answer(
            200, R"({"id":"t-7","status":"completed","video_url":")" + server_.url("/clip.mp4") + "\"}"));
      } else {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
        const std::array<unsigned char, 16> box = {0,   0,   0,   16,  'f', 't', 'y', 'p',
                                                   'i', 's', 'o', 'm', 0,   0,   2,   0};
        connection.send(std::string(box.begin(), box.end()) + std::string(300000, 'x'));
        return connection.hang();
      }
    }
  }

  void set_up(ClipPipeline &clip) {
    clip.set("model", "dance-2.5");
    clip.set("prompt", "x");
    clip.set("api-key", "k");
    clip.set("store", store_.path());
    clip.set("take", std::to_string(take_++));
    clip.set("poll-interval", GetParam().stall == Stall::wait ? "600000" : "10");
    clip.set("base-url", GetParam().stall == Stall::connect ? unreachable_.url() : server_.url(""));
  }

  // Until the clip is blocked at the intended place.
  void wait_for_stall(ClipPipeline &clip) {
    const auto status = [&](const char *wanted) {
      ASSERT_TRUE(clip.wait_for_element("genclip-task", [&](const GstStructure *task) {
        return g_str_equal(gst_structure_get_string(task, "status"), wanted);
      })) << wanted;
    };
    switch (GetParam().stall) {
      case Stall::connect: return status("submitting");
      case Stall::submit:
      case Stall::failed_submit: return wait_for_request(is_post);
      case Stall::wait: return status("queued");
      case Stall::poll: return wait_for_request(is_poll);
      case Stall::download: return status("downloading");
    }
  }

  void wait_for_request(bool (*fits)(const std::string &)) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    const auto count = [&] {
      const auto requests = server_.requests();
      return std::count_if(requests.begin(), requests.end(), fits);
    };
    while (count() <= seen_) {
      ASSERT_LT(std::chrono::steady_clock::now(), end);
      g_usleep(1000);
    }
    seen_ = count();
  }

  TemporaryFolder store_;
  FullBacklog unreachable_;
  HttpServer server_{[this](ServedConnection &connection) { serve(connection); }};
  int take_ = 0;
  ptrdiff_t seen_ = 0;
};

TEST_P(ClipHang, ToPausedAndToNullTakesNoTime) {
  std::array<std::chrono::milliseconds, 5> up, down;
  for (size_t i = 0; i < up.size(); ++i) {
    ClipPipeline clip(GetParam().sink);
    set_up(clip);
    up[i] = clip.time_to(GST_STATE_PLAYING);
    wait_for_stall(clip);
    if (HasFatalFailure()) return;
    down[i] = clip.time_to(GST_STATE_NULL);
  }
  // The median, because the machine may be busy.
  std::sort(up.begin(), up.end());
  std::sort(down.begin(), down.end());
  EXPECT_LT(up[2], time_limit(100ms));
  EXPECT_LT(down[2], time_limit(100ms));
}

TEST_P(ClipHang, AFlushingSeekGoesThroughAndBack) {
  ClipPipeline clip(GetParam().sink);
  set_up(clip);
  clip.go(GST_STATE_PLAYING);
  wait_for_stall(clip);
  if (HasFatalFailure()) return;
  const auto begun = std::chrono::steady_clock::now();
  GstEvent *seek = gst_event_new_seek(1, GST_FORMAT_BYTES, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 100,
                                      GST_SEEK_TYPE_NONE, -1);
  gst_element_send_event(clip.element("sink").get(), seek);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, time_limit(1s));
  EXPECT_LT(clip.time_to(GST_STATE_NULL), time_limit(1s));
}

INSTANTIATE_TEST_SUITE_P(
    ClipSrc, ClipHang,
    testing::Values(Hang{"ConnectPushed", Stall::connect, kPush},
                    Hang{"ConnectPulled", Stall::connect, kPull}, Hang{"SubmitPushed", Stall::submit, kPush},
                    Hang{"SubmitPulled", Stall::submit, kPull},
                    Hang{"RetryOfTheSubmitPushed", Stall::failed_submit, kPush},
                    Hang{"PollPushed", Stall::poll, kPush}, Hang{"PollPulled", Stall::poll, kPull},
                    Hang{"WaitPushed", Stall::wait, kPush}, Hang{"WaitPulled", Stall::wait, kPull},
                    Hang{"DownloadPushed", Stall::download, kPush},
                    Hang{"DownloadPulled", Stall::download, kPull}),
    [](const auto &row) { return row.param.name; });

}  // namespace
}  // namespace genclip::test
