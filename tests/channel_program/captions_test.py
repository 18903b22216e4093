#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Captions of genclip channel: beside the HLS, in the picture, and none where the text gateway fails."""

import itertools
import json
import os
import re
import signal
import subprocess
import time
import unittest

from playout import CAPS, Playout, clip

GENCLIP = os.environ["GENCLIP"]
PATIENCE = 60


def ffprobe(path, what):
    run = subprocess.run(["ffprobe", "-v", "error", "-show_entries", what, "-of", "json", str(path)], stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, timeout=PATIENCE, check=True)
    return json.loads(run.stdout)


class Captions(unittest.TestCase):
    def setUp(self):
        self.playout = Playout()
        self.addCleanup(self.playout.stop)
        self.www = self.playout.folder / "www"
        self.playout.write({"id": "one", "source": clip(1, "one")}, {"id": "two", "source": clip(2, "two")})

    def start(self, *options, gateway="", target=None, env=None):
        service = self.playout.service
        gateway = gateway or service.base_url.removesuffix("/api") + "/llm"
        with open(self.playout.folder / "log", "w", encoding="utf-8") as log:
            process = subprocess.Popen(
                [GENCLIP, "channel", str(self.playout.rundown), "--video-caps", CAPS, "--asrun", str(self.playout.asrun),
                 *(target or ("--hls", str(self.www))), *options],
                env={**(env or service.env), "GENCLIP_LLM_BASE_URL": gateway}, stdout=log, stderr=subprocess.STDOUT)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def end(self, process):
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), 0, self.log())

    def log(self):
        return (self.playout.folder / "log").read_text(encoding="utf-8")

    def wait_for(self, holds, what):
        deadline = time.monotonic() + PATIENCE
        while not holds():
            self.assertLess(time.monotonic(), deadline, f"never: {what}\n{self.log()}")
            time.sleep(0.1)

    def listed(self, name):
        """The files of a playlist, without their suffix."""
        path = self.www / name
        return re.findall(r"^(segment-\d+)\.", path.read_text(encoding="utf-8"), re.M) if path.exists() else []

    def texts(self):
        """Of all segments of captions that are listed."""
        return {name: (self.www / f"{name}.vtt").read_text(encoding="utf-8") for name in self.listed("captions.m3u8")}

    def frames(self):
        """How many the as-run log has."""
        return sum(entry["played_frames"] for entry in self.playout.entries()) if self.playout.asrun.exists() else 0

    def check_frames(self):
        """The as-run log has no gap. Returns its frames."""
        at = 0
        for entry in self.playout.entries():
            self.assertEqual(entry["frame"], at)
            at += entry["played_frames"]
        return at

    def test_players_find_captions_at_the_times_of_the_picture(self):
        process = self.start("--captions", "--caption-interval", "2", "--caption-prompt", "What is it?")
        self.wait_for(lambda: len(self.listed("captions.m3u8")) >= 3, "three segments")
        self.assertLess(len(self.listed("captions.m3u8")), len(self.listed("index.m3u8")), "captions come behind")
        master = (self.www / "master.m3u8").read_text(encoding="utf-8")
        self.assertRegex(master, r'TYPE=SUBTITLES,GROUP-ID="captions".*URI="captions.m3u8"')
        self.assertRegex(master, r'BANDWIDTH=\d+,CODECS="avc1\.[0-9a-f]{6},mp4a\.40\.2",SUBTITLES="captions"\nindex.m3u8\n')
        self.end(process)
        self.assertEqual(self.listed("captions.m3u8"), self.listed("index.m3u8"), "the end waits for no more captions")
        last = 0
        for name, text in self.texts().items():
            self.assertTrue(text.startswith("WEBVTT\n"), text)
            mapped, local = re.search(r"X-TIMESTAMP-MAP=MPEGTS:(\d+),LOCAL:([\d:.]+)\n", text).groups()
            streams = ffprobe(self.www / f"{name}.ts", "stream=codec_type,start_pts,duration_ts")["streams"]
            (picture,) = [stream for stream in streams if stream["codec_type"] == "video"]
            self.assertLess(abs(int(mapped) - picture["start_pts"]), 180, "the map is that of the segment's first picture")
            hours, minutes, seconds = local.split(":")
            begin = int(hours) * 3600 + int(minutes) * 60 + float(seconds)
            cues = ffprobe(self.www / f"{name}.vtt", "packet=pts_time,duration_time")["packets"]
            self.assertGreaterEqual(len(cues), 1, text)
            for cue in cues:
                self.assertLess(float(cue["pts_time"]), begin + picture["duration_ts"] / 90000)
                self.assertGreater(float(cue["pts_time"]) + float(cue["duration_time"]), begin)
            last = max(last, float(cues[-1]["pts_time"]))
        self.assertGreater(last, 8, "captions up to the end")
        cues = re.findall(r"--> .*\n(.+)", "".join(self.texts().values()))
        self.assertTrue(all(cue.startswith("1 still of 320x180.") for cue in cues), cues)
        self.assertGreater(len(set(cues)), 1, "of different pictures")
        spent = self.playout.service.run(GENCLIP, "cost", "--json")
        self.assertIn('"requests"', spent.stdout, "the store's ledger counts them")
        self.check_frames()

    def test_a_dead_gateway_is_told_once_and_its_return_too(self):
        self.playout.service.set_faults(["text#3-:status=400"])
        process = self.start("--captions", "--burn-captions", "--caption-interval", "1")
        self.wait_for(lambda: "Captions: " in self.log(), "trouble")
        self.wait_for(lambda: len(self.listed("captions.m3u8")) >= 3, "three segments")
        self.assertEqual(self.log().count("Captions: "), 1, self.log())
        self.assertNotIn(" --> ", list(self.texts().values())[-1], "segments without captions are listed too")
        self.playout.service.set_faults([])
        self.wait_for(lambda: "The captions come again." in self.log(), "captions")
        self.wait_for(lambda: " --> " in list(self.texts().values())[-1], "a segment with captions")
        self.end(process)
        self.assertGreater(self.check_frames(), 300)

    def test_a_gateway_that_hangs_holds_nothing_up(self):
        self.playout.service.set_faults(["text:hang"])
        process = self.start("--captions", "--burn-captions", "--caption-interval", "1")
        self.wait_for(lambda: len(self.listed("captions.m3u8")) >= 2, "two segments")
        begun = time.monotonic()
        frames = self.frames()
        self.wait_for(lambda: self.frames() > frames + 200, "200 frames more")
        self.assertLess(time.monotonic() - begun, 40)
        self.end(process)
        self.check_frames()

    def test_burnt_captions_are_in_the_picture_until_their_limit(self):
        archive = self.playout.folder / "archive"
        self.playout.write({"id": "gone", "source": "/nowhere/at/all.mp4"})  # The slate has no white where captions are.
        process = self.start("--burn-captions", "--caption-interval", "2", "--caption-max-requests", "2", target=("--record", str(archive)))
        self.wait_for(lambda: "Captions: " in self.log(), "the limit")
        at = self.frames()
        self.wait_for(lambda: self.frames() > at + 200, "200 frames more")
        self.end(process)
        self.assertEqual(self.log().count("Captions: "), 1, self.log())
        self.assertIn("Captions: The budget of --caption-max-requests is used up.", self.log())
        self.assertEqual(self.playout.service.stats()["texts"], 2)
        self.check_frames()
        (recording,) = archive.glob("*.mkv")
        run = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", str(recording), "-vf", "crop=200:24:60:144", "-fps_mode", "cfr", "-r", "25", "-f", "rawvideo",
                              "-pix_fmt", "gray", "-"], capture_output=True, timeout=PATIENCE, check=True)
        size = 200 * 24
        is_captioned = [max(run.stdout[at:at + size]) > 200 for at in range(0, len(run.stdout) - size + 1, size)]
        stretches = [(captioned, len(list(frames))) for captioned, frames in itertools.groupby(is_captioned)]
        self.assertGreater(len(is_captioned), 150)
        # Two captions of 2 s each. On a busy machine they come late, and end with their windows all the same.
        self.assertLessEqual(sum(is_captioned), 104, stretches)
        self.assertGreaterEqual(sum(is_captioned), 54, stretches)

    def test_wrong_settings_are_refused_at_the_start(self):
        for options, text in {("--captions", "--caption-model", "gem-none"): "gem-none",
                              ("--captions", "--caption-interval", "0"): "--caption-interval",
                              ("--captions", "--caption-interval", "86401"): "--caption-interval must be an integer from 1 to 86400",
                              ("--captions", "--caption-scene-threshold", "2"): "--caption-scene-threshold must be a number from 0 to 1",
                              ("--caption-max-requests", "5"): "--caption-max-requests needs --captions"}.items():
            process = self.start(*options)
            self.assertIn(process.wait(PATIENCE), (1, 2), options)
            self.assertIn(text, self.log())
        without_key = {name: value for name, value in self.playout.service.env.items() if not name.startswith("GENCLIP_API_KEY")}
        process = self.start("--captions", env=without_key)
        self.assertEqual(process.wait(PATIENCE), 2)
        self.assertIn("There is no API key", self.log())
        process = self.start("--captions", target=("--record", str(self.playout.folder / "archive")))
        self.assertEqual(process.wait(PATIENCE), 2)
        self.assertIn("--captions needs --hls", self.log())


if __name__ == "__main__":
    unittest.main(verbosity=2)
