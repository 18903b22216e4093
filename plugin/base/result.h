// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A value or an error: the subset of std::expected (C++23) that genclip needs.
#pragma once

#include <cassert>
#include <optional>
#include <utility>
#include <variant>

#include "plugin/base/error.h"

namespace genclip {

template <typename T, typename E = Error>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(E error) : content_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return content_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T &value() & { return *get(); }
  const T &value() const & { return *get(); }
  T &&value() && { return std::move(*get()); }
  T &operator*() & { return *get(); }
  const T &operator*() const & { return *get(); }
  T &&operator*() && { return std::move(*get()); }
  T *operator->() { return get(); }
  const T *operator->() const { return get(); }

  E &error() & { return *get_error(); }
  const E &error() const & { return *get_error(); }
  E &&error() && { return std::move(*get_error()); }

 private:
  T *get() {
    assert(has_value());
    return std::get_if<0>(&content_);
  }
  const T *get() const {
    assert(has_value());
    return std::get_if<0>(&content_);
  }
  E *get_error() {
    assert(!has_value());
    return std::get_if<1>(&content_);
  }
  const E *get_error() const {
    assert(!has_value());
    return std::get_if<1>(&content_);
  }

  std::variant<T, E> content_;
};

template <typename E>
class [[nodiscard]] Result<void, E> {
 public:
  Result() = default;
  Result(E error) : error_(std::move(error)) {}

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }

  E &error() & {
    assert(error_);
    return *error_;
  }
  const E &error() const & {
    assert(error_);
    return *error_;
  }
  E &&error() && {
    assert(error_);
    return std::move(*error_);
  }

 private:
  std::optional<E> error_;
};

}  // namespace genclip
