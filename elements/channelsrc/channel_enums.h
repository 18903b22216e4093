// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The enums of genchannelsrc's properties; their GTypes have the same values.
#pragma once

#include <glib-object.h>

namespace genclip {

GType fallback_get_type();
GType fit_get_type();
GType corner_get_type();
GType on_unknown_get_type();

}  // namespace genclip
