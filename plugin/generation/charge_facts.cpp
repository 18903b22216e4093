// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/charge_facts.h"

#include <functional>
#include <map>
#include <string>

#include "plugin/catalog/catalog.h"
#include "plugin/catalog/request_meaning.h"
#include "plugin/catalog/untyped_media.h"

namespace genclip {
namespace {

// What `request` means by leaving fields out that prices hang on, as far as the built-in catalog does not say
// the same (price_history.h).
Json with_own_defaults(const CheckedRequest &request) {
  Json body = request.body();
  const auto built_in = Catalog::built_in()->find(request.model());
  for (const char *name : {"duration", "resolution", "size", "generate_audio"}) {
    const Json *known = built_in ? meaning_of_unset(*built_in, name) : nullptr;
    const Json *own = body.find(name) ? nullptr : meaning_of_unset(request.spec(), name);
    if (own && !(known && *known == *own)) body.set(name, *own);
  }
  return body;
}

std::string text_of(const Json &request, std::string_view name) {
  const Json *value = request.find(name);
  return value && value->string() ? *value->string() : std::string();
}

// What request_identity puts in the place of a file or a clip, wherever it stands.
bool is_media_name(std::string_view text) {
  const size_t colon = text.find(':');
  return (text.starts_with("sha256:") || text.starts_with("genclip:")) &&
         ClipPath::is_digest(text.substr(colon + 1, text.find('#') - colon - 1));
}

// How many media a value refers to, of which no table says that it does. `path`: as UntypedName has it.
unsigned media_in(const Json &value, const std::string &path, bool is_in_text = false) {
  unsigned count = 0;
  if (const Json::Object *members = value.object())
    for (const auto &[name, member] : *members) count += media_in(member, path + " " + name, is_in_text);
  if (const Json::Array *list = value.array())
    for (const Json &item : *list) count += media_in(item, path, is_in_text);
  const std::string *text = value.string();
  if (!text) return count;
  // As listed: what was a reference in an unlisted text has the name of a file or a clip by now.
  const UntypedName name{std::string_view(path).substr(path.rfind(' ') + 1), path, true};
  if (const auto json = is_in_text ? std::nullopt : json_in_text(name, *text))
    return media_in(*json, path, true);
  return is_media_name(*text) || is_untyped_reference(name, *text) || is_untyped_url(name, *text) ? 1 : 0;
}

// How many media each field has, whether a table types the field or not. `request`: that of an identity, so
// that a run and its record tell the same.
std::map<std::string, unsigned, std::less<>> references_of(const Json &request) {
  std::map<std::string, unsigned, std::less<>> references;
  const Json::Object *fields = request.object();
  if (!fields) return references;
  const auto catalog = Catalog::shared();
  const auto model = catalog->find(text_of(request, "model"));
  for (const auto &[name, value] : *fields) {
    const FieldSpec *listed = model ? model->find(name) : nullptr;
    const FieldSpec *field = listed ? listed : catalog->common_field(name);
    const bool is_typed = field && media_kind(field->type) && value.array();
    const auto count = is_typed ? static_cast<unsigned>(value.array()->size()) : media_in(value, name);
    if (count > 0) references[name] = count;
  }
  return references;
}

// Of a body with v2 field names.
ChargeFacts facts_of_body(const ClipIdentity &identity, const Json &sent, const std::string &model,
                          const std::string &project) {
  ChargeFacts facts;
  facts.key = identity.digest();
  facts.take = identity.take;
  facts.model = model;
  facts.api = identity.api;
  facts.base_url = identity.base_url;
  facts.project = project;
  if (const Json *duration = sent.find("duration")) facts.duration = duration->number();
  facts.resolution = text_of(sent, "resolution");
  facts.size = text_of(sent, "size");
  if (const Json *audio = sent.find("generate_audio"); audio && audio->boolean())
    facts.audio = *audio->boolean();
  facts.references = references_of(identity.request);
  return facts;
}

}  // namespace

ChargeFacts charge_facts(const ClipIdentity &identity, const CheckedRequest &request,
                         const std::string &project) {
  return facts_of_body(identity, with_own_defaults(request), request.model(), project);
}

ChargeFacts charge_facts(const ClipIdentity &identity, const std::string &model, const std::string &project) {
  return facts_of_body(identity, identity.request, model, project);
}

bool is_made_of_media(const ClipIdentity &identity) { return !references_of(identity.request).empty(); }

}  // namespace genclip
