#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs tests of a build, and counts their cases: the last line is 'PASSED FAILED SKIPPED'.

tests/support/run_tests.py FOLDER --gate [--building]
tests/support/run_tests.py FOLDER [--suite SUITE...] [--not SUITE...] [--name TEST...] [--known FILE] [--alone] [-- MESON-OPTION...]
tests/support/run_tests.py --count JUNIT-FILE

A test is taken if it is in one of the suites, or has one of the names (shards included), and is in none of the suites behind --not.
--known leaves out and lists what a file such as tests/known-failures names.
--gate takes those of the gate, without what tests/known-failures names, and runs a test that failed once more, alone: if it then passes, it is reported as flaky, with the cases that failed, and counts as passed. --building begins with the long tests,
whose targets are there (test_targets.py --gate --first), and builds what the others need meanwhile. --alone runs one test after the other.
"""

import argparse
import collections
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as xml

import test_targets

KNOWN = pathlib.Path(os.environ.get("KNOWN_FAILURES", pathlib.Path(__file__).resolve().parents[1] / "known-failures"))
Counts = collections.namedtuple("Counts", "passed failed skipped")


def verdict(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "skipped" if case.find("skipped") is not None or case.get("status") == "notrun" else "passed"


def count_all(report):
    seen = collections.Counter(verdict(case) for case in xml.parse(report).iter("testcase"))
    return Counts(seen["passed"], seen["failed"], seen["skipped"])


def parse_known(text):
    """Rows of known-failures as (name, date, reason)."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [tuple(part.strip() for part in line.split("|", 2)) for line in lines]


class Runs:
    def __init__(self, folder, options):
        self.folder, self.options = folder, options
        self.environment = dict(os.environ)

    def meson(self, names, log, *options):
        """Returns the tests that failed."""
        logs = pathlib.Path(self.folder) / "meson-logs" / log
        for end in (".json", ".junit.xml"):
            logs.with_suffix(end).unlink(missing_ok=True)
        run = subprocess.run(["/usr/bin/meson", "test", "-C", self.folder, "--no-rebuild", "--print-errorlogs", "--logbase", log, *options,
                              *self.options, *names], env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             errors="replace", check=False)
        with open(f"{self.folder}.log", "a", encoding="utf-8") as file:
            file.write(run.stdout + run.stderr)
        results = {}
        if logs.with_suffix(".json").exists():
            for line in logs.with_suffix(".json").read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                results[row["name"].rpartition(" / ")[2]] = row["result"]
        # A test that left no row was not run.
        return [name for name in names if results.get(name, "FAIL") not in ("OK", "SKIP", "EXPECTEDFAIL")], run.stdout

    def counts(self, log, failed):
        """For each test by its name: what its cases came to; a program that dies has no failed case of its own. Beside it, which failed."""
        seen, bad = collections.defaultdict(collections.Counter), collections.defaultdict(list)
        report = pathlib.Path(self.folder) / "meson-logs" / f"{log}.junit.xml"
        known = sorted({test["name"] for test in test_targets.read(self.folder, "tests")}, key=len, reverse=True)
        for suite in xml.parse(report).getroot() if report.exists() else ():
            # "genclip.genclip:SUITES / NAME.GTEST-SUITE", or all tests of other protocols in one suite by their names.
            _, found, rest = suite.get("name").partition(" / ")
            owner = next((name for name in known if found and (rest == name or rest.startswith(name + "."))), None)
            for case in suite.iter("testcase"):
                seen[owner or case.get("name").rpartition(" / ")[2]][verdict(case)] += 1
                if owner and verdict(case) == "failed":
                    bad[owner].append(f"{rest[len(owner) + 1:]}.{case.get('name')}".lstrip("."))
        for name in failed:
            seen[name]["failed"] = max(1, seen[name]["failed"])
        return seen, bad


