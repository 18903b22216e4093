// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Makes the buffers of a channel's two outputs: see playout.h.
#pragma once

#include <gst/audio/audio.h>
#include <gst/video/video.h>

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "elements/channelsrc/logo.h"
#include "elements/channelsrc/playout.h"
#include "elements/channelsrc/program_line.h"
#include "elements/channelsrc/slate.h"

namespace genclip {

// What goes out, as checked.
struct PlayoutForm {
  GRef<GstCaps> video_caps, audio_caps;
  GstVideoInfo video;
  GstAudioInfo audio;
  FrameGrid grid;
};

enum class Output { video, audio };

// Threads: each output calls next() from its own; anything else on any.
class PlayoutEngine {
 public:
  static Result<std::unique_ptr<PlayoutEngine>> make(const PlayoutSettings &settings);

  // ---- For the element.

  const PlayoutForm &form() const { return form_; }
  GstClockTime latency() const { return latency_; }
  // Opens slate and logo; frames are counted from 0.
  void start() EXCLUDES(mutex_, run_mutex_);
  // Ends each next() with FLUSHING.
  void interrupt() EXCLUDES(run_mutex_);
  // Lets go of all clips. No next() runs.
  void stop() EXCLUDES(mutex_);
  void set_playing(bool is_playing) EXCLUDES(run_mutex_);
  bool is_playing() EXCLUDES(run_mutex_);
  // Waits for the next frame's time on the element's clock. EOS: the end that was asked for.
  GstFlowReturn next(Output output, GstElement *element, GRef<GstBuffer> &out) EXCLUDES(mutex_, run_mutex_);
  // Nobody takes what this output makes any more.
  void leave(Output output) EXCLUDES(mutex_);
  // The running time of frame 0; known when the first next() has returned.
  GstClockTime origin() EXCLUDES(mutex_);

  // ---- For the Stage.

  CueId cue(const ReadyMedia &media, uint64_t frames) EXCLUDES(mutex_);
  CueState state(CueId cue) EXCLUDES(mutex_);
  std::string failure(CueId cue) EXCLUDES(mutex_);
  uint64_t failure_frame(CueId cue) EXCLUDES(mutex_);
  bool take(CueId cue, uint64_t frame, uint64_t frames) EXCLUDES(mutex_);
  void drop(CueId cue) EXCLUDES(mutex_);
  void end(uint64_t frame) EXCLUDES(mutex_);
  uint64_t frame() EXCLUDES(mutex_);
  uint64_t earliest_frame() EXCLUDES(mutex_);
  StageCounts counts() EXCLUDES(mutex_);
  std::string problem() EXCLUDES(mutex_);

 private:
  // What the output's own thread needs for a frame.
  struct Tick {
    GRef<GstClock> clock;
    GstClockTime base;  // The clock's time of frame 0.
    uint64_t frame;
    std::optional<ProgramPiece> piece;  // None: the still slate.
  };
  struct Lane {
    std::shared_ptr<Waker> waker = std::make_shared<Waker>();
    // Of the output's thread: what it waits for.
    std::shared_ptr<DecodedClip> clip;
    GRef<GstBuffer> last_picture;  // Of this clip.
    GRef<GstBuffer> last_shown;    // Without the logo.
    GstClockTime waiting_since = GST_CLOCK_TIME_NONE;
    uint64_t seen_arrivals = 0;
  };
  struct Progress {
    uint64_t next = 0;  // Frame that is not decided yet.
    bool left = false;
  };
  struct Failure {
    std::string text;
    uint64_t frame = 0;
  };
  // How a wait for something missing ended.
  enum class Missing { look_again, go_without, stalled, interrupted };

  PlayoutEngine(const PlayoutSettings &settings, PlayoutForm form, GRef<GstBuffer> card);

  std::vector<std::shared_ptr<Waker>> wakers() const { return {lanes_[0].waker, lanes_[1].waker}; }
  Lane &lane(Output output) { return lanes_[static_cast<size_t>(output)]; }
  Progress &progress(Output output) REQUIRES(mutex_) { return progress_[static_cast<size_t>(output)]; }
  // The first frame that no output has decided.
  uint64_t first_open() REQUIRES(mutex_);
  bool wait_for_playing() EXCLUDES(run_mutex_);
  GstClockTime time_of(const Tick &tick) const { return tick.base + form_.grid.time_of(tick.frame); }
  void begin_clip(Lane &lane, const Tick &tick);
  // Nothing: EOS.
  std::optional<Tick> begin_tick(Output output, GstElement *element) EXCLUDES(mutex_);
  void decide(Tick &tick) EXCLUDES(mutex_);
  void finish_tick(Output output, const Tick &tick) EXCLUDES(mutex_);
  std::optional<GRef<GstBuffer>> picture(const Tick &tick);
  std::optional<GRef<GstBuffer>> sound(const Tick &tick);
  Missing wait_for_missing(Output output, const Tick &tick) EXCLUDES(mutex_);
  void clip_failed(const Tick &tick, const std::string &why) EXCLUDES(mutex_);
  void remember_failure(CueId cue, Failure failure) REQUIRES(mutex_);
  static void close(const ProgramLine::Clips &clips);

  const PlayoutForm form_;
  const ClipForm clip_form_;
  const GstClockTime latency_;
  const GstClockTime slack_;  // How late a frame may be, twice.

  std::array<Lane, 2> lanes_;
  Logo logo_;  // Of the video output's thread while it runs.

  Mutex run_mutex_;
  CondVar run_changed_;
  bool is_playing_ GUARDED_BY(run_mutex_) = false;
  bool is_flushing_ GUARDED_BY(run_mutex_) = true;

  Mutex mutex_;
  ProgramLine line_ GUARDED_BY(mutex_);
  Slate slate_ GUARDED_BY(mutex_);
  std::map<CueId, std::shared_ptr<DecodedClip>> cues_ GUARDED_BY(mutex_);  // Not taken yet.
  std::map<CueId, Failure> failures_ GUARDED_BY(mutex_);                   // Of those that were taken.
  CueId last_cue_ GUARDED_BY(mutex_) = 0;
  std::array<Progress, 2> progress_ GUARDED_BY(mutex_);
  std::optional<uint64_t> end_ GUARDED_BY(mutex_);
  std::optional<GstClockTime> origin_ GUARDED_BY(mutex_);
  StageCounts counts_ GUARDED_BY(mutex_);
  std::string logo_problem_ GUARDED_BY(mutex_);
};

}  // namespace genclip
