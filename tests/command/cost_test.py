#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""genclip cost and genclip budget, on ledgers as runs have left them."""

import csv
import fcntl
import hashlib
import io
import json
import os
import pathlib
import subprocess
import tempfile
import time
import unicodedata
import unittest

from command import GENCLIP, environment, genclip
from one_day import stay_within_one_day

BASE_URL = "https://service.example/api"
NOBODY = 65534
ESTIMATE = {"low": 8, "likely": 10, "high": 12, "samples": 3, "basis": "same"}


def key_of(name):
    return hashlib.sha256(name.encode()).hexdigest()


class Ledger:
    """Writes STORE/ledger.jsonl."""

    def __init__(self, store):
        self.path = store / "ledger.jsonl"

    def line(self, event, name, at, *, model="dance-2.5", project="", **members):
        line = {"at": f"{at}T10:00:00.000Z", "event": event, "key": key_of(name), "take": 0, "model": model, "api": "tasks",
                "base_url": BASE_URL, "project": project, **members}
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line, separators=(",", ":")) + "\n")

    def clip(self, name, at, amount, *, status="completed", estimate=ESTIMATE, **facts):
        self.line("reserve", name, at, estimate=estimate, **facts)
        self.line("submitted", name, at, task_id=f"task_{name}", **facts)
        self.line("settle", name, at, task_id=f"task_{name}", status=status, amount=amount, **facts)

    def unknown(self, name, at, **facts):
        self.line("reserve", name, at, estimate=ESTIMATE, **facts)
        self.line("unknown", name, at, **facts)


class MoneyTest(unittest.TestCase):
    def setUp(self):
        stay_within_one_day()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = pathlib.Path(folder.name) / "store"
        self.store.mkdir()
        self.ledger = Ledger(self.store)
        self.env = {"GENCLIP_STORE": str(self.store)}
        self.today = time.strftime("%Y-%m-%d", time.gmtime())

    def run_genclip(self, *words, code=0):
        run = genclip(*words, **self.env)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run

    def json(self, *words, code=0):
        return json.loads(self.run_genclip(*words, "--json", code=code).stdout)

    def table(self, *words):
        """What a pipe gets, as a list of dictionaries."""
        return list(csv.DictReader(io.StringIO(self.run_genclip(*words).stdout), delimiter="\t"))


