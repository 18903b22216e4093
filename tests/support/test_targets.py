#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints what ninja must build for some of the tests, so that nothing else is built; or what tests are called.

tests/support/test_targets.py FOLDER --gate [--first]: for the tests of the gate, or only for the long ones of them
tests/support/test_targets.py FOLDER --of TEST...: the same for tests by their names
tests/support/test_targets.py FOLDER --names TEST...: one a line, the shards of a test that has some: 'http' as 'http 1' ...
"""

import json
import os
import pathlib
import re
import sys


def read(folder, what):
    return json.loads((pathlib.Path(folder) / "meson-info" / f"intro-{what}.json").read_text(encoding="utf-8"))


def suites_of(test):
    return {suite.split(":")[-1] for suite in test["suite"]}


def is_in_gate(test):
    """What the gate, tests/run, runs."""
    return suites_of(test) & {"unit", "source", "elements", "faults", "quick"} and not suites_of(test) & {"slow", "long", "timing"}


def is_long(test):
    """The gate begins with these."""
    return test["priority"] > 0


def is_called(test, name):
    """Whether it is that test, or a shard of it."""
    return test["name"] == name or re.fullmatch(re.escape(name) + r" \d+", test["name"]) is not None


def names(folder, wanted):
    """Of the tests that are called so, shards included."""
    return [test["name"] for name in wanted for test in read(folder, "tests") if is_called(test, name)]


def targets(folder, is_wanted):
    """The files, relative to the build folder, that the wanted tests of a configured build run or load."""
    needed = {target for test in read(folder, "tests") if is_wanted(test) for target in test["depends"]}
    return sorted(os.path.relpath(path, os.path.realpath(folder)) for target in read(folder, "targets")
                  if target["id"] in needed for path in target["filename"])


def main(folder, *words):
    if words[0] == "--names":
        print("\n".join(names(folder, words[1:])))
        return
    if words[0] == "--of":
        print("\n".join(targets(folder, lambda test: any(is_called(test, name) for name in words[1:]))))
        return
    is_first = words[1:] == ("--first",)
    print("\n".join(targets(folder, lambda test: is_in_gate(test) and (is_long(test) or not is_first))))


if __name__ == "__main__":
    main(*sys.argv[1:])
