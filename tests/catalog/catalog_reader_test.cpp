// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A user's file: what it can change. A mistake is reported with its line and affects nothing else.
#include "plugin/catalog/catalog_reader.h"

#include <gio/gio.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "plugin/base/shown_text.h"
#include "plugin/catalog/check_request.h"

namespace genclip {
namespace {

using testing::HasSubstr;

Catalog::Ptr read(std::string text) { return Catalog::with_files({{"mine.json", std::move(text)}}); }

std::string all_mistakes(const Catalog &catalog) {
  std::string text;
  for (const Mistake &mistake : catalog.mistakes()) text += mistake.to_text() + "\n";
  return text;
}

TEST(CatalogFile, AddsAndReplacesModels) {
  const auto catalog = read(R"({"models": [
    {"id": "storm-1", "open": true},
    {"id": "dance-2.5", "fields": {"prompt": {}, "duration": {"min": 1, "max": 2}}}
  ], "text_models": [{"id": "rain-1"}]})");
  EXPECT_EQ(all_mistakes(*catalog), "");
  EXPECT_TRUE(catalog->find("storm-1")->open);
  EXPECT_EQ(catalog->find("storm-1")->origin, "mine.json:2");
  EXPECT_FALSE(catalog->find("dance-2.5")->find("resolution"));
  EXPECT_EQ(catalog->models().size(), Catalog::built_in()->models().size() + 1);
  EXPECT_TRUE(catalog->find_text("rain-1"));
}

TEST(CatalogFile, MakesAModelLikeAnother) {
  const auto catalog = read(R"({"models": [{"id": "sd_3", "like": "sd_2.0_special", "fields": {
    "duration": {"max": 20}, "seed": null, "resolution": {"values": ["8k"], "default": "8k"},
    "watermark": {"default": null}}}]})");
  ASSERT_EQ(all_mistakes(*catalog), "");
  const auto spec = catalog->find("sd_3");
  EXPECT_EQ(*spec->find("duration")->min, 4);
  EXPECT_EQ(*spec->find("duration")->max, 20);
  EXPECT_FALSE(spec->find("seed"));
  EXPECT_TRUE(spec->find("watermark")->default_value.is_null());
  EXPECT_EQ(spec->rules.size(), 3u);
  EXPECT_TRUE(spec->assets);
}

struct Wrong {
  const char *name;
  std::string model;  // on line 3 of the file
  int line;
  const char *text;
};

class WrongModel : public testing::TestWithParam<Wrong> {};

TEST_P(WrongModel, IsToldByItsLineAndLeavesTheRest) {
  const auto catalog = read(std::string("{\"models\": [\n{\"id\": \"before\", \"open\": true},\n") +
                            GetParam().model + ",\n{\"id\": \"after\", \"open\": true}\n]}");
  ASSERT_FALSE(catalog->mistakes().empty()) << GetParam().model;
  const Mistake &mistake = catalog->mistakes()[0];
  EXPECT_EQ(mistake.file, "mine.json");
  EXPECT_EQ(mistake.line, GetParam().line) << mistake.to_text();
  EXPECT_THAT(mistake.text, HasSubstr(GetParam().text));
  EXPECT_TRUE(is_all_shown(mistake.text)) << mistake.text;
  EXPECT_LT(mistake.text.size(), 1000u);
  EXPECT_TRUE(catalog->find("before"));
  EXPECT_TRUE(catalog->find("after"));
  EXPECT_FALSE(catalog->find("m"));
  EXPECT_TRUE(catalog->find("dance-2.5"));
}

