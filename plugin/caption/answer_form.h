// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One request for several answers: in several languages, and about several numbered cues.
//
// Models do not always keep to a form: they wrap it into markdown, add a remark, change the order, or leave
// something out. So the form is one that models know well (a JSON object, lines with numbers), and whatever
// is not certain counts as lacking: nothing may appear in the wrong language or at the time of another cue.
// What lacks is asked for alone, and alone needs hardly any form.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace genclip {

// A single empty one: the language that the answer has if none is asked for.
using Languages = std::vector<std::string>;

// Sentences that follow the prompt and ask for the form; empty for a single answer in no language.
// `cues`: number of texts that numbered_cues() has put into the request; 1 if it was not used.
std::string form_request(const Languages &languages, size_t cues);

// The texts as lines with numbers, from [1].
std::string numbered_cues(const std::vector<std::string> &texts);

// By language, for each cue its answer; empty if it lacks. Never fails, whatever the text is.
using FormAnswers = std::map<std::string, std::vector<std::string>>;
FormAnswers read_form(std::string_view text, const Languages &languages, size_t cues);

}  // namespace genclip
