// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/shell_word.h"

#include <glib.h>

#include <algorithm>

#include "plugin/base/gref.h"
#include "plugin/base/shown_text.h"

namespace genclip {

std::string shell_word(std::string_view text) {
  std::string word = shown_line(text);
  const auto is_plain = [](char c) {
    return g_ascii_isalnum(c) || std::string_view("%+,-./:=@_").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  return GStringPtr(g_shell_quote(word.c_str())).get();
}

std::string shell_operand(std::string_view text) {
  return (text.starts_with('-') ? "-- " : "") + shell_word(text);
}

}  // namespace genclip
