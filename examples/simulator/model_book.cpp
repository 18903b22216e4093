// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Resolves `like`, defaults and common fields once, when it reads the data file.
#include "examples/simulator/model_book.h"

#include <gio/gio.h>

#include <algorithm>

#include "plugin/base/durable_file.h"
#include "plugin/base/file_system.h"
#include "plugin/base/gref.h"

namespace genclip::sim {
namespace {

constexpr size_t kFileLimit = 8 << 20;

void merge(Json &into, const Json &from) {
  for (const auto &[key, value] : *from.object()) into.set(key, value);
}

void remove(Json &object, const std::string &key) {
  std::erase_if(*object.object(), [&](const Json::Member &member) { return member.first == key; });
}

// Overrides the keys of `into` by those of `from`; null removes a key.
void overlay(Json &into, const Json &from) {
  for (const auto &[key, value] : *from.object()) {
    if (value.is_null())
      remove(into, key);
    else
      into.set(key, value);
  }
}

void overlay_fields(Json &into, const Json &fields) {
  for (const auto &[name, spec] : *fields.object()) {
    Json *known = into.find(name);
    if (known && known->object() && spec.object())
      overlay(*known, spec);
    else if (spec.is_null())
      remove(into, name);
    else
      into.set(name, spec);
  }
}

// A model's object, completed by the one that its `like` names.
Json resolved(const Json &base, const Json &own) {
  Json out = base;
  for (const char *key : {"id", "display_name", "note"}) remove(out, key);
  for (const auto &[key, value] : *own.object()) {
    if (key == "fields" && value.object() && out.find("fields"))
      overlay_fields(*out.find("fields"), value);
    else if (value.is_null())
      remove(out, key);
    else
      out.set(key, value);
  }
  return out;
}

bool flag(const Json &object, const char *key) {
  const Json *value = object.find(key);
  return value && value->boolean() && *value->boolean();
}

std::string built_in() {
  GErrorPtr error;
  const auto bytes = GRef<GBytes>::adopt(g_resources_lookup_data("/org/genclip/simulator/models.json",
                                                                 G_RESOURCE_LOOKUP_FLAGS_NONE, take(error)));
  gsize size = 0;
  const void *data = bytes ? g_bytes_get_data(bytes.get(), &size) : "";
  return {static_cast<const char *>(data), size};
}

}  // namespace

const Json *Model::field(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const Json::Member &member) { return member.first == name; });
  return found == fields.end() ? nullptr : &found->second;
}

Result<ModelBook> ModelBook::load(const std::vector<std::string> &files) {
  ModelBook book;
  const auto own = Json::parse(built_in());
  if (!own) return own.error();
  if (const auto added = book.add(*own, "the built-in models"); !added) return added.error();
  for (const std::string &file : files) {
    const auto text = read_whole(FileSystem::posix(), file, kFileLimit);
    if (!text) return text.error();
    const auto document = Json::parse(*text);
    if (!document) return Error{ErrorKind::settings, file + ": " + document.error().text};
    if (const auto added = book.add(*document, file); !added) return added.error();
  }
  return book;
}

Result<void> ModelBook::add(const Json &document, const std::string &origin) {
  const auto wrong = [&](const std::string &what) {
    return Error{ErrorKind::settings, origin + ": " + what};
  };
  if (!document.object()) return wrong("an object is expected.");
  const std::pair<const char *, Json *> parts[] = {
      {"common_fields", &common_}, {"legacy_fields", &legacy_}, {"aliases", &aliases_}};
  for (const auto &[key, target] : parts)
    if (const Json *part = document.find(key); part && part->object()) merge(*target, *part);

  const Json *models = document.find("models");
  if (!models) return {};
  if (!models->array()) return wrong("models is not an array.");
  for (const Json &entry : *models->array()) {
    const Json *id = entry.find("id");
    if (!id || !id->string()) return wrong("a model has no id.");
    Json source = entry;
    if (const Json *like = entry.find("like")) {
      const auto base = like->string() ? sources_.find(*like->string()) : sources_.end();
      if (base == sources_.end()) return wrong(*id->string() + " is like an unknown model.");
      source = resolved(base->second, entry);
    }
    sources_.insert_or_assign(*id->string(), source);

    Model model;
    model.id = *id->string();
    const Json *result = source.find("result");
    model.image = result && result->string() && *result->string() == "image";
    model.open = flag(source, "open");
    model.assets = flag(source, "assets");
    if (const Json *apis = source.find("apis"); apis && apis->array()) {
      for (const Json &api : *apis->array())
        if (api.string()) model.apis.push_back(*api.string());
    } else {
      model.apis = {"tasks"};
    }
    if (const Json *rules = source.find("rules"); rules && rules->array()) model.rules = *rules->array();
    if (const Json *fields = source.find("fields"); fields && fields->object()) {
      for (const auto &[name, spec] : *fields->object()) {
        const Json *common = common_.find(name);
        Json complete = common ? *common : Json(Json::Object());
        if (spec.object()) merge(complete, spec);
        model.fields.emplace_back(name, complete);
      }
    }
    if (!model.field("prompt"))
      if (const Json *common = common_.find("prompt")) model.fields.emplace_back("prompt", *common);
    models_.insert_or_assign(model.id, model);
  }
  return {};
}

const Model *ModelBook::find(const std::string &id) const {
  const auto found = models_.find(id);
  return found == models_.end() ? nullptr : &found->second;
}

std::string ModelBook::canonical(const std::string &name) const {
  const Json *alias = aliases_.find(name);
  return alias && alias->string() ? *alias->string() : name;
}

}  // namespace genclip::sim
