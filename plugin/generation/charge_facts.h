// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the price of a request hangs on, taken from the request (service-interface.txt §2.2, §2.3).
#pragma once

#include <string>

#include "plugin/account/ledger_entry.h"
#include "plugin/store/clip_path.h"

namespace genclip {

// `sent`: a body with v2 field names. What it does not say, or says in another type than the catalog has,
// stays unset. Not the identity's request, which leaves out what earlier lines of the ledger may say; only
// the references are taken from that.
ChargeFacts charge_facts(const ClipIdentity &identity, const Json &sent, const std::string &model,
                         const std::string &project);
// Of a request of which no more is known than its identity.
ChargeFacts charge_facts(const ClipIdentity &identity, const std::string &model, const std::string &project);

// Whether the request has references: images, videos or sounds that the clip is made of.
bool is_made_of_media(const ClipIdentity &identity);

}  // namespace genclip
