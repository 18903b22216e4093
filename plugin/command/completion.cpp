// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Completes models, fields and values from the catalog; the shell completes options and files by itself.
#include <algorithm>

#include "plugin/account/budget.h"
#include "plugin/account/cost_report.h"
#include "plugin/catalog/models_table.h"
#include "plugin/command/command.h"
#include "plugin/command/console.h"
#include "plugin/command/request_words.h"
#include "plugin/command/store_json.h"
#include "plugin/generation/run_settings.h"
#include "plugin/publish/publish_settings.h"
#include "plugin/store/store_listing.h"
#include "plugin/task/media_verdict.h"

namespace genclip {
namespace {

// Commands whose first argument is a model, and whether fields follow it.
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

// Tells the shell to complete the value as a file. No word of a request begins like this.
constexpr const char *kFilesOfTheShell = "=files\n";

void offer_values(const ModelSpec &spec, const Catalog &catalog, const std::string &spelled) {
  const FieldSpec *field = spec.find(field_name(catalog, &spec, spelled));
  if (!field) return;
  if (media_kind(field->type)) print(kFilesOfTheShell);
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

constexpr std::string_view kCheckMedia = "--check-media";
constexpr std::string_view kPublishCheck = "--publish-check";
constexpr std::string_view kReferenceIdentity = "--reference-identity";
constexpr std::string_view kBy = "--by";
constexpr std::string_view kModelOptions[] = {"--model", "-m"};
// Options whose value is the next word, unless it follows a "=".
constexpr std::string_view kValueOptions[] = {"--output",
                                              "-o",
                                              "--base-url",
                                              "-b",
                                              "--api-key-file",
                                              "-k",
                                              "--store",
                                              "-s",
                                              "--store-max-size",
                                              "--timeout",
                                              "--poll-interval",
                                              "--http-timeout",
                                              "--retries",
                                              "--proxy",
                                              "--tls-ca-file",
                                              kCheckMedia,
                                              "--task-id",
                                              "-t",
                                              "--max-amount",
                                              "--project",
                                              "--since",
                                              "--until",
                                              "--time",
                                              "--model",
                                              "-m",
                                              kBy,
                                              "--publish-folder",
                                              "--publish-url",
                                              kPublishCheck,
                                              kReferenceIdentity};

bool is_limit(std::string_view option) {
  return std::ranges::any_of(budget_limits(),
                             [&](const BudgetLimit &limit) { return limit.option == option; });
}

bool takes_value(std::string_view option) {
  const auto *end = std::end(kValueOptions);
  return std::find(std::begin(kValueOptions), end, option) != end || is_limit(option);
}

// The shell completes the values of other options, or they cannot be completed.
void offer_option_values(std::string_view option, const std::string &prefix = {}) {
  Words values;
  if (option == kCheckMedia) values = words_of<MediaCheck>();
  if (option == kPublishCheck) values = words_of<PublishCheck>();
  if (option == kReferenceIdentity) values = words_of<ReferenceIdentity>();
  if (option == kBy) values = words_of<CostBy>();
  if (std::ranges::find(kModelOptions, option) != std::end(kModelOptions))
    for (const auto &model : Catalog::shared()->models()) values.push_back(model->id);
  for (const std::string &value : values) print(prefix + value + "\n");
}

Words without_options(const Words &words) {
  Words rest;
  for (size_t i = 0; i < words.size(); ++i) {
    if (takes_value(words[i]))
      ++i;
    else if (!words[i].starts_with("-"))
      rest.push_back(words[i]);
  }
  return rest;
}

// Offers every clip in the usual store.
void offer_stored(bool tasks_only) {
  const auto clips = list_store(FileSystem::posix(), store_root(""));
  if (!clips) return;
  for (const StoredClip &clip : *clips) {
    if (!tasks_only) print(short_key(clip) + "\n");
    if (clip.record && !clip.record->task_id.empty()) print(printable(clip.record->task_id) + "\n");
  }
}

}  // namespace

// The last word is the one at the cursor, perhaps empty. Offers everything that may stand there; the shell
// filters it.
int run_completion(const Words &words) {
  if (words.size() >= 2 && takes_value(words[words.size() - 2])) {
    offer_option_values(words[words.size() - 2]);
    return kOk;
  }
  if (!words.empty() && words.back().starts_with("--")) {
    const size_t sign = std::min(words.back().find('='), words.back().size());
    offer_option_values(words.back().substr(0, sign), words.back().substr(0, sign) + "=");
    return kOk;
  }
  const Words before = without_options({words.begin(), words.empty() ? words.end() : words.end() - 1});
  const std::string current = words.empty() ? "" : words.back();
  const auto *taker = before.empty()
                          ? std::end(kTakers)
                          : std::find_if(std::begin(kTakers), std::end(kTakers),
                                         [&](const Taker &one) { return one.command == before[0]; });
  const bool corrects = before.size() == 2 && before[0] == "cost" && before[1] == "correct";
  if (corrects ||
      (before.size() >= 2 && before[0] == "store" && before[1] != "list" && before[1] != "prune")) {
    offer_stored(before[1] == "fetch");
    return kOk;
  }
  // Files come from the shell.
  if (!before.empty() && before[0] == "frame") {
    if (before.size() == 1) offer_stored(false);
    return kOk;
  }
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
