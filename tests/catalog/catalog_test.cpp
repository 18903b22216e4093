// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The catalog: built-in models, suggestions, and the lookup of user files.
#include "plugin/catalog/catalog.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/base/gref.h"
#include "plugin/catalog/check_request.h"

namespace genclip {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Catalog, IsBuiltInWithoutAMistake) {
  const auto catalog = Catalog::built_in();
  for (const Mistake &mistake : catalog->mistakes()) ADD_FAILURE() << mistake.to_text();
  EXPECT_EQ(catalog->models().size(), 35u);
  EXPECT_EQ(catalog->text_models().size(), 11u);
}

TEST(Catalog, FindsIdsExactlyAndNothingElse) {
  const auto catalog = Catalog::built_in();
  EXPECT_TRUE(catalog->find("dance-2.5"));
  for (const char *id : {"Dance-2.5", "dance 2.5", "dance-2.5 ", "", "gem-2.5-pro"})
    EXPECT_FALSE(catalog->find(id)) << id;
  EXPECT_TRUE(catalog->find_text("gem-2.5-pro-low"));
  // The suffix rule does not make IDs up (§2.5).
  for (const char *id : {"gem-2.5-flash-lite-low", "gem-3.1-flash-lite-preview-official", "dance-2.5"})
    EXPECT_FALSE(catalog->find_text(id)) << id;
}

struct Suggestion {
  const char *wanted;
  const char *first;
};

class Closest : public testing::TestWithParam<Suggestion> {};

TEST_P(Closest, IsTheOneThatWasMeant) {
  const auto closest = Catalog::built_in()->closest(GetParam().wanted);
  ASSERT_FALSE(closest.empty()) << GetParam().wanted;
  EXPECT_EQ(closest[0], GetParam().first) << GetParam().wanted;
  EXPECT_LE(closest.size(), 3u);
}

INSTANTIATE_TEST_SUITE_P(
    Catalog, Closest,
    testing::Values(Suggestion{"dance 2.5", "dance-2.5"}, Suggestion{"Dance 2.5", "dance-2.5"},
                    Suggestion{"DANCE-2.5", "dance-2.5"}, Suggestion{"dance_2.5", "dance-2.5"},
                    Suggestion{"sd_2.0_speical", "sd_2.0_special"},
                    Suggestion{"sd 2.0 special", "sd_2.0_special"},
                    Suggestion{"sd_2.0_fast-discount", "sd_2.0_fast_discount"},
                    Suggestion{"wave 2.7 r2v", "wave2.7-r2v"},
                    Suggestion{"wave2.7-video-edit", "wave2.7-videoedit"},
                    Suggestion{"horse 1.0 Image-to-Video", "horse-1.0-i2v"},
                    Suggestion{"horse 1.1 text to video", "horse-1.1-t2v"}, Suggestion{"mini h3", "mini-h3"},
                    Suggestion{"dream 5.0", "dream-5.0"}, Suggestion{"dream 5.0 Pro", "dream_5.0Pro"},
                    Suggestion{"sky2", "sky2Stable"}, Suggestion{"vidq3", "vidq3-pro"},
                    Suggestion{"grk video3 pro", "grk_video3_pro"}, Suggestion{"veo3", "veo"},
                    Suggestion{"dance 1.5 pro 720p", "dance_1_5_pro_720p"}));

