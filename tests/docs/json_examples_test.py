#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The outputs that documents show are those of the commands: the members of each JSON in docs/command.md, and an error."""

import os
import pathlib
import re
import subprocess
import unittest

from json_shape import differences, documents_in, shape
from public_folder import PublicFolder
from simulated_service import SimulatedService

# A fallback that is not there shows what a problem looks like.
RUNDOWN = """{"program": [{"id": "storm", "title": "Storm", "source": "genclip://sd_2.0_special?prompt=a%20storm&take=1"}],
 "fallback": ["card.png"]}"""
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/command.md"
EXAMPLE = re.compile(r"^`(genclip [^`]+)`\n\n```json\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# Commands with --json that have no example of their own, because the text names one that is the same.
SAME = {"budget set", "budget clear", "cost correct", "store find"}


class JsonExamples(unittest.TestCase):
    def test_have_the_members_that_the_commands_print(self):
        examples = EXAMPLE.findall(PAGE.read_text(encoding="utf-8"))
        self.assertGreater(len(examples), 20)
        with SimulatedService("--queued", "0", "--processing", "0", "--poll-interval", "10") as service:
            folder = pathlib.Path(service.folder.name)
            public = self.enterContext(PublicFolder(folder / "public"))
            (folder / "day.json").write_text(RUNDOWN, encoding="utf-8")
            (folder / "prompts.txt").write_text("a storm\na kite\n", encoding="utf-8")
            kept = {name: value for name, value in os.environ.items() if not name.startswith("GENCLIP_")}
            env = kept | service.settings | public.settings | {
                "PATH": f"{os.environ['GENCLIP_PROGRAMS']}:{kept['PATH']}",
                "GENCLIP_LLM_BASE_URL": service.base_url.removesuffix("/api") + "/llm"}
            names = {"KEY": "", "TASK-ID": ""}
            for command, example in examples:
                with self.subTest(command=command):
                    for name, value in names.items():
                        command = command.replace(name, value)
                    # A reader has no such option: the simulator's times are short here, and so are the polls.
                    quick = command.replace("genclip generate", "genclip generate --poll-interval 10").replace(
                        "genclip batch", "genclip batch --poll-interval 10")
                    run = subprocess.run(["bash", "-c", quick], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                                         text=True, check=False, timeout=60)
                    real = documents_in(run.stdout)
                    self.assertTrue(real, run.stderr)
                    self.assertEqual([*differences(shape(documents_in(example)), shape(real))], [])
                    if real[0].get("task_id") and not names["KEY"]:
                        names = {"KEY": pathlib.Path(real[0]["clip"]).parent.name, "TASK-ID": real[0]["task_id"]}

    def test_are_there_for_every_command_that_prints_json(self):
        genclip = pathlib.Path(os.environ["GENCLIP_PROGRAMS"]) / "genclip"

        def told(*words):
            return subprocess.run([genclip, *words], capture_output=True, text=True, check=False, timeout=60).stdout

        examples = " ".join(command for command, _ in EXAMPLE.findall(PAGE.read_text(encoding="utf-8")))
        names = [line.split("\t")[0].strip() for line in told("__complete", "").splitlines()]
        names += [f"{name} {line.split(chr(9))[0].strip()}" for name in ("store", "publish", "cost", "budget")
                  for line in told("__complete", name, "").splitlines() if re.fullmatch(r"[a-z]+\t.*", line)]
        self.assertIn("store list", names)
        printing = {name for name in names if name and "--json" in told(*name.split(), "--help")}
        self.assertGreater(len(printing), 15)
        self.assertEqual({name for name in printing if f"genclip {name} " not in examples}, SAME)

    def test_moderation_looks_as_the_questions_say(self):
        page = (PAGE.parent / "questions.md").read_text(encoding="utf-8")
        (told,) = re.findall(r"^    (genclip: The service could not generate .*)$", page, re.MULTILINE)
        with SimulatedService("--queued", "0", "--processing", "0", "--poll-interval", "10", "--moderated", "100") as service:
            run = service.run(f"{os.environ['GENCLIP_PROGRAMS']}/genclip", "generate", "--poll-interval", "10", "sd_2.0_special", "prompt=a")
            self.assertEqual(run.returncode, 1)
            self.assertIn(told, run.stdout.splitlines())
            again = service.run(f"{os.environ['GENCLIP_PROGRAMS']}/genclip", "generate", "--json", "--poll-interval", "10", "sd_2.0_special",
                                "prompt=a")
            self.assertIn('"charged": "maybe"', again.stdout)

    def test_an_example_may_leave_out_what_another_has(self):
        self.assertEqual([*differences(shape([{"a": 1, "…": "as above"}]), shape([{"a": 1, "b": 2}]))], [])

    def test_a_member_that_is_missing_or_invented_is_found(self):
        real = {"a": 1, "b": [{"c": 1}, {"d": None}], "e": None}
        self.assertEqual([*differences(shape([real]), shape([real]))], [])
        self.assertEqual([*differences(shape([{"a": 1, "b": [{"c": 1}], "e": {"x": 1}}]), shape([real]))], ["b.d is not in the example"])
        self.assertEqual([*differences(shape([{**real, "f": 1}]), shape([real]))], ["f is only in the example"])


if __name__ == "__main__":
    unittest.main()
