// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Requests as described in §2.5, and all possible contents of an answer.
#include "plugin/caption/content_wire.h"

#include <gtest/gtest.h>

namespace genclip {
namespace {

Json parsed(const std::string &text) {
  auto json = Json::parse(text);
  EXPECT_TRUE(json) << text;
  return json ? *std::move(json) : Json();
}

ContentPiece piece(const std::string &text) { return read_content_piece(parsed(text)); }

TEST(ContentUrl, NamesTheModelAndTheWayItAnswers) {
  EXPECT_EQ(content_url("https://api.example/llm", "gem-2.5-pro-low", false),
            "https://api.example/llm/v1/models/gem-2.5-pro-low:generateContent");
  EXPECT_EQ(content_url("https://api.example/llm//", "gem-2.5-pro", true),
            "https://api.example/llm/v1/models/gem-2.5-pro:streamGenerateContent");
  EXPECT_EQ(content_url("http://h", "a/b?c#d:e", false),
            "http://h/v1/models/a%2Fb%3Fc%23d%3Ae:generateContent");
}

TEST(ContentBody, HoldsNothingButWhatIsSet) {
  ContentRequest request;
  request.model = "gem-2.5-flash-lite";
  request.prompt = "Say it.";
  EXPECT_EQ(content_body(request), R"({"contents":[{"role":"user","parts":[{"text":"Say it."}]}]})");
}

TEST(ContentBody, HoldsEverythingThatIsSet) {
  ContentRequest request;
  request.prompt = "Say \"it\".";
  request.text = "Hallo\nWelt";
  request.stills = {{"image/jpeg", std::make_shared<const std::string>("AQL/")},
                    {"image/jpeg", std::make_shared<const std::string>("AA==")}};
  request.earlier = {"First.", "Second."};
  request.system_instruction = "Be brief.";
  request.temperature = 0;
  request.top_p = 0.25;
  request.max_output_tokens = 64;
  EXPECT_EQ(parsed(content_body(request)), parsed(R"({
    "contents": [{"role": "user", "parts": [
      {"text": "Say \"it\".\n\nThe captions before this one, oldest first; go on from them and do not repeat them:\n- First.\n- Second."},
      {"inlineData": {"mimeType": "image/jpeg", "data": "AQL/"}},
      {"inlineData": {"mimeType": "image/jpeg", "data": "AA=="}},
      {"text": "Hallo\nWelt"}]}],
    "systemInstruction": {"parts": [{"text": "Be brief."}]},
    "generationConfig": {"temperature": 0.0, "topP": 0.25, "maxOutputTokens": 64}})"));
}

TEST(ContentBody, LeavesOutEachFieldOnItsOwn) {
  ContentRequest request;
  request.top_p = 0.5;
  EXPECT_EQ(*parsed(content_body(request)).find("generationConfig"), parsed(R"({"topP":0.5})"));
  request = {};
  request.max_output_tokens = 4294967295u;
  EXPECT_EQ(*parsed(content_body(request)).find("generationConfig"),
            parsed(R"({"maxOutputTokens":4294967295})"));
  request = {};
  request.temperature = 1.5;
  EXPECT_EQ(*parsed(content_body(request)).find("generationConfig"), parsed(R"({"temperature":1.5})"));
}

TEST(ContentPiece, ReadsAWholeAnswer) {
  const ContentPiece read = piece(R"({
    "candidates": [{"content": {"role": "model", "parts": [{"text": "A red "}, {"text": "kite."}]},
                    "finishReason": "STOP", "index": 0}],
    "usageMetadata": {"promptTokenCount": 258, "candidatesTokenCount": 4, "totalTokenCount": 262}})");
  EXPECT_EQ(read.text, "A red kite.");
  EXPECT_EQ(read.finish_reason, "STOP");
  EXPECT_EQ(read.prompt_tokens, 258u);
  EXPECT_EQ(read.output_tokens, 4u);
  EXPECT_EQ(read.total_tokens, 262u);
  EXPECT_TRUE(read.block_reason.empty());
  EXPECT_FALSE(read.fault);
}

TEST(ContentPiece, SkipsThoughtsAndPartsWithoutText) {
  EXPECT_EQ(
      piece(R"({"candidates":[{"finishReason":"OTHER"},{"content":{"parts":[{"text":"A kite."}]}}]})").text,
      "A kite.");
  EXPECT_EQ(piece(R"({"candidates":[{"content":{"parts":[{"text":"Hm. ","thought":true},
    {"text":"Hm. ","thought":"True"},{"text":"Hm. ","thought":1},{"text":"","thought":0},
    {"inlineData":{"data":"AA=="}},{"text":7},{"text":"A kite.","thought":false},"x",null]}}]})")
                .text,
            "A kite.");
}

TEST(ContentPiece, IsOfOneCandidate) {
  const auto document = [](const char *first, const char *second) {
    return parsed(std::string(R"({"candidates":[{"content":{"parts":[{"text":")") + first +
                  R"("}]}},{"index":1,"finishReason":"STOP","content":{"parts":[{"text":")" + second +
                  R"("}]}}]})");
  };
  const ContentPiece first = read_content_piece(document("A kite.", "The sea."));
  EXPECT_EQ(first.text, "A kite.");
  EXPECT_EQ(first.candidate, 0u);
  EXPECT_EQ(first.finish_reason, "");
  for (const char *blank : {"", " ", "\u200b"}) {
    const ContentPiece read = read_content_piece(document(blank, "The sea."));
    EXPECT_EQ(read.text, "The sea.") << blank;
    EXPECT_EQ(read.candidate, 1u) << blank;
  }
  EXPECT_EQ(read_content_piece(document("", "The sea."), 0).text, "");
  EXPECT_EQ(read_content_piece(document("A kite.", " "), 1).text, " ");
  EXPECT_EQ(read_content_piece(document("A kite.", "The sea."), 2).candidate, std::nullopt);
}

