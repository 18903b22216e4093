// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/vetting/channel_positions.h"

#include <gst/audio/audio.h>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

GstPadProbeReturn give(GstPad *, GstPadProbeInfo *info, gpointer) {
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return GST_PAD_PROBE_OK;
  GstCaps *caps = nullptr;
  gst_event_parse_caps(event, &caps);
  GstAudioInfo sound;
  if (!gst_audio_info_from_caps(&sound, caps) || !GST_AUDIO_INFO_IS_UNPOSITIONED(&sound))
    return GST_PAD_PROBE_OK;
  const guint64 positions = gst_audio_channel_get_fallback_mask(GST_AUDIO_INFO_CHANNELS(&sound));
  if (positions == 0) return GST_PAD_PROBE_OK;
  const auto placed = GRef<GstCaps>::adopt(gst_caps_copy(caps));
  gst_caps_set_simple(placed.get(), "channel-mask", GST_TYPE_BITMASK, positions, nullptr);
  info->data = gst_event_new_caps(placed.get());
  gst_event_unref(event);
  return GST_PAD_PROBE_OK;
}

}  // namespace

void give_channel_positions(GstPad *pad) {
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, give, nullptr, nullptr);
}

}  // namespace genclip
