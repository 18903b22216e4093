// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/command.h"

#include <algorithm>
#include <string_view>

namespace genclip {
namespace {

constexpr Command kCommands[] = {
    {"models", "List the models, or show the fields of one", run_models},
    {"check", "Judge a request as genclipsrc would, and show what would be sent", run_check},
    {"generate", "Generate a clip ahead of the pipeline that plays it", run_generate},
    {"store list", "List what is stored, and what it cost", run_store_list},
    {"store show", "Show all that is known of one clip", run_store_show},
    {"store verify", "Look at every stored clip: is it whole?", run_store_verify},
    {"store remove", "Remove clips", run_store_remove},
    {"store prune", "Remove the least recently used clips, down to a size", run_store_prune},
    {"store fetch", "Get a clip again by the ID of its task", run_store_fetch},
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

size_t name_length(const Command &command) {
  const std::string_view name = command.name;
  return 1 + static_cast<size_t>(std::count(name.begin(), name.end(), ' '));
}

}  // namespace genclip
