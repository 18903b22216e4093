// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Only names with a hyphen are recognised by themselves, because "store" and "timeout" are ordinary words;
// those are recognised behind the word "property".
#include "plugin/command/option_words.h"

#include <glib.h>

#include <algorithm>

namespace genclip {
namespace {

std::vector<std::string> options;

struct Phrase {
  std::string_view text;
  std::string_view option;  // The phrase is replaced if the command has this one, or has not.
  bool has;
  std::string_view shown;
};

// A key is never an argument, and the ID of store fetch no option.
constexpr Phrase kPhrases[] = {
    {"reuse=false", "anew", true, "--anew"},
    {"the property api-key, in api-key-file", "api-key-file", true, "--api-key-file"},
    {"api-key, api-key-file", "api-key-file", true, "--api-key-file"},
    {"task-id, base-url and the API key, or unset task-id", "task-id", false,
     "the ID, --base-url and the API key"},
};

// What stands before a name and goes with it, and what replaces it.
struct Opening {
  std::string_view text, shown;
};
constexpr Opening kOpenings[] = {
    {"the property ", ""},    {"The property ", ""},    {"property ", ""},
    {"unset ", "leave out "}, {"Unset ", "Leave out "}, {"", ""},
};

bool has_option(std::string_view name) { return std::ranges::find(options, name) != options.end(); }

bool is_of_name(char c) { return g_ascii_isalnum(c) || c == '-' || c == '_' || c == '/'; }

std::string_view name_at(std::string_view text) {
  const auto *end = std::ranges::find_if_not(text, is_of_name);
  return text.substr(0, static_cast<size_t>(end - text.begin()));
}

// Appends what `text` begins with, as it is shown; returns how much of the text that is.
size_t take_setting(std::string_view text, std::string &shown) {
  for (const Phrase &phrase : kPhrases) {
    if (!text.starts_with(phrase.text) || has_option(phrase.option) != phrase.has) continue;
    shown += phrase.shown;
    return phrase.text.size();
  }
  for (const Opening &opening : kOpenings) {
    if (!text.starts_with(opening.text)) continue;
    const std::string_view name = name_at(text.substr(opening.text.size()));
    const bool is_certain = name.find('-') != name.npos || opening.text.ends_with("property ");
    if (!is_certain || !has_option(name)) continue;
    shown += std::string(opening.shown) + "--" + std::string(name);
    return opening.text.size() + name.size();
  }
  return 0;
}

}  // namespace

void name_options(std::vector<std::string> names) { options = std::move(names); }

std::string with_options(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const bool begins_word = shown.empty() || shown.back() == ' ' || shown.back() == '(';
    const size_t taken = begins_word ? take_setting(text, shown) : 0;
    if (taken == 0) shown += text[0];
    text.remove_prefix(std::max<size_t>(taken, 1));
  }
  return shown;
}

}  // namespace genclip
