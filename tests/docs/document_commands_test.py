#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""No command line of a document escapes the test that runs them."""

import unittest

from document_commands import commands, read_files, without_screen

DOCUMENT = """# Title

    export A=b
    gst-launch-1.0 a ! b   # a comment with gst-play-1.0
    # genclip models

Text with `gst-launch-1.0 inline` and

```sh
A=b C="d e" genclip check x \\
  prompt="two words" \\
  duration=5
gst-inspect-1.0 genclipsrc | head
genclip-sim --port 1
```

<!-- not run: needs a camera -->

```sh
gst-launch-1.0 v4l2src ! fakesink
```

    ges-launch-1.0 +clip "genclip://x" -o out.mp4

```json
{"gst-play-1.0": 1}
```

- a list

    gst-play-1.0 belongs to the list's text
"""


class DocumentCommands(unittest.TestCase):
    def test_finds_those_of_both_kinds_of_blocks_and_nothing_else(self):
        self.assertEqual([(command.line, command.text) for command in commands(DOCUMENT)], [
            (4, "gst-launch-1.0 a ! b   # a comment with gst-play-1.0"),
            (10, 'A=b C="d e" genclip check x prompt="two words" duration=5'),
            (13, "gst-inspect-1.0 genclipsrc | head"),
            (20, "gst-launch-1.0 v4l2src ! fakesink"),
            (23, 'ges-launch-1.0 +clip "genclip://x" -o out.mp4'),
        ])

    def test_a_mark_counts_for_the_next_block_alone(self):
        self.assertEqual([command.not_run for command in commands(DOCUMENT)], ["", "", "", "needs a camera", ""])

    def test_a_mark_without_a_reason_marks_nothing(self):
        (command,) = commands("<!-- not run: -->\n\n    genclip models\n")
        self.assertEqual(command.not_run, "")

    def test_a_text_between_ends_a_mark(self):
        (command,) = commands("<!-- not run: x -->\n\nText.\n\n    genclip models\n")
        self.assertEqual(command.not_run, "")

    def test_broken_quotes_are_found_and_not_passed_over(self):
        (command,) = commands('    gst-launch-1.0 a prompt="x\n')
        self.assertEqual(command.text, 'gst-launch-1.0 a prompt="x')

    def test_sinks_that_need_a_screen_are_replaced(self):
        self.assertEqual(without_screen("gst-launch-1.0 a ! autovideosink b ! autoaudiosink"),
                         "gst-launch-1.0 a ! fakevideosink b ! fakeaudiosink")
        self.assertIn("--videosink=fakevideosink", without_screen("gst-play-1.0 genclip://x"))

    def test_files_to_read_are_known(self):
        self.assertEqual(read_files('filesrc location=a.mp4 ! x ! filesink location=b filesrc location="c.srt" !'),
                         ["a.mp4", "c.srt"])


if __name__ == "__main__":
    unittest.main()
