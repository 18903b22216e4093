// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a user asks for, not validated yet.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "plugin/base/json.h"
#include "plugin/base/words.h"

namespace genclip {

// The task interface that a request is sent to: §4.1, §4.3, or (automatic) the one that the catalog names.
enum class Api { automatic, tasks, legacy };
template <>
inline constexpr Word<Api> kWords<Api>[] = {
    {Api::automatic, "auto"}, {Api::tasks, "tasks"}, {Api::legacy, "legacy"}};

struct ClipRequest {
  std::string model;  // the Model ID, case kept
  Api api = Api::automatic;
  // Another take of the same request; part of the clip's identity, never sent.
  unsigned take = 0;
  // An object: the request fields that were set, by the service's names (§2.3; aliases are understood), in
  // the order given. Media fields are arrays of strings.
  Json fields = Json::Object{};
  // An object: further fields, sent as they are. May not name a field that has a property.
  Json extra = Json::Object{};
  // The fields that a URI named, and nothing has set since: the files in them may be published only if they
  // are below the user's publish roots. No part of what is asked for.
  std::vector<std::string> uri_fields;

  friend bool operator==(const ClipRequest &a, const ClipRequest &b) {
    const auto asked = [](const ClipRequest &request) {
      return std::tie(request.model, request.api, request.take, request.fields, request.extra);
    };
    return asked(a) == asked(b);
  }
};

struct Problem {
  std::string field;  // the service's name of it; "model" for the model itself; empty for a name that is none
  std::string text;   // one sentence that names the field, what was given, and what is allowed

  friend bool operator==(const Problem &, const Problem &) = default;
};

// What a text says of a request, and what is wrong with the rest of it. No text holds the value of a key.
struct ReadRequest {
  ClipRequest request;
  std::vector<Problem> problems;
};

}  // namespace genclip
