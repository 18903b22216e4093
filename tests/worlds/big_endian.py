# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compiles for another processor against the packages of its Debian, and runs the tests in qemu's user mode.

The packages are unpacked, not configured: no program of theirs has to run for that.
"""

import shutil
import sys

from unit_suite import TOP, Missing, UnitSuite, run_here

sys.path.insert(0, str(TOP / "tests/packaging"))
from fresh_root import SUITE, Unavailable, sources  # noqa: E402 (after its folder is known)

PACKAGES = ("libc6-dev", "libges-1.0-dev", "libglib2.0-dev", "libgmock-dev", "libgstreamer-plugins-base1.0-dev", "libgstreamer1.0-dev",
            "libgtest-dev", "libjson-glib-dev", "libpango1.0-dev", "libsoup-3.0-dev", "libstdc++-12-dev")


def sysroot_in(folder, arch):
    """One that an earlier run has made is used again."""
    root, made = folder / "sysroot", folder / "sysroot.packages"
    wanted = "\n".join(PACKAGES)
    if made.exists() and made.read_text(encoding="utf-8") == wanted:
        return root
    shutil.rmtree(root, ignore_errors=True)
    try:
        lines = sources()
    except Unavailable as why:
        raise Missing(str(why)) from why
    code, said = run_here(["mmdebstrap", "--variant=extract", "--mode=root", f"--architectures={arch}", f"--include={','.join(PACKAGES)}",
                           "--aptopt=Acquire::Check-Valid-Until \"false\"", "--aptopt=Acquire::Check-Date \"false\"", SUITE, str(root),
                           *lines])
    if code != 0:
        raise Missing(f"apt has no packages for {arch}: {said.strip().splitlines()[-1]}")
    # Links to absolute paths lead out of the folder.
    for link in root.glob("usr/lib/**/*"):
        if link.is_symlink() and link.readlink().is_absolute():
            target = root / str(link.readlink())[1:]
            link.unlink()
            link.symlink_to(target)
    made.write_text(wanted, encoding="utf-8")
    return root


def cross_file(world, root, path):
    triplet = world.triplet
    libraries = f"{root}/usr/lib/{triplet}"
    # Libraries of the root need others of the root.
    link = [f"--sysroot={root}", f"-L{libraries}", f"-Wl,-rpath-link,{libraries}"]
    path.write_text(f"""[binaries]
c = '{triplet}-gcc'
cpp = '{triplet}-g++'
ar = '{triplet}-ar'
strip = '{triplet}-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['qemu-{world.arch}-static', '-L', '{root}']
[properties]
sys_root = '{root}'
pkg_config_libdir = ['{libraries}/pkgconfig', '{root}/usr/share/pkgconfig']
[built-in options]
c_args = ['--sysroot={root}']
cpp_args = ['--sysroot={root}']
c_link_args = {link}
cpp_link_args = {link}
[host_machine]
system = 'linux'
cpu_family = '{world.arch}'
cpu = '{world.arch}'
endian = 'big'
""", encoding="utf-8")
    return path


def counts(world, folder, jobs):
    root = sysroot_in(folder, world.arch)
    cross = cross_file(world, root, folder / "cross.ini")
    return UnitSuite(world, run_here, TOP, folder / "build", jobs).counts("--cross-file", cross)
