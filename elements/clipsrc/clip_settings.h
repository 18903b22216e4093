// SPDX-License-Identifier: LGPL-2.1-or-later
//
// genclipsrc's properties, and what they ask for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "elements/clipsrc/clip_enums.h"
#include "elements/property_table.h"
#include "plugin/base/result.h"
#include "plugin/catalog/clip_request.h"
#include "plugin/generation/clip_plan.h"

namespace genclip {

struct ClipSettings {
  std::string model;
  std::string prompt;
  unsigned duration = 0;
  std::string aspect_ratio;
  std::string resolution;
  std::string size;
  std::string reference_mode;
  int64_t seed = -1;
  Switch generate_audio = Switch::model_default;
  Switch watermark = Switch::model_default;
  std::string first_image;
  std::string last_image;
  std::vector<std::string> reference_images;
  std::vector<std::string> reference_videos;
  std::vector<std::string> reference_audios;
  StructureCopy extra_params;
  std::string base_url;
  std::string api_key;
  std::string api_key_file;
  Api api = Api::automatic;
  unsigned poll_interval_ms = 5000;
  unsigned timeout_s = 1800;
  unsigned http_timeout_s = 30;
  unsigned retries = 5;
  unsigned take = 0;
  bool reuse = true;
  std::string store;
  uint64_t store_max_size = 0;
  std::string task_id;
  MediaCheck check_media = MediaCheck::none;
  bool random_access = true;
  bool dry_run = false;
  uint64_t max_download_size = uint64_t{4} << 30;
  std::string tls_ca_file;
  std::string user_agent;
  std::string proxy;
};

std::span<const Property<ClipSettings>> clip_properties();

// The request fields that are set, by the service's names.
ClipRequest request_of(const ClipSettings &settings);

// What a run with these properties needs.
Result<ClipPlan> plan_clip(const ClipSettings &settings);

}  // namespace genclip
