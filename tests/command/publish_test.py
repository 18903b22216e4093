#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""genclip publish: files at URLs, and the copies in the folder. A web server on loopback shows the folder."""

import functools
import http.server
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import time
import unittest

from command import GENCLIP, environment, genclip

PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c63f8cfc0f01f00050001ff"
                    "89993d1d0000000049454e44ae426082")
DAY = 86400


class Publish(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        self.public = self.home / "public"
        self.public.mkdir()
        self.store = self.home / "store"
        self.env = {"GENCLIP_STORE": str(self.store), "no_proxy": "127.0.0.1"}

    def file(self, name, content=PNG):
        path = self.home / name
        path.write_bytes(content)
        return str(path)

    def serve(self, folder=None):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder or self.public))
        thread = threading.Thread(target=server.serve_forever)
        thread.start()

        def stop():
            server.shutdown()
            server.server_close()
            thread.join()

        self.addCleanup(stop)
        self.env |= {"GENCLIP_PUBLISH_FOLDER": str(self.public), "GENCLIP_PUBLISH_URL": f"http://127.0.0.1:{server.server_port}"}
        return self.env["GENCLIP_PUBLISH_URL"]

    def command(self, script):
        path = self.home / "upload"
        path.write_text("#!/bin/sh\n" + script, encoding="utf-8")
        path.chmod(0o700)
        self.env["GENCLIP_PUBLISH_COMMAND"] = str(path)

    def publish(self, *words, code=0):
        run = genclip("publish", *words, **self.env)
        self.assertEqual(run.returncode, code, run.stderr)
        return run

    def copies(self):
        return {path.name for path in self.public.iterdir()}

    def age(self, name, seconds):
        at = time.time() - seconds
        os.utime(self.public / name, (at, at))

    def record(self, digit, state, age, copy):
        folder = self.store / (digit * 64)
        folder.mkdir(parents=True)
        (folder / "task.json").write_text(json.dumps({
            "version": 1, "state": state, "model": "m", "task_id": "t-1", "updated_at": int(time.time() - age), "base_url": "https://s.example",
            "api": "tasks", "take": 0, "request": {"model": "m"}, "references": [{"field": "first_image", "index": 0, "copy": copy}]}))


class Files(Publish):
    def test_a_file_has_a_url_from_which_it_can_be_fetched(self):
        url = self.serve()
        run = self.publish(self.file("a.png"))
        self.assertRegex(run.stdout, rf"\A{re.escape(url)}/[0-9a-f]{{64}}\.png\n\Z")
        self.assertEqual(run.stderr, "")
        (name,) = self.copies()
        self.assertEqual((self.public / name).read_bytes(), PNG)

    def test_each_file_has_a_line_and_the_same_content_the_same_url(self):
        self.serve()
        run = self.publish(self.file("a.png"), self.file("b.jpg"), self.file("c.png", PNG + b"x"))
        first, second, third = run.stdout.splitlines()
        self.assertEqual(first, second)
        self.assertNotEqual(first, third)
        self.assertEqual(len(self.copies()), 2)

    def test_json(self):
        self.serve()
        run = self.publish("--json", self.file("a.png"), self.file("a.txt", b"no picture"), code=1)
        good, bad = json.loads(run.stdout)["published"]
        self.assertEqual((good["copy"], good["media_type"], good["size"], good["error"]), (*self.copies(), "image/png", len(PNG), None))
        self.assertTrue(good["url"].endswith("/" + good["copy"]))
        self.assertRegex(good["sha256"], "^[0-9a-f]{64}$")
        self.assertEqual((bad["url"], bad["copy"]), (None, None))
        self.assertIn("a.txt is not a known kind of picture, video or sound", bad["error"])

    def test_only_media_are_published_whatever_their_names_are(self):
        self.serve()
        os.mkfifo(self.home / "pipe.png")
        paths = [self.file("page.png", b"<html><script>"), self.file("key.png", b"-----BEGIN PRIVATE KEY-----\n"), self.file("empty.png", b""),
                 self.file("drawing.png", b'<svg xmlns="http://www.w3.org/2000/svg"/>'), str(self.home), str(self.home / "none.png"),
                 str(self.home / "pipe.png"), "/dev/zero", "/proc/self/environ"]
        run = self.publish(*paths, code=1)
        self.assertEqual(run.stdout, "")
        self.assertEqual(len(run.stderr.splitlines()), len(paths), run.stderr)
        self.assertEqual(self.copies(), set())

    def test_half_a_picture_is_not_published(self):
        self.serve()
        run = self.publish(self.file("whole.png"), self.file("half.png", PNG[:-12]), code=1)
        self.assertEqual(len(run.stdout.splitlines()), 1)
        self.assertIn("half.png is cut off: ", run.stderr)
        self.assertEqual(len(self.copies()), 1)

    def test_a_url_that_does_not_show_the_folder_is_an_error(self):
        self.serve(folder=self.home)
        run = self.publish(self.file("a.png"), code=1)
        self.assertEqual(run.stdout, "")
        self.assertIn("answers HTTP 404", run.stderr)
        self.assertIn("publish-check=none", run.stderr)
        self.publish("--publish-check=none", self.file("a.png"))

    def test_usage(self):
        self.publish(code=2)
        self.publish("list", "x", code=2)
        self.publish("list", code=2)
        self.assertIn("--publish-folder", self.publish("prune", code=2).stderr)
        run = self.publish(self.file("a.png"), code=1)
        self.assertIn("publish-folder", run.stderr)


