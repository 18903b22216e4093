// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which of the known names somebody meant who wrote an unknown one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace genclip {

struct Name {
  std::string id;
  std::string display_name = {};  // another way to say it; may be empty
};

// Up to `most` IDs, the best first. Case, blanks and punctuation count for nothing; never empty when `names`
// is not.
std::vector<std::string> closest_names(std::string_view wanted, const std::vector<Name> &names, size_t most);

// The name that is so near that it can only be a typo; empty when there is none.
std::string likely_name(std::string_view wanted, const std::vector<Name> &names);

}  // namespace genclip
