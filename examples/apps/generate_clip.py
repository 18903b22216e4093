#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates a clip into a file. Shows progress, the task's ID, Ctrl-C and advice for each kind of error.

Usage: generate_clip.py OUT.mp4 PROPERTY=VALUE...
"""

import sys

import gi
gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst

AGAIN = "Run this again later. A task whose ID is known is not paid for again."
ADVICE = {
    Gst.ResourceError.SETTINGS: "Correct the request or the settings. This run created no task.",
    Gst.ResourceError.NOT_AUTHORIZED: "Check the key, and whether the account has credits.",
    Gst.ResourceError.NOT_FOUND: "Check the base URL and the task's ID.",
    Gst.ResourceError.OPEN_READ: AGAIN,
    Gst.ResourceError.READ: AGAIN,
    Gst.ResourceError.BUSY: AGAIN,
    Gst.ResourceError.FAILED: "Change the request: the service could not make this clip. A new run submits a new task.",
    Gst.ResourceError.NO_SPACE_LEFT: "Free some space, then run this again. What was downloaded is kept.",
}


def on_message(_bus, message, loop):
    global exit_code
    if message.type == Gst.MessageType.PROGRESS:
        print(message.parse_progress().text, flush=True)
    elif message.has_name("genclip-task"):
        task = message.get_structure()
        if task.get_string("task-id"):
            print(f"Task {task.get_string('task-id')}: {task.get_string('status')}", flush=True)
    elif message.type == Gst.MessageType.ERROR:
        error = message.parse_error().gerror
        advice = [text for code, text in ADVICE.items() if error.matches(Gst.ResourceError.quark(), code)]
        print("Error: " + error.message, *advice, sep="\n", file=sys.stderr)
        loop.quit()
    elif message.type == Gst.MessageType.EOS:
        exit_code = 0
        loop.quit()


if len(sys.argv) < 3:
    sys.exit(__doc__)
Gst.init(None)
pipeline = Gst.parse_launchv(["genclipsrc", "name=clip", *sys.argv[2:], "!", "filesink", f"location={sys.argv[1]}"])
loop, exit_code = GLib.MainLoop(), 1
pipeline.get_bus().add_signal_watch()
pipeline.get_bus().connect("message", on_message, loop)
pipeline.set_state(Gst.State.PLAYING)
try:
    loop.run()
except KeyboardInterrupt:
    exit_code = 130
    task = pipeline.get_by_name("clip").get_property("task-id")
    print(f"Stopped. Task {task} stays with the service; the next run attaches to it." if task else
          "Stopped before the service named a task.", file=sys.stderr)
pipeline.set_state(Gst.State.NULL)
sys.exit(exit_code)
