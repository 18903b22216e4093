#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""One version means one state of the code: meson.build, the changelog, the manuals and the security policy agree on it.

A version that has a heading in CHANGELOG.md is out. So as soon as something stands under [Unreleased], meson.build names the version that
comes next (docs/STABILITY.md says which one). The commit that gives those entries a heading changes no code."""

import re
import unittest

import source_tree

HEADING = re.compile(r"^## \[(?:Unreleased|(\d+\.\d+\.\d+))\](?: - (\d{4}-\d{2}-\d{2}))?$", re.MULTILINE)
MANUALS = ("plugin/command/genclip.1", "examples/simulator/genclip-sim.1.in")


def read(path):
    return (source_tree.TOP / path).read_text(encoding="utf-8")


def numbers(version):
    return tuple(map(int, version.split(".")))


def problems(changelog, version):
    """What is wrong with a changelog in a tree of that version."""
    headings = list(HEADING.finditer(changelog))
    released = [(match[1], match[2]) for match in headings if match[1]]
    if len(headings) != len(released) + 1 or headings[0][1]:
        return ["its first heading, and no other, is [Unreleased]"]
    if not all(day for _, day in released):
        return ["each version has a date"]
    if any(numbers(newer[0]) <= numbers(older[0]) or newer[1] < older[1] for newer, older in zip(released, released[1:])):
        return ["versions and dates descend"]
    is_pending = re.search(r"^- ", changelog[headings[0].end():headings[1].start()], re.MULTILINE)
    newest = released[0][0]
    if is_pending and numbers(version) <= numbers(newest):
        return [f"[Unreleased] has entries, so meson.build names the version after {newest}, which is out"]
    if not is_pending and version != newest:
        return [f"nothing is unreleased, so meson.build names {newest}"]
    return []


class Release(unittest.TestCase):
    def setUp(self):
        self.version = re.search(r"^  version: '([\d.]+)',$", read("meson.build"), re.MULTILINE)[1]

    def test_the_version_is_that_of_what_is_in_the_tree(self):
        self.assertEqual(problems(read("CHANGELOG.md"), self.version), [])

    def test_other_changelogs_are_told(self):
        entry, old = "\n- A change.\n", "\n## [0.9.0] - 2026-01-01\n\n- First.\n"
        pending, out = "## [Unreleased]\n" + entry, "## [Unreleased]\n\n## [0.10.0] - 2026-02-01\n" + entry
        self.assertEqual(problems(pending + old, "0.10.0"), [])
        self.assertEqual(problems(out + old, "0.10.0"), [])
        for changelog, version, complaint in (
                (pending + old, "0.9.0", "after 0.9.0"), (out + old, "0.9.0", "names 0.10.0"), (out + old, "0.11.0", "names 0.10.0"),
                (old, "0.9.0", "first heading"), (pending + out, "0.11.0", "first heading"), (old + pending, "0.10.0", "first heading"),
                (out.replace(" - 2026-02-01", "") + old, "0.10.0", "date"), (out.replace("02-01", "00-01") + old, "0.10.0", "descend"),
                (out.replace("0.10.0", "0.8.9") + old, "0.8.9", "descend")):
            self.assertIn(complaint, " ".join(problems(changelog, version)), changelog)

    def test_manuals_have_that_version_and_the_day_of_its_release_or_a_later_one(self):
        day = re.search(r"^## \[\d.*(\d{4}-\d{2}-\d{2})$", read("CHANGELOG.md"), re.MULTILINE)[1]
        for path in MANUALS:
            _, name, _, dated, version, _ = re.match(r'(?:\.\\".*\n)*(\.TH) (\S+) (\d) (\S+) "genclip (\S+)" "(.*)"\n', read(path)).groups()
            self.assertGreaterEqual(dated, day, name)
            self.assertIn(version, (self.version, "@VERSION@"), name)

    def test_the_security_policy_supports_the_newest_version_that_is_out(self):
        newest = re.search(r"^## \[(\d+\.\d+)\.", read("CHANGELOG.md"), re.MULTILINE)[1]
        self.assertRegex(read("docs/SECURITY.md"), rf"(?m)^\| {re.escape(newest)}\.x \| yes \|$")


if __name__ == "__main__":
    unittest.main()
