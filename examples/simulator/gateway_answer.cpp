// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/gateway_answer.h"

#include <glib.h>

#include <algorithm>

#include "plugin/base/gref.h"
#include "plugin/base/replace_all.h"

namespace genclip::sim {
namespace {

using Kind = GatewayFaultKind;

// Each word with the blanks behind it.
std::vector<std::string> words_of(const std::string &text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    const size_t blank = std::min(text.find_first_of(" \n", at), text.size());
    const size_t next = std::min(text.find_first_not_of(" \n", blank), text.size());
    words.push_back(text.substr(at, next - at));
    at = next;
  }
  return words;
}

Json text_part(const std::string &text, bool thought = false) {
  Json part = Json::Object{{"text", text}};
  if (thought) part.set("thought", true);
  return part;
}

Json document(Json::Array parts, const std::string &finish_reason) {
  Json candidate = Json::Object{{"index", 0}};
  if (!parts.empty()) candidate.set("content", Json::Object{{"role", "model"}, {"parts", std::move(parts)}});
  if (!finish_reason.empty()) candidate.set("finishReason", finish_reason);
  return Json::Object{{"candidates", Json::Array{std::move(candidate)}}};
}

// The only part of a document.
const Json &part_of(const Json &document) {
  return document.find("candidates")->array()->front().find("content")->find("parts")->array()->front();
}

// Counts a word as one token and a picture as 258.
Json usage(const GatewayQuestion &question, size_t output_tokens) {
  size_t prompt_tokens = words_of(question.prompt).size() + 258 * question.pictures.size();
  for (const std::string &text : question.texts) prompt_tokens += words_of(text).size();
  return Json::Object{{"promptTokenCount", static_cast<int64_t>(prompt_tokens)},
                      {"candidatesTokenCount", static_cast<int64_t>(output_tokens)},
                      {"totalTokenCount", static_cast<int64_t>(prompt_tokens + output_tokens)}};
}

Json error_document(unsigned code, const std::string &message, const std::string &retry_delay) {
  Json error = Json::Object{{"code", code}, {"message", message}};
  if (code == 429) error.set("status", "RESOURCE_EXHAUSTED");
  if (!retry_delay.empty())
    error.set("details", Json::Array{Json::Object{{"@type", "type.googleapis.com/google.rpc.RetryInfo"},
                                                  {"retryDelay", retry_delay}}});
  return Json::Object{{"error", std::move(error)}};
}

// Stand for the halves of a kite, which no JSON value can hold, until the document is text.
constexpr char kFirstHalf[] = "\x01";
constexpr char kSecondHalf[] = "\x02";

std::string with_halves(const std::string &text) {
  return replace_all(replace_all(text, "\\u0001", "\\ud83e"), "\\u0002", "\\ude81");
}

Json document_without_text(const GatewayFault &fault) {
  const std::string reason = fault.text.empty() ? "STOP" : fault.text;
  if (fault.as == "nothing") return Json::Object{};
  if (fault.as == "candidates") return Json::Object{{"candidates", Json::Array{}}};
  if (fault.as == "blank") return document({text_part(" \u200b\n")}, reason);
  if (fault.as == "thought") return document({text_part("Hm.", true)}, reason);
  if (fault.as == "fence") return document({text_part("```text\n```")}, reason);
  return document({}, reason);
}

Json::Array documents_of(const GatewayQuestion &question, const GatewayFault &fault) {
  if (fault.kind == Kind::error_on_200) return {error_document(fault.code, "It broke.", fault.retry_delay)};
  if (fault.kind == Kind::prompt_blocked)
    return {Json::Object{{"promptFeedback", Json::Object{{"blockReason", fault.text}}}}};
  if (fault.kind == Kind::blocked) return {document({}, fault.text)};
  if (fault.kind == Kind::no_text) return {document_without_text(fault)};
  if (fault.kind == Kind::thinks_too_long) return {document({}, "MAX_TOKENS")};

  std::vector<std::string> words = words_of(gateway_text(question, fault));
  std::string reason = fault.kind == Kind::finish ? fault.text : "STOP";
  const auto limit = static_cast<size_t>(question.max_output_tokens);
  if (limit > 0 && words.size() > limit) {
    words.resize(limit);
    reason = "MAX_TOKENS";
  }
  const size_t tokens = words.size();
  if (fault.kind == Kind::halves) {
    words.front() += kFirstHalf;
    words.insert(words.begin() + 1, std::string(kSecondHalf) + " ");
  }
  if (!question.stream && fault.kind != Kind::halves) {
    std::string text;
    for (const std::string &word : words) text += word;
    words = {text};
  }
  Json::Array documents;
  if (fault.kind == Kind::thinks_aloud) documents.push_back(document({text_part("Hm. ", true)}, ""));
  const bool finishes = fault.kind != Kind::no_finish;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool last = i + 1 == words.size();
    const bool is_finished = fault.kind == Kind::cut_behind || (last && finishes);
    documents.push_back(document({text_part(words[i])}, is_finished ? reason : ""));
    if (last) documents.back().set("usageMetadata", usage(question, tokens));
    if (fault.kind == Kind::error_midway && i == words.size() / 2) {
      documents.push_back(error_document(fault.code, "It broke midway.", fault.retry_delay));
      break;
    }
  }
  return documents;
}

