# SPDX-License-Identifier: LGPL-2.1-or-later
"""The unit suite with clang and LLVM's own library of C++, and with a GoogleTest that is built with it.

The library's packages are unpacked, not installed: the header of libunwind that they come with conflicts with the one that
GStreamer's packages need.
"""

import pathlib

from unit_suite import TOP, Broken, Missing, UnitSuite, run_here

VERSION = "19"
PACKAGES = tuple(f"{name}-{VERSION}{end}" for name, end in (
    ("libc++", "-dev"), ("libc++1", ""), ("libc++abi", "-dev"), ("libc++abi1", ""), ("libunwind", "")))
GOOGLETEST = pathlib.Path("/usr/src/googletest")


def must(*words, **env):
    code, said = run_here([str(word) for word in words], **env)
    if code != 0:
        raise Broken(f"{' '.join(map(str, words[:4]))} ends with {code}:\n{said[-4000:]}")
    return said


def unpacked_library(folder):
    top = folder / "library"
    llvm = top / f"usr/lib/llvm-{VERSION}"
    if not (llvm / "lib/libc++.so.1").exists():
        top.mkdir(parents=True, exist_ok=True)
        code, said = run_here(["sh", "-c", f"cd '{folder}' && apt-get download {' '.join(PACKAGES)}"])
        if code != 0:
            raise Missing(f"apt has no {PACKAGES[0]}: {said.strip().splitlines()[-1]}")
        for package in folder.glob("*.deb"):
            must("dpkg-deb", "-x", package, top)
    return llvm


def flags(llvm):
    # It stands before the system's own, and its warnings are not ours.
    return ["-nostdinc++", "-isystem", f"{llvm}/include/c++/v1"]


def own_googletest(folder, llvm):
    """A folder with its libraries and what pkg-config reads. Its headers are the system's, so their warnings are not ours."""
    if not GOOGLETEST.exists():
        raise Missing("the package googletest is not installed")
    made = folder / "googletest"
    made.mkdir(exist_ok=True)
    for name, source, needs in (("gtest", "googletest/src/gtest-all.cc", ""), ("gtest_main", "googletest/src/gtest_main.cc", "gtest"),
                                ("gmock", "googlemock/src/gmock-all.cc", "gtest")):
        part, archive = source.split("/")[0], made / f"lib{name}.a"
        if not archive.exists():
            must(f"clang++-{VERSION}", "-std=c++20", "-O1", *flags(llvm), f"-I{GOOGLETEST / part}", f"-I{GOOGLETEST}/googletest/include",
                 f"-I{GOOGLETEST}/googlemock/include", "-c", GOOGLETEST / source, "-o", made / f"{name}.o")
            must("ar", "rcs", archive, made / f"{name}.o")
        (made / f"{name}.pc").write_text(f"Name: {name}\nDescription: {name} with libc++\nVersion: 1.12.1\nRequires: {needs}\n"
                                         f"Libs: {archive} -pthread\nCflags: -isystem {GOOGLETEST}/{part}/include\n", encoding="utf-8")
    return made


def counts(world, folder, jobs):
    llvm = unpacked_library(folder)
    googletest = own_googletest(folder, llvm)
    native = folder / "native.ini"
    # By their names: -lc++ would also take the system's libunwind, which is another library.
    link = ["-nostdlib++", f"-L{llvm}/lib", "-l:libc++.so.1", "-l:libc++abi.so.1"]
    native.write_text(f"[binaries]\nc = 'clang-{VERSION}'\ncpp = 'clang++-{VERSION}'\n[built-in options]\n"
                      f"cpp_args = {flags(llvm)}\ncpp_link_args = {link}\n", encoding="utf-8")

    def run(words):
        return run_here(words, PKG_CONFIG_PATH=str(googletest), LD_LIBRARY_PATH=f"{llvm}/lib:{folder}/library/usr/lib/x86_64-linux-gnu")
    return UnitSuite(world, run, TOP, folder / "build", jobs).counts("--native-file", native)
