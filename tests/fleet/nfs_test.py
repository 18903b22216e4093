#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A store shared over NFS 4.2: a server, and two machines that are killed, cut off and unplugged."""

import json
import os
import pathlib
import random
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import gluster
import guests

ROUNDS = int(os.environ.get("GENCLIP_FLEET_ROUNDS", "3"))
SEED = int(os.environ.get("GENCLIP_SEED", str(random.SystemRandom().randrange(1 << 32))))
PROCESSES = 8
LEASE_S = 10
PARTITION_S = 20
PATIENCE_S = 240  # Emulated machines are slow.
SERVE = f"""
mkdir -p /mnt/export /var/lib/nfs/v4recovery && mount -t nfsd nfsd /proc/fs/nfsd && echo {LEASE_S} > /proc/fs/nfsd/nfsv4leasetime &&
echo {LEASE_S} > /proc/fs/nfsd/nfsv4gracetime && touch /var/lib/nfs/etab /var/lib/nfs/rmtab &&
exportfs -o rw,no_root_squash,fsid=0,no_subtree_check,insecure '*:/mnt/export' && rpc.nfsd -N 3 -V 4.2 4 &&
(rpc.mountd -N 3 -F > /tmp/mountd 2>&1 &)"""


def why_not():
    if os.environ["GENCLIP"].startswith("/tmp/"):
        return "the build is in /tmp, and each guest has a /tmp of its own"
    return guests.why_not()


