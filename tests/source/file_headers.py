# SPDX-License-Identifier: LGPL-2.1-or-later
"""What each file opens with: its licence, then, if it has a comment there, a full sentence.

Programs and modules in Python and shell always say what they are for; a C++ file whose name says it needs no more."""

import re

import source_tree

LICENCE = "SPDX-License-Identifier: LGPL-2.1-or-later"
# Licensed by LICENSE alone, as they have no comments or are read by other programs.
PLAIN = {".json", ".md", ".pem", ".key", ".supp", ".xml", ".xges", ".options", ".txt", ".srt", ".vtt", ".png"}
# The parts of pages, whose first line is the licence as their comments are written.
PAGES = {".css": ("/* ", " */"), ".html": ("<!-- ", " -->"), ".js": ("// ", "")}
PLAIN_NAMES = {"LICENSE", "packages", "meson.build", "meson_options.txt"}
PLAIN_FOLDERS = ("tests/fuzz/corpus/",)
SENTENCE = re.compile(r"[A-Z0-9\"'`_a-z].*[.:!?]$", re.DOTALL)


def comment(lines, mark):
    """The text of the comment that lines open with, up to its first empty line."""
    text = []
    for line in lines:
        if not line.startswith(mark) or line.strip() == mark:
            break
        text.append(line.removeprefix(mark).strip())
    return " ".join(text)


def purpose(path, lines):
    """The sentence after the licence line; lines start there."""
    if path.suffix in source_tree.CPP:
        return comment(lines[1:], "//")
    docstring = re.match(r'"""(.*?)"""', "\n".join(lines), re.DOTALL)
    if docstring:
        return docstring[1].split("\n\n")[0].strip()
    return comment(lines[1:] if lines[:1] == ["#"] else lines, "#")


def judge(path, text):
    """What is missing in the head of that file, or None."""
    lines = text.splitlines()
    if lines and lines[0].startswith("#!"):
        lines = lines[1:]
    if path.suffix in PAGES:
        first = LICENCE.join(PAGES[path.suffix])
        return None if lines[:1] == [first] else f"does not open with '{first}'"
    mark = "//" if path.suffix in source_tree.CPP else "#"
    if lines[:1] != [f"{mark} {LICENCE}"]:
        return f"does not open with '{mark} {LICENCE}'"
    has_no_comment = path.suffix in source_tree.CPP and not lines[1:2] == ["//"]
    if path.name != "meson.build" and not has_no_comment and not SENTENCE.match(purpose(path, lines[1:])):
        return "has no sentence of purpose after its licence"
    return None


def is_code(path, top):
    if path.name.startswith(".") or str(path).startswith(PLAIN_FOLDERS):
        return False
    if path.suffix in source_tree.CPP or path.suffix in {".py", ".sh", *PAGES} or path.name == "meson.build":
        return True
    if path.suffix in PLAIN or path.name in PLAIN_NAMES:
        return False
    with (top / path).open("rb") as file:
        return file.read(2) == b"#!"


def violations(top=source_tree.TOP):
    """A line of text for each file whose head lacks something."""
    found = []
    for path in source_tree.files(top):
        if is_code(path, top):
            problem = judge(path, (top / path).read_text(encoding="utf-8"))
            if problem:
                found.append(f"{path}: {problem}")
    return found
