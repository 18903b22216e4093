# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs meson, and programs of the build, in an environment without any of genclip's variables."""

import os
import pathlib
import subprocess

BUILD = pathlib.Path(os.environ["GENCLIP_BUILD"])
SOURCE = pathlib.Path(os.environ["GENCLIP_SOURCE"])
MESON = "/usr/bin/meson" if os.access("/usr/bin/meson", os.X_OK) else "meson"


def plain_environment(**extra):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GST_", "GENCLIP_", "MESON_"))}
    kept.pop("DESTDIR", None)
    return {**kept, **extra}


def run(*words, cwd=None, **extra):
    return subprocess.run([str(word) for word in words], cwd=cwd, env=plain_environment(**extra), capture_output=True,
                          text=True, check=False, timeout=100)
