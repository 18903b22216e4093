// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Validates the facts about reference media against the limits of the model (§2.3, §2.4).
#pragma once

#include <vector>

#include "plugin/catalog/check_request.h"
#include "plugin/catalog/run_settings.h"
#include "plugin/task/media_facts.h"

namespace genclip {

// The result of checking one reference of a request.
struct MediaFinding {
  const MediaReference *reference = nullptr;  // Borrowed from the request.
  MediaFacts facts;
  // headers: limits that need the content are not checked.
  MediaCheck depth = MediaCheck::full;
  // Not empty: it could not be checked. Continues a sentence that begins with the reference's name, such as
  // "answers 404".
  std::string failure = {};
  bool may_pass = false;  // The failure; a later check may succeed.
  // The medium is not made yet, so the facts are what its request asks for. None of them need be known.
  bool is_expected = false;
};

// The facts about that part of a clip that its request tells before it is generated.
MediaFacts expected_facts(const CheckedRequest &inner, const ClipPart &part);

// True when only the content of this reference can show whether it keeps the model's limits.
bool needs_measures(const CheckedRequest &request, const MediaReference &reference);

// Every problem of each reference, in the request's order, then those of references together. `findings`
// belong to that request. A whole clip of another request has the length that its request tells, if it is
// some frames longer or shorter.
std::vector<Problem> media_problems(const CheckedRequest &request, const std::vector<MediaFinding> &findings);

}  // namespace genclip
