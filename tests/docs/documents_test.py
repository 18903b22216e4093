#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every command line and every program of the documents works, against the simulator."""

import concurrent.futures
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import time
import unittest

from public_folder import PublicFolder
from simulated_service import SimulatedService
from document_commands import commands, listings, paid_clips, read_files, without_screen

TOP = pathlib.Path(__file__).resolve().parents[2]
APPS = sorted((TOP / "examples" / "apps").glob("*.*"))
SUBTITLES = "1\n00:00:00,000 --> 00:00:01,000\nGood morning\n\n2\n00:00:01,500 --> 00:00:02,500\nGood night\n"
# How many files the recipes of a document leave.
LEFT = {"docs/guide/production.md": {"clips/*.mp4": 20, "shots/*.mp4": 2, "storyboard.mp4": 1, "trailer.webm": 1}}


def free_ports(text):
    """The same command on free ports: the documents name fixed ones, which others may have."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    ports = {port: str(one.getsockname()[1]) for port, one in zip(("18080", "18081"), held)}
    for one in held:
        one.close()
    return re.sub(r"\b(18080|18081)\b", lambda port: ports[port[1]], text)


def documents():
    return [TOP / "README.md", *sorted((TOP / "docs").rglob("*.md"))]


def make_input(path, env):
    """Creates the files that a reader is expected to have: a short film with sound, a picture, or subtitles."""
    if path.suffix == ".srt":
        path.write_text(SUBTITLES, encoding="utf-8")
        return
    # As large as most models want their references.
    picture = "videotestsrc num-buffers={} ! video/x-raw,width=640,height=360,framerate=24/1 ! videoconvert ! {}"
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
        public = self.enterContext(PublicFolder(self.top / "published"))
        self.settings = {**public.settings,
                         "PATH": f"{os.environ['GENCLIP_PROGRAMS']}:{pathlib.Path(os.environ['GENCLIP_SIM']).parent}:{os.environ['PATH']}",
                         "HOME": str(self.top),
                         # For players that choose their sinks themselves.
                         "GST_PLUGIN_FEATURE_RANK": "fakevideosink:MAX,fakeaudiosink:MAX"}
        key = self.top / ".genclip-key"
        key.write_text("sim-key\n", encoding="utf-8")
        key.chmod(0o600)

    def serve(self):
        return SimulatedService("--queued", "20", "--processing", "50")

    def reader(self, service):
        """The environment of a reader who has set everything up."""
        kept = {name: value for name, value in service.env.items() if not name.startswith("GENCLIP_")}
        return kept | service.settings | self.settings | {"GENCLIP_LLM_BASE_URL": service.base_url.removesuffix("/api") + "/llm"}

    def run_one(self, command, folder, env):
        for name in read_files(command.text):
            path = folder / name
            if not path.exists():
                make_input(path, env)
        # pipefail: what stands before a "| head" counts too, but for the SIGPIPE that it may get. Of a script each line counts,
        # and what it leaves in the background is stopped.
        shell = "set -eo pipefail; trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT\n"
        return subprocess.run(["bash", "-c", shell + free_ports(without_screen(command.text))], cwd=folder, env=env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300)

    def path_of(self, name):
        return self.top / str(name).replace("/", "_")

    def folder_of(self, name):
        """Where the commands of a document are run: a folder with the examples in their place."""
        folder = self.path_of(name)
        folder.mkdir()
        (folder / "examples").symlink_to(TOP / "examples")
        return folder

    def run_document(self, document):
        """Runs its command lines one after another, as a reader who has a store and an account of their own. Returns (place, command,
        exit code or None, output) of each, and how many clips were paid for."""
        name = document.relative_to(TOP)
        results = []
        lines = commands(document.read_text(encoding="utf-8"))
        if not lines:
            return results, 0
        folder = self.folder_of(name)
        with self.serve() as service:
            env = self.reader(service)
            for command in lines:
                place = f"{name}:{command.line}"
                if command.not_run:
                    print(f"{place}: not run ({command.not_run}): {command.text}", flush=True)
                    results.append((place, command.text, None, ""))
                    continue
                started = time.monotonic()
                before = service.stats()["submits"]
                run = self.run_one(command, folder, env)
                paid = service.stats()["submits"] - before
                print(f"{place}: {run.returncode} in {time.monotonic() - started:.1f} s, {paid} clips: {command.text}", flush=True)
                results.append((place, command.text, run.returncode, run.stdout + run.stderr))
            return results, service.stats()["submits"]

    def test_every_command_line_works(self):
        # Several documents at once: their commands mostly wait for the service, or play a clip at its own pace.
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            ran = [*pool.map(self.run_document, documents())]
        results = [result for results, _ in ran for result in results]
        for place, command, code, output in results:
            with self.subTest(place=place, command=command):
                self.assertIn(code, (0, 141, None), output[-3000:])
        for document, (_, paid) in zip(documents(), ran):
            with self.subTest(document=document.relative_to(TOP)):
                told = paid_clips(document.read_text(encoding="utf-8"))
                self.assertEqual(paid, told, "the page says for how many clips its commands pay, one after another")
        for document, files in LEFT.items():
            for pattern, count in files.items():
                with self.subTest(document=document, pattern=pattern):
                    self.assertEqual(len([*self.path_of(document).glob(pattern)]), count)
        # What a document shows of a file of captions is what its commands print.
        for document, (printed, _) in zip(documents(), ran):
            for listing in listings(document.read_text(encoding="utf-8"), "text"):
                if listing.startswith("WEBVTT"):
                    with self.subTest(document=document, listing=listing):
                        self.assertTrue(any(listing in output for *_, output in printed), printed)
        count = sum(code is not None for _, _, code, _ in results)
        print(f"{count} command lines ran, {len(results) - count} are marked as not to be run")
        self.assertGreater(count, 10)

    def test_every_listing_is_of_an_example_or_runs(self):
        programs = "\n".join(path.read_text(encoding="utf-8") for path in APPS)
        listings_in_python = []
        for document in documents():
            name = document.relative_to(TOP)
            text = document.read_text(encoding="utf-8")
            for listing in listings(text, "c"):
                self.assertIn(listing, programs, f"{name}: a listing in C that is in no file of examples/apps")
            listings_in_python += [(name, listing) for listing in listings(text, "python") if listing not in programs]
        self.assertGreater(len(listings_in_python), 0)
        with self.serve() as service:
            for name, listing in listings_in_python:
                with self.subTest(document=name, listing=listing):
                    run = subprocess.run(["/usr/bin/python3", "-c", listing], env=self.reader(service), capture_output=True, text=True,
                                         check=False, timeout=120)
                    self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
