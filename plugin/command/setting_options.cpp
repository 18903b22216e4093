// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/setting_options.h"

#include <algorithm>

namespace genclip {

void add_settings(CommandOptions &options, RunSettings &run, Taker command) {
  for (const Setting &row : settings())
    if (row.takers & command)
      with_member(row, [&](auto member) {
        add_setting(options, row.name, run.*member, static_cast<unsigned>(std::max(row.least, 0.0)));
      });
}

}  // namespace genclip
