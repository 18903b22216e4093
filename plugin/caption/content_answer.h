// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the text gateway has answered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "plugin/base/error.h"

namespace genclip {

struct ContentAnswer {
  std::string text;
  std::string finish_reason;
  uint64_t prompt_tokens = 0;
  uint64_t output_tokens = 0;
  uint64_t total_tokens = 0;
  bool cut_short = false;   // MAX_TOKENS: the text was cut at that limit
  bool broken_off = false;  // the connection broke behind the finishReason: the end of the text may lack
};

// Has something to read.
bool has_text(const ContentAnswer &answer);

// A warning about an answer that has no text, or not all of it.
std::optional<Error> shortcoming(const ContentAnswer &answer);

}  // namespace genclip
