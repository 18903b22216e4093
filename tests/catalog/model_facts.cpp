// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The tables of §2.3, the groups of §1.7 and the families of §1.8, row by row.
#include "tests/catalog/model_facts.h"

namespace genclip::test {
namespace {

using Texts = std::vector<std::string>;

ModelFacts open_model(const char *model) { return {.model = model, .open = true}; }

ModelFacts image_model(const char *model) { return {.model = model, .image = true, .open = true}; }

ModelFacts family_model(const char *model) { return {.model = model, .open = true, .legacy = true}; }

ModelFacts asset_library_model(const char *model, Texts resolutions) {
  return {.model = model,
          .assets = true,
          .seconds = Range{4, 15},
          .sent_seconds = 5,
          .ratios = {"16:9", "9:16", "1:1", "4:3", "3:4", "21:9", "adaptive"},
          .resolutions = std::move(resolutions),
          .seed = true,
          .audio_switch = true,
          .watermark = true,
          .images = {0, 9},
          .videos = {0, 3},
          .audios = {0, 3},
          .first = {0, 1},
          .last = {0, 1},
          .prompt_counted = true,
          .scenarios = true,
          .tools = true};
}

// The models whose table has an uppercase P and whose prompt is cut.
ModelFacts upper_case_model(const char *model, Range seconds) {
  return {.model = model,
          .seconds = seconds,
          .resolutions = {"720P", "1080P"},
          .seed = true,
          .seed_range = true,
          .watermark = true,
          .prompt_cut = true};
}

ModelFacts videos_stable_fast() {
  return {.model = "videos_stable_fast",
          .seconds = Range{4, 15},
          .ratios = {"9:16", "16:9", "1:1"},
          .resolutions = {"720p"},
          .images = {0, 4},
          .videos = {0, 3},
          .audios = {0, 1},
          .first = {0, 1},
          .last = {0, 1},
          .prompt_most = 5000,
          .texts = {"async", "audio_reference", "end_image_url", "start_image_url", "video_reference"}};
}

ModelFacts mini_h3() {
  return {.model = "mini-h3",
          .seconds = Range{5, 15},
          .ratios = {"16:9", "9:16", "1:1", "4:3", "3:4", "21:9"},
          .sizes = {"2560x1440", "1440x2560", "1440x1440", "1920x1440", "1440x1920", "3360x1440"},
          .images = {0, 5},
          .audios = {0, 1},
          .first = {0, 1},
          .last = {0, 1},
          .prompt_most = 2000,
          .audio_needs_image = true,
          .size_or_ratio = true};
}

ModelFacts videos_fast_933_c1() {
  return {.model = "videos_fast_933_c1",
          .seconds = Range{4, 15},
          .ratios = {"21:9", "16:9", "4:3", "1:1", "3:4", "9:16"},
          .resolutions = {"480p", "720p"},
          .modes = {"image", "frame"},
          .audio_switch = true,
          .images = {0, 9},
          .videos = {0, 3},
          .audios = {0, 3}};
}

ModelFacts dance_2_5() {
  return {.model = "dance-2.5",
          .seconds = Range{4, 30},
          .ratios = {"16:9", "9:16", "1:1"},
          .resolutions = {"480p", "720p"},
          .images = {0, 30},
          .videos = {0, 10},
          .audios = {0, 10}};
}

ModelFacts wave_videoedit() {
  ModelFacts facts = upper_case_model("wave2.7-videoedit", {2, 10});
  facts.images = {0, 4};
  facts.videos = {1, 1};
  facts.ratios = {"16:9", "9:16", "1:1", "3:4", "4:3"};
  return facts;
}

ModelFacts wave_i2v() {
  ModelFacts facts = upper_case_model("wave2.7-i2v", {4, 15});
  facts.first = {1, 1};
  facts.last = {1, 1};
  return facts;
}

ModelFacts wave_r2v() {
  ModelFacts facts = upper_case_model("wave2.7-r2v", {4, 15});
  facts.images = {1, 3};
  facts.sent_seconds = 5;
  facts.ratios = {"16:9", "9:16", "1:1", "4:3", "3:4"};
  return facts;
}

ModelFacts horse_i2v() {
  ModelFacts facts = upper_case_model("horse-1.0-i2v", {3, 15});
  facts.first = {1, 1};
  return facts;
}

ModelFacts horse_t2v() {
  ModelFacts facts = upper_case_model("horse-1.0-t2v", {3, 15});
  facts.ratios = {"16:9", "9:16", "1:1", "4:3", "3:4", "4:5", "5:4", "9:21", "21:9"};
  return facts;
}

ModelFacts dance_1_5(const char *model, const char *resolution) {
  ModelFacts facts = open_model(model);
  facts.both = true;
  facts.seconds = Range{5, 10};
  facts.resolutions = {resolution};
  return facts;
}

ModelFacts sky(const char *model, std::vector<int64_t> seconds) {
  ModelFacts facts = family_model(model);
  facts.exact_seconds = std::move(seconds);
  return facts;
}

ModelFacts dance_2_0(const char *model) {
  ModelFacts facts = family_model(model);
  facts.assets = true;
  return facts;
}

ModelFacts vid(const char *model) {
  ModelFacts facts = family_model(model);
  facts.seconds = Range{1, 16};
  facts.resolutions = {"540p", "720p", "1080p"};
  return facts;
}

ModelFacts grk() {
  ModelFacts facts = family_model("grk_video3");
  facts.seconds = Range{6, 30};
  facts.resolutions = {"480p", "720p"};
  facts.images = {0, 7};
  return facts;
}

ModelFacts grk_pro() {
  ModelFacts facts = family_model("grk_video3_pro");
  facts.exact_seconds = {10};
  facts.no_resolution = true;
  return facts;
}

}  // namespace

const std::vector<ModelFacts> &model_facts() {
  static const std::vector<ModelFacts> facts = {
      image_model("dream_5.0Pro"),
      image_model("dream-5.0"),
      open_model("sd_2.0_fast_special"),
      asset_library_model("sd_2.0_special", {"720p", "1080p", "2k", "4k"}),
      open_model("sd_2.0_discount"),
      asset_library_model("sd_2.0_fast_discount", {"480p", "720p"}),
      horse_i2v(),
      open_model("horse-1.0-r2v"),
      horse_t2v(),
      open_model("horse-1.1-i2v"),
      open_model("horse-1.1-r2v"),
      open_model("horse-1.1-t2v"),
      dance_1_5("dance_1_5_pro_1080p", "1080p"),
      open_model("dance_1_5_pro_480p"),
      dance_1_5("dance_1_5_pro_720p", "720p"),
      videos_stable_fast(),
      mini_h3(),
      videos_fast_933_c1(),
      wave_videoedit(),
      dance_2_5(),
      wave_i2v(),
      wave_r2v(),
      sky("sky2Stable", {10, 15}),
      sky("vendorSky2", {4, 8, 12}),
      sky("vendorSky2Stable", {4, 8, 12}),
      sky("vendorSky2Plus", {4, 8, 12}),
      family_model("veo"),
      dance_2_0("dance_2_0"),
      dance_2_0("dance_2_0_fast"),
      dance_2_0("dance_2_0_pro"),
      dance_2_0("dance_2_0_fast_pro"),
      vid("vidq3-pro"),
      vid("vidq3-turbo"),
      grk(),
      grk_pro(),
  };
  return facts;
}

}  // namespace genclip::test
