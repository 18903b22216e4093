// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/task/service_message.h"

#include <glib.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "plugin/base/gref.h"
#include "plugin/base/trimmed.h"
#include "plugin/http/display_line.h"

namespace genclip {
namespace {

constexpr int kMaxDepth = 10;
constexpr size_t kMaxCharacters = 500;
constexpr size_t kMaxPlainText = 4096;  // How much of a body that is not JSON is searched for a title.

// The most telling first.
constexpr std::array kMessageKeys = {
    "message",     "msg",        "error_message", "errorMessage", "error_description", "detail", "error",
    "fail_reason", "failReason", "reason",        "details",      "error_msg",         "title",  "errors"};

std::string find_message(const Json &json, int depth);

std::string message_in_string(const std::string &text, int depth) {
  std::string line(trimmed(text));
  if (line == "null" || line == "None") return {};  // A null that was printed as text.
  if (!line.empty() && (line.front() == '{' || line.front() == '[' || line.front() == '"') &&
      depth < kMaxDepth) {
    if (const auto inner = Json::parse(line)) {
      if (std::string found = find_message(*inner, depth + 1); !found.empty()) return found;
      // An object of an unknown shape is shown whole. One with a code of 0 reports no error.
      if (inner->object() && !inner->object()->empty() && !inner->find("code")) return line;
      if (!inner->string()) return {};
    }
  }
  return line;
}

// FastAPI's {"loc":["body","prompt"],"msg":"field required"}: the place is part of the message.
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
  if (const int64_t *code = json.integer()) return *code == 0 ? "" : "code " + std::to_string(*code);
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
  if (code && code->string() && *code->string() == "0") return {};
  return code ? find_message(*code, depth + 1) : std::string();
}

// The text of the first of these elements in a page.
std::string element_text(std::string_view page) {
  const GStringPtr lowered(g_ascii_strdown(page.data(), static_cast<gssize>(page.size())));
  const std::string_view lower(lowered.get(), page.size());
  for (const std::string_view name : {"title", "message"}) {
    const auto open = lower.find(std::string("<").append(name));
    const auto begin = open == lower.npos ? open : lower.find('>', open);
    const auto end = begin == lower.npos ? begin : lower.find("</", begin);
    if (end == lower.npos) continue;
    if (const auto text = trimmed(page.substr(begin + 1, end - begin - 1)); !text.empty())
      return std::string(text);
  }
  return {};
}

}  // namespace

std::string service_message(const Json &error, std::string_view key) {
  return display_line(find_message(error, 0), kMaxCharacters, key);
}

std::string service_message_in(std::string_view body, std::string_view key) {
  if (const auto json = Json::parse(body)) return service_message(*json, key);
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (body.starts_with(kByteOrderMark)) body.remove_prefix(kByteOrderMark.size());
  const std::string text = display_line(body, kMaxPlainText, key);
  return display_line(text.starts_with('<') ? element_text(text) : text, kMaxCharacters, key);
}

std::string it_says(const std::string &message) {
  if (message.empty()) return "";
  constexpr std::string_view kEnds[] = {".", "!", "?", "…", "。", "！", "？"};
  const bool ended = std::any_of(std::begin(kEnds), std::end(kEnds),
                                 [&](std::string_view end) { return message.ends_with(end); });
  return " It says: " + message + (ended ? "" : ".");
}

}  // namespace genclip
