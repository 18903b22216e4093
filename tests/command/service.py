# SPDX-License-Identifier: LGPL-2.1-or-later
"""A genclip-sim and a separate store for each test."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.request

from command import GENCLIP, environment, genclip

SIMULATOR = os.environ["GENCLIP_SIM"]
KEY = "key-of-the-test-4711"
MODEL = "dance-2.5"


class ServiceTest(unittest.TestCase):
    """self.env contains everything that genclip needs; simulator() can be called again with other options."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.store = self.folder / "store"
        self.running = None
        # Bound, it keeps the port for the next simulator; as it does not listen, a simulator may.
        held = self.enterContext(socket.socket())
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        self.port = held.getsockname()[1]
        self.env = {"GENCLIP_API_KEY": KEY, "GENCLIP_STORE": str(self.store), "GST_REGISTRY_FORK": "no"}

    def simulator(self, *options, processing=0):
        self.stop_simulator()
        ready = self.folder / "ready"
        ready.unlink(missing_ok=True)
        # The same port: a clip belongs to the address of its service. Few frames a second: rendering is most of the work.
        self.running = subprocess.Popen([SIMULATOR, "--key", KEY, "--queued", "0", "--processing", str(processing),
                                         "--port", str(self.port), "--frame-rate", "5", "--ready-file", str(ready), *options],
                                        stdout=subprocess.DEVNULL)
        self.addCleanup(self.stop_simulator)
        deadline = time.monotonic() + 30
        while not ready.exists() or "GENCLIP_MEDIA_URL" not in ready.read_text():
            self.assertIsNone(self.running.poll(), "the simulator ended")
            self.assertLess(time.monotonic(), deadline, "the simulator does not start")
            time.sleep(0.01)
        addresses = dict(line.split("=", 1) for line in ready.read_text().splitlines())
        self.env["GENCLIP_BASE_URL"] = addresses["GENCLIP_BASE_URL"]

    def stop_simulator(self):
        if self.running:
            self.running.terminate()
            self.running.wait(30)
        self.running = None

    def stats(self):
        return self.told_by_simulator("stats")

    def account(self):
        return self.told_by_simulator("account")

    def told_by_simulator(self, what):
        base = self.env["GENCLIP_BASE_URL"].removesuffix("/api")
        with urllib.request.urlopen(f"{base}/_sim/{what}", timeout=30) as reply:
            return json.load(reply)

    def faults(self, *faults):
        """In the place of those that it has."""
        base = self.env["GENCLIP_BASE_URL"].removesuffix("/api")
        for method, body in [("DELETE", None), ("POST", json.dumps(faults).encode())]:
            with urllib.request.urlopen(urllib.request.Request(base + "/_sim/faults", body, method=method), timeout=30):
                pass

    def run_genclip(self, *words):
        run = genclip(*words, **self.env)
        self.assertNotIn(KEY, run.stdout + run.stderr)
        return run

    def generate(self, *words):
        return self.run_genclip("generate", "--poll-interval", "20", MODEL, *(words or ["prompt=a red kite"]))

    def start(self, *words):
        """For a test that sends signals."""
        process = subprocess.Popen([GENCLIP, *words], env=environment(**self.env), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(lambda: process.poll() is None and (process.send_signal(signal.SIGKILL), process.wait()))
        return process

    def listed(self):
        return json.loads(self.run_genclip("store", "list", "--json").stdout)
