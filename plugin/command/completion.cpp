// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Tells shells what may stand at the cursor. The programs of the shells, genclip.bash and so on, only show
// it.
#include <algorithm>

#include "plugin/catalog/models_table.h"
#include "plugin/catalog/run_settings.h"
#include "plugin/command/command.h"
#include "plugin/command/command_options.h"
#include "plugin/command/console.h"
#include "plugin/command/request_words.h"
#include "plugin/command/store_json.h"
#include "plugin/store/store_listing.h"

namespace genclip {
namespace {

// Lines for the shell itself, which completes files: the whole word is one, or what follows its "=". Nothing
// that may stand at the cursor begins like this.
constexpr const char *kFiles = "=files\n";
constexpr const char *kValueFiles = "=value-files\n";

void offer(const std::string &word, const std::string &description = {}) {
  print(word + (description.empty() ? "" : "\t" + description) + "\n");
}

// Commands whose first argument is a model, and whether fields follow it.
struct TakesModel {
  std::string_view command;
  bool fields;
};
constexpr TakesModel kTakeModels[] = {
    {"models", false}, {"check", true}, {"generate", true}, {"batch", true}};

void offer_commands(const Words &before) {
  std::string last;
  for (const Command &command : commands()) {
    const std::string name = command.name;
    const size_t blank = name.find(' ');
    const bool is_group = blank != name.npos;
    if (before.empty() && name.substr(0, blank) != last) {
      last = name.substr(0, blank);
      offer(last, is_group ? "" : command.summary);
    }
    if (before.size() == 1 && is_group && name.substr(0, blank) == before[0])
      offer(name.substr(blank + 1), command.summary);
  }
  if (before.empty()) offer("help", "Show the help of a command");
}

void offer_values(const ModelSpec &spec, const Catalog &catalog, const std::string &spelled) {
  const FieldSpec *field = spec.find(field_name(catalog, &spec, spelled));
  if (!field) return;
  if (media_kind(field->type)) print(kValueFiles);
  std::vector<Json> values = field->values;
  if (values.empty() && field->type == FieldType::boolean) values = {true, false};
  if (values.empty() && !field->default_value.is_null()) values = {field->default_value};
  for (const Json &value : values)
    offer(spelled + "=" + (value.string() ? *value.string() : value.to_text()));
}

void offer_fields(const ModelSpec &spec) {
  for (const FieldSpec &field : spec.fields)
    if (!field.refused) offer(field.name + "=");
  offer("take=");
  if (spec.apis.size() > 1) offer("api=");
}

void offer_models() {
  for (const auto &model : Catalog::shared()->models()) offer(model->id);
}

// The option that the word is, without its "=" and what follows.
const KnownOption *find_option(const std::vector<KnownOption> &options, const std::string &word) {
  const std::string name = word.substr(0, word.find('='));
  const auto found = std::ranges::find_if(
      options, [&](const KnownOption &option) { return name == option.name || name == option.letter; });
  return name.empty() || found == options.end() ? nullptr : &*found;
}

// Whether the value of an option is the next word.
bool waits_for_value(const std::vector<KnownOption> &options, const std::string &word) {
  const KnownOption *option = find_option(options, word);
  return option && !option->value_name.empty() && word.find('=') == word.npos;
}

// `prefix` is the option itself, if it and its value are one word.
void offer_option_values(const KnownOption &option, const std::string &prefix) {
  Words values = option.words;
  if (option.value_name == "MODEL")
    for (const auto &model : Catalog::shared()->models()) values.push_back(model->id);
  if (option.value_name == "TEXT-MODEL")
    for (const TextModel &model : Catalog::shared()->text_models()) values.push_back(model.id);
  for (const std::string &value : values) offer(prefix + value);
  if (option.value_name == "FILE" || option.value_name == "FOLDER")
    print(prefix.empty() ? kFiles : kValueFiles);
}

Words without_options(const std::vector<KnownOption> &options, const Words &words) {
  Words rest;
  for (size_t i = 0; i < words.size(); ++i) {
    if (waits_for_value(options, words[i]))
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
    if (!tasks_only) offer(short_key(clip));
    if (clip.record && !clip.record->task_id.empty()) offer(printable(clip.record->task_id));
  }
}

bool takes_files(const Words &before) {
  if (before.empty()) return false;
  const std::string &name = before[0];
  if (name == "publish") return before.size() == 1 || (before[1] != "list" && before[1] != "prune");
  return name == "caption" || name == "frame" || name == "prefetch" ||
         ((name == "batch" || name == "channel") && before.size() == 1);
}

// What may stand behind these words, which are no options.
void offer_arguments(Words before, const std::string &current) {
  if (takes_files(before)) print(kFiles);
  const bool corrects = before.size() == 2 && before[0] == "cost" && before[1] == "correct";
  if (corrects ||
      (before.size() >= 2 && before[0] == "store" && before[1] != "list" && before[1] != "prune")) {
    offer_stored(before[1] == "fetch");
    return;
  }
  // Behind the file of a batch, there is what stands behind other commands.
  if (!before.empty() && before[0] == "batch") {
    if (before.size() == 1) return;
    before.erase(before.begin() + 1);
  }
  if (!before.empty() && before[0] == "frame") {
    if (before.size() == 1) offer_stored(false);
    return;
  }
  const auto *taker = before.empty()
                          ? std::end(kTakeModels)
                          : std::find_if(std::begin(kTakeModels), std::end(kTakeModels),
                                         [&](const TakesModel &one) { return one.command == before[0]; });
  if (taker == std::end(kTakeModels)) {
    offer_commands(before);
  } else if (before.size() == 1) {
    offer_models();
  } else if (const auto spec = Catalog::shared()->find(before[1]); spec && taker->fields) {
    if (const size_t sign = current.find('='); sign != current.npos)
      offer_values(*spec, *Catalog::shared(), current.substr(0, sign));
    else
      offer_fields(*spec);
  }
}

}  // namespace

// The last word is the one at the cursor, perhaps empty. Offers everything that may stand there; the shell
// filters it.
int run_completion(const Words &words) {
  const std::string current = words.empty() ? "" : words.back();
  const Words before(words.begin(), words.empty() ? words.end() : words.end() - 1);
  const Command *command = find_command(before);
  const auto options = command ? options_of(*command) : std::vector<KnownOption>{};

  if (!before.empty() && waits_for_value(options, before.back())) {
    offer_option_values(*find_option(options, before.back()), "");
  } else if (const size_t sign = current.find('='); current.starts_with("--") && sign != current.npos) {
    if (const KnownOption *option = find_option(options, current))
      offer_option_values(*option, current.substr(0, sign + 1));
  } else if (current.starts_with("-")) {
    for (const KnownOption &option : options) offer(option.name, option.help);
    if (before.empty()) {
      offer("--help", "Show the commands");
      offer("--version", "Show the version");
    }
  } else {
    offer_arguments(without_options(options, before), current);
  }
  return kOk;
}

}  // namespace genclip
