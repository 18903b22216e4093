// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One model of the service: its fields, their bounds, and the rules between them (§1.7, §1.8, §2.3–§2.5).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/base/json.h"
#include "plugin/catalog/clip_request.h"
#include "plugin/catalog/media_limits.h"
#include "plugin/catalog/media_reference.h"

namespace genclip {

enum class ResultKind { video, image };
template <>
inline constexpr Word<ResultKind> kWords<ResultKind>[] = {{ResultKind::video, "video"},
                                                          {ResultKind::image, "image"}};

enum class FieldType { string, integer, number, boolean, images, videos, audios, array, any };

// As the catalog file and the service's tables write them.
template <>
inline constexpr Word<FieldType> kWords<FieldType>[] = {
    {FieldType::string, "string"},   {FieldType::integer, "integer"}, {FieldType::number, "number"},
    {FieldType::boolean, "boolean"}, {FieldType::images, "image[]"},  {FieldType::videos, "video[]"},
    {FieldType::audios, "audio[]"},  {FieldType::array, "array"},     {FieldType::any, "any"}};

// The kind of media that the field's items are; nullopt for a field that refers to none.
std::optional<MediaKind> media_kind(FieldType type);

// A limit on a text in addition to its plain length.
struct TextLimit {
  enum class Count { characters, words, han_as_two };  // a character is a Unicode code point
  enum class Where {
    any,
    han,
    no_han
  };  // which texts it holds for: those with Han characters, or those without
  Count count = Count::characters;
  int64_t max = 0;
  Where where = Where::any;
  bool truncated = false;  // the service cuts the excess off: a warning, not a problem
};
template <>
inline constexpr Word<TextLimit::Count> kWords<TextLimit::Count>[] = {
    {TextLimit::Count::characters, "characters"},
    {TextLimit::Count::words, "words"},
    {TextLimit::Count::han_as_two, "han_as_two"}};
template <>
inline constexpr Word<TextLimit::Where> kWords<TextLimit::Where>[] = {
    {TextLimit::Where::any, "any"}, {TextLimit::Where::han, "han"}, {TextLimit::Where::no_han, "no_han"}};

// The elements' property for a field: room for what any model may take.
struct PropertySpec {
  enum class Kind { text, integer, toggle, url, urls };  // `url` is sent as a list of one
  Kind kind = Kind::text;
  std::string help;                                   // for gst-inspect-1.0, the command and the documents
  int64_t min = std::numeric_limits<int64_t>::min();  // of an integer, as is max
  int64_t max = std::numeric_limits<int64_t>::max();
};

// For documents.
template <>
inline constexpr Word<PropertySpec::Kind> kWords<PropertySpec::Kind>[] = {
    {PropertySpec::Kind::text, "text"},
    {PropertySpec::Kind::integer, "integer"},
    {PropertySpec::Kind::toggle, "on or off"},
    {PropertySpec::Kind::url, "URL"},
    {PropertySpec::Kind::urls, "list of URLs"}};

struct FieldSpec {
  std::string name;
  FieldType type = FieldType::string;
  bool required = false;
  bool refused = false;                           // the model says that this field cannot be given
  bool shown = true;                              // false: undocumented, but an open model accepts it
  Json default_value;                             // null: undocumented; sent only when the field is required
  std::vector<Json> values;                       // the allowed ones, compared exactly; empty: any
  std::optional<int64_t> min, max;                // of an integer or a number
  std::optional<int64_t> min_items, max_items;    // of an array
  std::optional<int64_t> min_length, max_length;  // of a string, in code points
  std::vector<TextLimit> text_limits;
  std::string form;   // "W:H": a ratio; empty: any
  Json unset;         // the value by which a property (or a URI) says "leave it out"; null: none
  MediaLimits media;  // limits on what the field's items refer to
  std::string note;   // for people
  std::optional<PropertySpec> property;  // of common fields, and what inherits from them
};

// The field of that name; null when there is none.
const FieldSpec *find_field(const std::vector<FieldSpec> &fields, std::string_view name);

// How fields depend on each other. A field is set when the request has it; an empty array does not count.
struct Rule {
  enum class Kind {
    conflict,         // at most one of `fields` is set
    needs,            // when one of `fields` is set, one of `others` is too
    exclusive,        // a field of `fields` and one of `others` are not set together
    not_longer_than,  // the seconds in `fields` do not exceed the media of `others`; for the media check
  };
  Kind kind = Kind::conflict;
  std::vector<std::string> fields;
  std::vector<std::string> others;
  std::string note;  // for people: the reason, as part of the error's text
};
template <>
inline constexpr Word<Rule::Kind> kWords<Rule::Kind>[] = {{Rule::Kind::conflict, "conflict"},
                                                          {Rule::Kind::needs, "requires"},
                                                          {Rule::Kind::exclusive, "exclusive"},
                                                          {Rule::Kind::not_longer_than, "not_longer_than"}};

struct ModelSpec {
  std::string id;
  std::string display_name;  // the name that people know, used for suggestions; may be empty
  std::string group;
  std::string note;
  ResultKind result = ResultKind::video;
  std::vector<Api> apis;  // never empty; the first is the one that Api::automatic means
  bool open = false;      // takes fields beyond those listed
  bool assets = false;    // assetId:// references work
  std::vector<FieldSpec>
      fields;  // in the order of the table; an open model also has the undocumented ones that have a property
  std::vector<Rule> rules;
  std::string origin;  // FILE:LINE it was read from

  const FieldSpec *find(std::string_view field) const { return find_field(fields, field); }
};

// The legacy API's name of `duration` (§2.6).
constexpr std::string_view kLegacyDuration = "seconds";

// Whether it means `duration` for this model: it has the legacy API, whichever one a request chooses, and no
// field of that name. Null, an unknown model, may have all.
bool has_legacy_duration(const ModelSpec *model);

// One model of the text gateway (§2.5).
struct TextModel {
  enum class Variant { standard, official, low_cost };
  std::string id;
  Variant variant = Variant::standard;
};
template <>
inline constexpr Word<TextModel::Variant> kWords<TextModel::Variant>[] = {
    {TextModel::Variant::standard, "standard"},
    {TextModel::Variant::official, "official"},
    {TextModel::Variant::low_cost, "low_cost"}};

}  // namespace genclip
