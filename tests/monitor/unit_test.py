#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The unit for systemd is one that systemd takes."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

UNIT = pathlib.Path(__file__).resolve().parents[2] / "examples/channel/genclip-channel@.service"


class Unit(unittest.TestCase):
    def test_is_valid(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("systemd-analyze is not installed")
        with tempfile.TemporaryDirectory() as folder:
            # systemd looks for the program, which need not be installed here.
            text = UNIT.read_text(encoding="utf-8")
            self.assertIn("ExecStart=/usr/bin/genclip channel ", text)
            copy = pathlib.Path(folder) / UNIT.name.replace("@", "@dunes")
            copy.write_text(text.replace("/usr/bin/genclip", "/bin/true"), encoding="utf-8")
            end = subprocess.run(["systemd-analyze", "verify", "--man=no", str(copy)], capture_output=True, text=True,
                                 check=False, timeout=60)
        # It also complains about other units of the machine.
        own = [line for line in end.stderr.splitlines() if "dunes" in line]
        self.assertEqual(own, [])

    def test_waits_longer_than_the_channel_takes_to_end(self):
        seconds = {name: int(value) for name, _, value in
                   (line.partition("=") for line in UNIT.read_text(encoding="utf-8").splitlines()) if name.endswith("Sec")}
        self.assertGreater(seconds["TimeoutStopSec"], 30)
        self.assertGreater(seconds["WatchdogSec"], 10)


if __name__ == "__main__":
    unittest.main()
