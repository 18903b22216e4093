#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays a genclip:// URI in playbin3. The signal source-setup gives the source what a URI has no place for.

Usage: play_clip.py URI KEY_FILE
"""

import signal
import sys

try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import GLib, Gst
except (ImportError, ValueError) as error:
    sys.exit(f"Error: {error}. On Debian: apt-get install python3-gi gir1.2-gstreamer-1.0")


def on_source_setup(_playbin, source, key_file):
    if source.get_factory().get_name() == "genclipsrc":
        source.set_property("api-key-file", key_file)
        source.set_property("timeout", 3600)  # seconds to wait for the task


def on_message(_bus, message, loop):
    global exit_code
    if message.type == Gst.MessageType.PROGRESS:
        print(message.parse_progress().text, flush=True)
    elif message.type == Gst.MessageType.WARNING:
        # Nothing else says, for example, that a request may be charged twice.
        print("Warning: " + message.parse_warning().gerror.message, file=sys.stderr, flush=True)
    elif message.type == Gst.MessageType.ERROR:
        print("Error:", message.parse_error().gerror.message, file=sys.stderr)
        loop.quit()
    elif message.type == Gst.MessageType.EOS:
        exit_code = 0
        loop.quit()


def has_screen():
    """Without a screen, GStreamer 1.22 crashes in dfbvideosink, which this leaves out, or plays to nobody."""
    directfb = Gst.Registry.get().lookup_feature("dfbvideosink")
    if directfb:
        directfb.set_rank(Gst.Rank.NONE)
    sink, bus = Gst.ElementFactory.make("autovideosink"), Gst.Bus.new()
    sink.set_bus(bus)
    sink.set_state(Gst.State.READY)
    problem = bus.pop_filtered(Gst.MessageType.WARNING | Gst.MessageType.ERROR)
    sink.set_state(Gst.State.NULL)
    return not problem


if len(sys.argv) != 3:
    print(__doc__, file=sys.stderr)
    sys.exit(2)
Gst.init(None)
if not has_screen():  # Before the clip is paid for.
    sys.exit("Error: there is no screen. generate_clip.py writes a clip into a file instead.")
playbin = Gst.ElementFactory.make("playbin3")
playbin.set_property("uri", sys.argv[1])
playbin.connect("source-setup", on_source_setup, sys.argv[2])
loop, exit_code = GLib.MainLoop(), 1
playbin.get_bus().add_signal_watch()
playbin.get_bus().connect("message", on_message, loop)
playbin.set_state(Gst.State.PLAYING)
try:
    loop.run()
except KeyboardInterrupt:
    exit_code = 130
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Until the exit, which waits for the answer to a submit.
playbin.set_state(Gst.State.NULL)
sys.exit(exit_code)
