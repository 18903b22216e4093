#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""One budget for two machines: two mounts of one GlusterFS volume, on which many processes pay at once."""

import pathlib
import tempfile
import time
import unittest

import gluster
from ledger_reader import Ledger
from shop import PRICES, Shop

PROCESSES = 16
AFFORDABLE = 5
PING_TIMEOUT_S = 2


@unittest.skipIf(gluster.why_not(), f"No GlusterFS here: {gluster.why_not()}.")
class FleetBudget(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.volume = gluster.Volume()
        self.addCleanup(self.volume.stop)
        self.mounts = [self.volume.mount(name, PING_TIMEOUT_S) for name in ("first", "second")]
        self.shop = Shop(store=self.volume.disk / "store")
        self.addCleanup(self.shop.__exit__)
        (self.mounts[0].path / "store").mkdir()
        (self.mounts[0].path / "store" / "budget.json").write_text(
            f'{{"total": {AFFORDABLE * PRICES[4]}, "assumed_price": {PRICES[4]}}}', encoding="utf-8")

    def start(self, mount, take):
        return self.shop.start(*self.shop.wish(take), GENCLIP_STORE=str(mount.path / "store"))

    def assert_held(self):
        account = self.shop.service.account()
        ledger = self.shop.ledger()
        self.assertLessEqual(account["spent"], AFFORDABLE * PRICES[4])
        self.assertEqual(ledger.differences(account), [])
        self.assertEqual((ledger.is_torn, ledger.bad_lines), (False, []))
        return account, ledger

    def test_holds_across_both_and_both_read_the_same_ledger(self):
        runs = [self.start(self.mounts[take % 2], take) for take in range(PROCESSES)]
        codes = [run.end() for run in runs]
        refused = [run.text for run, code in zip(runs, codes) if code != 0]
        self.assertEqual(len(refused), PROCESSES - AFFORDABLE, "\n".join(refused))
        for text in refused:
            self.assertIn("the store's budget allows 10 credits in total", text)
        account, ledger = self.assert_held()
        self.assertEqual(len(account["tasks"]), AFFORDABLE)
        for mount in self.mounts:
            # Python reads no more than the file's cached size; the cache is a second old at most.
            gluster.wait_until(lambda mount=mount: Ledger(mount.path / "store").lines == ledger.lines, "one mount has other lines")

    def test_holds_when_the_processes_of_one_machine_and_its_file_system_die(self):
        theirs = [self.start(self.mounts[0], take) for take in range(PROCESSES // 2)]
        ours = [self.start(self.mounts[1], take) for take in range(PROCESSES // 2, PROCESSES)]
        ledger = self.volume.disk / "store" / "ledger.jsonl"
        gluster.wait_until(lambda: ledger.exists() and b"reserve" in ledger.read_bytes(), "nothing is reserved", 60)
        time.sleep(0.1)
        self.mounts[0].kill()
        for run in theirs:
            run.kill()
        for run in [*ours, *theirs]:
            run.end()
        # What the dead have reserved may have been paid, until somebody looks: a refused run does. A task that has an
        # ID stays submitted, because nobody has asked the service about it.
        later = self.start(self.mounts[1], PROCESSES)
        code = later.end()
        account, ledger = self.assert_held()
        unlooked = [charge for charge in ledger.charges if charge.state == "reserved"]
        self.assertTrue(code == 0 or not unlooked, f"{unlooked}\n{later.text}")
        self.assertGreater(len(account["tasks"]), 0)


if __name__ == "__main__":
    unittest.main()
