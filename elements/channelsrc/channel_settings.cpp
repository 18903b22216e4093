// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/channelsrc/channel_settings.h"

#include <gst/audio/audio.h>
#include <gst/video/video.h>

#include <vector>

#include "elements/channelsrc/channel_enums.h"
#include "elements/run_properties.h"

namespace genclip {
namespace {

constexpr const char *kVideoCaps =
    "video/x-raw, format=I420, width=1280, height=720, framerate=25/1, pixel-aspect-ratio=1/1";
constexpr const char *kAudioCaps = "audio/x-raw, format=F32LE, layout=interleaved, rate=48000, channels=2";

// A property of caps.
template <GRef<GstCaps> PlayoutSettings::*member>
OtherField<ChannelSrcSettings> caps_field() {
  return {[](const char *name, const char *nick, const char *blurb, GParamFlags flags) {
            return g_param_spec_boxed(name, nick, blurb, GST_TYPE_CAPS, flags);
          },
          [](const ChannelSrcSettings &settings, GValue *value) {
            g_value_set_boxed(value, (settings.*member).get());
          },
          [](ChannelSrcSettings &settings, const GValue *value) {
            settings.*member = GRef<GstCaps>::share(static_cast<GstCaps *>(g_value_get_boxed(value)));
          }};
}

std::vector<Property<ChannelSrcSettings>> make_rows() {
  using Settings = ChannelSrcSettings;
  std::vector<Property<Settings>> rows = {
      {"rundown", "File with what to show: JSON, M3U, or one URI a line; read again when it changes",
       &Settings::rundown},
      {"rundown-text", "The same as a text; only without rundown", &Settings::rundown_text},
      {"video-caps", "Caps of the picture that goes out, fixed", caps_field<&PlayoutSettings::video_caps>()},
      {"audio-caps", "Caps of the sound that goes out, fixed", caps_field<&PlayoutSettings::audio_caps>()},
      {"slate", "PNG, JPEG or clip for when nothing else can be shown; unset: a built-in card",
       &Settings::slate},
      {"fallback", "What fills a hole", enum_field<&Settings::fallback>(fallback_get_type)},
      {"patience", "Time for which an item that is not ready keeps its place, in seconds",
       &Settings::patience_s},
      {"fit", "How clips of another shape are shown", enum_field<&Settings::fit>(fit_get_type)},
      {"logo", "PNG or JPEG to show over everything but the slate", &Settings::logo},
      {"logo-position", "Corner of the logo", enum_field<&Settings::logo_position>(corner_get_type)},
      {"ahead", "Number of items to prepare ahead", &Settings::ahead, {1, 1000}},
      {"ahead-time",
       "Time to prepare ahead in seconds, if that is more items",
       &Settings::ahead_time_s,
       {0, 86400}},
      {"workers", "Number of generations at once", &Settings::workers, {1, 100}},
      {"loudness", "Loudness of each clip in LUFS; 0: as it is", &Settings::loudness, {-70, 0}},
      {"true-peak", "Limit of each clip's true peak in dBTP", &Settings::true_peak, {-20, 0}},
      {"on-unknown", "What to do if the outcome of a submit is unknown",
       enum_field<&Settings::on_unknown>(on_unknown_get_type)},
      {"asrun", "File to which a line is added for each piece that was shown", &Settings::asrun},
      {"state-file", "File from which a channel that was killed goes on", &Settings::state_file},
      {"loop", "Begin again after the last item; false: end the stream", &Settings::loop},
      {"latency",
       "Time between the clock and what goes out, in milliseconds",
       &Settings::latency_ms,
       {0, 10000}},
  };
  const auto run = run_properties<Settings>(kChannelSource);
  rows.insert(rows.end(), run.begin(), run.end());
  return rows;
}

Error bad_caps(const char *property, const GRef<GstCaps> &caps, const std::string &problem) {
  const GStringPtr text(caps ? gst_caps_to_string(caps.get()) : g_strdup("unset"));
  return {ErrorKind::settings, std::string(property) + " is " + text.get() + ", " + problem};
}

}  // namespace

ChannelSrcSettings::ChannelSrcSettings() {
  video_caps = GRef<GstCaps>::adopt(gst_caps_from_string(kVideoCaps));
  audio_caps = GRef<GstCaps>::adopt(gst_caps_from_string(kAudioCaps));
}

std::span<const Property<ChannelSrcSettings>> channel_properties() {
  // Never destroyed: elements may outlive main().
  static const auto &rows = *new auto(make_rows());
  return rows;
}

Result<FrameRate> frame_rate_of(const PlayoutSettings &settings) {
  GstVideoInfo video;
  GstAudioInfo audio;
  if (!settings.video_caps || !gst_caps_is_fixed(settings.video_caps.get()) ||
      !gst_video_info_from_caps(&video, settings.video_caps.get()))
    return bad_caps("video-caps", settings.video_caps,
                    std::string("but must be fixed caps of raw video, such as ") + kVideoCaps + ".");
  if (GST_VIDEO_INFO_FPS_N(&video) <= 0 || GST_VIDEO_INFO_FPS_D(&video) <= 0)
    return bad_caps("video-caps", settings.video_caps,
                    "but a channel needs a fixed frame rate, such as 25/1.");
  if (!settings.audio_caps || !gst_caps_is_fixed(settings.audio_caps.get()) ||
      !gst_audio_info_from_caps(&audio, settings.audio_caps.get()))
    return bad_caps("audio-caps", settings.audio_caps,
                    std::string("but must be fixed caps of raw audio, such as ") + kAudioCaps + ".");
  return FrameRate{static_cast<uint64_t>(GST_VIDEO_INFO_FPS_N(&video)),
                   static_cast<uint64_t>(GST_VIDEO_INFO_FPS_D(&video))};
}

}  // namespace genclip
