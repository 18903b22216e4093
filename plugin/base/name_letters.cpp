// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/name_letters.h"

#include <glib.h>

namespace genclip {

std::string name_letters(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (c != '_' && c != '-' && c != ' ') letters += g_ascii_tolower(c);
  return letters;
}

}  // namespace genclip
