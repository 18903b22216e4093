#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""`meson dist` of a clean clone contains every file of the repository, and can be configured."""

import pathlib
import tarfile
import tempfile
import unittest

from meson_runs import MESON, SOURCE, run


class Dist(unittest.TestCase):
    def read(self, *words, **options):
        result = run(*words, **options)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def test_the_tarball_holds_every_file_and_configures(self):
        if not (SOURCE / ".git").exists():
            self.skipTest("not a git checkout")
        with tempfile.TemporaryDirectory() as folder:
            top = pathlib.Path(folder)
            # The checkout may belong to another user than the one who runs the tests, for example in a container.
            self.read("git", "-c", f"safe.directory={SOURCE}/.git", "-c", "safe.directory=*", "clone", "-q",
                      "--no-local", SOURCE, top / "clone", GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="safe.directory",
                      GIT_CONFIG_VALUE_0="*")
            self.read(MESON, "setup", top / "build", top / "clone", "-Dtests=disabled")
            self.read(MESON, "dist", "-C", top / "build", "--no-tests", "--formats", "gztar")
            (tarball,) = (top / "build" / "meson-dist").glob("*.tar.gz")
            with tarfile.open(tarball) as archive:
                archive.extractall(top / "unpacked")
            (unpacked,) = (top / "unpacked").iterdir()
            tracked = set(self.read("git", "ls-files", cwd=top / "clone").splitlines())
            packed = {str(path.relative_to(unpacked)) for path in unpacked.rglob("*") if not path.is_dir()}
            self.assertEqual(packed ^ tracked, set())
            self.read(MESON, "setup", top / "again", unpacked, "-Dauto_features=disabled")


if __name__ == "__main__":
    unittest.main()
