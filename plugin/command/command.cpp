// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/command.h"

#include <algorithm>
#include <string_view>

#include "plugin/catalog/closest.h"

namespace genclip {
namespace {

constexpr Command kCommands[] = {
    {"models", "List the models, or show the fields of one", run_models},
    {"check", "Validate a request, and show what would be sent and its cost", run_check},
    {"generate", "Generate a clip, store it, and print its path", run_generate},
    {"batch", "Generate a clip for each row of a file, unattended", run_batch},
    {"prefetch", "Generate every clip that a project or a playlist names", run_prefetch},
    {"caption", "Caption films, or translate their subtitles", run_caption},
    {"channel", "Show a rundown (a list of clips) live, for days", run_channel},
    {"frame", "Take one picture out of a clip, as a PNG", run_frame},
    {"store list", "List the stored clips and what they cost", run_store_list},
    {"store find", "Print the paths of the clips that a few words describe", run_store_find},
    {"store gallery", "Write a page with a picture of every clip", run_store_gallery},
    {"store show", "Show everything known about one clip", run_store_show},
    {"store verify", "Verify that stored clips are whole", run_store_verify},
    {"store pin", "Keep clips: they are never removed to make room", run_store_pin},
    {"store unpin", "Let clips be removed again", run_store_unpin},
    {"store remove", "Remove clips", run_store_remove},
    {"store prune", "Remove the least recently used clips until the rest fits a size", run_store_prune},
    {"store fetch", "Fetch a clip by its task ID", run_store_fetch},
    {"publish", "Publish files, and print their URLs", run_publish},
    {"publish list", "List the published copies, and which are still needed", run_publish_list},
    {"publish prune", "Remove the published copies that are not needed any more", run_publish_prune},
    {"cost", "Show what clips have cost, removed ones too", run_cost},
    {"cost correct", "Enter what a task has cost", run_cost_correct},
    {"budget", "Show the limits of spending, and what of them is used", run_budget},
    {"budget set", "Set limits of spending", run_budget_set},
    {"budget clear", "Lift all limits of spending", run_budget_clear},
};

std::string joined(const Words &words, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += (i > 0 ? " " : "") + words[i];
  return text;
}

}  // namespace

std::span<const Command> commands() { return kCommands; }

const Command *find_command(const Words &words) {
  for (size_t count = std::min<size_t>(words.size(), 2); count > 0; --count)
    for (const Command &command : kCommands)
      if (command.name == joined(words, count)) return &command;
  return nullptr;
}

std::string no_command_text(const std::string &group, const std::string &word, const std::string &otherwise) {
  std::vector<Name> names;
  for (const Command &command : kCommands)
    if (const std::string_view name = command.name; name.starts_with(group + " "))
      names.push_back({std::string(name.substr(group.size() + 1))});
  const std::string meant = likely_name(word, names);
  return "There is no command \"" + group + " " + word + "\". " +
         (meant.empty() ? otherwise : "Did you mean " + group + " " + meant + "?");
}

size_t name_length(const Command &command) {
  const std::string_view name = command.name;
  return 1 + static_cast<size_t>(std::count(name.begin(), name.end(), ' '));
}

}  // namespace genclip
