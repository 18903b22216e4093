#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""genclip batch with faults, refusals for now and kill -9: each row is paid once, none is lost."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from simulated_service import SimulatedService

GENCLIP = os.environ["GENCLIP"]
ROWS = int(os.environ.get("GENCLIP_ROWS", "40"))
KILLS = 3
# How many jobs there are, and how long the service takes for each, in milliseconds. With many rows the time is
# measured, so that a task has to take long beside what the machine needs to look after it.
JOBS, FASTEST, SLOWEST = (8, 4000, 6000) if ROWS >= 500 else (8, 100, 300)
QUEUED = 30


def faults():
    """5 % of the submits: the task fails, the answer is lost in a gateway, or the connection breaks. And two bursts of 429."""
    kinds = "fail=moderated", "status=500", "reset"
    for i, number in enumerate(range(10, ROWS, 20)):
        yield f"submit#{number}:{kinds[i % len(kinds)]}"
    for first in (ROWS // 4, ROWS // 2):
        yield f"submit#{first + 1}-{first + 4}:status=429;retry-after=1"


class BatchKill(unittest.TestCase):
    def setUp(self):
        words = [word for fault in faults() for word in ("--fault", fault)]
        self.service = SimulatedService("--queued", str(QUEUED), "--processing", f"{FASTEST}..{SLOWEST}", "--poll-interval", "10",
                                        *words)
        self.addCleanup(self.service.stop)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.store = self.folder / "store"
        self.environment = {**self.service.env, "GENCLIP_STORE": str(self.store), "GST_REGISTRY_FORK": "no"}
        self.prompts = self.folder / "prompts.txt"
        self.prompts.write_text("".join(f"kite {i}\n" for i in range(1, ROWS + 1)))

    def start(self):
        # Files, because nobody reads pipes meanwhile.
        self.output = open(self.folder / "out", "w+", encoding="utf-8")
        self.errors = open(self.folder / "err", "w+", encoding="utf-8")
        self.addCleanup(self.output.close)
        self.addCleanup(self.errors.close)
        # Pictures: the simulator renders them in no time.
        process = subprocess.Popen([GENCLIP, "batch", str(self.prompts), "dream-5.0", "--jobs", str(JOBS), "--poll-interval",
                                    "100", "--output-dir", str(self.folder / "clips")], env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.errors)
        self.addCleanup(lambda: process.poll() is None and (process.kill(), process.wait()))
        return process

    def stored(self):
        return len([*(self.folder / "clips").glob("*.png")])

    def is_submitting(self):
        return any(json.loads(path.read_text())["state"] == "intent" for path in self.store.glob("*/task.json"))

    def kill_between_submits(self, process, stored):
        """Once so many clips are stored. Whether a submit is paid whose answer nobody has read, no program can know; so
        not in the middle of one."""
        deadline = time.monotonic() + 600
        while process.poll() is None:
            self.assertLess(time.monotonic(), deadline)
            if self.stored() >= stored:
                process.send_signal(signal.SIGSTOP)
                if not self.is_submitting():
                    process.kill()
                    process.wait(30)
                    return True
                process.send_signal(signal.SIGCONT)
            time.sleep(0.05)
        return False

    def test_ends_with_every_clip_paid_once(self):
        killed = 0
        begun, took = time.monotonic(), None
        for i in range(1, KILLS + 1):
            killed += self.kill_between_submits(self.start(), ROWS * i // (KILLS + 2))
        self.assertEqual(killed, KILLS)
        for _ in range(6):
            process = self.start()
            code = process.wait(900)
            self.output.seek(0)
            self.errors.seek(0)
            lines, errors = [json.loads(line) for line in self.output], self.errors.read()
            if took is None:
                took = time.monotonic() - begun
                tasks = sum(self.service.stats()["submits_by_request"].values())
            self.assertEqual(sorted(line["line"] for line in lines), list(range(1, ROWS + 1)), "each row is told once")
            if code == 0:
                break
            self.assertEqual(code, 1, errors)
        self.assertEqual(code, 0, errors)
        self.assertEqual({line["outcome"] for line in lines}, {"stored"})
        self.assertEqual(sorted(path.name for path in (self.folder / "clips").iterdir()),
                         [f"{i:03}.png" for i in range(1, ROWS + 1)])
        failed = sum(fault.endswith("fail=moderated") for fault in faults())
        submits = self.service.stats()["submits_by_request"]
        self.assertEqual(len(submits), ROWS)
        twice = [request for request, count in submits.items() if count > 1]
        self.assertEqual(sum(submits.values()), ROWS + failed, twice)
        ideal = tasks * (QUEUED + (FASTEST + SLOWEST) / 2) / 1000 / JOBS
        print(f"{ROWS} rows with {KILLS} kills: {tasks} tasks in {took:.1f} s, {took / ideal:.3f} times {ideal:.1f} s, which "
              f"{JOBS} jobs need that never wait")
        if ROWS >= 500:
            self.assertLessEqual(took, 1.1 * ideal)


if __name__ == "__main__":
    unittest.main()
