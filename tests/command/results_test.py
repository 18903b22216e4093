#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A clip that is paid arrives, however a service answers and whatever its media host wants."""

import json
import os
import pathlib
import time
import unittest

from command import genclip
from service import KEY, MODEL, ServiceTest

# A name, the faults, and what the run must print besides fetching the clip.
ARRIVES = [
    ("URL in video.url", ["query:place=video.url"], ""),
    ("URL in content.video_url", ["query:place=content.video_url"], ""),
    ("URL in url", ["query:place=url"], ""),
    ("URL in data[0].url beside the ID", ["query:place=data[0].url"], ""),
    ("URL in a list", ["query:place=result.url[0]"], ""),
    ("URL under a name nobody knows, beside the request's own",
     ["query:place=deliverable.link", 'query:set=input:{"first_image":"http://127.0.0.1:1/own.png"}'], ""),
    ("wrapped, under other names",
     ["query:place=task_result.videos[0].url", "query:state=completed/succeed", "query:move=status/task_status",
      "query:move=id/task_id", "query:wrapper=SUCCEED;as=code"], ""),
    ("a wrapper's success, no ID inside", ["query:drop=id", "query:wrapper=success"], ""),
    ("a wrapper around the submit's answer", ["submit:wrapper=success"], ""),
    ("a cover beside the clip", ["query:cover"], ""),
    ("a list, the cover first", ["query:cover=first"], ""),
    ("three clips of one task", ["query:results=3"], "2 more results; task.json lists them"),
    ("escapes in the URL", ["query:exact"], ""),
    ("quotes and brackets in the URL", ["query:exact=/v/a.mp4?filename*=UTF-8''na%C3%AFve(1)!.mp4&sig=A*B'C"], ""),
    ("a user in the URL", ["query:userinfo"], ""),
    ("a cookie on a redirect", ["media:cookie"], ""),
    ("206 to a request without Range", ["media:unasked-part"], ""),
    ("404, and 202, and a page, then the clip",
     ["media#1:lag=86400000", "media#2:lag=86400000;as=202;retry-after=0", "media#3:lag=86400000;as=page"], ""),
    ("403, and an empty body, and 503, then the clip",
     ["media#1:lag=86400000;as=403", "media#2:empty", "media#3:lag=86400000;as=503;retry-after=0"], ""),
]

# What fails must say this. The task is kept.
FAILS = [
    ("two URLs under names nobody knows", ["query:no-url", 'query:set=x:{"link":"http://h/v.mp4","other":"http://h/w.mp4"}'],
     ["x.link, x.other", "paid for"]),
    ("a cover and nothing else", ["query:cover=only"], ["a picture came where a video was asked for", "paid for"]),
    ("another scheme", ["query:scheme=ftp"], ['scheme "ftp"', "paid for"]),
    ("no URL at all", ["query:no-url", 'query:set=deliverable:{"text":"x"}'], ["gives no URL", "deliverable.text"]),
    ("the API's own host wants the key", ["query:api-origin", "media:want-key"],
     ["wants the API key", "never sends the key", "missing bearer token"]),
    ("never there", ["media:lag=86400000;as=503"], ["paid for", "run again"]),
    ("the proxy of the media wants credentials", ["media:status=407"], ["proxy", "paid for"]),
]

# What store fetch and --task-id are given in place of an ID.
NO_IDS = ["/home/me/x.mp4", "./x.mp4", "genclip://dance-2.5?prompt=x", "https://media.example/x.mp4", "a red kite"]

REASONS = ["task-status-msg", "failure-reason", "base-resp", "err-msg", "failure", "status-message"]


