#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A project of twenty clips, prefetched, opens in GES in the time of its slowest clip, not of their sum.

`prefetch_test.py --without` opens a project without prefetching, and prints how long that takes."""

import os
import pathlib
import sys
import tempfile
import time
import unittest
from xml.sax.saxutils import quoteattr

import frames  # Initialises GStreamer and GES.
from gi.repository import GES, GLib, Gst
from simulated_service import SimulatedService

CLIPS = 20
# Milliseconds that the service takes for a clip, and how much longer than for the slowest clip a project may take.
FASTEST, SLOWEST, RATIO = ((30000, 60000, 1.2) if "slow" in sys.argv[1:] else (2000, 6000, 3))


def uris():
    return [f"genclip://dance-2.5?prompt=clip%20{number}&duration=4" for number in range(CLIPS)]


def write_project(path):
    assets = "".join(f"<asset id={quoteattr(uri)} extractable-type-name='GESUriClip'/>" for uri in uris())
    clips = "".join(f"<clip id='{number}' asset-id={quoteattr(uri)} type-name='GESUriClip' layer-priority='0' track-types='4' "
                    f"start='{number * Gst.SECOND}' duration='{Gst.SECOND}' inpoint='0' rate='0'/>"
                    for number, uri in enumerate(uris()))
    path.write_text(f"<ges version='0.7'><project><ressources>{assets}</ressources><timeline>"
                    f"<track caps='video/x-raw(ANY)' track-type='4' track-id='0'/>"
                    f"<layer priority='0'>{clips}</layer><groups></groups></timeline></project></ges>", encoding="utf-8")


class Prefetched:
    """Elements that prefetch all clips, and when each of them was complete, in seconds from the beginning."""

    def __init__(self):
        self.begun = time.monotonic()
        self.ends = []
        self.bin = Gst.Pipeline()
        self.bin.get_bus().set_sync_handler(self.see)
        for uri in uris():
            source = Gst.Element.make_from_uri(Gst.URIType.SRC, uri)
            source.set_property("poll-interval", 100)
            self.bin.add(source)
        self.bin.set_state(Gst.State.READY)
        for source in self.bin.children:
            assert source.emit("prefetch")

    def see(self, _bus, message):
        structure = message.get_structure()
        if structure and structure.get_name() == "genclip-task" and structure.get_value("status") == "completed":
            self.ends.append(time.monotonic() - self.begun)
        return Gst.BusSyncReply.DROP

    def stop(self):
        self.bin.set_state(Gst.State.NULL)


def open_project():
    """The number of clips of the project's timeline, once it is loaded."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "film.xges"
        write_project(path)
        loop = GLib.MainLoop()
        loaded = []
        project = GES.Project.new(path.as_uri())
        project.connect("loaded", lambda _project, timeline: (loaded.append(timeline), loop.quit()))
        project.connect("error-loading", lambda *_: loop.quit())
        project.connect("error-loading-asset", lambda *_: loop.quit())
        timeline = project.extract()
        GLib.timeout_add_seconds(500, loop.quit)
        loop.run()
        assert loaded, "the project does not load"
        return sum(len(layer.get_clips()) for layer in timeline.get_layers())


class Prefetch(unittest.TestCase):
    def test_a_project_opens_in_the_time_of_its_slowest_clip(self):
        with SimulatedService("--queued", "0", "--processing", f"{FASTEST}..{SLOWEST}", "--seed", "7") as service:
            os.environ.update(service.settings)
            prefetched = Prefetched()
            self.addCleanup(prefetched.stop)
            self.assertLess(time.monotonic() - prefetched.begun, FASTEST / 1000, "prefetch waits")
            self.assertEqual(open_project(), CLIPS)
            took = time.monotonic() - prefetched.begun
            self.assertEqual(len(prefetched.ends), CLIPS)
            self.assertEqual(service.stats()["submits"], CLIPS, "a clip was submitted again")
            slowest = max(prefetched.ends)
            print(f"opened in {took:.1f} s; slowest clip {slowest:.1f} s, all together {sum(prefetched.ends):.1f} s")
            self.assertLessEqual(took, RATIO * slowest)
            self.assertLess(took, sum(prefetched.ends) / 3)


def measure_without():
    with SimulatedService("--queued", "0", "--processing", f"{FASTEST}..{SLOWEST}", "--seed", "7") as service:
        os.environ.update(service.settings)
        begun = time.monotonic()
        open_project()
        print(f"opened in {time.monotonic() - begun:.1f} s, without prefetching")


if __name__ == "__main__":
    if "--without" in sys.argv:
        measure_without()
    else:
        unittest.main(argv=sys.argv[:1])
