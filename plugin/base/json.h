// SPDX-License-Identifier: LGPL-2.1-or-later
//
// JSON as a plain value, read with json-glib.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "plugin/base/result.h"

namespace genclip {

class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;  // In the order of the text. parse() and set() keep keys unique.

  Json() = default;  // null
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  Json(int value) : value_(int64_t{value}) {}
  Json(unsigned value) : value_(int64_t{value}) {}
  Json(int64_t value) : value_(value) {}
  Json(double value) : value_(value) {}
  Json(const char *value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}

  enum class Lines { unknown, noted };
  // strict: for what a person has written. Fails for what JSON has not (single quotes, comments), and for
  // what programs read differently: a key twice in an object, a half surrogate pair, a NUL. exact: for what
  // is sent on; fails also for numbers that are read as strings.
  enum class Reading { tolerant, strict, exact };
  // Any bytes are safe. Invalid UTF-8 and NULs are read as U+FFFD, numbers that are no JSON as strings
  // (json_tidy.h). Fails, and names the line, for text that is not JSON, that nests deeper than kMaxDepth, or
  // that holds too many values. The error has the kind `settings` where the text is JSON that programs read
  // differently, and `failed` otherwise. Noting the lines adds about half to the time.
  static Result<Json> parse(std::string_view text, Lines lines = Lines::unknown,
                            Reading reading = Reading::tolerant);
  static constexpr int kMaxDepth = 100;

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  // Null when the value has another type.
  const bool *boolean() const { return std::get_if<bool>(&value_); }
  const int64_t *integer() const { return std::get_if<int64_t>(&value_); }
  const double *real() const { return std::get_if<double>(&value_); }
  const std::string *string() const { return std::get_if<std::string>(&value_); }
  const Array *array() const { return std::get_if<Array>(&value_); }
  const Object *object() const { return std::get_if<Object>(&value_); }
  Array *array() { return std::get_if<Array>(&value_); }
  Object *object() { return std::get_if<Object>(&value_); }
  // An integer or a real.
  std::optional<double> number() const;

  // The member of that name; null when there is none, or when this is not an object.
  const Json *find(std::string_view key) const;
  Json *find(std::string_view key);
  // Adds or replaces a member; a null becomes an object first. Only for these two types.
  void set(std::string_view key, Json value);

  // One line, members in their order.
  std::string to_text() const;
  // For people: indented by two spaces a level.
  std::string to_pretty_text() const;
  // One line with all keys sorted by their bytes: the same text for equal values.
  std::string to_canonical_text() const;

  // The line of the text it was parsed from, from 1; 0 when that was not noted.
  int line() const { return line_; }

  // Lines do not count.
  friend bool operator==(const Json &a, const Json &b) { return a.value_ == b.value_; }

 private:
  friend class JsonTree;

  std::variant<std::monostate, bool, int64_t, double, std::string, Array, Object> value_;
  int line_ = 0;
};

}  // namespace genclip
