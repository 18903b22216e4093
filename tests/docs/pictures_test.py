#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pictures of the guide are what docs/pictures/make draws, and each is shown."""

import pathlib
import subprocess
import sys
import tempfile
import shutil
import unittest
import xml.etree.ElementTree

TOP = pathlib.Path(__file__).resolve().parents[2]
PICTURES = TOP / "docs" / "pictures"


def check(folder):
    run = subprocess.run(["/usr/bin/python3", folder / "make", "--check"], capture_output=True, text=True, check=False,
                         timeout=60)
    return run.returncode, run.stdout + run.stderr


class Pictures(unittest.TestCase):
    def test_drawn_ones_are_up_to_date(self):
        self.assertEqual(check(PICTURES), (0, ""))

    def test_a_stale_or_missing_one_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "pictures"
            shutil.copytree(PICTURES, copy)
            (copy / "clip-life.svg").unlink()
            with (copy / "progress.txt").open("a", encoding="utf-8") as text:
                text.write("one more line\n")
            code, said = check(copy)
        self.assertEqual(code, 1)
        self.assertEqual([name for name in ("clip-life.svg", "progress.svg", "clip-pipeline.svg") if name in said],
                         ["clip-life.svg", "progress.svg"], said)

    def test_each_is_well_formed_and_has_a_title(self):
        for picture in PICTURES.glob("*.svg"):
            with self.subTest(picture=picture.name):
                root = xml.etree.ElementTree.parse(picture).getroot()
                self.assertTrue(root.findtext("{http://www.w3.org/2000/svg}title"))

    def test_only_the_end_that_may_cost_twice_is_red(self):
        sys.path.insert(0, str(PICTURES))
        from drawing import FILLS  # pylint: disable=import-outside-toplevel,import-error
        drawn = (PICTURES / "clip-life.svg").read_text(encoding="utf-8")
        self.assertEqual([drawn.count(f'fill="{FILLS[fill]}"') for fill in ("crash", "good")], [1, 3])

    def test_each_is_shown_in_a_document_and_is_small(self):
        shown = "".join(path.read_text(encoding="utf-8") for path in [TOP / "README.md", *(TOP / "docs").rglob("*.md")])
        for picture in [*PICTURES.glob("*.svg"), *PICTURES.glob("*.png")]:
            with self.subTest(picture=picture.name):
                self.assertIn("pictures/" + picture.name, shown)
                self.assertLess(picture.stat().st_size, 100_000)


if __name__ == "__main__":
    unittest.main()
