// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The catalog has media rules exactly where the document has some.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "plugin/catalog/catalog.h"

namespace genclip::test {
namespace {

TEST(MediaRules, StandWhereTheDocumentHasThem) {
  const std::set<std::string> expected = {
      "sd_2.0_special.reference_images",
      "sd_2.0_special.reference_videos",
      "sd_2.0_special.reference_audios",
      "sd_2.0_special.first_image",
      "sd_2.0_special.last_image",
      "sd_2.0_fast_discount.reference_images",
      "sd_2.0_fast_discount.reference_videos",
      "sd_2.0_fast_discount.reference_audios",
      "sd_2.0_fast_discount.first_image",
      "sd_2.0_fast_discount.last_image",
      "mini-h3.reference_audios",
      "wave2.7-i2v.first_image",
      "horse-1.0-i2v.first_image",
      "wave2.7-videoedit.reference_videos",
      "dance-2.5.reference_videos",
  };
  std::set<std::string> found;
  for (const auto &model : Catalog::built_in()->models())
    for (const FieldSpec &field : model->fields)
      if (!field.media.empty()) found.insert(model->id + "." + field.name);
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace genclip::test
