#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Processes that caption with one store share its requests of a day, whoever dies in between."""

import http.server
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest

from one_day import stay_within_one_day

ANSWER = json.dumps({
    "candidates": [{"content": {"parts": [{"text": "A kite."}]}, "finishReason": "STOP"}],
    "usageMetadata": {"promptTokenCount": 300, "candidatesTokenCount": 20, "totalTokenCount": 320},
}).encode()


class Gateway(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.arrived = threading.Semaphore(0)
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.count = 0
        self.lock = threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.lock:
            self.server.count += 1
        self.server.arrived.release()
        self.server.may_answer.wait(60)
        try:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(ANSWER)))
            self.end_headers()
            self.wfile.write(ANSWER)
        except OSError:
            self.close_connection = True

    def log_message(self, *_):
        pass


class Budget(unittest.TestCase):
    def setUp(self):
        stay_within_one_day()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.store = pathlib.Path(self.folder.name) / "store"
        self.store.mkdir()
        self.gateway = Gateway()
        threading.Thread(target=self.gateway.serve_forever, daemon=True).start()
        self.addCleanup(self.gateway.server_close)
        self.addCleanup(self.gateway.shutdown)
        self.addCleanup(self.gateway.may_answer.set)

    def limit(self, **limits):
        (self.store / "budget.json").write_text(json.dumps(limits))

    def begin(self, windows):
        words = (f"videotestsrc num-buffers={windows} ! video/x-raw,format=RGB,width=32,height=32,framerate=1/1 ! "
                 "gencaption cache=off interval=1000000000 ! fakesink sync=false").split()
        environment = dict(os.environ, GENCLIP_STORE=str(self.store), GENCLIP_API_KEY="key", no_proxy="127.0.0.1",
                           GENCLIP_LLM_BASE_URL=f"http://127.0.0.1:{self.gateway.server_address[1]}")
        process = subprocess.Popen(["gst-launch-1.0", *words], env=environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(lambda: process.poll() is None and (process.kill(), process.wait()))
        return process

    def finish(self, process):
        said, _ = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 0, said)
        return said

    def lines(self):
        return [json.loads(line) for line in (self.store / "ledger.jsonl").read_text().splitlines()]

    def sent_by_ledger(self):
        return sum(line["captions"].get("requests", 0) for line in self.lines())

    def test_many_at_once_send_exactly_the_requests_of_a_day(self):
        self.limit(requests_per_day=10)
        said = [self.finish(process) for process in [self.begin(8) for _ in range(3)]]
        self.assertEqual(self.gateway.count, 10)
        self.assertEqual(self.sent_by_ledger(), 10)
        self.assertTrue(any("--requests-per-day" in one for one in said), said)

    def test_a_kill_gives_nobody_more_requests(self):
        self.limit(requests_per_day=10)
        self.gateway.may_answer.clear()
        killed = self.begin(8)
        for _ in range(2):
            self.assertTrue(self.gateway.arrived.acquire(timeout=60))
        killed.kill()
        killed.wait()
        self.gateway.may_answer.set()
        self.finish(self.begin(20))
        self.assertLessEqual(self.gateway.count, 10)
        # What the dead one held and did not send is lost for this day: one request of a block of one.
        self.assertGreaterEqual(self.gateway.count, 9)

    def test_a_short_process_tells_all_that_it_has_used(self):
        self.finish(self.begin(2))
        lines = self.lines()
        self.assertEqual(sum(line["captions"].get("total_tokens", 0) for line in lines), 640)
        self.assertNotIn("held_requests", lines[-1]["captions"])


if __name__ == "__main__":
    unittest.main()
