# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the built genclip as a user would, in the test's own environment."""

import codecs
import fcntl
import json
import os
import pathlib
import pty
import struct
import subprocess
import termios

GENCLIP = os.environ["GENCLIP"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]


def environment(**changes):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith("GENCLIP") and name not in ("COLUMNS", "NO_COLOR", "TERM")}
    kept["LC_ALL"] = "C.UTF-8"
    kept.update(changes)
    return kept


def genclip(*words, **changes):
    return subprocess.run([GENCLIP, *words], env=environment(**changes), stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60, check=False)


def genclip_json(*words, **changes):
    """The run, and its standard output."""
    run = genclip(*words, **changes)
    return run, json.loads(run.stdout)


def genclip_on_terminal(*words, columns=0, rows=50, watch=None, cwd=None, **changes):
    """Exit code and output on a terminal of this size, both streams together; `watch` gets each piece as it arrives."""
    changes = {"TERM": "xterm", **changes}
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", rows, columns, 0, 0))
    decoder = codecs.getincrementaldecoder("utf-8")()
    with subprocess.Popen([GENCLIP, *words], env=environment(**changes), cwd=cwd, stdin=slave, stdout=slave, stderr=slave) as run:
        os.close(slave)
        text = ""
        while True:
            try:
                piece = decoder.decode(os.read(master, 65536))
            except OSError:  # How Linux says that the other side is gone.
                break
            text += piece
            if watch:
                watch(piece)
        os.close(master)
        return run.wait(60), text.replace("\r\n", "\n")
