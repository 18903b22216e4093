# SPDX-License-Identifier: LGPL-2.1-or-later
"""One run of the program under test: what left it, and what it used."""

import os
import pathlib
import re
import statistics
import time


def cpu_seconds(pid):
    words = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


class Life:
    """One run of the program."""

    def __init__(self, process, seen, log):
        self.process, self.seen, self.log = process, seen, log
        self.begun = time.monotonic()
        self.samples = []  # (seconds, KiB, files, threads)
        self.status = {}
        self.cpu = 0.0

    @property
    def first_frame(self):
        return self.seen.first_at and self.seen.first_at - self.begun

    def sample(self):
        try:
            proc = pathlib.Path(f"/proc/{self.process.pid}")
            status = (proc / "status").read_text(encoding="ascii")
            memory, threads = (int(re.search(name + r":\s+(\d+)", status)[1]) for name in ("VmRSS", "Threads"))
            self.samples.append((time.monotonic() - self.begun, memory, len(list((proc / "fd").iterdir())), threads))
            self.cpu = cpu_seconds(self.process.pid)
        except (OSError, TypeError):
            pass  # It has just ended.

    def growth(self, warm_up):
        """Of the medians of the first and the last quarter of its second half, or behind the warm-up; None: too short.

        In the first half an hour the store fills with clips, of which ever more are held open."""
        begin = max(warm_up, self.samples[-1][0] / 2) if self.samples else 0
        samples = [sample for sample in self.samples if sample[0] >= begin]
        quarter = len(samples) // 4
        if quarter < 5:
            return None
        figures = []
        for column in (1, 2, 3):
            values = [sample[column] for sample in samples]
            figures.append((statistics.median(values[:quarter]), statistics.median(values[-quarter:])))
        return figures
