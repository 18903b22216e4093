# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs benchmarks of stored clips on memory, on an overlay and on a disk.

file_systems.py PROGRAM...: each program uses the folder TMPDIR. The mounts are seen by these processes only.
Without the right to mount, only the disk of TMPDIR is measured.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

IN_NAMESPACE = "--in-namespace"


def may_mount():
    return subprocess.run(["unshare", "--mount", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0


def is_mounted(kind, options, target):
    target.mkdir()
    return subprocess.run(["mount", "-t", kind, "-o", options, kind, target], check=False).returncode == 0


def measure(kind, folder, programs):
    print(f"{kind}:", flush=True)
    return all([subprocess.run([program], env={**os.environ, "TMPDIR": str(folder)}, check=False).returncode == 0
                for program in programs])


def measure_all(disk, programs):
    for name in ("lower", "upper", "work", "disk"):
        (disk / name).mkdir()
    good = measure("disk", disk / "disk", programs)
    for kind, options in {"tmpfs": "size=2g",
                          "overlay": f"lowerdir={disk}/lower,upperdir={disk}/upper,workdir={disk}/work"}.items():
        if is_mounted(kind, options, disk / kind):  # An overlay may not stand on every file system.
            good = measure(kind, disk / kind, programs) and good
        else:
            print(f"{kind}: not measured, because it cannot be mounted.")
    return good


def main():
    if sys.argv[1] == IN_NAMESPACE:
        sys.exit(not measure_all(pathlib.Path(sys.argv[2]), sys.argv[3:]))
    with tempfile.TemporaryDirectory() as disk:
        if may_mount():
            status = subprocess.run(["unshare", "--mount", "--propagation", "private", sys.executable, __file__, IN_NAMESPACE,
                                     disk, *sys.argv[1:]], check=False).returncode
        else:
            print("No right to mount: memory and overlay are not measured.")
            status = not measure("disk", disk, sys.argv[1:])
    sys.exit(status)


main()
