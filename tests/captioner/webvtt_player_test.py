#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a WebVTT player, Chromium, shows of files by `gencaption ! webvttenc` and by genclip caption."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402  pylint: disable=wrong-import-position

from simulated_service import SimulatedService  # noqa: E402  pylint: disable=wrong-import-position

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "monitor"))
from headless_browser import HeadlessBrowser  # noqa: E402  pylint: disable=wrong-import-position

CHROMIUM = shutil.which("chromium")
# The simulator's gateway answers a text in capitals.
TEXTS = ["AT&T SELLS 5 < 6 <LAUGHTER> APPLES.", "HE WRITES &AMP; IN HTML.", "<V BOB>HELLO", "A <00:00:01.000> B", "<B>NO</B> & <I", "1 > 0\nTWO LINES"]
SHOW = """(async () => {
  const track = document.createElement('track');
  track.src = URL.createObjectURL(new Blob([%s], {type: 'text/vtt'}));
  const loaded = new Promise((ready, failed) => { track.onload = ready; track.onerror = failed; });
  document.body.replaceChildren(document.createElement('video'));
  document.querySelector('video').append(track);
  track.track.mode = 'hidden';
  await loaded;
  window.cues = [...track.track.cues].map(cue => [cue.startTime, cue.endTime, cue.getCueAsHTML().textContent]);
})()"""


@unittest.skipUnless(CHROMIUM, "chromium is not installed")
class Player(unittest.TestCase):
    def setUp(self):
        Gst.init(None)
        self.service = SimulatedService()
        self.addCleanup(self.service.stop)
        self.llm = self.service.base_url.removesuffix("/api") + "/llm"
        self.file = self.service.store.with_name("captions.vtt")

    def shown(self):
        """What the player shows, by the start of each cue."""
        with HeadlessBrowser(CHROMIUM) as browser:
            browser.js(SHOW % json.dumps(self.file.read_text(encoding="utf-8")))
            browser.wait_for("window.cues")
            return {start: text for start, _, text in browser.js("window.cues")}

    def test_shows_what_the_documented_line_has_written(self):
        pipeline = Gst.parse_launch("appsrc name=in format=time caps=text/x-raw,format=utf8 ! gencaption name=cap cache=off ! webvttenc ! "
                                    f"filesink location={self.file}")
        pipeline.get_by_name("cap").set_property("llm-base-url", self.llm)
        pipeline.get_by_name("cap").set_property("api-key", "sim-key")
        source = pipeline.get_by_name("in")
        for i, text in enumerate(TEXTS):
            buffer = Gst.Buffer.new_wrapped(text.encode())
            buffer.pts, buffer.duration = 4 * i * Gst.SECOND, 4 * Gst.SECOND
            source.emit("push-buffer", buffer)
        source.emit("end-of-stream")
        pipeline.set_state(Gst.State.PLAYING)
        end = pipeline.get_bus().timed_pop_filtered(60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        pipeline.set_state(Gst.State.NULL)
        self.assertEqual(end and end.type, Gst.MessageType.EOS)
        self.assertEqual(self.shown(), {4 * i: text for i, text in enumerate(TEXTS)})

    def test_shows_what_genclip_caption_has_written(self):
        # In SubRip, the rest would be markup already.
        texts = {4 * i: text for i, text in enumerate(TEXTS) if "&AMP;" not in text and "<B>" not in text and "<V" not in text}
        source = self.service.store.with_name("in.srt")
        source.write_text("".join(f"00:00:{at:02},000 --> 00:00:{at + 4:02},000\n{text}\n\n" for at, text in texts.items()), encoding="utf-8")
        subprocess.run([os.environ["GENCLIP"], "caption", "--translate", str(source), "--prompt", "Say it loud.", "--output", str(self.file)],
                       check=True, timeout=60, stderr=subprocess.DEVNULL, env=self.service.env | {"GENCLIP_LLM_BASE_URL": self.llm})
        self.assertEqual(self.shown(), texts)


if __name__ == "__main__":
    unittest.main()
