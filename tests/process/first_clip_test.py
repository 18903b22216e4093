#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""gst-launch-1.0 with genclipsrc against a small strict service on loopback: what a user sees, what the service sees."""

import http.server
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time
import unittest

KEY = "test-key-4711"


class Service(http.server.ThreadingHTTPServer):
    """One task API and one media server in one; counts what it gets."""

    daemon_threads = True

    def __init__(self, clip):
        super().__init__(("127.0.0.1", 0), Handler)
        self.clip = clip
        self.submits = self.queries = self.downloads = 0
        self.media_keys = 0
        self.submit_status = 200
        self.submit_delay = 0
        self.submitted = threading.Event()
        self.expired_downloads = 0
        self.cut_downloads_at = None
        self.body = None
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer_json(self, status, value):
        self.answer(status, json.dumps(value).encode(), [("Content-Type", "application/json")])

    def do_POST(self):
        service = self.server
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path != "/api/v2/model-center/tasks" or self.headers["Authorization"] != "Bearer " + KEY:
            return self.answer_json(401, {"error": {"message": "bad key"}})
        service.submits += 1
        service.submitted.set()
        time.sleep(service.submit_delay)
        service.body = json.loads(body)
        if service.submit_status != 200:
            return self.answer_json(service.submit_status, {"error": {"message": "no credits"}})
        return self.answer_json(200, {"id": 17, "status": "queued"})

    def do_GET(self):
        service = self.server
        if self.path == "/api/v2/model-center/tasks/17":
            service.queries += 1
            if service.queries < 3:
                return self.answer_json(200, {"id": 17, "status": "processing", "progress": "50%"})
            url = f"{service.url}/clip.mp4?sig={service.queries}"
            return self.answer_json(200, {"id": 17, "status": "completed", "video_url": url, "amount": 2.5})
        service.downloads += 1
        service.media_keys += "Authorization" in self.headers
        if service.expired_downloads > 0:
            service.expired_downloads -= 1
            return self.answer(403, b"expired")
        start = 0
        if self.headers["Range"]:
            start = int(self.headers["Range"].removeprefix("bytes=").rstrip("-"))
        rest = service.clip[start:]
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(service.clip) - 1}/{len(service.clip)}")
        self.send_header("ETag", '"clip"')
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        cut = service.cut_downloads_at
        service.cut_downloads_at = None
        self.wfile.write(rest[:cut])
        if cut is not None:
            self.close_connection = True
        return None


def launch(*words, env=None):
    return subprocess.run(["gst-launch-1.0", *words], env=env, capture_output=True, text=True, timeout=60, check=False)


class FirstClip(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(cls.folder.name) / "made.mp4"
        made = launch("videotestsrc", "num-buffers=48", "!", "video/x-raw,width=320,height=180,framerate=24/1", "!",
                      "x264enc", "speed-preset=ultrafast", "!", "mp4mux", "!", "filesink", f"location={path}")
        assert made.returncode == 0, made.stderr
        cls.clip = path.read_bytes()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        self.service = Service(self.clip)
        self.store = tempfile.TemporaryDirectory()
        self.env = dict(os.environ, GENCLIP_BASE_URL=self.service.url + "/api", GENCLIP_API_KEY=KEY,
                        GENCLIP_STORE=self.store.name)
        self.out = pathlib.Path(self.store.name) / "out.mp4"

    def tearDown(self):
        self.service.shutdown()
        self.service.server_close()
        self.store.cleanup()

    def generate(self, *properties, sink=None):
        sink = sink or ["filesink", f"location={self.out}"]
        return launch("genclipsrc", "model=sd_2.0_special", "prompt=a red kite", "poll-interval=10", *properties, "!",
                      *sink, env=self.env)

    def test_generates_downloads_and_stores_a_clip(self):
        run = self.generate()
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(self.out.read_bytes(), self.clip)
        self.assertEqual(self.service.body, {"model": "sd_2.0_special", "prompt": "a red kite", "duration": 5})
        self.assertIn("Progress: (generate)", run.stdout)
        self.assertEqual(self.service.media_keys, 0)
        self.assertNotIn(KEY, run.stdout + run.stderr)

    def test_decodes_while_it_arrives(self):
        run = self.generate(sink=["decodebin", "!", "fakesink"])
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_a_stored_clip_needs_no_network(self):
        self.assertEqual(self.generate().returncode, 0)
        self.service.shutdown()
        self.service.server_close()
        run = self.generate()
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(self.service.submits, 1)
        self.service = Service(self.clip)

    def test_two_elements_share_one_generation(self):
        run = launch("genclipsrc", "model=sd_2.0_special", "prompt=x", "poll-interval=10", "!", "fakesink",
                     "genclipsrc", "model=sd_2.0_special", "prompt=x", "poll-interval=10", "!", "fakesink", env=self.env)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(self.service.submits, 1)

    def test_a_cut_download_goes_on_and_an_expired_url_is_asked_for_again(self):
        self.service.expired_downloads = 1
        self.service.cut_downloads_at = len(self.clip) // 2
        run = self.generate()
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(self.out.read_bytes(), self.clip)
        self.assertEqual(self.service.submits, 1)

    def test_ctrl_c_amid_the_submit_keeps_the_task(self):
        self.service.submit_delay = 1
        words = ["gst-launch-1.0", "genclipsrc", "model=sd_2.0_special", "prompt=a red kite", "poll-interval=10", "!",
                 "fakesink"]
        with subprocess.Popen(words, env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
            self.assertTrue(self.service.submitted.wait(30))
            first.send_signal(signal.SIGINT)
            first.wait(30)
        run = self.generate()
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertNotIn("charged twice", run.stdout + run.stderr)
        self.assertEqual(self.service.submits, 1)

    def test_no_credits_is_said_and_not_tried_again(self):
        self.service.submit_status = 402
        run = self.generate()
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("no credits left", run.stdout + run.stderr)
        self.assertEqual(self.service.submits, 1)

    def test_names_every_problem_and_sends_nothing(self):
        run = self.generate("duration=99", "resolution=8k", "aspect-ratio=2:1")
        self.assertNotEqual(run.returncode, 0)
        for field in ("duration", "resolution", "aspect_ratio"):
            self.assertIn(field, run.stdout + run.stderr)
        self.assertEqual(self.service.submits, 0)


if __name__ == "__main__":
    unittest.main()
