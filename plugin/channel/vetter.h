// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Finds out whether media can be shown, before they are: implemented by plugin/vetting, replaced by tests.
#pragma once

#include <gio/gio.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "plugin/base/result.h"

namespace genclip {

struct VettingRequest {
  std::string uri;
  // A clip of the store: all of it is decoded and counted. Foreign media above 60 s are looked at at both
  // ends, and their loudness as far as `patience` allows.
  bool is_generated = false;
  std::chrono::nanoseconds in{};
  std::optional<std::chrono::nanoseconds> length;        // Of a still: how long it is to be shown.
  std::optional<std::chrono::nanoseconds> still_length;  // The same, where `length` does not say it.
  std::optional<std::chrono::nanoseconds> expected;  // The length that the service told; nothing: unknown.
  std::chrono::seconds patience{20};
  bool is_mono = false;  // The sound is mixed to one channel before it is heard.
  // Target and limit of the loudness; a target of 0: no gain.
  double target_lufs = -23;
  double true_peak_limit_db = -1;
};

struct VettedMedia {
  bool is_still = false;
  bool has_audio = false;
  // Where the frame begins that is shown first, which may be before the `in` that was asked for: else its
  // sound would be early.
  std::chrono::nanoseconds in{};
  std::chrono::nanoseconds length{};  // Of the picture that can be shown, from the wanted `in` on.
  uint64_t frames = 0;                // Counted; 0: of a still, and where not all was decoded.
  // Not all was decoded, and the length of each picture is known, so that a hole in it can be seen on the
  // air.
  bool may_have_holes = false;
  double lufs = 0;  // Integrated loudness of that part; 0: silence, or not measured.
  double true_peak_db = 0;
  double gain_db = 0;
  std::string gain_note;             // Why it is not the gain that the loudness asks for; empty: it is.
  bool is_loudness_unknown = false;  // There is sound, and it was not measured in time.
};

class Vetter {
 public:
  virtual ~Vetter() = default;
  // Blocks, at most little longer than the patience; a cancelled wait ends at once. An error says why the
  // media are not fit to be shown. ErrorKind::open_read: within the patience, their server sent nothing
  // that can be decoded.
  virtual Result<VettedMedia> vet(const VettingRequest &request, GCancellable *cancellable) = 0;
};

}  // namespace genclip
