// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Runs work that waits for a disk, so that its caller does not wait.
#pragma once

#include <functional>

namespace genclip {

// Runs `job` on a thread of its own. Any thread; never waits. A disk may hang for hours, so jobs do not wait
// for each other: there are as many threads as jobs. A thread that is done waits a moment for the next job.
void on_disk_thread(std::function<void()> job);

}  // namespace genclip
