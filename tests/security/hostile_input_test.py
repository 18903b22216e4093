#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Foreign URIs, model files, stores and parameters: validated or set aside quickly and without harm."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from raw_service import CLIP, RawService, answer

GENERATE = ["genclipsrc", "model=sd_2.0_special", "prompt=x", "poll-interval=10", "retries=0"]
DECOY = "what belongs to somebody else\n"
# Much longer than any run here; waiting for a pipe would never end.
PATIENCE = 120

URIS = [
    "genclip:", "genclip:/", "genclip://", "genclip:///", "genclip://?", "genclip://?prompt=x", "genclip://sd_2.0_special",
    "genclip://sd_2.0_special?", "genclip://sd_2.0_special?prompt", "genclip://sd_2.0_special?prompt=", "genclip://sd_2.0_special?=x",
    "genclip://sd_2.0_special?prompt=%", "genclip://sd_2.0_special?prompt=%zz", "genclip://sd_2.0_special?prompt=%00",
    "genclip://sd_2.0_special?prompt=%ff%fe", "genclip://sd_2.0_special?prompt=x&prompt=y", "genclip://sd_2.0_special?prompt=x#f",
    "genclip://..%2F..%2Fetc%2Fpasswd?prompt=x",
    "genclip://user:pass@sd_2.0_special?prompt=x", "genclip://sd_2.0_special:99999999999?prompt=x", "genclip://[::1]?prompt=x",
    "genclip://%00?prompt=x", "genclip://%25%25%25?prompt=x", "genclip://sd_2.0_special?prompt=x&duration=-1",
    "genclip://sd_2.0_special?prompt=x&duration=99999999999999999999999999", "genclip://sd_2.0_special?prompt=x&duration=NaN",
    "genclip://sd_2.0_special?prompt=x&take=-1", "genclip://sd_2.0_special?prompt=x&take=4294967296",
    "genclip://sd_2.0_special?prompt=x&api=v3", "genclip://sd_2.0_special?prompt=x&seed=1e999",
    "genclip://sd_2.0_special?prompt=x&first_image=file:///etc/passwd", "genclip://sd_2.0_special?prompt=x&first_image=/etc/passwd",
    "genclip://sd_2.0_special?prompt=x&first_image=data:image/png;base64,AAAA",
    "genclip://sd_2.0_special?prompt=x&first_image=javascript:1", "genclip://sd_2.0_special?prompt=x&first_image=https://",
    "genclip://sd_2.0_special?prompt=x&last_image=https://m.example/1.png", "genclip://sd_2.0_special?prompt=x&model=dance-2.5",
    # A URI must never set keys, their destination, or the location of files.
    *(f"genclip://sd_2.0_special?prompt=x&{field}=http://evil.example/k" for field in (
        "api_key", "api-key", "apikey", "API_KEY", "key", "token", "authorization", "api_key_file", "password")),
    *(f"genclip://sd_2.0_special?prompt=x&{field}=http://evil.example/k" for field in (
        "base_url", "base-url", "proxy", "store", "tls_ca_file", "user_agent", "task_id", "task-id", "reuse")),
    "genclip://sd_2.0_special?prompt=" + "x%20" * 2000, "genclip://" + "a" * 100000, "genclip://sd_2.0_special?" + "&" * 100000,
    "genclip://sd_2.0_special?prompt=x" + "&reference_images=https://m.example/1.png" * 2000, "genclip://sd_2.0_special?prompt=x&\n=1",
    "GENCLIP://nobody?prompt=x", "genclip://sd_2.0_special?prompt=x&resolution=%0d%0aX: y",
    *(f"genclip://{uri}" for sequence in ("%1b%5b2J", "%C2%9B2J", "%E2%80%AE", "%E2%80%A8") for uri in (
        f"da{sequence}nce?prompt=x", f"dance-2.5?prompt=x&du{sequence}ration=5", f"dance-2.5?prompt=x&duration={sequence}",
        f"dance-2.5?prompt=x&reference_images={sequence}", f"dance-2.5?prompt=x&api={sequence}")),
]
# Terminal controls: sequences of both control sets, text directions, line ends.
OBEYED = ("\x1b[2J", "\u009b", "\u202e", "\u2028")

