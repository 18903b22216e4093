#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Real clients read what outputs send, while servers, folders and clients of other outputs break."""

import contextlib
import datetime
import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

import rtmp_server
import transport_stream
from driver import PATIENCE, Driver
from rtmp_server import RtmpServer, free_port
from transport_stream import UdpReceiver

FRAME = 0.04
GROUP = 50  # Pictures from one key frame to the next.
KEY = "s3cret-stream-key"


def frames_of(path, *options):
    """How many pictures ffmpeg decodes there. Fails when it finds anything wrong with them."""
    run = subprocess.run(["ffprobe", "-v", "error", *options, "-count_frames", "-select_streams", "v", "-show_entries",
                          "stream=nb_read_frames", "-of", "json", str(path)], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert not run.stderr, run.stderr
    return int(json.loads(run.stdout)["streams"][0]["nb_read_frames"])


def packet_times(path, stream):
    run = subprocess.run(["ffprobe", "-v", "error", "-select_streams", stream, "-show_entries", "packet=pts_time", "-of", "json", str(path)],
                         capture_output=True, text=True, timeout=PATIENCE, check=True)
    return [float(packet["pts_time"]) for packet in json.loads(run.stdout)["packets"]]


def wait_until(holds, what):
    deadline = time.monotonic() + PATIENCE
    while not (value := holds()):
        assert time.monotonic() < deadline, f"never: {what}"
        time.sleep(0.05)
    return value


@contextlib.contextmanager
def client(*words):
    """A client that is killed at the end."""
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def ffmpeg_copy(source, target):
    return client("ffmpeg", "-nostdin", "-v", "error", "-y", "-i", source, "-c", "copy", "-f", "mpegts", "-flush_packets", "1", str(target))


def size_of(path):
    return path.stat().st_size if path.exists() else 0


class Folder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def assert_nothing_lost(self, receiver, frames):
        """UDP had every packet, and every picture at its time."""
        receiver.close()
        data = b"".join(receiver.datagrams)
        self.assertEqual(transport_stream.lost_packets(data), 0)
        times = transport_stream.pictures(data)
        steps = {round(later - earlier, 4) for earlier, later in zip(times, times[1:])}
        self.assertEqual(steps, {FRAME})
        # On a busy machine, one output may begin with the key frame behind that of the other.
        self.assertIn(frames - len(times), (-GROUP, 0, GROUP))

    def recorded(self):
        """The frames of all recordings."""
        return sum(frames_of(path) for path in (self.folder / "archive").iterdir())

    def playlist(self):
        return (self.folder / "www/index.m3u8").read_text(encoding="utf-8")


class Readers(Folder):
    def test_every_reader_gets_every_frame(self):
        port = free_port()
        with UdpReceiver() as receiver:
            with Driver(f"hls={self.folder}/www", f"record={self.folder}/archive", f"udp=127.0.0.1:{receiver.port}",
                        f"srt=srt://127.0.0.1:{port}?mode=listener", "segment-seconds=2", "playlist-segments=20") as driver:
                for name in ["first.ts", "second.ts"]:
                    with ffmpeg_copy(f"srt://127.0.0.1:{port}", self.folder / name):
                        wait_until(lambda name=name: size_of(self.folder / name) > 50_000, f"{name} grows")
                end = driver.finish("eos")
                self.assertEqual(driver.process.returncode, 0)
            self.assertTrue(end["ended"])
            states = {output["kind"]: output for output in end["outputs"]}
            self.assertEqual({kind: output["rebuilds"] for kind, output in states.items()}, dict.fromkeys(["hls", "record", "udp", "srt"], 0))
            frames = self.recorded()
            self.assertGreater(frames, 50)
            self.assert_nothing_lost(receiver, frames)
            self.assertEqual(states["udp"]["bytes"], sum(map(len, receiver.datagrams)))
            self.assertEqual({len(datagram) for datagram in receiver.datagrams}, {1316})
            self.assertTrue(self.playlist().endswith("#EXT-X-ENDLIST\n"))
            self.assertEqual(frames_of(self.folder / "www/index.m3u8"), frames)
            # The first one may begin between two multiples of 2 s.
            lengths = [float(length) for length in re.findall(r"#EXTINF:([\d.]+)", self.playlist())]
            self.assertEqual(set(lengths[1:-1]), {2} if lengths[1:-1] else set())
            times = [datetime.datetime.fromisoformat(time).timestamp() for time in re.findall(r"DATE-TIME:(\S+)Z", self.playlist())]
            for begin, length, following in zip(times, lengths, times[1:]):
                self.assertAlmostEqual(begin + length, following, delta=0.0025, msg="each begins where the one before it ends")
            for name in ["first.ts", "second.ts"]:
                self.assertIn("h264", subprocess.run(["ffprobe", "-v", "quiet", "-show_entries", "stream=codec_name", str(self.folder / name)],
                                                     capture_output=True, text=True, check=True, timeout=PATIENCE).stdout)
            self.assertLess(end["null_ms"], 1000)

    def test_a_window_shows_raw_frames(self):
        with Driver("window=", "window-video-sink=fakesink sync=true", "window-audio-sink=fakesink sync=true") as driver:
            driver.wait_state("window", "ok")
            driver.wait_frames(10)
            self.assertGreater(driver.status()["window"]["bytes"], 320 * 180)
            self.assertEqual(driver.finish()["code"], 0)


class Broken(Folder):
    def test_a_killed_rtmp_server_costs_the_others_nothing(self):
        if missing := rtmp_server.missing():
            self.skipTest(missing)
        with RtmpServer(self.folder) as server, UdpReceiver() as receiver:
            with Driver(f"rtmp=rtmp://127.0.0.1:{server.port}/live/{KEY}", f"udp=127.0.0.1:{receiver.port}",
                        f"record={self.folder}/archive") as driver:
                driver.wait_state("rtmp", "ok")
                driver.wait_frames(25)
                seen = driver.seen()
                server.kill()
                driver.wait_state("rtmp", "failed", seen)
                driver.wait_frames(25)
                seen = driver.seen()
                server.start()
                started = time.monotonic()
                self.assertLess(driver.wait_state("rtmp", "ok", seen)["at"] - started, 30)
                driver.wait_frames(60)
                end = driver.finish()
                self.assertEqual(end["code"], 0)
            frames = self.recorded()
            self.assertGreater(frames, 60)
            self.assert_nothing_lost(receiver, frames)
            self.assertNotIn(KEY, json.dumps([driver.changes, end]))
            self.assertGreaterEqual(end["outputs"][0]["rebuilds"], 1)
            recordings = server.recordings()
            self.assertEqual(len(recordings), 2)
            for path in recordings:
                self.assertGreater(frames_of(path), 10)

    def test_whatever_hangs_is_rebuilt_alone(self):
        # Accepts by its backlog and never reads, as a frozen server does.
        with socket.create_server(("127.0.0.1", 0)) as frozen, UdpReceiver() as receiver:
            www = self.folder / "www"
            with Driver(f"rtmp=rtmp://127.0.0.1:{frozen.getsockname()[1]}/live/{KEY}", f"hls={www}", "segment-seconds=2",
                        f"udp=127.0.0.1:{receiver.port}", f"record={self.folder}/archive", "stall-ms=3000", "last-back-off-ms=1000") as driver:
                driver.wait_state("hls", "ok")
                wait_until((www / "index.m3u8").exists, "a playlist")
                # The folder becomes one that nobody can write to, also not root.
                www.rename(self.folder / "moved")
                www.write_text("no folder")
                self.assertIn("www", driver.wait_state("hls", "failed")["last_error"])
                self.assertEqual(driver.wait_state("rtmp", "failed")["last_error"], "Nothing left for 3 s.")
                www.unlink()
                (self.folder / "moved").rename(www)
                driver.wait_state("hls", "ok", driver.seen() - 1)
                wait_until(lambda: "#EXT-X-DISCONTINUITY\n" in self.playlist(), "a new segment")
                end = driver.finish("end 1")
                # 0 where the end came between two tries of the frozen one, else 1.
                self.assertIn(end["code"], (0, 1))
                self.assertLess(end["seconds"], 20)
            for name in re.findall(r"segment-\d+\.ts", self.playlist()):
                self.assertGreater(frames_of(www / name), 0)
            self.assert_nothing_lost(receiver, self.recorded())
            self.assertNotIn("#EXT-X-ENDLIST", self.playlist())
            self.assertNotIn(KEY, json.dumps([driver.changes, end]))

    def test_a_recording_whose_folder_is_gone_begins_anew(self):
        archive = self.folder / "archive"
        with Driver(f"record={archive}", "last-back-off-ms=1000") as driver:
            driver.wait_state("record", "ok")
            wait_until(lambda: list(archive.glob("*.mkv")), "a recording")
            shutil.rmtree(archive)
            self.assertIn("was removed or replaced", driver.wait_state("record", "failed")["last_error"])
            driver.wait_state("record", "ok", driver.seen() - 1)
            wait_until(lambda: list(archive.glob("*.mkv")), "a new recording")
            driver.finish("end 5")
        self.assertGreater(frames_of(next(archive.glob("*.mkv"))), 0)

    def test_a_rejected_stream_is_told_without_its_key(self):
        if missing := rtmp_server.missing():
            self.skipTest(missing)
        with RtmpServer(self.folder) as server, Driver(f"rtmp=rtmp://127.0.0.1:{server.port}/closed/{KEY}") as driver:
            change = driver.wait_state("rtmp", "failed")
            self.assertTrue(change["last_error"])
            self.assertNotIn(KEY, json.dumps(change))
            self.assertEqual(change["name"], f"rtmp://127.0.0.1:{server.port}/closed/…")


# A sink that ignores all that GStreamer asks of it, as one in a driver or on a dead disk does.
HANGING_SINK = "identity sleep-time=600000000 ! fakesink async=false"


class Hung(Folder):
    def test_pipelines_that_cannot_be_closed_are_left_alone(self):
        with UdpReceiver() as receiver:
            with Driver("window=", f"window-video-sink={HANGING_SINK}", f"window-audio-sink={HANGING_SINK}", f"udp=127.0.0.1:{receiver.port}",
                        f"record={self.folder}/archive", "stall-ms=3000", "last-back-off-ms=1000") as driver:
                wait_until(lambda: driver.status()["window"]["last_error"].startswith("It hangs; "), "the last try")
                self.assertEqual(driver.status()["window"]["rebuilds"], 3)
                self.assertLess(driver.finish("end 1")["seconds"], 20)
            self.assert_nothing_lost(receiver, self.recorded())

    def test_the_end_does_not_wait_for_what_hangs(self):
        with Driver("window=", f"window-video-sink={HANGING_SINK}", f"window-audio-sink={HANGING_SINK}") as driver:
            driver.wait_frames(10)
            end = driver.finish("end 1")
            self.assertEqual(end["code"], 1)
            self.assertLess(end["seconds"], 20)


class Again(Folder):
    def test_a_killed_run_leaves_files_and_the_next_one_continues_them(self):
        words = [f"hls={self.folder}/www", f"record={self.folder}/archive", "segment-seconds=2", "playlist-segments=3"]
        with Driver(*words) as driver:
            wait_until(lambda: (self.folder / "www/index.m3u8").exists() and "00000001.ts" in self.playlist(), "two segments")
        before = self.playlist()
        (recording,) = (self.folder / "archive").iterdir()
        self.assertGreater(frames_of(recording), 50)
        (self.folder / "www/segment-00000009.ts").write_text("of a run before")
        with Driver(*words) as driver:
            wait_until(lambda: self.playlist() != before, "a further segment")
            after = self.playlist()
            wait_until(lambda: "00000013" in self.playlist(), "three more segments")
            driver.say("restart")
            self.assertEqual(driver.finish("eos")["code"], 0)
        self.assertNotIn("#EXT-X-ENDLIST", self.playlist(), "another run may continue it")
        self.assertTrue(after.startswith(before.split("#EXT-X-PROGRAM")[0]), after)
        self.assertEqual(after.count("#EXT-X-DISCONTINUITY\n"), 1)
        self.assertEqual(re.findall(r"segment-\d+\.ts", after)[-1], "segment-00000010.ts", "no name is used twice")
        self.assertIn("#EXT-X-DISCONTINUITY-SEQUENCE:1\n", self.playlist())
        self.assertFalse((self.folder / "www/segment-00000000.ts").exists(), "old segments go")
        for name in re.findall(r"segment-\d+\.ts", self.playlist()):
            self.assertGreater(frames_of(self.folder / "www" / name), 0)
        self.assertEqual(len(list((self.folder / "archive").iterdir())), 2)


class Slow(Folder):
    def test_an_encoder_that_is_too_slow_leaves_pictures_out_and_the_sound_whole(self):
        with Driver(f"record={self.folder}/archive", "video-encoder=identity sleep-time=70000 ! x264enc tune=zerolatency") as driver:
            wait_until(lambda: driver.status()["skipped"] > 50, "pictures that are left out")
            driver.wait_frames(40)
            self.assertEqual(driver.finish()["code"], 0)
        (recording,) = (self.folder / "archive").iterdir()
        picture, sound = packet_times(recording, "v"), packet_times(recording, "a")
        self.assertLess(abs(picture[-1] - sound[-1]), 2.5)
        self.assertLess(max(later - earlier for earlier, later in zip(sound, sound[1:])), 0.1, "no sound is missing")


    def test_a_recording_of_a_process_that_was_stopped_is_whole(self):
        with Driver(f"record={self.folder}/archive", "video-encoder=identity sleep-time=20000 ! x264enc tune=zerolatency") as driver:
            driver.wait_state("record", "ok")
            driver.process.send_signal(signal.SIGSTOP)
            time.sleep(10)
            driver.process.send_signal(signal.SIGCONT)
            driver.wait_frames(500)
            self.assertEqual(driver.status()["skipped"], 0)
            self.assertEqual(driver.finish()["code"], 0)
        (recording,) = (self.folder / "archive").iterdir()
        for stream in ("v", "a"):
            times = packet_times(recording, stream)
            self.assertLess(max(later - earlier for earlier, later in zip(times, times[1:])), 0.1, stream)


class Called(Folder):
    def test_an_srt_server_that_comes_back_is_called_again(self):
        port = free_port()
        server = f"srt://127.0.0.1:{port}?mode=listener"
        with Driver(f"srt=srt://127.0.0.1:{port}", "last-back-off-ms=1000") as driver:
            with ffmpeg_copy(server, self.folder / "first.ts"):
                wait_until(lambda: size_of(self.folder / "first.ts") > 50_000, "data")
                driver.wait_state("srt", "ok")
            driver.wait_state("srt", "failed", driver.seen() - 1)
            seen = driver.seen()
            with ffmpeg_copy(server, self.folder / "second.ts"):
                driver.wait_state("srt", "ok", seen)
                wait_until(lambda: size_of(self.folder / "second.ts") > 50_000, "data again")
                self.assertEqual(driver.finish()["code"], 0)


    def test_an_srt_server_that_never_answers_is_never_called_connected(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
            silent.bind(("127.0.0.1", 0))
            with Driver(f"srt=srt://127.0.0.1:{silent.getsockname()[1]}", "last-back-off-ms=1000") as driver:
                driver.wait_state("srt", "failed")
                wait_until(lambda: driver.status()["srt"]["rebuilds"] == 2, "another call")
                self.assertEqual(driver.status()["srt"]["bytes"], 0)
                self.assertNotIn("ok", [change["state"] for change in driver.changes])


class RecordCut(Folder):
    """Slow: waits for a full minute."""

    def test_files_are_cut_at_the_full_minute_without_losing_a_frame(self):
        with UdpReceiver() as receiver:
            with Driver(f"record={self.folder}/archive", f"udp=127.0.0.1:{receiver.port}", "record-minutes=1") as driver:
                deadline = time.monotonic() + 140
                while len(list((self.folder / "archive").glob("*"))) < 2:
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.5)
                driver.wait_frames(60)
                self.assertEqual(driver.finish()["code"], 0)
            first, second = sorted((self.folder / "archive").iterdir())
            # The first key frame after the full minute.
            self.assertIn(int(re.search(r"T\d{4}(\d\d)", second.name)[1]), (0, 1, 2))
            self.assert_nothing_lost(receiver, frames_of(first) + frames_of(second))


if __name__ == "__main__":
    unittest.main()
