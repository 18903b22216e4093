// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the service accepts and refuses, written by hand from service-interface.txt.
#include <gtest/gtest.h>

#include "tests/simulator/web.h"

namespace genclip::sim::test {
namespace {

constexpr const char *kTasks = "/v2/model-center/tasks", *kLegacy = "/v1/sky/videos";

class Strictness : public ::testing::Test {
 protected:
  Strictness() : simulator_({.clip_bytes = "clip"}) {}
  void SetUp() override {
    const auto started = simulator_.start();
    ASSERT_TRUE(started) << started.error().text;
  }
  Simulator simulator_;
};

struct Case {
  unsigned status;
  const char *path;
  std::string body;
};

std::string repeated(int count, const char *text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

// A body of a model: `more` are further members, after a comma.
std::string body(const std::string &model, const std::string &more = {},
                 const std::string &prompt = "a kite") {
  return R"({"model":")" + model + R"(","prompt":")" + prompt + "\"" + (more.empty() ? "" : "," + more) + "}";
}

const std::string kImage = R"("https://m.example/a.png")";

std::vector<Case> cases() {
  const std::string special = "sd_2.0_special", five = R"("duration":5)";
  const auto images = [](const char *field, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += (i ? "," : "") + kImage;
    return "\"" + std::string(field) + "\":[" + all + "]";
  };
  return {
      {200, kTasks, body(special, five)},
      {400, kTasks, body(special)},
      {400, kTasks, body(special, R"("duration":3)")},
      {200, kTasks, body(special, R"("duration":4)")},
      {200, kTasks, body(special, R"("duration":15)")},
      {400, kTasks, body(special, R"("duration":16)")},
      {400, kTasks, body(special, R"("duration":5.5)")},
      {400, kTasks, body(special, R"("duration":"5")")},
      {400, kTasks, body(special, five, "")},
      {400, kTasks, R"({"model":"sd_2.0_special","duration":5})"},
      {400, kTasks, R"({"prompt":"x"})"},
      {400, kTasks, body("SD 2.0 Special", five)},
      {400, kTasks, body("Sd_2.0_special", five)},
      {400, kTasks, body("horse 1.0 Text-to-Video")},
      {200, kTasks, body(special, five + R"(,"resolution":"4k","aspect_ratio":"adaptive","seed":-1)")},
      {400, kTasks, body(special, five + R"(,"resolution":"4K")")},
      {400, kTasks, body(special, five + R"(,"resolution":"480p")")},
      {200, kTasks, body("sd_2.0_fast_discount", five + R"(,"resolution":"480p")")},
      {400, kTasks, body(special, five + R"(,"size":"2560x1440")")},
      {400, kTasks, body(special, five + R"(,"generate_audio":"on")")},
      {200, kTasks, body(special, five + "," + images("reference_images", 9))},
      {400, kTasks, body(special, five + "," + images("reference_images", 10))},
      {200, kTasks, body(special, five + "," + images("images", 2))},
      {400, kTasks, body(special, five + "," + images("images", 1) + "," + images("image_urls", 1))},
      {400, kTasks, body(special, five + "," + images("first_image", 2))},
      {200, kTasks, body(special, five + R"(,"first_image":["assetId://a1"])")},
      {400, kTasks, body(special, five + R"(,"first_image":["assetId://"])")},
      {400, kTasks, body(special, five + R"(,"first_image":["/home/me/a.png"])")},
      {400, kTasks, body(special, five + R"(,"first_image":["data:image/png;base64,AAAA"])")},
      {400, kTasks, body(special, five + R"(,"first_image":"https://m.example/a.png")")},
      {400, kTasks, body(special, five + R"(,"first_image":[7])")},
      {400, kTasks,
       body(special, five + "," + images("first_image", 1) + "," + images("reference_images", 1))},
      {400, kTasks, body(special, five + "," + images("last_image", 1))},
      {400, kTasks, body(special, five + R"(,"reference_audios":["https://m.example/a.wav"])")},
      {200, kTasks, body(special, five, repeated(500, "字"))},
      {400, kTasks, body(special, five, repeated(501, "字"))},
      {200, kTasks, body(special, five, repeated(1000, "word "))},
      {400, kTasks, body(special, five, repeated(1001, "word "))},
      {200, kTasks, body("videos_stable_fast", "", repeated(5000, "a"))},
      {400, kTasks, body("videos_stable_fast", "", repeated(5001, "a"))},
      {400, kTasks, body("videos_stable_fast", R"("first_image":["assetId://a1"])")},
      {200, kTasks, body("mini-h3", R"("size":"1440x1440")")},
      {400, kTasks, body("mini-h3", R"("size":"1440x1440","aspect_ratio":"1:1")")},
      {400, kTasks, body("mini-h3", R"("reference_audios":["https://m.example/a.wav"])")},
      {200, kTasks,
       body("mini-h3", images("reference_images", 1) + R"(,"reference_audios":["https://m.example/a"])")},
      {200, kTasks, body("dance-2.5", R"("duration":30)")},
      {400, kTasks, body("dance-2.5", R"("duration":31)")},
      {400, kTasks, body("dance-2.5", R"("seed":1)")},
      {200, kTasks, body("horse-1.0-t2v", R"("resolution":"720P","seed":2147483647)")},
      {400, kTasks, body("horse-1.0-t2v", R"("resolution":"720p")")},
      {400, kTasks, body("horse-1.0-t2v", R"("seed":2147483648)")},
      {400, kTasks, body("horse-1.0-t2v", R"("seed":-1)")},
      {200, kTasks, body("horse-1.0-t2v", "", repeated(2600, "字"))},
      {400, kTasks, body("horse-1.0-i2v")},
      {200, kTasks, body("horse-1.0-i2v", images("first_image", 1))},
      {400, kTasks, body("wave2.7-i2v", images("first_image", 1))},
      {400, kTasks, body("wave2.7-r2v", images("reference_images", 1))},
      {200, kTasks, body("wave2.7-r2v", images("reference_images", 3) + "," + five)},
      {400, kTasks, body("wave2.7-r2v", images("reference_images", 4) + "," + five)},
      {400, kTasks, body("wave2.7-videoedit")},
      {200, kTasks, body("videos_fast_933_c1", R"("reference_mode":"frame")")},
      {400, kTasks, body("videos_fast_933_c1", R"("reference_mode":"video")")},
      {200, kTasks, body("dream-5.0", R"("style":{"ink":1})")},
      {400, kLegacy, body("dream-5.0")},
      {200, kLegacy, body("sky2Stable", R"("seconds":10,"aspect_ratio":"16:9")")},
      {400, kLegacy, body("sky2Stable", R"("seconds":11)")},
      {400, kLegacy, body("sky2Stable", R"("duration":10)")},
      {400, kLegacy, body("sky2Stable", R"("seconds":10,"aspect_ratio":"wide")")},
      {200, kLegacy, body("vendorSky2Plus", R"("seconds":12)")},
      {400, kLegacy, body("grk_video3_pro", R"("resolution":"720p")")},
      {200, kLegacy, body("vidq3-turbo", R"("seconds":16,"resolution":"540p")")},
      {400, kTasks, "[]"},
      {400, kTasks, ""},
      {400, kTasks, R"({"model":"dance-2.5","prompt":"a",})"},
      {400, kTasks, R"({"model":"dance-2.5","prompt":"a"} x)"},
      {400, kTasks, R"({"model":"dance-2.5","prompt":"a","prompt":"b"})"},
      {400, kTasks, R"({"model":"dance-2.5",/**/"prompt":"a"})"},
      {400, kTasks, R"({'model':'dance-2.5','prompt':'a'})"},
      {400, kTasks, "{\"model\":\"dance-2.5\",\"prompt\":\"\xff\"}"},
      {400, kTasks, "{\"model\":\"dance-2.5\",\"prompt\":\"a\nb\"}"},
      {400, kTasks, R"({"model":"dance-2.5","prompt":"a","duration":05})"},
  };
}

TEST_F(Strictness, TakesWhatTheDocumentAllowsAndNothingElse) {
  unsigned taken = 0;
  for (const Case &one : cases()) {
    const Answer answer = ask_api("POST", simulator_.base_url() + one.path, one.body);
    EXPECT_EQ(answer.status, one.status) << one.path << " " << one.body.substr(0, 300) << "\n" << answer.body;
    taken += one.status == 200;
  }
  EXPECT_EQ(simulator_.stats().submits, taken);
  EXPECT_EQ(simulator_.stats().refusals.size(), cases().size() - taken);
}

TEST_F(Strictness, NamesAllProblemsAtOnce) {
  const Answer answer = ask_api("POST", simulator_.base_url() + kTasks,
                                body("sd_2.0_special", R"("duration":99,"resolution":"8k","colour":"red")"));
  for (const char *field : {"duration", "resolution", "colour"})
    EXPECT_NE(answer.body.find(field), std::string::npos) << answer.body;
}

TEST_F(Strictness, WantsTheExactKeyOnEachCall) {
  const std::string url = simulator_.base_url() + kTasks;
  for (const char *header : {"X: y", "Authorization: Bearer sim-key2", "Authorization: bearer sim-key",
                             "Authorization: sim-key", "Authorization: Bearer "}) {
    EXPECT_EQ(ask("POST", url, {header, "Content-Type: application/json"}, body("dance-2.5")).status, 401u)
        << header;
    EXPECT_EQ(ask("GET", url + "/1", {header}).status, 401u) << header;
  }
  EXPECT_EQ(simulator_.stats().submits, 0u);
}

TEST_F(Strictness, WantsJsonAsContentType) {
  const std::string url = simulator_.base_url() + kTasks;
  for (const char *type : {"Content-Type: text/plain", "X: y"})
    EXPECT_EQ(ask("POST", url, {"Authorization: Bearer sim-key", type}, body("dance-2.5")).status, 415u)
        << type;
}

TEST_F(Strictness, KnowsNoOtherAddressAndNoOtherId) {
  for (const char *path : {"/v2/model-center/tasks/nope", "/v1/sky/videos/nope", "/v2/model-center", "/v3"})
    EXPECT_EQ(ask_api("GET", simulator_.base_url() + path).status, 404u) << path;
  EXPECT_EQ(ask_api("GET", simulator_.base_url() + kTasks).status, 405u);
  const Json task = ask_api("POST", simulator_.base_url() + kTasks, body("dance-2.5")).json();
  ASSERT_FALSE(text(task, "id").empty());
  EXPECT_EQ(ask_api("GET", simulator_.base_url() + kLegacy + "/" + text(task, "id")).status, 404u)
      << "one API answers for the other's task";
}

TEST_F(Strictness, CountsSubmitsByTheirMeaning) {
  const std::string url = simulator_.base_url() + kTasks;
  ask_api("POST", url, R"({"model":"dance-2.5","prompt":"a","duration":4})");
  ask_api("POST", url, R"({ "duration": 4, "prompt": "a", "model": "dance-2.5" })");
  ask_api("POST", url, R"({"model":"dance-2.5","prompt":"b","duration":4})");
  const auto stats = simulator_.stats();
  EXPECT_EQ(stats.submits, 3u);
  EXPECT_EQ(stats.submits_by_request.at(R"({"duration":4,"model":"dance-2.5","prompt":"a"})"), 2u);
}

}  // namespace
}  // namespace genclip::sim::test
