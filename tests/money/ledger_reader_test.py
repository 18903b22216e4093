#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tests' own reader of the ledger, by small ledgers, and that it finds differences from an account."""

import json
import pathlib
import tempfile
import unittest

from ledger_reader import Ledger

AT = "2026-11-22T10:00:00.000Z"


def line(event, key="k", **members):
    return json.dumps({"at": AT, "event": event, "key": key, "base_url": "u", **members})


def reserve(high=2.0, key="k"):
    return line("reserve", key, estimate=high and {"low": 0, "likely": 1, "high": high, "samples": 1, "basis": "same"})


def task(task_id, cost, status="completed"):
    return {"id": task_id, "cost": cost, "status": status}


class LedgerReader(unittest.TestCase):
    def ledger(self, *lines, end="\n"):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "ledger.jsonl").write_text("\n".join(lines) + end, encoding="utf-8")
            return Ledger(folder)

    def test_each_event_changes_its_charge(self):
        paid = [reserve(), line("submitted", task_id="t"), line("settle", task_id="t", amount=1.5, status="completed")]
        for lines, spent, reserved, states in (
                ([], 0, 0, []),
                ([reserve()], 0, 2, ["reserved"]),
                ([reserve(None)], 0, 7, ["reserved"]),
                ([reserve(), line("release")], 0, 0, ["released"]),
                ([reserve(), line("unknown")], 0, 2, ["unknown"]),
                (paid, 1.5, 0, ["settled"]),
                ([*paid, reserve()], 1.5, 2, ["settled", "reserved"]),
                ([*paid[:2], line("unknown", task_id="t"), paid[2]], 1.5, 0, ["settled"]),
                ([reserve(), line("unknown"), paid[1], paid[2]], 1.5, 0, ["settled"]),
                ([*paid, line("correct", amount=4), line("settle", task_id="t", amount=1)], 4, 0, ["settled"]),
                ([reserve(), line("unknown"), line("correct", amount=4)], 4, 0, ["settled"]),
                ([*paid[:2], line("settle", task_id="t", amount=None, status="completed")], 0, 2, ["settled"]),
                ([*paid[:2], line("settle", task_id="t", amount=None, status="failed")], 0, 0, ["settled"]),
                ([line("settle", task_id="x", amount=5, attached=True)], 0, 0, ["attached"]),
                ([line("settle", task_id="x", amount=5, imported=True)], 5, 0, ["settled"]),
                ([*paid, reserve(), paid[1]], 1.5, 0, ["settled", "released"])):
            ledger = self.ledger(*lines)
            self.assertEqual((ledger.spent(), ledger.reserved(7), [charge.state for charge in ledger.charges]),
                             (spent, reserved, states), lines)

    def test_tells_what_is_no_line(self):
        ledger = self.ledger(reserve(), "{", "[]", '{"event":"reserve"}', reserve()[:20], end="")
        self.assertTrue(ledger.is_torn)
        self.assertEqual((len(ledger.charges), len(ledger.bad_lines)), (1, 4))

    def test_finds_what_an_account_says_otherwise(self):
        paid = [reserve(), line("submitted", task_id="t"), line("settle", task_id="t", amount=1.5, status="completed")]
        lost = [reserve(key="l"), line("unknown", "l")]
        for lines, tasks, complaint in (
                (paid, [task("t", 1.5)], None),
                (paid, [task("t", 1.25)], "t cost 1.25"),
                (paid, [], "the service has no t"),
                (paid, [task("t", 1.5), task("other", 2)], "1 tasks are not in the ledger"),
                ([*paid, *lost], [task("t", 1.5), task("other", 2)], None),
                ([*paid, *lost], [task("t", 1.5), task("a", 2), task("b", 2)], "2 tasks are not in the ledger"),
                ([*paid[:2], line("release", task_id="t")], [task("t", 1.5)], None),
                ([*paid[:2], line("settle", task_id="t", amount=None, status="failed")], [task("t", 1.5, "failed")],
                 "t cost 1.5"),
                ([reserve(), line("release")], [task("t", 1.5)], "1 tasks are not in the ledger")):
            account = {"spent": sum(one["cost"] for one in tasks), "tasks": tasks}
            found = self.ledger(*lines).differences(account)
            self.assertEqual(bool(found), bool(complaint), (lines, found))
            self.assertIn(complaint or "", " ".join(found))


if __name__ == "__main__":
    unittest.main()
