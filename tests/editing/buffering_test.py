#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tools that show a clip which is still generated: BUFFERING comes, ends, and pauses none of them for good."""

import re
import unittest

from simulated_service import SimulatedService
from tools_test import tools, uri_of

PERCENT = re.compile(r"(?:GstMessageBuffering, buffer-percent=\(int\)|^Buffering\.\.\. )(\d+)", re.MULTILINE)
PLAYS = re.compile(r'"pipeline\d" \(state-changed\).*new-state=\(GstState\)playing')
# The wrapping pipelines of these tell nobody.
SILENT = ("gst-discoverer-1.0", "ges-launch-1.0")


def with_messages(words):
    return (words[0], "-m", *words[1:]) if words[0] == "gst-launch-1.0" else words


def clip(prompt, *more):
    return ("genclipsrc", "model=dance-2.5", f"prompt={prompt}", "duration=4", *more)


def percents(output):
    return [int(percent) for percent in PERCENT.findall(output)]


class Buffering(unittest.TestCase):
    def assert_rises_and_ends(self, name, output):
        told = percents(output)
        self.assertGreater(len(told), 1, f"{name}: {output}")
        self.assertEqual(told, sorted(told), name)
        self.assertEqual((told.count(100), told[-1]), (1, 100), name)
        self.assertLessEqual(told[-2], 95, name)

    def test_every_tool_shows_it_and_plays_to_the_end(self):
        with SimulatedService("--queued", "1000", "--processing", "5000") as service:
            started = {name: service.start(*with_messages(tools(uri_of(name))[name])) for name in tools("")}
            started["fakesink"] = service.start(
                *with_messages(("gst-launch-1.0", *clip("fakesink"), "!", "fakesink", "sync=true")))
            outputs = {name: process.communicate(timeout=180)[0] for name, process in started.items()}
            for name, process in started.items():
                self.assertEqual(process.returncode, 0, f"{name}: {outputs[name]}")
                if name in SILENT:
                    self.assertEqual(percents(outputs[name]), [], name)
                    continue
                self.assert_rises_and_ends(name, outputs[name])
                # A player that flickers plays more than once.
                self.assertLessEqual(len(PLAYS.findall(outputs[name])), 1, name)

    def test_a_second_clip_ends_the_wait_and_not_the_playing(self):
        with SimulatedService("--queued", "1000", "--processing", "5000") as service:
            first = ("genclipsrc", "model=dance-2.5", "prompt=stored", "duration=4")
            made = service.run("gst-launch-1.0", *first, "!", "fakesink")
            self.assertEqual(made.returncode, 0, made.stdout)
            shown = service.run("gst-launch-1.0", "-m", "concat", "name=all", "!", "fakesink", "sync=true",
                                *first, "!", "decodebin", "!", "video/x-raw", "!", "all.",
                                *clip("generated"), "!", "decodebin", "!", "video/x-raw", "!", "all.")
            self.assertEqual(shown.returncode, 0, shown.stdout)
            self.assert_rises_and_ends("concat", shown.stdout)
            self.assertEqual(len(PLAYS.findall(shown.stdout)), 1, shown.stdout)

    def test_a_clip_that_fails_is_an_error_and_no_endless_wait(self):
        with SimulatedService("--queued", "1000", "--processing", "0", "--moderated", "100") as service:
            for words in (("gst-launch-1.0", "-m", "playbin3", f"uri={uri_of('refused')}"),
                          ("gst-launch-1.0", "-m", *clip("refused too"), "!", "fakesink")):
                # gst-launch-1.0 does not always print what came before an error, so the last 100 is looked for by tests/elements.
                failed = service.run(*words)
                self.assertNotEqual(failed.returncode, 0, failed.stdout)
                self.assertIn("moderation", failed.stdout)
                self.assertIn(0, percents(failed.stdout))

    def test_can_be_switched_off(self):
        with SimulatedService("--queued", "1000", "--processing", "0") as service:
            shown = service.run("gst-launch-1.0", "-m", *clip("quiet", "buffering-messages=false"), "!", "fakesink")
            self.assertEqual(shown.returncode, 0, shown.stdout)
            self.assertEqual(percents(shown.stdout), [])


if __name__ == "__main__":
    unittest.main()
