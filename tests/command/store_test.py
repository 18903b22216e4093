#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""genclip store against the simulator: list, verify, remove, prune and fetch."""

import csv
import http.server
import io
import json
import os
import pathlib
import re
import subprocess
import threading
import time
import unittest

from command import GENCLIP, environment, genclip
from service import ServiceTest


def width(line):
    return sum(2 if ord(c) > 0x2fff else 1 for c in line)


class DamagedService:
    """Answers every query with a completed task, whose clip consists of these bytes."""

    def __init__(self, clip):
        service = self
        self.downloads = 0

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self, body, content_type):
                self.send_response(200)
                self.send_header("Content-Type", content_type)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.do_GET()

            def do_GET(self):
                if self.path == "/clip":
                    service.downloads += 1
                    return self.answer(clip, "video/mp4")
                task = {"id": "t-7", "status": "completed", "video_url": f"{service.url}/clip"}
                return self.answer(json.dumps(task).encode(), "application/json")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


class Store(ServiceTest):
    def setUp(self):
        super().setUp()
        self.simulator()
        self.now = int(time.time())

    def store_json(self, *words):
        run = self.run_genclip("store", *words, "--json")
        return run.returncode, json.loads(run.stdout)

    def stored(self, *fields):
        """A clip of these fields, as the list has it."""
        models = [field[len("model="):] for field in fields if field.startswith("model=")]
        if models:
            fields = [field for field in fields if not field.startswith("model=")]
            path = self.run_genclip("generate", "--poll-interval=20", models[0], *fields).stdout.strip()
        else:
            path = self.generate(*fields).stdout.strip()
        return next(clip for clip in self.listed()["clips"] if clip["clip"] == path)

    def age(self, *clips):
        """The first was used before the second, and so on."""
        for number, clip in enumerate(clips):
            used = self.now + 100 * number
            os.utime(self.store / clip["key"] / "use", (used, used))


