// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Marks by which a test recognises each frame of a clip and each second of its sound, after any encoder and
// any scaling. docs/simulator.md, Marks, describes them; tests/support/marks.h reads them.
#pragma once

#include <gst/video/video.h>

#include <cstdint>
#include <string>

namespace genclip::sim {

// The number of a clip in its marks: the first number in the prompt, otherwise a hash of it. 16 bits.
unsigned clip_mark(const std::string &prompt);

// Draws the bars over a frame whose first plane is luma. The numbers count modulo 2^16.
void draw_frame_mark(GstVideoFrame &frame, unsigned clip, uint64_t number);

// Adds a tick to each second of a sound. `position`: of the first of these samples in the sound. `delay`:
// what the encoder puts before the sound, in samples of each channel.
void add_ticks(float *samples, size_t frames, unsigned channels, uint64_t position, unsigned rate,
               unsigned delay);

}  // namespace genclip::sim
