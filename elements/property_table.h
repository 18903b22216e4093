// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Properties as rows over a settings struct: install, set and get without a switch per property.
#pragma once

#include <gst/gst.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace genclip {

// Both 0: the whole range of the field's type.
struct Range {
  double min = 0;
  double max = 0;
};

// Whether a property can be read, and in which states it can change.
enum class Access {
  until_ready,    // read and write, in NULL and READY
  while_playing,  // read and write, at any time
  write_only,     // a secret, in NULL and READY
};

// An enum field: its GType, whose values are those of the C++ enum.
template <typename Settings>
struct EnumField {
  GType (*type)();
  int (*get)(const Settings &);
  void (*set)(Settings &, int);
};

// Converts to the EnumField of any settings that have that member, also as a member of a base.
template <auto field>
struct EnumFieldOf;
template <typename Base, typename Enum, Enum Base::*field>
struct EnumFieldOf<field> {
  GType (*type)();

  template <std::derived_from<Base> Settings>
  constexpr operator EnumField<Settings>() const {
    return {type, [](const Settings &settings) { return static_cast<int>(settings.*field); },
            [](Settings &settings, int value) { settings.*field = static_cast<Enum>(value); }};
  }
};

// `enum_field<&ClipSettings::api>(api_get_type)`
template <auto field>
constexpr auto enum_field(GType (*type)()) {
  return EnumFieldOf<field>{type};
}

// A value that no member holds, or that a member holds in another form than its property.
template <typename Settings>
struct OtherField {
  std::function<GParamSpec *(const char *name, const char *nick, const char *blurb, GParamFlags)> make_spec;
  std::function<void(const Settings &, GValue *)> get;
  std::function<void(Settings &, const GValue *)> set;
};

// One row. The default is the struct's initializer; strings are unset when empty.
template <typename Settings>
struct Property {
  const char *name = nullptr;
  const char *blurb = nullptr;
  std::variant<std::string Settings::*, bool Settings::*, unsigned Settings::*, int64_t Settings::*,
               uint64_t Settings::*, double Settings::*, std::vector<std::string> Settings::*,
               EnumField<Settings>, OtherField<Settings>>
      field = {};
  Range range = {};
  Access access = Access::until_ready;
  // The part of a string that is read back; null: all of it.
  std::string (*shown)(std::string_view) = nullptr;
};

namespace property_detail {

template <typename T>
T bound(double wanted, double other, T otherwise) {
  return wanted == 0 && other == 0 ? otherwise : static_cast<T>(wanted);
}

// "poll-interval" reads "Poll interval" in an editor.
inline std::string nick(const char *name) {
  std::string text = name;
  for (char &c : text)
    if (c == '-') c = ' ';
  text[0] = g_ascii_toupper(text[0]);
  return text;
}

inline GParamFlags flags(Access access) {
  const int always = G_PARAM_STATIC_NAME | G_PARAM_STATIC_BLURB;
  switch (access) {
    case Access::write_only:
      return static_cast<GParamFlags>(always | G_PARAM_WRITABLE | GST_PARAM_MUTABLE_READY);
    case Access::while_playing:
      return static_cast<GParamFlags>(always | G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING);
    case Access::until_ready: break;
  }
  return static_cast<GParamFlags>(always | G_PARAM_READWRITE | GST_PARAM_MUTABLE_READY);
}

template <typename Settings>
GParamSpec *make_spec(const Property<Settings> &row) {
  const std::string nick_text = nick(row.name);
  const char *name = row.name;
  const char *label = nick_text.c_str();
  const char *blurb = row.blurb;
  const GParamFlags access = flags(row.access);
  const Range range = row.range;
  const Settings defaults{};

  return std::visit(
      [&](const auto &field) -> GParamSpec * {
        using Field = std::remove_cvref_t<decltype(field)>;
        if constexpr (std::is_same_v<Field, EnumField<Settings>>) {
          return g_param_spec_enum(name, label, blurb, field.type(), field.get(defaults), access);
        } else if constexpr (std::is_same_v<Field, OtherField<Settings>>) {
          return field.make_spec(name, label, blurb, access);
        } else {
          using T = std::remove_cvref_t<decltype(defaults.*field)>;
          const auto low = [&](auto lowest) { return bound(range.min, range.max, lowest); };
          const auto high = [&](auto highest) { return bound(range.max, range.min, highest); };
          if constexpr (std::is_same_v<T, std::string>)
            return g_param_spec_string(
                name, label, blurb, (defaults.*field).empty() ? nullptr : (defaults.*field).c_str(), access);
          else if constexpr (std::is_same_v<T, bool>)
            return g_param_spec_boolean(name, label, blurb, defaults.*field, access);
          else if constexpr (std::is_same_v<T, unsigned>)
            return g_param_spec_uint(name, label, blurb, low(0u), high(std::numeric_limits<unsigned>::max()),
                                     defaults.*field, access);
          else if constexpr (std::is_same_v<T, int64_t>)
            return g_param_spec_int64(name, label, blurb, low(std::numeric_limits<int64_t>::min()),
                                      high(std::numeric_limits<int64_t>::max()), defaults.*field, access);
          else if constexpr (std::is_same_v<T, uint64_t>)
            return g_param_spec_uint64(name, label, blurb, low(uint64_t{0}),
                                       high(std::numeric_limits<uint64_t>::max()), defaults.*field, access);
          else if constexpr (std::is_same_v<T, double>)
            // GObject ignores what is out of range, and NaN always is. In an infinite range nothing is
            // ignored.
            return g_param_spec_double(
                name, label, blurb, low(-G_MAXDOUBLE), high(G_MAXDOUBLE), defaults.*field,
                std::isinf(range.min) ? static_cast<GParamFlags>(access | G_PARAM_LAX_VALIDATION) : access);
          else
            return gst_param_spec_array(
                name, label, blurb, g_param_spec_string("item", "Item", "One URL", nullptr, access), access);
        }
      },
      row.field);
}

}  // namespace property_detail

