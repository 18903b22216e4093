#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A budget holds however many processes ask at once, and a refusal says why, in words and for programs."""

import datetime
import json
import os
import random
import unittest

from shop import PRICES, Shop

CROWD = int(os.environ.get("GENCLIP_CROWD", "64"))
ROUNDS = int(os.environ.get("GENCLIP_ROUNDS", "3"))
SEED = int(os.environ.get("GENCLIP_SEED", str(random.SystemRandom().randrange(1 << 32))))
AFFORDABLE = 10


class Crowd(unittest.TestCase):
    """Many processes at once, each with a clip of its own, of which AFFORDABLE may be paid."""

    def buy(self, shop, processes=CROWD):
        """The exit codes and outputs of all."""
        runs = [shop.start(*shop.wish(take, 4)) for take in range(1, processes + 1)]
        return [(run.end(), run.text) for run in runs]

    def assert_held(self, shop, ends, words):
        paid = [text for code, text in ends if code == 0]
        refused = [text for code, text in ends if code != 0]
        account = shop.service.account()
        self.assertEqual((len(paid), len(refused)), (AFFORDABLE, len(ends) - AFFORDABLE), refused[:3])
        for text in refused:
            self.assertIn("Nothing was sent: the store's budget allows", text)
            self.assertIn(words, text)
        ledger = shop.ledger()
        self.assertEqual(ledger.differences(account), [])
        self.assertEqual(ledger.reserved(), 0)
        self.assertEqual(len(ledger.of_state("settled")), len(account["tasks"]))
        return account

    def test_64_at_once_with_money_for_10_pay_10_and_54_are_refused_in_words(self):
        with Shop() as shop:
            shop.set_budget(total=AFFORDABLE * PRICES[4], assumed_price=PRICES[4])
            account = self.assert_held(shop, self.buy(shop), "20 credits in total")
            self.assertEqual((len(account["tasks"]), account["spent"]), (AFFORDABLE, 20))
            # Not a credit is left, and what is stored is served.
            run, code = shop.run(*shop.wish(CROWD + 1))
            self.assertEqual(code, 1, run.text)
            self.assertIn("genclip budget set --total", run.text)

    def test_with_an_estimate_from_history(self):
        with Shop() as shop:
            self.assertEqual(shop.run(*shop.wish(0))[1], 0)
            shop.set_budget(per_month=(AFFORDABLE + 1) * PRICES[4])
            account = self.assert_held(shop, self.buy(shop, 24), "22 credits a month; ")
            self.assertEqual(account["spent"], 22)

    def test_of_unknown_price_they_go_one_at_a_time_until_the_price_is_known(self):
        with Shop() as shop:
            shop.set_budget(total=AFFORDABLE * PRICES[4])
            account = self.assert_held(shop, self.buy(shop, 16), "20 credits in total")
            self.assertEqual(account["spent"], 20)
            unpriced = [charge for charge in shop.ledger().charges if charge.estimate is None]
            self.assertEqual(len(unpriced), 1, "another one was submitted before the first one's price was known")

    def test_a_number_of_tasks_holds_too(self):
        day = None
        while day != datetime.datetime.now(datetime.timezone.utc).date():  # Again, if the day has ended meanwhile.
            day = datetime.datetime.now(datetime.timezone.utc).date()
            with Shop() as shop:
                shop.set_budget(tasks_per_day=AFFORDABLE)
                ends = self.buy(shop, 16)
                account = shop.service.account()
        self.assertEqual(len(account["tasks"]), AFFORDABLE)
        refused = [text for code, text in ends if code != 0]
        self.assertEqual(len(refused), 16 - AFFORDABLE)
        for text in refused:
            self.assertIn("10 tasks a day", text)

    def test_what_has_failed_costs_nothing_and_leaves_room(self):
        with Shop() as shop:
            shop.set_budget(total=4, assumed_price=PRICES[4])
            shop.service.set_faults(["submit#1:fail=No.", "submit#2:status=402"])
            codes = [shop.run(*shop.wish(take, 4, "--retries", "0"))[1] for take in range(1, 6)]
            self.assertEqual(codes, [1, 1, 0, 0, 1])
            self.assertEqual(shop.service.account()["spent"], 4)

    def test_what_may_have_been_paid_takes_its_room(self):
        with Shop() as shop:
            shop.set_budget(total=4, assumed_price=PRICES[4])
            shop.service.set_faults(["submit#1:lose-answer", "submit#2:no-amount"])
            codes = [shop.run(*shop.wish(take, 4, "--retries", "0"))[1] for take in range(1, 5)]
            self.assertEqual(codes, [1, 0, 1, 1])
            ledger = shop.ledger()
            self.assertEqual((ledger.spent(), ledger.reserved(PRICES[4])), (0, 4))
            self.assertEqual(ledger.differences(shop.service.account()), [])


