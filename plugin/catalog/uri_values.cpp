// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The catalog gives a value its type. Only for fields that it does not know is the type guessed.
#include "plugin/catalog/uri_values.h"

#include <glib.h>

#include <algorithm>
#include <initializer_list>

#include "plugin/base/number.h"

namespace genclip {
namespace {

// Spreadsheets write TRUE.
Json boolean_or_text(const std::string &text) {
  const auto is_one_of = [&](std::initializer_list<const char *> words) {
    return std::ranges::any_of(words,
                               [&](const char *word) { return g_ascii_strcasecmp(word, text.c_str()) == 0; });
  };
  if (is_one_of({"true", "yes", "on", "1"})) return true;
  if (is_one_of({"false", "no", "off", "0"})) return false;
  return text;
}

Result<Json> exact_json(const std::string &text) {
  return Json::parse(text, Json::Lines::unknown, Json::Reading::exact);
}

// JSON that would be sent as another value is neither.
bool is_other_json(const Result<Json> &json) { return !json && json.error().kind == ErrorKind::settings; }

Result<Json> json_or_text(const std::string &text) {
  const bool may_be =
      text == "true" || text == "false" || text == "null" ||
      (!text.empty() && std::string_view("-0123456789[{\"").find(text[0]) != std::string_view::npos);
  if (may_be)
    if (auto json = exact_json(text); json || is_other_json(json)) return json;
  return Json(text);
}

}  // namespace

Json tolerant_value(const std::string &text) {
  auto json = Json::parse(text);
  return json ? std::move(*json) : Json(text);
}

Result<Json> value_of_text(FieldType type, const std::string &text) {
  switch (type) {
    case FieldType::integer:
      if (const auto value = parse_number<int64_t>(text)) return Json(*value);
      return Json(text);
    case FieldType::number:
      if (const auto value = parse_number<int64_t>(text)) return Json(*value);
      if (auto json = exact_json(text); is_other_json(json)) return json;
      if (const auto value = parse_number<double>(text)) return Json(*value);
      return Json(text);
    case FieldType::boolean: return boolean_or_text(text);
    case FieldType::array:
    case FieldType::any: return json_or_text(text);
    case FieldType::string:
    case FieldType::images:
    case FieldType::videos:
    case FieldType::audios: return Json(text);
  }
  return Json(text);
}

namespace {

bool is_read_as(FieldType type, const std::string &text, const Json &value) {
  const auto read = value_of_text(type, text);
  return read && *read == value;
}

}  // namespace

std::vector<std::string> texts_of_value(FieldType type, const Json &value) {
  std::vector<std::string> texts;
  if (const auto *items = value.array(); items && media_kind(type)) {
    for (const Json &item : *items) texts.push_back(item.string() ? *item.string() : item.to_text());
  } else if (const auto *text = value.string(); text && is_read_as(type, *text, value)) {
    texts.push_back(*text);
  } else {
    texts.push_back(value.to_text());
  }
  return texts;
}

bool add_value(FieldType type, Json value, Json &into) {
  if (media_kind(type)) {
    if (into.is_null()) into = Json::Array{};
    into.array()->push_back(std::move(value));
    return true;
  }
  if (into.is_null()) {
    into = type != FieldType::array || value.array() ? std::move(value) : Json(Json::Array{std::move(value)});
    return true;
  }
  if (type != FieldType::array && type != FieldType::any) return false;
  if (!into.array()) into = Json(Json::Array{std::move(into)});
  if (const auto *more = value.array())
    into.array()->insert(into.array()->end(), more->begin(), more->end());
  else
    into.array()->push_back(std::move(value));
  return true;
}

}  // namespace genclip
