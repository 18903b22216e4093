#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""No output of a run contains a key, proxy password or signed URL, however the key is set and the run ends."""

import os
import pathlib
import re
import subprocess
import time
import unittest
import urllib.parse

from leaks import Traces, forms
from raw_service import CLIP, RawService, answer, caption, clip, task
from simulated_service import SimulatedService

KEY = "gc-K3y/4711+x=%7Eq~Zw"
SIGNATURE = "s1gn4ture-0f-th3-cl1p"
PASSWORD = "pr0xy-p4ssw0rd"
GENERATE = ["genclipsrc", "name=keyed", "model=sd_2.0_special", "prompt=a red kite", "poll-interval=10", "retries=1", "!",
            "fakesink"]
# Media that were never served may be late, and are asked for until the time of the run is over.
GENERATE_AT_ONCE = [*GENERATE[:6], "timeout=3", *GENERATE[6:]]
STILL = ["videotestsrc", "num-buffers=1", "!", "video/x-raw,width=64,height=36,framerate=1/5", "!", "gencaption",
         "name=keyed", "cache=off", "retries=1", "!", "fakesink"]
KEPT = [word for word in STILL if word != "cache=off"]
PIPELINES = {"genclipsrc": GENERATE, "gencaption": STILL}
STATUSES = [300, 301, 302, 307, 400, 401, 402, 403, 404, 405, 407, 408, 409, 410, 413, 415, 418, 421, 422, 429, 451, 500,
            501, 502, 503, 504, 511]
FAILED = (1, 255)  # How gst-launch-1.0 ends when it fails, before it plays and later; never by a signal.


def echoes(key):
    """Ways in which a service may echo a key."""
    quoted = urllib.parse.quote(key, safe="")
    return [{"error": {"message": f"Key {key} is wrong"}}, {"error": f"Authorization: Bearer {key}"}, f"<html><title>{key}</title>",
            {"detail": [{"loc": ["header", key], "msg": f"bad {key}"}]}, {"message": f"see https://s.example/?key={quoted}"},
            {"error": {"message": "x" * 480 + key}}, {"error": {"message": f"key={quoted}&x"}}, key]


class Secrets(unittest.TestCase):
    def setUp(self):
        self.service = RawService()
        self.addCleanup(self.service.__exit__)
        self.traces = Traces()
        self.addCleanup(self.traces.__exit__)
        self.key_file = pathlib.Path(self.traces.folder).parent / (self.traces.folder.name + ".key")
        self.key_file.write_text(KEY + "\n", encoding="utf-8")
        self.key_file.chmod(0o600)
        self.addCleanup(self.key_file.unlink)
        self.addresses = {"GENCLIP_BASE_URL": self.service.url + "/api", "GENCLIP_LLM_BASE_URL": self.service.url + "/llm"}

    def launch(self, words, **settings):
        return self.traces.run("gst-launch-1.0", "-v", "-m", "-t", *words, **{**self.addresses, **settings})

    def with_property(self, words, properties=(), **settings):
        """The key in the property, and everything that an application can see."""
        file = self.key_file.with_suffix(".properties")
        file.write_text("\n".join([f"api-key={KEY}", *properties]), encoding="utf-8")
        self.addCleanup(file.unlink, missing_ok=True)
        return self.traces.run(os.environ["GENCLIP_SHOW_ALL"], str(file), *words, **{**self.addresses, **settings})

    def assert_clean(self, *secrets):
        leaks = self.traces.leaks(KEY, SIGNATURE, PASSWORD, *secrets)
        self.assertEqual(leaks, [], f"{len(leaks)} leaks, the first: {leaks[:1]}")

    def assert_the_key_was_used(self, element):
        kind = "submit" if element == "genclipsrc" else "caption"
        keys = [request.headers.get("authorization") for request in self.service.requests
                if self.service.kind_of(request) == kind]
        self.assertTrue(keys and set(keys) == {f"Bearer {KEY}"}, keys)

    def sign_clips(self):
        self.service.media_url += f"?Expires=1&Signature={SIGNATURE}"


