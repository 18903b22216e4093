#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""genclip channel that is stopped for ten seconds, as on a machine that swaps or is moved: its outputs continue."""

import os
import signal
import subprocess
import time
import unittest

from playout import CAPS, RATE, Playout, clip
from transport_reader import TransportReader

GENCLIP = os.environ["GENCLIP"]
PATIENCE = 60


class Stopped(unittest.TestCase):
    def setUp(self):
        self.playout = Playout()
        self.addCleanup(self.playout.stop)
        self.playout.write({"id": "one", "source": clip(1, "one")}, {"id": "two", "source": clip(2, "two")})
        self.udp = TransportReader(RATE)

    def wait_for_pictures(self, count):
        """So many more come over UDP, at the rate of the channel."""
        until = self.udp.pictures + count
        deadline = time.monotonic() + PATIENCE
        while self.udp.pictures < until:
            self.assertLess(time.monotonic(), deadline, f"{until - self.udp.pictures} of {count} pictures do not come: {self.log()}")
            time.sleep(0.1)

    def log(self):
        return (self.playout.folder / "log").read_text(encoding="utf-8")

    def test_an_output_goes_on_behind_a_stop(self):
        with open(self.playout.folder / "log", "w", encoding="utf-8") as log:
            process = subprocess.Popen(
                [GENCLIP, "channel", str(self.playout.rundown), "--video-caps", CAPS, "--udp", f"127.0.0.1:{self.udp.port}"],
                env=self.playout.service.env, stdout=log, stderr=subprocess.STDOUT)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.wait_for_pictures(5 * RATE)
        for _ in range(2):
            process.send_signal(signal.SIGSTOP)
            time.sleep(10)
            process.send_signal(signal.SIGCONT)
            # More than what the queues held.
            self.wait_for_pictures(15 * RATE)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), 0, self.log())
        self.assertNotIn("Nothing left", self.log())


if __name__ == "__main__":
    unittest.main()