@unittest.skipIf(why_not(), f"No guests here: {why_not()}.")
class Nfs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print(f"seed {SEED} (GENCLIP_SEED)", flush=True)
        cls.dice = random.Random(SEED)
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        cls.guests = {}

        def boot(number):
            cls.guests[number] = guests.Guest(pathlib.Path(cls.folder.name) / str(number), number, port, 700)

        starters = [threading.Thread(target=boot, args=(number,)) for number in (1, 2, 3)]
        cls.addClassCleanup(lambda: [guest.stop() for guest in cls.guests.values()])
        for starter in starters:
            starter.start()
        for starter in starters:
            starter.join()
        cls.server, *cls.machines = [cls.guests[number] for number in (1, 2, 3)]
        cls.server.must(SERVE.replace("\n", " "))
        # Guests do not scan for plugins, because this machine has already done so.
        subprocess.run(["gst-inspect-1.0", "genclipsrc"], stdout=subprocess.DEVNULL, check=True)
        cls.env = {name: os.environ[name] for name in ("GST_REGISTRY", "GST_PLUGIN_PATH")}
        cls.env |= {"GST_REGISTRY_UPDATE": "no", "GST_REGISTRY_FORK": "no", "HOME": "/tmp", "LC_ALL": "C.UTF-8",
                    "GENCLIP_BASE_URL": f"http://{cls.server.address}:8080/api", "GENCLIP_API_KEY": "sim-key",
                    "GENCLIP_STORE": "/mnt/shared/store"}
        # Every take is the same picture, rendered once.
        simulator = cls.words(os.environ["GENCLIP_SIM"], "--host", cls.server.address, "--port", 8080, "--ready-file",
                              "/tmp/ready", "--queued", 300, "--processing", 4000, "--poll-interval", 10, "--throttle", 100000)
        cls.server.must(simulator + " > /tmp/sim 2>&1 &")
        gluster.wait_until(lambda: cls.server.do("[ -f /tmp/ready ]")[0] == 0, "genclip-sim does not start", PATIENCE_S)
        for machine in cls.machines:
            machine.must(f"mkdir -p /mnt/shared && mount -i -t nfs4 -o vers=4.2,addr={cls.server.address},clientaddr="
                         f"{machine.address},hard {cls.server.address}:/ /mnt/shared")
        cls.runs = 0
        cls.take = 0

    @classmethod
    def words(cls, *words):
        return guests.quoted(["env", *(f"{name}={value}" for name, value in cls.env.items()), *words])

    def setUp(self):
        type(self).take += 1
        self.before = self.submits()

    def submits(self):
        return json.loads(self.server.must(f"busybox wget -q -O - http://{self.server.address}:8080/_sim/stats"))["submits"]

    def journal(self):
        for text in self.server.do("for file in /mnt/export/store/*/task.json; do cat $file; echo @; done")[1].split("@\n"):
            if text.startswith("{") and json.loads(text).get("take", 0) == self.take:
                return json.loads(text)
        return {}

    def start(self, machine):
        """A run on that machine: the machine, and the name of its files there."""
        type(self).runs += 1
        name = f"/tmp/{self.runs}"
        run = self.words(os.environ["GENCLIP"], "generate", "--poll-interval", 100, "-o", f"{name}.png",
                         "dream-5.0", "prompt=a storm", f"take={self.take}")
        script = guests.quoted(["sh", "-c", f"echo $$ > {name}.pid; exec {run}"])
        machine.must(f"({script} > {name}.text 2>&1; echo $? > {name}.end) &")
        return machine, name

    def kill(self, run):
        machine, name = run
        machine.do(f"kill -9 $(cat {name}.pid)")

    def end(self, run):
        """Exit code and output."""
        machine, name = run
        gluster.wait_until(lambda: machine.do(f"[ -s {name}.end ]")[0] == 0, f"{name} of {machine.address} does not end",
                           PATIENCE_S)
        return int(machine.must(f"cat {name}.end")), machine.must(f"cat {name}.text")

    def hash_of(self, run):
        machine, name = run
        return machine.must(f"sha256sum < {name}.png").strip()

    def assert_same_clip(self, runs):
        for run in runs:
            status, text = self.end(run)
            self.assertEqual(status, 0, text)
        journal = self.server.must(f"grep -l '\"take\": *{self.take}\\b' /mnt/export/store/*/task.json").strip()
        folder = journal.removesuffix("/task.json")
        stored = self.server.must(f"sha256sum < {folder}/clip.png").strip()
        self.assertEqual({self.hash_of(run) for run in runs}, {stored})

    def assert_nothing_silent(self, runs):
        submits = self.submits() - self.before
        texts = "\n".join(self.end(run)[1] for run in runs)
        self.assertGreaterEqual(submits, 1)
        self.assertLessEqual(submits, 1 + self.journal().get("unanswered_submits", 0), texts)
        if submits > 1:
            self.assertIn("charged", texts)

    def wait_for_task(self):
        gluster.wait_until(lambda: self.journal().get("task_id"), "there is no task", PATIENCE_S)

    def test_1_processes_on_two_machines_submit_once(self):
        self.assert_same_clip([self.start(self.machines[number % 2]) for number in range(PROCESSES)])
        self.assertEqual(self.submits() - self.before, 1)

    def test_2_when_the_one_at_work_is_killed_the_other_machine_goes_on(self):
        for _ in range(ROUNDS):
            self.setUp()
            first = self.start(self.machines[0])
            others = [self.start(machine) for machine in self.machines]
            time.sleep(self.dice.uniform(0.5, 6))
            self.kill(first)
            self.assert_same_clip(others)
            self.assert_nothing_silent(others)

    def test_3_when_a_machine_is_cut_off_for_20_s_the_other_takes_over(self):
        theirs = self.start(self.machines[0])
        self.wait_for_task()
        ours = self.start(self.machines[1])
        self.machines[0].plug(False)
        time.sleep(PARTITION_S)
        self.machines[0].plug(True)
        self.assert_same_clip([ours])
        if self.end(theirs)[0] == 0:
            self.assert_same_clip([theirs])
        self.assert_nothing_silent([theirs, ours])
        self.assertEqual(self.submits() - self.before, 1)
        self.assert_same_clip([self.start(machine) for machine in self.machines])
        self.assertEqual(self.submits() - self.before, 1)

    def test_4_when_a_machine_loses_its_power_the_other_takes_over(self):
        self.start(self.machines[0])
        self.wait_for_task()
        ours = self.start(self.machines[1])
        self.machines[0].stop()
        self.assert_same_clip([ours])
        self.assert_nothing_silent([ours])
        self.assertEqual(self.submits() - self.before, 1)


if __name__ == "__main__":
    unittest.main()
