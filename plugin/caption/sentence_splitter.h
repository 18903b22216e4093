// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Cuts text that comes in pieces into sentences as soon as each is complete.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace genclip {

// The sentences do not depend on how the text was cut into pieces. Text is valid UTF-8, but a piece may end
// inside a character. One thread at a time.
class SentenceSplitter {
 public:
  // The sentences that `piece` completes. A sentence is complete once what follows it has begun.
  std::vector<std::string> push(std::string_view piece);

  // What is left at the end, if it says anything.
  std::vector<std::string> finish();

 private:
  std::string pending_;
};

}  // namespace genclip
