// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The only file that knows the text gateway's field names of requests and answers.
#include "plugin/caption/content_wire.h"

#include <glib.h>

#include <algorithm>
#include <array>

#include "plugin/base/gref.h"
#include "plugin/base/number.h"
#include "plugin/caption/caption_text.h"
#include "plugin/caption/service_fault.h"
#include "plugin/caption/surrogate_halves.h"

namespace genclip {
namespace {

Json text_part(std::string_view text) { return Json::Object{{"text", text}}; }

// Base64 needs no escapes, so the picture is copied as it is.
void append_still(std::string &text, const Still &still) {
  text += R"({"inlineData":{"mimeType":)" + Json(still.mime_type).to_text() + R"(,"data":")";
  (text += *still.base64) += R"("}})";
}

std::string whole_prompt(const ContentRequest &request) {
  std::string prompt = request.prompt;
  if (!request.earlier.empty())
    prompt += "\n\nThe captions before this one, oldest first; go on from them and do not repeat them:";
  for (const std::string &caption : request.earlier) prompt += "\n- " + caption;
  if (!request.form.empty()) prompt += (prompt.empty() ? "" : "\n\n") + request.form;
  return prompt;
}

// Reads a count, which may be a number or a string of digits.
std::optional<uint64_t> count(const Json *value) {
  if (!value) return std::nullopt;
  if (const auto number = value->number()) {
    if (*number >= 0 && *number < 9e15) return static_cast<uint64_t>(*number);
  } else if (const auto *text = value->string()) {
    const auto parsed = parse_number<uint64_t>(*text);
    if (parsed && *parsed < 9000000000000000u) return parsed;
  }
  return std::nullopt;
}

std::string string_of(const Json *value) {
  const std::string *text = value ? value->string() : nullptr;
  return text ? *text : std::string();
}

// Gateways differ in the spelling of their enumerations: "FinishReason.STOP", "max-tokens".
std::string normal_reason(std::string_view reason) {
  std::string word(reason);
  for (char &c : word) c = c == '-' ? '_' : g_ascii_toupper(c);
  for (const std::string_view prefix : {"FINISHREASON.", "FINISH_REASON_"})
    if (word.starts_with(prefix)) word.erase(0, prefix.size());
  return word;
}

bool same_word(std::string_view word, std::string_view reason) { return word == normal_reason(reason); }

// Empty: none is told.
std::string reason_of(const Json *value) {
  std::string reason = joined_halves(string_of(value));
  return normal_reason(reason).ends_with("UNSPECIFIED") ? std::string() : reason;
}

bool is_true(const Json *value) {
  if (!value) return false;
  if (const auto truth = value->boolean()) return *truth;
  if (const auto number = value->number()) return *number != 0;
  return g_ascii_strcasecmp(string_of(value).c_str(), "true") == 0;
}

std::string joined_text(const Json *parts) {
  std::string text;
  if (!parts || !parts->array()) return text;
  for (const Json &part : *parts->array())
    if (!is_true(part.find("thought"))) text += string_of(part.find("text"));
  return text;
}

std::string text_of(const Json &candidate) {
  const Json *content = candidate.find("content");
  return joined_text(content ? content->find("parts") : nullptr);
}

uint64_t index_of(const Json &candidate) { return count(candidate.find("index")).value_or(0); }

// Only one candidate is asked for, so the first with a text is the answer.
const Json *answering(const Json::Array &candidates, std::optional<uint64_t> only) {
  const Json *first = nullptr;
  for (const Json &candidate : candidates) {
    if (only && index_of(candidate) != *only) continue;
    if (!caption_text(text_of(candidate)).empty()) return &candidate;
    if (!first) first = &candidate;
  }
  return first;
}

}  // namespace

std::string content_url(std::string_view llm_base_url, std::string_view model, bool stream) {
  while (llm_base_url.ends_with('/')) llm_base_url.remove_suffix(1);
  const GStringPtr escaped(
      g_uri_escape_bytes(reinterpret_cast<const guint8 *>(model.data()), model.size(), nullptr));
  return std::string(llm_base_url) + "/v1/models/" + escaped.get() +
         (stream ? ":streamGenerateContent" : ":generateContent");
}

