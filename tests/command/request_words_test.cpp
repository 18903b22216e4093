// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Words of a command line as a request.
#include "plugin/command/request_words.h"

#include <glib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "plugin/base/gref.h"
#include "plugin/catalog/check_request.h"
#include "plugin/catalog/clip_uri.h"
#include "plugin/command/request_report.h"

namespace genclip {
namespace {

using testing::HasSubstr;

Result<ClipRequest, WordsProblem> read(const Words &words) {
  auto read = read_request(*Catalog::built_in(), words);
  if (!read) return std::move(read).error();
  if (!read->problems.empty()) return WordsProblem(Error{ErrorKind::settings, problems_text(read->problems)});
  return std::move(read->request);
}

std::string usage(const Words &words) {
  const auto request = read(words);
  const auto *problem = request ? nullptr : std::get_if<UsageProblem>(&request.error());
  return problem ? problem->text : "";
}

std::string wrong(const Words &words) {
  const auto request = read(words);
  const auto *problem = request ? nullptr : std::get_if<Error>(&request.error());
  return problem ? problem->text : "";
}

TEST(RequestWords, AreTypedByTheCatalog) {
  const auto request =
      read({"sd_2.0_special", "prompt=5", "duration=5", "generate_audio=on", "strength=0.5", "style=film"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->model, "sd_2.0_special");
  EXPECT_EQ(request->fields.to_text(), R"({"prompt":"5","duration":5,"generate_audio":true})");
  EXPECT_EQ(request->extra.to_text(), R"({"strength":0.5,"style":"film"})");
}

// R11
TEST(RequestWords, AFieldThatIsWrittenAsAnOptionIsToldHowToBeWritten) {
  const auto told = [](const std::string &option, const Words &words) {
    return misplaced_field_text(*Catalog::built_in(), option, words);
  };
  EXPECT_EQ(told("--duration", {"sd_2.0_special", "--duration", "10"}),
            "duration is a field of the request, not an option: write duration=10.");
  EXPECT_EQ(told("--aspect-ratio", {"--aspect-ratio=16:9"}),
            "aspect_ratio is a field of the request, not an option: write aspect_ratio=16:9.");
  EXPECT_EQ(told("--images", {"--images"}),
            "reference_images is a field of the request, not an option: write reference_images=VALUE.");
  for (const char *name : {"--take", "--api", "--model", "--prompt", "--generate_audio"})
    EXPECT_THAT(told(name, {}), HasSubstr("=VALUE.")) << name;
  // What is long or may be secret is not repeated.
  for (const char *value : {"https://m.example/1.png?sig=SEKRET", "a red kite", "aaaaaaaaaaaaaaaaaaaaaaaaa"})
    EXPECT_THAT(told("--first-image", {"--first-image", value}), HasSubstr(": write first_image=VALUE."));
  for (const char *name : {"--durations", "--api-key", "-d", "--", ""}) EXPECT_EQ(told(name, {}), "") << name;
}

TEST(RequestWords, EverySpellingIsTheSameField) {
  const auto expected =
      read({"dance-2.5", "prompt=x", "reference_images=https://a/1", "reference_images=https://a/2"});
  for (const char *name : {"reference-images", "images", "image_urls", "image-urls", "referenceImages"}) {
    const std::string given = name;
    const auto request = read({"dance-2.5", "prompt=x", given + "=https://a/1", given + "=https://a/2"});
    ASSERT_TRUE(request) << name;
    EXPECT_EQ(*request, *expected) << name;
  }
}

TEST(RequestWords, AFieldOfTheModelIsThatFieldThoughOthersHaveItAsAnAlias) {
  const auto catalog = Catalog::from_text(
      R"({"models": [{"id": "mine", "open": true, "fields": {"images": {"type": "image[]"},
          "image-urls": {"type": "image[]"}}}]})");
  ASSERT_TRUE(catalog) << catalog.error().text;
  const auto read =
      read_request(**catalog, {"mine", "prompt=x", "images=https://a/1", "image-urls=https://a/2"});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->request.extra.to_text(), R"({"images":["https://a/1"],"image-urls":["https://a/2"]})");
}

TEST(RequestWords, AnUnknownFieldKeepsItsSpelling) {
  const auto request = read({"veo", "prompt=x", "film-style=noir"});
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->extra.find("film-style"));
}

TEST(RequestWords, AreTheRequestOfTheirUri) {
  const auto words =
      read({"sd_2.0_special", "prompt=a & b = c", "seed=7", "take=2", "api=legacy", "images=https://a/?b=c"});
  ASSERT_TRUE(words);
  EXPECT_EQ(words->take, 2u);
  EXPECT_EQ(words->api, Api::legacy);
  std::string text = clip_uri(*Catalog::built_in(), *words);
  // A scheme has no case.
  for (const char *opening : {"genclip", "GENCLIP", "GenClip"}) {
    const auto uri = read({text.replace(0, std::string_view("genclip").size(), opening)});
    ASSERT_TRUE(uri) << text;
    EXPECT_EQ(*uri, *words);
  }
}

