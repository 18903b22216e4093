// SPDX-License-Identifier: LGPL-2.1-or-later
//
// By GType; a value of a type that JSON lacks becomes the text that GStreamer writes for it. Null is a string
// without a text, as GStreamer reads (string)NULL.
#include "elements/structure_json.h"

#include <array>
#include <charconv>
#include <cmath>

#include "plugin/base/number.h"

namespace genclip {
namespace {

StructurePtr make_structure(const Json &object);
GValue value_of(const Json &json);

// GStreamer appends only items of one type, though its texts may mix them. Each item is therefore appended as
// a null, which the item then replaces.
void fill(GValue *array, const Json::Array &items) {
  GValue null = value_of(Json());
  for (size_t i = 0; i < items.size(); ++i) gst_value_array_append_value(array, &null);
  g_value_unset(&null);
  for (size_t i = 0; i < items.size(); ++i) {
    auto *place = const_cast<GValue *>(gst_value_array_get_value(array, static_cast<guint>(i)));
    g_value_unset(place);
    *place = value_of(items[i]);
  }
}

// The caller unsets it, or gives it away.
GValue value_of(const Json &json) {
  GValue value = G_VALUE_INIT;
  if (const auto *truth = json.boolean()) {
    g_value_init(&value, G_TYPE_BOOLEAN);
    g_value_set_boolean(&value, *truth);
  } else if (const auto *integer = json.integer()) {
    g_value_init(&value, G_TYPE_INT64);
    g_value_set_int64(&value, *integer);
  } else if (const auto *real = json.real()) {
    g_value_init(&value, G_TYPE_DOUBLE);
    g_value_set_double(&value, *real);
  } else if (const auto *items = json.array()) {
    g_value_init(&value, GST_TYPE_ARRAY);
    fill(&value, *items);
  } else if (json.object()) {
    g_value_init(&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed(&value, make_structure(json).release());
  } else {
    g_value_init(&value, G_TYPE_STRING);
    if (const auto *text = json.string()) g_value_set_string(&value, text->c_str());
  }
  return value;
}

StructurePtr make_structure(const Json &object) {
  StructurePtr structure(gst_structure_new_empty("params"));
  for (const auto &[name, json] : *object.object()) {
    GValue value = value_of(json);
    gst_structure_take_value(structure.get(), name.c_str(), &value);
  }
  return structure;
}

// Json has no integer above. What is not finite is refused when the request is checked; a real would be sent,
// and be another number.
Json integer_of(guint64 number) {
  return number <= G_MAXINT64 ? Json(static_cast<int64_t>(number)) : Json(HUGE_VAL);
}

// By the fewest digits that are read as the same float: 0.1, and not 0.10000000149011612.
double real_of(float number) {
  std::array<char, 32> digits;
  const char *end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  return parse_number<double>({digits.data(), end}).value_or(number);
}

}  // namespace

Json json_of(const GValue *value) {
  if (G_VALUE_HOLDS_STRING(value)) {
    const char *text = g_value_get_string(value);
    return text ? Json(text) : Json();
  }
  if (G_VALUE_HOLDS_BOOLEAN(value)) return Json(g_value_get_boolean(value) != FALSE);
  if (G_VALUE_HOLDS_INT(value)) return Json(g_value_get_int(value));
  if (G_VALUE_HOLDS_UINT(value)) return Json(int64_t{g_value_get_uint(value)});
  if (G_VALUE_HOLDS_INT64(value)) return Json(int64_t{g_value_get_int64(value)});
  if (G_VALUE_HOLDS_LONG(value)) return Json(int64_t{g_value_get_long(value)});
  if (G_VALUE_HOLDS_UINT64(value)) return integer_of(g_value_get_uint64(value));
  if (G_VALUE_HOLDS_ULONG(value)) return integer_of(g_value_get_ulong(value));
  if (G_VALUE_HOLDS_DOUBLE(value)) return Json(g_value_get_double(value));
  if (G_VALUE_HOLDS_FLOAT(value)) return Json(real_of(g_value_get_float(value)));
  if (GST_VALUE_HOLDS_STRUCTURE(value)) return json_of(gst_value_get_structure(value));
  if (GST_VALUE_HOLDS_ARRAY(value)) {
    Json::Array items;
    for (guint i = 0; i < gst_value_array_get_size(value); ++i)
      items.push_back(json_of(gst_value_array_get_value(value, i)));
    return items;
  }
  if (GST_VALUE_HOLDS_LIST(value)) {
    Json::Array items;
    for (guint i = 0; i < gst_value_list_get_size(value); ++i)
      items.push_back(json_of(gst_value_list_get_value(value, i)));
    return items;
  }
  const GStringPtr text(gst_value_serialize(value));
  return text ? Json(text.get()) : Json();
}

StructurePtr structure_of(const Json &object) {
  if (!object.object() || object.object()->empty()) return {};
  return make_structure(object);
}

Json json_of(const GstStructure *structure) {
  Json::Object members;
  for (int i = 0; i < gst_structure_n_fields(structure); ++i) {
    const char *name = gst_structure_nth_field_name(structure, static_cast<guint>(i));
    members.emplace_back(name, json_of(gst_structure_get_value(structure, name)));
  }
  return members;
}

}  // namespace genclip
