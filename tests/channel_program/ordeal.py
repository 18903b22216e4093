#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""genclip channel in real time with everything going wrong at once, and every frame and second of sound looked at.

    GENCLIP=… GENCLIP_SIM=… tests/channel_program/ordeal.py --minutes 120 --kills-from 70 --kills-until 80

It prints what it does, then what it has found, and last a line of JSON. Exit code 1: something did not hold.
Troubles (troubles.py) come and go by their own periods; `--hurry N` divides these. Between --kills-from and
--kills-until (minutes) the program is killed each minute and started again; growth is measured in the time before and
behind, from a warm-up on. All files are in a folder that goes. As root, or where user namespaces are allowed, the store
is on a small file system of its own, which becomes full now and then.
"""

import argparse
import heapq
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time
import urllib.request

from changing_day import MODEL, RATE, ChangingDay
from channel_life import Life
from ledger_reader import Ledger
from own_mounts import may_mount, mount_small
from raw_tap import Tap
from shown_check import check_shown
from simulated_service import OPENER, SimulatedService
from transport_reader import TransportReader
from troubles import Troubles

GENCLIP = os.environ["GENCLIP"]
WIDTH, HEIGHT = 320, 180
CAPS = f"video/x-raw,format=I420,width={WIDTH},height={HEIGHT},framerate={RATE}/1"
STORE_MIB = 96
# Prepared clips are held open, and how many of them there are varies.
MOST_MEMORY_KIB, MOST_FILES, MOST_THREADS = 8192, 12, 3
LEAST_LIFE_S = 3600  # Growth within a shorter one is chance.
TASKS = 100000


class Ordeal:
    def __init__(self, settings):
        self.settings = settings
        self.random = random.Random(settings.seed)
        self.problems, self.notes = [], []
        self.told_pictures = -1
        self.begun = time.monotonic()
        self.service = SimulatedService(
            "--marks", "--frame-rate", str(RATE), "--faststart", "--queued", "500..6000", "--processing", "500..8000",
            "--poll-interval", "500", "--moderated", "10", "--tone", "-30..-12", "--seed", str(settings.seed))
        self.folder = pathlib.Path(self.service.folder.name)
        self.store = self.service.store
        self.store.mkdir()
        self.has_own_store = settings.may_mount and mount_small(self.store, STORE_MIB)
        if not self.has_own_store:
            self.note("mounts are not allowed: the store never becomes full")
        self.asrun, self.state, self.token = (self.folder / name for name in ("asrun", "state", "token"))
        self.archive, self.www, self.alarms = (self.folder / name for name in ("archive", "www", "alarms"))
        self.tap = Tap(WIDTH, HEIGHT, RATE)
        self.transport = TransportReader(RATE)
        self.lives, self.outcomes = [], []
        self.recorded = 0
        self.gaps = []  # In recordings.
        self.most_tasks = TASKS
        self.address = None
        self.day = ChangingDay(self.folder / "day.json", self.random, self.make_media())
        self.troubles = Troubles(self)
        self.clock = []  # (when, number, call)

    # ---- words

    def seconds(self):
        return time.monotonic() - self.begun

    def say(self, text):
        print(f"{self.seconds():8.1f} {text}", flush=True)

    def note(self, text):
        self.notes.append(text)
        self.say(text)

    def wrong(self, text):
        self.problems.append(f"{self.seconds():.0f} s: {text}")
        self.say("PROBLEM " + text)

    # ---- what there is

    def make_media(self):
        files = []
        for name, number, seconds in (("whole.mp4", 1, 4), ("short.mp4", 2, 12)):
            files.append(self.folder / name)
            files[-1].write_bytes(self.make_clip(number, seconds).read_bytes())
        return files

    def make_clip(self, number, seconds):
        """Its prompt is one that is not moderated."""
        for word in ("ident", "clock", "card", "tower", "sea", "dune"):
            try:
                return self.service.generate(f"model={MODEL}", f"prompt={number} {word}", f"duration={seconds}",
                                             "resolution=480p")
            except RuntimeError as error:
                if "moderation" not in str(error):
                    raise
        raise RuntimeError("all prompts are moderated")

    def set_tasks(self, tasks):
        """A new limit of the budget. It may be passed only by what was begun before."""
        made = self.service.run(GENCLIP, "budget", "set", "--tasks-per-day", str(tasks))
        if made.returncode != 0:
            self.say("the budget cannot be set now: " + made.stdout.strip())  # The disk may be full.
            return
        self.most_tasks = max(tasks, self.counted_tasks())

    def counted_tasks(self):
        ledger = Ledger(self.store)
        return len([charge for charge in ledger.charges if charge.state not in ("released", "attached")])

    # ---- the program

    def start(self):
        words = [GENCLIP, "channel", str(self.folder / "day.json"), "--video-caps", CAPS, "--asrun", str(self.asrun),
                 "--state-file", str(self.state), "--poll-interval", "500", "--http-timeout", "5", "--patience", "20",
                 "--ahead", "6", "--ahead-time", "60", "--end-within", "20", "--store-max-size", str(STORE_MIB * 3 // 4 << 20),
                 "--hls", str(self.www), "--record", str(self.archive), "--record-minutes", "5",
                 "--udp", f"127.0.0.1:{self.transport.port}", "--srt", f"srt://127.0.0.1:{self.troubles.srt_port}?mode=caller",
                 "--rtmp", f"rtmp://127.0.0.1:{self.troubles.rtmp_port}/live/x", "--status-port", "0",
                 "--token-file", str(self.token), "--alarm-command", f"sh -c 'cat >> {self.alarms}'",
                 *self.tap.options("x264enc tune=zerolatency speed-preset=ultrafast key-int-max=100000 "
                                   "option-string=scenecut=0 bitrate=150", "avenc_aac bitrate=64000")]
        seen = self.tap.next_run()
        self.transport.forget()
        log = self.folder / f"log-{len(self.lives)}"
        with open(log, "w", encoding="utf-8") as output:
            process = subprocess.Popen(words, env=self.service.env, stdout=output, stderr=subprocess.STDOUT)
        self.address = None
        self.lives.append(Life(process, seen, log))

    def life(self):
        return self.lives[-1]

    def log_text(self):
        return self.life().log.read_text(encoding="utf-8", errors="replace")

    def ask(self, path, body=None):
        """The program's answer, or None: it does not answer now."""
        if not self.address:
            found = re.search(r"http://[^ /]+/", self.log_text())
            self.address = found[0] if found else None
        if not self.address:
            return None
        try:
            token = self.token.read_text(encoding="utf-8").strip()
            headers = {"Authorization": f"Bearer {token}"} if body is not None else {}
            data = None if body is None else json.dumps(body).encode() if body else b""
            request = urllib.request.Request(self.address + path, data, headers, method="GET" if body is None else "POST")
            with OPENER.open(request, timeout=5) as answer:
                return json.load(answer)
        except (OSError, ValueError):
            return None

    def output_states(self, kind):
        return [output["state"] for output in (self.life().status.get("outputs") or []) if output["kind"] == kind]

    def end_life(self, is_whole):
        """Behind the end of the process: everything that left is compared with what was told."""
        life = self.life()
        life.process.wait()
        if not (life.seen.pictures_done.wait(60) and life.seen.sound_done.wait(60)):
            self.wrong("the tap does not end")
        entries = self.entries()
        runs = list(dict.fromkeys(entry["run"] for entry in entries))
        told = [run for run in runs if run not in {one for one, _ in self.outcomes}]
        if len(told) > 1:
            self.wrong(f"one life, more than one run in the log: {told}")
        mine = [entry for entry in entries if told and entry["run"] == told[0]]
        outcome = check_shown(mine, life.seen, self.day, RATE, is_whole)
        self.outcomes.append((told[0] if told else f"untold {len(self.lives)}", outcome))
        for problem in outcome.problems:
            self.wrong(problem)
        dropped = life.status.get("dropped") or 0
        if outcome.repeated > dropped + RATE:
            self.wrong(f"{outcome.repeated} frames were repeated, and {dropped} told as dropped; at "
                       f"{outcome.repeated_slots[:20]}")
        self.say(f"life {len(self.lives)}: {outcome.frames} frames, {outcome.clips} clips, {outcome.fallbacks} fallbacks, "
                 f"{outcome.slates} slates, {outcome.repeated} repeated, {dropped} dropped, {life.status.get('late')} late, "
                 f"sound within {outcome.most_apart / 48:.2f} ms, {outcome.lost_ticks} of {outcome.ticks} ticks lost, "
                 f"first frame after {life.first_frame or 0:.2f} s")
        self.read_records(True)
        if is_whole and not 0 <= outcome.frames - self.recorded <= 2 * RATE + 10 + 15 * RATE * len(self.troubles.stops):
            self.wrong(f"{outcome.frames} frames left, {self.recorded} were recorded")
        self.recorded = 0

    def check_so_far(self):
        """Tells early what end_life() will find."""
        run = self.life().status.get("run")
        entries = [entry for entry in self.entries() if entry["run"] == run]
        outcome = check_shown(entries, self.life().seen, self.day, RATE, is_whole=False)
        self.say(f"so far {len(outcome.problems)} problems of pictures and sound, {outcome.repeated} frames repeated, "
                 f"{outcome.lost_ticks} of {outcome.ticks} ticks lost {outcome.problems[:3]}")

    def entries(self):
        if not self.asrun.exists():
            return []
        entries = []
        for line in self.asrun.read_text(encoding="utf-8").splitlines(keepends=True):
            try:
                entry = json.loads(line)
                if "played_frames" in entry:  # What was on the air at a kill was shown for an unknown time.
                    entries.append(entry)
            except ValueError:
                if line.endswith("\n") and len(self.lives) < 2:
                    self.wrong(f"a torn line in the as-run log: {line!r}")
        return entries

    def read_records(self, is_over):
        """Looks at files that are complete, and removes them."""
        files = sorted(self.archive.glob("*.mkv"), key=lambda file: file.stat().st_mtime)
        for file in files if is_over else files[:-1]:
            probe = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time", "-of",
                                    "csv=p=0", str(file)], capture_output=True, text=True, check=False)
            times = sorted(float(line.strip(",")) for line in probe.stdout.split() if line.strip(","))
            for before, after in zip(times, times[1:]):
                if abs(after - before - 1 / RATE) > 0.003:
                    self.gaps.append(f"{file.name}: {after - before:.3f} s between two pictures, at {before:.2f}")
            self.recorded += len(times)
            file.unlink()

    # ---- the hours

    def after(self, seconds, call):
        heapq.heappush(self.clock, (time.monotonic() + seconds, len(self.clock) + self.random.random(), call))

    def every(self, seconds, call):
        def again():
            self.after(seconds, again)
            call()
        self.after(seconds, again)

    def look(self):
        life = self.life()
        if life.process.poll() is not None:
            self.wrong(f"the program ended with {life.process.returncode}: {self.log_text()[-3000:]}")
            self.end_life(is_whole=False)
            self.start()
            return
        if self.troubles.is_stopped:
            return
        life.sample()
        life.status = self.ask("status") or life.status
        tasks = self.service.stats()["submits"]
        if tasks > self.most_tasks:
            self.wrong(f"{tasks} tasks were submitted, {self.most_tasks} were allowed")
            self.most_tasks = tasks

    def tell(self):
        life = self.life()
        sample = life.samples[-1] if life.samples else None
        status = life.status
        now = status.get("now") or {}
        counts = ", ".join(f"{name} {status.get(name)}" for name in ("aired", "fallbacks", "slates", "late", "dropped"))
        used = "{} KiB, {} files, {} threads".format(*sample[1:]) if sample else "nothing used"
        self.say(f"frames {len(life.seen.marks)}, on {now.get('kind')} {now.get('id')}, {counts}, {used}, cpu {life.cpu:.0f} s, "
                 f"own {time.process_time():.0f} s, udp {self.transport.pictures}, problems {len(self.problems)}")
        if self.transport.pictures == self.told_pictures and not self.troubles.is_stopped:
            self.wrong("no picture came over UDP for a minute")
        self.told_pictures = self.transport.pictures

    def kill(self):
        life = self.life()
        if self.troubles.is_stopped or life.process.poll() is not None:
            return
        if "rundown broken" in self.troubles.active:  # Without one that it can use, no channel starts.
            self.after(5, self.kill)
            return
        self.say("kill -9")
        life.status = self.ask("status") or life.status
        life.process.kill()
        self.end_life(is_whole=False)
        self.start()

    def run(self):
        settings = self.settings
        self.set_tasks(TASKS)
        self.start()
        self.every(2, self.look)
        self.every(60, self.tell)
        self.every(120, lambda: self.read_records(False))
        self.every(600, self.check_so_far)
        self.troubles.begin(settings.hurry)
        for minute in range(settings.kills_from, settings.kills_until):
            self.after(60 * minute, self.kill)
        end = time.monotonic() + 60 * settings.minutes
        while time.monotonic() < end:
            if not self.clock or self.clock[0][0] > time.monotonic():
                time.sleep(0.1)
                continue
            heapq.heappop(self.clock)[2]()
        self.troubles.end()
        self.end_program()
        return self.report()

    def end_program(self):
        life = self.life()
        life.sample()
        self.tell()
        life.status = self.ask("status") or life.status
        life.process.send_signal(signal.SIGTERM)
        try:
            code = life.process.wait(60)
        except subprocess.TimeoutExpired:
            life.process.kill()
            code = "nothing for 60 s"
        if code != 0:
            self.wrong(f"SIGTERM: the program ended with {code}: {self.log_text()[-3000:]}")
        self.end_life(is_whole=True)

    def report(self):
        # What the process missed while it was stopped comes at once, which is more than an output takes.
        for at, problem in self.transport.problems:
            if not any(0 <= at - stop < 15 for stop in self.troubles.stops):
                self.wrong("udp: " + problem)
        if len(self.gaps) > len(self.troubles.stops):
            self.wrong(f"gaps in recordings: {self.gaps}")
        warm_up = 60 * self.settings.warm_up
        growths = {}
        for number, life in enumerate(self.lives, 1):
            growth = life.growth(warm_up)
            if not growth:
                continue
            growths[number] = growth
            for (before, after), most, what in zip(growth, (MOST_MEMORY_KIB, MOST_FILES, MOST_THREADS),
                                                   ("KiB", "files", "threads")):
                self.say(f"life {number}: {before:.0f} {what} became {after:.0f}")
                if after - before > most and life.samples[-1][0] > LEAST_LIFE_S:
                    self.wrong(f"life {number} grew from {before} to {after} {what}")
        ledger, account = Ledger(self.store), self.service.account()
        for difference in ledger.differences(account):
            self.wrong("money: " + difference)
        unknown = [charge for charge in ledger.charges if charge.state == "unknown"]
        self.check_submits(ledger)
        stats = self.service.stats()
        if stats["media_with_authorization"]:
            self.wrong("a download carried the key")
        total = {name: sum(getattr(outcome, name) for _, outcome in self.outcomes)
                 for name in ("frames", "clips", "fallbacks", "slates", "repeated", "ticks", "lost_ticks")}
        figures = {
            "minutes": self.settings.minutes, "lives": len(self.lives), **total,
            "sound_within_ms": round(max(outcome.most_apart for _, outcome in self.outcomes) / 48, 2),
            "late": [life.status.get("late") for life in self.lives if life.status],
            "dropped": [life.status.get("dropped") for life in self.lives if life.status],
            "submits": stats["submits"], "unknown": len(unknown), "spent": account["spent"],
            "faults": sum(stats["faults"].values()), "troubles": self.troubles.counts, "back_after_s": self.troubles.back,
            "growth": {str(number): {what: [before, after] for (before, after), what in zip(growth, ("KiB", "files", "threads"))}
                       for number, growth in growths.items()},
            "cores": round(sum(life.cpu for life in self.lives) / self.seconds(), 3),
            "cores_of_driver": round(time.process_time() / self.seconds(), 3),
            "udp_packets": self.transport.packets, "udp_pictures": self.transport.pictures,
            "udp_gaps": len(self.transport.problems), "record_gaps": len(self.gaps),
            "first_frame_s": [round(life.first_frame, 2) for life in self.lives if life.first_frame],
            "starts_off_s": [start for _, outcome in self.outcomes for start in outcome.starts],
            "alarms": self.told_alarms(), "notes": self.notes, "problems": len(self.problems)}
        self.say(f"{len(self.problems)} problems")
        for problem in self.problems:
            print("  " + problem)
        print(json.dumps(figures), flush=True)
        return 1 if self.problems else 0

    def told_alarms(self):
        text = self.alarms.read_text(encoding="utf-8") if self.alarms.exists() else ""
        kinds = re.findall(r'"alarm": ?"(\w+)"[^}]*"state": ?"raised"', text)
        return {kind: kinds.count(kind) for kind in sorted(set(kinds))}

    def check_submits(self, ledger):
        """Of each request (a take of it, where it is made anew each turn) one task may be paid or unknown. The ledger has all
        tasks of the service (Ledger.differences)."""
        charges = {}
        for charge in ledger.charges:
            if charge.state not in ("released", "attached") and charge.status != "failed":
                charges.setdefault(charge.key, []).append(charge)
        for several in charges.values():
            if len(several) > 1:
                self.wrong(f"paid more than once: {several}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--warm-up", type=float, default=10, help="minutes before growth is measured")
    parser.add_argument("--kills-from", type=int, default=0, help="minute of the first kill -9")
    parser.add_argument("--kills-until", type=int, default=0)
    parser.add_argument("--hurry", type=float, default=1, help="troubles come so many times as often")
    parser.add_argument("--seed", type=int, default=1)
    settings = parser.parse_args()
    settings.may_mount = may_mount()
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, lambda *_: sys.exit(1))
    ordeal = Ordeal(settings)
    try:
        return ordeal.run()
    finally:
        for life in ordeal.lives:
            if life.process.poll() is None:
                life.process.kill()
                life.process.wait()
        ordeal.troubles.end()
        if ordeal.has_own_store:
            subprocess.run(["umount", str(ordeal.store)], check=False)
        ordeal.service.stop()


if __name__ == "__main__":
    sys.exit(main())