MODEL_FILES = {
    "nothing": b"", "no JSON": b"\0\xff\xfe", "a number": b"7", "null": b"null", "a list": b"[]", "no models": b"{}",
    "models of a wrong type": b'{"models": 7}', "models of wrong types": b'{"models": [7, null, "x", [], {}]}',
    "nesting": b'{"models": ' + b"[" * 200000, "nested fields": b'{"models": [{"id": "a", "fields": ' + b'{"a":' * 100000,
    "odd names": json.dumps({"models": [{"id": name} for name in ("", " ", "../x", "a\n", "a" * 100000, "\u202e", "%00", "?")]}).encode(),
    "odd fields": json.dumps({"models": [{"id": "hostile", "fields": [{"name": "prompt", "type": "string", "min": 1e308, "max": -1},
                                                                    {"name": "api_key", "type": "string"},
                                                                    {"name": "prompt", "type": "nonsense"}, 7, None]}]}).encode(),
    "many": json.dumps({"models": [{"id": f"m{number}"} for number in range(20000)]}).encode(),
    "a model of ours": json.dumps({"models": [{"id": "sd_2.0_special", "fields": "none"}]}).encode(),
    "escapes": b'{"models": [{"id": "\\ud800", "x": "\\u0000\\u202e\\u001b[2J"}]}',
}

PARAMETERS = [
    'params, prompt=(string)other', 'params, model=(string)dance-2.5', 'params, duration=(int)99', 'params, seed=(double)nan',
    'params, tools=(string)x', 'params, api_key=(string)K', 'params, Authorization=(string)K', 'params, x=(fraction)1/0',
    'params, x=(buffer)00ff', 'params, x=(structure)[a, b=(structure)[c, d=(int)1;];]', 'params, first_image=(string)file:///etc/passwd',
    'params, image_urls=(string)file:///etc/passwd', 'params, x=(int64)-9223372036854775808', 'params, x=(uint64)18446744073709551615',
    'params, x=(double)1e308', "params, x=(GstCaps)video/x-raw", "params, x=(datetime)2026-01-01", "params, x=(bitmask)0xff",
]


class Hostile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.store = self.folder / "store"
        self.service = RawService()
        self.addCleanup(self.service.__exit__)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GENCLIP_")}
        self.env = {**kept, "GENCLIP_BASE_URL": self.service.url + "/api", "GENCLIP_API_KEY": "k-4711",
                    "GENCLIP_STORE": str(self.store), "G_DEBUG": "fatal-criticals", "LC_ALL": "C.UTF-8"}

    def run_program(self, *words, **settings):
        ended = subprocess.run(words, env={**self.env, **settings}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, timeout=PATIENCE, check=False)
        ended.stdout = ended.stdout.decode(errors="replace")
        for obeyed in OBEYED:
            self.assertNotIn(obeyed, ended.stdout)
        self.assertGreaterEqual(ended.returncode, 0, "ended by a signal: " + ended.stdout[-1000:])
        return ended


class Uris(Hostile):
    def test_that_are_hostile_are_refused_by_elements_and_cost_nothing(self):
        for uri in URIS:
            with self.subTest(uri=uri[:200]):
                ended = self.run_program("gst-launch-1.0", "uridecodebin", f"uri={uri}", "!", "fakesink")
                self.assertNotEqual(ended.returncode, 0, ended.stdout[-500:])
                self.assertNotIn("k-4711", ended.stdout)
        self.assertEqual(self.service.kinds(), [])
        self.assertFalse(list(self.folder.rglob("clip*")))

    def test_that_have_a_path_name_no_file(self):
        """It is a label for players and editors."""
        for path in ("/../../etc/passwd", "/%2e%2e/%2Fetc%2Fpasswd"):
            ended = self.run_program(os.environ["GENCLIP"], "check", "--json", f"genclip://sd_2.0_special{path}?prompt=x")
            self.assertEqual(ended.returncode, 0, ended.stdout[-500:])
            self.assertNotIn("passwd", json.dumps(json.loads(ended.stdout)["body"]))

    def test_that_nest_for_ever_are_text_and_harm_nobody(self):
        for value in ("[" * 50000, "%5B" * 600 + "%5D" * 600, "%7B%22a%22:" * 5000):
            ended = self.run_program(os.environ["GENCLIP"], "check", "--json", f"genclip://sd_2.0_special?prompt=x&tools={value}")
            self.assertEqual(ended.returncode, 0, ended.stdout[-500:])
            self.assertIsInstance(json.loads(ended.stdout)["body"]["tools"][0], str)

    def test_that_are_hostile_are_refused_by_the_command_with_the_reason(self):
        for uri in URIS:
            with self.subTest(uri=uri[:200]):
                ended = self.run_program(os.environ["GENCLIP"], "check", uri)
                self.assertNotEqual(ended.returncode, 0, ended.stdout[-500:])
                self.assertTrue(ended.stdout.startswith("genclip: "), ended.stdout[-500:])
        self.assertEqual(self.service.requests, [])


