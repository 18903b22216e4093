// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A clip begins and ends with the pictures that it was given, by measurement, and a task fails without them.
#include <gst/app/app.h>
#include <gtest/gtest.h>

#include <cmath>

#include "examples/simulator/reference_list.h"
#include "tests/simulator/web.h"
#include "tests/support/http_server.h"
#include "tests/support/time_limit.h"

namespace genclip::sim::test {
namespace {

using genclip::test::answer;
using genclip::test::HttpServer;
using genclip::test::ServedConnection;

constexpr int kWidth = 320, kHeight = 180, kFrames = 24;

// Runs to the end; all that arrives at the appsink `out`, with `input` from the appsrc `in` if there is one.
std::vector<std::string> buffers_of(const std::string &description, const std::string &input = {}) {
  GErrorPtr error;
  const auto pipeline = GRef<GstElement>::adopt(
      GST_ELEMENT(gst_object_ref_sink(gst_parse_launch(description.c_str(), take(error)))));
  EXPECT_FALSE(error) << error->message;
  const auto element = [&](const char *name) {
    return GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline.get()), name));
  };
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  if (const auto in = element("in")) {
    gst_app_src_push_buffer(GST_APP_SRC(in.get()), gst_buffer_new_memdup(input.data(), input.size()));
    gst_app_src_end_of_stream(GST_APP_SRC(in.get()));
  }
  std::vector<std::string> all;
  const auto out = element("out");
  while (const auto sample =
             GRef<GstSample>::adopt(gst_app_sink_try_pull_sample(GST_APP_SINK(out.get()), 20 * GST_SECOND))) {
    GstBuffer *buffer = gst_sample_get_buffer(sample.get());
    std::string bytes(gst_buffer_get_size(buffer), '\0');
    gst_buffer_extract(buffer, 0, bytes.data(), bytes.size());
    all.push_back(std::move(bytes));
  }
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  return all;
}

std::string picture(const std::string &pattern, const std::string &encoder = "pngenc", int width = kWidth,
                    int height = kHeight) {
  gst_init(nullptr, nullptr);
  return buffers_of("videotestsrc num-buffers=1 pattern=" + pattern + " ! video/x-raw,format=RGB,width=" +
                    std::to_string(width) + ",height=" + std::to_string(height) +
                    ",pixel-aspect-ratio=1/1 ! " + encoder + " ! appsink name=out sync=false")
      .at(0);
}

// Of the size of the tests' clips, and with as little colour as these have.
std::vector<std::string> frames(const std::string &file) {
  return buffers_of(
      "appsrc name=in ! decodebin ! videoconvert ! videoscale add-borders=false ! "
      "video/x-raw,format=I420,colorimetry=bt709,pixel-aspect-ratio=1/1,width=" +
          std::to_string(kWidth) + ",height=" + std::to_string(kHeight) + " ! appsink name=out sync=false",
      file);
}

double psnr(const std::string &one, const std::string &other) {
  EXPECT_EQ(one.size(), other.size());
  double sum = 0;
  for (size_t at = 0; at < std::min(one.size(), other.size()); ++at)
    sum += std::pow(static_cast<guint8>(one[at]) - static_cast<guint8>(other[at]), 2);
  return 10 * std::log10(255 * 255 * static_cast<double>(one.size()) / std::max(sum, 1.0));
}

constexpr double kSame = 40, kOther = 20;

class Pictures : public ::testing::Test {
 protected:
  void begin(SimulatorOptions options = {}) {
    simulator_ = std::make_unique<Simulator>(std::move(options));
    ASSERT_TRUE(simulator_->start());
  }
  Json finished(Json::Object request) {
    request.emplace_back("prompt", "a kite");
    return finished_task(*simulator_, Json(std::move(request)));
  }
  // A clip of the tests' size, with these fields too.
  std::string clip(Json::Object request) {
    request.insert(request.end(), {{"model", "vidq3-turbo"}, {"duration", 1}, {"size", "320x180"}});
    const Json task = finished(std::move(request));
    EXPECT_EQ(text(task, "status"), "completed") << task.to_text();
    return ask("GET", text(task, "result_url")).body;
  }
  Json account() {
    const std::string base = simulator_->base_url();
    return ask("GET", base.substr(0, base.rfind('/')) + "/_sim/account").json();
  }
  const Json &reference(const Json &account, size_t task, size_t index) {
    return (*(*account.find("tasks")->array())[task].find("references")->array())[index];
  }

