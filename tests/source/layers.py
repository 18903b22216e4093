# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which folder may include which, and the includes that break it."""

import re

import source_tree

# What a folder may include besides itself, most specific folder first. docs/architecture.md draws the same picture.
BELOW_TASK = ["plugin/base", "plugin/catalog", "plugin/http"]
BELOW_CHANNEL = [*BELOW_TASK, "plugin/account", "plugin/task", "plugin/store", "plugin/core", "plugin/generation"]
BELOW_ELEMENTS = [
    *BELOW_TASK,
    "plugin/account",
    "plugin/task",
    "plugin/store",
    "plugin/core",
    "plugin/caption",
    "plugin/frame",
    "plugin/publish",
    "plugin/generation",
]
MAY_INCLUDE = {
    "plugin/base": [],
    "plugin/catalog": ["plugin/base"],
    "plugin/http": ["plugin/base"],
    "plugin/account": ["plugin/base", "plugin/catalog"],
    "plugin/task": BELOW_TASK,
    "plugin/store": BELOW_TASK,
    "plugin/caption": BELOW_TASK,
    "plugin/frame": ["plugin/base"],
    "plugin/publish": [*BELOW_TASK, "plugin/task", "plugin/store"],
    "plugin/core": ["plugin/base", "plugin/catalog", "plugin/account", "plugin/store"],
    "plugin/generation": [
        *BELOW_TASK,
        "plugin/account",
        "plugin/task",
        "plugin/store",
        "plugin/core",
        "plugin/frame",
        "plugin/publish",
    ],
    "plugin/channel": BELOW_CHANNEL,
    "plugin/vetting": ["plugin/base", "plugin/http", "plugin/frame", "plugin/channel"],
    "plugin/output": ["plugin/base"],
    "plugin/film": ["plugin/base", "plugin/caption"],
    "plugin/monitor": ["plugin/base", "plugin/http"],
    "plugin/command": [*BELOW_ELEMENTS, "plugin/channel", "plugin/output", "plugin/film", "plugin/monitor"],
    "elements/channelsrc": [*BELOW_ELEMENTS, "plugin/channel", "plugin/vetting", "elements/*"],
    "elements/clipsrc": [*BELOW_ELEMENTS, "elements/*"],
    "elements/captioner": [*BELOW_ELEMENTS, "elements/*"],
    "elements/*": BELOW_ELEMENTS,
    # Shared wire code would hide mistakes.
    "examples/simulator": ["plugin/base"],
    # Registers the elements.
    "plugin/*": ["plugin/base", "elements/clipsrc", "elements/captioner", "elements/channelsrc"],
    "examples/*": [],
    "tests/*": None,
}

# Libraries that one place alone knows.
LIBRARY_OWNERS = {
    "libsoup/": ["plugin/http", "examples/simulator", "tests/"],
    "json-glib/": ["plugin/base", "tests/"],
    "pango/": ["plugin/caption", "tests/"],
}

# Decides, and does nothing else: no thread, no lock, no clock, no GStreamer.
PURE = ("elements/captioner/caption_schedule", "elements/captioner/caption_slot", "elements/captioner/caption_outlet",
        "elements/captioner/caption_question", "elements/captioner/caption_timeline")
IMPURE = ("gst/", "gio/", "glib", "mutex", "thread", "condition_variable", "atomic", "plugin/base/mutex.h", "plugin/base/clock.h",
          "plugin/http/")

INCLUDE = re.compile(r'^\s*#\s*include\s*(?P<open>["<])(?P<path>[^">]+)[">]', re.MULTILINE)


def covers(folder, path):
    """'a/b' covers all below it, 'a/*' only the files in 'a' itself."""
    if folder.endswith("/*"):
        return path.rpartition("/")[0] == folder[:-2]
    return path.startswith(folder + "/")


def layer_of(path):
    if path.startswith("tests/"):
        return "tests/*"
    return next((folder for folder in MAY_INCLUDE if covers(folder, path)), None)


def judge(path, mark, included, generated):
    """The problem with that include, or None."""
    if path.startswith(PURE) and included.startswith(IMPURE):
        return f"{included} has no place in what only decides"
    if mark == "<":
        owners = next((owners for prefix, owners in LIBRARY_OWNERS.items() if included.startswith(prefix)), None)
        if owners and not path.startswith(tuple(owners)):
            return f"<{included}> belongs to {' and '.join(owners[:-1])}"
        return None
    if "/" not in included or included.startswith("."):
        return None if included in generated else f'"{included}" does not name its path from the top'
    layer = layer_of(path)
    if layer is None:
        return "is in a folder that layers.py does not know"
    allowed = MAY_INCLUDE[layer]
    if allowed is None or covers(layer, included) or any(covers(folder, included) for folder in allowed):
        return None
    return f'"{included}" is not below {layer.removesuffix("/*")}'


def violations(top=source_tree.TOP, generated=()):
    """A line of text for each include that breaks the directions."""
    found = []
    for path in source_tree.cpp_files(top):
        text = (top / path).read_text(encoding="utf-8")
        for match in INCLUDE.finditer(text):
            problem = judge(str(path), match["open"], match["path"], generated)
            if problem:
                line = text.count("\n", 0, match.start("path")) + 1
                found.append(f"{path}:{line}: {problem}")
    return found
