#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check-media as users see it: a request that must fail is not submitted, and the check never delays a stop."""

import http.server
import signal
import subprocess
import tempfile
import threading
import time
import unittest

from simulated_service import SimulatedService
from time_limit import time_limit


class References(http.server.ThreadingHTTPServer):
    """Serves a dict of path to (type, bytes); a path that is `hangs` gets no answer."""

    daemon_threads = True

    def __init__(self, files):
        super().__init__(("127.0.0.1", 0), ReferenceHandler)
        self.files = files
        self.asked = threading.Event()
        self.keys = 0
        self.requests = 0
        self.leave = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, path):
        return f"http://127.0.0.1:{self.server_address[1]}{path}"

    def stop(self):
        self.leave.set()
        self.shutdown()
        self.server_close()


class ReferenceHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.serve(False)

    def do_GET(self):
        self.serve(True)

    def serve(self, with_body):
        self.server.requests += 1
        self.server.keys += "Authorization" in self.headers
        self.server.asked.set()
        if self.path == "/hangs":
            self.server.leave.wait(60)
            self.close_connection = True
            return
        kind, content = self.server.files.get(self.path.partition("?")[0], (None, b""))
        self.send_response(200 if kind else 404)
        if kind:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if with_body:
            self.wfile.write(content)


def image(width, height):
    with tempfile.NamedTemporaryFile(suffix=".png") as file:
        subprocess.run(["gst-launch-1.0", "-q", "videotestsrc", "num-buffers=1", "!",
                        f"video/x-raw,width={width},height={height}", "!", "pngenc", "!", "filesink",
                        f"location={file.name}"], check=True)
        return file.read()


class CheckMedia(unittest.TestCase):
    def setUp(self):
        self.references = References({"/good": ("image/png", image(400, 400)), "/small": ("image/png", image(200, 400))})
        self.addCleanup(self.references.stop)
        # Only genclip is to ask for the references.
        self.service = SimulatedService("--queued", "0", "--processing", "0", "--ignore-references")
        self.addCleanup(self.service.stop)

    def words(self, depth, *paths):
        urls = ",".join(f'"{self.references.url(path)}"' for path in paths)
        return ("gst-launch-1.0", "genclipsrc", "model=sd_2.0_special", "prompt=the same kite", "poll-interval=20",
                f"check-media={depth}", f"reference-images=<{urls}>", "!", "fakesink")

    def test_gst_inspect_lists_its_depths(self):
        listed = self.service.run("gst-inspect-1.0", "genclipsrc").stdout.partition("check-media")[2][:600]
        self.assertRegex(listed, r'(?s)Enum "GenclipMediaCheck" Default: 0, "none".*\(0\): none .*\(1\): headers .*\(2\): full ')

    def test_names_every_reference_that_is_wrong_and_submits_nothing(self):
        run = self.service.run(*self.words("full", "/good", "/small", "/gone?sig=SECRET"))
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("reference_images[1] is 200 pixels wide; sd_2.0_special takes above 300 and below 6000", run.stdout)
        self.assertIn("reference_images[2] cannot be fetched: its server answers HTTP 404", run.stdout)
        self.assertNotIn("reference_images[0]", run.stdout)
        self.assertNotIn("SECRET", run.stdout)
        self.assertEqual(self.service.stats()["submits"], 0)
        self.assertFalse(list(self.service.store.glob("*/task.json")), "an intent was written")

    def test_submits_what_is_right_and_looks_no_more_at_a_clip_that_is_stored(self):
        for _ in range(2):
            run = self.service.run(*self.words("full", "/good"))
            self.assertEqual(run.returncode, 0, run.stdout)
        self.assertEqual(self.service.stats()["submits"], 1)
        self.assertEqual(self.references.requests, 1)
        self.assertEqual(self.references.keys, 0)

    def test_what_only_content_tells_passes_by_headers_and_nothing_is_asked_by_default(self):
        run = self.service.run(*self.words("none", "/small"))
        self.assertEqual((run.returncode, self.references.requests), (0, 0), run.stdout)
        run = self.service.run(*self.words("headers", "/small", "/good"))
        self.assertEqual((run.returncode, self.references.requests), (0, 2), run.stdout)

    def test_is_left_at_once_while_a_reference_hangs(self):
        run = self.service.start(*self.words("full", "/good", "/hangs"))
        self.assertTrue(self.references.asked.wait(30))
        time.sleep(0.2)
        before = time.monotonic()
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=30)
        self.assertLess(time.monotonic() - before, time_limit(2))
        self.assertEqual(self.service.stats()["submits"], 0)


if __name__ == "__main__":
    unittest.main()