class TheSearch(unittest.TestCase):
    def test_finds_each_form_in_contents_and_names(self):
        for name, form in forms(KEY).items():
            with self.subTest(form=name), Traces() as traces:
                (traces.dots / "x.dot").write_bytes(b"before " + form + b" after")
                self.assertTrue(traces.leaks(KEY))
        with Traces() as traces:
            (traces.folder / urllib.parse.quote(KEY, safe="")).touch()
            self.assertTrue(traces.leaks(KEY))

    def test_sees_what_gst_launch_itself_shows_of_a_command_line(self):
        """A key on a command line is in the log of GStreamer's parser, as docs/threat-model.md warns. This proves that the search works."""
        with Traces() as traces:
            traces.run("gst-launch-1.0", "-v", "genclipsrc", "dry-run=true", "model=dance-2.5", "prompt=x", f"api-key={KEY}",
                       "!", "fakesink")
            self.assertTrue(traces.leaks(KEY))


class Success(Secrets):
    def go_in_every_way(self, element, words):
        environments = {"environment": {"GENCLIP_API_KEY": KEY}, "file of the environment": {"GENCLIP_API_KEY_FILE": str(self.key_file)}}
        runs = {name: lambda s=settings: self.launch(words, **s) for name, settings in environments.items()}
        named = [*words]
        named.insert(named.index("name=keyed") + 1, f"api-key-file={self.key_file}")
        runs["file"] = lambda: self.launch(named)
        runs["property"] = lambda: self.with_property(words)
        for way, run in runs.items():
            with self.subTest(element=element, way=way):
                self.service.requests.clear()
                self.traces.store.exists() and subprocess.run(["rm", "-r", str(self.traces.store)], check=True)
                ended = run()
                self.assertEqual(ended.returncode, 0, ended.stdout[-2000:])
                self.assert_the_key_was_used(element)
                self.assert_clean()
        self.assertTrue(list(self.traces.dots.iterdir()), "there are dot files to look into")
        self.assertGreater(len(self.traces.debug_log()), 100000, "there is a log to look into")

    def test_of_a_clip_shows_neither_key_nor_signature(self):
        self.sign_clips()
        self.go_in_every_way("genclipsrc", GENERATE)
        self.assertTrue(any(SIGNATURE in request.target for request in self.service.requests), "the clip was fetched")
        self.assertIn(b"genclip-http", self.traces.debug_log())
        self.assertTrue(list(self.traces.store.glob("*/task.json")), "there is a store to look into")

    def test_of_a_caption_shows_neither_key_nor_picture(self):
        self.go_in_every_way("gencaption", KEPT)
        self.assertEqual(len(list(self.traces.store.glob("captions/*.json"))), 1, "there is a kept answer to look into")
        sent = self.service.requests[0].body.decode()
        picture = re.search(r'"data":"([A-Za-z0-9+/=]{200,})"', sent)[1]
        self.assertEqual(self.traces.leaks(picture[:60]), [], "a still's base64 is in the traces")

    def test_of_the_media_request_carries_no_key_and_no_cookie(self):
        self.sign_clips()
        self.service.query = lambda _: answer(200, {"id": "t-7", "status": "completed", "video_url": self.service.media_url},
                                              "Set-Cookie: session=1")
        self.assertEqual(self.launch(GENERATE, GENCLIP_API_KEY=KEY).returncode, 0)
        media = [request for request in self.service.requests if self.service.kind_of(request) == "media"]
        self.assertTrue(media)
        for request in media:
            for name in ("authorization", "cookie", "referer", "proxy-authorization"):
                self.assertNotIn(name, request.headers)
            self.assertNotIn(KEY, str(request.headers))


