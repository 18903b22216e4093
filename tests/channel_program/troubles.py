# SPDX-License-Identifier: LGPL-2.1-or-later
"""What goes wrong around a channel, and passes again: a row for each kind, with its period and how long it lasts."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time

MOST_BACK_S = 30  # An output is back by then.

SUBMIT_FAULTS = (
    "status=429;retry-after=1", "status=503;retry-after=date+1", "status=500", "status=502;shape=text", "delay=3000", "hang",
    "reset", "lose-answer", "hold-answer", "cut=10", "html", "garbage-json", "fail=The model was busy.", "drop=status",
    "id-number", "state=IN_QUEUE", "no-amount")
QUERY_FAULTS = (
    "status=429;retry-after=1", "status=500", "status=503;shape=problem", "delay=3000", "hang", "reset", "hold-answer", "cut=20",
    "html", "garbage-json", "state=UNHEARD_OF", "drop=status", "progress=text", "no-url", "expire-urls")
MEDIA_FAULTS = (
    "status=500", "status=503;retry-after=1", "status=403", "status=404", "delay=3000", "hang", "reset", "hold-answer",
    "cut=5000", "cut=60000", "wrong-length=1000", "throttle=100000", "html", "redirects=3", "no-range", "garbage-json",
    "changed-content")


def free_port(kind):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Troubles:
    def __init__(self, ordeal):
        self.ordeal, self.random = ordeal, ordeal.random
        self.srt_port, self.srt_client = free_port(socket.SOCK_DGRAM), None
        self.rtmp = socket.socket()
        self.rtmp.bind(("127.0.0.1", 0))
        self.rtmp.listen(8)
        self.rtmp_port = self.rtmp.getsockname()[1]
        self.rtmp_clients = []
        self.loops = []
        self.counts, self.back = {}, {}
        self.active = set()
        self.is_stopped = False
        self.stops = []  # When the process went on, by time.monotonic().
        self.filler = ordeal.store / "filler"
        self.short = ordeal.folder / "short.mp4"
        self.start_srt()
        threading.Thread(target=self.accept_rtmp, daemon=True).start()

    def rows(self):
        """(what, seconds between, seconds that it lasts, begin, end)."""
        rows = [
            ("service", 12, 0, self.new_faults, None),
            ("rundown renewed", 150, 0, self.ordeal.day.renew, None),
            ("rundown broken", 400, 20, self.ordeal.day.spoil, self.ordeal.day.write),
            ("process stopped", 780, 10, lambda: self.stop_process(signal.SIGSTOP), lambda: self.stop_process(signal.SIGCONT)),
            ("four busy loops", 900, 60, self.start_loops, self.stop_loops),
            ("srt killed", 300, 20, self.stop_srt, self.start_srt),
            ("srt stopped", 660, 30, lambda: self.srt_client.send_signal(signal.SIGSTOP),
             lambda: self.srt_client.send_signal(signal.SIGCONT)),
            ("hls unwritable", 500, 20, self.take_hls, self.give_hls),
            ("skip", 240, 0, lambda: self.ordeal.ask("skip", {}), None),
            ("hold", 600, 20, lambda: self.ordeal.ask("hold", {"on": True}), lambda: self.ordeal.ask("hold", {"on": False})),
            ("insert", 420, 0, lambda: self.ordeal.ask("insert", {"item": self.ordeal.day.inserted()}), None),
            ("reload", 350, 0, lambda: self.ordeal.life().process.send_signal(signal.SIGHUP), None),
            ("budget spent", 1100, 150, lambda: self.ordeal.set_tasks(self.ordeal.counted_tasks() + 2),
             lambda: self.ordeal.set_tasks(100000)),
            ("key refused", 1300, 60, None, self.new_faults),
            ("file cut short", 360, 60, self.cut_file, self.mend_file)]
        if self.ordeal.has_own_store:
            rows.append(("store full", 840, 60, self.fill_store, self.empty_store))
        return rows

    def begin(self, hurry):
        for what, period, lasts, begin, end in self.rows():
            self.after_a_while(what, period / hurry, lasts, begin, end)

    def after_a_while(self, what, period, lasts, begin, end):
        def come():
            self.counts[what] = self.counts.get(what, 0) + 1
            self.active.add(what)
            if period > 60 or lasts:
                self.ordeal.say(what)
            if begin:
                begin()
            if lasts:
                self.ordeal.after(lasts, go)
            else:
                self.active.discard(what)
                again()

        def go():
            end()
            self.active.discard(what)
            self.ordeal.say(what + ": over")
            again()

        def again():
            self.after_a_while(what, period, lasts, begin, end)

        self.ordeal.after(period * self.random.uniform(0.7, 1.3), come)

    def end(self):
        self.stop_loops()
        if self.is_stopped:
            self.stop_process(signal.SIGCONT)
        if self.srt_client:
            self.srt_client.kill()
            self.srt_client.wait()
            self.srt_client = None

    # ---- each of them

    def new_faults(self):
        if "key refused" in self.active:
            self.ordeal.service.set_faults(["submit:status=401"])
            return
        faults = []
        for call, kinds, calls, chance in (("submit", SUBMIT_FAULTS, 2, 0.15), ("query", QUERY_FAULTS, 10, 0.1),
                                           ("media", MEDIA_FAULTS, 3, 0.2)):
            faults += [f"{call}#{number}:{self.random.choice(kinds)}" for number in range(1, calls + 1)
                       if self.random.random() < chance]
        self.ordeal.service.set_faults(faults)

    def stop_process(self, what):
        self.is_stopped = what == signal.SIGSTOP
        if not self.is_stopped:
            self.stops.append(time.monotonic())
        self.ordeal.life().process.send_signal(what)

    def start_loops(self):
        self.loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]

    def stop_loops(self):
        for loop in self.loops:
            loop.kill()
            loop.wait()
        self.loops = []

    def start_srt(self):
        self.srt_client = subprocess.Popen(
            ["gst-launch-1.0", "-q", "srtsrc", f"uri=srt://127.0.0.1:{self.srt_port}?mode=listener", "!", "fakesink",
             "sync=false"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.ordeal.service.env)
        if self.counts:
            self.expect_back("srt", {"srt killed", "srt stopped"})

    def stop_srt(self):
        self.srt_client.kill()
        self.srt_client.wait()

    def take_hls(self):
        www = self.ordeal.www
        if www.is_dir():
            os.rename(www, www.with_suffix(".away"))
            www.write_text("no folder", encoding="ascii")

    def give_hls(self):
        www = self.ordeal.www
        if www.with_suffix(".away").is_dir():
            www.unlink()
            os.rename(www.with_suffix(".away"), www)
            self.expect_back("hls", {"hls unwritable"})

    def expect_back(self, kind, troubles):
        """That an output runs again in time; its trouble is over."""
        since, life = time.monotonic(), self.ordeal.life()

        def look():
            waited = time.monotonic() - since
            if self.ordeal.life() is not life or self.active & (troubles | {"four busy loops"}) or self.is_stopped:
                return
            status = self.ordeal.ask("status") or {}
            states = [output["state"] for output in status.get("outputs") or [] if output["kind"] == kind]
            if states and all(state == "running" for state in states):
                self.back[kind] = max(self.back.get(kind, 0), round(waited, 1))
            elif waited > MOST_BACK_S:
                self.ordeal.wrong(f"{kind} is not back after {waited:.0f} s: {status.get('outputs')}")
            else:
                self.ordeal.after(0.5, look)

        self.ordeal.after(1, look)

    def accept_rtmp(self):
        """A server that takes connections and never says a word; the oldest are closed."""
        while True:
            self.rtmp_clients.append(self.rtmp.accept()[0])
            if len(self.rtmp_clients) > 3:
                self.rtmp_clients.pop(0).close()

    def fill_store(self):
        try:
            with open(self.filler, "wb") as file:
                while True:
                    file.write(bytes(1 << 16))
        except OSError:
            pass

    def empty_store(self):
        self.filler.unlink(missing_ok=True)

    def cut_file(self):
        """Its index stays whole, its second half goes."""
        whole = self.short.read_bytes()
        self.short.with_suffix(".whole").write_bytes(whole)
        os.truncate(self.short, len(whole) // 2)

    def mend_file(self):
        self.short.with_suffix(".whole").rename(self.short)
