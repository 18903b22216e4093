// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a checked request sends, and how problems are reported.
#include "plugin/catalog/check_request.h"

#include <glib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "plugin/catalog/clip_uri.h"
#include "tests/support/taken.h"

namespace genclip {
namespace {

using testing::HasSubstr;
using testing::Not;

ClipRequest request(const std::string &model, const std::string &fields, const std::string &extra = "{}") {
  ClipRequest out;
  out.model = model;
  out.fields = test::taken(Json::parse(fields));
  out.extra = test::taken(Json::parse(extra));
  return out;
}

std::string body(const ClipRequest &request) {
  const auto checked = check_request(*Catalog::built_in(), request);
  return checked ? checked->body().to_text() : problems_text(checked.error());
}

std::vector<Problem> problems(const ClipRequest &request) {
  auto checked = check_request(*Catalog::built_in(), request);
  return checked ? std::vector<Problem>{} : std::move(checked).error();
}

std::string text(const ClipRequest &request) {
  const auto all = problems(request);
  return all.empty() ? "" : problems_text(all);
}

TEST(CheckRequest, WritesModelAndPromptFirstThenTheTablesOrderThenExtras) {
  EXPECT_EQ(
      body(request("sd_2.0_special",
                   R"({"watermark":false,"resolution":"4k","reference_images":["https://a/b"],"prompt":"x"})",
                   R"({"tools":[{"a":{"b":1}}]})")),
      R"({"model":"sd_2.0_special","prompt":"x","reference_images":["https://a/b"],"duration":5,)"
      R"("resolution":"4k","watermark":false,"tools":[{"a":{"b":1}}]})");
  EXPECT_EQ(body(request("dream-5.0", R"({"size":"1x1","prompt":"x","duration":3})",
                         R"({"z":1,"a":{"b":[null]}})")),
            R"({"model":"dream-5.0","prompt":"x","duration":3,"size":"1x1","z":1,"a":{"b":[null]}})");
}

TEST(CheckRequest, SaysTheSameInWhicheverOrderFieldsWereWritten) {
  const auto one = request("dance-2.5", R"({"seed":7,"first_image":["https://a/b"],"duration":99})");
  const auto other = request("dance-2.5", R"({"duration":99,"first_image":["https://a/b"],"seed":7})");
  EXPECT_EQ(problems(one).size(), 4u);
  EXPECT_EQ(text(one), text(other));
}

TEST(CheckRequest, SendsDefaultsOfRequiredFieldsOnly) {
  EXPECT_EQ(body(request("wave2.7-r2v", R"({"prompt":"x","reference_images":["https://a/b"]})")),
            R"({"model":"wave2.7-r2v","prompt":"x","reference_images":["https://a/b"],"duration":5})");
  EXPECT_EQ(body(request("dance-2.5", R"({"prompt":"x"})")), R"({"model":"dance-2.5","prompt":"x"})");
  EXPECT_EQ(body(request("videos_fast_933_c1", R"({"prompt":"x"})")),
            R"({"model":"videos_fast_933_c1","prompt":"x"})");
}

TEST(CheckRequest, TakesAnEmptyListForNone) {
  EXPECT_EQ(body(request("dance-2.5", R"({"prompt":"x","reference_images":[]})")),
            R"({"model":"dance-2.5","prompt":"x"})");
  EXPECT_EQ(body(request("dream-5.0", R"({"prompt":"x","first_image":[]})", R"({"styles":[]})")),
            R"({"model":"dream-5.0","prompt":"x","styles":[]})")
      << "an extra field is sent as it is";
  EXPECT_THAT(text(request("wave2.7-r2v", R"({"prompt":"x","reference_images":[]})")),
              HasSubstr("reference_images is missing"));
}

TEST(CheckRequest, UnderstandsAliases) {
  EXPECT_EQ(body(request("dance-2.5", R"({"prompt":"x","image_urls":["https://a/b"]})")),
            R"({"model":"dance-2.5","prompt":"x","reference_images":["https://a/b"]})");
  EXPECT_THAT(text(request("dance-2.5", R"({"prompt":"x"})", R"({"images":["https://a/b"]})")),
              HasSubstr("has a property; set reference_images"));
  EXPECT_THAT(text(request("dance-2.5",
                           R"({"prompt":"x","images":["https://a/b"],"reference_images":["https://a/b"]})")),
              HasSubstr("given twice"));
}

// The service would ignore reference_images, and be paid.
TEST(CheckRequest, KeepsAFieldOfTheModelThatIsNamedAsAnAlias) {
  const auto catalog = Catalog::from_text(
      R"({"models": [{"id": "mine", "open": true, "fields": {"images": {"type": "image[]"}}}]})");
  ASSERT_TRUE(catalog) << catalog.error().text;
  const auto sent = [&](const ClipRequest &request) {
    const auto checked = check_request(**catalog, request);
    return checked ? checked->body().to_text() : problems_text(checked.error());
  };
  const std::string own = R"({"model":"mine","prompt":"x","images":["https://a/b"]})";
  const auto read = parse_clip_uri(**catalog, "genclip://mine?prompt=x&images=https://a/b");
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(sent(*read), own);
  EXPECT_EQ(sent(test::taken(parse_clip_uri(**catalog, clip_uri(**catalog, *read)))), own);
  EXPECT_EQ(sent(request("mine", R"({"prompt":"x"})", R"({"images":["https://a/b"]})")), own);
  // Another name is the alias that it was.
  EXPECT_EQ(sent(request("mine", R"({"prompt":"x","image_urls":["https://a/b"]})")),
            R"({"model":"mine","prompt":"x","reference_images":["https://a/b"]})");
}

TEST(CheckRequest, TakesAFieldFromOnePlaceOnly) {
  EXPECT_THAT(text(request("veo", R"({"prompt":"x","strength":1})", R"({"strength":2})")),
              HasSubstr("strength is given twice"));
}

TEST(CheckRequest, NamesAllProblemsAtOnce) {
  const auto all = problems(request("sd_2.0_special", R"({"duration":99,"resolution":"720P","seed":"x"})"));
  EXPECT_EQ(
      problems_text(all),
      "4 problems with this request: (1) prompt is missing; sd_2.0_special needs it (at least 1 character). "
      "(2) "
      "duration is 99; sd_2.0_special takes 4 to 15. (3) resolution is \"720P\"; sd_2.0_special takes 720p, "
      "1080p, 2k or 4k; values are case-sensitive: write 720p. (4) seed is \"x\"; it must be an integer.");
}

TEST(CheckRequest, JudgesTheRestOfARequestForAnUnknownModel) {
  const auto all = problems(request("dance 2.5", R"({"duration":"x","first_image":["/home/a.png"]})"));
  ASSERT_EQ(all.size(), 4u) << problems_text(all);
  EXPECT_EQ(all[0].field, "model");
  EXPECT_THAT(all[0].text, HasSubstr("dance-2.5"));
  EXPECT_EQ(all[1].field, "prompt");
  EXPECT_EQ(all[2].field, "duration");
  EXPECT_EQ(all[3].field, "first_image");
}

TEST(CheckRequest, SurvivesAnyModelId) {
  for (const std::string &model : {std::string("\xff\0x", 3), std::string(1 << 20, 'm')}) {
    const auto all = problems(request(model, "{}"));
    ASSERT_EQ(all.size(), 2u);
    EXPECT_TRUE(g_utf8_validate(problems_text(all).c_str(), -1, nullptr));
    EXPECT_LT(problems_text(all).size(), 500u);
  }
}

TEST(CheckRequest, NamesTheFieldsOfTheModelForAnUnknownOne) {
  EXPECT_EQ(
      text(request("dance-2.5", R"({"prompt":"x","seed":1})")),
      "dance-2.5 has no field \"seed\"; it has prompt, reference_images, reference_videos, reference_audios, "
      "duration, aspect_ratio and resolution.");
  EXPECT_THAT(text(request("sd_2.0_special", R"({"prompt":"x"})", R"({"tool":[]})")),
              HasSubstr("has no field \"tool\"; did you mean \"tools\"? It has tools, prompt, "));
}

TEST(CheckRequest, KnowsAFieldByAnotherWordForIt) {
  for (const char *word : {"seconds", "length", "lenght"})
    EXPECT_THAT(text(request("sd_2.0_special", R"({"prompt":"x"})", "{\"" + std::string(word) + "\":5}")),
                HasSubstr("\"; did you mean \"duration\"? It has duration, prompt, reference_images, "))
        << word;
  EXPECT_THAT(text(request("horse-1.0-t2v", R"({"prompt":"x"})", R"({"quality":"720P"})")),
              HasSubstr("did you mean \"resolution\"?"));
}

TEST(CheckRequest, KnowsAFieldByOneOfItsWords) {
  EXPECT_THAT(text(request("dance-2.5", R"({"prompt":"x"})", R"({"ratio":"16:9"})")),
              HasSubstr("has no field \"ratio\"; did you mean \"aspect_ratio\"?"));
  // Of several with that word, the first that the model has.
  EXPECT_THAT(text(request("sd_2.0_special", R"({"prompt":"x"})", R"({"image":"x"})")),
              HasSubstr("has no field \"image\"; did you mean \"first_image\"?"));
  EXPECT_THAT(text(request("dance-2.5", R"({"prompt":"x"})", R"({"as":"16:9"})")),
              Not(HasSubstr("did you mean")));
}

TEST(CheckRequest, TakesAWordOfSeveralNamesForTheFirstOfThem) {
  const std::vector<Name> names = {{"prompt"}, {"first_frames"}, {"last_frames"}};
  EXPECT_EQ(likely_name("frames", names), "first_frames");
  EXPECT_EQ(likely_name("last_frame", names), "last_frames");
  EXPECT_EQ(likely_name("image", {{"first_image"}, {"last_image"}, {"images"}}), "images");
}

TEST(CheckRequest, TeachesWhatToDoInsteadOfALocalFile) {
  EXPECT_EQ(
      text(request("sd_2.0_special", R"({"prompt":"x","first_image":["/home/me/a.png"]})")),
      "first_image is \"/home/me/a.png\", a file on this machine, which the service cannot see; put "
      "the image "
      "at a public http or https URL and give that, or upload it as an asset and give assetId://ID; or set "
      "publish-folder and publish-url, or the environment variable GENCLIP_PUBLISH_COMMAND, so that genclip "
      "can publish it.");
}

TEST(CheckRequest, ListsTheMediaThatIsReferredTo) {
  const auto checked = check_request(
      *Catalog::built_in(),
      request(
          "sd_2.0_special",
          R"({"prompt":"x","reference_audios":["https://a/s"],"reference_images":["https://a/b","assetId://7"]})"));
  ASSERT_TRUE(checked) << problems_text(checked.error());
  const std::vector<MediaReference> expected = {
      {"reference_images", 0, {}, "reference_images[0]", "https://a/b", MediaKind::image, MediaSource::url},
      {"reference_images", 1, {}, "reference_images[1]", "assetId://7", MediaKind::image, MediaSource::asset},
      {"reference_audios", 0, {}, "reference_audios", "https://a/s", MediaKind::audio, MediaSource::url}};
  EXPECT_EQ(checked->media(), expected);
}

TEST(CheckRequest, WarnsOfAPromptThatTheServiceCuts) {
  const auto warnings = [](const std::string &prompt) {
    ClipRequest request{.model = "horse-1.0-t2v"};
    request.fields.set("prompt", prompt);
    const auto checked = check_request(*Catalog::built_in(), request);
    return checked ? checked->warnings().size() : 99;
  };
  std::string han;
  for (int i = 0; i < 2500; ++i) han += "\u6C34";
  EXPECT_EQ(warnings(std::string(5000, 'x')), 0u);
  EXPECT_EQ(warnings(std::string(5001, 'x')), 1u);
  EXPECT_EQ(warnings(han), 0u);
  EXPECT_EQ(warnings(han + "x"), 1u);
}

TEST(CheckRequest, ChoosesTheApi) {
  const auto api = [](const char *model, Api wanted) {
    ClipRequest request{.model = model, .api = wanted, .take = 3};
    request.fields.set("prompt", "x");
    const auto checked = check_request(*Catalog::built_in(), request);
    EXPECT_TRUE(!checked || checked->take() == 3);
    return checked ? checked->api() : Api::automatic;
  };
  EXPECT_EQ(api("dance-2.5", Api::automatic), Api::tasks);
  EXPECT_EQ(api("dance_1_5_pro_720p", Api::automatic), Api::tasks);
  EXPECT_EQ(api("dance_1_5_pro_720p", Api::legacy), Api::legacy);
  EXPECT_EQ(api("sky2Stable", Api::automatic), Api::legacy);
  EXPECT_EQ(api("sky2Stable", Api::tasks), Api::tasks);
  EXPECT_EQ(api("dance_1_5_pro_1080p", Api::legacy), Api::legacy);
  for (const char *model : {"dream-5.0", "sd_2.0_special", "dance-2.5", "dance_1_5_pro_480p", "wave2.7-i2v"})
    EXPECT_EQ(api(model, Api::legacy), Api::automatic) << model << " is not listed in §1.8";
}

TEST(CheckRequest, SaysWhichApiDoesNotHaveTheModel) {
  auto forced = request("sd_2.0_special", R"({"prompt":"x"})");
  forced.api = Api::legacy;
  EXPECT_EQ(text(forced), "The API \"legacy\" does not have sd_2.0_special; leave api at auto.");
}

TEST(CheckRequest, AsksForARatioOnTheLegacyApi) {
  EXPECT_EQ(text(request("sky2Stable", R"({"prompt":"x","aspect_ratio":"16:9"})")), "");
  for (const char *wrong : {"wide", "0:9", "16:0", "16:00", "16", ":9", "16:", "16:9:4", "1.6:1", "-16:9"})
    EXPECT_THAT(
        text(request("sky2Stable", R"({"prompt":"x","aspect_ratio":")" + std::string(wrong) + R"("})")),
        HasSubstr("form W:H"))
        << wrong;
  auto forced = request("dance_1_5_pro_720p", R"({"prompt":"x","aspect_ratio":"adaptive"})");
  EXPECT_EQ(text(forced), "");
  forced.api = Api::legacy;
  EXPECT_THAT(text(forced), HasSubstr("form W:H"));
}

TEST(CheckRequest, RefusesWhatNoRequestMayHold) {
  for (const char *extra : {R"({"model":"x"})", R"({"take":1})", R"({"api":"tasks"})", R"({"prompt":"x"})"})
    EXPECT_THAT(text(request("veo", R"({"prompt":"x"})", extra)), HasSubstr("has a property")) << extra;
  for (const char *fields : {R"({"prompt":"x","model":"y"})", R"({"prompt":"x","api":"y"})"})
    EXPECT_THAT(text(request("veo", fields)), HasSubstr("not a field of a request")) << fields;
  const std::string key = text(request("veo", R"({"prompt":"x"})", R"({"api_key":"sekret"})"));
  EXPECT_THAT(key, HasSubstr("property api-key"));
  for (const char *extra :
       {R"({"h":[{"Authorization":"sekret"}]})", R"({"tools":[{"a":{"api_key":"sekret"}}]})"}) {
    const std::string inside = text(request("dance-2.5", R"({"prompt":"x"})", extra));
    EXPECT_THAT(inside, HasSubstr("contains a key; set a key in the property api-key only."));
    EXPECT_THAT(inside, Not(HasSubstr("sekret")));
  }
  EXPECT_THAT(key, Not(HasSubstr("sekret")));
}

TEST(CheckRequest, RefusesTheLegacyNameOfDurationBesideTheProperty) {
  for (const char *model : {"veo", "sky2Stable"})
    EXPECT_THAT(text(request(model, R"({"prompt":"x","duration":10})", R"({"seconds":15})")),
                HasSubstr("set duration"))
        << model;
  EXPECT_THAT(text(request("sky2Stable", R"({"prompt":"x"})", R"({"seconds":7})")),
              HasSubstr("set duration"));
  for (const Api api : {Api::automatic, Api::tasks, Api::legacy}) {
    ClipRequest both = request("dance_1_5_pro_720p", R"({"prompt":"x"})", R"({"seconds":7})");
    both.api = api;
    EXPECT_THAT(text(both), HasSubstr("set duration")) << to_word(api);
  }
  // For a model without that API it is a field like any other.
  EXPECT_EQ(text(request("dream-5.0", R"({"prompt":"x"})", R"({"seconds":7})")), "");
}

TEST(CheckRequest, RefusesWhatCannotBeWritten) {
  ClipRequest odd = request("veo", R"({"prompt":"x"})");
  odd.extra.set("deep", Json::Object{{"list", Json::Array{std::string("a\0b", 3)}}});
  EXPECT_EQ(text(odd), "deep contains a NUL character.");
  odd.extra.set("deep", Json::Object{{std::string("\xff"), 1}});
  EXPECT_EQ(text(odd), "deep is not valid UTF-8.");
  odd.extra.set("deep", std::numeric_limits<double>::infinity());
  EXPECT_EQ(text(odd), "deep is neither a finite number nor an integer up to 9223372036854775807.");
  odd = request("veo", "{}");
  odd.fields.set("prompt", std::string("\xff"));
  EXPECT_EQ(text(odd), "prompt is not valid UTF-8.") << "and not missing as well";
}

// Else the clips that it is made of are paid before the journal refuses it.
TEST(CheckRequest, RefusesWhatNoJournalCanHold) {
  const auto with_prompt = [](size_t size) {
    ClipRequest one = request("dream-5.0", "{}");
    one.fields.set("prompt", std::string(size, 'x'));
    return one;
  };
  const size_t around = body(with_prompt(1)).size() + 100;
  EXPECT_EQ(text(with_prompt(kMostRequestBytes - around)), "");
  EXPECT_THAT(text(with_prompt(kMostRequestBytes)), HasSubstr("too large for the journal"));
  // There, each number has a line of its own.
  ClipRequest numbers = with_prompt(1);
  numbers.extra.set("numbers", Json::Array(kMostRequestBytes / 8, Json(1)));
  EXPECT_THAT(text(numbers), HasSubstr("too large for the journal"));
  // The journal has the digest of a clip, whatever is behind it.
  ClipRequest made_of_clips = request("dance-2.5", R"({"prompt":"x"})");
  const std::string clip = "genclip://dream-5.0?prompt=" + std::string(1000 << 10, 'x');
  made_of_clips.fields.set("reference_images", Json::Array(5, Json(clip)));
  const auto small = check_request(*Catalog::built_in(), made_of_clips, {.publishes = true});
  EXPECT_TRUE(small) << problems_text(small.error());
  // Beside it, the journal has what each reference was.
  const auto with_room = [&](size_t room) {
    ClipRequest many = with_prompt(kMostRequestBytes - room);
    many.fields.set("reference_images", Json::Array(9, Json("genclip://dream-5.0?prompt=a")));
    const auto checked = check_request(*Catalog::built_in(), many, {.publishes = true});
    return checked ? std::string() : problems_text(checked.error());
  };
  EXPECT_EQ(with_room(32 << 10), "");
  EXPECT_THAT(with_room(16 << 10), HasSubstr("too large for the journal"));
}

TEST(CheckRequest, GivesTheReasonOfARule) {
  EXPECT_EQ(text(request("mini-h3", R"({"prompt":"x","size":"2560x1440","aspect_ratio":"16:9"})")),
            "aspect_ratio and size conflict on mini-h3; give only one of them.");
  EXPECT_EQ(text(request("sd_2.0_special", R"({"prompt":"x","reference_audios":["https://a/b"]})")),
            "reference_audios needs reference_images or reference_videos beside it on sd_2.0_special: audio "
            "cannot be "
            "submitted alone.");
  EXPECT_EQ(text(request("grk_video3_pro", R"({"prompt":"x","resolution":"720p"})")),
            "grk_video3_pro does not take resolution; leave it out.");
}

}  // namespace
}  // namespace genclip
