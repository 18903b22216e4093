#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples/long-take makes one continuous film of ten prompts, measured picture by picture, and pays for each link once."""

import functools
import http.server
import json
import os
import pathlib
import subprocess
import threading
import unittest

import long_take
from simulated_service import SimulatedService

PROMPTS = [f"{what}, slow camera" for what in (
    "a red kite over dunes", "the kite climbs", "clouds gather", "first rain falls", "the kite turns", "lightning far away",
    "the wind rests", "the sun returns", "children run", "the kite lands")]
FIELDS = ("--model", "sd_2.0_fast_discount", "--duration", "4", "resolution=480p")
FRAMES = 4 * 24
# What a viewer does not see; and what two different pictures have at most.
SAME, OTHER = 35, 25


class Served(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class LongTake(unittest.TestCase):
    def setUp(self):
        self.service = SimulatedService("--queued", "0", "--processing", "0", "--frame-rate", "24")
        self.addCleanup(self.service.stop)
        folder = self.service.store.parent
        self.published = folder / "published"
        self.published.mkdir()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Served, directory=str(self.published)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        # The same genclip, but it does not wait five seconds for each link.
        programs = folder / "bin"
        programs.mkdir()
        (programs / "genclip").write_text(
            f'#!/bin/sh\n[ "$1" != generate ] || set -- "$@" --poll-interval=20\nexec {os.environ["GENCLIP_PROGRAMS"]}/genclip "$@"\n')
        (programs / "genclip").chmod(0o755)
        self.env = {"GENCLIP_PUBLISH_FOLDER": str(self.published),
                    "GENCLIP_PUBLISH_URL": f"http://127.0.0.1:{server.server_port}",
                    "PATH": f"{programs}:{os.environ['PATH']}"}
        self.film = folder / "film.mp4"

    def take(self, prompts, *options):
        return self.service.run(str(long_take.PROGRAM), *prompts, *FIELDS, "--output", str(self.film), *options, timeout=500,
                                **self.env)

    def make(self, prompts, *options):
        made = self.take(prompts, *options)
        self.assertEqual(made.returncode, 0, made.stdout)
        return made.stdout

    def links(self, prompts):
        """The stored files of the links."""
        uris = long_take.load().link_uris(FIELDS[1], [("duration", "4"), ("resolution", "480p")], prompts)
        made = (self.service.run("genclip", "generate", "--json", "--quiet", uri, **self.env) for uri in uris)
        return [pathlib.Path(json.loads(run.stdout)["clip"]) for run in made]

    def submits(self):
        return self.service.stats()["submits"]

    def test_ten_prompts_become_one_continuous_film(self):
        told = self.make(PROMPTS)
        self.assertEqual(self.submits(), len(PROMPTS), told)
        for number in range(1, len(PROMPTS) + 1):
            self.assertRegex(told, rf"(?m)^Link {number} of 10: [0-9.]+ credits: {PROMPTS[number - 1]}$")

        ends = [long_take.pictures(link, rf"select='eq(n,0)+eq(n,{FRAMES - 1})'") for link in self.links(PROMPTS)]
        self.assertEqual(self.submits(), len(PROMPTS), "the URIs are not those of the links")
        for number, (before, after) in enumerate(zip(ends, ends[1:]), 1):
            self.assertGreaterEqual(long_take.psnr(before[1], after[0]), SAME, f"between links {number} and {number + 1}")
            self.assertLess(long_take.psnr(after[0], after[1]), OTHER, f"link {number + 1} does not move")

        times = long_take.frame_times(self.film)
        self.assertEqual(len(times), len(PROMPTS) * FRAMES - (len(PROMPTS) - 1))
        for number, time in enumerate(times):
            self.assertAlmostEqual(time, number / 24, delta=0.001)
        self.assertAlmostEqual(len(long_take.loudness(self.film)) / 8000, len(times) / 24, delta=1 / 24)
        shared = [(FRAMES - 1) * number for number in range(1, len(PROMPTS))]
        shown = long_take.pictures(self.film, "select='" + "+".join(f"eq(n,{at})" for at in shared) + "'")
        for number, (frame, link) in enumerate(zip(shown, ends, strict=False), 1):
            self.assertGreaterEqual(long_take.psnr(frame, link[1]), SAME, f"the film's last frame of link {number}")

        tasks = self.service.account()["tasks"]
        self.assertEqual(tasks[0]["references"], [])
        pictures = [task["references"][0] for task in tasks[1:]]
        self.assertEqual({(one["field"], one["media_type"]) for one in pictures}, {("first_image", "image/png")})
        self.assertEqual(len({one["sha256"] for one in pictures}), len(PROMPTS) - 1)

    def test_a_longer_film_costs_one_link_and_the_same_film_nothing(self):
        self.make(PROMPTS[:3])
        self.assertEqual(self.submits(), 3)
        told = self.make(PROMPTS[:4])
        self.assertEqual(self.submits(), 4)
        self.assertEqual(told.count(": in the store: "), 3)
        self.assertEqual(len(long_take.frame_times(self.film)), 4 * FRAMES - 3)
        told = self.make(PROMPTS[:4])
        self.assertEqual((self.submits(), told.count(": in the store: ")), (4, 4))

        project = self.film.with_suffix(".xges")
        self.assertEqual(project.read_text(encoding="utf-8").count("asset-id='genclip://"), 4)
        played = self.service.run("ges-launch-1.0", "--load", str(project), "--videosink=fakesink", "--audiosink=fakesink",
                                  **self.env)
        self.assertEqual(played.returncode, 0, played.stdout)
        self.assertEqual(self.submits(), 4)

    def test_continues_after_a_failure(self):
        self.service.set_faults(["submit#3:fail=No such weather."])
        failed = self.take(PROMPTS[:4])
        self.assertEqual(failed.returncode, 1, failed.stdout)
        self.assertIn("No such weather.", failed.stdout)
        self.assertIn("It pays only for the links that are missing.", failed.stdout)
        self.assertFalse(self.film.exists())
        self.make(PROMPTS[:4])
        self.assertEqual([task["status"] for task in self.service.account()["tasks"]],
                         ["completed", "completed", "failed", "completed", "completed"])

    def test_begins_with_the_given_picture(self):
        picture = self.film.with_name("a picture.png")
        subprocess.run(["gst-launch-1.0", "-q", "videotestsrc", "num-buffers=1", "pattern=gradient", "!",
                        "video/x-raw,format=RGB,width=854,height=480", "!", "pngenc", "!", "filesink", f"location={picture}"],
                       check=True, timeout=60)
        self.make(PROMPTS[:2], "--first", str(picture))
        (shown,) = long_take.pictures(self.film, "select='eq(n,0)'")
        (given,) = long_take.pictures(picture, "scale=out_color_matrix=bt709:out_range=tv")
        self.assertGreaterEqual(long_take.psnr(shown, given), SAME)
        self.make(PROMPTS[:3], "--first", str(picture))
        self.assertEqual(self.submits(), 3)

    def test_a_dry_run_names_the_links_and_pays_nothing(self):
        told = self.make(PROMPTS[:3], "--dry-run")
        self.assertEqual(told.count("genclip://sd_2.0_fast_discount?prompt="), 3)
        self.assertEqual(self.submits(), 0)
        self.make(PROMPTS[:1])
        self.assertRegex(self.make(PROMPTS[:3], "--dry-run"), r"(?m)^All of it costs (?:[0-9.]+ to )?[0-9.]+ credits\.$")


if __name__ == "__main__":
    unittest.main()
