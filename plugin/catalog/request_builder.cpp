// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/request_builder.h"

#include "plugin/base/number.h"
#include "plugin/catalog/credential_names.h"
#include "plugin/catalog/uri_values.h"
#include "plugin/catalog/wording.h"

namespace genclip {
namespace {

Error request_error(std::string text) { return {ErrorKind::settings, std::move(text)}; }

}  // namespace

FieldType type_of_field(const Catalog &catalog, const ModelSpec *model, std::string_view field) {
  const FieldSpec *spec = model ? model->find(field) : nullptr;
  if (!spec) spec = catalog.common_field(field);
  return spec ? spec->type : FieldType::any;
}

RequestBuilder::RequestBuilder(const Catalog &catalog, std::string model, RequestPlace place)
    : catalog_(catalog), spec_(catalog.find(model)), place_(place) {
  request_.model = std::move(model);
}

std::optional<Error> RequestBuilder::add(const std::string &name, const std::string &value) {
  std::string field(catalog_.canonical(name));
  if (field == kLegacyDuration && spec_ && spec_->apis.front() == Api::legacy && !spec_->find(field))
    field = "duration";
  if (names_credential(field) && !(spec_ && spec_->find(field))) return request_error(place_.key_text);
  if (field == "take") return set_take(value);
  if (field == "api") return set_api(value);

  const FieldType type = type_of_field(catalog_, spec_.get(), field);
  Json &fields = catalog_.common_field(field) ? request_.fields : request_.extra;
  if (!fields.find(field)) fields.set(field, Json());
  if (!add_value(type, value_of_text(type, value), *fields.find(field)))
    return request_error(std::string(place_.name) + " gives " + field + " twice.");
  return std::nullopt;
}

// Drops fields whose value means "leave it out", as a property's default does.
ClipRequest RequestBuilder::finish() && {
  std::erase_if(*request_.fields.object(), [&](const Json::Member &member) {
    const Json &unset = catalog_.common_field(member.first)->unset;
    return !unset.is_null() && member.second == unset;
  });
  return std::move(request_);
}

std::optional<Error> RequestBuilder::set_take(const std::string &value) {
  const auto take = parse_number<unsigned>(value);
  if (!take) return request_error("take is " + quoted(value) + "; it must be 0 or a positive integer.");
  request_.take = *take;
  return once(take_given_, "take");
}

std::optional<Error> RequestBuilder::set_api(const std::string &value) {
  const auto api = from_word<Api>(value);
  if (!api) return request_error("api is " + quoted(value) + "; it must be " + either(words_of<Api>()) + ".");
  request_.api = *api;
  return once(api_given_, "api");
}

std::optional<Error> RequestBuilder::once(bool &given, const std::string &name) const {
  if (std::exchange(given, true))
    return request_error(std::string(place_.name) + " gives " + name + " twice.");
  return std::nullopt;
}

}  // namespace genclip
