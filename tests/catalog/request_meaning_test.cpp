// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which requests count as one. The defaults below are those of the service's document (§2.3), written by
// hand.
#include "plugin/catalog/request_meaning.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "plugin/catalog/catalog.h"
#include "plugin/catalog/check_request.h"
#include "tests/support/give_up.h"

namespace genclip::test {
namespace {

const std::map<std::string, std::map<std::string, Json>> &documented_defaults() {
  static const std::map<std::string, Json> library = {
      {"aspect_ratio", "16:9"}, {"resolution", "720p"}, {"seed", -1},
      {"generate_audio", true}, {"watermark", false},   {"duration", 5}};
  static const std::map<std::string, std::map<std::string, Json>> all = {
      {"sd_2.0_special", library},
      {"sd_2.0_fast_discount", library},
      {"videos_stable_fast", {{"duration", 4}, {"aspect_ratio", "16:9"}, {"resolution", "720p"}}},
      // Beside duration: aspect_ratio and size exclude each other, so either makes another clip than none of
      // them.
      {"mini-h3", {{"duration", 5}}},
      {"videos_fast_933_c1",
       {{"duration", 4}, {"aspect_ratio", "16:9"}, {"generate_audio", false}, {"reference_mode", "image"}}},
      {"wave2.7-videoedit", {{"aspect_ratio", "16:9"}, {"resolution", "1080P"}, {"watermark", false}}},
      {"dance-2.5", {{"duration", 4}, {"aspect_ratio", "9:16"}, {"resolution", "480p"}}},
      {"wave2.7-i2v", {{"duration", 5}, {"resolution", "1080P"}, {"watermark", false}}},
      {"wave2.7-r2v",
       {{"duration", 5}, {"aspect_ratio", "16:9"}, {"resolution", "1080P"}, {"watermark", false}}},
      {"horse-1.0-i2v", {{"duration", 5}, {"resolution", "1080P"}, {"watermark", false}}},
      {"horse-1.0-t2v",
       {{"duration", 5}, {"aspect_ratio", "16:9"}, {"resolution", "1080P"}, {"watermark", false}}},
  };
  return all;
}

// The least that the model accepts.
ClipRequest least(const ModelSpec &model) {
  ClipRequest request;
  request.model = model.id;
  request.fields.set("prompt", "a storm");
  for (const FieldSpec &field : model.fields)
    if (field.required && media_kind(field.type))
      request.fields.set(field.name, Json::Array{"https://media.example/" + field.name});
  return request;
}

CheckedRequest checked(const ClipRequest &request) {
  auto checked = check_request(*Catalog::built_in(), request);
  EXPECT_TRUE(checked) << problems_text(checked.error());
  return std::move(checked).value();
}

std::string meaning(const ClipRequest &request) {
  const CheckedRequest valid = checked(request);
  return meaning_of(valid.spec(), valid.body()).to_canonical_text();
}

ClipRequest with(ClipRequest request, const std::string &field, Json value) {
  request.fields.set(field, std::move(value));
  return request;
}

ClipRequest with_extra(ClipRequest request, const std::string &field, Json value) {
  request.extra.set(field, std::move(value));
  return request;
}

// Every value that the field may have, of numbers some.
std::vector<Json> values_of(const FieldSpec &field) {
  if (!field.values.empty()) return field.values;
  if (field.type == FieldType::boolean) return {true, false};
  std::vector<Json> values;
  if (field.type == FieldType::integer)
    for (int64_t value = field.min.value_or(-1); value <= std::min<int64_t>(field.max.value_or(40), 40);
         ++value)
      values.emplace_back(value);
  return values;
}

TEST(RequestMeaning, IsWithoutTheDefaultsOfTheDocumentAndHasEveryOtherValue) {
  size_t defaults = 0;
  for (const auto &model : Catalog::built_in()->models()) {
    const auto listed = documented_defaults().find(model->id);
    const ClipRequest request = least(*model);
    for (const FieldSpec &field : model->fields) {
      if (field.refused || media_kind(field.type)) continue;
      SCOPED_TRACE(model->id + " " + field.name);
      const Json *usual = nullptr;
      if (listed != documented_defaults().end())
        if (const auto found = listed->second.find(field.name); found != listed->second.end())
          usual = &found->second;
      std::set<std::string> meanings;
      if (!field.required || usual) meanings.insert(meaning(request));
      const std::vector<Json> values = values_of(field);
      for (const Json &value : values) {
        const bool is_new = meanings.insert(meaning(with(request, field.name, value))).second;
        EXPECT_EQ(is_new, !usual || value != *usual) << value.to_text();
      }
      if (!usual) continue;
      ++defaults;
      EXPECT_NE(std::find(values.begin(), values.end(), *usual), values.end());
      const CheckedRequest spelled_out = checked(with(request, field.name, *usual));
      const Json *sent = spelled_out.body().find(field.name);
      ASSERT_TRUE(sent) << "what was asked for is sent";
      EXPECT_EQ(*sent, *usual);
    }
  }
  EXPECT_EQ(defaults, 40u);
}

// Nothing that is stored gets another name.
TEST(RequestMeaning, OfARequestWithoutDefaultsIsItsBody) {
  for (const auto &model : Catalog::built_in()->models()) {
    const CheckedRequest request = checked(least(*model));
    EXPECT_EQ(meaning_of(*model, request.body()), request.body()) << model->id;
  }
}

TEST(RequestMeaning, OfAllDefaultsTogetherIsThatOfNone) {
  for (const auto &[id, defaults] : documented_defaults()) {
    const auto model = Catalog::built_in()->find(id);
    ASSERT_TRUE(model) << id;
    ClipRequest request = least(*model);
    for (const auto &[field, value] : defaults) request = with(request, field, value);
    EXPECT_EQ(meaning(request), meaning(least(*model))) << id;
  }
}

TEST(RequestMeaning, AssumesNoDefaultOfAnUndocumentedField) {
  const auto model = Catalog::built_in()->find("dream-5.0");
  ASSERT_TRUE(model && model->open);
  const ClipRequest request = least(*model);
  for (const auto &[field, value] :
       std::map<std::string, Json>{{"duration", 5}, {"watermark", false}, {"aspect_ratio", "16:9"}})
    EXPECT_NE(meaning(with(request, field, value)), meaning(request)) << field;
  EXPECT_NE(meaning(with_extra(request, "n", 1)), meaning(request));
  // 480p is not the default that the document lists.
  const auto odd = Catalog::built_in()->find("videos_fast_933_c1");
  EXPECT_NE(meaning(with(least(*odd), "resolution", "480p")), meaning(least(*odd)));
}

// Such a file comes and goes, and what is stored stays.
TEST(RequestMeaning, AssumesNoDefaultOfAFileOfModels) {
  const auto with_model = [](const std::string &id, const std::string &usual) {
    auto catalog =
        Catalog::from_text(R"({"models": [{"id": ")" + id +
                           R"(", "open": true, "fields": {"duration": {"default": )" + usual + "}}}]}");
    if (!catalog) give_up(catalog.error().text);
    return (*catalog)->find(id);
  };
  const Json four = Json::Object{{"model", "dance-2.5"}, {"prompt", "x"}, {"duration", 4}};
  const auto same = with_model("dance-2.5", "4"), other = with_model("dance-2.5", "8");
  EXPECT_FALSE(meaning_of(*same, four).find("duration"));
  EXPECT_TRUE(meaning_of(*other, four).find("duration")) << "by this file, it makes another clip than none";
  Json eight = four;
  eight.set("duration", 8);
  EXPECT_TRUE(meaning_of(*other, eight).find("duration"));
  const auto strange = with_model("strange", "4");
  EXPECT_TRUE(meaning_of(*strange, four).find("duration"));
}

