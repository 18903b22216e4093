// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The encoders that all outputs share: raw picture and sound in, encoded frames out.
#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugin/base/gref.h"
#include "plugin/base/result.h"
#include "plugin/output/caption_cues.h"
#include "plugin/output/encoded_frame.h"
#include "plugin/output/outputs.h"

namespace genclip {

struct Encoders {
  // With the sink pads "video" and "audio".
  GRef<GstElement> bin;
  // The element that parses what the video encoder makes: "h264parse" or "h265parse".
  std::string video_parser;
};

// What comes out, each stream on a thread of its own, in order.
struct EncoderCalls {
  std::function<void(const EncodedFrame &)> encoded;
  std::function<void(const EncodedFrame &)> raw;  // Null where nobody wants raw frames.
  // Raw pictures before captions are burnt in. Null where nobody wants them.
  std::function<void(const EncodedFrame &)> clean_picture;
  std::function<void(Stream)> ended;
  std::function<void()> skipped;  // A picture was left out: EncoderPace. On the channel's thread.
  // What is drawn into the picture; null: nothing.
  std::shared_ptr<BurntCaption> burnt = {};
};

// A key frame comes every kKeyFrameSeconds whatever the encoder's own settings are, and each brings its
// headers. The error names the option.
Result<Encoders> make_encoders(const OutputSettings &settings, EncoderCalls calls);

// The error that make_encoders() would return for encoders that a person has named, or that one of the
// outputs cannot carry what they make.
Result<void> check_encoders(const OutputSettings &settings, const std::vector<OutputSpec> &outputs);

inline constexpr unsigned kKeyFrameSeconds = 2;

}  // namespace genclip
