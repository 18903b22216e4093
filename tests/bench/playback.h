// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Launch lines played once, and how long they took.
#pragma once

#include <string>

#include "plugin/base/result.h"

namespace genclip::bench {

// Milliseconds from nothing until the first buffer enters the element "sink".
Result<double> first_buffer_ms(const std::string &line);

// Milliseconds from nothing until EOS.
Result<double> whole_ms(const std::string &line);

// A new genclipsrc of the given take, with everything it needs; `base_url` is the service's.
std::string clip_source(const std::string &base_url, const std::string &store, unsigned take);

}  // namespace genclip::bench
