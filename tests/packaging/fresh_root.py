# SPDX-License-Identifier: LGPL-2.1-or-later
"""A minimal Debian 12 in a folder, from the mirror that the machine's own apt uses, to install packages in."""

import hashlib
import os
import pathlib
import shutil
import stat
import subprocess

SUITE = "bookworm"
# What apt and dpkg write about their own work, and what the kernel and this machine show.
NOT_COMPARED = ("dev", "proc", "run", "sys", "tmp", "var/cache/apt", "var/cache/debconf", "var/cache/ldconfig", "var/cache/man",
                "var/lib/apt", "var/lib/dpkg", "var/log")
PLAIN = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}


class Unavailable(Exception):
    """Why this machine cannot make such a root."""


def sources():
    """The lines of sources.list for Debian 12, as apt has them here."""
    listed = subprocess.run(["apt-get", "indextargets", "--format", "deb $(SITE) $(RELEASE) $(COMPONENT)",
                             "Created-By: Packages", "Origin: Debian", "Component: main"],
                            capture_output=True, text=True, check=False).stdout.splitlines()
    found = sorted({line for line in listed if line.split()[2].startswith(SUITE)}, key=lambda line: line.split()[2])
    if not found or found[0].split()[2] != SUITE:
        raise Unavailable(f"apt knows no mirror of Debian {SUITE}")
    return found


def apt_settings():
    """How apt reaches its mirror: proxies, and what it does not check there."""
    shown = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True).stdout
    return [line for line in shown.splitlines() if line.startswith("Acquire::") and ("proxy" in line.lower() or "Check-" in line)]


def proxies():
    return {name: text for name, text in os.environ.items() if name.lower() in ("http_proxy", "https_proxy", "no_proxy")}


class FreshRoot:
    def __init__(self, folder, arch=None):
        """Of this machine's architecture, or of another one whose programs run here: i386 on amd64."""
        self.top = pathlib.Path(folder)
        if os.geteuid() != 0:
            raise Unavailable("only root may make a root")
        for program in ("apt-get", "debootstrap", "unshare", "chroot"):
            if not shutil.which(program):
                raise Unavailable(f"{program} is not installed")
        # A mirror's updates for other architectures may come later than its own list of them says.
        lines = sources()[:1] if arch else sources()
        arch_option = [f"--arch={arch}"] if arch else []
        result = self.call("debootstrap", "--variant=minbase", *arch_option, SUITE, str(self.top), lines[0].split()[1])
        if result.returncode != 0:
            raise Unavailable(f"debootstrap fails: {result.stdout[-2000:]}")
        (self.top / "etc/apt/sources.list").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (self.top / "etc/apt/apt.conf.d/99machine").write_text("\n".join(apt_settings()) + "\n", encoding="utf-8")
        # No service starts in there.
        policy = self.top / "usr/sbin/policy-rc.d"
        policy.write_text("#!/bin/sh\nexit 101\n", encoding="utf-8")
        policy.chmod(0o755)
        code, said = self.run_to_end("apt-get", "update")
        if code != 0:
            raise Unavailable(f"its apt finds no packages: {said[-2000:]}")

    @classmethod
    def that_stands(cls, folder):
        """One that an earlier run has made."""
        root = cls.__new__(cls)
        root.top = pathlib.Path(folder)
        return root

    @staticmethod
    def call(*words, timeout=3000):
        return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", check=False, timeout=timeout, env={**PLAIN, **proxies()})

    def run(self, *words, fails=False, **options):
        """What the command says, in that root."""
        code, said = self.run_to_end(*words, **options)
        if (code != 0) != fails:
            raise AssertionError(f"{words} ends with {code}:\n{said[-6000:]}")
        return said

    def run_to_end(self, *words, user=None, timeout=3000):
        """(exit code, output) of the command; it has a /proc and its own processes, which all end with it."""
        userspec = [f"--userspec={user}:{user}"] if user else []
        home = f"/home/{user}" if user else "/root"
        inner = ["mount -t proc proc \"$0/proc\" && exec chroot \"$@\"", str(self.top), *userspec, str(self.top),
                 "env", f"HOME={home}", *words]
        result = self.call("unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "sh", "-c", *inner,
                           timeout=timeout)
        return result.returncode, result.stdout

    def would_install(self, *what):
        """The names of the packages that apt would install for those."""
        lines = self.run("apt-get", "--simulate", "install", *what).splitlines()
        return [line.split()[1] for line in lines if line.startswith("Inst ")]

    def install(self, *what):
        return self.run("apt-get", "install", "--yes", *what)

    def files(self):
        """Each path with what it is: a folder, a link, or the digest of a file."""
        found = {}
        for folder, folders, names in os.walk(self.top):
            inside = pathlib.Path(folder).relative_to(self.top)
            folders[:] = [name for name in folders if str(inside / name) not in NOT_COMPARED]
            for name in [*folders, *names]:
                path = self.top / inside / name
                mode = path.lstat().st_mode
                if stat.S_ISLNK(mode):
                    found[str(inside / name)] = "link to " + os.readlink(path)
                elif stat.S_ISREG(mode):
                    found[str(inside / name)] = hashlib.sha256(path.read_bytes()).hexdigest()
                else:
                    found[str(inside / name)] = "folder"
        return found
