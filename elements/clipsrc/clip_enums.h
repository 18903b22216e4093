// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The enums of genclipsrc's properties; their GTypes have the same values.
#pragma once

#include <glib-object.h>

#include "plugin/base/words.h"

namespace genclip {

// `model_default` leaves the field out.
enum class Switch { model_default, on, off };
template <>
inline constexpr Word<Switch> kWords<Switch>[] = {
    {Switch::model_default, "default"}, {Switch::on, "on"}, {Switch::off, "off"}};

GType switch_get_type();
GType api_get_type();
GType clip_status_get_type();

}  // namespace genclip
