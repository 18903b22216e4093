// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Pins: what a person or a program wants to keep is neither evicted nor pruned.
//
// A pin is an empty file in the clip's folder. So it belongs to the request: commits and replacements, which
// touch only files of other names, leave it there, and a clip that is generated anew is pinned like the old
// one. A pin is set under a shared `use` lock, as if the clip were read. A removal holds that lock alone when
// it looks for the pin, so that no clip disappears after its pin was set.
#pragma once

#include "plugin/base/file_system.h"
#include "plugin/base/result.h"
#include "plugin/store/clip_path.h"

namespace genclip {

// Whether the clip of that folder is pinned. Takes no lock and changes nothing. An error: that is unknown,
// and the clip must be kept.
Result<bool> is_pinned(FileSystem &files, const ClipPath &path);

// Both are durable on return, and succeed when there is nothing to do. ErrorKind::not_found when there is no
// such folder, ErrorKind::busy when the clip is being removed.
Result<void> pin_clip(FileSystem &files, const ClipPath &path);
Result<void> unpin_clip(FileSystem &files, const ClipPath &path);

}  // namespace genclip
