// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A clip that another clip's request refers to. It is made as any other: stored, journalled, and paid once,
// whoever needs it.
#pragma once

#include <memory>
#include <string>

#include "plugin/base/result.h"
#include "plugin/generation/generation.h"

namespace genclip {

struct InnerClip {
  std::shared_ptr<Generation> generation;  // Keeps the clip in the store.
  std::string key;                         // Of its folder.
  std::string path;                        // Of the whole clip.
  std::string task_id;
};

// `identified`: the clip's request. Waits until the clip is stored. Meanwhile `outer` shows its progress, as
// the clips after the first `links_before` of its chain, and what is paid for them, and gives its warnings.
// The error says whose it is.
// Blocks, until `outer` is cancelled at the latest.
Result<InnerClip> make_inner_clip(Generation &outer, const MediaReference &reference,
                                  const std::shared_ptr<const IdentifiedRequest> &identified,
                                  unsigned links_before);

}  // namespace genclip
