// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the catalog adds to a shell's completion: the shell knows options and files by itself.
#include <algorithm>

#include "plugin/catalog/models_table.h"
#include "plugin/command/command.h"
#include "plugin/command/console.h"
#include "plugin/command/request_words.h"

namespace genclip {
namespace {

// Commands whose first argument is a model; of the value: are there fields after it.
struct Taker {
  std::string_view command;
  bool fields;
};
constexpr Taker kTakers[] = {{"models", false}, {"check", true}, {"generate", true}};

void offer_commands(const Words &before) {
  Words names;
  for (const Command &command : commands()) {
    const std::string name = command.name;
    const size_t blank = name.find(' ');
    if (before.empty()) names.push_back(name.substr(0, blank));
    if (before.size() == 1 && blank != name.npos && name.substr(0, blank) == before[0])
      names.push_back(name.substr(blank + 1));
  }
  if (before.empty()) names.emplace_back("help");
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string &name : names) print(name + "\n");
}

void offer_values(const ModelSpec &spec, const Catalog &catalog, const std::string &spelled) {
  const FieldSpec *field = spec.find(field_name(catalog, &spec, spelled));
  if (!field) return;
  std::vector<Json> values = field->values;
  if (values.empty() && field->type == FieldType::boolean) values = {true, false};
  if (values.empty() && !field->default_value.is_null()) values = {field->default_value};
  for (const Json &value : values)
    print(spelled + "=" + (value.string() ? *value.string() : value.to_text()) + "\n");
}

void offer_fields(const ModelSpec &spec) {
  for (const FieldSpec &field : spec.fields)
    if (!field.refused) print(field.name + "=\n");
  print("take=\n");
  if (spec.apis.size() > 1) print("api=\n");
}

}  // namespace

// The last word is the one at the cursor, perhaps empty. All that may stand there is offered: the shell
// filters.
int run_completion(const Words &words) {
  Words before(words.begin(), words.empty() ? words.end() : words.end() - 1);
  std::erase_if(before, [](const std::string &word) { return word.starts_with("-"); });
  const std::string current = words.empty() ? "" : words.back();
  const auto *taker = before.empty()
                          ? std::end(kTakers)
                          : std::find_if(std::begin(kTakers), std::end(kTakers),
                                         [&](const Taker &one) { return one.command == before[0]; });
  if (taker == std::end(kTakers)) {
    offer_commands(before);
    return kOk;
  }
  const Catalog::Ptr catalog = Catalog::shared();
  if (before.size() == 1) {
    for (const auto &model : catalog->models()) print(model->id + "\n");
  } else if (const auto spec = catalog->find(before[1]); spec && taker->fields) {
    if (const size_t sign = current.find('='); sign != current.npos)
      offer_values(*spec, *catalog, current.substr(0, sign));
    else
      offer_fields(*spec);
  }
  return kOk;
}

}  // namespace genclip
