#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""`meson devenv` finds what was built, and leaves the user's registry alone."""

import json
import os
import pathlib
import tempfile
import unittest

from meson_runs import BUILD, MESON, run


def programs():
    """The programs of this build that an installation puts into a PATH."""
    installed = json.loads(run(MESON, "introspect", "--targets", BUILD).stdout)
    return {pathlib.Path(target["filename"][0]) for target in installed
            if target["type"] == "executable" and target["installed"]}


class Devenv(unittest.TestCase):
    def devenv(self, *words, **extra):
        result = run(MESON, "devenv", "-C", BUILD, *words, **extra)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def test_gst_inspect_finds_the_plugin_of_the_build(self):
        with tempfile.TemporaryDirectory() as home:
            shown = self.devenv("gst-inspect-1.0", "genclip", HOME=home, XDG_CACHE_HOME=home)
            self.assertIn(os.path.realpath(BUILD / "elements" / "libgstgenclip.so"),
                          [os.path.realpath(word) for word in shown.split()])
            self.assertEqual(list(pathlib.Path(home).rglob("registry*.bin")), [])

    def test_the_programs_of_the_build_are_in_the_path(self):
        for program in programs():
            with self.subTest(program=program.name):
                found = self.devenv("sh", "-c", f"command -v {program.name}").strip()
                self.assertTrue(os.path.samefile(found, program), found)


if __name__ == "__main__":
    unittest.main()
