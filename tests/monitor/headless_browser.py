# SPDX-License-Identifier: LGPL-2.1-or-later
"""Chromium without a window, driven over its debugging pipe: messages of JSON, each with a NUL at its end."""

import base64
import json
import os
import queue
import subprocess
import tempfile
import threading
import time

OPTIONS = ["--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check", "--disable-gpu",
           "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
           "--disable-default-apps", "--disable-dev-shm-usage", "--no-proxy-server", "--mute-audio", "--lang=en-GB",
           # Only the page under test is opened, and root cannot have a sandbox.
           "--no-sandbox",
           # No name is looked up.
           "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"]
LIMIT = 60  # Seconds for one answer.


class HeadlessBrowser:
    """One page. A context manager."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        child_in, self.to_browser = os.pipe()
        from_browser, child_out = os.pipe()
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$0" "$@" 3<&{child_in} 4>&{child_out}', program, *OPTIONS,
             f"--user-data-dir={self.folder.name}", "about:blank"],
            pass_fds=(child_in, child_out), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, "TZ": "UTC", "HOME": self.folder.name}, start_new_session=True)
        os.close(child_in)
        os.close(child_out)
        self.messages = queue.Queue()
        self.events = []
        self.count = 0
        self.session = None
        self.reader = threading.Thread(target=self.read, args=(from_browser,))
        self.reader.start()
        try:
            target = self.ask("Target.createTarget", url="about:blank")["targetId"]
            self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Network", "Log"):
                self.ask(domain + ".enable")
        except BaseException:
            self.stop()
            raise

    def read(self, descriptor):
        with os.fdopen(descriptor, "rb") as pipe:
            pending = b""
            while data := pipe.read1(65536):
                *whole, pending = (pending + data).split(b"\0")
                for message in whole:
                    self.messages.put(json.loads(message))
        self.messages.put(None)

    def ask(self, method, **parameters):
        """The result of a command; events that come meanwhile go to `events`."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to_browser, data):]
        deadline = time.monotonic() + LIMIT
        while True:
            answer = self.messages.get(timeout=max(0, deadline - time.monotonic()))
            if answer is None:
                raise RuntimeError("the browser has gone")
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def js(self, expression):
        """Its value in the page, bound by the page's policy; a promise is waited for."""
        result = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True,
                          allowUnsafeEvalBlockedByCSP=False)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"].get("description", "an exception"))
        return result["result"].get("value")

    def wait_for(self, expression):
        """Until it is true in the page."""
        deadline = time.monotonic() + LIMIT
        while not self.js(expression):
            if time.monotonic() > deadline:
                raise AssertionError(f"never true: {expression}")
            time.sleep(0.05)

    def requests(self):
        """The URLs that the page has asked for."""
        return [event["params"]["request"]["url"] for event in self.events if event["method"] == "Network.requestWillBeSent"]

    def complaints(self):
        """Uncaught exceptions, and what the page's console has as errors."""
        return [event["params"] for event in self.events
                if event["method"] == "Runtime.exceptionThrown"
                or (event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] == "error")]

    def picture(self, width, height):
        """The page as a PNG."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=True)
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=False)["data"])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        os.close(self.to_browser)  # It ends when its pipe does.
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, 9)
            self.process.wait()
        self.reader.join()
        self.folder.cleanup()
