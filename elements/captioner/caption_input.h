// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Buffers of the sink pad on the time of the stream: which ask, for which time. No thread, no lock.
#pragma once

#include <gst/gst.h>

#include <optional>

#include "elements/captioner/caption_slot.h"
#include "elements/captioner/frame_sampler.h"
#include "plugin/base/words.h"

namespace genclip {

enum class InputKind { none, video, image, text, markup };

// Which of the images of an image input ask for a caption.
enum class ImageSampling {
  automatic,  // one an interval where they come faster than that, else each
  interval,   // one an interval
  every,      // each
};
template <>
inline constexpr Word<ImageSampling> kWords<ImageSampling>[] = {{ImageSampling::automatic, "auto"},
                                                                {ImageSampling::interval, "interval"},
                                                                {ImageSampling::every, "every"}};

InputKind input_kind(const GstCaps *caps);

// A caption that a buffer asks for, in timestamps of the outgoing segment.
struct AskedTime {
  TimeSpan window;
  bool end_known = true;
  uint64_t quiet_until = 0;
};

// Used by the streaming thread alone.
class CaptionInput {
 public:
  CaptionInput(uint64_t interval, unsigned frames, ImageSampling image_sampling);

  void set_caps(const GstCaps *caps);
  // A flush, or another stream: whatever segment comes begins anew.
  void reset();

  struct Placed {
    GstSegment segment;      // to send downstream: the same when it is one of time, else one that starts at 0
    bool continues = false;  // only its end is another, if anything is: windows go on as they are
  };
  // `duration`: stream time at which the material ends, where that is known.
  Placed set_segment(const GstSegment &segment, std::optional<uint64_t> duration);

  struct Taken {
    bool keep = false;  // a still is to be made of it
    uint64_t stream_time = 0;
    std::optional<AskedTime> asked;
    // Where the caption ends that was asked for before without a known end.
    std::optional<uint64_t> ends_open;
  };
  // `live`: windows begin no earlier than what was there.
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
  uint64_t frame_duration_ = 0;  // from the caps; 0 where they say none
  GstSegment segment_ = {};      // data before any segment are on one that starts at 0
  bool placed_ = false;          // a segment has come since the last reset
  std::optional<uint64_t> material_end_;
  uint64_t next_time_ = 0;  // where a buffer without a timestamp goes
  bool first_ = true;
  std::optional<uint64_t> last_image_;
  std::optional<uint64_t> open_end_;  // the window of the image whose length was not known ends there
};

}  // namespace genclip
