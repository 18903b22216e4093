// SPDX-License-Identifier: LGPL-2.1-or-later
#include "elements/clipsrc/playlist_opener.h"

#include <dlfcn.h>

#include <string_view>

#include "plugin/base/gref.h"

namespace genclip {
namespace {

// Such a demuxer is a bin, and its segments' sources are in it.
bool is_playlist_demuxer(GstObject *object) {
  if (!GST_IS_ELEMENT(object)) return false;
  const char *klass = gst_element_get_metadata(GST_ELEMENT(object), GST_ELEMENT_METADATA_KLASS);
  return klass && std::string_view(klass).find("Demuxer/Adaptive") != std::string_view::npos;
}

bool is_in_playlist_demuxer(GstElement *element) {
  auto holder = GRef<GstObject>::adopt(gst_object_get_parent(GST_OBJECT(element)));
  while (holder && !is_playlist_demuxer(holder.get()))
    holder = GRef<GstObject>::adopt(gst_object_get_parent(holder.get()));
  return static_cast<bool>(holder);
}

// GstUriDownloader, which fetches playlists and keys, holds its source in no bin, and nothing leads from the
// source's pad to it. But the function that takes the bytes is in its library.
bool is_read_by_uri_downloader(GstElement *element) {
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(element, "src"));
  const auto peer = GRef<GstPad>::adopt(gst_pad_get_peer(pad.get()));
  if (!peer || !GST_PAD_CHAINFUNC(peer.get())) return false;
  Dl_info place{};
  return dladdr(reinterpret_cast<void *>(GST_PAD_CHAINFUNC(peer.get())), &place) && place.dli_fname &&
         std::string_view(place.dli_fname).find("uridownloader") != std::string_view::npos;
}

}  // namespace

bool is_opened_by_playlist(GstElement *element) {
  return is_in_playlist_demuxer(element) || is_read_by_uri_downloader(element);
}

}  // namespace genclip
