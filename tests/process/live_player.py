# SPDX-License-Identifier: LGPL-2.1-or-later
"""A live pipeline with a clip in it, whose store is slow: says as JSON how long the application had to wait.

live_player.py LOG TIMES PROPERTY=VALUE…: each time it plays until the store is waited for, which LOG shows, and until the
live branch has gone on for a while beside that, and stops. The properties are those of genclipsrc.
"""

import json
import os
import sys
import threading
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

PATIENCE = 60
LIVE_BUFFERS = 20  # Of 23 ms each.


def wait_until(holds, what):
    deadline = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            # Not sys.exit(): whatever hangs must not hide what failed.
            print(f"never: {what}", file=sys.stderr, flush=True)
            os._exit(1)
        time.sleep(0.005)


def size_of(path):
    return os.stat(path).st_size if os.path.exists(path) else 0


def play(log, properties):
    pipeline = Gst.parse_launch("audiotestsrc is-live=true ! fakesink name=live sync=true signal-handoffs=true "
                                f"genclipsrc {properties} ! fakesink async=false sync=false")
    buffers = threading.Semaphore(0)
    pipeline.get_by_name("live").connect("handoff", lambda *_: buffers.release())
    waits = size_of(log)
    begun = time.monotonic()
    pipeline.set_state(Gst.State.PLAYING)
    up = time.monotonic() - begun
    wait_until(lambda: size_of(log) > waits, "the store is waited for")
    while buffers.acquire(blocking=False):
        pass
    for _ in range(LIVE_BUFFERS):
        if not buffers.acquire(timeout=PATIENCE):
            print("never: the live branch goes on", file=sys.stderr, flush=True)
            os._exit(1)
    begun = time.monotonic()
    pipeline.set_state(Gst.State.NULL)
    return {"to_playing": up, "to_null": time.monotonic() - begun}


def main():
    Gst.init(None)
    log, times, *properties = sys.argv[1:]
    words = " ".join(f"{name}={json.dumps(value)}" for name, value in (word.split("=", 1) for word in properties))
    print(json.dumps([play(log, words) for _ in range(int(times))]))


if __name__ == "__main__":
    main()
