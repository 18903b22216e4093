// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/request_fields.h"

#include <algorithm>

namespace genclip {
namespace {

bool is_text(const Json &value) { return value.string() && !value.string()->empty(); }

bool is_unset(const FieldSpec &field, const Json &value) {
  return value.is_null() || value == field.unset || (value.string() && value.string()->empty()) ||
         (value.array() && value.array()->empty());
}

}  // namespace

std::string property_name(std::string_view field) {
  std::string name(field);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

bool has_room(const PropertySpec &property, const Json &value) {
  using Kind = PropertySpec::Kind;
  const auto *items = value.array();
  switch (property.kind) {
    case Kind::text: return is_text(value);
    case Kind::integer:
      return value.integer() && *value.integer() >= property.min && *value.integer() <= property.max;
    case Kind::toggle: return value.boolean();
    case Kind::url: return items && items->size() == 1 && is_text(items->front());
    case Kind::urls:
      return items && !items->empty() &&
             std::all_of(items->begin(), items->end(), [](const Json &item) { return item.string(); });
  }
  return false;
}

Json in_order(const Catalog &catalog, Json fields) {
  const auto rank = [&](const Json::Member &member) {
    return catalog.common_field(catalog.canonical(nullptr, member.first));
  };
  // They stand in one vector; what is none of them comes last.
  if (auto *members = fields.object())
    std::stable_sort(members->begin(), members->end(), [&](const auto &a, const auto &b) {
      return rank(a) && (!rank(b) || rank(a) < rank(b));
    });
  return fields;
}

void set_request_field(const Catalog &catalog, const FieldSpec &field, Json value, ClipRequest &request) {
  std::erase(request.uri_fields, field.name);
  if (is_unset(field, value)) {
    std::erase_if(*request.fields.object(),
                  [&](const Json::Member &member) { return member.first == field.name; });
    return;
  }
  request.fields.set(field.name, std::move(value));
  request.fields = in_order(catalog, std::move(request.fields));
}

void set_extra_fields(Json extra, ClipRequest &request) {
  for (const Json *fields : {&request.extra, &extra})
    for (const auto &[name, value] : *fields->object()) std::erase(request.uri_fields, name);
  request.extra = std::move(extra);
}

}  // namespace genclip
