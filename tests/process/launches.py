# SPDX-License-Identifier: LGPL-2.1-or-later
"""gst-launch-1.0 as processes of a test, over one genclip-sim; stops all processes that it starts, by their IDs."""

import json
import pathlib
import signal
import subprocess
import tempfile

from held_process import end_killed
from simulated_service import SimulatedService

CLIP = ["genclipsrc", "model=dance-2.5", "prompt=a storm", "duration=4", "poll-interval=20"]


def serve(*options):
    """A simulator at the pace of these tests; every take of CLIP is the same bytes, rendered once."""
    return SimulatedService("--poll-interval", "10", *options)


def environment(service, store):
    return {**service.env, "GENCLIP_STORE": str(store), "GST_REGISTRY_FORK": "no", "no_proxy": "127.0.0.1"}


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
            status = end_killed(self.process)
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
    """Every complete task.json of the store, by its take."""
    found = {}
    for path in pathlib.Path(store).glob("*/task.json"):
        record = json.loads(path.read_text())
        found[record["take"]] = record
    return found
