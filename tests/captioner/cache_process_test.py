#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A film that is captioned by a process that dies at half, and again: each window is answered and paid for once."""

import http.server
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import time
import unittest

LONGEST = 100  # seconds


class Gateway(http.server.ThreadingHTTPServer):
    """Answers each question with a sentence of its own, up to a number of answers; then it waits."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock = threading.Condition()
        self.answered = []  # Bodies.
        self.waiting = 0
        self.most = None
        self.closed = False

    def answer(self, body):
        with self.lock:
            self.waiting += 1
            self.lock.notify_all()
            self.lock.wait_for(lambda: self.closed or self.most is None or len(self.answered) < self.most, LONGEST)
            self.waiting -= 1
            if self.closed:
                return None
            self.answered.append(body)
            return f"Caption {sum(body) % 100003}."

    def close(self):
        with self.lock:
            self.closed = True
            self.lock.notify_all()
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        # Less is of a process that was killed while it asked.
        text = self.server.answer(body) if len(body) == length else None
        if text is None:
            self.close_connection = True
            return
        answer = json.dumps({"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}],
                             "usageMetadata": {"promptTokenCount": 300, "candidatesTokenCount": 20, "totalTokenCount": 320}})
        try:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer.encode())
        except OSError:
            self.close_connection = True

    def log_message(self, *_):
        pass


class Cache(unittest.TestCase):
    WINDOWS = 20

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.store = self.folder / "store"

    def gateway(self, most=None):
        gateway = Gateway()
        gateway.most = most
        threading.Thread(target=gateway.serve_forever, daemon=True).start()
        self.addCleanup(lambda: gateway.closed or gateway.close())
        return gateway

    def begin(self, gateway, out, *properties, store=None, **settings):
        words = (f"videotestsrc num-buffers={self.WINDOWS} pattern=ball ! video/x-raw,format=RGB,width=64,height=64,framerate=1/1 ! "
                 f"gencaption interval=1000000000 {' '.join(properties)} ! srtenc ! filesink location={self.folder / out}").split()
        environment = dict(os.environ, GENCLIP_STORE=str(store or self.store), GENCLIP_API_KEY="key", no_proxy="127.0.0.1",
                           GENCLIP_LLM_BASE_URL=f"http://127.0.0.1:{gateway.server_address[1]}")
        environment.update(settings)
        process = subprocess.Popen(["gst-launch-1.0", *words], env=environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(lambda: process.poll() is None and (process.kill(), process.wait()))
        return process

    def finish(self, process, code=0):
        said, _ = process.communicate(timeout=LONGEST)
        self.assertEqual(process.returncode, code, said)
        return said

    def kept(self):
        return sorted(self.store.glob("captions/*.json"))

    def captions(self, out):
        return (self.folder / out).read_text(encoding="utf-8")

    def unbroken(self):
        gateway = self.gateway()
        self.finish(self.begin(gateway, "unbroken.srt", store=self.folder / "other"))
        self.assertEqual(len(gateway.answered), self.WINDOWS)
        return self.captions("unbroken.srt")

    def kill_when_answered(self, gateway, count):
        process = self.begin(gateway, "film.srt", "max-in-flight=3")
        with gateway.lock:
            # Whoever waits now is not answered any more, and what was answered is on its way to the disk.
            self.assertTrue(gateway.lock.wait_for(lambda: len(gateway.answered) == count and gateway.waiting == 3, LONGEST))
        deadline = time.monotonic() + LONGEST
        while len(self.kept()) < count and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
        process.wait()

    def test_killed_at_half_and_run_again_each_window_is_answered_once(self):
        unbroken = self.unbroken()
        half = self.WINDOWS // 2
        first = self.gateway(most=half)
        self.kill_when_answered(first, half)
        first.close()
        second = self.gateway()
        self.finish(self.begin(second, "film.srt", "max-in-flight=3"))
        self.assertEqual(len(first.answered) + len(second.answered), self.WINDOWS)
        self.assertEqual(set(first.answered) & set(second.answered), set())
        self.assertEqual(self.captions("film.srt"), unbroken)
        self.assertEqual(len(self.kept()), self.WINDOWS)

    def test_killed_again_and_again_at_any_moment_asks_at_most_for_those_in_flight_twice(self):
        unbroken = self.unbroken()
        gateway = self.gateway(most=0)
        for kill in range(1, 6):
            process = self.begin(gateway, "film.srt", "max-in-flight=3")
            with gateway.lock:
                gateway.most = 3 * kill
                gateway.lock.notify_all()
                gateway.lock.wait_for(lambda: len(gateway.answered) >= 3 * kill, LONGEST)
            process.kill()
            process.wait()
        with gateway.lock:
            gateway.most = None
            gateway.lock.notify_all()
        self.finish(self.begin(gateway, "film.srt", "max-in-flight=3"))
        self.assertEqual(len(set(gateway.answered)), self.WINDOWS)
        self.assertLessEqual(len(gateway.answered), self.WINDOWS + 5 * 3)
        self.assertEqual(self.captions("film.srt"), unbroken)

    def test_the_whole_film_needs_neither_key_nor_network_the_second_time(self):
        gateway = self.gateway()
        self.finish(self.begin(gateway, "film.srt"))
        gateway.close()
        ledger = (self.store / "ledger.jsonl").read_bytes()
        self.finish(self.begin(gateway, "again.srt", GENCLIP_API_KEY=""))
        self.assertEqual(self.captions("again.srt"), self.captions("film.srt"))
        self.assertEqual((self.store / "ledger.jsonl").read_bytes(), ledger)
        self.kept()[7].unlink()
        said = self.finish(self.begin(gateway, "again.srt", GENCLIP_API_KEY=""), code=1)
        self.assertIn("There is no API key", said)

    def test_two_at_once_pay_for_each_window_once_and_say_the_same_as_a_third(self):
        gateway = self.gateway()
        both = [self.begin(gateway, name) for name in ("one.srt", "two.srt")]
        for process in both:
            self.finish(process)
        self.assertEqual(len(set(gateway.answered)), self.WINDOWS)
        asked = len(gateway.answered)
        self.assertEqual(asked, self.WINDOWS)
        self.finish(self.begin(gateway, "three.srt"))
        self.assertEqual(len(gateway.answered), asked)
        self.assertEqual(len({self.captions(name) for name in ("one.srt", "two.srt", "three.srt")}), 1)


if __name__ == "__main__":
    unittest.main()
