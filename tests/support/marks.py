# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the marks of clips that the simulator rendered with --marks (docs/simulator.md, Marks)."""

import math
from array import array

COLUMNS = 20
DARK, LIGHT = 90, 160
TICK_BEGIN, TICK_LENGTH, TICK_FREQUENCY = 0.1, 0.01, 2000


def crc8(data):
    check = 0xFF
    for byte in data:
        check ^= byte
        for _ in range(8):
            check = (check << 1 ^ 0x07) & 0xFF if check & 0x80 else check << 1
    return check


def read_frame_mark(luma, width, height, stride=None, offset=0):
    """(clip, number) of a picture's 8-bit luma without any border around it (the first bytes of an I420 or GRAY8
    frame), 160x90 or larger; None if there is no mark, or not for sure. GStreamer pads the lines of such a frame to a
    multiple of 4 bytes: that is the default stride."""
    stride = stride or (width + 3) // 4 * 4
    bits = 0
    for block in range(2 * COLUMNS):
        column, top = block % COLUMNS, 0.6 if block < COLUMNS else 0.7
        x, x_end = (int((column + part) * width / COLUMNS) for part in (0.3, 0.7))
        y, y_end = (int((top + 0.1 * part) * height) for part in (0.3, 0.7))
        lines = [luma[offset + line * stride + x : offset + line * stride + x_end + 1] for line in range(y, y_end + 1)]
        mean = sum(map(sum, lines)) / sum(map(len, lines))
        if DARK < mean < LIGHT:
            return None
        bits = bits << 1 | (mean >= LIGHT)
    data = bits.to_bytes(5, "big")
    if crc8(data[:4]) != data[4]:
        return None
    return int.from_bytes(data[:2], "big"), int.from_bytes(data[2:4], "big")


def find_seconds(sound, rate=48000, least=0.02):
    """Positions in a sound of one channel (floats) at which a second of a clip begins (the tick comes 0.1 s later), to
    about 0.1 ms. A tick is found if its peak is above `least`; the simulator's have 0.3, times the channel's gain."""
    size = int(TICK_LENGTH * rate)
    window = [(1 - math.cos(2 * math.pi * i / size)) * 2 / size for i in range(size)]
    angles = [2 * math.pi * TICK_FREQUENCY * i / rate for i in range(size)]
    sine = [w * math.sin(a) for w, a in zip(window, angles)]
    cosine = [w * math.cos(a) for w, a in zip(window, angles)]

    def strength(place):
        piece = sound[place : place + size]
        return math.hypot(sum(map(float.__mul__, piece, sine)), sum(map(float.__mul__, piece, cosine)))

    found, place, last, reach = [], 0, len(sound) - size, rate // 200
    while place <= last:
        if strength(place) >= least:
            best = max(range(max(0, place - reach), min(last, place + 2 * reach) + 1), key=strength)
            found.append(best - int(TICK_BEGIN * rate))
            place = best + 2 * size
        else:
            place += rate // 500
    return found


def first_channel(data, sample_format="F32LE", channels=2):
    """The samples of the first channel of interleaved raw audio (bytes), as floats."""
    samples = array({"F32LE": "f", "S16LE": "h"}[sample_format], data)
    scale = 1.0 if sample_format == "F32LE" else 1 / 32768
    return [sample * scale for sample in samples[::channels]]
