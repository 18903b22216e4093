#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A stranger's URI publishes no file but those in the folders that the user named, and no address can be guessed."""

import concurrent.futures
import contextlib
import functools
import hashlib
import hmac
import http.server
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest

import hostile_references
from hostile_references import png, quoted
from simulated_service import SimulatedService

# Much longer than any run here; opening a pipe would wait forever, reading a device would never end.
PATIENCE = 180


class QuietFiles(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def sha256(content):
    return hashlib.sha256(content).hexdigest()


class Publishing(unittest.TestCase):
    def setUp(self):
        self.addCleanup(lambda folder: folder.cleanup(), folder := tempfile.TemporaryDirectory())
        self.top = pathlib.Path(folder.name).resolve()
        self.allowed, self.private = hostile_references.lay_traps(self.top)
        self.good = self.allowed / "good.png"
        self.published = self.top / "published"
        self.published.mkdir()
        self.service = SimulatedService("--queued", "10", "--processing", "10")
        self.addCleanup(self.service.stop)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietFiles, directory=str(self.published)))
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GENCLIP_")}
        self.env = {**kept, **self.service.settings, "HOME": str(self.private.parent), "GENCLIP_PUBLISH_FOLDER": str(self.published),
                    "GENCLIP_PUBLISH_URL": f"http://127.0.0.1:{server.server_port}", "GENCLIP_PUBLISH_ROOTS": str(self.allowed),
                    "G_DEBUG": "fatal-criticals"}

    def generate(self, *words, stdin=subprocess.DEVNULL, **settings):
        ended = subprocess.run([os.environ["GENCLIP"], "generate", "--quiet", "--poll-interval", "20", *words], env={**self.env, **settings}, cwd=self.private.parent,
                               stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE, check=False)
        ended.stdout = ended.stdout.decode(errors="replace")
        return ended

    def contents(self):
        """The hash of everything that can be fetched, unfinished copies too."""
        return {sha256(path.read_bytes()) for path in self.published.iterdir()}

    def assert_nothing_left(self):
        self.assertEqual(self.contents(), set())
        stats = self.service.stats()
        self.assertEqual((stats["submits"], stats["refusals"]), (0, []))

    def assert_published(self, *words, **settings):
        ended = self.generate(*words, **settings)
        self.assertEqual(ended.returncode, 0, f"{words}: {ended.stdout[-1000:]}")
        return ended

    def refuse(self, words):
        with open(self.private, "rb") as stdin:
            return words, self.generate(*words, stdin=stdin)


