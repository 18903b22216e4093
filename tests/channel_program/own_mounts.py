# SPDX-License-Identifier: LGPL-2.1-or-later
"""File systems for tests: a small one that only this process and its children see, to become full without harm to anybody, and one
that never answers."""

import contextlib
import ctypes
import os
import struct
import subprocess
import sys

CLONE_NEWNS = 0x20000
IN_NAMESPACE = "GENCLIP_ORDEAL_NAMESPACE"


def may_mount():
    """Whether this process may mount something that nobody else sees. It may begin anew in a user
    namespace of its own, so call it first."""
    if ctypes.CDLL(None).unshare(CLONE_NEWNS) == 0:
        return subprocess.run(["mount", "--make-rprivate", "/"], check=False).returncode == 0
    if not os.environ.get(IN_NAMESPACE) and subprocess.run(["unshare", "-rm", "true"], check=False,
                                                           stderr=subprocess.DEVNULL).returncode == 0:
        os.environ[IN_NAMESPACE] = "1"
        os.execvp("unshare", ["unshare", "-rm", sys.executable, *sys.argv])
    return bool(os.environ.get(IN_NAMESPACE))


def mount_small(folder, mebibytes):
    """False: it did not work."""
    return subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "none", str(folder)], check=False).returncode == 0


@contextlib.contextmanager
def mount_hung(folder):
    """Whoever looks into the folder waits until the end. Gives False where that is not possible."""
    try:
        kernel = os.open("/dev/fuse", os.O_RDWR)
    except OSError:
        yield False
        return
    mount = ctypes.CDLL(None).mount
    options = f"fd={kernel},rootmode=40000,user_id=0,group_id=0"
    is_mounted = mount(b"hung", os.fsencode(folder), b"fuse", 0, options.encode()) == 0
    if is_mounted:
        # The first request is answered, else the mount would not begin: FUSE_INIT of version 7.31.
        number = struct.unpack("IIQ", os.read(kernel, 1 << 17)[:16])[2]
        body = struct.pack("IIIIHHII", 7, 31, 0, 0, 16, 12, 1 << 17, 1) + bytes(32)
        os.write(kernel, struct.pack("IiQ", 16 + len(body), 0, number) + body)
    try:
        yield is_mounted
    finally:
        os.close(kernel)  # Whoever waits gets an error.
        if is_mounted:
            subprocess.run(["umount", "-l", str(folder)], check=False)
