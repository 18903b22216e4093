// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The URL of a paid clip, in each form that a service may use; and texts that are not a URL.
#include "plugin/task/task_wire.h"
#include "tests/task/task_fixture.h"

namespace genclip::test {
namespace {

class ClipUrl : public TaskClientTest {
 protected:
  // Of a completed task with these members.
  std::string url_in(const std::string &members) {
    http_.expect(answer(200, R"({"id":"t-1","status":"completed",)" + members + "}"));
    const auto task = query();
    return task ? task->clip_url() : task.error().text;
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

// Its answer would be downloaded, round after round.
TEST_F(ClipUrl, IsNotWhereTheTaskIsAskedFor) {
  for (const char *text :
       {"https://api.example/prefix/v2/model-center/tasks/t-1", "/v2/model-center/tasks/t-1",
        "/prefix/v1/sky/videos/t-1?a=b", "https://api.example/v2/model-center/tasks/", "v1/sky/videos/t-1"})
    EXPECT_EQ(url_in(R"("result_url":")" + std::string(text) + "\""), "") << text;
  for (const char *text :
       {"https://api.example/v1/sky/videos/t-1/content", "https://api.example/v1/sky/videos/t-1.mp4",
        "https://cdn.example/v1/sky/videos/t-1", "https://api.example/clips/t-1"})
    EXPECT_EQ(url_in(R"("result_url":")" + std::string(text) + "\""), text);
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

struct Case {
  const char *what;
  std::optional<ResultKind> kind;
  const char *members;  // Of the completed task.
  const char *url;      // Of the clip; "": there is none.
  const char *why_none = "";
  std::vector<std::string> further = {};  // Fields of further results.
};

constexpr auto video = ResultKind::video;
constexpr auto image = ResultKind::image;

const Case kCases[] = {
    // Places.
    {"in an object", video, R"("video":{"url":"https://a/v.mp4","content_type":"video/mp4"})",
     "https://a/v.mp4"},
    {"in the content", video, R"("content":{"video_url":"https://a/v.mp4"})", "https://a/v.mp4"},
    {"by itself", video, R"("url":"https://a/v.mp4")", "https://a/v.mp4"},
    {"in the data", video, R"("data":[{"url":"https://a/v.mp4"}])", "https://a/v.mp4"},
    {"in a list of videos", video,
     R"("task_result":{"videos":[{"id":"v","url":"https://a/v.mp4","duration":"5.1"}]})", "https://a/v.mp4"},
    {"in a list of one", video, R"("result":{"url":["https://a/v.mp4"]})", "https://a/v.mp4"},
    {"with humps", video, R"("videoUrl":"https://a/v.mp4")", "https://a/v.mp4"},
    {"below the base URL", video, R"("data":{"url":"/files/v.mp4"})", "https://api.example/files/v.mp4"},
    {"under an unknown name", video, R"("deliverable":{"link":"https://a/v.mp4"})", "https://a/v.mp4"},
    {"under an unknown name, without an extension", video, R"("deliverable":{"link":"https://a/v"})",
     "https://a/v"},
    {"beside the request's own", video,
     R"("input":{"first_image":"https://a/own.png"},"deliverable":{"link":"https://a/v.mp4"})",
     "https://a/v.mp4"},
    {"beside the request's own, at the top", video,
     R"("reference_videos":["https://a/own.mp4"],"deliverable":{"link":"https://a/v.mp4"})",
     "https://a/v.mp4"},
    {"beside one that the request is known to have", video,
     R"("source":"https://a/known.mp4","deliverable":{"link":"https://a/v.mp4"})", "https://a/v.mp4"},
    {"beside the request's own, unescaped", video,
     R"("video":"https://a/own x.mp4","clip":"https://a/v.mp4")", "https://a/v.mp4"},
    {"beside the request's own, signed again", video,
     R"("source":"https://a/own%20x.mp4?sig=2#t=1","clip":"https://a/v.mp4")", "https://a/v.mp4"},
    {"in JSON that is written as text", video, R"("resultJson":"{\"resultUrls\":[\"https://a/v.mp4\"]}")",
     "https://a/v.mp4"},
    {"beside another version of it", video,
     R"("url":"https://a/v","watermarked_url":"https://a/w","originUrls":["https://a/o"])", "https://a/v"},
    {"under the name of a version alone", video, R"("download":{"origin_url":"https://a/o"})", "https://a/o"},
    {"beside more pictures than anybody reads", video, nullptr, "https://a/v.mp4"},
    {"beside pictures of it", video,
     R"("cover_link":"https://a/c","thumbnail":"https://a/t","poster":{"link":"https://a/p"},
        "last_frame_link":"https://a/l","link":"https://a/v")",
     "https://a/v"},
    {"beside links of the API", video,
     R"("status_url":"https://a/s","response_url":"https://a/r","webhook":"https://b/h","link":"https://a/v")",
     "https://a/v"},
    {"beside others, by its extension", video, R"("page":"https://a/page","link":"https://a/v.mp4")",
     "https://a/v.mp4"},
    {"two under unknown names", video,
     R"("deliverable":{"link":"https://a/v.mp4","other":"https://a/w.mp4"})", "",
     "its answer has several URLs, and genclip cannot tell which is the clip's: deliverable.link, "
     "deliverable.other."},
    {"one URL under two unknown names", video,
     R"("deliverable":{"link":"https://a/v","download":"https://a/v"})", "https://a/v"},
    {"one URL in a list and beside it", video,
     R"("files":[{"link":"https://a/v.mp4"}],"file":{"link":"https://a/v.mp4"},"page":"https://a/page")",
     "https://a/v.mp4"},
    {"one URL with and without a signature", video,
     R"("public":"https://a/v.mp4","signed":"https://a/v.mp4?X-Sig=x")", "https://a/v.mp4"},
    {"each of two URLs twice",
     video,
     R"("takes":[{"link":"https://a/0","raw":"https://a/0"},{"link":"https://a/1","raw":"https://a/1"}])",
     "https://a/0",
     "",
     {"takes[1].link"}},
    {"one URL twice, and another one", video, R"("a":"https://a/v","b":"https://a/v","c":["https://a/w"])",
     "", "its answer has several URLs, and genclip cannot tell which is the clip's: a, b, c[0]."},
    {"two without an extension", video, R"("x":"https://a/v","y":["https://a/w"])", "",
     "its answer has several URLs, and genclip cannot tell which is the clip's: x, y[0]."},
    {"only pictures of it", video, R"("cover":"https://a/c.jpg","poster_url":"https://a/p")", "",
     "the service gives no URL for its clip. Its answer has the fields id, status, cover, poster_url."},
    {"none at all", video, R"("usage":{"total":9},"texts":[{"a":1},{"b":2}])", "",
     "the service gives no URL for its clip. Its answer has the fields id, status, usage.total, texts[].a."},
    {"another scheme", video, R"("video_url":"ftp://a/v.mp4?sig=1")", "",
     "the service gives the clip at an address of the scheme \"ftp\"; genclip fetches http and https only."},
    {"another scheme, in a list", video, R"("output":["s3://bucket/v.mp4"])", "",
     "the service gives the clip at an address of the scheme \"s3\"; genclip fetches http and https only."},
    {"a scheme without a host", video, R"("video_url":"blob:https://a/v.mp4")", "",
     "the service gives the clip at an address of the scheme \"blob\"; genclip fetches http and https only."},
    {"another one", video, R"("output":["magnet:?xt=urn:btih:1&ws=https://a/v.mp4"])", "",
     "the service gives the clip at an address of the scheme \"magnet\"; genclip fetches http and https "
     "only."},
    {"a word and a colon", video, R"("output":"note:none")", "",
     "the service gives no URL for its clip. Its answer has the fields id, status, output."},
    {"such a word before a URL", video, R"("output":"data: https://a/v.mp4")", "https://a/v.mp4"},
    {"its content instead", video, R"("output":"data:video/mp4;base64,AAAA")", "",
     "the service gives the clip at an address of the scheme \"data\"; genclip fetches http and https only."},

    // Where there is nothing else.
    {"a preview alone", video, R"("preview_url":"https://a/v.mp4")", "https://a/v.mp4"},
    {"a stream alone", video, R"("stream":"https://a/v.mp4?s=1")", "https://a/v.mp4?s=1"},
    {"a page alone, which is a video", video, R"("urls":{"web":"https://a/v.webm","get":"https://a/t"})",
     "https://a/v.webm"},
    {"a preview beside it", video, R"("preview_url":"https://a/p.mp4","deliverable":"https://a/v")",
     "https://a/v"},
    {"a preview beside another version", video,
     R"("preview_url":"https://a/p.mp4","watermarked_url":"https://a/w.mp4")", "https://a/w.mp4"},
    {"a picture of it and a page", video,
     R"("preview":"https://a/p.jpg","web":"https://a/v","stream":"https://a/x")", "",
     "the service gives no URL for its clip. Its answer has the fields id, status, preview, web, stream."},
    {"a cover called a preview", video, R"("cover_preview":"https://a/v.mp4")", "",
     "the service gives no URL for its clip. Its answer has the fields id, status, cover_preview."},
    {"two previews", video, R"("preview":"https://a/p.mp4","stream":"https://a/s.mp4")", "",
     "its answer has several URLs, and genclip cannot tell which is the clip's: preview, stream."},
    {"in Markdown", video, R"~("content":"[download](https://a/v_(1).mp4?s=1~__)")~",
     "https://a/v_(1).mp4?s=1~__"},
    {"in Markdown, bold", video, R"("text":"**https://a/v.mp4**")", "https://a/v.mp4"},
    {"twice in Markdown", video,
     R"("text":"![cover](https://a/c.jpg)\n![v](https://a/v.mp4?s=1)\n<https://a/v.mp4?s=1>")",
     "https://a/v.mp4?s=1"},
    {"in HTML", video, R"("content":"<video src=\"https://a/v.mp4?s=1&amp;e=2\"></video>")",
     "https://a/v.mp4?s=1&e=2"},
    {"in a sentence", video, R"("message":"Your video is ready: https://a/v.mp4. Enjoy!")",
     "https://a/v.mp4"},
    {"in a sentence in Chinese", video, R"("message":"下载：https://a/v.mp4，谢谢")", "https://a/v.mp4"},
    {"in a sentence, without an extension", video, R"("output":"Ready: https://a/dl/1")", "",
     "the service gives no URL for its clip. Its answer has the fields id, status, output."},
    {"a page in a sentence", video, R"("message":"See https://a/help")", "",
     "the service gives no URL for its clip. Its answer has the fields id, status, message."},
    {"a sentence beside it", video, R"("message":"See https://a/x.mp4","link":"https://a/v")", "https://a/v"},
    {"in JSON amid a text", video, R"("content":"Result:\n{\"url\": \"https://a/v.mp4\"}")",
     "https://a/v.mp4"},
    {"in JSON in a string in a string", video, R"("x":"\"{\\\"link\\\":\\\"https://a/v\\\"}\"")",
     "https://a/v"},
    {"the request's own in a sentence", video, R"("message":"Made of https://a/known.mp4")", "",
     "the service gives no URL for its clip. Its answer has the fields id, status, message."},
    {"in the prompt", video, R"("prompt":"As https://a/x.mp4","revised_prompt":"https://a/y.mp4")", "",
     "the service gives no URL for its clip. Its answer has the fields id, status, prompt, revised_prompt."},
    {"a picture in a sentence", image, R"~("content":"![i](https://a/i.png)")~", "https://a/i.png"},

    // Kinds.
    {"a picture first", video, R"("video_url":"https://a/cover.jpg","result_url":"https://a/v.mp4")",
     "https://a/v.mp4"},
    {"a picture first in a list", video, R"("output":["https://a/cover.jpg","https://a/v.mp4"])",
     "https://a/v.mp4"},
    {"a picture under a usual name, the video elsewhere", video,
     R"("video_url":"https://a/cover.jpg?x=1","deliverable":{"link":"https://a/v.mp4"})", "https://a/v.mp4"},
    {"a picture and nothing else", video, R"("video_url":"https://a/cover.jpg")", "",
     "a picture came where a video was asked for."},
    {"sound and nothing else", video, R"("output":"https://a/a.mp3")", "",
     "sound came where a video was asked for."},
    {"a video for a picture", image, R"("output":["https://a/v.mp4"])", "",
     "a video came where a picture was asked for."},
    {"a video before the picture", image, R"("video_url":"https://a/v.mp4","result_url":"https://a/i.png")",
     "https://a/i.png"},
    {"a picture by its extension", video, R"("video_url":"https://a/v.jpg?sig=1")", "https://a/v.jpg?sig=1"},
    {"a picture by its extension and by its type", video,
     R"("video":{"type":"image","url":"https://a/v.jpg"})", "",
     "a picture came where a video was asked for."},
    {"a picture by its extension, which is a video by its type", video,
     R"("video":{"type":"video/mp4","url":"https://a/v.webp"})", "https://a/v.webp"},
    {"a picture by its extension, under the name of one", video, R"("image_url":"https://a/v.jpg")", "",
     "a picture came where a video was asked for."},
    {"a picture by its extension, under an unknown name", video, R"("link":"https://a/v.jpg")", "",
     "a picture came where a video was asked for."},
    {"files of pictures of it", video,
     R"("output":["https://a/b/thumb_1.webp","https://a/Last-Frame.png","https://a/v-POSTER.gif"])", "",
     "a picture came where a video was asked for."},
    {"a picture by its extension beside files of pictures of it", video,
     R"("video_url":"https://a/cover.jpg","output":"https://a/v.gif")", "https://a/v.gif"},
    {"a picture by its extension beside several URLs", video,
     R"("x":"https://a/1","y":"https://a/2","video_url":"https://a/v.jpg")", "https://a/v.jpg"},
    {"a picture by its extension beside a preview", video,
     R"("video_url":"https://a/v.jpg","preview_url":"https://a/p.mp4")", "https://a/p.mp4"},
    {"a program and a file of bytes", video, R"("video_url":"https://a/download.php?f=v.jpg")",
     "https://a/download.php?f=v.jpg"},
    {"a picture, of a model that nobody knows", std::nullopt, R"("video_url":"https://a/cover.jpg")",
     "https://a/cover.jpg"},

    // Beside files that are not media.
    {"a text first in a list", video, R"("output":["https://a/meta.json","https://a/v.mp4"])",
     "https://a/v.mp4"},
    {"a playlist first, the video under another name", video,
     R"("video_url":"https://a/a.M3U8?s=1","deliverable":"https://a/v.mp4")", "https://a/v.mp4"},
    {"an archive first in a list of objects", video,
     R"("videos":[{"url":"https://a/v.zip"},{"url":"https://a/v"}])", "https://a/v"},
    {"an archive first, by its type", video,
     R"("outputs":[{"content_type":"application/zip","url":"https://a/z"},
                   {"content_type":"video/mp4","url":"https://a/v"}])",
     "https://a/v"},
    {"a text first, by its type", video,
     R"("outputs":[{"type":"Text","url":"https://a/t"},{"type":"file","url":"https://a/v"}])", "https://a/v"},
    {"a playlist first, by its format", video,
     R"("videos":[{"format":"m3u8","url":"https://a/p"},{"format":"mp4","url":"https://a/v"}])",
     "https://a/v"},
    {"types that tell nothing, and one of a video",
     video,
     R"("outputs":[{"mime_type":"application/octet-stream","url":"https://a/0"},
                   {"mime_type":"application/mp4","url":"https://a/1"}])",
     "https://a/0",
     "",
     {"outputs[1].url"}},
    {"a type of the whole answer", video,
     R"("content_type":"application/json","video_url":"https://a/v","source":"https://a/s.mp4")",
     "https://a/v"},
    {"a type and an extension that differ", video,
     R"("outputs":[{"type":"text","url":"https://a/v.mp4"},{"type":"video","url":"https://a/v.srt"}])",
     "https://a/v.mp4"},
    {"a text and a picture", video, R"("output":["https://a/c.jpg","https://a/meta.json"])",
     "https://a/meta.json"},
    {"two texts", video, R"("x":"https://a/log.txt","y":"https://a/p.html")", "",
     "its answer has several URLs, and genclip cannot tell which is the clip's: x, y."},

    // Several results.
    {"two results",
     video,
     R"("output":["https://a/0.mp4","https://a/1.mp4"])",
     "https://a/0.mp4",
     "",
     {"output[1]"}},
    {"three results as objects",
     video,
     R"("data":[{"url":"https://a/0"},{"url":"https://a/1","thumbnail":"https://a/t"},{"url":"https://a/2"}])",
     "https://a/0",
     "",
     {"data[1].url", "data[2].url"}},
    {"the first one repeated in a list",
     video,
     R"("video_url":"https://a/0.mp4?s=1","output":["https://a/0.mp4?s=2","https://a/1.mp4?s=3"])",
     "https://a/0.mp4?s=1",
     "",
     {"output[1]"}},
    {"a list that repeats it", video, R"("output":["https://a/0.mp4","https://a/0.mp4"])", "https://a/0.mp4"},
    {"two addresses of each",
     video,
     R"("videos":[{"url":"https://a/0.mp4","download_url":"https://b/0.mp4"},
                  {"url":"https://a/1.mp4","download_url":"https://b/1.mp4"}])",
     "https://a/0.mp4",
     "",
     {"videos[1].url"}},
    {"a list under an unknown name",
     video,
     R"("takes":[{"link":"https://a/0"},{"link":"https://a/1"}])",
     "https://a/0",
     "",
     {"takes[1].link"}},
    {"one result that is signed twice", video, R"("output":["https://a/0.mp4?s=1","https://a/0.mp4?s=2"])",
     "https://a/0.mp4?s=1"},
    {"two results behind one file's name",
     video,
     R"("data":[{"url":"https://a/dl.mp4?file=1&sig=a"},{"url":"https://a/dl.mp4?file=2&sig=a"}])",
     "https://a/dl.mp4?file=1&sig=a",
     "",
     {"data[1].url"}},
    {"pictures with numbers alone behind one file's name",
     image,
     R"("images":["https://a/p.png?1","https://a/p.png?2","https://a/p.png?key=3","https://a/p.png?key=4"])",
     "https://a/p.png?1",
     "",
     {"images[1]", "images[2]", "images[3]"}},
    {"one result that is signed in many ways", video,
     R"("output":["https://a/0.mp4?X-Amz-Date=1&id=7&X-Amz-Signature=2","https://a/0.mp4?id=7&Expires=3&Key-Pair-Id=4",
        "https://a/0.mp4?id=7&OSSAccessKeyId=5&auth_key=6","https://a/0.mp4?se=7&id=7&token=8#t","https://a/0.mp4?q-ak=1&id=7"])",
     "https://a/0.mp4?X-Amz-Date=1&id=7&X-Amz-Signature=2"},
    {"two results behind one path",
     video,
     R"("output":["https://a/get?id=1","https://a/get?id=2"])",
     "https://a/get?id=1",
     "",
     {"output[1]"}},
    {"a result and its picture, by their types", video,
     R"("output":[{"url":"https://a/c","type":"image"},{"url":"https://a/v","type":"video/mp4"}])",
     "https://a/v"},
    // A8
    {"a path without an extension", video, R"("video_url":"media/task-1")",
     "https://api.example/prefix/media/task-1"},
    {"such a path in a list", video, R"("output":{"result_urls":["v1/media/task-1?sig=a/b"]})",
     "https://api.example/prefix/v1/media/task-1?sig=a/b"},
    {"such a path beside a URL", video,
     R"("url":"tasks/task-1","download_url":"media/task-1","deliverable":{"link":"https://a/v.mp4"})",
     "https://a/v.mp4"},
    {"such a path without a number", video, R"("video_url":"clips/kite/")",
     "https://api.example/prefix/clips/kite/"},
    {"paths of few letters", video, R"("url":"v/1")", "https://api.example/prefix/v/1"},
    {"words for nothing, types and texts", video,
     R"("video_url":"n/a","url":"video/MP4","output":"media/task-1","result_url":"not ready/yet1",)"
     R"("download_url":["24/25","not/available","task-1","","/"],"urls":"a b/c1")",
     "",
     "the service gives no URL for its clip. Its answer has the fields id, status, video_url, url, output, "
     "result_url, download_url[], urls."},
    {"two names for one result", video, R"("video_url":"https://a/v.mp4","result_url":"https://b/v.mp4")",
     "https://a/v.mp4"},
    // Those under other names.
    {"a list beside it",
     video,
     R"("video_url":"https://a/0.mp4","variants":["https://a/1.mp4","https://a/2.mp4"])",
     "https://a/0.mp4",
     "",
     {"variants[0]", "variants[1]"}},
    {"a list of one beside it",
     video,
     R"("output":"https://a/0.mp4","alternatives":[{"url":"https://a/1.mp4","link":"https://b/1.mp4"}])",
     "https://a/0.mp4",
     "",
     {"alternatives[0].url"}},
    {"two lists beside it",
     video,
     R"("url":"https://a/0.mp4","takes":["https://a/0.mp4?s=2","https://a/1.mp4"],"more":["https://a/2.mp4"])",
     "https://a/0.mp4",
     "",
     {"takes[1]", "more[0]"}},
    {"a list that does not repeat it",
     video,
     R"("video":{"url":"https://a/0"},"videos":[{"url":"https://a/1"},{"url":"https://a/2"}])",
     "https://a/0",
     "",
     {"videos[0].url", "videos[1].url"}},
    {"a number in a name",
     video,
     R"("video_url_2":"https://a/1.mp4","video_url":"https://a/0.mp4","video_url_10":"https://a/9.mp4")",
     "https://a/0.mp4",
     "",
     {"video_url_2", "video_url_10"}},
    {"numbers in all names",
     video,
     R"("output":{"video2":"https://a/2","video1":"https://a/1"})",
     "https://a/1",
     "",
     {"output.video2"}},
    {"one name in two spellings", video, R"("video_url":"https://a/v.mp4","videoUrl":"https://b/v.mp4")",
     "https://a/v.mp4"},
    {"numbers alone",
     video,
     R"("output":{"10":"https://a/10.mp4","0":"https://a/0.mp4","1":"https://a/1.mp4"})",
     "https://a/0.mp4",
     "",
     {"output.1", "output.10"}},
    {"numbers of objects",
     video,
     R"("videos":{"1":{"url":"https://a/1"},"2":{"url":"https://a/2"}})",
     "https://a/1",
     "",
     {"videos.2.url"}},
    {"numbers amid names",
     video,
     R"("video2_url":"https://a/2","video1_url":"https://a/1")",
     "https://a/1",
     "",
     {"video2_url"}},
    {"numbers in unknown names",
     video,
     R"("clip_file_1":"https://a/1","clip_file_2":"https://a/2")",
     "https://a/1",
     "",
     {"clip_file_2"}},
    {"sizes for names", video, R"("renditions":{"360":"https://a/l","720":"https://a/h"})", "https://a/h"},
    {"resolutions for names", video,
     R"("videos":{"480p":"https://a/l.mp4","1080P":{"url":"https://a/h.mp4"},"2k":"https://a/m.mp4"})",
     "https://a/h.mp4"},
    {"resolutions for names, at the top", video,
     R"("1280x720":"https://a/l","4k":"https://a/h","1080":"https://a/m")", "https://a/h"},
    {"resolutions for names beside it", video, R"("2160p":"https://a/h.mp4","video_url":"https://a/v.mp4")",
     "https://a/v.mp4"},
    {"resolutions for names beside another one", video,
     R"("link":"https://a/v.mp4","480p":"https://a/l.mp4","720p":"https://a/h.mp4")", "https://a/h.mp4"},
    {"resolutions below the base URL", video, R"("videos":{"480p":"/l.mp4","720p":"/h.mp4"})",
     "https://api.example/h.mp4"},
    {"numbers that are no sizes", video, R"("nodes":{"101":"https://a/1","102":"https://a/2"})", "",
     "its answer has several URLs, and genclip cannot tell which is the clip's: nodes.101, nodes.102."},
    {"resolutions of each result",
     video,
     R"("results":[{"480p":"https://a/0l","720p":"https://a/0h"},{"480p":"https://a/1l","720p":"https://a/1h"}])",
     "https://a/0h",
     "",
     {"results[1].720p"}},
    {"sizes and rates in names beside it", video,
     R"("video_url":"https://a/v.mp4","url_2k":"https://a/2.mp4","url_4k":"https://a/4.mp4",
        "video_30fps_url":"https://a/30.mp4","video_60fps_url":"https://a/60.mp4")",
     "https://a/v.mp4"},
    {"formats for names", video, R"("files":{"mp3":"https://a/s","mp4":"https://a/v"})", "https://a/v"},
    {"formats for names, without MP4", video, R"("files":{"gif":"https://a/g","webm":"https://a/v"})",
     "https://a/v"},
    {"formats with numbers",
     video,
     R"("webm2":"https://a/2","webm1":"https://a/1")",
     "https://a/1",
     "",
     {"webm2"}},
    {"MP4 behind others", video, R"("webm":"https://a/w","mov":"https://a/m","mp4":"https://a/v")",
     "https://a/v"},
    {"with and without a watermark", video,
     R"("video":{"watermark_url":"https://a/w.mp4","no_watermark_url":"https://a/v.mp4"})",
     "https://a/v.mp4"},
    {"with_watermark and without_watermark", video,
     R"("urls":{"with_watermark":"https://a/w","without_watermark":"https://a/v"})", "https://a/v"},
    {"watermarked and unwatermarked", video,
     R"("urls":{"unwatermarked":"https://a/v","watermarked":"https://a/w","other":"https://a/x"})",
     "https://a/v"},
    {"without a watermark, behind the other one", video,
     R"("video_url":"https://a/w.mp4","video_url_without_watermark":"https://a/v.mp4")", "https://a/v.mp4"},
    {"without a watermark, in an object", video,
     R"("video":{"url":"https://a/w","no_watermark_url":"https://a/v"})", "https://a/v"},
    {"clean, below the base URL", video, R"("output":{"url":"/w.mp4","cleanUrl":"/v.mp4"})",
     "https://api.example/v.mp4"},
    {"without a watermark, as objects", video,
     R"("video":{"url":"https://a/w"},"clean_video":{"url":"https://a/v"})", "https://a/v"},
    {"without a watermark, of each result",
     video,
     R"("videos":[{"url":"https://a/0w","url_unwatermarked":"https://a/0"},
                  {"url":"https://a/1w","url_unwatermarked":"https://a/1"}])",
     "https://a/0",
     "",
     {"videos[1].url_unwatermarked"}},
    {"without a watermark, as lists",
     video,
     R"("video_urls":["https://a/0w","https://a/1w"],"clean_video_urls":["https://a/0","https://a/1"])",
     "https://a/0",
     "",
     {"clean_video_urls[1]"}},
    {"without a watermark, of one of several results",
     video,
     R"("videos":["https://a/0","https://a/1"],"no_watermark_url":"https://a/v")",
     "https://a/0",
     "",
     {"videos[1]"}},
    {"no URL of the one without a watermark", video,
     R"("video_url":"https://a/v.mp4","no_watermark_url":"","clean_url":null)", "https://a/v.mp4"},
    {"other things that are clean", video,
     R"("video_url":"https://a/v","clean_audio_url":"https://a/a","cleanup_url":"https://a/c")",
     "https://a/v"},
    {"without a watermark alone", video, R"("nonWatermarkUrl":"https://a/v")", "https://a/v"},
    {"numbered inputs beside it", video,
     R"("input_1":"https://a/i1.mp4","params_2":"https://a/i2.mp4","clip":"https://a/v.mp4")",
     "https://a/v.mp4"},
    // Lists in lists.
    {"lists in a list",
     video,
     R"("output":[["https://a/0.mp4","https://a/1.mp4"],["https://a/2.mp4"]])",
     "https://a/0.mp4",
     "",
     {"output[0][1]", "output[1][0]"}},
    {"lists in objects in a list",
     video,
     R"("results":[{"urls":["https://a/0","https://a/1"]},{"urls":["https://a/2"]}])",
     "https://a/0",
     "",
     {"results[0].urls[1]", "results[1].urls[0]"}},
    {"lists in lists in a list, with two addresses of each", video,
     R"("takes":[[[{"link":"https://a/0"},{"link":"https://a/1","download":"https://b/1"}],
                  [{"link":"https://a/2"},{"link":"https://a/3"}]],["https://a/4"]])",
     "",
     "its answer has several URLs, and genclip cannot tell which is the clip's: takes[0][0][0].link, "
     "takes[0][0][1].link, takes[0][0][1].download, takes[0][1][0].link, takes[0][1][1].link, takes[1][0]."},
    {"lists in lists in a list",
     video,
     R"("takes":[[["https://a/0","https://a/1"],["https://a/2"]],["https://a/3"]])",
     "https://a/0",
     "",
     {"takes[0][0][1]", "takes[0][1][0]", "takes[1][0]"}},
    {"a list of qualities in each item",
     video,
     R"("results":[{"videos":[{"quality":"hd","url":"https://a/0h"},{"quality":"sd","url":"https://a/0s"}]},
                   {"videos":[{"quality":"hd","url":"https://a/1h"},{"quality":"sd","url":"https://a/1s"}]}])",
     "https://a/0h",
     "",
     {"results[1].videos[0].url"}},
    {"a list of formats in each item",
     video,
     R"("output":[["https://a/0.mp4","https://a/0.webm"],["https://a/1.mp4","https://a/1.webm"]])",
     "https://a/0.mp4",
     "",
     {"output[1][0]"}},
    // Several in one text.
    {"URLs with commas between them",
     video,
     R"("video_url":"https://a/0.mp4?s=1, HTTPS://a/1.mp4?s=2,http://a/2.mp4,")",
     "https://a/0.mp4?s=1",
     "",
     {"video_url[1]", "video_url[2]"}},
    {"URLs with other separators",
     video,
     R"("output":"https://a/0;https://a/1|https://a/2 https://a/3\nhttps://a/4")",
     "https://a/0",
     "",
     {"output[1]", "output[2]", "output[3]", "output[4]"}},
    {"a list of URLs in a query",
     video,
     R"("output":"https://a/v?u=https://b/0.mp4,https://b/1.mp4;https://b/2.mp4\nhttps://a/w")",
     "https://a/v?u=https://b/0.mp4,https://b/1.mp4;https://b/2.mp4",
     "",
     {"output[1]"}},
    {"names with blanks, and commas between them",
     video,
     R"("video_url":"https://a/my 0.mp4,https://a/my 1.mp4")",
     "https://a/my 0.mp4",
     "",
     {"video_url[1]"}},
    {"a sentence beside it that begins with a URL", video,
     R"("video_url":"https://a/v.mp4","about":"https://a/us made it, as https://a/demo.mp4")",
     "https://a/v.mp4"},
    {"a URL in a URL", video, R"("video_url":"https://a/get/https://b/v.mp4")",
     "https://a/get/https://b/v.mp4"},
    {"a size in a name", video, R"("video_url":"https://a/v.mp4","video_url_480":"https://a/s.mp4")",
     "https://a/v.mp4"},
    {"versions of one result", video,
     R"("video_url":"https://a/v.mp4","resolutions":["https://a/s.mp4","https://a/l.mp4"],)"
     R"("qualities":[{"url":"https://a/q.mp4"}],"mirrors":["https://b/v.mp4"],"video_720p":["https://a/m.mp4"],)"
     R"("formats":[{"url":"https://a/v.webm"}])",
     "https://a/v.mp4"},
    {"versions of one result, and nothing else", video,
     R"("renditions":["https://a/s.mp4","https://a/l.mp4"])", "https://a/s.mp4"},
    {"versions of one result by their labels", video,
     R"("videos":[{"quality":"hd","height":720,"url":"https://a/h"},{"quality":"sd","height":480,"url":"https://a/s"}])",
     "https://a/h"},
    {"results with the same label",
     video,
     R"("resolution":"720p","videos":[{"height":720,"url":"https://a/0"},{"height":720,"url":"https://a/1"}])",
     "https://a/0",
     "",
     {"videos[1].url"}},
    {"lists of other media beside it", video,
     R"("video_url":"https://a/v.mp4","covers":["https://a/c.mp4"],"previews":["https://a/p.mp4"],)"
     R"("last_frames":["https://a/f.png"],"thumbs":["https://a/t.mp4"],"stills":["https://a/s.jpg"],)"
     R"("source":["https://a/known.mp4","https://a/own%20x.mp4"],"links":["https://a/page"],)"
     R"("watermarked":["https://a/w.mp4"],"progress_videos":["https://a/p1.mp4"])",
     "https://a/v.mp4"},
    {"a cover and two pictures",
     image,
     R"("cover_url":"https://a/c.png","images":["https://a/0.png","https://a/1.png"])",
     "https://a/0.png",
     "",
     {"images[1]"}},
};

std::string many_pictures() {
  std::string list;
  for (int i = 0; i < 3000; ++i) list += (i ? "," : "") + ("\"https://a/" + std::to_string(i) + ".jpg\"");
  return R"("data":{"images":[)" + list + R"(],"clip":"https://a/v.mp4"})";
}

TEST(ClipResult, IsFoundWhereverAServiceWritesIt) {
  for (Case row : kCases) {
    const std::string many = many_pictures();
    if (!row.members) row.members = many.c_str();
    SCOPED_TRACE(std::string(row.what) + ": " + std::string(row.members).substr(0, 300));
    const auto task = read_task(R"({"id":"t-1","status":"completed",)" + std::string(row.members) + "}", "",
                                {.base_url = "https://api.example/prefix",
                                 .task_id = "t-1",
                                 .wanted = {row.kind, {"https://a/known.mp4", "https://a/own%20x.mp4"}}});
    ASSERT_TRUE(task);
    EXPECT_EQ(task->status, TaskStatus::completed);
    EXPECT_EQ(task->clip_url(), row.url);
    EXPECT_EQ(task->result.why_none, row.why_none);
    std::vector<std::string> further;
    for (const ResultUrl &result : task->result.urls)
      if (result.is_further) further.push_back(result.field);
    EXPECT_EQ(further, row.further);
  }
}

// The bytes decide, so there is somewhere else to look when the first are a picture.
TEST(ClipResult, HasWhatIsElseThereBehindTheFirst) {
  const auto urls = [](const char *members) {
    std::vector<std::string> urls;
    const auto task = read_task(R"({"status":"completed",)" + std::string(members) + "}", "",
                                {.wanted = {ResultKind::video, {}}});
    for (const ResultUrl &result : task->result.urls) urls.push_back(result.url);
    return urls;
  };
  using testing::ElementsAre;
  EXPECT_THAT(urls(R"("public":"https://a/v.mp4","signed":"https://a/v.mp4?sig=1")"),
              ElementsAre("https://a/v.mp4", "https://a/v.mp4?sig=1"))
      << "the first one may be refused without a signature";
  EXPECT_THAT(urls(R"("video_url":"https://a/x","result_url":"https://a/y")"),
              ElementsAre("https://a/x", "https://a/y"));
  EXPECT_THAT(urls(R"("url":"https://a/x","clip":"https://a/v.mp4")"),
              ElementsAre("https://a/x", "https://a/v.mp4"));
  EXPECT_THAT(urls(R"("image_url":"https://a/x","clip":"https://a/v.mp4")"),
              ElementsAre("https://a/v.mp4", "https://a/x"));
  EXPECT_THAT(urls(R"("images":["https://a/x"],"url":"https://a/v")"),
              ElementsAre("https://a/v", "https://a/x"));
  EXPECT_THAT(urls(R"("video_url":"https://a/a.m3u8","output":["https://a/s.vtt","https://a/v.mp4"])"),
              ElementsAre("https://a/v.mp4", "https://a/a.m3u8", "https://a/s.vtt"));
}

// Its bytes tell, when nothing better has come for some answers.
TEST(ClipResult, WithTheExtensionOfAPictureIsTheLastResort) {
  const auto read = [](const std::string &body) {
    return *read_task(body, "", {.task_id = "t-1", .wanted = {ResultKind::video, {}}});
  };
  const std::string members = R"("video_url":"https://a/v.jpg")";
  EXPECT_TRUE(read(R"({"id":"t-1","status":"completed",)" + members + "}").result.is_last_resort);
  EXPECT_FALSE(
      read(R"({"id":"t-1","status":"completed","video_url":"https://a/v.mp4"})").result.is_last_resort);
  // It does not show that a task is done.
  EXPECT_EQ(read(R"({"status":"success","data":{"id":"t-1",)" + members + "}}").status, TaskStatus::unknown);
  // Nor does it hide what stands around it.
  const Task around =
      read(R"({"result_url":"https://a/v.mp4","data":{"id":"t-1","status":"completed",)" + members + "}}");
  EXPECT_EQ(around.clip_url(), "https://a/v.mp4");
  EXPECT_FALSE(around.result.is_last_resort);
  const Task page = read(
      R"({"url":"https://console.a/jobs/9","data":{"id":"t-1","status":"completed","preview_url":"https://a/p.mp4"}})");
  EXPECT_EQ(page.clip_url(), "https://a/p.mp4") << "a page about the task may stand around it";
  const Task signed_url = read(
      R"({"result_url":"https://a/8f3?s=1","data":{"id":"t-1","status":"completed","preview_url":"https://a/p.mp4"}})");
  EXPECT_EQ(signed_url.clip_url(), "https://a/8f3?s=1");
}

// The other one is better than none.
// So it is not stored while the other one is late.
TEST(ClipResult, WithAWatermarkIsNoAddressOfTheOneWithout) {
  const auto task =
      read_task(R"({"status":"completed","video_url":"https://a/w.mp4","clean_url":"https://a/v.mp4"})", "",
                {.wanted = {ResultKind::video, {}}});
  ASSERT_EQ(task->result.urls.size(), 2u);
  EXPECT_EQ(task->result.urls[1].url, "https://a/w.mp4");
  EXPECT_TRUE(task->result.urls[1].may_differ);
}

// While the first URL is late, only what is surely another address of the same clip may stand in for it.
TEST(ClipResult, TellsWhichUrlsAreAddressesOfTheFirstOnesClip) {
  const auto doubtful = [](const char *members) {
    std::vector<std::string> fields;
    const auto task = read_task(R"({"status":"completed",)" + std::string(members) + "}", "",
                                {.wanted = {ResultKind::video, {}}});
    for (const ResultUrl &result : task->result.urls)
      if (result.may_differ) fields.push_back(result.field);
    return fields;
  };
  using testing::ElementsAre;
  using testing::IsEmpty;
  const char *of_one_clip[] = {
      R"("video_url":"https://a/x","result_url":"https://b/y","output":["https://c/z"])",
      R"("video":{"url":"https://a/x","download_url":"https://b/x"})",
      R"("output":["https://a/x.mp4?s=1","https://a/x.mp4?s=2"])",
      R"("videos":[{"url":"https://a/x","download_url":"https://b/x"}])",
      R"("public":"https://a/x.mp4","signed":"https://a/x.mp4?sig=1")",
      R"("resolution":"720p","video_url":"https://a/x","output":{"url":"https://b/x"})"};
  for (const char *members : of_one_clip) EXPECT_THAT(doubtful(members), IsEmpty()) << members;

  EXPECT_THAT(
      doubtful(
          R"("videos":[{"url":"https://a/h","quality":"1080p"},{"url":"https://a/l","quality":"360p"}])"),
      ElementsAre("videos[1].url"));
  EXPECT_THAT(doubtful(R"("video_url":"https://a/h","output":{"url":"https://a/l","height":360})"),
              ElementsAre("output.url"))
      << "perhaps";
  EXPECT_THAT(doubtful(R"("videos":[{"url":"https://a/0","download_url":"https://b/0"},
                                    {"url":"https://a/1","download_url":"https://b/1"}])"),
              ElementsAre("videos[1].url", "videos[1].download_url"))
      << "another result";
  EXPECT_THAT(doubtful(R"("output":["https://a/get.mp4?id=0","https://a/get.mp4?id=1"])"),
              ElementsAre("output[1]"))
      << "behind the same file's name";
  EXPECT_THAT(doubtful(R"("output":["https://a/0","https://a/1"],"url":"https://a/all")"),
              ElementsAre("output[1]", "url"));
  EXPECT_THAT(doubtful(R"("video_url":"https://a/x","image_url":"https://a/i")"), ElementsAre("image_url"));
  EXPECT_THAT(doubtful(R"("video_url":"https://a/x","result_url":"https://a/x.m3u8")"),
              ElementsAre("result_url"));
  for (const char *name : {"film", "sample", "lowres", "draft", "video_480"})
    EXPECT_THAT(doubtful((R"("video_url":"https://a/x","output":"https://b/x",")" + std::string(name) +
                          R"(":"https://a/y.mp4")")
                             .c_str()),
                ElementsAre(name));
}

// It would be stored as the clip, which is paid for.
TEST(ClipResult, IsNotWhatTheRequestOrAnotherTaskHas) {
  const auto read = [](const std::string &members, const std::string &status = R"("status":"completed",)") {
    return *read_task(R"({"id":"t-1",)" + status + members + "}", "",
                      {.task_id = "t-1", .wanted = {ResultKind::video, {}}});
  };
  const std::string url = R"("https://a/x.mp4")";
  const std::string of_another = R"({"id":"t-0","status":"completed","video_url":)" + url + "}";
  const std::string never[] = {
      R"("input_video_url":)" + url,
      R"("video_input1":)" + url,
      R"("referenceVideo":)" + url,
      R"("PARENT_URL":)" + url,
      R"("invoice-url":)" + url,
      R"("parent_task":)" + of_another,
      R"("parent":)" + of_another,
      R"("video":{"purpose":"input_video","url":)" + url + "}",
      R"("previous":[)" + of_another + "]",
      R"("history":[)" + of_another + "," + of_another + "]",
      R"("content":[{"type":"video_url","role":"reference_video","video_url":{"url":)" + url + "}}]",
      R"("tasks":[{"id":"t-1"},)" + of_another + "]"};
  for (const std::string &members : never) {
    EXPECT_EQ(read(members).clip_url(), "") << members;
    EXPECT_EQ(read(members, "").status, TaskStatus::unknown) << members;
    const Task done = read(members + R"(,"video_url":"https://a/v")");
    EXPECT_EQ(done.result.urls.size(), 1u) << members;
    EXPECT_EQ(done.clip_url(), "https://a/v") << members;
  }
  const std::string at_last[] = {R"("source_video_url":)" + url,
                                 R"("uploadedUrl":)" + url,
                                 R"("refVideo":)" + url,
                                 R"("template_url":)" + url,
                                 R"("video":{"logoUrl":)" + url + "}",
                                 R"("source_task":)" + of_another,
                                 R"("video":{"role":"source","url":)" + url + "}",
                                 R"("data":[{"task_id":"t-0","status":"completed","video_url":)" + url + "}]",
                                 R"("draft":{"task_id":"t-0","video_url":)" + url + "}"};
  for (const std::string &members : at_last) {
    const Task task = read(members);
    EXPECT_EQ(task.clip_url(), "https://a/x.mp4") << members;
    EXPECT_TRUE(task.result.is_last_resort) << members;
    EXPECT_EQ(read(members, "").status, TaskStatus::unknown) << members;
    EXPECT_EQ(read(members + R"(,"video_url":"https://a/v")").clip_url(), "https://a/v") << members;
  }
  // Their kind may be unknown, or a picture's where the model makes pictures.
  for (const auto kind : {ResultKind::video, ResultKind::image})
    for (const char *address :
         {"https://a/x?sig=1", kind == ResultKind::image ? "https://a/x.png" : "https://a/x.mp4"})
      for (const std::string place :
           {R"("data":[{"task_id":"up-9","url":"@"}])", R"("uploaded_url":"@")", R"("no_logo_url":"@")"}) {
        std::string members = place;
        members.replace(members.find('@'), 1, address);
        const auto task = read_task(R"({"id":"t-1","status":"completed",)" + members + "}", "",
                                    {.task_id = "t-1", .wanted = {kind, {}}});
        EXPECT_EQ(task->clip_url(), address) << members;
      }
  const auto whole =
      read_task(R"({"id":"t-1","purpose":"reference_to_video","status":"completed","url":)" + url + "}", "",
                {.task_id = "t-1", .wanted = {ResultKind::video, {}}});
  EXPECT_EQ(whole->clip_url(), "https://a/x.mp4") << "it is the purpose of the task";
  const std::string results[] = {R"("videos":[{"id":"vid-9","status":"ready","url":)" + url + "}]",
                                 R"("data":{"task_id":"upstream-9","video_url":)" + url + "}",
                                 R"("results":[{"id":"t-1","video_url":)" + url + "}]",
                                 R"("resource_url":)" + url};
  for (const std::string &members : results) {
    EXPECT_EQ(read(members).clip_url(), "https://a/x.mp4") << members;
    EXPECT_FALSE(read(members).result.is_last_resort) << members;
  }
}

// A host may serve all that it has by one path, the pictures of requests, too.
TEST(ClipResult, IsNotTheRequestsOwnBecauseOfItsPath) {
  const auto read = [](const std::string &own, const std::string &members) {
    return read_task(R"({"id":"t-1","status":"completed",)" + members + "}", "",
                     {.task_id = "t-1", .wanted = {ResultKind::video, {own}}})
        ->result;
  };
  const std::tuple<const char *, const char *, const char *> others[] = {
      {"https://a/media?id=1", R"("video_url":"https://a/media?id=2")", "https://a/media?id=2"},
      {"https://a/media.mp4?id=1", R"("video_url":"https://a/media.mp4?id=2")", "https://a/media.mp4?id=2"},
      {"https://a/?id=1", R"("result_url":"https://a/?id=2")", "https://a/?id=2"},
      {"https://a/view?filename=in.png", R"("output":["https://a/view?filename=out.mp4"])",
       "https://a/view?filename=out.mp4"},
      {"https://a/hook?job=1", R"("data":{"video_url":"https://a/hook?out=1"})", "https://a/hook?out=1"},
      {"https://a/get?f=in.mp4", R"("x":{"link":"https://a/get?f=v.mp4"})", "https://a/get?f=v.mp4"}};
  for (const auto &[own, members, url] : others) {
    const ClipResult result = read(own, members);
    ASSERT_EQ(result.urls.size(), 1u) << members;
    EXPECT_EQ(result.urls[0].url, url);
    EXPECT_FALSE(result.is_last_resort) << members;
  }
  const char *own = "https://a/in.mp4?id=1&sig=2";
  for (const char *members : {R"("video_url":"https://a/in.mp4?id=1&sig=2","result_url":"https://a/v.mp4")",
                              R"("video_url":"https://a/in.mp4?id=1&sig=2","x":{"link":"https://a/v.mp4"})",
                              R"("output":["https://a/in.mp4?sig=3&id=1","https://a/v.mp4"])"}) {
    const ClipResult result = read(own, members);
    ASSERT_EQ(result.urls.size(), 1u) << members;
    EXPECT_EQ(result.urls[0].url, "https://a/v.mp4") << members;
    EXPECT_FALSE(result.is_last_resort) << members;
  }
  // The request may say where the clip is to be put.
  for (const char *members : {R"("video_url":"https://a/in.mp4?id=1&sig=2")",
                              R"("data":{"result_url":"https://a/in.mp4?id=1&sig=3"})",
                              R"("output":{"file":"https://a/in.mp4?id=1"})"}) {
    const ClipResult result = read(own, members);
    ASSERT_EQ(result.urls.size(), 1u) << members;
    EXPECT_TRUE(result.is_last_resort) << members;
  }
  // Elsewhere it is an echo, and so is a picture where a video is wanted.
  EXPECT_THAT(read("https://a/in.mp4?width=9", R"("videos":["https://a/in.mp4"])").urls, testing::IsEmpty());
  EXPECT_THAT(read(own, R"("video":"https://a/in.mp4?id=1&sig=2")").urls, testing::IsEmpty());
  EXPECT_THAT(read(own, R"("output":"Made of https://a/in.mp4?id=1&sig=2")").urls, testing::IsEmpty());
  EXPECT_THAT(read(own, R"("clip":{"video_url":"https://a/in.mp4?id=1&X-Amz-Signature=3"})").urls,
              testing::IsEmpty());
  EXPECT_THAT(read("https://a/o?id=1&sig=2", R"("x":"https://a/o?id=1&sig=3")").urls, testing::IsEmpty());
  EXPECT_THAT(read("https://a/in.png?sig=2", R"("video_url":"https://a/in.png?sig=3")").urls,
              testing::IsEmpty());
}

// A part of a word says nothing for sure, so a paid clip is not lost to it.
TEST(ClipResult, UnderADoubtfulNameIsTheLastResort) {
  const auto read = [](const std::string &name, const std::string &url) {
    return *read_task(R"({"id":"t-1","status":"completed",")" + name + R"(":")" + url + R"("})", "",
                      {.task_id = "t-1", .wanted = {ResultKind::video, {}}});
  };
  for (const char *name :
       {"avatar_video_url", "keyframe_video", "frame_rate_fixed_url", "interpolated_frames_url", "frame",
        "screenshot", "snapshot_url", "sprite_video", "promptVideoUrl", "referenced_video", "notify_video"}) {
    const Task task = read(name, "https://a/v.mp4");
    EXPECT_EQ(task.clip_url(), "https://a/v.mp4") << name;
    EXPECT_TRUE(task.result.is_last_resort) << name;
    EXPECT_EQ(read(name, "https://a/v").clip_url(), "") << name << " may be a picture or a hook";
  }
  for (const char *name : {"recovered_url", "discoverLink", "uncovered", "posterior", "thumbsup_link",
                           "recover", "hoverUrl", "coverage", "imposter"}) {
    const Task task = read(name, "https://a/v");
    EXPECT_EQ(task.clip_url(), "https://a/v") << name;
    EXPECT_FALSE(task.result.is_last_resort) << name;
  }
  for (const char *name :
       {"cover",         "cover_url",       "coverUrl",    "coverurl",       "COVER-URL",
        "cover2",        "videocover",      "coverimg",    "covers",         "thumb",
        "thumbnailUrls", "thumbnail_2",     "posterImage", "poster_video",   "last frame",
        "lastFrameUrl",  "first_image_url", "prompt",      "revised_prompt", "negativePrompts"})
    EXPECT_EQ(read(name, "https://a/v.mp4").clip_url(), "") << name;
  const auto in_a_role = [](const std::string &role) {
    return read_task(R"({"status":"completed","content":[{"role":")" + role +
                     R"(","url":"https://a/v.mp4"}]})")
        ->clip_url();
  };
  for (const char *role : {"cover", "first_frame", "reference", "avatar"})
    EXPECT_EQ(in_a_role(role), "") << role;
  EXPECT_EQ(in_a_role("recovered"), "https://a/v.mp4");
}

// Each task of a list may stand in a wrapper of its own.
TEST(ClipResult, IsNotOfAnotherTaskInAWrapper) {
  const std::string other = R"({"id":"t-0","status":"completed","video_url":"https://a/x.mp4"})";
  const auto url = [](const std::string &body) {
    const auto task = read_task(body, "", {.task_id = "t-1", .wanted = {ResultKind::video, {}}});
    return task ? task->clip_url() : task.error().text;
  };
  for (const std::string wrapper : {"data", "task", "job_info"})
    for (const std::string members : {R"("video_url":"https://a/v.mp4")", R"("seconds":5)"}) {
      const std::string own = R"({"id":"t-1","status":"completed",)" + members + "}";
      const auto wrapped = [&](const std::string &task) { return "{\"" + wrapper + "\":" + task + "}"; };
      for (const std::string &list :
           {"[" + wrapped(other) + "," + wrapped(own) + "]", "[" + wrapped(own) + "," + wrapped(other) + "]",
            "[" + wrapped(wrapped(other)) + "," + wrapped(wrapped(own)) + "]"}) {
        const std::string expected = members.find("url") == members.npos ? "" : "https://a/v.mp4";
        EXPECT_EQ(url(list), expected) << list;
        EXPECT_EQ(url(R"({"data":)" + list + "}"), expected) << list;
      }
    }
}

TEST(ClipResult, IsFoundInAWrapper) {
  for (const char *body :
       {R"({"code":0,"message":"SUCCEED","data":{"task_id":"t-1","task_status":"succeed",
            "task_result":{"videos":[{"id":"v","url":"https://a/v.mp4"}]}}})",
        R"({"status":"success","url":"https://a/v.mp4","data":{"id":"t-1","status":"completed"}})",
        R"({"id":"t-1","status":"completed","output":{"status":"success","url":"https://a/v.mp4"}})"}) {
    const auto task = read_task(body, "", {.task_id = "t-1"});
    ASSERT_TRUE(task) << body;
    EXPECT_EQ(task->status, TaskStatus::completed) << body;
    EXPECT_EQ(task->clip_url(), "https://a/v.mp4") << body;
  }
}

TEST(ClipResult, IsJudgedByTheModelThatTheAnswerNames) {
  const auto url = [](const char *model) {
    return read_task(R"({"id":"t-1","status":"completed","model":")" + std::string(model) +
                     R"(","video_url":"https://a/c.png","result_url":"https://a/v.mp4"})")
        ->clip_url();
  };
  EXPECT_EQ(url("dance-2.5"), "https://a/v.mp4");
  EXPECT_EQ(url("dream-5.0"), "https://a/c.png");
  EXPECT_EQ(url("nobody-knows"), "https://a/c.png");
}

// A text that speaks of a URL is a guess, so the reason beside it is kept.
TEST(ClipResult, AmidATextDoesNotHideWhyThereIsNone) {
  const auto read = [](const std::string &output) {
    return *read_task(R"({"id":"t-1","status":"completed","output":")" + output +
                      R"(","err_msg":"violates policy 7"})");
  };
  const Task rejected = read("Rejected. See https://a/policy for why");
  EXPECT_EQ(rejected.clip_url(), "");
  EXPECT_EQ(rejected.error_message, "violates policy 7");
  const Task film = read("As in https://a/film.mp4");
  EXPECT_TRUE(film.result.is_last_resort);
  EXPECT_EQ(film.error_message, "violates policy 7");
}

// Whoever takes each pair of the URLs apart anew needs minutes for these.
TEST(ClipResult, OfManyLongUrlsComesSoon) {
  const auto url = [folder = "https://a/" + std::string(4096, 'x')](int number) {
    return folder + std::to_string(number) + ".mp4?sig=" + std::to_string(number);
  };
  std::string texts, usual, others;
  for (int i = 0; i < 1900; ++i) {
    texts += ",\"note" + std::to_string(i) + "\":\"See " + url(i) + "\"";
    const std::string before = i % 2 != 0 ? "" : i == 0 ? "[" : i % 380 == 0 ? "],[" : ",";
    if (i % 2 == 0) usual += before + "\"" + url(i) + "\"", others += before + "\"" + url(i + 1) + "\"";
  }
  const auto read = [](const std::string &members) {
    return *read_task(R"({"id":"t-1","status":"completed")" + members + "}");
  };
  EXPECT_TRUE(read(texts).result.urls.empty());
  const Task task = read(R"(,"video":[)" + usual + R"(]],"takes":[)" + others + "]]");
  EXPECT_TRUE(task.clip_url() == url(0));
}

// A hostile answer neither takes long nor shows what it must not.
TEST(ClipResult, SurvivesHugeAndDeepAnswers) {
  std::string list = "[";
  for (int i = 0; i < 20'000; ++i) list += (i ? "," : "") + ("\"https://a/" + std::to_string(i) + "\"");
  const auto many = read_task(R"({"status":"completed","output":)" + list + "]}");
  ASSERT_TRUE(many);
  EXPECT_EQ(many->clip_url(), "https://a/0");
  std::string deep = "\"https://a/v\"";
  for (int i = 0; i < 90; ++i) deep = R"({"output":)" + deep + "}";
  EXPECT_EQ(read_task(R"({"status":"completed","output":)" + deep + "}")->clip_url(), "");
  const auto bad = read_task(R"({"status":"completed","a\u001b[31m sk-secret":1})", "sk-secret");
  EXPECT_EQ(bad->result.why_none.find("sk-secret"), std::string::npos);
  EXPECT_EQ(bad->result.why_none.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace genclip::test
