// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/command/model_json.h"

#include "plugin/base/replace_all.h"
#include "plugin/catalog/models_table.h"

namespace genclip {
namespace {

void set_bound(Json &json, const char *name, const std::optional<int64_t> &bound) {
  if (bound) json.set(name, *bound);
}

void set_text(Json &json, const char *name, const std::string &text) {
  if (!text.empty()) json.set(name, text);
}

Json field_json(const FieldSpec &field, const FieldRow &row, bool assets) {
  Json json = Json::Object{
      {"name", field.name}, {"type", row.type}, {"required", field.required}, {"refused", field.refused}};
  if (!field.default_value.is_null()) json.set("default", field.default_value);
  if (!field.values.empty()) json.set("values", Json::Array(field.values));
  set_bound(json, "min", field.min);
  set_bound(json, "max", field.max);
  set_bound(json, "min_items", field.min_items);
  set_bound(json, "max_items", field.max_items);
  set_bound(json, "min_length", field.min_length);
  set_bound(json, "max_length", field.max_length);
  set_text(json, "allowed", row.allowed);
  if (const auto kind = media_kind(field.type); kind && !field.refused) {
    const auto forms = reference_forms(*kind, assets);
    json.set("references", Json::Array(forms.begin(), forms.end()));
  }
  return json;
}

Json rule_json(const Rule &rule) {
  Json json = Json::Object{{"rule", to_word(rule.kind)},
                           {"fields", Json::Array(rule.fields.begin(), rule.fields.end())}};
  if (!rule.others.empty()) json.set("others", Json::Array(rule.others.begin(), rule.others.end()));
  set_text(json, "note", rule.note);
  return json;
}

}  // namespace

std::string name_of(TextModel::Variant variant) { return replace_all(to_word(variant), "_", "-"); }

Json model_summary_json(const ModelSpec &spec) {
  Json::Array apis;
  for (const Api api : spec.apis) apis.emplace_back(to_word(api));
  Json json = Json::Object{{"id", spec.id}};
  set_text(json, "display_name", spec.display_name);
  json.set("group", spec.group);
  json.set("result", to_word(spec.result));
  json.set("apis", std::move(apis));
  json.set("assets", spec.assets);
  json.set("open", spec.open);
  set_text(json, "note", spec.note);
  return json;
}

Json model_json(const ModelSpec &spec) {
  Json json = model_summary_json(spec);
  Json::Array fields;
  for (const FieldRow &row : field_rows(spec))
    fields.push_back(field_json(*spec.find(row.field), row, spec.assets));
  json.set("fields", std::move(fields));
  Json::Array rules;
  for (const Rule &rule : spec.rules) rules.push_back(rule_json(rule));
  json.set("rules", std::move(rules));
  const auto sentences = remarks(spec);
  json.set("remarks", Json::Array(sentences.begin(), sentences.end()));
  return json;
}

Json text_model_json(const TextModel &model) {
  return Json::Object{{"id", model.id}, {"variant", name_of(model.variant)}, {"element", "gencaption"}};
}

}  // namespace genclip
