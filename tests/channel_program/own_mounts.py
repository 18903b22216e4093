# SPDX-License-Identifier: LGPL-2.1-or-later
"""A small file system that only this process and its children see, to become full without harm to anybody."""

import ctypes
import os
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
