#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A channel and its standby on two machines: two mounts of one GlusterFS volume, with the store, the rundown and the logs."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

import gluster
from playout import CAPS, clip
from simulated_service import SimulatedService

GENCLIP = os.environ["GENCLIP"]
PING_TIMEOUT_S = 2
TAKE_OVER_S = 3
ITEMS = ("item-1", "item-2", "item-3")


class Machine:
    """A mount, and the channel on it, whose output and recordings are outside of it."""

    def __init__(self, name, mount, folder, service):
        self.mount = mount
        self.log = folder / f"{name}.log"
        self.archive = folder / f"{name}-archive"
        self.env = {**service.env, "GENCLIP_STORE": str(mount.path / "store"), "GST_REGISTRY_FORK": "no"}
        self.process = None

    def start(self, *options):
        day = self.mount.path / "day"
        with open(self.log, "w", encoding="utf-8") as output:
            self.process = subprocess.Popen(
                [GENCLIP, "channel", f"{day}.json", "--video-caps", CAPS, "--asrun", f"{day}.asrun",
                 "--state-file", f"{day}.state", "--record", str(self.archive), *options],
                env=self.env, stdout=output, stderr=subprocess.STDOUT)

    def text(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def kill(self):
        self.process.kill()

    def wait_for(self, pattern, seconds=30):
        """Until its output has this; returns the time."""
        deadline = time.monotonic() + seconds
        while not re.search(pattern, self.text()) and self.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        if not re.search(pattern, self.text()):
            raise AssertionError(f"no {pattern!r} in time; exit code {self.process.returncode}:\n{self.text()}")
        return time.monotonic()

    def shown(self):
        """Everything that was on the air, in this order."""
        return re.findall(r"^(?:clip|fallback|slate)(?:: .*)?$", self.text(), re.MULTILINE)


@unittest.skipIf(gluster.why_not(), f"No GlusterFS here: {gluster.why_not()}.")
class FleetStandby(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.service = SimulatedService("--marks", "--frame-rate", "25", "--queued", "20", "--processing", "50")
        self.addCleanup(self.service.stop)
        self.machines = []
        self.volume = gluster.Volume()
        self.addCleanup(self.end_all)
        self.first, self.second = self.machines = [
            Machine(name, self.volume.mount(name, PING_TIMEOUT_S), pathlib.Path(folder.name), self.service)
            for name in ("first", "second")]
        shared = self.first.mount.path
        self.service.store = shared / "store"
        self.service.env["GENCLIP_STORE"] = str(self.service.store)
        for number, _ in enumerate(ITEMS, 1):  # So that it begins at once.
            self.service.generate("model=sd_2.0_special", f"prompt={number} item", "duration=4")
        program = [{"id": item, "source": clip(number, "item")} for number, item in enumerate(ITEMS, 1)]
        (shared / "day.json").write_text(json.dumps({"channel": "Test", "program": program}), encoding="utf-8")
        self.first.start()
        self.first.wait_for("clip: item-1")
        self.second.start("--standby")
        self.second.wait_for("Standing by")

    def end_all(self):
        # A process that waits for a file system can end only after the file system has failed.
        for machine in self.machines:
            if machine.process:
                machine.kill()
        self.volume.stop()
        for machine in self.machines:
            if machine.process:
                machine.process.wait(20)

    # The disk below the server: no cache of a mount is asked.
    def state(self):
        try:
            return json.loads((self.volume.disk / "day.state").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}

    def entries(self):
        lines = (self.volume.disk / "day.asrun").read_text(encoding="utf-8").splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def wait_until_on_air(self, item):
        gluster.wait_until(lambda: self.state().get("on_air") == item, f"{item} is not on the air: {self.first.text()}", 40)

    def take_over(self, since, what):
        """The standby shows item-2, within the time that is promised."""
        on_air = self.second.wait_for("clip: item-2") - since
        print(f"{what}: on the air after {on_air:.2f} s", flush=True)
        self.assertLess(on_air, TAKE_OVER_S, self.second.text())

    def assert_goes_on_behind(self, state):
        """The standby has told the kill, and shows each item once, beginning behind the one that was on."""
        self.second.wait_for(r"(?s)clip: item-2\n.*clip: item-3\n", 60)
        clips = [line for line in self.second.shown() if line.startswith("clip")]
        self.assertEqual(clips[:2], ["clip: item-2", "clip: item-3"], self.second.text())
        gluster.wait_until(lambda: self.entries()[-1].get("id") == "item-2", f"item-2 is not in the log: {self.entries()}", 40)
        entries = self.entries()
        (killed,) = [entry for entry in entries if entry.get("reason") == "The channel was killed."]
        self.assertEqual((killed["run"], killed["frame"], killed["id"]), (state["run"], state["frame"], "item-1"))
        self.assertNotIn("played_frames", killed, "nobody knows it")
        theirs = [entry for entry in entries[entries.index(killed) + 1:] if entry["kind"] == "clip"]
        self.assertEqual([entry["id"] for entry in theirs], ["item-2"])
        self.assertTrue(all(entry["run"] != state["run"] for entry in theirs), theirs)
        self.assertEqual(self.service.stats()["submits"], len(ITEMS), "each clip was paid once")

    def test_a_killed_channel_is_followed_within_three_seconds(self):
        self.wait_until_on_air("item-1")
        state = self.state()
        self.first.kill()
        self.take_over(time.monotonic(), "A process was killed")
        self.assert_goes_on_behind(state)

    def test_so_is_one_whose_file_system_dies_with_it(self):
        self.wait_until_on_air("item-1")
        state = self.state()
        self.first.mount.kill()
        self.first.kill()
        self.take_over(time.monotonic(), "A process and its file system were killed")
        self.assert_goes_on_behind(state)

    def test_a_machine_that_vanishes_is_followed_as_soon_as_the_server_gives_it_up(self):
        self.wait_until_on_air("item-1")
        state = self.state()
        self.first.mount.link.cut()  # Not even the end of its connections gets through.
        self.first.kill()
        self.first.mount.kill()
        time.sleep(2 * PING_TIMEOUT_S)
        self.assertEqual(self.second.shown(), [], "the server still holds the lock for it")
        self.first.mount.link.give_up()
        self.take_over(time.monotonic(), "A machine vanished, and the server gave it up")
        self.assert_goes_on_behind(state)

    def test_a_standby_that_loses_the_server_is_not_on_the_air_and_stands_by_again(self):
        self.second.mount.link.cut()
        self.second.wait_for("Transport endpoint is not connected", PING_TIMEOUT_S + 10)
        self.second.mount.link.give_up()
        time.sleep(2 * PING_TIMEOUT_S)
        self.assertEqual(self.second.shown(), [])
        self.second.mount.link.mend()
        gluster.wait_until(self.second.mount.is_connected, "the mount does not come back")
        self.second.wait_for("(?s)not connected.*Standing by. Another channel uses")
        self.assertEqual(self.second.shown(), [])
        self.wait_until_on_air("item-1")
        self.assertIsNone(self.first.process.poll(), self.first.text())
        state = self.state()
        self.first.kill()
        self.take_over(time.monotonic(), "A process was killed, after the standby's mount had come back")
        self.assert_goes_on_behind(state)

    def test_a_channel_that_was_cut_off_ends_when_its_mount_comes_back(self):
        self.wait_until_on_air("item-1")
        run = self.state()["run"]
        self.first.mount.link.cut()
        self.first.mount.link.give_up()
        self.take_over(time.monotonic(), "A channel was cut off, and the server gave it up")
        gluster.wait_until(lambda: self.state()["run"] != run, "the standby has not written the state file")
        self.first.mount.link.mend()
        gluster.wait_until(self.first.mount.is_connected, "the mount does not come back")
        back = time.monotonic()
        self.assertEqual(self.first.process.wait(30), 1, self.first.text())
        print(f"The channel that was cut off ended {time.monotonic() - back:.2f} s after its mount came back", flush=True)
        self.assertNotEqual(self.state()["run"], run)
        self.assertIsNone(self.second.process.poll(), self.second.text())
        self.assertEqual(self.service.stats()["submits"], len(ITEMS), "each clip was paid once")


if __name__ == "__main__":
    unittest.main(verbosity=2)
