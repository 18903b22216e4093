#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Through the elements: any hostile answer ends with an error, in time and with little memory; TLS is enforced."""

import concurrent.futures
import gzip
import itertools
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import zlib

from raw_service import CLIP, RawService, answer, caption, clip, task

CERTIFICATES = pathlib.Path(os.environ["GENCLIP_CERTIFICATES"])
KEY = "limits-key-4711"
GENERATE = ["genclipsrc", "name=e", "model=sd_2.0_special", "prompt=x", "poll-interval=10", "retries=0", "http-timeout=1"]
STILL = ["videotestsrc", "num-buffers=1", "!", "video/x-raw,width=64,height=36,framerate=1/5", "!", "gencaption", "name=e", "cache=off",
         "retries=0", "timeout=2"]
MEGABYTE = 1 << 20
# The element, its decoders and GLib need about 60 MB; an answer may have 8 MiB, and more than one copy of it.
MOST_MEMORY = 250 * MEGABYTE
LONGEST = 180
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def bomb():
    """200 MB in 200 kB; made in pieces, for what a test uses counts as its child's peak too."""
    coder = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join(coder.compress(b"0" * MEGABYTE) for _ in range(200)) + coder.flush()


def drip(text, pause=0.2):
    for byte in text:
        yield bytes([byte])
        time.sleep(pause)


def endless(begin, piece):
    yield begin
    yield from itertools.repeat(piece)


def chunked(piece):
    return b"%x\r\n%s\r\n" % (len(piece), piece)