  std::unique_ptr<Simulator> simulator_;
};

TEST_F(Pictures, TheFirstFrameIsTheGivenPictureAndTheLastOneIsNot) {
  begin();
  const std::string given = picture("smpte");
  const HttpServer server(genclip::test::always(answer(200, given)));
  const auto shown = frames(clip({{"first_image", Json::Array{server.url("/a.png")}}}));
  ASSERT_EQ(shown.size(), kFrames);
  const auto wanted = frames(given);
  ASSERT_EQ(wanted.size(), 1u);
  EXPECT_GE(psnr(shown.front(), wanted[0]), kSame);
  EXPECT_LT(psnr(shown.back(), wanted[0]), kOther);
  EXPECT_LT(psnr(shown[12], wanted[0]), kOther) << "the picture has not gone after half of the clip";
  EXPECT_GT(psnr(shown[1], shown[0]), kOther) << "it goes at once";

  const auto usual = frames(clip({}));
  ASSERT_EQ(usual.size(), kFrames);
  EXPECT_LT(psnr(usual.front(), wanted[0]), kOther);
  EXPECT_GT(psnr(usual.back(), shown.back()), 30) << "it is another clip after the picture";
}

TEST_F(Pictures, TheLastFrameIsTheLastImage) {
  begin();
  const std::string first = picture("smpte"), last = picture("blue", "jpegenc quality=95");
  const HttpServer server([&](ServedConnection &connection) {
    const bool is_first = connection.read_request().find("/first") != std::string::npos;
    connection.send(answer(200, is_first ? first : last));
  });
  const auto shown = frames(clip({{"first_image", Json::Array{server.url("/first")}},
                                  {"last_image", Json::Array{server.url("/last")}}}));
  ASSERT_EQ(shown.size(), kFrames);
  EXPECT_GE(psnr(shown.front(), frames(first).at(0)), kSame);
  EXPECT_GE(psnr(shown.back(), frames(last).at(0)), kSame);
  EXPECT_LT(psnr(shown[12], frames(first).at(0)), kOther);
  EXPECT_LT(psnr(shown[12], frames(last).at(0)), kOther);
}

TEST_F(Pictures, OfAnotherSizeAreScaled) {
  begin();
  const std::string given = picture("smpte", "pngenc", 400, 600);
  const HttpServer server(genclip::test::always(answer(200, given)));
  const auto shown = frames(clip({{"first_image", Json::Array{server.url()}}}));
  ASSERT_FALSE(shown.empty());
  EXPECT_GE(psnr(shown.front(), frames(given).at(0)), 35) << "this test scales after the codec";
}

