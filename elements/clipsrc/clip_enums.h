// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The enums of genclipsrc's properties; their GTypes have the same values.
#pragma once

#include <glib-object.h>

namespace genclip {

// `model_default` leaves the field out.
enum class Switch { model_default, on, off };

GType switch_get_type();
GType api_get_type();
GType media_check_get_type();
GType clip_status_get_type();

}  // namespace genclip
