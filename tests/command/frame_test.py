#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""genclip frame: where it finds the clip, which frame it takes, and where it writes. tests/frame has the frames."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from command import GENCLIP, environment, genclip, genclip_on_terminal

PNG = b"\x89PNG\r\n\x1a\n"


class Frame(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.picture = self.folder / "picture.png"
        self.output = self.folder / "out.png"
        launch = subprocess.run(["gst-launch-1.0", "-q", "videotestsrc", "num-buffers=1", "!",
                                 "video/x-raw,width=32,height=16", "!", "videoconvert", "!", "pngenc", "!", "filesink",
                                 f"location={self.picture}"], env=environment(), timeout=60, check=False)
        self.assertEqual(launch.returncode, 0)
        self.env = {"GENCLIP_STORE": str(self.folder / "store"), "GENCLIP_BASE_URL": "http://127.0.0.1:9/api"}

    def refused(self, code, text, *words):
        run = genclip("frame", *map(str, words), **self.env)
        self.assertEqual(run.returncode, code, run.stderr)
        self.assertIn(text, run.stderr)
        self.assertFalse(self.output.exists())

    def test_writes_the_picture_and_prints_its_path(self):
        run = genclip("frame", str(self.picture), "-o", str(self.output), **self.env)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, f"{self.output}\n", ""))
        self.assertTrue(self.output.read_bytes().startswith(PNG))

    def test_a_link_to_standard_output_is_standard_output(self):
        self.output.symlink_to("/proc/self/fd/1")
        run = subprocess.run([GENCLIP, "frame", self.picture, "-o", self.output], env=environment(**self.env), capture_output=True,
                             timeout=60, check=False)
        self.assertEqual((run.returncode, run.stdout[:8]), (0, PNG), run.stderr)
        self.assertTrue(self.output.is_symlink())

    def test_json_tells_size_and_time(self):
        run = genclip("frame", str(self.picture), "--json", "-o", str(self.output), **self.env)
        self.assertEqual(json.loads(run.stdout), {"output": str(self.output), "width": 32, "height": 16, "pts": 0,
                                                  "clip": str(self.picture)})

    def test_never_replaces_its_own_clip(self):
        """L3"""
        picture = self.picture.read_bytes()
        (self.folder / "link.png").symlink_to(self.picture)
        os.link(self.picture, self.folder / "hard.png")
        for clip, output in (("picture.png", "./picture.png"), ("link.png", "picture.png"), ("picture.png", "link.png"),
                             ("hard.png", "picture.png")):
            run = genclip("frame", f"{self.folder}/{clip}", "-o", f"{self.folder}/{output}", **self.env)
            self.assertEqual(run.returncode, 2, f"{clip} {output} {run.stderr}")
            self.assertIn("The picture would replace the clip; name another file with --output.", run.stderr)
            self.assertEqual(self.picture.read_bytes(), picture)

    def test_writes_to_a_pipe_but_not_to_a_terminal(self):
        for words in ([], ["-o", "-"]):
            run = subprocess.run([GENCLIP, "frame", str(self.picture), *words], env=environment(**self.env),
                                 capture_output=True, timeout=60, check=False)
            self.assertTrue(run.stdout.startswith(PNG), run.stderr)
            code, text = genclip_on_terminal("frame", str(self.picture), *words, **self.env)
            self.assertEqual(code, 2)
            self.assertIn("does not write a picture to a terminal", text)

    def test_a_missing_file_is_told_first_on_a_terminal(self):
        code, text = genclip_on_terminal("frame", "nosuch.mp4", **self.env)
        self.assertEqual(code, 1, text)
        self.assertIn("There is no such file either", " ".join(text.split()))

    def test_a_command_line_that_contradicts_itself_is_a_usage_error(self):
        output = ["-o", self.output]
        self.refused(2, "Name one clip", *output)
        self.refused(2, "Give one of", self.picture, "--first", "--last", *output)
        self.refused(2, "number of seconds", self.picture, "--time", "soon", *output)
        self.refused(2, "number of seconds", self.picture, "--time", "-1", *output)
        self.refused(2, "not both", self.picture, "--json")
        self.refused(2, "#first, #last or #t=SECONDS", "genclip://dance-2.5?prompt=x#middle", *output)
        self.refused(2, "give one of them", "genclip://dance-2.5?prompt=x#last", "--first", *output)

    def test_a_clip_that_is_not_stored_is_to_be_generated_first(self):
        self.refused(1, "Generate it first", "genclip://dance-2.5?prompt=x#last", "-o", self.output)
        self.refused(1, "There is no such file either", "0123456789abcdef", "-o", self.output)

    def test_a_truncated_file_has_no_last_frame(self):
        self.picture.write_bytes(self.picture.read_bytes()[:-20])
        self.refused(1, "is truncated", self.picture, "-o", self.output)

    def stored(self, successor=None):
        folder = self.folder / "store" / ("0123456789abcdef" * 4)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "clip.png").write_bytes(self.picture.read_bytes())
        clip = {"version": 1, "state": "complete", "model": "m", "task_id": "t-1", "base_url": self.env["GENCLIP_BASE_URL"], "api": "tasks",
                "take": 0, "request": {"model": "m", "prompt": "x"},
                "clip": {"file": "clip.png", "size": self.picture.stat().st_size, "media_type": "image/png"}}
        journal = {**clip, "clip": {}, "task_id": "", "state": successor, "replaces": clip} if successor else clip
        (folder / "task.json").write_text(json.dumps(journal))
        return folder / "clip.png"

    def test_a_stored_clip_that_was_cut_is_told_with_the_command_that_fetches_it(self):
        clip = self.stored()
        clip.write_bytes(clip.read_bytes()[:-20])
        self.refused(1, "is damaged", "01234567", "-o", self.output)
        self.refused(1, "To get it again: genclip store fetch t-1", "t-1", "-o", self.output)
        clip.unlink()
        self.refused(1, "it is missing", "t-1", "-o", self.output)

    def test_a_clip_that_another_one_is_to_replace_has_its_pictures(self):
        clip = self.stored("ambiguous")
        for name in ("01234567", "t-1", str(clip)):
            run = genclip("frame", name, "-o", str(self.output), **self.env)
            self.assertEqual((run.returncode, run.stdout), (0, f"{self.output}\n"), run.stderr)
        self.assertEqual(genclip("store", "find", "x", **self.env).stdout, f"{clip}\n")
        self.assertEqual(genclip("store", "verify", **self.env).stdout, "1 whole, 0 damaged\n")

    def test_an_output_that_is_no_file_stays(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        self.refused(1, f"The picture cannot be written to {fifo}: it is not a regular file", self.picture, "-o", fifo)
        self.assertTrue(fifo.is_fifo())


if __name__ == "__main__":
    unittest.main()
