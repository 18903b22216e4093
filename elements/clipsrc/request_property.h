// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A request's field as a property: what GObject calls it, reads and writes, by its row of the catalog alone.
#pragma once

#include "elements/clipsrc/clip_settings.h"

namespace genclip {

// Borrows both: they must outlive the row.
Property<ClipSettings> request_property(const Catalog &catalog, const FieldSpec &field);

}  // namespace genclip
