#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The completions of zsh and fish, in a zsh and in a fish: each shows what genclip tells, and expands none of it."""

import pathlib
import shutil
import tempfile
import unittest

from command import GENCLIP, genclip
from shells import fish, zsh

# What is typed before Tab, and what stands there then.
TYPED = [
    ("genclip che", "genclip check "),
    ("genclip store re", "genclip store remove "),
    ("genclip models dance-", "genclip models dance-2.5 "),
    ("genclip check dance-2.5 reference_v", "genclip check dance-2.5 reference_videos="),
    ("genclip check sd_2.0_special aspect_ratio=16", "genclip check sd_2.0_special aspect_ratio=16:9 "),
    ("genclip generate --check-media fu", "genclip generate --check-media full "),
    ("genclip generate --check-media=h", "genclip generate --check-media=headers "),
    ("genclip publish prune --dr", "genclip publish prune --dry-run "),
    ("genclip check 'dance-2.5' prompt='a b' reference_v", "genclip check 'dance-2.5' prompt='a b' reference_videos="),
    ("genclip check dance-2.5 fps", "genclip check dance-2.5 fps"),
]
FILES = [
    ("genclip generate --output my", "genclip generate --output my\\ picture.png "),
    ("genclip generate --output=my", "genclip generate --output=my\\ picture.png "),
    ("genclip check dance-2.5 reference_images=my", "genclip check dance-2.5 reference_images=my\\ picture.png "),
    ("genclip publish my", "genclip publish my\\ picture.png "),
    ("genclip check sd_2.0_special prompt=my", "genclip check sd_2.0_special prompt=my"),
]
WILD = ["$(touch ran)", "`touch ran`", "x;touch ran", "$HOME", "a b", "t-7", "a:b", "*"]


def script_that_prints(folder, lines):
    script = pathlib.Path(folder) / "genclip"
    script.write_text("#!/bin/sh\ncat <<'END'\n" + "\n".join(lines) + "\nEND\n", encoding="utf-8")
    script.chmod(0o700)
    return script


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class Zsh(unittest.TestCase):
    def test_completes_what_genclip_tells(self):
        for typed, line in TYPED:
            with self.subTest(typed=typed):
                self.assertEqual(zsh(typed, GENCLIP), line)

    def test_completes_files(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "my picture.png").touch()
            for typed, line in FILES:
                with self.subTest(typed=typed):
                    self.assertEqual(zsh(typed, GENCLIP, cwd=folder), line)

    def test_an_id_that_a_service_chose_is_a_word_and_no_code(self):
        with tempfile.TemporaryDirectory() as folder:
            line = zsh("genclip store show ", script_that_prints(folder, WILD), cwd=folder)
            self.assertFalse((pathlib.Path(folder) / "ran").exists())
        for word in (r"\$\(touch\ ran\)", r"\`touch\ ran\`", r"x\;touch\ ran", r"\$HOME", r"a\ b", "t-7", "a:b", r"\*"):
            self.assertIn(f" {word} ", line)


@unittest.skipUnless(shutil.which("fish"), "fish is not installed")
class Fish(unittest.TestCase):
    def test_completes_what_genclip_tells(self):
        for typed, line in TYPED:
            with self.subTest(typed=typed):
                before, _, word = line.rpartition(" ") if not line.endswith(" ") else line[:-1].rpartition(" ")
                expected = [] if typed == line else [word]
                self.assertTrue(typed.startswith(before))
                self.assertEqual(list(fish(typed, GENCLIP)), expected)

    def test_describes_commands_and_options(self):
        summary = next(line.split(maxsplit=1)[1] for line in genclip("--help").stdout.splitlines()
                       if line.startswith("  check "))
        self.assertEqual(fish("genclip che", GENCLIP), {"check": summary})
        self.assertEqual(fish("genclip check --js", GENCLIP), {"--json": "Print the result as JSON"})

    def test_completes_files(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "my picture.png").touch()
            for typed, line in FILES:
                with self.subTest(typed=typed):
                    word = line.rstrip().split(" ", line.count(" ") - 2 if line.endswith(" ") else -1)[-1]
                    expected = [] if typed == line else [word.replace("\\", "")]
                    self.assertEqual(list(fish(typed, GENCLIP, cwd=folder)), expected)

    def test_an_id_that_a_service_chose_is_a_word_and_no_code(self):
        with tempfile.TemporaryDirectory() as folder:
            offered = fish("genclip store show ", script_that_prints(folder, WILD), cwd=folder)
            self.assertFalse((pathlib.Path(folder) / "ran").exists())
            self.assertEqual(sorted(offered), sorted(WILD))


if __name__ == "__main__":
    unittest.main()
