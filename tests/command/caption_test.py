#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""genclip caption with real films, against genclip-sim: what is written, what is asked, and what survives a kill."""

import hashlib
import json
import math
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

from command import GENCLIP, SOURCE, environment, genclip, genclip_on_terminal
from mp4_boxes import SECOND, turned, with_edits
from one_day import stay_within_one_day
from screen import Screen
from screen_files import WIDTHS, compare
from service import ServiceTest
from stop_again import stop_again
from time_limit import time_limit

WINDOWS = 20
# A second is too short to read all of what the simulator says, and what is left of it says the same of each picture.
EACH_SECOND = ("--interval", "1", "--max-cps", "0")
EVERY_FILM = SOURCE / "examples" / "captions" / "every-film"
SUBTITLES = """1
00:00:00,500 --> 00:00:01,234
Hello <i>world</i>

2
00:00:02,000 --> 00:00:02,300
A subtitle that is too long for its time: it goes on and on, so that nobody can read all of it.

3
01:00:00,001 --> 01:00:03,999
third & last
second line
third line
"""
CLIP = "genclip://dance-2.5?prompt=a%20storm"
CUE = re.compile(r"(\d\d:\d\d:\d\d)[.,](\d{3}) --> (\d\d:\d\d:\d\d)[.,](\d{3})\n(.+(?:\n.+)*)")


def cues(text):
    return [(f"{begin}.{ms}", f"{end}.{end_ms}", words) for begin, ms, end, end_ms, words in CUE.findall(text)]


def times(text):
    return [cue[:2] for cue in cues(text)]


def seconds(text):
    hours, minutes, rest = text.split(":")
    return round(int(hours) * 3600 + int(minutes) * 60 + float(rest), 3)


# Two cues at once, in two layers.
STYLED = """[Script Info]
ScriptType: v4.00+
PlayResX: 384
PlayResY: 288

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
Style: Default,Arial,16,&Hffffff,&Hffffff,&H0,&H0,0,0,0,0,100,100,0,0,1,1,0,2,10,10,10,0
Style: Sign,Serif,24,&H0000ff,&Hffffff,&H0,&H0,1,0,0,0,100,100,0,0,1,1,0,8,5,6,7,0

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:01.00,0:00:02.50,Default,Anna,0,0,0,,{\\i1}Hello{\\i0}, you
Dialogue: 3,0:00:02.00,0:00:04.20,Sign,,1,2,3,,{\\pos(100,50)\\c&H00ff00&}EXIT
"""


def run_words(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60, check=True).stdout


def is_newer():
    """GStreamer 1.26, or one after it."""
    version = re.search(r"GStreamer (\d+)\.(\d+)", run_words("gst-inspect-1.0", "--version"))
    return tuple(map(int, version.groups())) >= (1, 26)


