#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The bash completion, in a bash."""

import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

from command import GENCLIP, SOURCE, environment, genclip

SCRIPT = SOURCE / "plugin/command/genclip.bash"


def complete(*words, cwd=None, program=GENCLIP):
    """The replies for the last word, the words being split as bash splits them."""
    array = " ".join(shlex.quote(word) for word in (program, *words))
    script = f"""source {shlex.quote(str(SCRIPT))}; COMP_WORDS=({array}); COMP_CWORD={len(words)}; _genclip
                 printf '%s\\n' "${{COMPREPLY[@]}}" """
    run = subprocess.run(["bash", "--norc", "-u", "-c", script], env=environment(), capture_output=True, text=True,
                         timeout=60, check=False, cwd=cwd)
    assert run.stderr == "", run.stderr
    return run.stdout.split("\n")[:-1]


def options(*command):
    return {word[2:] for word in complete(*command, "--")}


def settings(element):
    """Its properties that can be written."""
    run = subprocess.run(["gst-inspect-1.0", element], env=environment(), capture_output=True, text=True, timeout=60, check=True)
    listed = run.stdout.partition("Element Properties:\n")[2].partition("\nElement ")[0]
    found = re.findall(r"^  ([a-z-]+) +: [^\n]*\n +flags: ([^\n]*)", listed, re.MULTILINE)
    return {name for name, flags in found if "writable" in flags}


def commands():
    listed = genclip("--help").stdout.partition("Commands:\n")[2].partition("\n\n")[0]
    return [line.split("  ")[1] for line in listed.split("\n")]


