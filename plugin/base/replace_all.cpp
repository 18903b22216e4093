// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Copies the pieces between: replacing in place would move the rest of the text each time.
#include "plugin/base/replace_all.h"

namespace genclip {

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  result.reserve(text.size());
  for (size_t place; (place = text.find(from)) != text.npos; text.remove_prefix(place + from.size()))
    result.append(text.substr(0, place)).append(to);
  return result.append(text);
}

}  // namespace genclip
