# SPDX-License-Identifier: LGPL-2.1-or-later
"""A service that keeps pace with what genclip shows, for tests of all that it shows."""

import http.server
import json
import threading


class PacedService:
    """A service whose task takes its next step once the one before has been shown."""

    STEPS = (  # What is shown before the answer is sent, and the answer.
        ("submitting", {"status": "queued"}),
        ("queued", {"status": "processing"}),
        ("processing", {"status": "processing", "progress": 5}),
        ("5 %", {"status": "processing", "progress": 50}),
        ("50 %", {"status": "processing", "progress": 100}),
        ("100 %", {"status": "completed", "amount": 12}),
    )
    bytes_shown = "downloading"  # What is shown before the second half is sent.
    CLIP = b"\0\0\0\x10ftypisom\0\0\2\0" + b"\0\0\0\x08moov" + b"\0\1\x86\x98mdat" + bytes(99984)  # As whole as a container can be.

    def __init__(self, steps=STEPS, task_id="task-7f3a"):
        service = self
        self.text = ""
        self.changed = threading.Condition()
        self.step = 0

        class Handler(http.server.BaseHTTPRequestHandler):
            def begin(self, content_type, size):
                self.send_response(200)
                self.send_header("Content-Type", content_type)
                self.send_header("Content-Length", str(size))
                self.end_headers()

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.do_GET()

            def do_GET(self):
                if self.path == "/clip":
                    self.begin("video/mp4", len(service.CLIP))
                    self.wfile.write(service.CLIP[:50000])
                    service.wait_for(service.bytes_shown)
                    self.wfile.write(service.CLIP[50000:])
                    return
                shown, task = steps[min(service.step, len(steps) - 1)]
                service.wait_for(shown)
                service.step += 1
                body = json.dumps({"id": task_id, "video_url": f"{service.url}/clip", **task}).encode()
                self.begin("application/json", len(body))
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def watch(self, piece):
        """For genclip's output as it comes."""
        with self.changed:
            self.text += piece
            self.changed.notify_all()

    def wait_for(self, text):
        with self.changed:
            self.changed.wait_for(lambda: text in self.text, 60)

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