class List(Store):
    def test_an_empty_store(self):
        run = self.run_genclip("store", "list")
        self.assertEqual((run.returncode, run.stdout.count("\n"), run.stdout[:4]), (0, 1, "KEY\t"))
        self.env["COLUMNS"] = "80"
        run = self.run_genclip("store", "list")
        self.assertEqual((run.returncode, run.stdout), (0, "0 clips, 0 complete, 0 B, 0 credits\n"))
        self.assertEqual(self.listed(), {"store": str(self.store), "clips": [],
                                         "total": {"clips": 0, "complete": 0, "size": 0, "amount": 0},
                                         "captions": {"answers": 0, "size": 0}})

    def test_clips_and_what_they_cost(self):
        first = self.stored("prompt=a red kite", "duration=5")
        second = self.stored("prompt=a storm", "take=2")
        self.age(first, second)
        listed = self.listed()
        self.assertEqual([clip["prompt"] for clip in listed["clips"]], ["a red kite", "a storm"])
        self.assertEqual((first["state"], first["model"], first["take"]), ("complete", "dance-2.5", 0))
        self.assertEqual(second["take"], 2)
        self.assertGreater(first["amount"], 0)
        self.assertEqual(listed["total"]["amount"], first["amount"] + second["amount"])
        self.assertEqual(listed["total"]["size"], first["size"] + second["size"])
        self.assertGreaterEqual(first["size"], pathlib.Path(first["clip"]).stat().st_size)
        self.env["COLUMNS"] = "100"
        text = self.run_genclip("store", "list").stdout
        for clip in (first, second):
            self.assertIn(clip["key"][:8] + " ", text)
            self.assertIn(clip["task_id"], text)
            self.assertIn(clip["prompt"], text)
        self.assertIn("2 clips, 2 complete, ", text)
        self.assertIn(f", {listed['total']['amount']:g} credits\n", text)

    def test_a_task_under_way_and_one_that_failed(self):
        self.simulator(processing=60000)
        self.generate("prompt=slow", "--timeout", "1")
        self.simulator("--fault", "submit:fail=moderated")
        self.generate("prompt=bad")
        states = {clip["prompt"]: clip["state"] for clip in self.listed()["clips"]}
        self.assertEqual(states, {"slow": "submitted", "bad": "failed"})

    def test_a_request_that_never_left_is_not_called_submitted(self):
        self.generate("prompt=x", "--retries", "0", "--base-url", "http://127.0.0.1:1/api")
        self.assertEqual(self.listed()["clips"][0]["state"], "refused", "as programs know it")
        self.env["COLUMNS"] = "100"
        text = self.run_genclip("store", "list").stdout
        self.assertIn("not sent", text)
        self.assertIn(", tried 2", text)
        self.assertNotRegex(text, r"submitted 2\d{3}-")
        record = self.store / self.listed()["clips"][0]["key"] / "task.json"
        record.write_text(json.dumps(json.loads(record.read_text()) | {"unanswered_submits": 1}))
        self.assertNotIn("not sent", self.run_genclip("store", "list").stdout, "an earlier one may have been")

    # A submit that reached nobody stands behind a task of the same clip that has failed, at a cost or not.
    def test_a_request_that_has_a_task_is_not_called_unsent(self):
        self.generate("prompt=x", "--retries", "0", "--base-url", "http://127.0.0.1:1/api")
        record = self.store / self.listed()["clips"][0]["key"] / "task.json"
        unsent = json.loads(record.read_text())
        self.env["COLUMNS"] = "100"
        for has in ({"task_id": "task_1", "amount": 9}, {"earlier_tasks": ["task_1"]}):
            with self.subTest(has):
                record.write_text(json.dumps(unsent | has))
                text = self.run_genclip("store", "list").stdout
                self.assertNotIn("not sent", text)
                self.assertIn(" refused ", text)

    def test_a_damaged_record_is_listed_as_such(self):
        clip = self.stored()
        (self.store / clip["key"] / "task.json").write_text("{")
        (listed,) = self.listed()["clips"]
        self.assertEqual((listed["state"], listed["model"]), ("damaged", None))
        self.assertEqual(self.run_genclip("store", "show", clip["key"]).returncode, 0)
        self.assertIn("damaged", self.run_genclip("store", "list").stdout)

    def test_a_prompt_cannot_send_escape_sequences(self):
        self.stored("prompt=a\033[2Jkite\nin two lines")
        for words in (["list"], ["show", self.listed()["clips"][0]["task_id"]]):
            shown = self.run_genclip("store", *words).stdout
            self.assertIn("[2Jkite", shown)
            self.assertNotIn("\033", shown)

    def test_the_list_fits_a_terminal(self):
        self.stored("prompt=" + "a very long prompt 风筝 " * 20)
        for columns in (80, 132):
            self.env["COLUMNS"] = str(columns)
            lines = self.run_genclip("store", "list").stdout.splitlines()
            self.assertTrue(lines[2].endswith("…"), lines)
            for line in lines:
                self.assertLessEqual(width(line), columns, line)

    # B10: a model's name was split within a word; takes, seeds and dates were missing.
    def test_a_name_is_whole_at_any_width_and_what_tells_clips_apart_is_shown(self):
        prompt = "a very long prompt 风筝 " * 20
        clips = [self.stored(f"prompt={prompt}", "take=2"),
                 self.stored(f"prompt={prompt}", "model=sd_2.0_fast_discount", "seed=42")]
        for columns in (60, 80, 100):
            with self.subTest(columns=columns):
                self.env["COLUMNS"] = str(columns)
                text = self.run_genclip("store", "list").stdout
                words = text.replace(",", " ").split()
                for clip in clips:
                    for name in (clip["key"][:8], clip["state"], clip["model"], clip["task_id"]):
                        self.assertIn(name, words)
                    submitted = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(clip["submitted_at"]))
                    self.assertIn(f"submitted {submitted}", " ".join(text.split()))
                # In any order: both may be of the same second.
                for told in ("take 2, ", "seed 42, "):
                    self.assertRegex(" ".join(text.split()), rf"used \d+ s ago, submitted [-0-9]+ [:0-9]+, {told}")
                self.assertEqual(text.count("take "), 1)
                for line in text.splitlines():
                    self.assertLessEqual(width(line), columns, line)
        self.assertEqual([clip["seed"] for clip in clips], [None, 42])

    def test_a_pipe_gets_a_line_a_clip_with_the_values_of_the_json(self):
        self.stored("prompt=" + "a very long prompt 风筝 " * 20, "take=2")
        self.stored("prompt=a\tred\n\nkite", "model=sd_2.0_fast_discount", "seed=42")
        self.simulator("--fault", "submit:fail=moderated")
        self.generate("prompt=bad")
        head, *rows = [line.split("\t") for line in self.run_genclip("store", "list").stdout.splitlines()]
        self.assertEqual(len(rows), 3)

        def utc(seconds):
            return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))

        for row, clip in zip(rows, self.listed()["clips"]):
            details = json.loads(self.run_genclip("store", "show", clip["key"], "--json").stdout)
            wanted = {"KEY": clip["key"][:8], "STATE": clip["state"], "MODEL": clip["model"], "BYTES": clip["size"],
                      "CREDITS": "-" if clip["amount"] is None else f"{clip['amount']:g}", "TAKE": clip["take"] or "-",
                      "SEED": "-" if clip["seed"] is None else clip["seed"], "SUBMITTED": utc(clip["submitted_at"]),
                      "USED": utc(clip["last_used"]), "TASK": clip["task_id"], "PROMPT": " ".join(clip["prompt"].split()),
                      "PROBLEM": details["error"] or "-", "PINNED": "-", "CHANGED": utc(clip["updated_at"])}
            self.assertEqual(dict(zip(head, row)), {name: str(value) for name, value in wanted.items()})
            self.assertEqual(len(row), len(head))
        self.assertEqual([row[head.index("PROMPT")] for row in rows if row[head.index("PROBLEM")] != "-"], ["bad"])

    def test_filters(self):
        kite = self.stored("prompt=a red Kite", "take=2")
        storm = self.stored("prompt=a red storm", "model=sd_2.0_fast_discount")
        self.simulator("--fault", "submit:fail=moderated")
        self.generate("prompt=bad")
        # One from another day.
        record = self.store / storm["key"] / "task.json"
        text = record.read_text(encoding="utf-8")
        record.write_text(text.replace(f'"submitted_at": {storm["submitted_at"]}', '"submitted_at": 1741521600'), encoding="utf-8")

        def prompts(*words):
            run = self.run_genclip("store", "list", *words, "--json")
            self.assertEqual(run.returncode, 0, run.stderr)
            listed = json.loads(run.stdout)
            self.assertEqual(listed["total"]["clips"], len(listed["clips"]))
            return sorted(clip["prompt"] for clip in listed["clips"])

        today = time.strftime("%Y-%m-%d", time.gmtime(kite["submitted_at"]))
        for words, wanted in (((), ["a red Kite", "a red storm", "bad"]), (("RED",), ["a red Kite", "a red storm"]),
                              (("red", "kite"), ["a red Kite"]), (("kite", "storm"), []), (("fast_disc",), ["a red storm"]),
                              ((kite["task_id"],), ["a red Kite"]), ((kite["key"],), ["a red Kite"]), (("failed",), ["bad"]),
                              (("--model", "dance-2.5"), ["a red Kite", "bad"]), (("-m", "dance"), []),
                              (("--since", today), ["a red Kite", "bad"]), (("--since=2025-03-10", "red"), ["a red Kite"]),
                              (("--since=2025-03-09",), ["a red Kite", "a red storm", "bad"])):
            with self.subTest(words=words):
                self.assertEqual(prompts(*words), wanted)
        self.assertEqual(self.run_genclip("store", "list", "nothing like it").stdout.count("\n"), 1)

    def test_dates_that_are_none_are_usage_errors(self):
        for date in ("", "yesterday", "2025-3-9", "2025-02-29", "2025-03-09T12:00:00Z", "20250309", "1741521600"):
            with self.subTest(date=date):
                run = self.run_genclip("store", "list", f"--since={date}")
                self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn("such as 2026-11-22 (a day in UTC)", run.stderr)

    def test_csv_has_the_columns_of_a_pipe(self):
        self.stored("prompt=a \"red\" kite, and more")
        rows = list(csv.reader(io.StringIO(self.run_genclip("store", "list", "--csv").stdout, newline="")))
        piped = [line.split("\t") for line in self.run_genclip("store", "list").stdout.splitlines()]
        clip = json.loads(self.run_genclip("store", "list", "--json").stdout)["clips"][0]
        self.assertEqual(set(rows[0]), set(clip), "the heads of CSV are the names of JSON")
        row = dict(zip(rows[0], rows[1], strict=True))
        self.assertEqual((row["key"], row["take"], row["pinned"]), (clip["key"], "0", "false"))
        for name in ("state", "model", "amount", "size", "submitted_at", "task_id", "prompt"):
            self.assertEqual(row[name], piped[1][rows[0].index(name)], name)
        self.assertIn("a \"red\" kite, and more", rows[1])
        self.env["COLUMNS"] = "40"
        self.assertEqual(list(csv.reader(io.StringIO(self.run_genclip("store", "list", "--csv").stdout, newline=""))), rows)
        self.assertEqual(self.run_genclip("store", "list", "--csv", "--json").returncode, 2)

    def test_another_store_by_option(self):
        self.stored()
        other = str(self.folder / "other")
        self.assertEqual(self.run_genclip("store", "list", "--store", other).stdout.count("\n"), 1)
        self.assertFalse(pathlib.Path(other).exists())


