// SPDX-License-Identifier: LGPL-2.1-or-later
//
// All possible endings.
#include "tests/faults/fault_case.h"

namespace genclip::test {

Ending recovers(unsigned charges) { return {.charges = charges, .charges_in_all = charges}; }

Ending warns(std::string text, unsigned charges) {
  return {.text = std::move(text), .charges = charges, .charges_in_all = charges};
}

Ending refused(GstResourceError code, std::string text) {
  return {.whole = false, .code = code, .text = std::move(text), .charges = 0, .charges_in_all = 1};
}

Ending doubtful(GstResourceError code, std::string text, unsigned charges) {
  return {.whole = false,
          .code = code,
          .text = std::move(text),
          .charges = charges,
          .charges_in_all = charges + 1,
          .in_doubt = true};
}

Ending kept(GstResourceError code, std::string text) {
  return {.whole = false, .code = code, .text = std::move(text)};
}

Ending kept_as_wrong_type(std::string text) {
  return {.whole = false, .of_stream = true, .text = std::move(text)};
}

Ending failed(std::string text) {
  return {.whole = false, .code = GST_RESOURCE_ERROR_FAILED, .text = std::move(text), .charges_in_all = 2};
}

Ending nothing_sent(GstResourceError code, std::string text) { return refused(code, std::move(text)); }
Ending not_begun(std::string text) {
  Ending ending = nothing_sent(GST_RESOURCE_ERROR_SETTINGS, std::move(text));
  ending.status = "idle";
  return ending;
}

void PrintTo(const FaultCase &one, std::ostream *out) { *out << one.name; }

}  // namespace genclip::test
