// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/captioner/caption_input.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace genclip {
namespace {

// Number of pictures of an interval that are kept for the choice of its stills.
unsigned kept_of(const InputSettings &settings) {
  const unsigned frames = std::max(settings.frames, 1u);
  if (settings.stills == Stills::before) return frames;
  // The middle of each part; a window may end with a cut at any time.
  return settings.align == Align::fixed ? 2 * frames : std::max(2 * frames, 8u);
}

// Nothing in a stream is as late as this: GStreamer computes with signed times as well.
// GST_CLOCK_TIME_NONE is later still.
constexpr uint64_t kNever = G_MAXINT64;

// Each moment of the film is played at the same time in both, whatever its timestamp is: matroskademux sends
// a second segment when it knows where the film begins, and qtdemux one for each edit.
bool is_same_time(const GstSegment &a, const GstSegment &b) {
  if (a.rate != b.rate || a.applied_rate != b.applied_rate) return false;
  if (a.start == b.start && a.time == b.time && a.base == b.base && a.offset == b.offset) return true;
  const bool is_plain = a.rate == 1 && a.applied_rate == 1 && std::max(a.time, b.time) < kNever &&
                        std::max(a.start, b.start) < kNever;
  // The running time of stream time 0.
  return is_plain && a.base - a.time - a.offset == b.base - b.time - b.offset;
}

// Live, a picture that is later than the one before by more than this is not believed before another one
// confirms its time.
constexpr uint64_t kJump = 60 * GST_SECOND;
// Of a window behind the stop of a segment, to have a caption of its own.
constexpr uint64_t kShortestRest = GST_SECOND / 2;
// Live, a warning tells of times that are behind for as long as this.
constexpr uint64_t kBehind = 5 * GST_SECOND;

// From a timestamp to its stream time, if that is the same for all of them; else 0.
int64_t shift_of(const GstSegment &segment) {
  if (segment.applied_rate != 1 || segment.time >= kNever || segment.start >= kNever) return 0;
  const uint64_t length = segment.stop == GST_CLOCK_TIME_NONE ? 0 : segment.stop - segment.start;
  if (length >= kNever - segment.time) return 0;
  return static_cast<int64_t>(segment.time) - static_cast<int64_t>(segment.start);
}

// Not before 0.
uint64_t shifted(uint64_t time, int64_t by) {
  if (!GST_CLOCK_TIME_IS_VALID(time)) return time;
  const auto distance = static_cast<uint64_t>(std::abs(by));
  if (by < 0) return time - std::min(time, distance);
  return time + std::min(distance, GST_CLOCK_TIME_NONE - 1 - time);
}

// 0 if one of them could not be measured.
double change(const Thumbnail &a, const Thumbnail &b) {
  return a.empty() || b.empty() ? 0 : difference(a, b);
}

}  // namespace

InputKind input_kind(const GstCaps *caps) {
  const GstStructure *structure = gst_caps_get_structure(caps, 0);
  const std::string_view name = gst_structure_get_name(structure);
  if (name == "video/x-raw") return InputKind::video;
  if (name.starts_with("image/")) return InputKind::image;
  const char *format = gst_structure_get_string(structure, "format");
  return format && std::string_view(format) == "pango-markup" ? InputKind::markup : InputKind::text;
}

CaptionInput::CaptionInput(const InputSettings &settings)
    : interval_(settings.interval),
      min_interval_(std::min(settings.min_interval, settings.interval)),
      image_sampling_(settings.image_sampling),
      align_(settings.align),
      sampler_(settings.interval, kept_of(settings)),
      cuts_({settings.interval, settings.min_interval, settings.interval / kept_of(settings),
             settings.cut_threshold}) {
  gst_segment_init(&segment_, GST_FORMAT_TIME);
}

void CaptionInput::set_caps(const GstCaps *caps) {
  kind_ = input_kind(caps);
  int n = 0;
  int d = 0;
  const bool rated = gst_structure_get_fraction(gst_caps_get_structure(caps, 0), "framerate", &n, &d);
  frame_duration_ = rated && n > 0 && d > 0 ? gst_util_uint64_scale_int(GST_SECOND, d, n) : 0;
}

