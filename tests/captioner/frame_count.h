// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Number of buffers that reached a sink since the last flush.
#pragma once

#include <atomic>
#include <memory>

#include "tests/captioner/caption_run.h"

namespace genclip::test {

// For the element named `sink`. The streaming thread shares ownership of the counter, so the pipeline may
// outlive this.
class FrameCount {
 public:
  explicit FrameCount(const CaptionRun &run);
  unsigned count() const { return *count_; }
  bool wait_for(unsigned count) const;

 private:
  using Shared = std::shared_ptr<std::atomic<unsigned>>;
  static GstPadProbeReturn on_data(GstPad *, GstPadProbeInfo *info, gpointer data);

  const Shared count_ = std::make_shared<std::atomic<unsigned>>(0);
};

}  // namespace genclip::test
