// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The media that a request refers to.
#pragma once

#include <string>
#include <vector>

#include "examples/simulator/model_book.h"
#include "plugin/base/gref.h"

namespace genclip::sim {

struct Reference {
  std::string field;
  std::string url;
  // What a picture of it is for: the clip's first or last frame, if anything.
  enum class Role { none, first_frame, last_frame } role = Role::none;
  // Once fetched.
  std::string media_type, sha256;
  GRef<GBytes> bytes;
};

// `request` is validated, and has canonical names. A model without the field first_image begins with the
// first of its reference_images. An image model uses no picture.
std::vector<Reference> references_of(const Model &model, const Json &request);

// Whether the simulator may fetch it: by HTTP, from this machine.
bool is_on_loopback(const std::string &url);

// Fills in what was fetched. An error says why the service could not use it.
Result<void> accept(Reference &reference, const GRef<GBytes> &bytes);

}  // namespace genclip::sim
