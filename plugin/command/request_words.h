// SPDX-License-Identifier: LGPL-2.1-or-later
//
// "MODEL field=value …", or one genclip:// URI: a request as words of a command line.
#pragma once

#include <variant>

#include "plugin/base/result.h"
#include "plugin/catalog/catalog.h"
#include "plugin/catalog/clip_request.h"
#include "plugin/command/command.h"

namespace genclip {

// A command line that holds no request, valid or not.
struct UsageProblem {
  std::string text;
};
using WordsProblem = std::variant<UsageProblem, Error>;

// Fields by the service's names and aliases or as the element spells its properties (aspect-ratio), `take`
// and `api`. Values get the type that the catalog says.
Result<ReadRequest, WordsProblem> read_request(const Catalog &catalog, const Words &words);

// Empty: it has none.
std::string prompt_of(const ClipRequest &request);

// "Fields of most models:" and a line or more for each that elements have a property for.
std::string fields_help(const Catalog &catalog);

// The command has no `option` ("--aspect-ratio"): how to write it if it is a field of requests, else empty.
// `words`: the command line.
std::string misplaced_field_text(const Catalog &catalog, const std::string &option, const Words &words);

// The service's name of a field, from any of its spellings; returns unknown names as they are.
std::string field_name(const Catalog &catalog, const ModelSpec *model, const std::string &spelled);

}  // namespace genclip
