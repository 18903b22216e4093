# SPDX-License-Identifier: LGPL-2.1-or-later
"""Configures genclip in a folder, builds what the tests of a world need and nothing else, runs them, and counts the cases."""

import dataclasses
import os
import pathlib
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
# The system's own tools: a python of the user's would not find Debian's meson.
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Tests of the sources say the same everywhere.
NOT_HERE = "source"


class Missing(Exception):
    """What this machine lacks, in words."""


class Broken(Exception):
    """A step that failed, with the end of what it printed."""


@dataclasses.dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0


def plain_environment():
    kept = {name: text for name, text in os.environ.items()
            if not name.startswith(("GENCLIP_", "GST_", "MESON_")) and name not in ("LIBRARY_PATH", "DESTDIR", "CFLAGS", "CXXFLAGS", "LDFLAGS")}
    return {**kept, "PATH": PATH, "GST_REGISTRY_FORK": "no", "PYTHONDONTWRITEBYTECODE": "1"}


def setup_options(world):
    """Of meson. All files of a target at once and no debugging symbols: half of the time."""
    listed = ["-Dwerror=true", "-Dunity=on", "-Dunity_size=100", "-Ddebug=false", "-Doptimization=2", *world.options]
    for option, words in (("c_args", world.c_args), ("cpp_args", world.cpp_args), ("c_link_args", world.link_args),
                          ("cpp_link_args", world.link_args)):
        if words:
            listed.append(f"-D{option}={' '.join(words)}")
    return listed


class UnitSuite:
    """`run(words)` starts a program where the world is, and gives (exit code, output). The folders are those that it sees."""

    def __init__(self, world, run, source, build, jobs):
        self.world, self.run, self.source, self.build, self.jobs = world, run, source, build, jobs

    def step(self, *words, may_fail=False):
        code, said = self.run([str(word) for word in words])
        if code != 0 and not may_fail:
            raise Broken(f"{' '.join(map(str, words[:3]))} ends with {code}:\n{said[-6000:]}")
        return code, said

    def asked(self, *words):
        _, said = self.step("python3", f"{self.source}/tests/support/test_targets.py", self.build, *words)
        return said.split("\n")[:-1]

    def counts(self, *setup):
        """Of the world's tests; prints what the failed ones said."""
        code, _ = self.step("test", "-f", f"{self.build}/build.ninja", may_fail=True)
        if code != 0:
            self.step("meson", "setup", self.build, self.source, *setup_options(self.world), *setup)
        self.step("ninja", "-C", self.build, "build.ninja")
        # By their names where a part was chosen, as a suite otherwise.
        chosen = self.asked("--names", *self.world.tests) if self.world.tests else ["--suite", "unit", "--no-suite", NOT_HERE]
        self.step("ninja", "-C", self.build, f"-j{self.jobs}", *self.targets())
        self.step("rm", "-f", f"{self.build}/meson-logs/testlog.junit.xml")
        left_out = [f"GTEST_FILTER=-{':'.join(self.world.without)}"] if self.world.without else []
        code, said = self.step("env", *left_out, "meson", "test", "-C", self.build, "--no-rebuild", "--print-errorlogs", "--num-processes", self.jobs + 1,
                               "--timeout-multiplier", 10, *chosen, may_fail=True)
        _, counted = self.step("python3", f"{self.source}/tests/support/run_tests.py", "--count", f"{self.build}/meson-logs/testlog.junit.xml")
        found = Counts(*map(int, counted.split()))
        if code != 0:
            print(said[-8000:])
            # A program that dies has no failed case of its own.
            found.failed = max(found.failed, 1)
        return found

    def targets(self):
        if not self.world.tests:
            return self.asked("unit", "--except", NOT_HERE)
        return self.asked("--of", *self.world.tests)


def run_here(words, **env):
    with subprocess.Popen(words, cwd=TOP, env={**plain_environment(), **env}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace") as process:
        said, _ = process.communicate()
    return process.returncode, said
