// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A clip that was generated is decoded whole, and each of its frames must be there: a file that was damaged
// on its way loses frames without any error. Foreign media are decoded whole if they last up to 60 s. Of
// longer ones, both ends are decoded, and the sound alone as far as time allows.
#include <glib.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "plugin/base/gref.h"
#include "plugin/base/number.h"
#include "plugin/vetting/clip_index.h"
#include "plugin/vetting/decode_pass.h"
#include "plugin/vetting/gain.h"
#include "plugin/vetting/make_vetter.h"
#include "plugin/vetting/vetting_log.h"

namespace genclip {
namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds kWhole = std::chrono::seconds(60);
constexpr nanoseconds kEnd = std::chrono::seconds(10);
constexpr nanoseconds kLead = std::chrono::milliseconds(500);
constexpr nanoseconds kLongestFrame = std::chrono::milliseconds(100);
// The service's seconds are rounded.
constexpr nanoseconds kServiceRounding = std::chrono::milliseconds(500);
// By so much, the end of a generated clip may be before what its container says, and of a foreign one.
constexpr nanoseconds kShortTail = std::chrono::milliseconds(150);
constexpr nanoseconds kForeignTail = std::chrono::seconds(1);
// qtdemux leaves out frames at the end whose place the edit list has shifted, when the clip is shown too.
constexpr size_t kShiftedFrames = 3;
// This part of the frames of foreign media may be lost: recordings begin between key frames.
constexpr double kForeignLoss = 0.05;
// A pass over the sound ends so long before the patience does.
constexpr gint64 kMargin = G_USEC_PER_SEC / 5;

std::string seconds_text(nanoseconds time) {
  return rounded_text(std::chrono::duration<double>(time).count(), 2) + " s";
}

std::string frames_text(size_t count) {
  return count == 1 ? "A frame is" : std::to_string(count) + " frames are";
}

Error unfit(const std::string &text) { return {ErrorKind::wrong_type, text}; }

Error missing_at(const MissingFrames &missing) {
  return unfit(frames_text(missing.count) + " missing at " + seconds_text(missing.first) + ".");
}

// One request.
class Vetting {
 public:
  Vetting(const VettingRequest &request, const MediaAccess &access, GCancellable *cancellable)
      : request_(request),
        access_(access),
        cancellable_(cancellable),
        deadline_(g_get_monotonic_time() + std::chrono::microseconds(request.patience).count()) {}

  Result<VettedMedia> run() {
    if (g_cancellable_is_cancelled(cancellable_)) return cancelled();
    if (auto read = read_index(); !read) return std::move(read).error();
    DecodePass pass(order());
    if (auto opened = pass.open(); !opened) return told_of_opening(std::move(opened).error());
    duration_ = pass.duration();
    if (!pass.record().has_picture) return unfit("It has no picture that can be decoded.");
    if (!request_.is_generated && duration_ && *duration_ > kWhole) return vet_long(pass);
    // Foreign media may have no end.
    const bool is_endless = !request_.is_generated && !duration_ && request_.length;
    const auto until = is_endless ? std::optional(request_.in + *request_.length) : std::nullopt;
    if (auto ended = pass.run(until); !ended) return told(std::move(ended).error());
    return vet_whole(pass.record());
  }

 private:
  DecodeOrder order(bool with_picture = true) const {
    return {request_.uri, with_picture, request_.is_generated, request_.is_mono, deadline_,
            cancellable_, access_};
  }

  // Where the wanted part ends, of media that end then.
  nanoseconds part_end(nanoseconds end) const {
    return request_.length ? std::min(end, request_.in + *request_.length) : end;
  }

  Error told(Error error) const {
    if (error.kind == ErrorKind::timed_out)
      error.text = "It could not be decoded within " + std::to_string(request_.patience.count()) + " s.";
    return error;
  }

  // Of a file, the disk is slow or the machine is busy.
  Error told_of_opening(Error error) const {
    const bool is_file = request_.uri.starts_with("file:");
    if (error.kind != ErrorKind::timed_out || is_file) return told(std::move(error));
    return {ErrorKind::open_read, "Its server sent nothing that can be decoded within " +
                                      std::to_string(request_.patience.count()) + " s."};
  }

  Result<void> read_index() {
    const GStringPtr path(g_filename_from_uri(request_.uri.c_str(), nullptr, nullptr));
    if (!path) return {};
    auto promised = promised_frames(path.get());
    if (!promised) {
      // GStreamer plays some foreign media whose index looks damaged.
      if (!request_.is_generated && promised.error().kind == ErrorKind::wrong_type) return {};
      return std::move(promised).error();
    }
    promised_ = std::move(*promised);
    return {};
  }

