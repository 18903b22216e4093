// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/member_reader.h"

#include <algorithm>

#include "plugin/base/shown_text.h"
#include "plugin/catalog/closest.h"
#include "plugin/catalog/wording.h"

namespace genclip {
namespace {

int smaller_line(int a, int b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

constexpr size_t kMostOfAMistake = 500;

}  // namespace

int first_line(const Json &json) {
  int line = json.line();
  if (const auto *elements = json.array())
    for (const Json &element : *elements) line = smaller_line(line, first_line(element));
  if (const auto *members = json.object())
    for (const auto &[name, member] : *members) line = smaller_line(line, first_line(member));
  return line;
}

void MistakeLog::add(const Json &where, const std::string &text) {
  const int line = first_line(where);
  mistakes_.push_back({file_, line == 0 ? line_ : line, model_, shown_line(text, kMostOfAMistake)});
}

MemberReader::MemberReader(const Json &object, std::string what, MistakeLog &log)
    : object_(object), what_(std::move(what)), log_(log) {
  if (!object.object()) mistake(object, "this must be an object, { … }.");
}

const Json *MemberReader::find(std::string_view key) {
  known_.emplace(key);
  return object_.find(key);
}

const Json *MemberReader::typed(std::string_view key, bool right, const Json *value, const char *type) {
  if (!value || right) return value;
  mistake(*value, std::string(key) + " must be " + type + ", not " + shown(*value) + ".");
  return nullptr;
}

std::string MemberReader::string(std::string_view key) {
  const Json *value = find(key);
  value = typed(key, value && value->string(), value, "a string");
  return value ? *value->string() : "";
}

bool MemberReader::boolean(std::string_view key) {
  const Json *value = find(key);
  value = typed(key, value && value->boolean(), value, "true or false");
  return value && *value->boolean();
}

std::optional<int64_t> MemberReader::integer(std::string_view key) {
  const Json *value = find(key);
  value = typed(key, value && value->integer(), value, "an integer");
  if (!value) return std::nullopt;
  return *value->integer();
}

std::optional<int64_t> MemberReader::count(std::string_view key) {
  const auto value = integer(key);
  if (!value || *value >= 0) return value;
  mistake(*find(key), std::string(key) + " must not be negative.");
  return std::nullopt;
}

std::vector<std::string> MemberReader::strings(std::string_view key) {
  std::vector<std::string> out;
  const auto *elements = array(key);
  if (!elements) return out;
  for (const Json &element : *elements) {
    if (const auto *text = element.string())
      out.push_back(*text);
    else
      mistake(element, std::string(key) + " must be a list of strings, " + shown(element) + " is none.");
  }
  return out;
}

const Json::Object *MemberReader::object(std::string_view key) {
  const Json *value = find(key);
  value = typed(key, value && value->object(), value, "an object, { … }");
  return value ? value->object() : nullptr;
}

const Json::Array *MemberReader::array(std::string_view key) {
  const Json *value = find(key);
  value = typed(key, value && value->array(), value, "a list, [ … ]");
  return value ? value->array() : nullptr;
}

std::optional<size_t> MemberReader::one_of(std::string_view key, const std::vector<std::string> &names) {
  const Json *value = find(key);
  if (!value) return std::nullopt;
  const auto *text = value->string();
  const auto found = text ? std::find(names.begin(), names.end(), *text) : names.end();
  if (found != names.end()) return found - names.begin();
  mistake(*value, std::string(key) + " must be " + either(names) + ", not " + shown(*value) + ".");
  return std::nullopt;
}

void MemberReader::finish() {
  const auto *members = object_.object();
  if (!members) return;
  std::vector<Name> names;
  for (const std::string &name : known_) names.push_back({name});
  for (const auto &[name, value] : *members) {
    if (known_.contains(name)) continue;
    const std::string meant = likely_name(name, names);
    mistake(value, "there is no key " + quoted(name) +
                       (meant.empty() ? "." : "; did you mean " + quoted(meant) + "?"));
  }
}

}  // namespace genclip
