#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The examples lose no warning, leave no empty file, and end whatever happens."""

import html
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest
import urllib.parse
import xml.etree.ElementTree

from one_day import stay_within_one_day
from simulated_service import SimulatedService

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
APPS = {"Python": lambda name: ["/usr/bin/python3", str(EXAMPLES / "apps" / (name + ".py"))],
        "C": lambda name: [str(pathlib.Path(os.environ["GENCLIP_APPS"]) / name)]}
REQUEST = ["model=dance-2.5", "prompt=a red kite", "poll-interval=10"]
URI = "genclip://dance-2.5?prompt=a%20red%20kite"
CHARGED_TWICE = r"Warning: .*charged twice"
SECOND = "interval=1000000000"
UNSEEN = {"GST_PLUGIN_FEATURE_RANK": "fakevideosink:MAX,fakeaudiosink:MAX"}
NO_SCREEN = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "GST_PLUGIN_FEATURE_RANK": "kmssink:NONE"}


class Case(unittest.TestCase):
    def serve(self, *options):
        service = SimulatedService("--queued", "0", "--processing", "0", "--poll-interval", "10", *options)
        self.addCleanup(service.stop)
        service.env |= {"GENCLIP_LLM_BASE_URL": service.base_url.removesuffix("/api") + "/llm", "no_proxy": "127.0.0.1",
                        "PATH": f"{os.environ['GENCLIP_PROGRAMS']}:{os.environ['PATH']}"}
        return service

    def serve_after_a_lost_answer(self, *options):
        """A run with the same request has to warn."""
        service = self.serve("--fault", "submit#1:lose-answer", *options)
        lost = service.run("gst-launch-1.0", "genclipsrc", *REQUEST, "!", "fakesink")
        self.assertNotEqual(lost.returncode, 0)
        return service


class Warnings(Case):
    def test_a_second_charge_is_told_by_the_programs_that_users_copy(self):
        for language, words in APPS.items():
            with self.subTest(language=language):
                service = self.serve_after_a_lost_answer()
                run = service.run(*words("generate_clip"), service.store.with_name("out.mp4"), *REQUEST)
                self.assertEqual(run.returncode, 0, run.stdout)
                self.assertRegex(run.stdout, "(?m)^" + CHARGED_TWICE)

    def test_a_failure_of_the_programs_that_users_copy_leaves_the_file_that_was_there(self):
        for language, words in APPS.items():
            with self.subTest(language=language):
                service = self.serve("--fault", "submit:status=400")
                out = service.store.with_name("out.mp4")
                out.write_text("of yesterday", encoding="utf-8")
                run = service.run(*words("generate_clip"), out, *REQUEST)
                self.assertEqual(run.returncode, 1, run.stdout)
                self.assertEqual((out.read_text(encoding="utf-8"), [*out.parent.glob("out*")]), ("of yesterday", [out]))
                before = service.stats()["submits"]
                pipe = service.store.with_name("pipe")
                os.mkfifo(pipe)
                for name, said in ((".", "it is a folder"), ("no/out.mp4", "No such file or directory"),
                                   (pipe, "it is not a file")):
                    run = service.run(*words("generate_clip"), name, *REQUEST)
                    self.assertEqual((run.returncode, run.stdout), (1, f"Error: {name} cannot be written: {said}\n"))
                self.assertEqual(service.stats()["submits"], before)

    def expect_while_it_runs(self, service, code, *words, **env):
        """It is told at once, and not when the clip is there: its task runs for longer than the test."""
        run = service.start(*words, **env)
        shown = ""
        while not re.search(CHARGED_TWICE, shown):
            line = run.stdout.readline()
            self.assertTrue(line, shown)
            shown += line
        run.send_signal(signal.SIGINT if code == 130 else signal.SIGTERM)
        rest, _ = run.communicate(timeout=60)
        self.assertEqual(run.returncode, code, shown + rest)

    def test_it_is_told_by_players(self):
        for language, words in APPS.items():
            with self.subTest(language=language):
                service = self.serve_after_a_lost_answer("--processing", "3600000")
                key = service.store.with_name("key")
                key.write_text("sim-key\n", encoding="utf-8")
                key.chmod(0o600)
                self.expect_while_it_runs(service, 130, *words("play_clip"), URI, key, **UNSEEN)

    def test_it_is_told_by_scripts_that_look_at_a_clip_first(self):
        for script in ("burn-in", "play-captioned", "subtitle-track", "subtitle-file"):
            with self.subTest(script=script):
                service = self.serve_after_a_lost_answer("--processing", "3600000")
                out = service.store.with_name("out.mkv" if script == "subtitle-track" else "out.srt")
                self.expect_while_it_runs(service, 143, EXAMPLES / "captions" / script, URI, out)
                self.assertFalse(list(service.store.parent.glob("out*")))


