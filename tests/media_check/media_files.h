// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Small real media, made while the test runs; the bytes of each.
#pragma once

#include <string>

namespace genclip::test {

// By an encoder such as "pngenc".
std::string image_file(const std::string &encoder, int width, int height);
// Two frames of half a second.
std::string webp_animation(int width, int height);
// H.264 by a muxer such as "mp4mux".
std::string video_file(const std::string &muxer, int width, int height, int frames, int frame_rate);
// By an encoder, or an encoder and a muxer.
std::string audio_file(const std::string &encoder, int seconds);

}  // namespace genclip::test
