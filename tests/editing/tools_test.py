#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tools that accept a URI: one submit each, however often they open it; and their output for other results."""

import json
import unittest
import urllib.parse

from simulated_service import SimulatedService

SINKS = ("--videosink=fakesink", "--audiosink=fakesink")


def uri_of(prompt):
    return "genclip://dance-2.5?" + urllib.parse.urlencode({"prompt": prompt, "duration": 4},
                                                           quote_via=urllib.parse.quote)


def escaped_once_more(uri):
    return uri.replace("%", "%25").replace("?", "%3F").replace("&", "%26")


def tools(uri):
    player = ("video-sink=fakesink", "audio-sink=fakesink")
    return {
        "playbin3": ("gst-launch-1.0", "playbin3", f"uri={uri}", *player),
        "playbin": ("gst-launch-1.0", "playbin", f"uri={uri}", *player),
        "uridecodebin3": ("gst-launch-1.0", "uridecodebin3", f"uri={uri}", "!", "fakesink"),
        "uridecodebin": ("gst-launch-1.0", "uridecodebin", f"uri={uri}", "!", "fakesink"),
        "gst-play-1.0": ("gst-play-1.0", "--no-interactive", *SINKS, uri),
        "gst-discoverer-1.0": ("gst-discoverer-1.0", "-t", "60", uri),
        "ges-launch-1.0": ("ges-launch-1.0", "+clip", escaped_once_more(uri), "duration=1.0", *SINKS),
    }


class Tools(unittest.TestCase):
    def test_each_submits_once_then_never_again(self):
        with SimulatedService("--queued", "0", "--processing", "0") as service:
            for _ in range(2):
                started = {name: service.start(*tools(uri_of(name))[name]) for name in tools("")}
                for name, process in started.items():
                    output = process.communicate(timeout=120)[0]
                    self.assertEqual(process.returncode, 0, f"{name}: {output}")
                    self.assertNotIn("sim-key", output)
                submits = service.stats()["submits_by_request"]
                self.assertEqual({json.loads(request)["prompt"]: count for request, count in submits.items()},
                                 {name: 1 for name in started})

    def test_a_tool_that_gave_up_attaches_when_it_comes_again(self):
        with SimulatedService("--queued", "0", "--processing", "2500") as service:
            uri = uri_of("patience")
            first = service.run("gst-discoverer-1.0", "-t", "1", uri)
            self.assertIn("timed out", first.stdout)
            self.assertEqual(service.stats()["submits"], 1)
            second = service.run("gst-discoverer-1.0", "-t", "60", uri)
            self.assertEqual(second.returncode, 0, second.stdout)
            self.assertIn("Duration: 0:00:04", second.stdout)
            self.assertEqual(service.stats()["submits"], 1)

    def test_says_what_is_wrong_with_a_uri(self):
        with SimulatedService() as service:
            for words in (("gst-discoverer-1.0", "genclip://dance-2.5?prompt=x&duration=99"),
                          ("gst-launch-1.0", "playbin3", "uri=genclip://dance-2.5?prompt=x&duration=99")):
                said = service.run(*words)
                self.assertIn("4 to 30", said.stdout)
            self.assertEqual(service.stats()["submits"], 0)


class Results(unittest.TestCase):
    def test_an_image_is_shown_as_long_as_wanted(self):
        with SimulatedService("--queued", "0", "--processing", "0") as service:
            shown = service.run("gst-launch-1.0", "-v", "genclipsrc", "model=dream-5.0", "prompt=a lighthouse",
                                "poll-interval=20", "!", "decodebin", "!", "imagefreeze", "num-buffers=25", "!",
                                "video/x-raw,framerate=25/1", "!", "fakesink", "name=sink", "silent=false")
            self.assertEqual(shown.returncode, 0, shown.stdout)
            self.assertEqual(shown.stdout.count("chain   ******* (sink:sink)"), 25)
            (clip,) = service.store.glob("*/clip.png")
            self.assertEqual(clip.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
            self.assertEqual(service.stats()["submits"], 1)

    def test_a_legacy_model_goes_over_its_own_api(self):
        with SimulatedService("--queued", "0", "--processing", "0") as service:
            words = ("genclipsrc", "model=sky2Stable", "prompt=a harbour", "duration=10", "aspect-ratio=16:9")
            asked = service.run("gst-launch-1.0", "-m", *words, "dry-run=true", "!", "fakesink")
            self.assertIn("/v1/sky/videos", asked.stdout)
            shown = service.run("gst-launch-1.0", *words, "poll-interval=20", "!", "decodebin", "!", "fakesink")
            self.assertEqual(shown.returncode, 0, shown.stdout)
            (request,) = service.stats()["submits_by_request"]
            self.assertEqual(json.loads(request), {"model": "sky2Stable", "prompt": "a harbour", "aspect_ratio": "16:9",
                                                   "seconds": 10})


if __name__ == "__main__":
    unittest.main()
