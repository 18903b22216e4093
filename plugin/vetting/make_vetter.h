// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Vets media by decoding them with GStreamer.
#pragma once

#include <memory>

#include "plugin/channel/vetter.h"
#include "plugin/http/media_source.h"

namespace genclip {

// Thread-safe: several media can be vetted at once. Any file is safe: nothing of it can crash or block the
// caller. Needs gst_init. `access`: how media at http(s) URLs are fetched.
std::shared_ptr<Vetter> make_vetter(MediaAccess access = {});

}  // namespace genclip