class References(Publishing):
    def test_of_strangers_publish_nothing_else_and_cost_nothing(self):
        names = {"in": self.allowed, "out": self.private, "top": self.top, "hash": sha256(self.private.read_bytes())}
        requests = list(hostile_references.requests(names))
        self.assertGreater(len(set(map(tuple, requests))), 200)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for words, ended in pool.map(self.refuse, requests):
                with self.subTest(words=[word[:300] for word in words]):
                    self.assertEqual(ended.returncode, 1, ended.stdout[-500:])
                    self.assertIn("genclip", ended.stdout)
                    self.assertNotIn("swordfish", ended.stdout)
        self.assert_nothing_left()

        # So it was not the tests' set-up that refused: a picture of the folder goes out, and the private one if a person says so.
        self.assert_published(*hostile_references.plain(str(self.good)))
        self.assertEqual(self.contents(), {sha256(self.good.read_bytes())})
        self.assertEqual(self.service.stats()["submits"], 1)
        self.assert_published("sd_2.0_special", "prompt=y", f"first_image={self.private}")
        self.assertEqual(self.contents(), {sha256(self.good.read_bytes()), sha256(self.private.read_bytes())})

    def test_of_strangers_are_refused_by_players_too(self):
        def play(uri):
            words = ["gst-launch-1.0", "uridecodebin", f"uri={uri}", "!", "fakesink"]
            try:
                return subprocess.run(words, env=self.env, cwd=self.private.parent, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, timeout=PATIENCE / 3, check=False)
            except subprocess.TimeoutExpired as late:
                # GStreamer's own: an error that comes before its main loop runs is told, and does not end it.
                self.assertIn(b"ERROR: from element", late.stdout)
                return subprocess.CompletedProcess(words, 1, late.stdout)

        for text in (str(self.private), f"file://{self.private}", f"{self.allowed}-evil/private.png", f"{self.allowed}/folder-link/../private.png",
                     f"file://{self.allowed}/%2e%2e/outside/private.png", "/proc/self/environ", f"{self.allowed}/fifo", "private.png"):
            for place in (hostile_references.plain, hostile_references.in_a_picture):
                with self.subTest(text=text, place=place.__name__):
                    ended = play(*place(text))
                    self.assertNotEqual(ended.returncode, 0, ended.stdout[-500:])
        self.assert_nothing_left()
        ended = play(*hostile_references.plain(str(self.good)))
        self.assertEqual(ended.returncode, 0, ended.stdout[-500:])
        self.assertEqual(self.contents(), {sha256(self.good.read_bytes())})

    def test_in_the_folder_are_published_by_all_their_names(self):
        (self.allowed / "inner-link.png").symlink_to("good.png")
        (self.top / "link-to-roots").symlink_to(self.allowed)
        for text in (f"{self.good}", f"file://{self.good}", f"{self.allowed}/sub/../good.png", f"{self.allowed}/inner-link.png",
                     f"{self.top}/link-to-roots/good.png"):
            for place in (hostile_references.plain, hostile_references.in_a_picture):
                with self.subTest(text=text, place=place.__name__):
                    self.assert_published(*place(text))
        self.assertEqual(len([path for path in self.published.iterdir() if sha256(path.read_bytes()) == sha256(self.good.read_bytes())]), 1)

    def test_are_bound_by_roots_of_any_form(self):
        for number, roots in enumerate((f"{self.allowed}/", f"{self.allowed}//", f"{self.top}/./roots", f"/nowhere:{self.allowed}",
                                        f":{self.allowed}:")):
            with self.subTest(roots=roots):
                for text in (f"{self.allowed}-evil/private.png", self.private, f"{self.top}/roots.png"):
                    self.assertEqual(self.generate(*hostile_references.plain(str(text)), GENCLIP_PUBLISH_ROOTS=roots).returncode, 1)
                self.assert_published(f"genclip://sd_2.0_special?prompt=x{number}&first_image={quoted(str(self.good))}", GENCLIP_PUBLISH_ROOTS=roots)
        self.assertEqual(self.contents(), {sha256(self.good.read_bytes())})

    def test_publish_nothing_where_no_roots_are_set(self):
        for roots in ("", ":", "/nowhere", str(self.allowed / "fifo")):
            with self.subTest(roots=roots):
                self.assertEqual(self.generate(*hostile_references.plain(str(self.good)), GENCLIP_PUBLISH_ROOTS=roots).returncode, 1)
        self.assert_nothing_left()

    def test_cannot_set_publishing_up_themselves(self):
        marker = self.top / "ran"
        for field, value in (("publish_folder", self.published), ("publish-folder", self.published), ("publish_url", "http://evil.example"),
                             ("publish-url", "http://evil.example"), ("publish_roots", "/"), ("publish_command", f"touch {marker}"),
                             ("publish-command", f"touch {marker}"), ("GENCLIP_PUBLISH_ROOTS", "/"), ("publish_check", "none"),
                             ("reference_identity", "content")):
            for picture in (self.good, self.private):
                with self.subTest(field=field, picture=picture.name):
                    uri = f"genclip://sd_2.0_special?prompt=x&first_image={quoted(str(picture))}&{field}={quoted(str(value))}"
                    self.assertEqual(self.generate(uri).returncode, 1)
        self.assertFalse(marker.exists())
        self.assertEqual(self.contents(), set())

    def test_that_are_exchanged_while_they_are_opened_publish_no_other_file(self):
        """A link leads in turn to a picture of the folder and to a private one."""
        swapped = self.allowed / "swapped.png"
        done = threading.Event()

        def swap():
            targets = [self.good, self.private]
            while not done.is_set():
                spare = self.allowed / "spare"
                with contextlib.suppress(FileNotFoundError):
                    spare.unlink()
                spare.symlink_to(targets[0])
                spare.rename(swapped)
                targets.reverse()

        swapper = threading.Thread(target=swap)
        swapper.start()
        try:
            # Some of these runs find the one, and some the other.
            for number in range(20):
                self.generate(f"genclip://sd_2.0_special?prompt={number}&first_image={quoted(str(swapped))}")
        finally:
            done.set()
            swapper.join()
        self.assertLessEqual(self.contents(), {sha256(self.good.read_bytes())})

    def test_that_grow_are_refused(self):
        growing, done = self.allowed / "growing.png", threading.Event()

        def grow():
            with open(growing, "ab", buffering=0) as file:
                while not done.is_set():
                    file.write(b"x" * 65536)
                    if file.tell() > 1 << 28:
                        file.truncate(1000)

        growing.write_bytes(self.good.read_bytes())
        grower = threading.Thread(target=grow)
        grower.start()
        try:
            self.assertEqual(self.generate(*hostile_references.plain(str(growing))).returncode, 1)
        finally:
            done.set()
            grower.join()
        self.assert_nothing_left()


