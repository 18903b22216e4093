// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Validates a submit as strictly as service-interface.txt §2 says, with code that shares nothing with the
// plugin's.
#pragma once

#include <string>
#include <vector>

#include "examples/simulator/model_book.h"

namespace genclip::sim {

enum class TaskApi { tasks, legacy };

struct Judgement {
  // All reasons why it is refused; empty when it is accepted.
  std::vector<std::string> problems;
  // Set when accepted. Borrowed from the book.
  const Model *model = nullptr;
  // The request with canonical v2 names.
  Json request = Json::Object();
};

Judgement judge(const ModelBook &book, TaskApi api, const Json &body);

}  // namespace genclip::sim
