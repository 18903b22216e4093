// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Decodes media as fast as possible, shows nothing, and records what came.
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "plugin/base/gref.h"
#include "plugin/base/result.h"
#include "plugin/http/media_source.h"
#include "plugin/vetting/decode_record.h"

namespace genclip {

struct DecodeOrder {
  std::string uri;
  bool with_picture = true;  // Otherwise the sound alone.
  // The first error of a decoder ends it, and each picture is checked for damage that a decoder would
  // conceal. Nothing else than this one file is opened.
  bool is_strict = false;
  bool is_mono = false;  // The sound is measured as it is once it is mixed to one channel.
  gint64 deadline = 0;   // By g_get_monotonic_time().
  GCancellable *cancellable = nullptr;
  MediaAccess access = {};
};

// Its methods block; any of them may be ended by the deadline (timed_out) or be cancelled. The destructor
// never blocks: what hangs in a decoder is left to a thread of its own.
class DecodePass {
 public:
  explicit DecodePass(const DecodeOrder &order);
  ~DecodePass();
  DecodePass(const DecodePass &) = delete;
  DecodePass &operator=(const DecodePass &) = delete;

  // Until the first frame and sound are decoded.
  Result<void> open();
  // What the container says.
  std::optional<std::chrono::nanoseconds> duration() const;
  // Continues with this part instead. False: that is not possible.
  bool seek(std::chrono::nanoseconds from, std::chrono::nanoseconds to);
  // To the end, or until a frame begins at `until` or later.
  Result<void> run(std::optional<std::chrono::nanoseconds> until = std::nullopt);

  DecodeRecord record() const;

 private:
  class Work;

  Result<void> wait_for(GstMessageType wanted);
  Error failure(GstMessage *message) const;

  const DecodeOrder order_;
  std::shared_ptr<Work> work_;
  gulong cancellation_ = 0;
  bool has_ended_ = false;
};

}  // namespace genclip
