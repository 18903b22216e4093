// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The answers of other services: where they have the URL, the reason and the task itself.
#include <gtest/gtest.h>

#include "tests/simulator/web.h"

namespace genclip::sim::test {
namespace {

const std::string kKite = R"({"model":"dance-2.5","prompt":"a kite"})";

class Answers : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(simulator_.start());
    task_ = finished_task(simulator_, *Json::parse(kKite));
    ASSERT_EQ(text(task_, "status"), "completed");
  }
  void fault(const std::string &text) {
    const auto added = simulator_.add_fault(text);
    ASSERT_TRUE(added) << added.error().text;
  }
  std::string api() const { return simulator_.base_url() + "/v2/model-center/tasks"; }
  // The answer under these faults.
  Json query(const std::vector<std::string> &faults) {
    simulator_.clear_faults();
    for (const std::string &one : faults) fault(one);
    return ask_api("GET", api() + "/" + text(task_, "id")).json();
  }
  // Its fields without their values, and with signed URLs cut short.
  static std::string url_free(std::string answer) {
    for (size_t at; (at = answer.find("?expires")) != answer.npos;)
      answer.erase(at, answer.find('"', at) - at);
    return answer;
  }

  Simulator simulator_{{.queued = std::chrono::milliseconds(0),
                        .processing = std::chrono::milliseconds(0),
                        .clip_bytes = "clip"}};
  Json task_;
};

TEST_F(Answers, HaveTheUrlWhereTheyAreTold) {
  struct Case {
    const char *place, *field, *value;
  };
  for (const auto &[place, field, value] :
       {Case{"url", "url", R"("URL")"}, Case{"video.url", "video", R"({"url":"URL"})"},
        Case{"content.video_url", "content", R"({"video_url":"URL"})"},
        Case{"data[0].url", "data", R"([{"url":"URL"}])"},
        Case{"result.url[0]", "result", R"({"url":["URL"]})"}, Case{"output", "output", R"("URL")"},
        Case{"output[0]", "output", R"(["URL"])"},
        Case{"deliverable.link", "deliverable", R"({"link":"URL"})"}}) {
    const Json answer = query({std::string("query:place=") + place});
    EXPECT_EQ(answer.find("video_url"), nullptr) << place;
    EXPECT_EQ(answer.find("result_url"), nullptr) << place;
    ASSERT_NE(answer.find(field), nullptr) << place;
    std::string all = url_free(answer.find(field)->to_text());
    const std::string url = simulator_.media_url() + "/clips/" + text(task_, "id") + ".mp4";
    ASSERT_NE(all.find(url), all.npos) << all;
    EXPECT_EQ(all.replace(all.find(url), url.size(), "URL"), value);
  }
}

TEST_F(Answers, AreWrapped) {
  const Json bare = query({"query:wrapper=success", "query:drop=id"});
  EXPECT_EQ(text(bare, "status"), "success");
  EXPECT_EQ(text(*bare.find("data"), "status"), "completed");
  EXPECT_EQ(bare.find("data")->find("id"), nullptr);

  const Json coded =
      query({"query:place=task_result.videos[0].url", "query:state=completed/succeed",
             "query:move=id/task_id", "query:move=status/task_status", "query:wrapper=SUCCEED;as=code"});
  EXPECT_EQ(coded.find("code")->to_text(), "0");
  EXPECT_EQ(text(coded, "message"), "SUCCEED");
  const Json &data = *coded.find("data");
  EXPECT_EQ(text(data, "task_id"), text(task_, "id"));
  EXPECT_EQ(text(data, "task_status"), "succeed");
  EXPECT_NE(data.find("task_result"), nullptr);

  fault("submit:wrapper=ok");
  EXPECT_EQ(text(*ask_api("POST", api(), kKite).json().find("data"), "object"), "video");
}

TEST_F(Answers, TellTheReasonWhereTheyAreTold) {
  struct Case {
    const char *shape, *field, *value;
  };
  for (const auto &[shape, field, value] :
       {Case{"task-status-msg", "task_status_msg", R"("No.")"},
        Case{"failure-reason", "failure_reason", R"("No.")"},
        Case{"base-resp", "base_resp", R"({"status_code":500,"status_msg":"No."})"},
        Case{"err-msg", "err_msg", R"("No.")"}, Case{"failure", "failure", R"("No.")"},
        Case{"status-message", "status_message", R"("No.")"}}) {
    const Json answer = query({std::string("query:fail=No.;shape=") + shape});
    EXPECT_EQ(text(answer, "status"), "failed");
    EXPECT_EQ(answer.find("error"), nullptr) << shape;
    ASSERT_NE(answer.find(field), nullptr) << shape;
    EXPECT_EQ(answer.find(field)->to_text(), value);
  }
}

TEST_F(Answers, HaveACoverThatIsAPicture) {
  const Json beside = query({"query:cover"});
  const Answer cover = ask("GET", text(beside, "video_url"));
  EXPECT_EQ(cover.headers.at("content-type"), "image/png");
  EXPECT_TRUE(cover.body.starts_with("\x89PNG\r\n")) << cover.body;
  EXPECT_EQ(ask("GET", text(beside, "result_url")).body, "clip");

  const Json only = query({"query:cover=only"});
  EXPECT_NE(text(only, "video_url").find("-cover.png"), std::string::npos);
  EXPECT_EQ(only.find("result_url"), nullptr);

  const Json first = query({"query:cover=first"});
  ASSERT_EQ(first.find("output")->array()->size(), 2u) << first.to_text();
  EXPECT_NE(first.find("output")->array()->at(0).string()->find("-cover.png"), std::string::npos);
  EXPECT_EQ(ask("GET", *first.find("output")->array()->at(1).string()).body, "clip");
  EXPECT_EQ(first.find("video_url"), nullptr);
}

TEST_F(Answers, HaveSeveralResults) {
  const Json answer = query({"query:results=3", "query:place=data.urls"});
  const Json *urls = answer.find("data")->find("urls");
  ASSERT_TRUE(urls && urls->array() && urls->array()->size() == 3) << answer.to_text();
  const char *const kEnds[] = {".mp4?", "-1.mp4?", "-2.mp4?"};
  for (size_t i = 0; i < 3; ++i) {
    const std::string &url = *urls->array()->at(i).string();
    EXPECT_NE(url.find(text(task_, "id") + kEnds[i]), url.npos) << url;
    EXPECT_EQ(ask("GET", url).body, "clip");
  }
}

TEST_F(Answers, HaveUrlsOfAnotherScheme) {
  EXPECT_TRUE(text(query({"query:scheme=ftp"}), "video_url").starts_with("ftp://127.0.0.1:"));
}

TEST_F(Answers, ComeToAnotherKeyOnceItIsRenewed) {
  fault("query#2-:key=new");
  const std::string url = api() + "/" + text(task_, "id");
  EXPECT_EQ(ask_api("GET", url).status, 200u);
  EXPECT_EQ(ask_api("GET", url).status, 401u);
  EXPECT_EQ(ask("GET", url, {"Authorization: Bearer new"}).status, 200u);
  fault("text:key=new");
  EXPECT_EQ(
      ask_api("POST", simulator_.llm_base_url() + "/v1/models/gem-2.5-pro:generateContent", "{}").status,
      401u);
}

}  // namespace
}  // namespace genclip::sim::test
