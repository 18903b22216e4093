#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""marks.py reads what marked-media makes."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import marks  # noqa: E402

WIDTH, HEIGHT = 214, 120  # Lines are padded to 216 bytes.
LUMA = 216 * HEIGHT


def decoded(film, pad, *pipeline):
    with tempfile.NamedTemporaryFile() as raw:
        subprocess.run(["gst-launch-1.0", "-q", "filesrc", f"location={film}", "!", "qtdemux", "name=d", f"d.{pad}", "!", "queue",
                        "!", "decodebin", "!", *pipeline, "!", "filesink", f"location={raw.name}"], check=True, timeout=60)
        return pathlib.Path(raw.name).read_bytes()


class Reader(unittest.TestCase):
    def test_each_frame_and_each_second(self):
        with tempfile.TemporaryDirectory() as folder:
            film = folder + "/film.mp4"
            subprocess.run([os.environ["MARKED_MEDIA"], film, "clip=77", "frames=50",
                            f"size=width={WIDTH},height={HEIGHT}"], check=True, timeout=60)
            frames = decoded(film, "video_0", "videoconvert", "!", "video/x-raw,format=GRAY8")
            self.assertEqual(len(frames), 50 * LUMA)
            self.assertEqual([marks.read_frame_mark(frames, WIDTH, HEIGHT, offset=i * LUMA) for i in range(50)],
                             [(77, i) for i in range(50)])
            self.assertIsNone(marks.read_frame_mark(bytes(LUMA), WIDTH, HEIGHT))
            sound = decoded(film, "audio_0", "audioconvert", "!", "audio/x-raw,format=S16LE,channels=2,rate=48000")
            seconds = marks.find_seconds(marks.first_channel(sound, "S16LE", 2))
            self.assertEqual([round(second / 10) for second in seconds], [0, 4800], seconds)


if __name__ == "__main__":
    unittest.main()
