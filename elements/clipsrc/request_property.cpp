// SPDX-License-Identifier: LGPL-2.1-or-later
//
// GParamSpecs and GValues by the kind of the property.
#include "elements/clipsrc/request_property.h"

#include <limits>

#include "elements/structure_json.h"
#include "plugin/catalog/request_fields.h"

namespace genclip {
namespace {

using Kind = PropertySpec::Kind;

GParamSpec *make_request_spec(const FieldSpec &field, const char *name, const char *nick, const char *blurb,
                              GParamFlags flags) {
  const PropertySpec &property = *field.property;
  switch (property.kind) {
    case Kind::text:
    case Kind::url: return g_param_spec_string(name, nick, blurb, nullptr, flags);
    case Kind::integer: {
      const int64_t unset = *field.unset.integer();
      if (property.min >= 0 && property.max <= std::numeric_limits<guint>::max())
        return g_param_spec_uint(name, nick, blurb, static_cast<guint>(property.min),
                                 static_cast<guint>(property.max), static_cast<guint>(unset), flags);
      return g_param_spec_int64(name, nick, blurb, property.min, property.max, unset, flags);
    }
    case Kind::toggle:
      return g_param_spec_enum(name, nick, blurb, switch_get_type(), static_cast<int>(Switch::model_default),
                               flags);
    case Kind::urls: break;
  }
  return gst_param_spec_array(name, nick, blurb,
                              g_param_spec_string("item", "Item", "One reference", nullptr, flags), flags);
}

void append_text(GValue *list, const std::string &text) {
  GValue item = G_VALUE_INIT;
  g_value_init(&item, G_TYPE_STRING);
  g_value_set_string(&item, text.c_str());
  gst_value_array_append_and_take_value(list, &item);
}

// `set` is null, or what set_request_field() has let in.
void show_value(const FieldSpec &field, const Json *set, GValue *value) {
  switch (field.property->kind) {
    case Kind::text: g_value_set_string(value, set ? set->string()->c_str() : nullptr); break;
    case Kind::url: g_value_set_string(value, set ? set->array()->at(0).string()->c_str() : nullptr); break;
    case Kind::integer: {
      const int64_t number = *(set ? *set : field.unset).integer();
      if (G_VALUE_HOLDS_UINT(value))
        g_value_set_uint(value, static_cast<guint>(number));
      else
        g_value_set_int64(value, number);
      break;
    }
    case Kind::toggle: {
      const Switch position = !set ? Switch::model_default : *set->boolean() ? Switch::on : Switch::off;
      g_value_set_enum(value, static_cast<int>(position));
      break;
    }
    case Kind::urls:
      if (set)
        for (const Json &item : *set->array()) append_text(value, *item.string());
      break;
  }
}

// Of a GValue that the GParamSpec has let in.
Json value_from(const FieldSpec &field, const GValue *value) {
  switch (field.property->kind) {
    case Kind::text:
    case Kind::integer: return json_of(value);
    case Kind::url: {
      const Json url = json_of(value);
      return url.is_null() || url.string()->empty() ? Json() : Json(Json::Array{url});
    }
    case Kind::toggle: {
      const auto position = static_cast<Switch>(g_value_get_enum(value));
      return position == Switch::model_default ? Json() : Json(position == Switch::on);
    }
    case Kind::urls: break;
  }
  Json list = json_of(value);
  for (Json &item : *list.array())
    if (!item.string()) item = "";  // For check_request to refuse.
  return list;
}

}  // namespace

Property<ClipSettings> request_property(const Catalog &catalog, const FieldSpec &field) {
  const OtherField<ClipSettings> as_property{
      [&field](const char *name, const char *nick, const char *blurb, GParamFlags flags) {
        return make_request_spec(field, name, nick, blurb, flags);
      },
      [&field](const ClipSettings &settings, GValue *value) {
        show_value(field, settings.fields.find(field.name), value);
      },
      [&catalog, &field](ClipSettings &settings, const GValue *value) {
        set_request_field(catalog, field, value_from(field, value), settings.request());
      }};
  // Interned, as GObject keeps both names without copying them.
  return {g_intern_string(property_name(field.name).c_str()), g_intern_string(field.property->help.c_str()),
          as_property};
}

}  // namespace genclip