class Addresses(Publishing):
    def test_cannot_be_guessed_from_the_content(self):
        picture = png(640, 360)
        self.good.write_bytes(picture)
        names = []
        for store in ("first", "second"):
            before = set(self.published.iterdir())
            self.assert_published(*hostile_references.plain(str(self.good)), GENCLIP_STORE=str(self.top / store))
            (copy,) = set(self.published.iterdir()) - before
            self.assertEqual((copy.read_bytes(), copy.suffix), (picture, ".png"))
            names.append(copy.stem)
        self.assertNotEqual(*names)
        digests = [hashlib.new(kind, picture) for kind in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "blake2b", "blake2s")]
        texts = [picture, *(digest.digest() for digest in digests), *(digest.hexdigest().encode() for digest in digests)]
        keys = [b"", b"\0" * 32, b"genclip", picture, b"publish", str(self.top / "first").encode(), str(self.published).encode(), b"sim-key"]
        guesses = {text.hex() for text in texts} | {sha256(text) for text in texts}
        guesses |= {hmac.new(key, text, kind).hexdigest() for key in keys for text in texts for kind in ("md5", "sha1", "sha256")}
        for name in names:
            self.assertGreaterEqual(len(name), 32)
            for guess in guesses:
                self.assertNotIn(name, guess)
                self.assertFalse(len(guess) >= 16 and guess[:16] in name, f"{name} has the beginning of {guess}")
        # The secret is the store's own, and nobody else's to read.
        for store in ("first", "second"):
            for path in (self.top / store).rglob("*"):
                self.assertEqual(path.stat().st_mode & 0o077, 0, path)


class Command(Publishing):
    """$GENCLIP_PUBLISH_COMMAND in place of a folder."""

    def setUp(self):
        super().setUp()
        self.script = self.top / "publish it"
        self.script.write_text(f"""#!/bin/sh
env > {self.top}/environment
printf '%s\\n' "$@" > {self.top}/words
cp -- "$1" {self.published}/copy.png && echo "$SHOWN_AT/copy.png"
""", encoding="utf-8")
        self.script.chmod(0o755)
        self.env["SHOWN_AT"] = self.env.pop("GENCLIP_PUBLISH_URL")
        del self.env["GENCLIP_PUBLISH_FOLDER"]
        self.env["GENCLIP_PUBLISH_COMMAND"] = f"'{self.script}'"

    def test_gets_no_key_and_no_shell(self):
        key_file = self.top / "key"
        key_file.write_text("sim-key\n", encoding="utf-8")
        key_file.chmod(0o600)
        for settings in ({}, {"GENCLIP_API_KEY_FILE": str(key_file)}):
            self.assert_published(*hostile_references.plain(str(self.good)), GENCLIP_STORE=str(self.top / f"store{len(settings)}"), **settings)
            self.assertEqual(self.contents(), {sha256(self.good.read_bytes())})
            self.assertNotIn("sim-key", (self.top / "environment").read_text(encoding="utf-8"))
            words = (self.top / "words").read_text(encoding="utf-8").splitlines()
            self.assertEqual(words[1:], [sha256(self.good.read_bytes()), "image/png"])
        ended = self.generate("sd_2.0_special", "prompt=z", f"first_image={self.good}",
                              GENCLIP_PUBLISH_COMMAND=f"'{self.script}'; touch {self.top}/ran")
        self.assertFalse((self.top / "ran").exists(), ended.stdout)

    def test_is_run_for_no_file_of_a_stranger(self):
        for text in (str(self.private), f"file://{self.private}", str(self.allowed / "link.png"), str(self.allowed / "notes.png")):
            self.assertEqual(self.generate(*hostile_references.plain(text)).returncode, 1, text)
        self.assertFalse((self.top / "words").exists())
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
