#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tests/newer runs nothing against an older GStreamer, and says why; it asks neither the network nor the build."""

import os
import pathlib
import subprocess
import tempfile
import unittest

NEWER = pathlib.Path(__file__).parents[1] / "newer"


class Newer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)

    def run_with(self, *words, **env):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GENCLIP_", "PKG_CONFIG"))}
        return subprocess.run([NEWER, *words], env={**kept, **env}, capture_output=True, text=True, check=False, timeout=30)

    def has_version(self, version, path="lib/pkgconfig/gstreamer-1.0.pc", text="Name: a\nDescription: a\nVersion: {}\n"):
        file = self.top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.format(version), encoding="utf-8")

    def test_skips_an_older_prefix_checkout_and_system(self):
        self.has_version("1.24.12")
        for words, env in (([self.top], {}), ([], {"GENCLIP_GSTREAMER": str(self.top)}), ([], {"PKG_CONFIG_PATH": f"{self.top}/lib/pkgconfig"})):
            result = self.run_with(*words, **env)
            self.assertEqual(result.returncode, 77, result.stderr)
            self.assertRegex(result.stdout, r"\Anewer: skipped, because [^\n]*1\.24\.12; 1\.26 is the least[^\n]*\n\Z")
        self.has_version("1.9.90", "subprojects/gstreamer/meson.build", "project('gstreamer', 'c',\n  version : '{}',\n")
        result = self.run_with(self.top)
        self.assertEqual(result.returncode, 77, result.stderr)
        self.assertIn("GStreamer 1.9.90; 1.26", result.stdout)

    def test_follows_links_that_lead_back_to_their_own_folder(self):
        for folder in ("aa", "zz"):
            (self.top / folder).mkdir()
            (self.top / folder / "up").symlink_to("..")
        self.has_version("1.24.12")
        result = self.run_with(self.top)
        self.assertEqual((result.returncode, result.stderr), (77, ""))
        self.assertIn("GStreamer is 1.24.12; 1.26", result.stdout)

    def test_says_what_is_wrong_with_its_folder(self):
        for words, code, complaint in (([f"{self.top}/none"], 1, "there is no such folder"), ([self.top], 1, "neither a checkout nor a prefix"),
                                       (["--nonsense"], 2, "Usage"), ([self.top, self.top], 2, "Usage")):
            result = self.run_with(*words)
            self.assertEqual(result.returncode, code, words)
            self.assertIn(complaint, result.stderr)
        self.assertIn("Usage", self.run_with("--help").stdout)


if __name__ == "__main__":
    unittest.main()
