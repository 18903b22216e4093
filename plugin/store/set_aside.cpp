// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Numbers the names, so that nothing set aside earlier is overwritten.
#include "plugin/store/set_aside.h"

#include "plugin/base/durable_file.h"
#include "plugin/store/clip_path.h"
#include "plugin/store/store_log.h"

namespace genclip {

Result<void> set_aside(FileSystem &files, const std::string &path, const std::string &why,
                       const OnDamage &on_damage) {
  for (int number = 1;; ++number) {
    const std::string aside = ClipPath::aside(path, number);
    const auto taken = files.info(aside);
    if (!taken) return taken.error();
    if (*taken) continue;
    if (auto renamed = rename_durably(files, path, aside); !renamed) return renamed;
    const std::string what = path + " is damaged (" + why + "). It was set aside as " + aside + ".";
    GST_CAT_WARNING(store_category(), "%s", what.c_str());
    on_damage(what);
    return {};
  }
}

}  // namespace genclip
