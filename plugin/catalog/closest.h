// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Guesses which known name an unknown one stands for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace genclip {

struct Name {
  std::string id;
  std::string display_name = {};  // another name for it; may be empty
};

// Up to `most` IDs, the best first; at least one unless `names` is empty. Ignores case, blanks and
// punctuation.
std::vector<std::string> closest_names(std::string_view wanted, const std::vector<Name> &names, size_t most);

// Those that have the wanted text in them, or a long word of which is in it: "sd" and "seedance" of sd_2.0
// and dance-2.5. At least two letters or digits.
std::vector<Name> names_with(std::string_view wanted, const std::vector<Name> &names);

// The name that is so close that the wanted one can only be a typo of it, or one of its words; empty when
// there is none. If several names have that word, the first one counts.
std::string likely_name(std::string_view wanted, const std::vector<Name> &names);

}  // namespace genclip
