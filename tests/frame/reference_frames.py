# SPDX-License-Identifier: LGPL-2.1-or-later
"""Videos whose frames differ much from their neighbours, as ffmpeg encodes and decodes them, and what genclip frame takes."""

import functools
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


def encode(path, *options):
    ffmpeg("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{WIDTH}x{HEIGHT}", "-r", str(RATE), "-i", "pipe:0", *options,
           str(path), data=raw_frames())


def reference(path, *options):
    """Times and pixels of all frames that ffmpeg displays."""
    probed = run("ffprobe", "-v", "error", *options, "-select_streams", "v:0", "-show_entries", "frame=pts_time", "-of", "json",
                 str(path))
    times = [float(frame["pts_time"]) for frame in json.loads(probed.stdout)["frames"]]
    pixels = ffmpeg(*options, "-i", str(path), "-map", "0:v:0", "-vsync", "passthrough", "-sws_flags",
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
class FrameTest(unittest.TestCase):
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

    def refusal(self, path, *words):
        done = run(GENCLIP, "frame", str(path), *words, "--output", str(self.folder / "frame.png"))
        if b"is not installed" in done.stderr:
            self.skipTest(done.stderr.decode())
        self.assertEqual(done.returncode, 1, done.stderr.decode())
        return done.stderr.decode()

    def encode_or_skip(self, path, *options):
        encoder = options[options.index("-c:v") + 1]
        if f" {encoder} " not in encoders():
            self.skipTest(f"ffmpeg has no {encoder}")
        encode(path, *options)
        return path

    def assert_frame(self, taken, index, times, frames):
        """What taken() returned is this frame of ffmpeg's."""
        said, pixels = taken
        self.assertAlmostEqual(said["pts"], times[index], delta=0.0011)
        if psnr(pixels, frames[index]) < LIKE:
            likeness = [psnr(pixels, frame) for frame in frames]
            self.fail(f"not like frame {index} ({likeness[index]:.1f} dB), but like {likeness.index(max(likeness))}")
