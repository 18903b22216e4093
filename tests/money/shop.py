# SPDX-License-Identifier: LGPL-2.1-or-later
"""A simulator with a price list, a store with a budget, and runs of genclip on them; stops every process by its ID."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile

from held_process import end_killed
from ledger_reader import Ledger
from simulated_service import SimulatedService

MODEL = "dance-2.5"
LINK_MODEL = "sd_2.0_special"  # That takes a first frame.
# Credits by seconds: any two clips differ, and each sum of some of them is exact.
PRICES = {4: 2, 5: 2.5, 6: 3.25}
PATIENCE_S = 180


def price_list(charge_failures=False):
    return {"charge_failures": charge_failures,
            "prices": [{"model": model, "duration": seconds, "amount": amount} for model in (MODEL, LINK_MODEL)
                       for seconds, amount in PRICES.items()]}


class Run:
    """One process; its output goes to a file, because a killed one may leave children that hold a pipe."""

    def __init__(self, words, env):
        self.output = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stdout=self.output,
                                        stderr=subprocess.STDOUT, text=True)
        self.text = ""

    def kill(self):
        """False: it had ended."""
        if self.process.poll() is not None:
            return False
        self.process.send_signal(signal.SIGKILL)
        return True

    def end(self, patience=PATIENCE_S):
        """The exit code; negative when it was killed."""
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            end_killed(self.process)
            raise
        finally:
            if not self.output.closed:
                self.output.seek(0)
                self.text = self.output.read()
                self.output.close()


class Shop:
    """A context manager. A clip is a take and its seconds; `wish` makes the words of a request of them."""

    def __init__(self, *options, charge_failures=False, store=None):
        self.service = SimulatedService("--queued", "10", "--processing", "20", "--poll-interval", "10", *options,
                                        prices=price_list(charge_failures))
        self.store = store or self.service.store
        self.env = {**self.service.env, "GENCLIP_STORE": str(self.store), "GST_REGISTRY_FORK": "no", "LC_ALL": "C.UTF-8"}
        self.runs = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for run in self.runs:
            run.kill()
            run.end()
        self.service.stop()

    def set_budget(self, **limits):
        self.store.mkdir(parents=True, exist_ok=True)
        (self.store / "budget.json").write_text(json.dumps(limits), encoding="utf-8")

    def wish(self, take, seconds=4, *options):
        return ["generate", "--poll-interval", "10", "--http-timeout", "30", *options, MODEL, "prompt=a storm",
                f"duration={seconds}", f"take={take}"]

    def start(self, *words, **env):
        run = Run([os.environ["GENCLIP"], *words], {**self.env, **env})
        self.runs.append(run)
        return run

    def run(self, *words, **env):
        """The run, ended, and its exit code."""
        run = self.start(*words, **env)
        code = run.end()
        self.runs.remove(run)
        return run, code

    def ledger(self):
        return Ledger(self.store)

    def records(self):
        """The journals by their clips' keys."""
        found = {}
        for path in pathlib.Path(self.store).glob("*/task.json"):
            try:
                found[path.parent.name] = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                pass  # It is being removed.
        return found
