// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The properties of gencaption, and their validation before anything is sent.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "elements/captioner/caption_cache.h"
#include "elements/captioner/caption_input.h"
#include "elements/captioner/caption_timeline.h"
#include "elements/property_table.h"
#include "plugin/base/result.h"
#include "plugin/base/words.h"
#include "plugin/http/api_key.h"

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
  Align align = Align::fixed;
  uint64_t min_interval = GST_SECOND;
  unsigned frames = 1;
  Stills stills = Stills::before;
  unsigned max_frame_size = 768;
  double scene_threshold = 0;
  bool merge_repeats = false;
  ImageSampling image_sampling = ImageSampling::automatic;
  unsigned context = 0;
  unsigned cues_per_request = 1;
  unsigned max_in_flight = 2;
  unsigned max_waiting = 0;
  unsigned latency_ms = 4000;
  LatePolicy late_policy = LatePolicy::drop;
  unsigned max_line_length = 42;
  unsigned max_lines = 2;
  unsigned max_cps = 20;
  OnError on_error = OnError::fail;
  unsigned max_requests = 0;
  bool asking = true;
  uint64_t max_tokens = 0;
  double max_amount = 0;
  CaptionCache cache = CaptionCache::automatic;
  std::string store;
  std::string project;
  std::string llm_base_url;
  std::string api_key;
  std::string api_key_file;
  ApiKey key;               // no property: found by the two above, or in the environment
  std::string key_problem;  // no property: why there is no key; told when one is needed
  unsigned timeout_s = 60;
  unsigned retries = 3;
  std::string tls_ca_file;
  std::string user_agent;
  std::string proxy;

  // Difference of two pictures that is a cut.
  double cut_threshold() const { return scene_threshold > 0 ? scene_threshold : 0.1; }
  InputSettings input() const {
    return {interval, frames, image_sampling, align, min_interval, cut_threshold(), stills};
  }
  CueLimits limits() const { return {max_line_length, max_lines, max_cps}; }
};

std::span<const Property<CaptionSettings>> caption_properties();

// The settings with the additions from the environment ($GENCLIP_LLM_BASE_URL, $GENCLIP_API_KEY,
// $GENCLIP_API_KEY_FILE, $GENCLIP_STORE, $GENCLIP_PROJECT), the key read from its file, and `store` as an
// absolute path; a `settings` error that names all problems otherwise. Without any key, the settings are good
// as long as the store may have all answers.
Result<CaptionSettings> checked(CaptionSettings settings);

// Why no request at all may be sent in a run with these settings; it is told once one is needed.
std::optional<Error> reason_to_ask_nothing(const CaptionSettings &settings);

}  // namespace genclip