class Cost(MoneyTest):
    def mixed(self):
        self.ledger.clip("a", "2026-10-31", 12, project="film")
        self.ledger.clip("b", "2026-11-20", 7.5, model="sd_2.0_special")
        self.ledger.unknown("c", "2026-11-21")
        self.ledger.clip("d", "2026-11-21", None)
        self.ledger.clip("e", "2026-11-22", None, status="failed")
        self.ledger.line("settle", "f", "2026-11-22", task_id="task_f", status="completed", amount=100, attached=True)
        self.ledger.line("settle", "g", "2026-11-22", task_id="task_g", status="completed", amount=3, imported=True)

    def test_of_nothing_names_the_store_where_nothing_was_spent(self):
        self.env["COLUMNS"] = "200"
        self.assertEqual(self.run_genclip("cost").stdout, f"Nothing was spent in the store {self.store}.\n")
        self.mixed()
        for by in ("model", "task"):
            self.assertEqual(self.run_genclip("cost", "--by", by, "--since", "2026-12-01").stdout,
                             f"Nothing was spent in this time in the store {self.store}.\n")
        self.assertNotIn("Nothing", self.run_genclip("cost").stdout)

    def test_of_a_store_without_a_ledger_is_nothing(self):
        total = self.json("cost")["total"]
        self.assertEqual((total["clips"], total["spent"], total["reserved"]), (0, 0, 0))
        self.assertEqual(self.table("cost"), [])
        self.env["GENCLIP_STORE"] = str(self.store / "new")
        self.assertEqual(self.json("cost")["total"]["clips"], 0)
        self.assertFalse((self.store / "new").exists())

    # What was spent is known by the clips' folders then.
    def test_of_a_store_without_a_ledger_that_may_be_entered_and_not_listed_is_an_error(self):
        user = NOBODY if os.geteuid() == 0 else None  # Root may list all.
        if user is not None:
            self.store.parent.chmod(0o755)
            os.chown(self.store, user, user)
        (self.store / key_of("a")).mkdir()

        def run(*words):
            return subprocess.run([GENCLIP, *words], env=environment(**self.env), stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, timeout=60, check=False, user=user)
        try:
            run("--version")
        except PermissionError:
            self.skipTest("nobody but root may run this genclip")
        self.store.chmod(0o311)
        self.addCleanup(self.store.chmod, 0o755)
        for words in (("cost",), ("budget",)):
            refused = run(*words)
            self.assertEqual((refused.returncode, refused.stdout), (1, ""))
            self.assertIn(f"Could not read the folder {self.store}: Permission denied. Check its permissions", refused.stderr)
        self.store.chmod(0o755)
        self.ledger.clip("a", "2026-10-31", 12)
        self.store.chmod(0o311)
        counted = run("cost", "--json")
        self.assertEqual(json.loads(counted.stdout)["total"]["spent"], 12, counted.stderr)

    def test_is_the_sum_of_all_that_the_ledger_says(self):
        self.mixed()
        report = self.json("cost")
        total = report["total"]
        self.assertEqual(total, {"clips": 6, "spent": 22.5, "reserved": 24, "unknown": 1, "corrected": 0, "untold": 1, "failed": 1,
                                 "imported": 1, "attached": 1})
        self.assertEqual({row["model"]: row["spent"] for row in report["rows"]}, {"dance-2.5": 15, "sd_2.0_special": 7.5})
        self.assertEqual([(task["state"], task["task_id"]) for task in report["listed"]],
                         [("unknown", None), ("untold", "task_d"), ("failed", "task_e"), ("attached", "task_f")])
        self.assertEqual((report["store"], report["by"], report["since"], report["until"], report["skipped"]),
                         (str(self.store), "model", None, None, 0))

    def test_a_person_is_told_what_the_totals_do_not_say(self):
        self.mixed()
        self.env["COLUMNS"] = "80"
        text = " ".join(self.run_genclip("cost").stdout.split())
        for part in ("Total 6 22.5 24 1 0", f"{key_of('c')[:8]} 2026-11-21 unknown", "failed: the task failed",
                     "untold: the task was completed", "attached: the task was named by its ID", "imported: 1 clip is older",
                     "removed or replaced before the ledger began are missing"):
            self.assertIn(part, text)
        self.assertNotIn("imported: ", self.run_genclip("cost", "--until", "2026-11-21").stdout)

    def test_the_heads_of_csv_are_the_names_of_json(self):
        self.mixed()
        for group in ("model", "project", "month", "day", "task"):
            with self.subTest(group=group):
                heads = self.run_genclip("cost", "--by", group, "--csv").stdout.splitlines()[0].split(",")
                found = self.json("cost", "--by", group)
                self.assertLessEqual(set(heads), set(found["rows"][0]) | set(found["captions"]))

    def test_by_each_group_in_a_pipe_and_as_csv(self):
        self.mixed()
        for group, wanted in (("model", {"dance-2.5": "15", "sd_2.0_special": "7.5"}), ("project", {"-": "10.5", "film": "12"}),
                              ("month", {"2026-10": "12", "2026-11": "10.5"}),
                              ("day", {"2026-10-31": "12", "2026-11-20": "7.5", "2026-11-21": "0", "2026-11-22": "3"})):
            with self.subTest(group=group):
                rows = self.table("cost", "--by", group)
                self.assertEqual({row[group.upper()]: row["SPENT"] for row in rows}, wanted)
                as_csv = list(csv.DictReader(io.StringIO(self.run_genclip("cost", "--by", group, "--csv").stdout)))
                self.assertEqual([{name.upper(): cell or "-" for name, cell in row.items()} for row in as_csv], rows)
                self.assertEqual([row["spent"] for row in self.json("cost", "--by", group)["rows"]],
                                 [float(row["SPENT"]) for row in rows])

    def test_csv_of_tasks_says_all_that_json_does(self):
        self.mixed()
        self.ledger.clip("h", "2026-11-23", 0.123456789, project="a, b")
        rows = list(csv.DictReader(io.StringIO(self.run_genclip("cost", "--by", "task", "--csv").stdout)))
        wanted = self.json("cost", "--by", "task")["rows"]
        self.assertEqual(set(rows[0]), set(wanted[0]))
        for row, task in zip(rows, wanted, strict=True):
            for name, value in task.items():
                text = row[name]
                if value is None or value == "":
                    self.assertEqual(text, "", name)
                else:
                    self.assertEqual(text if isinstance(value, str) else json.loads(text), value, name)

    def test_long_names_of_projects_are_broken_and_names_of_models_never(self):
        self.env["COLUMNS"] = "80"
        for i, project in enumerate(("映" * 48, "the film " * 20)):
            self.ledger.clip(f"p{i}", "2026-11-20", 5, project=project, model="model-" + "m" * 90)
        for line in self.run_genclip("cost", "--by", "project").stdout.splitlines():
            wide = sum(2 if unicodedata.east_asian_width(letter) == "W" else 1 for letter in line)
            self.assertLessEqual(wide, 80, line)
        self.assertIn("model-" + "m" * 90, self.run_genclip("cost").stdout)

    def test_by_task_has_a_line_for_each(self):
        self.mixed()
        rows = self.table("cost", "--by", "task")
        self.assertEqual([row["STATE"] for row in rows],
                         ["completed", "completed", "unknown", "untold", "failed", "attached", "completed"])
        self.assertEqual(sum(float(row["SPENT"]) for row in rows), 22.5)
        self.assertEqual([row["IMPORTED"] for row in rows], ["-"] * 6 + ["yes"])
        self.assertEqual((rows[0]["KEY"], rows[0]["AT"], rows[0]["PROJECT"], rows[0]["TASK"]),
                         (key_of("a")[:8], "2026-10-31T10:00:00.000Z", "film", "task_a"))
        tasks = self.json("cost", "--by", "task")["rows"]
        self.assertEqual([task["key"][:8] for task in tasks], [row["KEY"] for row in rows])
        self.assertEqual(tasks[2]["estimate"], ESTIMATE)

    def test_from_one_day_to_another_in_utc_both_included(self):
        self.mixed()
        self.env["TZ"] = "Pacific/Auckland"
        for words, spent in ((["--since", "2026-11-20"], 10.5), (["--until", "2026-10-31"], 12), (["--until=2026-10-30"], 0),
                             (["--since=2026-10-31", "--until=2026-10-31"], 12), (["--since", "2026-11-23"], 0)):
            with self.subTest(words=words):
                self.assertEqual(self.json("cost", *words)["total"]["spent"], spent)

    def test_wrong_options_are_usage_errors(self):
        for words in (["--since", "yesterday"], ["--until", "2026-11"], ["--since=2026-02-30"], ["--by", "week"], ["--json", "--csv"],
                      ["--since=2026-11-02", "--until=2026-11-01"], ["all"], ["--since=2026-11-01T00:00:00Z"]):
            with self.subTest(words=words):
                run = self.run_genclip("cost", *words, code=2)
                self.assertEqual(run.stdout, "")
                self.assertIn("genclip cost --help", run.stderr)

    def test_damaged_lines_are_told_and_stop_nothing(self):
        self.ledger.clip("a", "2026-11-20", 12)
        with open(self.ledger.path, "a", encoding="utf-8") as file:
            file.write("{\"at\": 7}\n\0\0\0\n")
        self.ledger.clip("b", "2026-11-20", 3)
        run = self.run_genclip("cost", "--json")
        report = json.loads(run.stdout)
        self.assertEqual((report["total"]["spent"], report["skipped"]), (15, 2))
        self.assertIn("Skipped 2 damaged lines of ", run.stderr)

    def test_a_torn_last_line_is_as_if_it_were_not_there(self):
        self.ledger.clip("a", "2026-11-20", 12)
        with open(self.ledger.path, "a", encoding="utf-8") as file:
            file.write('{"at":"2026-11-20T')
        run = self.run_genclip("cost", "--json")
        self.assertEqual((json.loads(run.stdout)["total"]["spent"], run.stderr), (12, ""))

    def test_what_others_have_written_sends_no_escape_sequences(self):
        self.ledger.clip("a", "2026-11-20", 12, model="a\033[2J", project="=cmd()")
        for words in (["cost"], ["cost", "--by", "task"], ["cost", "--by=task", "--csv"]):
            self.assertNotIn("\033", self.run_genclip(*words).stdout)
            self.env["COLUMNS"] = "80"
        self.assertIn(",'=cmd(),", self.run_genclip("cost", "--by=task", "--csv").stdout)

    def test_a_ledger_that_cannot_be_read_is_an_error(self):
        self.ledger.path.mkdir()
        self.assertEqual(self.json("cost", code=1)["status"], "failed")

    def test_an_unreadable_budget_is_told_and_stops_nothing(self):
        self.ledger.clip("a", "2026-11-20", 12)
        (self.store / "budget.json").write_text("{")
        run = self.run_genclip("cost", "--json")
        self.assertEqual(json.loads(run.stdout)["total"]["spent"], 12)
        self.assertIn("genclip budget clear", run.stderr)

    def test_the_assumed_price_counts_for_what_has_no_estimate(self):
        self.ledger.clip("a", "2026-11-20", None, estimate=None)
        self.assertEqual(self.json("cost")["total"]["reserved"], 0)
        self.run_genclip("budget", "set", "--assumed-price", "7")
        self.assertEqual(self.json("cost")["total"]["reserved"], 7)


