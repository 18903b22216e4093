// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The JSON of a service's answer, also where a gateway has wrapped it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/json.h"
#include "plugin/base/result.h"

namespace genclip {

// Most bodies are one document. Some gateways send another one before or behind it (an event, a line of a
// log), a document in each of several server-sent events, one behind ")]}'," or the like, or the document as
// a string, alone or as a member with the name of a wrapper: such strings are read in place. One under the
// name of a message is only if it holds a task. Never empty. Fails, as Json::parse() does, where no document
// is found.
Result<std::vector<Json>> answer_documents(std::string_view body);

// The beginning of a document that broke off, up to its last value that surely is whole (not a number that
// may have more digits), and closed behind it. Empty: it has none.
std::string whole_beginning(std::string_view body);

}  // namespace genclip
