// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/frame/replaced_bytes.h"

#include <algorithm>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

GstPadProbeReturn on_read(GstPad *, GstPadProbeInfo *info, gpointer data) {
  const auto &replacements = *static_cast<const std::vector<Replacement> *>(data);
  auto *buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  const uint64_t begin = info->offset;
  const uint64_t end = begin + gst_buffer_get_size(buffer);
  for (const Replacement &one : replacements) {
    const uint64_t from = std::max(begin, one.offset);
    const uint64_t to = std::min(end, one.offset + one.bytes.size());
    if (from >= to) continue;
    buffer = gst_buffer_make_writable(buffer);
    gst_buffer_fill(buffer, static_cast<gsize>(from - begin), one.bytes.data() + (from - one.offset),
                    static_cast<gsize>(to - from));
  }
  GST_PAD_PROBE_INFO_DATA(info) = buffer;
  return GST_PAD_PROBE_OK;
}

}  // namespace

void replace_bytes(GstElement *source, const std::vector<Replacement> &replacements) {
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(source, "src"));
  constexpr int kRead = GST_PAD_PROBE_TYPE_PULL | GST_PAD_PROBE_TYPE_BUFFER;
  gst_pad_add_probe(pad.get(), static_cast<GstPadProbeType>(kRead), on_read,
                    const_cast<std::vector<Replacement> *>(&replacements), nullptr);
}

}  // namespace genclip