TEST(ContentPiece, ReadsCountsThatAreStringsAndLeavesOutNonsense) {
  const ContentPiece read = piece(
      R"({"usageMetadata":{"promptTokenCount":"12","candidatesTokenCount":-1,"totalTokenCount":"12x"}})");
  EXPECT_EQ(read.prompt_tokens, 12u);
  EXPECT_EQ(read.output_tokens, std::nullopt);
  EXPECT_EQ(read.total_tokens, std::nullopt);
}

TEST(ContentPiece, LeavesOutCountsWhoseTotalsWouldOverflow) {
  const ContentPiece read = piece(
      R"({"usageMetadata":{"promptTokenCount":"9000000000000000","candidatesTokenCount":9000000000000000,)"
      R"("totalTokenCount":"8999999999999999"}})");
  EXPECT_EQ(read.prompt_tokens, std::nullopt);
  EXPECT_EQ(read.output_tokens, std::nullopt);
  EXPECT_EQ(read.total_tokens, 8999999999999999u);
}

TEST(ContentPiece, ReadsWhyTheQuestionWasRefused) {
  EXPECT_EQ(piece(R"({"promptFeedback":{"blockReason":"SAFETY"}})").block_reason, "SAFETY");
  EXPECT_EQ(piece(R"({"promptFeedback":{"blockReason":"BLOCK_REASON_UNSPECIFIED"}})").block_reason, "");
  EXPECT_EQ(piece(R"({"promptFeedback":{"blockReason":"blocked_reason_unspecified"}})").block_reason, "");
  EXPECT_EQ(piece(R"({"promptFeedback":{"safetyRatings":[]}})").block_reason, "");
}

TEST(ContentPiece, TakesAReasonThatIsUnspecifiedForNone) {
  for (const char *reason :
       {"FINISH_REASON_UNSPECIFIED", "finish_reason_unspecified", "FinishReason.FINISH_REASON_UNSPECIFIED",
        "finish-reason-unspecified", "UNSPECIFIED"})
    EXPECT_EQ(piece(R"({"candidates":[{"finishReason":")" + std::string(reason) + R"("}]})").finish_reason,
              "")
        << reason;
  for (const char *none : {"null", "\"\""})
    EXPECT_EQ(
        piece(R"({"candidates":[{"finishReason":)" + std::string(none) + R"(,"finish_reason":"stop"}]})")
            .finish_reason,
        "stop");
  EXPECT_EQ(piece(R"({"candidates":[{"finishReason":null}]})").finish_reason, "");
  EXPECT_EQ(piece(R"({"candidates":[{"finish_reason":"STOP"}]})").finish_reason, "STOP");
}

TEST(ContentPiece, SurvivesEveryTypeInEveryPlace) {
  for (const char *value : {"null", "true", "7", "\"x\"", "[]", "{}", "[[]]", "[null]", "{\"parts\":{}}"}) {
    const std::string text = value;
    for (const std::string &document :
         {text, R"({"candidates":)" + text + "}", R"({"candidates":[)" + text + "]}",
          R"({"candidates":[{"content":)" + text + R"(,"finishReason":[]}]})",
          R"({"candidates":[{"content":{"parts":)" + text + "}}]}", R"({"usageMetadata":)" + text + "}",
          R"({"promptFeedback":)" + text + "}"}) {
      const ContentPiece read = piece(document);
      EXPECT_EQ(read.text, "") << document;
      EXPECT_EQ(read.total_tokens, std::nullopt) << document;
    }
  }
}

TEST(FinishReason, BlocksWhereTextWasWithheld) {
  for (const char *reason :
       {"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY",
        "safety", "content_filter", "content-filter", "content_policy_violation", "moderation",
        "FINISH_REASON_SAFETY", "FinishReason.SAFETY"})
    EXPECT_TRUE(is_blocking(reason)) << reason;
  for (const char *reason : {"", "STOP", "MAX_TOKENS", "OTHER", "stop", "length", "NEW_REASON"})
    EXPECT_FALSE(is_blocking(reason)) << reason;
}

TEST(FinishReason, TellsTheEndOfAWholeText) {
  for (const char *reason :
       {"STOP", "stop", "FinishReason.STOP", "FINISH_REASON_STOP", "end_turn", "end-turn", "stop_sequence",
        "COMPLETE", "completed", "finished", "done", "eos", "eos_token"})
    EXPECT_TRUE(is_natural_end(reason)) << reason;
  for (const char *reason : {"", "OTHER", "STOPPED", "MAX_TOKENS", "SAFETY", "tool_use", "error"})
    EXPECT_FALSE(is_natural_end(reason)) << reason;
}

TEST(FinishReason, TellsTheOutputLimit) {
  for (const char *reason : {"MAX_TOKENS", "max_tokens", "length", "max-tokens", "FINISH_REASON_MAX_TOKENS"})
    EXPECT_TRUE(is_output_limit(reason)) << reason;
  for (const char *reason : {"", "STOP", "MAX_TOKEN", "SAFETY"})
    EXPECT_FALSE(is_output_limit(reason)) << reason;
}

}  // namespace
}  // namespace genclip
