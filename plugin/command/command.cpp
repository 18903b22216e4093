// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The table.
#include "plugin/command/command.h"

#include <algorithm>
#include <string_view>

namespace genclip {
namespace {

constexpr Command kCommands[] = {
    {"models", "List the models, or show the fields of one", run_models},
    {"check", "Judge a request as genclipsrc would, and show what would be sent", run_check},
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
