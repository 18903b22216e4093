// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/clipsrc/clip_settings.h"

#include "elements/clipsrc/request_property.h"
#include "elements/run_properties.h"
#include "elements/structure_json.h"
#include "plugin/catalog/request_fields.h"
#include "plugin/catalog/wording.h"

namespace genclip {
namespace {

const OtherField<ClipSettings> kExtraParams{
    [](const char *name, const char *nick, const char *blurb, GParamFlags flags) {
      return g_param_spec_boxed(name, nick, blurb, GST_TYPE_STRUCTURE, flags);
    },
    [](const ClipSettings &settings, GValue *value) {
      g_value_take_boxed(value, structure_of(settings.extra).release());
    },
    [](ClipSettings &settings, const GValue *value) {
      const auto *structure = static_cast<const GstStructure *>(g_value_get_boxed(value));
      set_extra_fields(structure ? json_of(structure) : Json::Object{}, settings.request());
    }};

const Property<ClipSettings> kModel = {"model", "Model ID, such as sd_2.0_special (required)",
                                       &ClipSettings::model};

// Behind the request's fields.
const Property<ClipSettings> kClipProperties[] = {
    {"extra-params", "More request fields, sent as they are", kExtraParams},
    {"api", "Which task API to use", enum_field<&ClipSettings::api>(api_get_type)},
    {"take", "Number of the take: another take of the same request is another clip", &ClipSettings::take},
};

Error no_room(const std::string &field, const Json &value, const std::string &property) {
  return {ErrorKind::settings,
          field + " is " + shown(value) + ", which the property " + property + " cannot hold."};
}

}  // namespace

std::vector<Property<ClipSettings>> clip_properties(const Catalog &catalog) {
  std::vector<Property<ClipSettings>> rows = {kModel};
  for (const FieldSpec &field : catalog.common_fields())
    if (field.property) rows.push_back(request_property(catalog, field));
  rows.insert(rows.end(), std::begin(kClipProperties), std::end(kClipProperties));
  const auto run = run_properties<ClipSettings>(kClipSource);
  rows.insert(rows.end(), run.begin(), run.end());
  return rows;
}

std::span<const Property<ClipSettings>> clip_properties() {
  // Never destroyed: elements may outlive main().
  static const auto &catalog = *new Catalog::Ptr(Catalog::built_in());
  static const auto &rows = *new auto(clip_properties(*catalog));
  return rows;
}

Result<void> fit_properties(const Catalog &catalog, const ClipRequest &request) {
  for (const auto &[name, value] : *request.fields.object())
    if (const FieldSpec *field = catalog.common_field(name);
        field && field->property && !has_room(*field->property, value))
      return no_room(name, value, property_name(name));
  const auto structure = structure_of(request.extra);
  const Json kept = structure ? json_of(structure.get()) : Json();
  for (const auto &[name, value] : *request.extra.object())
    if (const Json *same = kept.find(name); !same || !(*same == value))
      return no_room(name, value, "extra-params");
  return {};
}

}  // namespace genclip