INSTANTIATE_TEST_SUITE_P(
    CatalogFile, WrongModel,
    testing::Values(
        Wrong{"NoObject", "5", 3, "must be an object"}, Wrong{"NoId", "{\"open\": true}", 3, "needs an id"},
        Wrong{"IdNoString", "{\"id\": 5, \"open\": true}", 3, "id must be a string"},
        Wrong{"IdThatATerminalObeys", R"({"id": "m\u001b[2J\u009b\u202e", "open": true})", 3,
              "m [2J  : its id"},
        Wrong{"FieldThatATerminalObeys", R"({"id": "m", "fields": {"\u001b[2J\u009b": {}}})", 3,
              "needs a type"},
        Wrong{"EndlessFieldName", R"({"id": "m", "fields": {")" + std::string(9000, 'a') + R"(": {}}})", 3,
              "…"},
        Wrong{"NoFields", "{\"id\": \"m\"}", 3, "needs fields"},
        Wrong{"Twice", "{\"id\": \"before\", \"open\": true}", 3, "twice"},
        Wrong{"UnknownKey", "{\"id\": \"m\",\n\"opne\": true}", 4, "did you mean \"open\""},
        Wrong{"UnknownResult", "{\"id\": \"m\", \"open\": true,\n\"result\": \"song\"}", 4, "video or image"},
        Wrong{"UnknownApi", "{\"id\": \"m\", \"open\": true,\n\"apis\": [\"v3\"]}", 4, "neither"},
        Wrong{"NoApi", "{\"id\": \"m\", \"open\": true, \"apis\": []}", 3, "at least one"},
        Wrong{"OpenNoBoolean", "{\"id\": \"m\",\n\"open\": \"yes\"}", 4, "true or false"},
        Wrong{"UnknownLike", "{\"id\": \"m\",\n\"like\": \"after\"}", 4, "comes before"},
        Wrong{"FieldNoObject", "{\"id\": \"m\", \"fields\": {\n\"duration\": 5}}", 4, "must be an object"},
        Wrong{"FieldWithoutType", "{\"id\": \"m\", \"fields\": {\n\"wind\": {\"note\": \"x\"}}}", 4,
              "needs a type"},
        Wrong{"FieldOfOtherType", "{\"id\": \"m\", \"fields\": {\n\"duration\": {\"type\": \"string\"}}}", 4,
              "always has the type integer"},
        Wrong{"FieldNamedModel", "{\"id\": \"m\", \"fields\": {\n\"model\": {\"type\": \"string\"}}}", 4,
              "named"},
        Wrong{"FieldNamedTake", "{\"id\": \"m\", \"fields\": {\n\"take\": {\"type\": \"integer\"}}}", 4,
              "named"},
        Wrong{"FieldNamedApi", "{\"id\": \"m\", \"fields\": {\n\"api\": {\"type\": \"string\"}}}", 4,
              "named"},
        Wrong{"UnknownType", "{\"id\": \"m\", \"fields\": {\n\"wind\": {\"type\": \"float\"}}}", 4,
              "type must be"},
        Wrong{"MinAboveMax", "{\"id\": \"m\", \"fields\": {\n\"duration\": {\"min\": 9, \"max\": 5}}}", 4,
              "greater than max"},
        Wrong{"DefaultOutside", "{\"id\": \"m\", \"fields\": {\"duration\": {\n\"max\": 5, \"default\": 6}}}",
              4, "the default"},
        Wrong{"ValueOfOtherType", "{\"id\": \"m\", \"fields\": {\"duration\": {\n\"values\": [\"5\"]}}}", 4,
              "among the values"},
        Wrong{"BoundOfText", "{\"id\": \"m\", \"fields\": {\"prompt\": {\n\"max\": 5}}}", 4,
              "does not apply"},
        Wrong{"NoValues", "{\"id\": \"m\", \"fields\": {\"resolution\": {\n\"values\": []}}}", 4,
              "at least one"},
        Wrong{"RequiredAndRefused",
              "{\"id\": \"m\", \"fields\": {\n\"size\": {\"required\": true, \"refused\": true}}}", 4,
              "both required and refused"},
        Wrong{"NegativeCount", "{\"id\": \"m\", \"fields\": {\"prompt\": {\n\"max_length\": -5}}}", 4,
              "negative"},
        Wrong{"LimitWithoutMax",
              "{\"id\": \"m\", \"fields\": {\"prompt\": {\"text_limits\": [\n{\"count\": \"words\"}]}}}", 4,
              "needs max"},
        Wrong{"UnknownMedia", "{\"id\": \"m\", \"fields\": {\"first_image\": {\n\"media\": \"nothing\"}}}", 4,
              "no media limits named"},
        Wrong{"EmptyRange",
              "{\"id\": \"m\", \"fields\": {\"first_image\": {\"media\": {\n\"width\": {\"above\": 9, "
              "\"below\": 5}}}}}",
              4, "this range is empty"},
        Wrong{"BothMinAndAbove",
              "{\"id\": \"m\", \"fields\": {\"first_image\": {\"media\": {\n\"width\": {\"above\": 9, "
              "\"min\": 5}}}}}",
              4, "given twice"},
        Wrong{"RuleOnNothing",
              "{\"id\": \"m\", \"fields\": {\"prompt\": {}}, \"rules\": [\n{\"rule\": \"conflict\", "
              "\"fields\": [\"a\", \"prompt\"]}]}",
              4, "not a field of the model"},
        Wrong{"UnknownRule",
              "{\"id\": \"m\", \"open\": true, \"rules\": [\n{\"rule\": \"forbids\", \"fields\": [\"a\"]}]}",
              4, "rule must be"},
        Wrong{"RuleWithoutOthers",
              "{\"id\": \"m\", \"open\": true, \"rules\": [\n{\"rule\": \"requires\", \"fields\": "
              "[\"a\"]}]}",
              4, "needs others"},
        Wrong{"ConflictOfOne",
              "{\"id\": \"m\", \"open\": true, \"rules\": [\n{\"rule\": \"conflict\", \"fields\": "
              "[\"a\"]}]}",
              4, "too few"}),
    [](const auto &row) { return std::string(row.param.name); });

TEST(CatalogFile, ThatIsNoJsonNamesTheLine) {
  const auto catalog = read("{\"models\": [\n{\"id\": }\n]}");
  ASSERT_EQ(catalog->mistakes().size(), 1u);
  EXPECT_EQ(catalog->mistakes()[0].line, 2) << all_mistakes(*catalog);
  EXPECT_TRUE(catalog->find("dance-2.5"));
}

TEST(CatalogFile, IsReadAsJsonAloneAndItsFirstMistakeNamesTheLine) {
  const struct {
    const char *text;
    int line;
    const char *said;
  } kRows[] = {
      {"[]", 1, "must be an object"},
      {"", 1, "it is empty"},
      {"\n\n", 1, "it is empty"},
      {"{\"models\": []}\n\nxx", 3, "text follows its end"},
      {"{\"models\": []}\n{\"models\": []}", 2, "text follows its end"},
      {"{\"models\": [],\n\"models\": [{\"id\": \"m\", \"open\": true}]}", 2, "\"models\" twice"},
      {"{\"models\": [{\"id\": \"a\",\n\"open\": true,\n\"id\": \"m\"}]}", 3, "\"id\" twice"},
      {"{\"models\": [{\"id\": \"m\", \"fields\": {\"duration\": {\"min\": 4,\n\"min\": 6}}}]}", 2,
       "\"min\" twice"},
      {"{\"models\": [\n{\"id\": \"m\\u0000\", \"open\": true}]}", 2, "no character"},
      {"{\"models\": [\n{\"id\": \"m\", \"open\": true,\n\"note\": \"caf\xe9\"}]}", 3, "no character"},
      {"{'models': [{'id': 'm', 'open': true}]}", 1, "single quotes"},
      {"{\"models\": [{\"id\": \"m\", \"open\": true}] // mine\n}", 1, "a comment"},
  };
  for (const auto &[text, line, said] : kRows) {
    const auto catalog = read(text);
    ASSERT_EQ(catalog->mistakes().size(), 1u) << text << all_mistakes(*catalog);
    EXPECT_EQ(catalog->mistakes()[0].line, line) << all_mistakes(*catalog);
    EXPECT_THAT(catalog->mistakes()[0].text, HasSubstr(said));
    EXPECT_FALSE(catalog->find("m")) << text;
    EXPECT_TRUE(catalog->find("dance-2.5"));
  }
}

TEST(CatalogFile, ThatIsBuiltInPassesTheSameCheck) {
  ASSERT_TRUE(Catalog::built_in());
  const std::unique_ptr<GBytes, decltype(&g_bytes_unref)> bytes(
      g_resources_lookup_data("/genclip/catalog/models.json", G_RESOURCE_LOOKUP_FLAGS_NONE, nullptr),
      g_bytes_unref);
  ASSERT_TRUE(bytes);
  size_t size = 0;
  const auto *text = static_cast<const char *>(g_bytes_get_data(bytes.get(), &size));
  const auto json = Json::parse({text, size}, Json::Lines::noted, Json::Reading::exact);
  EXPECT_EQ(json ? "" : json.error().text, "");
}

TEST(CatalogFile, RefusesWhatTheOtherModelRequiresAndTheReverse) {
  const auto catalog = read(R"({"models": [
    {"id": "a", "fields": {"prompt": {}, "duration": {"required": true, "default": 5}, "size": {"refused": true}}},
    {"id": "b", "like": "a", "fields": {"duration": {"refused": true}, "size": {"required": true}}}]})");
  ASSERT_EQ(all_mistakes(*catalog), "");
  EXPECT_TRUE(catalog->find("b")->find("duration")->refused);
  EXPECT_FALSE(catalog->find("b")->find("duration")->required);
  EXPECT_TRUE(catalog->find("b")->find("size")->required);
  EXPECT_FALSE(catalog->find("b")->find("size")->refused);
}

