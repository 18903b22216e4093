#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""genclip generate against the simulator: clips, credits, progress, Ctrl-C."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from command import GENCLIP, environment, genclip_on_terminal
from service import KEY, MODEL, ServiceTest
from stop_again import stop_again
from time_limit import time_limit


def read_until(stream, text):
    """The line of the stream that contains the text."""
    for line in stream:
        if text in line:
            return line
    raise AssertionError(f"never said: {text}")


class Generate(ServiceTest):
    def test_prints_the_path_of_a_whole_clip_and_nothing_else(self):
        self.simulator()
        run = self.generate()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(run.stdout.endswith("/clip.mp4\n"))
        clip = pathlib.Path(run.stdout.rstrip("\n"))
        self.assertEqual(clip.parent.parent, self.store)
        self.assertEqual(clip.read_bytes()[4:8], b"ftyp")

    def test_pays_once_and_the_element_finds_the_clip(self):
        self.simulator()
        self.generate()
        again = self.generate()
        self.assertEqual(again.returncode, 0)
        self.assertIn("nothing new was submitted", again.stderr)
        self.assertEqual(self.stats()["submits"], 1)
        self.stop_simulator()
        copy = self.folder / "copy.mp4"
        run = subprocess.run(["gst-launch-1.0", "genclipsrc", f"model={MODEL}", "prompt=a red kite", "!", "filesink",
                              f"location={copy}"], env=environment(**self.env), capture_output=True, text=True,
                             timeout=60, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertEqual(copy.read_bytes(), pathlib.Path(again.stdout.strip()).read_bytes())

    def test_a_default_spelled_out_or_another_form_of_a_letter_is_the_same_clip(self):
        self.simulator()
        first = self.generate("prompt=caf\u00e9")
        others = [["prompt=caf\u00e9", "duration=4"], ["prompt=cafe\u0301"], ["resolution=480p", "prompt=cafe\u0301", "aspect_ratio=9:16"]]
        for words in others:
            with self.subTest(words=words):
                self.assertEqual(self.generate(*words).stdout, first.stdout)
                self.assertIn("nothing, because the store has the clip", self.run_genclip("check", MODEL, *words).stdout)
                checked = json.loads(self.run_genclip("check", "--json", MODEL, *words).stdout)
                for word in words:
                    name, value = word.split("=")
                    self.assertEqual(str(checked["body"][name]), value)
                found = json.loads(self.run_genclip("store", "show", "--json", checked["uri"]).stdout)
                self.assertEqual(found["key"], pathlib.Path(first.stdout).parent.name)
        rows = self.folder / "rows.jsonl"
        rows.write_text("".join(json.dumps({"model": MODEL, **dict(word.split("=") for word in words)}) + "\n" for words in others),
                        encoding="utf-8")
        batch = self.run_genclip("batch", str(rows))
        self.assertEqual(batch.returncode, 0, batch.stderr)
        self.assertEqual(len(self.account()["tasks"]), 1)
        self.assertNotEqual(self.generate("prompt=caf\u00e9", "duration=5").stdout, first.stdout)

    def test_another_take_is_another_clip_and_anew_replaces_one(self):
        self.simulator()
        first = self.generate().stdout
        self.assertNotEqual(self.generate("prompt=a red kite", "take=1").stdout, first)
        self.assertEqual(self.stats()["submits"], 2)
        self.assertEqual(self.generate("prompt=a red kite", "--anew").stdout, first)
        self.assertEqual(self.stats()["submits"], 3)

    def test_the_least_recently_used_clips_make_room_for_the_new_one(self):
        self.simulator()
        first = self.generate("prompt=a")
        self.assertEqual(self.generate("prompt=b", "--store-max-size", "1G").returncode, 0)
        self.assertEqual(len(self.listed()["clips"]), 2)
        costs = {clip["task_id"]: f"{clip['amount']:g}" for clip in self.listed()["clips"]}
        last = self.generate("prompt=c", "--store-max-size=1B")
        # A10: paid clips are removed only with a warning.
        for task, cost in costs.items():
            self.assertRegex(last.stderr, f"Warning: 2 clips were removed .*task {task}, which cost {cost} credit")
        self.assertEqual((last.returncode, [clip["prompt"] for clip in self.listed()["clips"]]), (0, ["c"]), last.stderr)
        self.assertFalse(pathlib.Path(first.stdout.strip()).exists())

    def test_a_store_size_that_is_none_is_a_usage_error(self):
        self.simulator()
        for size in ("lots", "-1", "1.5X"):
            with self.subTest(size=size):
                run = self.generate("prompt=x", f"--store-max-size={size}")
                self.assertEqual(run.returncode, 2)
                self.assertIn("--store-max-size must be a size, such as 500M", run.stderr)
        self.assertEqual(self.generate("prompt=x", "store-max-size=1G").returncode, 2)
        # A10: a user who means gigabytes would empty the store.
        for size in ("1", "500", "1048575", "0.5"):
            with self.subTest(size=size):
                run = self.generate("prompt=x", f"--store-max-size={size}")
                self.assertEqual(run.returncode, 2)
                self.assertIn(f"--store-max-size must be a size with a unit, such as 500M or 1.5G; {size} alone", run.stderr)
        self.assertEqual(self.stats()["submits"], 0)

    def test_a_store_size_of_bytes_has_a_unit_or_is_large_and_0_is_no_limit(self):
        self.simulator()
        self.generate("prompt=a")
        for size in ("0", "100000000", "1.5G", "100Mi"):
            with self.subTest(size=size):
                run = self.generate(f"prompt=b{size}", f"--store-max-size={size}")
                self.assertEqual((run.returncode, "removed" in run.stderr), (0, False), run.stderr)
        self.assertEqual(len(self.listed()["clips"]), 5)

    def test_a_stored_clip_needs_no_key(self):
        self.simulator()
        first = self.generate().stdout
        key = self.env.pop("GENCLIP_API_KEY")
        again = self.generate()
        self.assertEqual((again.returncode, again.stdout), (0, first), again.stderr)
        for words, said in ((["prompt=another"], f"This clip is not in the store {self.env['GENCLIP_STORE']}. There is no API key"),
                            (["prompt=a red kite", "--anew"], "There is no API key")):
            with self.subTest(words=words):
                run = self.generate(*words)
                self.assertEqual(run.returncode, 1)
                self.assertTrue(run.stderr.startswith("genclip: " + said), run.stderr)
        self.assertEqual(self.stats()["submits"], 1)
        self.env["GENCLIP_API_KEY"] = key

    def test_a_uri_generates_the_same_clip(self):
        self.simulator()
        first = self.generate().stdout
        again = self.run_genclip("generate", f"genclip://{MODEL}?prompt=a%20red%20kite")
        self.assertEqual((again.returncode, again.stdout), (0, first))
        self.assertEqual(self.stats()["submits"], 1)

    def test_writes_the_clip_to_a_file_as_other_programs_do(self):
        self.simulator()
        stored = pathlib.Path(self.generate().stdout.strip()).read_bytes()
        output = self.folder / "kite.mp4"
        output.write_text("what was there before")
        run = self.generate("prompt=a red kite", "-o", str(output))
        self.assertEqual((run.returncode, run.stdout), (0, f"{output}\n"))
        self.assertEqual(output.read_bytes(), stored)
        mask = os.umask(0)
        os.umask(mask)
        self.assertEqual(output.stat().st_mode & 0o777, 0o666 & ~mask)
        self.assertEqual([path.name for path in self.folder.iterdir() if "kite" in path.name], ["kite.mp4"])

    def test_writes_the_clip_to_standard_output(self):
        self.simulator()
        stored = pathlib.Path(self.generate().stdout.strip()).read_bytes()
        run = subprocess.run([GENCLIP, "generate", MODEL, "prompt=a red kite", "--output", "-"],
                             env=environment(**self.env), capture_output=True, timeout=60, check=False)
        self.assertEqual((run.returncode, run.stdout), (0, stored))

    def test_a_link_to_standard_output_is_standard_output(self):
        """Never what a new file replaces: as root, that would be /dev/stdout itself."""
        self.simulator()
        stored = pathlib.Path(self.generate().stdout.strip()).read_bytes()
        link, out = self.folder / "stdout", self.folder / "out.mp4"
        link.symlink_to("/proc/self/fd/1")
        for to_file in (False, True):
            for name in (link, "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
                with self.subTest(name=name, to_file=to_file), open(out, "wb") as file:
                    run = subprocess.run([GENCLIP, "generate", MODEL, "prompt=a red kite", "--output", name], env=environment(**self.env),
                                         stdout=file if to_file else subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertEqual(out.read_bytes() if to_file else run.stdout, stored)
        self.assertTrue(link.is_symlink())

    def test_a_link_to_another_stream_of_a_program_is_refused(self):
        self.simulator()
        link = self.folder / "stderr"
        link.symlink_to("/proc/self/fd/2")
        for name in (link, "/dev/stderr", "/dev/fd/2"):
            run = self.generate("prompt=a red kite", "--output", str(name))
            self.assertEqual(run.returncode, 1)
            self.assertIn(f"The clip cannot be written to {name}: it leads to an open file of a program; - is standard output", run.stderr)
        self.assertTrue(link.is_symlink())
        self.assertEqual(self.stats()["submits"], 0)

    def test_an_output_that_cannot_be_written_is_refused_before_anything_is_paid(self):
        self.simulator()
        for output in (self.folder / "none" / "kite.mp4", self.folder, "/dev/null"):
            run = self.generate("prompt=a red kite", "--output", str(output))
            self.assertEqual(run.returncode, 1)
            self.assertIn("cannot be written", run.stderr)
        self.assertEqual(self.stats()["submits"], 0)

    def test_a_name_for_another_kind_of_clip_is_refused_before_anything_is_paid(self):
        self.simulator()
        for model, name, other in (("dream-5.0", "x.mp4", "x.png"), ("dream-5.0", "a.b/X.MOV", "X.png"), (MODEL, "x.jpg", "x.mp4")):
            with self.subTest(model=model, name=name):
                output = self.folder / name
                output.parent.mkdir(exist_ok=True)
                run = self.run_genclip("generate", model, "prompt=x", "-o", str(output))
                self.assertEqual((run.returncode, run.stdout), (1, ""))
                self.assertIn(f"cannot be written to {output}: {model} makes a", run.stderr)
                self.assertIn(f"{other}\n", run.stderr)
                self.assertFalse(output.exists())
        self.assertEqual(self.stats()["submits"], 0)

    def test_a_name_that_says_another_format_is_written_with_a_warning(self):
        self.simulator()
        for model, name, warning in (("dream-5.0", "x.jpg", "contains PNG"), (MODEL, "x.webm", "contains MP4"), (MODEL, "x.mov", ""),
                                     ("dream-5.0", "x.png", ""), (MODEL, "x", ""), ("dream-5.0", "mp4", "")):
            with self.subTest(model=model, name=name):
                output = self.folder / name
                run = self.run_genclip("generate", model, "prompt=x", "--poll-interval=20", "-o", str(output))
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertIn(warning, run.stderr)
                self.assertEqual("Warning" in run.stderr, bool(warning), run.stderr)
                self.assertTrue(output.exists())

    def test_a_limit_refuses_before_anything_is_sent(self):
        self.simulator()
        price = json.loads(self.generate("prompt=first", "--json", "--quiet").stdout)["amount"]
        refused = self.generate("prompt=second", "--json", f"--max-amount={price / 2}")
        told = json.loads(refused.stdout)
        self.assertEqual((refused.returncode, told["budget"], told["outcome"], told["charged"], told["retry"]),
                         (1, "max-amount", "not-submitted", "no", False))
        (self.store / "budget.json").write_text(json.dumps({"total": price * 1.5}), "utf8")
        refused = self.generate("prompt=second", "--json")
        told = json.loads(refused.stdout)
        self.assertEqual((refused.returncode, told["budget"], told["limit"], told["spent"], told["reserved"], told["estimate"]),
                         (1, "total", price * 1.5, price, 0, price))
        self.assertEqual((told["outcome"], told["charged"], told["retry"]), ("not-submitted", "no", True))
        self.assertIn("genclip budget set --total N", refused.stderr)
        self.assertEqual(self.stats()["submits"], 1)
        self.assertEqual(self.generate("prompt=second", f"--max-amount={price}x").returncode, 2)

    def test_json_of_a_clip(self):
        self.simulator()
        run = self.generate("prompt=a red kite", "--json", "--quiet")
        outcome = json.loads(run.stdout)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(set(outcome), {"status", "model", "task_id", "reused", "amount", "actual_duration", "outcome", "charged",
                                        "retry", "clip"})
        self.assertEqual((outcome["status"], outcome["model"], outcome["reused"]), ("completed", MODEL, False))
        self.assertEqual((outcome["outcome"], outcome["charged"]), ("stored", "yes"))
        self.assertGreater(outcome["amount"], 0)
        again = json.loads(self.generate("prompt=a red kite", "--json").stdout)
        self.assertEqual((again["reused"], again["charged"]), (True, "no"))

    def test_an_image_model_makes_an_image(self):
        self.simulator()
        run = self.run_genclip("generate", "dream-5.0", "prompt=a kite", "--poll-interval=20")
        self.assertTrue(run.stdout.endswith("/clip.png\n"), run.stderr)

    def test_a_task_is_attached_to_by_its_id(self):
        self.simulator()
        task = json.loads(self.generate("prompt=a red kite", "--json").stdout)["task_id"]
        run = self.generate("prompt=another", "--task-id", task)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.stats()["submits"], 1)


class Failure(ServiceTest):
    def test_every_problem_is_named_at_once_and_nothing_is_sent(self):
        self.simulator()
        self.env.pop("GENCLIP_API_KEY")
        run = self.run_genclip("generate", MODEL, "duration=99", "--base-url", "ftp://x")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        for part in ("4 problems", "prompt is missing", "duration is 99", "base-url must be", "no API key"):
            self.assertIn(part, run.stderr)
        self.assertEqual(self.stats()["submits"], 0)

    def test_a_key_file_that_others_can_read_is_warned_of(self):
        self.simulator()
        self.env.pop("GENCLIP_API_KEY")
        file = self.folder / "key"
        file.write_text(KEY + "\n")
        file.chmod(0o644)
        run = self.generate("prompt=x", "--api-key-file", str(file))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stderr.count("chmod 600"), 1, run.stderr)
        file.chmod(0o600)
        run = self.generate("prompt=x", "--api-key-file", str(file))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("chmod 600", run.stderr)

    def test_a_key_may_come_from_a_pipe(self):
        self.simulator()
        self.env.pop("GENCLIP_API_KEY")
        read, write = os.pipe()
        self.addCleanup(os.close, read)
        os.write(write, KEY.encode() + b"\n")
        os.close(write)
        run = self.generate("prompt=x", "--api-key-file", f"/proc/{os.getpid()}/fd/{read}")
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_reference_media_are_looked_at_when_asked_before_anything_is_paid(self):
        self.simulator("--ignore-references")
        reference = "reference_images=http://127.0.0.1:9/gone.png"
        run = self.generate("prompt=x", reference, "--check-media=headers", "--retries=0")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("reference_images", run.stderr)
        self.assertEqual(self.stats()["submits"], 0)
        self.assertEqual(self.generate("prompt=x", reference).returncode, 0)
        self.assertEqual(self.generate("prompt=x", "--check-media=deep").returncode, 2)

    def test_a_signed_reference_is_not_repeated_after_a_failure(self):
        self.simulator("--ignore-references", "--fault", "submit:status=400")
        self.env["GENCLIP_PUBLISH_COMMAND"] = "/nowhere"
        inner = "genclip://sd_2.0_special?prompt=a&first_image=https%3A%2F%2Fh.example%2Fa.png%3FX-Amz-Signature%3DSEKRET"
        for reference in ("https://u:SEKRET@h.example/a.png?X-Amz-Signature=SEKRET", inner + "#last"):
            run = self.generate("prompt=x", "reference_images=" + reference)
            self.assertEqual(run.returncode, 1)
            self.assertIn("prompt=x", run.stderr)
            self.assertNotIn("SEKRET", run.stderr)

    def test_what_the_service_refuses_is_told(self):
        self.simulator("--fault", "submit:status=402")
        run = self.generate("prompt=x", "--json")
        self.assertEqual(run.returncode, 1)
        self.assertIn("no credits left", run.stderr)
        outcome = json.loads(run.stdout)
        self.assertEqual((outcome["status"], outcome["http_status"], outcome["task_id"]), ("failed", 402, None))

    def test_a_task_that_fails_is_told_with_the_services_words(self):
        self.simulator("--fault", "submit:fail=the kite was moderated")
        run = self.generate("prompt=x", "--json")
        self.assertEqual(run.returncode, 1)
        self.assertIn("the kite was moderated", run.stderr)
        outcome = json.loads(run.stdout)
        self.assertEqual(outcome["service_message"], "the kite was moderated")
        self.assertTrue(outcome["task_id"])

    def test_a_service_that_is_not_there_is_told(self):
        self.simulator()
        self.stop_simulator()
        run = self.generate("prompt=x", "--retries", "0")
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, "genclip: .+")

    # B3: the error must be reported even if bytes are already readable.
    def test_a_download_that_breaks_is_told_as_what_it_is(self):
        for fault, said in (("media#1:cut=60000 media#2-:cut=0", r"The download ended early\. Run again"),
                            ("media:status=403", "The media server refuses .* it may have expired"),
                            ("media#1:cut=60000 media#2-:status=403", "The media server refuses .* it may have expired")):
            with self.subTest(fault=fault):
                faults = [word for one in fault.split() for word in ("--fault", one)]
                self.simulator("--padding=200000", "--faststart", *faults)
                run = self.generate(f"prompt={fault}", "--retries=1", "--timeout=5", "--json")
                self.assertEqual(run.returncode, 1)
                self.assertRegex(run.stderr, said)
                self.assertNotIn("could not be generated", run.stderr)
                outcome = json.loads(run.stdout)
                self.assertRegex(outcome["error"], said)
                self.assertTrue(outcome["task_id"])

    def test_a_full_disk_amid_the_download_is_told_as_what_it_is(self):
        self.simulator("--padding=3000000")
        # Limits the size of files of this process; a full disk gives the same error.
        words = ["generate", "--poll-interval", "20", MODEL, "prompt=large"]
        run = subprocess.run(["sh", "-c", "trap '' XFSZ; ulimit -f 2000; exec \"$@\"", "sh", GENCLIP, *words],
                             env=environment(**self.env), capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, r"clip\.part: File too large\. .*raise the limit, and run again; the data stored so far is kept")
        self.assertNotIn("could not be generated", run.stderr)
        again = self.run_genclip(*words)
        self.assertEqual((again.returncode, self.stats()["submits"]), (0, 1), again.stderr)

    # B10: many runs, one log.
    def test_a_failure_says_which_request_it_was(self):
        self.simulator("--fault", "submit:fail=moderated")
        run = self.generate("prompt=a red kite", "duration=5", "take=3", "--json")
        self.assertEqual(run.returncode, 1)
        self.assertIn(f"\ngenclip: Request: {MODEL} take=3 'prompt=a red kite' duration=5\n", run.stderr)
        outcome = json.loads(run.stdout)
        self.assertEqual((outcome["model"], outcome["prompt"], outcome["take"]), (MODEL, "a red kite", 3))
        refused = self.generate("prompt=another", "duration=99")
        self.assertIn(f"\ngenclip: Request: {MODEL} prompt=another duration=99\n", refused.stderr)
        long = self.generate("prompt=" + "very " * 500 + "\033[2Jlong")
        line = next(line for line in long.stderr.splitlines() if "Request:" in line)
        self.assertLess(len(line), 200)
        self.assertTrue(line.endswith(" (not complete)"), line)
        self.assertNotIn("\033", long.stderr)

    def test_a_warning_says_which_request_it_was(self):
        self.simulator("--fault", "submit#1:lose-answer")
        self.assertEqual(self.generate("prompt=a kite").returncode, 1)
        run = self.generate("prompt=a kite")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stderr, f"Warning: .*charged.*\n(.*\n)*Request: {MODEL} 'prompt=a kite'\n")

    def test_a_wait_that_ends_keeps_the_task(self):
        self.simulator(processing=3000)
        run = self.generate("prompt=x", "--timeout", "1")
        self.assertEqual(run.returncode, 1)
        self.assertIn("It continues at the service", run.stderr)
        self.assertEqual(self.generate("prompt=x").returncode, 0)
        self.assertEqual(self.stats()["submits"], 1)


