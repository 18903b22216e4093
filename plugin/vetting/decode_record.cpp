// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/vetting/decode_record.h"

#include <algorithm>

namespace genclip {

Loudness DecodeRecord::loudness_between(std::chrono::nanoseconds begin, std::chrono::nanoseconds end) const {
  if (!sound_begin) return {};
  const auto samples = [&](std::chrono::nanoseconds time) {
    const auto since = std::max(std::chrono::nanoseconds::zero(), time - *sound_begin);
    return gst_util_uint64_scale_round(static_cast<guint64>(since.count()), LoudnessMeter::kRate, GST_SECOND);
  };
  return loudness.measure(samples(begin), samples(end));
}

}  // namespace genclip