CaptionInput::Placed CaptionInput::set_segment(const GstSegment &segment, std::optional<uint64_t> duration,
                                               bool is_sought) {
  GstSegment next = segment;
  if (segment.format != GST_FORMAT_TIME) {
    gst_segment_init(&next, GST_FORMAT_TIME);
    duration.reset();
  }
  const bool continues = placed_ && is_same_time(segment_, next);
  const int64_t moved = shift_ - shift_of(next);
  segment_ = next;
  shift_ = shift_of(segment_);
  placed_ = true;
  // MPEG-TS begins at any time, and tells how long it is.
  if (!origin_) origin_ = segment_.time < kNever && !is_sought ? segment_.time : 0;
  if (duration && *duration < kNever - *origin_) *duration += *origin_;
  material_end_ = duration;
  if (continues)
    move_by(moved);
  else
    begin();
  next.start = outgoing(next.start);
  next.stop = outgoing(next.stop);
  next.position = outgoing(next.position);
  return {next, continues};
}

uint64_t CaptionInput::outgoing(uint64_t time) const { return shifted(time, shift_); }

void CaptionInput::reset() {
  placed_ = false;
  begin();
}

void CaptionInput::begin_stream() {
  reset();
  origin_.reset();
}

// The same moments have other timestamps.
void CaptionInput::move_by(int64_t moved) {
  next_time_ = shifted(next_time_, moved);
  if (last_image_) last_image_ = shifted(*last_image_, moved);
  if (open_end_) open_end_ = shifted(*open_end_, moved);
  if (behind_end_) behind_end_ = {shifted(behind_end_->start, moved), shifted(behind_end_->end, moved)};
}

void CaptionInput::begin() {
  sampler_.reset();
  cuts_.reset(stream_start());
  before_.clear();
  first_ = true;
  last_image_.reset();
  last_time_.reset();
  stray_.reset();
  behind_since_.reset();
  stride_ = latest_ = 0;
  cut_at_.reset();
  open_end_.reset();
  behind_end_.reset();
  next_time_ = segment_.format == GST_FORMAT_TIME ? segment_.start : 0;
}

// Played in reverse, windows have a fixed length.
bool CaptionInput::looks_for_cuts() const {
  return align_ == Align::cuts && segment_.rate > 0 && segment_.applied_rate > 0 &&
         (kind_ == InputKind::video ||
          (kind_ == InputKind::image && image_sampling_ != ImageSampling::every));
}

CaptionInput::Taken CaptionInput::take(const GstBuffer *buffer, bool live, Thumbnail thumbnail) {
  seen_ = std::move(thumbnail);
  Taken taken = take_incoming(buffer, live);
  if (behind_end_ && taken.is_window && !taken.asked && taken.time >= behind_end_->start)
    taken.silent_until = std::min(taken.time + duration_of(buffer, taken.time), behind_end_->end);
  taken.time = outgoing(taken.time);
  if (taken.ends_open) taken.ends_open = outgoing(*taken.ends_open);
  if (taken.silent_until) taken.silent_until = outgoing(*taken.silent_until);
  if (auto &asked = taken.asked) {
    asked->window = {outgoing(asked->window.start), outgoing(asked->window.end)};
    if (asked->sure_until) asked->sure_until = outgoing(*asked->sure_until);
  }
  return taken;
}

CaptionInput::Taken CaptionInput::take_incoming(const GstBuffer *buffer, bool live) {
  uint64_t time = GST_BUFFER_PTS(buffer);
  if (time >= kNever) time = GST_BUFFER_DTS(buffer);
  if (time >= kNever) time = next_time_;
  next_time_ = time + duration_of(buffer, time);
  if (kind_ == InputKind::video) return take_frame(buffer, time, live);
  if (kind_ == InputKind::image) return take_image(buffer, time, live);
  return take_single(buffer, time);
}

uint64_t CaptionInput::timestamp(uint64_t stream_time, uint64_t otherwise) const {
  const uint64_t position = gst_segment_position_from_stream_time(&segment_, GST_FORMAT_TIME, stream_time);
  return GST_CLOCK_TIME_IS_VALID(position) ? position : otherwise;
}

uint64_t CaptionInput::stream_start() const {
  const uint64_t start = gst_segment_to_stream_time(&segment_, GST_FORMAT_TIME, segment_.start);
  return GST_CLOCK_TIME_IS_VALID(start) ? start : 0;
}

// 0: unknown. So is an end beyond all times: for example, subparse gives the last text of a SAMI file, which
// has no end, a duration up to GST_CLOCK_TIME_NONE.
uint64_t CaptionInput::duration_of(const GstBuffer *buffer, uint64_t time) const {
  const uint64_t duration = GST_BUFFER_DURATION(buffer);
  return duration > 0 && duration < kNever - time ? duration : frame_duration_;
}

