#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What documents say of the code and of a reader's machine is so: the log's categories, and lines that are copied, but not run by a test."""

import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

from document_commands import commands, listings

TOP = pathlib.Path(__file__).resolve().parents[2]
# Options of a channel whose folder or file is its own.
OWN = {"--hls", "--record", "--state-file", "--asrun", "--token-file"}


def text_of(name):
    return (TOP / name).read_text(encoding="utf-8")


def bash(script, **env):
    return subprocess.run(["bash", "-euc", script], env={"PATH": os.environ["PATH"], **env}, cwd=TOP, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False, timeout=60)


class Facts(unittest.TestCase):
    def test_the_table_of_the_log_has_each_category(self):
        sources = [path for folder in ("plugin", "elements") for path in (TOP / folder).rglob("*.cpp")]
        made = {name for path in sources for name in re.findall(r'new_log_category\(\s*"([^"]+)"', path.read_text(encoding="utf-8"))}
        self.assertIn("genclip-store", made)
        table = text_of("docs/reading-the-log.md").partition("| category |")[2].partition("\n\n")[0]
        told = {name for row in table.splitlines()[2:] for name in re.findall("`([^`]+)`", row.split("|")[1])}
        self.assertEqual(told, made)

    def test_a_publishing_script_is_put_where_its_setting_names_it(self):
        blocks = [text for text in listings(text_of("docs/references.md"), "sh") if "GENCLIP_PUBLISH_COMMAND=" in text]
        self.assertEqual(len(blocks), 2)
        for block in blocks:
            with self.subTest(block=block), tempfile.TemporaryDirectory() as folder:
                # Not as root, and not into the machine's folders.
                ran = bash('sudo() { "$@"; }\n' + block.replace("/usr/local", folder) +
                           'export PUBLISH_SECRET_FILE=$HOME/secret\n"$GENCLIP_PUBLISH_COMMAND" || [ $? -eq 2 ]\n'
                           f'"$(dirname "$GENCLIP_PUBLISH_COMMAND")/hidden-name" {"0" * 64} image/png', HOME=folder)
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertIn("Usage: to-", ran.stderr)
                self.assertRegex(ran.stdout, r"^[0-9a-f]+\.png\n$")

    def test_nothing_of_the_simulator_stays_set_for_the_real_service(self):
        simulated = dict(re.findall(r"(?m)^export (\w+)=(.*)$", text_of("examples/simulated")))
        for name in ("README.md", "docs/guide/first-clip.md"):
            (block,) = [text for text in listings(text_of(name), "sh") if "unset " in text]
            (line,) = [line for line in block.splitlines() if line.startswith("unset ")]
            line, _, comment = line.partition("#")
            kept = {variable for variable, value in simulated.items() if value} - set(re.findall(r"(\w+)=", block))
            with self.subTest(document=name):
                self.assertEqual(set(line.split()[1:]), kept)
                # fish has no unset.
                self.assertIn("in fish: set -e", comment)

    def test_two_channels_of_the_first_hour_share_no_folder(self):
        page = text_of("docs/channel.md").partition("## The first hour")[2].partition("\n## ")[0]
        owned = []
        for command in commands(page):
            words = shlex.split(command.text, comments=True)
            if "channel" in words:
                owned += [words[at + 1] for at, word in enumerate(words) if word in OWN]
        self.assertGreater(len(owned), 4)
        self.assertEqual(len(owned), len(set(owned)), owned)


if __name__ == "__main__":
    unittest.main()
