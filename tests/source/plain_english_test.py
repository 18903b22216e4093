#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What people read is plain English: no phrase of plain_english.py is in the source tree."""

import tempfile
import unittest

import plain_english
import source_tree

BAD = {
    "docs/a.md": ("It resumes.\n\nThe next run goes on\nwith it.\n", 3),
    "plugin/a.h": ("// For anyone.\n//\n// For who\n// reads the code.\n", 3),
    "plugin/b.cpp": ('int a;\nconst char *text = "It makes "\n                   "no sense.";\n', 2),
    "tests/a.py": ('# One line.\n"""What\nit does."""\n\n# Nobody can\n# tell.\n', 5),
    "plugin/command/a.1": (".TP\nDo you mean this?\n", 2),
}
GOOD = {
    "docs/a.md": "There is no other way. It is no longer there, and no slower: that is no matter. \"Do you mean\" is a quotation.\n",
    "plugin/a.h": "// A user for whom it works. Who\n// reads it is not important.\nint goes_on; int with;\n",
    "tests/fuzz/corpus/a/seed": "goes on with",
}


class PlainEnglish(unittest.TestCase):
    def test_no_phrase_is_in_the_source_tree(self):
        self.assertEqual(plain_english.violations(), [])

    def test_a_planted_phrase_is_found_where_it_begins_also_over_two_lines(self):
        texts = {path: text for path, (text, _) in BAD.items()}
        with tempfile.TemporaryDirectory() as folder:
            found = plain_english.violations(source_tree.copy_with(folder, texts))
        self.assertEqual([text.partition(': "')[0] for text in found],
                         sorted(f"{path}:{line}" for path, (_, line) in BAD.items()), found)

    def test_plain_text_and_quotations_pass(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(plain_english.violations(source_tree.copy_with(folder, GOOD)), [])

    def test_every_pattern_finds_something_and_says_what_to_write(self):
        for pattern, better in plain_english.PHRASES:
            self.assertTrue(better)
            self.assertNotIn("\\s", pattern, "a blank stands for any white space")


if __name__ == "__main__":
    unittest.main()
