#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Earlier versions on a store of this version: they serve and attach, and harm nothing that they do not know."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unicodedata
import unittest

import old_store

GENCLIP = os.environ["GENCLIP"]
SOURCE = pathlib.Path(__file__).parents[2]
COMMITS = {"0.1.0": "ab19758", "0.2.0": "e8e6401"}
NEW = old_store.request("dream-5.0", "a harbour")
# Requests that mean the same to the service and to this version, and are others to a version before 0.3.0: with a default that is
# spelled out, and with an accent that is a character of its own.
SPELLINGS = [("dance-2.5", "a red kite", [], ["duration=4", "resolution=480p", "aspect_ratio=9:16"]),
             ("dream-5.0", "a cafe\u0301", [], [])]
RUNNING = old_store.request("dream-5.0", "a tram at night")


def build_old(version, folder):
    """Its command, or None where its source is not at hand. GENCLIP_0_1_0 and GENCLIP_0_2_0 may name one that is built."""
    given = os.environ.get("GENCLIP_" + version.replace(".", "_"))
    if given:
        return given
    archive = subprocess.run(["git", "-c", "safe.directory=*", "-C", SOURCE, "archive", COMMITS[version]], capture_output=True, check=False)
    if archive.returncode != 0:
        return None
    source = pathlib.Path(folder) / "source"
    source.mkdir()
    subprocess.run(["tar", "-x", "-C", source], input=archive.stdout, check=True)
    build = pathlib.Path(folder) / "build"
    for words in (["meson", "setup", build, source, "-Dunity=on", "-Dtests=disabled", "-Doptimization=0"],
                  ["ninja", "-C", build, "plugin/command/genclip"]):
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, timeout=1500)
    return str(build / "plugin/command/genclip")


def requests(model, prompt, plain, spelled):
    """As it is written there, and in the form that all versions know by one name."""
    return old_store.request(model, prompt, *spelled), old_store.request(model, unicodedata.normalize("NFC", prompt), *plain)


class GoingBack:
    """What holds for each of them."""
    version = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.old = build_old(cls.version, folder.name)
        if cls.old is None:
            raise unittest.SkipTest(f"no git checkout with commit {COMMITS[cls.version]}")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = pathlib.Path(folder.name) / "store"
        self.service = old_store.serve()
        self.addCleanup(self.service.stop)
        self.env = old_store.environment(self.store, GENCLIP_API_KEY="sim-key", GENCLIP_BASE_URL=self.service.base_url)

    def run_command(self, genclip, *words, code=0):
        run = subprocess.run([genclip, *words], env=self.env, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run

    def generate(self, genclip, request):
        return json.loads(self.run_command(genclip, "generate", *request, "--poll-interval", "50", "--json").stdout)

    def list(self, genclip):
        return json.loads(self.run_command(genclip, "store", "list", "--json").stdout)["clips"]

    def test_what_this_version_paid_for_is_served(self):
        made = self.generate(GENCLIP, NEW)
        served = self.generate(self.old, NEW)
        self.assertEqual((served["reused"], served["clip"], self.service.stats()["submits"]), (True, made["clip"], 1))

    def test_a_spelling_that_it_takes_for_another_request_is_paid_again(self):
        """As docs/STABILITY.md warns."""
        for model, prompt, plain, spelled in SPELLINGS:
            with self.subTest(spelled=spelled):
                before = self.service.stats()["submits"]
                written, composed = requests(model, prompt, plain, spelled)
                made = self.generate(GENCLIP, written)
                # The plain spelling is what both look for.
                self.assertEqual(self.generate(self.old, composed)["clip"], made["clip"])
                self.assertEqual(self.service.stats()["submits"], before + 1)
                self.assertFalse(self.generate(self.old, written)["reused"])
                self.assertEqual(self.service.stats()["submits"], before + 2)
                # This version pays for neither.
                for request in (written, composed):
                    self.assertTrue(self.generate(GENCLIP, request)["reused"])
                self.assertEqual(self.service.stats()["submits"], before + 2)

    def test_what_it_paid_for_is_found_as_it_was_asked_and_paid_again_in_another_spelling(self):
        """As docs/STABILITY.md says."""
        for model, prompt, plain, spelled in SPELLINGS:
            with self.subTest(spelled=spelled):
                before = self.service.stats()["submits"]
                written, composed = requests(model, prompt, plain, spelled)
                made = self.generate(self.old, written)
                self.assertEqual(self.generate(GENCLIP, written)["clip"], made["clip"])
                self.assertEqual(self.service.stats()["submits"], before + 1)
                self.assertFalse(self.generate(GENCLIP, composed)["reused"])
                self.assertEqual(self.service.stats()["submits"], before + 2)

    def test_a_task_of_this_version_is_attached_to(self):
        self.service.set_faults(["query:state=processing"])
        with subprocess.Popen([GENCLIP, "generate", *RUNNING, "--poll-interval", "50"], env=self.env, stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 60
            while not any('"submitted"' in path.read_text(encoding="utf-8") for path in self.store.glob("*/task.json")):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
        self.service.set_faults([])
        self.generate(self.old, RUNNING)
        self.assertEqual(self.service.stats()["submits"], 1)


class GoingBackTo010(GoingBack, unittest.TestCase):
    version = "0.1.0"

    def test_what_it_does_not_know_stays(self):
        made = self.generate(GENCLIP, NEW)
        key = pathlib.Path(made["clip"]).parent.name
        self.run_command(GENCLIP, "store", "pin", key)
        self.run_command(GENCLIP, "budget", "set", "--per-day", "100")
        answers = self.store / "captions"
        answers.mkdir(exist_ok=True)
        (answers / f"{'0' * 64}.json").write_text("{}", encoding="utf-8")
        before = {path: path.read_bytes() for path in self.store.rglob("*") if path.is_file() and path.parent.name != key}
        self.generate(self.old, RUNNING)
        self.run_command(self.old, "store", "verify")
        self.assertEqual([clip["state"] for clip in self.list(self.old)], ["complete", "complete"])
        for path, content in before.items():
            self.assertEqual(path.read_bytes(), content, path)
        self.assertTrue((self.store / key / "pin").exists())

    def test_a_removal_of_its_keeps_or_takes_whole_clips(self):
        made = self.generate(GENCLIP, NEW)
        folder = pathlib.Path(made["clip"]).parent
        self.run_command(self.old, "store", "remove", folder.name)
        # It does not know clip.xmp, and keeps a folder with a foreign file; this version removes the rest.
        self.assertFalse((folder / "clip.png").exists())
        self.run_command(GENCLIP, "store", "prune", "0")
        self.assertFalse(folder.exists())

    def test_what_it_pays_is_listed_but_in_no_ledger(self):
        """As docs/STABILITY.md warns."""
        self.generate(GENCLIP, NEW)
        self.generate(self.old, RUNNING)
        self.assertTrue(self.generate(GENCLIP, RUNNING)["reused"])
        self.assertEqual([clip["amount"] for clip in self.list(GENCLIP)], [2.25, 2.25])
        cost = json.loads(self.run_command(GENCLIP, "cost", "--json").stdout)
        self.assertEqual((cost["total"]["clips"], cost["total"]["spent"]), (1, 2.25))


class GoingBackTo020(GoingBack, unittest.TestCase):
    version = "0.2.0"


if __name__ == "__main__":
    unittest.main()
