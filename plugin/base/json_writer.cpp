// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/json_writer.h"

#include <algorithm>
#include <cmath>

#include "plugin/base/number.h"
#include "plugin/base/shown_text.h"

namespace genclip {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";
constexpr gunichar kNoCharacter =
    static_cast<gunichar>(-2);  // GLib reports invalid bytes by this value and the next.

class Writer {
 public:
  Writer(JsonLayout layout, JsonOrder order)
      : pretty_(layout == JsonLayout::pretty), is_shown_(layout != JsonLayout::line), order_(order) {}

  void write(const Json &json) {
    if (const auto *value = json.boolean())
      text_ += *value ? "true" : "false";
    else if (const auto *integer = json.integer())
      text_ += std::to_string(*integer);
    else if (const auto *real = json.real(); real && std::isfinite(*real))
      write_real(*real);
    else if (const auto *string = json.string())
      quoted(*string);
    else if (const auto *elements = json.array())
      write_array(*elements);
    else if (const auto *members = json.object())
      write_object(*members);
    else
      text_ += "null";
  }

  std::string take() { return std::move(text_); }

 private:
  // The fewest digits that read back as the same value. A real stays a real: 2 would be read as an integer.
  void write_real(double value) {
    const std::string text = number_text(value);
    text_ += text;
    if (text.find_first_of(".e") == text.npos) text_ += ".0";
  }

  void quoted(std::string_view string) {
    text_ += '"';
    for (size_t at = 0; at < string.size();) {
      // Most texts are nothing but such characters, and a digest is made of texts.
      size_t end = at;
      while (end < string.size() && is_plain(string[end])) ++end;
      text_ += string.substr(at, end - at);
      if ((at = end) == string.size()) break;
      const size_t hidden = is_shown_ ? hidden_size(string.substr(at)) : 0;
      if (hidden == 0)
        escaped(string[at]);
      else
        escaped_character(g_utf8_get_char(string.data() + at));
      at += std::max<size_t>(hidden, 1);
    }
    text_ += '"';
  }

  static bool is_plain(char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; }

  // The size of the string's first character if a terminal must not see it, and if it is not ASCII; otherwise
  // 0.
  static size_t hidden_size(std::string_view string) {
    if (static_cast<unsigned char>(string.front()) < 0x80) return 0;
    const gunichar character = g_utf8_get_char_validated(string.data(), static_cast<gssize>(string.size()));
    if (character >= kNoCharacter || is_shown(character)) return 0;
    return static_cast<size_t>(g_unichar_to_utf8(character, nullptr));
  }

  // Written as the one or two UTF-16 units that JSON asks for.
  void escaped_character(gunichar character) {
    if (character < 0x10000) return unit(character);
    unit(0xd800 + ((character - 0x10000) >> 10));
    unit(0xdc00 + ((character - 0x10000) & 0x3ff));
  }

  void unit(gunichar value) {
    text_ += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) text_ += kHex[(value >> shift) & 15];
  }

  void escaped(char c) {
    constexpr std::string_view kPlain = "\"\\\b\f\n\r\t";
    constexpr std::string_view kLetters = "\"\\bfnrt";
    if (const auto at = kPlain.find(c); at != kPlain.npos) {
      (text_ += '\\') += kLetters[at];
    } else if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7f) {
      text_ += "\\u00";
      (text_ += kHex[byte >> 4]) += kHex[byte & 15];
    } else {
      text_ += c;
    }
  }

  void write_array(const Json::Array &elements) {
    open('[');
    for (const Json &element : elements) {
      next();
      write(element);
    }
    close(']');
  }

  void write_object(const Json::Object &members) {
    std::vector<const Json::Member *> order;
    order.reserve(members.size());
    for (const Json::Member &member : members) order.push_back(&member);
    if (order_ == JsonOrder::sorted)
      std::sort(order.begin(), order.end(), [](const auto *a, const auto *b) { return a->first < b->first; });
    open('{');
    for (const auto *member : order) {
      next();
      quoted(member->first);
      text_ += pretty_ ? ": " : ":";
      write(member->second);
    }
    close('}');
  }

  void open(char bracket) {
    text_ += bracket;
    first_ = true;
    ++depth_;
  }

  void next() {
    if (!first_) text_ += ',';
    first_ = false;
    new_line();
  }

  void close(char bracket) {
    --depth_;
    if (!first_) new_line();
    first_ = false;
    text_ += bracket;
  }

  void new_line() {
    if (!pretty_) return;
    text_ += '\n';
    text_.append(depth_ * 2, ' ');
  }

  const bool pretty_;
  const bool is_shown_;
  const JsonOrder order_;
  std::string text_;
  size_t depth_ = 0;
  bool first_ = true;  // Nothing is written yet inside the innermost bracket.
};

}  // namespace

std::string write_json(const Json &json, JsonLayout layout, JsonOrder order) {
  Writer writer(layout, order);
  writer.write(json);
  return writer.take();
}

}  // namespace genclip
