// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Credits, in which the service counts (service-interface.txt §2.1).
#pragma once

namespace genclip {

// Of one task. A number beyond it is damage or a slip, and sums of such would be worth nothing.
constexpr double kMostCredits = 1e9;

// False for NaN, too.
constexpr bool is_amount(double credits) { return credits >= 0 && credits <= kMostCredits; }

}  // namespace genclip
