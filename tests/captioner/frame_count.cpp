// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A probe that shares ownership of the count.
#include "tests/captioner/frame_count.h"

namespace genclip::test {

GstPadProbeReturn FrameCount::on_data(GstPad *, GstPadProbeInfo *info, gpointer data) {
  std::atomic<unsigned> &count = **static_cast<Shared *>(data);
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER)
    ++count;
  else if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_FLUSH_STOP)
    count = 0;
  return GST_PAD_PROBE_OK;
}

FrameCount::FrameCount(const CaptionRun &run) {
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(run.element("sink").get(), "sink"));
  gst_pad_add_probe(pad.get(),
                    static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_FLUSH),
                    on_data, new Shared(count_), [](gpointer data) { delete static_cast<Shared *>(data); });
}

bool FrameCount::wait_for(unsigned count) const {
  for (int i = 0; i < 30000 && *count_ < count; ++i) g_usleep(1000);
  return *count_ >= count;
}

}  // namespace genclip::test
