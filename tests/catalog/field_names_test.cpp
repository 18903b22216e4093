// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Names that stand among the fields of a request and are none, and the rows of settings that they come from.
#include "plugin/catalog/field_names.h"

#include <glib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "plugin/base/gref.h"
#include "plugin/catalog/check_request.h"
#include "plugin/catalog/clip_uri.h"
#include "plugin/catalog/settings.h"
#include "plugin/catalog/wording.h"

namespace genclip {
namespace {

using testing::HasSubstr;

std::string with_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string in_case(std::string name, bool upper, bool only_first) {
  for (size_t i = 0; i < name.size(); ++i)
    if (!only_first || i == 0) name[i] = upper ? g_ascii_toupper(name[i]) : g_ascii_tolower(name[i]);
  return name;
}

// As written, with "_", in other cases, without hyphens, and as it is pasted from a command line.
std::vector<std::string> spellings(const std::string &name) {
  std::vector<std::string> all;
  for (const std::string &one : {name, with_underscores(name)})
    for (const std::string &cased : {one, in_case(one, true, false), in_case(one, true, true)})
      for (const char *dash : {"", "--", "\u2014", "\u2013", "_"}) all.push_back(dash + cased);
  std::string joined = name;
  std::erase(joined, '-');
  all.push_back(joined);
  for (const char *path : {"[0]", "[]", ".x", "/x", ":"}) all.push_back(with_underscores(name) + path);
  all.push_back("'" + name + "'[0]");
  return all;
}

// The problems of a request with that field, in a URI, among the extra parameters and in a chain.
std::vector<std::string> problems_with(const std::string &name) {
  const auto catalog = Catalog::built_in();
  const GStringPtr escaped(g_uri_escape_string(name.c_str(), nullptr, FALSE));
  const std::string uri = std::string("genclip://veo?prompt=x&") + escaped.get() + "=1";
  std::vector<std::string> problems;
  const auto texts = [](const auto &checked) {
    std::string text;
    if (!checked)
      for (const Problem &problem : checked.error()) text += problem.text;
    return text;
  };
  problems.push_back(texts(check_request(*catalog, *parse_clip_uri(*catalog, uri), {})));

  ClipRequest request = *parse_clip_uri(*catalog, "genclip://veo?prompt=x");
  request.extra = Json::Object{{name, "1"}};
  problems.push_back(texts(check_request(*catalog, request, {})));

  ClipRequest chain = *parse_clip_uri(*catalog, "genclip://veo?prompt=x");
  chain.fields.set("first_image", Json::Array{uri + "#last"});
  problems.push_back(texts(check_request(*catalog, chain, {true, true})));
  return problems;
}

TEST(FieldNames, ASettingIsNoFieldInAnySpellingAnywhere) {
  for (const Setting &setting : settings()) {
    if (names_credential(setting.name) || setting.name == std::string_view("models")) continue;
    for (const std::string &name : spellings(setting.name))
      for (const std::string &problem : problems_with(name)) {
        EXPECT_THAT(problem, HasSubstr("is a setting of genclip, and no field of a request")) << name;
        EXPECT_THAT(problem, HasSubstr(setting.takers == kEnvironment ? setting.variable : setting.name))
            << name;
      }
  }
}

// M5
TEST(FieldNames, AVariableOfGenclipIsNoFieldWhateverItIs) {
  std::set<std::string> names = {"GENCLIP_API_KEY_FILE", "GENCLIP_LLM_BASE_URL", "GENCLIP_SOMETHING_NEW"};
  for (const Setting &setting : settings())
    if (*setting.variable && !names_credential(setting.variable)) names.insert(setting.variable);
  EXPECT_GE(names.size(), 12u);
  for (const std::string &name : names)
    for (const std::string &spelled : {name, in_case(name, false, false), "$" + name, name + "[0]"})
      for (const std::string &problem : problems_with(spelled))
        EXPECT_THAT(problem, HasSubstr("no field of a request")) << spelled;
}

TEST(FieldNames, AKeyBehindWhichAPathStandsIsOne) {
  for (const char *name : {"api_key[0]", "API-Key.x", "token/0", "\"api_key\":", "GENCLIP_API_KEY.x"})
    EXPECT_TRUE(names_credential(name)) << name;
  for (const char *name : {"keyframes[0].image", "x.key_light", "image[0]", "[0]", ".", ""})
    EXPECT_FALSE(names_credential(name)) << name;
}

// What stands under the name of a key, wherever it stands.
TEST(FieldNames, AKeyIsOneUnderEveryNameThatSaysSo) {
  for (const char *name : {"pwd",
                           "pass",
                           "app_key",
                           "appkey",
                           "app_secret",
                           "api_keys",
                           "keys",
                           "tokens",
                           "hf_token",
                           "id_token",
                           "refresh_token",
                           "oauth_token",
                           "basic_auth",
                           "bearerAuth",
                           "jwt",
                           "jwt_token",
                           "aws_secret_access_key",
                           "headers.Authorization",
                           "header[Authorization]",
                           "auth.token",
                           "key_file",
                           "keyfile",
                           "token_file",
                           "llm_key",
                           "user_password",
                           "userPassword",
                           "x-goog-api-key",
                           "ocp-apim-subscription-key",
                           "userkey",
                           "openaiKey",
                           "genclip-key",
                           "session_token",
                           "secretKey",
                           "clientSecret",
                           "api_key_2",
                           "apiKeyV2",
                           "serviceApiKey",
                           "private-key",
                           "passcode",
                           "credentials.api_key",
                           "license_key",
                           "Authorisation"})
    EXPECT_TRUE(names_credential(name)) << name;
}

TEST(FieldNames, WordsOfFilmsAreNoKeys) {
  for (const char *name :
       {"keyframe",   "key_frames",   "keyframes",   "keywords",       "monkey",        "hotkey",
        "turkey",     "token_count",  "max_tokens",  "max_new_tokens", "output_tokens", "trigger_token",
        "tokenizer",  "passes",       "render_pass", "passthrough",    "bypass",        "author",
        "authors",    "authenticity", "secretary",   "keying",         "key_light",     "low_key",
        "keypoints",  "color_key",    "chroma_key",  "key_color",      "musical_key",   "root_key",
        "object_key", "sort_key",     "primary_key", "cookie",         "signature",     "mask_token",
        "grid_token", "x_keys",       "file"})
    EXPECT_FALSE(names_credential(name)) << name;
}

TEST(FieldNames, AKeyIsOneInsideOfAField) {
  const auto is_key = [](const char *json) { return is_credential("h", *Json::parse(json)); };
  for (const char *json : {R"({"api_key":"sk-1"})", R"([{"a":{"Authorization":"Bearer x"}}])",
                           R"({"a":[1,{"token":"sk-012345"}]})", R"({"auth":{"user":"me"}})",
                           R"({"password":["x"]})", R"({"x-api-key":"sk-0123"})"})
    EXPECT_TRUE(is_key(json)) << json;
  for (const char *json :
       {R"({"tokens":120,"max_tokens":9})", R"({"token":"sks"})", R"([{"key":"image_strength","value":0.5}])",
        R"({"password":false,"auth":null})", R"({"keyframes":[{"key":"uploads/0123.png"}]})", R"("token")",
        R"(["Authorization"])", "1"})
    EXPECT_FALSE(is_key(json)) << json;
}

TEST(FieldNames, AKeyOfMusicIsNone) {
  for (const char *key : {"C", "Am", "C minor", "F# major"}) EXPECT_FALSE(is_credential("key", key)) << key;
  for (const char *key : {"sekret", "sk-0123456789abcdef"}) EXPECT_TRUE(is_credential("key", key)) << key;
}

TEST(FieldNames, OtherPropertiesAreNoFieldsEither) {
  for (const char *name :
       {"extra-params", "num-buffers", "status", "clip-location", "Do_Timestamp", "status[0]"})
    for (const std::string &problem : problems_with(name))
      EXPECT_THAT(problem, HasSubstr("is a property of genclipsrc, and no field of a request")) << name;
}

TEST(FieldNames, AFieldHasOneSpelling) {
  const auto catalog = Catalog::built_in();
  const auto told = [&](const char *name, const char *model) {
    return misplaced_name_text(*catalog, *catalog->find(model), name).value_or("");
  };
  EXPECT_EQ(told("Take", "veo"), "\"Take\" is no field of a request; did you mean take?");
  EXPECT_EQ(told("API", "veo"), "\"API\" is no field of a request; did you mean api?");
  EXPECT_EQ(told("--aspect-ratio", "veo"),
            "\"--aspect-ratio\" is no field of a request; did you mean aspect_ratio?");
  EXPECT_EQ(told("Image-URLs", "veo"),
            "\"Image-URLs\" is no field of a request; did you mean reference_images?");
  EXPECT_EQ(told("Seconds", "sky2Stable"), "\"Seconds\" is no field of a request; did you mean duration?");
  EXPECT_EQ(told("Seconds", "dance_1_5_pro_720p"),
            "\"Seconds\" is no field of a request; did you mean duration?");
  EXPECT_EQ(told("reference_images[0]", "veo"),
            "\"reference_images[0]\" is no field of a request; did you mean reference_images?");
  EXPECT_THAT(told("amp;seed", "veo"), HasSubstr("write & in place of &amp;"));
  for (const auto &[name, meant] : {std::pair("AspectRatio", "aspect_ratio"),
                                    {"aspectRatio", "aspect_ratio"},
                                    {"aspectratio", "aspect_ratio"},
                                    {"GenerateAudio", "generate_audio"},
                                    {"first_image ", "first_image"},
                                    {" duration", "duration"},
                                    {"prompt ", "prompt"},
                                    {"take\t", "take"},
                                    {"images ", "reference_images"},
                                    {"\u00a0seed", "seed"},
                                    {"dura\ntion", "duration"}})
    EXPECT_EQ(told(name, "veo"), quoted(name) + " is no field of a request; did you mean " + meant + "?");
  for (const char *name : {" style", "style ", "style\n", "sty\tle", "\u3000style", "style\u200b", " "})
    EXPECT_EQ(
        told(name, "veo"),
        quoted(name) + " is no field of a request: its name has a control character, or a blank at an end.");
  // What a model with open fields may have.
  for (const char *name : {"models", "help", "firstImage", "style", "film-style", "name", "loop", "strength",
                           "language[0]", "x.max", "\u540d", "t\u00e4ke", "-", ""})
    EXPECT_EQ(told(name, "veo"), "") << name;
  for (const char *name : {"take", "api", "model", "aspect_ratio", "image_urls", "referenceImages"})
    EXPECT_EQ(told(name, "veo"), "") << name;
  // It has no such field, whose names another text lists.
  EXPECT_EQ(told("Seed", "dance-2.5"), "");
}

TEST(FieldNames, AnOpenModelIsNotSentAFieldByAnotherSpelling) {
  for (const char *name : {" duration", "prompt ", "images ", "take ", "GenerateAudio", " style", "sty\tle"})
    for (const std::string &problem : problems_with(name))
      EXPECT_THAT(problem, HasSubstr("is no field of a request")) << name;
}

TEST(FieldNames, AModelMayHaveAFieldThatIsNamedAsASetting) {
  const auto catalog = Catalog::from_text(
      R"({"models": [{"id": "mine", "fields": {"prompt": {},
          "timeout": {"type": "integer"}, "format": {"type": "string"}}}]})");
  ASSERT_TRUE(catalog) << catalog.error().text;
  const auto request = parse_clip_uri(**catalog, "genclip://mine?prompt=x&timeout=3&format=mp4");
  ASSERT_TRUE(request) << request.error().text;
  const auto checked = check_request(**catalog, *request, {});
  ASSERT_TRUE(checked) << checked.error().front().text;
  EXPECT_EQ(*checked->body().find("timeout"), Json(int64_t{3}));
  // In its own spelling.
  EXPECT_FALSE(check_request(**catalog, *parse_clip_uri(**catalog, "genclip://mine?prompt=x&Timeout=3"), {}));
}