// If upstream reversed the stream, a buffer at this timestamp shows the frame that ends at this stream time.
FrameSampler::Decision CaptionInput::sample(uint64_t stream_time, uint64_t lasts) {
  if (segment_.applied_rate < 0 && stream_time > 0) --stream_time;
  return sampler_.on_frame(stream_time, is_falling(), lasts);
}

// A single wrong time, for example of a packet that was damaged: what is believed cannot be taken back, and
// the pictures behind it would have no captions until then.
bool CaptionInput::is_stray(const GstBuffer *buffer, uint64_t time) {
  const uint64_t usual = std::max(std::min(duration_of(buffer, time), kNever / 4), stride_);
  const uint64_t ahead = last_time_ && time > *last_time_ ? time - *last_time_ : 0;
  if (ahead > std::max(kJump, 2 * usual)) {
    if (!stray_ || time < *stray_) {
      stray_ = time;
      return true;
    }
    stride_ = ahead;
  }
  stray_.reset();
  last_time_ = time;
  return false;
}

// Where the rest of the window begins, if this picture is the first one of it.
std::optional<uint64_t> CaptionInput::begin_behind_stop(uint64_t stream_time) {
  if (!cut_at_ || is_falling() || stream_time < *cut_at_) return std::nullopt;
  sampler_.reset();
  cuts_.reset(*cut_at_);
  return std::exchange(cut_at_, std::nullopt);
}

void CaptionInput::note_stop(uint64_t whole_end) {
  cut_at_.reset();
  if (!GST_CLOCK_TIME_IS_VALID(segment_.stop) || whole_end <= segment_.stop) return;
  // What is shorter would be paid for, and nobody could read it.
  if (whole_end - segment_.stop < kShortestRest) return;
  const uint64_t stop = gst_segment_to_stream_time(&segment_, GST_FORMAT_TIME, segment_.stop);
  if (GST_CLOCK_TIME_IS_VALID(stop)) cut_at_ = stop;
}

// What the material was said to last may be too short, so pictures can come behind its end. Their silence is
// told with each of them, and not before: a muxer may count it as a part of the film.
uint64_t CaptionInput::end_in_material(uint64_t time, uint64_t whole_end, bool is_known) {
  uint64_t end = whole_end;
  if (material_end_ && is_known) {
    const uint64_t material = timestamp(*material_end_, end);
    if (material > time) end = std::min(end, material);
  }
  behind_end_.reset();
  if (end < whole_end && !is_falling()) behind_end_ = TimeSpan{end, whole_end};
  return end;
}

std::optional<uint64_t> CaptionInput::note_behind(uint64_t time) {
  if (time >= latest_) {
    latest_ = time;
    behind_since_.reset();
    return std::nullopt;
  }
  if (!behind_since_) behind_since_ = time;
  if (*behind_since_ == kNever || time < *behind_since_ || time - *behind_since_ < kBehind)
    return std::nullopt;
  behind_since_ = kNever;  // told
  return latest_ - time;
}

// The codec must not affect costs: images that arrive as fast as video are sampled like video.
bool CaptionInput::is_sampled(const GstBuffer *buffer, uint64_t time) const {
  if (image_sampling_ != ImageSampling::automatic) return image_sampling_ == ImageSampling::interval;
  if (const uint64_t duration = duration_of(buffer, time); duration > 0) return duration < interval_;
  return last_image_ && (time < *last_image_ ? *last_image_ - time : time - *last_image_) < interval_;
}

CaptionInput::Taken CaptionInput::take_image(const GstBuffer *buffer, uint64_t time, bool live) {
  const bool sampled = is_sampled(buffer, time);
  last_image_ = time;
  if (sampled) {
    Taken taken = take_frame(buffer, time, live);
    // The next window ends it too, but may start later than a parallel queue can wait.
    taken.ends_open = std::exchange(open_end_, std::nullopt);
    return taken;
  }
  Taken taken = take_single(buffer, time);
  first_ = false;
  open_end_.reset();
  if (!taken.asked || image_sampling_ == ImageSampling::every) return taken;
  // Images that follow immediately belong to the same window.
  if (const auto window = sample(taken.stream_time).window; window && !taken.asked->end_known)
    open_end_ = timestamp(window->end, taken.asked->window.end);
  return taken;
}

