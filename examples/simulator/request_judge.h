// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Judges a submit as strictly as service-interface.txt §2 says, with code that shares nothing with the
// plugin's.
#pragma once

#include <string>
#include <vector>

#include "examples/simulator/model_book.h"

namespace genclip::sim {

enum class TaskApi { tasks, legacy };

struct Judgement {
  // Why it is refused, all reasons; empty when it is taken.
  std::vector<std::string> problems;
  // Set when taken. Borrows from the book.
  const Model *model = nullptr;
  // The request under the fields' canonical v2 names.
  Json request = Json::Object();
};

Judgement judge(const ModelBook &book, TaskApi api, const Json &body);

}  // namespace genclip::sim
