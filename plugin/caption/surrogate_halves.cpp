// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/caption/surrogate_halves.h"

#include <glib.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace genclip {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr uint32_t kMarked = 0x10F800;  // of U+D800
constexpr size_t kMarkedSize = 4;       // bytes of UTF-8
constexpr size_t kEscapeSize = 6;
constexpr size_t kRawSize = 3;

bool is_first(uint32_t half) { return half < 0xDC00; }

// The surrogate half that is written as \uXXXX there.
std::optional<uint32_t> escaped_half(std::string_view json, size_t at) {
  const std::string_view escape = json.substr(std::min(at, json.size()), kEscapeSize);
  uint32_t unit = 0;
  if (escape.size() < kEscapeSize || !escape.starts_with("\\u")) return std::nullopt;
  const char *end = escape.data() + escape.size();
  if (std::from_chars(escape.data() + 2, end, unit, 16).ptr != end) return std::nullopt;
  return unit >= 0xD800 && unit < 0xE000 ? std::optional(unit) : std::nullopt;
}

// The same as UTF-8 would have it, which knows no halves.
std::optional<uint32_t> raw_half(std::string_view json, size_t at) {
  const std::string_view bytes = json.substr(std::min(at, json.size()), kRawSize);
  if (bytes.size() < kRawSize || bytes[0] != '\xED') return std::nullopt;
  const auto second = static_cast<unsigned char>(bytes[1]);
  const auto third = static_cast<unsigned char>(bytes[2]);
  if (second < 0xA0 || second > 0xBF || third < 0x80 || third > 0xBF) return std::nullopt;
  return 0xD000u + ((second & 0x3Fu) << 6) + (third & 0x3Fu);
}

void append_marked(uint32_t half, std::string &json) {
  const uint32_t code = kMarked + (half - 0xD800) - 0x10000;
  char escapes[2 * kEscapeSize + 1];
  g_snprintf(escapes, sizeof escapes, "\\u%04x\\u%04x", 0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF));
  json += escapes;
}

// The half that a marked character stands for.
std::optional<uint32_t> marked_half(std::string_view text, size_t at) {
  if (at >= text.size() || text[at] != '\xF4') return std::nullopt;
  const gunichar c = g_utf8_get_char_validated(text.data() + at, static_cast<gssize>(text.size() - at));
  return c >= kMarked && c <= 0x10FFFF ? std::optional<uint32_t>(0xD800 + (c - kMarked)) : std::nullopt;
}

void append_pair(uint32_t first, uint32_t second, std::string &text) {
  char bytes[6];
  const gint size = g_unichar_to_utf8(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00), bytes);
  text.append(bytes, static_cast<size_t>(size));
}

}  // namespace

std::string mark_halves(std::string_view json) {
  if (json.find("\\u") == json.npos && json.find('\xED') == json.npos) return std::string(json);
  std::string marked;
  size_t copied = 0;
  const auto replace = [&](size_t at, size_t size, uint32_t half) {
    marked += json.substr(copied, at - copied);
    append_marked(half, marked);
    copied = at + size;
  };
  for (size_t at = 0; at < json.size();) {
    if (const auto half = raw_half(json, at)) {
      replace(at, kRawSize, *half);
      at += kRawSize;
    } else if (json[at] != '\\') {
      ++at;
    } else if (const auto escape = escaped_half(json, at)) {
      const auto next = escaped_half(json, at + kEscapeSize);
      const bool is_pair = is_first(*escape) && next && !is_first(*next);
      if (!is_pair) replace(at, kEscapeSize, *escape);
      at += is_pair ? 2 * kEscapeSize : kEscapeSize;
    } else {
      at += 2;  // The second character may be a backslash as well.
    }
  }
  marked += json.substr(copied);
  return marked;
}

std::string HalfJoiner::push(std::string_view piece) {
  if (first_.empty() && piece.find('\xF4') == piece.npos) return std::string(piece);
  const std::string text = std::exchange(first_, {}) + std::string(piece);
  std::string joined;
  for (size_t at = 0; at < text.size();) {
    const auto half = marked_half(text, at);
    if (!half) {
      joined += text[at++];
      continue;
    }
    const size_t behind = at + kMarkedSize;
    if (is_first(*half) && behind == text.size()) {
      first_ = text.substr(at);
      break;
    }
    const auto next = marked_half(text, behind);
    if (is_first(*half) && next && !is_first(*next)) {
      append_pair(*half, *next, joined);
      at = behind + kMarkedSize;
    } else {
      joined += kReplacement;
      at = behind;
    }
  }
  return joined;
}

std::string HalfJoiner::finish() {
  return std::string(std::exchange(first_, {}).empty() ? std::string_view() : kReplacement);
}

std::string joined_halves(std::string_view text) {
  HalfJoiner joiner;
  std::string joined = joiner.push(text);
  return joined + joiner.finish();
}

}  // namespace genclip
