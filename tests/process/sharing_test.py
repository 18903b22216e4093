#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Many processes and one store: one submit per clip, whole clips for all, and no process waits for a dead one."""

import os
import pathlib
import random
import subprocess
import tempfile
import time
import unittest

import launches

PROCESSES = 8
ELEMENTS = 4


class Sharing(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.store = self.path / "store"
        self.store.mkdir()

    def serve(self, *options):
        service = launches.serve("--queued", "300", "--processing", "700", "--padding", "200000", *options)
        self.addCleanup(service.stop)
        return service

    def start(self, words, environment):
        run = launches.Run(words, environment)
        self.addCleanup(lambda: run.process.poll() is None and run.kill())
        return run

    def fetch_all(self, service, take_of, store_of):
        """Each of many processes has several elements; their files, whole or not."""
        runs, targets = [], []
        for process in range(PROCESSES):
            words = []
            for element in range(ELEMENTS):
                targets.append(self.path / f"{process}-{element}.mp4")
                words += launches.fetch(take_of(process * ELEMENTS + element), targets[-1])
            runs.append(self.start(words, launches.environment(service, store_of(process))))
        for run in runs:
            self.assertEqual(run.end(), 0, run.text())
        return [target.read_bytes() for target in targets]

    def assert_one_whole_clip(self, clips):
        stored = {path.read_bytes() for path in self.store.glob("*/clip.mp4")}
        self.assertEqual(len(stored), 1)
        self.assertEqual(len(clips), PROCESSES * ELEMENTS)
        self.assertEqual(set(clips), stored)

    def test_8_processes_with_4_elements_each_submit_one_clip_once(self):
        service = self.serve()
        self.assert_one_whole_clip(self.fetch_all(service, lambda _: 0, lambda _: self.store))
        stats = service.stats()
        self.assertEqual(stats["submits"], 1)
        self.assertEqual(stats["downloads"], 1)

    def test_8_processes_with_4_elements_each_submit_16_clips_16_times(self):
        service = self.serve()
        self.assert_one_whole_clip(self.fetch_all(service, lambda number: number % 16, lambda _: self.store))
        self.assertEqual(service.stats()["submits"], 16)
        self.assertEqual(len(list(self.store.glob("*/clip.mp4"))), 16)

    def start_takes(self, service, takes):
        environment = {**launches.environment(service, self.store), "GENCLIP_MAX_TASKS": "2"}
        return [self.start(launches.fetch(take, self.path / f"{take}.mp4"), environment) for take in takes]

    def test_no_more_tasks_run_at_once_than_may(self):
        service = self.serve()
        runs = self.start_takes(service, range(6))
        for run in runs:
            self.assertEqual(run.end(), 0, run.text())
        stats = service.stats()
        self.assertEqual((stats["submits"], stats["most_at_once"]), (6, 2))
        self.assertTrue(any("Waiting for the turn of" in run.text() for run in runs))

    def test_the_task_of_a_killed_process_keeps_its_slot(self):
        service = self.serve("--processing", "60000")
        killed, = self.start_takes(service, [0])
        while service.stats()["queries"] == 0:
            self.assertIsNone(killed.process.poll(), killed.text())
            time.sleep(0.02)
        killed.kill()
        others = self.start_takes(service, [1, 2])
        # The one that waits may say so before the request of the other one has arrived.
        while service.stats()["submits"] < 2 or not any("Waiting for the turn of" in run.text() for run in others):
            time.sleep(0.02)
        self.assertEqual(service.stats()["submits"], 2)

    def test_two_paths_to_one_store_are_one_store(self):
        alias = self.path / "alias"
        if os.geteuid() == 0:
            alias.mkdir()
            mounted = subprocess.run(["mount", "--bind", str(self.store), str(alias)], capture_output=True, check=False)
            if mounted.returncode == 0:
                self.addCleanup(lambda: subprocess.run(["umount", str(alias)], check=True))
            else:
                alias.rmdir()
        if not alias.exists():
            alias.symlink_to(self.store)
        service = self.serve()
        stores = [self.store, alias]
        self.assert_one_whole_clip(self.fetch_all(service, lambda _: 0, lambda process: stores[process % 2]))
        self.assertEqual(service.stats()["submits"], 1)

    def test_when_the_one_at_work_is_killed_another_goes_on(self):
        service = self.serve("--throttle", "400000")
        dice = random.Random(int(os.environ.get("GENCLIP_SEED", "1")))
        for take in range(4):
            targets = [self.path / f"{take}-{number}.mp4" for number in range(4)]
            environment = launches.environment(service, self.store)
            before = service.stats()["submits"]
            first = self.start(launches.fetch(take, targets[0]), environment)
            deadline = time.monotonic() + 60
            while not launches.journals(self.store).get(take, {}).get("task_id"):
                self.assertLess(time.monotonic(), deadline, first.text())
                time.sleep(0.01)
            others = [self.start(launches.fetch(take, target), environment) for target in targets[1:]]
            time.sleep(dice.uniform(0, 1.5))
            if first.process.poll() is None:
                first.kill()
            for run in others:
                self.assertEqual(run.end(), 0, run.text())
            clips = {target.read_bytes() for target in targets[1:]}
            self.assertEqual(len(clips), 1)
            self.assertEqual(clips, {path.read_bytes() for path in self.store.glob("*/clip.mp4")})
            self.assertEqual(service.stats()["submits"] - before, 1)

    def test_a_follower_reads_while_the_other_downloads(self):
        service = self.serve("--throttle", "100000")  # Two seconds and more of it.
        environment = launches.environment(service, self.store)
        first = self.start(launches.fetch(0, self.path / "first.mp4"), environment)
        second_target = self.path / "second.mp4"
        second = self.start(launches.fetch(0, second_target), environment)
        deadline = time.monotonic() + 60
        while not (second_target.exists() and second_target.stat().st_size > 0):
            self.assertLess(time.monotonic(), deadline, second.text())
            time.sleep(0.02)
        self.assertEqual(list(self.store.glob("*/clip.mp4")), [], "bytes came before the clip was whole")
        self.assertEqual([first.end(), second.end()], [0, 0], first.text() + second.text())
        self.assertEqual(second_target.read_bytes(), (self.path / "first.mp4").read_bytes())
        self.assertEqual(service.stats()["downloads"], 1)

    def test_a_clip_that_another_process_plays_is_not_removed_to_make_room(self):
        service = self.serve()
        environment = launches.environment(service, self.store)
        for take in (0, 1):
            run = self.start(launches.fetch(take, self.path / "clip.mp4"), environment)
            self.assertEqual(run.end(), 0, run.text())
        # It reads a few bytes and then waits for its clock.
        player = self.start([*launches.CLIP, "take=0", "blocksize=100", "!", "identity", "sleep-time=1000000", "!",
                             "fakesink"], environment)
        deadline = time.monotonic() + 60
        while "PLAYING" not in player.text():
            self.assertLess(time.monotonic(), deadline, player.text())
            time.sleep(0.02)
        run = self.start(launches.fetch(2, self.path / "clip.mp4", "store-max-size=1"), environment)
        self.assertEqual(run.end(), 0, run.text())
        self.assertEqual(sorted(launches.journals(self.store)), [0, 2])
        player.kill()


if __name__ == "__main__":
    unittest.main()
