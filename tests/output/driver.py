# SPDX-License-Identifier: LGPL-2.1-or-later
"""outputs_driver as a child of a test: its changes of state, its status, its end."""

import contextlib
import json
import os
import signal
import subprocess
import threading
import time

PATIENCE = 60  # Seconds; the machine may be busy.


class Driver:
    """Started with NAME=VALUE words; stopped with its context."""

    def __init__(self, *words):
        self.changes = []
        self.replies = []
        self.ended = None
        self.news = threading.Condition()
        self.process = subprocess.Popen([os.environ["OUTPUTS_DRIVER"], *words], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def _read(self):
        for line in self.process.stdout:
            told = json.loads(line)
            with self.news:
                if "ended" in told:
                    self.ended = told
                elif "outputs" in told:
                    self.replies.append(told)
                else:
                    self.changes.append(told | {"at": time.monotonic()})
                self.news.notify_all()
        with self.news:
            self.news.notify_all()

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.reader.join()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.close()

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def wait(self, holds, what):
        """Until `holds()`, which is looked at whenever the driver says something; its value."""
        with self.news:
            if not self.news.wait_for(holds, PATIENCE):
                raise AssertionError(f"never: {what}; changes: {self.changes}")
            return holds()

    def wait_state(self, kind, state, after=0):
        """The first such change of an output from the change of that number on."""
        def found():
            return next((change for change in self.changes[after:] if change["kind"] == kind and change["state"] == state),
                        None)
        return self.wait(found, f"{kind} is {state}")

    def seen(self):
        with self.news:
            return len(self.changes)

    def status(self):
        before = len(self.replies)
        self.say("status")
        reply = self.wait(lambda: self.replies[before:], "a status")[0]
        return {output["kind"]: output for output in reply["outputs"]} | {name: reply[name] for name in ("frames", "skipped")}

    def wait_frames(self, count):
        """Until so many more pictures have been encoded."""
        wanted = self.status()["frames"] + count
        deadline = time.monotonic() + PATIENCE
        while self.status()["frames"] < wanted:
            if time.monotonic() > deadline:
                raise AssertionError(f"never: {count} more frames")
            # A frame takes 40 ms, and nothing tells each.
            time.sleep(0.04)

    def finish(self, line="end 20"):
        """Ends it; what it said about its end, with its exit code and how long that took."""
        begun = time.monotonic()
        self.say(line)
        self.wait(lambda: self.ended, "its end")
        return self.ended | {"code": self.process.wait(PATIENCE), "seconds": time.monotonic() - begun}