class Runs(MoneyTest):
    """What the store's journals know, and its ledger does not."""

    def journal(self, name, **members):
        folder = self.store / key_of(name)
        folder.mkdir()
        record = {"version": 1, "model": "dance-2.5", "base_url": BASE_URL, "api": "tasks", "take": 0,
                  "request": {"model": "dance-2.5", "prompt": name}, "submitted_at": 1741521600, "updated_at": 1741521600, **members}
        (folder / "task.json").write_text(json.dumps(record))

    def test_a_store_that_is_older_than_its_ledger_is_imported(self):
        self.journal("a", state="failed", task_id="task_a", amount=4, error="no")
        self.env["COLUMNS"] = "80"
        text = " ".join(self.run_genclip("cost").stdout.split())
        self.assertIn("Total 1 4 0", text)
        self.assertIn("imported: 1 clip is older than the ledger", text)
        self.assertEqual(self.json("cost", "--by", "task")["rows"][0]["at"][:10], "2025-03-09")

    # R12
    def test_the_tasks_of_stored_clips_have_their_prompts(self):
        self.ledger.clip("a", "2026-11-20", 12)
        self.ledger.clip("removed", "2026-11-20", 12)
        self.ledger.unknown("b", "2026-11-21")
        prompt = "a red kite  over\tthe dunes, and so on until the line of a terminal of eighty columns has ended"
        for name, text in (("a", prompt), ("b", "a storm")):
            self.journal(name, state="failed", task_id="task_a", amount=4, error="no", request={"model": "dance-2.5", "prompt": text})
        one_line = " ".join(prompt.split())
        rows = self.table("cost", "--by", "task")
        self.assertEqual([row["PROMPT"] for row in rows], [one_line, "-", "a storm"])
        self.assertEqual(list(rows[0])[-1], "PROMPT")
        tasks = self.json("cost", "--by", "task")
        self.assertEqual([task["prompt"] for task in tasks["rows"]], [prompt, None, "a storm"])
        self.assertEqual([task["prompt"] for task in tasks["listed"]], ["a storm"])
        self.assertEqual(self.json("cost", "correct", key_of("b"), "2")["prompt"], "a storm")
        self.env["COLUMNS"] = "80"
        lines = self.run_genclip("cost", "--by", "task").stdout.splitlines()
        self.assertIn("    " + one_line[:75] + "…", lines)

    def test_what_a_dead_run_has_left_is_settled_by_its_journal(self):
        self.ledger.line("reserve", "a", "2026-11-20", estimate=ESTIMATE)
        self.ledger.line("submitted", "a", "2026-11-20", task_id="task_a")
        self.journal("a", state="failed", task_id="task_a", amount=4, error="no")
        total = self.json("cost")["total"]
        self.assertEqual((total["clips"], total["spent"], total["reserved"]), (1, 4, 0))


