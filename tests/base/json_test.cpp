// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Json: what it preserves, survives and writes.
#include "plugin/base/json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "plugin/base/json_writer.h"

namespace genclip {
namespace {

TEST(Json, KeepsValuesTypesAndOrder) {
  const std::string text = R"({"b":[1,2.5,"x",true,null],"a":{"c":-9223372036854775808}})";
  const auto json = Json::parse(text);
  ASSERT_TRUE(json) << json.error().text;
  EXPECT_EQ(json->to_text(), text);
  EXPECT_EQ(json->to_canonical_text(), R"({"a":{"c":-9223372036854775808},"b":[1,2.5,"x",true,null]})");
}

TEST(Json, NamesTheLineOfEachMemberToWhoWantsIt) {
  const char *const text = "{\n\"a\":1,\n\"b\":[\n2,\n3]}";
  const auto plain = Json::parse(text);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->find("a")->line(), 0);
  const auto json = Json::parse(text, Json::Lines::noted);
  ASSERT_TRUE(json);
  EXPECT_EQ(*json, *plain);
  EXPECT_EQ(json->find("a")->line(), 2);
  EXPECT_EQ((*json->find("b")->array())[1].line(), 5);
}

TEST(Json, KeepsIntegersThatDoNotFitAsTheirDigits) {
  const auto json = Json::parse(R"({"id":18446744073709551616, "n":9223372036854775807})");
  ASSERT_TRUE(json);
  EXPECT_EQ(*json->find("id")->string(), "18446744073709551616");
  EXPECT_EQ(*json->find("n")->integer(), INT64_MAX);
}

TEST(Json, RefusesNumbersThatItCannotSendOn) {
  const auto exact = [](const char *text) {
    return Json::parse(text, Json::Lines::unknown, Json::Reading::exact);
  };
  for (const char *number : {"9223372036854775808", "-9223372036854775809", "010", "1e999", ".5"}) {
    const auto json = exact(("{\"seed\": " + std::string(number) + "}").c_str());
    ASSERT_FALSE(json) << number;
    EXPECT_NE(json.error().text.find("it has " + std::string(number) + ", which is no"), std::string::npos);
  }
  EXPECT_TRUE(exact("[9223372036854775807, -9223372036854775808, 0.5, 1e3, \"010\"]"));
}

// A text that is none of both may be meant as a text; one that is read differently may not be sent as either.
TEST(Json, TellsWhatIsReadDifferentlyFromWhatIsNoJson) {
  const auto kind_of = [](const std::string &text) {
    const auto json = Json::parse(text, Json::Lines::unknown, Json::Reading::exact);
    return json ? std::nullopt : std::optional(json.error().kind);
  };
  for (const char *text :
       {R"("a\u0000b")", R"({"\u0000":1})", R"(["\ud83e"])", R"({"a":[{"b":1,"b":2}]})",
        "9223372036854775808", "[-9223372036854775809]", "1e400", "[1e-400]", "18446744073709551615"})
    EXPECT_EQ(kind_of(text), ErrorKind::settings) << text;
  for (const char *text : {"{'a':1}",    "[1] // one", R"({"a":01})",  "007",          "[.5]",
                           "5.",         "12e4567abc", "-Infinity",    "[NaN]",        "[1,]",
                           R"("\q")",    R"("\u12")",  R"("a\u0000b)", R"(["\ud83e")", "[9223372036854775808",
                           "var a = {}", "5 6",        R"("a" "b")",   "[1}",          ""})
    EXPECT_EQ(kind_of(text), ErrorKind::failed) << text;
  for (const char *text :
       {R"("\ud83e\udd2a")", R"({"a":1,"b":{"a":1}})", "-0", "1e2", R"("\\ \/ \"")", "[true]"})
    EXPECT_EQ(kind_of(text), std::nullopt) << text;
}

TEST(Json, OfAPersonNamesTheLineOfEveryMistake) {
  for (const char *text : {"[1,\n2,\n'a']", "[1,\n2]\n//", "[\n\n]]", "{\"a\":1,\n\n\"a\":2}",
                           "[\n\n\"\\u0000\"]", "[\n\n\"\xff\"]", "[\n\n\"\\q\"]", "[\n\nno]"}) {
    const auto json = Json::parse(text, Json::Lines::noted, Json::Reading::strict);
    ASSERT_FALSE(json) << text;
    EXPECT_NE(json.error().text.find(": line 3:"), std::string::npos) << text << "\n" << json.error().text;
  }
  EXPECT_EQ(Json::parse("", Json::Lines::noted).error().text, "This is not JSON: line 1: it is empty.");
}

TEST(Json, KeepsNumbersThatWouldBeReadAsOthers) {
  for (const char *number : {"010", "-010", "0x10", "00", "1e999", "-1e999", "1E-400", ".5", "5.", "-.5"}) {
    const auto json = Json::parse(std::string("[") + number + "]");
    ASSERT_TRUE(json) << number;
    EXPECT_EQ((*json->array())[0], Json(number));
  }
  for (const auto &[text, value] :
       {std::pair("0", 0.0), {"-0.5", -0.5}, {"0.10", 0.1}, {"0e3", 0.0}, {"1e3", 1000.0}})
    EXPECT_EQ((*Json::parse(std::string("[") + text + "]")->array())[0].number(), value) << text;
}

struct Odd {
  const char *name;
  std::string text;
  bool valid;
};

class OddJson : public testing::TestWithParam<Odd> {};

TEST_P(OddJson, IsReadOrRefusedButSurvived) {
  const auto json = Json::parse(GetParam().text);
  EXPECT_EQ(json.has_value(), GetParam().valid) << GetParam().text.substr(0, 200);
  if (!json) {
    EXPECT_TRUE(json.error().text.starts_with("This is not JSON: ")) << json.error().text;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Json, OddJson,
    testing::Values(Odd{"Empty", "", false}, Odd{"OnlyBlanks", " \n", false}, Odd{"Html", "<html>", false},
                    Odd{"CutObject", R"({"a":)", false}, Odd{"CutString", R"({"a":"x)", false},
                    Odd{"CutEscape", "\"\\", false}, Odd{"CutUnicodeEscape", "\"\\u12", false},
                    Odd{"HalfSurrogate", R"(["\ud83d"])", true},
                    Odd{"TwoHighSurrogates", R"(["\ud83d\ud83d"])", true},
                    Odd{"LowSurrogate", R"(["\ude00x"])", true}, Odd{"EscapedNul", R"(["a\u0000b"])", true},
                    Odd{"RawNul", std::string("[\"a\0b\"]", 7), true}, Odd{"NotUtf8", "[\"\xff\xfe\"]", true},
                    Odd{"ByteOrderMark", "\xEF\xBB\xBF{}", true}, Odd{"BareNull", "null", true},
                    Odd{"Infinite", "[1e999]", true},
                    Odd{"DeepEnough", std::string(100, '[') + std::string(100, ']'), true},
                    Odd{"TooDeep", std::string(101, '[') + std::string(101, ']'), false},
                    Odd{"EndlessNesting", std::string(8 << 20, '['), false},
                    Odd{"BracketsInStrings", "[\"" + std::string(500, '[') + "\"]", true},
                    Odd{"LeadingZerosAndJunk", "[-]", false},
                    Odd{"TwoDocuments", R"({"id":"a"}{"id":"b"})", false},
                    Odd{"WordsBehindTheEnd", "{} and more", false},
                    Odd{"BlanksBehindTheEnd", "{} \r\n\t", true}, Odd{"OneBracketTooMany", "[]]", false}),
    [](const auto &row) { return std::string(row.param.name); });

TEST(Json, ReplacesWhatIsNoCharacter) {
  const auto json = Json::parse(R"(["a\u0000b","\ud83d!","\ud83d\ude00"])");
  ASSERT_TRUE(json);
  EXPECT_EQ(*(*json->array())[0].string(), "a\uFFFDb");
  EXPECT_EQ(*(*json->array())[1].string(), "\uFFFD!");
  EXPECT_EQ(*(*json->array())[2].string(), "\U0001F600");
}

TEST(Json, WritesNumbersThatAreReadAsTheSameValueAndType) {
  const struct {
    double value;
    const char *text;
  } kRows[] = {
      {0.1, "0.1"},
      {2, "2.0"},
      {-0.0, "-0.0"},
      {1e22, "1e+22"},
      {1e308, "1e+308"},
      {5e-324, "5e-324"},
      {1.0 / 3, "0.3333333333333333"},
      {123456789.5, "123456789.5"},
  };
  for (const auto &row : kRows) {
    const std::string text = Json(row.value).to_text();
    EXPECT_EQ(text, row.text);
    const auto again = Json::parse(text);
    ASSERT_TRUE(again) << text << ": " << again.error().text;
    ASSERT_TRUE(again->real()) << text;
    EXPECT_EQ(*again->real(), row.value) << text;
  }
  EXPECT_EQ(Json(HUGE_VAL).to_text(), "null");
}

TEST(Json, WritesEveryByteOfAStringSoThatItIsReadAgain) {
  std::string all;
  for (char c = 1; c != 0x7f; ++c) all += c;
  all += "\x7f\u00e9\U0001F3AC";
  const auto again = Json::parse(Json(Json::Object{{all, all}}).to_text());
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(*again, Json(Json::Object{{all, all}}));
  EXPECT_EQ(Json("a\"\\/\n\x01\x7f").to_text(), R"("a\"\\/\n\u0001\u007f")");
}

TEST(Json, IsPrettyForPeople) {
  const auto json = Json::parse(R"({"b":[1,{"c":[]}],"a":{}})");
  ASSERT_TRUE(json);
  EXPECT_EQ(json->to_pretty_text(), R"({
  "b": [
    1,
    {
      "c": []
    }
  ],
  "a": {}
})");
}

TEST(Json, IsShownWithoutWhatATerminalObeys) {
  const Json json(Json::Object{{"a\u009b", "\u202e\u2028\u00ad\U000E0041"}, {"b", "Z\u00fcrich\U0001F3AC"}});
  EXPECT_EQ(json.to_pretty_text(), R"({
  "a\u009b": "\u202e\u2028\u00ad\udb40\udc41",
  "b": "Zürich🎬"
})");
  EXPECT_EQ(Json::parse(json.to_pretty_text()).value(), json);
  EXPECT_EQ(write_json(json, JsonLayout::shown_line, JsonOrder::kept),
            R"({"a\u009b":"\u202e\u2028\u00ad\udb40\udc41","b":"Zürich🎬"})");
  EXPECT_EQ(Json("\u202e").to_text(), "\"\u202e\"") << "what is sent and hashed stays as it is";
  EXPECT_EQ(Json("a\xff").to_pretty_text(), "\"a\xff\"") << "as a path may be";
}

TEST(Json, ReadsEscapesThatJsonDoesNotKnowAsText) {
  const auto json = Json::parse(R"(["\ud8;c\udfac","\377\'","\u12"])");
  ASSERT_TRUE(json) << json.error().text;
  EXPECT_EQ(json->to_text(), "[\"\uFFFDd8;c\uFFFD\",\"377'\",\"\uFFFD12\"]");
}

TEST(Json, SetsMembersInPlace) {
  Json json;
  json.set("a", 1);
  json.set("b", "x");
  json.set("a", 2.5);
  EXPECT_EQ(json.to_text(), R"({"a":2.5,"b":"x"})");
}

TEST(Json, RefusesMoreValuesThanMemoryIsWorth) {
  const auto list_of = [](size_t count) {
    std::string text = "[1";
    for (size_t i = 1; i < count; ++i) text += ",1";
    return text + "]";
  };
  EXPECT_TRUE(Json::parse(list_of(250000)));
  const auto more = Json::parse(list_of(250001));
  ASSERT_FALSE(more);
  EXPECT_NE(more.error().text.find("more than 250000 values"), std::string::npos) << more.error().text;
  EXPECT_TRUE(Json::parse("\"" + std::string(300000, ',') + "\"")) << "in a string they are letters";
}

}  // namespace
}  // namespace genclip
