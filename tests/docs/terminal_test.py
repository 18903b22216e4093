#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The terminal that the guide shows is what genclip draws in a terminal today."""

import importlib.machinery
import importlib.util
import os
import pathlib
import re
import tempfile
import unittest

from paced_service import PacedService

PICTURES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "pictures"


def load_record():
    loader = importlib.machinery.SourceFileLoader("record", str(PICTURES / "record"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("record", loader))
    loader.exec_module(module)
    return module


def form(line):
    """The line without what differs from run to run: the task, numbers, and how full the bar is."""
    line = re.sub(r"task_\w+", "TASK", line)
    line = re.sub(r"\[[#-]*\]", lambda bar: f"[{len(bar[0]) - 2}]", line)
    return re.sub(r" *\b\d+\b", " N", line)


# Each answer waits until what is before it is drawn, and the second half of the clip for the download.
STEPS = (
    ("submitting", {"status": "queued", "progress": 0}),
    ("0 %", {"status": "processing", "progress": 51}),
    ("51 %", {"status": "completed", "amount": 7.75}),
)


class Terminal(unittest.TestCase):
    def test_shows_the_lines_that_the_guide_shows(self):
        record = load_record()
        service = PacedService(STEPS, "task_51419fc20035e223")
        self.addCleanup(service.stop)
        folder = self.enterContext(tempfile.TemporaryDirectory())
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GENCLIP_") and name != "COLUMNS"}
        env = {**kept, "GENCLIP_BASE_URL": service.url, "GENCLIP_API_KEY": "key-of-the-test", "GENCLIP_STORE": f"{folder}/store",
               "TERM": "xterm", "PATH": f"{os.environ['GENCLIP_PROGRAMS']}:{kept['PATH']}", "no_proxy": "127.0.0.1"}
        output = record.terminal_output([*record.GENERATE, "--poll-interval", "100"], env, folder, service.watch)
        drawn = {form(line) for line in record.lines_of(output)}
        _command, *shown = (PICTURES / "progress.txt").read_text(encoding="utf-8").splitlines()
        self.assertGreater(len(shown), 4)
        for line in shown:
            self.assertIn(form(line), drawn, "docs/pictures/record records it anew")


if __name__ == "__main__":
    unittest.main()
