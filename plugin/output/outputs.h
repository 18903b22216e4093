// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The encoders of a channel and everything that its pictures and sounds leave by.
//
// Picture and sound are encoded once. Each output is a pipeline of its own, with its own clock, bus and
// threads, fed from a bounded queue without ever waiting. So whatever an output does, hang included, neither
// the channel nor another output notices. An output that fails or stalls is replaced by a new pipeline, which
// begins with a key frame. A pipeline that hangs while it is closed is left to a thread that nothing waits
// for.
#pragma once

#include <gst/gst.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugin/base/gref.h"
#include "plugin/base/result.h"
#include "plugin/output/output_spec.h"
#include "plugin/output/output_status.h"

namespace genclip {

// Captions of what the channel shows, of which each costs money. They never hold the channel up.
struct CaptionOutput {
  // With its properties set, in state NULL. Null: no captions.
  GRef<GstElement> gencaption = {};
  bool track = false;  // WebVTT beside each HLS playlist.
  bool burnt = false;  // Drawn into the picture of all outputs, as late as gencaption's answers come.
  // What is wrong with the captions, once; an empty text when they come again. On any thread.
  std::function<void(const std::string &)> told = {};
  // What LiveCaptions::check() has warned of, and a person knows.
  std::vector<std::string> told_before = {};
};

struct OutputSettings {
  // Pieces of launch lines: raw in, H.264 (or H.265, which RTMP cannot carry) and AAC out. Empty: the best
  // that is installed, at these rates.
  std::string video_encoder = {};
  std::string audio_encoder = {};
  unsigned video_kbps = 4000;
  unsigned audio_kbps = 128;

  // Of HLS. A key frame comes every 2 s, so a segment lasts an even number of seconds.
  unsigned segment_seconds = 4;
  unsigned playlist_segments = 6;

  // A new file begins at each multiple of this after local midnight. 1 to 1440.
  unsigned record_minutes = 60;
  // Files that began longer ago are removed. 0: none.
  unsigned keep_days = 0;

  // An output through which nothing goes for so long is built again.
  std::chrono::milliseconds stall{10'000};
  // Between a failure and the next try: the first, doubled each time up to the last.
  std::chrono::milliseconds first_back_off{1'000};
  std::chrono::milliseconds last_back_off{20'000};

  // What --window shows the picture and the sound with.
  std::string window_video_sink = "autovideosink";
  std::string window_audio_sink = "autoaudiosink";

  CaptionOutput captions = {};
};

class Outputs {
 public:
  // At each change of an output's state, on that output's thread, with no lock held. It may call status().
  using Listener = std::function<void(const OutputStatus &)>;

  // The error names an option that cannot work: an encoder that is unknown or makes something else, an
  // element that is not installed, two outputs to one place. Writes and sends nothing. Without outputs, what
  // is about them alone passes.
  static Result<void> check(const std::vector<OutputSpec> &outputs, const OutputSettings &settings);

  // An error as check() has it. The outputs begin at once, and wait for the
  // first key frame.
  static Result<std::unique_ptr<Outputs>> create(std::vector<OutputSpec> outputs,
                                                 const OutputSettings &settings, const Listener &listener);

  // As end() with no time, where that was not called. Set the channel's pipeline to NULL before.
  virtual ~Outputs() = default;

  // A bin with the sink pads "video" (video/x-raw) and "audio" (audio/x-raw), to be added to the channel's
  // pipeline and linked there. An error message from inside it is an encoder's, never an output's. It posts
  // EOS after both pads have got EOS, as a sink does; end() then waits for the outputs.
  virtual GstElement *bin() const = 0;

  // In the order of create(). Any thread; never waits.
  virtual std::vector<OutputStatus> status() const = 0;

  // Pictures that the encoder has made. Any thread.
  virtual uint64_t encoded_frames() const = 0;
  // Pictures that were left out in front of it, since it was too slow for long. Any thread.
  virtual uint64_t skipped_frames() const = 0;

  // Another run will continue this stream: an EOS that comes through the pads does not mark an HLS playlist
  // as finished (EXT-X-ENDLIST), which would end every player. Call it at SIGTERM, before the channel ends.
  // Any thread.
  virtual void expect_restart() = 0;

  // Finishes all files and connections, and returns when this is done, or at most 2 s after `limit`, with
  // what is open torn down. False: something had to be torn down. Frames that come later go nowhere. No HLS
  // playlist is marked as finished unless EOS came through the pads before.
  virtual bool end(std::chrono::milliseconds limit) = 0;
};

}  // namespace genclip
