// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The locks of a clip's folder (docs/store-format.md, Locks).
#pragma once

#include "plugin/base/file_lock.h"

namespace genclip {

using StoreLock = FileLock;

}  // namespace genclip
