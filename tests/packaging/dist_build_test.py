#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tarball of `meson dist` builds and tests itself, away from the repository."""

import os
import pathlib
import subprocess
import tarfile
import tempfile
import unittest

from clean_clone import tarball_of
from meson_runs import MESON, SOURCE, plain_environment


class DistBuild(unittest.TestCase):
    def run_in(self, *words):
        with (self.top / "log").open("w+", encoding="utf-8") as log:
            result = subprocess.run([str(word) for word in words], env=plain_environment(), stdin=subprocess.DEVNULL, stdout=log,
                                    stderr=subprocess.STDOUT, check=False, timeout=5000)
            log.seek(0)
            self.assertEqual(result.returncode, 0, log.read()[-6000:])

    def test_the_tarball_builds_without_a_warning_and_passes_its_unit_tests(self):
        if not (SOURCE / ".git").exists():
            self.skipTest("not a git checkout")
        with tempfile.TemporaryDirectory() as folder:
            self.top = pathlib.Path(folder)
            with tarfile.open(tarball_of(self.top)) as archive:
                archive.extractall(self.top / "unpacked")
            (unpacked,) = (self.top / "unpacked").iterdir()
            build = self.top / "build"
            # As tests/run builds: a third of the time.
            self.run_in(MESON, "setup", build, unpacked, "-Dwerror=true", "-Dunity=on", "-Dunity_size=100")
            self.run_in("ninja", "-C", build, f"-j{os.cpu_count()}")
            self.run_in(MESON, "test", "-C", build, "--no-rebuild", "--suite", "unit", "--timeout-multiplier", "4")


if __name__ == "__main__":
    unittest.main()