TEST(FieldNames, SayWhereASettingBelongs) {
  const auto catalog = Catalog::built_in();
  const auto told = [&](const char *name, SettingPlace place) {
    return *misplaced_setting_text(*catalog, nullptr, name, place);
  };
  EXPECT_THAT(told("retries", SettingPlace::property), HasSubstr("set the property retries."));
  EXPECT_THAT(
      told("retries", SettingPlace::option),
      HasSubstr("it is the option --retries of genclip generate, batch, prefetch, store fetch and channel."));
  EXPECT_THAT(told("reuse", SettingPlace::option), HasSubstr("set the property reuse of genclipsrc."));
  EXPECT_THAT(told("anew", SettingPlace::property),
              HasSubstr("it is the option --anew of genclip generate."));
  for (const SettingPlace place : {SettingPlace::property, SettingPlace::option})
    EXPECT_THAT(told("Publish_Command", place),
                HasSubstr("set the environment variable GENCLIP_PUBLISH_COMMAND."));
}

TEST(Settings, HaveRowsThatCanBeUsed) {
  std::set<std::string> names;
  for (const Setting &setting : settings()) {
    EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
    EXPECT_EQ(find_setting(setting.name), &setting);
    EXPECT_TRUE(setting.takers != kEnvironment || *setting.variable) << setting.name;
    const std::string help = setting.help;
    EXPECT_FALSE(help.empty() || help.ends_with('.')) << setting.name;
    const bool is_property = setting.takers & kElements;
    const bool is_option = setting.takers & ~kElements;
    EXPECT_FALSE(is_property && std::holds_alternative<std::monostate>(setting.member)) << setting.name;
    const bool is_switch = std::holds_alternative<bool RunSettings::*>(setting.member) ||
                           std::holds_alternative<std::monostate>(setting.member);
    EXPECT_TRUE(!is_option || is_switch || setting.option.value_name) << setting.name;
    const bool may_have_letter =
        is_switch || std::holds_alternative<std::string RunSettings::*>(setting.member);
    EXPECT_TRUE(may_have_letter || !setting.option.letter) << setting.name;
    EXPECT_EQ(setting.meanings.size(), choices_of(setting).size()) << setting.name;
  }
  EXPECT_EQ(find_setting("no-such"), nullptr);
}

TEST(Settings, SayWhatHoldsWithoutThem) {
  EXPECT_EQ(property_help(*find_setting("store")),
            "Folder of the clip store; unset: $GENCLIP_STORE, else genclip in the user's cache folder");
  EXPECT_EQ(property_help(*find_setting("retries")).find("unset"), std::string::npos);
  EXPECT_EQ(option_help(*find_setting("max-download-size")),
            "Maximum size of a clip to accept, such as 500M (4Gi)");
  EXPECT_EQ(option_help(*find_setting("proxy")), "HTTP proxy; else the system's proxy");
  EXPECT_EQ(option_help(*find_setting("check-media")),
            "Check reference media first: none, headers or full (none)");
  for (const auto &[credits, is_good] :
       {std::pair(0.0, true), {12.5, true}, {-1.0, false}, {NAN, false}, {INFINITY, false}, {-0.0, true}})
    EXPECT_EQ(max_amount_problem(credits).empty(), is_good) << credits;
}

}  // namespace
}  // namespace genclip
