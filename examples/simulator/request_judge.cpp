// SPDX-License-Identifier: LGPL-2.1-or-later
#include "examples/simulator/request_judge.h"

#include <gio/gio.h>

#include <algorithm>

#include "plugin/base/gref.h"

namespace genclip::sim {
namespace {

using Problems = std::vector<std::string>;

std::string word(const Json &object, const char *key) {
  const Json *value = object.find(key);
  return value && value->string() ? *value->string() : "";
}

bool is_true(const Json &object, const char *key) {
  const Json *value = object.find(key);
  return value && value->boolean() && *value->boolean();
}

struct TextSize {
  int64_t characters = 0, han = 0, words = 0;
};

TextSize size_of(const std::string &text) {
  TextSize size;
  bool inside = false;
  for (const char *at = text.c_str(); *at; at = g_utf8_next_char(at)) {
    const gunichar c = g_utf8_get_char(at);
    size.characters++;
    if (g_unichar_get_script(c) == G_UNICODE_SCRIPT_HAN) size.han++;
    if (!g_unichar_isspace(c) && !inside) size.words++;
    inside = !g_unichar_isspace(c);
  }
  return size;
}

// §2.3 and §2.4: lengths that depend on the script. A text that the service truncates is no problem.
void judge_text_limit(const std::string &name, const Json &limit, const TextSize &size, Problems &problems) {
  const std::string where = word(limit, "where"), count = word(limit, "count");
  if (is_true(limit, "truncated") || (where == "han" && size.han == 0) || (where == "no_han" && size.han > 0))
    return;
  const int64_t has =
      count == "words" ? size.words : size.characters + (count == "han_as_two" ? size.han : 0);
  const Json *most = limit.find("max");
  if (most && most->integer() && has > *most->integer())
    problems.push_back(name + " has " + std::to_string(has) + " " + count + ", more than " + most->to_text());
}

void judge_string(const std::string &name, const Json &spec, const std::string &value, Problems &problems) {
  const TextSize size = size_of(value);
  const Json *least = spec.find("min_length"), *most = spec.find("max_length");
  const auto characters = static_cast<double>(size.characters);
  if (least && characters < least->number().value_or(0)) problems.push_back(name + " is too short");
  if (most && characters > most->number().value_or(0)) problems.push_back(name + " is too long");
  if (const Json *limits = spec.find("text_limits"); limits && limits->array())
    for (const Json &limit : *limits->array()) judge_text_limit(name, limit, size, problems);
  if (word(spec, "form") == "W:H") {
    if (!g_regex_match_simple("^[1-9][0-9]{0,3}:[1-9][0-9]{0,3}$", value.c_str(), G_REGEX_DOLLAR_ENDONLY,
                              GRegexMatchFlags(0)))
      problems.push_back(name + " must be W:H");
  }
}

bool is_web_url(const std::string &text) {
  GStringPtr scheme(g_uri_parse_scheme(text.c_str()));
  if (!scheme || (g_ascii_strcasecmp(scheme.get(), "http") && g_ascii_strcasecmp(scheme.get(), "https")))
    return false;
  if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) <= 0x20; }))
    return false;
  GErrorPtr error;
  const auto uri = GRef<GUri>::adopt(
      g_uri_parse(text.c_str(), GUriFlags(G_URI_FLAGS_ENCODED | G_URI_FLAGS_PARSE_RELAXED), take(error)));
  return uri && g_uri_get_host(uri.get()) && *g_uri_get_host(uri.get());
}

void judge_reference(const std::string &name, const Model &model, const Json &item, Problems &problems) {
  constexpr std::string_view kAsset = "assetId://";
  if (!item.string()) return problems.push_back(name + " contains something that is not a string");
  const std::string &text = *item.string();
  if (text.starts_with(kAsset)) {
    if (!model.assets) problems.push_back(name + ": " + model.id + " does not support the asset library");
    if (text.size() == kAsset.size()) problems.push_back(name + " contains an empty asset id");
  } else if (!is_web_url(text)) {
    problems.push_back(name +
                       " contains something that is not a public http(s) URL; base64 is not supported");
  }
}

void judge_items(const std::string &name, const Json &spec, size_t count, Problems &problems) {
  const Json *least = spec.find("min_items"), *most = spec.find("max_items");
  const auto items = static_cast<double>(count);
  if (least && items < least->number().value_or(0)) problems.push_back(name + " has too few items");
  if (most && items > most->number().value_or(0)) problems.push_back(name + " has too many items");
}

void judge_range(const std::string &name, const Json &spec, double value, Problems &problems) {
  const Json *least = spec.find("min"), *most = spec.find("max");
  if (least && value < least->number().value_or(0))
    problems.push_back(name + " is below " + least->to_text());
  if (most && value > most->number().value_or(0)) problems.push_back(name + " is above " + most->to_text());
}