class Show(Store):
    def test_by_key_by_its_beginning_and_by_task(self):
        clip = self.stored("prompt=a red kite", "duration=5")
        shown = [self.store_json("show", key) for key in (clip["key"], clip["key"][:8], clip["task_id"])]
        self.assertEqual(shown[0], shown[1])
        self.assertEqual(shown[0], shown[2])
        code, details = shown[0]
        self.assertEqual(code, 0)
        self.assertEqual(details["request"], {"model": "dance-2.5", "prompt": "a red kite", "duration": 5})
        self.assertEqual((details["api"], details["media_type"]), ("tasks", "video/mp4"))
        self.assertEqual({name: details[name] for name in clip}, clip)
        text = self.run_genclip("store", "show", clip["key"]).stdout
        for value in (clip["key"], clip["clip"], clip["task_id"], "a red kite"):
            self.assertIn(value, text)

    # B10: the labels were broken whenever a value was long.
    def test_labels_and_names_are_whole_at_any_width(self):
        prompt = " ".join(["a long prompt with many words"] * 20)
        clip = self.stored(f"prompt={prompt}", "model=sd_2.0_fast_discount", "seed=7", "take=1")
        for columns in (60, 80, 100, None):
            with self.subTest(columns=columns):
                self.env.pop("COLUMNS", None)
                if columns:
                    self.env["COLUMNS"] = str(columns)
                text = self.run_genclip("store", "show", clip["key"]).stdout.partition("\n\n")[0]
                for label, value in (("Key", clip["key"]), ("Credits", f"{clip['amount']:g}"), ("Take", "1"), ("Seed", "7"),
                                     ("Task", clip["task_id"]), ("Media type", "video/mp4"), ("Clip", clip["clip"]),
                                     ("Seconds used", f"{clip['actual_duration']:g}"), ("Folder", str(self.store / clip["key"]))):
                    self.assertRegex(text, rf"(?m)^{label}(\t| +){re.escape(value)}$")
                self.assertIn(prompt, " ".join(text.split()))
                lines = [line for line in text.splitlines() if "prompt" in line]
                for line in lines:
                    self.assertLessEqual(width(line), columns or 10000, line)
                self.assertEqual(len(lines) == 1, columns is None)

    def test_a_journal_without_a_request_is_shown(self):
        clip = self.stored("prompt=a red kite")
        path = self.store / clip["key"] / "task.json"
        journal = json.loads(path.read_text(encoding="utf-8"))
        for request in ({}, {"request": None}, {"request": "no object"}):
            with self.subTest(request=request):
                record = {name: value for name, value in journal.items() if name != "request"} | request
                path.write_text(json.dumps(record), encoding="utf-8")
                run = self.run_genclip("store", "show", clip["key"])
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.assertIn(clip["task_id"], run.stdout)

    def test_what_is_not_there_is_an_error(self):
        for command in ("show", "remove", "verify"):
            run = self.run_genclip("store", command, "0123456789")
            self.assertEqual(run.returncode, 1)
            self.assertIn("0123456789", run.stderr)


