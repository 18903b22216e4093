// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The options of commands that speak to the service.
#pragma once

#include "plugin/command/command_options.h"
#include "plugin/generation/clip_plan.h"

namespace genclip {

// Into the wish; its request is not touched.
void add_service_options(CommandOptions &options, ClipWish &wish);
// --store alone.
void add_store_option(CommandOptions &options, std::string &store);

}  // namespace genclip
