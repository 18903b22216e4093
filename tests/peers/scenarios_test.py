#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""gst-validate's playback scenarios in playbin3: on genclip://, fresh and stored, as on the same clip's file://.

And those that a live source can play, on genchannelsrc: as on GStreamer's own test sources.

Needs gst-validate-1.0, which Debian 12 does not package: tests/peers/validate builds it from a tree of GStreamer, and runs this.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from simulated_service import SimulatedService

VALIDATE = shutil.which(os.environ.get("GST_VALIDATE", "gst-validate-1.0"))
PATIENCE = 240
LENGTH = 16  # Seconds: play_15s plays 15.

# All of GStreamer 1.22's scenarios of playback that need neither several tracks, a live source nor an encoder, nor media of 45 s and more.
SCENARIOS = [
    "play_5s", "play_15s", "pause_resume", "seek_forward", "seek_backward", "seek_with_stop", "simple_seeks",
    "fast_forward", "fast_backward", "reverse_playback", "trick_mode_seeks",
    "scrub_forward_seeking", "scrub_backward_seeking", "scrub_forward_seeking_full", "scrub_backward_seeking_full",
    "change_state_intensive", "update_start", "update_stop",
]
# Those that need no seek, but for change_state_intensive: see docs/peers.md. force_key_unit asks an encoder.
LIVE_SCENARIOS = ["play_5s", "play_15s", "play_15s_live", "pause_resume", "force_key_unit"]
PICTURE = "video/x-raw,format=I420,width=320,height=180,framerate=25/1"
TEST_SOURCES = f"videotestsrc name=v is-live=true ! {PICTURE}", "audiotestsrc is-live=true"


def uri_of(prompt):
    return f"genclip://vidq3-turbo?prompt={prompt}&duration={LENGTH}&resolution=540p"


def run_scenario(service, scenario, pipeline, folder):
    """The exit code, the issues that were found, and the whole output."""
    registry = pathlib.Path(folder) / f"registry-{os.getpid()}.bin"
    run = service.run(VALIDATE, f"--set-scenario={scenario}", *pipeline.split(), timeout=PATIENCE, GST_REGISTRY=str(registry),
                      GST_VALIDATE_LOGSDIR=str(folder))
    return run.returncode, set(re.findall(r"^ *(critical|warning) *: (.*)$", run.stdout, re.M)), run.stdout


def play(uri):
    return f"playbin3 uri={uri} video-sink=fakevideosink audio-sink=fakeaudiosink"


def live(picture, sound):
    return f"{picture} ! queue ! x264enc tune=zerolatency speed-preset=ultrafast ! fakesink sync=true {sound} ! queue ! fakeaudiosink"


def criticals(end):
    return end[0], {issue for issue in end[1] if issue[0] == "critical"}


@unittest.skipIf(VALIDATE is None, "gst-validate-1.0 is not installed: see tests/peers/validate")
class Scenarios(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = SimulatedService("--queued", "20", "--processing", "20")
        cls.addClassCleanup(cls.service.stop)
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.stored_uri = uri_of("stored")
        made = cls.service.run("gst-launch-1.0", "-q", "playbin3", f"uri={cls.stored_uri}", "video-sink=fakevideosink sync=false",
                               "audio-sink=fakeaudiosink sync=false")
        assert made.returncode == 0, made.stdout
        (clip,) = cls.service.clips()
        cls.uris = {"file": f"file://{clip}", "stored": cls.stored_uri}

    def run_all(self, kind):
        def one(scenario):
            uri = uri_of(f"fresh-{scenario.replace('_', '-')}") if kind == "fresh" else self.uris[kind]
            return scenario, run_scenario(self.service, scenario, play(uri), self.folder)
        # They wait for the clock, mostly.
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            return dict(pool.map(one, SCENARIOS))

    def test_as_many_pass_as_on_a_file(self):
        ends = {kind: self.run_all(kind) for kind in ("file", "stored", "fresh")}
        passed = {kind: [name for name, end in of_kind.items() if end[0] == 0] for kind, of_kind in ends.items()}
        print({kind: f"{len(names)} of {len(SCENARIOS)}" for kind, names in passed.items()},
              {kind: sorted(set(SCENARIOS) - set(names)) for kind, names in passed.items()}, flush=True)
        self.assertGreater(len(passed["file"]), len(SCENARIOS) // 2)
        for kind in ("stored", "fresh"):
            for name in passed["file"]:
                with self.subTest(kind=kind, scenario=name):
                    self.assertEqual(criticals(ends[kind][name]), criticals(ends["file"][name]), ends[kind][name][2][-4000:])

    def test_a_channel_passes_what_a_live_source_passes(self):
        rundown = self.folder / "day.txt"
        rundown.write_text(self.uris["file"] + "\n", encoding="utf-8")
        channel = live(f"genchannelsrc name=c rundown={rundown} video-caps={PICTURE} c.video", "c.audio")
        peer = live(*TEST_SOURCES)
        for name in LIVE_SCENARIOS:
            with self.subTest(scenario=name):
                theirs, ours = (run_scenario(self.service, name, pipeline, self.folder) for pipeline in (peer, channel))
                self.assertEqual(theirs[0], 0, theirs[2][-4000:])
                self.assertEqual(ours[0], 0, ours[2][-4000:])
                self.assertLessEqual(ours[1], theirs[1], ours[2][-4000:])


if __name__ == "__main__":
    unittest.main()
