#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The gate runs what failed once more, leaves out known failures, and counts what it ran."""

import datetime
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import run_tests
import test_targets

RUN_TESTS = run_tests.__file__
PROJECT = """project('p')
late = custom_target('late', output: 'late', input: 'good', command: ['cp', '@INPUT@', '@OUTPUT@'])
test('long', find_program('good'), suite: 'faults', priority: 1)
test('good', find_program('good'), depends: late, suite: 'unit')
test('bad', find_program('bad'), suite: 'elements')
test('flaky', find_program('flaky'), suite: ['process', 'quick'])
test('skips', find_program('skips'), suite: 'source')
test('cases', find_program('cases'), suite: 'elements', protocol: 'gtest')
test('two words', find_program('bad'), suite: ['unit', 'slow'])
test('measured', find_program('bad'), suite: 'timing')
test('served', find_program('bad'), suite: 'process')
"""
# A flaky program fails when it runs for the first time, and so does one of two cases.
CASES = """out="${*##*xml:}"
word() { echo "<testsuites><testsuite name='Suite'><testcase name='Good'/><testcase name='Late'>$1</testcase></testsuite></testsuites>"; }
[ -e "$0.ran" ] && { word "" >"$out"; exit 0; }
touch "$0.ran"
word "<failure/>" >"$out"
exit 1"""
PROGRAMS = {"good": "exit 0", "bad": "echo it is bad; exit 1", "flaky": '[ -e "$0.ran" ] || { touch "$0.ran"; exit 1; }', "skips": "exit 77",
            "cases": CASES}


class Gate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.top = pathlib.Path(folder.name)
        (cls.top / "meson.build").write_text(PROJECT, encoding="utf-8")
        cls.write_programs()
        subprocess.run(["/usr/bin/meson", "setup", str(cls.top / "build"), str(cls.top)], check=True, capture_output=True)

    @classmethod
    def write_programs(cls):
        for name, text in PROGRAMS.items():
            (cls.top / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            (cls.top / name).chmod(0o700)

    # Nothing is built, and nothing has run.
    def setUp(self):
        self.write_programs()
        for left in (self.top / "flaky.ran", self.top / "cases.ran", self.top / "build/late"):
            left.unlink(missing_ok=True)

    def build(self):
        subprocess.run(["ninja", "-C", str(self.top / "build")], check=True, capture_output=True)

    def run_tests(self, *words, known=""):
        (self.top / "known").write_text(known, encoding="utf-8")
        run = subprocess.run([sys.executable, RUN_TESTS, str(self.top / "build"), *words], capture_output=True, text=True, check=True,
                             env=os.environ | {"KNOWN_FAILURES": str(self.top / "known")})
        lines = run.stdout.splitlines()
        return lines[:-1], lines[-1]

    def test_what_is_not_built_is_built_beside_the_long_tests(self):
        self.assertFalse((self.top / "build/late").exists())
        lines, counts = self.run_tests("--gate", "--building")
        self.assertEqual(counts, "5 1 1")
        self.assertIn("flaky: flaky", lines)
        self.assertTrue((self.top / "build/late").exists())
        (self.top / "build/late").unlink()
        (self.top / "good").unlink()
        lines, counts = self.run_tests("--gate", "--building")
        self.assertEqual(counts, "0 1 0")
        self.assertIn("does not build", lines[-1])

    def test_what_fails_once_is_flaky_and_what_fails_twice_has_failed(self):
        self.build()
        lines, counts = self.run_tests("--gate")
        self.assertEqual(counts, "5 1 1")
        self.assertIn("flaky: flaky", lines)
        self.assertIn("flaky: cases (Suite.Late)", lines)
        self.assertIn("failed twice: bad", lines)
        self.assertTrue(any("it is bad" in line for line in lines), lines)

    def test_the_proof_runs_nothing_twice(self):
        self.build()
        self.assertEqual(self.run_tests("--suite", "unit", "quick")[1], "1 2 0")
        self.assertEqual(self.run_tests("--suite", "unit", "--not", "slow")[1], "1 0 0")

    def test_known_failures_are_left_out_and_listed(self):
        self.build()
        lines, counts = self.run_tests("--gate", known="# why\n\nbad | 2026-11-25 | It is bad | and known.\n")
        self.assertEqual(counts, "5 0 1")
        self.assertIn("known failure, left out: bad 2026-11-25 It is bad | and known.", lines)
        self.assertEqual(self.run_tests("--suite", "elements", known="bad | 2026-11-25 | x\n")[1], "2 1 0")
        self.assertEqual(self.run_tests("--suite", "elements", "--known", str(self.top / "known"), known="bad | 2026-11-25 | x\n"),
                         (["known failure, left out: bad 2026-11-25 x"], "2 0 0"))

    def test_names_choose_too(self):
        self.assertEqual(self.run_tests("--name", "two words", "skips")[1], "0 1 1")

    def test_a_name_that_matches_nothing_runs_nothing(self):
        self.assertEqual(self.run_tests("--name", "good one")[1], "0 0 0")


class KnownFailures(unittest.TestCase):
    def test_are_few_and_have_a_name_a_date_and_a_reason(self):
        tests = [test["name"] for test in test_targets.read(os.environ["GENCLIP_BUILD"], "tests")]
        for file in (run_tests.KNOWN, run_tests.KNOWN.with_name("waits") / "known-failures"):
            rows = run_tests.parse_known(file.read_text(encoding="utf-8"))
            self.assertLessEqual(len(rows), 5)
            for name, date, reason in rows:
                datetime.date.fromisoformat(date)
                self.assertTrue(reason)
                self.assertTrue("." in name or any(test_targets.is_called({"name": test}, name) for test in tests), name)


if __name__ == "__main__":
    unittest.main()
