// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/caption/loose_json.h"

#include <string>

namespace genclip {
namespace {

// A string begins and ends with the same one.
constexpr std::string_view kMarks = "\"'";

// The end of the object that begins at `begin`; npos if it has none.
size_t end_of_object(std::string_view text, size_t begin) {
  int depth = 0;
  char mark = 0;
  for (size_t at = begin; at < text.size(); ++at) {
    const char c = text[at];
    if (mark) {
      if (c == '\\')
        ++at;
      else if (c == mark)
        mark = 0;
    } else if (kMarks.find(c) != kMarks.npos) {
      mark = c;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

bool closes(std::string_view text, size_t at) {
  const size_t next = text.find_first_not_of(" \t\r\n", at);
  return next != text.npos && (text[next] == '}' || text[next] == ']');
}

// One character of a string, and what belongs to it.
void append_of_string(std::string_view text, size_t &at, std::string &json) {
  const char c = text[at];
  if (c == '\\' && at + 1 < text.size()) {
    const char escaped = text[++at];
    if (escaped != '\'') json += c;
    json += escaped;
  } else if (c == '\n') {
    json += "\\n";
  } else {
    if (c == '"') json += '\\';
    json += c;
  }
}

// What is JSON stays as it is.
std::string tightened(std::string_view text) {
  std::string json;
  char mark = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool is_mark = mark ? c == mark : kMarks.find(c) != kMarks.npos;
    if (is_mark) {
      mark = mark ? 0 : c;
      json += '"';
    } else if (mark) {
      append_of_string(text, at, json);
    } else if (c != ',' || !closes(text, at + 1)) {
      json += c;
    }
  }
  return json;
}

}  // namespace

std::optional<Json> read_loose_json(std::string_view text) {
  auto json = Json::parse(tightened(text));
  return json ? std::optional(*std::move(json)) : std::nullopt;
}

std::optional<Json> read_loose_object(std::string_view text, size_t begin, size_t &end) {
  end = end_of_object(text, begin);
  return end == text.npos ? std::nullopt : read_loose_json(text.substr(begin, end - begin));
}

}  // namespace genclip
