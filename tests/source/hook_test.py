#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The hook formats only the committed files."""

import pathlib
import subprocess
import tempfile
import unittest

import source_tree


class Hook(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        self.git("init", "-q")
        for name, value in (("user.name", "Test"), ("user.email", "test@localhost"),
                            ("core.hooksPath", str(source_tree.TOP / ".githooks"))):
            self.git("config", name, value)
        self.write(".clang-format", (source_tree.TOP / ".clang-format").read_text(encoding="utf-8"))

    def git(self, *words):
        # A test that runs from a git hook must not work on that repository.
        env = {"PATH": "/usr/bin:/bin", "HOME": str(self.top), "GIT_CONFIG_NOSYSTEM": "1"}
        run = subprocess.run(["git", *words], cwd=self.top, env=env, capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout

    def write(self, name, text):
        (self.top / name).write_text(text, encoding="utf-8")

    def test_formats_what_is_staged_in_the_commit_and_in_the_folder(self):
        self.write("a file.cpp", "int  a;\n")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "a")
        self.assertEqual(self.git("show", "HEAD:a file.cpp"), "int a;\n")
        self.assertEqual((self.top / "a file.cpp").read_text(encoding="utf-8"), "int a;\n")

    def test_leaves_what_is_not_staged_alone(self):
        self.write("a.h", "int  a;\n")
        self.git("add", ".")
        self.write("a.h", "int  a;\nint  b;\n")
        self.write("c.h", "int  c;\n")
        self.git("commit", "-q", "-m", "a")
        self.assertEqual(self.git("show", "HEAD:a.h"), "int a;\n")
        self.assertEqual((self.top / "a.h").read_text(encoding="utf-8"), "int  a;\nint  b;\n")
        self.assertEqual((self.top / "c.h").read_text(encoding="utf-8"), "int  c;\n")


if __name__ == "__main__":
    unittest.main()
