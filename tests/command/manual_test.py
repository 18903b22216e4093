#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The man page: well formed, of this version, and complete."""

import re
import shutil
import subprocess
import unittest

from command import SOURCE, environment, genclip

PAGE = SOURCE / "plugin/command/genclip.1"
TEXT = PAGE.read_text(encoding="utf-8")
PLAIN = re.sub(r"\\f[A-Z]", "", TEXT.replace("\\-", "-"))


class Manual(unittest.TestCase):
    @unittest.skipUnless(shutil.which("man") and shutil.which("groff"), "man and groff are not installed")
    def test_groff_has_no_warning(self):
        run = subprocess.run(["man", "--warnings", "-l", str(PAGE)], env=environment(MANPAGER="cat", MANWIDTH="80"),
                             capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("EXIT STATUS", run.stdout)

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_mandoc_has_no_warning(self):
        run = subprocess.run(["mandoc", "-Tlint", "-Wwarning", str(PAGE)], capture_output=True, text=True, timeout=60,
                             check=False)
        self.assertEqual((run.returncode, run.stdout), (0, ""))

    def test_names_this_version(self):
        self.assertIn(f'"{genclip("--version").stdout.strip()}"', TEXT.splitlines()[1])

    def test_names_every_command_and_option(self):
        listed = genclip("--help").stdout.partition("Commands:\n")[2].partition("\n\n")[0]
        commands = [line.split("  ")[1] for line in listed.split("\n")]
        self.assertGreater(len(commands), 1)
        for command in commands:
            with self.subTest(command=command):
                self.assertTrue(re.search(rf"(?m)^\.(BR?|BI) +\"?{re.escape(command)}[ \"\n]", PLAIN), command)
                for option in re.findall(r"--[a-z][a-z-]*(?=[ =])", genclip(*command.split(), "--help").stdout):
                    self.assertTrue(option in PLAIN, option)

    def test_its_synopsis_has_every_command(self):
        synopsis = PLAIN.partition("\n.SH SYNOPSIS\n")[2].partition("\n.SH ")[0]
        # A group is one entry with its subcommands side by side.
        entries = [" ".join(re.findall(r"[a-z]+", re.sub(r"(?m)^\.[A-Z]+", "", entry)))
                   for entry in re.findall(r"(?s)\.SY genclip\n(.*?)\.YS", synopsis)]
        listed = genclip("--help").stdout.partition("Commands:\n")[2].partition("\n\n")[0]
        for command in re.findall(r"(?m)^  ([a-z]+(?: [a-z]+)?)  ", listed):
            group, _, subcommand = command.partition(" ")
            with self.subTest(command=command):
                self.assertTrue([entry for entry in entries
                                 if entry.split()[:1] == [group] and (not subcommand or subcommand in entry.split())], entries)

    def test_names_every_variable(self):
        for variable in set(re.findall(r"GENCLIP_[A-Z_]+", genclip("--help").stdout)):
            self.assertTrue(variable in PLAIN, variable)


if __name__ == "__main__":
    unittest.main()
