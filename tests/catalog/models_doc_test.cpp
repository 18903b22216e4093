// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The documents match the catalog.
#include <glib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/base/gref.h"
#include "plugin/catalog/models_table.h"
#include "plugin/catalog/settings.h"

namespace genclip {
namespace {

std::string document(const char *name) {
  const std::string path = std::string(GENCLIP_DOCS) + "/" + name;
  char *text = nullptr;
  gsize size = 0;
  GErrorPtr error;
  if (!g_file_get_contents(path.c_str(), &text, &size, take(error))) {
    ADD_FAILURE() << error->message;
    return "";
  }
  return std::string(GStringPtr(text).get(), size);
}

TEST(ModelsDocument, IsWhatTheCatalogSays) {
  EXPECT_TRUE(document("models.md") == models_markdown(*Catalog::built_in()))
      << "docs/models.md is stale: run `meson compile models-doc` in the build folder.";
}

TEST(SettingsDocuments, AreWhatTheRowsSay) {
  EXPECT_THAT(document("settings.md"), testing::HasSubstr("\n\n" + settings_markdown() + "\n"))
      << "docs/settings.md is stale: run `meson compile settings-doc` in the build folder.";
  EXPECT_THAT(document("../plugin/command/genclip.1"), testing::HasSubstr("\n" + settings_manual() + ".\\\""))
      << "genclip.1 is stale: run `meson compile settings-doc` in the build folder.";
}

TEST(AddingAModel, HasExamplesThatLoad) {
  const std::string text = document("adding-a-model.md");
  const std::string opening = "```json\n";
  int examples = 0;
  for (size_t at = text.find(opening); at != text.npos; at = text.find(opening, at)) {
    at += opening.size();
    const std::string example = text.substr(at, text.find("```", at) - at);
    const auto catalog = Catalog::with_files({{"example", example}});
    for (const Mistake &mistake : catalog->mistakes()) ADD_FAILURE() << mistake.to_text() << "\n" << example;
    ++examples;
  }
  EXPECT_EQ(examples, 3);
}

TEST(AddingAModel, ExplainsEveryKeyOfTheBuiltInFile) {
  const std::string text = document("adding-a-model.md");
  for (const char *key : {"common_fields",  "legacy_fields", "aliases",    "media",      "models",
                          "text_models",    "variant",       "id",         "like",       "display_name",
                          "group",          "note",          "result",     "apis",       "open",
                          "assets",         "fields",        "rules",      "type",       "required",
                          "default",        "values",        "refused",    "min",        "max",
                          "min_items",      "max_items",     "min_length", "max_length", "text_limits",
                          "form",           "unset",         "property",   "help",       "single",
                          "count",          "where",         "truncated",  "formats",    "similar_formats",
                          "megabytes",      "width",         "height",     "ratio",      "duration",
                          "total_duration", "frame_rate",    "above",      "below",      "rule",
                          "others"})
    EXPECT_THAT(text, testing::HasSubstr(std::string("`") + key + "`")) << key;
}

TEST(ModelsTable, ShowsTheRowsOfAModel) {
  const auto rows = field_rows(*Catalog::built_in()->find("grk_video3_pro"));
  ASSERT_EQ(rows.size(), 2u) << "undocumented fields have no row";
  EXPECT_EQ(rows[0].allowed, "10; Fixed");
  EXPECT_EQ(rows[1].required, "refused");
  for (const FieldRow &row : field_rows(*Catalog::built_in()->find("sd_2.0_special")))
    EXPECT_EQ(row.required, row.field == "prompt" ? "yes" : "no") << row.field << ": duration has a default";
  EXPECT_THAT(remarks(*Catalog::built_in()->find("sd_2.0_special")),
              testing::Contains("`duration` is always sent: with its default, if you leave it out."));
}

}  // namespace
}  // namespace genclip
