// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The GType of an enum: its nicks are the enum's words (plugin/base/words.h).
#pragma once

#include <glib-object.h>

#include <iterator>

#include "plugin/base/words.h"

namespace genclip {

// `meanings` are literals, one for each word in the order of the table, as gst-inspect-1.0 shows them.
template <typename Enum, size_t count>
GType enum_type(const char *name, const char *const (&meanings)[count]) {
  static_assert(count == std::size(kWords<Enum>), "Each word needs its meaning.");
  static const GType type = [&] {
    static GEnumValue values[count + 1] = {};
    for (size_t i = 0; i < count; ++i)
      values[i] = {static_cast<int>(kWords<Enum>[i].value), meanings[i], kWords<Enum>[i].word};
    return g_enum_register_static(name, values);
  }();
  return type;
}

}  // namespace genclip
