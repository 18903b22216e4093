// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/generation/charge_facts.h"

#include "plugin/catalog/catalog.h"

namespace genclip {
namespace {

std::string text_of(const Json &request, std::string_view name) {
  const Json *value = request.find(name);
  return value && value->string() ? *value->string() : std::string();
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
  for (const FieldSpec &field : Catalog::shared()->common_fields()) {
    const Json *value = media_kind(field.type) ? sent.find(field.name) : nullptr;
    if (value && value->array() && !value->array()->empty())
      facts.references[field.name] = static_cast<unsigned>(value->array()->size());
  }
  return facts;
}

ChargeFacts charge_facts(const ClipIdentity &identity, const std::string &model, const std::string &project) {
  return charge_facts(identity, identity.request, model, project);
}

bool is_made_of_media(const ClipIdentity &identity) {
  return !charge_facts(identity, "", "").references.empty();
}

}  // namespace genclip
