// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A search for the most telling text.
#include "plugin/task/service_message.h"

#include <glib.h>

#include <array>

#include "plugin/base/gref.h"
#include "plugin/http/redaction.h"

namespace genclip {
namespace {

constexpr int kMaxDepth = 6;
constexpr long kMaxCharacters = 500;

// The most telling first.
constexpr std::array kMessageKeys = {
    "message",     "msg",        "error_message", "errorMessage", "error_description", "detail", "error",
    "fail_reason", "failReason", "reason",        "details",      "error_msg",         "title",  "errors"};

std::string trimmed(std::string_view text) {
  GStringPtr copy(g_strndup(text.data(), text.size()));
  return g_strstrip(copy.get());
}

std::string find_message(const Json &json, int depth);

std::string message_in_string(const std::string &text, int depth) {
  std::string line = trimmed(text);
  if (!line.empty() && (line.front() == '{' || line.front() == '[' || line.front() == '"') &&
      depth < kMaxDepth) {
    if (const auto inner = Json::parse(line)) {
      if (std::string found = find_message(*inner, depth + 1); !found.empty()) return found;
      if (inner->object() || inner->array()) return inner->object() && inner->object()->empty() ? "" : line;
    }
  }
  return line;
}

// FastAPI's {"loc":["body","prompt"],"msg":"field required"}: the place belongs to the message.
std::string place_of(const Json &json) {
  const Json *place = json.find("loc");
  if (!place || !place->array()) return {};
  std::string text;
  for (const Json &step : *place->array()) {
    const std::string name = step.string() ? *step.string() : step.to_text();
    text += (text.empty() ? "" : ".") + name;
  }
  return text.empty() ? text : text + ": ";
}

std::string find_message(const Json &json, int depth) {
  if (depth > kMaxDepth) return {};
  if (const std::string *text = json.string()) return message_in_string(*text, depth);
  if (const Json::Array *list = json.array()) {
    std::string all;
    for (const Json &item : *list) {
      const std::string one = find_message(item, depth + 1);
      if (!one.empty()) all += (all.empty() ? "" : "; ") + one;
    }
    return all;
  }
  for (const char *key : kMessageKeys) {
    const Json *member = json.find(key);
    if (!member) continue;
    const std::string found = find_message(*member, depth + 1);
    if (!found.empty()) return place_of(json) + found;
  }
  // A code alone is better than nothing, but 0 is no error.
  const Json *code = json.find("code");
  if (code && code->string() && !code->string()->empty() && *code->string() != "0") return *code->string();
  if (code && code->integer() && *code->integer() != 0) return "code " + std::to_string(*code->integer());
  return {};
}

std::string one_line(std::string text) {
  for (char &c : text)
    if (g_ascii_iscntrl(c)) c = ' ';
  if (g_utf8_strlen(text.c_str(), -1) > kMaxCharacters) {
    text.resize(static_cast<size_t>(g_utf8_offset_to_pointer(text.c_str(), kMaxCharacters) - text.c_str()));
    text += "…";
  }
  return text;
}

std::string html_title(std::string_view body) {
  const GStringPtr lower(g_ascii_strdown(body.data(), static_cast<gssize>(body.size())));
  const std::string_view page = lower.get();
  const auto open = page.find("<title>");
  if (open == std::string_view::npos) return {};
  const auto close = page.find("</title>", open);
  if (close == std::string_view::npos) return {};
  return trimmed(body.substr(open + 7, close - open - 7));
}

}  // namespace

std::string service_message(const Json &error) { return one_line(redact_text(find_message(error, 0), {})); }

std::string service_message_in(std::string_view body) {
  if (const auto json = Json::parse(body)) return service_message(*json);
  const GStringPtr valid(
      g_utf8_make_valid(body.data(), static_cast<gssize>(std::min<size_t>(body.size(), 4096))));
  const std::string text = trimmed(valid.get());
  if (text.starts_with('<')) return one_line(redact_text(html_title(text), {}));
  return one_line(redact_text(text, {}));
}

}  // namespace genclip
