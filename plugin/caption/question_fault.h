// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Which failures may be about the question itself, so that another one may have an answer.
#pragma once

#include <algorithm>

#include "plugin/base/error.h"

namespace genclip {

// A detail of an error, which is true: the gateway had the request, and did not end its answer in time.
inline constexpr const char *kTookTooLong = "took-too-long";

// A detail of a warning, which is true: the caption is shown, though its answer may not be whole. So the
// store does not keep it, and another run asks again.
inline constexpr const char *kCaptionShown = "caption-shown";

// Credits, a quota, a key, and a gateway that cannot be reached are the same for all questions.
inline bool may_be_of_question(const Error &error) {
  const auto is_it = [](const ErrorDetail &detail) { return detail == ErrorDetail{kTookTooLong, true}; };
  return error.http_status >= 500 || std::any_of(error.details.begin(), error.details.end(), is_it);
}

}  // namespace genclip