class Ends(ServiceTest):
    """What the last lines of a run say."""

    def rows(self, count):
        path = self.folder / "prompts.txt"
        path.write_text("".join(f"kite {i}\n" for i in range(count)))
        return str(path)

    def test_a_batch_says_where_its_clips_are(self):
        self.simulator()
        words = ["batch", "--poll-interval", "20", self.rows(2), MODEL]
        run = self.run_genclip(*words)
        self.assertIn(f"2 of 2 clips are in the store {self.store}.", run.stderr)
        self.assertIn("--output-dir FOLDER", run.stderr)
        run = self.run_genclip(*words, "--output-dir", str(self.folder / "clips"))
        self.assertIn("2 of 2 clips are there. Paid by this run: 0 credits.", run.stderr)
        self.assertNotIn("--output-dir", run.stderr)

    def test_a_budget_that_refuses_all_is_not_to_be_tried_again(self):
        self.simulator()
        self.run_genclip("budget", "set", "--per-day", "5", "--assumed-price", "10", "--per-clip", "20")
        run = self.run_genclip("batch", "--poll-interval", "20", self.rows(6), MODEL, "--jobs", "4")
        self.assertEqual((run.returncode, self.stats()["submits"]), (75, 0), run.stderr)
        self.assertIn("No further clip is begun", run.stderr)
        self.assertNotIn("tried again", run.stderr)

    def test_the_request_of_a_warning_is_the_last_line_and_no_error(self):
        self.simulator("--fault", "submit#1:lose-answer")
        self.assertEqual(self.generate("prompt=a kite").returncode, 1)
        run = self.generate("prompt=a kite")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stderr, f"Warning: .*charged.*\n(.*\n)*Done.*\nRequest: {MODEL} 'prompt=a kite'\n$")


class Chosen(ServiceTest):
    """Each command that takes a stored clip takes it by its key, its task, its URI and its path."""

    # S10
    def test_every_command_takes_every_name_of_a_clip(self):
        self.simulator()
        clip = self.generate("prompt=it's 50 % & more", "duration=4").stdout.strip()
        self.assertEqual(self.generate("prompt=another").returncode, 0)
        mine, other = sorted(self.listed()["clips"], key=lambda stored: stored["prompt"] == "another")
        key, task = mine["key"], mine["task_id"]
        uri = json.loads(self.run_genclip("check", "--json", MODEL, "prompt=it's 50 % & more", "duration=4").stdout)["uri"]
        self.assertIn("\nEstimate\nnothing, because the store has the clip, or its task, already\n", self.run_genclip("check", uri).stdout)
        link = self.folder / "a link"
        link.symlink_to(self.store)
        names = [key, key[:8], task, uri, clip, str(pathlib.Path(clip).parent), clip.replace(str(self.store), str(link)),
                 pathlib.Path(clip).as_uri(), os.path.relpath(clip)]
        for name in names:
            with self.subTest(name=name):
                for command, said in (("show", key), ("verify", "1 whole, 0 damaged"), ("pin", f"Pinned {key[:8]}"),
                                      ("unpin", f"Unpinned {key[:8]}"), ("fetch", clip)):
                    run = self.run_genclip("store", command, name)
                    self.assertEqual((run.returncode, said in run.stdout), (0, True), run.stdout + run.stderr)
                self.assertEqual(self.run_genclip("frame", name, "-o", str(self.folder / "x.png")).returncode, 0)
                run = self.run_genclip("cost", "correct", name, "3")
                self.assertEqual((run.returncode, f"Task {task} of clip {key[:8]}" in run.stdout), (0, True), run.stdout + run.stderr)
        # Removed by each of its names but the task's, which the next run pays anew.
        for name in (uri, clip):
            run = self.run_genclip("store", "remove", name)
            self.assertEqual((run.returncode, f"Removed {key[:8]}" in run.stdout), (0, True), run.stderr)
            self.assertEqual([stored["key"] for stored in self.listed()["clips"]], [other["key"]])
            self.assertEqual(self.run_genclip("cost", "correct", name, "4").returncode, 0)
            self.assertEqual(self.generate("prompt=it's 50 % & more", "duration=4").returncode, 0)

    # S12
    def test_what_is_no_task_is_not_sent_to_the_service(self):
        self.simulator()
        clip = self.generate("prompt=a").stdout.strip()
        before = self.stats()
        for name in (f"{clip}x", f"{pathlib.Path(clip).parent}/clip.webm", f"{clip}/x", "/home/me/x.mp4", "./x.mp4", "file:///x.mp4", f"genclip://{MODEL}?prompt=never", str(self.folder)):
            with self.subTest(name=name):
                for command in ("fetch", "show", "pin", "unpin", "remove", "verify"):
                    run = self.run_genclip("store", command, name)
                    self.assertEqual((run.returncode, run.stdout), (1, ""))
                    self.assertRegex(run.stderr, "contains nothing named|does not contain the clip of this URI")
        self.assertEqual(self.stats(), before)
        pathlib.Path(clip).unlink()
        self.assertIn("damaged", self.run_genclip("store", "verify", clip).stdout)
        self.assertEqual(self.run_genclip("store", "fetch", clip).stdout.strip(), clip)
        run = genclip("store", "show", f"genclip://{MODEL}?prompt=never", **{**self.env, "GENCLIP_BASE_URL": ""})
        self.assertIn("without GENCLIP_BASE_URL or --base-url", run.stderr)


