#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""200 sources that poll at the pace of their choice: no task is ever asked about sooner than the service wants."""

import unittest

import launches

SOURCES = 200


class Polling(unittest.TestCase):
    def test_200_sources_ask_no_task_twice_within_5_seconds(self):
        service = launches.SimulatedService("--queued", "0..4000", "--processing", "2000..25000", "--seed", "1")
        self.addCleanup(service.stop)
        words = []
        for take in range(SOURCES):
            words += ["genclipsrc", "model=dance-2.5", "prompt=a storm", "duration=4", f"take={take}", "!", "fakesink"]
        run = launches.Run(words, launches.environment(service, service.store))
        self.addCleanup(lambda: run.process.poll() is None and run.kill())
        self.assertEqual(run.end(240), 0, run.text())
        stats = service.stats()
        self.assertEqual(stats["submits"], SOURCES)
        # Else no task would have been asked about twice.
        self.assertGreater(stats["queries"], 2 * SOURCES)
        self.assertEqual(stats["early_queries"], 0)
        self.assertEqual(stats["refusals"], [])


if __name__ == "__main__":
    unittest.main()
