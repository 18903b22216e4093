// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The simulated text gateway: what it takes, what it refuses, and each way in which it answers.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include "examples/simulator/gateway_answer.h"
#include "plugin/base/gref.h"
#include "tests/simulator/web.h"

namespace genclip::sim::test {
namespace {

const std::string kAsk =
    R"({"contents":[{"role":"user","parts":[{"text":"Louder."},{"text":"eins zwei"}]}]})";

class TextGateway : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(simulator_.start()); }

  Answer ask_model(const std::string &body = kAsk, const std::string &way = "generateContent",
                   const std::string &model = "gem-2.5-pro") {
    return ask_api("POST", simulator_.llm_base_url() + "/v1/models/" + model + ":" + way, body);
  }
  void fault(const std::string &text) {
    const auto added = simulator_.add_fault(text);
    ASSERT_TRUE(added) << added.error().text;
  }

  Simulator simulator_;
};

std::string said(const Json &document) {
  return *document.find("candidates")
              ->array()
              ->at(0)
              .find("content")
              ->find("parts")
              ->array()
              ->at(0)
              .find("text")
              ->string();
}

TEST_F(TextGateway, AnswersATextInCapitalsAndCountsItsTokens) {
  const Answer answer = ask_model();
  ASSERT_EQ(answer.status, 200u) << answer.body;
  EXPECT_EQ(said(answer.json()), "EINS ZWEI");
  EXPECT_EQ(*answer.json().find("candidates")->array()->at(0).find("finishReason")->string(), "STOP");
  EXPECT_EQ(answer.json().find("usageMetadata")->to_text(),
            R"({"promptTokenCount":3,"candidatesTokenCount":2,"totalTokenCount":5})");
  EXPECT_EQ(simulator_.stats().texts, 1u);
}

TEST_F(TextGateway, NamesTheModelsOfTheDocumentAndNoOther) {
  for (const char *model : {"gem-2.5-flash-lite", "gem-2.5-pro-low", "gem-3.1-pro-preview-official"})
    EXPECT_EQ(ask_model(kAsk, "generateContent", model).status, 200u) << model;
  for (const char *model : {"gem-2.5-flash-lite-low", "gem", "Gem%202.5%20Pro", ""})
    EXPECT_EQ(ask_model(kAsk, "generateContent", model).status, 404u) << model;
  EXPECT_EQ(ask_model(kAsk, "countTokens").status, 404u);
  for (const char *base : {"/v1", "/x"})
    EXPECT_EQ(
        ask_api("POST", simulator_.llm_base_url() + base + "/v1/models/gem-2.5-pro:generateContent", kAsk)
            .status,
        404u)
        << base;
}

TEST_F(TextGateway, RefusesWhatTheDocumentDoesNotShow) {
  const auto with = [](const std::string &rest) {
    return R"({"contents":[{"parts":[{"text":"a"}]}])" + rest + "}";
  };
  const std::string bodies[] = {
      "",
      "[]",
      "{}",
      R"({"contents":{}})",
      R"({"contents":[]})",
      R"({"contents":[{"parts":[]}]})",
      R"({"contents":[{"role":"system","parts":[{"text":"a"}]}]})",
      R"({"contents":[{"parts":[{"text":""}]}]})",
      R"({"contents":[{"parts":[{"text":"a","inlineData":{}}]}]})",
      R"({"contents":[{"parts":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}]})",
      R"({"contents":[{"parts":[{"inlineData":{"mimeType":"image/jpeg","data":"AAAA"}}]}]})",
      R"({"contents":[{"parts":[{"inlineData":{"mimeType":"image/jpeg","data":"/9j/ 4A"}}]}]})",
      with(R"(,"generationConfig":{"temperature":"1"})"),
      with(R"(,"generationConfig":{"temperature":-1})"),
      with(R"(,"generationConfig":{"topP":1.5})"),
      with(R"(,"generationConfig":{"maxOutputTokens":0})"),
      with(R"(,"generationConfig":{"maxOutputTokens":1.5})"),
      with(R"(,"generationConfig":{"topK":1})"),
      with(R"(,"systemInstruction":"x")"),
      with(R"(,"systemInstruction":{"parts":[{"text":1}]})"),
      with(R"(,"model":"x")"),
      with(","),
  };
  for (const std::string &body : bodies) EXPECT_EQ(ask_model(body).status, 400u) << body;
  EXPECT_EQ(simulator_.stats().texts, 0u);
  EXPECT_EQ(simulator_.stats().refusals.size(), std::size(bodies));
  const std::string url = simulator_.llm_base_url() + "/v1/models/gem-2.5-pro:generateContent";
  EXPECT_EQ(ask("POST", url, {"Content-Type: application/json"}, kAsk).status, 401u);
  EXPECT_EQ(ask("POST", url, {"Authorization: Bearer sim-key", "Content-Type: text/plain"}, kAsk).status,
            415u);
  EXPECT_EQ(ask_api("GET", url).status, 405u);
}

TEST_F(TextGateway, StreamsInEachFraming) {
  const std::pair<const char *, const char *> kBegins[] = {
      {"events", "data: {"},    {"events-crlf", ": hello\r\n\r\ndata: {"},
      {"events-cr", "data: {"}, {"events-tight", "data:{"},
      {"array", "[{\n"},        {"lines", "{"}};
  for (const auto &[framing, begin] : kBegins) {
    simulator_.clear_faults();
    fault(std::string("text:framing=") + framing);
    const Answer answer = ask_model(kAsk, "streamGenerateContent");
    EXPECT_EQ(answer.status, 200u) << framing;
    EXPECT_TRUE(answer.body.starts_with(begin)) << framing << ": " << answer.body;
    EXPECT_NE(answer.body.find("EINS "), std::string::npos) << framing;
    EXPECT_NE(answer.body.find("ZWEI"), std::string::npos) << framing;
  }
  EXPECT_FALSE(simulator_.add_fault("text:framing=xml"));
}

