# SPDX-License-Identifier: LGPL-2.1-or-later
"""genclip-sim and gst-launch-1.0 as processes of a test; what it starts it stops, by their ids."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import urllib.request

SIMULATOR = os.environ["GENCLIP_SIM"]
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
CLIP = ["genclipsrc", "model=dance-2.5", "prompt=a storm", "duration=4", "poll-interval=20"]


class Service:
    """One simulator; every take of CLIP is the same bytes, rendered once."""

    def __init__(self, *options):
        self.folder = tempfile.TemporaryDirectory()
        ready = pathlib.Path(self.folder.name) / "ready"
        self.process = subprocess.Popen(
            [SIMULATOR, "--ready-file", str(ready), "--poll-interval", "10", *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while not ready.exists():
            assert self.process.poll() is None and time.monotonic() < deadline, "the simulator does not start"
            time.sleep(0.02)
        addresses = dict(line.split("=", 1) for line in ready.read_text().splitlines())
        self.base_url = addresses["GENCLIP_BASE_URL"].strip("'\"")

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=20)
        self.folder.cleanup()

    def stats(self):
        with OPENER.open(self.base_url.removesuffix("/api") + "/_sim/stats", timeout=20) as answer:
            return json.load(answer)

    def submits(self):
        return self.stats()["submits"]

    def environment(self, store):
        return dict(os.environ, GENCLIP_BASE_URL=self.base_url, GENCLIP_API_KEY="sim-key", GENCLIP_STORE=str(store),
                    GST_REGISTRY_FORK="no", no_proxy="127.0.0.1")


class Run:
    """One gst-launch-1.0; its output goes to a file, as a killed one may leave children that hold a pipe."""

    def __init__(self, words, environment):
        self.output = tempfile.NamedTemporaryFile()
        self.process = subprocess.Popen(["gst-launch-1.0", *words], env=environment, stdout=self.output,
                                        stderr=subprocess.STDOUT)
        self.ended_with = None

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.end(20)

    def end(self, timeout=120):
        """The exit code; negative when it was killed, also for taking too long."""
        try:
            status = self.process.wait(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait(timeout=20)
        self.ended_with = self.text()
        self.output.close()
        return status

    def text(self):
        if self.ended_with is not None:
            return self.ended_with
        return pathlib.Path(self.output.name).read_text(errors="replace")


def fetch(take, target, *properties):
    """The words of one element that writes that take to a file."""
    return [*CLIP, f"take={take}", *properties, "!", "filesink", f"location={target}"]


def journals(store):
    """Every task.json of the store that is there and whole, by its take."""
    found = {}
    for path in pathlib.Path(store).glob("*/task.json"):
        record = json.loads(path.read_text())
        found[record["take"]] = record
    return found