TEST(RequestWords, LeaveOutWhatPropertiesLeaveOut) {
  const auto request =
      read({"sd_2.0_special", "prompt=x", "duration=0", "seed=-1", "generate-audio=default"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->fields.to_text(), R"({"prompt":"x"})");
}

TEST(RequestWords, AModelMayBeNamed) {
  EXPECT_EQ(*read({"model=veo", "prompt=x"}), *read({"veo", "prompt=x"}));
}

TEST(RequestWords, WithoutSenseAreUsageProblems) {
  EXPECT_THAT(usage({}), HasSubstr("Model ID is missing"));
  EXPECT_THAT(usage({"prompt=x", "veo"}), HasSubstr("Model ID is missing"));
  EXPECT_THAT(usage({"veo", "a kite"}), HasSubstr("FIELD=VALUE"));
  EXPECT_THAT(usage({"veo", "=x"}), HasSubstr("FIELD=VALUE"));
  EXPECT_THAT(usage({"veo", "model=veo"}), HasSubstr("twice"));
  EXPECT_THAT(usage({"genclip://veo", "prompt=x"}), HasSubstr("not both"));
  for (const char *option : {"store", "base-url", "base_url", "poll-interval", "output", "tls-ca-file"})
    EXPECT_THAT(usage({"veo", std::string(option) + "=x"}), HasSubstr("the option --")) << option;
}

TEST(RequestWords, ThatNoRequestCanHoldAreErrors) {
  EXPECT_THAT(wrong({"veo", "seed=1", "seed=2"}), HasSubstr("The command line gives seed twice"));
  EXPECT_THAT(wrong({"veo", "take=x"}), HasSubstr("take is \"x\""));
  EXPECT_EQ(
      wrong({"veo", "take=x", "take=1", "seed=1", "api=v3", "seed=2"}),
      "4 problems with this request: (1) take is \"x\"; it must be 0 or a positive integer. (2) The command "
      "line gives take twice. (3) api is \"v3\"; it must be auto, tasks or legacy. (4) The command line "
      "gives seed twice.");
  EXPECT_THAT(wrong({"veo", "api=v3"}), HasSubstr("api is \"v3\""));
  EXPECT_THAT(wrong({"genclip://veo?prompt=%zz"}), HasSubstr("The URI is invalid after"));
  for (const char *key : {"api_key", "api-key", "API_KEY", "token", "Authorization"}) {
    EXPECT_THAT(wrong({"veo", std::string(key) + "=sk-4711"}), HasSubstr("--api-key-file")) << key;
    EXPECT_THAT(wrong({"veo", std::string(key) + "=sk-4711"}), testing::Not(HasSubstr("4711"))) << key;
  }
}

// S3, S12. Read as a shell reads it.
TEST(RequestLine, CanBeGivenAgainAndIsTheSameRequest) {
  const Words kRequests[] = {
      {"veo", "prompt=it's \"50 %\" + & $HOME `x` \\ !", "list=[1]", "name=\"5\"", "flag=\"true\"",
       "more={\"a\":[1]}"},
      {"sd_2.0_special", "prompt=\u4e00\u53ea\u98ce\u7b5d", "duration=5", "take=2", "api=tasks",
       "watermark=off"},
      {"dance-2.5", "prompt=x", "reference_images=a red kite.png",
       "reference_images=https://m.example/1.png"},
      {"sd_2.0_special", "prompt=x",
       "first_image=genclip://"
       "sd_2.0_special?prompt=a%20storm%20over%20the%20sea%20and%20the%20dunes%20behind%20it&"
       "first_image=genclip://dream-5.0%3Fprompt=a%2520boat#last"}};
  for (const Words &words : kRequests) {
    const auto request = read(words);
    ASSERT_TRUE(request) << words[1];
    const std::string line = request_line(*request);
    char **argv = nullptr;
    ASSERT_TRUE(g_shell_parse_argv(line.c_str(), nullptr, &argv, nullptr)) << line;
    const auto again = read(Words(argv, argv + g_strv_length(argv)));
    g_strfreev(argv);
    ASSERT_TRUE(again) << line;
    EXPECT_EQ(*again, *request) << line;
  }
}

TEST(RequestLine, SaysThatItIsNotCompleteWhereItHidesOrCuts) {
  const std::string secret = "https://m.example/1.png?sig=4711";
  const GStringPtr escaped(g_uri_escape_string(secret.c_str(), nullptr, FALSE));
  const std::string clip = std::string("genclip://sd_2.0_special?prompt=x&first_image=") + escaped.get();
  const GStringPtr deeper(g_uri_escape_string(clip.c_str(), nullptr, FALSE));
  for (const std::string &word :
       {"prompt=" + std::string(200, 'x'), std::string("prompt=two\nlines"), "first_image=" + secret,
        "first_image=" + clip + "#last",
        std::string("first_image=genclip://sd_2.0_special?prompt=x&first_image=") + deeper.get() + "%23last",
        "first_image=genclip://dream-5.0?prompt=" + std::string(5000, 'x')}) {
    const auto request = read({"sd_2.0_special", word});
    ASSERT_TRUE(request) << word;
    const std::string line = request_line(*request);
    EXPECT_TRUE(line.ends_with(" (not complete)")) << line;
    EXPECT_EQ(line.find("4711"), line.npos) << line;
    EXPECT_EQ(line.find('\n'), line.npos) << line;
    EXPECT_LT(line.size(), 4100u);
  }
}

}  // namespace
}  // namespace genclip
