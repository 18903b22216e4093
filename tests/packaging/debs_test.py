#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Debian packages on a fresh Debian 12: they are installed, used, upgraded, and removed without a trace.

GENCLIP_DEBS=FOLDER takes packages that are built already. The root comes from the network, so a machine without one skips this.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from fresh_root import FreshRoot, Unavailable
from meson_runs import SOURCE

sys.path.insert(0, str(SOURCE / "tests/docs"))
from document_commands import commands, without_screen  # noqa: E402

NAMES = ("genclip", "genclip-sim", "gstreamer1.0-genclip")
HOME = "home/viewer"
STORE = f"{HOME}/.cache/genclip"
# What other programs put into the home of the user who runs them, whatever they do for genclip.
OF_OTHERS = re.compile(rf"{HOME}/(\.cache/(gstreamer-1\.0|fontconfig|dconf)|\.(config|local/share)/fish)(/.*)?")
# The clip that a simulator made is in the store, and plays from there when the simulator is gone.
START_SIMULATOR = r"""
set -eu
genclip-sim --queued 0 --processing 500 --ready-file /tmp/ready >/tmp/simulator.log 2>&1 &
until [ -f /tmp/ready ]; do kill -0 $!; sleep 0.1; done
"""
USE_SIMULATOR = """
. /tmp/ready
export GENCLIP_BASE_URL GENCLIP_API_KEY=sim-key
"""
# What each shell knows of genclip without any setting of the user's.
SHELLS = {
    "bash": ". /usr/share/bash-completion/bash_completion; _completion_loader genclip; complete -p genclip",
    "zsh": "autoload -Uz compinit; compinit -u -D; print $_comps[genclip]; whence -v _genclip",
    "fish": "complete -C 'genclip che'",
}
KNOWN = {"bash": "complete -F _genclip genclip", "zsh": "_genclip", "fish": "check\tValidate a request"}


def built_packages(folder, *tarball, anew=False, **env):
    """Builds them by the command of docs/packaging.md; returns them without those of debugging symbols."""
    place = None if anew else os.environ.get("GENCLIP_DEBS")
    if not place:
        result = subprocess.run([SOURCE / "examples/packaging/build-debs", "--output", folder, *tarball], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, check=False, timeout=3000,
                                env={**os.environ, "DEB_BUILD_OPTIONS": "parallel=2", **env})
        assert result.returncode == 0, result.stdout
    found = (path for path in pathlib.Path(place or folder).glob("*.deb") if "-dbgsym" not in path.name)
    return sorted(found, key=package_name)


def package_name(path):
    return path.name.partition("_")[0]


def newer(package, folder):
    """The same package with a later version."""
    unpacked = folder / package_name(package)
    subprocess.run(["dpkg-deb", "-R", package, unpacked], check=True)
    control = unpacked / "DEBIAN/control"
    text = control.read_text(encoding="utf-8")
    version = re.search(r"^Version: (.*)$", text, re.MULTILINE)[1]
    control.write_text(text.replace(version, version + "+next"), encoding="utf-8")
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", unpacked, folder], check=True, stdout=subprocess.DEVNULL)
    return version + "+next"


def first_pipeline():
    """The README's first one that plays: it leaves no file."""
    text = (SOURCE / "README.md").read_text(encoding="utf-8")
    lines = [command.text for command in commands(text) if command.text.startswith("gst-launch-1.0 genclipsrc")]
    return next(without_screen(line) for line in lines if line.endswith("autovideosink"))


