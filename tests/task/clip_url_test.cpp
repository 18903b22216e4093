// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The URL of a paid clip, in each form that a service may use; and texts that are not a URL.
#include "tests/task/task_fixture.h"

namespace genclip::test {
namespace {

class ClipUrl : public TaskClientTest {
 protected:
  // Of a completed task with these members.
  std::string url_in(const std::string &members) {
    http_.expect(answer(200, R"({"id":"t-1","status":"completed",)" + members + "}"));
    const auto task = query();
    return task ? task->clip_url : task.error().text;
  }
};

TEST_F(ClipUrl, IsTakenAsItIsWrittenWhenItIsWhole) {
  for (const char *url :
       {"https://a/v.mp4", "http://a:8080/v", "HTTPS://A/v.mp4", "https://a/100%.mp4?sig=5%&x=%zz",
        "https://a/a%20b?c=d#e", "https://[::1]/v", "https://a/v?u=https://b/c", "https://u:p@a/v"})
    EXPECT_EQ(url_in(R"("video_url":")" + std::string(url) + "\""), url);
}

TEST_F(ClipUrl, IsResolvedAgainstTheBaseUrlWhenItIsRelative) {
  const std::pair<const char *, const char *> rows[] = {
      {"/files/v.mp4?sig=1", "https://api.example/files/v.mp4?sig=1"},
      {"/files/t-1", "https://api.example/files/t-1"},
      {"/files/100%.mp4", "https://api.example/files/100%.mp4"},
      {"//cdn.example/v.mp4?a=b", "https://cdn.example/v.mp4?a=b"},
      {"//cdn.example:8443/v", "https://cdn.example:8443/v"},
      {"files/v.mp4", "https://api.example/prefix/files/v.mp4"},
      {"../v.webm?x=1", "https://api.example/v.webm?x=1"},
      {"v.PNG", "https://api.example/prefix/v.PNG"},
      {"/my clip.mp4", "https://api.example/my%20clip.mp4"},
  };
  for (const auto &[text, url] : rows) EXPECT_EQ(url_in(R"("result_url":")" + std::string(text) + "\""), url);
}

TEST_F(ClipUrl, IsNothingThatIsNoAddress) {
  for (const char *text : {"",
                           " ",
                           "/",
                           "//",
                           "///",
                           "//?x",
                           "pending",
                           "n/a",
                           "N/A",
                           "see below",
                           "a clip.mp4",
                           "/ not ready",
                           "https:",
                           "https://",
                           "https:///v.mp4",
                           "http:/v.mp4",
                           "https//a/v.mp4 soon",
                           "ftp://a/v.mp4",
                           "file:///etc/passwd",
                           "s3://bucket/v.mp4",
                           "data:video/mp4;base64,AAAA",
                           "javascript:alert(1)",
                           "C:\\\\v.mp4",
                           "\\\\\\\\host\\\\v.mp4",
                           "mailto:v.mp4",
                           "https://[::/v.mp4",
                           "?v.mp4",
                           "#v.mp4",
                           ".mp4",
                           "/a\\u0007b",
                           "https://a b/v.mp4"})
    EXPECT_EQ(url_in(R"("video_url":")" + std::string(text) + "\""), "") << text;
}

TEST_F(ClipUrl, IsTheNextOneWhenOneIsNoAddress) {
  EXPECT_EQ(url_in(R"("video_url":"pending","result_url":"/v.mp4")"), "https://api.example/v.mp4");
  EXPECT_EQ(url_in(R"("video_url":"https://[::/x","result_url":"https://b/v.mp4")"), "https://b/v.mp4");
  EXPECT_EQ(url_in(R"("result_url":["ftp://a/v","//b/v.mp4"])"), "https://b/v.mp4");
}

TEST_F(ClipUrl, IsFoundInTheOutput) {
  for (const char *output :
       {R"("https://a/v.mp4")", R"(["https://a/v.mp4","https://a/w.mp4"])",
        R"([null,{"url":"https://a/v.mp4"}])", R"({"url":"https://a/v.mp4"})",
        R"({"video_url":"https://a/v.mp4","url":"https://a/page"})", R"({"video":{"url":"https://a/v.mp4"}})",
        R"({"text":"x","result_url":"https://a/v.mp4"})",
        R"({"status":"completed","video_url":"https://a/v.mp4"})"})
    EXPECT_EQ(url_in(R"("output":)" + std::string(output)), "https://a/v.mp4") << output;
  EXPECT_EQ(url_in(R"("output":"https://a/o.mp4","result_url":"https://a/r.mp4")"), "https://a/r.mp4");
  EXPECT_EQ(url_in(R"("output":"a red kite over dunes")"), "");
  EXPECT_EQ(url_in(R"("output":{"thumbnail":"https://a/t.png"})"), "");
}

}  // namespace
}  // namespace genclip::test
