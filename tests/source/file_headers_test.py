#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every file says its licence, and what its head says beyond that is a sentence."""

import tempfile
import unittest

import file_headers
import source_tree

LICENCE = file_headers.LICENCE
GOOD = {
    "plugin/a.h": f"// {LICENCE}\n//\n// What a is.\n#pragma once\n",
    "plugin/b.cpp": f"// {LICENCE}\n//\n// What b is,\n// at some length.\n//\n// More about it\n\nint b;\n",
    "plugin/c.cpp": f'// {LICENCE}\n#include "plugin/c.h"\n',
    "plugin/meson.build": f"# {LICENCE}\nsubdir('a')\n",
    "tests/c.py": f'#!/usr/bin/python3\n# {LICENCE}\n"""What c is.\n\nMore."""\n',
    "tests/run": f"#!/bin/sh\n# {LICENCE}\n#\n# What it runs.\ntrue\n",
    "plugin/d.css": f"/* {LICENCE} */\nbody {{ }}\n",
    "README.md": "# No licence line here\n",
    # What a build makes is nobody's, whatever its folder is called.
    "obj-x86/meson-private/made.h": "",
    "obj-x86/made.cpp": "int made;\n",
}
BAD = {
    "plugin/a.h": "// What a is.\n#pragma once\n",
    "plugin/b.cpp": f"// {LICENCE}\n//\n\nint b;\n",
    "plugin/c.cpp": f"// {LICENCE}\n//\n// a word\nint c;\n",
    "plugin/d.css": "body { }\n",
    "plugin/d.html": "<body>\n",
    "plugin/meson.build": "subdir('a')\n",
    "tests/c.py": f'#!/usr/bin/python3\n# {LICENCE}\n\nimport os\n',
    "tests/run": "#!/bin/sh\ntrue\n",
    "tests/other": f"#!/bin/sh\n# {LICENCE}\ntrue\n",
    "tests/gpl.cpp": "// SPDX-License-Identifier: GPL-2.0-or-later\n//\n// What it is.\n",
}


class FileHeaders(unittest.TestCase):
    def test_every_file_has_its_licence_and_a_sentence_or_none(self):
        self.assertEqual(file_headers.violations(), [])

    def test_a_planted_file_without_them_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            found = file_headers.violations(source_tree.copy_with(folder, BAD))
        self.assertEqual([text.partition(": ")[0] for text in found], sorted(BAD), found)

    def test_good_heads_of_all_kinds_pass(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(file_headers.violations(source_tree.copy_with(folder, GOOD)), [])


if __name__ == "__main__":
    unittest.main()
