#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The unit for systemd is one that systemd takes, and what its head says fits it: the user, the folders, the settings."""

import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
UNIT = TOP / "examples/channel/genclip-channel@.service"
TEXT = UNIT.read_text(encoding="utf-8")
# What systemd puts there, of the instance NAME.
SPECIFIERS = {"%S": "/var/lib", "%i": "NAME"}
WRITING = {"--hls", "--record", "--state-file", "--asrun"}


def expanded(text):
    for specifier, value in SPECIFIERS.items():
        text = text.replace(specifier, value)
    return text


SETTINGS = dict(line.split("=", 1) for line in expanded(TEXT).splitlines() if re.match(r"[A-Z]\w+=", line))
# The command lines and the settings of the head.
HEAD = re.findall(r"(?m)^#   (.*)$", TEXT)
CONF = dict(line.split("=", 1) for line in HEAD if re.match(r"[A-Z_]+=", line))
ENVIRONMENT = dict([SETTINGS["Environment"].split("=", 1)]) | CONF


def line_of(program):
    (line,) = [line for line in HEAD if program in line.split()]
    return shlex.split(line, comments=True)


def option(words, name):
    return words[words.index(name) + 1]


class Unit(unittest.TestCase):
    def test_is_valid(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("systemd-analyze is not installed")
        with tempfile.TemporaryDirectory() as folder:
            # systemd looks for the program, which need not be installed here. Without a path it is found below /usr/local, too.
            self.assertEqual(TEXT.count("ExecStart=genclip channel "), 1)
            copy = pathlib.Path(folder) / UNIT.name.replace("@", "@dunes")
            copy.write_text(TEXT.replace("ExecStart=genclip", "ExecStart=true"), encoding="utf-8")
            end = subprocess.run(["systemd-analyze", "verify", "--man=no", str(copy)], capture_output=True, text=True,
                                 check=False, timeout=60)
        # It also complains about other units of the machine.
        own = [line for line in end.stderr.splitlines() if "dunes" in line]
        self.assertEqual(own, [])

    def test_waits_longer_than_the_channel_takes_to_end(self):
        seconds = {name: int(value) for name, value in SETTINGS.items() if name.endswith("Sec")}
        self.assertGreater(seconds["TimeoutStopSec"], 30)
        self.assertGreater(seconds["WatchdogSec"], 10)

    def test_has_files_for_many_outputs(self):
        self.assertGreater(int(SETTINGS["LimitNOFILE"]), 1024)

    def test_runs_as_the_user_that_its_head_makes(self):
        self.assertEqual(line_of("useradd")[-1], SETTINGS["User"])
        self.assertEqual(option(line_of("/dev/null"), "-o"), SETTINGS["User"])
        self.assertEqual(line_of("/dev/null")[-1], CONF["GENCLIP_API_KEY_FILE"])
        self.assertEqual(option(line_of("sudo"), "-u"), SETTINGS["User"])

    def test_writes_only_where_its_user_may(self):
        # systemd makes each of these for the user, and makes everything else read-only.
        self.assertEqual(SETTINGS["ProtectSystem"], "strict")
        states = [f"/var/lib/{name}" for name in SETTINGS["StateDirectory"].split()]
        own = [*states, "${RUNTIME_DIRECTORY}"]
        words = shlex.split(SETTINGS["ExecStart"]) + shlex.split(CONF["CHANNEL_OPTIONS"])
        written = [words[at + 1] for at, word in enumerate(words) if word in WRITING | {"--token-file"}]
        written += [ENVIRONMENT["GENCLIP_STORE"], option(line_of("useradd"), "--home-dir")]
        self.assertGreater(len(written), 4)
        for path in written:
            with self.subTest(path=path):
                self.assertTrue([folder for folder in own if f"{path}/".startswith(f"{folder}/")])
                # systemd makes only the last folder of a name for the user, and those above it for root.
                self.assertTrue(str(pathlib.PurePath(path).parent) in own or path in own, path)
        # It would name several folders, with colons between them.
        self.assertNotIn("${STATE_DIRECTORY}", TEXT)
        self.assertEqual(len(SETTINGS["RuntimeDirectory"].split()), 1)

    def test_keeps_the_store_to_its_user(self):
        # systemd gives a folder that it makes the mode 0755, each time; genclip makes its store with 0700.
        self.assertNotIn(ENVIRONMENT["GENCLIP_STORE"], [f"/var/lib/{name}" for name in SETTINGS["StateDirectory"].split()])

    def test_lets_a_web_server_read_what_it_writes(self):
        self.assertEqual(int(SETTINGS["UMask"], 8) & 0o055, 0)

    def test_its_head_sets_the_budget_of_its_store(self):
        self.assertIn(f"GENCLIP_STORE={ENVIRONMENT['GENCLIP_STORE']}", line_of("sudo"))
        self.assertIn("budget", line_of("sudo"))

    def test_its_settings_are_those_of_genclip(self):
        page = (TOP / "plugin/command/genclip.1").read_text(encoding="utf-8").replace("\\-", "-")
        variables = set(re.findall(r"GENCLIP_[A-Z_]+", page.partition(".SH ENVIRONMENT")[2]))
        # The page of options has the start of each channel.
        options = set(re.findall(r"--[a-z-]+", page.partition(".SS Of channel")[2].partition(".SS Of frame")[0]))
        for name in ENVIRONMENT:
            with self.subTest(variable=name):
                self.assertTrue(name in variables or f"${name}" in SETTINGS["ExecStart"].split())
        self.assertLessEqual({"GENCLIP_BASE_URL", "GENCLIP_API_KEY_FILE"}, CONF.keys())
        words = shlex.split(SETTINGS["ExecStart"]) + shlex.split(CONF["CHANNEL_OPTIONS"])
        self.assertEqual({word for word in words if word.startswith("--")} - options, set())
        # The token belongs to a status page.
        self.assertIn("--status-port", words)


if __name__ == "__main__":
    unittest.main()
