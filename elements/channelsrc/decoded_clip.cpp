// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/channelsrc/decoded_clip.h"

#include <cmath>
#include <utility>
#include <vector>

#include "elements/channelsrc/over_black.h"
#include "plugin/base/background_work.h"
#include "plugin/base/log.h"
#include "plugin/caption/jpeg_orientation.h"
#include "plugin/channel/clip_survey.h"
#include "plugin/channel/item_source.h"
#include "plugin/http/redaction.h"
#include "plugin/vetting/channel_positions.h"
#include "plugin/vetting/server_fault.h"

namespace genclip {

GstDebugCategory *playout_category() {
  static GstDebugCategory *const category = new_log_category("genclip-playout", "Playout of a channel");
  return category;
}

std::shared_ptr<DecodedClip> DecodedClip::open(const ReadyMedia &media, uint64_t frames, const ClipForm &form,
                                               std::vector<std::shared_ptr<Waker>> wakers) {
  std::shared_ptr<DecodedClip> clip(new DecodedClip(media, frames, form, std::move(wakers)));
  GST_CAT_INFO(playout_category(), "%s: opened", media.source.c_str());
  clip->later(&DecodedClip::start);
  return clip;
}

DecodedClip::DecodedClip(const ReadyMedia &media, uint64_t frames, const ClipForm &form,
                         std::vector<std::shared_ptr<Waker>> wakers)
    : media_(media),
      form_(form),
      wakers_(std::move(wakers)),
      sound_ahead_(form.grid.sample_of(form.ahead)),
      pipeline_(new_background_pipeline()),
      pictures_(form.grid, media.is_still, frames, media.may_have_holes),
      sounds_(form.grid, form.bytes_per_sample),
      gain_db_(media.gain_db) {
  make_end(picture_end_, Side::picture);
  make_end(sound_end_, Side::sound);
}

// Only close() ends the pipeline; the thread that does so holds the clip.
DecodedClip::~DecodedClip() = default;

void DecodedClip::later(void (DecodedClip::*work)()) {
  struct Call {
    std::shared_ptr<DecodedClip> clip;
    void (DecodedClip::*work)();
  };
  gst_element_call_async(
      pipeline_.get(),
      [](GstElement *, gpointer data) {
        const auto *call = static_cast<Call *>(data);
        ((*call->clip).*(call->work))();
      },
      new Call{shared_from_this(), work}, [](gpointer data) { delete static_cast<Call *>(data); });
}

void DecodedClip::make_end(End &end, Side side) {
  end.side = side;
  end.clip = this;
  end.wants_seek = media_.in.count() > 0 && !media_.is_still;
  gst_segment_init(&end.segment, GST_FORMAT_TIME);
  end.pad = GRef<GstPad>::adopt(
      GST_PAD(gst_object_ref_sink(gst_pad_new(side == Side::picture ? "picture" : "sound", GST_PAD_SINK))));
  GstPad *pad = end.pad.get();
  gst_pad_set_chain_function_full(
      pad,
      [](GstPad *sink, GstObject *, GstBuffer *buffer) -> GstFlowReturn {
        auto &of = *static_cast<End *>(sink->chaindata);
        return of.clip->chain(of, GRef<GstBuffer>::adopt(buffer));
      },
      &end, nullptr);
  gst_pad_set_event_function_full(
      pad,
      [](GstPad *sink, GstObject *, GstEvent *event) -> gboolean {
        auto &of = *static_cast<End *>(sink->eventdata);
        return of.clip->event(of, GRef<GstEvent>::adopt(event));
      },
      &end, nullptr);
  gst_pad_set_active(pad, TRUE);
}

// The element's limit is 10.
static void set_volume(const GRef<GstElement> &element, double gain_db) {
  g_object_set(element.get(), "volume", std::min(10.0, std::pow(10.0, gain_db / 20)), nullptr);
}

// ---- The pipeline's life, on worker threads.

void DecodedClip::start() {
  MutexLock life(life_);
  if (finished_) return;
  // A genclipsrc of its own would pay by its own defaults, and again whenever this is opened.
  if (is_clip_uri(media_.uri)) return fail(kOnlyItemsAreGenerated);
  GstElement *decoder = gst_element_factory_make("uridecodebin", nullptr);
  if (!decoder) return fail("GStreamer's element uridecodebin is not installed.");
  g_object_set(decoder, "uri", media_.uri.c_str(), nullptr);
  g_signal_connect(decoder, "source-setup",
                   G_CALLBACK(+[](GstElement *, GstElement *source, DecodedClip *clip) {
                     const auto done = set_up_media_source(source, clip->form_.access);
                     if (!done) clip->fail(done.error().text);
                   }),
                   this);
  g_signal_connect(decoder, "pad-added",
                   G_CALLBACK(+[](GstElement *, GstPad *pad, DecodedClip *clip) { clip->link(pad); }), this);
  g_signal_connect(decoder, "no-more-pads",
                   G_CALLBACK(+[](GstElement *, DecodedClip *clip) { clip->no_more_streams(); }), this);
  orientation_ = jpeg_file_orientation(media_.uri);
  gst_bin_add(GST_BIN(pipeline_.get()), decoder);
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline_.get()));
  gst_bus_set_sync_handler(
      bus.get(),
      [](GstBus *, GstMessage *message, gpointer clip) {
        if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
          static_cast<DecodedClip *>(clip)->fail_with(message);
        gst_message_unref(message);
        return GST_BUS_DROP;
      },
      this, nullptr);
  if (gst_element_set_state(pipeline_.get(), GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE)
    fail("It cannot be opened.");
}