class Completion(unittest.TestCase):
    def test_commands(self):
        self.assertEqual(complete("che"), ["check"])
        self.assertLessEqual({"models", "check", "help"}, set(complete("")))

    def test_models(self):
        self.assertEqual(complete("models", "dance-"), ["dance-2.5"])
        self.assertEqual(complete("check", "sd_2.0_fast"), ["sd_2.0_fast_special", "sd_2.0_fast_discount"])

    def test_fields_of_the_model(self):
        self.assertEqual(complete("check", "dance-2.5", "reference_v"), ["reference_videos="])
        self.assertEqual(complete("check", "dance-2.5", "first_"), [""])
        self.assertEqual(complete("check", "wave2.7-i2v", "prompt", "=", "x", "first_"), ["first_image="])

    def test_values_of_a_field(self):
        self.assertEqual(complete("check", "mini-h3", "size", "=", "1440"), ["1440x2560", "1440x1440", "1440x1920"])
        self.assertEqual(complete("check", "sd_2.0_special", "watermark", "="), ["true", "false"])
        self.assertEqual(complete("check", "sd_2.0_special", "aspect-ratio", "=", "a"), ["adaptive"])
        # Bash breaks words at the colon too.
        self.assertEqual(complete("check", "sd_2.0_special", "aspect_ratio", "=", "16", ":", ""), ["9"])

    def test_a_films_options_have_values_of_their_own(self):
        self.assertEqual(complete("caption", "--to", "m"), ["mkv", "mp4"])
        self.assertEqual(complete("caption", "--to", "=", "v"), ["vtt"])
        self.assertIn("gem-2.5-pro", complete("caption", "--model", "gem"))
        with tempfile.TemporaryDirectory() as folder:
            for name in ("film.mp4", "film.srt"):
                (pathlib.Path(folder) / name).touch()
            self.assertEqual(sorted(complete("caption", "--language", "de", "film", cwd=folder)), ["film.mp4", "film.srt"])
            self.assertEqual(complete("caption", "--translate", "film.s", cwd=folder), ["film.srt"])

    def test_an_options_value_is_no_model(self):
        self.assertEqual(complete("generate", "--output", "x.mp4", "-q", "dance-2"), ["dance-2.5"])
        self.assertEqual(complete("generate", "-o", "x.mp4", "dance-2.5", "dur"), ["duration="])

    # B10: it offered models.
    def test_an_options_values_are_its_own(self):
        for words in (["--check-media"], ["dance-2.5", "--check-media"]):
            self.assertEqual(complete("generate", *words, ""), ["none", "headers", "full"])
        self.assertEqual(complete("generate", "--check-media", "f"), ["full"])
        self.assertEqual(complete("generate", "--check-media", "=", "h"), ["headers"])
        self.assertEqual(complete("generate", "--check-media", "="), ["none", "headers", "full"])
        self.assertEqual(complete("check", "--publish-check", ""), ["none", "headers"])
        self.assertEqual(complete("generate", "--reference-identity", "=", "c"), ["content"])
        for option in ("--timeout", "--task-id", "-t", "--proxy", "--store-max-size", "--publish-url"):
            self.assertEqual(complete("generate", option, ""), [""])
            self.assertEqual(complete("generate", option, "=", ""), [""])
        self.assertEqual(complete("generate", "--check-media", "full", "dance-2"), ["dance-2.5"])

    def test_commands_of_a_group(self):
        self.assertEqual(complete("store", "re"), ["remove"])
        self.assertEqual(complete("cost", ""), ["correct"])
        self.assertEqual(complete("budget", ""), ["set", "clear"])

    def test_options_of_a_group_that_is_a_command_too(self):
        self.assertIn("--by", complete("cost", "--"))
        self.assertNotIn("--by", complete("cost", "correct", "--"))
        self.assertIn("--per-day", complete("budget", "set", "--per-"))
        self.assertNotIn("--per-day", complete("budget", "--"))
        self.assertIn("--by", complete("cost", "--json", "--"))
        self.assertEqual(complete("cost", "--by", "m"), ["model", "month"])
        self.assertEqual(complete("store", "list", "--model", "dance-"), ["dance-2.5"])
        for words in (["budget", "set", "--per-day", ""], ["cost", "--since", ""]):
            self.assertEqual(complete(*words), [""])

    def test_publish_takes_files_and_its_subcommands(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "li ght.png").touch()
            self.assertEqual(sorted(complete("publish", "li", cwd=folder)), ["li ght.png", "list"])
            self.assertEqual(complete("publish", "x.png", "li", cwd=folder), ["li ght.png"])
            self.assertEqual(complete("publish", "prune", "", cwd=folder), [""])
            self.assertEqual(complete("publish", "--publish-check", "h", cwd=folder), ["headers"])
        self.assertIn("--dry-run", complete("publish", "prune", "--"))
        self.assertNotIn("--dry-run", complete("publish", "--"))
        self.assertIn("--publish-url", complete("publish", "x.png", "--"))

    def test_options(self):
        self.assertEqual(complete("check", "--"), ["--json", "--store", "--publish-folder", "--publish-url",
                                                    "--publish-check", "--reference-identity", "--help"])
        self.assertEqual(complete("models", "--j"), ["--json"])
        self.assertEqual(complete("--v"), ["--version"])
        self.assertIn("--hls", complete("channel", "-"))

    def test_the_options_of_a_channel_say_what_they_take_and_what_holds_without_them(self):
        self.assertEqual(complete("channel", "--fit", ""), ["pad", "crop", "stretch"])
        self.assertEqual(complete("channel", "--loop", ""), ["true", "false"])
        self.assertEqual(complete("channel", "--caption-model", ""), complete("caption", "--model", ""))
        help_text = " ".join(genclip("channel", "--help").stdout.split())
        for said in ("--fit=WHAT How clips of another shape are shown: pad, crop or stretch (pad) ", "--workers=N Number of generations at once (3) ",
                     "in seconds from submit; 0: no limit (1800) ", "--loudness=N Loudness of each clip in LUFS; 0: as it is (-23) ",
                     "end the stream (true) ", "with the API key, which only its owner should be able to read; else $GENCLIP_API_KEY, or",
                     "--proxy=VALUE URL of the HTTP proxy; else the system's proxy "):
            self.assertIn(said, help_text)

    # T12: a setting of a run is a property and an option.
    def test_every_setting_of_the_elements_is_an_option(self):
        of_elements = {"name", "parent", "blocksize", "num-buffers", "typefind", "do-timestamp", "automatic-eos"}
        fields = {word.rstrip("=").replace("_", "-") for word in complete("generate", "veo", "")}
        # store fetch submits nothing. The key stands on no command line; --anew is reuse=false; a dry run is genclip check; the rest is of a pipeline.
        clip = {"model", "extra-params", "api", "take", "api-key", "reuse", "dry-run", "random-access", "buffering-messages"}
        every = settings("genclipsrc") - of_elements - fields - clip
        self.assertLessEqual({"user-agent", "proxy", "tls-ca-file", "http-timeout", "retries", "max-download-size"}, every)
        self.assertEqual(every - options("generate"), set())
        for command in ("batch", "prefetch"):
            self.assertEqual(every - {"task-id"} - options(command), set(), command)
        references = {"check-media", "publish-folder", "publish-url", "publish-check", "reference-identity"}
        self.assertEqual(every - {"task-id", "on-unknown"} - references - options("store", "fetch"), set())
        # A film is no live stream and has no stills of its own; --jobs is max-in-flight; max-amount refuses all captions; equal cues
        # are always joined; asking ends with the run.
        live = {"latency", "late-policy", "max-observed-latency", "max-waiting", "stream", "image-sampling"}
        others = {"api-key", "max-in-flight", "max-amount", "merge-repeats", "asking"}
        self.assertEqual(settings("gencaption") - of_elements - live - others - options("caption"), set())

    def test_every_command_tells_its_options_and_does_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            for command in commands():
                with self.subTest(command=command):
                    offered = complete(*command.split(), "--", cwd=folder)
                    helped = genclip(*command.split(), "--help").stdout
                    self.assertEqual(sorted(offered), sorted(set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", helped, re.MULTILINE))))
                    self.assertEqual(list(pathlib.Path(folder).iterdir()), [])

    def test_a_word_that_looks_like_the_value_of_an_option_runs_nothing(self):
        """After all other words, --help would be the folder of the store here, and the request would be submitted."""
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "genclip"
            script.write_text('#!/bin/sh\necho "$*" >> "${0%/*}/calls"\n', encoding="utf-8")
            script.chmod(0o700)
            asked = [["generate", "dance-2.5", "prompt=x", "--task-id", "--"], ["generate", "dance-2.5", "prompt=x", "--", "-"],
                     ["store", "prune", "0", "--"]]
            for words in asked:
                complete(*words, program=str(script))
            self.assertEqual((script.parent / "calls").read_text(encoding="utf-8").splitlines(),
                             [" ".join(["__complete", *words]) for words in asked])
        self.assertEqual(complete("generate", "dance-2.5", "prompt=x", "--task-id", "--"), [""])

    def test_an_id_that_a_service_chose_is_a_word_and_no_code(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder) / "ran"
            lines = [f"$(touch {place})", f"`touch {place}`", f"x;touch {place}", "$HOME", "*", "a b", "t-7"]
            script = pathlib.Path(folder) / "genclip"
            script.write_text("#!/bin/sh\ncat <<'END'\n" + "\n".join(lines) + "\nEND\n", encoding="utf-8")
            script.chmod(0o700)
            offered = complete("store", "show", "", program=str(script), cwd=folder)
            self.assertFalse(place.exists())
            self.assertEqual([shlex.split(word) for word in offered], [[line] for line in lines])
            self.assertEqual(complete("store", "show", "t", program=str(script)), ["t-7"])

    def test_files_after_an_option_that_takes_one(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "my key").touch()
            for option in ("--api-key-file", "-k", "--store", "-s", "--output", "-o", "--publish-folder"):
                self.assertEqual(complete("generate", option, "my", cwd=folder), ["my key"])
                self.assertEqual(complete("generate", option, "no", cwd=folder), [""])
            self.assertEqual(complete("batch", "--output-dir", "=", "my", cwd=folder), ["my key"])
            for option in ("--slate", "--store", "--hls"):
                self.assertEqual(complete("channel", option, "my", cwd=folder), ["my key"])
            for words in (["batch"], ["prefetch"], ["channel"], ["frame", "--json"], ["frame"]):
                self.assertEqual(complete(*words, "my", cwd=folder), ["my key"])
            self.assertEqual(complete("batch", "a.csv", "my", cwd=folder), [""])

    def test_files_for_a_reference(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "my picture.png").touch()
            (pathlib.Path(folder) / "my folder").mkdir()
            for words in (["sd_2.0_special", "first_image"], ["dance-2.5", "reference-images"]):
                self.assertEqual(sorted(complete("check", *words, "=", "my", cwd=folder)), ["my folder", "my picture.png"])
                self.assertEqual(complete("generate", *words, "=", "no", cwd=folder), [""])
            self.assertEqual(complete("check", "sd_2.0_special", "prompt", "=", "my", cwd=folder), [""])

    def test_nothing_for_what_is_no_command(self):
        self.assertEqual(complete("nothing", "x"), [""])

    def test_the_script_registers_itself(self):
        run = subprocess.run(["bash", "--norc", "-c", f"source {shlex.quote(str(SCRIPT))}; complete -p genclip"],
                             env=environment(), capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(run.stdout, "complete -F _genclip genclip\n")
        self.assertTrue(os.access(GENCLIP, os.X_OK))


if __name__ == "__main__":
    unittest.main()
