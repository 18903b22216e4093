// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One build of an output: a pipeline from two appsrc to a sink, which is thrown away when it fails.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "plugin/base/clock.h"
#include "plugin/base/disk_queue.h"
#include "plugin/base/gref.h"
#include "plugin/base/mutex.h"
#include "plugin/base/result.h"
#include "plugin/output/encoded_frame.h"
#include "plugin/output/file_cuts.h"
#include "plugin/output/key_frame_join.h"
#include "plugin/output/outputs.h"

namespace genclip {

// What has left, counted where the sink takes it: a count is one packet ahead of the truth while the sink
// works on it. UDP, and SRT that calls: in bytes that the network has taken, which may be none.
struct Traffic {
  uint64_t packets = 0;
  uint64_t bytes = 0;
};

class OutputPipeline {
 public:
  enum class Event { failed, ended };
  // On a thread of the pipeline, which must not call back into it. The text of a failure has no secrets.
  using Listener = std::function<void(Event, const std::string &text)>;

  // `writer`: for outputs that write files, null for the others; begin() has been called.
  static Result<std::unique_ptr<OutputPipeline>> build(const OutputSpec &spec, const OutputSettings &settings,
                                                       const std::string &parser,
                                                       std::shared_ptr<FileWriter> writer, Listener listener);
  // As close().
  ~OutputPipeline();

  // Goes to PLAYING on another thread; a failure is an event. May begin before or after the first frame.
  void start();

  // Never waits. False: not taken. One thread a stream.
  bool feed(const EncodedFrame &frame);

  // No more frames; `ended` follows. `finally`: nor will a later pipeline have some.
  void end(bool finally);

  // Goes to NULL on another thread; from now on there is no event. Any number of times.
  void close();
  // Waits until that is done. False: it was not done at that time, and the pipeline is left to its thread.
  bool wait_closed(Clock::Time limit);

  // How many frames it was given since its first key frame, taken or not.
  uint64_t fed() const { return fed_; }
  Traffic traffic() const;

 private:
  struct Wiring;

  OutputPipeline(GRef<GstElement> pipeline, std::shared_ptr<Wiring> wiring);

  const GRef<GstElement> pipeline_;
  // What the threads of the pipeline use; it outlives a pipeline that hangs.
  const std::shared_ptr<Wiring> wiring_;
  const std::shared_ptr<DiskQueue> states_ = DiskQueue::make();
  const GRef<GstElement> sources_[2];
  std::atomic<uint64_t> fed_{0};

  Mutex mutex_;
  KeyFrameJoin join_ GUARDED_BY(mutex_);
  GRef<GstCaps> caps_[2] GUARDED_BY(mutex_);
  bool closing_ GUARDED_BY(mutex_) = false;
};

}  // namespace genclip
