#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A run that makes a chain is killed again and again: no link is paid twice silently."""

import os
import random
import re
import time
import unittest

from film import Film, chain, words

KILLS = int(os.environ.get("GENCLIP_KILLS", "12"))
SEED = int(os.environ.get("GENCLIP_SEED", str(random.SystemRandom().randrange(1 << 32))))
LINKS = 4


class Kills(unittest.TestCase):
    def test_a_killed_chain_is_finished_without_a_silent_second_submit(self):
        print(f"seed {SEED} (GENCLIP_SEED), {KILLS} kills", flush=True)
        dice = random.Random(SEED)
        with Film() as film:
            begun = time.monotonic()
            run, code = film.generate(chain([f"unkilled {number}" for number in range(LINKS)]))
            self.assertEqual(code, 0, run.text)
            whole_run = time.monotonic() - begun
            kills = round_number = 0
            warned = 0
            while kills < KILLS:
                uri = chain([f"round {round_number}, take {number}" for number in range(LINKS)])
                for _ in range(8):
                    run = film.start(*words(uri))
                    time.sleep(dice.uniform(0, 0.6 * whole_run))
                    was_killed = run.kill()
                    kills += was_killed
                    code = run.end()
                    warned += len(re.findall("submitted again", run.text))
                    if not was_killed:
                        break
                run, code = film.generate(uri)
                warned += len(re.findall("submitted again", run.text))
                self.assertEqual(code, 0, f"seed {SEED}: {run.text}")
                round_number += 1
            submits = film.service.stats()["submits"]
            ledger = film.ledger()
            self.assertEqual(ledger.differences(film.service.account()), [], f"seed {SEED}")
            self.assertLessEqual(submits, (round_number + 1) * LINKS + warned, f"seed {SEED}")
            print(f"{kills} kills, {round_number} chains of {LINKS}, {submits} submits, {warned} warnings", flush=True)


if __name__ == "__main__":
    unittest.main()