// Takes spec. Tools that document plugins learn that its enum belongs to this one.
inline void install_property(GObjectClass *klass, guint id, GParamSpec *spec) {
  if (G_IS_PARAM_SPEC_ENUM(spec))
    gst_type_mark_as_plugin_api(spec->value_type, static_cast<GstPluginAPIFlags>(0));
  g_object_class_install_property(klass, id, spec);
}

// Property IDs are 1, 2, … in the order of the rows.
template <typename Settings>
void install_properties(GObjectClass *klass, std::span<const Property<Settings>> rows) {
  for (guint i = 0; i < rows.size(); ++i) install_property(klass, i + 1, property_detail::make_spec(rows[i]));
}

template <typename Settings>
void set_field(Settings &settings, const Property<Settings> &row, const GValue *value) {
  std::visit(
      [&](const auto &field) {
        using Field = std::remove_cvref_t<decltype(field)>;
        if constexpr (std::is_same_v<Field, EnumField<Settings>>) {
          field.set(settings, g_value_get_enum(value));
        } else if constexpr (std::is_same_v<Field, OtherField<Settings>>) {
          field.set(settings, value);
        } else {
          auto &target = settings.*field;
          using T = std::remove_cvref_t<decltype(target)>;
          if constexpr (std::is_same_v<T, std::string>) {
            const char *text = g_value_get_string(value);
            target = text ? text : "";
          } else if constexpr (std::is_same_v<T, bool>) {
            target = g_value_get_boolean(value);
          } else if constexpr (std::is_same_v<T, unsigned>) {
            target = g_value_get_uint(value);
          } else if constexpr (std::is_same_v<T, int64_t>) {
            target = g_value_get_int64(value);
          } else if constexpr (std::is_same_v<T, uint64_t>) {
            target = g_value_get_uint64(value);
          } else if constexpr (std::is_same_v<T, double>) {
            target = g_value_get_double(value);
          } else {
            target.clear();
            for (guint i = 0; i < gst_value_array_get_size(value); ++i) {
              const GValue *item = gst_value_array_get_value(value, i);
              const char *text = G_VALUE_HOLDS_STRING(item) ? g_value_get_string(item) : nullptr;
              target.emplace_back(text ? text : "");
            }
          }
        }
      },
      row.field);
}

template <typename Settings>
void get_field(const Settings &settings, const Property<Settings> &row, GValue *value) {
  std::visit(
      [&](const auto &field) {
        using Field = std::remove_cvref_t<decltype(field)>;
        if constexpr (std::is_same_v<Field, EnumField<Settings>>) {
          g_value_set_enum(value, field.get(settings));
        } else if constexpr (std::is_same_v<Field, OtherField<Settings>>) {
          field.get(settings, value);
        } else {
          const auto &source = settings.*field;
          using T = std::remove_cvref_t<decltype(source)>;
          if constexpr (std::is_same_v<T, std::string>) {
            const std::string text = row.shown ? row.shown(source) : source;
            g_value_set_string(value, text.empty() ? nullptr : text.c_str());
          } else if constexpr (std::is_same_v<T, bool>) {
            g_value_set_boolean(value, source);
          } else if constexpr (std::is_same_v<T, unsigned>) {
            g_value_set_uint(value, source);
          } else if constexpr (std::is_same_v<T, int64_t>) {
            g_value_set_int64(value, source);
          } else if constexpr (std::is_same_v<T, uint64_t>) {
            g_value_set_uint64(value, source);
          } else if constexpr (std::is_same_v<T, double>) {
            g_value_set_double(value, source);
          } else {
            for (const std::string &text : source) {
              GValue item = G_VALUE_INIT;
              g_value_init(&item, G_TYPE_STRING);
              g_value_set_string(&item, text.c_str());
              gst_value_array_append_and_take_value(value, &item);
            }
          }
        }
      },
      row.field);
}

}  // namespace genclip
