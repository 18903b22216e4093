// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The secret of a store, which makes the addresses of its published copies impossible to guess.
#pragma once

#include <gio/gio.h>

#include <optional>
#include <string>

#include "plugin/base/clock.h"
#include "plugin/base/file_system.h"
#include "plugin/base/lock_wait.h"
#include "plugin/base/result.h"

namespace genclip {

inline constexpr size_t kPublishSecretSize = 32;  // bytes

// The secret, which the first call makes. However many processes call at once, all get the same one. A
// damaged secret is an error: with another one, every file would be published again at another address.
// Waits for the store's lock as wait_for_lock() does.
Result<std::string> publish_secret(FileSystem &files, Clock &clock, const std::string &store,
                                   GCancellable *cancellable, const OnLockWait &on_wait = nullptr);

// Nothing when the store has none yet.
Result<std::optional<std::string>> read_publish_secret(FileSystem &files, const std::string &store);

}  // namespace genclip