TEST(CatalogFile, KeepsTheEarlierModelWhereTheNewOneIsWrong) {
  const auto catalog = read(R"({"models": [{"id": "dance-2.5", "fields": {"prompt": {"max": 1}}}]})");
  EXPECT_EQ(catalog->mistakes().size(), 1u);
  EXPECT_TRUE(catalog->find("dance-2.5")->find("resolution"));
}

TEST(CatalogFile, SaysWhyAModelOfItIsMissing) {
  const auto catalog = read("{\"models\": [\n{\"id\": \"storm-1\", \"opne\": true}]}");
  EXPECT_THAT(catalog->unknown_model_text("storm-1"), HasSubstr("mine.json:2: "));
}

TEST(CatalogFile, CannotChangeTheServiceAsAWhole) {
  const auto catalog =
      read(R"({"common_fields": {"prompt": {"type": "integer"}}, "aliases": {"prompt": "duration"}})");
  EXPECT_EQ(catalog->mistakes().size(), 2u) << all_mistakes(*catalog);
  EXPECT_EQ(catalog->common_field("prompt")->type, FieldType::string);
  EXPECT_EQ(catalog->canonical(nullptr, "prompt"), "prompt");
}

TEST(CatalogFile, FromTextFailsWithTheFirstMistake) {
  EXPECT_TRUE(Catalog::from_text(R"({"models": [{"id": "storm-1", "open": true}]})"));
  const auto wrong = Catalog::from_text(R"({"models": [{"id": "storm-1"}]})");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().text, HasSubstr("text:1: "));
}

