#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A store on a disk that hangs, for whole processes: players, gst-launch-1.0 and genclip, each with slow_disk_preload."""

import contextlib
import fcntl
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

from launches import CLIP, serve

PLAYER = pathlib.Path(__file__).resolve().parent / "live_player.py"
PRELOAD = os.environ["SLOW_DISK_PRELOAD"]
GENCLIP = os.environ["GENCLIP"]
PROPERTIES = CLIP[1:]
# The disk hangs until the test ends: whatever comes to an end does not wait for it, however busy the machine is.
PATIENCE = 60
# Calls that a run makes for a clip that is stored, and for one that is to be made.
STORED = ["open", "info", "lock", "read"]
NEW = ["make_folder", "open", "lock", "write", "sync", "rename", "close"]


class SlowStore(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = serve()
        cls.addClassCleanup(cls.service.stop)
        cls.stored = cls.service.generate(*PROPERTIES[:-1])
        cls.takes = 0

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.gate = pathlib.Path(folder.name) / "gate"
        self.log = pathlib.Path(folder.name) / "log"
        self.gate.touch()

    def new_take(self):
        """A property, of a clip that nobody has."""
        type(self).takes += 1
        return f"take={self.takes}"

    def environment(self, calls, milliseconds=0):
        return {**self.service.env, "LD_PRELOAD": PRELOAD, "SLOW_DISK": str(self.service.store), "SLOW_DISK_LOG": str(self.log),
                "SLOW_DISK_CALLS": ",".join(calls), "SLOW_DISK_MS": str(milliseconds), "GST_REGISTRY_FORK": "no",
                "no_proxy": "127.0.0.1", **({} if milliseconds else {"SLOW_DISK_GATE": str(self.gate)})}

    @contextlib.contextmanager
    def hanging(self):
        with self.gate.open() as gate:
            fcntl.flock(gate, fcntl.LOCK_EX)
            yield
            # Nobody has waited for the test to end.
            self.assertTrue(self.log.exists(), "no call of that kind was made")

    def play(self, calls, times=1, milliseconds=0, take=None):
        """What the player says; it ended by itself."""
        self.log.unlink(missing_ok=True)
        run = subprocess.run([sys.executable, str(PLAYER), str(self.log), str(times), *PROPERTIES, *([take] if take else [])],
                             env=self.environment(calls, milliseconds), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, timeout=2 * PATIENCE, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        calls_of_application = [line for line in self.log.read_text().splitlines() if line.split()[1] == "main"]
        self.assertEqual(calls_of_application, [], "the application's thread does the disk's work")
        return json.loads(run.stdout)

    def assert_no_time(self, waits):
        """The middle one is looked at, for the machine may be busy with other things."""
        for change in ("to_playing", "to_null"):
            self.assertLess(statistics.median(wait[change] for wait in waits), 0.1, waits)

    def test_a_disk_that_hangs_at_any_call_keeps_no_application_and_no_live_branch_waiting(self):
        waits = []
        for call, take in [(call, None) for call in STORED] + [(call, self.new_take()) for call in NEW]:
            with self.subTest(call=call, take=take), self.hanging():
                waits += self.play([call], take=take)
        self.assertEqual(len(waits), len(STORED + NEW))
        self.assert_no_time(waits)

    def test_a_disk_that_takes_half_a_second_for_each_call_keeps_no_application_waiting(self):
        self.assert_no_time(self.play(["open", "read", "lock"], times=5, milliseconds=500))
        self.assert_no_time(self.play(["open", "read", "lock"], times=5, milliseconds=500, take=self.new_take()))

    def interrupted(self, calls, *words):
        """The exit status of a program that gets a Ctrl-C once it waits for the disk."""
        self.log.unlink(missing_ok=True)
        with self.hanging():
            run = subprocess.Popen(words, env=self.environment(calls), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
            try:
                deadline = time.monotonic() + PATIENCE
                while not self.log.exists():
                    self.assertLess(time.monotonic(), deadline, "never waits for the disk")
                    self.assertIsNone(run.poll(), "ended before")
                    time.sleep(0.01)
                run.send_signal(signal.SIGINT)
                return run.wait(PATIENCE)
            finally:
                run.kill()
                run.wait()

    def test_ctrl_c_ends_gst_launch(self):
        for calls, take in ((["read"], []), (["sync"], [self.new_take()]), (["lock"], [self.new_take()])):
            with self.subTest(calls=calls):
                self.interrupted(calls, "gst-launch-1.0", *CLIP, *take, "!", "fakesink", "sync=false")

    def test_ctrl_c_ends_genclip(self):
        for calls in (["open"], ["lock"], ["sync"], ["rename"]):
            with self.subTest(calls=calls):
                status = self.interrupted(calls, GENCLIP, "generate", "dance-2.5", "prompt=a storm", "duration=4", self.new_take())
                self.assertEqual(status, 130)
        self.assertIn(self.interrupted(["open"], GENCLIP, "store", "list"), (130, -signal.SIGINT))

    def test_a_slow_disk_is_only_slow(self):
        every = sorted({*STORED, *NEW, "truncate", "touch", "remove", "list"})
        made = subprocess.run([GENCLIP, "generate", "--poll-interval=20", "dance-2.5", "prompt=a storm", "duration=4", self.new_take()],
                              env=self.environment(every, 10), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=2 * PATIENCE, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(pathlib.Path(made.stdout.strip()).read_bytes(), self.stored.read_bytes())


if __name__ == "__main__":
    unittest.main()
