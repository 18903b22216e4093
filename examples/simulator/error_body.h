// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Writes errors in the various shapes that services use.
#pragma once

#include "examples/simulator/fault.h"
#include "examples/simulator/reply.h"

namespace genclip::sim {

Reply error_reply(unsigned status, const std::string &message, ErrorShape shape = ErrorShape::usual);

// Writes the failure into a task object.
void set_failure(Json &task, const std::string &message, ErrorShape shape);

}  // namespace genclip::sim
