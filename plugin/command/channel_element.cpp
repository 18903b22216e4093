// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/channel_element.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string_view>

#include "plugin/base/number.h"
#include "plugin/catalog/settings.h"
#include "plugin/catalog/wording.h"

namespace genclip {
namespace {

constexpr std::array<std::string_view, 3> kNoOptions = {"api-key", "rundown", "rundown-text"};

// Those that it takes; empty: there are others.
Words words_of(GParamSpec *spec) {
  Words words;
  if (G_IS_PARAM_SPEC_BOOLEAN(spec)) return {"true", "false"};
  if (!G_IS_PARAM_SPEC_ENUM(spec)) return words;
  const GEnumClass *values = G_PARAM_SPEC_ENUM(spec)->enum_class;
  for (guint i = 0; i < values->n_values; ++i) words.emplace_back(values->values[i].value_nick);
  return words;
}

// max-amount, which the element itself judges: its range is infinite.
bool is_of_credits(GParamSpec *spec) {
  return G_IS_PARAM_SPEC_DOUBLE(spec) && std::isinf(G_PARAM_SPEC_DOUBLE(spec)->maximum);
}

// What a property takes: "must be" and this.
std::string wanted_by(GParamSpec *spec) {
  const auto range = [](auto low, auto high) {
    return "from " + std::to_string(low) + " to " + std::to_string(high);
  };
  if (G_IS_PARAM_SPEC_ENUM(spec)) return either(words_of(spec));
  if (G_IS_PARAM_SPEC_UINT(spec))
    return "an integer " + range(G_PARAM_SPEC_UINT(spec)->minimum, G_PARAM_SPEC_UINT(spec)->maximum);
  if (G_IS_PARAM_SPEC_UINT64(spec)) return "an integer, 0 or more";
  if (G_IS_PARAM_SPEC_BOOLEAN(spec)) return "true or false";
  if (is_of_credits(spec)) return "a number of credits, 0 or more";
  if (G_IS_PARAM_SPEC_DOUBLE(spec))
    return "a number from " + number_text(G_PARAM_SPEC_DOUBLE(spec)->minimum) + " to " +
           number_text(G_PARAM_SPEC_DOUBLE(spec)->maximum);
  if (spec->value_type == GST_TYPE_CAPS) return "caps, such as video/x-raw,width=1280";
  return "a text";
}

// What holds without the option: a number or a word; empty: nothing that can be told in a word.
std::string default_of(GParamSpec *spec) {
  if (G_IS_PARAM_SPEC_UINT(spec)) return std::to_string(G_PARAM_SPEC_UINT(spec)->default_value);
  if (G_IS_PARAM_SPEC_UINT64(spec)) return std::to_string(G_PARAM_SPEC_UINT64(spec)->default_value);
  if (G_IS_PARAM_SPEC_DOUBLE(spec)) return number_text(G_PARAM_SPEC_DOUBLE(spec)->default_value);
  if (G_IS_PARAM_SPEC_BOOLEAN(spec)) return G_PARAM_SPEC_BOOLEAN(spec)->default_value ? "true" : "false";
  if (!G_IS_PARAM_SPEC_ENUM(spec)) return {};
  const auto *word =
      g_enum_get_value(G_PARAM_SPEC_ENUM(spec)->enum_class, G_PARAM_SPEC_ENUM(spec)->default_value);
  return word ? word->value_nick : "";
}

// The parts of the property's description that say what it is, what 0 or false means, and what holds without
// it; then its words and its default.
std::string help_of(GParamSpec *spec) {
  std::string help;
  std::string_view rest = g_param_spec_get_blurb(spec);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find("; "), rest.size());
    std::string part(rest.substr(0, rest.substr(0, end).find_first_of(".(")));
    part.resize(std::min(part.size(), end));
    while (part.ends_with(' ')) part.pop_back();
    constexpr std::string_view kUnset = "unset: ";
    if (help.empty())
      help = part;
    else if (part.starts_with(kUnset))
      help += "; else " + part.substr(kUnset.size());
    else if (part.starts_with("0: ") || part.starts_with("false: "))
      help += "; " + part;
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  if (G_IS_PARAM_SPEC_ENUM(spec)) help += ": " + either(words_of(spec));
  const std::string unset = default_of(spec);
  return help + (unset.empty() ? "" : " (" + unset + ")");
}

const char *value_name_of(GParamSpec *spec) {
  if (G_IS_PARAM_SPEC_ENUM(spec)) return "WHAT";
  const bool is_number =
      G_IS_PARAM_SPEC_UINT(spec) || G_IS_PARAM_SPEC_UINT64(spec) || G_IS_PARAM_SPEC_DOUBLE(spec);
  return is_number ? "N" : "VALUE";
}

struct Value {
  GValue value = G_VALUE_INIT;
  Value() = default;
  Value(const Value &) = delete;
  Value &operator=(const Value &) = delete;
  ~Value() {
    if (G_IS_VALUE(&value)) g_value_unset(&value);
  }
};

// False: the text is not a value of that type.
bool set_value(GValue &value, const std::string &text) {
  if (G_VALUE_HOLDS_STRING(&value)) {
    g_value_set_string(&value, text.c_str());
    return true;
  }
  // GStreamer takes -1 for the largest number.
  if (G_VALUE_HOLDS_UINT(&value)) {
    const auto number = parse_number<unsigned>(text);
    g_value_set_uint(&value, number.value_or(0));
    return number.has_value();
  }
  if (G_VALUE_HOLDS_UINT64(&value)) {
    const auto number = parse_number<uint64_t>(text);
    g_value_set_uint64(&value, number.value_or(0));
    return number.has_value();
  }
  return gst_value_deserialize(&value, text.c_str());
}

}  // namespace

