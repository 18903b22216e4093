// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads one line of JSON as the ledger's writer makes it: an object of scalars and of flat objects.
#pragma once

#include <string_view>
#include <variant>

namespace genclip {

// null, a boolean, a number, or a text that is all shown (is_all_shown).
using Scalar = std::variant<std::monostate, bool, double, std::string_view>;

// Gets the members in the order of the text. False from any of them ends the scan.
class LineSink {
 public:
  virtual ~LineSink() = default;
  virtual bool member(std::string_view name, const Scalar &scalar) = 0;
  // An object begins; its members follow as nested().
  virtual bool object(std::string_view name) = 0;
  virtual bool nested(std::string_view object, std::string_view name, const Scalar &scalar) = 0;
};

// False: it is not such a line, or the sink has ended the scan. It may be JSON all the same, with escapes,
// arrays, deeper objects, spaces or very long numbers. Never accepts a line that is not JSON.
bool scan_line(std::string_view line, LineSink &sink);

}  // namespace genclip
