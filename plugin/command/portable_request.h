// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A request that means the same clip in every folder and in every program.
#pragma once

#include "plugin/catalog/catalog.h"
#include "plugin/catalog/clip_request.h"
#include "plugin/generation/request_identity.h"

namespace genclip {

// The same request with sha256:HEX in place of each file, also in the clips inside it. A path depends on the
// current folder, and a URI may name only some files; the content is what identifies the request anyway.
// `checked` and `identified` are that request's.
ClipRequest portable_request(const Catalog &catalog, const ClipRequest &request,
                             const CheckedRequest &checked, const IdentifiedRequest &identified);

}  // namespace genclip
