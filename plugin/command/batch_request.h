// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A row of a batch's file as a request, with the words of the command line as defaults. Pure.
#pragma once

#include <string>
#include <vector>

#include "plugin/base/result.h"
#include "plugin/catalog/catalog.h"
#include "plugin/catalog/clip_request.h"
#include "plugin/command/batch_rows.h"
#include "plugin/command/command.h"

namespace genclip {

struct BatchClip {
  unsigned line = 0;
  std::string name;    // Of its own, or its line in three digits or more.
  std::string output;  // A file, as the row has it; may be empty.
  std::string project;
  ClipRequest request;
};

// "MODEL", "model=MODEL", "FIELD=VALUE": for all rows that do not say it themselves. The error is about the
// command line.
Result<std::vector<BatchCell>, std::string> read_batch_defaults(const Words &words);

// Fields as on the command line, and model, name, output and project. What the row gives replaces a default,
// of a list all of it. Errors (settings) never hold the value of a key.
Result<BatchClip> batch_clip_of(const Catalog &catalog, const BatchRow &row,
                                const std::vector<BatchCell> &defaults);

}  // namespace genclip
