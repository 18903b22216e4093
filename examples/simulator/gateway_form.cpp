// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/gateway_form.h"

#include <algorithm>
#include <optional>
#include <regex>

namespace genclip::sim {
namespace {

using Strings = std::vector<std::string>;

Strings split(const std::string &text, const std::string &separator) {
  Strings parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + separator.size();
  }
  return parts;
}

bool is_tag(const std::string &text) {
  static const std::regex tag("[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?(-[a-z0-9]{4,8})*");
  return std::regex_match(text, tag);
}

bool has_twice(Strings all) {
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end()) != all.end();
}

void read_languages(const std::string &prompt, GatewayForm &form, Strings &problems) {
  static const std::regex one(
      "Answer in the language ([^ ]+) \\(a BCP 47 tag\\), and in no other language\\.");
  static const std::regex several(
      "Answer in each of these languages \\(BCP 47 tags\\): ([^.]+)\\. Reply with one JSON object and "
      "nothing "
      "else\\. It has exactly these keys: ([^.]+)\\.");
  std::smatch found;
  if (std::regex_search(prompt, found, several)) {
    form.languages = split(found[1], ", ");
    for (const std::string &key : split(found[2], ", ")) {
      if (key.size() < 3 || key.front() != '"' || key.back() != '"')
        problems.push_back("the key " + key + " has no quotes");
      else
        form.keys.push_back(key.substr(1, key.size() - 2));
    }
    for (const std::string &key : form.keys)
      if (std::find(form.languages.begin(), form.languages.end(), key) == form.languages.end())
        problems.push_back("the key " + key + " is not one of the languages");
    if (form.keys.size() < 2) problems.push_back("an object is asked for, but not several keys");
    if (has_twice(form.keys)) problems.push_back("a key comes twice");
  } else if (std::regex_search(prompt, found, one)) {
    form.languages = {found[1]};
  } else if (prompt.find("BCP 47") != prompt.npos) {
    problems.push_back("the prompt names languages, but not in the form that this gateway knows");
  }
  for (const std::string &language : form.languages)
    if (!is_tag(language)) problems.push_back("\"" + language + "\" is not a tag of a language");
}

// The number at the start of a line, such as [12].
std::optional<size_t> number_of(const std::string &line) {
  static const std::regex marked("\\[([1-9][0-9]{0,5})\\] .*");
  std::smatch found;
  if (!std::regex_match(line, found, marked)) return std::nullopt;
  return std::stoul(found[1]);
}

void read_cues(const std::string &prompt, const std::string &text, GatewayForm &form, Strings &problems) {
  static const std::regex count(
      "The text consists of ([1-9][0-9]{0,5}) cues, numbered from \\[1\\] to "
      "\\[([1-9][0-9]{0,5})\\]\\.");
  std::smatch found;
  if (!std::regex_search(prompt, found, count)) return;
  form.cues = std::stoul(found[1]);
  if (found[1] != found[2]) problems.push_back("the prompt names two numbers of cues");
  size_t next = 1;
  for (const std::string &line : split(text, "\n"))
    if (const auto number = number_of(line)) {
      if (*number != next) problems.push_back("cue " + std::to_string(*number) + " is not the next one");
      ++next;
    }
  if (next != form.cues + 1)
    problems.push_back("the text has " + std::to_string(next - 1) + " cues, the prompt says " +
                       std::to_string(form.cues));
}

// The cues of a text with numbers, each without its number.
Strings cues_in(const std::string &text) {
  Strings cues;
  for (const std::string &line : split(text, "\n"))
    if (number_of(line))
      cues.push_back(line.substr(line.find(' ') + 1));
    else if (!cues.empty())
      cues.back() += "\n" + line;
  return cues;
}

std::string in_language(const std::string &key, const std::string &text) {
  return key.empty() ? text : key + ": " + text;
}

// The whole answer in one language.
std::string value_of(const GatewayForm &form, const std::string &key, const std::string &caption,
                     FormFault fault) {
  if (form.cues == 0) return in_language(key, caption);
  Strings lines;
  const Strings cues = cues_in(caption);
  for (size_t i = 0; i < cues.size(); ++i) {
    const bool is_last = i + 1 == cues.size();
    if (is_last && fault == FormFault::lacks_number) continue;
    const size_t number = is_last && fault == FormFault::wrong_number ? i + 2 : i + 1;
    lines.push_back("[" + std::to_string(number) + "] " + in_language(key, cues[i]));
  }
  if (fault == FormFault::reversed) std::reverse(lines.begin(), lines.end());
  std::string value;
  for (const std::string &line : lines) value += (value.empty() ? "" : "\n") + line;
  return value;
}

}  // namespace

std::vector<std::string> read_gateway_form(const std::string &prompt, const std::string &text,
                                           GatewayForm &form) {
  Strings problems;
  read_languages(prompt, form, problems);
  read_cues(prompt, text, form, problems);
  return problems;
}

std::string answer_in_form(const GatewayForm &form, const std::string &caption, FormFault fault,
                           const std::string &fault_text) {
  const bool has_form = !form.keys.empty() || form.cues > 0;
  if (has_form && fault == FormFault::no_form) return "I see something, but I keep to no form.";
  std::string answer;
  if (form.keys.empty()) {
    answer = value_of(form, form.languages.empty() ? "" : form.languages[0], caption, fault);
  } else {
    const std::string victim = fault_text.empty() ? form.keys.back() : fault_text;
    Json::Object members;
    for (const std::string &key : form.keys) {
      const bool is_hit = key == victim;
      if (is_hit && fault == FormFault::lacks_key) continue;
      members.emplace_back(is_hit && fault == FormFault::other_key ? "xx" : key,
                           value_of(form, key, caption, fault));
    }
    if (fault == FormFault::reversed) std::reverse(members.begin(), members.end());
    answer = Json(members).to_text();
  }
  if (fault == FormFault::fence) {
    const std::string kind = form.keys.empty() ? "text" : "json";
    answer =
        std::string(has_form ? "Here is what you asked for:\n" : "") + "```" + kind + "\n" + answer + "\n```";
  }
  return answer;
}

}  // namespace genclip::sim
