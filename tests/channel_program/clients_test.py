#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Real clients of one genclip channel: a browser plays its HLS, and a listener of SRT decodes what the as-run log says."""

import functools
import http.server
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest

from headless_browser import HeadlessBrowser
from marks import read_frame_mark
from playout import CAPS, HEIGHT, WIDTH, Playout, clip

CHROMIUM = shutil.which("chromium")
PATIENCE = 60


# Chromium 156 gives up a live playlist that has no new segment when it wants one, so the page tries again.
PAGE = """<link rel="icon" href="data:,"><video muted autoplay src="{playlist}"></video><script>
const video = document.querySelector("video");
video.onerror = () => setTimeout(() => {{ video.src = "{playlist}"; }}, 1000);
</script>"""


class Files(http.server.SimpleHTTPRequestHandler):
    """A web server's view of a folder, with the media types of HLS."""

    extensions_map = {".m3u8": "application/vnd.apple.mpegurl", ".ts": "video/mp2t", ".vtt": "text/vtt", ".html": "text/html"}

    def log_message(self, *_):
        pass


def free_udp_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Clients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.playout = Playout()
        cls.addClassCleanup(cls.playout.stop)
        cls.playout.write(*({"id": f"item-{number}", "source": clip(number, "item")} for number in (1, 2, 3)))
        for number in (1, 2, 3):
            cls.playout.service.generate("model=sd_2.0_special", f"prompt={number} item", "duration=4")
        cls.www = cls.playout.folder / "www"
        cls.www.mkdir()
        cls.srt_port = free_udp_port()
        service = cls.playout.service
        cls.log = open(cls.playout.folder / "log", "w", encoding="utf-8")  # pylint: disable=consider-using-with
        cls.addClassCleanup(cls.log.close)
        cls.process = subprocess.Popen(
            [os.environ["GENCLIP"], "channel", str(cls.playout.rundown), "--video-caps", CAPS, "--asrun", str(cls.playout.asrun),
             "--hls", str(cls.www), "--captions", "--srt", f"srt://127.0.0.1:{cls.srt_port}?mode=listener"],
            env={**service.env, "GENCLIP_LLM_BASE_URL": service.base_url.removesuffix("/api") + "/llm"},
            stdout=cls.log, stderr=subprocess.STDOUT)
        cls.addClassCleanup(cls.process.wait)
        cls.addClassCleanup(cls.process.kill)
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=str(cls.www)))
        serving = threading.Thread(target=cls.server.serve_forever)
        serving.start()
        cls.addClassCleanup(serving.join)
        cls.addClassCleanup(cls.server.server_close)
        cls.addClassCleanup(cls.server.shutdown)

    def wait_for(self, holds, what):
        deadline = time.monotonic() + PATIENCE
        while not (value := holds()):
            self.assertLess(time.monotonic(), deadline, f"never: {what}\n" + pathlib.Path(self.log.name).read_text(encoding="utf-8"))
            time.sleep(0.1)
        return value

    def play(self, browser, playlist):
        """What a page's video element says after 3 s of the stream, and 60 pictures."""
        (self.www / "page.html").write_text(PAGE.format(playlist=playlist), encoding="utf-8")
        browser.ask("Page.navigate", url=f"http://127.0.0.1:{self.server.server_address[1]}/page.html?{playlist}")
        browser.wait_for("document.readyState === 'complete' && document.querySelector('video') !== null")
        browser.wait_for("document.querySelector('video').currentTime >= 3")
        # Without a processor of its own, it shows fewer pictures in that time.
        browser.wait_for("document.querySelector('video').getVideoPlaybackQuality().totalVideoFrames > 60")
        return browser.js("(() => { const video = document.querySelector('video'); return {width: video.videoWidth, height: video.videoHeight,"
                          " error: video.error && video.error.message, live: video.duration === Infinity, time: video.currentTime,"
                          " frames: video.getVideoPlaybackQuality().totalVideoFrames, sound: video.webkitAudioDecodedByteCount}; })()")

    @unittest.skipUnless(CHROMIUM, "chromium is not installed")
    def test_a_browser_plays_the_hls(self):
        self.wait_for((self.www / "master.m3u8").exists, "captions")
        with HeadlessBrowser(CHROMIUM) as browser:
            if browser.js("document.createElement('video').canPlayType('application/vnd.apple.mpegurl')") == "":
                self.skipTest("this chromium plays no HLS by itself")
            shown = self.play(browser, "master.m3u8")  # It leads to index.m3u8.
            self.assertIsNone(shown["error"])
            self.assertEqual((shown["width"], shown["height"]), (WIDTH, HEIGHT))
            self.assertTrue(shown["live"])
            self.assertGreater(shown["frames"], 60, shown)
            self.assertGreater(shown["sound"], 0)

    def test_a_client_of_srt_decodes_each_frame_of_the_clips(self):
        self.wait_for(lambda: self.playout.asrun.exists() and self.playout.entries(), "the first piece")
        frame = WIDTH * HEIGHT
        run = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", f"srt://127.0.0.1:{self.srt_port}?mode=caller", "-map", "0:v",
                              "-fps_mode", "passthrough",
                              "-frames:v", "200", "-f", "rawvideo", "-pix_fmt", "gray", "-"], capture_output=True, timeout=PATIENCE, check=True)
        marks = [read_frame_mark(run.stdout[at:at + frame], WIDTH, HEIGHT) for at in range(0, len(run.stdout), frame)]
        self.assertEqual(len(marks), 200)
        clips = [mark for mark in marks if mark]
        self.assertGreater(len(clips), 100, "clips are on")
        follow = 0
        for (before, number), (now, next_number) in zip(clips, clips[1:]):
            if now == before:
                self.assertEqual(next_number, number + 1)
                follow += 1
            else:
                self.assertEqual((number, next_number), (99, 0), "each clip was shown whole")
        self.assertGreater(follow, 90)

    @classmethod
    def tearDownClass(cls):
        cls.process.send_signal(signal.SIGTERM)
        code = cls.process.wait(PATIENCE)
        assert code == 0, pathlib.Path(cls.log.name).read_text(encoding="utf-8")


if __name__ == "__main__":
    unittest.main(verbosity=2)