class Command(Publish):
    def test_prints_the_url_of_the_command(self):
        self.command('echo "https://bucket.example/$2-$(basename "$1")?sig=1"\n')
        run = self.publish("--publish-check=none", self.file("a.png"))
        self.assertRegex(run.stdout, r"\Ahttps://bucket\.example/[0-9a-f]{64}-[0-9a-f]{64}\.png\?sig=1\n\Z")
        self.assertIn("genclip does not know where", self.publish("list", code=2).stderr)

    def test_a_problem_is_told_without_secrets(self):
        self.command("echo 'PUT https://b.example/x?X-Amz-Signature=SECRET denied' >&2; exit 4\n")
        run = self.publish(self.file("a.png"), code=1)
        self.assertIn("failed with exit code 4", run.stderr)
        self.assertIn("denied", run.stderr)
        self.assertNotIn("SECRET", run.stderr)

    def test_ends_with_its_children_when_genclip_is_stopped(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                pid = self.home / f"pid-{number}"
                self.command(f"sh -c 'echo $$ > \"{pid}.new\"; mv \"{pid}.new\" \"{pid}\"; exec sleep 600' & wait\n")
                with subprocess.Popen([GENCLIP, "publish", self.file("a.png")], env=environment(**self.env), stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
                    self.wait_for(pid.exists)
                    run.send_signal(number)
                    self.assertEqual(run.wait(60), 128 + number)
                child = int(pid.read_text())
                self.wait_for(lambda: not self.lives(child))

    def wait_for(self, condition):
        end = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    @staticmethod
    def lives(pid):
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
        except FileNotFoundError:
            return False


class Copies(Publish):
    def setUp(self):
        super().setUp()
        self.serve()

    def copy(self, content, age):
        name = self.publish(self.file("x.png", PNG + content)).stdout.strip().rpartition("/")[2]
        self.age(name, age)
        return name

    def test_list_says_what_is_needed_and_by_what(self):
        due, needed, recent = self.copy(b"1", 3 * DAY), self.copy(b"2", 2 * DAY), self.copy(b"3", DAY / 2)
        foreign = "0" * 64 + ".png"
        (self.public / foreign).write_bytes(PNG)
        self.age(foreign, 9 * DAY)
        self.record("a", "submitted", 2 * DAY, needed)
        listed = json.loads(self.publish("list", "--json").stdout)["copies"]
        self.assertEqual([(copy["name"], copy["fate"]) for copy in listed],
                         [(foreign, "foreign"), (due, "due"), (needed, "needed"), (recent, "recent")])
        self.assertEqual([use["key"] for use in listed[2]["used_by"]], ["a" * 64])
        lines = self.publish("list").stdout.splitlines()
        self.assertEqual(lines[0].split("\t"), ["NAME", "FATE", "BYTES", "PUBLISHED", "USED BY"])
        self.assertEqual([line.split("\t")[1] for line in lines[1:]], ["foreign", "due", "needed", "recent"])
        self.assertEqual(lines[3].split("\t")[4], "aaaaaaaa (submitted)")

    def test_prune_removes_what_is_due_and_says_it(self):
        due, needed = self.copy(b"1", 3 * DAY), self.copy(b"2", 2 * DAY)
        self.record("a", "ambiguous", 9 * DAY, needed)
        (self.public / ".genclip-x.tmp").write_bytes(b"half")
        self.age(".genclip-x.tmp", 3 * DAY)
        dry = self.publish("prune", "--dry-run").stdout
        self.assertRegex(dry, rf"\AWould remove {due}, \d+ B\n1 copy, \d+ B would be left\n\Z")
        self.assertEqual(len(self.copies()), 3)
        self.assertTrue(json.loads(self.publish("prune", "--dry-run", "--json").stdout)["dry_run"])
        self.assertRegex(self.publish("prune").stdout, rf"\ARemoved {due}, \d+ B\n1 copy, \d+ B left\n\Z")
        self.assertEqual(self.copies(), {needed})
        self.assertEqual(json.loads(self.publish("prune", "--json").stdout)["removed"], [])

    def test_a_folder_that_is_missing_is_an_error_and_no_empty_list(self):
        for words in (["list"], ["prune"]):
            run = self.publish(*words, "--publish-folder", str(self.home / "none"), code=1)
            self.assertIn("publish-folder", run.stderr)


if __name__ == "__main__":
    unittest.main()
