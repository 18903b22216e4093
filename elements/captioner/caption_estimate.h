// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a run will ask, told once its length is known: the element message gencaption-estimate.
//
// What requests have taken is in the ledger, on a disk that may hang. So it is read on a disk thread, and the
// message is posted on another one; nobody waits for either.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <memory>
#include <string>

#include "elements/captioner/caption_slot.h"
#include "elements/message_queue.h"
#include "plugin/base/file_system.h"

namespace genclip {

// Of a stretch of film.
struct EstimatedWindows {
  uint64_t windows = 0;  // of `interval`
  uint64_t most = 0;     // that cuts may make of them
  uint64_t length = 0;   // ns
};

struct EstimateSettings {
  std::string store;     // Its folder.
  std::string base_url;  // Of the text gateway, without secrets.
  std::string model;
  unsigned max_requests = 0;  // Of the run; 0: no limit.
};

// Threads: the application begins and ends a run; the streaming thread tells. Borrows both, which must
// outlive this and all disk threads.
class CaptionEstimate {
 public:
  explicit CaptionEstimate(GstElement *element, FileSystem &files = FileSystem::posix())
      : element_(element), files_(files) {}
  ~CaptionEstimate() { end(); }

  // Touches no disk.
  void begin(const EstimateSettings &settings);
  // Whether nothing was told in this run yet.
  bool is_due() const { return messages_ && !told_; }
  // Posts the message, some time later. `so_far`: of this run.
  void tell(const EstimatedWindows &of, const CaptionStats &so_far);
  // What was not posted until now is not.
  void end();

 private:
  GstElement *const element_;
  FileSystem &files_;
  EstimateSettings settings_;
  std::shared_ptr<MessageQueue> messages_;  // Of the run; disk threads share it.
  bool told_ = false;
};

}  // namespace genclip
