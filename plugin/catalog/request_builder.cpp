// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/request_builder.h"

#include "plugin/base/number.h"
#include "plugin/catalog/field_names.h"
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

// `text`: for the fields that are no JSON. `values_of`: the values for a type.
template <typename ValuesOf>
std::optional<Error> RequestBuilder::add_values(const std::string &name, const std::string &text,
                                                ValuesOf values_of) {
  std::string field(catalog_.canonical(name));
  if (field == kLegacyDuration && has_legacy_duration(spec_.get())) field = "duration";
  if (names_credential(field) && !(spec_ && spec_->find(field))) return request_error(place_.key_text);
  if (field == "take") return set_take(text);
  if (field == "api") return set_api(text);

  const FieldType type = type_of_field(catalog_, spec_.get(), field);
  Json &fields = catalog_.common_field(field) ? request_.fields : request_.extra;
  Result<Json::Array> values = values_of(type);
  if (!values) return request_error(field + " cannot be sent as it is written. " + values.error().text);
  // Of an empty list of media: that is one which is left out.
  if (values->empty()) return std::nullopt;
  if (!fields.find(field)) fields.set(field, Json());
  for (Json &value : *values)
    if (!add_value(type, std::move(value), *fields.find(field)))
      return request_error(std::string(place_.name) + " gives " + field + " twice.");
  return std::nullopt;
}

std::optional<Error> RequestBuilder::add(const std::string &name, const std::string &value) {
  return add_values(name, value, [&](FieldType type) -> Result<Json::Array> {
    auto read = value_of_text(type, value);
    if (!read) return std::move(read).error();
    return Json::Array{std::move(*read)};
  });
}

std::optional<Error> RequestBuilder::add_typed(const std::string &name, const Json &value) {
  return add_values(name, value.string() ? *value.string() : value.to_text(), [&](FieldType type) {
    const bool is_list = media_kind(type) && value.array();
    return is_list ? *value.array() : Json::Array{value};
  });
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
