#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A generated clip edits and seeks like its stored file, frame for frame."""

import os
import pathlib
import tempfile
import unittest

import frames
from simulated_service import SimulatedService

TOP = pathlib.Path(__file__).parents[2]
KITE = "genclip://sd_2.0_special?prompt=a%20red%20kite%20over%20dunes&duration=5"
STORM = "genclip://sd_2.0_special?prompt=a%20storm%20at%20sea&duration=4"


class Editing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = SimulatedService("--queued", "0", "--processing", "0", "--frame-rate", "24")
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

    def test_the_example_script_renders(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "trailer.webm"
            made = self.service.run(str(TOP / "examples" / "ges-trailer"), str(out))
            self.assertEqual(made.returncode, 0, made.stdout)
            with frames.Player(frames.file_uri(out)) as trailer:
                self.assertAlmostEqual(len(trailer.play()), 72, delta=2, msg="24 frames a second, as the clips and trailer.xges")

    def test_the_example_timeline_loads_and_renders(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "trailer.webm"
            made = self.service.run("ges-launch-1.0", "--load", str(TOP / "examples" / "trailer.xges"),
                                    "--format=video/webm:video/x-vp8", f"--outputuri={out.as_uri()}")
            self.assertEqual(made.returncode, 0, made.stdout)
            with frames.Player(frames.file_uri(out)) as trailer:
                self.assertAlmostEqual(len(trailer.play()), 72, delta=2)


if __name__ == "__main__":
    unittest.main()
