// SPDX-License-Identifier: LGPL-2.1-or-later
//
// References that genclip makes URLs of before a submit: files, their content, clips and frames of clips.
#include <glib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "plugin/base/gref.h"
#include "plugin/catalog/check_request.h"
#include "plugin/catalog/clip_uri.h"
#include "plugin/catalog/request_fields.h"

namespace genclip {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr ReferencePolicy kPublishes{.publishes = true, .is_service_public = true};
constexpr ReferencePolicy kPublicService{.publishes = false, .is_service_public = true};
constexpr ReferencePolicy kNeither{};

// Each model takes the field that it is used with here.
constexpr const char *kImageTaker = "sd_2.0_special";
constexpr const char *kVideo = "genclip://dance-2.5?prompt=sekret&duration=5";
constexpr const char *kPicture = "genclip://dream-5.0?prompt=sekret";
const std::string kHex(64, 'a');

const Catalog &known_catalog() { return *Catalog::built_in(); }

ClipRequest request_with(const std::string &model, const std::string &field, const std::string &reference) {
  ClipRequest request{.model = model};
  request.fields.set("prompt", "x");
  request.fields.set(field, Json::Array{reference});
  return request;
}

Result<CheckedRequest, std::vector<Problem>> checked(const std::string &field, const std::string &reference,
                                                     ReferencePolicy policy = kPublishes) {
  ClipRequest request = request_with(kImageTaker, field, reference);
  if (field == "reference_audios") request.fields.set("reference_images", Json::Array{"https://a/b"});
  return check_request(known_catalog(), request, policy);
}

std::string problem(const std::string &field, const std::string &reference,
                    ReferencePolicy policy = kPublishes) {
  const auto result = checked(field, reference, policy);
  if (!result) return problems_text(result.error());
  return result->unpublished().empty() ? "" : problems_text(result->unpublished());
}

std::string escaped(const std::string &text) {
  return GStringPtr(g_uri_escape_string(text.c_str(), ":/", FALSE)).get();
}

// An edit of a clip of 4 seconds. `more`: "&duration=3".
std::string edit_of_4_s(const std::string &more = "") {
  return "genclip://wave2.7-videoedit?prompt=x" + more +
         "&reference_videos=" + escaped("genclip://dance-2.5?prompt=x&duration=4");
}

// A clip that begins with the last frame of a clip, and so on.
std::string chain(unsigned clips) {
  std::string uri = "genclip://sd_2.0_special?prompt=1";
  for (unsigned i = 2; i <= clips; ++i)
    uri = "genclip://sd_2.0_special?prompt=" + std::to_string(i) + "&first_image=" + escaped(uri + "#last");
  return uri;
}

struct Verdict {
  const char *name;
  const char *field;
  std::string reference;
  const char *said;  // part of the only problem; null when there is none
  ReferencePolicy policy = kPublishes;
};

class ReferenceVerdict : public testing::TestWithParam<Verdict> {};

TEST_P(ReferenceVerdict, NamesTheFieldAndKeepsSecrets) {
  const Verdict &row = GetParam();
  const auto result = checked(row.field, row.reference, row.policy);
  const std::vector<Problem> problems = result ? result->unpublished() : result.error();
  ASSERT_EQ(problems.empty(), !row.said) << (problems.empty() ? "fine" : problems_text(problems));
  if (problems.empty()) return;
  ASSERT_EQ(problems.size(), 1u) << problems_text(problems);
  EXPECT_EQ(problems[0].field, row.field);
  EXPECT_THAT(problems[0].text, HasSubstr(row.said));
  EXPECT_THAT(problems[0].text, testing::StartsWith(row.field));
  EXPECT_THAT(problems[0].text, Not(HasSubstr("sekret")));
}

INSTANTIATE_TEST_SUITE_P(
    Files, ReferenceVerdict,
    testing::Values(
        Verdict{"Path", "first_image", "/home/me/a.png", nullptr},
        Verdict{"RelativePath", "reference_audios", "a b.mp3", nullptr},
        Verdict{"Uri", "first_image", "file:///home/me/a%20b.png", nullptr},
        Verdict{"UriUpperCase", "first_image", "FILE:///home/a", nullptr},
        Verdict{"UriOneSlash", "first_image", "file:/home/a.png", nullptr},
        Verdict{"UriLocalhost", "first_image", "file://LOCALHOST/home/a.png", nullptr},
        Verdict{"UriOtherHost", "first_image", "file://server/home/a.png", "another machine"},
        Verdict{"UriRelative", "first_image", "file:a.png", "not a valid file: URI"},
        Verdict{"UriNul", "first_image", "file:///a%00b", "not a valid file: URI"},
        Verdict{"UriSlash", "first_image", "file:///a%2Fb", "not a valid file: URI"},
        Verdict{"UriCutPercent", "first_image", "file:///a%2", "not a valid file: URI"},
        Verdict{"UriQuery", "first_image", "file:///a.png?sekret", "write %3F"},
        Verdict{"UriFragment", "first_image", "file:///a.png#sekret", "%23"},
        Verdict{"PathUnpublished", "first_image", "/a.png", "publish-folder and publish-url", kPublicService},
        Verdict{"UriUnpublished", "first_image", "file:///a.png", "GENCLIP_PUBLISH_COMMAND", kPublicService},
        Verdict{"StillNoData", "first_image", "data:image/png;base64,sekret", "embedded data"},
        Verdict{"StillNoBase64", "first_image", "iVBORw0KGgoAAAANSUhEUg", "is base64"},
        Verdict{"StillNoOtherScheme", "first_image", "ftp://a/sekret", "the scheme \"ftp\""}),
    [](const auto &row) { return std::string(row.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Content, ReferenceVerdict,
    testing::Values(Verdict{"Image", "first_image", "sha256:" + kHex, nullptr, kNeither},
                    Verdict{"Audio", "reference_audios", "sha256:" + kHex, nullptr, kNeither},
                    Verdict{"UpperCaseDigits", "first_image", "sha256:" + std::string(64, 'A'), "lower case"},
                    Verdict{"UpperCaseScheme", "first_image", "SHA256:" + kHex, "lower case"},
                    Verdict{"Short", "first_image", "sha256:" + kHex.substr(1), "64 hexadecimal"},
                    Verdict{"Long", "first_image", "sha256:" + kHex + "a", "64 hexadecimal"},
                    Verdict{"NoDigits", "first_image", "sha256:" + std::string(64, 'g'), "64 hexadecimal"}),
    [](const auto &row) { return std::string(row.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Clips, ReferenceVerdict,
    testing::Values(
        Verdict{"Picture", "first_image", kPicture, nullptr, kPublicService},
        Verdict{"PictureOfAPrivateService", "first_image", kPicture, "private address", kNeither},
        Verdict{"PictureWithFragment", "first_image", std::string(kPicture) + "#last", "leave out #last"},
        Verdict{"LastFrame", "first_image", std::string(kVideo) + "#last", nullptr},
        Verdict{"FirstFrame", "reference_images", std::string(kVideo) + "#first", nullptr},
        Verdict{"TimedFrame", "first_image", std::string(kVideo) + "#t=5", nullptr},
        Verdict{"FrameUnpublished", "first_image", std::string(kVideo) + "#last", "publish-folder",
                kPublicService},
        Verdict{"FrameAfterTheEnd", "first_image", std::string(kVideo) + "#t=5.001", "at 5.001 seconds of a"},
        Verdict{"FrameAfterTheDefaultEnd", "first_image", "genclip://dance-2.5?prompt=x#t=4.5",
                "is the frame at 4.5 seconds of a clip of 4 seconds, which is the default of dance-2.5"},
        Verdict{"FrameWithinTheDefault", "first_image", "genclip://dance-2.5?prompt=x#t=4", nullptr},
        Verdict{"FrameAfterTheLongestEnd", "first_image", "genclip://grk_video3?prompt=x#t=31",
                "is the frame at 31 seconds of a clip of at most 30 seconds; take an earlier one"},
        Verdict{"FrameWithinTheLongest", "first_image", "genclip://grk_video3?prompt=x#t=30", nullptr},
        Verdict{"FrameAfterTheLongestOfThree", "first_image", "genclip://vendorSky2?prompt=x#t=12.5",
                "a clip of at most 12 seconds"},
        Verdict{"FrameAfterTheEndOfWhatIsEdited", "first_image", edit_of_4_s() + "#t=5",
                "is the frame at 5 seconds of a clip of at most 4 seconds; take an earlier one"},
        Verdict{"FrameWithinWhatIsEdited", "first_image", edit_of_4_s() + "#t=4", nullptr},
        Verdict{"FrameOfAnEditThatIsShorter", "first_image", edit_of_4_s("&duration=3") + "#t=4",
                "of a clip of 3 seconds"},
        Verdict{"FrameOfUnknownLength", "first_image", "genclip://veo?prompt=x#t=600", nullptr},
        Verdict{"VideoForAnImage", "first_image", kVideo, "add #last"},
        Verdict{"VideoWithEmptyFragment", "first_image", std::string(kVideo) + "#", "#last, #first or #t="},
        Verdict{"WholeClip", "reference_videos", kVideo, nullptr, kPublicService},
        Verdict{"WholeClipPublished", "reference_videos", kVideo, nullptr, {.publishes = true}},
        Verdict{"WholeClipOfAPrivateService", "reference_videos", kVideo, "private address", kNeither},
        Verdict{"FrameForAVideo", "reference_videos", std::string(kVideo) + "#last", "leave out #last"},
        Verdict{"PictureForAVideo", "reference_videos", kPicture, "makes an image"},
        Verdict{"ClipForAudio", "reference_audios", kVideo, "cannot be a reference for audio"},
        Verdict{"OtherFragment", "first_image", std::string(kVideo) + "#middle", "\"#middle\""},
        Verdict{"NegativeTime", "first_image", std::string(kVideo) + "#t=-1", "#t=SECONDS"},
        Verdict{"TimeNoNumber", "first_image", std::string(kVideo) + "#t=nan", "#t=SECONDS"},
        Verdict{"TimeWithExponent", "first_image", std::string(kVideo) + "#t=1e0", "#t=SECONDS"},
        Verdict{"TimeWithoutDigits", "first_image", std::string(kVideo) + "#t=1.", "#t=SECONDS"},
        Verdict{"HugeTime", "first_image", std::string(kVideo) + "#t=" + std::string(400, '9'), "#t=SECONDS"},
        Verdict{"NoPrompt", "first_image", "genclip://dance-2.5?duration=5#last",
                "first_image: prompt is missing"},
        Verdict{"UnknownModel", "first_image", "genclip://dance-2.6?prompt=x#last", "dance-2.5"},
        Verdict{"NoModel", "first_image", "genclip://", "first_image: The URI names no model"},
        Verdict{"OneSlash", "first_image", "genclip:/veo", "first_image: The URI does not begin"},
        Verdict{"Key", "first_image", "genclip://dance-2.5?prompt=x&api_key=sekret#last",
                "first_image: A URI must not contain a key"},
        Verdict{"Huge", "first_image", "genclip://dance-2.5?prompt=" + std::string(2 << 20, 'x'), "1 MiB"}),
    [](const auto &row) { return std::string(row.param.name); });

// Nothing else of a URL is changed, because it may be signed.
TEST(ClipReference, AtAUrlWithABlankIsSentWithItEscaped) {
  const std::string given = "https://A.example/v 1/a  b%2fä.png?Signature=x y==";
  const std::string sent = "https://A.example/v%201/a%20%20b%2fä.png?Signature=x%20y==";
  const auto blank = checked("first_image", given), escaped = checked("first_image", sent);
  ASSERT_TRUE(blank && escaped);
  EXPECT_EQ(blank->media()[0].url, sent) << "what check-media asks for";
  EXPECT_EQ(blank->media()[0].source, MediaSource::url);
  EXPECT_EQ(blank->body(), escaped->body()) << "one request, which is paid for once";
  EXPECT_EQ(*blank->body().find("first_image"), *escaped->body().find("first_image"));
}

TEST(ClipReference, SaysWhatItRefersTo) {
  const auto file = checked("first_image", "file:///home/me/a%20%C3%A4.png");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->media()[0].source, MediaSource::file);
  EXPECT_EQ(file->media()[0].path, "/home/me/a \u00E4.png");
  EXPECT_EQ(file->media()[0].url, "file:///home/me/a%20%C3%A4.png");
  const auto content = checked("first_image", "sha256:" + kHex);
  ASSERT_TRUE(content);
  EXPECT_EQ(content->media()[0].source, MediaSource::content);
  EXPECT_EQ(content->media()[0].sha256, kHex);
  const auto clip = checked("first_image", std::string(kVideo) + "#t=2.50");
  ASSERT_TRUE(clip);
  ASSERT_EQ(clip->media()[0].source, MediaSource::clip);
  ASSERT_TRUE(clip->media()[0].clip);
  EXPECT_EQ(clip->media()[0].clip->model(), "dance-2.5");
  EXPECT_EQ(clip->media()[0].clip->body().to_text(),
            R"({"model":"dance-2.5","prompt":"sekret","duration":5})");
}

TEST(ClipReference, SpellsAPartOneWay) {
  const auto fragment = [](const char *text) {
    const auto part = clip_part(text);
    return part ? part->fragment : "refused";
  };
  EXPECT_EQ(fragment("last"), "last");
  for (const char *first : {"first", "t=0", "t=0.000", "t=0.0004"}) EXPECT_EQ(fragment(first), "first");
  for (const char *same : {"t=2.5", "t=02.50", "t=2.4999", "t=2.5004"}) EXPECT_EQ(fragment(same), "t=2.5");
  EXPECT_EQ(fragment("t=10"), "t=10");
  EXPECT_EQ(fragment("t=0.001"), "t=0.001");
  EXPECT_EQ(fragment("t=86400.001"), "refused");
  ASSERT_TRUE(clip_part("t=2.5"));
  EXPECT_EQ(clip_part("t=2.5")->time, std::chrono::milliseconds(2500));
  EXPECT_EQ(clip_part("first")->time, std::chrono::nanoseconds(0));
  EXPECT_FALSE(clip_part("last")->time);
  EXPECT_FALSE(clip_part("")->is_frame);
}

TEST(ClipReference, NamesTheProblemsOfAllRequestsWithTheirPlaces) {
  const std::string picture = escaped("genclip://dream-5.0?size=1x1");
  const std::string clip = "genclip://sd_2.0_special?prompt=x&duration=99&first_image=" + picture + "#last";
  ClipRequest request = request_with(kImageTaker, "reference_images", clip);
  request.fields.find("reference_images")->array()->push_back(std::string(kVideo));
  request.fields.set("duration", 77);
  const auto result = check_request(known_catalog(), request, kPublishes);
  ASSERT_FALSE(result);
  std::vector<std::string> texts;
  for (const Problem &problem : result.error()) texts.push_back(problem.text);
  EXPECT_THAT(
      texts,
      testing::UnorderedElementsAre(
          HasSubstr("duration is 77"), testing::StartsWith("reference_images[0]: duration is 99"),
          testing::StartsWith("reference_images[0]: first_image: prompt is missing; dream-5.0 needs it"),
          testing::StartsWith("reference_images[1] is a clip of dance-2.5, which makes a video")));
}

TEST(ClipReference, SaysOnceHowToSetPublishingUp) {
  const std::string text = problem("first_image", chain(5) + "#last", kPublicService);
  EXPECT_EQ(
      text,
      "first_image is a frame of a clip, which the service cannot see; set publish-folder and publish-url, "
      "or the environment variable GENCLIP_PUBLISH_COMMAND, so that genclip can publish it.");
}

// A stored one plays without.
TEST(ClipReference, OfAClipNeedsPublishingOnlyOfOneThatIsToBeMade) {
  const auto result = checked("first_image", chain(5) + "#last", kPublicService);
  ASSERT_TRUE(result) << problems_text(result.error());
  ASSERT_EQ(result->unpublished().size(), 1u);
  EXPECT_EQ(result->unpublished()[0].field, "first_image");
  EXPECT_TRUE(checked("first_image", chain(5) + "#last", kPublishes)->unpublished().empty());

  ClipRequest request = request_with(kImageTaker, "first_image", chain(2) + "#last");
  request.fields.set("duration", 77);
  const auto wrong = check_request(known_catalog(), request, kPublicService);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().size(), 2u) << "whoever mends one thing is told of the other";
}

TEST(ClipReference, PassesOnTheWarningsOfInnerRequests) {
  const auto result =
      checked("first_image", "genclip://horse-1.0-t2v?prompt=" + std::string(5001, 'x') + "#last");
  ASSERT_TRUE(result) << problems_text(result.error());
  EXPECT_THAT(result->warnings(), ElementsAre(testing::StartsWith("first_image: prompt")));
}

class Chain : public testing::TestWithParam<unsigned> {};

TEST_P(Chain, SurvivesBeingWrittenAndRead) {
  const std::string uri = chain(GetParam());
  const auto request = parse_clip_uri(known_catalog(), uri);
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(clip_uri(known_catalog(), *request), uri);
  const auto result = check_request(known_catalog(), *request, kPublishes);
  ASSERT_TRUE(result) << problems_text(result.error());
  const CheckedRequest *link = &*result;
  for (unsigned i = GetParam(); i > 1; --i) {
    ASSERT_EQ(*link->body().find("prompt")->string(), std::to_string(i));
    ASSERT_EQ(link->media().size(), 1u);
    EXPECT_EQ(link->media()[0].part.fragment, "last");
    link = link->media()[0].clip.get();
    ASSERT_TRUE(link);
  }
  EXPECT_TRUE(link->media().empty());
}

INSTANTIATE_TEST_SUITE_P(ClipReference, Chain, testing::Values(1, 2, 5, 32, 33));

TEST(ClipReference, RefusesAChainThatIsTooDeep) {
  const auto request = parse_clip_uri(known_catalog(), chain(34));
  ASSERT_TRUE(request);
  const auto result = check_request(known_catalog(), *request, kPublishes);
  ASSERT_FALSE(result);
  EXPECT_THAT(problems_text(result.error()), HasSubstr("first_image is a clip more than 32 levels deep"));
}

TEST(ClipReference, RefusesTooManyClips) {
  ClipRequest request = request_with("dream-5.0", "reference_images", kPicture);
  for (int i = 0; i < 1000; ++i)
    request.fields.find("reference_images")->array()->push_back(std::string(kPicture));
  EXPECT_THAT(problems_text(check_request(known_catalog(), request, kPublishes).error()),
              HasSubstr("one of more than 1000 clips"));
}

TEST(ClipReference, RemembersWhichFieldsAUriNamed) {
  auto request =
      parse_clip_uri(known_catalog(),
                     "genclip://sd_2.0_special?prompt=x&images=/a.png&images=/b.png&reference_videos=/c.mp4");
  ASSERT_TRUE(request);
  set_request_field(known_catalog(), *known_catalog().common_field("reference_videos"), Json::Array{"/c.mp4"},
                    *request);
  const auto result = check_request(known_catalog(), *request, kPublishes);
  ASSERT_TRUE(result) << problems_text(result.error());
  ASSERT_EQ(result->media().size(), 3u);
  EXPECT_TRUE(result->media()[0].is_from_uri);
  EXPECT_TRUE(result->media()[1].is_from_uri);
  EXPECT_FALSE(result->media()[2].is_from_uri) << "the application has set it since";
}

TEST(ClipReference, RemembersNothingOfExtraParametersThatWereReplaced) {
  auto request = parse_clip_uri(known_catalog(), "genclip://veo?prompt=x&mask=/a.png");
  ASSERT_TRUE(request);
  EXPECT_THAT(request->uri_fields, ElementsAre("prompt", "mask"));
  set_extra_fields(Json::Object{{"other", 1}}, *request);
  EXPECT_EQ(request->extra.to_text(), R"({"other":1})");
  EXPECT_THAT(request->uri_fields, ElementsAre("prompt"));
}

TEST(ClipReference, RefusesAUriOfTooManyValues) {
  std::string uri = "genclip://veo?prompt=x";
  for (int i = 1; i < 1000; ++i) uri += "&f" + std::to_string(i) + "=1";
  EXPECT_TRUE(parse_clip_uri(known_catalog(), uri));
  const auto refused = parse_clip_uri(known_catalog(), uri + "&g=1");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text, "The URI has more than 1000 values.");
}

TEST(ClipReference, JudgesAHostileUriInSeconds) {
  const auto inner = [](const std::string &text) { return "genclip://sd_2.0_special?prompt=x" + text; };
  std::string bushy = inner("");
  for (int i = 0; i < 300; ++i)
    bushy += "&reference_images=" + escaped("genclip://x?a=1&b=2&first_image=genclip://y");
  std::string deep = "genclip://x";
  for (int i = 0; i < 200; ++i) deep = inner("&first_image=" + escaped(deep));
  std::string wide = inner("");
  for (int i = 0; i < 900; ++i) wide += "&first_image=" + escaped(inner("&x=" + std::to_string(i)));
  for (const std::string &uri : {bushy, deep, wide}) {
    const clock_t begin = clock();
    const auto request = parse_clip_uri(known_catalog(), uri);
    ASSERT_TRUE(request) << request.error().text;
    EXPECT_FALSE(check_request(known_catalog(), *request, kPublishes));
    EXPECT_LT(static_cast<double>(clock() - begin) / CLOCKS_PER_SEC, 60) << uri.substr(0, 200);
  }
}

TEST(ClipReference, TreatsAllFilesOfAnInnerRequestAsNamedByAUri) {
  const auto result =
      checked("first_image", "genclip://sd_2.0_special?prompt=x&first_image=/home/me/private.png#last");
  ASSERT_TRUE(result) << problems_text(result.error());
  EXPECT_FALSE(result->media()[0].is_from_uri);
  EXPECT_TRUE(result->media()[0].clip->media()[0].is_from_uri);
}

TEST(ClipReference, IsReplacedInTheBody) {
  ClipRequest request = request_with(kImageTaker, "reference_images", "/a.png");
  request.fields.find("reference_images")->array()->push_back("assetId://7");
  request.fields.set("reference_videos", Json::Array{std::string(kVideo)});
  const auto result = check_request(known_catalog(), request, kPublishes);
  ASSERT_TRUE(result) << problems_text(result.error());
  EXPECT_EQ(result->body_with({"sha256:1", "assetId://7", "genclip:2"}).to_text(),
            R"({"model":"sd_2.0_special","prompt":"x","reference_images":["sha256:1","assetId://7"],)"
            R"("reference_videos":["genclip:2"],"duration":5})");
  const CheckedRequest sent = result->with_urls({"https://p/a", "assetId://7", "https://p/b"});
  EXPECT_EQ(sent.body().to_text(),
            result->body_with({"https://p/a", "assetId://7", "https://p/b"}).to_text());
  EXPECT_EQ(sent.media(), (std::vector<MediaReference>{{"reference_images",
                                                        0,
                                                        {},
                                                        "reference_images[0]",
                                                        "https://p/a",
                                                        MediaKind::image,
                                                        MediaSource::url},
                                                       {"reference_images",
                                                        1,
                                                        {},
                                                        "reference_images[1]",
                                                        "assetId://7",
                                                        MediaKind::image,
                                                        MediaSource::asset},
                                                       {"reference_videos",
                                                        0,
                                                        {},
                                                        "reference_videos",
                                                        "https://p/b",
                                                        MediaKind::video,
                                                        MediaSource::url}}));
}

}  // namespace
}  // namespace genclip
