// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The common part of generate and store fetch: runs the generation, writes the clip to its output, and
// reports.
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
  // Printed with an error, because many runs may write to one log.
  std::optional<ClipRequest> request;
};

void add_delivery_options(CommandOptions &options, Delivery &delivery);

// Prints the path of the clip, or JSON. Returns the exit code: 128 plus the signal's number when a signal
// stopped it.
int deliver_clip(ClipPlan plan, const Delivery &delivery);

// Prints an error as text on standard error, and with `json` also as JSON on standard output. Returns
// kFailed.
int report_failure(const Error &error, bool json);
// The same, with the request.
int report_failure(const Error &error, const Delivery &delivery);

}  // namespace genclip
