#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every command line of the documents works, against the simulator."""

import os
import pathlib
import subprocess
import tempfile
import time
import unittest

from document_commands import commands, read_files, without_screen

TOP = pathlib.Path(__file__).resolve().parents[2]
SIMULATOR = os.environ["GENCLIP_SIM"]
SUBTITLES = "1\n00:00:00,000 --> 00:00:01,000\nGood morning\n\n2\n00:00:01,500 --> 00:00:02,500\nGood night\n"


def documents():
    return [TOP / "README.md", *sorted((TOP / "docs").rglob("*.md"))]


def make_input(path, env):
    """What a reader is told to have: a short film with sound, a picture, or subtitles."""
    if path.suffix == ".srt":
        path.write_text(SUBTITLES, encoding="utf-8")
        return
    picture = "videotestsrc num-buffers={} ! video/x-raw,width=320,height=180,framerate=24/1 ! videoconvert ! {}"
    made = {
        ".mp4": picture.format(72, "x264enc speed-preset=ultrafast key-int-max=24 ! queue ! mux. audiotestsrc "
                               "num-buffers=130 ! audioconvert ! avenc_aac ! queue ! mux. mp4mux name=mux"),
        ".mkv": picture.format(72, "x264enc speed-preset=ultrafast ! matroskamux"),
        ".png": picture.format(1, "pngenc"),
        ".jpg": picture.format(1, "jpegenc"),
    }[path.suffix]
    subprocess.run(["gst-launch-1.0", "-q", *f"{made} ! filesink location={path}".split()], env=env, check=True,
                   timeout=60)


class Documents(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        ready = self.top / "ready"
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GENCLIP_")}
        simulator = subprocess.Popen([SIMULATOR, "--queued", "20", "--processing", "50", "--ready-file", str(ready)],
                                     env=kept, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(simulator.wait)
        self.addCleanup(simulator.terminate)
        deadline = time.monotonic() + 30
        while not ready.exists():
            self.assertIsNone(simulator.poll(), "the simulator has ended")
            self.assertLess(time.monotonic(), deadline, "the simulator does not get ready")
            time.sleep(0.02)
        addresses = dict(line.split("=", 1) for line in ready.read_text(encoding="utf-8").splitlines())
        self.env = {**kept, **addresses, "GENCLIP_API_KEY": "sim-key", "GENCLIP_STORE": str(self.top / "store"),
                    "PATH": f"{os.environ['GENCLIP_PROGRAMS']}:{kept['PATH']}", "HOME": str(self.top)}

    def run_one(self, command, folder):
        for name in read_files(command.text):
            path = folder / name
            if not path.exists():
                make_input(path, self.env)
        # pipefail: what stands before a "| head" counts too, but for the SIGPIPE that it may get.
        return subprocess.run(["bash", "-c", "set -o pipefail; " + without_screen(command.text)], cwd=folder,
                              env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                              timeout=120)

    def test_every_command_line_works(self):
        ran = marked = 0
        for document in documents():
            name = document.relative_to(TOP)
            folder = self.top / str(name).replace("/", "_")
            folder.mkdir()
            for command in commands(document.read_text(encoding="utf-8")):
                place = f"{name}:{command.line}"
                if command.not_run:
                    marked += 1
                    print(f"{place}: not run ({command.not_run}): {command.text}")
                    continue
                with self.subTest(place=place, command=command.text):
                    started = time.monotonic()
                    run = self.run_one(command, folder)
                    print(f"{place}: {run.returncode} in {time.monotonic() - started:.1f} s: {command.text}", flush=True)
                    self.assertIn(run.returncode, (0, 141), (run.stdout + run.stderr)[-3000:])
                    ran += 1
        print(f"{ran} command lines ran, {marked} are marked as not to be run")
        self.assertGreater(ran, 10)


if __name__ == "__main__":
    unittest.main()
