#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes store-0.1.0 anew: by the genclip of 0.1.0 (GENCLIP), against genclip-sim (GENCLIP_SIM).

tests/store_upgrade/README.md says how.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import old_store

GENERATE = [os.environ["GENCLIP"], "generate", "--poll-interval", "50"]


def states(store):
    found = {}
    for journal in store.glob("*/task.json"):
        record = json.loads(journal.read_text(encoding="utf-8"))
        part = journal.parent / "clip.part"
        found[record["request"]["prompt"]] = record["state"], part.exists() and part.stat().st_size > 10_000
    return found


def wait_for(store, request, wanted):
    deadline = time.monotonic() + 30
    prompt = request[1].removeprefix("prompt=")
    while states(store).get(prompt) != wanted:
        if time.monotonic() > deadline:
            sys.exit(f"{prompt}: never {wanted}; {states(store)}")
        time.sleep(0.02)


def main():
    store = old_store.FOLDER
    shutil.rmtree(store, ignore_errors=True)
    env = old_store.environment(store, GENCLIP_API_KEY="sim-key")
    with old_store.serve("--host", old_store.HOST, "--port", str(old_store.PORT)) as service:

        def generate(request, fails=False):
            run = subprocess.run([*GENERATE, *request], env=env, check=False, timeout=120)
            if (run.returncode != 0) != fails:
                sys.exit(f"{request}: exit code {run.returncode}")

        def kill_when(request, state, part, *faults):
            service.set_faults(faults)
            with subprocess.Popen([*GENERATE, *request], env=env) as process:
                wait_for(store, request, (state, part))
                process.kill()
            service.set_faults([])

        kill_when(old_store.RUNNING, "submitted", False, "query:state=processing")
        generate(old_store.CLIP)
        generate(old_store.IMAGE)
        service.set_faults(["submit:fail=The prompt was rejected by moderation"])
        generate(old_store.FAILED, fails=True)
        kill_when(old_store.PARTIAL, "submitted", True, "media:throttle=40000")
        kill_when(old_store.UNANSWERED, "intent", False, "submit:hold-answer")
    for path in store.rglob("*"):
        print(path.relative_to(store), path.stat().st_size)


if __name__ == "__main__":
    main()
