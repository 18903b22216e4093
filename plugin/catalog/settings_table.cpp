// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Settings as text: descriptions, and the tables of the documents.
#include <glib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "plugin/base/number.h"
#include "plugin/catalog/settings.h"
#include "plugin/catalog/wording.h"

namespace genclip {
namespace {

// genclip channel has an option for each property of its element.
constexpr std::array<std::pair<Taker, const char *>, 8> kCommands = {{{kGenerate, "generate"},
                                                                      {kBatch, "batch"},
                                                                      {kPrefetch, "prefetch"},
                                                                      {kFetch, "store fetch"},
                                                                      {kCheck, "check"},
                                                                      {kFrame, "frame"},
                                                                      {kPublish, "publish"},
                                                                      {kChannelSource, "channel"}}};
constexpr unsigned kCommandBits = ~kElements;

std::vector<std::string> commands_of(unsigned takers) {
  std::vector<std::string> names;
  for (const auto &[taker, name] : kCommands)
    if (takers & taker) names.emplace_back(name);
  return names;
}

unsigned commands_that_take(const Setting &setting) {
  return setting.secret == Setting::Secret::all ? 0 : setting.takers;
}

bool is_flag(const Setting &setting) { return !setting.option.value_name; }

// What holds if it is not given, but for a default: "$GENCLIP_STORE, else genclip in the user's cache
// folder".
std::string otherwise_text(const Setting &setting) {
  const std::string otherwise = setting.otherwise;
  if (!*setting.variable || setting.lowest_holds || setting.secret == Setting::Secret::all) return otherwise;
  const std::string variable = std::string("$") + setting.variable;
  if (otherwise.empty()) return variable;
  return variable + (otherwise.starts_with('(') ? " " : ", else ") + otherwise;
}

std::string type_text(const Setting &setting) {
  if (const auto choices = choices_of(setting); !choices.empty()) return either(choices);
  const auto range = [&] {
    return setting.most > 0 && std::isfinite(setting.most)
               ? number_text(setting.least) + " to " + rounded_text(setting.most, 0)
               : "0 or more";
  };
  if (std::holds_alternative<std::monostate>(setting.member) && is_flag(setting)) return "switch";
  if (std::holds_alternative<bool RunSettings::*>(setting.member)) return "true or false";
  if (std::holds_alternative<unsigned RunSettings::*>(setting.member)) return "integer, " + range();
  if (std::holds_alternative<uint64_t RunSettings::*>(setting.member)) return "bytes, " + range();
  if (std::holds_alternative<double RunSettings::*>(setting.member)) return "number, " + range();
  return "text";
}

// What a setting does, in full sentences, with the meanings of its words.
std::string sentences(const Setting &setting, std::string help) {
  const auto choices = choices_of(setting);
  for (size_t i = 0; i < choices.size(); ++i) {
    std::string meaning = setting.meanings[i];
    meaning[0] = g_ascii_tolower(meaning[0]);
    std::replace(meaning.begin(), meaning.end(), ';', ',');
    help += (i == 0 ? ". " : "; ") + choices[i] + ": " + meaning;
  }
  help += ".";
  if (*setting.more) help += std::string(" ") + setting.more;
  if (setting.lowest_holds) help += std::string(" The lower one of it and $") + setting.variable + " holds.";
  return help;
}

std::string elements_text(const Setting &setting) {
  std::vector<std::string> elements;
  if (setting.takers & kClipSource) elements.emplace_back("genclipsrc");
  if (setting.takers & kChannelSource) elements.emplace_back("genchannelsrc");
  return both(elements);
}

// For roff: hyphens that can be copied.
std::string roff(const std::string &text) {
  std::string out;
  for (const char c : text) out += c == '-' ? std::string("\\-") : std::string(1, c);
  return out;
}

// One sentence a line, as man pages are written.
std::string roff_sentences(const std::string &text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t stop = text.find(". ", at);
    const size_t end = stop == text.npos ? text.size() : stop + 1;
    out += roff(text.substr(at, end - at)) + "\n";
    at = stop == text.npos ? end : end + 1;
  }
  return out;
}

std::string manual_entry(const Setting &setting) {
  const char letter = setting.option.letter;
  const std::string term = (letter ? std::string("\\-") + letter + " \", \" " : "") +
                           roff(std::string("--") + setting.name) + (is_flag(setting) ? "" : "=\\fI") +
                           (is_flag(setting) ? "" : setting.option.value_name);
  // What reading a property gives does not belong there; and what a switch of the element does is something
  // else.
  std::string help = setting.help;
  help.resize(std::min(help.find("; read: "), help.size()));
  if (is_flag(setting) && *setting.option.help) help = setting.option.help;
  std::string text = sentences(setting, help);
  const std::string otherwise = otherwise_text(setting);
  const std::string usual = is_flag(setting) ? "" : default_text(setting);
  if (!otherwise.empty()) text += " Without it: " + otherwise + ".";
  if (!usual.empty()) text += " The default is " + usual + ".";
  return ".TP\n.B" + std::string(letter ? "R " : " ") + term + "\n" + roff_sentences(text);
}

}  // namespace

std::string commands_text(const Setting &setting) {
  const auto names = commands_of(commands_that_take(setting));
  return names.empty() ? "" : "genclip " + both(names);
}

std::string property_help(const Setting &setting) {
  const std::string otherwise = otherwise_text(setting);
  return setting.help + (otherwise.empty() ? "" : "; unset: " + otherwise);
}

std::string option_help(const Setting &setting) {
  std::string text = *setting.option.help ? setting.option.help : setting.help;
  if (*setting.variable && !setting.lowest_holds)
    text += std::string("; else $") + setting.variable;
  else if (*setting.otherwise)
    text += std::string("; else ") + setting.otherwise;
  const std::string usual = is_flag(setting) ? "" : default_text(setting);
  return usual.empty() ? text : text + " (" + usual + ")";
}

std::string settings_markdown() {
  const auto code = [](const std::string &text) { return text.empty() ? text : "`" + text + "`"; };
  std::string text = markdown_row({"setting", "type", "default", "property of", "option of", "meaning"}) +
                     markdown_row({"---", "---", "---", "---", "---", "---"});
  for (const Setting &setting : settings()) {
    const std::string otherwise = otherwise_text(setting);
    std::string meaning = sentences(setting, setting.help);
    if (is_flag(setting) && *setting.option.help)
      meaning += std::string(" The option: ") + setting.option.help + ".";
    text += markdown_row({code(setting.name), type_text(setting),
                          otherwise.empty() ? code(default_text(setting)) : otherwise, elements_text(setting),
                          both(commands_of(commands_that_take(setting))), std::move(meaning)});
  }
  return text;
}

std::string settings_manual() {
  std::vector<unsigned> groups;
  for (const Setting &setting : settings()) {
    const unsigned group = setting.takers & kCommandBits;
    if (group && std::ranges::find(groups, group) == groups.end()) groups.push_back(group);
  }
  std::string text;
  for (const unsigned group : groups) {
    text += ".SS Of " + both(commands_of(group)) + "\n";
    for (const Setting &setting : settings())
      if ((setting.takers & kCommandBits) == group) text += manual_entry(setting);
  }
  return text;
}

}  // namespace genclip
