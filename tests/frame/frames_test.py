#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""genclip frame against ffmpeg: every codec and container, B-frames, edit lists, variable rates, rotation, long sound.

ffmpeg encodes frames that differ much from their neighbours, and decodes each file as the reference.
"""

import itertools
import re
import unittest

import reference_frames
from mp4_boxes import turned
from reference_frames import COUNT, H264, HEIGHT, HEVC, UNLIKE, WIDTH, encode, encoders, ffmpeg, psnr, reference

VP9 = ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "12", "-pix_fmt", "yuv420p"]
AV1 = ["-c:v", "libaom-av1", "-usage", "realtime", "-cpu-used", "8", "-g", "12", "-pix_fmt", "yuv420p"]
JPEG = ["-c:v", "mjpeg", "-q:v", "2", "-pix_fmt", "yuvj420p"]
# Every second frame is displayed three times as long.
UNEVEN = ["-vf", "setpts=(2*N-mod(N\\,2))/(25*TB)", "-vsync", "vfr"]
SOUND = ["-f", "lavfi", "-i", "sine=d=3"]

# Name: options of the encoding (and a second input before them), then those of a copy of that file, if any.
CASES = {
    "h264.mp4": (H264,),
    "h264.mov": (H264,),
    "h264.mkv": (H264,),
    "hevc.mp4": (HEVC,),
    "hevc.mov": (HEVC,),
    "vp9.webm": (VP9,),
    "vp9.mp4": (VP9,),
    "av1.mp4": (AV1,),
    "av1.webm": (AV1,),
    "jpeg.mov": (JPEG,),
    "jpeg.mp4": (JPEG,),
    "ten_bits.mp4": ([*H264[:-1], "yuv420p10le"],),
    "bt709.mp4": ([*H264, "-vf", "scale=out_color_matrix=bt709:out_range=tv", "-colorspace", "bt709", "-color_primaries",
                   "bt709", "-color_trc", "bt709", "-color_range", "tv"],),
    "uneven.mp4": ([*H264, *UNEVEN],),
    "uneven.webm": ([*VP9, *UNEVEN],),
    "long_sound.mp4": ([*SOUND, *H264, "-c:a", "aac"],),
    # qtdemux ignores a video that is so much shorter than the file.
    "longer_sound.mp4": (["-f", "lavfi", "-i", "sine=d=9", *H264, "-c:a", "aac"],),
    "long_sound.webm": ([*SOUND, *VP9, "-c:a", "libopus"],),
    # Begins between two keyframes: the edit list hides the frames from the keyframe on.
    "edit_list.mp4": (H264, ["-ss", "0.6"], []),
    "edit_list.mov": (HEVC, ["-ss", "0.6"], []),
    "no_edit_list.mp4": (H264, [], ["-use_editlist", "0"]),
    "late.mp4": (H264, ["-itsoffset", "0.4"], []),
    "fragments.mp4": (H264, [], ["-movflags", "frag_keyframe+empty_moov"]),
    "index_first.mp4": (H264, [], ["-movflags", "faststart"]),
    "last_is_key.mp4": ([*H264, "-force_key_frames", f"expr:eq(n,{COUNT - 1})"],),
    "trimmed.mp4": (H264, [], ["-t", "0.7"]),
    "turned_90.mp4": (H264,),
    "turned_180.mov": (H264,),
    "turned_270.mp4": (H264,),
    # A frame a second: long enough for a seek.
    "slow.mp4": ([*H264, "-vf", "setpts=N/TB", "-vsync", "vfr"],),
    "slow.webm": ([*VP9, "-vf", "setpts=N/TB", "-vsync", "vfr"],),
    "slow_hevc.mp4": ([*HEVC, "-vf", "setpts=N/TB", "-vsync", "vfr"],),
    "slower_hevc.mp4": ([*HEVC, "-vf", "setpts=2*N/TB", "-vsync", "vfr"],),
    "slow_cut.mp4": ([*H264, "-vf", "setpts=N/TB", "-vsync", "vfr"], ["-ss", "7"], []),
    "turned_90_cut.mp4": (H264, ["-ss", "0.6"], []),
}


def make(folder, name):
    encoding, *copying = CASES[name]
    whole = folder / (f"whole.{name.split('.')[1]}" if copying else name)
    encode(whole, *encoding)
    if copying:
        before, after = copying
        ffmpeg(*before, "-i", str(whole), "-c", "copy", *after, str(folder / name))
    path = folder / name
    if turn := re.match(r"turned_(\d+)", name):
        path.write_bytes(turned(path.read_bytes(), int(turn[1])))
    return path


class Frames(reference_frames.FrameTest):
    def check(self, name):
        encoder = CASES[name][0][CASES[name][0].index("-c:v") + 1]
        if f" {encoder} " not in encoders():
            self.skipTest(f"ffmpeg has no {encoder}")
        path = make(self.folder, name)
        times, frames = reference(path)
        self.assertGreater(len(frames), 10)
        for before, after in itertools.pairwise(frames):
            self.assertLess(psnr(before, after), UNLIKE, "The frames of this test are too much alike.")

        def expect(index, *words):
            with self.subTest(name=name, words=words):
                taken = self.taken(path, *words)
                self.assertEqual(taken[0]["width"], HEIGHT if "90" in name or "270" in name else WIDTH)
                self.assert_frame(taken, index, times, frames)

        expect(0, "--first")
        expect(-1, "--last")
        for index in (1, len(frames) // 2, len(frames) - 2):
            expect(index, "--time", f"{times[index]:.6f}")
        for index in (0, len(frames) // 2):
            expect(index, "--time", f"{times[index] + 0.6 * (times[index + 1] - times[index]):.6f}")


for _name in CASES:
    setattr(Frames, f"test_{_name.replace('.', '_')}", lambda self, name=_name: self.check(name))


if __name__ == "__main__":
    unittest.main()
