#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Once a pipeline has gone to NULL, nobody but its owner holds its elements, whatever they were doing and however busy the machine is.

    references_test.py [CYCLES [BUSY]]

CYCLES pipelines of each kind (100) beside BUSY loops (4).
"""

import os
import random
import subprocess
import sys
import time
import unittest

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402
from simulated_service import SimulatedService  # noqa: E402

CYCLES, BUSY = (int(word) for word in (sys.argv[1:] + ["100", "4"][len(sys.argv) - 1:])[:2])
URI = "model=vidq3-turbo prompt={prompt} duration=1 resolution=540p poll-interval=10"

# A pipeline whose element `it` is watched; how long it runs at most, in seconds.
KINDS = {
    "a stored clip": ("genclipsrc name=it " + URI.format(prompt="stored") + " ! fakesink", 0.02),
    "a stored clip, pulled": ("genclipsrc name=it " + URI.format(prompt="stored") + " ! typefind ! fakesink", 0.02),
    "a clip that is generated": ("genclipsrc name=it " + URI.format(prompt="fresh{number}") + " ! fakesink", 0.2),
    "a dry run": ("genclipsrc name=it dry-run=true " + URI.format(prompt="dry") + " ! fakesink", 0.01),
    "a request that fails": ("genclipsrc name=it task-id=nobody " + URI.format(prompt="no") + " ! fakesink", 0.05),
    "captions": ("videotestsrc num-buffers=50 ! gencaption name=it interval=300000000 on-error=skip ! fakesink sync=false", 0.1),
    "captions that nobody waits for": ("videotestsrc is-live=true ! gencaption name=it interval=100000000 ! fakesink", 0.2),
    "a channel": ("genchannelsrc name=it rundown-text=stored video-caps=video/x-raw,width=64,height=64,framerate=25/1 "
                  "it.video ! fakesink it.audio ! fakesink", 0.2),
}


class References(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = SimulatedService("--queued", "20", "--processing", "20")
        cls.addClassCleanup(cls.service.stop)
        os.environ.update(cls.service.settings, GENCLIP_LLM_BASE_URL=cls.service.base_url.removesuffix("api") + "llm")
        made = cls.service.run("gst-launch-1.0", "-q", *("genclipsrc " + URI.format(prompt="stored") + " ! fakesink").split())
        assert made.returncode == 0, made.stdout
        Gst.init(None)
        cls.loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY)]
        cls.addClassCleanup(lambda: [loop.kill() or loop.wait() for loop in cls.loops])

    def held_after(self, description, longest, dice):
        pipeline = Gst.parse_launch(description)
        element = pipeline.get_by_name("it")
        before = element.__grefcount__
        pipeline.set_state(Gst.State.PLAYING)
        time.sleep(dice.uniform(0, longest))
        pipeline.set_state(Gst.State.NULL)
        return element.__grefcount__ - before

    def test_no_element_outlives_null(self):
        for name, (description, longest) in KINDS.items():
            with self.subTest(name):
                dice = random.Random(name)
                counts = [self.held_after(description.format(number=number), longest, dice) for number in range(CYCLES)]
                held = sum(count != 0 for count in counts)
                print(f"{name}: {held} of {CYCLES} were held", flush=True)
                self.assertEqual(held, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
