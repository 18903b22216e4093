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

ChargeFacts charge_facts(const ClipIdentity &identity, const std::string &model, const std::string &project) {
  const Json &request = identity.request;
  ChargeFacts facts;
  facts.key = identity.digest();
  facts.take = identity.take;
  facts.model = model;
  facts.api = identity.api;
  facts.base_url = identity.base_url;
  facts.project = project;
  if (const Json *duration = request.find("duration")) facts.duration = duration->number();
  facts.resolution = text_of(request, "resolution");
  facts.size = text_of(request, "size");
  if (const Json *audio = request.find("generate_audio"); audio && audio->boolean())
    facts.audio = *audio->boolean();
  for (const FieldSpec &field : Catalog::shared()->common_fields()) {
    const Json *value = media_kind(field.type) ? request.find(field.name) : nullptr;
    if (value && value->array() && !value->array()->empty())
      facts.references[field.name] = static_cast<unsigned>(value->array()->size());
  }
  return facts;
}

bool is_made_of_media(const ClipIdentity &identity) {
  return !charge_facts(identity, "", "").references.empty();
}

}  // namespace genclip
