#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""genclip check reports the same problems as genclipsrc, and prints what would be sent."""

import hashlib
import json
import pathlib
import re
import struct
import shlex
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import zlib

from command import GENCLIP, environment, genclip, genclip_json

# Words for the command, properties for the element: requests that both can express.
BAD = [
    (["sd_2.0_special", "duration=99", "resolution=8k", "aspect-ratio=2:1"],) * 2,
    (["sd_2.0_special", "prompt=x", "duration=3"],) * 2,
    (["sd_2.0_special", "prompt=x", "aspect_ratio=16:10"], ["sd_2.0_special", "prompt=x", "aspect-ratio=16:10"]),
    (["sd_9", "prompt=x", "duration=5"],) * 2,
    (["dance 2.5", "prompt=x"],) * 2,
    (["gem-2.5-pro", "prompt=x"],) * 2,
    (["mini-h3", "prompt=x", "aspect-ratio=16:9", "size=2560x1440"],) * 2,
    (["mini-h3", "prompt=x", "reference-audios=https://m.example/a.mp3"],
     ["mini-h3", "prompt=x", 'reference-audios=<"https://m.example/a.mp3">']),
    (["sd_2.0_special", "prompt=x", "last-image=https://m.example/1.png"],) * 2,
    (["sd_2.0_special", "prompt=x", "first-image=/home/me/1.png"],) * 2,
    (["sd_2.0_special", "prompt=x", "first-image=genclip://dance-2.5?duration=99#last"],) * 2,
    (["sd_2.0_special", "prompt=x", "--publish-url=ftp://p.example"], ["sd_2.0_special", "prompt=x", "publish-url=ftp://p.example"]),
    (["dance-2.5", "prompt=x", "first_image=https://m.example/1.png", "seed=7"],
     ["dance-2.5", "prompt=x", "first-image=https://m.example/1.png", "seed=7"]),
    (["wave2.7-i2v", "prompt=x"],) * 2,
    (["sky2Stable", "prompt=x", "duration=7"],) * 2,
    (["sky2Stable", "prompt=x", "duration=10", "aspect-ratio=wide"],) * 2,
    (["sd_2.0_special", "prompt=x", "generate-audio=on", "tools2=5"],
     ["sd_2.0_special", "prompt=x", "generate-audio=on", 'extra-params="params, tools2=(int)5"']),
    (["dream-5.0", "prompt=x", "api=legacy"],) * 2,
    (["sd_2.0_special", "prompt=x", "api=legacy"],) * 2,
]

GOOD = [
    (["sd_2.0_special", "prompt=a red kite"],) * 2,
    (["sd_2.0_special", "prompt=x", "seed=-1", "duration=0", "watermark=default"],) * 2,
    (["sd_2.0_special", "prompt=x", "generate-audio=off", "watermark=on", "seed=9"],) * 2,
    (["dance-2.5", "prompt=x", "images=https://m.example/1.png", "reference-images=https://m.example/2.png"],
     ["dance-2.5", "prompt=x", 'reference-images=<"https://m.example/1.png","https://m.example/2.png">']),
    (["sky2Stable", "prompt=x", "duration=10"],) * 2,
    (["veo", "prompt=x", "style=film", "strength=0.5", "deep=true"],
     ["veo", "prompt=x", 'extra-params="params, style=(string)film, strength=(double)0.5, deep=(boolean)true"']),
    (["dance_1_5_pro_720p", "prompt=x", "api=legacy", "take=3"],) * 2,
    (["sd_2.0_special", "prompt=x", "first-image=sha256:" + "a" * 64],) * 2,
]

# A picture, a clip that begins with it, and that clip's last frame.
PICTURE = "genclip://dream-5.0?prompt=a%20boat"
CLIP = "genclip://sd_2.0_special?prompt=a%20storm&first_image=" + urllib.parse.quote(PICTURE, ":/")
SERVICE = "https://s.example/api"
PUBLISHING = {"GENCLIP_PUBLISH_FOLDER": "/nowhere", "GENCLIP_PUBLISH_URL": "https://p.example"}