class Check(MoneyTest):
    def check(self, *words):
        return self.run_genclip("check", *words, "dance-2.5", "prompt=x", "duration=5")

    def setUp(self):
        super().setUp()
        self.env["GENCLIP_BASE_URL"] = BASE_URL.replace("https", "HTTPS") + "/"

    def test_tells_what_such_clips_have_cost(self):
        for name, amount in (("a", 10), ("b", 12), ("c", 14)):
            self.ledger.clip(name, "2026-11-20", amount, duration=5)
        self.assertEqual(json.loads(self.check("--json").stdout)["estimate"],
                         {"low": 10, "likely": 12, "high": 14, "samples": 3, "basis": "same"})
        self.assertTrue(self.check().stdout.endswith("\nEstimate\n10 to 14 credits, probably 12, by what 3 such clips have cost\n"))

    def test_by_similar_ones_where_there_is_none(self):
        self.ledger.clip("a", "2026-11-20", 1, duration=8)
        self.assertTrue(self.check().stdout.endswith("\nEstimate\n1 credit, by what 1 similar clip has cost\n"))

    def test_an_unknown_price_is_not_0(self):
        self.ledger.clip("a", "2026-11-20", 12, model="mini-h3")
        self.assertIn("\nEstimate\nunknown", self.check().stdout)
        self.assertIsNone(json.loads(self.check("--json").stdout)["estimate"])

    # The simplest way to learn it was to try, with generate.
    def test_tells_what_would_refuse_it(self):
        self.ledger.clip("a", time.strftime("%Y-%m-%d", time.gmtime()), 9.75, duration=5)
        self.assertNotIn("refuse", self.check().stdout)
        self.assertIsNone(json.loads(self.check("--json").stdout)["refused"])
        for limit, said in (("--per-clip=5", "allows 5 credits for one clip, and this clip may cost 9.75 credits."),
                            ("--per-day=12", "allows 12 credits a day; 9.75 credits are spent"),
                            ("--tasks-per-day=1", "allows 1 task a day")):
            with self.subTest(limit):
                self.run_genclip("budget", "clear")
                self.run_genclip("budget", "set", limit)
                shown = self.check().stdout.partition("\nEstimate\n")[2]
                self.assertTrue(shown.startswith("9.75 credits, by what 1 such clip has cost\n"
                                                 "genclip generate would refuse it: the store's budget "), shown)
                self.assertIn(said, shown)
                self.assertIn(said, json.loads(self.check("--json").stdout)["refused"])
        self.run_genclip("budget", "clear")
        self.env["GENCLIP_MAX_AMOUNT"] = "9"
        self.assertIn("would refuse it: GENCLIP_MAX_AMOUNT allows this clip 9 credits", self.check().stdout)

    def test_of_the_store_that_is_named_and_changes_nothing(self):
        other = self.store / "other"
        self.assertIn("unknown", self.check("--store", str(other)).stdout)
        self.assertFalse(other.exists())