TEST_F(Pictures, AreTheFirstReferenceWhereAModelHasNoFirstImage) {
  const auto book = ModelBook::load({});
  ASSERT_TRUE(book);
  using Role = Reference::Role;
  const auto roles = [&](const char *model, Json::Object request) {
    std::vector<std::pair<std::string, Role>> all;
    for (const Reference &one : references_of(*book->find(model), request))
      all.emplace_back(one.url, one.role);
    return all;
  };
  using Roles = std::vector<std::pair<std::string, Role>>;
  const Json::Array two{"a", "b"}, one{"c"};
  EXPECT_EQ(roles("dance-2.5", {{"reference_images", two}, {"reference_videos", one}}),
            (Roles{{"a", Role::first_frame}, {"b", Role::none}, {"c", Role::none}}));
  EXPECT_EQ(roles("sd_2.0_special", {{"reference_images", two}}),
            (Roles{{"a", Role::none}, {"b", Role::none}}));
  EXPECT_EQ(roles("veo", {{"reference_images", one}}), (Roles{{"c", Role::none}}))
      << "its fields are unknown";
  EXPECT_EQ(roles("veo", {{"last_image", one}, {"first_image", two}}),
            (Roles{{"a", Role::first_frame}, {"b", Role::none}, {"c", Role::last_frame}}));
  EXPECT_EQ(roles("dream-5.0", {{"reference_images", one}}), (Roles{{"c", Role::none}}));

  begin({.frames_per_second = 5});
  const std::string given = picture("smpte");
  const HttpServer server(genclip::test::always(answer(200, given)));
  const Json task = finished(
      {{"model", "dance-2.5"}, {"aspect_ratio", "16:9"}, {"reference_images", Json::Array{server.url()}}});
  ASSERT_EQ(text(task, "status"), "completed") << task.to_text();
  EXPECT_GE(psnr(frames(ask("GET", text(task, "result_url")).body).at(0), frames(given).at(0)), 30)
      << "the clip is larger than the picture";
}

TEST_F(Pictures, AreFetchedAgainForEachTask) {
  begin();
  std::atomic<bool> is_changed = false;
  const std::string before = picture("smpte"), after = picture("blue");
  const HttpServer server([&](ServedConnection &connection) {
    connection.read_request();
    connection.send(answer(200, is_changed ? after : before));
  });
  const Json::Object request{{"first_image", Json::Array{server.url()}}};
  const std::string one = clip(request);
  is_changed = true;
  EXPECT_GE(psnr(frames(clip(request)).at(0), frames(after).at(0)), kSame);
  EXPECT_GE(psnr(frames(one).at(0), frames(before).at(0)), kSame);
}

TEST_F(Pictures, ThatTheServiceCannotUseFailTheTask) {
  const std::string good = picture("smpte");
  const HttpServer server([&](ServedConnection &connection) {
    const std::string request = connection.read_request();
    const auto is_for = [&](const char *path) { return request.starts_with(std::string("GET ") + path); };
    if (is_for("/none")) connection.send(answer(404, "no"));
    if (is_for("/page")) connection.send(answer(200, "<!DOCTYPE html><html></html>"));
    if (is_for("/empty")) connection.send(answer(200, ""));
    if (is_for("/cut")) connection.send(answer(200, good.substr(0, good.size() / 2)));
    if (is_for("/reset")) connection.reset();
    if (is_for("/hang")) connection.hang();
    if (is_for("/slow")) connection.drip(answer(200, good), std::chrono::milliseconds(50));
    if (is_for("/good")) connection.send(answer(200, good));
  });
  struct Case {
    const char *field, *path, *error;
  };
  for (const auto &[field, path, error] : {
           Case{"first_image", "/none", "first_image cannot be fetched: its server answers HTTP 404."},
           Case{"first_image", "/page", "first_image is not an image, but text/html."},
           Case{"first_image", "/empty", "first_image is not an image."},
           Case{"first_image", "/cut", "The first picture cannot be decoded."},
           Case{"first_image", "/reset", "first_image cannot be fetched: "},
           Case{"first_image", "/hang", "first_image cannot be fetched: it is not there after 300 ms."},
           Case{"first_image", "/slow", "first_image cannot be fetched: it is not there after 300 ms."},
           Case{"reference_videos", "/good", "reference_videos is not a video, but image/png."},
           Case{"reference_videos", "/none",
                "reference_videos cannot be fetched: its server answers HTTP 404."},
           Case{"reference_images", "/page", "reference_images is not an image, but text/html."},
       }) {
    // Only what never comes has a short time to come in.
    const bool never_comes = std::string_view(error).ends_with("after 300 ms.");
    begin({.reference_patience = never_comes ? std::chrono::milliseconds(300) : genclip::test::kHang});
    const Json task = finished(
        {{"model", "sd_2.0_fast_discount"}, {"duration", 4}, {field, Json::Array{server.url(path)}}});
    EXPECT_EQ(text(task, "status"), "failed") << path;
    EXPECT_NE(task.find("error")->to_text().find(error), std::string::npos) << path << task.to_text();
    EXPECT_EQ(task.find("amount"), nullptr);
  }
  const Json image =
      finished({{"model", "dream-5.0"}, {"reference_images", Json::Array{server.url("/none")}}});
  EXPECT_EQ(text(image, "status"), "failed");
}

