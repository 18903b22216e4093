#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""No command line of a document escapes the test that runs them."""

import collections
import html
import json
import pathlib
import unittest

from document_commands import commands, listings, logical_lines, paid_clips, program_of, read_files, requests, without_screen

TOP = pathlib.Path(__file__).resolve().parents[2]
# What a shell block may have beside the commands that are run: settings, and what builds and installs genclip, which
# tests/run and tests/packaging do.
BESIDE = {"", ".", "export", "unset", "install", "meson", "mkdir", "ninja", "sudo", "examples/run-demo", "examples/shell", "genclip-sim",
          "examples/packaging/build-debs", "examples/packaging/make-sbom"}

CATALOG = json.loads((TOP / "plugin/catalog/models.json").read_text(encoding="utf-8"))
# What a reader follows from page to page, with one store.
FOLLOWED = [TOP / "README.md", *sorted((TOP / "docs/guide").glob("*.md")), TOP / "docs/questions.md", TOP / "docs/references.md",
            TOP / "docs/editing.md", TOP / "docs/command.md", TOP / "examples/trailer.xges"]

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

    def test_a_block_whose_lines_need_each_other_is_one_script(self):
        for first in ("genclip-sim --port 1 &", "film=a.mp4", "unset GENCLIP_API_KEY", 'A="b c" D=e'):
            with self.subTest(first=first):
                (command,) = commands(f"```sh\ntrue\n{first}\ngenclip models \\\n  --json\n```\n")
                self.assertEqual((command.line, command.text), (2, f"true\n{first}\ngenclip models --json"))

    def test_a_block_without_a_command_is_none_whatever_it_sets(self):
        self.assertEqual(commands("    unset GENCLIP_API_KEY\n    make &\n"), [])

    def test_an_environment_before_a_command_makes_no_script(self):
        self.assertEqual([command.line for command in commands("    A=b genclip models\n    genclip models\n")], [1, 2])

    def test_programs_of_the_repository_and_compiled_ones_are_commands(self):
        lines = ["examples/apps/play_clip.py a b", "examples/captions/burn-in a b", "./play_clip a", "cc a.c -o a"]
        text = "".join(f"    {line}\n" for line in [*lines, "examples/run-demo", "tests/run"])
        self.assertEqual([command.text for command in commands(text)], lines)

    def test_a_shared_folder_is_not_used(self):
        self.assertEqual(without_screen("genclip-sim --ready-file /tmp/ready &"), "genclip-sim --ready-file $PWD/ready &")

    def test_a_command_whose_output_is_taken_is_found(self):
        (command,) = commands('    clip=$(genclip generate x) && cp "$clip" y\n')
        self.assertEqual(command.text, 'clip=$(genclip generate x) && cp "$clip" y')

    def test_no_line_of_a_shell_block_is_overlooked(self):
        for document in [*TOP.glob("*.md"), *(TOP / "docs").rglob("*.md")]:
            text = document.read_text(encoding="utf-8")
            run = "\n".join(command.text for command in commands(text))
            for listing in listings(text, "sh"):
                for _, line in logical_lines(1, listing.splitlines()):
                    with self.subTest(document=document.name, line=line):
                        self.assertTrue(line in run or program_of(line) in BESIDE)

    def test_the_same_words_are_one_request_on_every_page_and_are_paid_once(self):
        models = {model["id"]: model for model in CATALOG["models"]}
        seen = collections.defaultdict(lambda: collections.defaultdict(set))
        for page in FOLLOWED:
            text = html.unescape(page.read_text(encoding="utf-8"))
            for model, prompt, fields in requests(text, set(CATALOG["common_fields"])):
                if model not in models:
                    continue
                own = models[model].get("fields", {})
                # A required field is sent with its default.
                sent = {name: str(field["default"]) for name, field in own.items() if field.get("required") and "default" in field}
                # The same example of a mistake is no request.
                if dict(fields).get("duration") != "99":
                    seen[model, prompt][tuple(sorted({**sent, **dict(fields)}.items()))].add(page.name)
        self.assertGreater(len(seen), 8)
        for words, variants in seen.items():
            with self.subTest(request=words):
                self.assertEqual(len(variants), 1, dict(variants))

    def test_the_clips_of_the_guide_have_one_shape(self):
        models = {model["id"]: model for model in CATALOG["models"]}
        for page in FOLLOWED:
            text = html.unescape(page.read_text(encoding="utf-8"))
            for model, prompt, fields in requests(text, {"aspect_ratio"}):
                shape = models.get(model, {}).get("fields", {}).get("aspect_ratio", {}).get("default", "16:9")
                with self.subTest(page=page.name, model=model, prompt=prompt):
                    self.assertEqual(dict(fields).get("aspect_ratio", shape), "16:9")

    def test_requests_are_found_in_words_and_uris_and_inside_uris(self):
        text = """
    genclip check m prompt="a b" duration=5 --json
    gst-launch-1.0 genclipsrc model=n prompt=c first-image="genclip://o?prompt=d%20e#last" ! fakesink
    gst-play-1.0 "genclip://p?prompt=f&first_image=genclip%3A%2F%2Fq%3Fprompt%3Dg%2520h%23last"
    ges-launch-1.0 +clip "genclip://r%3Fprompt=i%2520j&duration=4"
"""
        found = {(model, prompt): dict(fields) for model, prompt, fields in requests(text, {"duration"})}
        self.assertEqual(found, {("m", "a b"): {"duration": "5"}, ("n", "c"): {}, ("o", "d e"): {}, ("p", "f"): {}, ("q", "g h"): {},
                                 ("r", "i j"): {"duration": "4"}})

    def test_what_a_page_says_that_it_costs_is_found(self):
        sentence = "The commands of this page pay for 12 clips."
        for blank in (i for i, letter in enumerate(sentence) if letter == " "):
            self.assertEqual(paid_clips(sentence[:blank] + "\n" + sentence[blank + 1:]), 12, "wherever the line ends")
        self.assertEqual(paid_clips("Clips cost credits."), 0)

    def test_listings_are_found_by_their_language(self):
        text = "```c\nint a;\n\nint b;\n```\ntext\n```cpp\nint c;\n```\n```c\nint d;\n```\n"
        self.assertEqual(listings(text, "c"), ["int a;\n\nint b;\n", "int d;\n"])

    def test_sinks_that_need_a_screen_are_replaced(self):
        self.assertEqual(without_screen("gst-launch-1.0 a ! autovideosink b ! autoaudiosink"),
                         "gst-launch-1.0 a ! fakevideosink b ! fakeaudiosink")
        self.assertIn("--videosink=fakevideosink", without_screen("gst-play-1.0 genclip://x"))

    def test_files_to_read_are_known(self):
        self.assertEqual(read_files('filesrc location=a.mp4 ! x ! filesink location=b filesrc location="c.srt" !'),
                         ["a.mp4", "c.srt"])
        self.assertEqual(read_files('genclip generate m prompt="a b.c" first_image=a.png reference_videos="b-c.mp4" --output d.mp4'),
                         ["a.png", "b-c.mp4"])
        self.assertEqual(read_files('x first-image=a.png first_image="genclip://m?p=b.png#last" last_image=https://m.example/c.png'), ["a.png"])
        self.assertEqual(read_files("genclip publish a.png"), ["a.png"])


if __name__ == "__main__":
    unittest.main()
