// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How many tasks of a store run at once, over all its processes and machines.
//
// A slot is a charge that is under way, so there is no lock that a killed process could keep or lose: its
// task goes on at the service, and so does its charge. The ledger hears no more of such a task until somebody
// asks for its clip again. So a charge lets go of its slot when its task must have ended.
#pragma once

#include <string>
#include <vector>

#include "plugin/account/account.h"

namespace genclip {

// The keys of the charges that hold one. A charge whose answer was lost (`unknown`) holds none: its task may
// not exist. A charge holds its slot for three times as long as the longest task of its kind that the ledger
// knows took, and at least for two minutes; where the ledger knows none, for half an hour. Pure.
std::vector<std::string> taken_slots(const Account &account, UtcTime now);

}  // namespace genclip
