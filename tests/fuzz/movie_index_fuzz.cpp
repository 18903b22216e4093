// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Any bytes as an MP4 file: an index whose times can be used, or an error, without reads behind the end.
#include <algorithm>
#include <cstring>

#include "plugin/frame/movie_index.h"
#include "tests/fuzz/hold.h"

FUZZ_TARGET(movie_index)(const uint8_t *data, size_t size) {
  using namespace genclip;
  const auto index = read_movie_index(
      [&](uint64_t offset, void *target, size_t wanted) {
        if (offset > size || wanted > size - offset) return false;
        std::memcpy(target, data + offset, wanted);
        return true;
      },
      size);
  if (!index) {
    hold(!index.error().text.empty());
    return 0;
  }
  hold(index->is_fragmented != !index->begins.empty());
  hold(std::is_sorted(index->begins.begin(), index->begins.end()));
  for (const Replacement &one : index->replacements)
    hold(one.offset <= size && one.bytes.size() <= size - one.offset);
  for (const GstClockTime time :
       {GstClockTime{0}, GstClockTime{GST_SECOND}, GST_CLOCK_TIME_NONE / 2, GST_CLOCK_TIME_NONE}) {
    const auto wanted = wanted_frame(index->edits, time);
    if (!wanted) continue;
    hold(wanted->edit.media && wanted->media_end >= *wanted->edit.media);
    hold(wanted->edit.shown_end >= wanted->edit.shown);
    const auto begin = index->begin_of(*wanted);
    hold(!begin || !wanted->is_passed_by(*begin));
    if (begin) hold(wanted->shown(*begin) >= wanted->edit.shown);
  }
  return 0;
}
