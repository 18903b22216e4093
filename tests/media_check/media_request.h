// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Requests that refer to media, as the catalog allows them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plugin/catalog/check_request.h"

namespace genclip::test {

using MediaFields = std::map<std::string, std::vector<std::string>>;

// Fails the test, and ends it, when the catalog refuses the request.
CheckedRequest media_request(const std::string &model, const MediaFields &fields, unsigned duration = 0);

}  // namespace genclip::test
