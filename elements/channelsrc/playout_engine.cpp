// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/channelsrc/playout_engine.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "elements/channelsrc/slate_card.h"
#include "plugin/frame/picture_form.h"
#include "plugin/frame/sound_form.h"

namespace genclip {

static constexpr GstClockTime kLeastSlack = 100 * GST_MSECOND;
// How many failures are remembered.
static constexpr size_t kKeptFailures = 256;

// Paths become URIs; what cannot fails when it is opened.
static std::string uri_of(const std::string &name) {
  if (name.empty() || gst_uri_is_valid(name.c_str())) return name;
  gchar *uri = gst_filename_to_uri(name.c_str(), nullptr);
  std::string result = uri ? uri : name;
  g_free(uri);
  return result;
}

static Result<PlayoutForm> checked_form(const PlayoutSettings &settings) {
  PlayoutForm form;
  form.video_caps = settings.video_caps;
  form.audio_caps = settings.audio_caps;
  if (const std::string problem = picture_caps_problem(form.video_caps.get(), form.video); !problem.empty())
    return Error{ErrorKind::settings, "video-caps" + problem};
  if (const std::string problem = sound_caps_problem(form.audio_caps.get(), form.audio); !problem.empty())
    return Error{ErrorKind::settings, "audio-caps" + problem};
  // With all that follows from them: the shape of pixels, colours, the places of channels.
  form.video_caps = GRef<GstCaps>::adopt(gst_video_info_to_caps(&form.video));
  form.audio_caps = GRef<GstCaps>::adopt(gst_audio_info_to_caps(&form.audio));
  form.grid = {form.video.fps_n, form.video.fps_d, form.audio.rate};
  return form;
}

static ClipForm clip_form(const PlayoutSettings &settings, const PlayoutForm &form) {
  ClipForm clip;
  clip.video = GRef<GstCaps>::adopt(gst_caps_copy(form.video_caps.get()));
  gst_structure_remove_field(gst_caps_get_structure(clip.video.get(), 0), "framerate");
  clip.audio = form.audio_caps;
  clip.grid = form.grid;
  clip.bytes_per_sample = form.audio.bpf;
  clip.shape =
      static_cast<double>(form.video.width) * form.video.par_n / form.video.height / form.video.par_d;
  clip.fit = settings.fit;
  clip.access = settings.access;
  clip.ahead =
      static_cast<unsigned>(std::max<uint64_t>(4, form.grid.frame_at(settings.latency_ms * GST_MSECOND)));
  return clip;
}

static VettingRequest slate_vetting(const PlayoutSettings &settings, const PlayoutForm &form) {
  VettingRequest request;
  request.uri = uri_of(settings.slate);
  request.still_length = std::chrono::seconds(1);  // Whatever it is: a still has no sound.
  request.is_mono = form.audio.channels == 1;
  request.target_lufs = settings.loudness;
  request.true_peak_limit_db = settings.true_peak;
  return request;
}

// A caption is spread over the pictures: it is whole only if each of them is shown once.
static void drop_captions(GstBuffer *picture) {
  gst_buffer_foreach_meta(
      picture,
      [](GstBuffer *, GstMeta **meta, gpointer) -> gboolean {
        if ((*meta)->info->api == GST_VIDEO_CAPTION_META_API_TYPE) *meta = nullptr;
        return TRUE;
      },
      nullptr);
}

// Damaged sound may hold what is no number, which would stay in each filter behind this.
template <typename Sample>
static void silence_nan(const GstMapInfo &map) {
  auto *samples = reinterpret_cast<Sample *>(map.data);
  std::replace_if(
      samples, samples + map.size / sizeof(Sample), [](Sample sample) { return !std::isfinite(sample); },
      Sample{0});
}

Result<std::unique_ptr<PlayoutEngine>> PlayoutEngine::make(const PlayoutSettings &settings) {
  auto form = checked_form(settings);
  if (!form) return std::move(form).error();
  auto card = slate_card(form->video);
  if (!card) return Error{ErrorKind::settings, "GStreamer cannot make pictures in the format of video-caps."};
  return std::unique_ptr<PlayoutEngine>(new PlayoutEngine(settings, *std::move(form), std::move(card)));
}

PlayoutEngine::PlayoutEngine(const PlayoutSettings &settings, PlayoutForm form, GRef<GstBuffer> card)
    : form_(std::move(form)),
      clip_form_(clip_form(settings, form_)),
      latency_(settings.latency_ms * GST_MSECOND),
      slack_(std::max(latency_, kLeastSlack)),
      logo_(uri_of(settings.logo), settings.logo_position, form_.video, settings.access),
      slate_(std::move(card), slate_vetting(settings, form_), clip_form_, wakers()) {}

// ---- The run.

void PlayoutEngine::start() {
  logo_.open();
  {
    MutexLock lock(mutex_);
    slate_.open();
  }
  MutexLock lock(run_mutex_);
  is_flushing_ = false;
}

void PlayoutEngine::interrupt() {
  {
    MutexLock lock(run_mutex_);
    is_flushing_ = true;
    run_changed_.notify_all();
  }
  for (Lane &lane : lanes_) lane.waker->interrupt();
}

void PlayoutEngine::stop() {
  ProgramLine::Clips clips;
  {
    MutexLock lock(mutex_);
    line_.clear_from(0);
    clips = line_.removed();
    for (auto &[id, clip] : cues_) clips.push_back(std::move(clip));
    cues_.clear();
    slate_.close();
    failures_.clear();
    progress_ = {};
    end_.reset();
    origin_.reset();
    counts_ = {};
  }
  for (Lane &lane : lanes_) {
    lane.clip = nullptr;
    lane.last_picture = lane.last_shown = nullptr;
    lane.waiting_since = GST_CLOCK_TIME_NONE;
  }
  logo_.close();
  close(clips);
}

void PlayoutEngine::set_playing(bool is_playing) {
  for (Lane &lane : lanes_)
    if (is_playing)
      lane.waker->resume();
    else
      lane.waker->interrupt();
  MutexLock lock(run_mutex_);
  is_playing_ = is_playing;
  run_changed_.notify_all();
}

bool PlayoutEngine::is_playing() {
  MutexLock lock(run_mutex_);
  return is_playing_;
}

bool PlayoutEngine::wait_for_playing() {
  MutexLock lock(run_mutex_);
  while (!is_playing_ && !is_flushing_) run_changed_.wait(lock);
  return !is_flushing_;
}

void PlayoutEngine::close(const ProgramLine::Clips &clips) {
  for (const auto &clip : clips) clip->close();
}

void PlayoutEngine::leave(Output output) {
  MutexLock lock(mutex_);
  progress(output).left = true;
}

GstClockTime PlayoutEngine::origin() {
  MutexLock lock(mutex_);
  return origin_.value_or(0);
}

// ---- One frame.

GstFlowReturn PlayoutEngine::next(Output output, GstElement *element, GRef<GstBuffer> &out) {
  for (;;) {
    if (!wait_for_playing()) return GST_FLOW_FLUSHING;
    auto tick = begin_tick(output, element);
    if (!tick) return GST_FLOW_EOS;
    if (lane(output).waker->wait(tick->clock.get(), time_of(*tick)) != Waited::reached) continue;
    decide(*tick);
    auto made = output == Output::video ? picture(*tick) : sound(*tick);
    if (!made) continue;  // What is on the air has changed, or the wait was interrupted.
    out = *std::move(made);
    finish_tick(output, *tick);
    return GST_FLOW_OK;
  }
}

std::optional<PlayoutEngine::Tick> PlayoutEngine::begin_tick(Output output, GstElement *element) {
  // Both are those of this PLAYING only now.
  GstClock *given = gst_element_get_clock(element);
  const auto clock = GRef<GstClock>::adopt(given ? given : gst_system_clock_obtain());
  const GstClockTime base_time = gst_element_get_base_time(element);
  MutexLock lock(mutex_);
  const uint64_t frame = progress(output).next;
  if (end_ && frame >= *end_) return std::nullopt;
  if (!origin_) {
    // A bin that joins a pipeline which plays already begins now, not in the past.
    const GstClockTime time = gst_clock_get_time(clock.get());
    const GstClockTime running = time > base_time ? time - base_time : 0;
    origin_ = running > latency_ ? running : 0;
  }
  return Tick{clock, base_time + *origin_, frame, {}};
}

void PlayoutEngine::decide(Tick &tick) {
  MutexLock lock(mutex_);
  tick.piece = line_.at(tick.frame);
  if (tick.piece) return;
  if (auto clip = slate_.next_showing(tick.frame)) {
    GST_CAT_INFO(playout_category(), "slate: from frame %" G_GUINT64_FORMAT " on", tick.frame);
    line_.fill(std::move(clip), tick.frame);
    tick.piece = line_.at(tick.frame);
  }
}

void PlayoutEngine::begin_clip(Lane &lane, const Tick &tick) {
  if (lane.clip == tick.piece->clip) return;
  lane.clip = tick.piece->clip;
  lane.last_picture = nullptr;
  lane.waiting_since = GST_CLOCK_TIME_NONE;
}

std::optional<GRef<GstBuffer>> PlayoutEngine::picture(const Tick &tick) {
  Lane &own = lane(Output::video);
  const GstClockTime time = form_.grid.time_of(tick.frame);
  GRef<GstBuffer> shown;
  if (!tick.piece) {
    MutexLock lock(mutex_);
    shown = slate_.still();
  } else {
    DecodedClip &clip = *tick.piece->clip;
    begin_clip(own, tick);
    for (;;) {
      own.waker->arm();
      const auto found = clip.picture(tick.frame - tick.piece->start);
      if (found.answer == TrackAnswer::here) {
        own.last_picture = found.picture;
        own.waiting_since = GST_CLOCK_TIME_NONE;
        break;
      }
      if (found.answer == TrackAnswer::ended) {
        const std::string failure = clip.failure();
        clip_failed(tick, failure.empty() ? "It ended before its time." : failure);
        return std::nullopt;
      }
      const Missing missing = wait_for_missing(Output::video, tick);
      if (missing == Missing::look_again) continue;
      if (missing == Missing::stalled) clip_failed(tick, "Its decoder stalled.");
      if (missing != Missing::go_without) return std::nullopt;
      MutexLock lock(mutex_);
      ++counts_.dropped;
      // The sound is behind, and has put a slate there: the picture begins amid it, and nothing has come.
      shown = slate_.still();
      break;
    }
    if (own.last_picture) shown = own.last_picture;
  }
  const bool is_repeated = own.last_shown.get() == shown.get();
  const bool keeps_captions = tick.piece && !is_repeated && tick.piece->clip->has_channel_rate();
  own.last_shown = shown;
  if (tick.piece && tick.piece->cue != 0) shown = logo_.over(std::move(shown));
  auto buffer = GRef<GstBuffer>::adopt(gst_buffer_copy(shown.get()));
  if (!keeps_captions) drop_captions(buffer.get());
  GST_BUFFER_FLAGS(buffer.get()) = 0;
  GST_BUFFER_PTS(buffer.get()) = time;
  GST_BUFFER_DTS(buffer.get()) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION(buffer.get()) = form_.grid.time_of(tick.frame + 1) - time;
  GST_BUFFER_OFFSET(buffer.get()) = tick.frame;
  GST_BUFFER_OFFSET_END(buffer.get()) = tick.frame + 1;
  return buffer;
}

std::optional<GRef<GstBuffer>> PlayoutEngine::sound(const Tick &tick) {
  const uint64_t first = form_.grid.sample_of(tick.frame), end = form_.grid.sample_of(tick.frame + 1);
  const auto size = static_cast<gsize>((end - first) * static_cast<uint64_t>(form_.audio.bpf));
  auto buffer = GRef<GstBuffer>::adopt(gst_buffer_new_allocate(nullptr, size, nullptr));
  GstMapInfo map;
  if (!gst_buffer_map(buffer.get(), &map, GST_MAP_WRITE)) return std::nullopt;
  gst_audio_format_info_fill_silence(form_.audio.finfo, map.data, map.size);
  bool is_made = true;
  if (tick.piece) {
    Lane &own = lane(Output::audio);
    DecodedClip &clip = *tick.piece->clip;
    begin_clip(own, tick);
    for (bool is_waiting = true; is_waiting;) {
      own.waker->arm();
      const TrackAnswer answer =
          clip.sound(first - form_.grid.sample_of(tick.piece->start), end - first, map.data);
      if (answer == TrackAnswer::here) {
        own.waiting_since = GST_CLOCK_TIME_NONE;
        break;
      }
      if (answer == TrackAnswer::ended) {
        clip_failed(tick, clip.failure());
        is_made = false;
        break;
      }
      switch (wait_for_missing(Output::audio, tick)) {
        case Missing::look_again: break;
        case Missing::go_without: is_waiting = false; break;
        case Missing::stalled: clip_failed(tick, "Its decoder stalled."); [[fallthrough]];
        case Missing::interrupted: is_waiting = is_made = false; break;
      }
    }
  }
  if (GST_AUDIO_INFO_FORMAT(&form_.audio) == GST_AUDIO_FORMAT_F32) silence_nan<float>(map);
  if (GST_AUDIO_INFO_FORMAT(&form_.audio) == GST_AUDIO_FORMAT_F64) silence_nan<double>(map);
  gst_buffer_unmap(buffer.get(), &map);
  if (!is_made) return std::nullopt;
  GST_BUFFER_PTS(buffer.get()) = form_.grid.time_of_sample(first);
  GST_BUFFER_DURATION(buffer.get()) = form_.grid.time_of_sample(end) - GST_BUFFER_PTS(buffer.get());
  GST_BUFFER_OFFSET(buffer.get()) = first;
  GST_BUFFER_OFFSET_END(buffer.get()) = end;
  return buffer;
}

PlayoutEngine::Missing PlayoutEngine::wait_for_missing(Output output, const Tick &tick) {
  Lane &own = lane(output);
  DecodedClip &clip = *tick.piece->clip;
  const bool is_video = output == Output::video;
  const uint64_t arrivals = is_video ? clip.picture_arrivals() : clip.sound_arrivals();
  const GstClockTime now = gst_clock_get_time(tick.clock.get());
  if (own.waiting_since == GST_CLOCK_TIME_NONE || arrivals != own.seen_arrivals) own.waiting_since = now;
  own.seen_arrivals = arrivals;

  const GstClockTime stalls_at = own.waiting_since + slack_ / 4;
  GstClockTime deadline = time_of(tick) + slack_ / 2;
  // There is nothing to show yet.
  if (is_video && !own.last_picture) deadline = std::max(deadline, stalls_at);
  if (now < deadline) {
    return own.waker->wait(tick.clock.get(), deadline) == Waited::interrupted ? Missing::interrupted
                                                                              : Missing::look_again;
  }
  // The other output may hold the decoder, because nobody takes what it makes.
  bool is_held;
  {
    MutexLock lock(mutex_);
    const Progress &other = progress(is_video ? Output::audio : Output::video);
    is_held = !other.left && other.next + clip_form_.ahead / 2 < tick.frame;
  }
  return now >= stalls_at && !is_held ? Missing::stalled : Missing::go_without;
}

void PlayoutEngine::finish_tick(Output output, const Tick &tick) {
  ProgramLine::Clips clips;
  {
    MutexLock lock(mutex_);
    progress(output).next = tick.frame + 1;
    if (output == Output::video) {
      // The sound failed while the picture was there.
      if (const auto failed = failures_.find(tick.piece ? tick.piece->cue : 0); failed != failures_.end())
        failed->second.frame = std::max(failed->second.frame, tick.frame + 1);
      ++counts_.frames;
      if (gst_clock_get_time(tick.clock.get()) > time_of(tick) + latency_) ++counts_.late;
      if (!logo_.problem().empty()) logo_problem_ = logo_.problem();
    } else {
      counts_.audio_frames = form_.grid.sample_of(tick.frame + 1);
    }
    uint64_t needed = UINT64_MAX;
    for (const Progress &each : progress_)
      if (!each.left) needed = std::min(needed, each.next);
    line_.forget_before(needed);
    clips = line_.removed();
  }
  close(clips);
}

void PlayoutEngine::clip_failed(const Tick &tick, const std::string &why) {
  if (tick.piece->cue != 0)
    GST_CAT_WARNING(playout_category(), "frame %" G_GUINT64_FORMAT ": cue %" G_GUINT64_FORMAT " failed: %s",
                    tick.frame, tick.piece->cue, why.c_str());
  ProgramLine::Clips clips;
  {
    MutexLock lock(mutex_);
    line_.end_clip(tick.piece->clip.get(), tick.frame);
    clips = line_.removed();
    // The picture may be ahead of a sound that fails: what it has shown, it has shown.
    const uint64_t shown = std::min(progress(Output::video).next, tick.piece->end);
    if (tick.piece->cue != 0) remember_failure(tick.piece->cue, {why, std::max(tick.frame, shown)});
  }
  close(clips);
}

void PlayoutEngine::remember_failure(CueId cue, Failure failure) {
  // The outputs notice it at different frames.
  const auto [known, is_new] = failures_.try_emplace(cue, failure);
  if (!is_new) known->second.frame = std::min(known->second.frame, failure.frame);
  if (failures_.size() > kKeptFailures) failures_.erase(failures_.begin());
}

}  // namespace genclip
