// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclip models: prints the catalog, including the user's files.
#include "plugin/catalog/models_table.h"
#include "plugin/command/clip_delivery.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"
#include "plugin/command/known_models.h"
#include "plugin/command/model_json.h"
#include "plugin/command/text_table.h"

namespace genclip {
namespace {

constexpr CommandText kModelsText{
    "models", "[ID]",
    "Lists the models, or shows the fields of one: which values they accept, which\n"
    "fields are required, and their defaults.",
    "The files that GENCLIP_MODELS names add or replace models.\n\n"
    "Exit code: 0 success, 1 there is no such model, 2 usage error.\n\n"
    "Examples:\n"
    "  genclip models\n"
    "  genclip models sd_2.0_special\n"
    "  genclip models wave2.7-i2v --json | jq '.fields[] | select(.required).name'\n"};

constexpr const char *kOfFields =
    "FIELDS is how many fields are documented. any: others are not, and are sent as you give them.";

// Narrower columns of sentences are hard to read.
constexpr size_t kLeastOfTexts = 30;

// Remarks are Markdown.
std::string without_code_marks(const std::string &text) {
  std::string out;
  for (const char c : text)
    if (c != '`') out += c;
  return out;
}

void print_wrapped(const std::string &text, const std::string &first, const std::string &rest) {
  bool is_first = true;
  for (const std::string &line : wrapped(text, columns_of(stdout) - rest.size()))
    print((std::exchange(is_first, false) ? first : rest) + line + "\n");
}

// How many there are, and whether the model takes others too.
std::string fields_text(const ModelSpec &model) {
  const size_t shown = field_rows(model).size();
  if (!model.open) return std::to_string(shown);
  return shown == 0 ? "any" : std::to_string(shown) + " + any";
}

void show_all(const Catalog &catalog) {
  const auto left = TextTable::Align::left;
  TextTable clips({{"MODEL", left, true}, {"MAKES"}, {"GROUP"}, {"API"}, {"FIELDS"}});
  for (const auto &model : catalog.models()) {
    std::string apis;
    for (const Api api : model->apis) {
      if (!apis.empty()) apis += ", ";
      apis += to_word(api);
    }
    clips.add(
        {printable(model->id), to_word(model->result), printable(model->group), apis, fields_text(*model)});
  }
  // Programs get one table.
  const bool in_one = columns_of(stdout) == kNoLimit;
  TextTable texts({{"TEXT MODEL, FOR GENCAPTION", left, true}, {"VERSION"}});
  for (const TextModel &model : catalog.text_models()) {
    if (in_one)
      clips.add({printable(model.id), "text", name_of(model.variant), "", ""});
    else
      texts.add({printable(model.id), name_of(model.variant)});
  }
  print(clips.to_text(stdout));
  if (!in_one) print_wrapped(kOfFields, "", "");
  if (!texts.empty()) print("\n" + texts.to_text(stdout));
}

void show(const ModelSpec &spec) {
  print(emphasized(printable(spec.id), stdout) + (spec.group.empty() ? "" : ", " + printable(spec.group)) +
        "\n");
  if (!spec.note.empty()) print_wrapped(printable(spec.note), "", "");
  const auto left = TextTable::Align::left;
  TextTable fields(
      {{"FIELD", left, true}, {"TYPE"}, {"REQUIRED"}, {"DEFAULT"}, {"ALLOWED", left, false, kLeastOfTexts}});
  for (const FieldRow &row : field_rows(spec))
    fields.add(
        {printable(row.field), row.type, row.required, printable(row.fallback), printable(row.allowed)});
  if (!fields.empty()) print("\n" + fields.to_text(stdout));
  print("\n");
  for (const std::string &remark : remarks(spec))
    print_wrapped(printable(without_code_marks(remark)), "* ", "  ");
  for (const std::string &remark : reference_remarks(spec))
    print_wrapped(printable(without_code_marks(remark)), "* ", "  ");
}

Json catalog_json(const Catalog &catalog) {
  Json::Array clips;
  for (const auto &model : catalog.models()) clips.push_back(model_summary_json(*model));
  Json::Array texts;
  for (const TextModel &model : catalog.text_models()) texts.push_back(text_model_json(model));
  return Json::Object{{"models", std::move(clips)}, {"text_models", std::move(texts)}};
}

}  // namespace

int run_models(const Words &words) {
  bool json = false;
  CommandOptions options(kModelsText);
  options.add("json", 'j', "Print JSON", json);
  const auto rest = options.parse(words);
  if (!rest) return options.exit_code();
  if (rest->size() > 1)
    return options.refuse("There is more than one model; quote a name that holds blanks.");

  const Catalog::Ptr catalog = known_models();
  if (rest->empty()) {
    if (json)
      print(catalog_json(*catalog).to_pretty_text() + "\n");
    else
      show_all(*catalog);
    return kOk;
  }
  const std::string &id = rest->front();
  if (const auto spec = catalog->find(id)) {
    if (json)
      print(model_json(*spec).to_pretty_text() + "\n");
    else
      show(*spec);
    return kOk;
  }
  if (const TextModel *text = catalog->find_text(id)) {
    if (json)
      print(text_model_json(*text).to_pretty_text() + "\n");
    else
      print(text->id + ", a text model (" + name_of(text->variant) + " version), for gencaption\n");
    return kOk;
  }
  return report_failure({ErrorKind::not_found, catalog->unknown_model_text(id)}, json);
}

}  // namespace genclip
