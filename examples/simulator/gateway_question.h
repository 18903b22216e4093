// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Validates a request to the text gateway as strictly as service-interface.txt §2.5 and §4.4 say, with code
// that shares nothing with the plugin's.
#pragma once

#include <string>
#include <vector>

#include "examples/simulator/gateway_form.h"
#include "examples/simulator/gateway_picture.h"
#include "plugin/base/json.h"

namespace genclip::sim {

struct GatewayQuestion {
  std::string model;
  bool stream = false;
  std::string prompt;                 // the first text part
  std::vector<std::string> texts;     // further ones
  std::vector<SeenPicture> pictures;  // in their order
  GatewayForm form;                   // that the prompt asks for
  std::string system_instruction;
  int64_t max_output_tokens = 0;  // 0: not limited
};

// The model and the way of answering that a path names; the error says why it names none.
Result<GatewayQuestion> read_gateway_path(const std::string &path);

// Adds the content of the body; returns everything that is wrong with it.
std::vector<std::string> read_gateway_body(const Json &body, GatewayQuestion &question);

}  // namespace genclip::sim
