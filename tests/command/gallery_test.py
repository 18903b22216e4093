#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""genclip store gallery and store find, and the page in a real browser that opens it from the disk.

`gallery_test.py --picture FILE` saves the picture that is in the documents."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from command import GENCLIP, SOURCE, environment, genclip, genclip_json
from service import MODEL, ServiceTest

sys.path.insert(0, str(SOURCE / "tests/monitor"))
from headless_browser import HeadlessBrowser  # noqa: E402  pylint: disable=wrong-import-position

CHROMIUM = shutil.which("chromium")
HOSTILE = "</p><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\"> & co"


class Gallery(ServiceTest):
    def setUp(self):
        super().setUp()
        self.simulator()
        self.page = self.folder / "gallery.html"

    def generate(self, prompt, *fields):
        run = genclip("generate", MODEL, f"prompt={prompt}", "duration=4", "--poll-interval=20", *fields, **self.env)
        self.assertEqual(run.returncode, 0, run.stderr)
        return pathlib.Path(run.stdout.strip())

    def test_a_page_that_cannot_be_written_is_a_failure(self):
        self.generate("a red kite")
        with open("/dev/full", "w", encoding="utf-8") as full:
            run = subprocess.run([GENCLIP, "store", "gallery", "-o", "-"], env=environment(**self.env), stdout=full,
                                 stderr=subprocess.PIPE, check=False)
        self.assertEqual(run.returncode, 1)

    def gallery(self, *words):
        run = genclip("store", "gallery", "-o", str(self.page), *words, **self.env)
        self.assertEqual((run.returncode, run.stdout), (0, f"{self.page}\n"), run.stderr)
        return self.page.read_text(encoding="utf-8")


class Page(Gallery):
    def test_a_picture_is_made_once_and_again_for_a_newer_clip(self):
        clip = self.generate("a red kite")
        before = clip.read_bytes()
        self.assertIn("data:image/jpeg;base64,/9j/", self.gallery())
        thumbnail = clip.parent / "thumbnail.jpg"
        first = thumbnail.stat().st_mtime_ns
        self.assertLess(thumbnail.stat().st_size, 64 * 1024)
        self.gallery()
        self.assertEqual(thumbnail.stat().st_mtime_ns, first, "made again")
        os.utime(thumbnail, ns=(0, 0))
        self.gallery()
        self.assertGreater(thumbnail.stat().st_mtime_ns, 0, "an old picture stays")
        thumbnail.write_bytes(b"")
        self.assertIn("data:image/jpeg;base64,/9j/", self.gallery(), "an empty picture is shown")
        self.assertEqual(clip.read_bytes(), before)

    def test_a_removed_clip_takes_its_picture_along(self):
        clip = self.generate("a red kite")
        self.gallery()
        self.assertTrue((clip.parent / "thumbnail.jpg").exists())
        run = genclip("store", "remove", clip.parent.name, **self.env)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertFalse(clip.parent.exists())

    def test_a_clip_without_a_picture_is_shown_without_one(self):
        clip = self.generate("a red kite")
        data = bytearray(clip.read_bytes())
        data[64:] = bytes(len(data) - 64)
        clip.write_bytes(data)
        self.assertIn("no picture", self.gallery())

    def test_words_choose_the_clips(self):
        self.generate("a red kite")
        self.generate("a storm")
        page = self.gallery("STORM")
        self.assertIn("a storm", page)
        self.assertNotIn("a red kite", page)

    def test_a_page_that_cannot_be_written_is_an_error(self):
        run = genclip("store", "gallery", "-o", str(self.folder / "none" / "x.html"), **self.env)
        self.assertEqual(run.returncode, 1)
        self.assertIn(f"The page cannot be written to {self.folder}/none/x.html: there is no such folder", run.stderr)

    @unittest.skipUnless(CHROMIUM, "chromium is not installed")
    def test_a_browser_opens_it_from_the_disk_searches_and_sorts_it_and_asks_for_nothing_else(self):
        self.generate("a red kite over dunes")
        self.generate(HOSTILE)
        self.generate("a red storm at sea", "take=2")
        self.gallery()
        with HeadlessBrowser(CHROMIUM) as browser:
            browser.ask("Page.navigate", url=self.page.as_uri())
            browser.wait_for("document.readyState === 'complete'")
            shown = "[...document.querySelectorAll('article')].filter(one => !one.hidden).map(one => one.querySelector('.prompt').textContent)"
            self.assertEqual(browser.js("document.title"), f"Clips of {self.store}")
            self.assertIn(HOSTILE, browser.js(shown))
            self.assertTrue(browser.js("[...document.images].every(one => one.complete && one.naturalWidth > 100)"))

            def search(text):
                browser.js(f"search.value = {json.dumps(text)}; search.dispatchEvent(new Event('input'))")
                return browser.js(shown)

            self.assertEqual(len(search("")), 3)
            self.assertEqual(search("RED  sea"), ["a red storm at sea"])
            self.assertEqual(browser.js("count.textContent"), "1 of 3 clips")
            self.assertEqual(search("take 2 storm"), ["a red storm at sea"])
            self.assertEqual(search("onerror"), [HOSTILE])
            search("")
            browser.js("order.value = 'prompt'; order.dispatchEvent(new Event('change'))")
            self.assertEqual(browser.js(shown), sorted([HOSTILE, "a red kite over dunes", "a red storm at sea"]))
            self.assertEqual({url.split(":")[0] for url in browser.requests()} - {"data"}, {"file"})
            self.assertEqual(len([url for url in browser.requests() if url.startswith("file:")]), 1, browser.requests())
            self.assertEqual(browser.complaints(), [])


