// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Whether the model keeps to the form of an answer that holds several: in languages, or about numbered texts.
// What lacks is asked for alone. Once that was all of it three times in a row, all is asked for alone from
// the start: it brings the same without the requests that bring nothing.
#pragma once

#include <optional>

#include "plugin/base/error.h"

namespace genclip {

class FormTrust {
 public:
  explicit FormTrust(const char *what_happened) : what_happened_(what_happened) {}

  bool holds() const { return in_a_row_ < kMost; }

  // An answer that should have the form has come. The warning, once, is that trust has ended.
  std::optional<Error> note(bool has_something) {
    if (!holds()) return std::nullopt;
    in_a_row_ = has_something ? 0 : in_a_row_ + 1;
    if (holds()) return std::nullopt;
    return Error{ErrorKind::failed, what_happened_};
  }

 private:
  static constexpr unsigned kMost = 3;

  const char *what_happened_;  // and what is done now
  unsigned in_a_row_ = 0;
};

// Of several texts in one request.
inline FormTrust trust_in_numbers() {
  return FormTrust(
      "Three times in a row, the model answered about several texts without their numbers, or was cut short; "
      "from now on each text is asked about by itself, which takes more requests. Another model may keep the "
      "numbers; with cues-per-request=1 none are asked for.");
}

// Of several languages in one request.
inline FormTrust trust_in_languages() {
  return FormTrust(
      "Three times in a row, the model did not say which text is in which language; from now on each "
      "language "
      "is asked for by itself, which takes more requests. Another model may keep them apart.");
}

}  // namespace genclip