def png(width, height=400):
    """A black picture."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = zlib.compress((b"\0" + b"\0" * width) * height)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, 0, 0, 0, 0)) + chunk(b"IDAT", rows) +
            chunk(b"IEND", b""))


# An application that gets a URI, and what its element would send.
PLAYER = """
import sys
import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst
Gst.init(None)
pipeline = Gst.Pipeline()
src = Gst.Element.make_from_uri(Gst.URIType.SRC, sys.argv[1], None)
sink = Gst.ElementFactory.make("fakesink")
src.set_property("dry-run", True)
for element in (src, sink):
    pipeline.add(element)
src.link(sink)
pipeline.set_state(Gst.State.PLAYING)
message = pipeline.get_bus().timed_pop_filtered(30 * Gst.SECOND, Gst.MessageType.ELEMENT | Gst.MessageType.ERROR)
print(message.get_structure().get_string("body") if message.type == Gst.MessageType.ELEMENT else message.parse_error())
pipeline.set_state(Gst.State.NULL)
"""


def element(words):
    """The output of gst-launch for the same request."""
    run = subprocess.run(["gst-launch-1.0", "-m", "genclipsrc", "dry-run=true", "base-url=" + SERVICE,
                          "model=" + words[0], *words[1:], "!", "fakesink"],
                         env=environment(), capture_output=True, text=True, timeout=60, check=False)
    return run.returncode, run.stdout + run.stderr


def unescaped(text):
    return re.sub(r"\\(.)", r"\1", text)


class SameAsTheElement(unittest.TestCase):
    def test_a_bad_request_gets_the_elements_text(self):
        for words, properties in BAD:
            with self.subTest(words=words):
                run = genclip("check", *words)
                self.assertEqual((run.returncode, run.stdout), (1, ""))
                self.assertTrue(run.stderr.startswith("genclip: "), run.stderr)
                code, shown = element(properties)
                self.assertNotEqual(code, 0)
                said = re.search(r"^ERROR: from element \S+: (.*)$", shown, re.MULTILINE)
                self.assertIsNotNone(said, shown)
                # The element names a property where the command names the option.
                self.assertEqual(run.stderr.replace(" --publish-", " publish-"), f"genclip: {said[1]}\n")

    def test_a_good_request_has_the_elements_body_and_address(self):
        for words, properties in GOOD:
            with self.subTest(words=words):
                run, verdict = genclip_json("check", *words, "--json", GENCLIP_BASE_URL=SERVICE)
                self.assertEqual(run.returncode, 0, run.stderr)
                code, shown = element(properties)
                self.assertEqual(code, 0, shown)
                said = re.search(r'genclip-request, url=\(string\)"?(?P<url>[^,"]+)"?, body=\(string\)"(?P<body>.*)";', shown)
                self.assertIsNotNone(said, shown)
                self.assertEqual(verdict["body"], json.loads(unescaped(said["body"])))
                self.assertEqual(list(verdict["body"])[:2], ["model", "prompt"])
                self.assertEqual(verdict["url"], unescaped(said["url"]))


class Check(unittest.TestCase):
    def test_an_address_that_every_run_refuses_is_refused_and_not_shown(self):
        for address in ("http://u:SECRET@s.example/", "ftp://s.example", "nonsense", "https://s.example/?key=SECRET"):
            with self.subTest(address=address):
                run, verdict = genclip_json("check", "sd_2.0_special", "prompt=x", "--json", GENCLIP_BASE_URL=address)
                self.assertEqual((run.returncode, verdict["valid"]), (1, False))
                self.assertIn("base-url must", verdict["problems"][0]["text"])
                self.assertNotIn("SECRET", run.stdout + run.stderr)

    def test_a_key_in_the_request_is_shown_by_nothing(self):
        for words in (["prompt=x", "duration=sk-0123456789abcdef"], ["prompt=x", "take=sk-0123456789abcdef"],
                      ["prompt=a sk-0123456789abcdef"], ["genclip://veo?prompt=x&seed=sk-0123456789abcdef"]):
            for command in (["check", "--json"], ["check"], ["generate", "--json"], ["generate"]):
                with self.subTest(words=words, command=command):
                    model = [] if words[0].startswith("genclip:") else ["dance-2.5"]
                    run = genclip(*command, *model, *words, GENCLIP_API_KEY="sk-0123456789abcdef")
                    self.assertEqual(run.returncode, 1)
                    self.assertIn("contains the API key", run.stdout + run.stderr)
                    self.assertNotIn("0123456789", run.stdout + run.stderr)

    def test_shows_body_uri_and_uri_for_ges(self):
        run = genclip("check", "dance-2.5", "prompt=a storm & 100 %")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn('"prompt": "a storm & 100 %"', run.stdout)
        self.assertIn("\ngenclip://dance-2.5?prompt=a%20storm%20%26%20100%20%25\n", run.stdout)
        self.assertIn("\ngenclip://dance-2.5%3Fprompt=a%2520storm%2520%2526%2520100%2520%2525\n", run.stdout)

    def test_json_is_stable(self):
        run, verdict = genclip_json("check", "sd_2.0_special", "prompt=x", "take=2", "--json",
                                    GENCLIP_BASE_URL="https://s.example/api")
        self.assertEqual(run.returncode, 0)
        self.assertEqual(verdict, {
            "valid": True, "model": "sd_2.0_special", "api": "tasks", "take": 2,
            "url": "https://s.example/api/v2/model-center/tasks",
            "body": {"model": "sd_2.0_special", "prompt": "x", "duration": 5},
            "uri": "genclip://sd_2.0_special?prompt=x&take=2",
            "ges_uri": "genclip://sd_2.0_special%3Fprompt=x&take=2", "warnings": [], "estimate": None, "refused": None})

    def test_lists_the_clips_that_are_generated_before_it(self):
        words = ["check", "sd_2.0_special", "prompt=calm", "first_image=" + CLIP + "#last"]
        run = genclip(*words, **PUBLISHING)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertTrue(run.stdout.startswith(
            f"Generated before it\nfirst_image: first_image: {PICTURE}\nfirst_image (#last): {CLIP}\n\nWould be sent as POST "), run.stdout)
        run, verdict = genclip_json(*words, "--json", **PUBLISHING)
        self.assertEqual(verdict["clips"], [
            {"place": "first_image: first_image", "part": "", "model": "dream-5.0", "uri": PICTURE},
            {"place": "first_image", "part": "last", "model": "sd_2.0_special", "uri": CLIP}])
        run, again = genclip_json("check", "--json", verdict["uri"], **PUBLISHING)
        self.assertEqual(again, verdict)

    def test_publishing_lets_files_and_frames_be_given(self):
        picture = tempfile.NamedTemporaryFile(suffix=".png")
        self.addCleanup(picture.close)
        picture.write(png(400))
        picture.flush()
        for reference in (picture.name, CLIP + "#last"):
            words = ["check", "sd_2.0_special", "prompt=x", "first_image=" + reference]
            run = genclip(*words)
            self.assertEqual(run.returncode, 1)
            self.assertIn("set --publish-folder and --publish-url", run.stderr)
            self.assertEqual(genclip(*words, "--publish-folder=/nowhere", "--publish-url=https://p.example").returncode, 0)
            self.assertEqual(genclip(*words, GENCLIP_PUBLISH_COMMAND="/nowhere").returncode, 0)

    def test_a_file_is_shown_by_its_content_and_a_missing_one_is_named(self):
        words = ["check", "sd_2.0_special", "prompt=x", "--publish-folder=/nowhere", "--publish-url=https://p.example"]
        with tempfile.NamedTemporaryFile(suffix=".png") as picture:
            picture.write(png(400))
            picture.flush()
            _, verdict = genclip_json(*words, "first_image=" + picture.name, "--json")
            self.assertEqual(verdict["body"]["first_image"], ["sha256:" + hashlib.sha256(png(400)).hexdigest()])
        run = genclip(*words, "first_image=/nowhere/1.png")
        self.assertEqual(run.returncode, 1)
        self.assertIn("first_image (/nowhere/1.png) cannot be opened", run.stderr)

    # R3, M3
    def test_a_reference_that_generate_refuses_is_refused_in_the_same_words(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        small, wide, text = (pathlib.Path(folder.name) / name for name in ("small.png", "wide.png", "text.png"))
        small.write_bytes(png(300))
        wide.write_bytes(png(1200, 301))
        text.write_bytes(b"a picture")
        env = {"GENCLIP_STORE": folder.name + "/store", "GENCLIP_PUBLISH_FOLDER": folder.name, "GENCLIP_PUBLISH_URL": "https://p.example",
               "GENCLIP_PUBLISH_ROOTS": folder.name, "GENCLIP_BASE_URL": "https://s.example/api", "GENCLIP_API_KEY": "key"}
        inner = f"genclip://sd_2.0_special?prompt=a&first_image={small}#last"
        long = "genclip://dance-2.5?prompt=a&duration=15"
        three = "&".join(f"reference_videos={urllib.parse.quote(long + '&take=' + take, '')}" for take in "123")
        edit = "genclip://wave2.7-videoedit?prompt=a&duration=10&reference_videos=genclip%3A%2F%2Fdance-2.5%3Fprompt%3Db"
        for fields, said in (([f"first_image={small}"], "first_image is 300 pixels wide; sd_2.0_special takes above 300 and below 6000"),
                             ([f"first_image={small}", f"last_image={wide}"], "2 problems with this request: (1) first_image is 300"),
                             ([f"first_image={text}"], "first_image"),
                             ([f"first_image={inner}"], "first_image: first_image is 300 pixels wide"),
                             # Clips that are not generated yet, by what they will be.
                             (["reference_videos=genclip://grk_video3?prompt=a&duration=20"], "2 problems with this request: (1) reference_videos will last 20"),
                             ([f"first_image={edit}#last"], "first_image: duration is 10, but reference_videos will last 4 seconds"),
                             (["first_image=genclip://grk_video3?prompt=a#t=31"], "first_image is the frame at 31 seconds of a clip of at most 30"),
                             ([f"first_image=genclip://dance-2.5?prompt=x&{three}#last"], "first_image: reference_videos together will last 45")):
            with self.subTest(fields=fields):
                words = ["sd_2.0_special", "prompt=x", *fields]
                run = genclip("check", *words, **env)
                self.assertEqual((run.returncode, run.stdout), (1, ""))
                self.assertIn(said, run.stderr)
                # It is refused before anything is sent.
                paid = genclip("generate", *words, **env)
                # Files are measured while the run prepares.
                self.assertEqual(paid.stderr.removeprefix("preparing\n").splitlines()[0] + "\n", run.stderr)
                rows = pathlib.Path(folder.name) / "rows.jsonl"
                rows.write_text(json.dumps({"model": words[0], **dict(word.split("=", 1) for word in words[1:])}), encoding="utf-8")
                self.assertIn(run.stderr.removeprefix("genclip: "), genclip("batch", str(rows), "--dry-run", **env).stderr)
                rundown = pathlib.Path(folder.name) / "rundown.txt"
                uri = f"genclip://sd_2.0_special?{urllib.parse.urlencode(dict(word.split('=', 1) for word in words[1:]))}"
                rundown.write_text(uri + "\n", encoding="utf-8")
                self.assertIn(said, " ".join(genclip("channel", "--check", str(rundown), **env).stdout.split()))
                ledger = pathlib.Path(folder.name) / "store" / "ledger.jsonl"  # It is begun before the price is asked for.
                self.assertEqual(ledger.read_text(encoding="utf-8") if ledger.exists() else "", "", "Something was submitted.")

    # S3
    def test_what_it_prints_can_be_pasted_and_is_the_same_request(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        (pathlib.Path(folder.name) / "a red kite.png").write_bytes(png(400))
        inner = "genclip://sd_2.0_special?prompt=a%20storm&first_image=a%20red%20kite.png#last"
        for words in (["dance-2.5", "prompt=it's \"50 % off\" + 1 & $HOME `x` \\ #1 !", "take=2"],
                      ["dance-2.5", "prompt=two\nlines and 一只红色的风筝", "duration=8"],
                      ["dance-2.5", "prompt=x", "reference_images=a red kite.png", "reference_images=https://m.example/1.png?a=b+c"],
                      ["sd_2.0_special", "prompt=x", "first_image=a red kite.png", "watermark=on"],
                      ["sd_2.0_special", "prompt=x", "first_image=" + inner],
                      ["veo", "prompt=x", 'style={"a": [1, 2]}', "name=\"5\"", "list=[1]", "strength=0.5"]):
            with self.subTest(words=words):
                elsewhere = environment(GENCLIP_BASE_URL="http://127.0.0.1:1", **PUBLISHING)
                here = {**elsewhere, "GENCLIP_PUBLISH_ROOTS": folder.name}
                first = json.loads(self.shell(shlex.join([GENCLIP, "check", "--json", *words]), folder.name, here))
                text = self.shell(shlex.join([GENCLIP, "check", *words]), folder.name, here)
                self.assertNotIn("a%20red%20kite", text)
                self.assertEqual("once that is stored" in text, "kite.png" in str(words))
                # From another folder, where nothing may be published.
                again = json.loads(self.shell(shlex.join([GENCLIP, "check", "--json", first["uri"]]), "/", elsewhere))
                self.assertEqual(again, first)
                play, ges = text.partition("\nIn a shell\n")[2].splitlines()[:2]
                self.assertEqual(self.shell(play.replace("gst-play-1.0", GENCLIP + " check --json"), "/", elsewhere),
                                 self.shell(shlex.join([GENCLIP, "check", "--json", first["uri"]]), "/", elsewhere))
                # As ges-launch-1.0 does it: decoded once.
                given = self.shell(ges.replace("ges-launch-1.0 +clip", "printf %s"), "/", elsewhere)
                self.assertEqual(urllib.parse.unquote(given), first["uri"])
                # The element cannot tell what a clip inside the request will be.
                if "genclip:" not in str(words):
                    self.assertEqual(json.loads(self.shell(shlex.join([sys.executable, "-c", PLAYER, first["uri"]]), "/", elsewhere)),
                                     first["body"])

    def shell(self, line, folder, env):
        run = subprocess.run(["sh", "-c", line], cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(run.returncode, 0, f"{line}: {run.stderr}")
        return run.stdout

    def test_json_names_every_problem_and_its_field(self):
        run, verdict = genclip_json("check", "sd_2.0_special", "duration=99", "--json")
        self.assertEqual(run.returncode, 1)
        self.assertFalse(verdict["valid"])
        self.assertEqual([problem["field"] for problem in verdict["problems"]], ["prompt", "duration"])
        self.assertEqual(run.stderr, f"genclip: {verdict['error']}\n")

    def test_its_uri_is_judged_the_same(self):
        for words, _ in GOOD:
            with self.subTest(words=words):
                _, first = genclip_json("check", *words, "-j")
                _, again = genclip_json("check", first["uri"], "-j")
                self.assertEqual(again, first)

    def test_a_bad_uri_fails(self):
        for uri in ("genclip://sd_2.0_special?duration=99", "genclip://sd_2.0_special?prompt=%zz", "genclip://?prompt=x"):
            with self.subTest(uri=uri):
                self.assertEqual(genclip("check", uri).returncode, 1)

    def test_a_cut_prompt_is_a_warning(self):
        run = genclip("check", "wave2.7-r2v", "prompt=" + "x" * 5001, "reference_images=https://m.example/1.png")
        self.assertEqual(run.returncode, 0)
        self.assertIn("genclip: Warning: ", run.stderr)

    def test_values_that_do_not_fit_their_type_are_named(self):
        for word in ("duration=five", "duration=5.5", "seed=1e3", "watermark=maybe", "duration="):
            with self.subTest(word=word):
                run = genclip("check", "sd_2.0_special", "prompt=x", word)
                self.assertEqual(run.returncode, 1)
                self.assertIn(word.partition("=")[0], run.stderr)

    def test_a_field_that_takes_one_value_takes_no_two(self):
        run = genclip("check", "sd_2.0_special", "prompt=x", "duration=5", "duration=6")
        self.assertEqual(run.returncode, 1)
        self.assertIn("gives duration twice", run.stderr)

    def test_all_problems_are_named_at_once(self):
        for words in (["genclip://sd_2.0_special?prompt=&take=x&duration=99"],
                      ["sd_2.0_special", "prompt=", "take=x", "duration=99"]):
            for command in ("check", "generate"):
                with self.subTest(command=command, words=words):
                    run = genclip(command, *words)
                    self.assertEqual(run.returncode, 1)
                    for said in ("take is", "prompt is", "duration is 99"):
                        self.assertIn(said, run.stderr)

    def test_words_that_are_no_fields_are_usage_errors(self):
        for words, said in ((["sd_2.0_special", "a kite"], "FIELD=VALUE"), (["prompt=x"], "Model ID is missing"),
                            (["sd_2.0_special", "a kite"], 'if it is the prompt, write prompt="a kite".'),
                            (["sd_2.0_special", "a $5 kite"], "write 'prompt=a $5 kite'."),
                            (["sd_2.0_special", "a kite " * 20], 'if it is the prompt, write prompt="…".'),
                            (["sd_2.0_special", "a", "kite", "duration=5"], 'quote values that hold blanks: prompt="…".'),
                            (["sd_2.0_special", "prompt=a", "kite"], 'quote values that hold blanks: prompt="…".'),
                            (["sd_2.0_special", "=x"], "FIELD=VALUE"), (["sd_2.0_special", "store=/tmp"], "--store"),
                            (["sd_2.0_special", "model=veo"], "twice"),
                            (["genclip://veo?prompt=x", "seed=1"], "not both")):
            with self.subTest(words=words):
                run = genclip("check", *words)
                self.assertEqual(run.returncode, 2)
                self.assertIn(said, run.stderr)

    def test_a_prompt_in_place_of_a_model_is_a_usage_error(self):
        for command in ("check", "generate"):
            run = genclip(command, "a boat")
            self.assertEqual(run.returncode, 2)
            self.assertIn('There is no model "a boat". The Model ID comes first', run.stderr)
            self.assertIn("genclip models lists", run.stderr)
            self.assertNotIn("closest", run.stderr)

    # R11
    def test_a_field_that_is_written_as_an_option_is_told_how_to_be_written(self):
        for command in ("check", "generate", "batch"):
            run = genclip(command, "sd_2.0_special", "prompt=x", "--duration", "10")
            self.assertEqual((run.returncode, run.stderr.splitlines()[0]),
                             (2, "genclip: duration is a field of the request, not an option: write duration=10."))
        self.assertIn("Unknown option --durations", genclip("check", "veo", "--durations=5").stderr)
        self.assertIn("Unknown option --duration", genclip("cost", "--duration=5").stderr)

    def test_what_is_wrong_with_many_rows_is_said_once(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as rows:
            rows.write("a kite\n" * 300)
            rows.flush()
            run = genclip("batch", rows.name)
            self.assertEqual(run.returncode, 1)
            self.assertEqual(run.stderr.count("A Model ID is missing"), 1, run.stderr)
            self.assertIn(f"{rows.name}: lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 290 more: A Model ID is missing", run.stderr)
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as rows:
            rows.write("genclip://sd_2.0_special?prompt=x&duration=99\n" * 12)
            rows.flush()
            run = genclip("prefetch", rows.name, "--yes")
            self.assertEqual(run.stderr.count("takes 4 to 15"), 1, run.stderr)

    def test_a_key_is_refused_and_not_repeated(self):
        run = genclip("check", "veo", "prompt=x", "api-key=sk-4711")
        self.assertEqual(run.returncode, 1)
        self.assertIn("--api-key-file", run.stderr)
        self.assertNotIn("4711", run.stdout + run.stderr)

    def test_words_that_begin_with_a_dash_follow_two_dashes(self):
        _, verdict = genclip_json("check", "--json", "--", "veo", "prompt=-x")
        self.assertEqual(verdict["body"]["prompt"], "-x")

    def test_a_prompt_that_is_not_utf_8_is_refused(self):
        run = subprocess.run([GENCLIP, "check", "veo", b"prompt=\xff\xfe"], env=environment(),
                             capture_output=True, timeout=60, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertIn(b"UTF-8", run.stderr)

    def test_every_locale_takes_every_prompt(self):
        for locale in ("C", "C.UTF-8"):
            _, verdict = genclip_json("check", "veo", "prompt=kite 风筝 🪁", "-j", LC_ALL=locale)
            self.assertEqual(verdict["body"]["prompt"], "kite 风筝 🪁")


if __name__ == "__main__":
    unittest.main()
