// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What genclipsrc's properties set.
#pragma once

#include <span>
#include <vector>

#include "elements/clipsrc/clip_enums.h"
#include "elements/property_table.h"
#include "plugin/base/result.h"
#include "plugin/catalog/catalog.h"
#include "plugin/catalog/clip_request.h"
#include "plugin/catalog/run_settings.h"

namespace genclip {

// A request, and how to run it. Both are bases, so that a property's row can name a member of either.
struct ClipSettings : ClipRequest, RunSettings {
  ClipRequest &request() { return *this; }
  const ClipRequest &request() const { return *this; }
  const RunSettings &run() const { return *this; }
};

// Of the built-in catalog, in the order of the contract.
std::span<const Property<ClipSettings>> clip_properties();
// With a property for each common field of that catalog, which must live as long as the rows.
std::vector<Property<ClipSettings>> clip_properties(const Catalog &catalog);

// An error (settings) for a value that its property cannot hold: it is never truncated.
Result<void> fit_properties(const Catalog &catalog, const ClipRequest &request);

}  // namespace genclip
