// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Reads the sections of a catalog file. A mistake in one model does not affect the others.
#include "plugin/catalog/catalog_reader.h"

#include <algorithm>

#include "plugin/base/number.h"
#include "plugin/catalog/model_reader.h"
#include "plugin/catalog/wording.h"

namespace genclip {
namespace {

constexpr const char *kBuiltInOnly[] = {"common_fields", "legacy_fields"};

// Json::parse opens its reasons with "…line LINE:COLUMN: ".
int line_in(std::string_view text) {
  constexpr std::string_view kBefore = "line ";
  const auto at = text.find(kBefore);
  if (at == text.npos) return 0;
  text.remove_prefix(at + kBefore.size());
  return take_number<int>(text).value_or(0);
}

void append(std::vector<Mistake> &all, const std::vector<Mistake> &some) {
  all.insert(all.end(), some.begin(), some.end());
}

}  // namespace

void CatalogReader::read(const CatalogFile &file) {
  file_ = file.name;
  // The built-in file, which each process reads, has been checked by a test: the check takes as long again.
  const auto reading = first_ ? Json::Reading::tolerant : Json::Reading::exact;
  const auto json = Json::parse(file.text, Json::Lines::noted, reading);
  if (!json) {
    note({file_, line_in(json.error().text), "", json.error().text});
  } else {
    MistakeLog log(file_, "", std::max(first_line(*json), 1));
    MemberReader top(*json, "the file", log);
    for (const char *key : kBuiltInOnly)
      if (const Json *value = top.find(key); value && !first_)
        top.mistake(*value, std::string(key) + " belongs to the service as a whole and cannot be changed.");
    if (first_) read_common(top);
    read_aliases(top);
    read_media_sets(top);
    read_models(top);
    read_text_models(top);
    top.finish();
    append(catalog_.mistakes_, log.mistakes());
  }
  first_ = false;
}

Catalog::Ptr CatalogReader::finish() { return std::make_shared<const Catalog>(std::move(catalog_)); }

void CatalogReader::read_common(MemberReader &top) {
  if (const auto *members = top.object("common_fields")) {
    for (const auto &[name, json] : *members)
      catalog_.common_fields_.push_back(read_common_field(name, json, media_sets_, top.log()));
  }
  if (const auto *members = top.object("legacy_fields"))
    for (const auto &[name, json] : *members)
      catalog_.legacy_fields_.push_back(
          read_field(name, json, catalog_.common_field(name), media_sets_, top.log()));
}

void CatalogReader::read_aliases(MemberReader &top) {
  const auto *members = top.object("aliases");
  if (!members) return;
  for (const auto &[alias, json] : *members) {
    const auto *name = json.string();
    if (!name || !catalog_.common_field(*name) || catalog_.common_field(alias))
      top.mistake(json, "the alias " + quoted(alias) + " must stand for a field that has a property.");
    else
      catalog_.aliases_[alias] = *name;
  }
}

void CatalogReader::read_media_sets(MemberReader &top) {
  const auto *members = top.object("media");
  if (!members) return;
  for (const auto &[name, json] : *members)
    media_sets_[name] = read_media_limits(quoted(name), json, top.log());
}

void CatalogReader::read_models(MemberReader &top) {
  const auto *list = top.array("models");
  if (!list) return;
  std::set<std::string> seen;
  for (const Json &json : *list) read_one_model(json, seen);
}

void CatalogReader::read_one_model(const Json &json, std::set<std::string> &seen) {
  const Json *id = json.find("id");
  const std::string name = id && id->string() ? *id->string() : "";
  MistakeLog log(file_, name, first_line(json));
  Json source = json;
  if (!name.empty() && !seen.insert(name).second)
    log.add(json, "the model " + name + " is in this file twice.");
  if (const Json *like = json.find("like")) {
    const auto base = sources_.find(like->string() ? *like->string() : "");
    if (base == sources_.end())
      log.add(*like, "like must name a model that comes before this one, " + shown(*like) + " does not.");
    else
      source = inherit(base->second, json);
  }
  if (log.mistakes().empty()) {
    ModelSpec spec = read_model(source, catalog_.common_fields_, media_sets_, log);
    spec.origin = file_ + ":" + std::to_string(first_line(json));
    if (log.mistakes().empty()) {
      sources_[name] = std::move(source);
      keep(std::move(spec));
    }
  }
  append(catalog_.mistakes_, log.mistakes());
}

void CatalogReader::keep(ModelSpec spec) {
  auto kept = std::make_shared<const ModelSpec>(std::move(spec));
  for (auto &model : catalog_.models_) {
    if (model->id != kept->id) continue;
    model = std::move(kept);
    return;
  }
  catalog_.models_.push_back(std::move(kept));
}

void CatalogReader::read_text_models(MemberReader &top) {
  const auto *list = top.array("text_models");
  if (!list) return;
  for (const Json &json : *list) {
    MistakeLog log(file_, "", first_line(json));
    MemberReader reader(json, "a text model", log);
    TextModel model;
    model.id = reader.string("id");
    if (model.id.empty()) reader.mistake(json, "it needs an id.");
    model.variant = reader.one_of<TextModel::Variant>("variant").value_or(model.variant);
    reader.finish();
    append(catalog_.mistakes_, log.mistakes());
    if (!log.mistakes().empty()) continue;
    std::erase_if(catalog_.text_models_, [&](const TextModel &known) { return known.id == model.id; });
    catalog_.text_models_.push_back(std::move(model));
  }
}

}  // namespace genclip
