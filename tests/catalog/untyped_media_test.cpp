// SPDX-License-Identifier: LGPL-2.1-or-later
//
// References where no table says that there are any.
#include "plugin/catalog/untyped_media.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/catalog/check_request.h"
#include "plugin/catalog/clip_uri.h"

namespace genclip {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr ReferencePolicy kPublishing{.publishes = true, .is_service_public = true};

Result<CheckedRequest, std::vector<Problem>> checked(const std::string &field, const Json &value,
                                                     const std::string &model, bool publishes) {
  ClipRequest request{.model = model};
  request.fields.set("prompt", "x");
  request.extra.set(field, value);
  return check_request(*Catalog::built_in(), request, publishes ? kPublishing : ReferencePolicy());
}

std::string fault(const std::string &field, const Json &value, const std::string &model = "veo") {
  const auto result = checked(field, value, model, false);
  if (!result) return problems_text(result.error());
  return result->unpublished().empty() ? "" : problems_text(result->unpublished());
}

// Those of §2.3 whose meaning is not shown, and what people try on models with open fields.
constexpr const char *kNames[] = {"start_image_url",
                                  "end_image_url",
                                  "video_reference",
                                  "audio_reference",
                                  "image",
                                  "Picture",
                                  "photo_url",
                                  "start_frame",
                                  "startFrame",
                                  "input_video",
                                  "motion_clip",
                                  "background_music",
                                  "voice_sample",
                                  "mask",
                                  "source_file",
                                  "imageURLs",
                                  "firstimage",
                                  "promptImage",
                                  "texture_image",
                                  "cover",
                                  "posters",
                                  "avatar",
                                  "bgm",
                                  "src",
                                  "href",
                                  "ref",
                                  "speech",
                                  "media"};

TEST(UntypedMedia, ThatOnlyThisMachineKnowsAreRefusedWithWhatToDo) {
  for (const char *name : kNames)
    for (const char *value : {"/home/a/k.png",
                              "./k",
                              "../k",
                              "~/k.png",
                              "~ann/k",
                              "k.PNG",
                              "a b/k.jpg",
                              "C:\\k.png",
                              "C:/k",
                              "file:///a/k",
                              "FILE:/a/k.mp4",
                              "file:k.png",
                              " file:///k.png",
                              "\tk.png ",
                              "k.png?x=1",
                              "shot 12:30.png",
                              "a:b.png",
                              "k.heic",
                              "k.ogv",
                              "k.aiff",
                              "k.jfif",
                              "film.ts",
                              "shots/VTS_01_1.VOB",
                              "voice.amr",
                              "take 2.caf",
                              "IMG_1.dng",
                              "k.cr2",
                              "file%3A///k",
                              ".."}) {
      const std::string text = fault(name, value);
      EXPECT_THAT(text, StartsWith(name)) << value;
      EXPECT_THAT(text, HasSubstr("on this machine, which the service cannot see")) << name << " " << value;
      EXPECT_THAT(text, HasSubstr("GENCLIP_PUBLISH_COMMAND")) << name << " " << value;
    }
}

// Whatever the field is called.
TEST(UntypedMedia, OfAFileAreRefusedInEveryFieldThatTheTableHasNot) {
  for (const char *name : {"character", "style", "pose", "image_prompt", "output_url", "extend_from", "x"})
    for (const char *value : {"file:///k.png", "FILE:/k", "genclip://veo?prompt=x#last"})
      EXPECT_THAT(fault(name, value), StartsWith(name)) << value;
  for (const char *value : {"/k.png", "~/k.mp4", "./k.wav", "C:\\k.png"})
    EXPECT_THAT(fault("character", value), HasSubstr("on this machine")) << value;
}

// M10
TEST(UntypedMedia, OfWhichTheServiceTakesNoBytesAreRefused) {
  const std::string png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  for (const char *name : kNames)
    for (const auto &[value, told] :
         {std::pair<std::string, const char *>("data:image/png;base64," + png, "is a data: URL"),
          {" DATA:video/mp4,%00", "is a data: URL"},
          {"data:a,b", "is a data: URL"},
          {"blob:http://x/1", "has the scheme \"blob\""},
          {"ftp://h/k", "has the scheme \"ftp\""},
          {"SFTP://h/k", "has the scheme \"sftp\""},
          {png, "is base64"},
          {"/9j/4AAQSkZJRgABAQEASABIAAD", "is base64"},
          {png.substr(0, 60) + "\n" + png.substr(60), "is base64"},
          {"AAAAIGZ0eXBpc29tAAACAGlzb20=", "is base64"},  // MP4.
          {std::string(600, 'x'), "is base64"}}) {
      EXPECT_THAT(fault(name, value),
                  AllOf(StartsWith(name), HasSubstr(told), HasSubstr("public http or https URL")))
          << value;
      const auto published = checked(name, value, "veo", true);
      EXPECT_FALSE(published) << name << " " << value << ": publishing makes no file of it";
    }
  // In every field but texts.
  for (const char *name : {"character", "style", "x", "image_prompt"})
    for (const std::string &url :
         {"data:image/png;base64," + png, "data:;base64," + png, std::string("Data:text/plain,a")})
      EXPECT_THAT(fault(name, url), HasSubstr("is a data: URL")) << name << " " << url;
  for (const char *name : {"character", "style", "photo"})
    EXPECT_THAT(fault(name, "data:image/png; charset=x; base64," + png), HasSubstr("is a data: URL")) << name;
  for (const char *name : {"character", "x", "video_title", "voice_id", "output_url"})
    for (const std::string &value : {png, std::string("ftp://h/k")})
      EXPECT_EQ(fault(name, value), "") << name;
  EXPECT_EQ(fault("voice_style", "a low voice that speaks slowly " + std::string(600, 'x')), "");
  EXPECT_EQ(fault("note", "data: many, of all kinds"), "");
  for (const char *name : {"negative_prompt", "style", "note"})
    for (const char *value : {"data:a,b", "data:1,2,3", "data:a; b/c,d"}) EXPECT_EQ(fault(name, value), "");
  // Keys, handles and seeds.
  for (const char *name : {"voice", "mask", "video"})
    for (const std::string &value :
         {std::string("AAAAB3NzaC1yc2EAAAADAQABAAABgQDJ8Hk2"), std::string(36, 'A'), std::string(120, 'x'),
          std::string("SUQzzzzzzzzzzzzzzzzzzzzzzzzz")})
      EXPECT_EQ(fault(name, value), "") << name << " " << value;
}

// What §2.3 lists without its meaning.
TEST(UntypedMedia, StandInListedFieldsToo) {
  for (const char *name : {"async", "start_image_url", "end_image_url", "video_reference", "audio_reference"})
    for (const char *value : {"file:///k.png", "/a/k.png", "data:image/png;base64,AAAA"})
      EXPECT_THAT(fault(name, value, "videos_stable_fast"), StartsWith(name)) << value;
  for (const char *value : {"genclip://veo?prompt=x&duration=99x", "genclip://no-such?prompt=x"})
    EXPECT_THAT(fault("async", value, "videos_stable_fast"), HasSubstr("async: ")) << value;
  for (const char *value : {"true", "https://a/b", "k", "a/b", "AAAA"})
    EXPECT_EQ(fault("async", value, "videos_stable_fast"), "") << value;
}

TEST(UntypedMedia, AreRefusedInJsonThatIsATextOfItsField) {
  for (const char *value : {R"(["/k.png"])", R"({"url":"file:///k.png"})", R"( {"a":[{"b":{"src":"./k"}}]})",
                            R"(["genclip://veo?prompt=x"])", R"(["data:image/png;base64,AAAA"])"}) {
    for (const bool publishes : {false, true}) {
      const auto request = checked("video_reference", value, "videos_stable_fast", publishes);
      ASSERT_FALSE(request) << value;
      EXPECT_THAT(problems_text(request.error()), HasSubstr("is a reference inside a text of JSON")) << value;
    }
    EXPECT_THAT(fault("image", value), HasSubstr("give the reference alone in image.")) << value;
  }
  EXPECT_EQ(fault("video_reference", R"(["https://a/b.mp4", 1, "fast"])", "videos_stable_fast"), "");
  EXPECT_EQ(fault("video_reference", "[k", "videos_stable_fast"), "");
  EXPECT_EQ(fault("image_prompt", R"({"image":"/k.png"})"), "") << "a text in JSON";
  ClipRequest request{.model = "veo"};
  request.fields.set("prompt", R"({"scene":{"image":"/k.png"}})");
  EXPECT_TRUE(check_request(*Catalog::built_in(), request, {}));
}

TEST(UntypedMedia, AreFoundAtAnyDepth) {
  EXPECT_THAT(fault("photos", Json::Array{"https://a/b.png", "/k.png"}), StartsWith("photos[1] is "));
  EXPECT_THAT(fault("image", *Json::parse(R"({"url":"file:///k.png"})")), StartsWith("image.url is a file"));
  EXPECT_THAT(fault("content", *Json::parse(R"([{"type":"text","text":"a kite"},
                {"type":"image_url","image_url":{"url":"file:///k.png"}}])")),
              StartsWith("content[1].image_url.url is a file"));
  EXPECT_THAT(fault("tools", *Json::parse(R"([{"image_url":"file:///k"}])"), "sd_2.0_special"),
              HasSubstr("tools[0].image_url is a file"));
  EXPECT_THAT(fault("grid", *Json::parse(R"([["https://a/b"],["/k.png"]])")), StartsWith("grid[1][0] is"));
}

TEST(UntypedMedia, AreNotWhatTheServiceMayUnderstand) {
  for (const char *name : kNames)
    for (const Json &value :
         {Json("https://a/k.png"), Json("data: a, b"), Json("AAAA"), Json("16:9"), Json("fast"), Json(""),
          Json(" "), Json(true), Json(24), Json("2.5"), Json(".mp4"), Json("v1.5"), Json("example.com"),
          Json(".ts"), Json(Json::Object{{"kind", "image/png"}})})
      EXPECT_EQ(fault(name, value), "") << name << " " << value.to_text();
  EXPECT_EQ(fault("frame_rate", "24/1"), "");
  EXPECT_EQ(fault("image_type", "image/png"), "");
}

TEST(UntypedMedia, AreNotTextsAboutMediaNorWhatIsToBeMade) {
  for (const char *name : {"image_prompt", "video_title", "frame_text", "file_name", "strength",
                           "output_video", "callback_url", "voice_id", "during"})
    for (const char *value : {"/as in k", "k.png", "film.ts", "a/b"})
      EXPECT_EQ(fault(name, value), "") << name << value;
  EXPECT_EQ(fault("note", "genclip: the film"), "");
  EXPECT_EQ(fault("note", "file: a folder of papers"), "");
  EXPECT_EQ(fault("image_prompt", "file:/// is where I look"), "");
  EXPECT_EQ(fault("video", *Json::parse(R"({"output":{"file":"k.mp4"}})")), "");
  EXPECT_EQ(fault("image_ids", "k.png"), "");
}

TEST(UntypedMedia, OfAPromptOrOfAnUnknownFieldAreNone) {
  ClipRequest request{.model = "veo"};
  for (const char *prompt : {"file:///k.png", "film.ts"}) {
    request.fields.set("prompt", prompt);
    EXPECT_TRUE(check_request(*Catalog::built_in(), request, {}));
  }
  EXPECT_THAT(fault("picture", "/k.png", "sd_2.0_special"), HasSubstr("has no field \"picture\""));
}

TEST(UntypedMedia, AreReferencesWherePublishingIsSetUp) {
  constexpr auto kImage = MediaKind::image, kVideo = MediaKind::video, kAudio = MediaKind::audio;
  const struct {
    const char *field;
    Json value;
    std::optional<MediaKind> kind;
    MediaSource source;
  } rows[] = {
      {"start_image_url", "/k.mp4", kImage, MediaSource::file},
      {"video_cover_image", "k.png", kImage, MediaSource::file},
      {"image_to_video", "k.png", kImage, MediaSource::file},
      {"image_to_video", "./k", {}, MediaSource::file},
      {"audio_clip", "a.wav", kAudio, MediaSource::file},
      {"video_mask", "v.mp4", kVideo, MediaSource::file},
      {"audio_url", "file:///k", kAudio, MediaSource::file},
      {"url", "/k.MP4", kVideo, MediaSource::file},
      {"url", "/k.mp3", kAudio, MediaSource::file},
      {"url", "/k", {}, MediaSource::file},
      {"photo", "sha256:" + std::string(64, 'a'), kImage, MediaSource::content},
      {"url", "genclip://dance-2.5?prompt=x&duration=5", kVideo, MediaSource::clip},
      {"url", "genclip://dance-2.5?prompt=x&duration=5#last", kImage, MediaSource::clip},
      {"url", "genclip://dance-2.5/kite.mp4?prompt=x&duration=5#last", kImage, MediaSource::clip},
      {"url", "genclip://dream-5.0/kite.mp4?prompt=x", kImage, MediaSource::clip},
      {"first_frame", "genclip://dance-2.5?prompt=x&duration=5#last", kImage, MediaSource::clip},
  };
  for (const auto &row : rows) {
    SCOPED_TRACE(std::string(row.field) + " " + row.value.to_text());
    const auto request = checked(row.field, row.value, "veo", true);
    ASSERT_TRUE(request) << problems_text(request.error());
    ASSERT_EQ(request->media().size(), 1u);
    const MediaReference &reference = request->media().front();
    EXPECT_EQ(reference.field, row.field);
    EXPECT_EQ(reference.name, row.field);
    EXPECT_EQ(reference.kind, row.kind);
    EXPECT_EQ(reference.source, row.source);
    EXPECT_EQ(reference.clip != nullptr, row.source == MediaSource::clip);
    EXPECT_FALSE(reference.is_from_uri);
    EXPECT_EQ(*request->body().find(row.field), row.value);
    EXPECT_EQ(*request->with_urls({"https://h/k"}).body().find(row.field), Json("https://h/k"));
  }
}

TEST(UntypedMedia, StandInTheirPlace) {
  const auto photos = checked("photos", Json::Array{"https://a/b.png", "/k.png", "/k.png"}, "veo", true);
  ASSERT_TRUE(photos) << problems_text(photos.error());
  ASSERT_EQ(photos->media().size(), 2u);
  EXPECT_EQ(*photos->body_with({"one", "two"}).find("photos"),
            Json(Json::Array{"https://a/b.png", "one", "two"}));
  EXPECT_EQ(photos->media()[1].name, "photos[2]");
  EXPECT_EQ(photos->media()[1].index, 1u);
  const auto content =
      checked("content", *Json::parse(R"([{"image":{"url":" /k.png","size":1}}])"), "veo", true);
  ASSERT_TRUE(content) << problems_text(content.error());
  EXPECT_EQ(content->with_urls({"https://h/k"}).body().find("content")->to_text(),
            R"([{"image":{"url":"https://h/k","size":1}}])");
  EXPECT_EQ(content->media().front().path, "/k.png");
}

TEST(UntypedMedia, AtUrlsAreLookedAtAndGoOutAsTheyAreWritten) {
  const struct {
    const char *field;
    Json value;
    const char *name;  // Empty: it is none.
  } rows[] = {
      {"image_url", "https://a/k", "image_url"},
      {"voice", "http://a/k", "voice"},
      {"character", "https://a/k.png?x=1", "character"},
      {"content", *Json::parse(R"([{"image_url":{"url":"https://a/k"}}])"), "content[0].image_url.url"},
      {"link", "https://a/page", ""},
      {"reference", "https://a/page", ""},
      {"style", "https://a/page", ""},
      {"image_prompt", "https://a/k.png", ""},
      {"callback_url", "https://a/k.png", ""},
      {"output_video", "https://a/k.mp4", ""},
      {"image_url", " https://a/k ", ""},
      {"image_url", R"(["https://a/k"])", ""},
      {"storage_url", "s3://a/k.png", ""},
      {"video_reference", R"(["https://a/k"])", ""},
  };
  for (const auto &row : rows) {
    SCOPED_TRACE(std::string(row.field) + " " + row.value.to_text());
    const auto request = checked(row.field, row.value, "veo", false);
    ASSERT_TRUE(request) << problems_text(request.error());
    EXPECT_TRUE(request->media().empty());
    EXPECT_EQ(*request->body().find(row.field), row.value);
    ASSERT_EQ(request->untyped_urls().size(), *row.name ? 1u : 0u);
    if (!*row.name) continue;
    EXPECT_EQ(request->untyped_urls().front().name, row.name);
    EXPECT_EQ(request->untyped_urls().front().kind, std::nullopt);
  }
}

// The whole rule of a media field, where the name speaks of a picture, a video or a sound.
TEST(UntypedMedia, AtUrlsThatTheServiceDoesNotFetchAreRefused) {
  for (const char *name :
       {"image_url", "start_image_url", "video_reference", "audio_reference", "startFrame"})
    for (const auto &[value, told] : {std::pair<const char *, const char *>("assetId://abc", "is an asset"),
                                      {"assetid://abc", "is an asset"},
                                      {"assetId:abc", "is an asset"},
                                      {"http://", "is not a complete URL"},
                                      {"https://", "is not a complete URL"},
                                      {"http:///x", "is not a complete URL"},
                                      {"https:h/x", "is not a complete URL"},
                                      {"https://host/my kite.png", "contains a blank"},
                                      {"s3://b/k.png", "has the scheme \"s3\""},
                                      {"gs://b/k.png", "has the scheme \"gs\""},
                                      {"rtsp://h/k", "has the scheme \"rtsp\""}}) {
      EXPECT_THAT(fault(name, value), AllOf(StartsWith(name), HasSubstr(told))) << value;
      EXPECT_FALSE(checked(name, value, "veo", true)) << name << " " << value;
    }
  EXPECT_THAT(fault("image", Json::Array{"https://a/k", "s3://b/k"}), StartsWith("image[1] has the scheme"));
  EXPECT_THAT(fault("start_image_url", "assetId://abc", "videos_stable_fast"),
              StartsWith("start_image_url is an asset, which this model does not support"));
  EXPECT_THAT(fault("video_reference", R"(["s3://b/k"])", "videos_stable_fast"), HasSubstr("the scheme"));
  // Where the name does not speak of them, the service may store there.
  for (const char *name : {"storage_url", "source", "style", "image_prompt", "output_video", "callback_url"})
    for (const char *value : {"s3://b/k.png", "assetId://abc", "https://"})
      EXPECT_EQ(fault(name, value), "") << name << " " << value;
  for (const char *value : {"16://9", "a:b", "film: noir", "slow://"}) EXPECT_EQ(fault("style", value), "");
}

TEST(UntypedMedia, AssetsGoOutAsTheyAreWrittenWhereTheModelHasThem) {
  const auto catalog = Catalog::from_text(
      R"({"models": [{"id": "mine", "open": true, "assets": true, "fields": {"prompt": {}}}]})");
  ASSERT_TRUE(catalog) << catalog.error().text;
  ClipRequest request{.model = "mine"};
  request.fields.set("prompt", "x");
  request.extra.set("image_url", "assetId://abc");
  const auto sent = check_request(**catalog, request, {});
  ASSERT_TRUE(sent) << problems_text(sent.error());
  EXPECT_TRUE(sent->media().empty() && sent->untyped_urls().empty());
  EXPECT_EQ(*sent->body().find("image_url"), Json("assetId://abc"));
  request.extra.set("image_url", "assetid://abc");
  EXPECT_FALSE(check_request(**catalog, request, {}));
}

TEST(UntypedMedia, AtUrlsOfAPrivateNetworkAreRefusedForAPublicService) {
  ClipRequest request{.model = "veo"};
  request.fields.set("prompt", "x");
  request.extra.set("image_url", "http://192.168.1.5/a.png");
  const ReferencePolicy policy{.refuses_private_hosts = true};
  const auto refused = check_request(*Catalog::built_in(), request, policy);
  ASSERT_FALSE(refused);
  EXPECT_THAT(problems_text(refused.error()), StartsWith("image_url is at an address of this machine"));
  EXPECT_TRUE(check_request(*Catalog::built_in(), request, {}));
}

TEST(UntypedMedia, ClipsInsideAreJudgedWithTheRequest) {
  EXPECT_THAT(fault("start_frame", "genclip://dance-2.5?prompt=x&duration=99#last"),
              HasSubstr("start_frame: duration is 99"));
  EXPECT_THAT(fault("start_frame", "genclip://dance-2.5?prompt=x&duration=5"),
              HasSubstr("an image is needed here"));
}

TEST(UntypedMedia, OfAURIAreKnownAsOnesOfAURI) {
  const auto request =
      parse_clip_uri(*Catalog::built_in(), "genclip://veo?prompt=x&photo={\"url\":\"/k.png\"}");
  ASSERT_TRUE(request);
  const auto result = check_request(*Catalog::built_in(), *request, kPublishing);
  ASSERT_TRUE(result) << problems_text(result.error());
  ASSERT_EQ(result->media().size(), 1u);
  EXPECT_TRUE(result->media().front().is_from_uri) << "it is published only from a root";
}

// A hostile URI would keep a computer busy for minutes.
TEST(UntypedMedia, AreEndlessForNobody) {
  Json::Array many(200'000, Json("/k"));
  const auto refused = checked("photos", many, "veo", false);
  ASSERT_FALSE(refused);
  EXPECT_LE(refused.error().size(), 101u);
  ClipRequest typed{.model = "veo"};
  typed.fields.set("prompt", "x");
  typed.fields.set("reference_images", many);
  const auto of_a_media_field = check_request(*Catalog::built_in(), typed, {});
  ASSERT_FALSE(of_a_media_field);
  EXPECT_LE(of_a_media_field.error().size(), 101u);
  const auto too_many = checked("photos", many, "veo", true);
  ASSERT_FALSE(too_many);
  EXPECT_LE(too_many.error().size(), 101u);
  EXPECT_THAT(problems_text(too_many.error()), HasSubstr("one of more than 1000 references"));
}

}  // namespace
}  // namespace genclip