class Correct(MoneyTest):
    def spent(self):
        total = self.json("cost")["total"]
        return total["spent"], total["reserved"], total["corrected"]

    def test_by_task_by_key_and_by_the_beginning_of_one(self):
        for name in (key_of("c"), key_of("c")[:8]):
            self.ledger.path.unlink(missing_ok=True)
            self.ledger.unknown("c", "2026-11-21")
            self.assertEqual(self.spent(), (0, 12, 0))
            run = self.run_genclip("cost", "correct", name, "9.5")
            self.assertEqual(run.stdout, f"Corrected: The task of clip {key_of('c')[:8]} cost 9.5 credits. "
                                         "Before, its cost was not told.\n")
            self.assertEqual(self.spent(), (9.5, 0, 1))
        self.ledger.clip("d", "2026-11-21", 10)
        run = self.run_genclip("cost", "correct", "task_d", "1")
        self.assertEqual(run.stdout, f"Corrected: Task task_d of clip {key_of('d')[:8]} cost 1 credit. Before, it was 10 credits.\n")
        self.assertEqual(self.spent(), (10.5, 0, 2))

    def second_task(self, task="task_second", **ending):
        self.ledger.line("reserve", "a", "2026-11-21", estimate=ESTIMATE)
        self.ledger.line("submitted", "a", "2026-11-21", task_id=task)
        self.ledger.line("settle", "a", "2026-11-21", task_id=task, **{"status": "completed", "amount": 6, **ending})

    def lost_task(self):
        self.ledger.line("reserve", "a", "2026-11-20", estimate=ESTIMATE)
        self.ledger.line("submitted", "a", "2026-11-20", task_id="task_lost")
        self.ledger.line("unknown", "a", "2026-11-20", task_id="task_lost")

    def test_a_key_means_the_latest_task(self):
        self.ledger.clip("a", "2026-11-20", 5)
        self.second_task()
        corrected = self.json("cost", "correct", key_of("a"), "2")
        self.assertEqual((corrected["task_id"], corrected["amount"], corrected["corrected"]), ("task_second", 2, True))
        self.assertEqual(self.spent(), (7, 0, 1))

    def test_what_cost_advises_corrects_the_task_that_it_is_about(self):
        self.lost_task()
        self.second_task()
        self.second_task("task_third", amount=None)
        self.ledger.unknown("a", "2026-11-22")
        self.ledger.unknown("b", "2026-11-22")
        self.env["COLUMNS"] = "60"
        for words in (["cost"], ["cost", "--by", "task"]):
            advice = [line.split() for line in self.run_genclip(*words).stdout.splitlines() if "cost correct" in line]
            self.assertEqual([line[3] for line in advice], ["task_lost", key_of("a")[:8], key_of("b")[:8], "task_third"])
        for name, *rest in (line[3:] for line in advice):
            self.assertEqual(rest, ["AMOUNT"])
            self.run_genclip("cost", "correct", name, "0")
        self.assertEqual(self.spent(), (6, 0, 4))
        self.assertNotIn("cost correct", self.run_genclip("cost").stdout)

    def test_a_submit_that_has_cost_nothing_is_unanswered_no_more(self):
        self.ledger.unknown("a", "2026-11-22")
        folder = self.store / key_of("a")
        folder.mkdir()
        (folder / "task.json").write_text(json.dumps({
            "version": 1, "state": "ambiguous", "model": "dance-2.5", "reserved_at": "2026-11-22T10:00:00.000Z", "base_url": BASE_URL,
            "api": "tasks", "take": 0, "request": {"model": "dance-2.5", "prompt": "a"}}))

        def state():
            return json.loads((folder / "task.json").read_text())["state"]

        self.run_genclip("cost", "correct", key_of("a"), "5")
        self.assertEqual(state(), "ambiguous")
        self.run_genclip("cost", "correct", key_of("a"), "0")
        self.assertEqual(state(), "refused")

    # Else no run with on-unknown=fail submits the request again.
    def test_a_lost_task_that_has_cost_nothing_is_no_doubt_any_more(self):
        self.ledger.line("reserve", "a", "2026-11-22", estimate=ESTIMATE)
        self.ledger.line("submitted", "a", "2026-11-22", task_id="task_a")
        self.ledger.line("unknown", "a", "2026-11-22", task_id="task_a")
        folder = self.store / key_of("a")
        folder.mkdir()
        lost = json.dumps({
            "version": 1, "state": "lost", "task_id": "task_a", "model": "dance-2.5", "reserved_at": "2026-11-22T10:00:00.000Z",
            "base_url": BASE_URL, "api": "tasks", "take": 0, "request": {"model": "dance-2.5", "prompt": "a"}})
        (folder / "task.json").write_text(lost)
        self.run_genclip("cost", "correct", key_of("a"), "5")
        self.assertEqual((folder / "task.json").read_text(), lost)
        self.run_genclip("cost", "correct", key_of("a"), "0")
        journal = json.loads((folder / "task.json").read_text())
        self.assertEqual((journal["state"], journal["amount"]), ("failed", 0))
        (folder / "task.json").write_text(lost.replace('"lost"', '"submitted"'))
        self.run_genclip("cost", "correct", key_of("a"), "0")
        self.assertEqual(json.loads((folder / "task.json").read_text())["state"], "submitted", "it may still bring its clip")

    def test_what_a_person_says_holds(self):
        self.ledger.line("reserve", "a", "2026-11-20", estimate=ESTIMATE)
        self.ledger.line("submitted", "a", "2026-11-20", task_id="task_a")
        self.run_genclip("cost", "correct", "task_a", "0")
        self.ledger.line("settle", "a", "2026-11-20", task_id="task_a", status="completed", amount=6)
        self.assertEqual(self.spent(), (0, 0, 1))

    # Else the task of the run would count beside the correction.
    def test_while_a_submit_is_under_way_no_amount_is_entered(self):
        self.ledger.line("reserve", "a", "2026-11-22", estimate=ESTIMATE)
        folder = self.store / key_of("a")
        folder.mkdir()
        with open(folder / "lock", "w", encoding="utf-8") as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX)
            for amount in ("5", "0"):
                self.assertIn("A run is at work on this clip", self.run_genclip("cost", "correct", key_of("a"), amount, code=1).stderr)
                self.assertEqual(self.spent(), (0, 12, 0))
            self.ledger.line("submitted", "a", "2026-11-22", task_id="task_a")
            self.assertIn("may still be under way", self.run_genclip("cost", "correct", key_of("a"), "5").stdout)
            self.assertEqual(self.spent(), (5, 0, 1))

    def test_a_lock_that_cannot_be_opened_is_told_and_is_no_run(self):
        self.ledger.line("reserve", "a", "2026-11-22", estimate=ESTIMATE)
        # No file, and no lock with which to set it aside.
        for path in (self.store / key_of("a") / "lock", self.store / "lock"):
            path.mkdir(parents=True)
        for amount in ("5", "0"):
            told = self.run_genclip("cost", "correct", key_of("a"), amount, code=1).stderr
            self.assertNotIn("A run is at work", told)
            self.assertIn(f"{self.store}/lock", told)
            self.assertEqual(self.spent(), (0, 12, 0))

    def test_an_attached_task_stays_in_no_total(self):
        self.ledger.line("settle", "f", "2026-11-22", task_id="task_f", status="completed", amount=100, attached=True)
        self.assertIn("in no total", self.run_genclip("cost", "correct", "task_f", "50").stdout)
        self.assertEqual(self.spent(), (0, 0, 0))

    def test_what_is_not_in_the_ledger_is_an_error(self):
        self.ledger.clip("a", "2026-11-20", 5)
        before = self.ledger.path.read_bytes()
        for name in ("task_z", key_of("z"), key_of("a")[:7], ""):
            with self.subTest(name=name):
                self.assertEqual(self.json("cost", "correct", name, "5", code=1)["status"], "failed")
        self.assertEqual(self.ledger.path.read_bytes(), before)

    def test_wrong_words_are_usage_errors(self):
        self.ledger.clip("a", "2026-11-20", 5)
        for words in ([], ["task_a"], ["task_a", "five"], ["task_a", "nan"], ["task_a", "1e13"], ["task_a", "5", "6"], ["task_a", ""],
                      ["--", "task_a", "-1"]):
            with self.subTest(words=words):
                self.run_genclip("cost", "correct", *words, code=2)
        self.assertEqual(self.spent(), (5, 0, 0))


