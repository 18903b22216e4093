#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The C++ files follow .clang-format, and use no algorithm that the sanitizers' compiler does not know."""

import os
import re
import subprocess
import tempfile
import unittest

import source_tree

CLANG_FORMAT = os.environ.get("GENCLIP_CLANG_FORMAT", "clang-format-14")
# They return a std::ranges::subrange, of which clang 14 and GCC 12's library have different ideas.
OF_SUBRANGES = re.compile(r"std::ranges::(?:equal_range|find_end|partition|remove|remove_if|rotate|search|search_n|stable_partition|unique|subrange)\b")


def misformatted(paths, top=source_tree.TOP):
    """The complaints of clang-format, one text for all files."""
    run = subprocess.run([CLANG_FORMAT, "--dry-run", "--Werror", "--ferror-limit=2", "--style=file", *map(str, paths)],
                         cwd=top, capture_output=True, text=True, check=False)
    return run.returncode, run.stderr


class Format(unittest.TestCase):
    def test_every_file_is_formatted(self):
        code, complaints = misformatted(source_tree.cpp_files())
        self.assertEqual((code, complaints), (0, ""), "git config core.hooksPath .githooks formats what you commit")

    def test_no_file_uses_what_clang_does_not_compile(self):
        found = [f"{path}: {use}" for path in source_tree.cpp_files()
                 for use in OF_SUBRANGES.findall((source_tree.TOP / path).read_text(encoding="utf-8"))]
        self.assertEqual(found, [], "take the algorithm of two iterators")
        self.assertTrue(OF_SUBRANGES.search("std::ranges::search(a, b)") and not OF_SUBRANGES.search("std::ranges::find(a, b)"))

    def test_a_planted_blank_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            style = (source_tree.TOP / ".clang-format").read_text(encoding="utf-8")
            top = source_tree.copy_with(folder, {".clang-format": style, "a.cpp": "int  a;\n"})
            code, complaints = misformatted(["a.cpp"], top)
        self.assertNotEqual(code, 0)
        self.assertIn("a.cpp:1", complaints)


if __name__ == "__main__":
    unittest.main()
