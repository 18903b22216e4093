// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip URIs: how they are read, refused and written.
#include "plugin/catalog/clip_uri.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/catalog/check_request.h"
#include "tests/support/taken.h"

namespace genclip {
namespace {

using testing::HasSubstr;
using testing::Not;

const Catalog &catalog() { return *Catalog::built_in(); }

TEST(ClipUri, ReadsTheExampleOfTheContract) {
  const auto request =
      parse_clip_uri(catalog(), "genclip://sd_2.0_special?prompt=a%20red%20kite%20over%20dunes&duration=5");
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(request->model, "sd_2.0_special");
  EXPECT_EQ(request->fields.to_text(), R"({"prompt":"a red kite over dunes","duration":5})");
}

struct Read {
  const char *name;
  const char *uri;
  const char *fields;
  const char *extra;
};

class ClipUriRead : public testing::TestWithParam<Read> {};

TEST_P(ClipUriRead, ByTheCatalogsTypesAndBack) {
  const auto request = parse_clip_uri(catalog(), GetParam().uri);
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(request->fields.to_text(), GetParam().fields);
  EXPECT_EQ(request->extra.to_text(), GetParam().extra);
  const auto again = parse_clip_uri(catalog(), clip_uri(catalog(), *request));
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(*again, *request) << clip_uri(catalog(), *request);
}

INSTANTIATE_TEST_SUITE_P(
    ClipUri, ClipUriRead,
    testing::Values(
        Read{"NoQuery", "genclip://veo", "{}", "{}"}, Read{"EmptyQuery", "genclip://veo?", "{}", "{}"},
        Read{"SlashPath", "genclip://veo/?prompt=x", R"({"prompt":"x"})", "{}"},
        Read{"FileName", "genclip://veo/clip.mp4?prompt=x", R"({"prompt":"x"})", "{}"},
        Read{"FileNameAlone", "genclip://veo/clip.webm", "{}", "{}"},
        Read{"SpareSeparators", "genclip://veo?prompt=x&&duration=5&", R"({"prompt":"x","duration":5})",
             "{}"},
        Read{"SchemeCase", "GenClip://veo?prompt=x", R"({"prompt":"x"})", "{}"},
        Read{"PlusIsABlank", "genclip://veo?prompt=a+b%2Bc", R"({"prompt":"a b+c"})", "{}"},
        Read{"EmptyValue", "genclip://veo?prompt=", R"({"prompt":""})", "{}"},
        Read{"EqualsInValue", "genclip://veo?prompt=a=b", R"({"prompt":"a=b"})", "{}"},
        Read{"Utf8", "genclip://veo?prompt=%E6%B0%B4%F0%9F%8E%AC", "{\"prompt\":\"\u6C34\U0001F3AC\"}", "{}"},
        Read{"RawUtf8", "genclip://veo?prompt=\u6C34", "{\"prompt\":\"\u6C34\"}", "{}"},
        Read{"TextThatLooksLikeJson", "genclip://veo?prompt=%7B%22a%22%3A1%7D", R"({"prompt":"{\"a\":1}"})",
             "{}"},
        Read{"DigitsAsText", "genclip://veo?prompt=42", R"({"prompt":"42"})", "{}"},
        Read{"Booleans", "genclip://veo?generate_audio=on&watermark=0",
             R"({"generate_audio":true,"watermark":false})", "{}"},
        Read{"BooleansOfASpreadsheet", "genclip://veo?generate_audio=TRUE&watermark=No",
             R"({"generate_audio":true,"watermark":false})", "{}"},
        Read{"NoBooleanElsewhere", "genclip://veo?prompt=TRUE&style=yes", R"({"prompt":"TRUE"})",
             R"({"style":"yes"})"},
        Read{"NoBoolean", "genclip://veo?watermark=maybe", R"({"watermark":"maybe"})", "{}"},
        Read{"NoInteger", "genclip://veo?duration=5s", R"({"duration":"5s"})", "{}"},
        Read{"TooLargeAnInteger", "genclip://veo?seed=9223372036854775808",
             R"({"seed":"9223372036854775808"})", "{}"},
        Read{"LargestInteger", "genclip://veo?seed=9223372036854775807", R"({"seed":9223372036854775807})",
             "{}"},
        Read{"UnsetSeedAndDuration", "genclip://veo?seed=-1&duration=0", "{}", "{}"},
        Read{"ArraysKeepTheirOrder",
             "genclip://veo?reference_images=https://b&prompt=x&reference_images=https://a",
             R"({"reference_images":["https://b","https://a"],"prompt":"x"})", "{}"},
        Read{"Aliases", "genclip://veo?image_urls=https://b&referenceImages=https://a&images=https://c",
             R"({"reference_images":["https://b","https://a","https://c"]})", "{}"},
        Read{"OneImageIsAList", "genclip://veo?first_image=https://b%3Fx%3D1%26y",
             R"({"first_image":["https://b?x=1&y"]})", "{}"},
        Read{"FurtherFields",
             "genclip://veo?camera=pan&scale=7.5&fast=true&a=%7B%22b%22%3A%5B1%5D%7D&id=%225%22", "{}",
             R"({"camera":"pan","scale":7.5,"fast":true,"a":{"b":[1]},"id":"5"})"},
        Read{"NearlyJsonIsText",
             "genclip://veo?a={'a':1}&b=%7B%22a%22:01%7D&c=007&d=12e4567abc&e=%22%5Cu0000", "{}",
             R"({"a":"{'a':1}","b":"{\"a\":01}","c":"007","d":"12e4567abc","e":"\"\\u0000"})"},
        Read{"NumberThatIsQuotedIsText", "genclip://veo?noise=%229223372036854775808%22", "{}",
             R"({"noise":"9223372036854775808"})"},
        Read{"FurtherFieldTwice", "genclip://veo?style=a&style=b", "{}", R"({"style":["a","b"]})"},
        Read{"ListedFieldWithoutProperty", "genclip://sd_2.0_special?tools=%5B%7B%22t%22%3A1%7D%5D", "{}",
             R"({"tools":[{"t":1}]})"},
        Read{"ListedTextStaysText", "genclip://videos_stable_fast?async=true", "{}", R"({"async":"true"})"},
        Read{"UnknownModelIsTypedToo", "genclip://nothing?duration=5", R"({"duration":5})", "{}"},
        Read{"SecondsAreTheLegacyDuration", "genclip://sky2Stable?prompt=x&seconds=10",
             R"({"prompt":"x","duration":10})", "{}"},
        Read{"SecondsAreDurationWhereAModelHasBothApis", "genclip://dance_1_5_pro_720p?seconds=6&api=legacy",
             R"({"duration":6})", "{}"},
        Read{"SecondsAreDurationOnItsOtherApiToo", "genclip://dance_1_5_pro_720p?seconds=99",
             R"({"duration":99})", "{}"},
        Read{"SecondsElsewhereAreNot", "genclip://dream-5.0?prompt=x&seconds=10", R"({"prompt":"x"})",
             R"({"seconds":10})"},
        Read{"ColonInModel", "genclip://wan:14b?prompt=x", R"({"prompt":"x"})", "{}"}),
    [](const auto &row) { return std::string(row.param.name); });

TEST(ClipUri, SaysEachTakeButTheFirst) {
  ClipRequest request;
  request.model = "veo";
  for (const auto &[take, uri] : {std::pair(0u, "genclip://veo"), std::pair(1u, "genclip://veo?take=1"),
                                  std::pair(2u, "genclip://veo?take=2")}) {
    request.take = take;
    EXPECT_EQ(clip_uri(catalog(), request), uri);
  }
}

TEST(ClipUri, ReadsTakeApiAndTheModelAsWritten) {
  const auto request = parse_clip_uri(catalog(), "genclip://My%2FModel:14B?take=7&api=legacy");
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(request->model, "My/Model:14B");
  EXPECT_EQ(request->take, 7u);
  EXPECT_EQ(request->api, Api::legacy);
  EXPECT_EQ(test::taken(parse_clip_uri(catalog(), clip_uri(catalog(), *request))), *request);
}

struct Refused {
  const char *name;
  std::string uri;
  const char *said;
};

class ClipUriRefused : public testing::TestWithParam<Refused> {};

TEST_P(ClipUriRefused, SaysWhyAndKeepsTheKeyOut) {
  const auto request = parse_clip_uri(catalog(), GetParam().uri);
  ASSERT_FALSE(request) << GetParam().uri;
  EXPECT_EQ(request.error().kind, ErrorKind::settings);
  EXPECT_THAT(request.error().text, HasSubstr(GetParam().said)) << GetParam().uri;
  EXPECT_THAT(request.error().text, Not(HasSubstr("sekret"))) << GetParam().uri;
}

TEST(ClipUri, IsReadToItsEndWhateverIsWrongInIt) {
  const char *uri =
      "genclip://sd_2.0_special?take=x&prompt=&api=foo&api_key=sekret&token=sekret&duration=99&duration=5&=1&"
      "model=veo&style=film";
  const auto read = read_clip_uri(catalog(), uri);
  ASSERT_TRUE(read) << read.error().text;
  std::string told;
  for (const Problem &problem : read->problems) told += problem.field + ": " + problem.text + "\n";
  const auto at = [&](const char *text) { return told.find(text); };
  EXPECT_LT(at("take: take is \"x\""), at("api: api is \"foo\"")) << told;
  EXPECT_LT(at("api: api is"), at("property api-key")) << told;
  EXPECT_LT(at("property api-key"), at("duration: The URI gives duration twice")) << told;
  EXPECT_LT(at("duration twice"), at("no name before")) << told;
  EXPECT_NE(at("model: The URI gives the model twice"), told.npos) << told;
  EXPECT_EQ(read->problems.size(), 6u) << "one for both keys: " << told;
  EXPECT_EQ(told.find("sekret"), told.npos);
  EXPECT_EQ(read->request.fields.to_text(), R"({"prompt":"","duration":99})");
  EXPECT_EQ(read->request.extra.to_text(), R"({"style":"film"})");

  const auto checked = check_read_request(catalog(), *read);
  ASSERT_FALSE(checked);
  const std::string all = problems_text(checked.error());
  for (const char *text : {"take is", "api is", "duration twice", "prompt is", "duration is 99", "\"style\""})
    EXPECT_THAT(all, HasSubstr(text));
  const auto refused = parse_clip_uri(catalog(), uri);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("6 problems with this request: (1) take is"));

  ClipRequest outer;
  outer.model = "veo";
  outer.fields.set("prompt", "x");
  outer.fields.set("first_image", Json::Array{"genclip://veo?take=x&duration=-1#last"});
  const auto inner = check_request(catalog(), outer, {.publishes = true, .is_service_public = true});
  ASSERT_FALSE(inner);
  for (const char *text : {"first_image: take is \"x\"", "first_image: prompt is missing"})
    EXPECT_THAT(problems_text(inner.error()), HasSubstr(text));
}

// Each problem is searched for among those before it.
TEST(ClipUri, HasNoMoreProblemsThanAnybodyReads) {
  std::string uri = "genclip://veo?prompt=x";
  for (int i = 0; i < 300; ++i) uri += "&take=" + std::to_string(i) + "x&seed=1";
  const auto read = read_clip_uri(catalog(), uri + "&prompt=y");
  ASSERT_TRUE(read);
  EXPECT_LE(read->problems.size(), 100u);
}

INSTANTIATE_TEST_SUITE_P(
    ClipUri, ClipUriRefused,
    testing::Values(
        Refused{"Empty", "", "does not begin with genclip://"},
        Refused{"OtherScheme", "http://veo", "does not begin"},
        Refused{"NoSlashes", "genclip:veo", "does not begin"},
        Refused{"NoModel", "genclip://?prompt=x", "names no model"},
        Refused{"NothingAtAll", "genclip://", "names no model"},
        Refused{"BadPercentInLabel", "genclip://veo/%zz?prompt=x", "not encoded correctly"},
        Refused{"NulInLabel", "genclip://veo/a%00.mp4?prompt=x", "not encoded correctly"},
        Refused{"NotUtf8InLabel", "genclip://veo/%ff.mp4?prompt=x", "not encoded correctly"},
        Refused{"KeyInLabel", "genclip://veo/api_key=sekret?prompt=x", "property api-key"},
        Refused{"KeyBehindALabel", "genclip://veo/a.mp4;Token=sekret?prompt=x", "property api-key"},
        Refused{"EscapedKeyInLabel", "genclip://veo/api%5Fkey%3Dsekret?prompt=x", "property api-key"},
        Refused{"FragmentBehindALabel", "genclip://veo/a.mp4#x", "%23"},
        Refused{"Fragment", "genclip://veo?prompt=a#1", "%23"},
        Refused{"FlagWithoutValue", "genclip://veo?prompt", "The URI is invalid after "},
        Refused{"BadPercent", "genclip://veo?prompt=%zz", "The URI is invalid after "},
        Refused{"CutPercent", "genclip://veo?prompt=%4", "The URI is invalid after "},
        Refused{"NulInValue", "genclip://veo?prompt=a%00b", "The URI is invalid after "},
        Refused{"NotUtf8InValue", "genclip://veo?prompt=%ff", "The URI is invalid after "},
        Refused{"NotUtf8", "genclip://veo?prompt=\xff", "not valid UTF-8"},
        Refused{"Nul", std::string("genclip://veo?prompt=a\0b", 24), "NUL"},
        Refused{"BadPercentInModel", "genclip://v%zz", "not encoded correctly"},
        Refused{"NulInModel", "genclip://v%00", "not encoded correctly"},
        Refused{"NotUtf8InModel", "genclip://v%ff", "not encoded correctly"},
        Refused{"NulInJson", "genclip://veo?x=%22a%5Cu0000b%22", "x cannot be sent as it is written. "},
        Refused{"NulInAKeyOfJson", "genclip://veo?x={%22a%5Cu0000%22:1}", "such as a NUL"},
        Refused{"HalfACharacterInJson", "genclip://veo?x=[%22%5Cud83e%22]", "half of a pair"},
        Refused{"KeyOfJsonTwice", "genclip://veo?x={%22a%22:1,%22a%22:2}", "the key \"a\" twice"},
        Refused{"LargeInteger", "genclip://veo?x=9223372036854775808",
                "it has 9223372036854775808, which is no"},
        Refused{"LargeIntegerInAList", "genclip://sd_2.0_special?tools=[-9223372036854775809]",
                "Put it in quotes"},
        Refused{"LargeReal", "genclip://veo?x=1e400", "it has 1e400, which is no"},
        Refused{"Twice", "genclip://veo?prompt=a&prompt=b", "prompt twice"},
        Refused{"DurationByBothNames", "genclip://veo?duration=5&seconds=6", "duration twice"},
        Refused{"DurationByBothNamesBehindTheApi",
                "genclip://dance_1_5_pro_720p?api=legacy&duration=5&seconds=6", "duration twice"},
        Refused{"TakeTwice", "genclip://veo?take=1&take=2", "take twice"},
        Refused{"ApiTwice", "genclip://veo?api=auto&api=tasks", "api twice"},
        Refused{"NoTake", "genclip://veo?take=-1", "take is"},
        Refused{"EmptyTake", "genclip://veo?take=", "take is"},
        Refused{"UnknownApi", "genclip://veo?api=v3", "auto, tasks or legacy"},
        Refused{"ModelInQuery", "genclip://veo?model=dance-2.5", "the model twice"},
        Refused{"NoName", "genclip://veo?=x", "no name"},
        Refused{"ApiKey", "genclip://veo?prompt=x&api_key=sekret", "property api-key"},
        Refused{"ApiKeyDash", "genclip://veo?api-key=sekret", "property api-key"},
        Refused{"ApiKeyCase", "genclip://veo?API_Key=sekret", "property api-key"},
        Refused{"ApiKeyEncoded", "genclip://veo?api%5Fkey=sekret", "property api-key"},
        Refused{"Key", "genclip://veo?key=sekret", "property api-key"},
        Refused{"Token", "genclip://veo?token=sekret", "property api-key"},
        Refused{"KeyInJson", "genclip://veo?h=%7B%22api_key%22:%22sekret%22%7D", "property api-key"},
        Refused{"KeyInAList", "genclip://veo?h=[{%22Authorization%22:%22Bearer%20sekret%22}]",
                "property api-key"},
        Refused{"HeaderOfAKey", "genclip://veo?headers.Authorization=sekret", "property api-key"},
        Refused{"AccessToken", "genclip://veo?access_token=sekret", "property api-key"},
        Refused{"Authorization", "genclip://veo?Authorization=Bearer+sekret", "property api-key"},
        Refused{"KeyBeforeANonsense", "genclip://veo?api_key=sekret&%zz", "property api-key"},
        Refused{"NonsenseBeforeAKey", "genclip://veo?%zz=1&api_key=sekret", "The URI is invalid after "},
        Refused{"UserAndPassword", "genclip://me:sekret@veo?prompt=x", "property api-key"},
        Refused{"User", "genclip://sekret@veo", "property api-key"}),
    [](const auto &row) { return std::string(row.param.name); });

TEST(ClipUri, RoundsNoIntegerAndNoNumberToAnother) {
  const auto models = Catalog::from_text(
      R"({"models": [{"id": "m", "open": true, "fields": {"wind": {"type": "number"}}}]})");
  ASSERT_TRUE(models) << models.error().text;
  for (const char *number : {"9223372036854775809", "-9223372036854775809", "1e400", "1e-400"}) {
    const auto request = parse_clip_uri(**models, std::string("genclip://m?wind=") + number);
    ASSERT_FALSE(request) << number << request->extra.to_text();
    EXPECT_THAT(request.error().text, HasSubstr(std::string("it has ") + number));
  }
  const auto request = parse_clip_uri(**models, "genclip://m?wind=0.5&a=9223372036854775807");
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(request->extra.to_text(), R"({"wind":0.5,"a":9223372036854775807})");
}

TEST(ClipUri, WritesEveryByteSoThatItReadsBack) {
  ClipRequest request{.model = "veo"};
  request.fields.set("prompt", "a&b=c+d%20e #f ?g/h:i \u6C34\n\"q\" ;,");
  request.extra.set("text", "true");
  request.extra.set("object", "{\"a\":1}");
  request.extra.set("list", Json::Array{"a", 1, nullptr});
  request.extra.set("real", 0.1);
  request.extra.set("strange name&", "-");
  const std::string uri = clip_uri(catalog(), request);
  for (const char c : uri) EXPECT_TRUE(c > ' ' && c < 127) << uri;
  const auto again = parse_clip_uri(catalog(), uri);
  ASSERT_TRUE(again) << uri << again.error().text;
  EXPECT_EQ(*again, request) << uri << "\n" << again->extra.to_text();
}

TEST(ClipUri, NeverWritesAKey) {
  ClipRequest request{.model = "veo"};
  request.extra.set("api_key", "sekret");
  request.extra.set("headers", Json::Object{{"Authorization", "sekret"}});
  EXPECT_EQ(clip_uri(catalog(), request), "genclip://veo");
}

TEST(ClipUri, WithAnExtensionIsOfTheSameRequest) {
  const std::pair<const char *, const char *> kPairs[] = {
      {"genclip://veo", "genclip://veo/clip.mp4"},
      {"genclip://veo?prompt=a/b%3Fc.png", "genclip://veo/clip.mp4?prompt=a/b%3Fc.png"},
      {"genclip://wan:14b/?prompt=x", "genclip://wan:14b/clip.mp4?prompt=x"},
      {"genclip://veo/clip.webm?prompt=x", "genclip://veo/clip.mp4?prompt=x"},
      {"genclip://veo/a kite.MP4?prompt=x", "genclip://veo/a kite.MP4?prompt=x"},
      {"", ""},
  };
  for (const auto &[uri, named] : kPairs) {
    EXPECT_EQ(clip_uri_with_extension(uri, "mp4"), named);
    if (!*uri) continue;
    const auto request = parse_clip_uri(catalog(), uri), again = parse_clip_uri(catalog(), named);
    ASSERT_TRUE(request && again) << uri;
    EXPECT_EQ(*again, *request) << uri;
  }
}

TEST(ClipUri, MayHaveALabelThatIsNoPartOfTheRequest) {
  const auto plain = parse_clip_uri(catalog(), "genclip://veo?prompt=x&take=2");
  ASSERT_TRUE(plain) << plain.error().text;
  for (const char *label : {"/", "/clip.mp4", "/kite.mp4", "/a%20red%20kite.mp4", "/kite", "/day 1/kite.mp4",
                            "//", "/\u51E7.mp4", "/a=b&c.mp4", "/%3Fprompt=y"}) {
    const auto request = parse_clip_uri(catalog(), std::string("genclip://veo") + label + "?prompt=x&take=2");
    ASSERT_TRUE(request) << label << ": " << request.error().text;
    EXPECT_EQ(*request, *plain) << label;
  }
}

// Its author meant another model.
TEST(ClipUri, HasNoLabelThatMakesAModelId) {
  const auto models =
      Catalog::from_text(R"({"models": [{"id": "my", "open": true}, {"id": "my/model", "open": true}]})");
  ASSERT_TRUE(models);
  EXPECT_TRUE(parse_clip_uri(**models, "genclip://my/models?prompt=x"));
  const auto request = parse_clip_uri(**models, "genclip://my/model?prompt=x");
  ASSERT_FALSE(request);
  EXPECT_THAT(request.error().text, HasSubstr("%2F"));
}

TEST(ClipUri, IsEscapedOnceMoreForGesLaunch) {
  EXPECT_EQ(escaped_for_ges_launch("genclip://dance-2.5?prompt=a%20storm"),
            "genclip://dance-2.5%3Fprompt=a%2520storm");
}

TEST(ClipUri, EscapesNoSlashBehindTheModel) {
  ClipRequest request{.model = "veo"};
  request.fields.set("prompt", "and/or");
  request.fields.set("first_image", Json::Array{"https://media.example/a.png?size=big&x=1"});
  request.extra.set("a/b", "c/d");
  const std::string uri = clip_uri(catalog(), request);
  EXPECT_EQ(uri.find("%2F"), uri.npos) << uri;
  EXPECT_EQ(uri.find("%2f"), uri.npos) << uri;
  const auto again = parse_clip_uri(catalog(), uri);
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(*again, request);
}

}  // namespace
}  // namespace genclip
