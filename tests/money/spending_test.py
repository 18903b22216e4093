#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""After many generations with faults, kills, removals, prunes and replacements the ledger agrees with the service's account."""

import json
import os
import random
import time
import unittest

from shop import PRICES, Shop

GENERATIONS = int(os.environ.get("GENCLIP_GENERATIONS", "40"))
SEED = int(os.environ.get("GENCLIP_SEED", "1"))
# Shares of the generations.
FAULTY, REMOVED, PRUNED, REPLACED = 0.05, 0.08, 0.02, 0.1
# At random moments, so not in the gate.
KILLED = 0.1 if "GENCLIP_KILLS" in os.environ else 0
AT_ONCE = 3
FAULTS = {
    "submit": ["status=400", "status=402", "status=429;retry-after=0", "status=500", "status=503;retry-after=0", "reset",
               "lose-answer", "html", "garbage-json", "cut=5", "id-number", "drop=id", "fail=The picture was refused.",
               "amount=9.75", "amount=0", "no-amount"],
    "query": ["status=404", "status=429;retry-after=0", "status=500", "reset", "cut=20", "html", "garbage-json", "no-url",
              "drop=progress"],
    "media": ["status=404", "status=500", "reset", "cut=1000", "no-range"],
}


def faults(dice, calls):
    """About 5 % of the calls have one; a call is counted from now on."""
    return [f"{call}#{number}:{dice.choice(kinds)}" for call, kinds in FAULTS.items() for number in range(1, calls + 1)
            if dice.random() < FAULTY]


class Spending(unittest.TestCase):
    def setUp(self):
        print(f"seed {SEED} (GENCLIP_SEED), {GENERATIONS} generations", flush=True)
        self.dice = random.Random(SEED)
        self.clips = []  # (take, seconds) of all that were asked for.
        self.kills = self.removals = self.prunes = self.replacements = 0

    def begin(self, shop):
        """One generation: of a new clip, of one that was asked for before, or instead of one."""
        if self.clips and self.dice.random() < REPLACED:
            clip, options = self.dice.choice(self.clips), ["--anew"]
            self.replacements += 1
        elif self.clips and self.dice.random() < 0.1:
            clip, options = self.dice.choice(self.clips), []
        else:
            clip, options = (len(self.clips) + 1, self.dice.choice(list(PRICES))), []
            self.clips.append(clip)
        retries = ["--retries", "1", "--http-timeout", "2"]
        return shop.start(*shop.wish(*clip, *retries, *options))

    def complete_keys(self, shop):
        return [key for key, record in shop.records().items() if record.get("state") == "complete"]

    def go(self, shop):
        shop.service.set_faults(faults(self.dice, 3 * GENERATIONS))
        last = 0.5  # Seconds that runs take.
        begun = 0
        while begun < GENERATIONS:
            began = time.monotonic()
            runs = [self.begin(shop) for _ in range(min(AT_ONCE, GENERATIONS - begun))]
            begun += len(runs)
            if self.kills < KILLED * begun:
                time.sleep(self.dice.uniform(0, last))
                self.kills += self.dice.choice(runs).kill()
            for run in runs:
                run.end()
                shop.runs.remove(run)
            last = 0.8 * last + 0.2 * (time.monotonic() - began)
            if self.removals < REMOVED * begun and (keys := self.complete_keys(shop)):
                self.removals += shop.run("store", "remove", self.dice.choice(keys))[1] == 0
            if self.prunes < PRUNED * begun and self.dice.random() < 0.1:
                self.prunes += shop.run("store", "prune", self.dice.choice(["200k", "1M", "0"]))[1] == 0

    def finish(self, shop):
        """Plain runs without faults, so that no clip is left half way."""
        shop.service.set_faults(())
        for take, seconds in self.clips:
            for _ in range(3):  # After a task that the service does not know a run ends, and the next one goes on.
                run, code = shop.run(*shop.wish(take, seconds))
                if code == 0:
                    break
            self.assertEqual(code, 0, f"take {take}: {run.text}")

    def assert_told(self, shop, ledger):
        """genclip cost comes to the same as this test's own reader."""
        run, code = shop.run("cost", "--json")
        self.assertEqual(code, 0, run.text)
        total = json.loads(run.text)["total"]
        own = {"spent": ledger.spent(), "reserved": ledger.reserved(), "unknown": len(ledger.of_state("unknown")),
               "untold": len(ledger.untold()), "attached": len(ledger.of_state("attached")),
               "clips": len(ledger.charges) - len(ledger.of_state("released", "attached"))}
        for name, value in own.items():
            self.assertAlmostEqual(total[name], value, 6, f"{name}, seed {SEED}: {total}")

    def test_the_ledgers_sum_is_the_services_to_the_credit_and_what_is_unknown_is_listed(self):
        with Shop("--padding", "20000", charge_failures=self.dice.random() < 0.5) as shop:
            self.go(shop)
            self.finish(shop)
            ledger, account, stats = shop.ledger(), shop.service.account(), shop.service.stats()
            self.assertEqual(ledger.differences(account), [], f"seed {SEED}")
            self.assertEqual((ledger.is_torn, ledger.bad_lines), (False, []))
            self.assertEqual([charge for charge in ledger.charges if charge.is_under_way()], [], f"seed {SEED}")
            self.assert_told(shop, ledger)
            # What is unknown has a cause: the answer was lost, or its run was killed.
            unknown, untold = ledger.of_state("unknown"), ledger.untold()
            happened = stats["faults"]
            self.assertLessEqual(len(unknown), self.kills + sum(happened.values()))
            # A task whose amount was never told is listed, or the service's account would differ.
            silent = {task["id"] for task in account["tasks"] if not task["told"] and task["status"] == "completed"}
            self.assertEqual({charge.task_id for charge in untold} - silent, set(), f"seed {SEED}")
            print(f"{len(account['tasks'])} tasks, {account['spent']} credits; {self.kills} kills, {sum(happened.values())} faults, "
                  f"{self.removals} removals, {self.prunes} prunes, {self.replacements} replacements; in the ledger "
                  f"{ledger.spent()} credits, {len(unknown)} unknown, {len(untold)} untold", flush=True)
            self.assertGreater(len(account["tasks"]), GENERATIONS / 3)


if __name__ == "__main__":
    unittest.main()
