// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Answers below /_sim/ on the API port, without a key: reports statistics and costs, and accepts
// faults.
#pragma once

#include <libsoup/soup.h>

#include <string>

#include "examples/simulator/ledger.h"
#include "examples/simulator/reply.h"
#include "examples/simulator/task_book.h"

namespace genclip::sim {

// `path` without the prefix: "/stats", "/account" or "/faults".
Reply control_reply(Ledger &ledger, const TaskBook &tasks, SoupServerMessage *message,
                    const std::string &path);

}  // namespace genclip::sim