# Answers to any call that must not deceive, stall or overflow it.
ANSWERS = {
    "a gzip bomb": lambda: answer(200, bomb(), "Content-Encoding: gzip"),
    "a bomb in a bomb": lambda: answer(200, gzip.compress(bomb()), "Content-Encoding: gzip, gzip"),
    "endless headers": lambda: endless(HEAD, b"X-A: " + b"a" * 8000 + b"\r\n"),
    "one endless header": lambda: endless(HEAD + b"X-A: ", b"a" * 65536),
    "an endless status line": lambda: endless(b"HTTP/1.1 200 ", b"a" * 65536),
    "endless interim answers": lambda: endless(b"", b"HTTP/1.1 102 Processing\r\n\r\n"),
    "an endless body": lambda: endless(HEAD + b"Content-Length: 999999999999\r\n\r\n", b" " * 65536),
    "an endless chunked body": lambda: endless(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", chunked(b"[" * 65536)),
    "an endless chunk size": lambda: endless(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"0" * 65536),
    "a body without an end": lambda: endless(HEAD + b"\r\n", b"[" * 65536),
    "endless nesting": lambda: answer(200, b"[" * (4 * MEGABYTE)),
    "endless nesting of objects": lambda: answer(200, b'{"error":' * 500000),
    "a wide document": lambda: answer(200, b"[" + b"1," * (2 * MEGABYTE) + b"1]"),
    "a long string": lambda: answer(200, b'{"error":"' + b"x" * (7 * MEGABYTE) + b'"}'),
    "a number without an end": lambda: answer(200, b'{"id":' + b"9" * (2 * MEGABYTE) + b"}"),
    "more than its length": lambda: HEAD + b"Content-Length: 2\r\n\r\n{}" + b"x" * MEGABYTE,
    "less than its length": lambda: HEAD + b"Content-Length: 1000\r\n\r\n{}",
    "a negative length": lambda: HEAD + b"Content-Length: -1\r\n\r\n{}",
    "two lengths": lambda: HEAD + b"Content-Length: 2\r\nContent-Length: 5000\r\n\r\n{}",
    "a length beyond 64 bits": lambda: HEAD + b"Content-Length: 99999999999999999999999\r\n\r\n{}",
    "a head in drops": lambda: drip(HEAD * 40),
    "a body in drops": lambda: itertools.chain([HEAD + b"Content-Length: 100000\r\n\r\n"], drip(b" " * 1000)),
    "NULs": lambda: answer(200, b'{"id":"a\\u0000b","status":"\\u0000"}' + b"\0" * 1000),
    "no UTF-8": lambda: answer(200, b'{"error":"\xff\xfe\xc0\x80"}'),
    "nothing": lambda: b"",
    "no HTTP": lambda: b"SSH-2.0-OpenSSH_9.2\r\n" * 10,
    "HTTP/0.9": lambda: b"<html>",
    "HTTP/9.9": lambda: b"HTTP/9.9 200 OK\r\n\r\n{}",
    "status 0": lambda: b"HTTP/1.1 000 No\r\n\r\n{}",
    "a switch of protocols": lambda: b"HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n" + b"\0" * 1000,
}

# JSON without a text. A question has such an answer when the model has nothing to say, and the film continues.
WITHOUT_TEXT = {"a number without an end", "more than its length"}

MEDIA = {
    "larger than max-download-size by its length": lambda: HEAD + b"Content-Length: 99999999999\r\n\r\n" + CLIP,
    "larger without a length": lambda: endless(HEAD + b"\r\n" + CLIP, b"m" * 65536),
    "larger in chunks": lambda: endless(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunked(CLIP), chunked(b"m" * 65536)),
    "a gzip bomb": lambda: clip(bomb(), "Content-Encoding: gzip"),
    "a range nobody asked for": lambda: answer(206, CLIP, "Content-Range: bytes 99-100/101"),
    "a range beyond 64 bits": lambda: answer(206, CLIP, "Content-Range: bytes 0-99999999999999999999999/*"),
    "a page": lambda: answer(200, "<html>" * 1000, content_type="video/mp4"),
    "a playlist": lambda: answer(200, "#EXTM3U\n#EXT-X-VERSION:3\n#EXTINF:5,\nfile:///etc/passwd\n", content_type="video/mp4"),
    "an SVG": lambda: answer(200, '<?xml version="1.0"?><!DOCTYPE s [<!ENTITY e SYSTEM "file:///etc/passwd">]><svg>&e;</svg>',
                             content_type="image/svg+xml"),
    "an SVG of its namespace": lambda: answer(200, '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///x"/></svg>',
                                              content_type="image/svg+xml"),
    "an SVG behind a declaration": lambda: answer(200, '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>',
                                                  content_type="image/svg+xml"),
    "a bare SVG": lambda: answer(200, "<svg/>", content_type="image/png"),
    "headers without an end": lambda: endless(HEAD, b"X-A: " + b"a" * 8000 + b"\r\n"),
    "nothing": lambda: b"",
}


class Limits(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.stores = itertools.count()

    def launch(self, service, words, **settings):
        """Exit code, output, peak memory in bytes, seconds."""
        env = {name: value for name, value in os.environ.items() if not name.startswith("GENCLIP_")}
        env.update(GENCLIP_BASE_URL=service.url + "/api", GENCLIP_LLM_BASE_URL=service.url + "/llm", GENCLIP_API_KEY=KEY,
                   GENCLIP_STORE=f"{self.folder.name}/store-{next(self.stores)}", G_DEBUG="fatal-criticals", **settings)
        began = time.monotonic()
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(["gst-launch-1.0", "-m", *words, "!", "fakesink"], env=env, stdout=output,
                                       stderr=subprocess.STDOUT)
            alarm = threading.Timer(LONGEST, process.send_signal, [signal.SIGKILL])
            alarm.start()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            alarm.cancel()
            output.seek(0)
            text = output.read().decode(errors="replace")
        return process.returncode, text, usage.ru_maxrss * 1024, time.monotonic() - began

    def assert_refused(self, service, words, longest=LONGEST, **settings):
        return self.assert_was_refused(self.launch(service, words, **settings), longest)

    def assert_was_refused(self, ended, longest=LONGEST):
        code, text, memory, seconds = ended
        self.assertIn(code, (1, 255), text[-1500:])
        self.assertIn("ERROR: from element", text)
        return self.assert_was_harmless(ended, longest)

    def assert_was_harmless(self, ended, longest=LONGEST):
        _, text, memory, seconds = ended
        self.assertLess(memory, MOST_MEMORY)
        self.assertLess(seconds, longest)
        self.assertNotIn(KEY, text)
        return text


class Answers(Limits):
    def test_to_a_submit(self):
        self.go("submit", GENERATE)

    def test_to_a_query(self):
        self.go("query", [*GENERATE, "timeout=8"])

    def test_to_a_question(self):
        self.go("caption", STILL)

    def test_to_a_streamed_question(self):
        self.go("caption", [*STILL, "stream=true"])

    def go(self, call, words):
        def answered_by(make):
            with RawService() as service:
                setattr(service, call, lambda _: make())
                return self.launch(service, words), service.kinds().count("submit")

        # Most of these runs wait for an answer that does not come, so several go at once.
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            runs = {name: pool.submit(answered_by, make) for name, make in ANSWERS.items()}
        for name, run in runs.items():
            with self.subTest(answer=name):
                ended, submits = run.result()
                if call == "caption" and name in WITHOUT_TEXT:
                    self.assertEqual(ended[0], 0)
                    self.assertIn("so this caption is missing", self.assert_was_harmless(ended))
                else:
                    self.assert_was_refused(ended)
                self.assertLessEqual(submits, 1)

    def test_for_a_clip(self):
        for name, make in MEDIA.items():
            with self.subTest(answer=name), RawService() as service:
                service.media = lambda _, make=make: make()
                self.assert_refused(service, [*GENERATE, f"max-download-size={20 * MEGABYTE}", "timeout=5"])
                stored = sum(path.stat().st_size for path in pathlib.Path(self.folder.name).rglob("*") if path.is_file())
                self.assertLess(stored, 25 * MEGABYTE)
                subprocess.run(["rm", "-r", "--", *pathlib.Path(self.folder.name).glob("store-*")], check=True)


class Redirects(Limits):
    def test_of_calls_with_a_key_are_not_followed(self):
        with RawService() as elsewhere, RawService() as service:
            for status in (301, 302, 303, 307, 308):
                moved = answer(status, b"", f"Location: {elsewhere.url}/api/v2/model-center/tasks")
                service.submit = service.query = service.caption = moved
                for words in (GENERATE, STILL):
                    self.assert_refused(service, words)
                service.submit = task("queued")
                self.assert_refused(service, GENERATE)
            self.assertEqual(elsewhere.requests, [])

    def test_of_clips_end(self):
        with RawService() as service:
            service.media = answer(302, b"", f"Location: {service.url}/clip.mp4")
            # A host may say so of a clip that is not there yet, so it is asked again until the time is over.
            self.assertIn("redirects more than 10 times", self.assert_refused(service, [*GENERATE, "timeout=3"]))
            media = service.kinds().count("media")
            self.assertGreaterEqual(media, 11)
            self.assertEqual(media % 11, 0)

    def test_of_clips_lead_to_http_and_https_only(self):
        for place in ("file:///etc/passwd", "ftp://127.0.0.1/x", "data:video/mp4;base64,AAAA", "resource:///org", "javascript:1"):
            with self.subTest(place=place), RawService() as service:
                service.media = answer(302, b"", f"Location: {place}")
                self.assertIn("other than an http or https URL", self.assert_refused(service, GENERATE))
            with self.subTest(video_url=place), RawService() as service:
                service.query = task(video_url=place)
                self.assert_refused(service, [*GENERATE, "timeout=3"])
                self.assertNotIn("media", service.kinds())


class Tls(Limits):
    def certificate(self, name):
        return CERTIFICATES / f"{name}.pem", CERTIFICATES / f"{name}.key"

    def test_refuses_every_flawed_certificate_before_the_key_is_sent(self):
        flaws = [("good", [], "unknown issuer"), ("expired", ["tls-ca-file=issuer"], "has expired"),
                 ("expired", [], "has expired"), ("other-host", ["tls-ca-file=issuer"], "belongs to another host")]
        for name, properties, why in flaws:
            properties = [text.replace("issuer", str(CERTIFICATES / "issuer.pem")) for text in properties]
            with RawService(certificate=self.certificate(name)) as service:
                for words in (GENERATE, STILL):
                    with self.subTest(certificate=name, properties=properties, element=words[0]):
                        self.assertIn(why, self.assert_refused(service, [*words, *properties]))
                self.assertEqual(service.requests, [])

    def test_trusts_the_file_of_tls_ca_file(self):
        with RawService(certificate=self.certificate("good")) as service:
            for words in (GENERATE, STILL):
                code, text, _, _ = self.launch(service, [*words, f"tls-ca-file={CERTIFICATES / 'issuer.pem'}"])
                self.assertEqual(code, 0, text)
            self.assertEqual(service.kinds(), ["submit", "query", "media", "caption"])

    def test_holds_for_the_clip_as_for_the_service(self):
        with RawService() as service, RawService(certificate=self.certificate("good")) as media:
            service.media_url = media.media_url
            self.assertIn("unknown issuer", self.assert_refused(service, GENERATE))
            self.assertEqual(media.requests, [])

    def test_never_goes_down_to_http(self):
        with RawService() as plain, RawService(certificate=self.certificate("good")) as service:
            service.media = answer(302, b"", f"Location: {plain.media_url}")
            text = self.assert_refused(service, [*GENERATE, f"tls-ca-file={CERTIFICATES / 'issuer.pem'}"])
            self.assertIn("from https to http", text)
            self.assertEqual(plain.requests, [])

    def test_has_no_switch_to_turn_it_off(self):
        for element in ("genclipsrc", "gencaption"):
            shown = subprocess.run(["gst-inspect-1.0", element], capture_output=True, text=True, check=True).stdout
            for name in ("ssl-strict", "insecure", "verify", "validation"):
                self.assertNotIn(name, shown)


class Places(Limits):
    def test_of_ipv6_work(self):
        with RawService("::1") as service:
            for words in (GENERATE, STILL):
                code, text, _, _ = self.launch(service, words)
                self.assertEqual(code, 0, text)
            self.assertEqual(service.requests[0].headers["host"], service.url.removeprefix("http://"))

    def test_that_a_key_reaches_in_the_clear_are_warned_of(self):
        """A proxy represents the outside network, which nothing here may reach."""
        with RawService() as proxy:
            proxy.media_url = "http://media.invalid/clip.mp4"
            settings = {"GENCLIP_BASE_URL": "http://service.invalid/api", "GENCLIP_LLM_BASE_URL": "http://service.invalid/llm"}
            for words in (GENERATE, STILL):
                with self.subTest(element=words[0]):
                    words = ["env", *(f"{name}={value}" for name, value in settings.items()), "gst-launch-1.0", *words,
                             f"proxy={proxy.url}", "!", "fakesink"]
                    run = subprocess.run(words, env={**os.environ, "GENCLIP_API_KEY": KEY, "GENCLIP_STORE": self.folder.name},
                                         capture_output=True, text=True, timeout=LONGEST, check=False)
                    self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
                    self.assertIn("service.invalid over plain http", run.stdout + run.stderr)
            self.assertEqual(proxy.kinds(), ["submit", "query", "media", "caption"])


if __name__ == "__main__":
    unittest.main()
