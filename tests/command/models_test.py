#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""genclip models, and the common behaviour of all commands."""

import json
import pathlib
import subprocess
import tempfile
import unicodedata
import unittest

from command import GENCLIP, SOURCE, environment, genclip, genclip_json, genclip_on_terminal

BUILT_IN = json.loads((SOURCE / "plugin/catalog/models.json").read_text(encoding="utf-8"))
IDS = [model["id"] for model in BUILT_IN["models"]]


def width(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


class Models(unittest.TestCase):
    def test_lists_every_model_of_the_catalog(self):
        run = genclip("models")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        words = run.stdout.split()
        for model in IDS + ["gem-2.5-pro-low"]:
            self.assertIn(model, words)

    def test_lists_json_in_the_order_of_the_catalog(self):
        run, listed = genclip_json("models", "--json")
        self.assertEqual(run.returncode, 0)
        self.assertEqual([model["id"] for model in listed["models"]], IDS)
        self.assertEqual(set(listed["models"][0]), {"id", "group", "result", "apis", "assets", "open"})
        self.assertIn({"id": "gem-2.5-pro-low", "variant": "low-cost", "element": "gencaption"}, listed["text_models"])

    def test_shows_the_fields_of_each_model(self):
        for model in IDS:
            with self.subTest(model=model):
                run, shown = genclip_json("models", model, "--json")
                self.assertEqual(run.returncode, 0, run.stderr)
                text = genclip("models", model).stdout
                for field in shown["fields"]:
                    self.assertIn("\n" + field["name"], text)

    def test_json_of_a_model_holds_what_the_service_documents(self):
        _, shown = genclip_json("models", "wave2.7-i2v", "-j")
        fields = {field["name"]: field for field in shown["fields"]}
        self.assertEqual(fields["duration"], {"name": "duration", "type": "integer", "required": False, "refused": False,
                                              "default": 5, "min": 4, "max": 15, "allowed": "4 to 15"})
        self.assertEqual(fields["resolution"]["values"], ["720P", "1080P"])
        self.assertTrue(fields["last_image"]["required"])
        self.assertEqual((fields["first_image"]["min_items"], fields["first_image"]["max_items"]), (1, 1))
        _, shown = genclip_json("models", "mini-h3", "-j")
        self.assertIn(("conflict", ["aspect_ratio", "size"]),
                      [(rule["rule"], sorted(rule["fields"])) for rule in shown["rules"]])

    def test_says_what_references_may_be(self):
        text = genclip("models", "sd_2.0_special").stdout
        self.assertIn("\n* Besides a URL, reference_images, first_image and last_image take a file, a picture of an image model "
                      "(genclip://MODEL?…), or a frame of a video model's clip (genclip://MODEL?…#last, #first or #t=SECONDS).\n", text)
        self.assertIn("\n* Besides a URL, reference_videos takes a file, or a whole clip of a video model (genclip://MODEL?…).\n", text)
        self.assertIn("\n* Besides a URL, reference_audios takes a file.\n", text)
        _, shown = genclip_json("models", "sd_2.0_special", "--json")
        references = {field["name"]: field.get("references") for field in shown["fields"]}
        self.assertEqual(references["reference_videos"],
                         ["https://HOST/PATH", "assetId://ID", "FILE", "sha256:HEX", "genclip://VIDEO-MODEL?…"])
        self.assertEqual(references["last_image"][-1], "genclip://VIDEO-MODEL?…#last")
        self.assertIsNone(references["prompt"])

    def test_every_line_fits_the_terminal(self):
        for columns in (50, 80, 132):
            for words in ([], ["sd_2.0_special"], ["mini-h3"], ["wave2.7-r2v"]):
                with self.subTest(columns=columns, words=words):
                    run = genclip("models", *words, COLUMNS=str(columns))
                    self.assertGreater(len(run.stdout.splitlines()), 5)
                    for line in run.stdout.splitlines():
                        self.assertLessEqual(width(line), columns, line)
                        self.assertEqual(line, line.rstrip())

    def test_an_unknown_model_names_the_closest_and_fails(self):
        run = genclip("models", "dance 2.5")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertEqual(run.stderr, 'genclip: There is no model "dance 2.5"; the closest Model ID is dance-2.5. '
                                     'genclip models lists the Model IDs.\n')
        as_json, told = genclip_json("models", "dance 2.5", "--json")
        self.assertEqual((as_json.returncode, as_json.stderr), (1, run.stderr))
        self.assertEqual(told["error"], run.stderr.removeprefix("genclip: ").rstrip("\n"))

    def test_a_text_model_is_told_from_the_others(self):
        run = genclip("models", "gem-2.5-pro")
        self.assertEqual(run.returncode, 0)
        self.assertIn("gencaption", run.stdout)
        self.assertIn("(low-cost version)", genclip("models", "gem-2.5-pro-low").stdout)

    def test_a_users_file_adds_models_and_its_mistakes_are_named_with_their_line(self):
        with tempfile.TemporaryDirectory() as folder:
            good = pathlib.Path(folder) / "good.json"
            good.write_text('{"models": [{"id": "house-1", "fields": {"duration": {"min": 2, "max": 3}}}]}')
            bad = pathlib.Path(folder) / "bad.json"
            bad.write_text('{"models": [\n  {"id": "odd", "fields": {"duration": {"mim": 2}}}\n]}')
            run = genclip("models", "house-1", GENCLIP_MODELS=f"{good}:{bad}")
        self.assertEqual(run.returncode, 0)
        self.assertIn("2 to 3", run.stdout)
        self.assertIn(f"genclip: {bad}:2: ", run.stderr)

    def test_a_files_escape_sequences_do_not_reach_the_terminal(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "evil.json"
            file.write_text(json.dumps({"models": [
                {"id": "evil\033[2J", "note": "\033]0;x\007", "group": "\033[31m", "open": True}, {"id": "bad\033[2J"}]}))
            for words in ([], ["evil\033[2J"], ["bad\033[2J"]):
                run = genclip("models", *words, GENCLIP_MODELS=str(file))
                self.assertIn("[2J", run.stdout + run.stderr)
                self.assertNotRegex(run.stdout + run.stderr, "[\033\007]")


class Terminal(unittest.TestCase):
    def test_bold_is_for_terminals_and_no_color_turns_it_off(self):
        self.assertIn("\033[1m", genclip_on_terminal("models")[1])
        self.assertNotIn("\033", genclip_on_terminal("models", NO_COLOR="1")[1])
        self.assertNotIn("\033", genclip_on_terminal("models", TERM="dumb")[1])
        self.assertNotIn("\033", genclip("models", TERM="xterm").stdout)

    def test_problems_stand_in_lines_on_a_terminal(self):
        code, shown = genclip_on_terminal("check", "sd_2.0_special", "duration=99")
        self.assertEqual(code, 1)
        self.assertIn("2 problems with this request:\n  (1) prompt is missing", shown)


class Usage(unittest.TestCase):
    def test_version(self):
        for option in ("--version", "-V"):
            run = genclip(option)
            self.assertEqual(run.returncode, 0)
            self.assertRegex(run.stdout, r"^genclip \d+\.\d+\.\d+\n$")

    def test_help_names_every_command_and_each_has_its_own(self):
        run = genclip("--help")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        commands = [line.split("  ")[1] for line in run.stdout.partition("Commands:\n")[2].partition("\n\n")[0].split("\n")]
        self.assertIn("check", commands)
        for command in commands:
            with self.subTest(command=command):
                own = genclip(*command.split(), "--help")
                self.assertEqual((own.returncode, own.stderr), (0, ""))
                self.assertTrue(own.stdout.startswith(f"Usage:\n  genclip {command} [OPTION…]"), own.stdout)
                self.assertEqual(genclip("help", *command.split()).stdout, own.stdout)
                for line in own.stdout.splitlines():
                    self.assertLessEqual(width(line), 80, line)
        for line in run.stdout.splitlines():
            self.assertLessEqual(width(line), 80, line)

    def test_what_makes_no_sense_is_a_usage_error_on_standard_error(self):
        for words, said in ((["modles"], "Did you mean models?"), (["gen"], "Did you mean generate?"), (["publ"], "Did you mean publish?"),
                            (["b"], 'There is no command "b".\n'), ([""], 'There is no command "".\n'), ([], "A command is missing, such as models, check or generate."),
                            (["a red kite"], "To generate a clip: genclip generate MODEL prompt='a red kite' "
                                             "(genclip models lists the models).\nTry: genclip generate --help\n"),
                            (["--versio"], "Unknown option --versio; did you mean --version?"),
                            (["--output=x"], "Unknown option --output. The options of a command come behind it."),
                            (["-ksecret"], "Unknown option -k. The options of a command come behind it."),
                            (["generate", "--store-size=5G"], "Unknown option --store-size; did you mean --store-max-size?"),
                            (["generate", "--file=kite.mp4"], "Unknown option --file\n"),
                            (["budget", "set", "--day=5"], "Unknown option --day\n"),
                            (["budget", "--per-day", "5"], "Unknown option --per-day; did you mean genclip budget set --per-day?"),
                            (["store"], "genclip store needs a subcommand: list, find, gallery, show, verify, pin, unpin, remove, "
                                        "prune or fetch.\nTry: genclip store --help\n"),
                            (["store", "lst"], 'There is no command "store lst". Did you mean store list?'),
                            (["cost", "corect", "x", "1"], 'There is no command "cost corect". Did you mean cost correct?'),
                            (["budget", "claer"], 'There is no command "budget claer". Did you mean budget clear?'),
                            (["budget", "x"], 'There is no command "budget x". There are: budget, budget set, budget clear.'),
                            (["store", "x"], 'There is no command "store x". There are: list, find, '),
                            (["models", "--jsn"], "Unknown option --jsn; did you mean --json?"),
                            (["models", "--api-key=secret"], "Unknown option --api-key\n"),
                            (["models", "-xsecret"], "Unknown option -x\n"), (["models", "-jxsecret"], "Unknown option -jx\n"),
                            (["generate", "-qkxsecret", "veo"], "The value of -k is a word of its own: -k FILE\n"),
                            (["cost", "--today"], "Unknown option --today; did you mean --since?"),
                            (["budget", "set", "--daily=20"], "Unknown option --daily; did you mean --per-day?"),
                            (["caption", "a.mp4", "--format=srt"], "Unknown option --format; did you mean --output?"),
                            (["cost", "--sinse=2026-01-01"], "Unknown option --sinse; did you mean --since?"), (["models", "a", "b"], "more than one"),
                            (["generate", "--anew=false", "veo"], "--anew takes no value; leave it out.\n"),
                            (["prefetch", "--yes=no", "x"], "--yes takes no value; leave it out.\n"),
                            (["store", "remove", "x", "--pinned="], "--pinned takes no value; leave it out.\n"),
                            (["models", "--help=secret"], "--help takes no value; leave it out.\n"),
                            (["check"], "Model ID is missing")):
            with self.subTest(words=words):
                run = genclip(*words)
                self.assertEqual((run.returncode, run.stdout), (2, ""))
                self.assertIn(said, run.stderr)
                self.assertNotIn("secret", run.stderr)

    def test_output_that_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            run = subprocess.run([GENCLIP, "models"], env=environment(), stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual((run.returncode, run.stderr.decode()), (1, "genclip: The output could not be written to standard output.\n"))


if __name__ == "__main__":
    unittest.main()
