// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The only file that knows the text gateway's field names of requests and answers.
#include "plugin/caption/content_wire.h"

#include <glib.h>

#include <algorithm>
#include <array>

#include "plugin/base/gref.h"
#include "plugin/base/number.h"
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

bool same_word(std::string_view a, std::string_view b) {
  return a.size() == b.size() && g_ascii_strncasecmp(a.data(), b.data(), a.size()) == 0;
}

bool is_true(const Json *value) { return value && value->boolean() && *value->boolean(); }

std::string joined_text(const Json *parts) {
  std::string text;
  if (!parts || !parts->array()) return text;
  for (const Json &part : *parts->array())
    if (!is_true(part.find("thought"))) text += string_of(part.find("text"));
  return text;
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

ContentPiece read_content_piece(const Json &document) {
  ContentPiece piece;
  piece.fault = read_service_fault(document);
  if (piece.fault) piece.fault->message = joined_halves(piece.fault->message);
  if (const Json *candidates = document.find("candidates");
      candidates && candidates->array() && !candidates->array()->empty()) {
    // Only one candidate is asked for, so the first with a text is the answer.
    const auto text_of = [](const Json &candidate) {
      const Json *content = candidate.find("content");
      return joined_text(content ? content->find("parts") : nullptr);
    };
    const auto &all = *candidates->array();
    const auto with_text = std::ranges::find_if(all, [&](const Json &one) { return !text_of(one).empty(); });
    const Json &candidate = with_text == all.end() ? all.front() : *with_text;
    piece.text = text_of(candidate);
    const Json *reason = candidate.find("finishReason");
    piece.finish_reason = joined_halves(string_of(reason ? reason : candidate.find("finish_reason")));
    if (piece.finish_reason == "FINISH_REASON_UNSPECIFIED") piece.finish_reason.clear();
  }
  if (const Json *feedback = document.find("promptFeedback")) {
    piece.block_reason = joined_halves(string_of(feedback->find("blockReason")));
    if (piece.block_reason == "BLOCK_REASON_UNSPECIFIED") piece.block_reason.clear();
  }
  if (const Json *usage = document.find("usageMetadata")) {
    piece.prompt_tokens = count(usage->find("promptTokenCount"));
    piece.output_tokens = count(usage->find("candidatesTokenCount"));
    piece.total_tokens = count(usage->find("totalTokenCount"));
  }
  return piece;
}

bool is_blocking(std::string_view finish_reason) {
  constexpr std::array<std::string_view, 11> kBlocking = {
      "SAFETY",           "RECITATION",         "LANGUAGE",
      "BLOCKLIST",        "PROHIBITED_CONTENT", "SPII",
      "IMAGE_SAFETY",     "CONTENT_FILTER",     "IMAGE_PROHIBITED_CONTENT",
      "IMAGE_RECITATION", "MODEL_ARMOR"};
  return std::any_of(kBlocking.begin(), kBlocking.end(),
                     [&](std::string_view reason) { return same_word(reason, finish_reason); });
}

bool is_natural_end(std::string_view finish_reason) { return same_word("STOP", finish_reason); }

bool is_output_limit(std::string_view finish_reason) {
  return same_word("MAX_TOKENS", finish_reason) || same_word("LENGTH", finish_reason);
}

}  // namespace genclip
