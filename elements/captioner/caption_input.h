// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Decides which buffers of the sink pad need a caption, and for which span of stream time. No threads, no
// locks.
#pragma once

#include <gst/gst.h>

#include <optional>

#include "elements/captioner/caption_slot.h"
#include "elements/captioner/frame_sampler.h"
#include "plugin/base/words.h"

namespace genclip {

enum class InputKind { none, video, image, text, markup };

// Which images of an image input get a caption.
enum class ImageSampling {
  automatic,  // one per interval if they arrive faster than that, otherwise each
  interval,   // one per interval
  every,      // each
};
template <>
inline constexpr Word<ImageSampling> kWords<ImageSampling>[] = {{ImageSampling::automatic, "auto"},
                                                                {ImageSampling::interval, "interval"},
                                                                {ImageSampling::every, "every"}};

InputKind input_kind(const GstCaps *caps);

// The time of a caption, in timestamps of the outgoing segment.
struct AskedTime {
  TimeSpan window;
  bool end_known = true;
  uint64_t quiet_until = 0;
};

// Used only by the streaming thread.
class CaptionInput {
 public:
  CaptionInput(uint64_t interval, unsigned frames, ImageSampling image_sampling);

  void set_caps(const GstCaps *caps);
  // After a flush, or for a new stream: the next segment starts from scratch.
  void reset();

  struct Placed {
    GstSegment segment;  // to send downstream: the same if its format is time, otherwise one that starts at 0
    bool continues = false;  // at most the end differs: the windows continue
  };
  // `duration`: stream time at which the stream ends, if known.
  Placed set_segment(const GstSegment &segment, std::optional<uint64_t> duration);

  struct Taken {
    bool keep = false;  // make a still of it
    uint64_t stream_time = 0;
    std::optional<AskedTime> asked;
    // End of the previous caption, if that was requested with an unknown end.
    std::optional<uint64_t> ends_open;
  };
  // `live`: the first window starts with its first frame.
  Taken take(const GstBuffer *buffer, bool live);

  InputKind kind() const { return kind_; }
  const GstSegment &segment() const { return segment_; }

 private:
  void begin();
  bool is_sampled(const GstBuffer *buffer, uint64_t time) const;
  bool is_falling() const { return (segment_.rate < 0) != (segment_.applied_rate < 0); }
  uint64_t timestamp(uint64_t stream_time, uint64_t otherwise) const;
  FrameSampler::Decision sample(uint64_t stream_time);
  Taken take_image(const GstBuffer *buffer, uint64_t time, bool live);
  Taken take_frame(const GstBuffer *buffer, uint64_t time, bool live);
  Taken take_single(const GstBuffer *buffer, uint64_t time);

  const uint64_t interval_;
  const ImageSampling image_sampling_;
  FrameSampler sampler_;
  InputKind kind_ = InputKind::none;
  uint64_t frame_duration_ = 0;  // from the caps; 0 if they have none
  GstSegment segment_ = {};      // before the first segment, one that starts at 0
  bool placed_ = false;          // a segment has arrived since the last reset
  std::optional<uint64_t> material_end_;
  uint64_t next_time_ = 0;  // time of the next buffer without a timestamp
  bool first_ = true;
  std::optional<uint64_t> last_image_;
  std::optional<uint64_t> open_end_;  // end of the window of an image with unknown duration
};

}  // namespace genclip