class Verify(Store):
    def test_whole_clips_pass(self):
        self.stored()
        self.assertEqual(self.run_genclip("store", "verify").stdout, "1 whole, 0 damaged\n")

    def test_a_clip_that_lost_its_end_is_found_and_fetched_again_in_its_place(self):
        clip = self.stored()
        path = pathlib.Path(clip["clip"])
        whole = path.read_bytes()
        # The size is unchanged: only checking the media detects it.
        path.write_bytes(whole[:len(whole) // 2] + bytes(len(whole) - len(whole) // 2))
        run = self.run_genclip("store", "verify")
        self.assertEqual((run.returncode, run.stdout), (1, "0 whole, 1 damaged\n"))
        self.assertIn(f"genclip store fetch {clip['task_id']}", run.stderr)
        code, verdict = self.store_json("verify", clip["key"])
        self.assertEqual((code, verdict["damaged"], verdict["clips"][0]["whole"]), (1, 1, False))

        fetched = self.run_genclip("store", "fetch", clip["task_id"], "--poll-interval=20")
        self.assertEqual((fetched.returncode, fetched.stdout), (0, f"{path}\n"), fetched.stderr)
        self.assertEqual(path.read_bytes(), whole)
        self.assertEqual(self.run_genclip("store", "verify").returncode, 0)
        self.assertEqual(self.generate().stdout, f"{path}\n")
        self.assertEqual(self.stats()["submits"], 1)


    # A11: the folder of a request whose reference media could not be checked contains a lock, but no clip.
    def test_a_run_that_ended_before_it_was_paid_left_no_damage(self):
        run = self.generate("prompt=x", "reference_images=http://127.0.0.1:9/gone.png", "--check-media=headers", "--retries=0")
        self.assertEqual((run.returncode, self.stats()["submits"]), (1, 0), run.stderr)
        (left,) = self.store.iterdir()
        self.assertEqual([path.name for path in left.iterdir()], ["lock"])
        self.assertEqual(self.listed()["clips"], [])
        verified = self.run_genclip("store", "verify")
        self.assertEqual((verified.returncode, verified.stdout), (0, "0 whole, 0 damaged\n"))
        self.assertEqual(self.run_genclip("store", "prune", "1G").returncode, 0)
        self.assertEqual(list(self.store.iterdir()), [])


class Fetch(Store):
    # A13: fetching again does not repair a clip that the service itself has damaged.
    def test_a_clip_that_the_service_has_damaged_is_told_to_be_its_own_and_each_fetch_ends(self):
        whole = pathlib.Path(self.stored()["clip"]).read_bytes()
        # Its box of samples ends behind the file.
        at = whole.index(b"mdat") - 4
        service = DamagedService(whole[:at] + (0x7fffff00).to_bytes(4, "big") + whole[at + 4:])
        self.addCleanup(service.stop)
        self.env["GENCLIP_BASE_URL"] = service.url
        made = self.generate("prompt=damaged")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(self.run_genclip("store", "verify").returncode, 1)
        for downloads in (4, 6):  # What ends amid its data is asked for twice, in case its host still writes it.
            run = self.run_genclip("store", "fetch", "t-7", "--poll-interval=20")
            self.assertEqual((run.returncode, run.stdout), (0, made.stdout), run.stderr)
            self.assertRegex(run.stderr, "Warning: .*clip.mp4 is damaged: .* the service's copy is damaged too: fetching it again does not help")
            self.assertEqual(service.downloads, downloads)

    # Else the task of a run with --anew, which is paid too, would not be the record's any more.
    def test_a_damaged_clip_that_a_task_is_to_replace_comes_into_a_folder_of_its_own(self):
        clip = self.stored()
        path, record = pathlib.Path(clip["clip"]), self.store / clip["key"] / "task.json"
        whole, replaced = path.read_bytes(), json.loads(record.read_text())
        record.write_text(json.dumps({name: replaced[name] for name in replaced if name not in ("clip", "further_results")}
                                     | {"state": "submitted", "task_id": "task_next", "replaces": replaced}))
        path.write_bytes(whole[:len(whole) // 2] + bytes(len(whole) - len(whole) // 2))
        before = record.read_text()
        run = self.run_genclip("store", "fetch", clip["task_id"], "--poll-interval=20")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(pathlib.Path(run.stdout.strip()).read_bytes(), whole)
        self.assertNotEqual(run.stdout, clip["clip"] + "\n")
        self.assertEqual(record.read_text(), before)
        self.assertEqual(self.stats()["submits"], 1)

    def test_a_removed_clip_comes_back_by_its_task(self):
        clip = self.stored()
        whole = pathlib.Path(clip["clip"]).read_bytes()
        self.assertEqual(self.run_genclip("store", "remove", clip["task_id"]).returncode, 0)
        output = self.folder / "again.mp4"
        run = self.run_genclip("store", "fetch", clip["task_id"], "-o", str(output), "--poll-interval=20")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(output.read_bytes(), whole)
        self.assertEqual(self.stats()["submits"], 1)

    def test_a_whole_clip_is_not_fetched_again(self):
        clip = self.stored()
        downloads = self.stats()["downloads"]
        run = self.run_genclip("store", "fetch", clip["task_id"])
        self.assertEqual((run.returncode, run.stdout), (0, clip["clip"] + "\n"))
        self.assertEqual(self.stats()["downloads"], downloads)

    def test_a_task_that_was_left_is_finished_where_its_request_is(self):
        self.simulator(processing=1500)
        self.generate("prompt=slow", "--timeout", "1")
        (left,) = self.listed()["clips"]
        self.assertEqual(left["state"], "submitted")
        run = self.run_genclip("store", "fetch", left["task_id"], "--poll-interval=20")
        self.assertEqual(run.returncode, 0, run.stderr)
        (clip,) = self.listed()["clips"]
        self.assertEqual((clip["key"], clip["state"], clip["clip"] + "\n"), (left["key"], "complete", run.stdout))

    def test_a_task_id_that_both_apis_gave_names_the_clip_of_the_api_that_is_meant(self):
        legacy = self.stored("model=sky2Stable", "prompt=a harbour", "duration=10")
        other = self.stored("prompt=a kite")
        record = self.store / other["key"] / "task.json"
        record.write_text(record.read_text().replace(other["task_id"], legacy["task_id"]))
        for words in (["--legacy", legacy["task_id"]], [legacy["key"]]):
            run = self.run_genclip("store", "fetch", *words, "--poll-interval=20")
            self.assertEqual((run.returncode, run.stdout), (0, legacy["clip"] + "\n"), run.stderr)
        run = self.run_genclip("store", "fetch", other["key"], "--poll-interval=20")
        self.assertEqual((run.returncode, run.stdout), (0, other["clip"] + "\n"), run.stderr)

    def test_a_task_that_the_service_does_not_know_is_an_error(self):
        run = self.run_genclip("store", "fetch", "task_nowhere", "--retries=0")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertRegex(run.stderr, "genclip: .+")

    def test_a_record_does_not_choose_where_the_key_goes(self):
        clip = self.stored()
        record = self.store / clip["key"] / "task.json"
        text = record.read_text().replace(self.env["GENCLIP_BASE_URL"], "http://127.0.0.1:9/api")
        record.write_text(text)
        self.assertIn("127.0.0.1:9", text)
        queries = self.stats()["queries"]
        run = self.run_genclip("store", "fetch", clip["task_id"], "--poll-interval=20")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertGreater(self.stats()["queries"], queries)


class Remove(Store):
    def test_a_clip_goes_and_others_stay(self):
        first, second = self.stored("prompt=a"), self.stored("prompt=b")
        code, removed = self.store_json("remove", first["key"][:8])
        self.assertEqual((code, removed), (0, {"removed": [first["key"]]}))
        self.assertEqual([clip["key"] for clip in self.listed()["clips"]], [second["key"]])
        self.assertFalse((self.store / first["key"]).exists())

    def test_it_is_paid_again_only_with_a_warning(self):
        clip = self.stored()
        self.assertEqual(self.run_genclip("store", "remove", clip["key"]).returncode, 0)
        # The run that was to pay again, and did not, has said so to somebody else.
        key, self.env["GENCLIP_API_KEY"] = self.env["GENCLIP_API_KEY"], "wrong"
        self.assertIn("does not accept the API key", self.generate().stderr)
        self.env["GENCLIP_API_KEY"] = key
        run = self.generate()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn(f"Warning: The clip of this request was paid for before ({clip['amount']:g} credits, task {clip['task_id']}), and is not "
                      "in the store any more. It is paid for again.", " ".join(run.stderr.split()))
        self.assertEqual(self.stats()["submits"], 2)

    def test_what_it_cost_is_told(self):
        clip = self.stored()
        run = self.run_genclip("store", "remove", clip["key"])
        self.assertRegex(run.stdout, rf"^Removed {clip['key'][:8]}, .*B, which cost {clip['amount']:g} credits?, task {clip['task_id']}\n$")

    # A15
    def test_what_somebody_else_has_put_there_stays(self):
        clip = self.stored()
        notes = self.store / clip["key"] / "notes.txt"
        notes.write_text("mine", encoding="utf-8")
        self.assertEqual(self.run_genclip("store", "remove", clip["key"]).returncode, 0)
        self.assertEqual((notes.read_text(encoding="utf-8"), [path.name for path in notes.parent.iterdir()]), ("mine", ["notes.txt"]))
        self.assertEqual(self.listed()["clips"], [])
        self.assertEqual(self.stored()["key"], clip["key"], "another clip can come there")

    def test_one_wrong_key_removes_nothing(self):
        clip = self.stored()
        self.assertEqual(self.run_genclip("store", "remove", clip["key"], "0123456789").returncode, 1)
        self.assertEqual(len(self.listed()["clips"]), 1)

    def test_a_task_that_may_bring_a_clip_is_removed_only_when_asked(self):
        self.simulator(processing=60000)
        self.generate("prompt=slow", "--timeout", "1")
        (clip,) = self.listed()["clips"]
        self.assertEqual(self.run_genclip("store", "remove", clip["key"]).returncode, 1)
        removed = self.run_genclip("store", "remove", "--any", clip["key"])
        self.assertEqual((removed.returncode, self.listed()["clips"]), (0, []))
        self.assertIn(f"genclip store fetch {clip['task_id']}", removed.stderr)
        self.generate("prompt=slow", "--timeout", "1")
        self.assertEqual([clip["task_id"] for clip in self.listed()["clips"]], [clip["task_id"]], "it is not paid again")

    def test_a_task_whose_cost_was_entered_or_whose_clip_was_fetched_is_not_paid_again_once_it_is_removed(self):
        self.simulator(processing=1500)
        for prompt in ("prompt=entered", "prompt=fetched"):
            with self.subTest(prompt):
                self.generate(prompt, "--timeout", "1")
                clip = next(clip for clip in self.listed()["clips"] if clip["state"] == "submitted")
                if prompt == "prompt=entered":
                    self.assertEqual(self.run_genclip("cost", "correct", clip["task_id"], "5").returncode, 0)
                self.assertEqual(self.run_genclip("store", "remove", "--any", clip["key"]).returncode, 0)
                if prompt == "prompt=fetched":
                    fetched = self.run_genclip("store", "fetch", "--poll-interval=20", clip["task_id"])
                    self.assertEqual(fetched.returncode, 0, fetched.stderr)
                submits = self.stats()["submits"]
                again = self.generate(prompt)
                self.assertEqual((again.returncode, self.stats()["submits"]), (0, submits), again.stderr)
                self.assertIn(clip["key"], again.stdout)

    # Its run has died before it told the ledger of the task.
    def test_a_task_that_the_journal_alone_names_is_in_the_ledger_before_it_is_removed(self):
        self.simulator(processing=60000)
        self.generate("prompt=slow", "--timeout", "1")
        (clip,) = self.listed()["clips"]
        ledger = self.store / "ledger.jsonl"
        ledger.write_text("".join(line for line in ledger.read_text().splitlines(True) if clip["task_id"] not in line))
        self.assertEqual(self.run_genclip("store", "remove", "--any", clip["key"]).returncode, 0)
        self.generate("prompt=slow", "--timeout", "1")
        self.assertEqual([clip["task_id"] for clip in self.listed()["clips"]], [clip["task_id"]])


    # A store of a version without a ledger, and a run that could not tell it what its clip has cost.
    def test_what_the_journal_alone_tells_is_in_the_ledger_before_a_clip_goes(self):
        ledger = self.store / "ledger.jsonl"
        for words in (["remove", "KEY"], ["prune", "0"]):
            for kept in ((), ("reserve", "submitted")):
                with self.subTest(words=words, kept=kept):
                    clip = self.stored(f"prompt={words[0]} {len(kept)}")
                    before = json.loads(self.run_genclip("cost", "--json").stdout)["total"]
                    (self.store / "ledger.summary").unlink(missing_ok=True)
                    lines = ledger.read_text().splitlines(True)
                    ledger.write_text("".join(line for line in lines if clip["key"] not in line or json.loads(line)["event"] in kept))
                    if not kept:
                        ledger.unlink()
                    run = self.run_genclip("store", *[word.replace("KEY", clip["key"]) for word in words])
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertEqual(self.listed()["clips"], [])
                    total = json.loads(self.run_genclip("cost", "--json").stdout)["total"]
                    self.assertEqual(total["spent"], before["spent"] if kept else clip["amount"])
                    self.assertEqual((total["unknown"], total["reserved"]), (0, 0))

    def test_a_clip_beside_which_a_task_may_bring_another_goes_only_when_asked_and_is_told_of(self):
        for words, code in ((["remove"], 1), (["remove", "--any"], 0), (["prune", "0"], 0)):
            with self.subTest(words=words):
                clip = self.stored(f"prompt={words}")
                record = self.store / clip["key"] / "task.json"
                record.write_text(json.dumps(json.loads(record.read_text()) | {"unfetched_tasks": ["task_9"]}))
                run = self.run_genclip("store", *words, *([clip["key"]] if words[0] == "remove" else []))
                self.assertEqual((run.returncode, record.exists()), (code, code == 1), run.stderr)
                self.assertIn("genclip store fetch task_9" if code == 0 else "store remove --any", run.stderr)
                if code == 1:
                    self.run_genclip("store", "remove", "--any", clip["key"])

    def test_a_clip_that_another_one_is_to_replace_is_one_of_the_stores(self):
        clip = self.stored()
        self.simulator("--fault", "submit:lose-answer")
        self.assertEqual(self.generate("prompt=a red kite", "--anew").returncode, 1)
        (listed,) = self.listed()["clips"]
        self.assertEqual((listed["state"], listed["clip"], listed["amount"]), ("ambiguous", clip["clip"], clip["amount"]))
        self.assertEqual(self.run_genclip("store", "find", "kite").stdout, clip["clip"] + "\n")
        self.assertEqual(self.run_genclip("store", "verify").stdout, "1 whole, 0 damaged\n")
        downloads = self.stats()["downloads"]
        for name in (clip["key"], clip["task_id"], clip["clip"]):
            run = self.run_genclip("store", "fetch", name)
            self.assertEqual((run.returncode, run.stdout), (0, clip["clip"] + "\n"), run.stderr)
        # The ID of its own task means the clip that is here, whatever its successor's is.
        record = self.store / clip["key"] / "task.json"
        ambiguous = record.read_text()
        record.write_text(json.dumps(json.loads(ambiguous) | {"state": "submitted", "task_id": "task_next"}))
        run = self.run_genclip("store", "fetch", clip["task_id"])
        self.assertEqual((run.returncode, run.stdout), (0, clip["clip"] + "\n"), run.stderr)
        record.write_text(ambiguous)
        self.assertEqual(self.stats()["downloads"], downloads)
        self.assertIn("contains a whole clip", self.run_genclip("store", "remove", clip["key"]).stderr)
        run = self.run_genclip("store", "remove", "--any", clip["key"])
        self.assertIn(f"which cost {clip['amount']:g} credits, without one clip whose cost was not told", " ".join(run.stdout.split()))


class Prune(Store):
    def test_the_least_recently_used_go_until_the_size_is_reached(self):
        clips = [self.stored(f"prompt={name}") for name in "abc"]
        self.age(*clips)
        code, pruned = self.store_json("prune", f"{clips[1]['size'] + clips[2]['size']}B")
        self.assertEqual((code, pruned["removed"]), (0, [clips[0]["key"]]))
        self.assertEqual(pruned["size"], self.listed()["total"]["size"])
        self.assertEqual(self.run_genclip("store", "prune", "1G").stdout.count("Removed"), 0)
        run = self.run_genclip("store", "prune", "0")
        self.assertEqual(run.stdout.count("Removed"), 2)
        self.assertTrue(run.stdout.endswith("\n0 B left\n"), run.stdout)
        # A10
        self.assertEqual(pruned["amount"], clips[0]["amount"])
        for clip in clips[1:]:
            self.assertIn(f"which cost {clip['amount']:g} credits, task {clip['task_id']}\n", run.stdout)
        self.assertIn(f"\nThe removed clips cost {clips[1]['amount'] + clips[2]['amount']:g} credits together\n", run.stdout)

    # A15
    def test_a_foreign_folder_stays_and_takes_no_other_clip_with_it(self):
        clips = [self.stored(f"prompt={name}") for name in "abc"]
        self.age(*clips)
        pictures = self.store / clips[0]["key"] / "pictures"
        pictures.mkdir()
        (pictures / "1.png").write_text("mine", encoding="utf-8")
        code, pruned = self.store_json("prune", f"{clips[1]['size'] + clips[2]['size']}B")
        self.assertEqual((code, pruned["removed"]), (0, [clips[0]["key"]]))
        self.assertEqual(pruned["size"], self.listed()["total"]["size"])
        self.assertEqual(len(self.listed()["clips"]), 2)
        self.assertEqual((pictures / "1.png").read_text(encoding="utf-8"), "mine")

    def test_an_empty_store_is_pruned_as_it_is_listed(self):
        run = self.run_genclip("store", "prune", "0")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "0 B left\n", ""))

    def test_sizes_that_are_none_are_usage_errors(self):
        for size in ("", "lots", "-1", "5X", "1e9", "nan", "inf", "5 k k", "Gi", "i"):
            with self.subTest(size=size):
                self.assertEqual(self.run_genclip("store", "prune", "--", size).returncode, 2)

    def test_sizes_have_units(self):
        clip = self.stored()
        for size in ("1G", "1GB", "1.5Gi", "500 MB", "2t", "100Mi"):
            with self.subTest(size=size):
                run = self.run_genclip("store", "prune", size)
                self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(self.listed()["clips"][0]["key"], clip["key"])


class Pin(Store):
    def test_a_pinned_clip_stays_until_it_is_unpinned(self):
        pinned, other = self.stored("prompt=a"), self.stored("prompt=b")
        code, done = self.store_json("pin", pinned["key"][:8])
        self.assertEqual((code, done), (0, {"pinned": [pinned["key"]]}))
        self.assertEqual({clip["key"]: clip["pinned"] for clip in self.listed()["clips"]}, {pinned["key"]: True, other["key"]: False})
        self.assertIn("\nPinned\tyes\n", self.run_genclip("store", "show", pinned["key"]).stdout)
        self.assertIn("\nPinned\tno\n", self.run_genclip("store", "show", other["key"]).stdout)
        run = self.run_genclip("store", "prune", "0")
        self.assertEqual((run.returncode, run.stdout.count("Removed")), (0, 1))
        self.assertIn("pinned", run.stderr)
        run = self.run_genclip("store", "remove", "--any", pinned["key"])
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn(f"genclip store unpin {pinned['key'][:8]}", run.stderr)
        self.assertEqual([clip["key"] for clip in self.listed()["clips"]], [pinned["key"]])

        run = self.run_genclip("store", "unpin", pinned["task_id"])
        self.assertEqual((run.returncode, run.stdout), (0, f"Unpinned {pinned['key'][:8]}\n"))
        self.assertEqual(self.run_genclip("store", "prune", "0").stdout.count("Removed"), 1)

    def test_store_max_size_evicts_others_and_says_what_they_cost(self):
        pinned, other = self.stored("prompt=a"), self.stored("prompt=b")
        self.age(pinned, other)
        self.run_genclip("store", "pin", pinned["key"])
        run = self.generate("prompt=c", "--store-max-size", "1B")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertCountEqual([clip["prompt"] for clip in self.listed()["clips"]], ["a", "c"])
        self.assertIn(f"{other['key'][:8]}, task {other['task_id']}, which cost {other['amount']:g} credits", run.stderr)

    def test_it_is_removed_when_that_is_asked_for(self):
        clip = self.stored()
        self.run_genclip("store", "pin", clip["key"])
        self.assertEqual(self.run_genclip("store", "remove", "--pinned", clip["key"]).returncode, 0)
        self.assertFalse((self.store / clip["key"]).exists())

    def test_the_clip_that_replaces_it_is_pinned(self):
        clip = self.stored()
        self.run_genclip("store", "pin", clip["key"])
        self.assertEqual(self.generate("--anew", "prompt=a red kite").returncode, 0)
        (replaced,) = self.listed()["clips"]
        self.assertEqual((replaced["key"], replaced["pinned"]), (clip["key"], True))
        self.assertNotEqual(replaced["task_id"], clip["task_id"])

    def test_a_wrong_key_pins_nothing(self):
        clip = self.stored()
        self.assertEqual(self.run_genclip("store", "pin", clip["key"], "0123456789").returncode, 1)
        self.assertFalse(self.listed()["clips"][0]["pinned"])
        self.assertEqual(self.run_genclip("store", "pin").returncode, 2)


class RelativeStore(Store):
    # B8
    def test_is_that_of_the_current_folder_and_paths_are_whole(self):
        self.env["GENCLIP_STORE"] = "store"
        for words in (["generate", "--poll-interval=20", "dance-2.5", "prompt=x"], ["store", "list", "--json"]):
            run = subprocess.run([GENCLIP, *words], env=environment(**self.env), cwd=self.folder, capture_output=True, text=True,
                                 timeout=60, check=False)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn(f"{self.store}", run.stdout)


class Usage(unittest.TestCase):
    def test_store_alone_names_its_commands(self):
        run = genclip("store")
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        for words in (["store", "--help"], ["help", "store"]):
            shown = genclip(*words)
            self.assertEqual(shown.returncode, 0)
            for name in ("list", "show", "verify", "pin", "unpin", "remove", "prune", "fetch"):
                self.assertIn(f"\n  genclip store {name}: ", shown.stdout)
                self.assertIn(f" {name}", run.stderr)


class Completion(Store):
    def test_keys_and_tasks_of_the_store_are_offered(self):
        clip = self.stored()
        for command in ("show", "remove", "verify", "pin", "unpin"):
            offered = self.run_genclip("__complete", "store", command, "--store", "elsewhere", "").stdout.split()
            self.assertEqual(offered, [clip["key"][:8], clip["task_id"]])
        self.assertEqual(self.run_genclip("__complete", "store", "fetch", "").stdout.split(), [clip["task_id"]])


if __name__ == "__main__":
    unittest.main()
