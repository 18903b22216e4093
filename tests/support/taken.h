// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The value or the error of a Result, where ASSERT cannot stand before it.
#pragma once

#include <utility>

#include "plugin/base/result.h"
#include "tests/support/give_up.h"

namespace genclip::test {

// Without one, the program ends, and says which error there was instead.
template <typename T>
T taken(Result<T> result) {
  if (!result) give_up(result.error().text);
  return std::move(result).value();
}

template <typename T>
Error failure_of(const Result<T> &result) {
  if (result) give_up("there is no error");
  return result.error();
}

}  // namespace genclip::test