class Failure(Secrets):
    def test_with_every_status_and_an_echo_shows_nothing(self):
        said = echoes(KEY)
        for element, words in PIPELINES.items():
            for number, status in enumerate(STATUSES):
                body = said[number % len(said)]
                headers = [f"Location: {self.service.url}/?key={urllib.parse.quote(KEY)}", f"ETag: \"{KEY}\"", f"X-Key: {KEY}",
                           f"WWW-Authenticate: Bearer error=\"{KEY}\""]
                reply = answer(status, body, *headers, reason=f"Bad {KEY}")
                self.service.submit = self.service.caption = reply
                with self.subTest(element=element, status=status, body=body):
                    # One run is enough: the property has no effect on a failure.
                    ended = self.launch(words, GENCLIP_API_KEY=KEY, GENCLIP_STORE=str(self.traces.folder / f"store-{status}"))
                    self.assertIn(ended.returncode, FAILED, ended.stdout[-2000:])
                    self.assert_the_key_was_used(element)
        self.assert_clean()

    def test_of_an_echo_in_each_shape_shows_nothing(self):
        for element, words in PIPELINES.items():
            for number, body in enumerate(echoes(KEY)):
                self.service.submit = self.service.caption = answer(401, body)
                with self.subTest(element=element, body=body):
                    self.assertIn(self.with_property(words, GENCLIP_STORE=str(self.traces.folder / f"s{number}")).returncode, FAILED)
        self.assert_clean()

    def test_of_a_query_shows_nothing(self):
        self.sign_clips()
        for number, said in enumerate(echoes(KEY)):
            fields = said if isinstance(said, dict) else {"error": said}
            self.service.query = task("failed", **fields, video_url=self.service.media_url)
            with self.subTest(said=said):
                self.assertIn(self.launch(GENERATE, GENCLIP_API_KEY=KEY,
                                             GENCLIP_STORE=str(self.traces.folder / f"store-{number}")).returncode, FAILED)
        self.assert_clean()

    def test_of_a_clip_shows_no_signature(self):
        self.sign_clips()
        elsewhere = f"Location: {self.service.url}/other.mp4?token={SIGNATURE}"
        down = f"Location: ftp://127.0.0.1/{SIGNATURE}/clip?token={SIGNATURE}"
        for number, said in enumerate([
                answer(403, f"<Error><Message>{SIGNATURE}</Message></Error>", content_type="application/xml"), answer(404),
                answer(500, SIGNATURE), answer(302, "", elsewhere), answer(302, "", down), clip()[:-1],
                answer(200, f"<html>{SIGNATURE}", content_type="text/html"), answer(200, "", f"ETag: \"{SIGNATURE}\"")]):
            self.service.media = said
            with self.subTest(said=said):
                self.assertIn(self.launch(GENERATE_AT_ONCE, GENCLIP_API_KEY=KEY,
                                             GENCLIP_STORE=str(self.traces.folder / f"store-{number}")).returncode, FAILED)
        self.assert_clean()

    def test_of_an_address_of_a_clip_that_is_none_shows_nothing(self):
        for number, place in enumerate([f"http://cdn.invalid:99999/{SIGNATURE}/clip.mp4", f"http://u:{SIGNATURE}@[::zz]/x",
                                        f"http:/{SIGNATURE}", f"gopher://cdn.invalid/{SIGNATURE}",
                                        f"http://127.0.0.1:1/{SIGNATURE}/clip.mp4", f"http://u:{SIGNATURE}@nobody.invalid/x"]):
            self.service.query = task(video_url=place)
            with self.subTest(place=place):
                self.assertIn(self.launch(GENERATE, GENCLIP_API_KEY=KEY,
                                          GENCLIP_STORE=str(self.traces.folder / f"store-{number}")).returncode, FAILED)
        self.assert_clean()

    def test_of_a_connection_shows_nothing(self):
        for element, words in PIPELINES.items():
            for said in (b"", f"garbage {KEY}\r\n\r\n".encode(), f"HTTP/1.1 200 {KEY}\r\nX".encode()):
                self.service.submit = self.service.caption = said
                with self.subTest(element=element, said=said):
                    self.assertIn(self.launch(words, GENCLIP_API_KEY=KEY).returncode, FAILED)
            with self.subTest(element=element, said="nobody"):
                self.assertIn(self.launch(words, GENCLIP_API_KEY=KEY, GENCLIP_BASE_URL="http://127.0.0.1:1/api",
                                             GENCLIP_LLM_BASE_URL="http://127.0.0.1:1/llm").returncode, FAILED)
        self.assert_clean()


