// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/field_reader.h"

#include "plugin/catalog/field_check.h"
#include "plugin/catalog/request_fields.h"
#include "plugin/catalog/wording.h"

namespace genclip {
namespace {

Bounds read_bounds(MemberReader &parent, std::string_view key, double unit = 1) {
  Bounds bounds;
  const Json *json = parent.find(key);
  if (!json) return bounds;
  MemberReader reader(*json, std::string(key), parent.log());
  const auto end = [&](std::string_view name, bool inclusive, std::optional<double> &value,
                       bool &kept_inclusive) {
    const Json *given = reader.find(name);
    if (!given) return;
    if (value) reader.mistake(*given, "this end of the range is given twice.");
    if (!given->number()) return reader.mistake(*given, std::string(name) + " must be a number.");
    value = *given->number() * unit;
    kept_inclusive = inclusive;
  };
  end("min", true, bounds.lower, bounds.lower_inclusive);
  end("above", false, bounds.lower, bounds.lower_inclusive);
  end("max", true, bounds.upper, bounds.upper_inclusive);
  end("below", false, bounds.upper, bounds.upper_inclusive);
  reader.finish();
  if (bounds.empty())
    reader.mistake(*json, "it needs min or above, or max or below.");
  else if (bounds.lower && bounds.upper && *bounds.lower > *bounds.upper)
    reader.mistake(*json, "this range is empty.");
  return bounds;
}

std::vector<TextLimit> read_text_limits(MemberReader &field) {
  std::vector<TextLimit> limits;
  const auto *list = field.array("text_limits");
  if (!list) return limits;
  for (const Json &json : *list) {
    MemberReader reader(json, "a text limit", field.log());
    TextLimit limit;
    limit.count = reader.one_of<TextLimit::Count>("count").value_or(limit.count);
    limit.where = reader.one_of<TextLimit::Where>("where").value_or(limit.where);
    if (const auto max = reader.count("max"))
      limit.max = *max;
    else
      reader.mistake(json, "it needs max.");
    limit.truncated = reader.boolean("truncated");
    reader.finish();
    limits.push_back(limit);
  }
  return limits;
}

void read_media(MemberReader &reader, const std::string &name, const MediaSets &sets, FieldSpec &spec) {
  const Json *json = reader.find("media");
  if (!json) return;
  if (!json->string()) {
    spec.media = read_media_limits(name, *json, reader.log());
    return;
  }
  if (const auto set = sets.find(*json->string()); set != sets.end())
    spec.media = set->second;
  else
    reader.mistake(*json, "there are no media limits named " + quoted(*json->string()) + ".");
}

template <typename T>
void replace(std::optional<T> &value, std::optional<T> given) {
  if (given) value = given;
}

// Checks that each key makes sense for the field's type.
void check_fit(const Json &json, const FieldSpec &spec, MemberReader &reader) {
  const bool number = spec.type == FieldType::integer || spec.type == FieldType::number;
  const bool text = spec.type == FieldType::string;
  const bool media = media_kind(spec.type).has_value();
  const bool list = media || spec.type == FieldType::array;
  const struct {
    const char *key;
    bool fits;
  } keys[] = {{"min", number},       {"max", number},      {"min_items", list},
              {"max_items", list},   {"min_length", text}, {"max_length", text},
              {"text_limits", text}, {"form", text},       {"media", media}};
  for (const auto &[key, fits] : keys)
    if (const Json *value = json.find(key); value && !fits)
      reader.mistake(*value,
                     std::string(key) + " does not apply to a field of type " + to_word(spec.type) + ".");

  const auto ordered = [&](const char *low, const char *high, const auto &min, const auto &max) {
    if (min && max && *min > *max) reader.mistake(json, std::string(low) + " is greater than " + high + ".");
  };
  ordered("min", "max", spec.min, spec.max);
  ordered("min_items", "max_items", spec.min_items, spec.max_items);
  ordered("min_length", "max_length", spec.min_length, spec.max_length);
}

// Checks that the allowed values and the default are valid for the field itself.
void check_values(const FieldSpec &spec, MemberReader &reader) {
  FieldSpec plain = spec;
  plain.values.clear();
  for (const Json &value : spec.values)
    if (const auto wrong = value_problem(plain, value, "the field"))
      reader.mistake(value, "among the values: " + *wrong);
  if (spec.default_value.is_null()) return;
  if (const auto wrong = value_problem(spec, spec.default_value, "the field"))
    reader.mistake(spec.default_value, "the default: " + *wrong);
}

PropertySpec read_property(const FieldSpec &spec, const Json &json, MistakeLog &log) {
  MemberReader reader(json, "the property of " + spec.name, log);
  PropertySpec property;
  property.help = reader.string("help");
  if (property.help.empty()) reader.mistake(json, "it needs help.");
  property.min = reader.integer("min").value_or(property.min);
  property.max = reader.integer("max").value_or(property.max);
  const bool single = reader.boolean("single");
  reader.finish();
  if (spec.type == FieldType::integer)
    property.kind = PropertySpec::Kind::integer;
  else if (spec.type == FieldType::boolean)
    property.kind = PropertySpec::Kind::toggle;
  else if (media_kind(spec.type))
    property.kind = single ? PropertySpec::Kind::url : PropertySpec::Kind::urls;
  else if (spec.type != FieldType::string)
    reader.mistake(json, std::string("no property has the type ") + to_word(spec.type) + ".");
  if (property.kind == PropertySpec::Kind::integer &&
      (!spec.unset.integer() || !has_room(property, spec.unset)))
    reader.mistake(json, "it needs an integer for unset, from min to max.");
  return property;
}

}  // namespace

MediaLimits read_media_limits(const std::string &name, const Json &json, MistakeLog &log) {
  MemberReader reader(json, "the media limits of " + name, log);
  MediaLimits limits;
  limits.formats = reader.strings("formats");
  limits.similar_formats = reader.boolean("similar_formats");
  limits.bytes = read_bounds(reader, "megabytes", kBytesPerMegabyte);
  limits.width = read_bounds(reader, "width");
  limits.height = read_bounds(reader, "height");
  limits.ratio = read_bounds(reader, "ratio");
  limits.duration = read_bounds(reader, "duration");
  limits.total_duration = read_bounds(reader, "total_duration");
  limits.frame_rate = read_bounds(reader, "frame_rate");
  reader.finish();
  return limits;
}

FieldSpec read_field(const std::string &name, const Json &json, const FieldSpec *inherited,
                     const MediaSets &sets, MistakeLog &log) {
  FieldSpec spec;
  if (inherited) spec = *inherited;
  spec.name = name;
  spec.shown = true;

  MemberReader reader(json, "the field " + name, log);
  if (const auto type = reader.one_of<FieldType>("type")) {
    if (inherited && *type != inherited->type)
      reader.mistake(json, std::string("it always has the type ") + to_word(inherited->type) + ".");
    spec.type = *type;
  } else if (!inherited && !json.find("type")) {
    reader.mistake(json, "it needs a type.");
  }
  const bool is_told_required = reader.boolean("required");
  if (reader.find("required")) spec.required = is_told_required;
  spec.refused = reader.boolean("refused");
  if (spec.refused && is_told_required) reader.mistake(json, "it cannot be both required and refused.");
  if (spec.refused) spec.required = false;
  if (const Json *value = reader.find("default")) spec.default_value = *value;
  if (const auto *values = reader.array("values")) {
    if (values->empty()) reader.mistake(*reader.find("values"), "values must name at least one.");
    spec.values = *values;
  }
  if (const Json *value = reader.find("unset")) spec.unset = *value;
  replace(spec.min, reader.integer("min"));
  replace(spec.max, reader.integer("max"));
  replace(spec.min_items, reader.count("min_items"));
  replace(spec.max_items, reader.count("max_items"));
  replace(spec.min_length, reader.count("min_length"));
  replace(spec.max_length, reader.count("max_length"));
  if (auto limits = read_text_limits(reader); !limits.empty()) spec.text_limits = std::move(limits);
  if (const auto form = reader.one_of("form", {"W:H"})) spec.form = "W:H";
  read_media(reader, name, sets, spec);
  spec.note = reader.string("note");
  reader.finish();

  check_fit(json, spec, reader);
  check_values(spec, reader);
  return spec;
}

FieldSpec read_common_field(const std::string &name, const Json &json, const MediaSets &sets,
                            MistakeLog &log) {
  // No model's field has this key.
  Json plain = json;
  if (auto *members = plain.object())
    std::erase_if(*members, [](const Json::Member &member) { return member.first == "property"; });
  FieldSpec spec = read_field(name, plain, nullptr, sets, log);
  if (const Json *property = json.find("property"))
    spec.property = read_property(spec, *property, log);
  else
    log.add(json, "the field " + name + " needs a property.");
  return spec;
}

}  // namespace genclip
