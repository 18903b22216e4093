# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads every raw picture and sound of a `genclip channel`, at small cost: a tee in front of each encoder sends them here.

The pieces of launch line for --video-encoder and --audio-encoder send the GStreamer Data Protocol by TCP on loopback: each
buffer with its exact time and its offset. Each run of the program connects once to either port.
"""

import dataclasses
import socket
import struct
import threading
import time as clock
from array import array

from marks import TICK_BEGIN, TICK_LENGTH, find_seconds, read_frame_mark

HEADER = struct.Struct(">BBBBHIQQQQ")  # Of 62 bytes: version, flags, padding, type, length, time, duration, offset, its end.
HEADER_SIZE = 62
BUFFER = 1
SECOND = 10**9
SAMPLES = 48000
MOST_PROBLEMS = 20

# The queue holds what this process reads late: nothing here may hold up the channel.
TAP = ("tee name={name} {name}. ! queue max-size-buffers=0 max-size-time=0 max-size-bytes=400000000 ! gdppay ! "
       "tcpclientsink host=127.0.0.1 port={port} sync=false {name}. ! queue ! {encoder}")


@dataclasses.dataclass
class Seen:
    """What left in one run of the program."""

    marks: list = dataclasses.field(default_factory=list)  # Of each frame: (clip, number) or None.
    levels: array = dataclasses.field(default_factory=lambda: array("f"))  # Peak of the sound beside each frame.
    ticks: list = dataclasses.field(default_factory=list)  # Samples at which a second of a clip begins.
    samples: int = 0
    first_at: float | None = None  # When the first picture came, by time.monotonic().
    problems: list = dataclasses.field(default_factory=list)
    pictures_done: threading.Event = dataclasses.field(default_factory=threading.Event)
    sound_done: threading.Event = dataclasses.field(default_factory=threading.Event)

    def wrong(self, text):
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(text)


class Tap:
    def __init__(self, width, height, rate):
        self.width, self.height, self.rate = width, height, rate
        self.frame_size = width * height * 3 // 2
        self.servers = {}
        for name in ("video", "audio"):
            server = socket.socket()
            server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
            server.bind(("127.0.0.1", 0))
            server.listen(1)
            self.servers[name] = server

    def options(self, video_encoder, audio_encoder):
        """Words for `genclip channel`."""
        encoders = {"video": video_encoder, "audio": audio_encoder}
        return [word for name, server in self.servers.items()
                for word in (f"--{name}-encoder",
                             TAP.format(name=f"tap_{name}", port=server.getsockname()[1], encoder=encoders[name]))]

    def next_run(self):
        """Reads the next run that connects, on threads of its own."""
        seen = Seen()
        for name, read, done in (("video", self.read_pictures, seen.pictures_done), ("audio", self.read_sound, seen.sound_done)):
            threading.Thread(target=self.read_run, args=(name, read, seen, done), daemon=True).start()
        return seen

    def read_run(self, name, read, seen, done):
        try:
            connection, _ = self.servers[name].accept()
            with connection, connection.makefile("rb", 1 << 20) as stream:
                read(stream, seen)
        finally:
            done.set()

    def time_of(self, count, rate):
        return (count * SECOND + rate // 2) // rate

    def buffers(self, stream, seen, what):
        """(time, duration, offset, end, data) of each whole buffer; a run that was killed ends within one."""
        while True:
            header = stream.read(HEADER_SIZE)
            if len(header) < HEADER_SIZE:
                return
            version, _, _, _, kind, length, *times = HEADER.unpack_from(header)
            if version != 1:
                seen.wrong(f"{what}: this is no header: {header.hex()}")
                return
            data = stream.read(length)
            if len(data) < length:
                return
            if kind == BUFFER:
                yield *times, data

    def read_pictures(self, stream, seen):
        for time, duration, offset, end, data in self.buffers(stream, seen, "picture"):
            frame = len(seen.marks)
            seen.first_at = seen.first_at or clock.monotonic()
            begin = self.time_of(frame, self.rate)
            if (time, duration, offset, end) != (begin, self.time_of(frame + 1, self.rate) - begin, frame, frame + 1):
                seen.wrong(f"frame {frame} has the time {time}, duration {duration}, offset {offset} to {end}")
            if len(data) == self.frame_size:
                seen.marks.append(read_frame_mark(data[:self.width * self.height], self.width, self.height))
            else:
                seen.wrong(f"frame {frame} has {len(data)} bytes")
                seen.marks.append(None)

    def read_sound(self, stream, seen):
        waiting, begin = array("f"), 0  # What is not searched yet, and its place.
        margin = int((TICK_BEGIN + 4 * TICK_LENGTH) * SAMPLES)
        for time, duration, offset, end, data in self.buffers(stream, seen, "sound"):
            samples = array("f", data)[::2]
            after = seen.samples + len(samples)
            exact = self.time_of(seen.samples, SAMPLES)
            if (time, duration, offset, end) != (exact, self.time_of(after, SAMPLES) - exact, seen.samples, after):
                seen.wrong(f"sample {seen.samples} has the time {time}, duration {duration}, offset {offset} to {end}")
            seen.samples = after
            seen.levels.append(max(max(samples), -min(samples)) if samples else 0)
            waiting.extend(samples)
            if len(waiting) >= 5 * SAMPLES:
                begin, waiting = self.search(seen, waiting, begin, len(waiting) - margin), waiting[-2 * margin:]
        self.search(seen, waiting, begin, len(waiting) + margin)

    def search(self, seen, sound, begin, until):
        """Adds the ticks in `sound` whose end is before `until`. The place of the last 2 * margin samples."""
        margin = int((TICK_BEGIN + 4 * TICK_LENGTH) * SAMPLES)
        for found in find_seconds(sound, SAMPLES):
            place = begin + found
            if found + margin <= until and (not seen.ticks or place > seen.ticks[-1] + SAMPLES // 50):
                seen.ticks.append(place)
        return begin + len(sound) - 2 * margin
