// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads the members of one JSON object of a catalog file, and notes what is wrong with them and on which
// line.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/json.h"
#include "plugin/base/words.h"
#include "plugin/catalog/catalog.h"

namespace genclip {

// The smallest line of a value and its parts; 0 when none has a line.
int first_line(const Json &json);

// Collects the mistakes of one model, or of a file's other sections.
class MistakeLog {
 public:
  // `line` is used for a value that has no line of its own.
  MistakeLog(std::string file, std::string model, int line)
      : file_(std::move(file)), model_(std::move(model)), line_(line) {}

  void add(const Json &where, const std::string &text);
  const std::vector<Mistake> &mistakes() const { return mistakes_; }
  const std::string &file() const { return file_; }

 private:
  std::string file_;
  std::string model_;
  int line_;
  std::vector<Mistake> mistakes_;
};

// Reads an absent member as nullopt, false or empty. Reads a wrong member in the same way, and notes the
// mistake.
class MemberReader {
 public:
  // Borrows both. `what` names the object in mistakes, such as "the field duration".
  MemberReader(const Json &object, std::string what, MistakeLog &log);

  // Any type; null when there is none.
  const Json *find(std::string_view key);
  std::string string(std::string_view key);
  bool boolean(std::string_view key);
  std::optional<int64_t> integer(std::string_view key);
  std::optional<int64_t> count(std::string_view key);  // not negative
  std::vector<std::string> strings(std::string_view key);
  const Json::Object *object(std::string_view key);
  const Json::Array *array(std::string_view key);
  // The index of the value in `names`; nullopt when absent or none of them.
  std::optional<size_t> one_of(std::string_view key, const std::vector<std::string> &names);
  // The value that one of an enum's words stands for.
  template <typename Enum>
  std::optional<Enum> one_of(std::string_view key) {
    const auto row = one_of(key, words_of<Enum>());
    return row ? std::optional(kWords<Enum>[*row].value) : std::nullopt;
  }

  // Notes every member that was not read. Call it last.
  void finish();

  void mistake(const Json &where, const std::string &text) { log_.add(where, what_ + ": " + text); }
  MistakeLog &log() { return log_; }

 private:
  const Json *typed(std::string_view key, bool right, const Json *value, const char *type);

  const Json &object_;
  const std::string what_;
  MistakeLog &log_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace genclip
