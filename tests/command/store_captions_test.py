#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The store's commands know the kept answers of captions, as docs/store-format.md describes their files."""

import hashlib
import json
import os
import pathlib
import tempfile
import unittest

from command import genclip, genclip_json, genclip_on_terminal


def file_of(question, text="A red kite."):
    answer = {"version": 1, "question": question, "model": "gem-2.5-flash-lite", "text": text, "finish_reason": "STOP",
              "prompt_tokens": 300, "output_tokens": 20, "total_tokens": 320, "answered_at": 1790000000}
    canonical = json.dumps(answer, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return json.dumps({**answer, "sha256": hashlib.sha256(canonical.encode()).hexdigest()}, ensure_ascii=False)


class Captions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = pathlib.Path(folder.name) / "store"
        (self.store / "captions").mkdir(parents=True)

    def keep(self, digit, text="A red kite.", hours=0):
        file = self.store / "captions" / (digit * 64 + ".json")
        file.write_text(file_of(digit * 64, text), encoding="utf-8")
        time = file.stat().st_mtime - 3600 * hours
        os.utime(file, (time, time))
        return file

    def run_store(self, *words):
        return genclip("store", *words, GENCLIP_STORE=str(self.store))

    def json_of(self, *words):
        run, answer = genclip_json("store", *words, "--json", GENCLIP_STORE=str(self.store))
        return run.returncode, answer

    def left(self):
        return sorted(file.name[0] for file in (self.store / "captions").iterdir())

    def test_a_list_counts_them_below_its_total_and_shows_none_as_a_clip(self):
        size = self.keep("a").stat().st_size + self.keep("b").stat().st_size
        code, listed = self.json_of("list")
        self.assertEqual((code, listed["clips"], listed["captions"]), (0, [], {"answers": 2, "size": size}))
        shown = genclip_on_terminal("store", "list", GENCLIP_STORE=str(self.store), columns=80)
        self.assertIn(f"\nBesides, 2 kept answers of captions, {size} B\n", shown[1])
        (self.store / "captions" / ("b" * 64 + ".json")).unlink()
        (self.store / "captions" / ("a" * 64 + ".json")).unlink()
        self.assertNotIn("captions", genclip_on_terminal("store", "list", GENCLIP_STORE=str(self.store), columns=80)[1])

    def test_whole_ones_pass_and_damaged_ones_are_named(self):
        self.keep("a", "Ein „Milan“ über Dünen 🪁")
        damaged = self.keep("b")
        self.assertEqual(self.json_of("verify")[1]["captions"], {"whole": 2, "damaged": 0})
        run = self.run_store("verify")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(run.stdout, "0 whole, 0 damaged\nOf the kept answers of captions: 2 whole, 0 damaged\n")
        damaged.write_text(damaged.read_text(encoding="utf-8").replace("red", "bed"), encoding="utf-8")
        run = self.run_store("verify")
        self.assertEqual(run.returncode, 1)
        self.assertIn(f"{damaged} is damaged: its content does not match its checksum.", run.stderr)
        self.assertIn("1 whole, 1 damaged\n", run.stdout)
        self.assertEqual(self.json_of("verify")[1]["captions"], {"whole": 1, "damaged": 1})

    def test_a_prune_removes_the_least_recently_used_until_the_size_is_reached(self):
        sizes = [self.keep(digit, hours=hours).stat().st_size for digit, hours in (("a", 1), ("b", 3), ("c", 2))]
        code, pruned = self.json_of("prune", f"{2 * sizes[0]}B")
        self.assertEqual((code, pruned["captions"], pruned["size"]), (0, {"answers": 1, "size": sizes[1]}, sizes[0] + sizes[2]))
        self.assertEqual(self.left(), ["a", "c"])
        run = self.run_store("prune", "0")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertRegex(run.stdout, r"^Removed 2 kept answers of captions, \d+ B\n0 B left\n$")
        self.assertEqual(self.left(), [])

    def test_they_are_removed_all_at_once_when_that_is_asked_for(self):
        size = self.keep("a").stat().st_size
        (self.store / "captions" / "notes.txt").write_text("mine", encoding="utf-8")
        self.assertEqual(self.run_store("remove").returncode, 2)
        self.assertEqual(self.run_store("remove", "a" * 64).returncode, 1, "it is no clip")
        self.assertEqual(self.left(), ["a", "n"])
        self.assertEqual(self.json_of("remove", "--captions"), (0, {"removed": [], "captions": {"answers": 1, "size": size}}))
        self.assertEqual(self.left(), ["n"])
        self.assertEqual(self.run_store("remove", "--captions").stdout, "Removed 0 kept answers of captions, 0 B\n")


if __name__ == "__main__":
    unittest.main()