Result<GRef<GstElement>> make_own_element(const char *name) {
  GstElement *element = gst_element_factory_make(name, nullptr);
  if (!element)
    return Error{ErrorKind::not_found,
                 std::string("GStreamer does not find the element ") + name +
                     ". Install genclip's plugin, or set GST_PLUGIN_PATH to its folder."};
  return GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(element)));
}

std::vector<ElementProperty> channel_properties_of(GstElement *channel) {
  guint count = 0;
  const std::unique_ptr<GParamSpec *, GFree> specs(
      g_object_class_list_properties(G_OBJECT_GET_CLASS(channel), &count));
  std::vector<ElementProperty> properties;
  for (guint i = 0; i < count; ++i) {
    GParamSpec *spec = specs.get()[i];
    const bool is_own = spec->owner_type == G_OBJECT_TYPE(channel) && (spec->flags & G_PARAM_WRITABLE);
    if (is_own && std::ranges::find(kNoOptions, spec->name) == kNoOptions.end())
      properties.push_back({spec->name, nullptr, help_of(spec), {}, value_name_of(spec), words_of(spec)});
  }
  return properties;
}

Result<void> set_properties(GstElement *element, const std::vector<ElementProperty> &properties) {
  for (const ElementProperty &property : properties) {
    if (property.text.empty()) continue;
    GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), property.name);
    Value value;
    g_value_init(&value.value, spec->value_type);
    bool fits = set_value(value.value, property.text);
    if (is_of_credits(spec)) fits = fits && max_amount_problem(g_value_get_double(&value.value)).empty();
    // It changes a value that is out of range.
    if (!fits || g_param_value_validate(spec, &value.value))
      return Error{ErrorKind::settings, std::string("--") +
                                            (property.option ? property.option : property.name) +
                                            " must be " + wanted_by(spec) + "."};
    g_object_set_property(G_OBJECT(element), property.name, &value.value);
  }
  return {};
}

RunSettings run_settings_of(GstElement *channel) {
  RunSettings run;
  for (const Setting &row : settings())
    if ((row.takers & kChannelSource) && row.secret != Setting::Secret::all)
      with_member(row, [&](auto member) {
        auto &target = run.*member;
        using Value = std::remove_cvref_t<decltype(target)>;
        if constexpr (std::is_same_v<Value, std::string>) {
          char *text = nullptr;
          g_object_get(channel, row.name, &text, nullptr);
          const GStringPtr held(text);
          if (text) target = text;
        } else if constexpr (std::is_enum_v<Value>) {
          int value = 0;
          g_object_get(channel, row.name, &value, nullptr);
          target = static_cast<Value>(value);
        } else if constexpr (!std::is_same_v<Value, bool>) {
          g_object_get(channel, row.name, &target, nullptr);
        }
      });
  return run;
}

}  // namespace genclip
