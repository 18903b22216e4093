# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a sequence of real processes on one store against one simulator, and detects broken promises about money.

Submits are counted by the service. A second submit of a clip is allowed in three cases: the run that paid for it
posted a warning; that run was killed, and the journal counts the unanswered submits; or the run replaces a whole clip
(--anew).
"""

import contextlib
import dataclasses
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from simulated_service import OPENER, SimulatedService
import sequences

MODEL, PROMPT = "dance-2.5", "a storm"
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"
ANNOUNCES = re.compile(r"charged|paid twice")
PATIENCE_S = 180


class Broken(Exception):
    """A broken promise."""


@dataclasses.dataclass
class Ended:
    run: sequences.Run
    status: int  # negative: killed
    text: str  # all that it said
    clip: bytes | None  # of a run that ended well

    def announces(self):
        return bool(ANNOUNCES.search(self.text))


class Driver:
    """One store and one simulator, for any number of sequences; a context manager."""

    def __init__(self):
        self.service = SimulatedService("--poll-interval", "10", "--queued", "20", "--processing", "40", "--padding", "60000",
                                        "--throttle", "2000000")
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.store = self.path / "store"
        self.take = 0
        self.has_faketime = os.path.exists(FAKETIME)
        self.others = set()  # Folders of other takes.
        self.clip = None

    def __enter__(self):
        self.clip = self.end(self.start(sequences.plain())).clip
        if not self.clip:
            raise RuntimeError("there is no clip even without a fault")
        return self

    def __exit__(self, *_):
        self.service.stop()
        self.folder.cleanup()

    # ---- the service

    def set_faults(self, faults):
        address = self.service.base_url.removesuffix("/api") + "/_sim/faults"
        OPENER.open(urllib.request.Request(address, method="DELETE"), timeout=30).close()
        if faults:
            OPENER.open(urllib.request.Request(address, "\n".join(faults).encode(), method="POST"), timeout=30).close()

    def submits(self):
        return self.service.stats()["submits"]

    def has_task(self, task_id):
        request = urllib.request.Request(f"{self.service.base_url}/v2/model-center/tasks/{task_id}",
                                         headers={"Authorization": "Bearer sim-key"})
        try:
            with OPENER.open(request, timeout=30) as answer:
                return json.load(answer).get("status") != "failed"
        except urllib.error.HTTPError:
            return False

    # ---- the store

    def folder_of_clip(self):
        """The folder of this sequence's take; found once and cached, because the store has one for each sequence."""
        for path in self.store.glob("*/task.json"):
            if path.parent not in self.others:
                with contextlib.suppress(OSError, ValueError):
                    if json.loads(path.read_text()).get("take", 0) == self.take:
                        return path.parent
                    self.others.add(path.parent)
        return None

    def journal(self):
        folder = self.folder_of_clip()
        with contextlib.suppress(OSError, ValueError, TypeError):
            return json.loads((folder / "task.json").read_text())
        return {}

    def stored_clip(self):
        """The bytes of a clip that any run will serve."""
        record = self.journal()
        if record.get("state") != "complete":
            return None
        stored = self.folder_of_clip() / record["clip"]["file"]
        return self.clip if stored.exists() and stored.read_bytes() == self.clip else None

    # ---- runs

    def words(self, run, target):
        timeout, http_timeout = ("120", "30") if run.is_patient else ("2", "1")
        if run.program == "genclip":
            return [os.environ["GENCLIP"], "generate", "--poll-interval", "10", "--timeout", timeout, "--http-timeout",
                    http_timeout, "--retries", "1", *["--anew"] * run.anew, "-o", str(target), MODEL, f"prompt={PROMPT}",
                    "duration=4", f"take={self.take}"]
        return ["gst-launch-1.0", "genclipsrc", f"model={MODEL}", f"prompt={PROMPT}", "duration=4", f"take={self.take}",
                "poll-interval=10", f"timeout={timeout}", f"http-timeout={http_timeout}", "retries=1",
                f"reuse={str(not run.anew).lower()}", "!",
                "filesink", f"location={target}"]

    def environment(self, run):
        env = {**self.service.env, "GENCLIP_STORE": str(self.store), "GST_REGISTRY_FORK": "no", "LC_ALL": "C.UTF-8"}
        env["GENCLIP_API_KEY"] = {"right": "sim-key", "wrong": "another-key", "none": ""}[run.key]
        if run.clock and self.has_faketime:
            env |= {"LD_PRELOAD": FAKETIME, "FAKETIME": run.clock, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        return env

    def start(self, run):
        target = pathlib.Path(tempfile.mkdtemp(dir=self.path)) / "clip.mp4"
        output = target.with_name("output").open("w+b")
        process = subprocess.Popen(self.words(run, target), env=self.environment(run), stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=subprocess.STDOUT)
        return run, process, output, target

    def end(self, started):
        run, process, output, target = started
        try:
            status = process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise Broken(f"{run.program} does not end") from None
        finally:
            output.seek(0)
            text = output.read().decode(errors="replace")
            output.close()
        # gst-launch-1.0 that was interrupted ends with 0, too.
        is_done = status == 0 and "handling interrupt" not in text
        return Ended(run, status, text, target.read_bytes() if is_done and target.exists() else None)

    def run_all(self, runs):
        """Starts them at once, sends the signals in time, and waits for all."""
        began = time.monotonic()
        started = [self.start(run) for run in runs]
        try:
            for run, process, *_ in sorted(started, key=lambda one: one[0].after_s):
                if run.ended_by:
                    time.sleep(max(0, began + run.after_s - time.monotonic()))
                    process.send_signal(getattr(signal, run.ended_by))
            return [self.end(one) for one in started]
        finally:
            for _, process, *_ in started:
                if process.poll() is None:
                    process.kill()
                    process.wait()

    # ---- a sequence

    def run_sequence(self, steps):
        """The output of each run, step by step. Raises Broken if a promise was broken."""
        self.take += 1
        self.said = []
        self.paid = self.announced = self.replacing = self.unanswered = 0
        self.was_whole = False
        for step in steps:
            self.step(step)
        self.finish()

    def step(self, step):
        was_whole = self.was_whole
        before = self.submits()
        self.set_faults(step.faults)
        ends = self.run_all(step.runs)
        if any(end.status < 0 for end in ends) and any("delay" in fault for fault in step.faults):
            time.sleep(0.15)  # What a killed run had sent already.
        self.set_faults(())
        paid = self.submits() - before
        self.said.append((step, ends, paid, self.journal()))
        for end in ends:
            if end.clip is not None and end.clip != self.clip:
                raise Broken("a run ended well with another clip than the service made")
        self.unanswered = max(self.unanswered, self.journal().get("unanswered_submits", 0))
        self.was_whole = self.was_whole or self.stored_clip() is not None or any(end.clip for end in ends)
        first = 1 if self.paid == 0 else 0
        announced = sum(end.announces() for end in ends)
        killed = sum(end.status < 0 and not end.announces() for end in ends)
        # A run can replace only an existing clip; one of several concurrent runs may have completed it.
        replacing = sum(end.run.anew for end in ends) if was_whole or (self.was_whole and len(ends) > 1) else 0
        if paid > first + announced + killed + replacing:
            raise Broken(f"{paid} submits, of which {first} is the first, {announced} announced, {killed} of killed runs and "
                         f"{replacing} to replace a whole clip")
        self.paid += paid
        self.announced += announced
        self.replacing += replacing
        if self.was_whole and self.stored_clip() is None:
            self.check_that_it_is_served()

    def check_that_it_is_served(self):
        (offline,) = self.run_all([sequences.plain("none")])
        if offline.status != 0 or offline.clip != self.clip:
            raise Broken("a whole clip is not served any more without the service: " + offline.text)

    def finish(self):
        """A plain run without faults."""
        journal = self.journal()
        replaced = journal.get("replaces") or {}
        known = [journal.get("task_id"), replaced.get("task_id"), *journal.get("earlier_tasks", [])]
        alive = [task_id for task_id in known if task_id and self.has_task(task_id)]
        self.step(sequences.Step((), (sequences.plain(),)))
        _, (last,), paid, _ = self.said[-1]
        if last.status != 0:
            raise Broken("a plain run without a fault fails: " + last.text)
        if paid and alive:
            raise Broken(f"the task {alive[0]} is in the journal and at the service, and the request was submitted again")
        # If a killed run paid without a warning, the journal counts it or a later run has warned of it.
        if self.paid > 1 + self.announced + self.replacing + self.unanswered:
            raise Broken(f"{self.paid} submits, and neither a run nor the journal tells of all of them")

    def story(self):
        """The sequence as it went, for people."""
        lines = []
        for step, ends, paid, journal in self.said:
            lines.append(f"{sequences.text_of(step)}: {paid} submits, then {journal.get('state', 'no journal')} "
                         f"{journal.get('task_id', '')} unanswered {journal.get('unanswered_submits', 0)}")
            for end in ends:
                said = [line for line in end.text.splitlines() if re.match("genclip: |Done|ERROR|WARNING", line)]
                lines.append(f"  exit {end.status}: " + " / ".join(said)[:600])
        return "\n".join(lines)
