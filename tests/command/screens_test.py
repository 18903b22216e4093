#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a person sees on terminals of 60, 80 and 100 columns, and what a pipe gets, compared with the files in screens/.

RENEW_SCREENS=1 meson test -C build command-screens writes these files; look at each of them before it is committed.
"""

import hashlib
import hmac
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

from command import GENCLIP, environment, genclip, genclip_on_terminal
from paced_service import PacedService
from screen import Screen
from screen_files import WIDTHS, compare, without_clock

SHOWN_STORE = "/home/me/.cache/genclip"
# The dates on the screens are what they would be at this time; clips were used so many seconds before.
SHOWN_NOW = 1741521600  # 2025-03-09 12:00:00
MINUTE, HOUR, DAY = 60, 3600, 86400


def date_text(seconds):
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(seconds))


class MadeStore:
    """Folders of clips as runs have left them."""

    def __init__(self, root):
        self.root = root
        self.now = int(time.time())
        self.dates = {}

    def key(self, name):
        return hashlib.sha256(name.encode()).hexdigest()

    def clip(self, name, prompt, age, *, size=0, state="complete", model="dance-2.5", request=None, take=0, **fields):
        """One that was used `age` seconds ago. Its clip takes no room on the disk."""
        folder = self.root / self.key(name)
        folder.mkdir(parents=True)
        record = {"version": 1, "state": state, "model": model, "task_id": f"task_{name}", "submitted_at": SHOWN_NOW - age - HOUR,
                  "updated_at": SHOWN_NOW - age - HOUR + 90, "base_url": "https://service.example/api", "api": "tasks",
                  "take": take, "request": {"model": model, "prompt": prompt, "duration": 5, **(request or {})}, **fields}
        if state == "complete":
            record["clip"] = {"file": "clip.mp4", "size": size, "media_type": "video/mp4"}
            with open(folder / "clip.mp4", "wb") as clip:
                clip.truncate(size)
        text = json.dumps({key: value for key, value in record.items() if value is not None}, ensure_ascii=False)
        (folder / "task.json").write_text(text.ljust(2000), encoding="utf-8")
        self._used(folder, age)

    def damaged(self, name, age):
        folder = self.root / self.key(name)
        folder.mkdir(parents=True)
        (folder / "task.json").write_text("{".ljust(2000))
        self._used(folder, age)

    def pinned(self, name):
        (self.root / self.key(name) / "pin").touch()

    def copy(self, content, age):
        """A file in the publish folder, under its name there."""
        secret = b"k" * 32
        folder = self.root.parent / "public"
        folder.mkdir(exist_ok=True)
        self.root.mkdir(exist_ok=True)
        (self.root / "publish-secret").write_bytes(secret)
        name = hmac.new(secret, content, "sha256").hexdigest() + ".png"
        (folder / name).write_bytes(content)
        os.utime(folder / name, (self.now - age - 5,) * 2)
        self.dates[date_text(self.now - age - 5)] = date_text(SHOWN_NOW - age - 5)
        return name

    def charge(self, name, age, *events, model="dance-2.5", **facts):
        """Lines of the ledger: each event is its name and its members."""
        at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(SHOWN_NOW - age))
        self.root.mkdir(exist_ok=True)
        with open(self.root / "ledger.jsonl", "a", encoding="utf-8") as ledger:
            for event, members in events:
                line = {"at": at, "event": event, "key": self.key(name), "take": 0, "model": model, "api": "tasks",
                        "base_url": "https://service.example/api", "project": "", **facts, **members}
                ledger.write(json.dumps(line, separators=(",", ":")) + "\n")

    def _used(self, folder, age):
        (folder / "use").touch()
        os.utime(folder / "use", (self.now - age - 5,) * 2)
        self.dates[date_text(self.now - age - 5)] = date_text(SHOWN_NOW - age - 5)

    def shown(self, text):
        """The same on every machine and day."""
        for date, shown in self.dates.items():
            text = text.replace(date, shown).replace(date.replace(" ", "T"), shown.replace(" ", "T"))
        # When a budget's limits reset.
        text = re.sub(r"\d{4}-\d\d-\d\d(?=[ T]00:00( UTC|:00.000Z))", "2025-03-10", text)
        return text.replace(str(self.root), SHOWN_STORE)


LONG = ("A lighthouse keeper climbs the stairs while the storm gathers outside, and at the top she lights the lamp; "
        "the camera follows her from below and stays behind when she steps out into the wind")


def one(store):
    store.clip("7f3a", "a red kite", 3 * MINUTE, size=1234567, amount=12, actual_duration=5)


def many(store):
    store.clip("0a91", LONG, 9 * DAY, size=48_300_000, amount=120, actual_duration=12, take=2, request={"seed": 42})
    store.clip("0b17", "一只红色的风筝在暴风雨中飞过灯塔，镜头从海面缓缓升起，一直跟着它飞进云层，最后停在空无一人的天空", 8 * DAY,
               size=2_100_000, amount=7.5, model="wave2.7-r2v", actual_duration=5)
    store.clip("0c55", "Scene 1: a dog 🐕 runs\n\nScene 2:\tit \033[31mbarks\033[0m 🎉👨‍👩‍👧\u009b2J", 3 * DAY, size=987, amount=1,
               model="sd_2.0_fast_discount", actual_duration=5, request={"seed": 7})
    store.clip("0d02", "a storm over the sea", 2 * DAY, state="failed", model="mini-h3",
               error="The prompt may violate the content policy (moderation_blocked).")
    store.clip("0e40", "slow waves", 5 * HOUR, state="submitted", status="processing", progress=35)
    store.clip("0f08", "who knows", 2 * HOUR, state="ambiguous", task_id=None, unanswered_submits=1)
    store.clip("1001", "a house of glass", 30 * MINUTE, size=1_200_000_000, amount=1500.25, model="a-house-model-with-a-very-long-name-2026-11",
               actual_duration=60)
    store.damaged("1102", 20 * MINUTE)
    one(store)


def pinned(store):
    one(store)
    store.pinned("7f3a")


def no_copies(store):
    (store.root.parent / "public").mkdir()


def copies(store):
    store.copy(bytes(1_234_567), 40 * DAY)
    used = store.copy(bytes(20_000_000), 3 * DAY)
    store.clip("7f3a", "a red kite", 40 * DAY, size=1, references=[{"field": "first_image", "index": 0, "copy": used}])
    for name in ("0e40", "0e41", "0e42", "0e43"):
        store.clip(name, "slow waves", 3 * DAY, state="submitted", references=[{"field": "first_image", "index": 0, "copy": used}])
    store.copy(b"new", 2 * HOUR)
    store.copy(b"x", 50 * DAY)
    (store.root / "publish-secret").write_bytes(b"k" * 32)
    (store.root.parent / "public" / ("0" * 64 + ".mp4")).write_bytes(b"of another store")
    os.utime(store.root.parent / "public" / ("0" * 64 + ".mp4"), (store.now - 60 * DAY - 5,) * 2)
    store.dates[date_text(store.now - 60 * DAY - 5)] = date_text(SHOWN_NOW - 60 * DAY - 5)


ESTIMATE = {"estimate": {"low": 10, "likely": 12, "high": 14.5, "samples": 7, "basis": "same"}}


def spent(store):
    """A ledger with every kind of charge."""
    def done(name, age, amount, status="completed", **facts):
        store.charge(name, age, ("reserve", ESTIMATE), ("submitted", {"task_id": f"task_{name}"}),
                     ("settle", {"task_id": f"task_{name}", "status": status, "amount": amount}), **facts)

    done("0a91", 40 * DAY, 120, project="the film")
    done("0b17", 39 * DAY, 7.5, model="wave2.7-r2v")
    done("0c55", 3 * DAY, 1500.25, model="sd_2.0_fast_discount", project="the film")
    done("0d02", 2 * DAY, None, status="failed", model="mini-h3")
    store.charge("0e40", 5 * HOUR, ("reserve", ESTIMATE), ("submitted", {"task_id": "task_0e40"}))
    store.charge("0f08", 2 * HOUR, ("reserve", ESTIMATE), ("unknown", {}))
    done("1001", HOUR, None)
    done("1002", HOUR, 11)
    store.charge("1002", HOUR, ("correct", {"task_id": "task_1002", "amount": 12}))
    store.charge("1003", HOUR, ("settle", {"task_id": "task_1003", "status": "completed", "amount": 9, "attached": True}))
    store.charge("1004", HOUR, ("settle", {"task_id": "task_1004", "status": "completed", "amount": 3, "imported": True}))


def limited(store):
    spent(store)
    (store.root / "budget.json").write_text('{"per_clip": 20, "per_month": 2000, "total": 1700, "tasks_per_day": 40, "assumed_price": 12.5}')


def empty(_):
    pass


# Name of the file: what is in the store, and the words.
COMMANDS = {
    "list-empty": (empty, ["store", "list"]),
    "list-one": (one, ["store", "list"]),
    "list-many": (many, ["store", "list"]),
    "list-some": (many, ["store", "list", "storm", "--since", "2025-03-01"]),
    "list-pinned": (pinned, ["store", "list"]),
    "cost-empty": (empty, ["cost"]),
    "cost": (spent, ["cost"]),
    "cost-by-task": (spent, ["cost", "--by", "task"]),
    "cost-of-march": (spent, ["cost", "--since", "2025-03-01", "--by", "day"]),
    "publish-list-none": (no_copies, ["publish", "list"]),
    "publish-list": (copies, ["publish", "list"]),
    "budget-none": (empty, ["budget"]),
    "budget": (limited, ["budget"]),
    "show-long": (many, ["store", "show", "task_0a91"]),
    "show-chinese": (many, ["store", "show", "task_0b17"]),
    "show-control": (many, ["store", "show", "task_0c55"]),
    "show-failed": (many, ["store", "show", "task_0d02"]),
    "show-running": (many, ["store", "show", "task_0e40"]),
    "models": (empty, ["models"]),
    "model": (empty, ["models", "sd_2.0_special"]),
    "model-wide": (empty, ["models", "wave2.7-r2v"]),
    "model-undocumented": (empty, ["models", "veo"]),
}


# What a newcomer types wrong, and the exit code. None of it reaches a service.
MISTAKES = [
    (["frob"], 2),
    (["store"], 2),
    (["store", "list", "--since", "yesterday"], 2),
    (["store", "show", "0123456789abcdef"], 1),
    (["generate", "dance-2.5", "prompt=x", "--max-amount=nan"], 2),
    (["generate", "dance-2.5", "prompt=a red kite over the dunes", "first_image=/home/me/kite.png"], 1),
    (["check", "sd_2.0_special", "prompt=x", "duration=99", "resolution=foo", "first_image=/home/me/kite.png"], 1),
    (["frame", "there-is-no-such-file.mp4", "--output=x.png"], 1),
    (["cost", "correct", "task_1", "much"], 2),
    (["publish", "there-is-no-such-file.png"], 1),
]


class Screens(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = MadeStore(pathlib.Path(folder.name) / "store")
        self.env = {"GENCLIP_STORE": str(self.store.root), "TZ": "UTC", "GENCLIP_PUBLISH_FOLDER": str(self.store.root.parent / "public"),
                    "GENCLIP_PUBLISH_URL": "https://media.example/clips"}

    def test_commands(self):
        for name, (make, words) in COMMANDS.items():
            self.setUp()
            make(self.store)
            for columns in WIDTHS:
                with self.subTest(name=name, columns=columns):
                    code, text = genclip_on_terminal(*words, columns=columns, **self.env)
                    self.assertEqual(code, 0, text)
                    screen = Screen(columns)
                    screen.feed(text)
                    # Only names that are to be copied are longer than a line; the terminal breaks those.
                    if not name.startswith("show"):
                        self.assertEqual(screen.wraps, 0, screen.text())
                    compare(self, f"{name}-{columns}", self.store.shown(screen.text()))
            with self.subTest(name=name, pipe=True):
                run = genclip(*words, **self.env)
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.assertNotRegex(run.stdout, "[\x00-\x08\x0b-\x1f\x7f-\x9f]")
                compare(self, f"{name}-pipe", self.store.shown(run.stdout))

    def assert_fits(self, words, expected):
        for columns in (60, 80):
            with self.subTest(words=words, columns=columns):
                code, text = genclip_on_terminal(*words, columns=columns, **self.env)
                self.assertEqual(code, expected, text)
                screen = Screen(columns)
                screen.feed(text)
                # A word that is longer than a line stays whole, so the terminal breaks it.
                longest = max(map(len, text.split()))
                self.assertEqual(0 if longest > columns - 6 else screen.wraps, 0, screen.text())

    def test_every_help_fits_its_terminal(self):
        listed = genclip("--help").stdout.partition("Commands:\n")[2].partition("\n\n")[0]
        names = re.findall(r"(?m)^  (\S+(?: \S+)?)  ", listed)
        self.assertGreater(len(names), 20)
        for name in ["", "store", *names]:
            self.assert_fits([*name.split(), "--help"], 0)

    def test_errors_fit_their_terminal(self):
        for words, code in MISTAKES:
            self.assert_fits(words, code)

    def test_an_error_is_one_line_for_a_program(self):
        for words, code in MISTAKES:
            with self.subTest(words=words):
                run = genclip(*words, COLUMNS="40", **self.env)
                self.assertEqual(run.returncode, code)
                if words != ["store"]:
                    self.assertTrue(all(line.startswith(("genclip: ", "Try: ")) for line in run.stderr.splitlines()), run.stderr)

    def progress(self, on_terminal, bytes_shown="downloading"):
        """Of a clip that is generated: its output."""
        service = PacedService()
        service.bytes_shown = bytes_shown
        self.addCleanup(service.stop)
        words = ["generate", "--poll-interval=20", "dance-2.5", "prompt=a red kite"]
        env = {**self.env, "GENCLIP_BASE_URL": service.url, "GENCLIP_API_KEY": "key-of-the-test", "no_proxy": "127.0.0.1"}
        code, text = on_terminal(words, service.watch, env)
        self.assertEqual(code, 0, text)
        (clip,) = self.store.root.glob("*/clip.mp4")
        return without_clock(self.store.shown(text)).replace(clip.parent.name, self.store.key("7f3a"))

    def test_the_bar_draws_over_itself(self):
        for columns in WIDTHS:
            with self.subTest(columns=columns):
                self.setUp()
                text = self.progress(lambda words, watch, env: genclip_on_terminal(*words, columns=columns, watch=watch, **env),
                                     bytes_shown="50 kB of 100 kB")
                screen = Screen(columns)
                frames = [""]
                for piece in re.split("(?=\r)", text):
                    screen.feed(piece)
                    # A second may end amid either half of the clip, or before all of it is kept.
                    is_by_chance = re.search(r"\bof 100 kB", screen.text()) and " 50 kB of" not in screen.text()
                    if len(screen.rows) == 1 and screen.lines() != frames[-1:] and not is_by_chance:
                        frames += screen.lines()
                compare(self, f"progress-{columns}", "\n".join(frames[1:]) + "\n-- and in the end:\n" + screen.text())

    def test_a_pipe_gets_a_line_a_change(self):
        def in_pipe(words, watch, env):
            with subprocess.Popen([GENCLIP, *words], env=environment(**env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as run:
                lines = []
                for line in run.stderr:
                    lines.append(line)
                    watch(line)
                return run.wait(60), "".join(lines) + run.stdout.read()

        compare(self, "progress-pipe", self.progress(in_pipe))

    def test_a_terminal_that_only_prints_gets_no_bar(self):
        text = self.progress(lambda words, watch, env: genclip_on_terminal(*words, columns=80, watch=watch, **env, TERM="dumb"))
        self.assertNotRegex(text, "[\033\r]")
        self.assertIn("\nprocessing, 50 % (task task-7f3a)\n", text)


if __name__ == "__main__":
    unittest.main()
