// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Names of languages: BCP 47 tags whose language is a code of ISO 639-1 or 639-2.
#pragma once

#include <string>
#include <string_view>

#include "plugin/base/result.h"

namespace genclip {

// The tag as people usually write it: `de`, `pt-BR`, `zh-Hant-TW`. ErrorKind::settings says what is wrong.
// Accepted are a language, and behind it, each optional and in this order: a script, a region and variants.
Result<std::string> canonical_language(std::string_view tag);

// What containers can hold of a canonical tag: the code of the language alone, of two letters if there is
// one.
std::string language_code(std::string_view tag);

// True if both name the same language, whatever their scripts and regions are.
bool is_same_language(std::string_view a, std::string_view b);

}  // namespace genclip
