#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A store shared by machines: two mounts of one GlusterFS volume, whose processes, mounts and network fail."""

import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time
import unittest

import gluster
import launches

ROUNDS = int(os.environ.get("GENCLIP_FLEET_ROUNDS", "1"))
PARTITION_S = float(os.environ.get("GENCLIP_FLEET_PARTITION", "3"))
LONG = PARTITION_S >= 20
SEED = int(os.environ.get("GENCLIP_SEED", str(random.SystemRandom().randrange(1 << 32))))
PROCESSES = 8
AGAIN = "An earlier run submitted", "earlier runs submitted"
# A machine that is cut off notices this after that many seconds; the server drops its locks after that part of a partition.
PING_TIMEOUT_S = 2
GIVEN_UP_AFTER = 0.3


def says_so(run):
    return any(words in run.text() for words in AGAIN)


@unittest.skipIf(gluster.why_not(), f"No GlusterFS here: {gluster.why_not()}.")
class Fleet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print(f"seed {SEED} (GENCLIP_SEED)", flush=True)
        cls.dice = random.Random(SEED)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.runs = []
        self.volume = gluster.Volume()
        self.addCleanup(self.end_all)
        self.mounts = [self.volume.mount(name, PING_TIMEOUT_S) for name in ("first", "second")]

    def end_all(self):
        # A process that waits for a file system can end only after the file system has failed.
        for run in self.runs:
            if run.process.poll() is None:
                run.process.kill()
        self.volume.stop()
        for run in self.runs:
            run.end(20)

    def serve(self, *options):
        service = launches.serve("--queued", "300", "--processing", "700", "--padding", "200000", *options)
        self.addCleanup(service.stop)
        self.service = service

    def start(self, mount, take=0, *properties):
        """A run on that machine, and the file that it writes, which is outside of all machines."""
        target = self.path / f"{take}-{len(self.runs)}.mp4"
        run = launches.Run(launches.fetch(take, target, *properties), launches.environment(self.service, mount.path / "store"))
        run.target = target
        self.runs.append(run)
        return run

    def start_all(self, take=0):
        return [self.start(self.mounts[number % 2], take) for number in range(PROCESSES)]

    def assert_same_clip(self, runs):
        for run in runs:
            self.assertEqual(run.end(), 0, run.text())
        (stored,) = {path.read_bytes() for path in self.volume.disk.glob("store/*/clip.mp4")}
        self.assertGreaterEqual(len(stored), 200000)
        for run in runs:
            self.assertEqual(run.target.read_bytes(), stored)

    def journal(self, take):
        return launches.journals(self.volume.disk / "store").get(take, {})

    def assert_nothing_silent(self, take, submits, runs):
        """Every submit after the first one is in the journal, and a run has warned of it, unless that run was killed."""
        unanswered = self.journal(take).get("unanswered_submits", 0)
        what = f"take {take}, seed {SEED}: " + "\n".join(run.text() for run in runs)
        self.assertGreaterEqual(submits, 1, what)
        self.assertLessEqual(submits, 1 + unanswered, what)
        if submits > 1:
            self.assertTrue(any(says_so(run) for run in runs), what)

    def wait_for(self, what, run):
        gluster.wait_until(what, f"seed {SEED}: {run.text()}", 60)

    def test_8_processes_on_two_machines_submit_once(self):
        self.serve()
        self.assert_same_clip(self.start_all())
        stats = self.service.stats()
        self.assertEqual((stats["submits"], stats["downloads"]), (1, 1))

    def test_a_file_that_another_machine_made_longer_is_as_long_as_it_is(self):
        mount = self.volume.mount("forgets late", cache_s=60)
        for call in ("info", "size", "read"):
            ours = self.mounts[0].path / call
            ours.write_bytes(bytes(1000))
            there = mount.path / call
            self.assertEqual(there.stat().st_size, 1000)
            with ours.open("r+b") as file:
                file.write(bytes(5000))
            self.assertEqual(there.stat().st_size, 1000, "what this test is about")
            probe = subprocess.run([os.environ["FILE_PROBE"], call, str(there)], capture_output=True, text=True, check=True)
            self.assertEqual(probe.stdout, "5000\n", call)

    def test_when_the_one_at_work_is_killed_another_machine_goes_on(self):
        self.serve("--throttle", "400000", "--fault", "submit:delay=60")
        for take in range(ROUNDS):
            before = self.service.stats()["submits"]
            first = self.start(self.mounts[0], take)
            others = [self.start(self.mounts[number % 2], take) for number in range(1, 4)]
            time.sleep(self.dice.uniform(0.2, 2.5))
            first.kill()
            self.assert_same_clip(others)
            self.assert_nothing_silent(take, self.service.stats()["submits"] - before, others)

    def test_whoever_is_killed_and_wherever_the_others_go_on(self):
        self.serve("--throttle", "400000", "--fault", "submit:delay=60")
        for take in range(ROUNDS):
            before = self.service.stats()["submits"]
            runs = self.start_all(take)
            self.dice.shuffle(runs)
            for run in runs[:PROCESSES // 2]:
                time.sleep(self.dice.uniform(0, 0.8))
                run.kill()
            self.assert_same_clip(runs[PROCESSES // 2:])
            self.assert_nothing_silent(take, self.service.stats()["submits"] - before, runs)

    def test_when_a_machines_file_system_dies_the_other_goes_on(self):
        self.serve("--throttle", "400000")
        for take in range((ROUNDS + 1) // 2):
            before = self.service.stats()["submits"]
            mount = self.volume.mount(f"dying-{take}", PING_TIMEOUT_S)
            theirs = [self.start(mount, take) for _ in range(2)]
            self.wait_for(lambda take=take: self.journal(take).get("task_id"), theirs[0])
            ours = [self.start(self.mounts[0], take) for _ in range(2)]
            time.sleep(self.dice.uniform(0, 1))
            mount.kill()
            self.assert_same_clip(ours)
            for run in theirs:
                if run.end() == 0:  # It was quicker.
                    self.assertEqual(run.target.read_bytes(), ours[0].target.read_bytes())
                else:
                    self.assertRegex(run.text(), "ERROR", run.text())
            self.assertEqual(self.service.stats()["submits"] - before, 1)

    def cut_off(self, task_known, given_up):
        """Cuts off one machine while it works; returns the runs on it and those on the other one, once it is back."""
        self.serve("--processing", str(int(PARTITION_S * 700)), "--throttle", "400000", "--fault", "submit:delay=500")
        mount, other = self.mounts
        theirs = self.start(mount)
        self.wait_for(lambda: self.journal(0).get("task_id" if task_known else "state"), theirs)
        ours = self.start(other)
        mount.link.cut()
        began = time.monotonic()
        if given_up:
            time.sleep(PARTITION_S * GIVEN_UP_AFTER)
            mount.link.give_up()
        time.sleep(max(0, began + PARTITION_S - time.monotonic()))
        mount.link.mend()
        return theirs, ours

    def wait_for_the_mounts(self):
        for mount in self.mounts:
            gluster.wait_until(mount.is_connected, f"{mount.path} does not come back")

    def assert_ended_well(self, theirs, ours):
        self.wait_for_the_mounts()
        self.assert_same_clip([ours])
        if theirs.end() == 0:
            self.assert_same_clip([theirs])
        else:
            self.assertRegex(theirs.text(), "ERROR", theirs.text())
        self.assert_nothing_silent(0, self.service.stats()["submits"], [theirs, ours])
        self.assertEqual(self.journal(0)["state"], "complete")
        # From now on both machines serve this clip.
        later = [self.start(mount) for mount in self.mounts]
        self.assert_same_clip(later)

    def test_when_a_machine_is_cut_off_and_given_up_the_other_takes_over(self):
        theirs, ours = self.cut_off(task_known=True, given_up=True)
        self.assert_ended_well(theirs, ours)
        self.assertEqual(self.service.stats()["submits"], 1)

    def test_when_a_machine_is_cut_off_amid_its_submit_the_other_pays_with_a_warning_or_not_at_all(self):
        theirs, ours = self.cut_off(task_known=False, given_up=True)
        self.assert_ended_well(theirs, ours)

    @unittest.skipUnless(LONG, "It takes long.")
    def test_when_a_machine_is_cut_off_and_not_given_up_the_other_waits(self):
        theirs, ours = self.cut_off(task_known=True, given_up=False)
        self.assert_ended_well(theirs, ours)
        self.assertEqual(self.service.stats()["submits"], 1)

    def test_a_machine_that_was_cut_off_does_not_write_over_what_the_other_has_journalled(self):
        # B9: the answer to its download comes long after the other one has the clip.
        answered_ms = int(1000 * (PARTITION_S + 20))
        self.serve(f"--fault=media#1:delay={answered_ms}")
        theirs = self.start(self.mounts[0])
        self.wait_for(lambda: self.service.stats()["faults"], theirs)
        ours = self.start(self.mounts[1])
        self.mounts[0].link.cut()
        self.mounts[0].link.give_up()
        self.assert_same_clip([ours])
        time.sleep(PARTITION_S)
        self.mounts[0].link.mend()
        self.wait_for_the_mounts()
        journal = self.journal(0)
        self.assertEqual(journal["state"], "complete")
        self.assertIsNone(theirs.process.poll(), theirs.text())
        theirs.end()
        self.assertEqual(self.journal(0), journal, theirs.text())
        self.assertIn("Another process", theirs.text())
        self.assertEqual(self.service.stats()["submits"], 1)

    def stop_for_a_while(self, process):
        self.serve("--throttle", "200000")
        runs = [self.start(mount) for mount in self.mounts]
        self.wait_for(lambda: self.journal(0).get("task_id"), runs[0])
        time.sleep(self.dice.uniform(0, 1))
        process.send_signal(signal.SIGSTOP)
        time.sleep(PARTITION_S)
        process.send_signal(signal.SIGCONT)
        return runs

    def test_when_a_machines_file_system_stands_still_all_goes_on_afterwards(self):
        self.assert_same_clip(self.stop_for_a_while(self.mounts[0].process))
        self.assertEqual(self.service.stats()["submits"], 1)

    @unittest.skipUnless(LONG, "It takes long.")
    def test_when_the_server_stands_still_nothing_is_paid_twice(self):
        runs = self.stop_for_a_while(self.volume.process)
        for run in runs:
            run.end()
        self.wait_for_the_mounts()
        later = [self.start(mount) for mount in self.mounts]
        self.assert_same_clip(later)
        self.assert_same_clip([run for run in runs if run.process.returncode == 0])
        self.assertEqual(self.service.stats()["submits"], 1)


if __name__ == "__main__":
    unittest.main()
