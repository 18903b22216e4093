// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Turns a frame or a picture into the JPEG that is sent, and into the thumbnail that is compared.
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include <vector>

#include "plugin/base/gref.h"
#include "plugin/base/result.h"
#include "plugin/caption/content_wire.h"

namespace genclip {

// A picture with its caps: video/x-raw in system memory, image/jpeg or image/png.
struct Picture {
  GRef<GstBuffer> buffer;
  GRef<GstCaps> caps;
  // The rotation that its stream asks for. The EXIF data of a JPEG have precedence.
  GstVideoOrientationMethod orientation = GST_VIDEO_ORIENTATION_IDENTITY;
};

// As a JPEG, upright, with square pixels, its longer side at most `max_size` pixels (0: as it is). A JPEG
// that is whole, small enough and upright is sent unchanged. Takes milliseconds, and for a large picture
// seconds: never call it on a streaming thread. Any thread. Checks `cancellable` between its steps; a single
// call of a codec, the longest step, cannot be interrupted.
Result<Still> encode_still(const Picture &picture, unsigned max_size, GCancellable *cancellable = nullptr);

// A small picture of grey levels and colours, to compare with others.
using Thumbnail = std::vector<unsigned char>;
// `some` pixels of a large picture are enough to find cuts, and take a small part of the time.
enum class ThumbnailPixels { all, some };
Result<Thumbnail> make_thumbnail(const Picture &picture, GCancellable *cancellable = nullptr,
                                 ThumbnailPixels pixels = ThumbnailPixels::all);

// How much two pictures differ: 0 for equal, 1 for black and white.
double difference(const Thumbnail &a, const Thumbnail &b);

}  // namespace genclip
