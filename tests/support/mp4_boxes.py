# SPDX-License-Identifier: LGPL-2.1-or-later
"""The boxes of an MP4 file, and the edit list and the turn of its video track."""

import struct

SECOND = 1000


def boxes(data, begin=0, end=None):
    while begin + 8 <= (len(data) if end is None else end):
        size = int.from_bytes(data[begin:begin + 4], "big")
        yield data[begin + 4:begin + 8], begin + 8, begin + size
        begin += size


def child(data, span, *path):
    for wanted in path:
        span = next((begin, end) for kind, begin, end in boxes(data, *span) if kind == wanted)
    return span


def video_track(data):
    """Where its content is, and its time scale and that of the movie."""
    movie = child(data, (0, len(data)), b"moov")
    header, _ = child(data, movie, b"mvhd")
    for kind, begin, end in boxes(data, *movie):
        if kind == b"trak":
            handler, _ = child(data, (begin, end), b"mdia", b"hdlr")
            if data[handler + 8:handler + 12] == b"vide":
                media, _ = child(data, (begin, end), b"mdia", b"mdhd")
                scales = (struct.unpack(">I", data[at + 12:at + 16])[0] for at in (header, media))
                return (begin, end), *scales
    raise ValueError("no video track")


def edits_of(data):
    """Seconds: (duration, begin in the media or None)."""
    track, movie_scale, media_scale = video_track(data)
    begin, _ = child(data, track, b"edts", b"elst")
    count = struct.unpack(">I", data[begin + 4:begin + 8])[0]
    rows = [struct.unpack(">Iii", data[begin + 8 + i * 12:begin + 20 + i * 12]) for i in range(count)]
    return [(duration / movie_scale, None if media < 0 else media / media_scale) for duration, media, _ in rows]


def turned(data, degrees):
    """Clockwise, as phones write it. (ffmpeg has another option for it from version to version.)"""
    track, _, _ = video_track(data)
    begin, end = child(data, track, b"tkhd")
    width, height = struct.unpack(">II", data[end - 8:end])
    one, unit = 1 << 16, 1 << 30
    a, b, x, y = {90: (0, one, height, 0), 180: (-one, 0, width, height), 270: (0, -one, 0, width)}[degrees]
    at = begin + (40 if data[begin] == 0 else 52)
    return data[:at] + struct.pack(">iiiiiiiii", a, b, 0, -b, a, 0, x, y, unit) + data[at + 36:]


def with_edits(data, rows, *, version=0):
    """The index is at the end of the file, so its boxes may grow. Rows: (duration, media time, rate) in ms."""
    (_, track_end), movie_scale, media_scale = video_track(data)
    assert movie_scale == SECOND and child(data, (0, len(data)), b"moov")[1] == len(data)
    content = bytes([version, 0, 0, 0]) + struct.pack(">I", len(rows))
    for duration, media, rate in rows:
        media = -1 if media is None else media * media_scale // SECOND
        content += struct.pack(">qqI" if version else ">IiI", duration, media, rate)
    box = struct.pack(">I4sI4s", len(content) + 16, b"edts", len(content) + 8, b"elst") + content
    data = bytearray(data)
    track, _, _ = video_track(data)
    old, _ = child(data, track, b"edts")
    data[old - 4:old] = b"free"
    data[track_end:track_end] = box
    for at in (track[0] - 8, child(data, (0, len(data)), b"moov")[0] - 8):
        data[at:at + 4] = struct.pack(">I", struct.unpack(">I", data[at:at + 4])[0] + len(box))
    return bytes(data)
