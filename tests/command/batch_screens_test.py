#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a person sees of genclip batch on terminals of 60, 80 and 100 columns, and what a pipe gets, compared with the
files in screens/.

RENEW_SCREENS=1 meson test -C build command-batch-screens writes these files; look at each of them before it is committed.
"""

import http.server
import json
import pathlib
import re
import subprocess
import tempfile
import threading
import unittest

from command import GENCLIP, environment, genclip, genclip_on_terminal
from screen import Screen
from screen_files import WIDTHS, compare, without_clock

ROWS = """name,prompt,duration
kite,"a red kite over dunes, seen from far above the sea",4
storm,一只红色的风筝在暴风雨中飞过灯塔，镜头从海面缓缓升起，一直跟着它飞进云层,5
kite-again,"a red kite over dunes, seen from far above the sea",4
lamp,a lighthouse keeper lights the lamp,4
"""
# What the row "lamp" gets, so that a failure is seen, too.
FAILURE = {"status": "failed", "error": {"code": "moderated", "message": "The prompt was refused."}}
# In this order: what the rows must be shown to do before the answer is sent, whose it is, and the answer; b"": the
# rest of its clip.
STEPS = [
    ({"kite": "submitting", "storm": "submitting"}, "kite", {"status": "queued"}),
    ({"kite": "queued", "storm": "submitting"}, "storm", {"status": "queued"}),
    ({"kite": "queued", "storm": "queued"}, "kite", {"status": "processing", "progress": 5}),
    ({"kite": "processing, 5 %", "storm": "queued"}, "storm", {"status": "processing"}),
    ({"kite": "processing, 5 %", "storm": "processing"}, "kite", {"status": "completed", "progress": 100, "amount": 12.5}),
    ({"kite": "downloading", "storm": "processing"}, "kite", b""),
    ({"storm": "processing", "lamp": "submitting"}, "lamp", {"status": "queued"}),
    ({"storm": "processing", "lamp": "queued"}, "storm", {"status": "completed", "amount": 7}),
    ({"storm": "downloading", "lamp": "queued"}, "storm", b""),
    ({"lamp": "queued"}, "lamp", FAILURE),
]
CLIP = b"\0\0\0\x10ftypisom\0\0\2\0" + b"\0\0\0\x08moov" + b"\0\1\x86\x98mdat" + bytes(99984)  # As whole as a container can be.


class SteppingService:
    """Takes each of STEPS once its rows are shown to do what it says; other calls wait meanwhile."""

    def __init__(self, is_shown):
        service = self
        self.is_shown = is_shown
        self.changed = threading.Condition()
        self.step = 0
        self.late = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def send(self, content_type, *pieces, size):
                self.send_response(200)
                self.send_header("Content-Type", content_type)
                self.send_header("Content-Length", str(size))
                self.end_headers()
                for piece in pieces:
                    self.wfile.write(piece() if callable(piece) else piece)

            def answer(self, row):
                task = service.answer_to(row)
                body = json.dumps({"id": f"task-{row}", "video_url": f"{service.url}/clip/{row}", **task}).encode()
                self.send("application/json", body, size=len(body))

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self.answer("kite" if "kite" in body else "lamp" if "lamp" in body else "storm")

            def do_GET(self):
                row = re.search(r"kite|storm|lamp", self.path)[0]
                if self.path.startswith("/clip/"):
                    self.send("video/mp4", CLIP[:50000], lambda: service.answer_to(row) + CLIP[50000:], size=len(CLIP))
                else:
                    self.answer(row)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def answer_to(self, row):
        with self.changed:
            is_turn = self.changed.wait_for(lambda: STEPS[self.step][1] == row and self.is_shown(STEPS[self.step][0]), 60)
            if not is_turn:
                self.late.append((row, self.step))
            answer = STEPS[self.step][2]
            self.step = min(self.step + 1, len(STEPS) - 1)
            self.changed.notify_all()
            return answer

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


class Terminal:
    """Takes the program's output as it comes, and keeps the screen of each step."""

    def __init__(self, columns):
        self.screen = Screen(columns)
        self.half = ""  # A sequence whose end has not come yet.
        self.steps = []

    def feed(self, piece):
        text = self.half + piece
        self.half = re.search("(\033(\\[[0-9;]*)?|\r)?$", text)[0]
        self.screen.feed(text.removesuffix(self.half).replace("\r\n", "\n"))

    def is_shown(self, rows):
        """Whether those rows, and no others, are under way."""
        lines = [" ".join(line.split()) for line in self.screen.lines()]
        if lines[-1]:  # The rest of this line has not come yet.
            return False
        shown = all(any(line.startswith(f"{row} {doing.replace(',', '')} after 0:") for line in lines) for row, doing in rows.items())
        if not shown or not any(f" {len(rows)} under way, " in line for line in lines):
            return False
        self.steps.append(self.screen.text())
        return True


