// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/channelsrc/stand.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "tests/support/give_up.h"

namespace genclip::test {

GRef<GstClock> fast_clock(unsigned speed) {
  auto clock =
      GRef<GstClock>::adopt(GST_CLOCK(g_object_new(GST_TYPE_SYSTEM_CLOCK, "name", "fast-clock", nullptr)));
  gst_object_ref_sink(clock.get());
  const GstClockTime now = gst_clock_get_internal_time(clock.get());
  gst_clock_set_calibration(clock.get(), now, now, speed, 1);
  return clock;
}

ReadyMedia media_of(const std::string &path, bool has_audio) {
  ReadyMedia media;
  gchar *uri = gst_filename_to_uri(path.c_str(), nullptr);
  media.uri = media.source = uri;
  g_free(uri);
  media.has_audio = has_audio;
  return media;
}

Stand::Stand(const StandOptions &options) : options_(options) {
  PlayoutSettings settings;
  settings.video_caps = GRef<GstCaps>::adopt(gst_caps_from_string(options.video.c_str()));
  settings.audio_caps = GRef<GstCaps>::adopt(gst_caps_from_string(options.audio.c_str()));
  settings.fit = options.fit;
  settings.slate = options.slate;
  settings.logo = options.logo;
  settings.logo_position = options.logo_position;
  settings.latency_ms = options.latency_ms;
  settings.access = options.access;
  gst_video_info_from_caps(&video_, settings.video_caps.get());
  const GstStructure *audio = gst_caps_get_structure(settings.audio_caps.get(), 0);
  gst_structure_get_int(audio, "channels", &channels_);
  gst_structure_get_int(audio, "rate", &rate_);

  pipeline_ = GRef<GstElement>::share(gst_pipeline_new("stand"));
  gst_object_ref_sink(pipeline_.get());
  gst_object_unref(pipeline_.get());
  if (options.speed > 0)
    gst_pipeline_use_clock(GST_PIPELINE(pipeline_.get()), fast_clock(options.speed).get());
  GstElement *bin = gst_bin_new("channel");
  gst_bin_add(GST_BIN(pipeline_.get()), bin);
  auto made = make_playout(GST_BIN(bin), settings);
  if (!made) give_up(made.error().text);
  playout_ = std::move(*made);
  for (const bool is_video : {true, false}) {
    GstPad *pad = gst_ghost_pad_new(is_video ? "video" : "audio",
                                    is_video ? playout_->video_pad() : playout_->audio_pad());
    gst_element_add_pad(bin, pad);
    connect(pad, is_video);
  }
}

Stand::~Stand() {
  set_state(GST_STATE_NULL);
  playout_.reset();
}

template <void (Stand::*look)(GstBuffer *)>
GstPadProbeReturn Stand::see(GstPad *, GstPadProbeInfo *info, gpointer stand) {
  (static_cast<Stand *>(stand)->*look)(GST_PAD_PROBE_INFO_BUFFER(info));
  return GST_PAD_PROBE_OK;
}

void Stand::connect(GstPad *pad, bool is_video) {
  GstElement *sink = gst_element_factory_make("fakesink", nullptr);
  g_object_set(sink, "sync", FALSE, "async", FALSE, "qos", FALSE, nullptr);
  gst_bin_add(GST_BIN(pipeline_.get()), sink);
  const auto in = GRef<GstPad>::adopt(gst_element_get_static_pad(sink, "sink"));
  gst_pad_link(pad, in.get());
  const auto look = is_video ? &see<&Stand::see_picture> : &see<&Stand::see_sound>;
  gst_pad_add_probe(in.get(), GST_PAD_PROBE_TYPE_BUFFER, look, this, nullptr);
  gst_pad_add_probe(
      in.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      [](GstPad *, GstPadProbeInfo *info, gpointer data) -> GstPadProbeReturn {
        auto &stand = *static_cast<Stand *>(data);
        if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) != GST_EVENT_EOS) return GST_PAD_PROBE_OK;
        MutexLock lock(stand.mutex_);
        ++stand.ended_;
        stand.changed_.notify_all();
        return GST_PAD_PROBE_OK;
      },
      this, nullptr);
}

void Stand::see_picture(GstBuffer *buffer) {
  SeenFrame seen{GST_BUFFER_PTS(buffer), GST_BUFFER_DURATION(buffer), GST_BUFFER_OFFSET(buffer), {}};
  gpointer state = nullptr;
  while (GstMeta *meta = gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_CAPTION_META_API_TYPE)) {
    const auto *caption = reinterpret_cast<const GstVideoCaptionMeta *>(meta);
    seen.captions.insert(seen.captions.end(), caption->data, caption->data + caption->size);
  }
  std::vector<uint8_t> kept;
  GstVideoFrame frame;
  if (gst_video_frame_map(&frame, &video_, buffer, GST_MAP_READ)) {
    seen.mark = read_frame_mark(static_cast<const uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)),
                                GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0), video_.width, video_.height);
    gst_video_frame_unmap(&frame);
  }
  const auto &wanted = options_.kept_pictures;
  if (std::find(wanted.begin(), wanted.end(), seen.offset) != wanted.end()) {
    kept.resize(gst_buffer_get_size(buffer));
    gst_buffer_extract(buffer, 0, kept.data(), kept.size());
  }
  MutexLock lock(mutex_);
  if (!kept.empty()) pictures_[seen.offset] = std::move(kept);
  frames_.push_back(seen);
  changed_.notify_all();
}

