# SPDX-License-Identifier: LGPL-2.1-or-later
"""The parts of a random sequence, and the sequence of a seed: each step has some concurrent runs under some faults."""

import dataclasses
import random

# Each ends within seconds, and can affect some or all calls of a step.
FAULTS = {
    "submit": ["status=400", "status=401", "status=402", "status=404", "status=409", "status=422", "status=429;retry-after=0",
               "status=500", "status=502", "status=503;retry-after=0", "delay=60", "reset", "lose-answer", "lose-answer",
               "lose-answer", "html", "garbage-json", "cut=5", "id-number", "drop=id", "hold-answer"],
    "query": ["status=401", "status=403", "status=404", "status=404", "status=410", "status=429;retry-after=0", "status=500",
              "status=503", "delay=60", "reset", "cut=20", "html", "garbage-json", "no-url", "expire-urls", "drop=progress",
              "state=completed/SUCCEEDED", "progress=text"],
    "media": ["status=403", "status=404", "status=410", "status=500", "reset", "cut=0", "cut=1000", "cut=20000", "cut=40000",
              "throttle=100000", "no-range", "html", "delay=60"],
}
WHICH = ["", "#1", "#1", "#1-2", "#2", "#1-3"]
KEYS = ["right"] * 12 + ["wrong", "wrong", "none"]
CLOCKS = [None] * 8 + ["+3d", "-3d", "-40y"]
ENDS = [None] * 4 + ["SIGINT", "SIGTERM", "SIGKILL", "SIGKILL", "SIGKILL"]


@dataclasses.dataclass(frozen=True)
class Run:
    program: str  # genclip, or gst-launch-1.0
    anew: bool
    key: str
    clock: str | None  # as faketime takes it
    ended_by: str | None  # a signal
    after_s: float  # when that comes
    is_patient: bool = False  # has the time that a busy machine takes


def plain(key="right"):
    """A run that must succeed if there is no fault."""
    return Run("genclip", anew=False, key=key, clock=None, ended_by=None, after_s=0, is_patient=True)


@dataclasses.dataclass(frozen=True)
class Step:
    faults: tuple
    runs: tuple


def some_faults(dice):
    faults = []
    for _ in range(dice.choice([0, 1, 1, 1, 2])):
        call = dice.choice(["submit", "submit", "query", "media"])
        faults.append(f"{call}{dice.choice(WHICH)}:{dice.choice(FAULTS[call])}")
    return tuple(faults)


def some_run(dice):
    return Run(program=dice.choice(["genclip", "genclip", "gst-launch-1.0"]), anew=dice.random() < 0.3, key=dice.choice(KEYS),
               clock=dice.choice(CLOCKS), ended_by=dice.choice(ENDS), after_s=round(dice.uniform(0.05, 0.8), 3))


def sequence_of(seed):
    dice = random.Random(seed)
    return [Step(some_faults(dice), tuple(some_run(dice) for _ in range(dice.choice([1, 1, 1, 1, 2, 3]))))
            for _ in range(dice.randint(1, 5))]


def text_of(step):
    """One line for people."""
    runs = []
    for run in step.runs:
        words = [run.program] + ["anew"] * run.anew + ([f"{run.key} key"] if run.key != "right" else [])
        words += [f"clock {run.clock}"] if run.clock else []
        words += [f"{run.ended_by} after {run.after_s} s"] if run.ended_by else []
        runs.append(" ".join(words))
    return f"[{', '.join(step.faults) or 'no fault'}] " + " | ".join(runs)
