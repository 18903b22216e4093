// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The value or the error of a Result, where ASSERT cannot stand before it: without it only that test fails.
#pragma once

#include <stdexcept>
#include <utility>

#include "plugin/base/result.h"

namespace genclip::test {

// They throw, which GoogleTest reports as the test's failure. The assertion in Result would end the program,
// and the tests after this one would not run.
template <typename T>
T taken(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text);
  return std::move(result).value();
}

template <typename T>
Error failure_of(const Result<T> &result) {
  if (result) throw std::runtime_error("there is no error");
  return result.error();
}

}  // namespace genclip::test
