// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin/film/subtitle_file.h"

#include "plugin/base/mutex.h"
#include "plugin/film/film_run.h"

namespace genclip {
namespace {

constexpr size_t kLargestFile = 16 << 20;

// What the source has pushed. Thread-safe.
class Bytes {
 public:
  // False: it is too much.
  bool add(GstBuffer *buffer) {
    MutexLock lock(mutex_);
    const size_t at = bytes_.size(), more = gst_buffer_get_size(buffer);
    is_too_large_ |= more > kLargestFile - at;
    if (is_too_large_) return false;
    bytes_.resize(at + more);
    gst_buffer_extract(buffer, 0, bytes_.data() + at, more);
    return true;
  }
  std::string all() const {
    MutexLock lock(mutex_);
    return bytes_;
  }
  bool are_too_many() const {
    MutexLock lock(mutex_);
    return is_too_large_;
  }

 private:
  mutable Mutex mutex_;
  std::string bytes_ GUARDED_BY(mutex_);
  bool is_too_large_ GUARDED_BY(mutex_) = false;
};

}  // namespace

Result<Subtitles> load_subtitles(const std::string &uri, const std::function<bool()> &is_stopped) {
  GErrorPtr error;
  GstElement *source = gst_element_make_from_uri(GST_URI_SRC, uri.c_str(), nullptr, take(error));
  if (!source) return Error{ErrorKind::not_found, error->message};
  Bytes bytes;
  FilmRun run(GRef<GstElement>::adopt(GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new(nullptr)))));
  gst_bin_add(run.bin(), source);
  GstElement *sink = gst_element_factory_make("fakesink", nullptr);
  if (!sink) return Error{ErrorKind::not_found, "GStreamer lacks its element fakesink."};
  gst_bin_add(run.bin(), sink);
  g_object_set(sink, "sync", FALSE, nullptr);
  gst_element_link(source, sink);
  const auto pad = GRef<GstPad>::adopt(gst_element_get_static_pad(sink, "sink"));
  const auto add = [](GstPad *, GstPadProbeInfo *info, gpointer to) {
    const bool fits = static_cast<Bytes *>(to)->add(GST_PAD_PROBE_INFO_BUFFER(info));
    GST_PAD_PROBE_INFO_FLOW_RETURN(info) = GST_FLOW_ERROR;
    if (fits) return GST_PAD_PROBE_OK;
    gst_buffer_unref(GST_PAD_PROBE_INFO_BUFFER(info));
    return GST_PAD_PROBE_HANDLED;
  };
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, add, &bytes, nullptr);
  const auto end = run.run([](GstMessage *) {},
                           [&] {
                             if (is_stopped && is_stopped()) run.end();
                           });
  if (end == FilmRun::End::ended) return cancelled();
  if (bytes.are_too_many())
    return Error{ErrorKind::wrong_type, "It is larger than 16 MiB, and so no file of subtitles."};
  if (end != FilmRun::End::eos) return Error{run.error().kind, "It cannot be read: " + run.error().text};
  return read_subtitles(bytes.all());
}

}  // namespace genclip
