// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Small videos whose frames tell their numbers by their grey.
#pragma once

#include <string>

namespace genclip::test {

inline constexpr int kFrames = 20;

// `kFrames` frames of 32×32 pixels, as caps `rate` says ("10/1"), through encoder and muxer ("x264enc !
// mp4mux") into the file. `more` is a further part of the pipeline. Throws when that is not possible.
void make_video(const std::string &path, const std::string &rate, const std::string &encoder_and_muxer,
                const std::string &more = {});

// Runs a pipeline to its end.
void run_pipeline(const std::string &description);

// The number of the frame of such a video; -1 when that is not certain.
int frame_number(const std::string &png);

}  // namespace genclip::test
