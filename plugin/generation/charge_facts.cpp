// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/charge_facts.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include "plugin/catalog/catalog.h"

namespace genclip {
namespace {

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

bool names_media(const Json &value) {
  if (const std::string *text = value.string()) return is_media_name(*text);
  if (const Json::Array *list = value.array()) return std::ranges::any_of(*list, names_media);
  return value.object() && std::ranges::any_of(*value.object(), [](const Json::Member &member) {
           return names_media(member.second);
         });
}

// How many media each field has.
std::map<std::string, unsigned, std::less<>> references_of(const Json &sent) {
  std::map<std::string, unsigned, std::less<>> references;
  for (const FieldSpec &field : Catalog::shared()->common_fields()) {
    const Json *value = media_kind(field.type) ? sent.find(field.name) : nullptr;
    if (value && value->array() && !value->array()->empty())
      references[field.name] = static_cast<unsigned>(value->array()->size());
  }
  return references;
}

}  // namespace

ChargeFacts charge_facts(const ClipIdentity &identity, const Json &sent, const std::string &model,
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
  facts.references = references_of(sent);
  return facts;
}

ChargeFacts charge_facts(const ClipIdentity &identity, const std::string &model, const std::string &project) {
  return charge_facts(identity, identity.request, model, project);
}

bool is_made_of_media(const ClipIdentity &identity) {
  return !references_of(identity.request).empty() || names_media(identity.request);
}

}  // namespace genclip
