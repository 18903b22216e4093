// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One output over its whole life: builds its pipeline, watches it, and builds it again when it fails or
// stalls.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "plugin/base/clock.h"
#include "plugin/base/mutex.h"
#include "plugin/output/caption_cues.h"
#include "plugin/output/encoded_frame.h"
#include "plugin/output/output_pipeline.h"
#include "plugin/output/output_status.h"
#include "plugin/output/outputs.h"

namespace genclip {

class Output {
 public:
  // `parser`: the element that parses the encoded video. `cues`: for a track of captions, null without one.
  // Begins a thread, which waits for nothing but its condition, so that joining it takes no time.
  Output(OutputSpec spec, const OutputSettings &settings, std::string parser,
         std::shared_ptr<const CaptionCues> cues, Outputs::Listener listener);
  // As end() with no time.
  ~Output();
  Output(const Output &) = delete;
  Output &operator=(const Output &) = delete;

  OutputKind kind() const { return spec_.kind; }

  // On the encoders' threads, one a stream; never waits.
  void feed(const EncodedFrame &frame);

  // Begins to end: what is open is finished until `limit`, then torn down. `finally`: the stream itself is
  // over.
  void begin_end(Clock::Time limit, bool finally);
  // Waits for that. False: something was torn down.
  bool wait_ended();

  OutputStatus status() const;

 private:
  struct Answer;

  void run();
  // One build, until it fails or ends.
  void run_pipeline();
  // Looks at the folder, on a thread that may hang with its disk.
  Result<void> begin_files();
  void watch(OutputPipeline &pipeline);
  void look_at_files() REQUIRES(mutex_);
  void discard(const std::shared_ptr<OutputPipeline> &pipeline);
  void set_state(OutputState state, const std::string &error = "");
  bool ending() const;

  const OutputSpec spec_;
  const OutputSettings settings_;
  const std::string parser_;
  const Outputs::Listener listener_;
  const std::shared_ptr<FileWriter> writer_;

  // Of its thread alone.
  std::shared_ptr<Answer> beginning_, look_;  // Not answered yet.
  Clock::Time next_look_{};
  std::vector<std::shared_ptr<OutputPipeline>> hung_;  // Not closed yet.

  mutable Mutex mutex_;
  CondVar changed_;
  OutputStatus status_ GUARDED_BY(mutex_);
  std::shared_ptr<OutputPipeline> pipeline_ GUARDED_BY(mutex_);
  // What the pipeline in use has told.
  std::optional<std::string> failure_ GUARDED_BY(mutex_);
  bool pipeline_ended_ GUARDED_BY(mutex_) = false;

  std::optional<Clock::Time> end_limit_ GUARDED_BY(mutex_);
  bool finally_ GUARDED_BY(mutex_) = false;
  bool whole_ GUARDED_BY(mutex_) = true;  // Nothing was torn down at the end.
  bool done_ GUARDED_BY(mutex_) = false;

  std::thread thread_;
};

}  // namespace genclip
