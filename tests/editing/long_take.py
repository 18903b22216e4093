# SPDX-License-Identifier: LGPL-2.1-or-later
"""The example long-take, and measurements of films, by ffmpeg and not by the code that made them."""

import importlib.machinery
import importlib.util
import math
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parents[2] / "examples" / "long-take"
PROGRAM = FOLDER / "long-take"


def load():
    """The program as a module."""
    sys.path.insert(0, str(FOLDER))
    loader = importlib.machinery.SourceFileLoader("long_take_program", str(PROGRAM))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def ffmpeg(*words):
    return subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *map(str, words)], stdout=subprocess.PIPE, check=True).stdout


def pictures(path, *filters):
    """Every frame as YUV 4:2:0, as it is in the file."""
    probe = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "stream=width,height", "-of",
                            "csv=p=0", str(path)], stdout=subprocess.PIPE, text=True, check=True).stdout
    width, height = map(int, re.findall(r"\d+", probe))
    size = width * height + 2 * (-(-width // 2) * -(-height // 2))
    chosen = ("-vf", ",".join(filters)) if filters else ()
    data = ffmpeg("-i", path, *chosen, "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-")
    return [data[at:at + size] for at in range(0, len(data), size)]


def first_and_last(path):
    frames = pictures(path)
    return frames[0], frames[-1]


def psnr(one, other):
    """Of every third byte, which is enough and takes a third of the time."""
    one, other = one[::3], other[::3]
    error = sum((a - b) * (a - b) for a, b in zip(one, other, strict=True))
    return 10 * math.log10(255 * 255 * len(one) / max(error, 1))


def frame_times(path):
    shown = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "frame=pts_time", "-of", "csv=p=0",
                            str(path)], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [float(line.strip(",")) for line in shown.split()]


def loudness(path, rate=8000):
    """The samples of its sound, from the film's beginning."""
    data = ffmpeg("-i", path, "-af", "aresample=async=1:first_pts=0", "-ac", 1, "-ar", rate, "-f", "s16le", "-")
    return [abs(int.from_bytes(data[at:at + 2], "little", signed=True)) for at in range(0, len(data), 2)]


def beeps(path, rate=8000):
    """When each beep begins, in seconds."""
    samples, begins, quiet = loudness(path, rate), [], rate
    for at, sample in enumerate(samples):
        if sample > 3000:
            if quiet > rate // 10:
                begins.append(at / rate)
            quiet = 0
        else:
            quiet += 1
    return begins
