// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/base/utf8.h"

namespace genclip {

bool is_utf8(std::string_view text) { return g_utf8_validate_len(text.data(), text.size(), nullptr); }

GStringPtr valid_utf8(std::string_view text) {
  return GStringPtr(text.empty() ? g_strdup("")
                                 : g_utf8_make_valid(text.data(), static_cast<gssize>(text.size())));
}

}  // namespace genclip
