// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What answers below /_sim/ of the API port: what happened so far, and faults from outside. It asks for no
// key.
#pragma once

#include <libsoup/soup.h>

#include <string>

#include "examples/simulator/ledger.h"
#include "examples/simulator/reply.h"

namespace genclip::sim {

// `path` without the prefix: "/stats" or "/faults".
Reply control_reply(Ledger &ledger, SoupServerMessage *message, const std::string &path);

}  // namespace genclip::sim
