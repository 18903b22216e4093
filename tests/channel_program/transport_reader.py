# SPDX-License-Identifier: LGPL-2.1-or-later
"""Receives MPEG-TS by UDP and looks at every packet: none is missing, and the pictures' times have no gap."""

import socket
import threading
import time

from transport_stream import PACKET, TICKS, payload, pts_of

WRAP = 1 << 33
MOST_PROBLEMS = 20
SO_RCVBUFFORCE = 33  # As root, more than the system's limit.


class TransportReader:
    def __init__(self, rate):
        self.step = TICKS // rate
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for option in (socket.SO_RCVBUF, SO_RCVBUFFORCE):
            try:
                self.socket.setsockopt(socket.SOL_SOCKET, option, 16 << 20)
            except OSError:
                pass
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.problems = []  # (time.monotonic(), text)
        self.packets = self.pictures = 0
        self.forget()
        threading.Thread(target=self.read, daemon=True).start()

    def forget(self):
        """A new run of the program begins."""
        self.counters, self.last_time = {}, None

    def read(self):
        while True:
            datagram = self.socket.recv(65536)
            for at in range(0, len(datagram), PACKET):
                self.take(datagram[at:at + PACKET])

    def wrong(self, text):
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append((time.monotonic(), text))

    def take(self, packet):
        if len(packet) < PACKET or packet[0] != 0x47:
            self.wrong("a datagram is no MPEG-TS")
            return
        self.packets += 1
        pid = (packet[1] & 0x1F) << 8 | packet[2]
        has_payload, counter = packet[3] & 0x10, packet[3] & 0x0F
        if pid == 0x1FFF or not has_payload:
            return
        last = self.counters.get(pid)
        self.counters[pid] = counter
        if last is not None and counter != (last + 1) & 0x0F:
            self.wrong(f"packets of PID {pid} are missing after {self.pictures} pictures: {last} is followed by {counter}")
        content = payload(packet)
        if packet[1] & 0x40 and content[:3] == b"\0\0\1" and content[3] & 0xF0 == 0xE0:
            self.see_picture(pts_of(content))

    def see_picture(self, time_of_it):
        if self.last_time is not None:
            step = (time_of_it - self.last_time + WRAP // 2) % WRAP - WRAP // 2
            if abs(step - self.step) > 1:
                self.wrong(f"picture {self.pictures} comes {step / TICKS:.3f} s after the one before")
        self.last_time = time_of_it
        self.pictures += 1
