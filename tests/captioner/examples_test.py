#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each script of examples/captions works against genclip-sim."""

import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

from mp4_boxes import turned

SIMULATOR = os.environ["GENCLIP_SIM"]
GENCLIP = pathlib.Path(os.environ["GENCLIP"])
EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "captions"
CLIP = "genclip://dance-2.5?prompt=a%20storm&duration=4"
WITH_SOUND = "genclip://sd_2.0_fast_discount?prompt=a%20storm&duration=4&resolution=480p"
SAID = re.compile(r"1 still of \d+x\d+\. It is [a-z ]+\.")


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        ready = pathlib.Path(cls.folder.name) / "ready"
        cls.simulator = subprocess.Popen([SIMULATOR, "--ready-file", str(ready), "--queued", "10", "--processing", "10"],
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while not ready.exists():
            assert cls.simulator.poll() is None and time.monotonic() < deadline, "the simulator does not start"
            time.sleep(0.02)
        addresses = dict(line.split("=", 1) for line in ready.read_text().splitlines())
        cls.environment = dict(os.environ, GENCLIP_API_KEY="sim-key", GENCLIP_STORE=cls.folder.name + "/store",
                               GST_REGISTRY_FORK="no", no_proxy="127.0.0.1", PATH=f"{GENCLIP.parent}:{os.environ['PATH']}", **addresses)

    @classmethod
    def tearDownClass(cls):
        cls.simulator.terminate()
        cls.simulator.wait(timeout=20)
        cls.folder.cleanup()

    def path(self, name):
        return pathlib.Path(self.folder.name) / name

    def run_words(self, *words, code=0, **variables):
        ran = subprocess.run([str(word) for word in words], env=self.environment | variables, capture_output=True, text=True,
                             timeout=100, check=False)
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        return ran.stdout

    def run_example(self, name, *words, code=0, **variables):
        return self.run_words(EXAMPLES / name, *words, code=code, **variables)

    def time_with_late_answers(self, run):
        """Seconds of a run against a gateway each of whose answers takes 1.5 s."""
        ready = self.path("slow-ready")
        ready.unlink(missing_ok=True)
        with subprocess.Popen([SIMULATOR, "--ready-file", str(ready), "--fault", "text:delay=1500"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as slow:
            try:
                deadline = time.monotonic() + 30
                while not ready.exists() or "GENCLIP_LLM_BASE_URL" not in ready.read_text():
                    self.assertLess(time.monotonic(), deadline, "the simulator does not start")
                    time.sleep(0.02)
                llm = dict(line.split("=", 1) for line in ready.read_text().splitlines())["GENCLIP_LLM_BASE_URL"]
                began = time.monotonic()
                run(GENCLIP_LLM_BASE_URL=llm)
                return time.monotonic() - began
            finally:
                slow.terminate()

    def captions_of(self, file, demuxer):
        out = self.path("text")
        self.run_words("gst-launch-1.0", "-q", "filesrc", f"location={file}", "!", demuxer, "name=d", "d.subtitle_0", "!",
                       "queue", "!", "srtenc", "!", "filesink", f"location={out}", "d.video_0", "!", "queue", "!",
                       "fakesink")
        return self.cues(out)

    def cues(self, file):
        return re.findall(r"(\d\d:\d\d:\d\d[.,]\d{3}) --> (\d\d:\d\d:\d\d[.,]\d{3})\s*\n(.+)", file.read_text())

    def expect_captions(self, cues):
        self.assertEqual([start[:8] for start, _, _ in cues], ["00:00:00", "00:00:02"], cues)
        self.assertEqual(cues[0][1].replace(",", "."), "00:00:02.000")
        for _, _, text in cues:
            self.assertRegex(text, SAID)

    def seconds_of_sound(self, file):
        found = self.run_words("gst-discoverer-1.0", file)
        if "audio #" not in found:
            return 0
        raw = self.path("sound.raw")
        self.run_words("gst-launch-1.0", "-q", "uridecodebin", f"uri={file.as_uri()}", "caps=audio/x-raw", "expose-all-streams=false",
                       "!", "audioconvert", "!", "audioresample", "!", "audio/x-raw,format=S16LE,rate=8000,channels=1", "!",
                       "filesink", f"location={raw}")
        samples = raw.read_bytes()
        self.assertGreater(max(samples), 0, "it is silent")
        return len(samples) / 16000

    def test_a_subtitle_track_in_matroska_and_in_mp4(self):
        for end, demuxer in (("mkv", "matroskademux"), ("mp4", "qtdemux")):
            for clip, sound in ((CLIP, 0), (WITH_SOUND, 4)):
                with self.subTest(end=end, clip=clip):
                    out = self.path("track." + end)
                    self.run_example("subtitle-track", clip, out, "interval=2000000000")
                    self.expect_captions(self.captions_of(out, demuxer))
                    self.assertAlmostEqual(self.seconds_of_sound(out), sound, delta=0.1)

    def test_languages_in_hls(self):
        folder = self.path("hls")
        self.run_example("hls-languages", CLIP, folder, "de,pt-BR", "interval=2000000000")
        # By default, ffprobe does not look into subtitles of HLS.
        found = self.run_words("ffprobe", "-v", "error", "-strict", "experimental", "-select_streams", "s", "-of", "csv=p=0",
                               "-show_entries", "stream_tags=language", folder / "master.m3u8")
        self.assertEqual(sorted(found.split()), ["de", "pt-BR"])
        for language in ("de", "pt-BR"):
            file = folder / f"{language}.vtt"
            self.assertRegex(file.read_text(), r"\AWEBVTT\nX-TIMESTAMP-MAP=MPEGTS:324000000,LOCAL:00:00:00.000\n")
            cues = self.cues(file)
            self.assertEqual([start for start, _, _ in cues], ["00:00:00.000", "00:00:02.000"])
            for _, _, text in cues:
                self.assertRegex(text, f"{language}: " + SAID.pattern)
        # The map says when the picture begins.
        start = self.run_words("ffprobe", "-v", "error", "-of", "csv=p=0", "-show_entries", "format=start_time",
                               folder / "00000.ts")
        self.assertAlmostEqual(float(start), 3600, delta=0.2)

    def test_subtitle_files(self):
        for end in ("vtt", "srt"):
            out = self.path("file." + end)
            self.run_example("subtitle-file", CLIP, out, "interval=2000000000")
            self.expect_captions(self.cues(out))

    def test_a_film_that_does_not_begin_at_0(self):
        film, out = self.path("film.ts"), self.path("film.vtt")
        self.run_words("gst-launch-1.0", "-q", "videotestsrc", "num-buffers=40", "!", "video/x-raw,width=64,height=36,framerate=10/1",
                       "!", "x264enc", "tune=zerolatency", "!", "mpegtsmux", "!", "filesink", f"location={film}")
        self.run_example("subtitle-file", film.as_uri(), out)
        self.assertEqual([begin for begin, _, _ in self.cues(out)], ["00:00:00.000"], "players count from the first picture")

    def test_captions_burned_in_change_the_picture_and_keep_its_length(self):
        out = self.path("burned.mp4")
        self.run_example("burn-in", CLIP, out, "interval=2000000000")
        found = self.run_words("gst-discoverer-1.0", out)
        self.assertRegex(found, r"Duration: 0:00:0[34]\.")
        self.assertEqual(self.seconds_of_sound(out), 0)
        frames = []
        for uri in (CLIP, out.as_uri()):
            raw = self.path("frames.raw")
            self.run_words("gst-launch-1.0", "-q", "uridecodebin", f"uri={uri}", "!", "videoconvert", "!", "videoscale", "!",
                           "video/x-raw,format=GRAY8,width=160,height=284", "!", "filesink", f"location={raw}")
            frames.append(raw.read_bytes()[:160 * 284])
        bottom = [sum(frame[160 * 200:]) / len(frame[160 * 200:]) for frame in frames]
        self.assertGreater(abs(bottom[0] - bottom[1]), 2, "no caption in the lower third")

    def test_a_film_of_a_phone_stands_upright(self):
        wide, film = self.path("wide.mp4"), self.path("phone.mp4")
        self.run_words("gst-launch-1.0", "-q", "videotestsrc", "num-buffers=8", "!", "video/x-raw,width=96,height=54,framerate=4/1", "!",
                       "x264enc", "!", "h264parse", "!", "mp4mux", "!", "filesink", f"location={wide}")
        film.write_bytes(turned(wide.read_bytes(), 90))
        shown = ("ffprobe", "-v", "error", "-select_streams", "v", "-of", "csv=p=0", "-show_entries",
                 "stream=width,height:stream_side_data=rotation")
        self.assertRegex(self.run_words(*shown, film), r"^96,54\s*,?-?90")
        written = [self.path("upright.mp4"), self.path("upright-track.mkv"), self.path("upright-track.mp4")]
        for name, out in zip(("burn-in", "subtitle-track", "subtitle-track"), written):
            self.run_example(name, film.as_uri(), out, "max-cps=0")
        self.run_example("hls-languages", film.as_uri(), self.path("upright-hls"), "de", "max-cps=0")
        self.assertIn("1 still of 54x96", (self.path("upright-hls") / "de.vtt").read_text(), "it is turned once")
        played = self.path("upright-played.mp4")
        self.run_example("play-captioned", film.as_uri(), f"x264enc ! h264parse ! mp4mux ! filesink location={played}", "max-cps=0")
        for out in (*written, played, self.path("upright-hls") / "00000.ts"):
            with self.subTest(out=out.name):
                self.assertEqual(self.run_words(*shown, out).strip().splitlines()[0].rstrip(","), "54,96")

    def test_captions_burned_in_are_asked_for_side_by_side(self):
        film = self.path("colours.mkv")
        self.run_words("gst-launch-1.0", "-q", "videotestsrc", "num-buffers=96", "pattern=ball", "!",
                       "video/x-raw,width=160,height=90,framerate=4/1", "!", "x264enc", "!", "h264parse", "!", "matroskamux", "!",
                       "filesink", f"location={film}")
        out = self.path("side-by-side.mp4")
        took = self.time_with_late_answers(lambda **slow: self.run_example(
            "burn-in", film.as_uri(), out, "interval=2000000000", "cache=off", **slow))
        # Twelve windows, one after another, would take 18 s.
        self.assertLess(took, 12)
        self.assertRegex(self.run_words("gst-discoverer-1.0", out), r"Duration: 0:00:2[345]\.")

    def test_captions_burned_in_leave_the_sound(self):
        out = self.path("burned-with-sound.mp4")
        self.run_example("burn-in", WITH_SOUND, out, "interval=2000000000")
        self.assertAlmostEqual(self.seconds_of_sound(out), 4, delta=0.1)

    def test_a_film_played_with_captions_of_a_pass_before(self):
        out = self.path("played.raw")
        for properties in ([], ["align=cuts", "stills=within", "interval=2000000000"]):
            with self.subTest(properties=properties):
                self.run_example("play-captioned", CLIP, f"videoscale ! video/x-raw,format=GRAY8,width=160,height=284 ! "
                                 f"filesink location={out}", *properties)
                picture = out.read_bytes()
                self.assertGreaterEqual(len(picture), 3 * 24 * 160 * 284, "the whole film")
                self.run_words("gst-launch-1.0", "-q", "uridecodebin", f"uri={CLIP}", "!", "videoconvert", "!", "videoscale", "!",
                               "video/x-raw,format=GRAY8,width=160,height=284", "!", "filesink", f"location={self.path('plain.raw')}")
                plain = self.path("plain.raw").read_bytes()
                self.assertEqual(len(picture), len(plain))
                bottom = [sum(film[160 * 200:160 * 284]) / (160 * 84) for film in (picture, plain)]
                self.assertGreater(abs(bottom[0] - bottom[1]), 2, "no caption in the lower third")

    def test_a_film_played_with_captions_keeps_its_sound(self):
        out = self.path("played.wav")
        self.run_example("play-captioned", WITH_SOUND, "fakesink", "interval=2000000000",
                         PLAY_CAPTIONED_SOUND=f"wavenc ! filesink location={out}")
        self.assertAlmostEqual(self.seconds_of_sound(out), 4, delta=0.1)

    def test_what_has_no_picture_is_said_and_does_not_hang(self):
        for name, out in (("burn-in", "none.mp4"), ("subtitle-track", "none.mkv"), ("play-captioned", "fakesink")):
            ran = self.run_example(name, self.path("no such file").as_uri(), self.path(out), code=1)
            self.assertEqual(ran, "")

    def test_subtitles_translated(self):
        source, out = self.path("de.srt"), self.path("en.srt")
        fast = "I never said that you should come along with us."
        source.write_text("1\n00:00:00,500 --> 00:00:02,000\nGuten Tag.\n\n2\n00:00:03,000 --> 00:00:04,000\nBis bald.\n\n"
                          f"3\n00:00:05,000 --> 00:00:06,000\n{fast}\n\n4\n00:00:05,500 --> 00:00:07,000\nOh!\n\n")
        self.run_example("translate", source, out, "English")
        text = re.sub(r"(?<=[A-Z])\n(?=[A-Z])", " ", out.read_text())
        self.assertEqual(re.findall(r"(\S+) --> (\S+)\n(.+)", text),
                         [("00:00:00,500", "00:00:02,000", "GUTEN TAG."), ("00:00:03,000", "00:00:04,000", "BIS BALD."),
                          ("00:00:05,000", "00:00:06,000", fast.upper()), ("00:00:05,500", "00:00:07,000", "OH!")])

    def test_a_live_picture_with_its_captions(self):
        out = self.path("live.raw")
        self.run_example("live-overlay", "videotestsrc is-live=true num-buffers=45 ! video/x-raw,width=64,height=36",
                         f"filesink sync=true location={out}", "interval=500000000", "latency=300")
        self.assertGreater(out.stat().st_size, 45 * 64 * 36)

    def test_each_explains_itself(self):
        for script in filter(lambda file: os.access(file, os.X_OK), EXAMPLES.iterdir()):
            self.assertIn("Usage: " + script.name, self.run_example(script.name, "--help"))
        for name in ("subtitle-track", "subtitle-file", "hls-languages"):
            self.run_example(name, CLIP, "x.txt", code=2)


if __name__ == "__main__":
    unittest.main()
