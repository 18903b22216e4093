// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Joins the halves of a surrogate pair that come in different texts of one answer.
//
// Models write characters above U+FFFF in several tokens, and some gateways send each token as it comes, as
// UTF-16: an emoji's first half ends one piece of a stream, and its second half begins the next. A JSON
// reader can only replace a half that stands alone. So halves are marked before the text is read as JSON, as
// characters of the private use that no caption shows (from U+10F800), and joined when the pieces are.
#pragma once

#include <string>
#include <string_view>

namespace genclip {

// The JSON text with each half that stands alone marked, be it written as \uXXXX or as three raw bytes.
std::string mark_halves(std::string_view json);

// Takes the pieces of one text. One thread at a time.
class HalfJoiner {
 public:
  // What is known of the text: a first half at the end waits for the next piece. A half that has no partner
  // becomes one U+FFFD.
  std::string push(std::string_view piece);
  std::string finish();

 private:
  std::string first_;  // marked
};

// The same for a text that is whole.
std::string joined_halves(std::string_view text);

}  // namespace genclip
