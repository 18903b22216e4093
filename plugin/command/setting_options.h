// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The options of commands that are settings: each is a row of the settings.
#pragma once

#include <glib.h>

#include <type_traits>

#include "plugin/catalog/settings.h"
#include "plugin/command/command_options.h"

namespace genclip {

// All settings of a run that the command takes.
void add_settings(CommandOptions &options, RunSettings &run, Taker command);

// The option of one setting, whose row must exist. An unsigned target can have a smallest value.
template <typename Target>
void add_setting(CommandOptions &options, const char *name, Target &target, unsigned least = 0) {
  const Setting &row = *find_setting(name);
  const char *help = g_intern_string(option_help(row).c_str());
  if constexpr (std::is_same_v<Target, bool>)
    options.add(name, row.option.letter, help, target);
  else if constexpr (std::is_same_v<Target, std::string>)
    options.add(name, row.option.letter, row.option.value_name, help, target);
  else if constexpr (std::is_same_v<Target, unsigned>)
    options.add(name, row.option.value_name, help, target, least,
                row.most > 0 ? static_cast<unsigned>(row.most) : UINT_MAX);
  else
    options.add(name, row.option.value_name, help, target);
}

}  // namespace genclip
