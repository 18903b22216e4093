// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a request for a caption has taken on average. Pure.
#pragma once

#include <optional>
#include <string>

#include "plugin/account/account.h"

namespace genclip {

// Tokens of one request of that model, by those whose tokens the gateway told: at `base_url`, or at any
// gateway if there were none, or if it is empty. Nothing: no request is known.
std::optional<double> average_tokens(const Account &account, const std::string &base_url,
                                     const std::string &model);

}  // namespace genclip
