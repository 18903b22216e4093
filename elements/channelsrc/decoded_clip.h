// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One clip on its way to the air: decoded ahead into pictures and sound of the channel's form.
//
// It is a pipeline of its own, not a part of the channel's: its errors, ends and hangs cannot reach the
// channel, and the channel's NULL need not wait for a network or a disk. Nothing in it waits for a clock. Its
// two ends are plain pads, which hold the decoder's threads when enough is decoded.
//
// Threads: any may call. The pipeline starts, seeks and ends on GStreamer's own worker threads
// (gst_element_call_async), so no call waits.
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "elements/channelsrc/picture_track.h"
#include "elements/channelsrc/playout_settings.h"
#include "elements/channelsrc/sound_track.h"
#include "elements/channelsrc/waker.h"
#include "plugin/base/gref.h"
#include "plugin/base/mutex.h"
#include "plugin/channel/item_state.h"
#include "plugin/channel/stage.h"
#include "plugin/http/media_source.h"

namespace genclip {

// What a clip is converted to, and how it is fetched.
struct ClipForm {
  GRef<GstCaps> video;  // Without a frame rate.
  GRef<GstCaps> audio;  // None: the sound is not decoded.
  FrameGrid grid;
  int bytes_per_sample = 8;
  double shape = 16.0 / 9;  // Width to height of the screen.
  Fit fit = Fit::pad;
  unsigned ahead = 12;  // Frames that are decoded ahead.
  MediaAccess access = {};
};

// genclip-playout: INFO what is cued and taken, WARNING what fails.
GstDebugCategory *playout_category();

class DecodedClip : public std::enable_shared_from_this<DecodedClip> {
 public:
  // Begins at once. `frames`: how many of it are to be shown; 0: all. `wakers`: are woken by whatever
  // arrives.
  static std::shared_ptr<DecodedClip> open(const ReadyMedia &media, uint64_t frames, const ClipForm &form,
                                           std::vector<std::shared_ptr<Waker>> wakers);
  ~DecodedClip();
  DecodedClip(const DecodedClip &) = delete;
  DecodedClip &operator=(const DecodedClip &) = delete;

  // Ready: its first picture is there, and its first sound if it has any.
  CueState state() EXCLUDES(mutex_);
  // A sentence.
  std::string failure() EXCLUDES(mutex_);

  // Frame `index` of the clip. `ended` also if it failed and nothing decoded is left.
  PictureTrack::Found picture(uint64_t index) EXCLUDES(mutex_);
  TrackAnswer sound(uint64_t first, uint64_t count, uint8_t *silence) EXCLUDES(mutex_);
  // The size and form of its pictures.
  GRef<GstCaps> picture_caps() EXCLUDES(mutex_);

  // Each of its pictures is one frame of the channel.
  bool has_channel_rate() EXCLUDES(mutex_);
  // The clip is one picture that can last as long as one likes, as far as is known now.
  bool is_one_picture() EXCLUDES(mutex_);
  // In place of the gain of its media, also while it is shown.
  void set_gain(double db) EXCLUDES(mutex_);
  // Change when a picture, or sound, arrives.
  uint64_t picture_arrivals() EXCLUDES(mutex_);
  uint64_t sound_arrivals() EXCLUDES(mutex_);

  // It failed for a reason that is seen from outside.
  void fail(const std::string &why) EXCLUDES(mutex_);
  // Ends the pipeline, which may take its time on another thread. The tracks become empty.
  void close() EXCLUDES(mutex_);

 private:
  enum class Side { picture, sound };
  struct End {  // Where a stream leaves the pipeline.
    Side side = Side::picture;
    DecodedClip *clip = nullptr;
    GRef<GstPad> pad;
    GstSegment segment;       // The streaming thread's.
    bool is_linked = false;   // GUARDED_BY(mutex_)
    bool flushing = false;    // GUARDED_BY(mutex_)
    bool wants_seek = false;  // GUARDED_BY(mutex_): what comes before the seek is not shown.
    uint64_t arrivals = 0;    // GUARDED_BY(mutex_)
  };

  DecodedClip(const ReadyMedia &media, uint64_t frames, const ClipForm &form,
              std::vector<std::shared_ptr<Waker>> wakers);
  void start();
  void seek();
  void finish();
  void later(void (DecodedClip::*work)());
  void make_end(End &end, Side side);

  void link(GstPad *decoded);
  void no_more_streams();
  void fail_with(GstMessage *message);
  GstFlowReturn chain(End &end, GRef<GstBuffer> buffer) EXCLUDES(mutex_);
  bool event(End &end, const GRef<GstEvent> &event) EXCLUDES(mutex_);
  bool has_room(const End &end) const REQUIRES(mutex_);
  void wake() EXCLUDES(mutex_);

  const ReadyMedia media_;
  const ClipForm form_;
  const std::vector<std::shared_ptr<Waker>> wakers_;
  const uint64_t sound_ahead_;  // Samples.
  GRef<GstElement> pipeline_;
  // How a photograph was held; known before the pipeline starts.
  std::optional<GstVideoOrientationMethod> orientation_;
  Mutex life_;  // Held while the pipeline changes its state; before mutex_.
  bool finished_ GUARDED_BY(life_) = false;

  Mutex mutex_;
  CondVar room_;
  End picture_end_, sound_end_;
  PictureTrack pictures_ GUARDED_BY(mutex_);
  SoundTrack sounds_ GUARDED_BY(mutex_);
  GRef<GstCaps> picture_caps_ GUARDED_BY(mutex_);
  bool has_channel_rate_ GUARDED_BY(mutex_) = false;
  double gain_db_ GUARDED_BY(mutex_);
  GRef<GstElement> volume_ GUARDED_BY(mutex_);  // Once there is sound.
  bool streams_known_ GUARDED_BY(mutex_) = false;
  bool was_seeked_ GUARDED_BY(mutex_) = false;
  bool closed_ GUARDED_BY(mutex_) = false;
  std::string failure_ GUARDED_BY(mutex_);
};

}  // namespace genclip
