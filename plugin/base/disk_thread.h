// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Where work waits for a disk, so that its caller need not.
#pragma once

#include <functional>

namespace genclip {

// Runs `job` on a thread of its own. Any thread; never waits. Jobs do not wait for each other, for a disk may
// hang for hours: there are as many threads as jobs. A thread that is done waits a moment for the next one.
void on_disk_thread(std::function<void()> job);

}  // namespace genclip