void DecodedClip::seek() {
  GstEvent *seek = gst_event_new_seek(1, GST_FORMAT_TIME,
                                      static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE),
                                      GST_SEEK_TYPE_SET, media_.in.count(), GST_SEEK_TYPE_NONE, -1);
  if (!gst_pad_push_event(picture_end_.pad.get(), seek)) fail("It cannot be played from its `in` on.");
}

void DecodedClip::finish() {
  MutexLock life(life_);
  finished_ = true;
  gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline_.get()));
  gst_bus_set_sync_handler(bus.get(), nullptr, nullptr, nullptr);
  gst_pad_set_active(picture_end_.pad.get(), FALSE);
  gst_pad_set_active(sound_end_.pad.get(), FALSE);
}

void DecodedClip::close() {
  {
    MutexLock lock(mutex_);
    if (std::exchange(closed_, true)) return;
    pictures_.clear();
    sounds_.clear();
    room_.notify_all();
  }
  later(&DecodedClip::finish);
}

// ---- What the pipeline says, on its threads.

void DecodedClip::link(GstPad *decoded) {
  const auto caps = GRef<GstCaps>::adopt(gst_pad_query_caps(decoded, nullptr));
  const GstStructure *structure = gst_caps_is_any(caps.get()) || gst_caps_is_empty(caps.get())
                                      ? nullptr
                                      : gst_caps_get_structure(caps.get(), 0);
  const std::string media_type = structure ? gst_structure_get_name(structure) : "";
  const bool is_picture = media_type == "video/x-raw";
  if (!is_picture && (media_type != "audio/x-raw" || !form_.audio)) return;
  End &end = is_picture ? picture_end_ : sound_end_;
  {
    MutexLock lock(mutex_);
    if (std::exchange(end.is_linked, true)) return;  // The first of each kind.
  }
  std::string line;
  if (is_picture) {
    const auto current = GRef<GstCaps>::adopt(gst_pad_get_current_caps(decoded));
    if (has_alpha(current ? current.get() : caps.get()) && !has_alpha(form_.video.get()))
      line = "videoconvert ! capsfilter name=opaque caps=video/x-raw,format=ARGB ! ";
    line += "videoconvert ! deinterlace fields=top ! videoflip name=flip video-direction=auto ! ";
    if (form_.fit == Fit::crop) line += "aspectratiocrop name=crop ! ";
    line += form_.fit == Fit::stretch ? "videoconvertscale add-borders=false" : "videoconvertscale";
  } else {
    line = "audioconvert ! audioresample ! audioconvert ! volume name=gain";
  }
  line += " ! capsfilter name=form";
  GError *error = nullptr;
  GstElement *converter = gst_parse_bin_from_description(line.c_str(), TRUE, &error);
  if (!converter) {
    fail(std::string("It cannot be converted: ") + (error ? error->message : "no reason is known") + ".");
    g_clear_error(&error);
    return;
  }
  g_clear_error(&error);
  const auto part = [&](const char *name) {
    return GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(converter), name));
  };
  g_object_set(part("form").get(), "caps", is_picture ? form_.video.get() : form_.audio.get(), nullptr);
  if (const auto opaque = part("opaque"))
    lay_over_black(GRef<GstPad>::adopt(gst_element_get_static_pad(opaque.get(), "src")).get());
  if (const auto flip = part("flip"); flip && orientation_)
    g_object_set(flip.get(), "video-direction", *orientation_, nullptr);
  if (const auto crop = part("crop")) {
    int shape_n = 16, shape_d = 9;
    gst_util_double_to_fraction(form_.shape, &shape_n, &shape_d);
    gst_util_set_object_arg(G_OBJECT(crop.get()), "aspect-ratio",
                            (std::to_string(shape_n) + "/" + std::to_string(shape_d)).c_str());
  }
  if (auto volume = part("gain")) {
    MutexLock lock(mutex_);
    volume_ = std::move(volume);
    set_volume(volume_, gain_db_);
  }
  gst_bin_add(GST_BIN(pipeline_.get()), converter);
  const auto in = GRef<GstPad>::adopt(gst_element_get_static_pad(converter, "sink"));
  const auto out = GRef<GstPad>::adopt(gst_element_get_static_pad(converter, "src"));
  if (!is_picture) give_channel_positions(in.get());
  gst_element_sync_state_with_parent(converter);
  if (GST_PAD_LINK_FAILED(gst_pad_link(out.get(), end.pad.get())) ||
      GST_PAD_LINK_FAILED(gst_pad_link(decoded, in.get())))
    fail("Its streams cannot be converted.");
}

