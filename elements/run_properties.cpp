// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/run_properties.h"

#include <deque>

#include "plugin/base/mutex.h"

namespace genclip {

GType setting_enum_type(const Setting &setting) {
  // Never destroyed: types last as long as the process.
  static auto &mutex = *new Mutex;
  static auto &tables = *new std::deque<std::vector<GEnumValue>>;
  const MutexLock lock(mutex);
  if (const GType made = g_type_from_name(setting.type_name)) return made;
  auto &values = tables.emplace_back();
  with_member(setting, [&](auto member) {
    using Value = std::remove_cvref_t<decltype(RunSettings().*member)>;
    if constexpr (std::is_enum_v<Value>)
      for (const Word<Value> &row : kWords<Value>)
        values.push_back({static_cast<int>(row.value), setting.meanings[values.size()], row.word});
  });
  values.push_back({});
  return g_enum_register_static(setting.type_name, values.data());
}

}  // namespace genclip
