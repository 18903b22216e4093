# SPDX-License-Identifier: LGPL-2.1-or-later
"""The machines that genclip should also work on, as rows: what is different there."""

import dataclasses

# What distributions build with. Tests are not optimized, so the C library warns that it does not check their calls.
HARDENED = ("-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=3", "-fstack-protector-strong", "-fstack-clash-protection", "-fcf-protection", "-Wno-cpp")
NOW = ("-Wl,-z,relro,-z,now",)


@dataclasses.dataclass(frozen=True)
class World:
    name: str
    what: str
    # Where it is built: "here", with "libc++", in a "root" of another architecture, or "cross" and run by qemu.
    place: str = "here"
    arch: str = ""      # Debian's name.
    triplet: str = ""   # Of the compiler for it, where it is not the system's own.
    programs: tuple = ()
    c_args: tuple = ()
    cpp_args: tuple = ()
    link_args: tuple = ()
    options: tuple = ()
    # Names of tests; the whole suite `unit` where there is none.
    tests: tuple = ()
    # Cases that say something of the tool that runs them, not of genclip.
    without: tuple = ()


WORLDS = (
    World("hardened", "gcc with all hardening flags and the checks of its library", programs=("g++",),
          c_args=HARDENED, cpp_args=(*HARDENED, "-D_GLIBCXX_ASSERTIONS"), link_args=NOW),
    World("lto", "gcc with optimization at link time", programs=("g++",), options=("-Db_lto=true",)),
    # gcc 12 warns there of its own std::variant and std::optional. Tests take sizes of files for sizes in memory.
    World("i386", "32 bits: a Debian for i386 in a folder", place="root", arch="i386",
          cpp_args=("-Wno-maybe-uninitialized", "-Wno-error=conversion", "-Wno-error=sign-compare")),
    World("s390x", "the other byte order: run by qemu", place="cross", arch="s390x", triplet="s390x-linux-gnu",
          programs=("s390x-linux-gnu-g++", "qemu-s390x-static", "mmdebstrap"),
          tests=("base", "catalog-verdicts", "catalog", "store", "account"),
          # qemu starts no program by itself, and shows files of /proc/self that it has made.
          without=("FileSystem.ReportsAFileThatMayNotGrow", "LocalFiles.AreNotOfTheKernel")),
    World("libc++", "clang 19 with LLVM's own library of C++", place="libc++", programs=("clang++-19", "dpkg-deb")),
)