TEST(Catalog, SuggestsSomethingForAnyBytes) {
  const auto catalog = Catalog::built_in();
  for (const std::string &wanted : {std::string("\xff\xfe"), std::string(200'000, 'x'),
                                    std::string("a\0b", 3), std::string("…"), std::string(" ")}) {
    EXPECT_FALSE(catalog->closest(wanted).empty());
    EXPECT_LT(catalog->unknown_model_text(wanted).size(), 400u);
    EXPECT_TRUE(g_utf8_validate(catalog->unknown_model_text(wanted).c_str(), -1, nullptr));
  }
}

TEST(Catalog, SaysWhatAnUnknownModelMayBe) {
  const auto catalog = Catalog::built_in();
  EXPECT_EQ(
      catalog->unknown_model_text("dance 2.5"),
      "There is no model \"dance 2.5\"; the closest Model ID is dance-2.5. genclip models lists the Model "
      "IDs.");
  EXPECT_EQ(
      catalog->unknown_model_text("seedance").find("There is no model \"seedance\"; the closest Model ID"),
      0u);
  EXPECT_EQ(catalog->unknown_model_text("sd"),
            "There is no model \"sd\"; the closest Model IDs are sd_2.0_special, sd_2.0_discount, "
            "sd_2.0_fast_special and sd_2.0_fast_discount. genclip models lists the Model IDs.");
  for (const std::string &far : {catalog->unknown_model_text("qqqq"), catalog->unknown_model_text("foobar"),
                                 catalog->unknown_text_model_text("foobar")}) {
    EXPECT_THAT(far, HasSubstr(", nor a similar one; the closest Model ID"));
    EXPECT_THAT(far, HasSubstr(". genclip models lists the Model IDs."));
  }
  EXPECT_THAT(catalog->unknown_model_text("gem-2.5-flash"),
              HasSubstr("; the closest Model IDs make text, not clips, for gencaption: gem-2.5-flash-lite"));
  EXPECT_THAT(catalog->unknown_text_model_text("sd"),
              HasSubstr("; the closest Model IDs make clips, not text, for genclipsrc: sd_2.0_special, "
                        "sd_2.0_discount and sd_2.0_"));
  // A prompt where the model belongs.
  for (const char *far : {"a boat", "a red kite over dunes"})
    EXPECT_EQ(catalog->unknown_model_text(far),
              "There is no model \"" + std::string(far) + "\". genclip models lists the Model IDs.");
  EXPECT_EQ(catalog->unknown_model_text(""),
            "No model is given; set model to a Model ID, such as sd_2.0_special.");
  EXPECT_THAT(catalog->unknown_model_text("gem-2.5-pro"), HasSubstr("gencaption"));
  EXPECT_THAT(catalog->unknown_text_model_text("dance-2.5"), HasSubstr("genclipsrc"));
  EXPECT_THAT(catalog->unknown_text_model_text("gem 2.5 pro"), HasSubstr("gem-2.5-pro."));
}

TEST(Catalog, KnowsAliases) {
  const auto catalog = Catalog::built_in();
  for (const char *alias : {"image_urls", "referenceImages", "images"})
    EXPECT_EQ(catalog->canonical(nullptr, alias), "reference_images") << alias;
  EXPECT_EQ(catalog->canonical(nullptr, "reference_images"), "reference_images");
  EXPECT_EQ(catalog->canonical(nullptr, "whatever"), "whatever");
}

TEST(Catalog, HasTheMediaLimitsOfTheDocument) {
  const auto catalog = Catalog::built_in();
  const auto media = [&](const char *model, const char *field) {
    return catalog->find(model)->find(field)->media;
  };
  const MediaLimits image = media("sd_2.0_fast_discount", "last_image");
  EXPECT_EQ(image.formats.size(), 8u);
  EXPECT_TRUE(image.bytes.contains(29'999'999));
  EXPECT_FALSE(image.bytes.contains(30'000'000));
  EXPECT_FALSE(image.ratio.contains(0.4));
  EXPECT_FALSE(image.ratio.contains(2.5));
  EXPECT_FALSE(image.width.contains(300));
  EXPECT_TRUE(image.height.contains(5999));
  const MediaLimits video = media("sd_2.0_special", "reference_videos");
  EXPECT_TRUE(video.duration.contains(2) && video.duration.contains(15) && !video.duration.contains(1.99));
  EXPECT_FALSE(video.total_duration.contains(15.1));
  EXPECT_TRUE(video.frame_rate.contains(24) && video.frame_rate.contains(60) &&
              !video.frame_rate.contains(61));
  EXPECT_FALSE(video.bytes.contains(50'000'000));
  EXPECT_THAT(media("sd_2.0_special", "reference_audios").formats, ElementsAre("wav", "mp3"));
  const MediaLimits first = media("horse-1.0-i2v", "first_image");
  EXPECT_TRUE(first.bytes.contains(20'000'000) && first.width.contains(300) && first.ratio.contains(0.4));
  EXPECT_TRUE(media("wave2.7-i2v", "last_image").empty());
  EXPECT_FALSE(media("wave2.7-videoedit", "reference_videos").duration.contains(2.9));
  EXPECT_FALSE(media("dance-2.5", "reference_videos").total_duration.contains(30.5));
  const MediaLimits audio = media("mini-h3", "reference_audios");
  EXPECT_TRUE(audio.similar_formats && audio.bytes.contains(15'000'000) && !audio.bytes.contains(15'000'001));
}

TEST(Catalog, ReadsThePathListOfTheEnvironmentOncePerValue) {
  GErrorPtr error;
  const GStringPtr folder(g_dir_make_tmp("genclip-catalog-XXXXXX", take(error)));
  ASSERT_TRUE(folder) << error->message;
  const std::string one = std::string(folder.get()) + "/one.json";
  const std::string two = std::string(folder.get()) + "/two.json";
  ASSERT_TRUE(g_file_set_contents(one.c_str(), R"({"models":[{"id":"storm-1","open":true}]})", -1, nullptr));
  ASSERT_TRUE(g_file_set_contents(two.c_str(), R"({"models":[{"id":"storm-1","open":true,"assets":true}]})",
                                  -1, nullptr));
  const std::string list = one + ":/nowhere/models.json::" + two;
  g_setenv("GENCLIP_MODELS", list.c_str(), TRUE);
  const auto catalog = Catalog::shared();
  EXPECT_EQ(Catalog::shared(), catalog);
  g_unsetenv("GENCLIP_MODELS");
  EXPECT_FALSE(Catalog::shared()->find("storm-1"));
  g_remove(one.c_str());
  g_remove(two.c_str());
  g_rmdir(folder.get());

  ASSERT_TRUE(catalog->find("storm-1"));
  EXPECT_TRUE(catalog->find("storm-1")->assets) << "the later file wins";
  ASSERT_EQ(catalog->mistakes().size(), 1u);
  EXPECT_EQ(catalog->mistakes()[0].file, "/nowhere/models.json");
}

}  // namespace
}  // namespace genclip