class TextInThePicture(unittest.TestCase):
    def test_keeps_what_looks_like_a_tag(self):
        said = "AT&T sells 5 < 6 <laughter> apples."
        with tempfile.TemporaryDirectory() as folder:
            given, kept, shown = (pathlib.Path(folder) / name for name in ("given.srt", "kept.srt", "shown"))
            given.write_text(f"1\n00:00:00,000 --> 00:00:01,000\n{said}\n\n", encoding="utf-8")
            first_pass = '. "$1"; given=$2; run_pipeline() { cp "$given" "$folder/captions.srt"; captions=1; }; first_pass URI; cp "$folder/captions.srt" "$3"'
            subprocess.run(["bash", "-c", first_pass, "script", EXAMPLES / "captions" / "pipeline", given, kept], check=True, timeout=60)
            subprocess.run(["gst-launch-1.0", "-q", "filesrc", f"location={kept}", "!", "subparse", "!", "filesink", f"location={shown}"],
                           check=True, timeout=60)
            self.assertEqual(html.unescape(shown.read_text(encoding="utf-8")).replace("\u2060", "").strip(), said)


class Failures(unittest.TestCase):
    def test_of_a_film_without_video_show_nothing_that_may_be_secret(self):
        with tempfile.TemporaryDirectory() as folder:
            discoverer = pathlib.Path(folder) / "gst-discoverer-1.0"
            discoverer.write_text('#!/bin/sh\necho "Done discovering $3"\necho "unknown #0: x"\n', encoding="utf-8")
            discoverer.chmod(0o755)
            run = subprocess.run(["bash", "-c", '. "$1"; look_at "https://user:word@media.example/a&b.mp4?sig=word"', "script", EXAMPLES / "captions" / "pipeline"],
                                 env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}, capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((run.returncode, run.stderr), (1, "Done discovering a&b.mp4\nunknown #0: x\nscript: there is no video in a&b.mp4\n"))

    def test_of_a_temporary_folder_tell_no_cost_of_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            odd = pathlib.Path(folder) / 'a"b'
            odd.mkdir()
            run = subprocess.run(["bash", "-c", '. "$1"', "script", EXAMPLES / "captions" / "pipeline"],
                                 env={**os.environ, "TMPDIR": str(odd)}, capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(run.returncode, 1)
            self.assertRegex(run.stderr, r'\Ascript: there is a quotation mark in the name .*a"b/tmp\S+\n\Z')


class Captions(Case):
    def setUp(self):
        self.service = self.serve()
        self.folder = self.service.store.with_name("films")
        self.folder.mkdir()
        self.film = self.make_film("film", 64)

    def make_film(self, name, width):
        """Three seconds without sound."""
        path = self.folder / f"{name}.mkv"
        made = f"videotestsrc num-buffers=30 ! video/x-raw,width={width},height=64,framerate=10/1 ! x264enc tune=zerolatency ! matroskamux"
        subprocess.run(["gst-launch-1.0", "-q", *made.split(), "!", "filesink", f"location={path}"], check=True, timeout=60)
        return path

    def caption(self, script, out, *words, code, said):
        words = [SECOND, *words]
        if script == "hls-languages":
            words.insert(0, "de,en")
        run = self.service.run(EXAMPLES / "captions" / script, self.film.as_uri(), out, *words)
        self.assertEqual(run.returncode, code, run.stdout)
        self.assertRegex(run.stdout, f"(?m)^{script}: {said}")
        return run.stdout

    def left(self):
        return sorted(path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file() and path != self.film)

    def outputs(self):
        return {"subtitle-file": self.folder / "out.vtt", "subtitle-track": self.folder / "out.mkv", "burn-in": self.folder / "out.mp4",
                "hls-languages": self.folder / "hls", "play-captioned": f"filesink location={self.folder}/played"}

    def test_no_caption_is_a_failure_that_leaves_no_file(self):
        self.service.set_faults(["text:status=400"])
        for script, out in self.outputs().items():
            with self.subTest(script=script):
                told = self.caption(script, out, "on-error=skip", code=1, said="there is no caption, so nothing was written")
                self.assertRegex(told, f"(?m)^{script}: Warning: .*400")
                self.assertEqual(self.left(), [])

    def test_a_failure_leaves_the_file_that_was_there(self):
        self.service.set_faults(["text:status=400"])
        for script in ("subtitle-file", "subtitle-track", "burn-in"):
            with self.subTest(script=script):
                out = self.outputs()[script]
                out.write_text("of yesterday", encoding="utf-8")
                for on_error in ("skip", "fail"):
                    said = "there is no caption" if on_error == "skip" else "the pipeline has failed"
                    self.caption(script, out, f"on-error={on_error}", code=1, said=said)
                    self.assertEqual(out.read_text(encoding="utf-8"), "of yesterday")
                self.assertEqual(self.left(), [out.name])
                out.unlink()

    def test_any_name_is_written_and_what_is_beside_it_stays(self):
        odd = "-a\\b 50%d's\t"
        temporary = self.folder / f"t{odd}"
        temporary.mkdir()
        for script, ending in (("subtitle-file", ".vtt"), ("subtitle-track", ".mkv"), ("burn-in", ".mp4"), ("hls-languages", "")):
            with self.subTest(script=script):
                out = self.folder / (odd + ending)
                beside = self.folder / f"{out.name}.part"
                beside.mkdir()
                (beside / "of the user").touch()
                words = [EXAMPLES / "captions" / script, self.film.as_uri(), out.name, *([] if ending else ["de,en"]), "interval=3000000000"]
                run = subprocess.run(words, env=self.service.env | {"TMPDIR": str(temporary)}, cwd=self.folder, capture_output=True,
                                     text=True, timeout=60, check=False)
                self.assertEqual(run.returncode, 0, run.stderr)
                made = out if ending else out / "master.m3u8"
                self.assertGreater(made.stat().st_size, 0)
                self.assertEqual(made.stat().st_mode, (beside / "of the user").stat().st_mode)
                self.assertEqual([*self.folder.glob("*.part")], [beside])
                (beside / "of the user").unlink()
                beside.rmdir()
        self.assertEqual([*temporary.iterdir()], [])

    def test_a_spent_budget_is_told_and_what_there_is_is_kept(self):
        for script, out in self.outputs().items():
            with self.subTest(script=script):
                told = self.caption(script, out, "max-requests=1", "cache=off", "max-in-flight=1", code=3, said="captions may be missing")
                self.assertRegex(told, f"(?m)^{script}: Warning: .*max-requests")
        kept = self.left()
        self.assertEqual([name for name in kept if not name.startswith("hls/")], ["out.mkv", "out.mp4", "out.vtt", "played"])
        self.assertLessEqual({"hls/de.vtt", "hls/en.vtt", "hls/master.m3u8", "hls/picture.m3u8"}, set(kept))
        self.assertEqual((self.folder / "out.vtt").read_text(encoding="utf-8").count(" --> "), 1)
        self.assertTrue(all((self.folder / name).stat().st_size for name in kept), kept)

    def test_a_spent_budget_of_the_store_leaves_no_empty_file(self):
        stay_within_one_day()
        self.service.run("genclip", "budget", "set", "--requests-per-day", "1")
        self.caption("subtitle-file", self.folder / "first.vtt", code=3, said="captions may be missing")
        self.film = self.make_film("other", 128)
        told = self.caption("subtitle-file", self.folder / "other.vtt", code=1, said="there is no caption")
        self.assertIn("requests-per-day", told)
        self.assertFalse((self.folder / "other.vtt").exists())

    def test_each_tells_what_it_does_and_what_it_has_cost(self):
        steps = {"subtitle-file": ["Captioning film.mkv, writing OUT ...", "Written: OUT"],
                 "subtitle-track": ["Captioning film.mkv, writing OUT ...", "Written: OUT"],
                 "burn-in": ["Captioning film.mkv ...", "Writing OUT ...", "Written: OUT"],
                 "hls-languages": ["Captioning film.mkv in 2 languages, writing OUT ...", "Written: OUT/master.m3u8"],
                 "play-captioned": ["Captioning film.mkv ...", "Playing film.mkv ..."]}
        for script, out in self.outputs().items():
            with self.subTest(script=script):
                words = [*(["de,en"] if script == "hls-languages" else []), "interval=3000000000", "cache=off"]
                run = subprocess.run([str(word) for word in (EXAMPLES / "captions" / script, self.film.as_uri(), out, *words)],
                                     env=self.service.env, capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual((run.returncode, run.stdout), (0, ""), run.stderr)
                told = [line.removeprefix(script + ": ") for line in run.stderr.splitlines()]
                self.assertEqual([line for line in told if line.startswith(("Capt", "Writ", "Play"))],
                                 [step.replace("OUT", str(out)) for step in steps[script]])
                self.assertRegex(run.stderr, rf"(?m)^{script}: at most 1 request(, about \d+ tokens)?$")
                self.assertRegex(run.stderr, rf"(?m)^{script}: 100 %, 0:03 of 0:03, 1 caption\b")
                count = "2 captions" if script == "hls-languages" else "1 caption"
                self.assertRegex(told[-1], rf"\A{count}, 1 paid answer, \d+ tokens\Z")

    def test_what_a_failure_has_cost_is_told_and_what_the_store_had(self):
        told = self.caption("subtitle-file", self.folder / "one.vtt", "max-requests=1", "max-in-flight=1", code=3, said="captions may be")
        self.assertRegex(told.splitlines()[-1], r"\Asubtitle-file: 1 caption, 1 paid answer, \d+ tokens\Z")
        self.service.set_faults(["text:status=400"])
        told = self.caption("subtitle-file", self.folder / "two.vtt", "max-in-flight=1", code=1, said="the pipeline has failed")
        self.assertEqual(told.splitlines()[-1], "subtitle-file: 1 caption, 1 from the store")

    def test_no_screen_is_told_before_anything_is_paid(self):
        for words in (["play-captioned", self.film.as_uri()], ["live-overlay"]):
            with self.subTest(script=words[0]):
                run = self.service.run(EXAMPLES / "captions" / words[0], *words[1:], **NO_SCREEN)
                self.assertEqual(run.returncode, 1, run.stdout)
                self.assertRegex(run.stdout, rf"\A{words[0]}: there is no screen to show the picture on\. .*\n\Z")

    def test_a_language_without_any_caption_is_not_offered(self):
        self.service.set_faults(["text:lacks-key=en"])
        self.caption("hls-languages", self.folder / "hls", "max-requests=1", "max-in-flight=1", code=3, said="captions may be missing")
        self.assertIn("hls/de.vtt", self.left())
        self.assertFalse([name for name in self.left() if "en." in name])
        self.assertNotIn('LANGUAGE="en"', (self.folder / "hls" / "master.m3u8").read_text(encoding="utf-8"))


class Ends(Case):
    def stand_in(self, folder, name, text):
        """A program of this name that does what the shell says. Returns the environment that finds it first."""
        (folder / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
        return {"PATH": f"{folder}:{os.environ['PATH']}"}

    def run_script(self, *words, **env):
        return subprocess.run([str(word) for word in words], env={**os.environ, **env}, capture_output=True, text=True, timeout=60,
                              check=False)

    def setUp(self):
        self.folder = self.serve().store.parent

    def test_films_that_stay_pending_are_given_up(self):
        (self.folder / "a.mp4").write_text("", encoding="utf-8")
        env = self.stand_in(self.folder, "genclip", f"echo called >>{self.folder}/calls; exit 75")
        run = self.run_script(EXAMPLES / "captions" / "every-film", self.folder, EVERY_FILM_PAUSE="0", EVERY_FILM_PAUSES="2", **env)
        self.assertEqual(run.returncode, 75, run.stderr)
        self.assertEqual((self.folder / "calls").read_text(encoding="utf-8"), "called\n" * 3)
        self.assertTrue(run.stderr.startswith(f"every-film: Captioning 1 film in {self.folder} ...\n"), run.stderr)

    def test_a_crash_of_gstreamer_is_called_one(self):
        env = self.stand_in(self.folder, "gst-launch-1.0", "kill -SEGV $$")
        run = self.run_script(EXAMPLES / "captions" / "subtitle-file", "file:///film.mp4", self.folder / "out.vtt", **env)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual(run.stderr.splitlines()[-1], "subtitle-file: the pipeline has failed: GStreamer has crashed (SEGV)")

    def test_a_film_that_is_not_there_is_no_crash(self):
        run = self.run_script(EXAMPLES / "captions" / "subtitle-file", "file:///no/such/film.mp4", self.folder / "out.vtt")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual(run.stderr.splitlines()[-1], "subtitle-file: the pipeline has failed")
        self.assertNotIn("kill:", run.stderr)

    def test_nothing_is_left_where_standard_error_has_gone(self):
        env = self.stand_in(self.folder, "gst-launch-1.0", f"""cd {self.folder}; trap ': >ended; exit 1' TERM
echo 'Got message #1 from element "c" (element): gencaption-estimate, requests=(guint64)2, length=(guint64)1000000000;'
until [ -e closed ]; do sleep 0.1; done
echo 'Got message #2 from element "c" (element): gencaption-caption, pts=(guint64)0, duration=(guint64)900000000;'
while :; do sleep 0.1; done""")
        (self.folder / "temporary").mkdir()
        words = [EXAMPLES / "captions" / "subtitle-file", "file:///film.mp4", self.folder / "out.vtt"]
        with subprocess.Popen(words, env={**os.environ, **env, "TMPDIR": str(self.folder / "temporary")}, stderr=subprocess.PIPE) as run:
            self.assertIn(b"Captioning", run.stderr.readline())
            self.assertIn(b"at most", run.stderr.readline())
            run.stderr.close()
            (self.folder / "closed").touch()
            self.assertNotEqual(run.wait(60), 0)
        self.assertTrue((self.folder / "ended").exists(), "the pipeline goes on asking")
        self.assertEqual([*(self.folder / "temporary").iterdir(), *self.folder.glob("out*")], [])

    def test_a_script_that_is_stopped_ends_its_pipeline(self):
        env = self.stand_in(self.folder, "gst-launch-1.0", f"cd {self.folder}; trap ': >ended; exit 1' TERM; echo 'Progress: (a) Asking'; "
                            "while :; do sleep 0.1; done")
        for sent, code in ((signal.SIGHUP, 129), (signal.SIGTERM, 143)):
            with self.subTest(sent=sent.name):
                words = [EXAMPLES / "captions" / "subtitle-file", "file:///film.mp4", self.folder / "out.vtt"]
                # Under nohup, SIGHUP is ignored, and a shell cannot trap what was ignored when it began.
                with subprocess.Popen(words, env={**os.environ, **env}, stderr=subprocess.PIPE, text=True,
                                      preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL)) as run:
                    try:
                        self.assertIn("Captioning", run.stderr.readline())
                        self.assertIn("Asking", run.stderr.readline())
                        run.send_signal(sent)
                        self.assertEqual(run.wait(60), code)
                    finally:
                        run.kill()
                (self.folder / "ended").unlink()  # Fails if the pipeline goes on asking.
                self.assertEqual([*self.folder.glob("out*")], [])

    def test_a_pipeline_that_does_not_end_after_its_error_is_ended(self):
        env = self.stand_in(self.folder, "gst-launch-1.0", """echo 'Got message #9 from element "s" (error): GstMessageError, a=b;'
exec sleep 1000""")
        run = self.run_script("bash", "-c", 'set -euo pipefail; . "$1"; seconds_to_end=1; run_pipeline a', "x",
                              EXAMPLES / "captions" / "pipeline", **env)
        self.assertEqual((run.returncode, run.stderr), (1, "x: the pipeline has failed\n"))

    def test_what_cannot_be_written_is_told_before_anything_is_paid(self):
        for name in ("gst-launch-1.0", "gst-discoverer-1.0", "ges-launch-1.0"):
            env = self.stand_in(self.folder, name, f"touch {self.folder}/called")
        (self.folder / "film.mkv").mkdir()
        scripts = [*(["captions/" + script, "file:///film.mp4"] for script in ("burn-in", "subtitle-track")), ["ges-trailer"]]
        for out, said in (("film.mkv", "is a folder, but the name of a file is needed"), ("no/film.mkv", "cannot be written: No such file or directory"),
                          ("a\nb.mkv", None), ('a"b.mkv', None)):
            for script, *words in scripts:
                with self.subTest(script=script, out=out):
                    run = self.run_script(EXAMPLES / script, *words, self.folder / out, **env)
                    self.assertEqual(run.returncode, 1, run.stderr)
                    said_of = f"{self.folder / out} {said}" if said else "there is a (line break|quotation mark) in the name .*"
                    self.assertRegex(run.stderr, rf"\A{script.rpartition('/')[2]}: {said_of}\n\Z")
        for folder in ("a\nb", 'a"b', "a"):
            with self.subTest(folder=folder):
                run = self.run_script(EXAMPLES / "captions/hls-languages", "file:///film.mp4", EXAMPLES / "simulated" / folder, "de", **env)
                self.assertEqual(run.returncode, 1, run.stderr)
        self.assertFalse((self.folder / "called").exists())

    def in_pipeline(self, text, *words):
        """What a function of captions/pipeline says."""
        run = self.run_script("bash", "-c", f'set -euo pipefail; . "$1"; shift; {text}', "x", EXAMPLES / "captions" / "pipeline", *words)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout + run.stderr

    def test_a_film_is_named_without_what_may_be_secret(self):
        for uri, name in (("genclip://m?duration=5&prompt=a%20red%20100%25%20kite&seed=1", "a red 100% kite"),
                          ("genclip://m?no_prompt=b&prompt=a%5Ccb", "a\\cb"), ("genclip://m?first_image=https://h/a?key=1", "m"),
                          ("file:///a/film%20%C3%A9.mkv", "film é.mkv"), ("file:///a/100%.mkv", "100%.mkv"),
                          ("https://me:word@h/v/film.mp4?key=1#x", "film.mp4"), ("https://me:word@h/?key=1", "h"), ("https://me:word@h", "h")):
            with self.subTest(uri=uri):
                self.assertEqual(self.in_pipeline('name_of "$1"', uri), name + "\n")
        env = self.stand_in(self.folder, "gst-launch-1.0", "exit 0")
        run = self.run_script(EXAMPLES / "captions" / "live-overlay", "rtspsrc user-pw=word", "fakesink", **env)
        self.assertEqual((run.returncode, run.stderr), (0, "live-overlay: Captioning SOURCE until Ctrl-C ...\n"))

    def test_a_film_that_is_longer_than_was_told_is_never_done_beyond_all_of_it(self):
        told = self.in_pipeline('on_estimate ", requests=(guint64)3, length=(guint64)2000000000;"; '
                                'on_caption ", pts=(guint64)2000000000, duration=(guint64)1000000000;"')
        self.assertIn(": 100 %, 0:03 of 0:03, 1 caption\n", told)

    def test_an_unknown_option_is_told_in_one_sentence(self):
        scripts = ["run-demo", "shell", "ges-trailer", "channel/channel", "packaging/build-debs", "../tests/run",
                   *(f"captions/{path.name}" for path in (EXAMPLES / "captions").iterdir() if os.access(path, os.X_OK))]
        for script in scripts:
            with self.subTest(script=script):
                run = self.run_script(EXAMPLES / script, "--halp", "a", "b", "c")
                self.assertEqual((run.returncode, run.stdout), (2, ""), run.stderr)
                name = script.rpartition("/")[2]
                self.assertRegex(run.stderr, rf"\A{name}: unknown option --halp; see (\w+/)?{name} --help\n\Z")

    def test_a_missing_package_is_named_in_one_sentence(self):
        (self.folder / "gi.py").write_text("""raise ImportError("No module named 'gi'")\n""", encoding="utf-8")
        for script, package in (("apps/generate_clip.py", "gstreamer"), ("apps/play_clip.py", "gstreamer"), ("long-take/long-take", "ges")):
            with self.subTest(script=script):
                run = self.run_script("/usr/bin/python3", EXAMPLES / script, "--dry-run", "a", PYTHONPATH=str(self.folder))
                self.assertEqual(run.returncode, 1, run.stderr)
                self.assertRegex(run.stderr, rf"\A[\w-]+: No module named 'gi'\. .*apt-get install python3-gi gir1\.2-{package}-1\.0\n\Z")

    def test_a_build_tells_how_far_it_is(self):
        steps = "".join(f"[{step}/10] Compiling\n" for step in range(1, 11))
        run = subprocess.run(["bash", "-c", '. "$1"; show_steps', "script", EXAMPLES / "environment"], input="ninja: Entering\n" + steps,
                             capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(re.findall(r"\d+ of 10 steps", run.stdout), [f"{step} of 10 steps" for step in (3, 5, 8, 10)])

    def test_who_may_not_install_is_told_what_to_ask_for(self):
        self.stand_in(self.folder, "dpkg-query", "exit 0")
        self.stand_in(self.folder, "sudo", "exit 1")
        env = self.stand_in(self.folder, "apt-get", "exit 1")
        (self.folder / "list").write_text("one\ntwo\n", encoding="utf-8")
        run = self.run_script(EXAMPLES.parent / "tests" / "install-packages", self.folder / "list", **env)
        self.assertEqual(run.returncode, 1)
        self.assertIn("apt-get install --no-install-recommends one two\n", run.stderr)

    def test_a_film_may_be_a_file(self):
        film = self.folder / "a film, 50% ü.mp4"
        film.touch()
        for word, uri in ((str(film), film.as_uri()), ("genclip://veo?prompt=a", "genclip://veo?prompt=a")):
            run = subprocess.run(["bash", "-c", 'set -eu; . "$1"; uri_of "$2"', "script", EXAMPLES / "captions/pipeline", word],
                                 capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((run.returncode, run.stdout.lower()), (0, uri.lower() + "\n"), run.stderr)

    def test_installing_tells_what_it_waits_for(self):
        self.stand_in(self.folder, "dpkg-query", "exit 0")
        self.stand_in(self.folder, "sudo", 'exec "$@"')
        env = self.stand_in(self.folder, "apt-get", 'echo "$*" >>"${0%/*}/asked"; case $* in *--print-uris*) echo "Need to get 5 MB of archives." ;; esac')
        (self.folder / "list").write_text("one\ntwo\n", encoding="utf-8")
        run = self.run_script(EXAMPLES.parent / "tests" / "install-packages", self.folder / "list", **env)
        self.assertEqual((run.returncode, run.stdout.splitlines()), (0, [
            "Reading the lists of packages ...",
            "Installing 2 packages and what they need, which takes some minutes, 5 MB to download ..."]), run.stderr)
        # To ask for the sizes must install nothing.
        self.assertEqual([line.split()[:2] for line in (self.folder / "asked").read_text(encoding="utf-8").splitlines()],
                         [["update"], ["install", "--print-uris"], ["install", "-y"]])

    def test_a_channel_that_ends_early_is_not_waited_for(self):
        env = self.stand_in(self.folder, "genclip", "exit 3")
        run = self.run_script(EXAMPLES / "channel" / "channel", "3000", self.folder, **env)
        self.assertEqual(run.returncode, 3, run.stderr)

    def join(self, *links):
        """Joins files that these pipelines make."""
        files = [self.folder / f"{number}.mkv" for number in range(len(links))]
        for file, link in zip(files, links):
            subprocess.run(["gst-launch-1.0", "-q", *link.split(), "!", "matroskamux", "!", "filesink", f"location={file}"], check=True,
                           timeout=60)
        return subprocess.run(["/usr/bin/python3", "-c", "import pathlib, sys, film; film.join([*map(pathlib.Path, sys.argv[2:])], "
                               "pathlib.Path(sys.argv[1]))", self.folder / "film.mp4", *files], cwd=EXAMPLES / "long-take",
                              capture_output=True, text=True, timeout=60, check=False)

    def test_a_link_without_a_picture_ends_the_film(self):
        run = self.join("audiotestsrc num-buffers=20 ! vorbisenc")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertRegex(run.stderr.splitlines()[-1], "0.mkv: it has no picture")
        self.assertFalse((self.folder / "film.mp4").exists())

    def test_links_that_do_not_fit_do_not_hang_the_film(self):
        picture = "videotestsrc num-buffers=10 ! video/x-raw,width={},height=64,framerate=10/1 ! x264enc tune=zerolatency"
        run = self.join(picture.format(64), picture.format(128))
        self.assertIn(run.returncode, (0, 1), run.stderr)
        if run.returncode == 1:
            self.assertIn("1.mkv: ", run.stderr.splitlines()[-1])


class LongTakes(Case):
    PROGRAM = ["/usr/bin/python3", str(EXAMPLES / "long-take" / "long-take")]

    def setUp(self):
        self.service = self.serve()
        self.folder = self.service.store.parent
        self.published = {"GENCLIP_PUBLISH_FOLDER": str(self.folder), "GENCLIP_PUBLISH_URL": "http://127.0.0.1:9"}

    def test_what_is_known_beforehand_is_told_before_a_link_is_paid(self):
        (self.folder / "a folder.mp4").mkdir()
        (self.folder / "latin").write_bytes(b"a k\xfcte\n")
        words = ["a", "b", "--output", str(self.folder / "film.mp4")]
        for given, published, code, said in (
                (words, {}, 1, "so that genclip can publish it"),
                ([*words, "--model", "dance-2.5"], self.published, 1, 'has no field "first_image"'),
                ([*words, ""], self.published, 1, "prompt is empty"),
                ([*words, "\u98ce" * 501, "c"], self.published, 1, "at most 500"),
                ([*words, "seed=1", "seed=2"], self.published, 1, "gives seed twice"),
                ([*words, "--seed", "1", "seed=2"], self.published, 1, "gives seed twice"),
                ([*words, "--output", str(self.folder / "no" / "film.mp4")], self.published, 1, "film.mp4 cannot be written: No such file or directory"),
                ([*words, "--output", str(self.folder / "a folder.mp4")], self.published, 1, "a folder.mp4 is a folder, but"),
                ([*words, "--output", str(self.folder / "film.xges")], self.published, 2, "is the name of the timeline"),
                ([*words, "prompt=c"], self.published, 2, "prompt= cannot be a field of all links"),
                ([*words, "first_image=c"], self.published, 2, "--first names the picture"),
                ([*words, "--prompts", str(self.folder / "latin")], self.published, 2, "latin is not in UTF-8"),
                ([*words, b"a k\xfcte"], self.published, 2, "a prompt or a field is not in UTF-8")):
            with self.subTest(said=said, given=given):
                run = self.service.run(*self.PROGRAM, *given, **published)
                self.assertEqual(run.returncode, code, run.stdout)
                self.assertIn(said, run.stdout)
                self.assertNotIn("Traceback", run.stdout)
        self.assertEqual(self.service.stats()["submits"], 0)
        self.assertEqual([*self.folder.glob("film*"), *self.folder.glob("*.part")], [])

    def test_a_byte_order_mark_belongs_to_no_prompt(self):
        (self.folder / "prompts").write_text("a kite\n", encoding="utf-8-sig")
        run = self.service.run(*self.PROGRAM, "--prompts", str(self.folder / "prompts"), "--dry-run")
        self.assertEqual((run.returncode, run.stdout.splitlines()[0]), (0, "genclip://sd_2.0_special?prompt=a%20kite"), run.stdout)

    def test_a_signal_gives_genclip_the_time_that_it_takes(self):
        """It keeps the ID of a task whose POST is under way."""
        (self.folder / "genclip").write_text(f"""#!/bin/sh
[ "$1" != check ] || {{ echo '{{"estimate": null}}'; exit 0; }}
cd {self.folder}; trap 'sleep 1; : >ended; exit 130' INT TERM HUP
echo asking >&2
while :; do sleep 0.1; done
""", encoding="utf-8")
        (self.folder / "genclip").chmod(0o755)
        # Under nohup, SIGHUP is ignored.
        for sent, send, code in ((signal.SIGINT, os.killpg, 130), (signal.SIGHUP, os.killpg, 129), (signal.SIGTERM, os.kill, 143)):
            with self.subTest(code=code), \
                 subprocess.Popen([*self.PROGRAM, "a", "--output", self.folder / "film.mp4"], stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"}, start_new_session=True,
                                  preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL)) as run:
                self.assertEqual(run.stderr.readline(), "asking\n")
                send(run.pid, sent)
                self.assertEqual(run.wait(60), code)
                (self.folder / "ended").unlink()  # Else genclip was killed.
                self.assertEqual([*self.folder.glob("film*")], [])


class Trailers(Case):
    def test_both_are_the_same_film_at_the_rate_of_the_clips(self):
        folder = self.serve().store.parent
        for name in ("gst-launch-1.0", "ges-launch-1.0"):
            (folder / name).write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{folder}/words-of-$(basename $0)\n', encoding="utf-8")
            (folder / name).chmod(0o755)
        out = folder / "a b%20c #1?.webm"
        out.write_text("of yesterday", encoding="utf-8")
        subprocess.run([EXAMPLES / "ges-trailer", out], env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}, check=True, timeout=60)
        words = (folder / "words-of-ges-launch-1.0").read_text(encoding="utf-8").splitlines()
        scripted, caps = [], ""
        self.assertEqual([word[:word.rindex(".webm") + 5] for word in words if word.startswith("--output")], [f"--outputuri={out.as_uri()}"])
        self.assertEqual(out.read_bytes(), b"", "the rendered film has another name")
        for number, word in enumerate(words):
            if word == "+clip":
                scripted.append({"uri": urllib.parse.unquote(words[number + 1]), "start": 0.0, "inpoint": 0.0})
            elif word.startswith("--video-caps="):
                caps = word.removeprefix("--video-caps=")
            elif not word.startswith("-") and scripted and "=" in word and "?" not in word and "%" not in word:
                name, value = word.split("=")
                scripted[-1][name] = float(value)

        project = xml.etree.ElementTree.parse(EXAMPLES / "trailer.xges")
        listed = [{"uri": clip.get("asset-id"), **{name: int(clip.get(name)) / 1e9 for name in ("start", "inpoint", "duration")}}
                  for clip in project.iter("clip")]
        self.assertEqual(scripted, listed)
        self.assertEqual({asset.get("id") for asset in project.iter("asset")}, {clip["uri"] for clip in scripted})
        restriction = re.search(r"restriction-caps=\(string\)([^;]*);", project.find(".//track").get("properties"))[1].replace("\\", "")
        restriction = re.sub(r'\((int|fraction)\)|[ "]', "", restriction)
        self.assertEqual(restriction, caps)
        self.assertIn("framerate=24/1", caps)


if __name__ == "__main__":
    unittest.main()
