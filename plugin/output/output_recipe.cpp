// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/output_recipe.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace genclip {
namespace {

struct Recipe {
  OutputKind kind;
  const char *video_pad, *audio_pad;
  const char *tail;
  std::array<const char *, 3> elements;
};

// No sink waits for the clock, since frames come as they are made; none takes part in a preroll. SRT must
// fail and be told, not reconnect silently.
constexpr Recipe kRecipes[] = {
    {OutputKind::hls,
     "mux.video",
     "mux.audio_0",
     "splitmuxsink name=mux muxer=mpegtsmux",
     {"splitmuxsink", "mpegtsmux"}},
    {OutputKind::record,
     "mux.video",
     "mux.audio_0",
     "splitmuxsink name=mux max-size-time=0 muxer=\"matroskamux offset-to-zero=true\"",
     {"splitmuxsink", "matroskamux"}},
    {OutputKind::udp,
     "mux.",
     "mux.",
     "mpegtsmux name=mux alignment=7 ! udpsink name=sink sync=false async=false",
     {"mpegtsmux", "udpsink"}},
    {OutputKind::srt,
     "mux.",
     "mux.",
     "mpegtsmux name=mux alignment=7 ! srtsink name=sink sync=false async=false wait-for-connection=false "
     "auto-reconnect=false",
     {"mpegtsmux", "srtsink"}},
    {OutputKind::rtmp,
     "mux.video",
     "mux.audio",
     "flvmux name=mux streamable=true ! rtmp2sink name=sink sync=false async=false async-connect=true",
     {"flvmux", "rtmp2sink"}},
};

const Recipe *recipe_of(OutputKind kind) {
  const auto *recipe = std::ranges::find(kRecipes, kind, &Recipe::kind);
  return recipe == std::end(kRecipes) ? nullptr : recipe;
}

std::string launch_line(const OutputSpec &spec, const OutputSettings &settings, const std::string &parser) {
  // A window shows what comes when it comes, with a little patience so that both streams are in step.
  if (takes_raw(spec.kind))
    return "appsrc name=video is-live=true do-timestamp=true min-latency=200000000 ! videoconvert ! " +
           settings.window_video_sink +
           " appsrc name=audio is-live=true do-timestamp=true min-latency=200000000 ! audioconvert ! "
           "audioresample ! " +
           settings.window_audio_sink;
  const Recipe &recipe = *recipe_of(spec.kind);
  return "appsrc name=video ! " + parser + " ! " + recipe.video_pad + " appsrc name=audio ! " +
         recipe.audio_pad + " " + recipe.tail;
}

void set_target(GstElement *mux, GstElement *sink, const OutputSpec &spec, const OutputSettings &settings) {
  switch (spec.kind) {
    case OutputKind::udp: g_object_set(sink, "host", spec.host.c_str(), "port", spec.port, nullptr); break;
    case OutputKind::srt: g_object_set(sink, "uri", spec.target.c_str(), nullptr); break;
    case OutputKind::rtmp: {
      // The location's own parts would be split at its last "/", which may be one of the query.
      const auto [application, stream] = rtmp_target(spec.target);
      g_object_set(sink, "location", spec.target.c_str(), "application", application.c_str(), "stream",
                   stream.c_str(), nullptr);
      break;
    }
    case OutputKind::hls:
      g_object_set(mux, "max-size-time", longest_segment(settings.segment_seconds), nullptr);
      break;
    case OutputKind::record:
    case OutputKind::window: break;
  }
}

}  // namespace

GstClockTime longest_segment(unsigned seconds) { return seconds * GST_SECOND + GST_SECOND / 2 - GST_MSECOND; }

bool takes_raw(OutputKind kind) { return kind == OutputKind::window; }

bool writes_files(OutputKind kind) { return kind == OutputKind::hls || kind == OutputKind::record; }

Result<void> check_installed(const OutputSpec &spec, const OutputSettings &settings) {
  const std::string option = std::string("--") + to_word(spec.kind);
  if (const Recipe *recipe = recipe_of(spec.kind)) {
    for (const char *element : recipe->elements)
      if (element && !GRef<GstElementFactory>::adopt(gst_element_factory_find(element)))
        return Error{ErrorKind::settings,
                     option + " needs GStreamer's element " + element +
                         ", which is not installed. On Debian, install gstreamer1.0-plugins-good "
                         "and gstreamer1.0-plugins-bad."};
    return {};
  }
  // Without a desktop, autovideosink tries sinks that end the process.
  if (settings.window_video_sink == OutputSettings().window_video_sink && !g_getenv("DISPLAY") &&
      !g_getenv("WAYLAND_DISPLAY"))
    return Error{ErrorKind::settings,
                 option + " needs a desktop, but neither DISPLAY nor WAYLAND_DISPLAY is set."};
  const auto made = make_pipeline(spec, settings, "");
  if (!made) return Error{ErrorKind::settings, option + " cannot be made: " + made.error().text};
  return {};
}

Result<GRef<GstElement>> make_pipeline(const OutputSpec &spec, const OutputSettings &settings,
                                       const std::string &parser) {
  GErrorPtr error;
  GstElement *made = gst_parse_launch_full(launch_line(spec, settings, parser).c_str(), nullptr,
                                           GST_PARSE_FLAG_FATAL_ERRORS, take(error));
  if (!made) return Error{ErrorKind::settings, error ? error->message : "unknown elements."};
  auto pipeline = GRef<GstElement>::adopt(GST_ELEMENT(g_object_ref_sink(made)));
  const auto named = [&pipeline](const char *name) {
    return GRef<GstElement>::adopt(gst_bin_get_by_name(GST_BIN(pipeline.get()), name));
  };
  for (const char *name : {"video", "audio"})
    g_object_set(named(name).get(), "format", GST_FORMAT_TIME, "max-bytes", guint64{0}, nullptr);
  set_target(named("mux").get(), named("sink").get(), spec, settings);
  return pipeline;
}

}  // namespace genclip