// Cut, doubled and overwritten pieces of the examples: a mistake or none, never more.
TEST(CatalogFile, SurvivesAnyBytes) {
  const std::string good =
      R"({"aliases":{"a":"size"},"media":{"m":{"formats":["x"],"width":{"min":1}}},"models":[{"id":"s","like":"mini-h3",)"
      R"("fields":{"wind":{"type":"number","values":[1,2.5],"default":1},"prompt":{"text_limits":[{"count":"words",)"
      R"("max":3}]},"first_image":{"media":"m"}},"rules":[{"rule":"conflict","fields":["size","wind"]}]}]})";
  ASSERT_EQ(all_mistakes(*read(good)), "");
  std::mt19937 random(20240607);
  for (int run = 0; run < 400; ++run) {
    std::string text = good;
    const size_t at = random() % text.size();
    switch (random() % 4) {
      case 0: text.resize(at); break;
      case 1: text[at] = static_cast<char>(random()); break;
      case 2: text.insert(at, text.substr(random() % text.size(), random() % 40)); break;
      default: text.erase(at, random() % 20); break;
    }
    SCOPED_TRACE(text);
    const auto catalog = read(text);
    EXPECT_TRUE(catalog->find("dance-2.5"));
    if (const auto spec = catalog->find("s")) {
      ClipRequest request{.model = "s"};
      request.fields.set("prompt", "x");
      (void)check_request(*catalog, request);
    }
  }
}

}  // namespace
}  // namespace genclip