  Result<VettedMedia> vet_whole(DecodeRecord record) const {
    auto &frames = record.frames;
    frames = sorted(std::move(frames));
    const auto end = picture_end(frames);
    if (!end) return unfit("It has no frame that can be decoded.");
    if (frames.size() == 1 && !record.has_demuxer && !record.has_sound) return still();
    if (auto complete = check_frames(record, *end); !complete) return std::move(complete).error();
    return media(record, *end, first_frame(frames));
  }

  // When the frame begins that is shown at `in`, unless it is one that stands for long.
  nanoseconds first_frame(const std::vector<ShownFrame> &sorted) const {
    const auto behind = std::partition_point(
        sorted.begin(), sorted.end(), [&](const ShownFrame &frame) { return frame.begin <= request_.in; });
    if (behind == sorted.begin() || request_.in - std::prev(behind)->begin > kLongestFrame)
      return request_.in;
    return std::prev(behind)->begin;
  }

  Result<VettedMedia> still() const {
    const auto length = request_.length ? request_.length : request_.still_length;
    if (!length || *length <= nanoseconds::zero())
      return Error{ErrorKind::settings, "It is a still, which needs a duration."};
    VettedMedia vetted;
    vetted.is_still = true;
    vetted.length = *length;
    return vetted;
  }

  Result<void> check_frames(const DecodeRecord &record, nanoseconds end) const {
    const bool is_generated = request_.is_generated;
    if (is_generated && record.first_damaged)
      return unfit("The frame at " + seconds_text(*record.first_damaged) + " is damaged.");
    const size_t count = record.frames.size();
    const size_t lost = record.encoded > count ? record.encoded - count : 0;
    const size_t allowed = is_generated ? 0 : static_cast<size_t>(kForeignLoss * static_cast<double>(count));
    if (!is_generated && promised_ && count + allowed < promised_->size())
      return unfit("Only " + std::to_string(count) + " of its " + std::to_string(promised_->size()) +
                   " frames can be decoded.");
    if (lost > allowed) return unfit(frames_text(lost) + " not decodable; the file is damaged.");
    if (is_generated) {
      if (const auto gap = gaps(record.frames)) return missing_at(*gap);
      if (const auto gap = promised_ ? missing(*promised_, record.frames) : std::nullopt) {
        const auto after = std::count_if(promised_->begin(), promised_->end(),
                                         [&](nanoseconds time) { return time >= gap->first; });
        const bool is_tail = static_cast<size_t>(after) == gap->count;
        if (!is_tail || gap->count > kShiftedFrames) return missing_at(*gap);
      }
      if (request_.expected && end < *request_.expected - kServiceRounding)
        return unfit("It lasts " + seconds_text(end) + " instead of " + seconds_text(*request_.expected) +
                     ".");
    }
    // The longest stream makes the container's duration.
    const nanoseconds tail = is_generated ? kShortTail : std::max(kForeignTail, end / 20);
    const nanoseconds heard = std::max(end, record.sound_end.value_or(nanoseconds::zero()));
    // Of a file that does not begin at 0, some containers tell the end and not the length.
    if (duration_ && std::max(heard, record.own_end) < *duration_ - tail)
      return unfit("Its end is missing: it lasts " + seconds_text(heard) + " instead of " +
                   seconds_text(*duration_) + ".");
    return {};
  }

  // `end`: of its picture.
  Result<VettedMedia> media(const DecodeRecord &record, nanoseconds end, nanoseconds first) const {
    if (request_.in >= end) return begins_too_late(end);
    VettedMedia vetted;
    vetted.has_audio = record.has_sound;
    vetted.in = first;
    vetted.length = part_end(end) - request_.in;
    vetted.frames = record.frames.size();
    if (vetted.has_audio) set_loudness(vetted, record.loudness_between(request_.in, part_end(end)));
    return vetted;
  }

  void set_loudness(VettedMedia &vetted, const Loudness &loudness) const {
    const Gain gain = gain_for(loudness, request_.target_lufs, request_.true_peak_limit_db);
    vetted.lufs = loudness.lufs.value_or(0);
    vetted.true_peak_db = std::isfinite(loudness.true_peak_db) ? loudness.true_peak_db : 0;
    vetted.gain_db = gain.db;
    vetted.gain_note = gain.note;
  }