def relevant(text):
    """What a failed test printed stands beside its line, among those of all the others."""
    lines = [line for line in text.splitlines() if " genclip:" not in line or not any(f" {word} " in line for word in ("OK", "SKIP"))]
    return "\n".join(lines[-150:])


def build_of_gate(chosen):
    """The build of everything that the gate's tests need, on its way; or None."""
    if not chosen.building:
        return contextlib.nullcontext()
    with open(f"{chosen.folder}.log", "a", encoding="utf-8") as log:
        return subprocess.Popen(["ninja", "-C", chosen.folder, *test_targets.targets(chosen.folder, test_targets.is_in_gate)],
                                stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def run(chosen):
    suites, unwanted = set(chosen.suite), set(chosen.unwanted)
    file = KNOWN if chosen.gate else chosen.known
    known = parse_known(file.read_text(encoding="utf-8")) if file else []
    for row in known:
        print("known failure, left out:", *row)
    left_out = {row[0] for row in known}

    def is_chosen(test):
        if any(test_targets.is_called(test, name) for name in left_out):
            return False
        if chosen.gate:
            return test_targets.is_in_gate(test)
        return (test_targets.suites_of(test) & suites or any(test_targets.is_called(test, name) for name in chosen.name)) \
            and not test_targets.suites_of(test) & unwanted

    tests = [test for test in test_targets.read(chosen.folder, "tests") if is_chosen(test)]
    # Tests that are built already, then the others.
    halves = [[test["name"] for test in tests if chosen.building and test_targets.is_long(test)]]
    halves.append([test["name"] for test in tests if test["name"] not in halves[0]])
    # The gate's limits only end a hang, and some machines are eight times slower on one day than on another.
    runs = Runs(chosen.folder, [*(["--timeout-multiplier", "4"] if chosen.gate else []), *chosen.options])
    if chosen.gate:
        # A mistake that a library reports is one of ours, mostly.
        runs.environment["G_DEBUG"] = "fatal-criticals"
    cases = [name for name in left_out if "." in name]
    if cases:
        runs.environment["GTEST_FILTER"] = "-" + ":".join(cases)
    failed, seen, bad = [], collections.defaultdict(collections.Counter), {}
    # Most tests wait more than they work.
    processes = "1" if chosen.alone else str(3 * os.cpu_count())
    with build_of_gate(chosen) as build:
        for names, log in zip(halves, ("firstlog", "testlog")):
            if log == "testlog" and build and build.wait() != 0:
                print(f"does not build, see {chosen.folder}.log")
                return Counts(0, 1, 0)
            if not names:
                continue
            failed_now, text = runs.meson(names, log, "--num-processes", processes)
            seen_now, bad_now = runs.counts(log, failed_now)
            seen |= seen_now
            bad |= bad_now
            failed += failed_now
            if failed_now:
                print(relevant(text))
    if failed and chosen.gate:
        still, text = runs.meson(failed, "again", "--num-processes", "1")
        again, _ = runs.counts("again", still)
        for name in failed:
            seen[name] = again[name]
            print(f"{'failed twice' if name in still else 'flaky'}: {name}", *(f"({case})" for case in bad.get(name, ())))
        if still:
            print(relevant(text))
    return Counts(*(sum(counted[what] for counted in seen.values()) for what in Counts._fields))


def main():
    if sys.argv[1:2] == ["--count"]:
        print(*count_all(sys.argv[2]))
        return
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    for option, name in (("--suite", "suite"), ("--not", "unwanted"), ("--name", "name")):
        parser.add_argument(option, dest=name, nargs="+", default=[])
    parser.add_argument("--known", type=pathlib.Path)
    parser.add_argument("--gate", action="store_true")
    parser.add_argument("--building", action="store_true")
    parser.add_argument("--alone", action="store_true")
    chosen = parser.parse_args(words[:at])
    chosen.options = words[at + 1:]
    print(*run(chosen))


if __name__ == "__main__":
    main()
