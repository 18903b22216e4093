#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The man page of genclip-sim: well formed, of this version, and with exactly the options of the program."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

PAGE = pathlib.Path(os.environ["GENCLIP_SIM_MANUAL"])
TEXT = PAGE.read_text(encoding="utf-8")
PLAIN = re.sub(r"\\f[A-Z]", "", TEXT.replace("\\-", "-"))


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, **options)


class Manual(unittest.TestCase):
    @unittest.skipUnless(shutil.which("man") and shutil.which("groff"), "man and groff are not installed")
    def test_groff_has_no_warning(self):
        result = run("man", "--warnings", "-l", str(PAGE),
                     env={**os.environ, "LC_ALL": "C.UTF-8", "MANPAGER": "cat", "MANWIDTH": "80"})
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("EXIT STATUS", result.stdout)

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_mandoc_has_no_warning(self):
        result = run("mandoc", "-Tlint", "-Wwarning", str(PAGE))
        self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_names_this_version(self):
        version = run(os.environ["GENCLIP_SIM"], "--version").stdout.split()[-1]
        self.assertIn(f'"genclip {version}"', TEXT.splitlines()[1])

    def test_has_the_options_of_the_program(self):
        helped = set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", run(os.environ["GENCLIP_SIM"], "--help").stdout, re.MULTILINE))
        described = set(re.findall(r"^\.(?:B|BR) .*?(--[a-z-]+)", PLAIN.partition(".SH OPTIONS")[2].partition(".SH EXIT")[0],
                                   re.MULTILINE))
        self.assertIn("--fault", helped)
        self.assertEqual(helped - described, set())
        self.assertEqual(described - helped, set())


if __name__ == "__main__":
    unittest.main()
