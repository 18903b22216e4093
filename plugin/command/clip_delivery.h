// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What generate and store fetch have in common: run, write the clip where it shall go, and tell.
#pragma once

#include <optional>
#include <string>

#include "plugin/catalog/clip_request.h"
#include "plugin/command/command_options.h"
#include "plugin/generation/clip_plan.h"

namespace genclip {

struct Delivery {
  std::string output;  // A file, "-" or nothing.
  bool json = false;
  bool quiet = false;
  // What is asked for: many runs may write to one log, and an error belongs to one of them.
  std::optional<ClipRequest> request;
};

void add_delivery_options(CommandOptions &options, Delivery &delivery);

// Prints the path of the clip, or JSON. Returns the exit code: 128 and the signal's number when one stopped
// it.
int deliver_clip(ClipPlan plan, const Delivery &delivery);

// An error as JSON on standard output when wanted, always as text on standard error. Returns kFailed.
int report_failure(const Error &error, bool json);
// The same, with the request.
int report_failure(const Error &error, const Delivery &delivery);

}  // namespace genclip
