#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The terminal that the guide shows is what genclip draws in a terminal today."""

import importlib.machinery
import importlib.util
import os
import pathlib
import re
import unittest

from simulated_service import SimulatedService

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


class Terminal(unittest.TestCase):
    def test_shows_the_lines_that_the_guide_shows(self):
        record = load_record()
        with SimulatedService("--queued", "300", "--processing", "600", "--throttle", "300000") as service:
            service.env["PATH"] = f"{os.environ['GENCLIP_PROGRAMS']}:{service.env['PATH']}"
            output = record.terminal_output([*record.GENERATE, "--poll-interval", "100"],
                                            {**service.env, "TERM": "xterm"}, service.folder.name)
        drawn = {form(line) for line in record.lines_of(output)}
        _command, *shown = (PICTURES / "progress.txt").read_text(encoding="utf-8").splitlines()
        self.assertGreater(len(shown), 4)
        for line in shown:
            self.assertIn(form(line), drawn, "docs/pictures/record records it anew")


if __name__ == "__main__":
    unittest.main()