CaptionInput::Taken CaptionInput::take_frame(const GstBuffer *buffer, uint64_t time, bool live) {
  if (segment_.start != GST_CLOCK_TIME_NONE && time < segment_.start) return {};
  if (GST_CLOCK_TIME_IS_VALID(segment_.stop) && time >= segment_.stop) return {};
  const uint64_t stream_time = gst_segment_to_stream_time(&segment_, GST_FORMAT_TIME, time);
  if (!GST_CLOCK_TIME_IS_VALID(stream_time)) return {};
  const bool rises = live && !is_falling();
  if (rises && is_stray(buffer, stream_time)) return {};
  const std::optional<uint64_t> behind = rises ? note_behind(stream_time) : std::nullopt;
  const std::optional<uint64_t> rest = begin_behind_stop(stream_time);
  if (looks_for_cuts()) {
    Taken taken = take_until_cut(buffer, time, stream_time, live);
    taken.behind = behind;
    return taken;
  }
  // Live, the next picture may come at any time.
  const bool may_last = !live && segment_.rate > 0 && segment_.applied_rate == 1;
  // No window begins behind the stop.
  const uint64_t left = GST_CLOCK_TIME_IS_VALID(segment_.stop) ? segment_.stop - std::min(segment_.stop, time)
                                                               : GST_CLOCK_TIME_NONE;
  auto decision = sample(stream_time, may_last ? std::min(duration_of(buffer, time), left) : 0);
  Taken taken{decision.keep, stream_time, {}, time, true, {}, behind};
  if (!decision.window) return taken;

  const bool turned_round = segment_.applied_rate < 0;
  if (turned_round) std::swap(decision.window->start, decision.window->end);
  const uint64_t stop =
      GST_CLOCK_TIME_IS_VALID(segment_.stop) ? segment_.stop : std::numeric_limits<uint64_t>::max();
  uint64_t start = timestamp(decision.window->start, segment_.start);
  if (rest) start = std::max(start, timestamp(*rest, segment_.start));
  // A window that started before the stream starts with its first frame.
  if (first_ && !is_falling()) start = time;
  const bool is_ahead = !turned_round && decision.window->start > stream_time;
  if (!is_ahead) start = std::clamp<uint64_t>(start, segment_.start, time);
  note_stop(timestamp(decision.window->end, start + interval_));
  uint64_t whole_end = std::min(timestamp(decision.window->end, start + interval_), stop);
  // A picture that lasts longer than its window keeps its caption for its whole duration.
  const uint64_t lasts = duration_of(buffer, time);
  if (segment_.rate > 0 && lasts > 0) whole_end = std::max(whole_end, std::min(time + lasts, stop));
  const uint64_t end = end_in_material(time, whole_end, !live && !turned_round);
  first_ = false;
  if (end > start) taken.asked = AskedTime{{start, end}, true, {}, true};
  return taken;
}

// A window that lasts until the picture changes: its end is known with the next one.
CaptionInput::Taken CaptionInput::take_until_cut(const GstBuffer *buffer, uint64_t time, uint64_t stream_time,
                                                 bool live) {
  const auto decision = cuts_.on_picture({stream_time, duration_of(buffer, time), change(before_, seen_)});
  Taken taken{decision.keep, stream_time, {}, time, true, {}, {}};
  if (decision.last) taken.ends_open = timestamp(*decision.last, time);
  before_ = std::move(seen_);
  if (!decision.begins) return taken;

  const uint64_t stop =
      GST_CLOCK_TIME_IS_VALID(segment_.stop) ? segment_.stop : std::numeric_limits<uint64_t>::max();
  const uint64_t start =
      first_ ? time : std::clamp<uint64_t>(timestamp(decision.start, time), segment_.start, time);
  note_stop(timestamp(decision.end, start + interval_));
  const uint64_t whole_end = std::min(timestamp(decision.end, start + interval_), stop);
  const uint64_t end = end_in_material(time, whole_end, !live);
  first_ = false;
  if (end > start) taken.asked = AskedTime{{start, end}, false, std::min(end, start + min_interval_), true};
  return taken;
}

// Images and texts: each one gets a caption.
CaptionInput::Taken CaptionInput::take_single(const GstBuffer *buffer, uint64_t time) {
  const uint64_t lasts = duration_of(buffer, time);
  const bool known = lasts > 0;
  uint64_t start = time;
  uint64_t end = time + (known ? lasts : interval_);
  if (!gst_segment_clip(&segment_, GST_FORMAT_TIME, start, end, &start, &end) || end <= start) return {};
  next_time_ = std::max(next_time_, known ? end : time + interval_);
  return {true,
          gst_segment_to_stream_time(&segment_, GST_FORMAT_TIME, start),
          AskedTime{{start, end}, known},
          time,
          false,
          {},
          {}};
}

}  // namespace genclip