TEST_F(Pictures, ThatThisMachineDoesNotServeAreNotFetched) {
  begin();
  const std::string usual = clip({});
  EXPECT_TRUE(usual == clip({{"first_image", Json::Array{"https://media.example/a.png"}}}));
  for (const char *url : {"http://127.1.2.3/a", "https://localhost:8/%E4", "http://[::1]/a?%00"})
    EXPECT_TRUE(is_on_loopback(url)) << url;
  for (const char *url :
       {"assetId://face-7", "ftp://127.0.0.1/a", "http://localhost.example/a", "http://10.0.0.1/"})
    EXPECT_FALSE(is_on_loopback(url)) << url;

  const HttpServer server(genclip::test::always(answer(404, "no")));
  begin({.fetch_references = false});
  clip({{"first_image", Json::Array{server.url()}}});
  EXPECT_EQ(server.connections(), 0u);
}

TEST_F(Pictures, AreInTheAccount) {
  begin();
  const std::string given = picture("smpte");
  const HttpServer server(genclip::test::always(answer(200, given)));
  clip({{"reference_images", Json::Array{server.url("/a"), "https://media.example/b"}}});
  const Json book = account();
  const GStringPtr sum(g_compute_checksum_for_string(G_CHECKSUM_SHA256, given.data(), gssize(given.size())));
  EXPECT_EQ(reference(book, 0, 0).to_text(), Json(Json::Object{{"field", "reference_images"},
                                                               {"url", server.url("/a")},
                                                               {"media_type", "image/png"},
                                                               {"sha256", sum.get()}})
                                                 .to_text());
  EXPECT_EQ(text(reference(book, 0, 1), "url"), "https://media.example/b");
  EXPECT_EQ(text(reference(book, 0, 1), "sha256"), "");
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(server.requests()[0].find("Authorization"), std::string::npos);
}

// One thread serves the clips, and fetches.
TEST_F(Pictures, AndClipsOfTheSimulatorItselfCanBeReferences) {
  begin({.frames_per_second = 5});
  const Json first = finished({{"model", "dance-2.5"}});
  const Json second =
      finished({{"model", "dance-2.5"}, {"reference_videos", Json::Array{text(first, "result_url")}}});
  EXPECT_EQ(text(second, "status"), "completed") << second.to_text();
  EXPECT_EQ(text(reference(account(), 1, 0), "media_type"), "video/quicktime");
}

TEST_F(Pictures, AreAwaitedWhileTheSimulatorServesOthers) {
  begin({.queued = std::chrono::milliseconds(0),
         .processing = std::chrono::milliseconds(0),
         .reference_patience = genclip::test::kHang});
  const HttpServer server([](ServedConnection &connection) { connection.hang(); });
  const std::string url = simulator_->base_url() + "/v2/model-center/tasks";
  const std::string body =
      Json(Json::Object{
               {"model", "dance-2.5"}, {"prompt", "a"}, {"reference_images", Json::Array{server.url()}}})
          .to_text();
  const Json waiting = ask_api("POST", url, body).json();
  EXPECT_EQ(text(finished({{"model", "dream-5.0"}}), "status"), "completed");
  EXPECT_EQ(text(ask_api("GET", url + "/" + text(waiting, "id")).json(), "status"), "processing");
  const auto begun = std::chrono::steady_clock::now();
  simulator_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, genclip::test::time_limit(std::chrono::seconds(5)))
      << "it waits for a reference";
}

}  // namespace
}  // namespace genclip::sim::test
