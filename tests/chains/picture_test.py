#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures on a disk: recognised by their content, published for a task, and paid once."""

import pathlib
import shutil
import struct
import unittest
import zlib

from film import Film, uri_of
from shop import LINK_MODEL

SIZE = 400


def png(shade=0):
    """A grey picture whose first pixel has that shade."""
    rows = bytearray(b"".join(b"\0" + bytes([128]) * 3 * SIZE for _ in range(SIZE)))
    rows[1:4] = bytes([shade]) * 3
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", SIZE, SIZE, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(bytes(rows))) + chunk(b"IEND", b""))


class Pictures(unittest.TestCase):
    def setUp(self):
        self.film = Film()
        self.addCleanup(self.film.__exit__)
        self.disk = pathlib.Path(self.film.service.folder.name) / "disk"
        self.disk.mkdir()

    def picture(self, name, shade=0):
        path = self.disk / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(png(shade))
        return path

    def generate(self, reference, *options, code=0, **env):
        run, ended = self.film.run("generate", "--poll-interval", "10", *options, LINK_MODEL, "prompt=a kite", "duration=4",
                                   f"first_image={reference}", **env)
        self.assertEqual(ended, code, run.text)
        return run.text

    def submits(self):
        return self.film.service.stats()["submits"]

    def test_the_same_picture_under_three_names_is_one_submit_and_one_pixel_makes_another(self):
        self.generate(self.picture("a.png"))
        self.generate(self.picture("b.png"))
        self.generate(self.picture("deep/c.png"))
        self.generate("file://" + str(self.disk / "a.png"))
        self.assertEqual(self.submits(), 1)
        self.assertEqual(len(list(self.film.public.path.iterdir())), 1)
        self.generate(self.picture("d.png", shade=1))
        self.assertEqual(self.submits(), 2)

    def test_another_machine_that_shares_the_store_pays_nothing(self):
        self.generate(self.picture("a.png"))
        there = self.disk / "public of the other machine"
        there.mkdir()
        self.generate(self.picture("elsewhere/x.png"), GENCLIP_PUBLISH_FOLDER=str(there))
        self.assertEqual(self.submits(), 1)
        self.assertEqual(list(there.iterdir()), [])

    def test_a_picture_at_two_urls_is_one_submit_when_content_counts(self):
        urls = []
        for name in ("a.png", "b.png"):
            shutil.copy(self.picture(name), self.film.public.path)
            urls.append(f"{self.film.public.url}/{name}?signature={name}")
        for url in urls:
            self.generate(url, "--reference-identity", "content")
        self.assertEqual(self.submits(), 1)
        for url in urls:
            self.generate(url)
        self.assertEqual(self.submits(), 3)

    def test_a_stored_clip_plays_where_the_picture_is_missing(self):
        picture = self.picture("a.png")
        self.generate(picture)
        (record,) = self.film.records().values()
        (name,) = record["request"]["first_image"]
        picture.unlink()
        self.assertTrue(name.startswith("sha256:"), name)
        self.generate(name)
        self.assertEqual(self.submits(), 1)
        text = self.generate("sha256:" + 64 * "0", code=1)
        self.assertIn("give the file or its URL", text)
        self.assertEqual(self.submits(), 1)

    def test_the_service_gets_the_picture_at_an_address_that_its_content_does_not_tell(self):
        picture = self.picture("a.png")
        self.generate(picture)
        (copy,) = self.film.public.path.iterdir()
        self.assertEqual(copy.read_bytes(), picture.read_bytes())
        self.assertEqual(copy.suffix, ".png")
        self.assertNotIn(self.film.public.digests().popitem()[0], copy.name)
        (used,) = next(iter(self.film.records().values()))["references"]
        self.assertEqual(used["copy"], copy.name)

    def test_what_is_no_picture_is_not_published(self):
        secret = self.disk / "secret.png"
        secret.write_text("-----BEGIN PRIVATE KEY-----\n", encoding="utf-8")
        text = self.generate(secret, code=1)
        self.assertIn("first_image", text)
        self.assertEqual((self.submits(), list(self.film.public.path.iterdir())), (0, []))

    def test_a_uri_names_files_below_the_roots_only(self):
        uri = uri_of(prompt="a kite", duration=4, first_image=str(self.picture("a.png")))
        run, code = self.film.generate(uri)
        self.assertEqual(code, 1, run.text)
        self.assertIn("GENCLIP_PUBLISH_ROOTS", run.text)
        self.assertEqual((self.submits(), list(self.film.public.path.iterdir())), (0, []))
        run, code = self.film.generate(uri, GENCLIP_PUBLISH_ROOTS=str(self.disk))
        self.assertEqual(code, 0, run.text)
        self.assertEqual(self.submits(), 1)

    def test_a_missing_picture_is_named(self):
        text = self.generate(self.disk / "missing.png", code=1)
        self.assertIn("missing.png", text)
        self.assertIn("first_image", text)


if __name__ == "__main__":
    unittest.main()
