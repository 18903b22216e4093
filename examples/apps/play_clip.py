#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays a genclip:// URI in playbin3. The signal source-setup gives the source what a URI has no place for.

Usage: play_clip.py URI KEY_FILE
"""

import sys

import gi
gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst


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


if len(sys.argv) != 3:
    sys.exit(__doc__)
Gst.init(None)
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
playbin.set_state(Gst.State.NULL)
sys.exit(exit_code)
