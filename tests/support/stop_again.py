# SPDX-License-Identifier: LGPL-2.1-or-later
"""A second Ctrl-C. Programs take two signals at the same moment for one, so it is sent until the program ends."""

import time


def stop_again(process, number, seconds=60):
    """The program's exit code."""
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end:
        process.send_signal(number)
        time.sleep(0.05)
    return process.poll()