class Find(Gallery):
    def test_prints_the_paths_of_the_clips_that_have_all_words(self):
        kite = self.generate("a red kite")
        storm = self.generate("a red storm")
        found = genclip("store", "find", "Red", "KITE", **self.env)
        self.assertEqual((found.returncode, found.stdout), (0, f"{kite}\n"))
        both = genclip("store", "find", "red", **self.env)
        self.assertEqual(set(both.stdout.split()), {str(kite), str(storm)})
        none = genclip("store", "find", "balloon", **self.env)
        self.assertEqual((none.returncode, none.stdout), (1, ""))
        run, found = genclip_json("store", "find", "kite", "--json", **self.env)
        self.assertEqual((run.returncode, [clip["prompt"] for clip in found["clips"]]), (0, ["a red kite"]))
        self.assertEqual(genclip("store", "find", **self.env).returncode, 2)


class Pattern(Gallery):
    def test_an_output_is_named_by_what_the_clip_is(self):
        self.generate("a red kite/../x", "take=3", f"--output={self.folder}/{{name}}-{{model}}-{{take}}.mp4")
        self.assertTrue((self.folder / f"a-red-kite-x-{MODEL}-3.mp4").exists())
        run = genclip("generate", MODEL, "prompt=a", f"--output={self.folder}/{{nmae}}.mp4", **self.env)
        self.assertEqual(run.returncode, 1)
        self.assertIn("{nmae}", run.stderr)
        self.assertEqual(self.stats()["submits"], 1)


def picture(path):
    class Shot(Gallery):
        def runTest(self):
            for prompt in ("a red kite over dunes", "a storm at sea, seen from a lighthouse", "a man runs through rain",
                           "the storm calms down", "a paper boat on a canal", "snow falls on an empty harbour"):
                self.generate(prompt, "aspect_ratio=16:9")
            html = self.gallery().replace(str(self.store), "/srv/clips")
            self.page.write_text(html, encoding="utf-8")
            with HeadlessBrowser(CHROMIUM) as browser:
                browser.ask("Page.navigate", url=self.page.as_uri())
                browser.wait_for("document.readyState === 'complete'")
                pathlib.Path(path).write_bytes(browser.picture(820, 640))
    unittest.TextTestRunner().run(Shot())


if __name__ == "__main__":
    if "--picture" in sys.argv:
        picture(sys.argv[-1])
    else:
        unittest.main()
