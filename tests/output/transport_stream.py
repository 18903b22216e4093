# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a receiver of UDP sees: every packet of a transport stream, and what is missing between them."""

import contextlib
import socket
import threading

PACKET = 188
TICKS = 90_000
SO_RCVBUFFORCE = 33  # Of Linux; Python has no name for it.


class UdpReceiver:
    """Collects all that is sent to a free port of loopback."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        # A receiver that gets no processor for a while loses nothing. Only root may ask for more than the system's limit.
        try:
            self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
        except PermissionError:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(0.1)
        self.port = self.socket.getsockname()[1]
        self.datagrams = []
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._receive)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _receive(self):
        while not self.over.is_set():
            try:
                self.datagrams.append(self.socket.recv(1 << 16))
            except TimeoutError:
                continue
        # What has arrived before.
        self.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                self.datagrams.append(self.socket.recv(1 << 16))

    def close(self):
        self.over.set()
        self.thread.join()
        self.socket.close()


def packets(data):
    for at in range(0, len(data) - PACKET + 1, PACKET):
        packet = data[at:at + PACKET]
        if packet[0] != 0x47:
            raise AssertionError(f"no packet begins at byte {at}")
        yield packet


def payload(packet):
    start = 4 + (1 + packet[4] if packet[3] & 0x20 else 0)
    return packet[start:] if packet[3] & 0x10 else b""


def pts_of(pes):
    """The PTS of a PES header in ticks, or None."""
    if len(pes) < 14 or not pes[7] & 0x80:
        return None
    a, b, c, d, e = pes[9:14]
    return (a >> 1 & 7) << 30 | b << 22 | (c >> 1) << 15 | d << 7 | e >> 1


def pictures(data):
    """The PTS of every picture, in seconds."""
    times = []
    for packet in packets(data):
        content = payload(packet)
        if packet[1] & 0x40 and content[:3] == b"\0\0\1" and content[3] & 0xF0 == 0xE0:
            times.append(pts_of(content) / TICKS)
    return times


def lost_packets(data):
    """How often a continuity counter is not the one that follows."""
    counters, lost = {}, 0
    for packet in packets(data):
        pid = (packet[1] & 0x1F) << 8 | packet[2]
        if pid == 0x1FFF or not packet[3] & 0x10:
            continue
        counter = packet[3] & 0xF
        if pid in counters and counter != (counters[pid] + 1) % 16:
            lost += 1
        counters[pid] = counter
    return lost
