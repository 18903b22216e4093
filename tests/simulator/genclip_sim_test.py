#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""genclip-sim as a program: its ready file, its options, its end."""

import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.parse
import urllib.request

PROGRAM = os.environ["GENCLIP_SIM"]
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
HANG_S = 60


def run(*options):
    return subprocess.run([PROGRAM, *options], capture_output=True, text=True, timeout=HANG_S, check=False)


class GenclipSim(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.ready = pathlib.Path(self.folder.name) / "ready"
        self.process = None

    def tearDown(self):
        if self.process:
            self.process.kill()
            self.process.communicate()
        self.folder.cleanup()

    def start(self, *options):
        self.process = subprocess.Popen([PROGRAM, "--ready-file", str(self.ready), *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + HANG_S
        while not self.ready.exists():
            self.assertIsNone(self.process.poll(), "it ended")
            self.assertLess(time.monotonic(), deadline, "no ready file")
            time.sleep(0.02)
        return dict(line.split("=", 1) for line in self.ready.read_text().splitlines())

    def ask(self, url, body=None, **headers):
        request = urllib.request.Request(url, data=body and json.dumps(body).encode(), headers=headers)
        with OPENER.open(request, timeout=HANG_S) as answer:
            return json.load(answer)

    def submit(self, base, key):
        return self.ask(base + "/v2/model-center/tasks", {"model": "dance-2.5", "prompt": "a"},
                        **{"Authorization": "Bearer " + key, "Content-Type": "application/json"})

    def test_the_ready_file_is_what_it_prints_and_a_shell_reads_it(self):
        addresses = self.start()
        self.assertEqual(sorted(addresses), ["GENCLIP_BASE_URL", "GENCLIP_LLM_BASE_URL", "GENCLIP_MEDIA_URL"])
        shell = subprocess.run(["sh", "-c", '. "$0"; echo "$GENCLIP_BASE_URL"', str(self.ready)], capture_output=True,
                               text=True, check=True)
        self.assertEqual(shell.stdout.strip(), addresses["GENCLIP_BASE_URL"])
        self.process.send_signal(signal.SIGTERM)
        out, err = self.process.communicate(timeout=HANG_S)
        self.assertEqual(out, self.ready.read_text())
        self.assertEqual(err, "")
        self.assertEqual(self.process.returncode, 0)

    def test_says_at_the_start_which_elements_are_missing(self):
        plain = {**os.environ, "GST_PLUGIN_SYSTEM_PATH": self.folder.name, "GST_REGISTRY": self.folder.name + "/registry"}
        for name in ("GST_PLUGIN_PATH", "GST_PLUGIN_PATH_1_0", "GST_PLUGIN_SYSTEM_PATH_1_0", "GST_REGISTRY_1_0"):
            plain.pop(name, None)
        result = subprocess.run([PROGRAM, "--ready-file", self.ready], capture_output=True, text=True, timeout=HANG_S, check=False, env=plain)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertFalse(self.ready.exists())
        for name in ("textoverlay", "videotestsrc", "filesink", "mp4mux", "aacparse", "audiotestsrc", "an encoder for H.264", "an encoder for AAC", "gstreamer1.0-x"):
            self.assertIn(name, result.stderr)
        # Properties, caps and pads are no elements.
        self.assertNotRegex(result.stderr, "lacks .*([=/!]|mux\\.).* \\(Debian")

    def test_has_the_same_address_when_it_is_started_again_at_once(self):
        # Bound, these keep other programs from getting the ports meanwhile; as they do not listen, it may.
        held = [self.enterContext(socket.socket()) for _ in range(2)]
        for one in held:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind(("127.0.0.1", 0))
        port, media_port = (str(one.getsockname()[1]) for one in held)
        addresses = self.start("--port", port, "--media-port", media_port)
        self.assertEqual(addresses["GENCLIP_BASE_URL"], f"http://127.0.0.1:{port}/api")
        self.assertEqual(addresses["GENCLIP_MEDIA_URL"], f"http://127.0.0.1:{media_port}")
        # It closes its connections itself, so they keep the port for a while.
        self.submit(addresses["GENCLIP_BASE_URL"], "sim-key")
        self.process.kill()
        self.process.communicate(timeout=HANG_S)
        self.ready.unlink()
        self.assertEqual(self.start("--port", port, "--media-port", media_port), addresses)

    def test_says_that_another_one_may_be_running(self):
        base = urllib.parse.urlsplit(self.start()["GENCLIP_BASE_URL"])
        second = run("--port", str(base.port))
        self.assertEqual(second.returncode, 1)
        self.assertIn("Another genclip-sim may be running: use it, or choose another --port", second.stderr)
        self.assertNotIn("Another genclip-sim", run("--host", "192.0.2.1").stderr)

    def test_ends_well_on_sigint_while_it_renders(self):
        addresses = self.start("--queued", "0", "--processing", "0")
        self.submit(addresses["GENCLIP_BASE_URL"], "sim-key")
        self.process.send_signal(signal.SIGINT)
        _, err = self.process.communicate(timeout=HANG_S)
        self.assertEqual((self.process.returncode, err), (0, ""))

    def test_takes_its_key_and_its_faults_from_the_command_line_and_prints_no_key(self):
        addresses = self.start("--key", "key-4711", "--fault", "submit#1:status=402")
        base = addresses["GENCLIP_BASE_URL"]
        with self.assertRaises(urllib.error.HTTPError) as refused:
            self.submit(base, "key-4711")
        self.assertEqual(refused.exception.code, 402)
        self.assertEqual(self.submit(base, "key-4711")["status"], "queued")
        with self.assertRaises(urllib.error.HTTPError) as refused:
            self.submit(base, "sim-key")
        self.assertEqual(refused.exception.code, 401)
        stats = self.ask(base.removesuffix("/api") + "/_sim/stats")
        self.assertEqual(stats["submits"], 1)
        self.process.terminate()
        self.assertNotIn("key-4711", "".join(self.process.communicate(timeout=HANG_S)))

    def test_keeps_nothing_of_a_connection_whose_client_has_gone(self):
        base = urllib.parse.urlsplit(self.start()["GENCLIP_BASE_URL"])

        def open_files():
            return len(os.listdir(f"/proc/{self.process.pid}/fd"))

        before = open_files()
        for _ in range(50):
            connection = http.client.HTTPConnection(base.hostname, base.port, timeout=HANG_S)
            connection.request("GET", "/_sim/stats")
            connection.getresponse().read()
            connection.close()
        deadline = time.monotonic() + HANG_S
        while open_files() > before + 5:
            self.assertLess(time.monotonic(), deadline, f"{open_files() - before} are left")
            time.sleep(0.02)

    def test_takes_times_and_levels_as_ranges(self):
        addresses = self.start("--queued", "1000..4000.5", "--processing", "0.5..1.5", "--tone", "-30..-12")
        self.assertEqual(self.submit(addresses["GENCLIP_BASE_URL"], "sim-key")["status"], "queued")

    def test_says_what_is_wrong_with_an_option(self):
        for options, words in ((("--fault", "media:explode"), "explode"), (("--port", "70000"), "65535"),
                               (("--queued", "-1"), '"-1" is neither a number from 0'), (("--nonsense",), "--nonsense"), (("more",), "more"),
                               (("--key", ""), "key must not be empty"), (("--processing", "3..2"), "3..2"),
                               (("--tone", "-3..x"), "-3..x"), (("--frame-rate", "7"), "48000"),
                               (("--moderated", "101"), "100 %")):
            ended = run(*options)
            self.assertEqual(ended.returncode, 2, options)
            self.assertIn(words, ended.stderr)
            self.assertEqual(ended.stdout, "")

    def test_says_what_it_cannot_do(self):
        ended = run("--host", "192.0.2.1")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("192.0.2.1", ended.stderr)
        prices = pathlib.Path(self.folder.name, "prices.json")
        prices.write_text('{"prices":[{"amount":"1"}]}')
        ended = run("--prices", str(prices))
        self.assertEqual(ended.returncode, 1)
        self.assertIn("prices.json: price 1: amount must be a number", ended.stderr)
        ended = run("--ready-file", self.folder.name + "/none/ready")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("none", ended.stderr)

    def test_explains_itself(self):
        self.assertIn("--ready-file", run("--help").stdout)
        self.assertRegex(run("--version").stdout, r"^genclip-sim \d+\.\d+\.\d+\n$")
        documented = (pathlib.Path(__file__).parents[2] / "docs" / "simulator.md").read_text()
        kinds = [line.split("=")[0] for line in run("--list-faults").stdout.splitlines() if line[0] != " "]
        self.assertGreater(len(kinds), 20)
        for kind in kinds:
            self.assertIn(f"`{kind}", documented)


if __name__ == "__main__":
    unittest.main()
