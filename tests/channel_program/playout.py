# SPDX-License-Identifier: LGPL-2.1-or-later
"""A channel in a process of its own, as gst-launch-1.0 runs it, and what left it, read from the pictures and the sound."""

import json
import pathlib
import signal
import subprocess
import time

from marks import find_seconds, first_channel, read_frame_mark
from simulated_service import SimulatedService

WIDTH, HEIGHT, RATE = 320, 180, 25
CAPS = f"video/x-raw,format=I420,width={WIDTH},height={HEIGHT},framerate={RATE}/1"
FRAME = WIDTH * HEIGHT * 3 // 2
SAMPLES = 48000


def clip(number, name, seconds=4, **fields):
    """The URI of a clip with sound whose frames are marked with that number."""
    more = "".join(f"&{field}={value}" for field, value in fields.items())
    return f"genclip://sd_2.0_special?prompt={number}%20{name}&duration={seconds}{more}"


class Playout:
    """Files of one channel: its rundown, its logs and, with run(), what left it."""

    def __init__(self, *simulator):
        options = simulator or ("--marks", "--frame-rate", str(RATE), "--queued", "20", "--processing", "50")
        self.service = SimulatedService(*options)
        self.folder = pathlib.Path(self.service.folder.name)
        self.rundown = self.folder / "day.json"
        self.asrun = self.folder / "day.asrun"
        self.state = self.folder / "day.state"

    def stop(self):
        self.service.stop()

    def write(self, *items, **members):
        text = json.dumps({"channel": "Test", "program": list(items), **members})
        part = self.rundown.with_suffix(".part")
        part.write_text(text, encoding="utf-8")
        part.rename(self.rundown)

    def start(self, *properties):
        """gst-launch-1.0, whose messages go to a file. It runs in real time until it is stopped."""
        words = ["gst-launch-1.0", "-m", "-e", "genchannelsrc", "name=c", f"rundown={self.rundown}", f"asrun={self.asrun}",
                 f"state-file={self.state}", f"video-caps={CAPS}", "poll-interval=20", *properties,
                 "c.video", "!", "queue", "!", "filesink", f"location={self.folder}/picture",
                 "c.audio", "!", "queue", "!", "filesink", f"location={self.folder}/sound"]
        with open(self.folder / "messages", "w", encoding="utf-8") as messages:
            return subprocess.Popen(words, env=self.service.env, stdout=messages, stderr=subprocess.STDOUT)

    def run(self, seconds, *properties):
        """Runs it for that time and ends it by EOS. Returns its exit code."""
        process = self.start(*properties)
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return self.end(process)

    def run_until(self, shown, *properties, seconds=120):
        """Runs it until shown(as-run entries) is true, then ends it by EOS. Returns its exit code."""
        process = self.start(*properties)
        try:
            deadline = time.monotonic() + seconds
            while not (self.asrun.exists() and shown(self.entries())):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise AssertionError(f"not shown in time:\n{self.text()[-4000:]}")
                time.sleep(0.1)
            return self.end(process)
        finally:
            process.kill()
            process.wait()

    def end(self, process):
        process.send_signal(signal.SIGINT)
        try:
            return process.wait(20)
        except subprocess.TimeoutExpired:
            tasks = pathlib.Path(f"/proc/{process.pid}/task")
            waits = [f"{(task / 'comm').read_text().strip()}: {(task / 'wchan').read_text()}" for task in tasks.iterdir()]
            process.kill()
            process.wait()
            raise AssertionError("it does not end; its threads:\n" + "\n".join(waits) + "\n" + self.text()[-4000:]) from None

    def wait_for(self, what, seconds=30):
        """Until the messages contain that text."""
        deadline = time.monotonic() + seconds
        while what not in self.text():
            if time.monotonic() > deadline:
                raise AssertionError(f"no {what!r} in:\n{self.text()[-4000:]}")
            time.sleep(0.05)

    def text(self):
        return (self.folder / "messages").read_text(encoding="utf-8", errors="replace")

    def entries(self):
        """The as-run log, without a line that is being written."""
        lines = self.asrun.read_text(encoding="utf-8").splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def pictures(self):
        """The mark (clip, number) of each frame that left, or None."""
        data = (self.folder / "picture").read_bytes()
        if len(data) % FRAME:
            raise AssertionError("half a frame")
        return [read_frame_mark(data[at:at + WIDTH * HEIGHT], WIDTH, HEIGHT) for at in range(0, len(data), FRAME)]

    def seconds(self):
        """(samples of sound that left, where full seconds of clips begin in it)."""
        sound = first_channel((self.folder / "sound").read_bytes())
        return len(sound), find_seconds(sound)
