// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Builds a request from names and texts, as they stand in a URI or on a command line.
#pragma once

#include <memory>
#include <string>

#include "plugin/catalog/catalog.h"
#include "plugin/catalog/clip_request.h"

namespace genclip {

// Names the place that the texts come from, for error texts.
struct RequestPlace {
  const char *name;      // "The URI"
  const char *key_text;  // The error text for a key that was put there.
};

// Fields by the service's names and aliases, arrays by repetition, plus `take` and `api`. Fields without a
// property go to `extra`. Values get the type that the catalog says. A value that does not fit its type stays
// a string, which check_request refuses. One use; borrows the catalog.
class RequestBuilder {
 public:
  RequestBuilder(const Catalog &catalog, std::string model, RequestPlace place);

  // What is wrong with it becomes a problem, which never holds the value of a key, and is left out.
  void add(const std::string &name, const std::string &value);
  // A value that has a type already. For a list, an array adds each of its items.
  void add_typed(const std::string &name, const Json &value);
  void add_problem(const std::string &field, std::string text);
  ReadRequest finish() &&;

 private:
  template <typename ValuesOf>
  void add_values(const std::string &name, const std::string &text, ValuesOf values_of);
  void set_take(const std::string &value);
  void set_api(const std::string &value);
  // False, with a problem: it is given again.
  bool is_first(bool &given, const std::string &name);
  void add_repetition(const std::string &field);

  const Catalog &catalog_;
  const std::shared_ptr<const ModelSpec> spec_;
  const RequestPlace place_;
  ReadRequest read_;
  bool take_given_ = false;
  bool api_given_ = false;
};

// The type of the model's field of that name; without one, that of the common field; without one, `any`.
FieldType type_of_field(const Catalog &catalog, const ModelSpec *model, std::string_view field);

}  // namespace genclip
