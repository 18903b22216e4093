// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the price of a request hangs on, taken from the request (service-interface.txt §2.2, §2.3).
#pragma once

#include <string>

#include "plugin/account/ledger_entry.h"
#include "plugin/catalog/check_request.h"
#include "plugin/store/clip_path.h"

namespace genclip {

// What the request does not say, or says in another type than the catalog has, stays unset, unless its model
// has a default that the built-in catalog has not: other readers of the ledger need not have the file of
// $GENCLIP_MODELS that says it. Not of the identity's request, which leaves out what earlier lines of the
// ledger may say; only the references are taken from that.
ChargeFacts charge_facts(const ClipIdentity &identity, const CheckedRequest &request,
                         const std::string &project);
// Of a request of which no more is known than its identity: that says what was sent.
ChargeFacts charge_facts(const ClipIdentity &identity, const std::string &model, const std::string &project);

// Whether the request has references: images, videos or sounds that the clip is made of.
bool is_made_of_media(const ClipIdentity &identity);

}  // namespace genclip