class ModelFiles(Hostile):
    def test_leave_the_other_models_usable_and_never_harm(self):
        for name, content in MODEL_FILES.items():
            with self.subTest(file=name):
                path = self.folder / "models.json"
                path.write_bytes(content)
                self.judge(path)

    def test_that_are_no_files_are_reported_at_once(self):
        os.mkfifo(self.folder / "pipe")
        (self.folder / "loop").symlink_to(self.folder / "loop")
        with open(self.folder / "huge", "wb") as huge:
            huge.truncate(8 << 30)
        for name in ("pipe", "loop", "huge", ".", "missing"):
            with self.subTest(file=name):
                self.assertIn("GENCLIP_MODELS", self.judge(self.folder / name))
        self.assertIn("GENCLIP_MODELS", self.judge(pathlib.Path("/dev/zero")))

    def judge(self, path):
        ended = self.run_program("gst-launch-1.0", "-m", "genclipsrc", "dry-run=true", "model=dance-2.5", "prompt=x", "!",
                                 "fakesink", GENCLIP_MODELS=str(path))
        self.assertEqual(ended.returncode, 0, ended.stdout[-1000:])
        self.assertIn("genclip-request", ended.stdout)
        self.assertNotIn("\x1b[2J", ended.stdout)
        return ended.stdout

    def test_cannot_take_a_credential_out_of_what_a_uri_may_not_hold(self):
        path = self.folder / "models.json"
        path.write_bytes(MODEL_FILES["odd fields"])
        ended = self.run_program(os.environ["GENCLIP"], "check", "genclip://dance-2.5?prompt=x&api_key=K", GENCLIP_MODELS=str(path))
        self.assertNotEqual(ended.returncode, 0)


class Parameters(Hostile):
    def test_that_are_hostile_end_in_a_verdict(self):
        for text in PARAMETERS:
            with self.subTest(parameters=text):
                ended = self.run_program("gst-launch-1.0", "-m", *GENERATE, "dry-run=true", f'extra-params="{text}"', "!", "fakesink")
                if ended.returncode == 0:  # gst-launch could not read it and left it out, or it is harmless.
                    self.assertIn("genclip-request", ended.stdout)
                    self.assertNotIn("passwd", ended.stdout.split("genclip-request")[1])
        self.assertEqual(self.service.requests, [])