class Refusal(unittest.TestCase):
    def refuse(self, shop, *options, **env):
        run, code = shop.run(*shop.wish(1, 4, "--json", *options), **env)
        self.assertEqual(code, 1, run.text)
        answer = json.loads(run.text[run.text.index("{"):run.text.rindex("}") + 1])
        # Time may lift a spent budget; a clip that is too dear stays so, and a file that cannot be read.
        can_pass = answer["budget"] not in ("per-clip", "max-amount", "budget.json")
        self.assertEqual({name: answer.get(name) for name in ("outcome", "charged", "retry")},
                         {"outcome": "not-submitted", "charged": "no", "retry": can_pass}, answer)
        self.assertEqual(shop.service.stats()["submits"], 0)
        return answer

    def test_tells_programs_the_limit_and_what_is_spent(self):
        with Shop() as shop:
            for budget, limit in (({"total": 1, "assumed_price": 2}, "total"), ({"per_clip": 1, "assumed_price": 2}, "per-clip"),
                                  ({"per_day": 1, "assumed_price": 2}, "per-day"),
                                  ({"per_month": 1, "assumed_price": 2}, "per-month")):
                shop.set_budget(**budget)
                answer = self.refuse(shop)
                self.assertEqual({name: answer.get(name) for name in ("budget", "limit", "spent", "reserved", "estimate")},
                                 {"budget": limit, "limit": 1, "spent": 0, "reserved": 0, "estimate": 2})
                self.assertEqual(shop.ledger().charges, [])

    def test_a_limit_of_one_clip_can_only_tighten(self):
        with Shop() as shop:
            shop.set_budget(per_clip=3, assumed_price=2)
            for options, env in ((["--max-amount", "1.5"], {}), ([], {"GENCLIP_MAX_AMOUNT": "1.5"})):
                answer = self.refuse(shop, *options, **env)
                self.assertEqual((answer["budget"], answer["limit"]), ("max-amount", 1.5))
            shop.set_budget(per_clip=1, assumed_price=2)
            self.assertEqual(self.refuse(shop, "--max-amount", "50")["budget"], "per-clip")
            shop.set_budget()
            self.assertEqual(self.refuse(shop, "--max-amount", "50")["budget"], "max-amount")

    def test_a_budget_that_cannot_be_read_refuses_and_says_so(self):
        with Shop() as shop:
            shop.set_budget()
            for text in ("", "{", "[]", '{"per_dya":5}', '{"total":"5"}', '{"total":-1}'):
                (shop.store / "budget.json").write_text(text, encoding="utf-8")
                run, code = shop.run(*shop.wish(1))
                self.assertEqual(code, 1, text)
                self.assertIn("budget.json", run.text, text)
                self.assertEqual(self.refuse(shop)["budget"], "budget.json")
                self.assertEqual(shop.service.stats()["submits"], 0, text)
            (shop.store / "budget.json").unlink()
            self.assertEqual(shop.run(*shop.wish(1))[1], 0)

    def test_an_amount_above_its_estimate_is_told_and_teaches_the_next_one(self):
        with Shop() as shop:
            self.assertEqual(shop.run(*shop.wish(1))[1], 0)
            shop.service.set_faults(["submit#1:amount=9.75"])
            run, code = shop.run(*shop.wish(2))
            self.assertEqual(code, 0, run.text)
            self.assertRegex(run.text, r"Warning: .*9\.75 credits")
            shop.run(*shop.wish(3))
            self.assertEqual([charge.estimate for charge in shop.ledger().charges], [None, 2, 9.75])
            self.assertEqual(shop.ledger().differences(shop.service.account()), [])

    def test_the_ledger_has_the_project_and_nothing_secret(self):
        with Shop() as shop:
            shop.run(*shop.wish(1, 4, "--project", "spring campaign"))
            shop.run(*shop.wish(2), GENCLIP_PROJECT="autumn")
            self.assertEqual([charge.project for charge in shop.ledger().charges], ["spring campaign", "autumn"])
            text = (shop.store / "ledger.jsonl").read_text(encoding="utf-8")
            for secret in ("storm", "sim-key", "/media/", "Signature"):
                self.assertNotIn(secret, text)
            # Whose account it is says nothing about the clip.
            shop.run(*shop.wish(1, 4, "--project", "another"))
            self.assertEqual(shop.service.stats()["submits"], 2)


class Races(unittest.TestCase):
    """A few processes at once under random budgets, which are never exceeded, because each price is within its estimate.

    So no clip is estimated by clips of other lengths; and no run is killed whose price nobody knows, as that counts 0."""

    def test_never_exceeded(self):
        print(f"seed {SEED} (GENCLIP_SEED), {ROUNDS} rounds", flush=True)
        dice = random.Random(SEED)
        for number in range(ROUNDS):
            with Shop() as shop, self.subTest(seed=SEED, round=number):
                limit = dice.choice([4, 5, 7.5, 10])  # Never below a price: the first clip of unknown price needs some room only.
                budget = {}
                # What is known before: the price of each length, a price that the only length does not exceed, or nothing.
                known = dice.choice(["each", "assumed", "nothing"])
                seconds = list(PRICES) if known == "each" else [dice.choice(list(PRICES))]
                if known == "each":
                    for length in seconds:
                        shop.run(*shop.wish(100, length))
                    limit += shop.service.account()["spent"]
                elif known == "assumed":
                    budget["assumed_price"] = max(PRICES.values())
                budget[dice.choice(["total", "per_month"])] = limit
                shop.set_budget(**budget)
                takes = [dice.randint(1, 8) for _ in range(8)]
                for _ in range(2):
                    runs = [shop.start(*shop.wish(take, seconds[take % len(seconds)])) for take in takes]
                    if known != "nothing" and dice.random() < 0.3:
                        dice.choice(runs).kill()
                    for run in runs:
                        run.end()
                account = shop.service.account()
                self.assertLessEqual(account["spent"], limit, budget)
                self.assertEqual(shop.ledger().differences(account), [], budget)


if __name__ == "__main__":
    unittest.main()
