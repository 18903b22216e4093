// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Limits on how long a text may be, counted the way each model counts (§2.3, §2.4).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/catalog/model_spec.h"

namespace genclip {

struct TextMeasure {
  int64_t characters = 0;  // Unicode code points
  int64_t han = 0;         // those of the Han script
  int64_t words = 0;       // runs between white space
};

// `text` is valid UTF-8.
TextMeasure measure(std::string_view text);

struct TextVerdict {
  std::vector<std::string> problems;
  std::vector<std::string> warnings;
};

// Validates a text against the field's text limits.
TextVerdict check_text(const FieldSpec &spec, std::string_view text, std::string_view taker);

// For people: "at most 500 characters where it has Chinese ones".
std::string limit_text(const TextLimit &limit);

}  // namespace genclip
