#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A generated clip edits and seeks like its stored file, frame for frame."""

import os
import pathlib
import tempfile
import unittest

import frames
import long_take
from simulated_service import SimulatedService

TOP = pathlib.Path(__file__).parents[2]
KITE = "genclip://sd_2.0_special?prompt=a%20red%20kite%20over%20dunes&duration=5"
STORM = "genclip://sd_2.0_special?prompt=a%20storm%20at%20sea&duration=4"
RATE = 24
FRAMES = 3 * RATE


class Editing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = SimulatedService("--queued", "0", "--processing", "0", "--frame-rate", str(RATE))
        cls.addClassCleanup(cls.service.stop)
        os.environ.update(cls.service.settings)
        cls.kite = cls.service.generate("model=sd_2.0_special", "prompt=a red kite over dunes", "duration=5")
        cls.storm = cls.service.generate("model=sd_2.0_special", "prompt=a storm at sea", "duration=4")

    def tearDown(self):
        self.assertEqual(self.service.stats()["submits"], 2, "a clip was submitted again")

    def test_a_timeline_equals_that_of_the_stored_files_frame_for_frame(self):
        cuts = [(KITE, 1, 1.5), (STORM, 0.5, 1), (KITE, 0, 0.5)]
        files = {KITE: frames.file_uri(self.kite), STORM: frames.file_uri(self.storm)}
        generated = frames.of_timeline(cuts)
        stored = frames.of_timeline([(files[uri], inpoint, duration) for uri, inpoint, duration in cuts])
        self.assertGreaterEqual(len(generated), 72)
        self.assertGreater(len({sum for _, sum in generated}), 60, "the pictures do not move")
        self.assertEqual(generated, stored)

    def test_accurate_seeks_show_the_frames_of_the_stored_file(self):
        with frames.Player(KITE) as generated, frames.Player(frames.file_uri(self.kite)) as stored:
            seen = set()
            for seconds in (3.9, 0, 2.02, 1.98, 0.5, 3.25, 0.05):
                frame = generated.frame_at(seconds)
                self.assertEqual(frame, stored.frame_at(seconds), f"at {seconds}")
                seen.add(frame[1])
            self.assertEqual(len(seen), 7)

    def test_plays_forwards_and_backwards_as_the_stored_file(self):
        with frames.Player(KITE) as generated, frames.Player(frames.file_uri(self.kite)) as stored:
            for rate in (1.0, -1.0):
                played = generated.play(rate)
                self.assertGreaterEqual(len({pts for pts, _ in played}), 90)
                self.assertEqual(played, stored.play(rate), f"rate {rate}")

    def frames_of(self, folder, *words):
        """The pictures of the film that the words write."""
        out = folder / "trailer.webm"
        made = self.service.run(*map(str, words), timeout=240)
        self.assertEqual(made.returncode, 0, made.stdout)
        times = long_take.frame_times(out)
        self.assertAlmostEqual(len(times), FRAMES, delta=2)
        self.assertAlmostEqual(times[10] - times[0], 10 / RATE, delta=0.002, msg="another rate than the clips have")
        return long_take.pictures(out)

    def test_the_example_script_and_the_example_timeline_are_the_same_film(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            scripted = self.frames_of(folder, TOP / "examples" / "ges-trailer", folder / "trailer.webm")
            loaded = self.frames_of(folder, "ges-launch-1.0", "--load", TOP / "examples" / "trailer.xges",
                                    "--format=video/webm:video/x-vp8", f"--outputuri={(folder / 'trailer.webm').as_uri()}")
        # At the cut between the clips, GStreamer may repeat or lose a frame.
        for number in (0, 1, 10, 20, 30, -30, -20, -10, -2):
            self.assertGreater(long_take.psnr(scripted[number], loaded[number]), 30, f"picture {number}")
        self.assertLess(long_take.psnr(scripted[10], scripted[-10]), 30, "the two clips are too similar to be told apart")


if __name__ == "__main__":
    unittest.main()
