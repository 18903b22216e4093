// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Decides which buffers of the sink pad need a caption, and for which span of stream time. No threads, no
// locks.
#pragma once

#include <gst/gst.h>

#include <optional>

#include "elements/captioner/caption_slot.h"
#include "elements/captioner/cut_windows.h"
#include "elements/captioner/frame_sampler.h"
#include "plugin/base/words.h"
#include "plugin/caption/frame_encoder.h"

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

// Where a window ends.
enum class Align {
  fixed,  // after each interval
  cuts,   // also where the picture changes
};
template <>
inline constexpr Word<Align> kWords<Align>[] = {{Align::fixed, "fixed"}, {Align::cuts, "cuts"}};

// Which pictures are the stills of a caption.
enum class Stills {
  before,  // the first one of its window, and those before it
  within,  // those of its window
};
template <>
inline constexpr Word<Stills> kWords<Stills>[] = {{Stills::before, "before"}, {Stills::within, "within"}};

struct InputSettings {
  uint64_t interval = 0;
  unsigned frames = 1;
  ImageSampling image_sampling = ImageSampling::automatic;
  Align align = Align::fixed;
  uint64_t min_interval = 0;
  double cut_threshold = 0;
  Stills stills = Stills::before;
};

InputKind input_kind(const GstCaps *caps);

// The time of a caption, in timestamps of the outgoing segment.
struct AskedTime {
  TimeSpan window;
  bool end_known = true;
  // It ends with a cut, before the end of `window`, but not before this time. Empty: no cut ends it.
  std::optional<uint64_t> sure_until = {};
  bool is_window = false;  // not the time of one image or text
};

// Used only by the streaming thread.
class CaptionInput {
 public:
  explicit CaptionInput(const InputSettings &settings);

  void set_caps(const GstCaps *caps);
  // After a flush: the next segment starts from scratch.
  void reset();
  // A new stream, whose times have nothing to do with those of the last one.
  void begin_stream();

  // Subtitle encoders write timestamps as they come, whatever the segment is. So in the segment for
  // downstream a timestamp is the stream time, the time in the film: the running times are those of the
  // segment that came in. One that is not in time starts at 0.
  struct Placed {
    GstSegment segment;
    bool continues = false;  // the same time continues, and so do the windows
  };
  // `duration`: of the whole stream, if known. `is_sought`: the stream may not begin here.
  Placed set_segment(const GstSegment &segment, std::optional<uint64_t> duration, bool is_sought = false);

  struct Taken {
    bool keep = false;  // make a still of it
    uint64_t stream_time = 0;
    std::optional<AskedTime> asked;
    uint64_t time = 0;       // in timestamps of the outgoing segment
    bool is_window = false;  // pictures are sampled in windows
    // End of the previous caption, if that was requested with an unknown end.
    std::optional<uint64_t> ends_open;
    // Live: pictures have come for a while with times before that of an earlier one, by so much. Once.
    std::optional<uint64_t> behind;
    // The picture lies behind the known end of the material, where its window has no caption: until then
    // there is silence.
    std::optional<uint64_t> silent_until = {};
  };
  // Whether take() needs the thumbnails of these pictures.
  bool looks_for_cuts() const;
  // `live`: the first window starts with its first frame. `thumbnail`: empty if there is none.
  Taken take(const GstBuffer *buffer, bool live, Thumbnail thumbnail = {});

  // A timestamp that came in, as one of the outgoing segment.
  uint64_t outgoing(uint64_t time) const;

  bool has_segment() const { return placed_; }
  InputKind kind() const { return kind_; }
  // The one that came in.
  const GstSegment &segment() const { return segment_; }

 private:
  void begin();
  void move_by(int64_t moved);
  std::optional<uint64_t> begin_behind_stop(uint64_t stream_time);
  void note_stop(uint64_t whole_end);
  uint64_t end_in_material(uint64_t time, uint64_t whole_end, bool is_known);
  bool is_sampled(const GstBuffer *buffer, uint64_t time) const;
  bool is_falling() const { return (segment_.rate < 0) != (segment_.applied_rate < 0); }
  uint64_t timestamp(uint64_t stream_time, uint64_t otherwise) const;
  uint64_t stream_start() const;
  FrameSampler::Decision sample(uint64_t stream_time, uint64_t lasts = 0);
  bool is_stray(const GstBuffer *buffer, uint64_t time);
  std::optional<uint64_t> note_behind(uint64_t time);
  Taken take_image(const GstBuffer *buffer, uint64_t time, bool live);
  Taken take_frame(const GstBuffer *buffer, uint64_t time, bool live);
  Taken take_until_cut(const GstBuffer *buffer, uint64_t time, uint64_t stream_time, bool live);
  uint64_t duration_of(const GstBuffer *buffer, uint64_t time) const;
  Taken take_incoming(const GstBuffer *buffer, bool live);
  Taken take_single(const GstBuffer *buffer, uint64_t time);

  const uint64_t interval_;
  const uint64_t min_interval_;
  const ImageSampling image_sampling_;
  const Align align_;
  FrameSampler sampler_;
  CutWindows cuts_;
  Thumbnail seen_;    // of this picture, while it is taken
  Thumbnail before_;  // of the last picture
  InputKind kind_ = InputKind::none;
  uint64_t frame_duration_ = 0;     // from the caps; 0 if they have none
  GstSegment segment_ = {};         // before the first segment, one that starts at 0
  int64_t shift_ = 0;               // added to a timestamp for the outgoing segment
  bool placed_ = false;             // a segment has arrived since the last reset
  std::optional<uint64_t> origin_;  // stream time at which the stream begins
  std::optional<uint64_t> material_end_;
  std::optional<TimeSpan> behind_end_;  // the part of the last window that lies behind it
  uint64_t next_time_ = 0;              // time of the next buffer without a timestamp
  bool first_ = true;                   // no window has begun
  std::optional<uint64_t> last_image_;
  // Live, of pictures: the last time, that of one which may be wrong, and since when times are behind.
  std::optional<uint64_t> last_time_;
  std::optional<uint64_t> stray_;
  uint64_t stride_ = 0;  // between two times that were far apart and believed
  std::optional<uint64_t> behind_since_;
  uint64_t latest_ = 0;
  // Stream time at which the segment's stop cuts the last window. If another segment continues there, its
  // pictures begin a window.
  std::optional<uint64_t> cut_at_;
  std::optional<uint64_t> open_end_;  // end of the window of an image with unknown duration
};

}  // namespace genclip
