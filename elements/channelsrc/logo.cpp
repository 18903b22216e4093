// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/channelsrc/logo.h"

#include <algorithm>
#include <utility>

#include "plugin/channel/shown_source.h"

namespace genclip {

Logo::Logo(std::string uri, Corner corner, const GstVideoInfo &form, MediaAccess access)
    : uri_(std::move(uri)), corner_(corner), form_(form), access_(std::move(access)) {}

Logo::~Logo() { close(); }

void Logo::open() {
  if (uri_.empty()) return;
  ReadyMedia media;
  media.uri = uri_;
  media.source = shown_source(uri_);
  media.is_still = true;
  ClipForm as_it_is;
  as_it_is.fit = Fit::stretch;
  as_it_is.access = access_;
  as_it_is.video = GRef<GstCaps>::adopt(
      gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING,
                          gst_video_format_to_string(GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB), nullptr));
  loading_ = DecodedClip::open(media, 0, as_it_is, {});
}

void Logo::close() {
  if (loading_) std::exchange(loading_, nullptr)->close();
  if (composition_) gst_video_overlay_composition_unref(std::exchange(composition_, nullptr));
  problem_.clear();
}

void Logo::look() {
  const CueState state = loading_->state();
  if (state == CueState::preparing) return;
  const auto loaded = std::exchange(loading_, nullptr);
  GstVideoInfo info;
  const auto caps = loaded->picture_caps();
  const auto picture = loaded->picture(0).picture;
  if (const std::string failure = loaded->failure(); !failure.empty())
    problem_ = "The logo cannot be shown: " + failure;
  if (picture && caps && gst_video_info_from_caps(&info, caps.get())) {
    const auto pixels = GRef<GstBuffer>::adopt(gst_buffer_copy_deep(picture.get()));
    if (!gst_buffer_get_video_meta(pixels.get()))
      gst_buffer_add_video_meta(pixels.get(), GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info),
                                static_cast<guint>(info.width), static_cast<guint>(info.height));
    // One that is larger than the picture is made smaller. One as large as the picture covers it exactly.
    const double scale = std::min({1.0, static_cast<double>(form_.width) / info.width,
                                   static_cast<double>(form_.height) / info.height});
    const int width = std::max(1, static_cast<int>(info.width * scale));
    const int height = std::max(1, static_cast<int>(info.height * scale));
    const int margin = std::min({form_.height / 20, form_.width - width, form_.height - height});
    const bool is_left = corner_ == Corner::top_left || corner_ == Corner::bottom_left;
    const bool is_top = corner_ == Corner::top_left || corner_ == Corner::top_right;
    GstVideoOverlayRectangle *rectangle = gst_video_overlay_rectangle_new_raw(
        pixels.get(), is_left ? margin : form_.width - width - margin,
        is_top ? margin : form_.height - height - margin, static_cast<guint>(width),
        static_cast<guint>(height), GST_VIDEO_OVERLAY_FORMAT_FLAG_NONE);
    composition_ = gst_video_overlay_composition_new(rectangle);
    gst_video_overlay_rectangle_unref(rectangle);
  }
  loaded->close();
}

GRef<GstBuffer> Logo::over(GRef<GstBuffer> picture) {
  if (loading_) look();
  if (!composition_) return picture;
  auto with_logo = GRef<GstBuffer>::adopt(gst_buffer_copy_deep(picture.get()));
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, &form_, with_logo.get(), GST_MAP_READWRITE)) return picture;
  gst_video_overlay_composition_blend(composition_, &frame);
  gst_video_frame_unmap(&frame);
  return with_logo;
}

}  // namespace genclip
