// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A playout in a pipeline of its own, whose clock may be fast, and all that left it.
#pragma once

#include <gst/video/video.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "elements/channelsrc/playout.h"
#include "plugin/base/gref.h"
#include "plugin/base/mutex.h"
#include "tests/support/marks.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_folder.h"

namespace genclip::test {

struct StandOptions {
  std::string video = "video/x-raw,format=I420,width=160,height=90,framerate=25/1";
  std::string audio = "audio/x-raw,format=F32LE,rate=48000,channels=2,layout=interleaved";
  unsigned speed = kIsSanitized ? 4 : 20;  // Of the clock. Decoders under a sanitizer are slow.
  // In a fast run, it is the machine that makes a decoder late. So the playout waits for seconds of the real
  // time: a half of this, by `speed`.
  unsigned latency_ms = 200000;
  Fit fit = Fit::pad;
  std::string slate = {};
  std::string logo = {};
  Corner logo_position = Corner::top_right;
  MediaAccess access = {};
  std::vector<uint64_t> kept_pictures = {};  // Frames whose picture is kept.
};

struct SeenFrame {
  GstClockTime pts = 0, duration = 0;
  uint64_t offset = 0;
  std::optional<FrameMark> mark;  // None: the slate, say.
  std::vector<uint8_t> captions = {};
};

class Stand {
 public:
  explicit Stand(const StandOptions &options = {});
  ~Stand();
  Stand(const Stand &) = delete;
  Stand &operator=(const Stand &) = delete;

  GstStateChangeReturn set_state(GstState state) { return gst_element_set_state(pipeline_.get(), state); }
  Playout &stage() { return *playout_; }
  GstElement *pipeline() { return pipeline_.get(); }

  // Until the cue is no longer being prepared.
  CueState wait_for(CueId cue);
  // Until so many frames have left on both pads.
  void wait_for_frames(uint64_t frames);
  // Until `condition`, which is looked at whenever something leaves. Fails the test after a minute.
  void wait_until(const std::function<bool()> &condition);
  // The end of both streams.
  void wait_for_end();

  std::vector<SeenFrame> frames();
  std::vector<float> sound();                    // The first channel.
  std::vector<uint8_t> picture(uint64_t frame);  // All bytes of a kept one.
  // What left has the exact times of a stream without a gap, and the sound is as long as the picture.
  void expect_exact_times();
  // `clip` is shown from its frame `from` on, at `start`; and only there.
  void expect_clip(unsigned clip, uint64_t start, uint64_t frames, uint64_t from = 0);
  void expect_slate(uint64_t start, uint64_t frames);
  // The first error on the bus, or empty.
  std::string error();

 private:
  void connect(GstPad *pad, bool is_video);
  template <void (Stand::*look)(GstBuffer *)>
  static GstPadProbeReturn see(GstPad *, GstPadProbeInfo *info, gpointer stand);
  void see_picture(GstBuffer *buffer) EXCLUDES(mutex_);
  void see_sound(GstBuffer *buffer) EXCLUDES(mutex_);

  const StandOptions options_;
  GstVideoInfo video_;
  int channels_ = 2, rate_ = 48000;
  GRef<GstElement> pipeline_;
  std::unique_ptr<Playout> playout_;

  Mutex mutex_;
  CondVar changed_;
  std::vector<SeenFrame> frames_ GUARDED_BY(mutex_);
  std::map<uint64_t, std::vector<uint8_t>> pictures_ GUARDED_BY(mutex_);
  std::vector<float> sound_ GUARDED_BY(mutex_);
  std::vector<std::string> sound_faults_ GUARDED_BY(mutex_);
  int ended_ GUARDED_BY(mutex_) = 0;
};

// A clock that is `speed` times as fast as the system's.
GRef<GstClock> fast_clock(unsigned speed);

// Of a file.
ReadyMedia media_of(const std::string &path, bool has_audio = true);

}  // namespace genclip::test
