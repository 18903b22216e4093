# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares the as-run log of one run with every picture and every second of sound that left."""

import bisect
import dataclasses
import datetime

from raw_tap import SAMPLES

MOST_PROBLEMS = 20
SILENT = 0.0005  # Of full scale.
MOST_SILENT_FRAMES = 12
MOST_APART = SAMPLES // 1000  # Sound and its picture: 1 ms.


@dataclasses.dataclass
class Outcome:
    problems: list = dataclasses.field(default_factory=list)
    frames: int = 0
    clips: int = 0
    fallbacks: int = 0
    slates: int = 0
    repeated: int = 0  # Frames that show once more what the frame before showed.
    repeated_slots: list = dataclasses.field(default_factory=list)
    lost_ticks: int = 0
    ticks: int = 0
    most_apart: int = 0  # Samples.
    starts: list = dataclasses.field(default_factory=list)  # Of items with a start time: seconds behind it.

    def wrong(self, text):
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(text)


def wanted_mark(look, index):
    return (look.number & 0xFFFF, 0 if look.is_still else look.first + index)


def check_shown(entries, seen, day, rate, is_whole):
    """`is_whole`: the run was not killed, so the log and the pictures end together."""
    outcome = Outcome(frames=len(seen.marks))
    outcome.problems += seen.problems
    at = 0
    for entry in entries:
        if entry["frame"] != at:
            outcome.wrong(f"the log has a gap: {at} frames were told, then comes {entry}")
            at = entry["frame"]
        at += entry["played_frames"]
        setattr(outcome, entry["kind"] + "s", getattr(outcome, entry["kind"] + "s") + 1)
        if "planned_at" in entry:
            shown, planned = (datetime.datetime.fromisoformat(entry[name]) for name in ("utc", "planned_at"))
            outcome.starts.append((shown - planned).total_seconds())
        check_pictures(outcome, entry, seen, day)
        check_sound(outcome, entry, seen, day, rate)
    if is_whole and at != len(seen.marks):
        outcome.wrong(f"{len(seen.marks)} frames left, and {at} are in the log")
    if is_whole and seen.samples * rate != len(seen.marks) * SAMPLES:
        outcome.wrong(f"{seen.samples} samples beside {len(seen.marks)} frames")
    if not is_whole and at > len(seen.marks) + 2 * rate:
        outcome.wrong(f"{len(seen.marks)} frames left, and the log tells {at}")
    return outcome


def check_pictures(outcome, entry, seen, day):
    begin, count = entry["frame"], entry["played_frames"]
    marks = seen.marks[begin:begin + count]
    if entry["kind"] == "slate":
        if not entry.get("reason"):
            outcome.wrong(f"a slate without a reason: {entry}")
        other = sum(mark is not None for mark in marks)
        if other > count // 100:  # A picture without marks looks like one with them every 2^8 times at most.
            outcome.wrong(f"{other} pictures with marks in a slate: {entry}")
        return
    if entry["kind"] == "fallback" and not entry.get("reason"):
        outcome.wrong(f"a fallback without a reason: {entry}")
    look = day.look_of(entry)
    if look is None:
        outcome.wrong(f"an unknown item was on the air: {entry}")
        return
    last = None
    for index, mark in enumerate(marks):
        if mark == wanted_mark(look, index):
            last = mark
        elif mark is not None and mark == last:
            outcome.repeated += 1
            outcome.repeated_slots.append(begin + index)
        else:
            outcome.wrong(f"frame {begin + index} shows {mark} instead of {wanted_mark(look, index)}: {entry}")
            return


def check_sound(outcome, entry, seen, day, rate):
    look = day.look_of(entry)
    begin, count = entry["frame"], min(entry["played_frames"], len(seen.levels) - entry["frame"])
    if entry["kind"] == "slate" or look is None or look.is_still or count <= 0:
        return
    # Where pictures came too late, sound did too.
    has_repeated = bool(outcome.repeated_slots) and outcome.repeated_slots[-1] >= begin
    step = SAMPLES // rate
    first = begin * step
    # The tick of a second is in its third frame.
    wanted = [first + second * SAMPLES for second in range((count - 3) // rate + 1)]
    found = seen.ticks[bisect.bisect_left(seen.ticks, first - 2 * MOST_APART):
                       bisect.bisect_left(seen.ticks, (begin + count - 3) * step + 2 * MOST_APART)]
    outcome.ticks += len(wanted)
    for place in wanted:
        near = min((abs(place - tick) for tick in found), default=SAMPLES)
        if near <= MOST_APART:
            outcome.most_apart = max(outcome.most_apart, near)
        else:
            outcome.lost_ticks += 1
            if not has_repeated:
                outcome.wrong(f"no tick at sample {place}, the nearest is {near} samples off: {entry}")
    if len(found) > len(wanted):
        outcome.wrong(f"{len(found)} ticks instead of {len(wanted)}: {entry}")
    silent = 0
    for frame, level in enumerate(seen.levels[begin:begin + count]):
        silent = silent + 1 if level < SILENT else 0
        if silent > MOST_SILENT_FRAMES and not has_repeated:
            outcome.wrong(f"silence at frame {begin + frame}: {entry}")
            break
