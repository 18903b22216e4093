// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/caption/answer_form.h"

#include <glib.h>

#include <algorithm>
#include <optional>

#include "plugin/base/json.h"
#include "plugin/base/number.h"
#include "plugin/base/trimmed.h"
#include "plugin/caption/answer_text.h"
#include "plugin/caption/caption_text.h"
#include "plugin/caption/language_tag.h"
#include "plugin/caption/loose_json.h"
#include "plugin/caption/numbered_lines.h"

namespace genclip {
namespace {

// Each opening brace may be tried as the start of the object, which takes time if there are many.
constexpr int kMostTries = 16;

bool same_key(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return g_ascii_tolower(x) == g_ascii_tolower(y) || (x == '_' && y == '-');
  });
}

// The value in that language: under its key, or under a key of the same language if no other one is meant.
const Json *member_of(const Json &object, const std::string &language, const Languages &languages) {
  const Json *near = nullptr;
  size_t count = 0;
  for (const auto &[key, value] : *object.object()) {
    if (same_key(key, language)) return &value;
    if (!is_same_language(key, language)) continue;
    near = &value;
    ++count;
  }
  const auto rivals = std::count_if(languages.begin(), languages.end(), [&](const std::string &other) {
    return is_same_language(other, language);
  });
  return count == 1 && rivals == 1 ? near : nullptr;
}

size_t count_members(const Json &object, const Languages &languages) {
  return static_cast<size_t>(std::count_if(
      languages.begin(), languages.end(),
      [&](const std::string &language) { return member_of(object, language, languages) != nullptr; }));
}

// The object inside `value` that has most of the languages; the later one of two.
void find_best(const Json &value, const Languages &languages, size_t &most, const Json *&best) {
  if (const auto *array = value.array())
    for (const Json &item : *array) find_best(item, languages, most, best);
  if (!value.object()) return;
  const size_t members = count_members(value, languages);
  if (members > 0 && members >= most) {
    most = members;
    best = &value;
  } else if (members == 0) {
    for (const auto &[key, member] : *value.object()) find_best(member, languages, most, best);
  }
}

// The object in the text that has most of the languages.
std::optional<Json> object_in(std::string_view text, const Languages &languages) {
  std::optional<Json> found;
  size_t most = 0;
  size_t at = text.find('{');
  for (int tries = 0; tries < kMostTries && at != text.npos; ++tries) {
    size_t end = 0;
    const auto parsed = read_loose_object(text, at, end);
    if (!parsed) {
      at = text.find('{', at + 1);
      continue;
    }
    const Json *best = nullptr;
    find_best(*parsed, languages, most, best);
    if (best) found = *best;
    at = text.find('{', end);
  }
  return found;
}

// An object, or a list of objects. A caption such as "[Applause]" is neither.
bool looks_like_object(std::string_view text) {
  const size_t begin = text.find_first_not_of("[ \t\r\n");
  return begin != text.npos && text[begin] == '{' && text.ends_with(begin == 0 ? '}' : ']');
}

std::vector<std::string> cues_in(std::string_view text, size_t cues) {
  return cues > 1 ? read_numbered_lines(text, cues) : std::vector{std::string(trimmed(text))};
}

// The value may be a text, or its cues already taken apart.
std::vector<std::string> cues_of(const Json &value, size_t cues) {
  std::vector<std::string> answers(cues);
  if (const auto *text = value.string()) return cues_in(without_fence(*text), cues);
  if (const auto *array = value.array(); array && array->size() == cues) {
    for (size_t i = 0; i < cues; ++i)
      if (const auto *text = (*array)[i].string()) answers[i] = without_number(*text, i + 1);
  } else if (const auto *object = value.object(); object && object->size() == cues && cues > 1) {
    for (const auto &[key, member] : *object) {
      const size_t number = parse_number<size_t>(key).value_or(0);
      const auto *text = member.string();
      if (number < 1 || number > cues || !text || !answers[number - 1].empty())
        return std::vector<std::string>(cues);
      answers[number - 1] = trimmed(*text);
    }
  }
  return answers;
}

std::string languages_form(const Languages &languages) {
  if (languages.size() == 1 && languages[0].empty()) return {};
  if (languages.size() == 1)
    return "Answer in the language " + languages[0] + " (a BCP 47 tag), and in no other language.";
  std::string tags;
  std::string keys;
  for (const std::string &language : languages) {
    keys += (keys.empty() ? "\"" : ", \"") + language + "\"";
    tags += (tags.empty() ? "" : ", ") + language;
  }
  return "Answer in each of these languages (BCP 47 tags): " + tags +
         ". Reply with one JSON object and nothing else. It has exactly these keys: " + keys +
         ". The value of each key is the whole answer in that language, as one string.";
}

}  // namespace

std::string form_request(const Languages &languages, size_t cues) {
  std::string form = languages_form(languages);
  if (cues <= 1) return form;
  const std::string last = std::to_string(cues);
  return "The text consists of " + last + " cues, numbered from [1] to [" + last +
         "]. Answer for each cue separately, in the same order. Begin the answer for a cue on a new line, "
         "with "
         "its number in brackets, and never merge, split or leave out cues." +
         (form.empty() ? "" : " ") + form;
}

std::string numbered_cues(const std::vector<std::string> &texts) {
  std::string lines;
  for (size_t i = 0; i < texts.size(); ++i)
    lines += (i == 0 ? "[" : "\n[") + std::to_string(i + 1) + "] " + texts[i];
  return lines;
}

FormAnswers read_form(std::string_view text, const Languages &languages, size_t cues) {
  FormAnswers answers;
  for (const std::string &language : languages) answers[language].resize(cues);
  const bool is_plain = languages.size() == 1;
  const std::string bare(without_unseen_ends(without_fence(text)));
  // Even alone, a language may come in an object, as if there were others.
  const bool may_be_object = !is_plain || !languages[0].empty();
  const auto object = may_be_object ? object_in(bare, languages) : std::nullopt;
  if (object) {
    for (const std::string &language : languages)
      if (const Json *value = member_of(*object, language, languages))
        answers[language] = cues_of(*value, cues);
  } else if (is_plain && !(may_be_object && looks_like_object(bare) && read_loose_json(bare))) {
    answers[languages[0]] = cues_in(bare, cues);
  }
  return answers;
}

}  // namespace genclip
