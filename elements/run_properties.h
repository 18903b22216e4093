// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The properties of an element that generates clips, from the rows of the settings.
#pragma once

#include <concepts>
#include <vector>

#include "elements/property_table.h"
#include "plugin/catalog/settings.h"
#include "plugin/http/redaction.h"

namespace genclip {

// Of an enum's row. Made at the first call.
GType setting_enum_type(const Setting &setting);

// Those that `taker` has, in the order of the rows.
template <std::derived_from<RunSettings> Settings>
std::vector<Property<Settings>> run_properties(Taker taker) {
  std::vector<Property<Settings>> properties;
  for (const Setting &setting : settings()) {
    if (!(setting.takers & taker)) continue;
    Property<Settings> property;
    property.name = setting.name;
    property.blurb = g_intern_string(property_help(setting).c_str());
    property.range = {setting.least, setting.most};
    if (setting.secret == Setting::Secret::all) property.access = Access::write_only;
    if (setting.secret == Setting::Secret::password) property.shown = redact_url;
    with_member(setting, [&](auto member) {
      using Value = std::remove_cvref_t<decltype(Settings().*member)>;
      if constexpr (std::is_enum_v<Value>)
        property.field = OtherField<Settings>{
            [&setting, member](const char *name, const char *nick, const char *blurb, GParamFlags flags) {
              return g_param_spec_enum(name, nick, blurb, setting_enum_type(setting),
                                       static_cast<int>(RunSettings().*member), flags);
            },
            [member](const Settings &settings, GValue *value) {
              g_value_set_enum(value, static_cast<int>(settings.*member));
            },
            [member](Settings &settings, const GValue *value) {
              settings.*member = static_cast<Value>(g_value_get_enum(value));
            }};
      else
        property.field = member;
    });
    properties.push_back(std::move(property));
  }
  return properties;
}

}  // namespace genclip
