#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""genchannelsrc as gst-launch-1.0 runs it: each frame and each sound is where the as-run log says, whatever fails."""

import json
import os
import signal
import subprocess
import time
import unittest

from playout import RATE, SAMPLES, Playout, clip

GENCLIP = os.environ["GENCLIP"]
TICK = SAMPLES / 1000  # 1 ms


def clips_of(entries):
    return [entry for entry in entries if entry["kind"] == "clip"]


class Channel(unittest.TestCase):
    def begin(self, *simulator):
        playout = Playout(*simulator)
        self.addCleanup(playout.stop)
        return playout

    def check_pictures(self, playout, numbers):
        """Each frame is that of the as-run log. `numbers`: the clip's number in its mark, by ID."""
        pictures = playout.pictures()
        entries = playout.entries()
        at = 0
        for entry in entries:
            self.assertEqual(entry["frame"], at, "the log has a gap")
            at += entry["played_frames"]
            number = numbers.get(entry.get("id"))
            shown = pictures[entry["frame"]:at]
            if number is not None:
                self.assertEqual(shown, [(number, frame) for frame in range(len(shown))], entry)
            elif entry["kind"] == "slate":
                self.assertEqual(set(shown), {None}, entry)
                self.assertTrue(entry["reason"], entry)
        self.assertEqual(len(pictures), at, "each frame that left is in the log")
        return entries

    def test_each_frame_and_each_second_is_where_the_log_says(self):
        playout = self.begin()
        playout.write({"id": "kite", "title": "Red kite", "source": clip(7, "kite")},
                      {"id": "storm", "source": clip(8, "storm")},
                      {"id": "part", "source": clip(9, "part", 5), "in": 1, "out": 3})
        self.assertEqual(playout.run_until(lambda entries: len(clips_of(entries)) > 3), 0, playout.text()[-3000:])
        pictures = playout.pictures()
        entries = playout.entries()
        clips = clips_of(entries)
        self.assertGreaterEqual(len({entry["id"] for entry in clips}), 3, entries)
        expected = {"kite": (7, 0, 100), "storm": (8, 0, 100), "part": (9, 25, 50)}
        samples, seconds = playout.seconds()
        self.assertEqual(samples * RATE, len(pictures) * SAMPLES, "sound and picture end together")
        wanted = []
        for entry in clips:
            number, first, frames = expected[entry["id"]]
            self.assertEqual(entry["duration_frames"], frames)
            shown = pictures[entry["frame"]:entry["frame"] + entry["played_frames"]]
            self.assertEqual(shown, [(number, first + frame) for frame in range(len(shown))], entry)
            # The tick of a second is in its third frame.
            wanted += [entry["frame"] * SAMPLES // RATE + second * SAMPLES
                       for second in range((entry["played_frames"] - 3) // RATE + 1)]
            self.assertAlmostEqual(entry["lufs"] + entry["gain_db"], -23, delta=0.5)
        self.assertEqual(len(seconds), len(wanted), (seconds, wanted))
        for heard, meant in zip(seconds, wanted):
            self.assertLess(abs(heard - meant), TICK, "sound within 1 ms of its picture")
        at = 0
        for entry in entries:
            self.assertEqual(entry["frame"], at)
            at += entry["played_frames"]
        self.assertEqual(at, len(pictures))
        self.assertEqual(playout.service.stats()["submits"], 3, "each clip is paid once, however often it is shown")

    def test_what_fails_is_passed_over_and_told(self):
        playout = self.begin()
        playout.service.set_faults(["submit#2:fail=moderated"])
        playout.write({"id": "refused", "source": "genclip://sd_2.0_special?duration=4"},
                      {"id": "good", "source": clip(7, "good")},
                      {"id": "moderated", "source": clip(6, "moderated")},
                      {"id": "gone", "source": "/nowhere/at/all.mp4"},
                      {"id": "broken", "source": str(playout.rundown)})
        playout.service.generate("model=sd_2.0_special", "prompt=7 good", "duration=4")
        self.assertEqual(playout.run_until(lambda entries: len(clips_of(entries)) > 2
                                           and playout.text().count("state=(string)failed") > 2), 0)
        entries = self.check_pictures(playout, {"good": 7})
        self.assertEqual({entry["id"] for entry in entries if entry["kind"] == "clip"}, {"good"})
        for told in ('id=(string)refused, state=(string)refused', 'id=(string)gone, state=(string)failed',
                     'id=(string)broken, state=(string)failed', 'id=(string)moderated, state=(string)failed'):
            self.assertIn(told, playout.text())
        self.assertEqual(playout.service.stats()["submits"], 2, "what was moderated is not submitted again")

    def test_a_killed_channel_goes_on_with_the_next_item_and_pays_nothing_again(self):
        playout = self.begin()
        playout.write(*({"id": f"item-{number}", "source": clip(number, "item")} for number in (1, 2, 3)))
        process = playout.start()
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        playout.wait_for('id=(string)item-1, state=(string)on-air')
        # What is on the air is synced to the state file a moment later.
        deadline = time.monotonic() + 10
        while not (playout.state.exists() and json.loads(playout.state.read_text())["on_air"] == "item-1"):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        process.kill()
        process.wait()
        before = len(playout.entries())
        state = json.loads(playout.state.read_text())
        self.assertEqual(playout.run_until(lambda entries: len(clips_of(entries[before + 1:])) > 2), 0)
        killed, *entries = playout.entries()[before:]
        self.assertEqual((killed["run"], killed["frame"], killed["id"]), (state["run"], state["frame"], "item-1"))
        self.assertEqual(killed["reason"], "The channel was killed.")
        self.assertNotIn("played_frames", killed, "nobody knows it")
        self.assertEqual([entry["id"] for entry in clips_of(entries)][:3], ["item-2", "item-3", "item-1"])
        self.assertNotIn("shown", json.loads(playout.state.read_text()), "this one has written its last line")
        self.assertEqual(playout.service.stats()["submits"], 3)

    def test_a_bad_rundown_changes_nothing_and_a_good_one_follows_within_a_second(self):
        playout = self.begin()
        playout.write({"id": "one", "source": clip(1, "one")})
        process = playout.start()
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        playout.wait_for('id=(string)one, state=(string)on-air')
        playout.rundown.write_text('{"program": [\n{"id": 1}]}', encoding="utf-8")
        playout.wait_for("accepted=(boolean)false", 3)
        self.assertIn("line=(uint)2", playout.text())
        playout.write({"id": "one", "source": clip(1, "one")}, {"id": "two", "source": clip(2, "two")})
        playout.wait_for('id=(string)two, state=(string)on-air', 20)
        self.assertEqual(playout.end(process), 0)
        self.check_pictures(playout, {"one": 1, "two": 2})

    def test_fresh_items_need_a_budget_and_stay_within_it(self):
        playout = self.begin()
        fresh = {"id": "fresh", "source": clip(1, "fresh"), "fresh": "each-turn"}
        playout.write(fresh)
        self.assertNotEqual(playout.run(5), 0, "an each-turn item without a budget is refused")
        self.assertIn("budget", playout.text())
        set_budget = playout.service.run(GENCLIP, "budget", "set", "--tasks-per-day", "2")
        self.assertEqual(set_budget.returncode, 0, set_budget.stdout)
        playout.asrun.unlink(missing_ok=True)
        self.assertEqual(playout.run_until(lambda entries: [entry["take"] for entry in clips_of(entries)].count(1) > 1,
                                           "ahead=1", "ahead-time=0"), 0)
        takes = [entry["take"] for entry in clips_of(playout.entries())]
        self.assertEqual(playout.service.stats()["submits"], 2, "two tasks are allowed")
        self.assertEqual(set(takes), {0, 1})
        self.assertIn("genchannel-budget", playout.text())

    def test_a_submit_without_an_answer_is_never_repeated(self):
        playout = self.begin()
        playout.service.set_faults(["submit#1:lose-answer"])
        playout.write({"id": "one", "source": clip(1, "one")}, {"id": "two", "source": clip(2, "two")})
        for _ in range(2):
            before = len(playout.entries()) if playout.asrun.exists() else 0
            self.assertEqual(playout.run_until(lambda entries, before=before: clips_of(entries[before:])
                                               and "state=(string)unknown" in playout.text()), 0)
        self.assertEqual(set(playout.service.stats()["submits_by_request"].values()), {1})

    def test_a_process_that_was_stopped_goes_on_without_a_gap(self):
        playout = self.begin()
        playout.write({"id": "one", "source": clip(1, "one")}, {"id": "two", "source": clip(2, "two")})
        process = playout.start()
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        playout.wait_for('id=(string)two, state=(string)on-air', 40)
        process.send_signal(signal.SIGSTOP)
        time.sleep(10)  # The time that the process is stopped for.
        process.send_signal(signal.SIGCONT)
        time.sleep(8)  # And the time for which it is to go on.
        self.assertEqual(playout.end(process), 0)
        at = 0
        for entry in playout.entries():
            self.assertEqual(entry["frame"], at)
            at += entry["played_frames"]
        pictures = playout.pictures()
        self.assertEqual(len(pictures), at)
        samples, _ = playout.seconds()
        self.assertEqual(samples * RATE, len(pictures) * SAMPLES)
        self.assertEqual(playout.entries()[-1]["kind"], "clip", "clips follow")


if __name__ == "__main__":
    unittest.main(verbosity=2)