void DecodedClip::no_more_streams() {
  bool has_picture;
  {
    MutexLock lock(mutex_);
    streams_known_ = true;
    has_picture = picture_end_.is_linked;
  }
  if (!has_picture) return fail("It has no picture.");
  wake();
}

void DecodedClip::fail_with(GstMessage *message) {
  if (const std::string fault = server_fault(message); !fault.empty()) return fail(fault);
  GError *error = nullptr;
  gst_message_parse_error(message, &error, nullptr);
  fail(redact_text(error->message, ""));
  g_error_free(error);
}

void DecodedClip::fail(const std::string &why) {
  {
    MutexLock lock(mutex_);
    if (closed_ || !failure_.empty()) return;
    failure_ = why;
  }
  GST_CAT_WARNING(playout_category(), "%s: %s", media_.source.c_str(), why.c_str());
  wake();
}

void DecodedClip::wake() {
  for (const auto &waker : wakers_) waker->wake();
}

bool DecodedClip::has_room(const End &end) const {
  return end.side == Side::picture ? pictures_.size() < form_.ahead : sounds_.waiting() < sound_ahead_;
}

GstFlowReturn DecodedClip::chain(End &end, GRef<GstBuffer> buffer) {
  {
    MutexLock lock(mutex_);
    if (end.wants_seek && end.side == Side::picture && !std::exchange(was_seeked_, true)) {
      lock.unlock();
      later(&DecodedClip::seek);
      lock.lock();
    }
    while (!closed_ && !end.flushing && (end.wants_seek || !has_room(end))) room_.wait(lock);
    if (closed_ || end.flushing) return GST_FLOW_FLUSHING;
    const GstClockTime pts = GST_BUFFER_PTS(buffer.get()), duration = GST_BUFFER_DURATION(buffer.get());
    guint64 start = pts, stop = GST_CLOCK_TIME_NONE;
    if (GST_CLOCK_TIME_IS_VALID(pts)) {
      if (GST_CLOCK_TIME_IS_VALID(duration)) stop = pts + duration;
      if (!gst_segment_clip(&end.segment, GST_FORMAT_TIME, pts, stop, &start, &stop)) return GST_FLOW_OK;
      const GstClockTime length = GST_CLOCK_TIME_IS_VALID(stop) ? stop - start : GST_CLOCK_TIME_NONE;
      start = gst_segment_to_running_time(&end.segment, GST_FORMAT_TIME, start);
      if (end.side == Side::picture)
        pictures_.add(std::move(buffer), start, length);
      else
        sounds_.add(std::move(buffer), start);
    } else if (end.side == Side::sound) {
      sounds_.add(std::move(buffer), GST_CLOCK_TIME_NONE);
    } else {  // An image may have no time.
      pictures_.add(std::move(buffer), 0, GST_CLOCK_TIME_NONE);
    }
    ++end.arrivals;
  }
  wake();
  return GST_FLOW_OK;
}

