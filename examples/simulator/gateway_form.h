// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The form in which a prompt asks for its answer: in several languages, and for numbered cues. Read from the
// prompt, with code that shares nothing with the plugin's, and answered strictly.
#pragma once

#include <string>
#include <vector>

#include "plugin/base/json.h"

namespace genclip::sim {

struct GatewayForm {
  std::vector<std::string> languages;  // asked for as the only one, or as keys of an object
  std::vector<std::string> keys;       // of the object; empty: no object is asked for
  size_t cues = 0;                     // numbered from 1; 0: none
};

// What happens to an answer that has a form. Without effect if no form is asked for, but for the fence.
enum class FormFault {
  none,
  lacks_key,     // one key of the object is left out: the one in `text`, or the last
  other_key,     // it has another name
  lacks_number,  // the last cue is left out
  wrong_number,  // the last cue has the next number
  fence,         // a fence of markdown around the answer, and a remark in front of an answer that has a form
  reversed,      // keys and cues come in reverse order
  no_form,       // one text, without any form
};

// Adds what the prompt asks for; returns everything that is wrong with it. `text`: that of the question.
std::vector<std::string> read_gateway_form(const std::string &prompt, const std::string &text,
                                           GatewayForm &form);

// The answer in that form. Each text begins with its language, such as `de: `, so that a test sees it.
// `caption`: the answer as it would be without a form; with cues, each line that begins with [N] begins a
// cue.
std::string answer_in_form(const GatewayForm &form, const std::string &caption, FormFault fault,
                           const std::string &fault_text);

}  // namespace genclip::sim
