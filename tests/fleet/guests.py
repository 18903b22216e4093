# SPDX-License-Identifier: LGPL-2.1-or-later
"""Separate machines for a test: QEMU guests with Debian's kernel, which see this machine's files and each other.

A guest is a kernel, and busybox to mount this machine's root folder, read-only, by 9p; so it has every program that this
machine has. A shell on its serial line runs the test's commands. The guests' network is a multicast group on loopback.
"""

import json
import os
import pathlib
import shlex
import shutil
import socket
import subprocess
import time

KERNEL = pathlib.Path(os.environ.get("GENCLIP_KERNEL", "/"))  # Where boot/vmlinuz-… and lib/modules/… are.
# The /dev/kvm of paravirtualized guests cannot run a common kernel; emulation can, but is slow.
HAS_KVM = os.access("/dev/kvm", os.R_OK | os.W_OK) and not pathlib.Path("/sys/module/kvm_pvm").exists()
MODULES = ["virtio_pci", "virtio_net", "9pnet_virtio", "9p", "nfsv4", "nfsd"]
INIT = """#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /root
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sys /sys
/bin/busybox mount -t devtmpfs dev /dev
# An NFS server treats two machines of the same name as one that has rebooted, and drops its locks.
/bin/busybox hostname {name}
for module in {modules}; do /bin/busybox modprobe $module; done
/bin/busybox mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=262144 host /root
for folder in tmp run mnt var/lib/nfs; do /bin/busybox mount -t tmpfs tmpfs /root/$folder; done
for folder in proc sys dev; do /bin/busybox mount --move /$folder /root/$folder; done
exec /bin/busybox chroot /root /bin/sh -c 'exec <>/dev/ttyS1 >&0 2>&1; stty raw -echo; ip link set lo up; ip link set eth0 up
ip address add {address}/24 dev eth0; echo READY; while read -r line; do eval "$line"; done'
"""


def kernel():
    """The newest one, and its modules; None when there is none."""
    for modules in sorted(KERNEL.glob("lib/modules/*"), reverse=True):
        image = KERNEL / "boot" / f"vmlinuz-{modules.name}"
        if image.exists() and (modules / "modules.dep").exists():
            return image, modules
    return None


def why_not():
    """The reason why there can be no guests here; None if there can."""
    packages = {"qemu-system-x86_64": "qemu-system-x86", "busybox": "busybox-static", "rpc.nfsd": "nfs-kernel-server"}
    for program, package in packages.items():
        if not shutil.which(program):
            return f"{program} is not installed (Debian's package {package})"
    if subprocess.run(["ldd", shutil.which("busybox")], capture_output=True, check=False).returncode == 0:
        return "busybox needs shared libraries (that of Debian's package busybox-static does not)"
    if not kernel():
        return "there is no kernel in /boot (Debian's package linux-image-amd64; GENCLIP_KERNEL names another folder than /)"
    return None


def make_initial_files(folder, name, address):
    """The initial file system of the kernel."""
    image, modules = kernel()
    top = folder / "initial"
    (top / "bin").mkdir(parents=True)
    shutil.copy(shutil.which("busybox"), top / "bin/busybox")
    wanted = top / "lib/modules" / modules.name
    wanted.mkdir(parents=True)
    needs = {}
    for line in (modules / "modules.dep").read_text().splitlines():
        file, _, others = line.partition(":")
        needs[pathlib.Path(file).name.split(".")[0].replace("-", "_")] = [file, *others.split()]
    for module in MODULES:
        for file in needs[module]:
            (wanted / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(modules / file, wanted / file)
    for table in ("modules.dep", "modules.alias", "modules.symbols"):
        if (modules / table).exists():
            shutil.copy(modules / table, wanted / table)
    init = top / "init"
    init.write_text(INIT.format(modules=" ".join(MODULES), name=name, address=address))
    init.chmod(0o755)
    files = "\n".join(str(path.relative_to(top)) for path in sorted(top.rglob("*")))
    packed = folder / "initial.cpio"
    with packed.open("wb") as target:
        subprocess.run(["busybox", "cpio", "-o", "-H", "newc"], input=files.encode(), stdout=target, cwd=top, check=True,
                       stderr=subprocess.DEVNULL)
    return image, packed


class Guest:
    """A running machine. Its network and its power can be unplugged."""

    def __init__(self, folder, number, network_port, memory_mb):
        self.folder = folder
        folder.mkdir(parents=True)
        self.address = f"10.9.0.{number}"
        image, packed = make_initial_files(folder, f"machine-{number}", self.address)
        network = f"socket,id=net,mcast=230.9.0.1:{network_port},localaddr=127.0.0.1"
        self.process = subprocess.Popen(
            ["qemu-system-x86_64", "-accel", "kvm" if HAS_KVM else "tcg", "-cpu", "max", "-m", str(memory_mb), "-nographic",
             "-nodefaults", "-no-reboot", "-kernel", str(image), "-initrd", str(packed), "-append",
             "console=ttyS0 edd=off no_timer_check panic=-1",
             "-virtfs", "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap",
             "-netdev", network, "-device", f"virtio-net-pci,netdev=net,id=card,mac=52:54:00:09:00:{number:02x}",
             "-serial", f"file:{folder / 'console'}", "-serial", f"unix:{folder / 'shell'},server=on,wait=off",
             "-qmp", f"unix:{folder / 'control'},server=on,wait=off"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=(folder / "errors").open("w"))
        try:
            self.shell = self.connect("shell")
            self.control = self.connect("control")
            self.control.sendall(b'{"execute": "qmp_capabilities"}\n')
            self.heard = b""
            self.hear("READY\n", 120)
        except BaseException:
            self.stop()
            raise

    def connect(self, name):
        deadline = time.monotonic() + 30
        while True:
            line = socket.socket(socket.AF_UNIX)
            try:
                line.connect(str(self.folder / name))
                return line
            except OSError:
                line.close()
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise RuntimeError((self.folder / "errors").read_text()) from None
                time.sleep(0.02)

    def hear(self, end, patience):
        self.shell.settimeout(patience)
        while end.encode() not in self.heard:
            piece = self.shell.recv(65536)
            if not piece:
                raise RuntimeError((self.folder / "console").read_text(errors="replace"))
            self.heard += piece
        text, _, self.heard = self.heard.partition(end.encode())
        return text.decode(errors="replace")

    def do(self, command, patience=120):
        """A line of shell; its exit code and output."""
        self.shell.sendall(f"({command}) </dev/null; echo \"<$?>DONE\"\n".encode())
        text = self.hear(">DONE\n", patience)
        output, _, status = text.rpartition("<")
        return int(status), output

    def must(self, command, patience=120):
        status, output = self.do(command, patience)
        if status != 0:
            raise RuntimeError(f"{self.address}: {command}: {output}")
        return output

    def plug(self, plugged):
        """The network's cable."""
        self.control.sendall(json.dumps({"execute": "set_link", "arguments": {"name": "net", "up": plugged}}).encode() + b"\n")

    def stop(self):
        """The power's."""
        self.process.kill()
        self.process.wait()


def quoted(words):
    return " ".join(shlex.quote(str(word)) for word in words)
