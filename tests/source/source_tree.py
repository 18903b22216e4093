# SPDX-License-Identifier: LGPL-2.1-or-later
"""The files of the source tree that people wrote, without what builds and tools leave beside them."""

import os
import pathlib

TOP = pathlib.Path(__file__).resolve().parents[2]
CPP = {".c", ".cpp", ".h"}
HIDDEN_FOLDERS = {".ci", ".githooks"}


def is_ours(name):
    return name in HIDDEN_FOLDERS or not (name.startswith((".", "build", "fuzz-")) or name == "__pycache__")


def files(top=TOP):
    """Yields the path of each file below top, relative to it."""
    for folder, folders, names in os.walk(top):
        # A build folder of any name: debhelper's is obj-x86_64-linux-gnu.
        folders[:] = sorted(name for name in folders if is_ours(name) and not os.path.exists(f"{folder}/{name}/meson-private"))
        for name in sorted(names):
            yield (pathlib.Path(folder) / name).relative_to(top)


def cpp_files(top=TOP):
    return [path for path in files(top) if path.suffix in CPP]


def copy_with(folder, texts):
    """Writes a small tree below folder: for tests that plant a mistake."""
    for path, text in texts.items():
        target = pathlib.Path(folder) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return pathlib.Path(folder)
