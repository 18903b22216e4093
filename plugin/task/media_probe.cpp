// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Runs a discoverer on a main context of its own, which a cancellable can end.
#include "plugin/task/media_probe.h"

#include <gst/pbutils/pbutils.h>

#include <algorithm>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

class Probe {
 public:
  Probe(std::chrono::milliseconds timeout, GCancellable *cancellable)
      : context_(GRef<GMainContext>::adopt(g_main_context_new())),
        loop_(GRef<GMainLoop>::adopt(g_main_loop_new(context_.get(), FALSE))) {
    g_main_context_push_thread_default(context_.get());
    GErrorPtr error;
    // A discoverer accepts timeouts between a second and an hour.
    const auto patience =
        std::clamp<std::chrono::nanoseconds>(timeout, std::chrono::seconds(1), std::chrono::hours(1));
    discoverer_ = GRef<GstDiscoverer>::adopt(
        gst_discoverer_new(static_cast<GstClockTime>(patience.count()), take(error)));
    if (error) failure_ = error->message;
    if (!discoverer_) return;
    g_signal_connect(discoverer_.get(), "discovered", G_CALLBACK(on_discovered), this);
    if (cancellable) {
      cancelled_ = GRef<GSource>::adopt(g_cancellable_source_new(cancellable));
      g_source_set_callback(cancelled_.get(), G_SOURCE_FUNC(on_cancelled), loop_.get(), nullptr);
      g_source_attach(cancelled_.get(), context_.get());
    }
  }

  ~Probe() {
    if (cancelled_) g_source_destroy(cancelled_.get());
    if (discoverer_) gst_discoverer_stop(discoverer_.get());
    discoverer_ = nullptr;
    g_main_context_pop_thread_default(context_.get());
  }

  Probe(const Probe &) = delete;
  Probe &operator=(const Probe &) = delete;

  // Null when it was cancelled or could not start.
  GstDiscovererInfo *run(const std::string &uri) {
    if (!discoverer_) return nullptr;
    gst_discoverer_start(discoverer_.get());
    if (gst_discoverer_discover_uri_async(discoverer_.get(), uri.c_str())) g_main_loop_run(loop_.get());
    return info_.get();
  }

  const std::string &failure() const { return failure_; }

 private:
  static void on_discovered(GstDiscoverer *, GstDiscovererInfo *info, GError *error, Probe *self) {
    self->info_ = GRef<GstDiscovererInfo>::share(info);
    if (error) self->failure_ = error->message;
    g_main_loop_quit(self->loop_.get());
  }

  static gboolean on_cancelled(GCancellable *, GMainLoop *loop) {
    g_main_loop_quit(loop);
    return G_SOURCE_REMOVE;
  }

  const GRef<GMainContext> context_;
  const GRef<GMainLoop> loop_;
  GRef<GstDiscoverer> discoverer_;
  GRef<GSource> cancelled_;
  GRef<GstDiscovererInfo> info_;
  std::string failure_;
};

void add_pictures(GstDiscovererInfo *info, MediaKind kind, MediaFacts &facts) {
  GList *streams = gst_discoverer_info_get_video_streams(info);
  for (const GList *item = streams; item; item = item->next) {
    auto *video = GST_DISCOVERER_VIDEO_INFO(item->data);
    // A cover picture is no video stream.
    if (kind == MediaKind::video && gst_discoverer_video_info_is_image(video)) continue;
    facts.has_picture = true;
    if (const guint width = gst_discoverer_video_info_get_width(video); width > 0) facts.width = width;
    if (const guint height = gst_discoverer_video_info_get_height(video); height > 0) facts.height = height;
    const guint rate = gst_discoverer_video_info_get_framerate_num(video);
    const guint per = gst_discoverer_video_info_get_framerate_denom(video);
    if (rate > 0 && per > 0) facts.frame_rate = static_cast<double>(rate) / per;
    break;
  }
  gst_discoverer_stream_info_list_free(streams);
}

std::string container_of(GstDiscovererInfo *info) {
  const auto stream = GRef<GstDiscovererStreamInfo>::adopt(gst_discoverer_info_get_stream_info(info));
  const auto caps =
      stream ? GRef<GstCaps>::adopt(gst_discoverer_stream_info_get_caps(stream.get())) : GRef<GstCaps>();
  const bool is_known = caps && gst_caps_get_size(caps.get()) > 0;
  return is_known ? gst_structure_get_name(gst_caps_get_structure(caps.get(), 0)) : "";
}

void add_facts(GstDiscovererInfo *info, MediaKind kind, MediaFacts &facts) {
  facts.has_picture = false;
  add_pictures(info, kind, facts);
  GList *sounds = gst_discoverer_info_get_audio_streams(info);
  facts.has_sound = sounds != nullptr;
  gst_discoverer_stream_info_list_free(sounds);
  const GstClockTime duration = gst_discoverer_info_get_duration(info);
  if (kind != MediaKind::image && GST_CLOCK_TIME_IS_VALID(duration) && duration > 0)
    facts.duration = static_cast<double>(duration) / GST_SECOND;
  facts.container = container_of(info);
}

}  // namespace

Result<void> probe_media(const std::string &uri, MediaKind kind, std::chrono::milliseconds timeout,
                         MediaFacts &facts, GCancellable *cancellable) {
  if (cancellable && g_cancellable_is_cancelled(cancellable)) return cancelled();
  Probe probe(timeout, cancellable);
  GstDiscovererInfo *info = probe.run(uri);
  if (cancellable && g_cancellable_is_cancelled(cancellable)) return cancelled();
  if (!info) return Error{ErrorKind::failed, "cannot be probed: " + probe.failure()};
  switch (gst_discoverer_info_get_result(info)) {
    case GST_DISCOVERER_OK: add_facts(info, kind, facts); return {};
    // What its container says may be enough; the verdict decides.
    case GST_DISCOVERER_MISSING_PLUGINS:
      add_facts(info, kind, facts);
      if (facts.has_picture == false) facts.has_picture.reset();
      if (facts.has_sound == false) facts.has_sound.reset();
      return {};
    case GST_DISCOVERER_TIMEOUT:
      return Error{ErrorKind::timed_out, "could not be decoded in " + std::to_string(timeout.count() / 1000) +
                                             " s; it may be damaged or truncated"};
    default:
      return Error{ErrorKind::wrong_type,
                   "cannot be decoded; it may be damaged or truncated (" + probe.failure() + ")"};
  }
}

}  // namespace genclip