class Results(ServiceTest):
    take = 0

    def generate_once_more(self, *words):
        """Another clip of the same request, so that the simulator renders once."""
        Results.take += 1
        return self.generate(*words, f"take={self.take}", "prompt=a red kite")

    def test_a_clip_arrives_from_every_service(self):
        self.simulator()
        for name, faults, told in ARRIVES:
            with self.subTest(name):
                self.faults(*faults)
                run = self.generate_once_more("--timeout", "60", "--json")
                self.assertEqual(run.returncode, 0, run.stderr)
                answer = json.loads(run.stdout)
                self.assertEqual(answer["outcome"], "stored")
                self.assertTrue(answer["clip"].endswith(".mp4"), answer)
                self.assertIn(told, run.stderr)
                self.assertEqual(told == "", "Warning" not in run.stderr, run.stderr)
        stats = self.stats()
        self.assertEqual(stats["submits"], len(ARRIVES))
        self.assertEqual(stats["media_with_authorization"], 0)

    def test_what_cannot_arrive_is_told_and_kept(self):
        self.simulator()
        # The simulator renders now, and not in the five seconds of a run.
        self.assertEqual(self.generate_once_more().returncode, 0)
        for name, faults, words in FAILS:
            with self.subTest(name):
                self.faults(*faults)
                run = self.generate_once_more("--timeout", "5", "--json")
                self.assertEqual(run.returncode, 1, run.stdout)
                for word in words:
                    self.assertIn(word, run.stderr)
                self.assertEqual(json.loads(run.stdout)["outcome"], "paid-unfetched")
                # A later run fetches it.
                self.faults()
                again = self.generate(f"take={self.take}", "prompt=a red kite")
                self.assertEqual(again.returncode, 0, again.stderr)
        stats = self.stats()
        self.assertEqual(stats["submits"], 1 + len(FAILS))
        self.assertEqual(stats["media_with_authorization"], 0)

    def test_the_reason_of_a_failure_is_told(self):
        self.simulator()
        for shape in REASONS:
            with self.subTest(shape):
                self.faults(f"query:fail=Image pixel is invalid;shape={shape}")
                run = self.generate_once_more()
                self.assertEqual(run.returncode, 1)
                self.assertIn("Image pixel is invalid", run.stderr)

    def test_further_results_can_be_fetched(self):
        self.simulator("--fault", "query:results=3")
        run = self.generate("--json", "prompt=a red kite")
        run_json = run.stdout
        task = json.loads(run_json)["task_id"]
        journal = next(self.store.glob("*/task.json")).read_text()
        self.assertEqual([result["field"] for result in json.loads(journal)["further_results"]], ["output[1]", "output[2]"])
        self.assertNotIn("signature", journal)
        for number, code in [("2", 0), ("3", 0), ("4", 1)]:
            target = self.folder / f"{number}.mp4"
            run = self.run_genclip("store", "fetch", task, "--result", number, "--output", str(target))
            self.assertEqual((run.returncode, target.exists()), (code, code == 0), run.stderr)
        self.assertIn("The task has only 3 results.", run.stderr)
        self.assertEqual(self.stats()["submits"], 1)
        clips = self.listed()["clips"]
        self.assertEqual([clip["state"] for clip in clips], ["complete"] * 3, "a mistaken number leaves no clip")
        # Each is its own clip: the task's ID means the first, in the folder of its request, and a key its own.
        places = {number: self.run_genclip("store", "fetch", task, "--result", number).stdout.strip() for number in "123"}
        self.assertEqual(sorted(places.values()), sorted(clip["clip"] for clip in clips))
        self.assertEqual(places["1"], json.loads(run_json)["clip"])
        self.assertEqual(self.run_genclip("store", "fetch", task).stdout.strip(), places["1"])
        self.assertEqual(self.run_genclip("store", "fetch", places["3"]).stdout.strip(), places["3"])
        self.assertEqual(self.run_genclip("store", "show", task, "--json").returncode, 0)
        # A damaged one is fetched again in its own place, by the command that is told.
        damaged = pathlib.Path(places["2"])
        whole = damaged.read_bytes()
        damaged.write_bytes(whole[:-1])
        told = self.run_genclip("store", "verify").stderr
        self.assertIn(f"genclip store fetch --result 2 {task}", told)
        self.assertEqual(self.run_genclip("store", "fetch", "--result", "2", task).stdout.strip(), places["2"])
        self.assertEqual(damaged.read_bytes(), whole)
        # They cost nothing more.
        total = json.loads(self.run_genclip("store", "list", "--json").stdout)["total"]["amount"]
        cost = json.loads(self.run_genclip("cost", "--json").stdout)
        self.assertEqual(total, json.loads(journal)["amount"])
        self.assertEqual(cost["total"]["spent"], total)
        # Without its request's folder, the first one is fetched anew, and not taken for another.
        self.assertEqual(self.run_genclip("store", "remove", places["1"]).returncode, 0)
        again = self.run_genclip("store", "fetch", task)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertNotIn(again.stdout.strip(), places.values())

    def test_a_submit_whose_outcome_is_unknown_is_repeated_only_if_the_run_may(self):
        self.simulator("--fault", "submit#1:lose-answer")
        run = self.generate()
        self.assertEqual(run.returncode, 1)
        self.assertIn("set --on-unknown to fail", run.stderr)
        for _ in range(2):
            run = self.generate("--on-unknown", "fail", "--json", "prompt=a red kite")
            self.assertEqual(run.returncode, 1)
            self.assertRegex(run.stderr, r"submitted this request at \d{4}-\d\d-\d\dT.*Look into the account")
            ending = json.loads(run.stdout)
            self.assertEqual([ending[name] for name in ("outcome", "charged", "retry")], ["unknown", "maybe", False])
        # Of a chain, not even the clip before it is paid.
        first, in_doubt = (f"genclip://{MODEL}?prompt={prompt}" for prompt in ("a%20kite%20rises", "a%20red%20kite"))
        run = self.run_genclip("generate", "--on-unknown=fail", "--publish-folder", str(self.folder),
                               "--publish-url", "http://127.0.0.1:1/", "--publish-check=none", "--json", MODEL, "prompt=both",
                               f"reference_images={first}#last", f"reference_images={in_doubt}#last")
        self.assertEqual(run.returncode, 1)
        self.assertIn("reference_images[1]: An earlier run submitted this request", run.stderr)
        ending = json.loads(run.stdout)
        self.assertEqual([ending[name] for name in ("outcome", "charged", "retry")], ["unknown", "maybe", False])
        # A channel does not submit it again by itself, so its check has no price for it.
        rundown = self.folder / "day.txt"
        rundown.write_text(f"genclip://{MODEL}?prompt=a%20red%20kite\n", encoding="utf-8")
        for options, leaves, has_price in ([], "The same command leaves it out.", False), (["--on-unknown=resubmit"], "with --on-unknown skip.", True):
            run = self.run_genclip("channel", str(rundown), "--check", "--json", *options)
            self.assertEqual(run.returncode, 0, run.stderr)
            check = json.loads(run.stdout)
            (item,) = check["items"]
            self.assertEqual((item["state"], item["paid_before"]), ("may be paid", False))
            self.assertEqual(item["estimate"] is not None or check["unknown"] == 1, has_price)
            self.assertIn("It is unknown whether the clip of", run.stderr)
            self.assertIn(leaves, run.stderr)
        self.assertEqual(self.stats()["submits"], 1)
        run = self.generate()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("may be charged twice", run.stderr)
        self.assertEqual(self.stats()["submits"], 2)
        self.assertEqual(self.generate("--on-unknown=fail", "prompt=a red kite").returncode, 0)

    def test_a_key_that_is_renewed_amid_a_task_is_read_again(self):
        file = self.folder / "key"
        file.write_text("\ufeff" + KEY + "\n")
        file.chmod(0o600)
        del self.env["GENCLIP_API_KEY"]
        self.env["GENCLIP_API_KEY_FILE"] = str(file)
        # The old key is good, and the task runs, for as long as there are these faults.
        self.simulator("--key", "sk-renewed-4711", *(word for fault in (f"submit:key={KEY}", f"query:key={KEY}", "query:state=processing")
                                                     for word in ("--fault", fault)))
        process = self.start("generate", "--poll-interval", "100", MODEL, "prompt=a red kite")
        while self.stats()["queries"] < 1:
            self.assertIsNone(process.poll(), "it does not wait for the task")
            time.sleep(0.01)
        renewed = self.folder / "key.new"
        renewed.write_text("sk-renewed-4711\n")
        renewed.chmod(0o600)
        renewed.rename(file)
        self.faults()
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        self.assertNotIn("sk-renewed-4711", out + err)
        stats = self.stats()
        self.assertEqual(stats["submits"], 1)
        self.assertTrue(any(refusal.startswith("401 ") for refusal in stats["refusals"]), "the old key was not refused")

    def test_what_can_be_no_task_is_not_asked_for(self):
        self.simulator()
        for text in NO_IDS:
            for words in (["store", "fetch", text], ["generate", "dance-2.5", "--task-id", text]):
                with self.subTest(words=words):
                    run = self.run_genclip(*words)
                    self.assertEqual((run.returncode, run.stdout), (1, ""))
                    self.assertRegex(run.stderr, "not the ID of a task|contains nothing named|does not contain the clip of this URI")
        self.assertEqual(self.stats()["queries"], 0)

    def test_a_key_of_the_store_is_its_clips_task(self):
        self.simulator()
        made = self.generate_once_more("--json")
        task = json.loads(made.stdout)["task_id"]
        (clip,) = [clip for clip in self.listed()["clips"] if clip["task_id"] == task]
        again = self.run_genclip("store", "fetch", clip["key"][:8], "--json")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual((json.loads(again.stdout)["task_id"], json.loads(again.stdout)["reused"]), (task, True))
        self.assertIn("this run cost nothing. It cost ", again.stderr)

    def test_advice_names_what_the_user_has_typed(self):
        self.simulator()
        fetched = self.run_genclip("store", "fetch", "abc")
        self.assertIn("Check the ID, --base-url and the API key.\n", fetched.stderr)
        generated = self.run_genclip("generate", "dance-2.5", "--task-id=abc")
        self.assertIn("Check --task-id, --base-url and the API key, or leave out --task-id.\n", generated.stderr)


if __name__ == "__main__":
    unittest.main()
