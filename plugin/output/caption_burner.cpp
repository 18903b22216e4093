// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/output/caption_burner.h"

#include <utility>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

struct Burning {
  std::shared_ptr<BurntCaption> burnt;

  static GstPadProbeReturn see(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    const auto &self = *static_cast<Burning *>(data);
    const GstBuffer *picture = GST_PAD_PROBE_INFO_BUFFER(info);
    if (!GST_BUFFER_PTS_IS_VALID(picture)) return GST_PAD_PROBE_OK;
    const auto text =
        self.burnt->change_at(std::chrono::nanoseconds(static_cast<int64_t>(GST_BUFFER_PTS(picture))));
    if (!text) return GST_PAD_PROBE_OK;
    // The overlay reads markup.
    const GStringPtr markup(g_markup_escape_text(text->c_str(), -1));
    const auto overlay = GRef<GstElement>::adopt(gst_pad_get_parent_element(pad));
    if (overlay) g_object_set(overlay.get(), "text", markup.get(), nullptr);
    return GST_PAD_PROBE_OK;
  }
};

}  // namespace

void burn_captions(GstElement *overlay, std::shared_ptr<BurntCaption> burnt) {
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(overlay, "video_sink"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, Burning::see, new Burning{std::move(burnt)},
                    [](gpointer data) { delete static_cast<Burning *>(data); });
}

}  // namespace genclip
