#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""genclip channel: its outputs, its status, its end, and a second one that takes over. tests/output and tests/monitor have more."""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time
import unittest
import urllib.error
import urllib.request

from own_mounts import mount_hung
from playout import CAPS, Playout, clip
from simulated_service import OPENER
from stop_again import stop_again

GENCLIP = os.environ["GENCLIP"]


class Program(unittest.TestCase):
    def setUp(self):
        self.playout = Playout()
        self.addCleanup(self.playout.stop)
        self.folder = self.playout.folder
        self.playout.write(*({"id": f"item-{number}", "source": clip(number, "item")} for number in (1, 2, 3)))
        for number in (1, 2, 3):  # So that it begins at once.
            self.playout.service.generate("model=sd_2.0_special", f"prompt={number} item", "duration=4")

    def start(self, name, *options, **env):
        with open(self.folder / name, "w", encoding="utf-8") as output:
            process = subprocess.Popen(
                [GENCLIP, "channel", str(self.playout.rundown), "--video-caps", CAPS, "--asrun", str(self.playout.asrun),
                 "--state-file", str(self.playout.state), *options],
                env={**self.playout.service.env, **env}, stdout=output, stderr=subprocess.STDOUT)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, name, pattern, seconds=30):
        """The first match in a program's output, and when it was seen."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found = re.search(pattern, (self.folder / name).read_text(encoding="utf-8"))
            if found:
                return found
            time.sleep(0.02)
        self.fail(f"no {pattern!r} in:\n" + (self.folder / name).read_text(encoding="utf-8"))

    def state(self):
        return json.loads(self.playout.state.read_text(encoding="utf-8"))

    def probe(self, path):
        probe = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=codec_type,nb_read_frames",
                                "-of", "json", str(path)], capture_output=True, text=True, timeout=60, check=True)
        return {stream["codec_type"]: int(stream["nb_read_frames"]) for stream in json.loads(probe.stdout)["streams"]}

    def test_writes_tells_takes_commands_and_ends_behind_the_clip(self):
        archive, hls, token = self.folder / "archive", self.folder / "www", self.folder / "token"
        process = self.start("log", "--record", str(archive), "--hls", str(hls), "--status-port", "0", "--token-file", str(token))
        address = self.wait_for("log", r"http://[^ /]+/")[0]
        self.assertEqual(self.wait_for("log", r"Token: (\S+)")[1], token.read_text(encoding="utf-8").strip())
        self.assertEqual(token.stat().st_mode & 0o777, 0o600)
        self.wait_for("log", r"clip: item-1")
        deadline = time.monotonic() + 20  # For the next clip to be vetted.
        while (status := json.load(OPENER.open(address + "status", timeout=10)))["ahead"][0]["state"] != "ready":
            self.assertLess(time.monotonic(), deadline, status["ahead"])
            time.sleep(0.1)
        self.assertEqual(status["channel"], "Test")
        self.assertEqual(status["now"]["kind"], "clip")
        self.assertEqual({output["kind"] for output in status["outputs"]}, {"hls", "record"})
        self.assertIsNone(status["fallback"], "a clip is on")
        self.assertIn(b"genclip_channel_frames_total", OPENER.open(address + "metrics", timeout=10).read())
        self.assertIn(b"<programme", OPENER.open(address + "epg.xml", timeout=10).read())
        with self.assertRaises(urllib.error.HTTPError) as refused:
            OPENER.open(urllib.request.Request(address + "skip", b"", method="POST"), timeout=10)
        self.assertEqual(refused.exception.code, 401)
        refused.exception.close()
        headers = {"Authorization": "Bearer " + token.read_text(encoding="utf-8").strip()}
        OPENER.open(urllib.request.Request(address + "skip", b"", headers, method="POST"), timeout=10).close()
        self.wait_for("log", r"clip: item-2", 4)
        time.sleep(3)  # On the air, so that there is something to find in the files.
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(20), 0)
        entries = self.playout.entries()
        self.assertTrue([entry for entry in entries[:-1] if entry["kind"] == "clip" and entry["played_frames"] < 100],
                        "a clip was skipped")
        self.assertEqual(entries[-1]["played_frames"], 100, "the last clip was shown whole")
        (recording,) = archive.glob("*.mkv")
        frames = self.probe(recording)
        total = sum(entry["played_frames"] for entry in entries)
        self.assertLessEqual(abs(frames["video"] - total), 50, "all but what came before the first key frame")
        self.assertGreater(frames["audio"], 100)
        self.assertGreater(sum(self.probe(segment)["video"] for segment in hls.glob("*.ts")), 100)
        self.assertNotIn("EXT-X-ENDLIST", (hls / "index.m3u8").read_text(encoding="utf-8"), "players wait for the next run")

    def test_begins_without_a_picture_whose_disk_does_not_answer(self):
        hung = self.folder / "hung"
        hung.mkdir()
        with mount_hung(hung) as is_hung:
            if not is_hung:
                self.skipTest("nothing can be mounted here")
            process = self.start("log", "--record", str(self.folder / "archive"), "--logo", str(hung / "logo.png"), "--end-within", "1")
            self.wait_for("log", r"Warning: --logo: the disk of \S+ has not answered for 5 s\. The channel begins without it\.")
            self.wait_for("log", r"clip: item-1")
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(20), 0)
            waiting = self.start("waiting", "--record", str(self.folder / "archive"), "--state-file", str(hung / "state"))
            self.wait_for("waiting", r"Waits for the disk of --state-file \S+, which has not answered for 5 s\.")
            waiting.send_signal(signal.SIGTERM)
            self.assertEqual(waiting.wait(10), -signal.SIGTERM)

    def test_tells_that_it_waits_for_a_rundown_whose_disk_does_not_answer(self):
        hung = self.folder / "hung"
        hung.mkdir()
        with mount_hung(hung) as is_hung:
            if not is_hung:
                self.skipTest("nothing can be mounted here")
            self.playout.rundown = hung / "day.json"
            process = self.start("log", "--record", str(self.folder / "archive"), "--status-port", "0")
            address = self.wait_for("log", r"http://[^ /]+/")[0]
            deadline = time.monotonic() + 60
            while not (status := json.load(OPENER.open(address + "status", timeout=10)))["rundown"]["text"]:
                self.assertLess(time.monotonic(), deadline, status)
                self.assertEqual(status["fallback"]["reason"], "The channel starts.", "an alarm comes of it")
                time.sleep(0.1)
            self.assertIn("does not answer", status["rundown"]["text"])
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(20), 0)

    def test_a_second_signal_ends_it_at_once(self):
        process = self.start("log", "--record", str(self.folder / "archive"), "--end-within", "300")
        self.wait_for("log", r"clip: item-1")
        process.send_signal(signal.SIGTERM)
        self.wait_for("log", r"a second signal")
        self.assertEqual(stop_again(process, signal.SIGTERM), 143)

    def test_a_standby_takes_over_within_three_seconds_and_pays_nothing(self):
        first = self.start("first", "--record", str(self.folder / "first-archive"))
        self.wait_for("first", r"clip: item-1")
        refused = self.start("refused", "--record", str(self.folder / "refused-archive"))
        self.assertEqual(refused.wait(20), 1)
        link = self.folder / "link.state"
        link.symlink_to(self.playout.state)
        self.assertEqual(self.start("linked", "--udp", "127.0.0.1:9", "--state-file", str(link)).wait(20), 1, "a link to it is the same file")
        self.wait_for("linked", "Another channel uses the state file")
        self.assertTrue(link.is_symlink())
        self.start("second", "--record", str(self.folder / "second-archive"), "--standby")
        self.wait_for("second", r"Standing by")
        deadline = time.monotonic() + 10
        while not (self.playout.state.exists() and json.loads(self.playout.state.read_text())["on_air"] == "item-1"):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        first.kill()
        killed = time.monotonic()
        first.wait()
        self.wait_for("second", r"clip: item-2")
        self.assertLess(time.monotonic() - killed, 3)
        self.assertEqual(self.playout.service.stats()["submits"], 3)

    def test_a_standby_is_a_service_that_runs(self):
        self.start("first", "--record", str(self.folder / "first-archive"))
        self.wait_for("first", r"clip: item-1")
        for number, ending in enumerate((signal.SIGTERM, signal.SIGINT)):
            told = []
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
                systemd.settimeout(20)
                systemd.bind(str(self.folder / f"notify-{number}"))
                second = self.start("second", "--record", str(self.folder / "second-archive"), "--standby",
                                    NOTIFY_SOCKET=systemd.getsockname(), WATCHDOG_USEC="600000")
                while told.count("WATCHDOG=1") < 2:
                    told.append(systemd.recv(1000).decode())
                second.send_signal(signal.SIGHUP)
                while told.count("WATCHDOG=1") < 4:
                    told.append(systemd.recv(1000).decode())
                second.send_signal(ending)
                self.assertEqual(second.wait(10), 0, "it had nothing to end")
                while told[-1] != "STOPPING=1":
                    told.append(systemd.recv(1000).decode())
            self.assertEqual(told[0], "READY=1", "systemd gives up a service that is not ready in time")
            self.assertRegex(told[1], "^STATUS=Standby: .*day.state")

    def test_what_is_passed_over_is_told_once_without_secrets(self):
        self.playout.write({"id": "good", "source": clip(1, "item")}, {"id": "bad", "source": "genclip://sd_2.0_special?duration=4"},
                           {"id": "gone", "source": "http://127.0.0.1:1/gone.mp4?signature=secret-4711"})
        self.start("log", "--record", str(self.folder / "archive"))
        self.wait_for("log", r"Item bad: refused\. .*prompt is missing")
        self.wait_for("log", r"Item gone: (failed|paid-unfetched)\. .")
        self.wait_for("log", r"(?s)(clip: good.*){2}", 60)
        log = (self.folder / "log").read_text(encoding="utf-8")
        self.assertEqual(log.count("Item bad"), 1, log)
        told = re.findall("Item .*", log)
        self.assertEqual(len(told), len(set(told)), log)
        self.assertNotIn("Item good", log)
        self.assertNotIn("secret-4711", log)

    def test_lines_of_the_as_run_log_wait_until_they_can_be_written(self):
        asrun = self.folder / "later" / "day.asrun"
        self.start("log", "--record", str(self.folder / "archive"), "--asrun", str(asrun))
        self.wait_for("log", r"Alarm: The as-run log cannot be written; its lines wait\. .")
        self.wait_for("log", r"clip: item-2", 60)
        asrun.parent.mkdir()
        self.wait_for("log", r"Over: The as-run log", 60)
        lines = [json.loads(line) for line in asrun.read_text(encoding="utf-8").splitlines()]
        self.assertEqual(lines[0]["frame"], 0, "none is lost")
        self.assertIn("item-1", [line.get("id") for line in lines])
        self.assertEqual((self.folder / "log").read_text(encoding="utf-8").count("Alarm: The as-run"), 1)

    def test_a_channel_without_its_lock_ends_and_writes_nothing_more(self):
        lock = self.folder / "day.state.lock"
        alarms = self.folder / "alarms"
        first = self.start("first", "--record", str(self.folder / "first-archive"), "--alarm-command", f"sh -c 'cat >> {alarms}'")
        self.wait_for("first", r"clip: item-1")
        lock.unlink()
        self.assertEqual(first.wait(20), 1)
        self.assertIn("Alarm: The lock of the state file is lost", (self.folder / "first").read_text(encoding="utf-8"))
        self.assertIn('"lock"', alarms.read_text(encoding="utf-8"))
        second = self.start("second", "--record", str(self.folder / "second-archive"))
        self.wait_for("second", r"clip: item-2")
        lock.rename(self.folder / "moved.lock")
        lock.touch()
        self.assertEqual(second.wait(20), 1, "another file is another lock")
        run_of_second = self.state()["run"]
        third = self.start("third", "--record", str(self.folder / "third-archive"))
        self.wait_for("third", r"clip: item")
        ends = time.monotonic() + 30
        while (state := self.state())["run"] == run_of_second:  # Its first state is on its way to the disk.
            self.assertLess(time.monotonic(), ends)
            time.sleep(0.01)
        part = self.folder / "part"
        while third.poll() is None and time.monotonic() < ends:  # As another channel would, for each clip.
            part.write_text(json.dumps({**state, "run": "other"}), encoding="utf-8")
            part.rename(self.playout.state)
            time.sleep(0.2)
        self.assertEqual(third.wait(5), 1, "another channel writes")
        self.assertEqual(self.state()["run"], "other")

    def test_the_budget_is_shown_before_it_has_refused_anything(self):
        self.playout.service.run(GENCLIP, "budget", "set", "--per-day", "50")
        self.start("log", "--udp", "127.0.0.1:9", "--status-port", "0")
        address = self.wait_for("log", r"http://[^ /]+/")[0]
        deadline = time.monotonic() + 60
        budget = None
        while not budget and time.monotonic() < deadline:
            time.sleep(0.2)
            with OPENER.open(address + "status", timeout=20) as answer:
                budget = json.load(answer)["budget"]
        self.assertEqual((budget["unit"], budget["limit"], budget["text"]), ("credits", 50, None))
        self.assertTrue(budget["resumes_at"].endswith("T00:00:00.000Z"))

    def test_an_item_that_is_refused_is_told_to_its_sender_alone(self):
        token = self.folder / "token"
        self.start("log", "--record", str(self.folder / "archive"), "--status-port", "0", "--token-file", str(token))
        address = self.wait_for("log", r"http://[^ /]+/")[0]
        self.wait_for("log", r"clip: item-1")

        def insert(after, **item):
            body = json.dumps({"item": item, **({"after": after} if after else {})}).encode()
            headers = {"Authorization": "Bearer " + token.read_text(encoding="utf-8").strip()}
            request = urllib.request.Request(address + "insert", body, headers, method="POST")
            try:
                with OPENER.open(request, timeout=20) as answer:
                    return answer.status, json.load(answer)
            except urllib.error.HTTPError as error:
                with error:
                    return error.code, json.load(error)

        for wanted, why, after, item in (
                (400, "source", "", {"id": "x"}),
                (409, 'no item "nobody"', "nobody", {"id": "x", "source": clip(1, "item")}),
                (409, "cannot be shown", "", {"id": "x", "source": "ftp://host/x.mp4"}),
                (409, "prompt is missing", "", {"id": "x", "source": "genclip://sd_2.0_special?duration=4"}),
                (409, "budget", "", {"id": "x", "source": clip(1, "item"), "fresh": "each-turn"})):
            code, answer = insert(after, **item)
            self.assertEqual(code, wanted, answer)
            self.assertIn(why, answer["error"])
        status = json.load(OPENER.open(address + "status", timeout=10))
        self.assertEqual(status["rundown"], {"accepted": True, "items": 3, "line": None, "text": None})
        # One behind the other, without a wait in between.
        self.assertEqual(insert("item-1", id="new", title="New", source=clip(2, "item"))[0], 200)
        self.assertEqual(insert("new", id="newer", title="Newer", source=clip(3, "item"))[0], 200)
        self.wait_for("log", r"(?s)clip: New\n.*clip: Newer\n", 60)
        self.assertNotIn("refused", (self.folder / "log").read_text(encoding="utf-8"))

    def test_a_reload_is_not_the_first_frame(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
            systemd.settimeout(20)
            systemd.bind(str(self.folder / "notify"))
            # No picture gets through.
            process = self.start("log", "--record", str(self.folder / "archive"), "--video-encoder", "valve drop=true ! x264enc",
                                 NOTIFY_SOCKET=systemd.getsockname())
            self.wait_for("log", r"clip: item-1")
            process.send_signal(signal.SIGHUP)
            self.wait_for("log", r"clip: item-2")
            process.send_signal(signal.SIGTERM)
            self.wait_for("log", r"a second signal")
            time.sleep(1.1)  # Within a second, it is the same stop.
            process.send_signal(signal.SIGTERM)
            process.wait(20)
            told = []
            while not told or told[-1] != "STOPPING=1":
                told.append(systemd.recv(1000).decode())
        self.assertIn("STATUS=On the air: item-2", told)
        self.assertFalse([message for message in told if "READY=1" in message or "RELOADING" in message], told)

    def test_check_prices_each_item_and_sends_nothing(self):
        self.playout.write({"id": "stored", "source": clip(1, "item")}, {"id": "new", "source": clip(4, "new")},
                           {"id": "bad", "source": "genclip://sd_2.0_special?duration=4"},
                           {"id": "file", "source": str(self.playout.rundown)}, {"id": "gone", "source": "/nonexistent/news.mp4"}, {"id": "again", "source": clip(4, "new")},
                           {"id": "link", "source": str(self.folder / "link.mp4")}, {"id": "fresh", "source": clip(1, "item"), "fresh": "each-turn"},
                           fallback=[clip(5, "hole"), clip(1, "item"), "genclip://sd_2.0_special?duration=4",
                                     "ftp://media.example/a.mp4"])
        self.playout.service.generate("model=sd_2.0_special", "prompt=4 new", "duration=4")
        stored = json.loads(self.playout.service.run(GENCLIP, "store", "list", "--json").stdout)["clips"]
        self.playout.service.run(GENCLIP, "store", "remove", next(one["key"] for one in stored if one["prompt"] == "4 new"))
        before = self.playout.service.stats()["submits"]
        (self.folder / "link.mp4").symlink_to(self.playout.rundown)
        self.playout.service.run(GENCLIP, "budget", "set", "--per-day", "1000")
        run = self.playout.service.run(GENCLIP, "channel", str(self.playout.rundown), "--check", "--json")
        self.assertEqual(run.returncode, 1, run.stdout)
        check = json.loads(run.stdout[run.stdout.index("{\n"):])
        self.assertIn("day.json: A fallback is left out.", run.stdout)
        items = {item["id"]: item for item in check["items"]}
        self.assertEqual({name: item["state"] for name, item in items.items()},
                         {"stored": "stored", "new": "to pay", "bad": "refused", "file": "file", "gone": "missing", "again": "same clip",
                          "link": "file", "fresh": "each turn"})
        self.assertEqual([fallback["state"] for fallback in check["fallback"]], ["to pay", "stored", "refused", "refused"])
        self.assertEqual([name for name, item in items.items() if item["paid_before"]], ["new"])
        self.assertFalse(any(fallback["paid_before"] for fallback in check["fallback"]))
        text = self.playout.service.run(GENCLIP, "channel", str(self.playout.rundown), "--check").stdout
        self.assertRegex(text, r"\nnew\s+to pay again\s+\S+ credits")
        self.assertIn("\n1 clip was paid for before, and left the store since.", text)
        self.assertEqual(check["total"]["likely"], sum(one["estimate"]["likely"] for one in (items["new"], items["fresh"], check["fallback"][0])),
                         "each clip is paid once, and so is a fallback")
        self.assertGreater(items["new"]["estimate"]["likely"], 0)
        self.assertIn("prompt is missing", items["bad"]["problem"])
        self.assertEqual(items["gone"]["problem"], "There is no file /nonexistent/news.mp4.")
        self.assertEqual((check["refused"], check["missing"]), (3, 1), "an item and two fallbacks")
        self.playout.rundown.write_text('{"program": [\n 1]}', encoding="utf-8")
        run = self.playout.service.run(GENCLIP, "channel", str(self.playout.rundown), "--check")
        self.assertEqual(run.returncode, 1)
        self.assertIn("day.json:2: ", run.stdout)
        self.assertEqual(self.playout.service.stats()["submits"], before)

    def test_a_rundown_that_is_refused_reaches_no_output(self):
        outputs = ["--hls", str(self.folder / "www"), "--record", str(self.folder / "archive")]
        running = self.start("running", "--udp", "127.0.0.1:9")
        self.wait_for("running", "clip: item")
        self.playout.rundown.write_text('{"program": [{"id": "a", "sourc": "x"}]}', encoding="utf-8")
        for name, options in ("log", []), ("standby", ["--standby"]):
            with self.subTest(name):
                self.assertEqual(self.start(name, *outputs, *options).wait(20), 1)
                self.wait_for(name, "The rundown cannot be used. Line 1: ")
                self.assertNotIn("Standing by", (self.folder / name).read_text(encoding="utf-8"))
                self.assertFalse((self.folder / "www").exists() or (self.folder / "archive").exists())
        self.assertIsNone(running.poll(), "what runs has its rundown")

    def test_what_cannot_work_is_refused_at_the_start(self):
        for options, text in ((("--alarm-command", "/nonexistent/pager"), "there is no program /nonexistent/pager"),
                              (("--slate", "/nonexistent/card.png"), "--slate: /nonexistent/card.png does not exist"),
                              (("--slate", "genclip://sd_2.0_special?prompt=card&duration=4"), '--slate: A genclip:// URI is generated for an item of the rundown alone. Generate'),
                              (("--logo", "genclip://dream-5.0?prompt=logo"), "--logo: A genclip:// URI is generated for an item of the rundown alone."),
                              (("--logo", "file:///nonexistent/logo.png"), "--logo: /nonexistent/logo.png does not exist"),
                              (("--video-caps", "video/x-raw,format=I420,width=321,height=240,framerate=25/1"), "odd size, 321x240"),
                              (("--video-caps", "video/x-raw,format=I420,width=320,height=240,framerate=25/1,interlace-mode=interleaved"), "is interlaced"),
                              (("--video-caps", "video/x-raw,format=I420,width=40000,height=240,framerate=25/1"), "a size of 40000x240"),
                              (("--video-caps", "garbage"), "--video-caps must be raw video of one format"),
                              (("--audio-caps", "garbage"), "--audio-caps must be raw, interleaved audio of one format"),
                              (("--audio-caps", "audio/x-raw,format=F32LE,rate=48000,channels=3,layout=interleaved,channel-mask=(bitmask)0"), "--audio-caps must say with channel-mask"),
                              (("--rtmp", "rtmp://127.0.0.1:9/live/x", "--video-encoder", "video/x-h265"), "--rtmp needs a --video-encoder that makes H.264."),
                              (("--record-minutes", "2000"), "--record-minutes must be between 1 and 1440."),
                              (("--video-encoder", "nosuchenc"), "--video-encoder cannot be used: "),
                              (("--audio-encoder", "opusenc"), "--audio-encoder must make AAC."),
                              (("--token-file", str(self.folder / "token")), "--token-file needs --status-port"),
                              (("--status-address", "127.0.0.1"), "--status-address needs --status-port"),
                              (("--status-port", "0", "--status-address", "myhost"), "\"myhost\" is not a numeric address"),
                              (("--keep-days", "40000"), "--keep-days"), (("--end-within", "100000"), "--end-within"),
                              (("--burn-captions", "--caption-model", "nosuchmodel"), "nosuchmodel"),
                              (("--burn-captions",), "llm-base-url"),
                              (("--standby",), "--standby needs --state-file")):
            for way in (("--hls", str(self.folder / "www")), ("--check",)):
                run = self.playout.service.run(GENCLIP, "channel", str(self.playout.rundown), *way, *options)
                self.assertEqual(run.returncode, 2, run.stdout)
                self.assertIn(text, run.stdout)

    def test_without_the_plugin_it_says_so(self):
        run = self.playout.service.run(GENCLIP, "channel", str(self.playout.rundown), "--video-caps", CAPS, "--hls", str(self.folder / "www"),
                                       GST_PLUGIN_PATH=str(self.folder), GST_REGISTRY=str(self.folder / "registry"))
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn("does not find the element genchannelsrc", run.stdout)

    def test_it_stays_when_nobody_reads_what_it_prints(self):
        process = subprocess.Popen([GENCLIP, "channel", str(self.playout.rundown), "--video-caps", CAPS, "--hls", str(self.folder / "www"),
                                    "--end-within", "0"], env=self.playout.service.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        process.stdout.readline()
        process.stdout.close()
        deadline = time.monotonic() + 60
        while not list((self.folder / "www").glob("segment-*.ts")) and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(6)  # Some cuts, each with a line.
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 0)

    def test_it_ends_although_nobody_reads_what_it_prints(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        os.set_blocking(writer, False)
        with self.assertRaises(BlockingIOError):
            while True:
                os.write(writer, b"\n")
        os.set_blocking(writer, True)
        process = subprocess.Popen([GENCLIP, "channel", str(self.playout.rundown), "--video-caps", CAPS, "--record", str(self.folder / "archive"),
                                    "--asrun", str(self.playout.asrun), "--end-within", "0"], env=self.playout.service.env, stdout=writer, stderr=writer)
        self.addCleanup(process.kill)
        os.close(writer)
        deadline = time.monotonic() + 60
        while not (self.playout.asrun.exists() and self.playout.entries()) and time.monotonic() < deadline:
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 0)

    def test_what_is_inserted_into_an_older_rundown_makes_the_newest_no_better(self):
        token = self.folder / "token"
        self.start("log", "--udp", "127.0.0.1:9", "--status-port", "0", "--token-file", str(token))
        address = self.wait_for("log", r"http://[^ /]+/")[0]
        self.wait_for("log", r"clip: item-1")
        self.playout.rundown.write_text('{"program": [{"id": "a", "sourc": "x"}]}', encoding="utf-8")
        self.wait_for("log", r"Alarm: No new rundown is taken")
        body = json.dumps({"item": {"id": "new", "source": clip(2, "item")}}).encode()
        headers = {"Authorization": "Bearer " + token.read_text(encoding="utf-8").strip()}
        OPENER.open(urllib.request.Request(address + "insert", body, headers, method="POST"), timeout=20).close()
        deadline = time.monotonic() + 30
        while (rundown := json.load(OPENER.open(address + "status", timeout=10))["rundown"])["items"] != 4:
            self.assertLess(time.monotonic(), deadline, rundown)
            time.sleep(0.1)
        self.assertEqual((rundown["accepted"], rundown["line"]), (False, 1))
        self.wait_for("log", r"clip: new", 60)
        log = (self.folder / "log").read_text(encoding="utf-8")
        self.assertEqual(log.count("The rundown is refused"), 1, log)
        self.assertNotIn("Over: No new rundown", log)

    def test_a_rundown_that_is_removed_is_told_and_plays_on(self):
        process = self.start("out", "--hls", str(self.folder / "www"), "--end-within", "0")
        self.wait_for("out", "(?m)^clip: item-1")
        self.playout.rundown.unlink()
        self.wait_for("out", "The rundown is refused: Its file is gone.")
        self.wait_for("out", "Alarm: No new rundown is taken; the one before it plays on. Its file is gone.")
        self.playout.write({"id": "item-2", "source": clip(2, "item")})
        self.wait_for("out", "Over: No new rundown is taken")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 0)

    def test_the_example_runs(self):
        example = pathlib.Path(__file__).resolve().parents[2] / "examples/channel/channel"
        env = {"PATH": f"{pathlib.Path(GENCLIP).parent}:{os.environ['PATH']}"}
        # A busy machine may need more than the first time until a clip is ready.
        for seconds in ("14", "70"):
            folder = self.folder / seconds
            run = self.playout.service.run(str(example), seconds, str(folder), **env)
            self.assertEqual(run.returncode, 0, run.stdout)
            self.assertTrue(list((folder / "archive").glob("*.mkv")))
            if "  clip  " in run.stdout:
                break
        self.assertRegex(run.stdout, r"(?m)^  \d\d:\d\d:\d\d  clip  (Red kite|Storm|Lighthouse)$")
        # It has said what that costs, and which items are bad.
        self.assertLess(run.stdout.index("To pay for one turn: "), run.stdout.index("Item no-prompt: refused."))


if __name__ == "__main__":
    unittest.main(verbosity=2)