TEST_F(TextGateway, FailsInEveryWay) {
  const std::pair<const char *, const char *> kFaults[] = {
      {"text#1:blocked=SAFETY", "\"SAFETY\""}, {"text#1:prompt-blocked=BLOCKLIST", "blockReason"},
      {"text#1:error-on-200=503", "503"},      {"text#1:error-in-array=429", "[{"},
      {"text#1:max-tokens", "MAX_TOKENS"},     {"text#1:finish=end_turn", "\"end_turn\""},
      {"text#1:thought", "\"thought\""},       {"text#1:html", "<"},
  };
  for (const auto &[text, wanted] : kFaults) {
    simulator_.clear_faults();
    fault(text);
    const Answer answer = ask_model();
    EXPECT_EQ(answer.status, 200u) << text;
    EXPECT_NE(answer.body.find(wanted), std::string::npos) << text << ": " << answer.body;
  }
  simulator_.clear_faults();
  fault("text#1:quota=1.5s");
  const Answer quota = ask_model();
  EXPECT_EQ(quota.status, 429u);
  EXPECT_NE(quota.body.find("\"1.5s\""), std::string::npos) << quota.body;
  fault("text#1:status=503;retry-after=7");
  EXPECT_EQ(ask_model().headers.at("retry-after"), "7");
  simulator_.clear_faults();
  fault("text#1:no-finish");
  EXPECT_EQ(ask_model().body.find("finishReason"), std::string::npos);
  simulator_.clear_faults();
  fault("text#1:error-midway=500");
  EXPECT_NE(ask_model(kAsk, "streamGenerateContent").body.find("midway"), std::string::npos);
  simulator_.clear_faults();
  fault("text#1:reset");
  EXPECT_TRUE(ask_model().was_reset);
}

TEST_F(TextGateway, AnswersWithoutTextInEachShape) {
  const std::pair<const char *, const char *> kShapes[] = {
      {"no-text", R"([{"index":0,"finishReason":"STOP"}])"},
      {"no-text=OTHER", R"([{"index":0,"finishReason":"OTHER"}])"},
      {"no-text;as=thought",
       R"([{"index":0,"content":{"role":"model","parts":[{"text":"Hm.","thought":true}]},"finishReason":"STOP"}])"},
      {"no-text;as=candidates", "[]"},
  };
  for (const auto &[text, candidates] : kShapes) {
    simulator_.clear_faults();
    fault(std::string("text:") + text);
    EXPECT_EQ(ask_model().json().find("candidates")->to_text(), candidates) << text;
  }
  simulator_.clear_faults();
  fault("text:no-text;as=nothing");
  EXPECT_EQ(ask_model().json().to_text(), "{}");
  EXPECT_FALSE(simulator_.add_fault("text:no-text;as=silence"));
}

TEST_F(TextGateway, CutsAStreamBehindItsFinishReason) {
  fault("text#1:cut-behind=1");
  const Answer cut = ask_model(kAsk, "streamGenerateContent");
  EXPECT_GT(std::stoul(cut.headers.at("content-length")), cut.body.size());
  EXPECT_NE(cut.body.find("EINS "), std::string::npos) << cut.body;
  EXPECT_NE(cut.body.find("STOP"), std::string::npos) << cut.body;
  EXPECT_EQ(cut.body.find("ZWEI"), std::string::npos) << cut.body;
  EXPECT_NE(ask_model(kAsk, "streamGenerateContent").body.find("ZWEI"), std::string::npos);
}

TEST_F(TextGateway, HalvesACharacterInPiecesAndInParts) {
  for (const char *way : {"streamGenerateContent", "generateContent"}) {
    simulator_.clear_faults();
    fault("text:halves");
    const std::string body = ask_model(kAsk, way).body;
    EXPECT_NE(body.find(R"("EINS \ud83e"})"), std::string::npos) << body;
    EXPECT_NE(body.find(R"({"text":"\ude81 "})"), std::string::npos) << body;
  }
}

TEST_F(TextGateway, PutsAFenceAroundAnAnswer) {
  fault("text:fence");
  EXPECT_EQ(said(ask_model().json()), "```text\nEINS ZWEI\n```");
}

TEST(GatewayPicture, IsNamedByItsMeanColour) {
  EXPECT_EQ(colour_name(250, 5, 10), "red");
  EXPECT_EQ(colour_name(120, 120, 130), "grey");
  EXPECT_EQ(colour_name(10, 0, 120), "dark blue");
  gst_init(nullptr, nullptr);
  for (const char *bytes : {"", "\xFF\xD8\xFF", "\xFF\xD8\xFF\xE0 nothing \xFF\xD9", "text"})
    EXPECT_FALSE(look_at_jpeg(bytes)) << bytes;
}

TEST(GatewayCaption, TellsNumberSizeAndColours) {
  GatewayQuestion question;
  question.pictures = {{64, 36, "red"}, {64, 36, "dark blue"}};
  EXPECT_EQ(gateway_caption(question), "2 stills of 64x36. It is red. It is dark blue.");
  question.pictures.pop_back();
  EXPECT_EQ(gateway_caption(question), "1 still of 64x36. It is red.");
}

}  // namespace
}  // namespace genclip::sim::test
