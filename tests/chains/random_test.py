#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random chains in a small store: no clip is paid twice silently, whatever is killed, removed or left untold.

A sequence is one store, one service and some steps. In each step one or two runs go on at once, under some faults; some are
killed, and a neighbour removes what it may. In a step each run may pay once for each clip that it needs, but not for one
that stays stored, nor for one whose task is at the service, unless it says so."""

import collections
import json
import os
import pathlib
import random
import re
import shutil
import time
import unittest

from film import Film, link, uri_of
from shop import MODEL, PRICES

SEQUENCES = int(os.environ.get("GENCLIP_SEQUENCES", "6"))
SEED = int(os.environ.get("GENCLIP_SEED", "1"))
PRICE = PRICES[4]
ANNOUNCES = re.compile(r"charged|paid twice")
FAULTS = {
    "submit": ["status=400", "status=429;retry-after=0", "status=500", "reset", "lose-answer", "fail=No.", "amount=3.5", "no-amount"],
    "query": ["status=500", "reset", "drop=amount", "set=amount:null", "html"],
    "media": ["status=500", "reset", "cut=1000"],
}


class Story:
    """The clips of a sequence: links that begin with one another, and clips that are made of several."""

    def __init__(self, dice):
        self.uris, self.needs = {}, {}
        for name in "abcd":
            before = dice.choice([None, *self.uris])
            self.add(name, link(name, before and self.uris[before]), [before] if before else [])
        for name in "xyz":
            parts = [(dice.choice("abcd"), dice.choice(["first", "last"])) for _ in range(dice.randint(1, 3))]
            self.add(name, uri_of(MODEL, prompt=name, duration=4,
                                  reference_images=[f"{self.uris[part]}#{frame}" for part, frame in parts]),
                     [part for part, _ in parts])

    def add(self, name, uri, before):
        self.uris[name] = uri
        self.needs[name] = {name}.union(*(self.needs[other] for other in before))


class RandomChains(unittest.TestCase):
    def state(self, film):
        """The state and the task of each clip by its name."""
        return {record["request"]["prompt"]: (record["state"], record.get("task_id")) for record in film.records().values()}

    def paid(self, film):
        counts = collections.Counter()
        for text, number in film.service.stats()["submits_by_request"].items():
            counts[json.loads(text)["prompt"]] += number
        return counts

    def faults(self, dice):
        return [f"{call}#{dice.randint(1, 4)}:{dice.choice(FAULTS[call])}"
                for call in dice.choices(list(FAULTS), k=dice.choice([0, 0, 1, 1, 2]))]

    def vanish(self, film, dice, names):
        """Somebody removes a folder whose task is at the service: the ledger still knows it."""
        under_way = [key for key, record in film.records().items()
                     if record["state"] == "submitted" and record.get("status") in ("queued", "processing")]
        if under_way and dice.random() < 0.3:
            shutil.rmtree(film.store / dice.choice(under_way))

    def step(self, film, story, dice):
        before, paid_before = self.state(film), self.paid(film)
        alive = {task["id"] for task in film.service.account()["tasks"] if task["status"] != "failed"}
        self.vanish(film, dice, before)
        faults = self.faults(dice)
        film.service.set_faults(faults)
        film.set_budget(**dice.choice([{}, {}, {"per_clip": 3}, {"total": 60, "assumed_price": PRICE}]))
        runs = []
        for _ in range(dice.choice([1, 1, 2])):
            name = dice.choice(list(story.uris))
            options = dice.choice([[], ["--store-max-size", "1B"], ["--store-max-size", "20k"]])
            anew = ["--anew"] if dice.random() < 0.1 else []
            runs.append((name, anew, film.start("generate", "--poll-interval", "10", "--http-timeout", "5", "--retries", "1",
                                                "--json", *options, *anew, story.uris[name])))
        if dice.random() < 0.5:
            time.sleep(dice.uniform(0, 0.8))
            film.run("store", "prune", "--max-size", "1B") if dice.random() < 0.5 else dice.choice(runs)[2].kill()
        for _, _, run in runs:
            run.end()
            film.runs.remove(run)
        film.service.set_faults(())
        now, paid = self.state(film), self.paid(film) - paid_before
        story_of_step = f"faults {faults}, " + ", ".join(
            f"{name}{' anew' if anew else ''} exit {run.process.returncode}: {run.text}" for name, anew, run in runs)
        announced = sum(bool(ANNOUNCES.search(run.text)) for _, _, run in runs)
        silent = 0
        for name, number in paid.items():
            allowed = sum(name in story.needs[other] for other, _, _ in runs)
            anew = any(other == name and words for other, words, _ in runs)
            state, task = before.get(name, ("", None))
            if state == "complete" and now.get(name) == (state, task) and not anew:
                allowed = 0
            if state == "submitted" and task in alive and not anew:
                allowed = 0
            silent += max(0, number - allowed)
        self.assertLessEqual(silent, announced, f"{dict(paid)} were paid; before {before}, now {now}; {story_of_step}")
        if len(runs) == 1:
            self.check_words(runs[0], paid, faults, story_of_step)

    def check_words(self, run, paid, faults, story_of_step):
        _, _, run = run
        if sum(paid.values()) > 0:
            self.assertNotIn("Nothing was sent", run.text, story_of_step)
        if run.process.returncode == 0 and not faults and sum(paid.values()) > 0:
            told = json.JSONDecoder().raw_decode(run.text[run.text.index("{"):])[0]
            self.assertEqual(told["amount"], PRICE * sum(paid.values()), story_of_step)

    def test_no_clip_is_paid_twice_silently(self):
        print(f"seed {SEED} (GENCLIP_SEED), {SEQUENCES} sequences", flush=True)
        submits = 0
        for seed in range(SEED, SEED + SEQUENCES):
            dice = random.Random(seed)
            with self.subTest(seed=seed), Film(charge_failures=dice.random() < 0.5) as film:
                film.store = pathlib.Path(film.store)
                story = Story(dice)
                for _ in range(dice.randint(3, 8)):
                    self.step(film, story, dice)
                film.set_budget()
                for name in dice.sample(list(story.uris), 3):
                    for _ in range(3):
                        run, code = film.run("generate", "--poll-interval", "10", story.uris[name])
                        if code == 0:
                            break
                    self.assertEqual(code, 0, run.text)
                self.assertEqual(film.ledger().differences(film.service.account()), [])
                submits += film.service.stats()["submits"]
        print(f"{submits} submits", flush=True)


if __name__ == "__main__":
    unittest.main()
