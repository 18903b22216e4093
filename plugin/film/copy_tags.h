// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the tags of a stream become in a copy.
#pragma once

#include <gst/gst.h>

namespace genclip {

inline constexpr const char *kNoLanguage = "und";  // Of ISO 639; Matroska's own default is English.

// Says that a stream has no known language, where its tags name none. Takes the event and returns one.
GstEvent *with_some_language(GstEvent *tags);

}  // namespace genclip
