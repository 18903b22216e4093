// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any bytes as an answer in a form: read without harm, with an entry for each language and cue, and a number
// of cues is there whole or not at all. The first byte says what was asked for.
#include <algorithm>
#include <string>

#include "plugin/caption/answer_form.h"
#include "tests/fuzz/hold.h"

using namespace genclip;

FUZZ_TARGET(answer_form)(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  const Languages asked[] = {{""}, {"de"}, {"de", "en"}, {"fr", "de", "pt-BR", "pt-PT"}};
  const Languages &languages = asked[data[0] % 4];
  const size_t cues = std::max<size_t>(data[0] / 4 % 8, 1);
  const std::string_view text = as_text(data + 1, size - 1);
  const FormAnswers answers = read_form(text, languages, cues);
  hold(answers.size() == languages.size());
  for (const std::string &language : languages) {
    const auto &own = answers.at(language);
    hold(own.size() == cues);
    for (const std::string &answer : own) hold(answer.size() <= 4 * text.size() + 16);
  }
  return 0;
}