constexpr char kComposed[] = "caf\u00e9 \u1ec7 \uac00",
               kDecomposed[] = "cafe\u0301 e\u0323\u0302 \u1100\u1161";

TEST(RequestMeaning, HasOneFormOfEachLetter) {
  const ClipRequest request = least(*Catalog::built_in()->find("dream-5.0"));
  const auto prompt = [&](const char *text) { return with(request, "prompt", text); };
  ASSERT_STRNE(kComposed, kDecomposed);
  EXPECT_EQ(meaning(prompt(kDecomposed)), meaning(prompt(kComposed)));
  EXPECT_EQ(meaning(prompt("e\u0302\u0323")), meaning(prompt("e\u0323\u0302"))) << "the order of marks";
  const CheckedRequest typed = checked(prompt(kDecomposed));
  EXPECT_EQ(*typed.body().find("prompt"), Json(kDecomposed)) << "is sent as it is";
  EXPECT_EQ(meaning(prompt("https://x/cafe\u0301")), meaning(prompt("https://x/caf\u00e9")))
      << "a prompt is no URL";
  // These look alike, or nearly, and are different texts.
  EXPECT_NE(meaning(prompt("\ufb01lm")), meaning(prompt("film")));
  EXPECT_NE(meaning(prompt("cafe")), meaning(prompt(kComposed)));
  EXPECT_NE(meaning(prompt("a storm ")), meaning(prompt("a storm")));
  EXPECT_NE(meaning(prompt("\uf900")), meaning(prompt("\u8c48"))) << "two signs";
  // Of what nothing is known, which may be the name of a file.
  EXPECT_NE(meaning(with_extra(request, "style", kDecomposed)),
            meaning(with_extra(request, "style", kComposed)));
}

TEST(RequestMeaning, HasTheBytesOfReferencesAndURLs) {
  const ClipRequest request = least(*Catalog::built_in()->find("videos_stable_fast"));
  const std::string one = "https://x/caf\u00e9.png", other = "https://x/cafe\u0301.png";
  EXPECT_NE(meaning(with(request, "first_image", Json::Array{one})),
            meaning(with(request, "first_image", Json::Array{other})));
  EXPECT_NE(meaning(with_extra(request, "start_image_url", one)),
            meaning(with_extra(request, "start_image_url", other)));
}

TEST(RequestMeaning, IsTheSameInAnyOrderAndByAnyName) {
  ClipRequest one = least(*Catalog::built_in()->find("dream-5.0")), other = one;
  one.extra = Json::Object{{"a", Json::Object{{"x", 1}, {"y", 2}}}, {"b", 3}};
  other.extra = Json::Object{{"b", 3}, {"a", Json::Object{{"y", 2}, {"x", 1}}}};
  EXPECT_EQ(meaning(one), meaning(other));
  const ClipRequest request = least(*Catalog::built_in()->find("dance-2.5"));
  const Json images = Json::Array{"https://x/a.png"};
  for (const char *alias : {"image_urls", "referenceImages", "images"})
    EXPECT_EQ(meaning(with(request, alias, images)), meaning(with(request, "reference_images", images)));
  EXPECT_EQ(meaning(with(request, "reference_images", Json::Array{})), meaning(request));
}

// A text that nobody typed, and that would keep a computer busy.
TEST(RequestMeaning, OfEndlessMarksIsTheTextAsItIs) {
  std::string text = "e";
  for (int i = 0; i < 500'000; ++i) text += i % 2 ? "\u0323" : "\u0301";
  const auto model = Catalog::built_in()->find("dance-2.5");
  const Json body = Json::Object{{"model", "dance-2.5"}, {"prompt", text}};
  EXPECT_EQ(meaning_of(*model, body), body);
}

}  // namespace
}  // namespace genclip::test