class Stores(Hostile):
    """A store of another user, or on a shared mount: any of genclip's names may be anything."""

    NAMES = ("task.json", "clip.mp4", "clip.part", "lock", "use", "task.json.tmp", "task.json.spare", "unsent")

    def generate(self):
        out = self.folder / "out.mp4"
        out.unlink(missing_ok=True)
        ended = self.run_program("gst-launch-1.0", *GENERATE, "!", "filesink", f"location={out}")
        ended.clip = out.read_bytes() if out.exists() else b""
        return ended

    def clip_folder(self):
        """A folder with a whole clip, and a decoy outside of the store."""
        shutil.rmtree(self.store, ignore_errors=True)
        self.assertEqual(self.generate().returncode, 0)
        self.decoy = self.folder / "decoy"
        self.decoy.write_text(DECOY, encoding="utf-8")
        (folder,) = self.store.glob("[0-9a-f]*")
        return folder

    def judge(self, what):
        """The run ends, after success with the clip, and reads and writes no foreign file."""
        ended = self.generate()
        self.assertEqual(self.decoy.read_text(encoding="utf-8"), DECOY, f"{what}: written through")
        self.assertNotIn(DECOY.strip(), ended.stdout)
        self.assertNotIn(DECOY.encode(), ended.clip)
        if ended.returncode == 0:
            self.assertEqual(ended.clip, CLIP, what)
        else:
            self.assertIn("ERROR: from element", ended.stdout)
        return ended

    def plant(self, make):
        for name in self.NAMES:
            for state in ("complete", "submitted"):
                with self.subTest(name=name, state=state):
                    folder = self.clip_folder()
                    if state == "submitted":
                        record = json.loads((folder / "task.json").read_text(encoding="utf-8"))
                        record["state"] = state
                        record.pop("clip", None)
                        (folder / "task.json").write_text(json.dumps(record), encoding="utf-8")
                        (folder / "clip.mp4").unlink()
                    (folder / name).unlink(missing_ok=True)
                    make(folder / name)
                    ended = self.judge(name)
                    self.assertEqual(ended.returncode, 0, ended.stdout[-1000:])

    def test_with_links_in_place_of_files_are_mended(self):
        self.plant(lambda path: path.symlink_to(self.decoy))

    def test_with_pipes_in_place_of_files_are_mended(self):
        self.plant(os.mkfifo)

    def test_with_folders_in_place_of_files_are_mended(self):
        self.plant(os.mkdir)

    def test_with_links_that_lead_nowhere_are_mended(self):
        self.plant(lambda path: path.symlink_to(path))

    def test_with_hostile_journals_serve_the_clip_or_say_why_not(self):
        folder = self.clip_folder()
        good = json.loads((folder / "task.json").read_text(encoding="utf-8"))
        journals = [
            b"", b"\0" * 100, b"{" * 200000, b"[" * 200000 + b"]" * 200000, b'{"version":1}', b"null", b'"' + b"x" * 5000000,
            {**good, "clip": {"file": "../../decoy", "size": len(DECOY)}}, {**good, "clip": {"file": "/etc/passwd", "size": 1}},
            {**good, "clip": {"file": "task.json", "size": 10}}, {**good, "clip": {"file": "clip.mp4", "size": -1}},
            {**good, "clip": {"file": "clip.mp4", "size": 2**63 - 1}}, {**good, "clip": {"file": "clip.mp4\0", "size": len(CLIP)}},
            {**good, "clip": 7}, {**good, "clip": None}, {**good, "version": 2}, {**good, "version": "1"}, {**good, "state": 7},
            {**good, "state": "submitted", "task_id": "../../../admin"}, {**good, "state": "submitted", "task_id": "x\r\nX: y"},
            {**good, "state": "submitted", "download": {"total": 2**63 - 1, "synced": 2**63 - 1, "etag": "x\r\nX-Evil: y"}},
            {**good, "replaces": {**good, "clip": {"file": "../../decoy", "size": 9}}}, {**good, "earlier_tasks": [good] * 10000},
            *({**good, **change} for obeyed in OBEYED for change in (
                {"state": "failed", "error": obeyed * 1000}, {"state": "submitted", "task_id": f"t{obeyed}"}, {"model": obeyed},
                {"state": obeyed}, {"earlier_tasks": [obeyed]}, {"request": {"prompt": obeyed}}, {"task_id": obeyed, "api": obeyed})),
        ]
        nested = good
        for _ in range(200):
            nested = {**good, "replaces": nested}
        for journal in [*journals, nested]:
            with self.subTest(journal=str(journal)[:200]):
                folder = self.clip_folder()
                self.service.requests.clear()
                (folder / "task.json").write_bytes(journal if isinstance(journal, bytes) else json.dumps(journal).encode())
                ended = self.judge(str(journal)[:200])
                for words in (["list"], ["list", "--json"], ["show", folder.name], ["show", "--json", folder.name], ["verify"]):
                    self.run_program(os.environ["GENCLIP"], "store", *words)
                for request in self.service.requests:
                    self.assertNotIn("x-evil", request.headers)
                    self.assertNotIn("admin", request.target.split("/")[-1] if "%2F" not in request.target else "")

    def test_that_name_another_service_send_it_no_key(self):
        folder = self.clip_folder()
        with RawService() as elsewhere:
            for changes in ({}, {"state": "submitted"}, {"state": "lost"}):
                record = json.loads((folder / "task.json").read_text(encoding="utf-8"))
                record.update(base_url=elsewhere.url + "/api", **changes)
                (folder / "task.json").write_text(json.dumps(record), encoding="utf-8")
                (folder / "clip.mp4").unlink(missing_ok=True)
                ended = self.run_program(os.environ["GENCLIP"], "store", "fetch", "t-7")
                self.assertEqual(ended.returncode, 0, ended.stdout)
                self.judge(changes)
            self.assertEqual(elsewhere.requests, [])

    def test_with_links_in_place_of_what_is_removed_lose_the_link_alone(self):
        folder = self.clip_folder()
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "letter").write_text(DECOY, encoding="utf-8")
        link = folder.with_name(folder.name + ".removed")
        for words in (["remove", folder.name], ["prune", "0"]):
            link.symlink_to(elsewhere)
            self.assertEqual(self.run_program(os.environ["GENCLIP"], "store", *words).returncode, 0)
            self.assertFalse(link.is_symlink())
        link.symlink_to(elsewhere)
        self.assertEqual(self.run_program("gst-launch-1.0", *GENERATE, "store-max-size=1", "!", "fakesink").returncode, 0)
        self.assertEqual((elsewhere / "letter").read_text(encoding="utf-8"), DECOY)

    def test_with_an_id_of_a_shells_words_suggest_a_command_that_runs_nothing(self):
        place = self.folder / "ran"
        self.service.submit = answer(200, {"id": f"$(touch {place})", "status": "queued"})
        self.service.query = lambda _: answer(200, {"id": f"$(touch {place})", "status": "completed",
                                                    "video_url": self.service.media_url})
        folder = self.clip_folder()
        (folder / "clip.mp4").unlink()
        ended = self.run_program(os.environ["GENCLIP"], "store", "verify")
        command = re.search("genclip store fetch .*", ended.stdout)[0]
        subprocess.run(["sh", "-c", command.replace("genclip", "echo", 1)], check=True, stdout=subprocess.DEVNULL)
        self.assertFalse(place.exists())

    def test_with_a_sparse_terabyte_serve_the_clip_or_say_why_not(self):
        for name in ("task.json", "clip.mp4"):
            with self.subTest(name=name):
                folder = self.clip_folder()
                with open(folder / name, "r+b") as file:
                    file.truncate(1 << 40)
                self.judge(name)

    def test_whose_clips_folder_is_a_link_write_nothing_through_it(self):
        folder = self.clip_folder()
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        shutil.rmtree(folder)
        folder.symlink_to(elsewhere)
        self.assertEqual(self.judge("the folder").returncode, 0)
        self.assertEqual(list(elsewhere.iterdir()), [])

    def test_of_hostile_names_are_listed_and_verified_without_harm(self):
        folder = self.clip_folder()
        (self.store / "\x1b[2J").mkdir()
        (self.store / ("f" * 64)).symlink_to("/")
        (self.store / ("e" * 64)).mkdir()
        os.mkfifo(self.store / ("e" * 64) / "task.json")
        (self.store / os.fsdecode(b"\xff\xfe")).mkdir()
        for words in (["list"], ["list", "--json"], ["verify"]):
            ended = self.run_program(os.environ["GENCLIP"], "store", *words)
            self.assertNotIn("\x1b[2J", ended.stdout)
        self.assertTrue(folder.exists())
        self.assertEqual(self.decoy.read_text(encoding="utf-8"), DECOY)

    def test_are_private(self):
        folder = self.clip_folder()
        for path in (self.store, folder):
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)
        for path in folder.iterdir():
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)


if __name__ == "__main__":
    unittest.main()