@unittest.skipUnless(shutil.which("dpkg-buildpackage") and shutil.which("dh"), "this machine cannot build Debian packages")
class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.top = pathlib.Path(folder.name)
        cls.packages = built_packages(cls.top / "debs")

    def copy_in(self, packages):
        """Their paths in the root."""
        (self.root.top / "tmp/debs").mkdir(exist_ok=True)
        return ["/tmp/debs/" + pathlib.Path(shutil.copy(package, self.root.top / "tmp/debs")).name for package in packages]

    def as_viewer(self, script):
        return self.root.run("sh", "-c", script, user="viewer")

    def check_versions(self, version):
        shown = self.root.run("dpkg-query", "-W", "-f", "${db:Status-Abbrev} ${Version}\n", *NAMES).splitlines()
        self.assertEqual(shown, [f"ii  {version}"] * 3)

    def test_hold_hardened_programs_whose_debugging_symbols_are_apart(self):
        symbols = {package_name(path) for path in self.packages[0].parent.glob("*-dbgsym_*.deb")}
        self.assertEqual(symbols, {f"{name}-dbgsym" for name in NAMES})
        objects = []
        for package in self.packages:
            unpacked = self.top / "unpacked" / package.name
            unpacked.mkdir(parents=True)
            subprocess.run(["dpkg-deb", "-x", package, unpacked], check=True)
            objects += [path for path in unpacked.rglob("*") if path.parent.name in ("bin", "gstreamer-1.0")]
        self.assertEqual([path.name for path in objects], ["genclip", "genclip-sim", "libgstgenclip.so"])
        for path in objects:
            with self.subTest(path=path.name):
                shown = subprocess.run(["readelf", "-dlSW", path], check=True, capture_output=True, text=True).stdout
                for wanted in (r"\(FLAGS\) +BIND_NOW", r"GNU_RELRO", r"GNU_STACK .* RW "):
                    self.assertRegex(shown, wanted)
                self.assertNotRegex(shown, r"RPATH|RUNPATH|\.debug_info")
                self.assertEqual("PIE" in shown, path.parent.name == "bin")

    def test_of_the_same_tarball_are_the_same_in_another_folder_and_environment(self):
        (tarball,) = self.packages[0].parent.glob("genclip_*.orig.tar.*")
        source = shutil.copy(tarball, self.top / f"genclip.tar{tarball.suffix}")
        mask = os.umask(0o077)
        self.addCleanup(os.umask, mask)
        again = built_packages(self.top / "an other folder", source, anew=True, TMPDIR="not absolute", CC="false", CXX="false", CPATH="/nowhere",
                               DEB_CXXFLAGS_APPEND="-O0", PKG_CONFIG_PATH="/nowhere", GIT_DIR="/nowhere", DH_VERBOSE="1", TZ="Asia/Tokyo")
        self.assertEqual([path.name for path in again], [path.name for path in self.packages])
        for first, second in zip(self.packages, again):
            self.assertEqual(first.read_bytes(), second.read_bytes(), first.name)

    def test_are_installed_used_upgraded_and_leave_only_the_users_store(self):
        try:
            self.root = FreshRoot(self.top / "root")
        except Unavailable as why:
            self.skipTest(str(why))
        self.assertEqual([package_name(path) for path in self.packages], list(NAMES))
        inside = self.copy_in(self.packages)
        self.root.run("useradd", "--create-home", "viewer")

        # Everything else that apt would install comes first, so that what is compared below is genclip's alone.
        others = [name for name in self.root.would_install(*inside) if name not in NAMES]
        self.root.install("--no-install-recommends", "bash-completion", "fish", "man-db", "zsh", *others)
        self.assertEqual(sorted(self.root.would_install(*inside)), list(NAMES))
        before = self.root.files()
        self.root.install(*inside)
        self.check_versions(self.packages[0].name.split("_")[1])
        self.check_that_it_is_used()

        (self.top / "next").mkdir()
        versions = {newer(package, self.top / "next") for package in self.packages}
        self.root.install(*self.copy_in(sorted((self.top / "next").glob("*.deb"))))
        self.check_versions(*versions)
        self.assertIn("Got EOS", self.as_viewer(USE_SIMULATOR + first_pipeline()))

        self.root.run("apt-get", "purge", "--yes", *NAMES)
        after = self.root.files()
        left = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
        stored = {path for path in left if path == STORE or path.startswith(STORE + "/")}
        self.assertTrue(any(path.endswith("/clip.mp4") for path in stored), sorted(left))
        left = {path for path in left - stored if not OF_OTHERS.fullmatch(path)}
        self.assertEqual(left - {f"{HOME}/{name}" for name in (".cache", ".config", ".local", ".local/share")}, set())

    def test_work_without_what_is_only_recommended(self):
        try:
            self.root = FreshRoot(self.top / "bare-root")
        except Unavailable as why:
            self.skipTest(str(why))
        self.root.run("useradd", "--create-home", "viewer")
        inside = self.copy_in(self.packages)
        self.root.install("--no-install-recommends", *[path for path in inside if "genclip-sim" not in path])
        # Nobody listens there. What is missing here would be said before.
        said = self.root.run("sh", "-c", "GENCLIP_BASE_URL=http://127.0.0.1:9/api GENCLIP_API_KEY=none genclip generate "
                             "sd_2.0_special prompt='a red kite over dunes' --retries 0", user="viewer", fails=True)
        self.assertIn("127.0.0.1", said)
        self.assertNotIn("Debian:", said)
        self.root.install("--no-install-recommends", *inside)
        said = self.as_viewer(START_SIMULATOR + USE_SIMULATOR + "genclip generate sd_2.0_special prompt='a red kite over dunes'")
        self.assertRegex(said, r"clip\.mp4")

    def check_that_it_is_used(self):
        self.assertIn("Generated clip source", self.root.run("gst-inspect-1.0", "genclipsrc", user="viewer"))
        said = self.as_viewer(START_SIMULATOR + USE_SIMULATOR + first_pipeline() + "\ngenclip store list\n")
        self.assertIn("Got EOS", said)
        self.assertIn("a red kite over dunes", said)
        test = self.root.top / "tmp/first-pipeline"
        shutil.copy(SOURCE / "examples/packaging/debian/tests/first-pipeline", test)
        self.as_viewer("sh /tmp/first-pipeline")
        for name in ("genclip", "genclip-sim"):
            self.assertEqual(self.root.run("man", "-w", name).strip(), f"/usr/share/man/man1/{name}.1.gz")
        for shell, script in SHELLS.items():
            with self.subTest(shell=shell):
                self.assertIn(KNOWN[shell], self.root.run(shell, "-c", script, user="viewer"))


if __name__ == "__main__":
    unittest.main()
