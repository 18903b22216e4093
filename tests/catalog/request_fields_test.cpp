// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Rows of common fields: how they are read, what sets and what erases a field, what has room.
#include "plugin/catalog/request_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/catalog/catalog_reader.h"

namespace genclip {
namespace {

using testing::HasSubstr;

const FieldSpec &field(const char *name) { return *Catalog::built_in()->common_field(name); }

void set(ClipRequest &request, const char *name, Json value) {
  set_request_field(*Catalog::built_in(), field(name), std::move(value), request);
}

TEST(RequestFields, StandInTheOrderOfTheCatalogHoweverTheyAreSet) {
  ClipRequest request;
  set(request, "seed", 7);
  set(request, "prompt", "x");
  set(request, "resolution", "720p");
  set(request, "seed", 8);
  EXPECT_EQ(request.fields.to_text(), R"({"prompt":"x","resolution":"720p","seed":8})");
}

TEST(RequestFields, AreErasedByWhatStandsForUnset) {
  const std::pair<const char *, Json> unset[] = {{"duration", 0},
                                                 {"seed", -1},
                                                 {"size", ""},
                                                 {"reference_images", Json::Array{}},
                                                 {"watermark", nullptr},
                                                 {"seed", nullptr},
                                                 {"first_image", nullptr},
                                                 {"reference_videos", nullptr}};
  for (const auto &[name, value] : unset) {
    ClipRequest request;
    request.fields.set(name, "something");
    request.fields.set("prompt", "x");
    set(request, name, value);
    EXPECT_EQ(request.fields.to_text(), R"({"prompt":"x"})") << name;
  }
}

TEST(RequestFields, HaveRoomForWhatTheirPropertyCanSay) {
  const Json one = Json::Array{"https://a/1"};
  const Json two = Json::Array{"https://a/1", "https://a/2"};
  const struct {
    const char *field;
    Json value;
    bool fits;
  } cases[] = {{"size", "1x1", true},
               {"size", "", false},
               {"size", 5, false},
               {"duration", int64_t{4294967295}, true},
               {"duration", int64_t{4294967296}, false},
               {"duration", -1, false},
               {"duration", "5", false},
               {"seed", INT64_MIN, true},
               {"watermark", false, true},
               {"watermark", "on", false},
               {"first_image", one, true},
               {"first_image", two, false},
               {"first_image", "https://a/1", false},
               {"reference_images", two, true},
               {"reference_images", Json::Array{}, false},
               {"reference_images", Json::Array{5}, false}};
  for (const auto &[name, value, fits] : cases)
    EXPECT_EQ(has_room(*field(name).property, value), fits) << name << " = " << value.to_text();
}

std::string mistakes_of(const std::string &row) {
  CatalogReader reader;
  reader.read({"rows", R"({"common_fields": {"wind": )" + row + "}}"});
  std::string all;
  const Catalog::Ptr catalog = reader.finish();
  for (const Mistake &mistake : catalog->mistakes()) all += mistake.text + "\n";
  return all;
}

TEST(RequestFields, AreToldWhatTheirRowLacks) {
  EXPECT_EQ(mistakes_of(R"({"type": "string", "property": {"help": "Wind"}})"), "");
  EXPECT_THAT(mistakes_of(R"({"type": "string"})"), HasSubstr("wind needs a property"));
  EXPECT_THAT(mistakes_of(R"({"type": "string", "property": {}})"), HasSubstr("needs help"));
  EXPECT_THAT(mistakes_of(R"({"type": "number", "property": {"help": "Wind"}})"), HasSubstr("type number"));
  for (const char *unset : {R"()", R"("unset": -1, )", R"("unset": 13, )", R"("unset": "0", )"})
    EXPECT_THAT(mistakes_of(std::string(R"({"type": "integer", )") + unset +
                            R"("property": {"help": "Wind", "min": 0, "max": 12}})"),
                HasSubstr("for unset"))
        << unset;
}

TEST(RequestFields, AModelHasNoRowOfAProperty) {
  const auto catalog = Catalog::from_text(
      R"({"models": [{"id": "storm-1", "fields": {"wind": {"type": "string", "property": {"help": "Wind"}}}}]})");
  ASSERT_FALSE(catalog);
  EXPECT_THAT(catalog.error().text, HasSubstr("no key \"property\""));
}

}  // namespace
}  // namespace genclip