std::string content_body(const ContentRequest &request) {
  const std::string prompt = whole_prompt(request);
  size_t size = prompt.size() + request.text.size() + request.system_instruction.size() + 1024;
  for (const Still &still : request.stills) size += still.base64->size() + 64;
  std::string body = R"({"contents":[{"role":"user","parts":[)";
  body.reserve(size);
  const auto next = [&] {
    if (!body.ends_with('[')) body += ',';
  };
  if (!prompt.empty()) body += text_part(prompt).to_text();
  for (const Still &still : request.stills) {
    next();
    append_still(body, still);
  }
  if (!request.text.empty()) {
    next();
    body += text_part(request.text).to_text();
  }
  body += "]}]";

  const auto add = [&](const char *name, const Json &value) {
    body += ",\"" + std::string(name) + "\":" + value.to_text();
  };
  if (!request.system_instruction.empty())
    add("systemInstruction", Json::Object{{"parts", Json::Array{text_part(request.system_instruction)}}});
  Json config;
  if (request.temperature >= 0) config.set("temperature", request.temperature);
  if (request.top_p >= 0) config.set("topP", request.top_p);
  if (request.max_output_tokens > 0) config.set("maxOutputTokens", request.max_output_tokens);
  if (!config.is_null()) add("generationConfig", config);
  return std::move(body) + "}";
}

ContentPiece read_content_piece(const Json &document, std::optional<uint64_t> only) {
  ContentPiece piece;
  piece.fault = read_service_fault(document);
  if (piece.fault) piece.fault->message = joined_halves(piece.fault->message);
  const Json *candidates = document.find("candidates");
  if (const Json *candidate =
          candidates && candidates->array() ? answering(*candidates->array(), only) : nullptr) {
    piece.candidate = index_of(*candidate);
    piece.text = text_of(*candidate);
    piece.finish_reason = reason_of(candidate->find("finishReason"));
    if (piece.finish_reason.empty()) piece.finish_reason = reason_of(candidate->find("finish_reason"));
  }
  if (const Json *feedback = document.find("promptFeedback"))
    piece.block_reason = reason_of(feedback->find("blockReason"));
  if (const Json *usage = document.find("usageMetadata")) {
    piece.prompt_tokens = count(usage->find("promptTokenCount"));
    piece.output_tokens = count(usage->find("candidatesTokenCount"));
    piece.total_tokens = count(usage->find("totalTokenCount"));
  }
  return piece;
}

bool is_blocking(std::string_view reason) {
  constexpr std::array<std::string_view, 15> kBlocking = {
      "SAFETY",           "RECITATION",         "LANGUAGE",
      "BLOCKLIST",        "PROHIBITED_CONTENT", "SPII",
      "IMAGE_SAFETY",     "CONTENT_FILTER",     "IMAGE_PROHIBITED_CONTENT",
      "IMAGE_RECITATION", "MODEL_ARMOR",        "CONTENT_POLICY",
      "MODERATION",       "MODERATION_BLOCKED", "CONTENT_POLICY_VIOLATION"};
  return std::any_of(kBlocking.begin(), kBlocking.end(),
                     [&](std::string_view word) { return same_word(word, reason); });
}

bool is_natural_end(std::string_view finish_reason) {
  constexpr std::array<std::string_view, 9> kEnds = {
      "STOP", "END_TURN", "STOP_SEQUENCE", "COMPLETE", "COMPLETED", "FINISHED", "DONE", "EOS", "EOS_TOKEN"};
  return std::any_of(kEnds.begin(), kEnds.end(),
                     [&](std::string_view word) { return same_word(word, finish_reason); });
}

bool is_output_limit(std::string_view finish_reason) {
  return same_word("MAX_TOKENS", finish_reason) || same_word("LENGTH", finish_reason);
}

}  // namespace genclip
