# SPDX-License-Identifier: LGPL-2.1-or-later
"""What store-0.1.0 contains: its requests, and the service that it knows."""

import os
import pathlib
import shutil

from simulated_service import SimulatedService

FOLDER = pathlib.Path(__file__).parent / "store-0.1.0"

# A clip is known by the address of its service, too. Nobody listens there: a simulator on a free port is the proxy that leads to it.
HOST, PORT, SEED = "127.41.96.23", 41963, 20261122
BASE_URL = f"http://{HOST}:{PORT}/api"


def request(model, prompt, *fields):
    return [model, f"prompt={prompt}", *fields]


# In the order of their submits, which gives the tasks their IDs. RUNNING is the first one, so that a new simulator can have it, too.
RUNNING = request("vidq3-turbo", "a tide that comes in", "duration=1", "resolution=540p")
CLIP = request("vidq3-turbo", "a red kite over dunes", "duration=1", "resolution=540p")
IMAGE = request("dream-5.0", "a lighthouse")
FAILED = request("vidq3-turbo", "a storm", "duration=1", "resolution=540p")
PARTIAL = request("vidq3-turbo", "a river in the fog", "duration=1", "resolution=540p")
UNANSWERED = request("vidq3-turbo", "snow on a roof", "duration=1", "resolution=540p")


def serve(*options, seed=SEED):
    """A simulator. With the same seed, its tasks have the same IDs in the same order."""
    return SimulatedService("--seed", str(seed), "--queued", "50", "--processing", "50", *options)


def environment(store, **more):
    """Of a process that uses that store, and knows no key unless `more` has one."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GENCLIP_")}
    return {**kept, "GENCLIP_BASE_URL": BASE_URL, "GENCLIP_STORE": str(store), **more}


def copy_to(folder):
    """A copy that a test may change, with the modes of a store, which git does not keep."""
    store = pathlib.Path(folder) / "store"
    shutil.copytree(FOLDER, store)
    for path in [store, *store.rglob("*")]:
        path.chmod(0o700 if path.is_dir() else 0o600)
    return store
