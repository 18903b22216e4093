# SPDX-License-Identifier: LGPL-2.1-or-later
"""The files in screens/: what commands show on terminals of these widths, and in a pipe."""

import os
import pathlib
import re

WIDTHS = (60, 80, 100)
SCREENS = pathlib.Path(__file__).resolve().parent / "screens"
RENEW = bool(os.environ.get("RENEW_SCREENS"))


def compare(test, name, text):
    """The text must be that of the file; with RENEW_SCREENS it becomes it."""
    path = SCREENS / f"{name}.txt"
    if RENEW:
        path.write_text(text, encoding="utf-8")
    test.assertEqual(text, path.read_text(encoding="utf-8") if path.exists() else "", path.name)


def without_clock(text):
    return re.sub(r"\b\d+:\d\d\b", "0:00", text)
