// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Calls one GStreamer element like a function, with one buffer.
#pragma once

#include <gst/gst.h>

#include <functional>

#include "plugin/base/gref.h"
#include "plugin/base/result.h"

namespace genclip {

// The element's output and its caps.
struct ElementOutput {
  GRef<GstBuffer> buffer;
  GRef<GstCaps> caps;
};

// Makes the element `factory` (one that works in its chain function, such as jpegenc), gives it `buffer` with
// `caps` and then EOS, and returns its first buffer. All in the calling thread, without a pipeline.
// `configure` may set its properties. Fails when the element is not installed or has no output for the
// buffer.
Result<ElementOutput> call_element(const char *factory, GstCaps *caps, GstBuffer *buffer,
                                   const std::function<void(GstElement *)> &configure = {});

}  // namespace genclip
