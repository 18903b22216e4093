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


def commands():
    listed = genclip("--help").stdout.partition("Commands:\n")[2].partition("\n\n")[0]
    return re.findall(r"(?m)^  ([a-z]+(?: [a-z]+)?)  ", listed)


def is_about(head, command):
    """Whether the options of a section with this head are options of the command."""
    names = re.split(r", | and ", re.sub(r"^(each command of|every command but) ", "", head))
    if head.startswith("every command"):
        return command not in names
    return command in names or head.startswith("each command of ") and command.split()[0] in names


def told_options(command):
    """Those in the terms and the lists of the sections that are about it."""
    sections = re.findall(r"(?ms)^\.SS Of ([^\n]+)\n(.*?)(?=^\.S[SH] )", PLAIN)
    terms = [term for head, text in sections if is_about(head, command) for term in re.findall(r"(?m)^\.B[RI]? (.*)$", text)]
    return {option for term in terms for option in re.findall(r"--[a-z][a-z-]*", term)}


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

    def test_names_every_command(self):
        for command in commands():
            with self.subTest(command=command):
                self.assertTrue(re.search(rf"(?m)^\.(BR?|BI) +\"?{re.escape(command)}[ \"\n]", PLAIN), command)

    def test_tells_of_each_command_the_options_that_it_has(self):
        self.assertIn("--jobs", told_options("batch"))
        for command in commands():
            with self.subTest(command=command):
                helped = genclip(*command.split(), "--help").stdout.partition("\nOptions:\n")[2].partition("\n\n")[0]
                self.assertEqual(told_options(command), set(re.findall(r"(?m)^  (?:-\w, )?(--[a-z][a-z-]*)", helped)))

    def test_its_synopsis_has_every_command(self):
        synopsis = PLAIN.partition("\n.SH SYNOPSIS\n")[2].partition("\n.SH ")[0]
        # A group is one entry with its subcommands side by side.
        entries = [" ".join(re.findall(r"[a-z]+", re.sub(r"(?m)^\.[A-Z]+", "", entry)))
                   for entry in re.findall(r"(?s)\.SY genclip\n(.*?)\.YS", synopsis)]
        for command in commands():
            group, _, subcommand = command.partition(" ")
            with self.subTest(command=command):
                self.assertTrue([entry for entry in entries
                                 if entry.split()[:1] == [group] and (not subcommand or subcommand in entry.split())], entries)

    def test_names_every_variable(self):
        for variable in set(re.findall(r"GENCLIP_[A-Z_]+", genclip("--help").stdout)):
            self.assertTrue(variable in PLAIN, variable)


if __name__ == "__main__":
    unittest.main()
