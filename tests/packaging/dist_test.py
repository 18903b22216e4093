#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""`meson dist` of a clean clone contains every file of the repository, and can be configured."""

import pathlib
import tarfile
import tempfile
import unittest

from clean_clone import read, tarball_of
from meson_runs import MESON, SOURCE


class Dist(unittest.TestCase):
    def test_the_tarball_holds_every_file_and_configures(self):
        if not (SOURCE / ".git").exists():
            self.skipTest("not a git checkout")
        with tempfile.TemporaryDirectory() as folder:
            top = pathlib.Path(folder)
            with tarfile.open(tarball_of(top)) as archive:
                archive.extractall(top / "unpacked")
            (unpacked,) = (top / "unpacked").iterdir()
            tracked = set(read("git", "ls-files", cwd=top / "clone").splitlines())
            packed = {str(path.relative_to(unpacked)): path for path in unpacked.rglob("*") if not path.is_dir()}
            self.assertEqual(set(packed) ^ tracked, set())
            # A program of the tarball can be run, as in the repository.
            for name, path in packed.items():
                self.assertEqual(path.stat().st_mode & 0o111, (top / "clone" / name).stat().st_mode & 0o111, name)
            read(MESON, "setup", top / "again", unpacked, "-Dauto_features=disabled")


if __name__ == "__main__":
    unittest.main()
