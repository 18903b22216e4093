#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""genclip prefetch: every clip that a file names is there before the file is opened."""

import os
import pty
import re
import signal
import subprocess
import time
import unittest

from command import GENCLIP, environment
from service import MODEL, ServiceTest

QUICK = "--poll-interval", "20"
KITE = f"genclip://{MODEL}?prompt=a%20kite&duration=4"
STORM = f"genclip://{MODEL}?prompt=50%25%20of%20a%20storm&duration=4"
FOX = f"genclip://{MODEL}?prompt=a%20fox&duration=4"
LAMP = f"genclip://{MODEL}?prompt=a%20lamp&duration=4"


def escaped(uri):
    """As ges-launch-1.0 needs it."""
    return uri.replace("%", "%25").replace("?", "%3F")


class Prefetch(ServiceTest):
    def setUp(self):
        super().setUp()
        self.simulator()

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def prefetch(self, *words):
        return self.run_genclip("prefetch", *QUICK, *words)

    def submits(self):
        return self.stats()["submits"]

    def prompts(self):
        return sorted(clip["prompt"] for clip in self.listed()["clips"])

    def files(self):
        return [
            self.write("film.xges", f"<ges><!-- genclip://{MODEL}?prompt=old -->\n<asset id='{KITE.replace('&', '&amp;')}'/>\n"
                                    f"<clip asset-id='{KITE.replace('&', '&amp;')}'/></ges>"),
            self.write("film.sh", f'#!/bin/sh\n# {FOX}\nges-launch-1.0 +clip "{escaped(STORM)}" duration=4.0\n'),
            self.write("evening.m3u8", f"#EXTM3U\n#EXTINF:4,kite\n{KITE}\nother.mp4\n"),
            self.write("rundown.json", f'{{"program": [{{"source": "{FOX}"}}, {{"source": "x.mp4"}}]}}'),
            self.write("notes.txt", f"The lamp ({LAMP}), and the kite again: {KITE}.\n")]

    def test_generates_what_files_of_every_kind_name_once_each(self):
        run = self.prefetch("--yes", *self.files())
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.submits(), 4)
        self.assertEqual(self.prompts(), ["50% of a storm", "a fox", "a kite", "a lamp"])
        paths = run.stdout.splitlines()
        self.assertEqual(len(paths), 4)
        for path in paths:
            self.assertTrue(os.path.isfile(path), path)
        self.assertRegex(run.stderr, r"film\.xges:2\b.*\bto pay\b")
        self.assertIn("4 of 4 clips are stored", run.stderr)
        again = self.prefetch("--yes", *self.files())
        self.assertEqual((again.returncode, len(again.stdout.splitlines()), self.submits()), (0, 4, 4), again.stderr)
        self.assertIn("To pay: nothing", again.stderr)

    def test_a_player_gets_what_was_generated(self):
        path = self.write("film.sh", f"ges-launch-1.0 +clip {escaped(STORM)}\n")
        self.assertEqual(self.prefetch("--yes", path).returncode, 0)
        play = subprocess.run(["gst-discoverer-1.0", "-t", "60", STORM], env=environment(**self.env), capture_output=True, text=True,
                              timeout=120, check=False)
        self.assertEqual((play.returncode, self.submits()), (0, 1), play.stdout + play.stderr)

    def test_pays_nothing_without_a_terminal_and_without_yes(self):
        run = self.prefetch(*self.files())
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("--yes", run.stderr)
        self.assertEqual(self.submits(), 0)

    def on_terminal(self, answer, *words):
        """The exit code, and what is on the screen, when a person gives this answer."""
        main, other = pty.openpty()
        process = subprocess.Popen([GENCLIP, "prefetch", *QUICK, *words], env=environment(**self.env, TERM="dumb"), stdin=other,
                                   stdout=other, stderr=subprocess.STDOUT)
        os.close(other)
        screen = b""
        try:
            while b"[y/N]" not in screen:
                screen += os.read(main, 4096)
            os.write(main, answer)
            while True:
                screen += os.read(main, 4096)
        except OSError:  # The program has left the terminal.
            pass
        finally:
            os.close(main)
        return process.wait(60), screen.decode()

    def test_asks_on_a_terminal_and_takes_only_yes_for_yes(self):
        path = self.write("film.txt", KITE)
        for answer in (b"\n", b"n\n", b"\x04"):
            code, screen = self.on_terminal(answer, path)
            self.assertEqual((code, self.submits()), (1, 0), screen)
            self.assertIn("Nothing was submitted", screen)
        code, screen = self.on_terminal(b"y\n", path)
        self.assertEqual((code, self.submits()), (0, 1), screen)

    def test_tells_every_invalid_uri_before_anything_is_paid(self):
        good = self.write("good.txt", KITE)
        bad = self.write("bad.txt", f"\ngenclip://{MODEL}?duration=x&prompt=a\n{FOX}\ngenclip://no-such-model\n")
        run = self.prefetch("--yes", good, bad)
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertRegex(run.stderr, r"bad\.txt:2: .*duration")
        self.assertRegex(run.stderr, r"bad\.txt:4: ")
        self.assertNotIn("bad.txt:3", run.stderr)
        missing = self.prefetch("--yes", good, str(self.folder / "none.xges"))
        self.assertEqual(missing.returncode, 1)
        self.assertIn("none.xges", missing.stderr)
        self.assertEqual(self.submits(), 0)

    def test_pays_for_whole_prompts_only(self):
        prompts = ["A storm.", "Run!", "a kite (red)", "a dog's life", "red kite"]
        uris = [f"genclip://{MODEL}?prompt={prompt}&duration=4" for prompt in prompts]
        in_ges = re.sub(r"([^a-zA-Z0-9_/:.-])", r"\\\1", uris[3]).replace("&", "&amp;").replace("'", "&apos;")
        run = self.prefetch("--yes", self.write("rundown.json", f'{{"program": [{{"source": "{uris[0]}"}}]}}'),
                            self.write("evening.m3u8", f"#EXTM3U\n{uris[1]}\n{uris[2]}\n"),
                            self.write("film.xges", f"<ges><clip metadatas='metadatas, source-uri=(string)&quot;{in_ges}&quot;'/></ges>"),
                            self.write("film.sh", f'#!/bin/sh\ngst-play-1.0 \\\n  "{uris[4]}"\n'))
        self.assertEqual((run.returncode, self.submits()), (0, 5), run.stderr)
        self.assertEqual(self.prompts(), sorted(prompts))

    def test_submits_nothing_while_a_file_cannot_be_read_for_certain(self):
        good = self.write("good.txt", KITE)
        variable = self.write("film.sh", f'#!/bin/sh\ngst-play-1.0 "genclip://{MODEL}?prompt=$PROMPT"\n')
        broken = self.write("rundown.json", f'{{"source":\n"{FOX}"\n')
        (self.folder / "evening.m3u").write_text(LAMP, encoding="utf-16")
        run = self.prefetch("--yes", good, variable, broken, str(self.folder / "evening.m3u"))
        self.assertEqual((run.returncode, self.submits()), (1, 0), run.stderr)
        self.assertRegex(run.stderr, r"film\.sh:2: .*variable")
        self.assertRegex(run.stderr, r"rundown\.json:[23]: .*JSON")
        self.assertRegex(run.stderr, r"evening\.m3u:1: .*UTF-8")

    def test_says_what_may_be_paid_already(self):
        self.simulator("--fault", "submit#2:lose-answer")
        path = self.write("film.txt", f"{KITE}\n{FOX}\n{LAMP}\n")
        hint = f"unknown whether the clip of {path}:2 was paid for"
        run = self.prefetch("--yes", "--jobs", "1", path)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn(hint, run.stderr)
        run = self.prefetch("--dry-run", path)
        self.assertIn(hint, run.stderr)
        self.assertEqual([row.split("\t")[1] for row in run.stdout.splitlines()], ["STATE", "paid", "may be paid", "paid"])
        left_out = self.prefetch("--dry-run", "--on-unknown", "fail", path)
        self.assertRegex(left_out.stderr, "To pay: nothing")
        self.assertIn("leaves it out", " ".join(left_out.stderr.split()))
        code, screen = self.on_terminal(b"n\n", path)
        self.assertEqual((code, self.submits()), (1, 3), screen)
        before_question = " ".join(screen.partition("[y/N]")[0].split())
        self.assertIn(hint, before_question)
        self.assertIn("may be paid", before_question)
        run = self.prefetch("--yes", path)
        self.assertEqual((run.returncode, self.submits()), (0, 4), run.stderr)
        self.assertNotIn(hint, self.prefetch("--dry-run", path).stderr)

    # Its task has failed since, so that nothing is in doubt any more.
    def test_pays_nothing_for_what_it_leaves_out(self):
        self.simulator(processing=60000)
        path = self.write("film.txt", KITE)
        self.assertEqual(self.prefetch("--yes", "--timeout", "1", path).returncode, 1)
        (journal,) = self.store.glob("*/task.json")
        journal.write_text(re.sub(r'"state" ?: ?"submitted"', '"state":"lost"', journal.read_text()))
        self.faults("query:fail=moderated")
        run = self.prefetch("--yes", "--on-unknown", "fail", path)
        self.assertEqual((run.returncode, self.submits()), (1, 1), run.stderr)
        told = " ".join(run.stderr.split())
        self.assertIn("To pay: nothing", told)
        self.assertIn("it was not among those to be paid. To submit it, run genclip generate", told)

    # A stored clip, whose successor nobody knows anything of, and whose file and task are gone.
    def test_pays_nothing_for_what_it_calls_paid(self):
        path = self.write("film.txt", KITE)
        self.assertEqual(self.prefetch("--yes", path).returncode, 0)
        self.faults("submit:lose-answer")
        self.assertEqual(self.run_genclip("generate", "--anew", KITE).returncode, 1)
        (clip,) = self.store.glob("*/clip.mp4")
        clip.unlink()
        self.simulator()
        run = self.prefetch("--yes", path)
        self.assertEqual((run.returncode, self.submits()), (1, 0), run.stderr)
        self.assertIn("To pay: nothing", run.stderr)
        again = self.prefetch("--yes", path)
        self.assertEqual((again.returncode, self.submits()), (0, 1), again.stderr)
        self.assertNotIn("To pay: nothing", again.stderr)

    def test_says_so_of_a_clip_that_was_stopped_amid_its_submit(self):
        self.simulator("--fault", "submit:hang")
        path = self.write("film.txt", f"{KITE}\n")
        process = self.start("prefetch", "--yes", *QUICK, path)
        told = ""
        for mark in ("submitting", "press Ctrl-C again"):
            while mark not in told:
                line = process.stderr.readline()
                self.assertTrue(line, told)
                told += line
            process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn(f"unknown whether the clip of {path}:1 was paid for", err)

    def test_dry_run_lists_the_prices_and_needs_neither_answer_nor_key(self):
        path = self.write("film.txt", f"{KITE}\n{FOX}\n")
        self.assertIn("2 clips whose cost is unknown", self.prefetch("--dry-run", path).stderr)
        self.assertEqual(self.prefetch("--yes", self.write("one.txt", KITE)).returncode, 0)
        del self.env["GENCLIP_API_KEY"]
        run = self.prefetch("--dry-run", path)
        self.assertEqual((run.returncode, self.submits()), (0, 1), run.stderr)
        rows = [line.split("\t") for line in run.stdout.splitlines()]
        self.assertEqual([row[1] for row in rows], ["STATE", "paid", "to pay"])
        self.assertRegex(rows[2][2], r"^[0-9.]+ credits?$")
        self.assertRegex(run.stderr, r"To pay: [0-9.]+ credits?\n")

    def test_reads_standard_input_and_says_when_nothing_is_named(self):
        run = subprocess.run([GENCLIP, "prefetch", *QUICK, "--yes", "--quiet", "-"], input=f"{KITE}\n", env=environment(**self.env),
                             capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((run.returncode, self.submits()), (0, 1), run.stderr)
        none = self.prefetch("--yes", self.write("none.txt", "nothing\n"))
        self.assertEqual(none.returncode, 0)
        self.assertIn("No genclip:// URI", none.stderr)
        self.assertEqual(self.prefetch("--yes").returncode, 2)

    def test_makes_as_many_at_once_as_told(self):
        self.simulator(processing=60000)
        path = self.write("film.txt", "".join(f"genclip://{MODEL}?prompt=kite%20{i}\n" for i in range(6)))
        process = self.start("prefetch", "--yes", *QUICK, "--jobs", "3", path)
        deadline = time.monotonic() + 60
        while self.submits() < 3:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, self.submits()), (130, 3), err)
        self.assertIn("Run the same command again", err)

    def test_goes_on_when_a_paid_task_cannot_be_followed(self):
        self.simulator("--fault", "query#1:status=402")
        run = self.prefetch("--yes", "--jobs", "1", "--retries", "1", self.write("film.txt", f"{KITE}\n{FOX}\n"))
        self.assertEqual((run.returncode, len(run.stdout.splitlines())), (1, 1), run.stderr)
        self.assertRegex(run.stderr, r"film\.txt:1 failed: ")

    def test_warns_before_it_asks(self):
        long = "genclip://horse-1.0-t2v?prompt=" + "kite%20" * 3000
        self.simulator()
        for words in (["--dry-run"], ["--yes", "--quiet"]):
            with self.subTest(words):
                run = self.prefetch(*words, self.write("long.txt", long + "\n"))
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual(run.stderr.count("Warning: "), 1, run.stderr)
                self.assertRegex(run.stderr, r"Warning: \S*long\.txt:1: .*truncates the rest")

    def test_goes_on_after_a_failure_and_pauses_without_credits(self):
        self.simulator("--fault", "submit#1:fail=moderated", "--fault", "submit#3:status=402")
        path = self.write("film.txt", f"{KITE}\n{FOX}\n{LAMP}\n")
        run = self.prefetch("--yes", "--jobs", "1", path)
        self.assertEqual((run.returncode, len(run.stdout.splitlines())), (75, 1), run.stderr)
        self.assertRegex(run.stderr, r"film\.txt:1 failed: .*moderated")
        self.assertTrue(re.search("1 of 3 clips are stored, 1 failed, 1 is left", run.stderr), run.stderr)
        run = self.prefetch("--yes", "--jobs", "1", self.write("rest.txt", LAMP))
        self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main()
