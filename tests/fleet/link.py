# SPDX-License-Identifier: LGPL-2.1-or-later
"""A network cable between a client and its server that a test can cut and repair."""

import select
import socket
import threading


def break_off(end):
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


class Link:
    """Hands every connection to `port` on. All on loopback, in threads of its own."""

    def __init__(self, port):
        self.port = port
        self.open = threading.Event()
        self.open.set()
        self.lock = threading.Lock()
        self.pairs = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listening_port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.carry, args=(near,), daemon=True).start()

    def carry(self, near):
        self.open.wait()
        with near, socket.socket() as far:
            try:
                far.connect(("127.0.0.1", self.port))
                with self.lock:
                    self.pairs.append((near, far))
                self.pump(near, far)
            except OSError:
                pass
            with self.lock:
                if (near, far) in self.pairs:
                    self.pairs.remove((near, far))

    def pump(self, near, far):
        while True:
            self.open.wait()
            ready, _, _ = select.select([near, far], [], [], 0.2)
            for end in ready if self.open.is_set() else []:
                piece = end.recv(1 << 16)
                if not piece:
                    return
                (far if end is near else near).sendall(piece)

    def cut(self):
        """Nothing gets through any more, and neither side is notified."""
        self.open.clear()

    def give_up(self):
        """Drops a silent client, as a server does: closes the connection, which releases its locks."""
        with self.lock:
            for _, far in self.pairs:
                break_off(far)

    def mend(self):
        """Delivers the delayed data after all; if one side has closed the connection, the other side learns of it."""
        self.open.set()

    def stop(self):
        break_off(self.listener)
        self.listener.close()
        with self.lock:
            for near, far in self.pairs:
                break_off(near)
                break_off(far)
        self.open.set()
