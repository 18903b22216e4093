// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The properties of gencaption, and their validation before anything is sent.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <span>
#include <string>

#include "elements/captioner/caption_input.h"
#include "elements/captioner/caption_timeline.h"
#include "elements/property_table.h"
#include "plugin/base/result.h"
#include "plugin/base/words.h"

namespace genclip {

enum class OnError { fail, skip };
template <>
inline constexpr Word<OnError> kWords<OnError>[] = {{OnError::fail, "fail"}, {OnError::skip, "skip"}};

struct CaptionSettings {
  std::string model = "gem-2.5-flash-lite";
  std::string prompt =
      "Write one short caption, a single plain sentence, for what follows. Answer with the caption alone.";
  std::string system_instruction;
  double temperature = -1;
  double top_p = -1;
  unsigned max_output_tokens = 0;
  bool stream = false;
  uint64_t interval = 5 * GST_SECOND;
  unsigned frames = 1;
  unsigned max_frame_size = 768;
  double scene_threshold = 0;
  ImageSampling image_sampling = ImageSampling::automatic;
  unsigned context = 0;
  unsigned max_in_flight = 2;
  unsigned max_waiting = 0;
  unsigned latency_ms = 4000;
  LatePolicy late_policy = LatePolicy::drop;
  OnError on_error = OnError::fail;
  unsigned max_requests = 0;
  uint64_t max_tokens = 0;
  std::string store;
  std::string project;
  std::string llm_base_url;
  std::string api_key;
  std::string api_key_file;
  unsigned timeout_s = 60;
  unsigned retries = 3;
  std::string tls_ca_file;
  std::string user_agent;
  std::string proxy;
};

std::span<const Property<CaptionSettings>> caption_properties();

// The settings with the additions from the environment ($GENCLIP_LLM_BASE_URL, $GENCLIP_API_KEY,
// $GENCLIP_API_KEY_FILE, $GENCLIP_STORE, $GENCLIP_PROJECT), the key read from its file, and `store` as an
// absolute path; a `settings` error that names all problems otherwise.
Result<CaptionSettings> checked(CaptionSettings settings);

}  // namespace genclip
