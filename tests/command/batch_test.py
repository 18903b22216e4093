#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""genclip batch: many clips from one file, each paid once, whatever happens in between."""

import json
import pathlib
import re
import signal
import subprocess
import time
import unittest

from command import GENCLIP, environment, genclip_on_terminal
from one_day import stay_within_one_day
from service import MODEL, ServiceTest

QUICK = "--poll-interval", "20"


class Batch(ServiceTest):
    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def prompts(self, count, name="prompts.txt"):
        return self.write(name, "".join(f"kite {i}\n" for i in range(1, count + 1)))

    def batch(self, *words):
        """The run, and its lines."""
        run = self.run_genclip("batch", *QUICK, *words)
        return run, [json.loads(line) for line in run.stdout.splitlines()]

    def submits(self):
        return self.stats()["submits"]

    def clips(self):
        return sorted(path.name for path in (self.folder / "clips").iterdir())

    def to_clips(self):
        return "--output-dir", str(self.folder / "clips")

    def test_generates_each_row_and_pays_nothing_when_run_again(self):
        self.simulator()
        path = self.prompts(6)
        for again in (False, True):
            with self.subTest(again=again):
                run, lines = self.batch(path, MODEL, *self.to_clips())
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual(sorted(line["line"] for line in lines), [1, 2, 3, 4, 5, 6])
                for line in lines:
                    self.assertEqual((line["status"], line["outcome"], line["reused"]), ("completed", "stored", again))
                    self.assertEqual(line["prompt"], f"kite {line['line']}")
                    self.assertEqual(line["output"], str(self.folder / "clips" / f"00{line['line']}.mp4"))
                self.assertEqual(self.clips(), [f"00{i}.mp4" for i in range(1, 7)])
                self.assertEqual(self.submits(), 6)
                self.assertIn("6 of 6 clips are there", run.stderr)

    def test_reads_a_table_with_defaults_from_the_command_line(self):
        self.simulator()
        path = self.write("board.csv", "name,prompt,duration,output,project,take\n"
                                       f'one,"a kite, red",,{self.folder}/first.mp4,,\n'
                                       'two,"a ""storm""",6,,film,3\n')
        run, lines = self.batch(path, MODEL, "duration=5", *self.to_clips())
        self.assertEqual(run.returncode, 0, run.stderr)
        by_name = {line["name"]: line for line in lines}
        self.assertEqual(by_name["one"]["output"], f"{self.folder}/first.mp4")
        self.assertEqual((by_name["two"]["prompt"], by_name["two"]["take"]), ('a "storm"', 3))
        self.assertEqual(self.clips(), ["two.mp4"])
        charges = json.loads(self.run_genclip("cost", "--by", "project", "--json").stdout)
        self.assertIn("film", json.dumps(charges))

    def test_names_files_by_a_pattern_of_the_row_or_of_all_rows(self):
        self.simulator()
        path = self.write("board.csv", "prompt,name,take,output\na kite,one,2,\na storm,,,{{x}}-{name}.mp4\n")
        run, lines = self.batch(path, MODEL, "output={name}-{model}-{take}.mp4", "--with-prompt", *self.to_clips())
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.clips(), sorted([f"one-{MODEL}-2.mp4", "{x}-003.mp4"]))
        told = [(pathlib.Path(line["clip"]).parent / "clip.xmp").read_text() for line in lines]
        self.assertEqual(sum("a kite" in xmp or "a storm" in xmp for xmp in told), 2)
        self.assertEqual(self.run_genclip("batch", path, MODEL, "output=kite.mp4").returncode, 2)
        run, lines = self.batch(self.write("other.csv", "prompt,output\na man,{nmae}.mp4\n"), MODEL)
        self.assertEqual((run.returncode, lines), (1, []))
        self.assertRegex(run.stderr, r"other\.csv:2: .*\{nmae\}")
        self.assertEqual(self.submits(), 2)

    def test_reads_standard_input_only_with_a_format(self):
        self.simulator()
        refused = self.run_genclip("batch", "-", MODEL)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--format", refused.stderr)
        other = self.run_genclip("batch", self.write("table.xlsx", "PK"), MODEL)
        self.assertEqual(other.returncode, 2)

    def test_pays_once_for_rows_that_are_the_same(self):
        self.simulator()
        path = self.write("same.jsonl", '{"prompt": "a kite", "name": "a"}\n{"prompt": "a storm", "name": "b"}\n'
                                        '{"name": "c", "prompt": "a kite"}\n')
        run, lines = self.batch(path, MODEL, *self.to_clips())
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.submits(), 2)
        self.assertEqual(self.clips(), ["a.mp4", "b.mp4", "c.mp4"])
        self.assertEqual([line["charged"] for line in lines if line["reused"]], ["no"])

    def test_rows_that_are_the_same_tell_of_the_same_failure(self):
        prices = self.write("prices.json", '{"charge_failures": true, "prices": [{"amount": 7}]}')
        self.simulator("--fault", "submit#1:fail=moderated", "--prices", str(prices))
        path = self.write("same.jsonl", '{"prompt": "a kite", "name": "a"}\n{"name": "b", "prompt": "a kite"}\n')
        run, lines = self.batch(path, MODEL)
        self.assertEqual((run.returncode, self.submits()), (1, 1), run.stderr)
        told = [(line["name"], line["charged"], line["amount"], line.get("reused")) for line in lines]
        self.assertEqual(told, [("a", "yes", 7, None), ("b", "yes", 7, True)])

    def test_rows_that_are_stored_and_cannot_be_written_are_reused(self):
        self.simulator()
        path = self.write("rows.jsonl", '{"prompt": "a kite", "name": "a"}\n'
                                        '{"prompt": "a kite", "name": "b"}\n')
        place = self.folder / "clips"
        for time in range(2):
            run, lines = self.batch(path, MODEL, *self.to_clips())
            for file in place.iterdir():  # As long as it stands there, no clip can be written.
                if file.is_file():
                    file.unlink()
                    (file / "foreign").mkdir(parents=True)
            told = [(line["name"], line["status"], line["outcome"], line["charged"], line.get("reused")) for line in lines]
            status, first = (("completed", ("yes", False)), ("failed", ("no", True)))[time]
            self.assertEqual(told, [("a", status, "stored", *first), ("b", status, "stored", "no", True)], run.stderr)
        self.assertEqual(self.submits(), 1)

    def test_tells_every_problem_before_anything_is_paid(self):
        self.simulator()
        path = self.write("rows.csv", "name,prompt,duration\na,kite,5\nb,,5\nc,kite 3,x\na,kite 4,5\nd/e,kite 5,5\n\"f\n")
        run, lines = self.batch(path, MODEL, *self.to_clips())
        self.assertEqual((run.returncode, lines), (1, []))
        for number, said in ((3, "prompt is missing"), (4, 'duration is "x"'), (5, "Line 2 writes the same file"),
                             (6, "cannot be that of a file"), (7, "never closed")):
            self.assertRegex(run.stderr, rf"rows\.csv:{number}: .*{said}")
        self.assertEqual(self.submits(), 0)

    def test_writes_no_file_over_that_of_another_row_or_over_its_own(self):
        self.simulator()
        folder = self.folder / "clips"
        for rows, line, said in ((({"name": "a"}, {"output": "a.mp4"}), 2, "Line 1 writes the same file"),
                                 (({"output": "a.mp4"}, {"name": "a"}), 2, "Line 1 writes the same file"),
                                 (({"output": "./b.mp4"}, {"output": "b.mp4"}), 2, "Line 1 writes the same file"),
                                 (({}, {"output": str(folder / "../rows.jsonl")}), 2, "overwrite the file of the rows"),
                                 (({"output": "a.mp4"}, {"output": "a.mp4", "prompt": "kite 0"}), 2, "Line 1 writes the same file")):
            with self.subTest(rows=rows):
                text = "".join(json.dumps({"prompt": f"kite {i}", **row}) + "\n" for i, row in enumerate(rows))
                path = self.write("rows.jsonl", text)
                run, lines = self.batch(path, MODEL, *self.to_clips())
                self.assertEqual((run.returncode, lines, self.submits()), (1, [], 0), run.stderr)
                self.assertRegex(run.stderr, rf"rows\.jsonl:{line}: .*{said}")
                self.assertEqual(pathlib.Path(path).read_text(), text)

    def test_writes_no_file_over_its_input_or_a_reference(self):
        """L3"""
        self.simulator()
        rows = self.write("rows.csv", "prompt,output\nkite,rows.csv\n")
        with open(rows, encoding="utf-8") as stdin:
            run = subprocess.run([GENCLIP, "batch", "--format=csv", "-", MODEL, "--output-dir", str(self.folder)],
                                 env=environment(**self.env), stdin=stdin, capture_output=True, text=True, timeout=60,
                                 check=False)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("overwrite the file of the rows", run.stderr)
        picture = self.folder / "own.png"
        subprocess.run(["gst-launch-1.0", "-q", "videotestsrc", "num-buffers=1", "!", "video/x-raw,width=640,height=360",
                        "!", "pngenc", "!", "filesink", f"location={picture}"], env=environment(), timeout=60, check=True)
        rows = self.write("own.jsonl", json.dumps({"prompt": "kite", "first_image": str(picture), "output": "own.png"}) + "\n")
        run, _ = self.batch(rows, "dream-5.0", "--output-dir", str(self.folder), "--publish-folder", str(self.folder),
                            "--publish-url", "https://h.example/")
        self.assertEqual((run.returncode, self.submits()), (1, 0), run.stderr)
        self.assertIn("it would replace", run.stderr)

    def test_dry_run_prices_and_pays_nothing(self):
        self.simulator()
        run, lines = self.batch(self.prompts(1, "one.txt"), MODEL, "duration=5")
        self.assertEqual(run.returncode, 0, run.stderr)
        amount = lines[0]["amount"]
        run, lines = self.batch(self.prompts(3), MODEL, "duration=5", "--dry-run")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual([line.get("state") for line in lines[:3]], ["paid", "to pay", "to pay"])
        total = lines[3]
        self.assertEqual((total["status"], total["to_pay"], total["unknown"]), ("total", 2, 0))
        self.assertAlmostEqual(total["estimate"]["likely"], 2 * amount)
        self.assertIn("To pay: ", run.stderr)
        self.assertEqual(self.submits(), 1)

    def test_warns_before_anything_is_paid(self):
        self.simulator("--fault", "submit#1-:status=402")
        path = self.write("long.jsonl", json.dumps({"prompt": "kite " * 3000}) + "\n")
        for words in (["--dry-run"], []):
            with self.subTest(words):
                run, _ = self.batch(path, "horse-1.0-t2v", *words)
                self.assertEqual(run.stderr.count("Warning: "), 1, run.stderr)
                self.assertRegex(run.stderr, r"Warning: \S+/long\.jsonl:1: .*truncates the rest")
                self.assertLess(run.stderr.index("Warning: "), run.stderr.index("To pay: "))

    def test_pays_for_no_file_that_cannot_be_written(self):
        self.simulator()
        folder = self.folder / "not yet"
        # There is no such folder before the run, which makes only the first.
        rows = [{"prompt": "kite", "name": "n" * 300}, {"prompt": "fox", "output": "sub/fox.mp4"},
                {"prompt": "owl", "output": "owl.png"}]
        path = self.write("rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        for words in (["--dry-run"], []):
            with self.subTest(words):
                run, _ = self.batch(path, MODEL, "--output-dir", str(folder), *words)
                self.assertEqual(run.returncode, 1, run.stderr)
                self.assertRegex(run.stderr, r"jsonl:1: .*its name is too long")
                self.assertRegex(run.stderr, r"jsonl:2: .*there is no such folder")
                self.assertRegex(run.stderr, r"jsonl:3: .*makes a video")
                self.assertFalse(folder.exists())
        self.assertEqual(self.submits(), 0)

    def test_dry_run_tells_where_the_clips_go_and_whether_they_can(self):
        self.simulator()
        path = self.write("rows.jsonl", json.dumps({"prompt": "fox", "output": "{name}.mp4", "name": "fox"}) + "\n")
        run, lines = self.batch(path, MODEL, "--output-dir", str(self.folder / "later"), "--dry-run")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(lines[0]["output"], str(self.folder / "later" / "fox.mp4"))
        self.write("file", "")
        run, lines = self.batch(path, MODEL, "--output-dir", str(self.folder / "file" / "later"), "--dry-run")
        self.assertEqual((run.returncode, lines), (1, []), run.stderr)
        self.assertRegex(run.stderr, r"genclip: Clips cannot be written to the folder \S+file/later: Not a directory")

    def test_judges_the_limits_of_one_clip_before_anything_is_paid(self):
        self.simulator()
        path = self.prompts(2)
        for option, words in ((("--per-clip", "5", "--assumed-price", "10"), ()), (("--assumed-price", "10"), ("--max-amount", "5"))):
            with self.subTest(option=option):
                self.run_genclip("budget", "clear")
                self.assertEqual(self.run_genclip("budget", "set", *option).returncode, 0)
                for more in ((), ("--dry-run",)):
                    run, lines = self.batch(path, MODEL, *words, *more)
                    self.assertEqual((run.returncode, lines), (1, []), run.stderr)
                    for line in (1, 2):
                        self.assertRegex(run.stderr, rf"prompts\.txt:{line}: .*5 credits.*10 credits \(the assumed price\)")
        self.run_genclip("budget", "set", "--per-clip", "10")
        self.assertEqual(self.batch(path, MODEL, "--dry-run")[0].returncode, 0)
        self.assertEqual(self.submits(), 0)

    def test_draws_no_more_lines_than_the_terminal_has(self):
        self.simulator(processing=1500)
        code, text = genclip_on_terminal("batch", *QUICK, self.prompts(12), MODEL, "--jobs", "12", columns=80, rows=8, **self.env)
        self.assertEqual(code, 0, text)
        drawn = [int(number) for number in re.findall("\033\\[(\\d+)A", text)]
        self.assertLess(max(drawn), 8)
        self.assertRegex(text, r"(?m)^and 7 more$")
        self.assertNotIn("and 1 more", text)

    def test_its_help_names_takes_and_patterns(self):
        text = self.run_genclip("batch", "--help").stdout
        self.assertRegex(text, r"\btake\b")
        self.assertIn("{name}-{take}.mp4", text)

    def test_waits_with_all_rows_when_the_service_refuses_for_now(self):
        self.simulator("--fault", "submit#3-6:status=429;retry-after=1", processing=50)
        began = time.monotonic()
        run, lines = self.batch(self.prompts(8), MODEL, "--jobs", "4")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertGreaterEqual(time.monotonic() - began, 1)
        self.assertEqual(len(lines), 8)
        self.assertEqual(self.submits(), 8)
        self.assertRegex(run.stderr, "It asks to wait for 1 second\\. At most . clips? (is|are) made at once for now")

    def test_pauses_when_the_service_asks_to_wait_for_long(self):
        self.simulator("--fault", "submit#3-:status=503;retry-after=3600")
        run, lines = self.batch(self.prompts(5), MODEL, "--jobs", "1")
        self.assertEqual(run.returncode, 75, run.stderr)
        self.assertEqual([line["outcome"] for line in lines], ["stored"] * 2 + ["pending"] * 3)
        self.assertEqual([(line["charged"], line["retry"]) for line in lines[2:]], [("no", True)] * 3)

    def test_pauses_when_the_credits_or_the_budget_are_spent(self):
        stay_within_one_day()
        self.simulator("--fault", "submit#2:status=402")
        run, lines = self.batch(self.prompts(3), MODEL, "--jobs", "1")
        self.assertEqual(run.returncode, 75, run.stderr)
        self.assertEqual([line["outcome"] for line in lines], ["stored", "pending", "pending"])
        self.assertEqual(self.run_genclip("budget", "set", "--tasks-per-day", "2").returncode, 0)
        run, lines = self.batch(self.prompts(3), MODEL, "--jobs", "1")
        self.assertEqual(run.returncode, 75, run.stderr)
        self.assertEqual([line["outcome"] for line in lines], ["stored", "stored", "pending"])
        self.assertRegex(run.stderr, r"prompts\.txt:3: 003: The clip was not submitted: .*genclip budget set.*No further clip is begun")
        reset = re.search(r"Run again after (\S+ \S+ UTC)", run.stderr).group(1)
        self.assertIn(f"Run the same command again after {reset} to go on", run.stderr)
        self.run_genclip("budget", "clear")
        run, lines = self.batch(self.prompts(3), MODEL)
        self.assertEqual((run.returncode, len(lines), self.submits()), (0, 3, 3), run.stderr)

    def test_knows_the_prices_of_a_store_that_has_no_ledger_yet(self):
        # A version before the ledger has left it. A dry run writes nothing.
        self.simulator()
        self.assertEqual(self.generate("prompt=old", "duration=5").returncode, 0)
        for name in ("ledger.jsonl", "ledger.summary"):
            (self.store / name).unlink(missing_ok=True)
        words = self.prompts(1), MODEL, "duration=5", "--max-amount", "100"
        run, lines = self.batch(*words, "--dry-run")
        self.assertIn("not known", run.stderr)
        self.assertFalse((self.store / "ledger.jsonl").exists())
        run, lines = self.batch(*words)
        self.assertEqual((run.returncode, len(lines)), (0, 1), run.stderr)

    def test_pauses_only_for_a_budget_that_is_spent(self):
        self.simulator(processing=300)
        self.run_genclip("budget", "set", "--per-day", "15", "--assumed-price", "10")
        run, lines = self.batch(self.prompts(2), MODEL, "duration=5", "--jobs", "4")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(lines), 2)
        spent = sum(line["amount"] for line in lines)
        self.assertLessEqual(spent, 15)
        self.assertRegex(run.stderr, r"prompts\.txt:[12]: 00[12]: It waits, because .* tried again when one of them ends")
        run, lines = self.batch(self.prompts(8), MODEL, "duration=5", "--jobs", "4")
        self.assertEqual(run.returncode, 75, run.stderr)
        made = [line for line in lines if line["outcome"] == "stored"]
        self.assertEqual(len(made), 15 // (spent / 2), run.stderr)
        self.assertEqual(self.submits(), len(made))

    def test_goes_on_when_only_one_clip_is_refused_after_it_was_paid(self):
        # 429 and 402 stop all rows, but not if they are about a task that exists.
        self.simulator("--fault", "media#1:status=429;retry-after=1")
        run, lines = self.batch(self.prompts(3), MODEL, "--jobs", "1", "--retries", "1")
        self.assertEqual((run.returncode, self.submits()), (0, 3), run.stderr)
        self.assertEqual([line["outcome"] for line in lines], ["stored"] * 3, run.stderr)
        self.simulator("--fault", "query#1:status=402")
        path = self.write("paid.txt", "paid 1\npaid 2\npaid 3\n")
        run, lines = self.batch(path, MODEL, "--jobs", "1", "--retries", "1")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual([line["outcome"] for line in lines], ["running", "stored", "stored"], run.stderr)
        self.assertEqual((lines[0]["status"], lines[0]["charged"], lines[0]["retry"]), ("failed", "yes", True))
        self.assertTrue(lines[0]["task_id"])
        run, lines = self.batch(path, MODEL)
        self.assertEqual((run.returncode, self.submits()), (0, 3), run.stderr)

    def test_goes_on_after_a_failure_unless_told_to_stop(self):
        self.simulator("--fault", "submit#2:fail=moderated")
        run, lines = self.batch(self.prompts(4), MODEL, "--jobs", "1")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual([line["outcome"] for line in lines], ["stored", "failed", "stored", "stored"])
        self.assertRegex(run.stderr, r"prompts\.txt:2: 002 failed: .*moderated")
        self.assertIn("prompt=kite 2", run.stderr)
        self.simulator("--fault", "submit#1:fail=moderated")
        path = self.write("more.jsonl", '{"prompt": "sea 1"}\n{"prompt": "sea 2", "output": "sea.mp4"}\n{"prompt": "sea 3"}\n')
        run, lines = self.batch(path, MODEL, "--jobs", "1", "--fail-fast", "--output-dir", str(self.folder / "seas"))
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual([line["outcome"] for line in lines], ["failed", "pending", "pending"])
        self.assertEqual(lines[1]["output"], str(self.folder / "seas/sea.mp4"))
        self.assertNotIn("output", lines[2], "its extension is not known")

    def test_says_what_to_do_about_clips_that_may_be_paid(self):
        self.simulator("--fault", "submit#2:lose-answer")
        path = self.prompts(3)
        hint = "unknown whether the clip of line 2 was paid for"
        run, lines = self.batch(path, MODEL, "--jobs", "1")
        self.assertEqual(run.returncode, 1)
        self.assertEqual([(line["outcome"], line["charged"]) for line in lines], [("stored", "yes"), ("unknown", "maybe"), ("stored", "yes")])
        self.assertIn(hint, run.stderr)
        run, _ = self.batch(path, MODEL, "--dry-run")
        self.assertIn(hint, run.stderr)
        run, lines = self.batch(path, MODEL)
        self.assertEqual((run.returncode, len(lines), self.submits()), (0, 3, 4), run.stderr)
        self.assertIn("may be charged twice", run.stderr)
        self.assertNotIn(hint, run.stderr)
        run, _ = self.batch(path, MODEL, "--dry-run")
        self.assertNotIn(hint, run.stderr)

    def test_stops_on_a_signal_and_attaches_when_run_again(self):
        self.simulator(processing=60000)
        path = self.prompts(3)
        process = self.start("batch", *QUICK, path, MODEL, "--jobs", "2")
        deadline = time.monotonic() + 30
        while self.submits() < 2:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, err)
        outcomes = {line["line"]: line["outcome"] for line in map(json.loads, out.splitlines())}
        self.assertEqual(outcomes, {1: "running", 2: "running", 3: "pending"})
        self.assertIn("Paid by this run: 0 credits, and 2 tasks under way whose cost is not known yet.", err)
        self.assertEqual(self.submits(), 2)

    def test_says_what_changes_in_a_pipe(self):
        self.simulator(processing=100)
        run, _ = self.batch(self.prompts(1), MODEL)
        self.assertRegex(run.stderr, r"(?m)^001: submitting$")
        quiet, lines = self.batch("--quiet", self.write("q.txt", "sea\n"), MODEL)
        self.assertEqual(len(lines), 1)
        self.assertNotRegex(quiet.stderr, r"(?m)^001:")

    def test_needs_an_address_only_to_run(self):
        path = self.prompts(2)
        run = self.run_genclip("batch", path, MODEL, "--dry-run")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("No GENCLIP_BASE_URL: stored clips count", run.stderr)
        run = self.run_genclip("batch", path, MODEL, "--dry-run", "--base-url", "http://127.0.0.1:1")
        self.assertNotIn("No GENCLIP_BASE_URL", run.stderr)
        run = self.run_genclip("batch", path, MODEL, "--dry-run", "--base-url", "ftp://service.example")
        self.assertEqual(run.returncode, 1)
        self.assertEqual(len(re.findall("base-url must be", run.stderr)), 1, run.stderr)
        run = self.run_genclip("batch", path, MODEL)
        self.assertEqual(run.returncode, 1)
        self.assertEqual(len(re.findall("base-url", run.stderr)), 1, run.stderr)


if __name__ == "__main__":
    unittest.main()