struct Framing {
  const char *begin, *before, *between, *after, *end;
};

Framing framing_of(GatewayShape shape) {
  switch (shape) {
    case GatewayShape::events: return {"", "data: ", "", "\n\n", "data: [DONE]\n\n"};
    case GatewayShape::events_crlf: return {": hello\r\n\r\n", "data: ", "", "\r\n\r\n", ""};
    case GatewayShape::events_cr: return {"", "data: ", "", "\r\r", ""};
    case GatewayShape::events_tight: return {"", "data:", "", "\n\n", ""};
    case GatewayShape::array: return {"[", "", "\n,\n", "", "\n]\n"};
    case GatewayShape::lines: break;
  }
  return {"", "", "", "\n", ""};
}

std::vector<std::string> cut_up(const std::vector<std::string> &parts, size_t size) {
  if (size == 0) return parts;
  std::string all;
  for (const std::string &part : parts) all += part;
  std::vector<std::string> chunks;
  for (size_t at = 0; at < all.size(); at += size) chunks.push_back(all.substr(at, size));
  return chunks;
}

}  // namespace

std::string gateway_caption(const GatewayQuestion &question) {
  std::string caption;
  if (!question.pictures.empty()) {
    const size_t count = question.pictures.size();
    const SeenPicture &first = question.pictures.front();
    caption = std::to_string(count) + (count == 1 ? " still" : " stills") + " of " +
              std::to_string(first.width) + "x" + std::to_string(first.height) + ".";
    for (const SeenPicture &picture : question.pictures) caption += " It is " + picture.colour + ".";
  }
  for (const std::string &text : question.texts) {
    const GStringPtr capitals(g_utf8_strup(text.data(), static_cast<gssize>(text.size())));
    caption += (caption.empty() ? "" : "\n") + std::string(capitals.get());
  }
  return caption.empty() ? "There is nothing to see." : caption;
}

std::string gateway_text(const GatewayQuestion &question, const GatewayFault &fault) {
  return answer_in_form(question.form, gateway_caption(question), fault.form, fault.text);
}

GatewayReply gateway_refusal(unsigned code, const std::string &message, const std::string &retry_delay) {
  GatewayReply reply;
  reply.status = code;
  reply.chunks = {error_document(code, message, retry_delay).to_pretty_text() + "\n"};
  return reply;
}

GatewayReply gateway_answer(const GatewayQuestion &question, GatewayShape shape, const GatewayFault &fault,
                            const GatewayPace &pace) {
  GatewayReply reply;
  if (fault.kind == Kind::status) {
    reply = gateway_refusal(fault.code, "Refused for a rehearsal.", fault.retry_delay);
  } else if (fault.kind == Kind::html) {
    reply.content_type = "text/html";
    reply.chunks = {"<html><body>502</body></html>"};
  } else if (fault.kind == Kind::error_in_array) {
    reply.chunks = {"[" + error_document(fault.code, "It broke.", fault.retry_delay).to_pretty_text() +
                    "\n]\n"};
  } else if (fault.kind != Kind::empty) {
    const Json::Array documents = documents_of(question, fault);
    if (question.stream) {
      const Framing framing = framing_of(shape);
      std::string lead = framing.begin;
      for (const Json &document : documents) {
        const bool pretty = shape == GatewayShape::array;
        reply.chunks.push_back(lead + framing.before +
                               (pretty ? document.to_pretty_text() : document.to_text()) + framing.after);
        lead = framing.between;
      }
      reply.chunks.push_back(framing.end);
      if (shape != GatewayShape::array && shape != GatewayShape::lines)
        reply.content_type = "text/event-stream";
    } else {
      reply.chunks = {documents.back().to_pretty_text() + "\n"};
      if (fault.kind == Kind::halves) {
        Json::Array parts;
        for (const Json &one : documents) parts.push_back(part_of(one));
        reply.chunks = {document(std::move(parts), "STOP").to_text()};
      }
      if (fault.kind == Kind::thinks_aloud) {
        Json::Array parts{text_part("Hm. ", true), text_part(gateway_text(question, fault))};
        reply.chunks = {document(std::move(parts), "STOP").to_text()};
      }
    }
  }
  reply.pace = pace;
  reply.hangs = fault.kind == Kind::hang;
  if (fault.kind == Kind::halves)
    for (std::string &chunk : reply.chunks) chunk = with_halves(chunk);
  if (fault.kind == Kind::cut_behind) {
    reply.cut = true;
    reply.chunks.resize(std::min<size_t>(reply.chunks.size(), fault.code));
  }
  reply.chunks = cut_up(reply.chunks, pace.chunk);
  if (fault.kind == Kind::cut) {
    reply.cut = true;
    std::string all;
    for (const std::string &chunk : reply.chunks) all += chunk;
    reply.chunks = cut_up({all.substr(0, fault.code)}, pace.chunk);
  }
  return reply;
}

}  // namespace genclip::sim
