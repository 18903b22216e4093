// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Requests with the verdict that the service's document gives them: every model by every field by every
// bound.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plugin/catalog/clip_request.h"

namespace genclip::test {

struct VerdictCase {
  std::string name;  // unique; letters, digits and "_"
  ClipRequest request;
  std::string uri;  // the same said as a URI
  bool allowed = true;
  std::string field;  // the one that a problem is about; empty when allowed
  // The forms that can express the case: a ClipRequest, properties of the element, a URI.
  bool as_request = true;
  bool as_properties = true;
  bool as_uri = true;
};

std::vector<VerdictCase> verdict_cases();

// For test suites that have a case for each model: thousands of them would say the same.
using VerdictCases = std::map<std::string, std::vector<VerdictCase>>;
VerdictCases verdict_cases_by_model();
std::vector<std::string> models_with_verdicts();
std::string test_name(const std::string &model);

}  // namespace genclip::test