class BatchScreens(unittest.TestCase):
    maxDiff = None

    def begin(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.rows = self.folder / "rows.csv"
        self.rows.write_text(ROWS, encoding="utf-8")
        self.env = {"GENCLIP_STORE": str(self.folder / "store"), "GENCLIP_API_KEY": "key-of-the-test", "no_proxy": "127.0.0.1",
                    "GST_REGISTRY_FORK": "no"}

    def shown(self, text):
        text = re.sub(r"genclip/[0-9a-f\s]{64,}?/", "genclip/KEY/", text.replace(str(self.folder / "store"), "genclip"))
        return without_clock(text.replace(str(self.folder) + "/", ""))

    def service(self, is_shown):
        service = SteppingService(is_shown)
        self.addCleanup(service.stop)
        self.env["GENCLIP_BASE_URL"] = service.url
        return service

    def words(self, *words):
        return ["batch", "--poll-interval=20", "--jobs=2", str(self.rows), "dance-2.5", *words]

    def on_terminal(self, *words, **options):
        """In the folder of the rows and of the store, so that lines end where they would for any name of that folder."""
        return genclip_on_terminal("batch", "--poll-interval=20", "--jobs=2", self.rows.name, "dance-2.5", *words, cwd=self.folder,
                                   **options, **self.env | {"GENCLIP_STORE": "/proc/self/cwd/store"})

    def test_a_terminal_has_a_line_for_each_job(self):
        for columns in WIDTHS:
            with self.subTest(columns=columns):
                self.begin()
                terminal = Terminal(columns)
                service = self.service(terminal.is_shown)

                def watch(piece):
                    with service.changed:
                        terminal.feed(piece)
                        service.changed.notify_all()

                code, text = self.on_terminal(columns=columns, watch=watch)
                self.assertEqual(service.late, [], terminal.screen.text())
                self.assertEqual(code, 1, text)
                screens = [*terminal.steps, terminal.screen.text()]
                compare(self, f"batch-{columns}", self.shown("\n".join(f"-- {i}:\n{text}" for i, text in enumerate(screens, 1))))

    def test_a_pipe_gets_a_line_for_each_change_and_one_of_json_for_each_row(self):
        self.begin()
        said = []
        service = self.service(lambda rows: all(f"{row}: {doing}\n" in said for row, doing in rows.items()))
        with subprocess.Popen([GENCLIP, *self.words()], env=environment(**self.env), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
            for line in run.stderr:
                with service.changed:
                    said.append(line)
                    service.changed.notify_all()
            self.assertEqual(run.wait(60), 1)
            rows = run.stdout.readlines()
        self.assertEqual(service.late, [], said)
        # What goes on at once may be told in either order.
        said.sort(key=lambda line: line.partition(":")[0])
        rows.sort(key=lambda row: json.loads(row)["line"])
        compare(self, "batch-pipe", self.shown("".join(said) + "-- and on standard output:\n" + "".join(rows)))

    def test_a_dry_run_has_a_table(self):
        self.begin()
        for columns in WIDTHS:
            with self.subTest(columns=columns):
                code, text = self.on_terminal("--dry-run", columns=columns)
                self.assertEqual(code, 0, text)
                screen = Screen(columns)
                screen.feed(text)
                self.assertEqual(screen.wraps, 0, screen.text())
                compare(self, f"batch-dry-run-{columns}", screen.text())
        run = genclip(*self.words("--dry-run"), **self.env)
        self.assertEqual(run.returncode, 0, run.stderr)
        compare(self, "batch-dry-run-pipe", run.stderr + "-- and on standard output:\n" + run.stdout)

    def test_a_terminal_is_told_all_problems_at_once(self):
        self.begin()
        self.rows.write_text("name,prompt,duration\na,kite,5\nb,,5\nc,kite,x\n", encoding="utf-8")
        for columns in WIDTHS:
            with self.subTest(columns=columns):
                code, text = self.on_terminal(columns=columns)
                self.assertEqual(code, 1, text)
                screen = Screen(columns)
                screen.feed(self.shown(text))
                compare(self, f"batch-problems-{columns}", screen.text())


if __name__ == "__main__":
    unittest.main()
