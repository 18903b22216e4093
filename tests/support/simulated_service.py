# SPDX-License-Identifier: LGPL-2.1-or-later
"""genclip-sim for process tests: started on free ports, queried for its statistics, stopped by its process."""

import json
import os
import pathlib
import subprocess
import tempfile
import time
import urllib.request

OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class SimulatedService:
    """A simulator and a store for its clips; both go with it. A context manager."""

    def __init__(self, *options, prices=None):
        self.folder = tempfile.TemporaryDirectory()
        if prices is not None:  # The content of a file for --prices.
            price_file = pathlib.Path(self.folder.name) / "prices.json"
            price_file.write_text(json.dumps(prices), encoding="utf-8")
            options = (*options, "--prices", str(price_file))
        ready = pathlib.Path(self.folder.name) / "ready"
        # Few frames a second: rendering is most of the work that a test makes.
        self.process = subprocess.Popen([os.environ["GENCLIP_SIM"], "--frame-rate", "5", "--ready-file", str(ready), *options],
                                        stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while not ready.exists():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError("genclip-sim does not start")
            time.sleep(0.02)
        addresses = dict(line.split("=", 1) for line in ready.read_text(encoding="utf-8").splitlines())
        self.base_url = addresses["GENCLIP_BASE_URL"]
        self.store = pathlib.Path(self.folder.name) / "store"
        self.settings = {"GENCLIP_BASE_URL": self.base_url, "GENCLIP_API_KEY": "sim-key",
                         "GENCLIP_STORE": str(self.store)}
        self.env = {**os.environ, **self.settings}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def control(self, what, method="GET", data=None):
        """The simulator's answer to a request below /_sim/."""
        request = urllib.request.Request(f"{self.base_url.removesuffix('/api')}/_sim/{what}", data, method=method)
        with OPENER.open(request, timeout=30) as answer:
            return json.load(answer)

    def stats(self):
        return self.control("stats")

    def account(self):
        """What each task really cost, and the sum."""
        return self.control("account")

    def set_faults(self, faults):
        self.control("faults", "DELETE")
        if faults:
            self.control("faults", "POST", "\n".join(faults).encode())

    def run(self, *words, timeout=120, **env):
        """The program's end, its output in one text."""
        return subprocess.run(words, env={**self.env, **env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=timeout, check=False)

    def start(self, *words, **env):
        return subprocess.Popen(words, env={**self.env, **env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True)

    def generate(self, *properties):
        """Generates a clip in advance, with a fast polling interval, and returns the stored file."""
        before = self.clips()
        made = self.run("gst-launch-1.0", "genclipsrc", *properties, "poll-interval=20", "!", "fakesink")
        if made.returncode != 0:
            raise RuntimeError(made.stdout)
        (clip,) = self.clips() - before
        return clip

    def clips(self):
        """The paths of the whole clips in the store."""
        return {path for path in self.store.glob("*/clip.*") if path.suffix != ".xmp"}
