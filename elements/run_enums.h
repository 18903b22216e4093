// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The enums of RunSettings as GTypes.
#pragma once

#include <glib-object.h>

namespace genclip {

GType media_check_get_type();
GType publish_check_get_type();
GType reference_identity_get_type();

}  // namespace genclip