bool DecodedClip::event(End &end, const GRef<GstEvent> &event) {
  {
    MutexLock lock(mutex_);
    switch (GST_EVENT_TYPE(event.get())) {
      case GST_EVENT_FLUSH_START: end.flushing = true; break;
      case GST_EVENT_FLUSH_STOP:
        end.flushing = false;
        end.wants_seek = end.wants_seek && !was_seeked_;
        gst_segment_init(&end.segment, GST_FORMAT_TIME);
        if (end.side == Side::picture)
          pictures_.clear();
        else
          sounds_.clear();
        break;
      case GST_EVENT_SEGMENT: gst_event_copy_segment(event.get(), &end.segment); break;
      case GST_EVENT_CAPS:
        if (end.side == Side::picture) {
          GstCaps *caps = nullptr;
          gst_event_parse_caps(event.get(), &caps);
          picture_caps_ = GRef<GstCaps>::share(caps);
          int rate_n = 0, rate_d = 1;
          gst_structure_get_fraction(gst_caps_get_structure(caps, 0), "framerate", &rate_n, &rate_d);
          has_channel_rate_ =
              gst_util_fraction_compare(rate_n, rate_d, form_.grid.fps_n, form_.grid.fps_d) == 0;
        }
        break;
      case GST_EVENT_GAP:
        if (end.side == Side::sound) {
          GstClockTime time = 0, duration = 0;
          gst_event_parse_gap(event.get(), &time, &duration);
          if (GST_CLOCK_TIME_IS_VALID(duration)) time += duration;
          const GstClockTime until = gst_segment_to_running_time(&end.segment, GST_FORMAT_TIME, time);
          if (GST_CLOCK_TIME_IS_VALID(until)) sounds_.gap(until);
        }
        break;
      case GST_EVENT_EOS:
        if (end.wants_seek && was_seeked_) break;  // Of what came before the seek.
        if (end.side == Side::picture) {
          pictures_.end();
          if (!pictures_.has_first() && failure_.empty()) failure_ = "It has no picture.";
        } else {
          sounds_.end();
        }
        ++end.arrivals;
        break;
      default: break;
    }
    room_.notify_all();
  }
  wake();
  return true;
}

// ---- What the channel asks.

CueState DecodedClip::state() {
  MutexLock lock(mutex_);
  if (!failure_.empty()) return CueState::failed;
  const bool has_sound = streams_known_ && (!sound_end_.is_linked || sounds_.has_first());
  return pictures_.has_first() && has_sound ? CueState::ready : CueState::preparing;
}

std::string DecodedClip::failure() {
  MutexLock lock(mutex_);
  return failure_;
}

PictureTrack::Found DecodedClip::picture(uint64_t index) {
  MutexLock lock(mutex_);
  const size_t before = pictures_.size();
  PictureTrack::Found found = pictures_.at(index);
  if (pictures_.size() < before) room_.notify_all();
  if (found.answer == TrackAnswer::not_yet && !failure_.empty()) found.answer = TrackAnswer::ended;
  // Only now: what is before the hole is shown.
  if (found.answer == TrackAnswer::ended && pictures_.has_hole() && failure_.empty())
    failure_ = "Its pictures are missing for more than a second; the file may be damaged.";
  return found;
}

TrackAnswer DecodedClip::sound(uint64_t first, uint64_t count, uint8_t *silence) {
  MutexLock lock(mutex_);
  if (streams_known_ && !sound_end_.is_linked) return TrackAnswer::here;
  const TrackAnswer answer = sounds_.read(first, count, silence);
  room_.notify_all();
  return answer == TrackAnswer::not_yet && !failure_.empty() ? TrackAnswer::ended : answer;
}

GRef<GstCaps> DecodedClip::picture_caps() {
  MutexLock lock(mutex_);
  return picture_caps_;
}

bool DecodedClip::has_channel_rate() {
  MutexLock lock(mutex_);
  return has_channel_rate_;
}

bool DecodedClip::is_one_picture() {
  MutexLock lock(mutex_);
  return pictures_.ended() && pictures_.length() == 1;
}

void DecodedClip::set_gain(double db) {
  MutexLock lock(mutex_);
  gain_db_ = db;
  if (volume_) set_volume(volume_, gain_db_);
}

uint64_t DecodedClip::picture_arrivals() {
  MutexLock lock(mutex_);
  return picture_end_.arrivals;
}

uint64_t DecodedClip::sound_arrivals() {
  MutexLock lock(mutex_);
  return sound_end_.arrivals;
}

}  // namespace genclip