  // Of long foreign media: a short part whole, a long one at both ends.
  Result<VettedMedia> vet_long(DecodePass &pass) const {
    const nanoseconds in = request_.in, end = part_end(*duration_);
    if (in >= end) return begins_too_late(end);
    const bool is_short = end - in <= kWhole;
    const nanoseconds first_end = is_short ? end : in + kEnd;
    // With the frame that is on at `in`, which a decoder would cut.
    const bool can_seek = pass.seek(std::max(nanoseconds::zero(), in - kLead), first_end);
    if (!can_seek && in > nanoseconds::zero())
      return Error{ErrorKind::settings,
                   "It cannot be begun at " + seconds_text(in) + ": its source cannot seek."};
    if (auto ended = pass.run(can_seek ? std::nullopt : std::optional(first_end)); !ended)
      return told(std::move(ended).error());
    const auto frames = sorted(pass.record().frames);
    auto last = picture_end(frames);
    if (!last || *last <= in) return unfit("It has no picture at " + seconds_text(in) + ".");
    VettedMedia vetted;
    vetted.has_audio = pass.record().has_sound;
    // Elsewhere a picture that stands for long may say that it lasts one picture of the mean rate.
    vetted.may_have_holes = promised_.has_value();
    vetted.in = first_frame(frames);
    if (is_short) {
      if (*last < end - kForeignTail && can_seek)
        return unfit("Its picture ends at " + seconds_text(*last) + ".");
      vetted.length = std::min(end, *last) - in;
      if (vetted.has_audio) set_loudness(vetted, pass.record().loudness_between(in, std::min(end, *last)));
      return vetted;
    }
    vetted.length = end - in;
    if (can_seek) {
      if (!pass.seek(end - kEnd, end)) return unfit("Its end cannot be found.");
      if (auto ended = pass.run(); !ended) return told(std::move(ended).error());
      last = picture_end(sorted(pass.record().frames));
      if (!last) return unfit("It has no picture at its end.");
      vetted.length = std::min(end, *last) - in;
    }
    if (vetted.has_audio && request_.target_lufs != 0)
      if (auto done = measure_sound(vetted, can_seek); !done) return std::move(done).error();
    return vetted;
  }

  static std::vector<ShownFrame> sorted(std::vector<ShownFrame> frames) {
    std::stable_sort(frames.begin(), frames.end(),
                     [](const ShownFrame &a, const ShownFrame &b) { return a.begin < b.begin; });
    return frames;
  }

  Error begins_too_late(nanoseconds end) const {
    return {ErrorKind::settings, "It ends at " + seconds_text(end) + ", before the wanted part begins (" +
                                     seconds_text(request_.in) + ")."};
  }

  // Only a cancelled wait is an error.
  Result<void> measure_sound(VettedMedia &vetted, bool can_seek) const {
    const nanoseconds end = request_.in + vetted.length;
    DecodeOrder sound = order(false);
    sound.deadline -= kMargin;
    DecodePass pass(sound);
    auto done = pass.open();
    if (done && can_seek && !pass.seek(request_.in, end)) done = unfit("");
    if (done) done = pass.run();
    if (!done && done.error().kind == ErrorKind::cancelled) return done;
    if (done) {
      set_loudness(vetted, pass.record().loudness_between(request_.in, end));
    } else {
      vetted.is_loudness_unknown = true;
      vetted.gain_note =
          "Its loudness could not be measured within " + std::to_string(request_.patience.count()) + " s.";
    }
    return {};
  }

  const VettingRequest &request_;
  const MediaAccess &access_;
  GCancellable *const cancellable_;
  const gint64 deadline_;
  std::optional<std::vector<nanoseconds>> promised_;
  std::optional<nanoseconds> duration_;  // As the container says.
};

class GstVetter final : public Vetter {
 public:
  explicit GstVetter(MediaAccess access) : access_(std::move(access)) {}

  Result<VettedMedia> vet(const VettingRequest &request, GCancellable *cancellable) override {
    auto vetted = Vetting(request, access_, cancellable).run();
    if (vetted)
      GST_CAT_DEBUG(vetting_category(),
                    "Fit: %s, %" G_GUINT64_FORMAT " frames, %.1f LUFS, %.1f dBTP, gain %.1f dB",
                    seconds_text(vetted->length).c_str(), vetted->frames, vetted->lufs, vetted->true_peak_db,
                    vetted->gain_db);
    else
      GST_CAT_DEBUG(vetting_category(), "Not fit: %s", log_text(vetted.error()).c_str());
    return vetted;
  }

 private:
  const MediaAccess access_;
};

}  // namespace

std::shared_ptr<Vetter> make_vetter(MediaAccess access) {
  return std::make_shared<GstVetter>(std::move(access));
}

}  // namespace genclip