void Stand::see_sound(GstBuffer *buffer) {
  const size_t count = gst_buffer_get_size(buffer) / sizeof(float) / static_cast<size_t>(channels_);
  std::vector<float> samples(count * static_cast<size_t>(channels_));
  gst_buffer_extract(buffer, 0, samples.data(), samples.size() * sizeof(float));
  MutexLock lock(mutex_);
  const uint64_t first = sound_.size();
  if (GST_BUFFER_OFFSET(buffer) != first || GST_BUFFER_OFFSET_END(buffer) != first + count ||
      GST_BUFFER_PTS(buffer) != gst_util_uint64_scale_round(first, GST_SECOND, static_cast<guint64>(rate_)))
    sound_faults_.push_back("sample " + std::to_string(first) + ": offset " +
                            std::to_string(GST_BUFFER_OFFSET(buffer)) + ", time " +
                            std::to_string(GST_BUFFER_PTS(buffer)));
  for (size_t index = 0; index < count; ++index)
    sound_.push_back(samples[index * static_cast<size_t>(channels_)]);
  changed_.notify_all();
}

void Stand::wait_until(const std::function<bool()> &condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  MutexLock lock(mutex_);
  for (;;) {
    lock.unlock();
    const bool is_met = condition();
    lock.lock();
    if (is_met) return;
    if (std::chrono::steady_clock::now() > limit) break;
    changed_.wait_until(lock, std::chrono::steady_clock::now() + std::chrono::milliseconds(100));
  }
  lock.unlock();
  const std::string why = error();
  give_up("waited for a minute" + (why.empty() ? "" : ": " + why));
}

CueState Stand::wait_for(CueId cue) {
  wait_until([&] { return stage().state(cue) != CueState::preparing; });
  return stage().state(cue);
}

void Stand::wait_for_frames(uint64_t frames) {
  const auto samples =
      gst_util_uint64_scale_round(frames, static_cast<guint64>(rate_) * static_cast<guint64>(video_.fps_d),
                                  static_cast<guint64>(video_.fps_n));
  wait_until([&] {
    MutexLock lock(mutex_);
    return frames_.size() >= frames && sound_.size() >= samples;
  });
}

void Stand::wait_for_end() {
  wait_until([&] {
    MutexLock lock(mutex_);
    return ended_ == 2;
  });
}

std::vector<SeenFrame> Stand::frames() {
  MutexLock lock(mutex_);
  return frames_;
}

std::vector<float> Stand::sound() {
  MutexLock lock(mutex_);
  return sound_;
}

std::vector<uint8_t> Stand::picture(uint64_t frame) {
  MutexLock lock(mutex_);
  return pictures_[frame];
}

void Stand::expect_exact_times() {
  MutexLock lock(mutex_);
  const auto time = [&](uint64_t frame) {
    return gst_util_uint64_scale_round(frame, GST_SECOND * static_cast<guint64>(video_.fps_d),
                                       static_cast<guint64>(video_.fps_n));
  };
  size_t wrong = 0;
  for (uint64_t index = 0; index < frames_.size() && wrong < 5; ++index) {
    const SeenFrame &frame = frames_[index];
    if (frame.pts == time(index) && frame.offset == index && frame.duration == time(index + 1) - time(index))
      continue;
    ++wrong;
    ADD_FAILURE() << "frame " << index << ": time " << frame.pts << ", offset " << frame.offset;
  }
  EXPECT_TRUE(sound_faults_.empty()) << sound_faults_.front();
}

void Stand::expect_clip(unsigned clip, uint64_t start, uint64_t frames, uint64_t from) {
  const auto seen = this->frames();
  ASSERT_GE(seen.size(), start + frames);
  const auto shows = [&](uint64_t frame) -> std::string {
    const auto &mark = seen[frame].mark;
    return mark ? std::to_string(mark->clip) + ":" + std::to_string(mark->number) : "no mark";
  };
  size_t wrong = 0;
  for (uint64_t index = 0; index < frames && wrong < 5; ++index) {
    const FrameMark expected{clip, static_cast<unsigned>(from + index)};
    if (seen[start + index].mark == expected) continue;
    ++wrong;
    ADD_FAILURE() << "frame " << start + index << " shows " << shows(start + index) << " instead of " << clip
                  << ":" << expected.number;
  }
}

void Stand::expect_slate(uint64_t start, uint64_t frames) {
  const auto seen = this->frames();
  ASSERT_GE(seen.size(), start + frames);
  for (uint64_t index = start; index < start + frames; ++index)
    if (const auto &mark = seen[index].mark) {
      ADD_FAILURE() << "frame " << index << " shows clip " << mark->clip;
      return;
    }
}

std::string Stand::error() {
  const auto bus = GRef<GstBus>::adopt(gst_element_get_bus(pipeline_.get()));
  GstMessage *message = gst_bus_pop_filtered(bus.get(), GST_MESSAGE_ERROR);
  if (!message) return "";
  GError *error = nullptr;
  gst_message_parse_error(message, &error, nullptr);
  std::string text = error->message;
  g_error_free(error);
  gst_message_unref(message);
  return text;
}

}  // namespace genclip::test
