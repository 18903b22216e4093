#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A store that 0.1.0 wrote is read, served, extended and accounted by this version."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import urllib.request

import old_store
from simulated_service import OPENER

GENCLIP = os.environ["GENCLIP"]
STORED = [old_store.CLIP, old_store.IMAGE]
# Of the whole clips, and of a task whose answers told 1.75 credits before its clip came.
AMOUNTS = {"vidq3-turbo": 1.75 + 1.75, "dream-5.0": 2.25}


def prompt_of(request):
    return request[1].removeprefix("prompt=")


class Upgrade(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = old_store.copy_to(folder.name)
        self.with_key = {"GENCLIP_API_KEY": "sim-key"}
        self.proxy = []

    def serve(self, seed=old_store.SEED + 1):
        """A service whose new tasks are others than those of the store, reached through itself as a proxy."""
        service = old_store.serve(seed=seed)
        self.addCleanup(service.stop)
        self.proxy = ["--proxy", service.base_url.removesuffix("/api")]
        return service

    def run_command(self, *words, code=0, **env):
        run = subprocess.run([GENCLIP, *words], env=old_store.environment(self.store, **env), capture_output=True, text=True,
                             timeout=120, check=False)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run

    def told(self, *words, **options):
        return json.loads(self.run_command(*words, "--json", **options).stdout)

    def generate(self, request, **options):
        words = ["generate", *request, "--poll-interval", "50", "--json", *self.proxy]
        run = self.run_command(*words, **options)
        return json.loads(run.stdout), run.stderr

    def clips(self):
        return {clip["prompt"]: clip for clip in self.told("store", "list")["clips"]}

    def test_every_state_is_read(self):
        states = {prompt: clip["state"] for prompt, clip in self.clips().items()}
        self.assertEqual(states, {
            prompt_of(old_store.CLIP): "complete", prompt_of(old_store.IMAGE): "complete", prompt_of(old_store.FAILED): "failed",
            prompt_of(old_store.RUNNING): "submitted", prompt_of(old_store.PARTIAL): "submitted",
            prompt_of(old_store.UNANSWERED): "intent"})
        verified = self.told("store", "verify")
        self.assertEqual((verified["whole"], verified["damaged"]), (2, 0))

    def test_whole_clips_are_served_without_a_key_and_without_a_service(self):
        for request in STORED:
            with self.subTest(prompt=prompt_of(request)):
                end, _ = self.generate(request)
                self.assertTrue(end["reused"])
                served = pathlib.Path(end["clip"])
                kept = old_store.FOLDER / served.relative_to(self.store)
                self.assertEqual(served.read_bytes(), kept.read_bytes())

    def test_a_pipeline_plays_a_whole_clip(self):
        model, prompt, *fields = old_store.CLIP
        run = subprocess.run(["gst-launch-1.0", "-q", "genclipsrc", f"model={model}", prompt, *fields, "!", "decodebin", "!", "videoconvert",
                              "!", "video/x-raw,format=I420", "!", "filesink", f"location={self.store.parent}/raw"],
                             env=old_store.environment(self.store), capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual((self.store.parent / "raw").stat().st_size, 960 * 540 * 3 // 2 * 24)

    def test_a_task_that_still_runs_is_attached_to(self):
        service = self.serve(old_store.SEED)
        # The first task of a simulator with this seed has the ID that the store knows. Somebody else submits it.
        task_id = self.clips()[prompt_of(old_store.RUNNING)]["task_id"]
        model, *fields = old_store.RUNNING
        body = {"model": model, **dict(field.split("=", 1) for field in fields)}
        body["seconds"] = int(body.pop("duration"))
        request = urllib.request.Request(f"{service.base_url}/v1/sky/videos", json.dumps(body).encode(), method="POST",
                                         headers={"Content-Type": "application/json", "Authorization": "Bearer sim-key"})
        with OPENER.open(request, timeout=30) as answer:
            self.assertEqual(json.load(answer)["id"], task_id)
        end, _ = self.generate(old_store.RUNNING, **self.with_key)
        self.assertEqual((end["task_id"], end["charged"], service.stats()["submits"]), (task_id, "yes", 1))
        self.assertEqual(self.clips()[prompt_of(old_store.RUNNING)]["state"], "complete")

    def test_an_unanswered_submit_is_told_before_it_is_submitted_again(self):
        service = self.serve()
        end, said = self.generate(old_store.UNANSWERED, **self.with_key)
        self.assertIn("An earlier run submitted", said)
        self.assertEqual((end["status"], service.stats()["submits"]), ("completed", 1))

    def test_a_task_that_the_service_lost_is_not_paid_again_without_a_word(self):
        service = self.serve()
        for submits, request in enumerate((old_store.RUNNING, old_store.PARTIAL)):
            with self.subTest(prompt=prompt_of(request)):
                task_id = self.clips()[prompt_of(request)]["task_id"]
                lost, _ = self.generate(request, code=1, **self.with_key)
                self.assertEqual((lost["task_id"], service.stats()["submits"]), (task_id, submits))
                _, said = self.generate(request, **self.with_key)
                self.assertIn(task_id, said)
                self.assertEqual(service.stats()["submits"], submits + 1)

    def test_a_new_clip_goes_beside_the_old_ones(self):
        service = self.serve()
        before = set(self.clips())
        end, _ = self.generate(old_store.request("dream-5.0", "a harbour"), **self.with_key)
        self.assertEqual((end["outcome"], service.stats()["submits"]), ("stored", 1))
        self.assertEqual(set(self.clips()) - before, {"a harbour"})
        # The estimate of the second one rests on what 0.1.0 has paid.
        checked = self.told("check", *old_store.request("dream-5.0", "another harbour"))
        self.assertEqual(checked["estimate"]["samples"], 2)

    def test_what_was_paid_is_in_the_ledger_and_in_the_budget(self):
        told = self.told("cost")
        self.assertEqual((told["total"]["spent"], told["total"]["imported"], told["total"]["failed"]), (sum(AMOUNTS.values()), 6, 1))
        self.assertEqual({row["model"]: row["spent"] for row in told["rows"]}, AMOUNTS)
        self.run_command("budget", "set", "--total", "5", "--assumed-price", "2")
        service = self.serve()
        refused, _ = self.generate(old_store.request("dream-5.0", "a harbour"), code=1, **self.with_key)
        self.assertEqual((refused["budget"], refused["outcome"], service.stats()["submits"]), ("total", "not-submitted", 0))

    def test_pins_and_prunes_know_the_old_clips(self):
        clips = self.clips()
        pinned, other = (clips[prompt_of(request)]["key"] for request in (old_store.IMAGE, old_store.CLIP))
        self.run_command("store", "pin", pinned)
        removed = self.told("store", "prune", "1B")["removed"]
        self.assertIn(other, removed)
        self.assertNotIn(pinned, removed)
        self.assertEqual(self.clips()[prompt_of(old_store.IMAGE)]["state"], "complete")


if __name__ == "__main__":
    unittest.main()