class Budget(MoneyTest):
    def test_without_one_there_are_no_limits(self):
        budget = self.json("budget")
        self.assertEqual({name: row["limit"] for name, row in budget["limits"].items()},
                         dict.fromkeys(("per_clip", "per_day", "per_month", "total", "tasks_per_day", "requests_per_day", "tokens_per_day")))
        self.assertIsNone(budget["assumed_price"])
        self.env["COLUMNS"] = "80"
        self.assertEqual(self.run_genclip("budget").stdout.count("none"), 8)

    def test_set_changes_what_it_names_and_0_lifts_it(self):
        self.run_genclip("budget", "set", "--per-day", "100", "--per-clip=20", "--assumed-price", "7.5")
        self.assertEqual(json.loads((self.store / "budget.json").read_text()), {"per_clip": 20, "per_day": 100, "assumed_price": 7.5})
        self.run_genclip("budget", "set", "--per-day", "0", "--tasks-per-day", "3")
        self.assertEqual(json.loads((self.store / "budget.json").read_text()), {"per_clip": 20, "tasks_per_day": 3, "assumed_price": 7.5})
        self.assertEqual(self.json("budget", "set", "--per-month=5", "--total=6")["limits"]["total"]["limit"], 6)

    def test_a_limit_of_credits_says_what_happens_to_a_clip_of_unknown_price(self):
        said = "The first clip of another kind has no known price"
        passes, refused = "may cost more than a limit allows", "--per-clip refuses it"
        # However many clips of other kinds were bought.
        self.ledger.clip("a", self.today, 12)
        # Once, and again only if it is another fate.
        for words, says in ((["--per-day=100"], passes), (["--tasks-per-day=5"], ""), (["--per-clip=9"], refused), (["--per-day=50"], ""),
                            (["--per-clip=0", "--per-day=0"], ""), (["--per-clip=5", "--assumed-price=7"], ""),
                            (["--assumed-price=0"], refused)):
            with self.subTest(words=words):
                run = self.run_genclip("budget", "set", *words)
                text = " ".join(run.stderr.split())
                self.assertEqual((said in text, passes in text, refused in text), (bool(says), says == passes, says == refused), text)
                self.assertEqual("genclip budget set --assumed-price N." in text, bool(says), text)

    def test_tells_what_is_spent_and_reserved_now(self):
        self.ledger.clip("old", "2020-01-01", 30)
        self.ledger.clip("a", self.today, 12)
        self.ledger.unknown("b", self.today)
        self.ledger.clip("c", self.today, None, status="failed")
        limits = self.json("budget", "set", "--per-day=50", "--total=50", "--tasks-per-day=5")["limits"]
        day, total, tasks = limits["per_day"], limits["total"], limits["tasks_per_day"]
        self.assertEqual((day["spent"], day["reserved"], day["left"]), (12, 12, 26))
        self.assertEqual((total["spent"], total["reserved"], total["left"], total["resets"]), (42, 12, 0, None))
        self.assertEqual((tasks["spent"], tasks["left"]), (3, 2))
        self.assertNotIn("reserved", tasks)
        self.assertEqual(limits["per_month"]["spent"], 12)
        tomorrow = time.strftime("%Y-%m-%dT00:00:00.000Z", time.gmtime(time.time() // 86400 * 86400 + 86400))
        self.assertEqual(day["resets"], tomorrow)
        rows = {row["BUDGET"]: row for row in self.table("budget")}
        self.assertEqual((rows["per-day"]["LEFT"], rows["per-day"]["RESETS"], rows["per-month"]["LIMIT"]), ("26", tomorrow, "-"))
        self.env["COLUMNS"] = "80"
        self.assertIn("The cost of 1 clip was not told, and so stays reserved. See: genclip cost", " ".join(self.run_genclip("budget").stdout.split()))

    def test_captions_are_requests_and_tokens(self):
        self.ledger.line("captions", "run", self.today, model="text",
                         captions={"requests": 7, "total_tokens": 900, "held_requests": 3, "held_tokens": 300})
        limits = self.json("budget", "set", "--requests-per-day=20", "--tokens-per-day=1000")["limits"]
        self.assertEqual([(limits[name]["spent"], limits[name]["reserved"], limits[name]["left"])
                          for name in ("requests_per_day", "tokens_per_day")], [(7, 3, 10), (900, 300, 0)])
        self.ledger.line("captions", "other run", self.today, model="other", project="film",
                         captions={"requests": 2, "untold": 1, "prompt_tokens": 60, "output_tokens": 40, "total_tokens": 100,
                                   "assumed_tokens": 100})
        text = {"requests": 7, "tokens": 900, "prompt_tokens": 0, "output_tokens": 0, "untold": 0}
        other = {"requests": 2, "tokens": 200, "prompt_tokens": 60, "output_tokens": 40, "untold": 1}
        both = {name: text[name] + other[name] for name in text}
        self.assertEqual(self.json("cost")["captions"], both | {"rows": [{"model": "other"} | other, {"model": "text"} | text]})
        self.assertEqual(self.json("cost", "--by", "project")["captions"]["rows"],
                         [{"project": ""} | text, {"project": "film"} | other])
        self.assertEqual(self.json("cost", "--by", "task")["captions"], both | {"rows": []})
        self.assertEqual(self.json("cost", "--until", "2020-01-01")["captions"]["requests"], 0)
        rows = {row["MODEL"]: row for row in self.table("cost")}
        self.assertEqual((rows["other"]["CLIPS"], rows["other"]["REQUESTS"], rows["other"]["TOKENS"]), ("0", "2", "200"))
        self.env["COLUMNS"] = "80"
        self.assertRegex(self.run_genclip("cost").stdout, r"CAPTIONS +REQUESTS +PROMPT +OUTPUT +TOKENS\n"
                         r"other +2 +60 +40 +200\ntext +7 +0 +0 +900\nTotal +9 +60 +40 +1100\n")

    def test_clear_lifts_all_even_of_what_cannot_be_read(self):
        self.run_genclip("budget", "set", "--total", "5")
        self.assertIsNone(self.json("budget", "clear")["limits"]["total"]["limit"])
        self.assertIsNone(self.json("budget")["limits"]["total"]["limit"])
        (self.store / "budget.json").write_text('{"per_dya": 5}')
        for words in (["budget"], ["budget", "set", "--total=5"]):
            run = self.run_genclip(*words, code=1)
            self.assertIn("per_dya", run.stderr)
            self.assertIn("genclip budget clear", run.stderr)
        self.run_genclip("budget", "clear")
        self.assertFalse((self.store / "budget.json").exists())
        self.run_genclip("budget")

    def test_wrong_limits_are_usage_errors_and_change_nothing(self):
        for words in ([], ["--per-day"], ["--per-day=-1"], ["--per-day=lots"], ["--per-day=1e13"], ["--tasks-per-day=1.5"], ["100"],
                      ["--total=5", "--per-day=inf"]):
            with self.subTest(words=words):
                self.run_genclip("budget", "set", *words, code=2)
        self.assertFalse((self.store / "budget.json").exists())

    def test_of_a_store_that_is_not_there_yet(self):
        self.env["GENCLIP_STORE"] = str(self.store / "new")
        self.run_genclip("budget")
        self.assertFalse((self.store / "new").exists())
        self.run_genclip("budget", "set", "--total=5")
        self.assertEqual(self.json("budget")["limits"]["total"]["limit"], 5)

    def test_a_word_that_is_no_command_is_refused(self):
        self.assertIn("budget set", self.run_genclip("budget", "raise", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