class Echo(Secrets):
    """A service that echoes the key in successful answers."""

    def test_in_a_status_an_error_or_a_header_is_not_shown(self):
        self.sign_clips()
        answers = [answer(200, {"id": "t-7", "status": f"weird {KEY}", "error": {"message": KEY}, "model": KEY},
                          f"X-Key: {KEY}", reason=KEY),
                   task(video_url=self.service.media_url, error={"message": KEY})]
        queries = iter(answers)
        self.service.query = lambda _: next(queries, answers[-1])
        self.assertEqual(self.launch(GENERATE, GENCLIP_API_KEY=KEY).returncode, 0)
        self.assert_clean()

    def test_in_the_address_of_the_clip_is_neither_shown_nor_stored(self):
        quoted = urllib.parse.quote(KEY, safe="")
        self.service.query = lambda _: task(video_url=f"{self.service.url}/{quoted}/clip.mp4?k={quoted}#{quoted}")
        self.assertEqual(self.launch(GENERATE, GENCLIP_API_KEY=KEY).returncode, 0)
        self.assert_clean()

    def test_as_a_validator_of_the_clip_is_not_stored(self):
        self.service.media = answer(200, CLIP, f"Last-Modified: {SIGNATURE}",
                                    content_type="video/mp4")
        self.assertEqual(self.launch(GENERATE, GENCLIP_API_KEY=KEY).returncode, 0)
        self.assert_clean()

    def test_as_the_tasks_id_is_no_id(self):
        self.service.submit = answer(200, {"id": f"t-{KEY}", "status": "queued"})
        ended = self.launch(GENERATE, GENCLIP_API_KEY=KEY)
        self.assertIn(ended.returncode, FAILED)
        self.assertIn("without a task ID", ended.stdout)
        self.assert_clean()

    def test_in_an_answer_of_the_model_is_an_answer_but_in_its_reasons_is_not_shown(self):
        for said in ({"candidates": [{"finishReason": f"ODD_{KEY}"}]}, {"promptFeedback": {"blockReason": KEY}},
                     {"candidates": [{"content": {"parts": [{"text": "x."}]}, "finishReason": KEY}]},
                     {"error": {"code": 400, "message": "y" * 1990 + KEY, "status": KEY}}, [{"error": {"message": KEY}}]):
            self.service.caption = answer(200, said)
            with self.subTest(said=said):
                self.with_property(STILL)
                self.assert_the_key_was_used("gencaption")
        self.assert_clean()


class Proxy(Secrets):
    def test_shows_neither_its_password_nor_the_key(self):
        proxy = self.service.url.replace("http://", f"http://ann:{PASSWORD}@")
        self.addresses = {"GENCLIP_BASE_URL": "http://service.invalid/api", "GENCLIP_LLM_BASE_URL": "http://service.invalid/llm"}
        self.service.media_url = f"http://media.invalid/clip.mp4?s={SIGNATURE}"
        for element, words in PIPELINES.items():
            for said in (None, answer(407, "x"), answer(502, "x"), b""):
                self.service.requests.clear()
                if said is not None:
                    self.service.submit = self.service.caption = said
                with self.subTest(element=element, said=said):
                    ended = self.with_property(words, [f"proxy={proxy}"],
                                               GENCLIP_STORE=str(self.traces.folder / f"store-{said is None}"))
                    self.assertIn(ended.returncode, [0] if said is None else FAILED, ended.stdout[-2000:])
                    self.assertTrue(self.service.requests, "the proxy was used")
                    self.assertIn("proxy-authorization", self.service.requests[0].headers)
            self.service.submit, self.service.caption = task("queued"), caption()
        self.assert_clean()


class KeyFile(Secrets):
    def test_that_others_can_read_is_warned_of_by_elements_and_command(self):
        asking = {"genclipsrc": ["gst-launch-1.0", *GENERATE], "gencaption": ["gst-launch-1.0", *STILL],
                  "genclip": [os.environ["GENCLIP"], "generate", "dance-2.5", "prompt=x", "--poll-interval=10"]}
        for mode in (0o640, 0o604, 0o620, 0o602, 0o644, 0o666, 0o610):
            self.key_file.chmod(mode)
            for who, words in asking.items():
                with self.subTest(who=who, mode=oct(mode)):
                    ended = self.traces.run(*words, **self.addresses, GENCLIP_API_KEY_FILE=str(self.key_file))
                    self.assertEqual(ended.returncode, 0, ended.stdout)
                    self.assertIn("chmod 600", ended.stdout)
        self.assertTrue(self.service.requests)
        self.assert_clean()

    def test_that_is_no_usable_file_is_refused_at_once(self):
        folder = self.key_file.with_suffix(".odd")
        folder.mkdir(mode=0o700)
        self.addCleanup(lambda: subprocess.run(["rm", "-r", str(folder)], check=True))
        os.mkfifo(folder / "fifo", 0o600)
        (folder / "large").write_bytes(b"k" * 100000)
        (folder / "lines").write_text("one\ntwo\n", encoding="utf-8")
        (folder / "binary").write_bytes(b"\xff\x00k")
        for name in ("large", "lines", "binary"):
            (folder / name).chmod(0o600)
        for name in ("fifo", "large", "lines", "binary", "missing", ".", "fifo/x"):
            for who, words in PIPELINES.items():
                with self.subTest(file=name, who=who):
                    began = time.monotonic()
                    ended = self.traces.run("gst-launch-1.0", *words, timeout=30, **self.addresses, GENCLIP_API_KEY_FILE=str(folder / name))
                    self.assertIn(ended.returncode, FAILED, ended.stdout)
                    self.assertRegex(ended.stdout, "api-key-file")
                    self.assertLess(time.monotonic() - began, 20)
                    self.assertEqual(self.service.requests, [])


