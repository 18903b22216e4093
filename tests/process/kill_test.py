#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""kill -9 at random moments of a generation: no silent second submit, and a whole clip at the end."""

import os
import pathlib
import random
import tempfile
import time
import unittest

import launches

KILLS = int(os.environ.get("GENCLIP_KILLS", "100"))
SEED = int(os.environ.get("GENCLIP_SEED", str(random.SystemRandom().randrange(1 << 32))))
AGAIN = "An earlier run submitted", "earlier runs submitted"


def says_so(run):
    return any(words in run.text() for words in AGAIN)


def in_doubt(record):
    return record is not None and record["state"] in ("intent", "ambiguous")


class Kill(unittest.TestCase):
    def setUp(self):
        # A run takes about half a second: a submit of 60 ms, a task of 80 ms, a download of 100 ms.
        self.service = launches.serve("--queued", "30", "--processing", "50", "--throttle", "3000000",
                                                 "--padding", "80000", "--fault", "submit:delay=60")
        self.addCleanup(self.service.stop)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.store = pathlib.Path(self.folder.name) / "store"
        self.environment = launches.environment(self.service, self.store)

    def start(self, take, target):
        return launches.Run(launches.fetch(take, target), self.environment)

    def test_at_random_moments_and_run_again_until_done(self):
        print(f"seed {SEED} (GENCLIP_SEED), {KILLS} kills", flush=True)
        dice = random.Random(SEED)
        target = pathlib.Path(self.folder.name) / "clip.mp4"
        first = self.start(0, target)
        self.assertEqual(first.end(), 0, first.text())
        began = time.monotonic()
        second = self.start(1, target)
        self.assertEqual(second.end(), 0, second.text())
        length = time.monotonic() - began
        clip = target.read_bytes()
        self.assertGreaterEqual(len(clip), 80000)

        kills = early = paid_twice = 0
        killed_in = {}
        take = 1
        while kills < KILLS:
            take += 1
            before = self.service.stats()["submits"]
            known = None  # How many submits there were when the journal had an ID.
            for attempt in range(20):
                target.unlink(missing_ok=True)
                doubtful = in_doubt(launches.journals(self.store).get(take))
                run = self.start(take, target)
                if attempt < 4 and kills < KILLS:
                    time.sleep(dice.uniform(length / 5, length))
                    if run.process.poll() is None:
                        run.kill()
                        kills += 1
                        record = launches.journals(self.store).get(take)
                        state = record["state"] + " " + record.get("status", "") if record else "nothing"
                        killed_in[state] = killed_in.get(state, 0) + 1
                        early += record is None
                        if known is None and record and record.get("task_id"):
                            known = self.service.stats()["submits"] - before
                        continue
                status = run.end()
                self.assertEqual(status, 0, run.text())
                # The output of a killed run may be lost, so the journal is checked.
                self.assertEqual(says_so(run), doubtful, f"take {take}, seed {SEED}: {run.text()}")
                break
            submits = self.service.stats()["submits"] - before
            record = launches.journals(self.store)[take]
            unanswered = record.get("unanswered_submits", 0)
            what = f"take {take}, seed {SEED}: {submits} submits, {unanswered} unanswered"
            self.assertEqual(target.read_bytes(), clip, what)
            self.assertGreaterEqual(submits, 1, what)
            self.assertLessEqual(submits, 1 + unanswered, what + ": one is not in the journal")
            if known is not None:
                self.assertEqual(submits, known, what + ": the ID was in the journal")
            paid_twice += submits > 1
            self.assertEqual(record["state"], "complete")
        for folder in self.store.iterdir():
            if folder.is_dir():
                # A kill just behind the commit leaves the clip without its clip.xmp.
                names = {path.name for path in folder.iterdir()} - {"clip.xmp", "clip.xmp.tmp"}
                self.assertEqual(names, {"clip.mp4", "lock", "task.json", "use"})
        self.assertEqual(self.service.stats()["media_with_authorization"], 0)
        print(f"{kills} kills over {take - 1} clips; {early} before the journal, "
              f"{paid_twice} clips paid more than once, each in its journal, all whole; killed in {killed_in}", flush=True)


if __name__ == "__main__":
    unittest.main()