class Caption(ServiceTest):
    @classmethod
    def setUpClass(cls):
        cls.films = tempfile.TemporaryDirectory()
        cls.film = pathlib.Path(cls.films.name) / "film.mp4"
        # A picture of 20 s with B-frames, and a sound. A ramp moves through it, and each second has another colour than the
        # one before, so that no two captions in a row are equal.
        raw = pathlib.Path(cls.films.name) / "picture.raw"
        raw.write_bytes(b"".join(
            bytes((2 * x + 7 * i) % 211 + 20 for x in range(96)) * 54 + bytes([200 if i // 4 % 2 else 90]) * (48 * 27) +
            bytes([90 if i // 4 % 2 else 200]) * (48 * 27) for i in range(4 * WINDOWS)))
        run_words("gst-launch-1.0", "-q", *f"""filesrc location={raw} ! rawvideoparse format=i420 width=96 height=54 framerate=4/1 !
            x264enc key-int-max=8 option-string=scenecut=0 ! h264parse ! mux.
            audiotestsrc num-buffers={WINDOWS * 8} samplesperbuffer=6000 ! audio/x-raw,rate=48000,channels=1 ! avenc_aac !
            aacparse ! mux. mp4mux name=mux ! filesink location={cls.film}""".split())

    @classmethod
    def tearDownClass(cls):
        cls.films.cleanup()

    def setUp(self):
        super().setUp()
        self.work = self.folder / "films"
        self.work.mkdir()

    def simulator(self, *options, processing=0):
        super().simulator(*options, processing=processing)
        self.env["GENCLIP_LLM_BASE_URL"] = self.env["GENCLIP_BASE_URL"].removesuffix("/api") + "/llm"
        self.env["no_proxy"] = "127.0.0.1"

    def copy_of_film(self, name="film.mp4"):
        (self.work / name).write_bytes(self.film.read_bytes())
        return str(self.work / name)

    def caption(self, *words, code=0):
        run = self.run_genclip("caption", *(() if "--translate" in words else EACH_SECOND), *words)
        self.assertEqual(run.returncode, code, run.stderr)
        return run

    def read(self, name):
        return (self.work / name).read_text(encoding="utf-8")

    def asked(self):
        return self.stats()["texts"]

    def test_a_film_gets_the_subtitles_that_players_find_beside_it(self):
        self.simulator()
        film = self.copy_of_film()
        run = self.caption(film)
        self.assertEqual(run.stdout, str(self.work / "film.vtt") + "\n")
        self.caption(film, "--to", "srt")
        self.assertEqual(self.asked(), WINDOWS, "what was answered is in the store")
        expected = [(f"00:00:{i:02}.000", f"00:00:{i + 1:02}.000") for i in range(WINDOWS)]
        self.assertEqual(times(self.read("film.vtt")), expected)
        self.assertEqual(cues(self.read("film.srt")), cues(self.read("film.vtt")))
        self.assertTrue(self.read("film.vtt").startswith("WEBVTT\n\n00:00:00.000"))
        for name in ("film.vtt", "film.srt"):
            found = json.loads(run_words("ffprobe", "-v", "error", "-show_packets", "-of", "json", self.work / name))["packets"]
            self.assertEqual([(float(one["pts_time"]), float(one["duration_time"])) for one in found],
                             [(float(i), 1.0) for i in range(WINDOWS)], name)
        self.assertEqual(sorted(file.name for file in self.work.iterdir()), ["film.mp4", "film.srt", "film.vtt"])
        self.assertRegex(run.stderr, r"film\.mp4: 100 %, 0:20 of 0:20, ")
        self.assertRegex(run.stderr, rf"film\.mp4: {WINDOWS} windows, at most {WINDOWS} requests\n")
        self.assertRegex(run.stderr, rf"1 of 1 film is captioned: {WINDOWS} requests, \d+ tokens\.\n$")

    def test_the_name_of_a_film_commands_no_terminal(self):
        self.simulator()
        film = self.copy_of_film("a\033[2J\u009b2J\u202e.mp4")
        captions = film.removesuffix("mp4") + "vtt"
        self.assertEqual(self.caption(film).stdout, captions + "\n", "a program gets the name as it is")
        for words in ((), ("--json",), ("--json", "--dry-run")):
            with self.subTest(words=words):
                code, text = genclip_on_terminal("caption", *EACH_SECOND, "--force", *words, film, **self.env)
                self.assertEqual(code, 0, text)
                self.assertNotRegex(text, "\033\\[2J|[\u0080-\u009f\u202e]")
        (row,) = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        self.assertEqual([output["path"] for output in row["outputs"]], [captions])

    def test_what_is_there_stays_unless_it_is_forced(self):
        self.simulator()
        film = self.copy_of_film()
        (self.work / "film.vtt").write_text("mine", encoding="utf-8")
        run = self.caption(film)
        self.assertIn(f"The captions are there already, in {self.work / 'film.vtt'}, which stays as it is: nothing is asked for it. "
                      "To make them again, with the options of this run: --force. If they are of another film, name another file with --output.\n", run.stderr)
        self.assertEqual((self.read("film.vtt"), self.asked(), run.stdout), ("mine", 0, ""))
        self.assertIn("genclip: The captions are there already: nothing was asked.\n", run.stderr)
        self.assertEqual(json.loads(self.caption(film, "--json").stdout)["status"], "skipped")
        os.utime(self.work / "film.vtt", (1, 1))
        self.assertIn("film.vtt, which is older than its film, and stays as it is: nothing is asked", self.caption(film).stderr)
        self.caption(film, "--force")
        self.assertEqual(len(cues(self.read("film.vtt"))), WINDOWS)
        (self.work / "film.de.vtt").write_text("mine", encoding="utf-8")
        kept = len(self.kept())
        run = self.caption(film, "--language", "de,en", "--json")
        self.assertEqual(len(self.kept()), kept + WINDOWS, "nothing is asked for the other one")
        self.assertEqual([(pathlib.Path(one["path"]).name, one.get("stays", False)) for one in json.loads(run.stdout)["outputs"]],
                         [("film.de.vtt", True), ("film.en.vtt", False)])
        self.assertIn("film.de.vtt, which stays as it is: nothing is asked for it.", run.stderr)
        self.assertEqual((self.read("film.de.vtt"), len(cues(self.read("film.en.vtt")))), ("mine", WINDOWS))

    def test_what_comes_while_another_film_is_captioned_stays(self):
        self.simulator("--fault", "text#1:delay=3000")
        films = [self.copy_of_film(), self.copy_of_film("other.mp4")]
        run = self.start("caption", *EACH_SECOND, *films, "--json")
        self.wait_for(lambda: self.asked() > 0)
        (self.work / "other.vtt").write_text("mine", encoding="utf-8")
        out, said = run.communicate(timeout=60)
        self.assertEqual([json.loads(line)["status"] for line in out.splitlines()], ["completed", "skipped"], said)
        self.assertEqual((run.returncode, self.read("other.vtt"), self.asked()), (0, "mine", WINDOWS))
        self.assertIn(", 1 was captioned already: ", said)

    def test_what_is_there_is_not_left_when_a_run_ends_early(self):
        self.simulator()
        film, other = self.copy_of_film(), self.copy_of_film("other.mp4")
        (self.work / "other.vtt").write_text("mine", encoding="utf-8")
        run = self.caption(film, other, "--max-requests", "2", "--json", code=75)
        self.assertEqual([json.loads(line)["status"] for line in run.stdout.splitlines()], ["pending", "skipped"])
        self.assertIn("0 of 2 films are captioned, 1 was captioned already, 1 is left: ", run.stderr)

    def test_a_file_that_is_named_and_holds_another_film_is_no_success(self):
        self.simulator()
        film, other = self.copy_of_film(), self.copy_of_film("other.mp4")
        for name in ("named.vtt", "named.mkv"):
            with self.subTest(name=name):
                out = self.work / name
                self.caption(film, "-o", str(out))
                before, asked = out.read_bytes(), self.asked()
                run = self.caption(other, "-o", str(out))
                self.assertIn("The captions are there already: nothing was asked.", run.stderr)
                os.utime(out, (1, 1))
                said = f"{out} is there already, older than its film, and stays as it is; --force replaces it."
                run = self.caption(other, "-o", str(out), code=1)
                self.assertIn(f"{other} failed: {said}", run.stderr)
                self.assertIn("0 of 1 film is captioned, 1 failed: 0 requests, 0 tokens.", run.stderr)
                row = json.loads(self.caption(other, "-o", str(out), "--json", code=1).stdout)
                self.assertEqual((row["status"], row["error"]), ("failed", said))
                self.assertIn(said, self.caption(other, "-o", str(out), "--dry-run", code=1).stderr)
                self.assertEqual((out.read_bytes(), self.asked()), (before, asked))
                self.caption(other, "-o", str(out), "--force")
        # Names that follow from the films' tell whose captions they are.
        self.caption(film, other, "-o", str(self.work) + "/")
        run = self.caption(film, other, "-o", str(self.work) + "/")
        self.assertIn("The captions of all 2 films are there already: nothing was asked.", run.stderr)

    def test_equal_captions_in_a_row_are_one_long_cue(self):
        self.simulator()
        film = self.work / "black.mkv"
        run_words("gst-launch-1.0", "-q", *f"""videotestsrc num-buffers=80 pattern=black ! video/x-raw,width=96,height=54,framerate=4/1 !
            x264enc ! h264parse ! matroskamux ! filesink location={film}""".split())
        for options in ((), ("--language", "de"), ("--max-cps", "20")):
            found = cues(self.caption(str(film), "-o", "-", *options).stdout)
            self.assertEqual([cue[:2] for cue in found], [("00:00:00.000", "00:00:20.000")], options)
        source = self.work / "twice.srt"
        source.write_text("1\n00:00:01,000 --> 00:00:02,000\nNo!\n\n2\n00:00:02,000 --> 00:00:03,000\nNo!\n", encoding="utf-8")
        run = self.caption("--translate", str(source), "--language", "de", "-o", "-")
        self.assertEqual(times(run.stdout), times(source.read_text(encoding="utf-8")), "a translation keeps each cue")

    def test_a_caption_stands_as_long_as_its_picture_and_no_gap_takes_its_time(self):
        self.simulator()
        film = self.work / "slides.mkv"
        # Decoders say that each picture lasts 40 ms, and hold some; sound tells of the gaps before they come.
        run_words("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=96x54:r=25:d=20", "-f", "lavfi", "-i", "sine=d=20",
                  "-vf", "select=not(mod(n\\,100))", "-vsync", "vfr", "-c:v", "libx264", "-c:a", "aac", film)
        found = cues(self.caption(str(film), "-o", "-").stdout)
        self.assertEqual(len(found), 1, "equal captions are one cue, unless time is missing")
        self.assertAlmostEqual(seconds(found[0][0]), 0, delta=0.1)
        self.assertAlmostEqual(seconds(found[0][1]), 20, delta=0.1)
        self.assertEqual(self.asked(), 5)

    def test_several_languages_take_one_request_a_window_and_make_a_file_each(self):
        self.simulator()
        film = self.copy_of_film()
        self.caption(film, "--language", "de,en")
        self.assertEqual(self.asked(), WINDOWS)
        self.assertEqual(sorted(file.name for file in self.work.iterdir()), ["film.de.vtt", "film.en.vtt", "film.mp4"])
        for language in ("de", "en"):
            found = cues(self.read(f"film.{language}.vtt"))
            self.assertEqual(len(found), WINDOWS)
            self.assertTrue(all(text.startswith(f"{language}: ") for _, _, text in found), found)
        (self.work / "film.en.vtt").unlink()
        self.caption(film, "--language", "de,en")
        self.assertEqual((self.asked(), len(cues(self.read("film.en.vtt")))), (WINDOWS, WINDOWS))
        self.caption(film, "-l", "de", "--language", "en", "--to", "srt")
        self.assertEqual((self.asked(), len(cues(self.read("film.de.srt"))), len(cues(self.read("film.en.srt")))), (WINDOWS, WINDOWS, WINDOWS))
        # What goes along with a question is in the first language, whichever file is there.
        context = ("--language", "de,en", "--context", "1")
        self.caption(film, *context, "--force")
        asked = self.asked()
        (self.work / "film.en.vtt").unlink()
        self.caption(film, *context)
        self.assertEqual((self.asked(), len(cues(self.read("film.en.vtt")))), (asked, WINDOWS))
        run = self.caption(film, "--language", "de", "-o", str(self.work / "only.srt"))
        self.assertEqual(run.stdout, str(self.work / "only.srt") + "\n")

    def packets(self, file, kind):
        """Of a stream: a hash of each packet."""
        lines = run_words("ffmpeg", "-v", "error", "-i", file, "-map", f"0:{kind}", "-c", "copy", "-f", "framemd5", "-")
        return [re.search(r"[0-9a-f]{32}", line)[0] for line in lines.splitlines() if not line.startswith("#")]

    def expect_copied(self, film, copy):
        picture, copied = self.packets(film, "v"), self.packets(copy, "v")
        # Parameter sets may stand in front of the first picture once more.
        self.assertEqual(copied[1:], picture[1:], copy)
        # The sound that the edit list leaves out is not copied.
        sound, copied_sound = self.packets(film, "a"), self.packets(copy, "a")
        self.assertTrue(set(copied_sound) <= set(sound), copy)
        self.assertGreaterEqual(len(copied_sound), len(sound) - 2, copy)

    def shown_cues(self, file):
        """The cues of each subtitle track, by its language."""
        probe = json.loads(run_words("ffprobe", "-v", "error", "-show_streams", "-show_packets", "-of", "json", file))
        tracks = {}
        for stream in probe["streams"]:
            if stream["codec_type"] != "subtitle":
                continue
            tracks[stream.get("tags", {}).get("language", "und")] = [
                round(float(one["pts_time"]), 3) for one in probe["packets"]
                if one["stream_index"] == stream["index"] and int(one["size"]) > 2]
        return tracks

    def test_copies_have_the_films_own_streams_and_a_track_for_each_language(self):
        self.simulator()
        film = self.copy_of_film()
        for end, german in (("mkv", "ger"), ("mp4", "deu")):
            with self.subTest(end=end):
                self.caption(film, "--to", end, "--language", "de,en")
                copy = self.work / f"film.captioned.{end}"
                begins = [float(i) for i in range(WINDOWS)]
                self.assertEqual(self.shown_cues(copy), {german: begins, "eng": begins})
                self.expect_copied(film, copy)
                text = self.folder / "read.srt"
                demuxer = "matroskademux" if end == "mkv" else "qtdemux"
                run_words("gst-launch-1.0", "-q", *f"""filesrc location={copy} ! {demuxer} name=d d.subtitle_0 ! queue !
                    srtenc ! filesink location={text} d.video_0 ! queue ! fakesink""".split())
                self.assertEqual([time[0] for time in times(text.read_text(encoding="utf-8"))],
                                 [f"00:00:{i:02}.000" for i in range(WINDOWS)])
        # Matroska has no decoding times, and mp4 needs them.
        self.caption(str(self.work / "film.captioned.mkv"), "-o", str(self.work / "again.mp4"))
        found = run_words("ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", self.work / "again.mp4")
        self.assertAlmostEqual(float(found), WINDOWS, delta=0.5)
        self.assertEqual(self.asked(), 2 * WINDOWS)
        self.assertFalse(list(self.work.glob("*.part")))

    def decoded(self, file):
        lines = run_words("ffmpeg", "-v", "error", "-i", file, "-map", "0:v", "-f", "framemd5", "-").splitlines()
        return len([line for line in lines if not line.startswith("#")])

    def test_a_copy_shows_what_an_edit_list_hides_and_its_captions_stay_at_their_pictures(self):
        self.simulator()
        film = self.work / "edit.mp4"
        run_words("ffmpeg", "-v", "error", "-ss", "3.25", "-i", self.film, "-c", "copy", film)
        whole = len(self.packets(film, "v"))
        hidden = (whole - self.decoded(film)) / 4
        self.assertGreater(hidden, 1)
        for end in ("mkv", "mp4"):
            with self.subTest(end=end):
                self.caption(str(film), "--to", end)
                copy = self.work / f"edit.captioned.{end}"
                self.assertEqual(self.decoded(copy), whole)
                # The last one, too: it ends with the film.
                begins = [hidden + i for i in range(WINDOWS - 3)]
                self.assertEqual(list(self.shown_cues(copy).values()), [begins])

    def expect_remedy(self, film, formats, said, remedy):
        """It is refused before anything is sent, and what it says to do helps."""
        before = sorted(file.name for file in self.work.iterdir())
        for words in formats:
            with self.subTest(words=words):
                run = self.caption(str(film), *words, code=1)
                self.assertIn(f"{said}, and caption that: {remedy}", run.stderr)
        self.assertEqual((self.asked(), sorted(file.name for file in self.work.iterdir())), (0, before))
        whole, copy = film.with_suffix(".mkv"), self.work / "copy.mkv"
        run_words(*remedy.replace("FILM", str(film)).replace("COPY.mkv", str(whole)).split(), "-v", "error")
        self.caption(str(whole), "-o", str(copy))
        self.assertEqual(self.decoded(copy), self.decoded(whole))
        self.assertGreaterEqual(self.decoded(copy), self.decoded(film))

    def test_a_film_of_several_parts_is_refused_because_gstreamer_loses_some(self):
        self.simulator()
        film = self.work / "parts.mp4"
        run_words("ffmpeg", "-v", "error", "-i", self.film, "-c", "copy", film)
        film.write_bytes(with_edits(film.read_bytes(), [(begin, media, 0x10000) for begin, media in
                                                        ((5 * SECOND, 0), (5 * SECOND, 10 * SECOND))]))
        self.expect_remedy(film, ((), ("--to", "mkv"), ("--to", "mp4"), ("--dry-run",)),
                           "of which GStreamer loses pictures; encode the film anew", "ffmpeg -i FILM COPY.mkv")

    def test_captions_that_end_with_a_later_part_are_compared_with_the_length_of_the_film(self):
        self.simulator()
        film = self.work / "fast.mp4"
        run_words("ffmpeg", "-v", "error", "-i", self.film, "-c", "copy", film)
        # The index tells nothing of an edit that changes the speed.
        film.write_bytes(with_edits(film.read_bytes(), [(5 * SECOND, 0, 0x10000), (5 * SECOND, 10 * SECOND, 0x20000)]))
        self.assertRegex(self.caption(str(film)).stderr, r"Its picture ends at \d+ s, though it says that it lasts 20 s\.")

    def test_a_copy_that_would_lack_the_end_of_the_film_is_refused(self):
        self.simulator()
        whole, film = self.work / "whole.mp4", self.work / "late.mp4"
        # Its last keyframe is nearer to the end than the edit list's beginning to that of the media.
        run_words("ffmpeg", "-v", "error", "-i", self.film, "-t", "19", "-c:v", "libx264", "-g", "64", "-keyint_min", "64",
                  "-sc_threshold", "0", "-c:a", "copy", whole)
        run_words("ffmpeg", "-v", "error", "-ss", "5", "-i", whole, "-c", "copy", film)
        if is_newer():  # It loses none, so the copies are whole.
            for end in ("mkv", "mp4"):
                self.caption(str(film), "--to", end)
                self.assertGreaterEqual(self.decoded(self.work / f"late.captioned.{end}"), self.decoded(film))
            return
        self.expect_remedy(film, (("--to", "mkv"), ("--to", "mp4")),
                           "GStreamer loses pictures at its end; make a copy without an edit list", "ffmpeg -i FILM -c copy COPY.mkv")

    def test_the_captions_of_a_transport_stream_begin_with_its_picture(self):
        self.simulator()
        film = self.work / "film.ts"
        run_words("ffmpeg", "-v", "error", "-i", self.film, "-c", "copy", film)
        self.caption(str(film), "--max-cps", "0")
        begins = [seconds(begin) for begin, _ in times(self.read("film.vtt"))]
        self.assertEqual(begins[0], 0)
        self.assertLess(begins[-1], WINDOWS)
        self.caption(str(film), "--max-cps", "0", "--to", "mkv")
        copied = list(self.shown_cues(self.work / "film.captioned.mkv").values())
        self.assertEqual(copied, [begins])

    def expect_captions_at_the_picture(self, film, begin):
        """In the file of captions and in both copies, as ffmpeg reads them."""
        self.caption(str(film), "--max-cps", "0", "--force")
        read = seconds(times(self.read(film.stem + ".vtt"))[0][0])
        for end in ("mkv", "mp4"):
            self.caption(str(film), "--max-cps", "0", "--to", end, "--force")
            copy = self.work / f"{film.stem}.captioned.{end}"
            picture = min(float(at) for at in run_words("ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time",
                                                        "-of", "csv=p=0", copy).replace(",", "").split())
            (shown,) = self.shown_cues(copy).values()
            self.assertAlmostEqual(picture, begin, delta=0.1)
            self.assertEqual((shown[0], read), (round(picture, 3), round(picture, 3)), end)

    def test_a_transport_stream_without_times_is_refused_and_a_copy_with_times_is_captioned_at_its_picture(self):
        self.simulator()
        film, copy = self.work / "late.ts", self.work / "copy.mkv"
        run_words("ffmpeg", "-v", "error", "-itsoffset", 2, "-i", self.film, "-i", self.film, "-map", "0:v", "-map", "1:a", "-c", "copy", film)
        remedy = "ffmpeg -fflags +genpts -i FILM -c copy COPY.mkv"
        if is_newer() and not self.run_genclip("caption", *EACH_SECOND, str(film)).returncode:
            return self.expect_captions_at_the_picture(film, 2)
        # GStreamer 1.22 finds none in it.
        self.assertIn(f"captions would be early; make a copy of it, and caption that: {remedy}", self.caption(str(film), code=1).stderr)
        for end in ("mkv", "mp4"):
            self.assertIn(remedy, self.caption(str(film), "--to", end, code=1).stderr)
        self.assertEqual([file.name for file in self.work.iterdir()], ["late.ts"])
        run_words("ffmpeg", "-v", "error", "-fflags", "+genpts", "-i", film, "-c", "copy", copy)
        self.expect_captions_at_the_picture(copy, 2)
        return None

    def test_a_picture_that_mp4_cannot_hold_is_an_error(self):
        self.simulator()
        film = self.work / "photos.mkv"
        run_words("ffmpeg", "-v", "error", "-i", self.film, "-c:v", "mjpeg", "-an", film)
        run = self.caption(str(film), "--to", "mp4", code=1)
        self.assertRegex(run.stderr, r"Its picture \(.*JPEG.*\) cannot be in mp4; use --to mkv, or --to vtt\.")
        self.assertEqual(([file.name for file in self.work.iterdir()], self.asked()), (["photos.mkv"], 0))

    # GStreamer's reader of it looks for more data for ever.
    def test_a_film_in_nut_is_an_error_with_what_to_do(self):
        self.simulator()
        film = self.work / "film.nut"
        run_words("ffmpeg", "-v", "error", "-i", self.film, "-c", "copy", film)
        for end in ("vtt", "mkv"):
            for dry in ((), ("--dry-run",)):
                self.assertIn("ffmpeg -i FILM -c copy COPY.mkv", self.caption(str(film), "--to", end, *dry, code=1).stderr)
        self.assertEqual([file.name for file in self.work.iterdir()], ["film.nut"])

    def test_a_picture_of_a_transport_stream_that_mp4_cannot_hold_is_an_error_without_a_critical(self):
        self.simulator()
        film = self.work / "old.ts"
        run_words("ffmpeg", "-v", "error", "-i", self.film, "-r", "25", "-c:v", "mpeg2video", "-an", film)
        run = self.caption(str(film), "--to", "mp4", code=1)
        self.assertRegex(run.stderr, r"Its picture \(.*\) cannot be in mp4")
        self.assertNotIn("CRITICAL", run.stderr)

    def test_a_turned_picture_is_not_copied_to_lie_on_its_side(self):
        self.simulator()
        film = self.work / "phone.mp4"
        film.write_bytes(turned(self.film.read_bytes(), 90))
        self.assertIn("rotation", run_words("ffprobe", "-v", "error", "-show_streams", film))
        for end in ("mkv", "mp4"):
            with self.subTest(end=end):
                self.assertRegex(self.caption(str(film), "--to", end, code=1).stderr, "Its picture is turned.*; use --to vtt")
        self.assertEqual(([file.name for file in self.work.iterdir()], self.asked()), (["phone.mp4"], 0), "it is tried first")
        self.caption(str(film), "--to", "vtt")
        self.assertEqual(self.asked(), WINDOWS)

    def test_a_copy_keeps_the_films_own_subtitles(self):
        self.simulator()
        late = self.work / "late.srt"
        late.write_text("1\n00:00:12,000 --> 00:00:16,500\nLate\n", encoding="utf-8")
        own = self.work / "own.srt"
        own.write_text("1\n00:00:02,500 --> 00:00:03,250\n<i>Tom</i> & Jerry\n\n"
                       "2\n00:00:07,000 --> 00:00:08,000\na < b\n", encoding="utf-8")
        film = self.work / "subtitled.mkv"
        run_words("ffmpeg", "-v", "error", "-i", self.film, "-i", own, "-i", late, "-map", "0", "-map", "1", "-map", "2", "-c", "copy",
                  "-c:s", "srt", "-metadata:s:s:0", "language=fre", "-metadata:s:s:1", "language=ita", film)
        begins = [float(i) for i in range(WINDOWS)]
        for end, tags, text in (("mkv", ("fre", "ita", "eng"), "<i>Tom</i> & Jerry"), ("mp4", ("fra", "ita", "eng"), "Tom & Jerry")):
            with self.subTest(end=end):
                run = self.caption(str(film), "--to", end, "--language", "en")
                self.assertNotIn("A stream (", run.stderr)
                copy = self.work / f"subtitled.captioned.{end}"
                shown = self.shown_cues(copy)
                self.assertEqual(tuple(shown), tags)
                self.assertEqual(list(shown.values()), [[2.5, 7.0], [12.0], begins])
                kept = cues(run_words("ffmpeg", "-v", "error", "-i", copy, "-map", "0:s:0", "-f", "srt", "-"))
                # ffmpeg adds the font of mp4 tracks.
                self.assertEqual([re.sub("</?font[^>]*>", "", words) for _, _, words in kept], [text, "a < b"])
                self.assertEqual([seconds(finish) for _, finish, _ in kept], [3.25, 8.0])
                last = cues(run_words("ffmpeg", "-v", "error", "-i", copy, "-map", "0:s:1", "-f", "srt", "-"))
                self.assertEqual([seconds(finish) for _, finish, _ in last], [16.5])
                self.expect_copied(film, copy)

    def test_texts_of_ass_are_copied_without_a_critical(self):
        self.simulator()
        own, film = self.work / "own.srt", self.work / "ass.mkv"
        own.write_text("1\n00:00:12,000 --> 00:00:16,500\nLate\n", encoding="utf-8")
        run_words("ffmpeg", "-v", "error", "-i", self.film, "-i", own, "-map", "0", "-map", "1", "-c", "copy", "-c:s", "ass", film)
        for end in ("mkv", "mp4"):
            with self.subTest(end=end):
                run = self.caption(str(film), "--to", end, "--language", "de")
                self.assertNotIn("CRITICAL", run.stderr)
                # parsebin makes no text of ASS any more, so the track stays as it is, where it can.
                if end == "mp4" and is_newer():
                    self.assertIn("(Advanced SubStation Alpha) is left out: it cannot be in mp4", run.stderr)
                    continue
                self.assertEqual(list(self.shown_cues(self.work / f"ass.captioned.{end}").values())[0], [12.0])

    def test_what_no_muxer_writes_is_told_once(self):
        self.simulator()
        film, chapters, font, cover = (self.work / name for name in ("film.mkv", "chapters.txt", "font.ttf", "cover.png"))
        chapters.write_text(";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=9\ntitle=One\n", encoding="utf-8")
        font.write_bytes(b"font")
        run_words("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=red:size=32x32", "-frames:v", "1", cover)
        run_words("ffmpeg", "-v", "error", "-i", self.film, "-i", chapters, "-map", "0", "-map_metadata", "1", "-map_chapters", "1", "-c", "copy",
                  "-attach", font, "-metadata:s:t:0", "mimetype=application/x-truetype-font",
                  "-attach", cover, "-metadata:s:t:1", "mimetype=image/png", "-metadata:s:t:1", "filename=cover.png", film)
        for end, lost in (("mkv", ["attachments, such as fonts", "cover picture"]), ("mp4", ["attachments, such as fonts", "chapters"])):
            with self.subTest(end=end):
                run = self.caption(str(film), "--to", end)
                self.assertEqual(sorted(re.findall("The copy lacks the film's (.*): GStreamer writes none", run.stderr)), lost)
        self.assertIn("One", run_words("ffprobe", "-v", "error", "-show_chapters", self.work / "film.captioned.mkv"))

    # GStreamer has one parser for both, which may give either until the first data.
    def test_a_sound_that_mp4_cannot_hold_is_left_out_beside_one_that_it_can(self):
        self.simulator()
        film = self.work / "sounds.mkv"
        run_words("ffmpeg", "-v", "error", "-i", self.film, "-map", "0:v", "-map", "0:a", "-map", "0:a", "-c:v", "copy", "-c:a:0", "eac3",
                  "-c:a:1", "ac3", film)
        for end, sounds in (("mp4", ["ac3"]), ("mkv", ["eac3", "ac3"])):
            with self.subTest(end=end):
                run = self.caption(str(film), "--to", end)
                self.assertEqual(run.stderr.count("A stream (audio/x-eac3) is left out"), 2 - len(sounds), run.stderr)
                found = run_words("ffprobe", "-v", "error", "-select_streams", "a", "-show_entries", "stream=codec_name", "-of", "csv=p=0",
                                  self.work / f"sounds.captioned.{end}")
                self.assertEqual([name.strip(",") for name in found.split()], sounds)

    def test_a_copy_to_matroska_keeps_styles_and_positions(self):
        self.simulator()
        styled, film = self.work / "styled.ass", self.work / "styled.mkv"
        styled.write_text(STYLED, encoding="utf-8")
        run_words("ffmpeg", "-v", "error", "-i", self.film, "-i", styled, "-map", "0", "-map", "1", "-c", "copy", film)
        self.caption(str(film), "--to", "mkv", "--language", "de")
        kept = [run_words("ffmpeg", "-v", "error", "-i", path, "-map", "0:s:0", "-c", "copy", "-f", "ass", "-")
                for path in (film, self.work / "styled.captioned.mkv")]
        self.assertIn("Dialogue: 3,0:00:02.00,0:00:04.20,Sign,,1,2,3,,{\\pos(100,50)\\c&H00ff00&}EXIT", kept[0])
        self.assertEqual(kept[0], kept[1])

    def test_a_film_that_is_generated_is_in_the_store_of_its_captions(self):
        self.simulator()
        store = self.folder / "other"
        run = self.caption(CLIP, "-o", str(self.work / "storm.mkv"), "--store", str(store), "--project", "storm", "--json")
        self.assertEqual((self.stats()["submits"], self.store.exists()), (1, False))
        credits = json.loads(run.stdout)["credits"]
        self.assertGreater(credits, 0)
        self.assertIn(f"{credits:g} credits for clips.\n", run.stderr)
        run = self.caption(CLIP, "-o", str(self.work / "storm.vtt"), "--store", str(store), "--json")
        self.assertEqual((json.loads(run.stdout)["credits"], "credits" in run.stderr), (0, False), "it is in the store")
        cost = json.loads(self.run_genclip("cost", "--store", str(store), "--by", "project", "--json").stdout)
        self.assertEqual([(row["project"], row["clips"]) for row in cost["rows"]], [("storm", 1)])

    def test_settings_of_captions_are_judged_before_a_film_is_generated_for_them(self):
        self.simulator()
        for end in ("mkv", "vtt"):
            self.assertIn("temperature", self.caption(CLIP, "-o", str(self.work / f"storm.{end}"), "--temperature=-0.5", code=1).stderr)
        del self.env["GENCLIP_LLM_BASE_URL"]
        self.assertIn("llm-base-url", self.caption(CLIP, "-o", str(self.work / "storm.mkv"), code=1).stderr)
        self.assertEqual(self.stats()["submits"], 0)

    def test_a_film_that_is_generated_to_be_tried_is_shown_and_warns(self):
        self.simulator("--fault", "submit#1:lose-answer", "--fault", "submit#2:fail=Too dark", processing=1500)
        words = (CLIP, "-o", str(self.work / "storm.mkv"))
        self.caption(*words, code=1)
        code, shown = genclip_on_terminal("caption", *words, columns=80, **self.env)
        self.assertEqual(code, 1, shown)
        self.assertIn("a-storm.mp4  0:00\n0 requests, 0 tokens\n", shown)
        self.assertIn("may be charged twice", " ".join(shown.split()))
        self.assertEqual((self.stats()["submits"], self.asked()), (2, 0))

    def test_a_budget_that_refuses_the_film_leaves_it_for_later_and_captions_films_that_need_no_clip(self):
        self.simulator()
        self.run_genclip("budget", "set", "--per-day", "1", "--assumed-price", "10")
        film = self.copy_of_film()
        for end in ("mkv", "vtt"):
            words = (CLIP, film, CLIP + "s", "--to", end, "--output", str(self.work), "--json")
            run = self.caption(*words, code=75)
            self.assertEqual([json.loads(line)["status"] for line in run.stdout.splitlines()], ["pending", "completed", "pending"])
            self.assertEqual(run.stderr.count("No file is written for it yet"), 1, run.stderr)
        self.run_genclip("budget", "clear")
        self.run_genclip("budget", "set", "--per-clip", "0.1", "--assumed-price", "10")
        self.assertEqual(json.loads(self.caption(CLIP, "--json", "-o", str(self.work / "storm.mkv"), code=1).stdout)["status"], "failed")
        self.assertEqual((self.stats()["submits"], self.asked()), (0, WINDOWS))

    def test_mistakes_in_the_files_of_models_are_told_once(self):
        self.simulator()
        models = self.work / "models.json"
        models.write_text('{"models": [{"id": "bad"}]}', encoding="utf-8")
        self.env["GENCLIP_MODELS"] = str(models)
        run = self.caption(self.copy_of_film(), self.copy_of_film("other.mp4"))
        self.assertEqual(run.stderr.count("Entries with mistakes in the files of GENCLIP_MODELS are ignored"), 1, run.stderr)

    def test_a_clip_is_not_generated_to_be_translated(self):
        self.simulator()
        for words in ((), ("--dry-run",)):
            run = self.caption("--translate", CLIP, "--language", "de", "-o", str(self.work / "storm.vtt"), *words, code=1)
            self.assertIn("no subtitles", run.stderr)
        self.assertEqual(self.stats()["submits"], 0)

    def test_a_stream_of_no_known_language_is_not_called_english(self):
        self.simulator()
        film = self.work / "sounds.mkv"
        run_words("ffmpeg", "-v", "error", "-i", self.film, "-map", "0:v", "-map", "0:a", "-map", "0:a", "-c", "copy",
                  "-metadata:s:a:1", "language=fre", film)
        untagged = self.work / "film.ts"
        run_words("ffmpeg", "-v", "error", "-i", self.film, "-c", "copy", untagged)
        for source in (untagged, film):
            self.caption(str(source), "-o", str(self.work / "copy.mkv"), "--force")
            found = run_words("ffprobe", "-v", "error", "-show_entries", "stream=codec_type:stream_tags=language", "-of", "csv=p=0",
                              self.work / "copy.mkv")
            self.assertNotIn("eng", found)
        self.assertIn("audio,fre", found)

    # ffprobe prints no language for an unknown one.
    def test_a_language_that_gstreamer_cannot_write_is_not_english_in_a_copy(self):
        self.simulator()
        film, copy = self.work / "yue.mkv", self.work / "copy.mkv"
        run_words("ffmpeg", "-v", "error", "-i", self.film, "-c", "copy", "-metadata:s:a:0", "language=yue", film)
        self.caption(str(film), "-o", str(copy), "--language", "cnr,de")
        found = run_words("ffprobe", "-v", "error", "-show_entries", "stream=codec_type:stream_tags=language", "-of", "csv=p=0", copy)
        self.assertEqual(found.split(), ["video", "audio", "subtitle", "subtitle,ger"])

    def test_killed_at_half_and_run_again_each_window_is_answered_once_and_the_file_is_the_same(self):
        self.simulator()
        film = self.copy_of_film()
        self.caption(film, "-o", str(self.work / "unbroken.vtt"), "--store", str(self.folder / "other"))
        half = WINDOWS // 2
        self.simulator("--fault", f"text#{half + 1}-:hang")
        run = self.start("caption", *EACH_SECOND, "--jobs", "3", film)
        self.wait_for(lambda: len(self.kept()) == half)  # The simulator answers no more.
        run.kill()
        run.wait()
        self.assertEqual(sorted(file.name for file in self.work.iterdir()), ["film.mp4", "film.vtt.part", "unbroken.vtt"])
        self.assertEqual(self.read("film.vtt.part"), "", "none is half")
        self.simulator()
        self.caption(film, "--jobs", "3")
        self.assertEqual(sorted(file.name for file in self.work.iterdir()), ["film.mp4", "film.vtt", "unbroken.vtt"])
        self.assertEqual(self.asked(), WINDOWS - half)
        self.assertEqual(self.read("film.vtt"), self.read("unbroken.vtt"))

    def kept(self):
        return list(self.store.glob("captions/*.json"))

    def wait_for(self, happened):
        deadline = time.monotonic() + 60
        while not happened():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def test_with_all_answers_in_the_store_it_needs_neither_key_nor_network(self):
        self.simulator()
        film = self.copy_of_film()
        self.caption(film)
        self.stop_simulator()
        del self.env["GENCLIP_API_KEY"]
        self.caption(film, "-o", str(self.work / "again.vtt"))
        self.assertEqual(self.read("again.vtt"), self.read("film.vtt"))
        run = self.caption(film, "--prompt", "Another question", "--to", "srt", code=1)
        self.assertIn("API key", run.stderr)
        self.assertFalse((self.work / "film.srt").exists())

    def test_a_film_that_fails_does_not_stop_the_others(self):
        self.simulator()
        (self.work / "broken.mp4").write_bytes(bytes(range(256)) * 400)
        whole = self.copy_of_film("whole.mp4")
        run = self.caption("--json", str(self.work / "broken.mp4"), str(self.work / "none.mp4"), whole, code=1)
        rows = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual([row["status"] for row in rows], ["failed", "failed", "completed"])
        self.assertIn("It cannot be read: ", rows[0]["error"])
        self.assertEqual(rows[1]["error"], "There is no such file.")
        self.assertEqual((rows[2]["windows"], rows[2]["requests"], rows[2]["captions"]), (WINDOWS, WINDOWS, WINDOWS))
        self.assertEqual(rows[2]["outputs"], [{"path": str(self.work / "whole.vtt")}])
        self.assertIn("1 of 3 films are captioned, 2 failed: ", run.stderr)

    def test_a_film_without_a_picture_and_one_that_is_cut_off_are_said(self):
        self.simulator()
        sound = self.work / "sound.mkv"
        run_words("ffmpeg", "-v", "error", "-i", self.film, "-vn", "-c", "copy", sound)
        self.assertIn("There is no picture in it.", self.caption(str(sound), code=1).stderr)
        whole = self.work / "whole.mkv"
        run_words("ffmpeg", "-v", "error", "-i", self.film, "-c", "copy", whole)
        # Its sound is a little longer than its picture, and Matroska does not tell.
        run = self.caption(str(whole))
        tokens = re.search(r"(\d+) tokens\.\n$", run.stderr)[1]
        self.assertRegex(run.stderr, rf"whole\.mkv: 100 %, 0:20 of 0:20, {WINDOWS} requests, {tokens} tokens\n")
        cut = self.work / "cut.mkv"
        cut.write_bytes(whole.read_bytes()[:whole.stat().st_size // 2])
        run = self.caption(str(cut))
        self.assertRegex(run.stderr, r"Its picture ends at \d+ s, though it says that it lasts 20 s")
        self.assertNotIn("100 %", run.stderr)

    def test_a_budget_pauses_the_run_and_a_later_one_does_the_rest(self):
        stay_within_one_day()
        self.simulator()
        film, other = self.copy_of_film(), self.copy_of_film("other.mp4")
        run = self.caption(film, other, "--max-requests", "7", "--json", code=75)
        self.assertEqual([json.loads(line)["status"] for line in run.stdout.splitlines()], ["pending", "pending"])
        no_file = "No file is written for it yet; the store keeps the answers so far.\n"
        self.assertIn(f"{film}: The budget of --max-requests is used up. {no_file}", run.stderr)
        self.assertIn("Run the same command again to go on", run.stderr)
        self.assertEqual((self.asked(), list(self.work.glob("*.vtt"))), (7, []))
        self.run_genclip("budget", "set", "--requests-per-day", "12")
        run = self.caption(film, code=75)
        self.assertIn(f"genclip budget set --requests-per-day N. {no_file}", run.stderr)
        self.assertNotIn("without a caption", run.stderr, "the next run asks about the other windows")
        self.assertEqual(self.asked(), 12)
        self.run_genclip("budget", "clear")
        self.caption(film, other)
        self.assertEqual(self.asked(), WINDOWS)
        self.assertEqual(self.read("film.vtt"), self.read("other.vtt"))

    def test_the_example_captions_every_film_of_a_folder_once_the_budget_allows_it(self):
        self.simulator()
        self.copy_of_film()
        self.copy_of_film("other.MKV")
        stay_within_one_day()
        self.run_genclip("budget", "set", "--requests-per-day", "5")
        path = f"{pathlib.Path(GENCLIP).parent}:{os.environ['PATH']}"
        with subprocess.Popen([EVERY_FILM, self.work, "--interval", "1", "--language", "de", "--to", "srt"], stdout=subprocess.PIPE,
                              env=environment(**self.env, PATH=path, EVERY_FILM_PAUSE="0.2"), stderr=subprocess.DEVNULL, text=True) as run:
            self.addCleanup(lambda: run.poll() is None and run.kill())
            self.wait_for(lambda: self.asked() == 5)
            self.assertEqual(list(self.work.glob("*.srt")), [])
            self.run_genclip("budget", "clear")
            written, _ = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 0)
        self.assertEqual(sorted(written.split()), [str(self.work / name) for name in ("film.de.srt", "other.de.srt")])
        self.assertEqual(self.asked(), WINDOWS)

    def test_a_limit_holds_for_all_films_of_a_run_together(self):
        self.simulator()
        films = [self.copy_of_film(), self.copy_of_film("other.mp4")]
        run = self.caption(*films, "--cache", "off", "--max-requests", str(WINDOWS + 5), code=75)
        self.assertEqual(self.asked(), WINDOWS + 5, run.stderr)
        run = self.caption(*films, "--cache", "off", "--max-requests", str(WINDOWS), "--force", code=75)
        self.assertIn("The budget of --max-requests is used up.", run.stderr)

    def test_no_film_begins_whose_first_answer_may_exceed_the_tokens_of_the_run(self):
        self.simulator()
        films = [self.copy_of_film(f"{number}.mp4") for number in range(4)]
        one_window = ("--cache", "off", "--interval", "60", "--jobs", "1", "--json")
        each = json.loads(self.caption(films[0], *one_window, "-o", str(self.work / "x.vtt")).stdout)["tokens"]
        run = self.caption(*films, *one_window, "--max-tokens", str(3 * each - 1), code=75)
        self.assertEqual([json.loads(line)["requests"] for line in run.stdout.splitlines()], [1, 1, 0, 0])
        self.assertIn(f"The budget of --max-tokens is used up: {2 * each} of {3 * each - 1} tokens are used, and one more caption may exceed it. "
                      "No file", run.stderr)

    def test_a_run_that_keeps_no_answers_does_not_say_that_it_does(self):
        self.simulator()
        for cache in ("read", "off"):
            run = self.caption(self.copy_of_film(), "--cache", cache, "--max-requests", "2", code=75)
            self.assertIn("No file is written for it yet.\n", run.stderr)
            self.assertNotIn("Run the same command again", run.stderr)
        self.run_genclip("budget", "set", "--requests-per-day", "99")
        ledger = pathlib.Path(self.env["GENCLIP_STORE"], "ledger.jsonl")
        ledger.unlink()
        ledger.mkdir()
        run = self.caption(self.copy_of_film(), code=75)
        self.assertIn("the ledger cannot be used: ", run.stderr)
        self.assertNotIn("The stream continues", run.stderr)

    def test_a_run_whose_answers_are_not_kept_says_why_and_not_that_they_are(self):
        self.simulator("--fault", "text:finish=OTHER")
        film = self.copy_of_film()
        run = self.caption(film, "--max-requests", "7", code=75)
        self.assertEqual(run.stderr.count("An answer ends with OTHER and not with STOP, so it may not be whole."), 1, run.stderr)
        self.assertIn("--max-requests is used up. No file is written for it yet.\n", run.stderr)
        self.assertEqual((self.asked(), self.kept()), (7, []))
        self.simulator("--fault", "text:finish=end_turn")
        run = self.caption(film, "--max-requests", "7", code=75)
        self.assertIn("yet; the store keeps the answers so far.\n", run.stderr)
        self.assertEqual((self.asked(), len(self.kept())), (7, 7))

    def test_a_ledger_that_cannot_be_used_any_more_leaves_the_film_for_later(self):
        stay_within_one_day()
        block = 16
        self.simulator()
        film = self.copy_of_film()
        self.run_genclip("budget", "set", "--requests-per-day", "999")
        ledger = pathlib.Path(self.env["GENCLIP_STORE"], "ledger.jsonl")
        # Nothing is answered until the ledger has the first requests, and cannot be used for others.
        self.running.send_signal(signal.SIGSTOP)
        self.addCleanup(self.running.send_signal, signal.SIGCONT)
        run = self.start("caption", *EACH_SECOND, "--jobs", str(block), "--json", film)
        self.wait_for(lambda: ledger.exists() and ledger.read_text(encoding="utf-8").endswith("\n"))
        ledger.rename(self.folder / "ledger")
        ledger.mkdir()
        self.running.send_signal(signal.SIGCONT)
        out, said = run.communicate(timeout=60)
        self.assertEqual((run.returncode, json.loads(out)["status"]), (75, "pending"), said)
        self.assertIn("the ledger cannot be used: ", said)
        self.assertEqual((self.asked(), len(self.kept()), list(self.work.glob("*.vtt"))), (block, block, []))
        ledger.rmdir()
        (self.folder / "ledger").rename(ledger)
        self.caption(film)
        self.assertEqual((self.asked(), len(cues(self.read("film.vtt")))), (WINDOWS, WINDOWS))

    def test_a_gateway_that_keeps_refusing_leaves_the_film_for_later(self):
        self.simulator("--fault", "text:status=429")
        run = self.caption(self.copy_of_film(), "--retries", "0", code=75)
        self.assertIn("1 is left", run.stderr)

    def test_a_gateway_without_time_pauses_whether_windows_may_fail_or_not(self):
        film = self.copy_of_film()
        for fault in ("text:status=503", "text:hang"):
            self.simulator("--fault", fault)
            self.caption(film, "--retries", "0", "--timeout", "1", code=75)
            self.caption(film, "--retries", "0", "--timeout", "1", "--on-error", "skip", code=75)
        self.assertEqual(list(self.work.glob("*.vtt")), [])

    def test_what_all_requests_would_meet_leaves_no_window_out(self):
        film = self.copy_of_film()
        for status, code in (("402", 75), ("503", 75), ("401", 1), ("403", 1)):
            with self.subTest(status=status):
                shutil.rmtree(self.store, ignore_errors=True)
                self.simulator("--fault", f"text#5-:status={status}")
                run = self.caption(film, "--jobs", "1", "--retries", "0", "--on-error", "skip", code=code)
                self.assertIn(f"({status})", run.stderr)
                self.assertEqual(list(self.work.glob("*.vtt")), [])
                self.assertEqual(len(self.kept()), 4)
        self.simulator()
        self.caption(film, "--on-error", "skip")
        self.assertEqual((self.asked(), len(cues(self.read("film.vtt")))), (WINDOWS - 4, WINDOWS))

    def test_an_outage_pauses_all_films_and_fails_none(self):
        films = [self.copy_of_film(), self.copy_of_film("other.mp4")]
        for fault, options in (("text:status=501", ()), ("text:status=502", ()), ("text:status=504", ()),
                               ("text:status=402", ()), ("text:hang", ("--timeout", "1")), (None, ())):
            with self.subTest(fault=fault):
                self.simulator(*(("--fault", fault) if fault else ()))
                if not fault:
                    self.stop_simulator()
                run = self.caption(*films, "--retries", "0", "--json", *options, code=75)
                rows = [json.loads(line) for line in run.stdout.splitlines()]
                self.assertEqual([row["status"] for row in rows], ["pending", "pending"], rows)
        self.assertIn("refuses the connection", rows[0]["error"])
        self.simulator("--fault", "text:status=400")
        self.caption(*films, "--retries", "0", code=1)
        self.assertEqual(list(self.work.glob("*.vtt")), [])

    def test_a_film_without_any_caption_replaces_nothing(self):
        film = self.copy_of_film()
        (self.work / "film.vtt").write_text("good", encoding="utf-8")
        for fault, code, status in (("text:status=400", 1, "failed"), (None, 75, "pending")):
            with self.subTest(fault=fault):
                self.simulator(*(("--fault", fault) if fault else ()))
                if not fault:
                    self.stop_simulator()
                run = self.caption(film, "--retries", "0", "--on-error", "skip", "--force", "--json", code=code)
                row = json.loads(run.stdout)
                self.assertEqual((row["status"], row["captions"]), (status, 0))
                if fault:
                    self.assertEqual(row["skipped"], WINDOWS)
                    self.assertRegex(row["error"], r"^No window has a caption\. .*")
                self.assertEqual(self.read("film.vtt"), "good")
                self.caption(film, "--retries", "0", "--on-error", "skip", "--to", "mkv", code=code)
                self.assertEqual(sorted(file.name for file in self.work.iterdir()), ["film.mp4", "film.vtt"])
        self.assertIn("refuses the connection", row["error"])

    def test_windows_that_are_left_out_are_counted(self):
        for fault, left_out in (("text#3-5:status=400", 3), ("text#3-4:status=500", 2), ("text#3-4:hang", 2)):
            with self.subTest(fault=fault):
                shutil.rmtree(self.store, ignore_errors=True)
                self.simulator("--fault", fault)
                run = self.caption(self.copy_of_film(), "--on-error", "skip", "--jobs", "1", "--retries", "0", "--timeout", "3",
                                   "--force", "--json")
                row = json.loads(run.stdout)
                self.assertEqual((row["skipped"], row["unasked"]), (left_out, 0))
                self.assertEqual(len(cues(self.read("film.vtt"))), WINDOWS - left_out)
                self.assertIn(f"{left_out} windows without a caption.", run.stderr)

    # Those that come from the store stand between them, as before.
    def test_a_film_that_is_captioned_again_has_the_gaps_that_it_had(self):
        failed = [word for number in (2, 4, 6) for word in ("--fault", f"text#{number}:status=500")]
        self.simulator(*failed, "--fault", f"text#{WINDOWS + 1}-{WINDOWS + 3}:status=500")
        film = self.copy_of_film()
        for _ in range(2):
            run = self.caption(film, "--on-error", "skip", "--jobs", "1", "--retries", "0", "--force", "--json")
            self.assertEqual((run.returncode, json.loads(run.stdout)["skipped"]), (0, 3), run.stderr)
            self.assertEqual(len(cues(self.read("film.vtt"))), WINDOWS - 3)

    def test_a_file_that_cannot_be_written_is_said_before_anything_is_sent(self):
        self.simulator()
        film = self.copy_of_film()
        for path in ("/proc/x.vtt", "/proc/x.mkv", str(self.work / "none" / "x.srt"), str(self.work / ("x" * 300 + ".vtt"))):
            run = self.caption(film, "-o", path, code=1)
            self.assertIn(f"The captions cannot be written to {path}: ", run.stderr)
        (self.work / "film.vtt").mkdir()
        self.assertIn("It is a folder.", self.caption(film, "--force", code=1).stderr)
        self.assertEqual((self.asked(), sorted(file.name for file in self.work.iterdir())), (0, ["film.mp4", "film.vtt"]))

    def test_two_runs_that_write_one_file_pay_once(self):
        film = self.copy_of_film()
        for name in ("out.vtt", "out.mkv"):
            with self.subTest(name=name):
                self.simulator("--fault", "text#3-:hang")
                kept = len(self.kept())
                words = (film, "-o", str(self.work / name), "--prompt", name)
                run = self.start("caption", *EACH_SECOND, "--jobs", "1", *words)
                self.wait_for(lambda before=kept: len(self.kept()) == before + 2)
                asked = self.asked()
                (self.work / "link").symlink_to(self.work / name)
                for other in (words, (film, "-o", str(self.work / "link"), "--to", name[4:], "--force")):
                    self.assertRegex(self.caption(*other, code=1).stderr, f"Another run writes {self.work}/(link|{name}) at the moment")
                self.assertEqual(self.asked(), asked)
                run.kill()
                run.wait()
                self.simulator()
                self.caption(*words)
                (self.work / "link").unlink()
        self.assertEqual(sorted(file.name for file in self.work.iterdir()), ["film.mp4", "out.mkv", "out.vtt"])

    def test_a_fifo_or_a_device_is_written_to_and_never_replaced(self):
        self.simulator()
        film = self.copy_of_film()
        expected = self.caption(film, "-o", "-").stdout
        self.assertEqual(len(cues(expected)), WINDOWS)
        fifo, device = self.work / "fifo.vtt", self.work / "device.vtt"
        os.mkfifo(fifo)
        device.symlink_to("/dev/null")
        for words in ((), ("--force",)):
            with subprocess.Popen(["timeout", "30", "cat", fifo], stdout=subprocess.PIPE, text=True) as reader:
                self.caption(film, "-o", str(fifo), *words)
                self.assertEqual(reader.communicate()[0], expected)
            self.caption(film, "-o", str(device), *words)
        self.assertTrue(fifo.is_fifo() and device.is_symlink() and device.is_char_device())
        self.assertEqual(self.caption(film, "-o", "/dev/stdout", "--to", "vtt").stdout, expected)
        asked = self.asked()
        for path in (fifo, device):
            run = self.caption(film, "-o", str(path.rename(path.with_suffix(".mkv"))), "--prompt", "Else", code=1)
            self.assertIn("It is not a regular file, which a copy of the film needs.", run.stderr)
        self.assertEqual(self.asked(), asked)

    def start_until_it_waits(self, fifo, *words):
        return self.wait_until_it_waits(self.start("caption", *EACH_SECOND, *words, "-o", str(fifo)), fifo)

    def wait_until_it_waits(self, run, reader):
        os.set_blocking(run.stderr.fileno(), False)
        said = []

        def waits():
            try:
                said.append(os.read(run.stderr.fileno(), 1 << 16).decode(errors="replace"))
            except BlockingIOError:
                pass
            return f"Waiting for a reader of {reader}. Ctrl-C ends the run.\n" in "".join(said)

        self.wait_for(waits)
        return run

    def test_a_fifo_without_a_reader_is_waited_for_until_one_comes_or_the_run_is_stopped(self):
        self.simulator()
        film = self.copy_of_film()
        expected = self.caption(film, "-o", "-").stdout
        fifo = self.work / "fifo.vtt"
        os.mkfifo(fifo)
        for number in (signal.SIGINT, signal.SIGTERM):
            run = self.start_until_it_waits(fifo, film, "--json")
            run.send_signal(number)
            out, said = run.communicate(timeout=30)
            self.assertEqual((run.returncode, json.loads(out)["status"]), (128 + number, "stopped"), said)
        run = self.start_until_it_waits(fifo, film)
        self.assertEqual(run_words("timeout", "30", "cat", fifo), expected)
        _, said = run.communicate(timeout=30)
        self.assertEqual((run.returncode, "Waiting" in said), (0, False), said)
        self.assertEqual(self.asked(), WINDOWS)

    @staticmethod
    def fill(end):
        filled = 0
        for size in (4096, 1):
            try:
                while True:
                    filled += os.write(end, b"x" * size)
            except BlockingIOError:
                pass
        return filled

    def test_standard_output_that_nobody_reads_is_waited_for_until_it_is_read_or_the_run_is_stopped(self):
        self.simulator()
        film = self.copy_of_film()
        expected = self.caption(film, "-o", "-").stdout.encode()
        for number in (signal.SIGINT, 0):
            reader, writer = os.pipe()
            with open(reader, "rb") as all_of_it:
                os.set_blocking(writer, False)
                filled = self.fill(writer)
                os.set_blocking(writer, True)
                run = subprocess.Popen([GENCLIP, "caption", *EACH_SECOND, film, "-o", "-"], env=environment(**self.env), stdin=subprocess.DEVNULL,
                                       stdout=writer, stderr=subprocess.PIPE, text=True)
                self.addCleanup(run.stderr.close)
                self.addCleanup(lambda run=run: run.poll() is None and (run.kill(), run.wait()))
                os.close(writer)
                self.wait_until_it_waits(run, "standard output")
                if number:
                    run.send_signal(number)
                    self.assertEqual(run.wait(30), 128 + number)
                self.assertEqual(all_of_it.read()[filled:], b"" if number else expected)
                self.assertEqual(run.wait(30), 128 + number if number else 0)

    def test_a_fifo_whose_reader_does_not_read_is_waited_for_until_it_does_or_the_run_is_stopped(self):
        self.simulator()
        film = self.copy_of_film()
        expected = self.caption(film, "-o", "-").stdout.encode()
        fifo = self.work / "fifo.vtt"
        os.mkfifo(fifo)
        end = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
        self.addCleanup(os.close, end)
        filled = self.fill(end)
        run = self.start_until_it_waits(fifo, film, "--json")
        run.send_signal(signal.SIGINT)
        out, said = run.communicate(timeout=30)
        self.assertEqual((run.returncode, json.loads(out)["status"]), (130, "stopped"), said)
        run = self.start_until_it_waits(fifo, film)
        found = bytearray()

        def is_all_read():
            try:
                found.extend(os.read(end, 1 << 16))
            except BlockingIOError:
                pass
            return len(found) >= filled + len(expected)

        self.wait_for(is_all_read)
        self.assertEqual(bytes(found[filled:]), expected)
        _, said = run.communicate(timeout=30)
        self.assertEqual(run.returncode, 0, said)

    def test_a_socket_is_refused_before_anything_is_sent(self):
        self.simulator()
        path = self.work / "socket.vtt"
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(str(path))
            run = self.caption(self.copy_of_film(), "-o", str(path), code=1)
        self.assertIn(f"The captions cannot be written to {path}: It is a socket.", run.stderr)
        self.assertEqual((self.asked(), path.is_socket()), (0, True))

    def test_standard_output_by_any_of_its_names_may_be_a_file(self):
        self.simulator()
        film = self.copy_of_film()
        expected = self.caption(film, "-o", "-").stdout
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            with self.subTest(name=name), open(self.work / "all.txt", "w+", encoding="utf-8") as out:
                out.write("before\n")
                out.flush()
                subprocess.run([GENCLIP, "caption", *EACH_SECOND, film, "--to", "vtt", "-o", name], env=environment(**self.env),
                               stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL, timeout=60, check=True)
                out.seek(0)
                self.assertEqual(out.read(), "before\n" + expected)

    def test_what_a_link_leads_to_is_replaced_and_the_link_stays(self):
        self.simulator()
        film = self.copy_of_film()
        (self.work / "far").mkdir()
        for name in ("new.vtt", "there.vtt", "there.mkv"):
            with self.subTest(name=name):
                link, target = self.work / name, self.work / "far" / name
                link.symlink_to(pathlib.Path("far") / name)
                if name.startswith("there"):
                    target.write_text("old", encoding="utf-8")
                self.caption(film, "-o", str(link), "--force")
                self.assertTrue(link.is_symlink())
                self.assertGreater(target.stat().st_size, 100)
        self.assertEqual(sorted(file.name for file in (self.work / "far").iterdir()), ["new.vtt", "there.mkv", "there.vtt"])

    def test_a_copy_for_which_the_disk_has_no_room_is_refused_before_anything_is_sent(self):
        self.simulator()
        film = self.copy_of_film()
        free = shutil.disk_usage(self.work).free
        try:
            os.truncate(film, free + (1 << 36))  # A hole, which takes nothing.
        except OSError:
            self.skipTest("no file may be larger than this disk")
        run = self.caption(film, "--to", "mkv", code=1)
        self.assertRegex(run.stderr, r"A copy of the film takes about [0-9.]+\s[kMGTP]?B, and [0-9.]+\s[kMGTP]?B are free there\.")
        self.assertEqual((self.asked(), [file.name for file in self.work.iterdir()]), (0, ["film.mp4"]))

    def test_each_warning_is_told_once(self):
        faults = [("--fault", f"text#{i}:status={400 if i % 2 else 404}") for i in range(1, 11)]
        self.simulator(*(word for fault in faults for word in fault))
        run = self.caption(self.copy_of_film(), "--on-error", "skip", "--jobs", "1", "--retries", "0")
        self.assertEqual([run.stderr.count(f"refused the request ({status})") for status in (400, 404)], [1, 1])
        self.assertIn("10 windows without a caption.", run.stderr)

    def test_copies_of_an_earlier_run_are_not_captioned_again(self):
        self.simulator()
        film = self.copy_of_film()
        self.caption(film, "--to", "mp4")
        copy = str(self.work / "film.captioned.mp4")
        for words in ((copy, film), (film, copy, "--force")):
            run = self.caption(*words, "--to", "mp4")
            self.assertIn(f"{copy} is left out: the captions of {film} are written to it.", run.stderr)
        self.assertEqual(sorted(file.name for file in self.work.iterdir()), ["film.captioned.mp4", "film.mp4"])

    def stop_once_kept(self, answers, *words):
        """Ends when that many answers are kept and the next requests are on their way."""
        run = self.start("caption", *EACH_SECOND, "--json", *words)
        self.wait_for(lambda: len(self.kept()) >= answers)
        time.sleep(1)
        run.send_signal(signal.SIGINT)
        return run

    def check_stopped(self, run, within):
        began = time.monotonic()
        out, said = run.communicate(timeout=30)
        self.assertLess(time.monotonic() - began, time_limit(within))
        self.assertEqual(run.returncode, 130, said)
        self.assertEqual(json.loads(out)["status"], "stopped")
        self.assertIn("Run the same command again to go on", said)
        self.assertEqual([file.name for file in self.work.iterdir()], ["film.mp4"])
        return said

    def test_ctrl_c_waits_for_the_answers_that_are_paid_and_asks_nothing_more(self):
        # One of the two always waits for an answer.
        self.simulator("--fault", "text#1:delay=3000", "--fault", "text#2-:delay=2000")
        film = self.copy_of_film()
        run = self.stop_once_kept(2, film, "--jobs", "2")
        before = len(self.kept())
        said = self.check_stopped(run, 8)
        self.assertRegex(said, "waiting at most 10 s for [12] answers? that (is|are) paid for")
        self.assertNotIn("budget", said)
        kept = len(self.kept())
        self.assertEqual(self.asked(), kept, "each paid answer is kept")
        self.assertGreater(kept, 2)
        self.assertLessEqual(kept, before + 4, "two that are on their way, and as many that left meanwhile")
        self.simulator()
        self.caption(film)
        self.assertEqual(self.asked(), WINDOWS - kept)

    def test_a_refusal_ends_the_run_with_each_paid_answer_kept_and_asks_nothing_more(self):
        film = self.copy_of_film()
        for fault, code in (("status=402", 75), ("status=400", 1)):
            with self.subTest(fault=fault):
                shutil.rmtree(self.store, ignore_errors=True)
                self.simulator("--fault", f"text#3:{fault}", "--fault", "text#1:delay=3000", "--fault", "text#4-:delay=2000")
                self.caption(film, "--jobs", "4", "--retries", "0", code=code)
                self.assertEqual(self.asked(), len(self.kept()), "each paid answer is kept")
                self.assertIn(self.asked(), range(2, 6))

    def test_ctrl_c_waits_for_what_subtitles_asked(self):
        self.simulator("--fault", "text:delay=2000")
        source = self.work / "film.srt"
        source.write_text("".join(f"{i}\n00:00:{i},000 --> 00:00:{i},500\nText {i}\n\n" for i in range(10, 50)), encoding="utf-8")
        run = self.start("caption", "--translate", str(source), "--language", "de", "--cues-per-request", "1", "--jobs", "2", "--json")
        self.wait_for(lambda: len(self.kept()) >= 2)
        time.sleep(1)
        run.send_signal(signal.SIGINT)
        out, said = run.communicate(timeout=30)
        self.assertEqual((run.returncode, json.loads(out)["status"]), (130, "stopped"), said)
        self.assertEqual(self.asked(), len(self.kept()))
        self.assertIn(self.asked(), range(3, 40))

    def test_ctrl_c_ends_the_wait_for_subtitles_that_do_not_come(self):
        self.simulator()
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number=number), socket.create_server(("127.0.0.1", 0)) as server:
                server.settimeout(60)
                run = self.start("caption", "--translate", f"http://127.0.0.1:{server.getsockname()[1]}/film.srt", "--language", "de",
                                 "-o", str(self.work / "film.de.srt"), "--json")
                connection, _ = server.accept()
                with connection:
                    run.send_signal(number)
                    out, said = run.communicate(timeout=30)
                self.assertEqual((run.returncode, json.loads(out)["status"]), (128 + number, "stopped"), said)
        self.assertEqual(list(self.work.iterdir()), [])

    def test_ctrl_c_waits_ten_seconds_at_most(self):
        self.simulator("--fault", "text#4-:hang")
        run = self.stop_once_kept(3, self.copy_of_film())
        self.check_stopped(run, 14)

    def test_a_second_ctrl_c_ends_it_at_once_and_leaves_no_file(self):
        self.simulator("--fault", "text#4-:hang")
        run = self.stop_once_kept(3, self.copy_of_film())
        stop_again(run, signal.SIGINT)
        self.check_stopped(run, 5)

    def test_a_translation_keeps_each_time_and_loses_no_word(self):
        self.simulator()
        source = self.work / "film.en.srt"
        source.write_text(SUBTITLES, encoding="utf-8")
        run = self.caption("--translate", str(source), "--language", "de")
        self.assertEqual(run.stdout, str(self.work / "film.de.srt") + "\n")
        self.assertEqual(times(self.read("film.de.srt")), times(SUBTITLES))
        said = " ".join(text for _, _, text in cues(self.read("film.de.srt"))).split()
        self.assertEqual([word for word in said if word != "de:"],
                         re.sub(r"</?i>", "", " ".join(text for _, _, text in cues(SUBTITLES))).upper().split())
        self.caption("--translate", str(source), "--language", "de,fr", "--to", "vtt")
        self.assertEqual(times(self.read("film.fr.vtt")), times(SUBTITLES))
        self.assertIn("THIRD &amp; LAST", self.read("film.fr.vtt"))
        row = json.loads(self.caption("--translate", str(source), "--language", "it", "--json").stdout)
        self.assertEqual((row["status"], row["windows"]), ("completed", None))
        asked = self.asked()
        run = self.caption("--translate", str(self.work / "film.fr.vtt"), "--prompt", "Shout.", "-o", "-")
        self.assertEqual(times(run.stdout), times(SUBTITLES))
        self.assertTrue(run.stdout.startswith("WEBVTT"))
        self.assertEqual(self.asked(), asked + 1, "several cues are in one request")

    def test_a_translation_keeps_the_signs_of_windows_and_says_what_it_assumes(self):
        self.simulator()
        source = self.work / "old.srt"
        source.write_bytes("1\n00:00:01,000 --> 00:00:02,000\n\u201cA\u201d \u2013 5 \u20ac\n".encode("cp1252"))
        said = "Warning: old.srt: It is not in Unicode, and is read as WINDOWS-1252; if that is wrong, convert it to UTF-8 first"
        for words in (("--dry-run",), ()):
            self.assertIn(said, self.caption("--translate", str(source), "--language", "de", *words).stderr)
        self.assertIn("\u201cA\u201d \u2013 5 \u20ac", self.read("old.de.srt"))

    def test_a_translation_keeps_cues_that_overlap_or_are_out_of_order(self):
        self.simulator()
        lines = [f"00:00:{i:02},000 --> 00:00:{i + 1:02},000\nline {i}" for i in range(15, 0, -2)]
        source = self.work / "sign.srt"
        source.write_text("\n\n".join(["1\n00:00:00,000 --> 00:00:20,000\n{\\an8}SIGN &amp; <b>more</b>", *lines]), encoding="utf-8")
        for batch in ("1", "10"):
            self.caption("--translate", str(source), "--language", "de", "--force", "--cues-per-request", batch)
            found = [(begin, end, text.removeprefix("de: ")) for begin, end, text in cues(self.read("sign.de.srt"))]
            self.assertEqual(found, [("00:00:00.000", "00:00:20.000", "SIGN & MORE")] + [
                (f"00:00:{i:02}.000", f"00:00:{i + 1:02}.000", f"LINE {i}") for i in range(1, 16, 2)], batch)

    def test_the_parts_of_a_long_cue_are_written_among_the_others(self):
        self.simulator()
        source = self.work / "sign.vtt"
        source.write_text("WEBVTT\n\n00:00.000 --> 00:20.000\nFirst line.\nSecond line.\n\n00:01.000 --> 00:02.000\nShort.\n", encoding="utf-8")
        self.caption("--translate", str(source), "--language", "de", "--max-lines", "1")
        found = times(self.read("sign.de.vtt"))
        self.assertEqual((len(found), found), (3, sorted(found)))

    def test_a_translation_stays_at_the_times_of_its_hls_stream(self):
        self.simulator()
        source = self.work / "film.vtt"
        line = "X-TIMESTAMP-MAP=MPEGTS:324720000,LOCAL:00:00:00.000"
        source.write_text(f"WEBVTT\n{line}\n\n00:01.000 --> 00:02.000\nHello\n", encoding="utf-8")
        run = self.caption("--translate", str(source), "--language", "de")
        self.assertTrue(self.read("film.de.vtt").startswith(f"WEBVTT\n{line}\n\n00:00:01.000"), self.read("film.de.vtt"))
        self.assertNotIn("X-TIMESTAMP-MAP", run.stderr)
        run = self.caption("--translate", str(source), "--language", "de", "--to", "srt")
        self.assertIn("Warning: film.vtt: Its X-TIMESTAMP-MAP sets its cues at the times of an HLS stream", run.stderr)

    def test_a_translation_names_the_lines_of_bad_cues_before_anything_is_sent(self):
        self.simulator()
        source = self.work / "bad.srt"
        source.write_text(SUBTITLES + "\n4\n00:00:05,000 --> 00:00:04,500\nnegative\n", encoding="utf-8")
        for words in ((), ("--dry-run",)):
            run = self.caption("--translate", str(source), "--language", "de", *words, code=1)
            self.assertIn("Line 16: the cue ends before it begins.", run.stderr)
        self.assertEqual((self.asked(), sorted(file.name for file in self.work.iterdir())), (0, ["bad.srt"]))

    def test_a_dry_run_sends_nothing_and_estimates_by_the_ledger(self):
        self.simulator()
        film = self.copy_of_film()
        del self.env["GENCLIP_API_KEY"]
        run = self.caption(film, "--dry-run", "--json")
        row = json.loads(run.stdout)
        self.assertEqual((row["status"], row["windows"], row["requests"], row["tokens"]), ("planned", *2 * [WINDOWS], None))
        self.assertIn(f"At most {WINDOWS} requests. How many tokens they take is unknown until an answer of gem-2.5-flash-lite has told its own. ",
                      run.stderr)
        self.assertAlmostEqual(row["length"], WINDOWS, delta=0.1)
        self.assertEqual((self.asked(), list(self.work.glob("*.vtt"))), (0, []))
        self.env["GENCLIP_API_KEY"] = "key-of-the-test-4711"
        done = json.loads(self.caption(film, "--json").stdout)
        other = self.copy_of_film("other.mp4")
        row = json.loads(self.caption(other, "--dry-run", "--json").stdout)
        self.assertAlmostEqual(row["tokens"] / row["requests"], done["tokens"] / WINDOWS, delta=1)
        run = self.caption(film, "--dry-run", "--json")
        self.assertEqual((json.loads(run.stdout)["requests"], run.stderr),
                         (0, f"genclip: The captions are there already, in {self.work / 'film.vtt'}, which stays as it is: nothing is "
                             "asked for it. To make them again, with the options of this run: --force. If they are of another film, name another "
                             "file with --output.\n"
                             "genclip: There is nothing to ask.\n"))
        # Cuts may end a window after min-interval, a second.
        for align in ("cuts", "1"):
            row = json.loads(self.caption(self.copy_of_film("cut.mp4"), "--align", align, "--interval", "3", "--dry-run", "--json").stdout)
            self.assertEqual((row["windows"], row["requests"]), (math.ceil(WINDOWS / 3), WINDOWS))
        row = json.loads(self.caption(str(self.work / "cut.mp4"), "--align", "cuts", "--interval", "4", "--min-interval", "2",
                                      "--dry-run", "--json").stdout)
        self.assertEqual((row["windows"], row["requests"]), (WINDOWS // 4, WINDOWS // 2))
        (self.work / "film.srt").write_text(SUBTITLES, encoding="utf-8")
        row = json.loads(self.caption("--translate", str(self.work / "film.srt"), "--language", "de", "--dry-run", "--json").stdout)
        self.assertEqual((row["windows"], row["requests"]), (3, 1))
        run = self.caption(str(self.work / "none.mp4"), "genclip://dance-2.5?prompt=a%20storm", "--dry-run", code=1)
        self.assertIn("none.mp4 cannot be captioned: There is no such file.", run.stderr)
        self.assertIn("How many requests it takes is unknown: 1 film of unknown length.", run.stderr)
        self.assertEqual(self.stats()["submits"], 0)

    def test_a_dry_run_counts_the_whole_picture_of_a_film_that_begins_with_a_gap(self):
        self.simulator()
        film = self.work / "gap.mp4"
        run_words("ffmpeg", "-v", "error", "-itsoffset", "2", "-i", self.film, "-i", self.film, "-map", "0:v", "-map", "1:a",
                  "-c", "copy", film)
        row = json.loads(self.caption(str(film), "--dry-run", "--json").stdout)
        self.assertEqual((row["windows"], row["requests"]), (WINDOWS, WINDOWS))
        run = self.caption(str(film))
        self.assertEqual(self.asked(), WINDOWS)
        self.assertNotIn("of 0:02", run.stderr)
        self.assertRegex(run.stderr, r"gap\.mp4: 100 %, 0:21 of 0:21, ")

    def test_a_dry_run_says_that_the_length_of_a_transport_stream_is_a_guess(self):
        self.simulator()
        film = self.work / "film.ts"
        run_words("ffmpeg", "-v", "error", "-i", self.film, "-c", "copy", film)
        said = "film.ts: It may take more or less: a transport stream does not tell its length, which is guessed."
        self.assertIn(said, self.caption(str(film), "--dry-run").stderr)
        self.assertNotIn("guessed", self.caption(self.copy_of_film(), "--dry-run").stderr)

    def test_a_photograph_is_one_upright_picture_of_the_run_and_of_the_dry_run(self):
        self.simulator()
        photo, plain = self.work / "photo.jpg", self.work / "plain.png"
        for picture in (photo, plain):
            run_words("ffmpeg", "-v", "error", "-i", self.film, "-frames:v", "1", picture)
        tiff = b"MM" + struct.pack(">HIHHHIHHI", 42, 8, 1, 0x112, 3, 1, 6, 0, 0)  # Orientation 6: turned.
        exif = b"Exif\0\0" + tiff
        photo.write_bytes(photo.read_bytes()[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + photo.read_bytes()[2:])
        for picture, size in ((photo, "54x96"), (plain, "96x54")):
            with self.subTest(picture=picture.name):
                row = json.loads(self.caption(str(picture), "--dry-run", "--json").stdout)
                self.assertEqual((row["status"], row["windows"], row["requests"]), ("planned", 1, 1))
                row = json.loads(self.caption(str(picture), "--json").stdout)
                self.assertEqual((row["status"], row["requests"], row["captions"]), ("completed", 1, 1))
                self.assertIn(f"still of {size}.", self.read(f"{picture.stem}.vtt"))

    def test_a_dry_run_keeps_the_limit_of_all_films_together_and_names_each_file(self):
        self.simulator()
        films = [self.copy_of_film(), self.copy_of_film("other.mp4")]
        all_of_one = WINDOWS
        limit = all_of_one + 5
        run = self.caption(*films, "--language", "de,en", "--max-requests", str(limit), "--dry-run")
        for name in ("film.de.vtt", "film.en.vtt", "other.de.vtt", "other.en.vtt"):
            self.assertIn(name, run.stdout)
        self.assertIn(f"At most {limit} requests, then --max-requests ends the run; without it, at most {2 * all_of_one} requests.",
                      run.stderr)
        run = self.caption(*films, "--max-requests", str(limit), "--dry-run", "--json")
        self.assertEqual([json.loads(line)["requests"] for line in run.stdout.splitlines()], [all_of_one, 5])
        run = self.caption(*films, "--max-requests", str(2 * all_of_one), "--dry-run")
        self.assertNotIn("--max-requests", run.stderr)

    def test_a_dry_run_has_a_table(self):
        self.simulator()
        film, other = self.copy_of_film("a-film-with-a-rather-long-name.mp4"), self.copy_of_film("other.mp4")
        for columns in WIDTHS:
            with self.subTest(columns=columns):
                code, text = genclip_on_terminal("caption", "--dry-run", "--interval", "1", film, other, columns=columns, **self.env)
                self.assertEqual(code, 0, text)
                screen = Screen(columns)
                screen.feed(text.replace(str(self.work) + "/", ""))
                compare(self, f"caption-dry-run-{columns}", screen.text())

    def test_a_terminal_shows_the_film_in_two_lines_that_stay_in_their_place(self):
        self.simulator("--fault", "text:delay=100")
        film = self.copy_of_film()
        for columns in WIDTHS:
            with self.subTest(columns=columns):
                screen, shown = Screen(columns), []

                def watch(piece, screen=screen, shown=shown):
                    screen.feed(piece.replace("\r\n", "\n"))
                    shown.append(screen.text())

                code, text = genclip_on_terminal("caption", "--interval", "1", "--cache", "off", "--max-cps", "0", "--force", film,
                                                 columns=columns, watch=watch, **self.env)
                self.assertEqual(code, 0, text)
                self.assertEqual(screen.wraps, 0)
                bars = [text for text in shown if re.search(r"^film\.mp4  \[#+-+\]  +\d+ %  0:\d\d of 0:20", text, re.MULTILINE)]
                self.assertTrue(bars, shown)
                self.assertTrue(all(len(text.splitlines()) <= 2 for text in bars), bars)
                self.assertTrue(any(re.search(rf"^\d+ of {WINDOWS} requests, \d+( of about \d+)? tokens$", text, re.MULTILINE)
                                    for text in bars), bars)
                left = [line for line in screen.lines()[:-1] if not line.startswith("  ")]  # Without what continues a line.
                self.assertEqual(len(left), 2, "the path and the end alone are left")

    # R6
    def test_what_was_not_sent_is_no_request(self):
        self.simulator()
        film = self.copy_of_film()
        self.stop_simulator()
        row = json.loads(self.caption(film, "--retries", "1", "--jobs", "1", "--json", code=75).stdout)
        self.assertEqual(row["requests"], 0)
        self.assertEqual(json.loads(self.run_genclip("cost", "--json").stdout)["captions"]["requests"], 0)
        # Skipped windows are sent no more; each would use up one of the two.
        self.simulator()
        row = json.loads(self.caption(film, "--max-requests", "2", "--json", code=75).stdout)
        self.assertEqual((row["requests"], self.asked()), (2, 2))
        self.assertEqual(json.loads(self.run_genclip("cost", "--json").stdout)["captions"]["requests"], 2)

    def test_wrong_words_are_refused_before_anything_is_sent(self):
        self.simulator()
        film = self.copy_of_film()
        other = self.copy_of_film("film.mkv")
        for words, said in (
                ([], "A film is missing."),
                ([film, other], "would both be written to"),
                ([film, other, "-o", str(self.work / "x.vtt")], "For several films, --output must be a folder."),
                ([film, "-o", str(self.work / "none") + "/"], "There is no folder "),
                ([film, "--to", "mp4", "-o", str(self.work / "x.vtt")], "The name of --output is not one for --to mp4."),
                ([film, "-o", str(self.work / "x.txt")], "say the format with --to."),
                ([film, "--to", "avi"], "--to must be vtt, srt, mkv or mp4."),
                ([film, "--language", "german"], '"german" is not the tag of a language'),
                ([film, "--interval", "0"], "--interval must be a number of seconds"),
                ([film, "--min-interval", "0"], "--min-interval must be a number of seconds"),
                ([film, "--jobs", "0"], "--jobs must be an integer from 1."),
                ([film, "--max-tokens", "many"], "--max-tokens must be an integer"),
                ([film, "--max-output-tokens", "-1"], "--max-output-tokens must be an integer from 0"),
                ([film, "--temperature", "1000"], "--temperature must be a number from -1 to 100."),
                ([film, "--on-error", "cry"], "--on-error must be fail or skip."),
                ([film, "--model", "gem-9", "--dry-run"], "gem-9"),
                ([film, "-o", "-", "--language", "de,en"], "Standard output takes one language"),
                ([film, "-o", "-", "--to", "mkv"], "Standard output takes vtt or srt"),
                ([film, "-o", "-", "--json"], "Standard output takes the captions or JSON, not both."),
                (["--translate", "a.srt"], "Say the language of the translation with --language"),
                (["--translate", "a.srt", "--language", "de", "--to", "mkv"], "A translation is written as vtt or srt.")):
            with self.subTest(words=words):
                run = self.run_genclip("caption", *words)
                self.assertEqual(run.returncode, 2, run.stderr)
                self.assertIn(said, run.stderr)
        for words, said in (([film, "-o", film], "Its captions would replace it; give another --output."),
                            ([film, "-o", str(self.work / "none" / "x.vtt"), "--dry-run"], "x.vtt: No such file or directory")):
            with self.subTest(words=words):
                self.assertIn(said, self.caption(*words, code=1).stderr)
        self.assertEqual(self.asked(), 0)
        self.assertEqual(hashlib.sha256(pathlib.Path(film).read_bytes()).digest(), hashlib.sha256(self.film.read_bytes()).digest())

    def test_the_help_fits(self):
        self.assertLessEqual(max(map(len, genclip("caption", "--help").stdout.splitlines())), 80)


if __name__ == "__main__":
    unittest.main()