class Progress(ServiceTest):
    def test_lines_where_there_is_no_terminal(self):
        self.simulator(processing=500)
        lines = self.generate().stderr.splitlines()
        self.assertEqual(lines[0], "submitting")
        self.assertRegex(lines[-1], r"^Done, task \S+, [0-9.]+ credits\.$")
        self.assertTrue(any(re.match(r"processing, \d+ % \(task \S+\)$", line) for line in lines), lines)
        self.assertEqual(len(lines), len(set(lines)))
        self.assertNotIn("\r", "".join(lines))

    def test_a_bar_that_grows_on_a_terminal(self):
        self.simulator(processing=1000)
        code, shown = genclip_on_terminal("generate", "--poll-interval=20", MODEL, "prompt=x", **self.env)
        self.assertEqual(code, 0, shown)
        done = [len(bar) for bar in re.findall(r"\[(#*)-*\]", shown)]
        self.assertGreater(len(set(done)), 3, shown)
        self.assertEqual(done, sorted(done))
        self.assertEqual(len(set(map(len, re.findall(r"\[#*-*\]", shown)))), 1)
        # Redrawn in place, and erased at the end.
        self.assertRegex(shown, r"\r\x1b\[KDone, task \S+, [0-9.]+ credits\.\n/.*/clip\.mp4\n$")
        self.assertLess(shown.count("\n"), 3)

    def test_quiet_is_quiet(self):
        self.simulator()
        self.assertEqual(self.generate("prompt=x", "-q").stderr, "")


