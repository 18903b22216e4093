# SPDX-License-Identifier: LGPL-2.1-or-later
"""The control server of a channel that does not exist: started, asked, and stopped with its standard input."""

import os
import queue
import subprocess
import threading
import urllib.error
import urllib.request

OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class ServedChannel:
    """A context manager. `texts`: "plain" or "hostile"."""

    def __init__(self, texts):
        self.process = subprocess.Popen([os.environ["CONTROL_SERVER"], texts], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        self.token = self.process.stdout.readline().strip()
        self.calls = queue.Queue()
        self.reader = threading.Thread(target=self.read_calls)
        self.reader.start()

    def read_calls(self):
        for line in self.process.stdout:
            self.calls.put(line.strip())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.join()
        self.process.stdout.close()

    def call(self):
        """The next call of the control."""
        return self.calls.get(timeout=30)

    def get(self, path):
        with OPENER.open(self.url + path, timeout=30) as answer:
            return answer.read().decode()
