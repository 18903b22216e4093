#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates a clip into a file. Shows progress, the task's ID, Ctrl-C, and advice by how a run has ended.

Usage: generate_clip.py OUT.mp4 PROPERTY=VALUE...
"""

import contextlib
import os
import secrets
import signal
import sys

try:
    import gi
    gi.require_version("Gst", "1.0")
    from gi.repository import GLib, Gst
except (ImportError, ValueError) as error:
    sys.exit(f"Error: {error}. On Debian: apt-get install python3-gi gir1.2-gstreamer-1.0")

# By the details "charged" and "retry" of an error.
ADVICE = {
    ("no", True): "Nothing was charged. Run this again later.",
    ("no", False): "Nothing was charged. Change what the error names.",
    ("maybe", False): "The task may have been charged, and the same run may pay again. Read the error first.",
    ("yes", True): "The clip is paid for. Run this again: it attaches to the task and does not pay twice.",
    ("yes", False): "The clip was charged, and running this again does not help.",
}
# Where "outcome" says that there is no task of this clip: what was charged are the clips that it is made of.
ADVICE_WITHOUT_TASK = {
    **ADVICE,
    ("yes", True): "Clips that it is made of are paid for and kept; this clip was not submitted. Run this again later.",
    ("yes", False): "Clips that it is made of are paid for and kept; this clip was not submitted. Change what the error names.",
}


def on_message(_bus, message, loop):
    global exit_code
    if message.type == Gst.MessageType.PROGRESS:
        print(message.parse_progress().text, flush=True)
    elif message.has_name("genclip-task"):
        task = message.get_structure()
        if task.get_string("task-id"):
            print(f"Task {task.get_string('task-id')}: {task.get_string('status')}", flush=True)
    elif message.type == Gst.MessageType.WARNING:
        # Nothing else says, for example, that a request may be charged twice.
        print("Warning: " + message.parse_warning().gerror.message, file=sys.stderr, flush=True)
    elif message.type == Gst.MessageType.ERROR:
        details = message.parse_error_details()
        ending = (details.get_string("charged"), details.get_boolean("retry")[1]) if details else None
        has_task = not details or details.get_string("outcome") not in ("not-submitted", "refused")
        advice = (ADVICE if has_task else ADVICE_WITHOUT_TASK).get(ending, "")
        print("Error: " + message.parse_error().gerror.message, advice, sep="\n", file=sys.stderr)
        loop.quit()
    elif message.type == Gst.MessageType.EOS:
        exit_code = 0
        loop.quit()


def on_signal(number):
    global exit_code
    exit_code = 128 + number
    loop.quit()
    return GLib.SOURCE_CONTINUE  # Until the process has ended: timeout sends its signal twice.


if len(sys.argv) < 3:
    print(__doc__, file=sys.stderr)
    sys.exit(2)
Gst.init(None)
try:
    pipeline = Gst.parse_launchv(["genclipsrc", "name=clip", *sys.argv[2:], "!", "filesink", "name=file"])
except GLib.Error as error:
    print("Error:", error.message, file=sys.stderr)
    sys.exit(1 if error.matches(Gst.parse_error_quark(), Gst.ParseError.NO_SUCH_ELEMENT) else 2)
out = sys.argv[1]
# It gets the name OUT when it is whole, so a failure leaves what was there.
part = f"{out}.{secrets.token_hex(4)}.part"
try:
    if os.path.isdir(out):
        raise IsADirectoryError(0, "it is a folder")
    # A rename would replace a device such as /dev/null.
    if os.path.exists(out) and not os.path.isfile(out):
        raise OSError(0, "it is not a file")
    open(part, "x").close()
except OSError as error:
    sys.exit(f"Error: {out} cannot be written: {error.strerror}")
pipeline.get_by_name("file").set_property("location", part)
loop, exit_code = GLib.MainLoop(), 1
pipeline.get_bus().add_signal_watch()
pipeline.get_bus().connect("message", on_message, loop)
for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    if signal.getsignal(ending) != signal.SIG_IGN:
        signal.signal(ending, signal.SIG_DFL)  # Else run() makes a KeyboardInterrupt of SIGINT.
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, ending, on_signal, ending)
pipeline.set_state(Gst.State.PLAYING)
loop.run()
try:
    if exit_code > 128:
        task = pipeline.get_by_name("clip").get_property("task-id")
        with contextlib.suppress(OSError):  # The terminal may be gone.
            print(f"Stopped. Task {task} stays with the service; the next run attaches to it." if task else
                  "Stopped. If the service has named a task, the next run attaches to it.", file=sys.stderr)
    # The answer to a request that is on its way is waited for, for a moment, and stored.
    pipeline.set_state(Gst.State.NULL)
    if exit_code == 0:
        os.replace(part, out)
except OSError as error:
    sys.exit(f"Error: {out} cannot be written: {error.strerror}")
finally:
    if os.path.exists(part):
        os.unlink(part)
if exit_code == 0:
    print(f"Written: {out}")
sys.exit(exit_code)