class Command(Secrets):
    def test_never_has_the_key_in_its_arguments_nor_in_what_it_says(self):
        def see(_):
            for process in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    said = (process / "cmdline").read_bytes()
                except OSError:
                    continue
                arguments.append(said)
            return task(video_url=self.service.media_url)

        arguments = []
        self.sign_clips()
        self.service.query = see
        for settings in ({"GENCLIP_API_KEY": KEY}, {"GENCLIP_API_KEY_FILE": str(self.key_file)}):
            arguments.clear()
            ended = self.traces.run(os.environ["GENCLIP"], "generate", "dance-2.5", "prompt=x", "--poll-interval=10",
                                    f"take={len(settings)}{'FILE' in str(settings):d}", **self.addresses, **settings)
            self.assertEqual(ended.returncode, 0, ended.stdout)
            self.assertTrue([said for said in arguments if b"generate" in said], "the command was seen at work")
            self.assertEqual([said for said in arguments if KEY.encode() in said], [])
        for words in (["store", "list"], ["store", "list", "--json"], ["store", "verify"], ["models"],
                      ["check", "dance-2.5", "prompt=x", "--json"]):
            ended = self.traces.run(os.environ["GENCLIP"], *words, **self.addresses, GENCLIP_API_KEY=KEY)
            self.assertEqual(ended.returncode, 0, ended.stdout)
        self.service.submit = answer(401, {"error": f"bad key {KEY}"})
        ended = self.traces.run(os.environ["GENCLIP"], "generate", "dance-2.5", "prompt=y", **self.addresses, GENCLIP_API_KEY=KEY)
        self.assertIn(ended.returncode, FAILED)
        self.assert_clean()

    def test_takes_no_key_from_its_arguments(self):
        for words in (["--api-key", KEY], [f"--api-key={KEY}"], [f"--key={KEY}"], [f"api-key={KEY}"], [f"api_key={KEY}"]):
            with self.subTest(words=words):
                ended = self.traces.run(os.environ["GENCLIP"], "generate", "dance-2.5", "prompt=x", *words, **self.addresses)
                self.assertNotEqual(ended.returncode, 0)
                self.assertEqual(self.service.requests, [])
        self.assert_clean()


class Simulated(unittest.TestCase):
    def test_generation_with_redirects_and_an_expired_url_shows_nothing(self):
        faults = ["--fault=media:redirects=3", "--fault=query#1:expire-urls", "--fault=query#2:status=500", "--fault=media#2:cut=5000"]
        with Traces() as traces, SimulatedService("--queued=0", "--processing=0", "--key", KEY, *faults) as service:
            run = traces.run("gst-launch-1.0", "-v", "-m", "-t", *GENERATE[:-1], "decodebin", "!", "fakesink",
                             GENCLIP_BASE_URL=service.base_url, GENCLIP_API_KEY=KEY)
            self.assertEqual(run.returncode, 0, run.stdout[-3000:])
            stats = service.stats()
            self.assertEqual((stats["submits"], stats["media_with_authorization"]), (1, 0))
            self.assertEqual(traces.leaks(KEY), [])
            log = b"".join(path.read_bytes() for path in traces.folder.rglob("*") if path.is_file())
            self.assertIn(b"/clips/" if b"/clips/" in log else b"genclip-http", log)
            self.assertNotRegex(log, rb"signature=[0-9a-f]{8}")


if __name__ == "__main__":
    unittest.main()