void judge_field(const std::string &name, const Model &model, const Json &spec, const Json &value,
                 Problems &problems) {
  const std::string type = word(spec, "type");
  const auto needs = [&](bool right) {
    if (!right) problems.push_back(name + " must be of type " + type);
    return right;
  };
  if (is_true(spec, "refused")) return problems.push_back(model.id + " does not take " + name);
  if (type == "string") {
    if (!needs(value.string())) return;
    judge_string(name, spec, *value.string(), problems);
  } else if (type == "integer") {
    if (!needs(value.integer())) return;
    judge_range(name, spec, static_cast<double>(*value.integer()), problems);
  } else if (type == "number") {
    if (!needs(value.number().has_value())) return;
    judge_range(name, spec, *value.number(), problems);
  } else if (type == "boolean") {
    if (!needs(value.boolean())) return;
  } else if (type == "array" || type.ends_with("[]")) {
    if (!needs(value.array())) return;
    judge_items(name, spec, value.array()->size(), problems);
    if (type != "array")
      for (const Json &item : *value.array()) judge_reference(name, model, item, problems);
  }
  if (const Json *values = spec.find("values"); values && values->array()) {
    const auto &allowed = *values->array();
    if (std::find(allowed.begin(), allowed.end(), value) == allowed.end())
      problems.push_back(name + " must be one of " + values->to_text());
  }
}

// A field counts as given when it is there and is not an empty list.
std::vector<std::string> given(const Json &rule, const char *key, const Json &request) {
  std::vector<std::string> names;
  const Json *list = rule.find(key);
  if (!list || !list->array()) return names;
  for (const Json &name : *list->array()) {
    const Json *value = name.string() ? request.find(*name.string()) : nullptr;
    if (value && !(value->array() && value->array()->empty())) names.push_back(*name.string());
  }
  return names;
}

void judge_rule(const Json &rule, const Json &request, Problems &problems) {
  const auto fields = given(rule, "fields", request), others = given(rule, "others", request);
  const std::string kind = word(rule, "rule");
  if (kind == "conflict" && fields.size() > 1) problems.push_back(fields[0] + " conflicts with " + fields[1]);
  if (kind == "requires" && !fields.empty() && others.empty())
    problems.push_back(fields[0] + " cannot be given without " + rule.find("others")->to_text());
  if (kind == "exclusive" && !fields.empty() && !others.empty())
    problems.push_back(fields[0] + " cannot be mixed with " + others[0]);
}

// The field's name in the model's table; empty for a field that this API does not have.
std::string table_name(const ModelBook &book, const Model &model, TaskApi api, const std::string &name) {
  if (api == TaskApi::legacy && name == "seconds") return "duration";
  if (api == TaskApi::legacy && name == "duration") return "";
  return model.field(name) ? name : book.canonical(name);
}

}  // namespace

Judgement judge(const ModelBook &book, TaskApi api, const Json &body) {
  Judgement out;
  if (!body.object()) {
    out.problems.push_back("the body is not a JSON object");
    return out;
  }
  const std::string id = word(body, "model");
  const Model *model = book.find(id);
  if (!model) {
    out.problems.push_back(id.empty() ? "model is missing" : "no model has the Model ID \"" + id + "\"");
    return out;
  }
  const char *api_name = api == TaskApi::tasks ? "tasks" : "legacy";
  if (std::find(model->apis.begin(), model->apis.end(), api_name) == model->apis.end())
    out.problems.push_back(id + " is not offered here");

  for (const auto &[sent_name, value] : *body.object()) {
    if (sent_name == "model") continue;
    const std::string name = table_name(book, *model, api, sent_name);
    if (!name.empty() && out.request.find(name)) {
      out.problems.push_back(name + " is given twice");
      continue;
    }
    const Json *spec = name.empty() ? nullptr : model->field(name);
    if (!spec && model->open) spec = book.common_field(name);
    if (spec)
      judge_field(name, *model, *spec, value, out.problems);
    else if (!model->open || name.empty())
      out.problems.push_back(id + " has no field \"" + sent_name + "\"");
    if (api == TaskApi::legacy && value.string())
      if (const Json *form = book.legacy_field(name))
        judge_string(name, *form, *value.string(), out.problems);
    if (!name.empty()) out.request.set(name, value);
  }
  for (const auto &[name, spec] : model->fields)
    if (is_true(spec, "required") && !out.request.find(name)) out.problems.push_back(name + " is missing");
  for (const Json &rule : model->rules) judge_rule(rule, out.request, out.problems);
  if (out.problems.empty()) out.model = model;
  return out;
}

}  // namespace genclip::sim
