#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A setting is one row: the elements, the command and the documents have it, and no request takes its name for a field.

The second half plants a row: programs that are linked with a copy of the rows know it everywhere.
"""

import concurrent.futures
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

GENCLIP, PLANTED, DOC = (os.environ[name] for name in ("GENCLIP", "GENCLIP_PLANTED", "GENCLIP_PLANTED_DOC"))
COMMANDS = ("generate", "batch", "prefetch", "check")
# Of every object and every program; a model may well have a field of such a name.
OF_EVERYTHING = {"name", "parent", "version"}
OTHER_COMMANDS = ("caption", "channel", "budget set", "cost", "frame", "models", "store list", "store remove", "store prune", "store show",
                  "store fetch", "store gallery", "store pin")
# Options of these commands and properties of the other elements that a model may take; gencaption's and genchannelsrc's requests are their own.
MAY_BE_FIELDS = {"any", "bitrate", "by", "captions", "check", "context", "first", "fit", "frames", "help", "interval", "language", "last", "loop",
                 "models", "next", "now", "stream", "temperature", "time", "to", "window"}

EXTRA = """
import sys
import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst
Gst.init(None)
for name in sys.argv[1:]:
    source = Gst.ElementFactory.make("genclipsrc")
    params = Gst.Structure.new_empty("params")
    params.set_value(name, "1")
    for setting, value in (("model", "veo"), ("prompt", "x"), ("dry-run", True), ("extra-params", params)):
        source.set_property(setting, value)
    pipeline = Gst.Pipeline()
    pipeline.add(source)
    pipeline.set_state(Gst.State.PAUSED)
    kinds = Gst.MessageType.ERROR | Gst.MessageType.ASYNC_DONE | Gst.MessageType.ELEMENT
    message = pipeline.get_bus().timed_pop_filtered(60 * Gst.SECOND, kinds)
    print(name, message.parse_error()[0].message if message.type == Gst.MessageType.ERROR else "was taken")
    pipeline.set_state(Gst.State.NULL)
"""


def environment(plugins=None):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GENCLIP")}
    kept.update(LC_ALL="C.UTF-8", COLUMNS="200", GENCLIP_BASE_URL="http://127.0.0.1:1")
    if plugins:
        kept.update(GST_PLUGIN_PATH=plugins, GST_REGISTRY=os.path.join(plugins, "registry.bin"))
    return kept


def run(*words, plugins=None, **changes):
    return subprocess.run([str(word) for word in words], env={**environment(plugins), **changes}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120, check=False)


def properties(element, plugins=None):
    listed = run("gst-inspect-1.0", element, plugins=plugins).stdout.partition("Element Properties:\n")[2].partition("\nElement ")[0]
    return dict(re.findall(r"^  ([a-z-]+) +: ([^\n]*)", listed, re.MULTILINE))


def options(command, program=GENCLIP):
    return set(re.findall(r"^  (?:-\w, )?--([a-z-]+)", run(program, *command.split(), "--help").stdout, re.MULTILINE))


def variables():
    """All that the program's help lists."""
    return set(re.findall(r"GENCLIP_[A-Z_]+", run(GENCLIP, "--help").stdout))


@functools.cache
def refused_names():
    """Every property of the element, every option of what takes a request and every variable, but for the fields of requests."""
    fields = {line.split()[0].replace("_", "-")
              for line in run(GENCLIP, "check", "--help").stdout.partition("Fields of most models:\n")[2].partition("\n\n")[0].splitlines()
              if re.match(r"  [a-z]", line)}
    names = set(properties("genclipsrc")).union(*(options(command) for command in COMMANDS))
    names |= variables() | {name.removeprefix("GENCLIP_").lower().replace("_", "-") for name in variables()}
    names -= {"GENCLIP_API_KEY"}
    return sorted(names - fields - {"model", "take", "api", "api-key", "api-key-file"} - MAY_BE_FIELDS - OF_EVERYTHING)


def other_names():
    """Those of the elements and the commands that take no request."""
    names = set(properties("gencaption")) | set(properties("genchannelsrc"))
    return sorted(names.union(*(options(command) for command in OTHER_COMMANDS)) - set(refused_names()) - MAY_BE_FIELDS - OF_EVERYTHING
                  - {"model", "prompt", "api", "api-key", "api-key-file", "token-file", "take"})


