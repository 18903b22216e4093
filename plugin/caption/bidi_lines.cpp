// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/caption/bidi_lines.h"

#include <glib.h>

namespace genclip {
namespace {

bool is_opening(gunichar c) {
  return (c >= 0x202A && c <= 0x202E && c != 0x202C) || (c >= 0x2066 && c <= 0x2068);
}
constexpr gunichar kEndOfEmbedding = 0x202C;
constexpr gunichar kEndOfIsolate = 0x2069;

bool is_isolate(std::string_view opening) { return g_utf8_get_char(opening.data()) >= 0x2066; }

enum class Direction { none, to_right, to_left };

Direction direction_of(gunichar c) {
  if (c == 0x200E) return Direction::to_right;
  if (c == 0x200F || c == 0x061C) return Direction::to_left;
  if (!g_unichar_isalpha(c)) return Direction::none;
  switch (g_unichar_get_script(c)) {
    case G_UNICODE_SCRIPT_HEBREW:
    case G_UNICODE_SCRIPT_ARABIC:
    case G_UNICODE_SCRIPT_SYRIAC:
    case G_UNICODE_SCRIPT_THAANA:
    case G_UNICODE_SCRIPT_NKO:
    case G_UNICODE_SCRIPT_ADLAM:
    case G_UNICODE_SCRIPT_HANIFI_ROHINGYA: return Direction::to_left;
    default: return Direction::to_right;
  }
}

// That of the first letter, as renderers find it.
Direction direction(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const gunichar c = g_utf8_get_char(text.data() + at);
    if (const Direction found = direction_of(c); found != Direction::none) return found;
    at += static_cast<size_t>(g_utf8_next_char(text.data() + at) - (text.data() + at));
  }
  return Direction::none;
}

void track(std::string_view text, std::vector<std::string> &open) {
  for (size_t at = 0; at < text.size();) {
    const gunichar c = g_utf8_get_char(text.data() + at);
    const auto size = static_cast<size_t>(g_utf8_next_char(text.data() + at) - (text.data() + at));
    if (is_opening(c)) {
      open.emplace_back(text.substr(at, size));
    } else if (c == kEndOfEmbedding) {
      if (!open.empty() && !is_isolate(open.back())) open.pop_back();
    } else if (c == kEndOfIsolate) {
      // It also ends the embeddings inside the isolate; without an isolate it has no effect.
      size_t left = open.size();
      while (left > 0 && !is_isolate(open[left - 1])) --left;
      if (left > 0) open.resize(left - 1);
    }
    at += size;
  }
}

}  // namespace

void BidiLines::begin(std::string_view paragraph) {
  paragraph_ = paragraph;
  is_first_ = true;
  open_.clear();
}

std::string BidiLines::opening(std::string_view text) const {
  std::string marks;
  if (!is_first_) {
    const Direction whole = direction(paragraph_);
    const Direction own = direction(text);
    const bool is_open = !open_.empty();
    if (whole == Direction::to_left && (own != whole || is_open)) marks = "\u200F";
    if (whole == Direction::to_right && (own == Direction::to_left || is_open)) marks = "\u200E";
  }
  for (const std::string &opening : open_) marks += opening;
  return marks;
}

std::string BidiLines::line(std::string_view text) {
  std::string out = opening(text);
  out += text;
  is_first_ = false;
  track(text, open_);
  for (auto opening = open_.rbegin(); opening != open_.rend(); ++opening)
    out += is_isolate(*opening) ? "\u2069" : "\u202C";
  return out;
}

}  // namespace genclip
