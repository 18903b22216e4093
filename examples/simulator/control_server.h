// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Answers below /_sim/ on the API port, without a key: reports statistics, and accepts faults.
#pragma once

#include <libsoup/soup.h>

#include <string>

#include "examples/simulator/ledger.h"
#include "examples/simulator/reply.h"

namespace genclip::sim {

// `path` without the prefix: "/stats" or "/faults".
Reply control_reply(Ledger &ledger, SoupServerMessage *message, const std::string &path);

}  // namespace genclip::sim
