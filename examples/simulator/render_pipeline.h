// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Pipelines that run to their end.
#pragma once

#include <gio/gio.h>

#include <string>

#include "plugin/base/gref.h"
#include "plugin/base/result.h"

namespace genclip::sim {

Result<GRef<GstElement>> new_pipeline(const std::string &description);

// Null when there is no element of that name.
GRef<GstElement> element_of(const GRef<GstElement> &pipeline, const char *name);

// Blocks until the end, an error, or until `cancellable` is cancelled. Leaves the pipeline in its state.
Result<void> run_to_end(const GRef<GstElement> &pipeline, GCancellable *cancellable);

}  // namespace genclip::sim
