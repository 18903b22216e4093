// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The options of commands that talk to the service.
#pragma once

#include "plugin/command/command_options.h"
#include "plugin/generation/run_settings.h"

namespace genclip {

void add_service_options(CommandOptions &options, RunSettings &run);
// What is looked at before a submit.
void add_submit_options(CommandOptions &options, RunSettings &run);
// Where files are published.
void add_publish_place_options(CommandOptions &options, RunSettings &run);
// How references that are no URLs are published, and what tells references apart.
void add_publish_options(CommandOptions &options, RunSettings &run);
// Only --store.
void add_store_option(CommandOptions &options, std::string &store);

}  // namespace genclip