class Settings(unittest.TestCase):
    def test_nor_the_name_of_another_element_s_or_command_s(self):
        names = other_names()
        self.assertLessEqual({"per-clip", "max-requests", "rundown", "pinned", "asrun", "csv"}, set(names))
        taken = [name for name in names
                 if "no field of a request" not in run(GENCLIP, "check", "veo", "prompt=x", f"{name.replace('-', '_').title()}=1").stderr]
        self.assertEqual(taken, [])
        told = run(GENCLIP, "check", "veo", "prompt=x", *(f"{name}=1" for name in sorted(MAY_BE_FIELDS)))
        self.assertEqual(told.returncode, 0, told.stderr)

    def test_no_request_takes_the_name_of_a_property_or_an_option(self):
        names = refused_names()
        self.assertLessEqual({"max-amount", "anew", "quiet", "random-access", "extra-params", "task-id", "num-buffers", "status",
                              "max-tasks", "GENCLIP_MAX_TASKS", "publish-command", "publish-roots", "GENCLIP_MODELS", "GENCLIP_API_KEY_FILE"},
                             set(names))
        cases = []
        for name in names:
            # All spellings, everywhere: tests/catalog/field_names_test.cpp.
            spelled = "\u2014" + name.replace("-", "_").title()
            cases += [(["veo", "prompt=x", f"{name}=1"], 2),
                      (["veo", "prompt=x", f"first_image=genclip://dream-5.0?prompt=y&{spelled}=1"], 1)]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for (words, code), told in zip(cases, pool.map(lambda case: run(GENCLIP, "check", *case[0]), cases)):
                with self.subTest(words=words):
                    self.assertEqual(told.returncode, code, told.stdout)
                    self.assertIn("no field of a request", told.stderr)

    def test_a_uri_does_not_take_them_either(self):
        for spelled in (lambda name: name.replace("-", "_"), lambda name: name.swapcase() + "[0]", lambda name: name + ".x"):
            for names in (refused_names()[::2], refused_names()[1::2]):
                told = run(GENCLIP, "check", "--json", "genclip://veo?prompt=x" + "".join(f"&{spelled(name)}=1" for name in names))
                problems = [problem["text"] for problem in json.loads(told.stdout)["problems"]]
                told = [text for text in problems if "no field of a request" in text or "must not contain a key" in text]
                self.assertEqual(len(told), len(names), problems)

    def test_what_only_messages_have_may_be_a_field(self):
        self.assertEqual(run(GENCLIP, "check", "veo", "prompt=x", "reused=1", "provenance=x", "status-text=y").returncode, 0)

    def test_extra_params_do_not_take_them_either(self):
        # A structure's field begins with a letter.
        names = [spelled for name in refused_names() for spelled in (name, name.replace("-", "_"), name.title())]
        told = run(sys.executable, "-c", EXTRA, *names)
        self.assertEqual(told.returncode, 0, told.stderr)
        lines = told.stdout.splitlines()
        self.assertEqual([line for line in lines if "no field of a request" not in line], [])
        self.assertEqual(len(lines), len(names))
        self.assertIn("film-style was taken", run(sys.executable, "-c", EXTRA, "film-style").stdout)

    def test_a_row_of_a_batch_does_not_take_them_either(self):
        for name, wanted in (("max-amount", "set --max-amount."), ("Store", "set --store."), ("--task-id", "set the property task-id."),
                             ("anew", "it is the option --anew of genclip generate.")):
            told = subprocess.run([GENCLIP, "batch", "--dry-run", "--format", "jsonl", "-"], env=environment(), capture_output=True,
                                  text=True, timeout=60, check=False, input=f'{{"model": "veo", "prompt": "x", "{name}": "1"}}\n')
            self.assertEqual(told.returncode, 1, told.stdout)
            self.assertIn("no field of a request: ", told.stderr)
            self.assertIn(wanted, told.stderr)

    def test_a_spreadsheet_may_begin_its_own_columns_with_capitals(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "b.csv"
            table.write_text("Name,Model,Output,Project,prompt\nfoo,veo,f.mp4,news,x\n", encoding="utf-8")
            told = run(GENCLIP, "batch", "--dry-run", table)
            self.assertEqual(told.returncode, 0, told.stderr)
            row = json.loads(told.stdout.splitlines()[0])
            self.assertEqual((row["name"], row["model"]), ("foo", "veo"))

    def test_the_error_says_where_a_setting_belongs(self):
        for words, told in ((["max-amount=1"], "it is the option --max-amount of genclip generate, batch, prefetch, store fetch and channel."),
                            (["anew=1"], "it is the option --anew of genclip generate."),
                            (["random-access=1"], "set the property random-access of genclipsrc."),
                            (["max-tasks=1"], "set the environment variable GENCLIP_MAX_TASKS."),
                            (["GENCLIP_PROJECT=x"], "it is the option --project of")):
            shown = run(GENCLIP, "generate", "veo", "prompt=x", *words)
            self.assertEqual(shown.returncode, 2)
            self.assertIn(told, shown.stderr)
        launched = run("gst-launch-1.0", "playbin", "uri=genclip://veo?prompt=x&max-amount=1", "video-sink=fakesink")
        self.assertIn("set the property max-amount.", launched.stderr)

    def test_fields_that_are_spelled_otherwise_are_told_with_all_other_problems(self):
        told = run(GENCLIP, "check", "--json", "veo", "prompt=x", "Take=1", "Aspect-Ratio=16:9", "first_image=x.png")
        self.assertEqual(told.returncode, 1)
        texts = [problem["text"] for problem in json.loads(told.stdout)["problems"]]
        self.assertEqual(len(texts), 3)
        self.assertLessEqual({'"Take" is no field of a request; did you mean take?',
                              '"Aspect-Ratio" is no field of a request; did you mean aspect_ratio?'}, set(texts))
        told = run(GENCLIP, "check", "genclip://veo?prompt=x&amp;seed=5")
        self.assertIn("write & in place of &amp; between fields.", told.stderr)

    def test_a_channel_refuses_such_a_limit_too(self):
        rundown = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "r.txt"
        rundown.write_text("genclip://veo?prompt=x\n", encoding="utf-8")
        for value in ("nan", "inf", "-1", "1e400", "1,5", "abc"):
            told = run(GENCLIP, "channel", "--max-amount=" + value, "--check", rundown)
            self.assertEqual(told.returncode, 2, value)
            self.assertIn("--max-amount must be a number of credits, 0 or more.", told.stderr)
        told = run("gst-launch-1.0", "genchannelsrc", f"rundown={rundown}", "!", "fakesink", GENCLIP_MAX_AMOUNT="nan")
        self.assertIn("GENCLIP_MAX_AMOUNT is \"nan\"; it must be a number of credits, 0 or more.", told.stdout + told.stderr)

    def test_a_limit_that_is_no_number_of_credits_ends_the_run(self):
        for element, rest in (("genclipsrc model=veo prompt=x dry-run=true", "fakesink"),
                              ("videotestsrc num-buffers=1 ! gencaption llm-base-url=http://127.0.0.1:1 api-key=k-123456", "fakesink"),
                              ("genchannelsrc rundown-text=genclip://veo?prompt=x name=c", "fakesink")):
            for value in ("nan", "inf", "-1", "-inf"):
                with self.subTest(element=element, value=value):
                    told = run("gst-launch-1.0", *element.split(), f"max-amount={value}", "!", rest)
                    self.assertNotEqual(told.returncode, 0)
                    self.assertIn(f"max-amount is {value}; it must be a number of credits, 0 or more.", told.stdout + told.stderr)
        for value in ("nan", "inf", "-1"):
            told = run(GENCLIP, "generate", "--max-amount=" + value, "veo", "prompt=x")
            self.assertEqual((told.returncode, told.stderr.splitlines()[0]),
                             (2, "genclip: --max-amount must be a number of credits, 0 or more."))


class PlantedSetting(unittest.TestCase):
    def setUp(self):
        self.plugins = str(pathlib.Path(PLANTED).parent)

    def test_is_a_property_of_the_elements(self):
        for element in ("genclipsrc", "genchannelsrc"):
            self.assertEqual(properties(element, self.plugins)["planted-thing"], "A planted setting; unset: $GENCLIP_PLANTED")
        shown = run("gst-inspect-1.0", "genclipsrc", plugins=self.plugins).stdout.partition("  planted-thing ")[2]
        self.assertIn("Unsigned Integer. Range: 0 - 41 Default: 5", shown.split("\n")[2])
        self.assertNotIn("planted-thing", properties("gencaption", self.plugins))

    def test_is_an_option_of_its_commands(self):
        for command in COMMANDS:
            self.assertIn("planted-thing", options(command, PLANTED))
            offered = run(PLANTED, "__complete", *command.split(), "--pl").stdout
            self.assertIn("--planted-thing\tWhat was planted; else $GENCLIP_PLANTED (5)", offered)
        for command in ("store fetch", "frame"):
            self.assertNotIn("planted-thing", options(command, PLANTED))
        told = run(PLANTED, "check", "--planted-thing=42", "veo", "prompt=x")
        self.assertEqual(told.returncode, 2)
        self.assertIn("--planted-thing must be an integer from 0 to 41.", told.stderr)
        self.assertEqual(run(PLANTED, "check", "--planted-thing=7", "veo", "prompt=x").returncode, 0)

    def test_is_no_field_of_a_request(self):
        for words in (["veo", "prompt=x", "Planted_Thing=1"], ["genclip://veo?prompt=x&planted-thing=1"],
                      ["veo", "prompt=x", "first_image=genclip://dream-5.0?prompt=y&--planted-thing=1"]):
            self.assertIn("no field of a request", run(PLANTED, "check", *words).stderr)
        self.assertEqual(run(GENCLIP, "check", "veo", "prompt=x", "planted-thing=1").returncode, 0)
        told = run(sys.executable, "-c", EXTRA, "planted_thing", plugins=self.plugins)
        self.assertIn("set the property planted-thing.", told.stdout)

    def test_is_in_the_documents(self):
        tables = run(DOC).stdout
        self.assertIn("| `planted-thing` | integer, 0 to 41 | $GENCLIP_PLANTED | genclipsrc and genchannelsrc | "
                      "generate, batch, prefetch, check and channel | A planted setting. It grows. |", tables)
        self.assertIn(".TP\n.B \\-\\-planted\\-thing=\\fISEEDS\nA planted setting.\nIt grows.\n", tables)


if __name__ == "__main__":
    unittest.main()
