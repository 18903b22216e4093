#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A limit by the clock counts in a row of tests/timing/meson.build only: each test that has one is named there."""

import fnmatch
import pathlib
import re
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
LIMIT = re.compile(r"\b(time_limit|measures_time)\(")
CASE = re.compile(r"^TEST(_F|_P)?\((\w+), *(\w+)|^ {4}def (test_\w+)", re.MULTILINE)
# They are measured for as long as they run, in a suite of their own.
OTHERWISE_MEASURED = {"stress"}


def cases_with_limits(text):
    """The tests of that source that have a limit; those of a helper, which may be any of them, are left out."""
    heads = list(CASE.finditer(text))
    for head, following in zip(heads, heads[1:] + [None]):
        body = text[head.end() : following.start() if following else len(text)]
        body = re.split(r"^}$|^ {4}def ", body, maxsplit=1, flags=re.MULTILINE)[0]
        if LIMIT.search(body):
            # As GoogleTest calls a case with a parameter.
            form = "Each/{}.{}/0" if head[1] == "_P" else "{}.{}"
            yield head[4] or form.format(head[2], head[3])


class Timing(unittest.TestCase):
    def test_each_limit_is_in_a_row(self):
        rows = (TESTS / "timing/meson.build").read_text(encoding="utf-8")
        names = ":".join(re.findall(r"'([^' ]*[.*][^' ]*)'", rows)).split(":")
        names += [f"test_*{name}*" for name in re.findall(r"'-k', '(\w+)'", rows)]
        names = [name.removeprefix("--gtest_filter=") for name in names]
        found = 0
        for path in sorted([*TESTS.glob("*/*_test.cpp"), *TESTS.glob("command/*_test.py")]):
            if path.parent.name in OTHERWISE_MEASURED:
                continue
            for case in cases_with_limits(path.read_text(encoding="utf-8")):
                found += 1
                self.assertTrue(any(fnmatch.fnmatchcase(case, name) for name in names), f"{path.name}: {case} is in no row of tests/timing")
        self.assertGreater(found, 20)


if __name__ == "__main__":
    unittest.main()
