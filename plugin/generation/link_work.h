// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Makes one link of a chain, as any other clip: stored, journalled, and paid once, whoever needs it.
#pragma once

#include <functional>

#include "plugin/base/result.h"
#include "plugin/core/chain_run.h"
#include "plugin/generation/chain_plan.h"
#include "plugin/generation/generation.h"

namespace genclip {

struct MadeLink {
  std::shared_ptr<Generation> generation;  // Keeps the clip in the store.
  std::string key;
};

// Waits until the clip is stored. Meanwhile `outer` gives its warnings, and `show` is called with each state,
// and with what the run that makes it has paid; a clip that was there already costs nothing. The error says
// whose it is. Blocks, until `outer` is cancelled at the latest.
using ShowLink = std::function<void(const GenerationState &state, const LinkPaid &paid)>;
Result<MadeLink> make_link(Generation &outer, GenerationJob job, const PlannedLink &link,
                           const ShowLink &show);

// An error or a warning of a link, as the outer run tells it.
Error about_link(Error error, const PlannedLink &link);

}  // namespace genclip
