// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/field_check.h"

#include <glib.h>

#include <algorithm>
#include <cmath>

#include "plugin/base/number.h"
#include "plugin/base/utf8.h"
#include "plugin/catalog/wording.h"

namespace genclip {
namespace {

const char *described(FieldType type) {
  switch (type) {
    case FieldType::string: return "a string";
    case FieldType::integer: return "an integer";
    case FieldType::number: return "a number";
    case FieldType::boolean: return "true or false";
    case FieldType::images:
    case FieldType::videos:
    case FieldType::audios: return "a list of URLs";
    case FieldType::array: return "a list";
    case FieldType::any: return "anything";
  }
  return "";
}

bool has_type(FieldType type, const Json &value) {
  switch (type) {
    case FieldType::string: return value.string();
    case FieldType::integer: return value.integer();
    case FieldType::number: return value.number().has_value();
    case FieldType::boolean: return value.boolean();
    case FieldType::images:
    case FieldType::videos:
    case FieldType::audios:
    case FieldType::array: return value.array();
    case FieldType::any: return true;
  }
  return false;
}

template <typename T>
std::string range_text(const std::optional<T> &min, const std::optional<T> &max) {
  if (min && max && *min == *max) return "exactly " + std::to_string(*min);
  if (min && max) return std::to_string(*min) + " to " + std::to_string(*max);
  if (min) return "at least " + std::to_string(*min);
  if (max) return "at most " + std::to_string(*max);
  return "";
}

std::string with_noun(const std::string &text, const std::optional<int64_t> &last, std::string_view noun) {
  return text.empty() ? text : text + " " + std::string(noun) + (last == 1 ? "" : "s");
}

// The range of an array without a minimum begins at 0, as the tables write it.
std::string items_text(const FieldSpec &spec) {
  if (!spec.min_items && !spec.max_items) return "";
  return with_noun(range_text(std::optional(spec.min_items.value_or(0)), spec.max_items),
                   spec.max_items ? spec.max_items : spec.min_items, "item");
}

template <typename T>
bool outside(T value, const std::optional<int64_t> &min, const std::optional<int64_t> &max) {
  return (min && value < static_cast<T>(*min)) || (max && value > static_cast<T>(*max));
}

// Digits, a colon, digits; neither number is 0.
bool is_ratio(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == text.npos) return false;
  const auto counts = [](std::string_view digits) {
    return !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos &&
           digits.find_first_not_of('0') != digits.npos;
  };
  return counts(text.substr(0, colon)) && counts(text.substr(colon + 1));
}

std::vector<std::string> texts_of(const std::vector<Json> &values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const Json &value : values) texts.push_back(value.string() ? *value.string() : value.to_text());
  return texts;
}

// The allowed value that differs from the given one only in case.
std::string same_but_case(const FieldSpec &spec, const Json &value) {
  if (!value.string()) return "";
  for (const Json &allowed : spec.values)
    if (allowed.string() && g_ascii_strcasecmp(allowed.string()->c_str(), value.string()->c_str()) == 0)
      return *allowed.string();
  return "";
}

std::optional<std::string> among_values(const FieldSpec &spec, const Json &value, const std::string &takes) {
  if (spec.values.empty() || std::find(spec.values.begin(), spec.values.end(), value) != spec.values.end())
    return std::nullopt;
  std::string text = spec.name + " is " + shown(value) + "; " + takes + either(texts_of(spec.values));
  if (const std::string meant = same_but_case(spec, value); !meant.empty())
    text += "; values are case-sensitive: write " + meant;
  return text + ".";
}

}  // namespace

std::string allowed_text(const FieldSpec &spec) {
  if (!spec.values.empty()) return either(texts_of(spec.values));
  if (spec.min || spec.max) return range_text(spec.min, spec.max);
  if (spec.min_items || spec.max_items) return items_text(spec);
  if (spec.min_length || spec.max_length)
    return with_noun(range_text(spec.min_length, spec.max_length),
                     spec.max_length ? spec.max_length : spec.min_length, "character");
  if (!spec.form.empty()) return "of the form " + spec.form;
  return "";
}

std::optional<std::string> value_problem(const FieldSpec &spec, const Json &value, std::string_view taker) {
  const std::string takes = std::string(taker) + " takes ";
  if (!has_type(spec.type, value)) {
    const std::string allowed = allowed_text(spec);
    return spec.name + " is " + shown(value) + "; it must be " + described(spec.type) +
           (allowed.empty() ? "" : ": " + allowed) + ".";
  }
  if (auto wrong = among_values(spec, value, takes)) return wrong;

  if (const auto *number = value.integer(); number && outside(*number, spec.min, spec.max))
    return spec.name + " is " + shown(value) + "; " + takes + range_text(spec.min, spec.max) + ".";
  if (const auto *number = value.real(); number && outside(*number, spec.min, spec.max))
    return spec.name + " is " + shown(value) + "; " + takes + range_text(spec.min, spec.max) + ".";

  if (const auto *items = value.array()) {
    const auto count = static_cast<int64_t>(items->size());
    if (outside(count, spec.min_items, spec.max_items))
      return spec.name + " has " + counted(count, "item") + "; " + takes + items_text(spec) + ".";
  }

  if (const auto *text = value.string()) {
    const int64_t length = g_utf8_strlen(text->c_str(), static_cast<gssize>(text->size()));
    if (length == 0 && spec.min_length.value_or(0) > 0) return spec.name + " is empty.";
    if (outside(length, spec.min_length, spec.max_length))
      return spec.name + " has " + counted(length, "character") + "; " + takes +
             range_text(spec.min_length, spec.max_length) + ".";
    if (spec.form == "W:H" && !is_ratio(*text))
      return spec.name + " is " + quoted(*text) + "; it must be of the form W:H, such as 16:9.";
  }
  return std::nullopt;
}

std::optional<std::string> encoding_problem(const Json &value) {
  const auto of_text = [](const std::string &text) -> std::optional<std::string> {
    if (text.find('\0') != text.npos) return "contains a NUL character";
    if (!is_utf8(text)) return "is not valid UTF-8";
    return std::nullopt;
  };
  if (const auto *text = value.string()) return of_text(*text);
  if (const auto *number = value.real(); number && !std::isfinite(*number))
    return "is neither a finite number nor an integer up to 9223372036854775807";
  if (const auto *elements = value.array())
    for (const Json &element : *elements)
      if (auto problem = encoding_problem(element)) return problem;
  if (const auto *members = value.object())
    for (const auto &[name, member] : *members) {
      if (auto problem = of_text(name)) return problem;
      if (auto problem = encoding_problem(member)) return problem;
    }
  return std::nullopt;
}

}  // namespace genclip
