// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/task/service_message.h"

#include <glib.h>

#include <algorithm>
#include <iterator>

#include "plugin/base/gref.h"
#include "plugin/base/name_letters.h"
#include "plugin/base/trimmed.h"
#include "plugin/http/display_line.h"
#include "plugin/task/answer_json.h"
#include "plugin/task/status_word.h"

namespace genclip {
namespace {

constexpr int kMaxDepth = 10;
constexpr size_t kMaxCharacters = 500;
constexpr size_t kMaxPlainText = 4096;  // How much of a body that is not JSON is searched for a title.

struct MessageName {
  std::string_view name;
  bool is_reason = true;  // Else it may just as well be of a success.
};
// In lower case and without separators, the most telling first. A name that ends with one of the last group
// counts, too: task_status_msg.
constexpr MessageName kMessageNames[] = {
    {"message", false}, {"msg", false},    {"errormessage"},  {"errordescription"}, {"detail", false},
    {"error"},          {"failreason"},    {"failurereason"}, {"failedreason"},     {"reason"},
    {"details", false}, {"errormsg"},      {"errmsg"},        {"failmsg"},          {"failmessage"},
    {"failure"},        {"statusmessage"}, {"statusmsg"},     {"statusreason"},     {"title", false},
    {"errors"},         {"baseresp"}};
constexpr std::string_view kMessageEnding = "statusmsg";
// Any other name with one of these in it may hold a message, too.
constexpr std::string_view kMessageParts[] = {"err",       "fail", "reason", "message", "msg",       "detail",
                                              "exception", "desc", "cause",  "remark",  "moderation"};

bool may_explain(std::string_view member) {
  const std::string name = name_letters(member);
  return std::any_of(std::begin(kMessageParts), std::end(kMessageParts),
                     [&](std::string_view part) { return name.find(part) != name.npos; });
}

// True for the name of a member that says why, as its letters are in kMessageNames.
bool is_called(std::string_view member, std::string_view wanted) {
  const std::string letters = name_letters(member);
  return letters == wanted || (wanted == kMessageEnding && letters.ends_with(kMessageEnding));
}

bool is_in_message_names(std::string_view member) {
  return std::any_of(std::begin(kMessageNames), std::end(kMessageNames),
                     [&](const MessageName &known) { return is_called(member, known.name); });
}

bool is_nothing(const std::string &line) {
  return means_nothing(line) || g_ascii_strcasecmp(line.c_str(), "no error") == 0 ||
         g_ascii_strcasecmp(line.c_str(), "noerror") == 0;
}

// A word, a code or a phrase that only says that it failed. A sentence beside it tells more.
bool is_bare(const std::string &message) {
  constexpr std::string_view kPhrases[] = {"task failed", "generation failed", "request failed"};
  const bool is_word = std::all_of(message.begin(), message.end(), [](char c) { return g_ascii_isgraph(c); });
  return is_word || message.starts_with("code ") ||
         std::any_of(std::begin(kPhrases), std::end(kPhrases), [&](std::string_view phrase) {
           return g_ascii_strcasecmp(message.c_str(), phrase.data()) == 0;
         });
}

// 0 and the codes of success are not an error.
bool is_good_code(int64_t code) { return code == 0 || (code >= 200 && code < 300); }

std::string find_message(const Json &json, int depth);

std::string message_in_string(const std::string &text, int depth) {
  std::string line(trimmed(text));
  if (is_nothing(line) || means_success(line)) return {};
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
  if (const int64_t *code = json.integer()) return is_good_code(*code) ? "" : "code " + std::to_string(*code);
  if (const Json::Array *list = json.array()) {
    std::string all;
    for (const Json &item : *list) {
      const std::string one = find_message(item, depth + 1);
      if (!one.empty()) all += (all.empty() ? "" : "; ") + one;
    }
    return all;
  }
  std::string bare;
  if (const Json::Object *object = json.object())
    for (const MessageName &wanted : kMessageNames)
      for (const auto &[name, value] : *object) {
        if (!is_called(name, wanted.name)) continue;
        const std::string found = find_message(value, depth + 1);
        if (!found.empty() && !is_bare(found)) return place_of(json) + found;
        if (bare.empty()) bare = found;
      }
  if (const Json::Object *object = json.object())
    for (const auto &[name, value] : *object) {
      // Each member is looked at once: twice a level is 512 times at the ninth one.
      if (!may_explain(name) || is_in_message_names(name) || value.integer()) continue;
      const std::string found = find_message(value, depth + 1);
      if (!found.empty() && !is_bare(found)) return place_of(json) + found;
      if (bare.empty()) bare = found;
    }
  if (!bare.empty()) return place_of(json) + bare;
  // A code alone is better than nothing.
  const Json *code = json.find("code");
  if (code && code->string() && (*code->string() == "0" || *code->string() == "200")) return {};
  return code ? find_message(*code, depth + 1) : std::string();
}

// Of the task, or else of what holds its results; of the part of them that counts.
std::string message_in(const Json &task, const Secrets &secrets, const auto &counting) {
  if (!task.object()) return {};
  std::string message = service_message(counting(task), secrets);
  for (const char *name : {"output", "result", "data", "response", "task_result"})
    if (const Json *inside = task.find(name); inside && inside->object() && message.empty())
      message = service_message(counting(*inside), secrets);
  return message;
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

std::string service_message(const Json &error, const Secrets &secrets) {
  return display_line(find_message(error, 0), kMaxCharacters, secrets);
}

std::string failure_reason(const Json &task, TaskStatus status, const Secrets &secrets) {
  const bool has_failed = status == TaskStatus::failed;
  for (const char *name : {"error", "fail_reason", "failReason", "error_message"}) {
    const Json *error = task.find(name);
    std::string message = error ? service_message(*error, secrets) : std::string();
    if (message.empty()) continue;
    if (!has_failed || !is_bare(message)) return message;
    Json others = task;
    std::erase_if(*others.object(), [&](const Json::Member &member) { return member.first == name; });
    const std::string more = service_message(others, secrets);
    return more.empty() || more == message ? message : message + ": " + more;
  }
  return has_failed ? message_in(task, secrets, [](const Json &object) { return object; }) : std::string();
}

std::string stated_reason(const Json &task, const Secrets &secrets) {
  return message_in(task, secrets, [](Json object) {
    std::erase_if(*object.object(), [](const Json::Member &member) {
      return std::none_of(std::begin(kMessageNames), std::end(kMessageNames), [&](const MessageName &known) {
        return known.is_reason && is_called(member.first, known.name);
      });
    });
    return object;
  });
}

std::string service_message_in(std::string_view body, const Secrets &secrets) {
  if (const auto json = Json::parse(body)) return service_message(*json, secrets);
  if (const auto documents = answer_documents(body))
    for (auto document = documents->rbegin(); document != documents->rend(); ++document)
      if (std::string message = service_message(*document, secrets); !message.empty()) return message;
  const std::string text = display_line(without_byte_order_mark(body), kMaxPlainText, secrets);
  return display_line(text.starts_with('<') ? element_text(text) : text, kMaxCharacters, secrets);
}

}  // namespace genclip
