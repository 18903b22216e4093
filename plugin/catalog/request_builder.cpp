// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/catalog/request_builder.h"

#include <algorithm>
#include <utility>

#include "plugin/base/number.h"
#include "plugin/catalog/field_names.h"
#include "plugin/catalog/uri_values.h"
#include "plugin/catalog/wording.h"

namespace genclip {
namespace {

// Nobody reads more problems.
constexpr size_t kEnoughToRead = 100;

}  // namespace

FieldType type_of_field(const Catalog &catalog, const ModelSpec *model, std::string_view field) {
  const FieldSpec *spec = model ? model->find(field) : nullptr;
  if (!spec) spec = catalog.common_field(field);
  return spec ? spec->type : FieldType::any;
}

RequestBuilder::RequestBuilder(const Catalog &catalog, std::string model, RequestPlace place)
    : catalog_(catalog), spec_(catalog.find(model)), place_(place) {
  read_.request.model = std::move(model);
}

void RequestBuilder::add_problem(const std::string &field, std::string text) {
  Problem problem{field, std::move(text)};
  const bool is_new = std::ranges::find(read_.problems, problem) == read_.problems.end();
  if (is_new && read_.problems.size() < kEnoughToRead) read_.problems.push_back(std::move(problem));
}

// `text`: for the fields that are no JSON. `values_of`: the values for a type.
template <typename ValuesOf>
void RequestBuilder::add_values(const std::string &name, const std::string &text, ValuesOf values_of) {
  std::string field(catalog_.canonical(spec_.get(), name));
  if (field == kLegacyDuration && has_legacy_duration(spec_.get())) field = "duration";
  const FieldType type = type_of_field(catalog_, spec_.get(), field);
  Result<Json::Array> values = values_of(type);
  const Json::Array read = values ? *values : Json::Array{tolerant_value(text)};
  const bool is_key = is_credential(field, read) && !(spec_ && spec_->find(field));
  if (is_key || is_credential("", read)) return add_problem("", place_.key_text);
  if (field == "take") return set_take(text);
  if (field == "api") return set_api(text);

  Json &fields = catalog_.common_field(field) ? read_.request.fields : read_.request.extra;
  if (!values) return add_problem(field, field + " cannot be sent as it is written. " + values.error().text);
  // Of an empty list of media: that is one which is left out.
  if (values->empty()) return;
  if (!fields.find(field)) fields.set(field, Json());
  for (Json &value : *values)
    if (!add_value(type, std::move(value), *fields.find(field))) return add_repetition(field);
}

void RequestBuilder::add(const std::string &name, const std::string &value) {
  add_values(name, value, [&](FieldType type) -> Result<Json::Array> {
    auto read = value_of_text(type, value);
    if (!read) return std::move(read).error();
    return Json::Array{std::move(*read)};
  });
}

void RequestBuilder::add_typed(const std::string &name, const Json &value) {
  add_values(name, value.string() ? *value.string() : value.to_text(), [&](FieldType type) {
    const bool is_list = media_kind(type) && value.array();
    return is_list ? *value.array() : Json::Array{value};
  });
}

// Drops fields whose value means "leave it out", as a property's default does.
ReadRequest RequestBuilder::finish() && {
  std::erase_if(*read_.request.fields.object(), [&](const Json::Member &member) {
    const Json &unset = catalog_.common_field(member.first)->unset;
    return !unset.is_null() && member.second == unset;
  });
  return std::move(read_);
}

void RequestBuilder::set_take(const std::string &value) {
  if (!is_first(take_given_, "take")) return;
  if (const auto take = parse_number<unsigned>(value))
    read_.request.take = *take;
  else
    add_problem("take", "take is " + quoted(value) + "; it must be 0 or a positive integer.");
}

void RequestBuilder::set_api(const std::string &value) {
  if (!is_first(api_given_, "api")) return;
  if (const auto api = from_word<Api>(value))
    read_.request.api = *api;
  else
    add_problem("api", "api is " + quoted(value) + "; it must be " + either(words_of<Api>()) + ".");
}

bool RequestBuilder::is_first(bool &given, const std::string &name) {
  const bool is_again = std::exchange(given, true);
  if (is_again) add_repetition(name);
  return !is_again;
}

void RequestBuilder::add_repetition(const std::string &field) {
  add_problem(field, std::string(place_.name) + " gives " + field + " twice.");
}

}  // namespace genclip
