// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Waits for a lock that others hold for a moment only, unless they have died with it.
#pragma once

#include <gio/gio.h>

#include <chrono>
#include <functional>
#include <string>

#include "plugin/base/clock.h"
#include "plugin/base/file_lock.h"
#include "plugin/base/result.h"

namespace genclip {

// A file server keeps the locks of a machine that died, or that it cannot reach, until their lease ends: NFS
// for 90 s, as long as nobody sets another time there; GlusterFS for 42 s.
inline constexpr std::chrono::seconds kLockPatience{150};

// For what may as well be done later, or by another process, so that nothing waits for it for long.
inline constexpr std::chrono::seconds kShortLockPatience{10};

// A text for people, once in a wait that has become a long one (5 s). Of several waits in one process for one
// lock, one tells.
using OnLockWait = std::function<void(const std::string &text)>;

// The exclusive lock. ErrorKind::not_found without its folder; ErrorKind::busy after `patience`;
// ErrorKind::cancelled. `on_wait` may be empty.
Result<FileLock> wait_for_lock(const std::string &path, Clock &clock, GCancellable *cancellable,
                               const OnLockWait &on_wait, std::chrono::seconds patience = kLockPatience);

}  // namespace genclip
