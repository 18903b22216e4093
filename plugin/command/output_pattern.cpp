// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/output_pattern.h"

#include <glib.h>

#include <algorithm>
#include <optional>

#include "plugin/base/shown_text.h"
#include "plugin/command/amounts.h"
#include "plugin/command/request_words.h"

namespace genclip {
namespace {

constexpr size_t kMostBytes = 100;     // Of a value; a file name may have 255.
constexpr size_t kMostNameBytes = 48;  // Of a prompt's words.

// At most that many bytes, without a part of a character at the end.
std::string cut_to_bytes(std::string text, size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  text.resize(most);
  return text;
}

// A value as a part of one file name, on any file system.
std::string as_name(const std::string &value) {
  std::string name = shown_line(value);
  for (char &c : name)
    if (std::string_view("/\\:*?\"<>|").find(c) != std::string_view::npos) c = '_';
  name = cut_to_bytes(std::move(name), kMostBytes);
  while (name.ends_with(' ') || name.ends_with('.')) name.pop_back();
  if (name.starts_with('.') || name.starts_with('-')) name.front() = '_';
  return name.empty() ? "_" : name;
}

constexpr std::string_view kPatternWords[] = {"name", "model", "take", "date"};

std::optional<std::string> value_of(std::string_view word, const OutputNames &names) {
  if (word == "name") return as_name(names.name);
  if (word == "model") return as_name(names.model);
  if (word == "take") return std::to_string(names.take);
  if (word == "date") return as_name(names.date);
  return std::nullopt;
}

// "{name-2.mp4": its second brace was forgotten.
bool begins_as_word(std::string_view pattern) {
  return pattern.starts_with('{') && std::ranges::any_of(kPatternWords, [&](std::string_view word) {
           return pattern.substr(1).starts_with(word);
         });
}

}  // namespace

Result<std::string> output_path(std::string_view pattern, const OutputNames &names) {
  std::string path;
  bool follows_value = false;
  while (!pattern.empty()) {
    if (pattern.starts_with("{{") || pattern.starts_with("}}")) {
      path += pattern.front();
      pattern.remove_prefix(2);
      follows_value = false;
      continue;
    }
    const size_t end = pattern.front() == '{' ? pattern.find('}') : pattern.npos;
    if (end == pattern.npos) {
      if ((pattern.front() == '}' && follows_value) || begins_as_word(pattern))
        return Error{ErrorKind::settings,
                     "The output has a brace without its other half: write {name} for the name of the "
                     "clip, {{ and }} for braces."};
      follows_value = false;
      path += pattern.front();
      pattern.remove_prefix(1);
      continue;
    }
    const std::string_view word = pattern.substr(1, end - 1);
    const auto value = value_of(word, names);
    if (!value)
      return Error{ErrorKind::settings,
                   "The output cannot contain {" + shown_line(word) +
                       "}. It may contain {name}, {model}, {take} and {date}; {{ stands for {."};
    path += *value;
    follows_value = true;
    pattern.remove_prefix(end + 1);
  }
  return path;
}

OutputNames output_names(const ClipRequest &request, const std::string &name) {
  constexpr size_t kDateLength = 10;
  return {!name.empty() ? name : name_of_prompt(prompt_of(request)), request.model, request.take,
          utc_text(g_get_real_time() / G_USEC_PER_SEC).substr(0, kDateLength)};
}

bool is_output_pattern(std::string_view path) {
  const auto empty = output_path(path, {});
  return !empty || *empty != path;
}

std::string name_of_prompt(std::string_view prompt) {
  const std::string line = shown_line(prompt);
  std::string name;
  bool is_between = false;  // Words.
  for (const char *at = line.c_str(); *at; at = g_utf8_next_char(at)) {
    const gunichar character = g_utf8_get_char(at);
    if (!g_unichar_isalnum(character) && !g_unichar_ismark(character)) {
      is_between = true;
      continue;
    }
    const std::string bytes(at, static_cast<size_t>(g_utf8_next_char(at) - at));
    const bool needs_hyphen = is_between && !name.empty();
    if (name.size() + needs_hyphen + bytes.size() > kMostNameBytes) {
      // A word that does not fit is left out, unless it is the only one.
      const size_t last = name.rfind('-');
      if (!needs_hyphen && last != name.npos) name.resize(last);
      break;
    }
    if (needs_hyphen) name += '-';
    name += bytes;
    is_between = false;
  }
  return name.empty() ? "clip" : name;
}

}  // namespace genclip
