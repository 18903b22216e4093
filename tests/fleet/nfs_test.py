#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A store shared over NFS 4.2: a server, and two machines that are killed, cut off and unplugged."""

import json
import os
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import gluster
import guests

ROUNDS = int(os.environ.get("GENCLIP_FLEET_ROUNDS", "3"))
SEED = int(os.environ.get("GENCLIP_SEED", str(random.SystemRandom().randrange(1 << 32))))
PROCESSES = 8
LEASE_S = 90  # The default of Linux's server.
GRACE_S = 10  # In which it gives out no locks after its start; by default as long as the lease.
PARTITION_S = LEASE_S + 30
PATIENCE_S = 400  # Emulated machines are slow.
SERVE = f"""
mkdir -p /mnt/export /var/lib/nfs/v4recovery && mount -t nfsd nfsd /proc/fs/nfsd &&
[ $(cat /proc/fs/nfsd/nfsv4leasetime) = {LEASE_S} ] &&
echo {GRACE_S} > /proc/fs/nfsd/nfsv4gracetime && touch /var/lib/nfs/etab /var/lib/nfs/rmtab &&
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
        cls.serve(8080, "--throttle", 100000)
        cls.serve(8081, "--throttle", 1500)
        for machine in cls.machines:
            machine.must(f"mkdir -p /mnt/shared && mount -i -t nfs4 -o vers=4.2,addr={cls.server.address},clientaddr="
                         f"{machine.address},hard {cls.server.address}:/ /mnt/shared")
        cls.runs = 0
        cls.take = 0

    @classmethod
    def serve(cls, port, *options):
        simulator = cls.words(os.environ["GENCLIP_SIM"], "--host", cls.server.address, "--port", port, "--ready-file",
                              f"/tmp/ready-{port}", "--queued", 300, "--processing", 4000, "--poll-interval", 10, *options)
        cls.server.must(simulator + f" > /tmp/sim-{port} 2>&1 &")
        gluster.wait_until(lambda: cls.server.do(f"[ -f /tmp/ready-{port} ]")[0] == 0, "genclip-sim does not start", PATIENCE_S)

    @classmethod
    def words(cls, *words, **env):
        return guests.quoted(["env", *(f"{name}={value}" for name, value in (cls.env | env).items()), *words])

    def command(self, machine, *words, **env):
        """Exit code and output, as one line, of a genclip command on that machine."""
        status, text = machine.do(self.words(os.environ["GENCLIP"], *words, **env) + " 2>&1", PATIENCE_S)
        return status, " ".join(text.split())

    def generate(self, machine, take, **env):
        return self.command(machine, "generate", "--poll-interval", 100, "-o", "/tmp/picture.png", "dream-5.0", "prompt=a storm",
                            f"take={take}", **env)

    def setUp(self):
        type(self).take += 1
        self.before = self.submits()

    def submits(self, port=8080):
        return json.loads(self.server.must(f"busybox wget -q -O - http://{self.server.address}:{port}/_sim/stats"))["submits"]

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

    def test_3_a_machine_obeys_the_budget_that_another_has_just_set(self):
        first, second = self.machines
        store = {"GENCLIP_STORE": "/mnt/shared/limited"}
        status, text = self.generate(second, 0, **store)  # It has seen that there is no budget.
        self.assertEqual(status, 0, text)
        self.assertEqual(self.command(first, "budget", "set", "--tasks-per-day", 1, **store)[0], 0)
        status, text = self.generate(second, 1, **store)
        self.assertNotEqual(status, 0, text)
        self.assertIn("the store's budget allows 1 task a day", text)
        # A file that is replaced while somebody has it open.
        first.must("(sleep 600 < /mnt/shared/limited/budget.json) > /dev/null 2>&1 &")
        self.assertEqual(self.command(first, "budget", "set", "--tasks-per-day", 2, **store)[0], 0)
        status, text = self.generate(second, 1, **store)
        self.assertEqual(status, 0, text)
        first.must("(sleep 600 < /mnt/shared/limited/budget.json) > /dev/null 2>&1 &")
        self.assertEqual(self.command(first, "budget", "set", "--tasks-per-day", 1, **store)[0], 0)
        self.assertNotEqual(self.generate(second, 2, **store)[0], 0)
        self.assertEqual(self.command(first, "budget", "clear", **store)[0], 0)
        self.assertEqual(self.generate(second, 2, **store)[0], 0)
        self.assertEqual(self.submits() - self.before, 3)

    def test_4_two_machines_that_publish_first_have_one_secret(self):
        for machine in self.machines:
            machine.must("mkdir -p /mnt/shared/public && cp /usr/share/pixmaps/debian-logo.png /tmp/logo.png || "
                         "printf 'GIF89a\\001\\000\\001\\000\\200\\000\\000\\000\\000\\000\\377\\377\\377\\054\\000\\000"
                         "\\000\\000\\001\\000\\001\\000\\000\\002\\002\\104\\001\\000\\073' > /tmp/logo.png")
        for number in range(2 * ROUNDS):
            env = {"GENCLIP_STORE": f"/mnt/shared/new-{number}", "GENCLIP_PUBLISH_FOLDER": "/mnt/shared/public",
                   "GENCLIP_PUBLISH_URL": "http://media.example/public"}
            words = self.words(os.environ["GENCLIP"], "publish", "--publish-check", "none", "/tmp/logo.png", **env)
            ends = [threading.Thread(target=lambda machine=machine: answers.append(machine.do(words + " 2>&1", PATIENCE_S)))
                    for machine in self.machines]
            answers = []
            for end in ends:
                end.start()
            for end in ends:
                end.join()
            self.assertEqual([status for status, _ in answers], [0, 0], answers)
            self.assertEqual(len({text.split()[-1] for _, text in answers}), 1, answers)

    def test_5_a_machine_locks_no_folder_that_another_has_replaced(self):
        first, second = self.machines
        status, text = self.generate(second, self.take)
        self.assertEqual(status, 0, text)
        folder = os.path.dirname(first.must(f"grep -l '\"take\": *{self.take}\\b' /mnt/shared/store/*/task.json").strip())
        self.assertEqual(self.generate(second, self.take)[0], 0)  # It knows the folder, and its lock.
        # As the removal of a clip begins.
        first.must(f"rm {folder}/task.json {folder}/clip.png && mv {folder} {folder}.removed")
        ours = self.start(first)
        gluster.wait_until(lambda: first.do(f"[ -f {folder}/task.json ]")[0] == 0, "the first machine does not submit", PATIENCE_S)
        theirs = self.start(second)
        self.assert_same_clip([ours, theirs])
        self.assertEqual(self.submits() - self.before, 2)

    def test_6_a_clip_grows_for_others_while_it_is_downloaded(self):
        before = self.submits(8081)
        type(self).runs += 1
        run = self.words(os.environ["GENCLIP"], "generate", "--poll-interval", 100, "-o", "/tmp/slow.png", "dream-5.0",
                         "prompt=slow", GENCLIP_STORE="/mnt/shared/slow", GENCLIP_BASE_URL=f"http://{self.server.address}:8081/api")
        self.machines[0].must(f"({run} > /tmp/slow.text 2>&1; echo $? > /tmp/slow.end) &")
        sizes = set()

        def has_ended():
            text = self.server.do("stat -c %s /mnt/export/slow/*/clip.part 2>/dev/null")[1].strip()
            sizes.add(int(text or 0))
            return self.machines[0].do("[ -s /tmp/slow.end ]")[0] == 0
        gluster.wait_until(has_ended, "it does not end", PATIENCE_S)
        self.assertEqual(self.machines[0].must("cat /tmp/slow.end").strip(), "0", self.machines[0].must("cat /tmp/slow.text"))
        print(f"sizes on the server: {sorted(sizes)}", flush=True)
        self.assertGreaterEqual(len(sizes), 5, sizes)
        self.assertEqual(self.submits(8081) - before, 1)

    def test_8_when_a_machine_is_cut_off_beyond_its_lease_the_other_takes_over(self):
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

    def test_9_when_a_machine_loses_its_power_the_other_takes_over_its_clip_and_the_ledger(self):
        self.start(self.machines[0])
        self.wait_for_task()
        # As if it had died while it wrote a line: F_OFD_SETLK of a whole file.
        lock = "import fcntl, struct, time; f = open('/mnt/shared/store/ledger.lock', 'r+'); " \
               "fcntl.fcntl(f, 37, struct.pack('hhqqi4x', 1, 0, 0, 0, 0)); open('/tmp/locked', 'w'); time.sleep(999)"
        self.machines[0].must(guests.quoted([sys.executable, "-c", lock]) + " > /tmp/lock.text 2>&1 &")
        gluster.wait_until(lambda: self.machines[0].do("[ -f /tmp/locked ]")[0] == 0, "the ledger is not locked", PATIENCE_S)
        self.machines[0].stop()
        self.assertNotEqual(self.journal()["state"], "complete", "it was not at work any more")
        ours = self.start(self.machines[1])
        began = time.monotonic()
        status, text = self.generate(self.machines[1], self.take + 1000)
        self.assertEqual(status, 0, text)
        self.assertIn("ledger.lock, for up to 150 s: another process has locked it.", text)
        print(f"the ledger was free {time.monotonic() - began:.0f} s after the power was lost", flush=True)
        self.assert_same_clip([ours])
        self.assertEqual(self.submits() - self.before, 2, "one of each take")


if __name__ == "__main__":
    unittest.main()
