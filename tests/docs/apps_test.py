#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The applications of examples/apps do in both languages what the guide says of them, against genclip-sim."""

import os
import pathlib
import re
import signal
import subprocess
import unittest

from simulated_service import SimulatedService

APPS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "apps"
COMPILED = pathlib.Path(os.environ["GENCLIP_APPS"])
LANGUAGES = {"Python": ("/usr/bin/python3", lambda name: APPS / (name + ".py")), "C": ("", lambda name: COMPILED / name)}
REQUEST = ["model=dance-2.5", "prompt=a red kite", "poll-interval=10"]
CHANGE = "Nothing was charged. Change what the error names."
LATER = "Nothing was charged. Run this again later."
UNSEEN = {"GST_PLUGIN_FEATURE_RANK": "fakevideosink:MAX,fakeaudiosink:MAX"}
NO_SCREEN = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "GST_PLUGIN_FEATURE_RANK": "kmssink:NONE"}


def words(language, name):
    interpreter, path = LANGUAGES[language]
    return [word for word in (interpreter, str(path(name))) if word]


class Apps(unittest.TestCase):
    def serve(self, *options):
        service = SimulatedService("--queued", "10", "--processing", "10", "--poll-interval", "10", *options)
        self.addCleanup(service.stop)
        return service

    def test_generate_a_file_and_show_progress_and_the_task(self):
        for language in LANGUAGES:
            with self.subTest(language=language):
                service = self.serve()
                out = service.store.with_name("a clip.mp4")
                run = service.run(*words(language, "generate_clip"), out, *REQUEST)
                self.assertEqual(run.returncode, 0, run.stdout)
                (stored,) = service.store.glob("*/clip.mp4")
                self.assertEqual(out.read_bytes(), stored.read_bytes())
                self.assertRegex(run.stdout, r"(?m)^Task \S+: completed$")
                self.assertIn("Submitted (task ", run.stdout)
                self.assertEqual(run.stdout.splitlines()[-1], f"Written: {out}")

    def interrupt(self, service, language, sent=signal.SIGINT):
        """Sends the signal once the task is being processed. Returns the task's ID as the program tells it."""
        out = service.store.with_name("out.mp4")
        run = service.start(*words(language, "generate_clip"), out, *REQUEST)
        shown = ""
        while "processing\n" not in shown:
            line = run.stdout.readline()
            self.assertTrue(line, shown)
            shown += line
        run.send_signal(sent)
        rest, _ = run.communicate(timeout=30)
        self.assertEqual(run.returncode, 128 + sent, shown + rest)
        self.assertEqual([*out.parent.glob("*.part")], [])
        told = re.search(r"Stopped\. Task (\S+) stays with the service; the next run attaches to it\.", rest)
        self.assertTrue(told, rest)
        self.assertIn(f"Task {told[1]}: ", shown)
        return told[1]

    def test_ctrl_c_leaves_the_task_to_the_next_run(self):
        for language in LANGUAGES:
            with self.subTest(language=language):
                service = self.serve("--processing", "600000")
                self.assertEqual(self.interrupt(service, language), self.interrupt(service, language, signal.SIGTERM))
                self.assertEqual(service.stats()["submits"], 1)

    def test_ctrl_c_before_there_is_a_task(self):
        for language in LANGUAGES:
            with self.subTest(language=language):
                service = self.serve("--fault", "submit:status=429;retry-after=60")
                run = service.start(*words(language, "generate_clip"), service.store.with_name("out.mp4"), *REQUEST)
                self.assertTrue(run.stdout.readline())
                run.send_signal(signal.SIGINT)
                rest, _ = run.communicate(timeout=30)
                self.assertEqual(run.returncode, 130, rest)
                self.assertIn("Stopped. If the service has named a task, the next run attaches to it.", rest)

    def test_each_ending_has_its_advice(self):
        for told, fault, settings, env in (
                (CHANGE, None, ["duration=99"], {}),
                (CHANGE, None, [], {"GENCLIP_API_KEY": "wrong"}),
                (CHANGE, None, [], {"GENCLIP_API_KEY": ""}),
                (LATER, "submit:status=402", [], {}),
                (CHANGE, "submit:status=404", [], {}),
                (LATER, "submit:status=429", ["retries=0"], {}),
                ("The task may have been charged, and the same run may pay again. Read the error first.", "submit:lose-answer", [], {}),
                ("The clip is paid for. Run this again: it attaches to the task and does not pay twice.", "media:reset",
                 ["retries=0"], {})):
            service = self.serve(*(["--fault", fault] if fault else []))
            for number, language in enumerate(LANGUAGES):
                with self.subTest(language=language, told=told, fault=fault):
                    run = service.run(*words(language, "generate_clip"), service.store.with_name("out.mp4"), *REQUEST,
                                      f"take={number}", *settings, **env)
                    self.assertEqual(run.returncode, 1, run.stdout)
                    self.assertRegex(run.stdout, r"(?m)^Error: .+\n(.+\n)*" + re.escape(told) + "\n")

    # What was charged is then no clip that a further run attaches to.
    def test_a_clip_that_is_made_of_paid_ones_and_was_not_submitted_is_not_called_paid(self):
        told = "Clips that it is made of are paid for and kept; this clip was not submitted. "
        for advice, status in (("Run this again later.", 402), ("Change what the error names.", 400)):
            service = self.serve("--fault", f"submit#2:status={status}", "--fault", f"submit#4:status={status}")
            public = service.store.with_name("public")
            public.mkdir()
            for number, language in enumerate(LANGUAGES):
                with self.subTest(language=language, status=status):
                    run = service.run(*words(language, "generate_clip"), service.store.with_name("out.mp4"), "model=sd_2.0_special",
                                      "prompt=b", f"first-image=genclip://dream-5.0?prompt=a{number}", "poll-interval=10", "retries=0",
                                      f"publish-folder={public}", "publish-url=http://127.0.0.1:9/", "publish-check=none")
                    self.assertEqual(run.returncode, 1, run.stdout)
                    self.assertIn("\n" + told + advice + "\n", run.stdout)
                    self.assertNotIn("The clip is paid for", run.stdout)

    def test_a_property_that_does_not_exist_is_an_error(self):
        for language in LANGUAGES:
            with self.subTest(language=language):
                service = self.serve()
                run = service.run(*words(language, "generate_clip"), service.store.with_name("out.mp4"), "promt=a")
                self.assertEqual((run.returncode, run.stdout), (2, 'Error: no property "promt" in element "genclipsrc"\n'))

    def test_play_with_a_key_that_only_source_setup_knows(self):
        service = self.serve()
        key = service.store.with_name("key")
        key.write_text("sim-key\n", encoding="utf-8")
        key.chmod(0o600)
        quiet = {"GENCLIP_API_KEY": "", **UNSEEN}
        # Both at once, for a URI has no poll-interval: each waits for five seconds.
        runs = {language: service.start(*words(language, "play_clip"), f"genclip://dance-2.5?prompt={language}", key, **quiet)
                for language in LANGUAGES}
        for language, run in runs.items():
            with self.subTest(language=language):
                shown, _ = run.communicate(timeout=120)
                self.assertEqual(run.returncode, 0, shown)
                self.assertIn("Submitted (task ", shown)

    def test_what_cannot_be_played_is_said(self):
        for language in LANGUAGES:
            with self.subTest(language=language):
                run = subprocess.run([*words(language, "play_clip"), "genclip://no-such-model?prompt=a", "key"],
                                     env={**os.environ, **UNSEEN}, capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
                self.assertRegex(run.stderr, "Error: .*no-such-model")

    def test_no_screen_is_said_before_anything_is_paid(self):
        service = self.serve()
        for language in LANGUAGES:
            with self.subTest(language=language):
                run = service.run(*words(language, "play_clip"), "genclip://dance-2.5?prompt=a", "key", **NO_SCREEN)
                self.assertEqual(run.returncode, 1, run.stdout)
                self.assertRegex(run.stdout, r"(?m)^Error: there is no screen\. generate_clip\S* writes a clip into a file instead\.$")
                self.assertEqual(service.stats()["submits"], 0)

    def test_each_says_how_it_is_used(self):
        for language in LANGUAGES:
            with self.subTest(language=language):
                for name in ("generate_clip", "play_clip"):
                    run = subprocess.run(words(language, name), capture_output=True, text=True, timeout=60, check=False)
                    self.assertEqual(run.returncode, 2)
                    self.assertIn("Usage: " + name, run.stderr)


if __name__ == "__main__":
    unittest.main()
