#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random sequences of runs, faults, kills, keys and clocks against the simulator, for a given time or number.

  main.py --sequences 2000            seeds are told for each that broke a promise
  main.py --seconds 60 --seed 4711    a first seed; each sequence has the next one
  main.py --replay 4712               one sequence again
"""

import argparse
import random
import sys
import time

import driver
import sequences


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sequences", type=int, default=1000000)
    options.add_argument("--seconds", type=float, default=float("inf"))
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    options.add_argument("--replay", type=int, metavar="SEED")
    options.add_argument("--go-on", action="store_true", help="after a promise was broken")
    chosen = options.parse_args()
    if chosen.replay is not None:
        chosen.seed, chosen.sequences = chosen.replay, 1
    print(f"seed {chosen.seed}", flush=True)
    began = time.monotonic()
    done, broken, submits = 0, [], 0
    with driver.Driver() as drive:
        while done < chosen.sequences and time.monotonic() - began < chosen.seconds:
            seed = chosen.seed + done
            done += 1
            try:
                drive.run_sequence(sequences.sequence_of(seed))
            except driver.Broken as what:
                broken.append(seed)
                print(f"\n--replay {seed}: {what}\n{drive.story()}", flush=True)
                if not chosen.go_on:
                    break
            submits += drive.paid
            if chosen.replay is not None and not broken:
                print(drive.story())
    print(f"{done} sequences, {submits} submits, in {time.monotonic() - began:.0f} s: {len(broken)} broke a promise {broken}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
