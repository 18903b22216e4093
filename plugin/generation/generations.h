// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The generations of this process: one for each request and its options.
#pragma once

#include <memory>

#include "plugin/generation/generation.h"

namespace genclip {

struct Joined {
  std::shared_ptr<Generation> generation;
  GenerationState state;  // At the moment of joining.
};

// Joins the generation of the same clip in the same store that is under way with the same options, or makes
// one; the caller then starts it. Any thread; never waits.
Joined join_generation(GenerationJob job, GenerationServices services,
                       const std::shared_ptr<GenerationObserver> &observer);

}  // namespace genclip
