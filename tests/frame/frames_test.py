#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""genclip frame against ffmpeg: every codec and container, B-frames, edit lists, variable rates, rotation, long sound.

ffmpeg encodes frames that differ much from their neighbours, and decodes each file as the reference.
"""

import functools
import itertools
import json
import math
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest
import zlib

GENCLIP = os.environ["GENCLIP"]
WIDTH, HEIGHT, COUNT, RATE = 96, 64, 30, 25
LIKE, UNLIKE = 40, 25  # PSNR in dB.
H264 = ["-c:v", "libx264", "-preset", "veryfast", "-bf", "3", "-g", "12", "-pix_fmt", "yuv420p"]
HEVC = ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=error:bframes=3:keyint=12:open-gop=1",
        "-tag:v", "hvc1", "-pix_fmt", "yuv420p"]
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
    "long_sound.webm": ([*SOUND, *VP9, "-c:a", "libopus"],),
    # Begins between two keyframes: the edit list hides the frames from the keyframe on.
    "edit_list.mp4": (H264, ["-ss", "0.6"], []),
    "edit_list.mov": (HEVC, ["-ss", "0.6"], []),
    "no_edit_list.mp4": (H264, [], ["-use_editlist", "0"]),
    "late.mp4": (H264, ["-itsoffset", "0.4"], []),
    "fragments.mp4": (H264, [], ["-movflags", "frag_keyframe+empty_moov"]),
    "index_first.mp4": (H264, [], ["-movflags", "faststart"]),
    # qtdemux stops too early at a keyframe near the end, if an edit list moves the beginning.
    "last_is_key.mp4": ([*H264, "-force_key_frames", f"expr:eq(n,{COUNT - 1})"],),
    "trimmed.mp4": (H264, [], ["-t", "0.7"]),
    "turned_90.mp4": (H264, [], ["-metadata:s:v", "rotate=90"]),
    "turned_180.mov": (H264, [], ["-metadata:s:v", "rotate=180"]),
    "turned_270.mp4": (H264, [], ["-metadata:s:v", "rotate=270"]),
    # A frame a second: long enough for a seek.
    "slow.mp4": ([*H264, "-vf", "setpts=N/TB", "-vsync", "vfr"],),
    "slow.webm": ([*VP9, "-vf", "setpts=N/TB", "-vsync", "vfr"],),
    "slow_hevc.mp4": ([*HEVC, "-vf", "setpts=N/TB", "-vsync", "vfr"],),
}


def run(*words, data=None):
    return subprocess.run(words, input=data, capture_output=True, timeout=120, check=False)


def ffmpeg(*words, data=None):
    done = run("ffmpeg", "-nostdin", "-v", "error", "-y", *words, data=data)
    if done.returncode != 0:
        raise RuntimeError(f"ffmpeg {' '.join(words)}: {done.stderr.decode()}")
    return done.stdout


@functools.cache
def encoders():
    return run("ffmpeg", "-v", "quiet", "-encoders").stdout.decode()


@functools.cache
def raw_frames():
    """Each has a colour far from that of the frame before, and a corner that tells its orientation.

    The corner differs in luma alone, because GStreamer and ffmpeg interpolate chroma differently."""
    source = random.Random(7)
    frames, before = [], (128, 128, 128)
    while len(frames) < COUNT:
        colour = tuple(source.randrange(30, 170) for _ in range(3))
        if sum((a - b) ** 2 for a, b in zip(colour, before)) < 80 ** 2:
            continue
        before = colour
        plain, corner = bytes(colour), bytes(value + 70 for value in colour)
        top = corner * (WIDTH // 3) + plain * (WIDTH - WIDTH // 3)
        frames.append(top * (HEIGHT // 4) + plain * (WIDTH * (HEIGHT - HEIGHT // 4)))
    return b"".join(frames)


def make(folder, name):
    encoding, *copying = CASES[name]
    whole = folder / (f"whole.{name.split('.')[1]}" if copying else name)
    ffmpeg("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{WIDTH}x{HEIGHT}", "-r", str(RATE), "-i", "pipe:0", *encoding,
           str(whole), data=raw_frames())
    if copying:
        before, after = copying
        ffmpeg(*before, "-i", str(whole), "-c", "copy", *after, str(folder / name))
    return folder / name


def reference(path):
    """Times and pixels of all frames that ffmpeg displays."""
    probed = run("ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "frame=pts_time", "-of", "json",
                 str(path))
    times = [float(frame["pts_time"]) for frame in json.loads(probed.stdout)["frames"]]
    pixels = ffmpeg("-i", str(path), "-map", "0:v:0", "-vsync", "passthrough", "-sws_flags",
                    "accurate_rnd+full_chroma_int+bicubic", "-pix_fmt", "rgb24", "-f", "rawvideo", "pipe:1")
    size = WIDTH * HEIGHT * 3
    frames = [pixels[at:at + size] for at in range(0, len(pixels), size)]
    if len(frames) != len(times):
        raise RuntimeError(f"{path}: {len(frames)} frames, {len(times)} times")
    return times, frames


def read_png(data):
    """Width, height and RGB of an 8-bit RGB PNG."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, header = 8, b"", b""
    while at < len(data):
        size, kind = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
        body = data[at + 8:at + 8 + size]
        header = body if kind == b"IHDR" else header
        packed += body if kind == b"IDAT" else b""
        at += size + 12
    width, height = int.from_bytes(header[:4], "big"), int.from_bytes(header[4:8], "big")
    assert header[8:13] == b"\x08\x02\0\0\0", header
    lines, stride, above, rows = zlib.decompress(packed), width * 3, bytes(width * 3), []
    for y in range(height):
        method, *line = lines[y * (stride + 1):(y + 1) * (stride + 1)]
        for x in range(stride):
            left, up, corner = line[x - 3] if x >= 3 else 0, above[x], above[x - 3] if x >= 3 else 0
            near = min((left, up, corner), key=lambda value, sum_=left + up - corner: abs(sum_ - value))
            line[x] = line[x] + (0, left, up, (left + up) // 2, near)[method] & 255
        above = bytes(line)
        rows.append(above)
    return width, height, b"".join(rows)


def psnr(a, b):
    assert len(a) == len(b)
    error = sum((x - y) ** 2 for x, y in zip(a, b)) / len(a)
    return 10 * math.log10(255 ** 2 / error) if error else 99


@unittest.skipUnless(shutil.which("ffmpeg") and shutil.which("ffprobe"), "ffmpeg is not installed")
class Frames(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def taken(self, path, *words):
        """Of the picture: what the command says, and its pixels."""
        output = self.folder / "frame.png"
        done = run(GENCLIP, "frame", str(path), *words, "--json", "--output", str(output))
        if b"is not installed" in done.stderr:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        said = json.loads(done.stdout)
        width, height, pixels = read_png(output.read_bytes())
        self.assertEqual((said["width"], said["height"]), (width, height))
        return said, pixels

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
                said, pixels = self.taken(path, *words)
                self.assertAlmostEqual(said["pts"], times[index], delta=0.0011)
                self.assertEqual(said["width"], HEIGHT if "90" in name or "270" in name else WIDTH)
                if psnr(pixels, frames[index]) < LIKE:
                    likeness = [psnr(pixels, frame) for frame in frames]
                    self.fail(f"not like frame {index} ({likeness[index]:.1f} dB), but like {likeness.index(max(likeness))}")

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
