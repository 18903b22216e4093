// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/model_reader.h"

#include <algorithm>

#include "plugin/base/shown_text.h"
#include "plugin/catalog/field_names.h"
#include "plugin/catalog/wording.h"

namespace genclip {
namespace {

// A copy without line numbers, as the original stands elsewhere in the file.
Json without_lines(const Json &json) {
  if (const auto *elements = json.array()) {
    Json::Array copy;
    for (const Json &element : *elements) copy.push_back(without_lines(element));
    return copy;
  }
  if (const auto *members = json.object()) {
    Json::Object copy;
    for (const auto &[name, value] : *members) copy.emplace_back(name, without_lines(value));
    return copy;
  }
  if (const auto *value = json.boolean()) return *value;
  if (const auto *value = json.integer()) return *value;
  if (const auto *value = json.real()) return *value;
  if (const auto *value = json.string()) return *value;
  return {};
}

void remove(Json &object, std::string_view key) {
  if (auto *members = object.object())
    std::erase_if(*members, [&](const Json::Member &member) { return member.first == key; });
}

// Adds or replaces; null removes.
void apply(Json &object, const std::string &key, const Json &value) {
  if (value.is_null())
    remove(object, key);
  else
    object.set(key, value);
}

std::vector<FieldSpec> read_fields(MemberReader &model, const std::vector<FieldSpec> &common,
                                   const MediaSets &sets, bool open) {
  std::vector<FieldSpec> fields;
  if (const auto *members = model.object("fields")) {
    for (const auto &[name, json] : *members) {
      if (is_request_name(name) || name.empty())
        model.mistake(json, "a field cannot be named " + quoted(name) + ".");
      else
        fields.push_back(read_field(name, json, find_field(common, name), sets, model.log()));
    }
  }
  if (!open) return fields;
  for (const FieldSpec &spec : common) {
    if (find_field(fields, spec.name)) continue;
    fields.push_back(spec);
    fields.back().shown = false;
  }
  return fields;
}

void check_rule_field(MemberReader &reader, const Json &json, const ModelSpec &spec,
                      const std::string &name) {
  if (spec.open || spec.find(name)) return;
  reader.mistake(json, "it refers to " + quoted(name) + ", which is not a field of the model.");
}

std::vector<Rule> read_rules(MemberReader &model, const ModelSpec &spec) {
  std::vector<Rule> rules;
  const auto *list = model.array("rules");
  if (!list) return rules;
  for (const Json &json : *list) {
    MemberReader reader(json, "a rule", model.log());
    Rule rule;
    const auto kind = reader.one_of<Rule::Kind>("rule");
    if (kind)
      rule.kind = *kind;
    else if (!json.find("rule"))
      reader.mistake(json, "it needs the key rule.");
    rule.fields = reader.strings("fields");
    rule.others = reader.strings("others");
    rule.note = reader.string("note");
    reader.finish();
    const bool two_sides = rule.kind != Rule::Kind::conflict;
    if (rule.fields.size() < (two_sides ? 1 : 2)) reader.mistake(json, "it names too few fields.");
    if (kind && two_sides == rule.others.empty())
      reader.mistake(json, two_sides ? "it needs others." : "a conflict takes no others.");
    for (const std::string &name : rule.fields) check_rule_field(reader, json, spec, name);
    for (const std::string &name : rule.others) check_rule_field(reader, json, spec, name);
    rules.push_back(std::move(rule));
  }
  return rules;
}

// A model is on the legacy API only if it is listed there (§1.8).
std::vector<Api> read_apis(MemberReader &model) {
  const Json *json = model.find("apis");
  if (!json) return {Api::tasks};
  std::vector<Api> apis;
  for (const std::string &name : model.strings("apis")) {
    const auto api = from_word<Api>(name);
    if (!api || *api == Api::automatic)
      model.mistake(*json, "apis must be a list of tasks and legacy, " + quoted(name) + " is neither.");
    else if (std::find(apis.begin(), apis.end(), *api) == apis.end())
      apis.push_back(*api);
  }
  if (apis.empty()) model.mistake(*json, "apis must name at least one.");
  return apis;
}

}  // namespace

ModelSpec read_model(const Json &json, const std::vector<FieldSpec> &common_fields, const MediaSets &sets,
                     MistakeLog &log) {
  ModelSpec spec;
  spec.id = MemberReader(json, "the model", log).string("id");
  MemberReader reader(json, spec.id.empty() ? "a model" : "the model " + spec.id, log);
  reader.find("id");
  if (spec.id.empty()) reader.mistake(json, "it needs an id.");
  if (!is_all_shown(spec.id)) reader.mistake(json, "its id contains invisible characters.");
  spec.display_name = reader.string("display_name");
  spec.group = reader.string("group");
  spec.note = reader.string("note");
  spec.result = reader.one_of<ResultKind>("result").value_or(spec.result);
  spec.open = reader.boolean("open");
  spec.assets = reader.boolean("assets");
  spec.apis = read_apis(reader);
  spec.fields = read_fields(reader, common_fields, sets, spec.open);
  spec.rules = read_rules(reader, spec);
  reader.finish();
  if (spec.fields.empty()) reader.mistake(json, "it needs fields, or \"open\": true.");
  spec.origin = log.file() + ":" + std::to_string(first_line(json));
  return spec;
}

Json inherit(const Json &base, const Json &json) {
  Json merged = without_lines(base);
  for (const char *own : {"id", "display_name", "note"}) remove(merged, own);
  for (const auto &[key, value] : *json.object()) {
    if (key == "like") continue;
    Json *fields = key == "fields" && value.object() ? merged.find("fields") : nullptr;
    if (!fields || !fields->object()) {
      apply(merged, key, value);
      continue;
    }
    for (const auto &[name, changes] : *value.object()) {
      Json *field = changes.object() ? fields->find(name) : nullptr;
      if (!field || !field->object()) {
        apply(*fields, name, changes);
        continue;
      }
      for (const auto &[part, content] : *changes.object()) apply(*field, part, content);
      // Of these two the later word counts.
      for (const auto &[key, opposite] : {std::pair("required", "refused"), {"refused", "required"}})
        if (const Json *is_said = changes.find(key);
            is_said && *is_said == Json(true) && !changes.find(opposite))
          remove(*field, opposite);
    }
  }
  return merged;
}

}  // namespace genclip
