// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Splits words at their first "="; the catalog decides about names and types.
#include "plugin/command/request_words.h"

#include <glib.h>

#include <algorithm>

#include "plugin/base/shell_word.h"
#include "plugin/base/utf8.h"
#include "plugin/catalog/clip_uri.h"
#include "plugin/catalog/field_names.h"
#include "plugin/catalog/request_builder.h"
#include "plugin/catalog/wording.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"
#include "plugin/command/text_table.h"

namespace genclip {
namespace {

constexpr RequestPlace kPlace{
    "The command line",
    "A key does not belong on a command line, which other users can see; set it with the option "
    "--api-key-file or in the environment variable GENCLIP_API_KEY_FILE or GENCLIP_API_KEY."};

constexpr size_t kMostOfAnOption = 16;
constexpr size_t kMostOfAPrompt = 60;

WordsProblem usage(std::string text) { return UsageProblem{std::move(text)}; }

bool is_uri(const std::string &word) {
  const std::string opening = std::string(kClipUriScheme) + "://";
  return g_ascii_strncasecmp(word.c_str(), opening.c_str(), opening.size()) == 0;
}

std::string with_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

bool is_prompt(const std::string &word) { return word.starts_with("prompt="); }
bool is_nameless(const std::string &word) { return word.find('=') == word.npos; }

// prompt="a kite", where a shell takes that as it is written.
std::string prompt_word(const std::string &text) {
  const bool is_plain = text.find_first_of("\"$`\\!") == text.npos && is_utf8(text);
  return is_plain ? "prompt=\"" + text + "\"" : shell_word("prompt=" + text);
}

// Says how the word is written as a field. Most who leave the name out mean the prompt.
std::string nameless_text(const std::string &word, const Words &words) {
  const std::string text = "The word " + quoted(word) + " is not of the form FIELD=VALUE; ";
  // Of a prompt without quotes, one word alone would be generated. The first word is the Model ID.
  const bool is_unquoted = std::count_if(words.begin() + 1, words.end(), is_nameless) > 1;
  if (std::ranges::any_of(words, is_prompt) || is_unquoted || word.starts_with('='))
    return text + "quote values that hold blanks: prompt=\"…\".";
  if (word.size() > kMostOfAPrompt) return text + "if it is the prompt, write prompt=\"…\".";
  return text + "if it is the prompt, write " + prompt_word(word) + ".";
}

// True for a switch that is "default", as the element calls it: the field is left out.
bool is_left_out(const Catalog &catalog, const ModelSpec *model, const std::string &field,
                 const std::string &value) {
  return value == "default" && type_of_field(catalog, model, field) == FieldType::boolean;
}

}  // namespace

std::string fields_help(const Catalog &catalog) {
  std::string text = "Fields of most models:\n";
  size_t width = 0;
  for (const FieldSpec &field : catalog.common_fields()) width = std::max(width, field.name.size() + 2);
  for (const FieldSpec &field : catalog.common_fields()) {
    std::string name = field.name;
    name.resize(width, ' ');
    text += "  " + name + field.property->help + "\n";
  }
  return text;
}

std::string field_name(const Catalog &catalog, const ModelSpec *model, const std::string &spelled) {
  if (model && model->find(spelled)) return spelled;
  const std::string name = with_underscores(spelled);
  const std::string_view field = catalog.canonical(model, name);
  const bool known = catalog.common_field(field) || (model && model->find(field));
  return known ? std::string(field) : std::string(catalog.canonical(model, spelled));
}

std::string misplaced_field_text(const Catalog &catalog, const std::string &option, const Words &words) {
  if (!option.starts_with("--")) return {};
  const std::string field = field_name(catalog, nullptr, with_underscores(option.substr(2)));
  const bool is_field =
      is_request_name(field) || catalog.common_field(field) ||
      std::ranges::any_of(catalog.models(), [&](const auto &model) { return model->find(field); });
  if (!is_field) return {};
  std::string value;
  for (size_t i = 0; i < words.size() && value.empty(); ++i) {
    if (words[i].starts_with(option + "=")) value = words[i].substr(option.size() + 1);
    if (words[i] == option && i + 1 < words.size()) value = words[i + 1];
  }
  // Nothing that is long or secret is repeated.
  const bool is_shown =
      !value.empty() && value.size() <= kMostOfAnOption &&
      std::ranges::all_of(value, [](char c) { return g_ascii_isalnum(c) || c == '.' || c == ':'; });
  return field + " is a field of the request, not an option: write " + field + "=" +
         (is_shown ? value : "VALUE") + ".";
}

Result<ReadRequest, WordsProblem> read_request(const Catalog &catalog, const Words &words) {
  if (words.empty()) return usage("A Model ID is missing.");
  if (is_uri(words[0])) {
    if (words.size() > 1) return usage("Give a URI or fields, not both.");
    auto read = read_clip_uri(catalog, words[0]);
    if (!read) return WordsProblem(std::move(read).error());
    return std::move(*read);
  }
  const std::string first = words[0].starts_with("model=") ? words[0].substr(6) : words[0];
  if (first.find('=') != first.npos) return usage("A Model ID is missing; it comes before the fields.");
  const auto model = catalog.find(first);
  if (!model && !catalog.may_name_model(first))
    return usage(
        "There is no model " + quoted(first) +
        ". The Model ID comes first, then fields such as prompt=\"…\". genclip models lists the Model "
        "IDs.");
  RequestBuilder builder(catalog, first, kPlace);
  for (size_t i = 1; i < words.size(); ++i) {
    const size_t sign = words[i].find('=');
    if (sign == 0 || sign == words[i].npos) return usage(nameless_text(words[i], words));
    const std::string field = field_name(catalog, model.get(), words[i].substr(0, sign));
    const std::string value = words[i].substr(sign + 1);
    if (field == "model") return usage("The model is given twice.");
    if (auto text = misplaced_setting_text(catalog, model.get(), field, SettingPlace::option);
        text && !names_credential(field))
      return usage(std::move(*text));
    if (is_left_out(catalog, model.get(), field, value)) continue;
    builder.add(field, value);
  }
  return std::move(builder).finish();
}

std::string prompt_of(const ClipRequest &request) {
  const Json *prompt = request.fields.find("prompt");
  return prompt && prompt->string() ? *prompt->string() : "";
}

}  // namespace genclip
