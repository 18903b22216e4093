# SPDX-License-Identifier: LGPL-2.1-or-later
"""A GlusterFS server and clients that mount it, on loopback, without glusterd; stops and unmounts everything at its end."""

import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

from link import Link

BRICK = """
volume disk
  type storage/posix
  option directory {folder}
end-volume
volume locks
  type features/locks
  subvolumes disk
end-volume
volume server
  type protocol/server
  option transport-type tcp
  option transport.socket.bind-address 127.0.0.1
  option transport.socket.listen-port {port}
  option auth.addr.locks.allow 127.0.0.1
  option rpc-auth-allow-insecure on
  subvolumes locks
end-volume
"""

CLIENT = """
volume client
  type protocol/client
  option transport-type tcp
  option remote-host 127.0.0.1
  option remote-port {port}
  option remote-subvolume locks
  option ping-timeout {ping_timeout}
end-volume
"""


def why_not():
    """The reason why GlusterFS cannot be mounted here; None if it can."""
    if not shutil.which("glusterfsd") or not shutil.which("glusterfs"):
        return "glusterfsd is not installed (Debian's package glusterfs-server)"
    if os.geteuid() != 0:
        return "only root can mount"
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "there is no /dev/fuse"
    return None


def wait_until(what, said, patience=30):
    deadline = time.monotonic() + patience
    while not what():
        if time.monotonic() > deadline:
            raise TimeoutError(said)
        time.sleep(0.02)


def is_listening(port):
    with socket.socket() as knock:
        return knock.connect_ex(("127.0.0.1", port)) == 0


class Mount:
    """One machine's mount of the volume, over its own link."""

    def __init__(self, folder, brick_port, ping_timeout, cache_s):
        self.folder = folder
        self.path = folder / "mount"
        self.path.mkdir(parents=True)
        self.link = Link(brick_port)
        volume = folder / "client.vol"
        volume.write_text(CLIENT.format(port=self.link.listening_port, ping_timeout=ping_timeout))
        self.process = subprocess.Popen(["glusterfs", "-N", "-f", str(volume), "-l", str(folder / "log"),
                                         f"--attribute-timeout={cache_s}", f"--entry-timeout={cache_s}", str(self.path)],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_until(self.is_ready, f"no mount: {folder / 'log'}")
        except BaseException:
            self.stop()
            raise

    def is_ready(self):
        if self.process.poll() is not None:
            raise RuntimeError((self.folder / "log").read_text())
        return os.path.ismount(self.path)

    def is_connected(self):
        try:
            os.listdir(self.path)
        except OSError:
            return False
        return True

    def kill(self):
        """Kills the file system during its work: its users get ENOTCONN."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.kill()
        # A dead file system stays mounted until the last process with an open file in it ends.
        subprocess.run(["umount", "--lazy", str(self.path)], stderr=subprocess.DEVNULL, check=False)
        self.link.stop()


class Volume:
    """The server's side, on a free port."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="genclip-fleet-"))
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        self.mounts = []
        self.process = None
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    def start(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        volume = self.folder / "brick.vol"
        volume.write_text(BRICK.format(folder=self.disk, port=self.port))
        self.process = subprocess.Popen(["glusterfsd", "-N", "-f", str(volume), "-l", str(self.folder / "log")],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: self.process.poll() is not None or is_listening(self.port), "glusterfsd does not listen")
        if self.process.poll() is not None:
            raise RuntimeError((self.folder / "log").read_text())

    def mount(self, name, ping_timeout=42, cache_s=1):
        """cache_s: how long its machine caches names and sizes."""
        mounted = Mount(self.folder / name, self.port, ping_timeout, cache_s)
        self.mounts.append(mounted)
        return mounted

    def stop(self):
        for mounted in self.mounts:
            mounted.stop()
        if self.process:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
