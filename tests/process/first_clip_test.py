#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""gst-launch-1.0 with genclipsrc against genclip-sim, as seen by a user and by the service."""

import json
import signal
import time
import unittest

from simulated_service import SimulatedService

CLIP = ["genclipsrc", "model=dance-2.5", "prompt=a red kite", "poll-interval=10"]


class Case(unittest.TestCase):
    def serve(self, *options):
        service = SimulatedService("--queued", "50", "--processing", "50", "--poll-interval", "10", *options)
        self.addCleanup(service.stop)
        self.out = service.store.with_name("out.mp4")
        return service

    def generate(self, service, *properties, sink=(), **env):
        return service.run("gst-launch-1.0", *CLIP, *properties, "!", *(sink or ["filesink", f"location={self.out}"]), **env)

    def assert_fetched(self, service, run):
        self.assertEqual(run.returncode, 0, run.stdout)
        (stored,) = service.store.glob("*/clip.mp4")
        self.assertEqual(self.out.read_bytes(), stored.read_bytes())
        self.assertEqual(service.stats()["submits"], 1)


class FirstClip(Case):
    def test_generates_downloads_and_stores_a_clip(self):
        service = self.serve()
        run = self.generate(service)
        self.assert_fetched(service, run)
        stats = service.stats()
        self.assertEqual([json.loads(request) for request in stats["submits_by_request"]],
                         [{"model": "dance-2.5", "prompt": "a red kite"}])
        self.assertIn("Progress: (generate)", run.stdout)
        self.assertEqual(stats["media_with_authorization"], 0)
        self.assertNotIn(service.env["GENCLIP_API_KEY"], run.stdout)

    def test_decodes_while_it_arrives(self):
        run = self.generate(self.serve(), sink=["decodebin", "!", "fakesink"])
        self.assertEqual(run.returncode, 0, run.stdout)

    def test_a_stored_clip_needs_no_network_and_no_key(self):
        service = self.serve()
        self.assert_fetched(service, self.generate(service))
        first = self.out.read_bytes()
        service.process.terminate()
        service.process.wait(30)
        run = self.generate(service, GENCLIP_API_KEY="")
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertEqual(self.out.read_bytes(), first)
        without = self.generate(service, "take=1", GENCLIP_API_KEY="")
        self.assertNotEqual(without.returncode, 0)
        self.assertIn("There is no API key", without.stdout)

    def test_two_elements_share_one_generation(self):
        service = self.serve()
        run = service.run("gst-launch-1.0", *CLIP, "!", "fakesink", *CLIP, "!", "fakesink")
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertEqual(service.stats()["submits"], 1)


class FirstClipInTrouble(Case):
    def test_a_cut_download_is_resumed_and_an_expired_url_is_asked_for_again(self):
        service = self.serve("--padding", "50000", "--fault=query#1:expire-urls", "--fault=media#2:cut=20000")
        self.assert_fetched(service, self.generate(service))
        self.assertEqual(len(service.stats()["faults"]), 2)

    def test_ctrl_c_amid_the_submit_keeps_the_task(self):
        service = self.serve("--fault=submit:delay=1000")
        first = service.start("gst-launch-1.0", *CLIP, "!", "fakesink")
        deadline = time.monotonic() + 30
        while not list(service.store.glob("*/task.json")):  # The intent is on disk before the submit leaves.
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=30)
        run = self.generate(service)
        self.assert_fetched(service, run)
        self.assertNotIn("charged twice", run.stdout)

    def test_no_credits_is_said_and_not_tried_again(self):
        service = self.serve("--fault=submit:status=402")
        run = self.generate(service)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("no credits left", run.stdout)
        self.assertEqual(list(service.stats()["faults"].values()), [1])

    def test_names_every_problem_and_sends_nothing(self):
        service = self.serve()
        run = self.generate(service, "duration=99", "resolution=8k", "aspect-ratio=2:1")
        self.assertNotEqual(run.returncode, 0)
        for field in ("duration", "resolution", "aspect_ratio"):
            self.assertIn(field, run.stdout)
        stats = service.stats()
        self.assertEqual((stats["submits"], stats["refusals"]), (0, []))


if __name__ == "__main__":
    unittest.main()
