// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/caption/caption_text.h"

#include <glib.h>

#include "plugin/base/gref.h"
#include "plugin/base/replace_all.h"
#include "plugin/base/utf8.h"

namespace genclip {
namespace {

struct ParseContextFree {
  void operator()(GMarkupParseContext *context) const { g_markup_parse_context_free(context); }
};

// Has ink, or at least a place of its own. Fillers count as letters for Unicode, and the blank of Braille as
// a symbol.
bool is_seen(gunichar c) {
  constexpr std::u32string_view kFillers = U"\u00AD\u115F\u1160\u2800\u3164\uFFA0";
  return !g_unichar_isspace(c) && !g_unichar_iszerowidth(c) && kFillers.find(c) == kFillers.npos;
}

// Appends a line without the blanks at its ends, unless there is nothing to see in it.
void append_line(std::string_view line, std::string &out) {
  size_t first = std::string_view::npos;
  size_t last = 0;
  bool is_blank = true;
  for (size_t at = 0; at < line.size();) {
    const gunichar c = g_utf8_get_char(line.data() + at);
    const auto size = static_cast<size_t>(g_utf8_next_char(line.data() + at) - (line.data() + at));
    if (!g_unichar_isspace(c)) {
      if (first == std::string_view::npos) first = at;
      last = at + size;
      is_blank = is_blank && !is_seen(c);
    }
    at += size;
  }
  if (is_blank) return;
  if (!out.empty()) out += '\n';
  out += line.substr(first, last - first);
}

struct CodePoint {
  gunichar code;
  size_t size;
};

// Writers end a text with it, and models fill gaps by it. For GLib it is a byte that is not of UTF-8.
std::string without_nul(std::string_view bytes) { return replace_all(bytes, std::string_view("\0", 1), ""); }

// A byte that is not of UTF-8 is a character of its own.
CodePoint code_point_at(std::string_view text, size_t at) {
  if (text[at] == '\0') return {0, 1};
  const gunichar code = g_utf8_get_char_validated(text.data() + at, static_cast<gssize>(text.size() - at));
  if (code >= 0x110000) return {0xFFFD, 1};
  return {code, static_cast<size_t>(g_unichar_to_utf8(code, nullptr))};
}

bool is_line_end(gunichar c) { return c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029; }

}  // namespace

std::string caption_text(std::string_view bytes) {
  const GStringPtr valid = valid_utf8(without_nul(bytes));
  std::string out;
  std::string line;
  for (const char *at = valid.get(); *at; at = g_utf8_next_char(at)) {
    const gunichar c = g_utf8_get_char(at);
    if (is_line_end(c)) {
      append_line(line, out);
      line.clear();
    } else if (g_unichar_iscntrl(c)) {
      line += ' ';
    } else if (c != 0xFEFF) {
      line.append(at, static_cast<size_t>(g_utf8_next_char(at) - at));
    }
  }
  append_line(line, out);
  return replace_all(out, "-->", "→");
}

std::string caption_text_of_markup(std::string_view bytes) {
  const GStringPtr valid = valid_utf8(without_nul(bytes));
  std::string plain;
  GMarkupParser parser = {};
  parser.text = [](GMarkupParseContext *, const char *text, gsize size, gpointer out, GError **) {
    static_cast<std::string *>(out)->append(text, size);
  };
  const std::unique_ptr<GMarkupParseContext, ParseContextFree> context(
      g_markup_parse_context_new(&parser, static_cast<GMarkupParseFlags>(0), &plain, nullptr));
  const std::string document = std::string("<markup>") + valid.get() + "</markup>";
  if (!g_markup_parse_context_parse(context.get(), document.data(), static_cast<gssize>(document.size()),
                                    nullptr) ||
      !g_markup_parse_context_end_parse(context.get(), nullptr))
    return caption_text(bytes);
  return caption_text(plain);
}

size_t first_seen(std::string_view text, size_t from) {
  while (from < text.size()) {
    const CodePoint next = code_point_at(text, from);
    if (is_seen(next.code) && !g_unichar_iscntrl(next.code)) break;
    from += next.size;
  }
  return from;
}

std::string_view without_unseen_ends(std::string_view text) {
  text.remove_prefix(first_seen(text));
  size_t end = 0;
  for (size_t at = 0; at < text.size(); at = first_seen(text, end)) end = at + code_point_at(text, at).size;
  return text.substr(0, end);
}

size_t character_count(std::string_view text) {
  return static_cast<size_t>(g_utf8_strlen(text.data(), static_cast<gssize>(text.size())));
}

}  // namespace genclip