class Stop(ServiceTest):
    WORDS = ["generate", "--poll-interval", "20", MODEL, "prompt=a red kite"]

    def test_ctrl_c_leaves_the_task_and_says_how_to_go_on(self):
        self.simulator(processing=1500)
        process = self.start(*self.WORDS)
        task = re.search(r"\(task (\S+)\)", read_until(process.stderr, "(task "))[1]
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=30)
        self.assertEqual((process.returncode, stdout), (130, ""))
        self.assertIn(f"genclip store fetch {task}", stderr)
        again = self.run_genclip(*self.WORDS)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn(f"task {task}", again.stderr)
        self.assertEqual(self.stats()["submits"], 1)

    def test_sigterm_does_too(self):
        self.simulator(processing=60000)
        process = self.start(*self.WORDS, "--json")
        read_until(process.stderr, "(task ")
        process.terminate()
        stdout, _ = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 143)
        self.assertEqual(json.loads(stdout)["status"], "stopped")

    def test_json_of_a_stopped_run_says_how_long_the_task_will_take(self):
        self.simulator(processing=60000)
        process = self.start(*self.WORDS, "--json")
        for _ in range(6):  # Its progress has moved evenly.
            read_until(process.stderr, " %")
        process.terminate()
        stdout, stderr = process.communicate(timeout=30)
        eta = json.loads(stdout).get("eta", -1)
        self.assertTrue(20 < eta < 90, f"{stdout}{stderr}")

    def test_ctrl_c_amid_the_submit_waits_for_the_tasks_id(self):
        self.simulator("--fault", "submit:delay=1000")
        process = self.start(*self.WORDS)
        read_until(process.stderr, "submitting")
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130)
        self.assertRegex(stderr, r"The task \S+ continues at the service")
        again = self.run_genclip(*self.WORDS)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertNotIn("charged twice", again.stderr)
        self.assertEqual(self.stats()["submits"], 1)

    def test_a_submit_that_hangs_keeps_nobody_for_long(self):
        self.simulator("--fault", "submit:hang")
        process = self.start(*self.WORDS)
        read_until(process.stderr, "submitting")
        process.send_signal(signal.SIGINT)
        read_until(process.stderr, "press Ctrl-C again")
        started = time.monotonic()
        self.assertEqual(stop_again(process, signal.SIGINT), 130)
        process.communicate()
        # Less than the time that it would wait without a signal.
        self.assertLess(time.monotonic() - started, time_limit(2.5))
        (left,) = self.listed()["clips"]
        self.assertEqual(left["state"], "intent")


if __name__ == "__main__":
    unittest.main()
