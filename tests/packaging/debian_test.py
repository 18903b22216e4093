#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples/packaging/debian and docs/packaging.md agree with meson.build, without building a package."""

import fnmatch
import json
import os
import pathlib
import re
import shutil
import tarfile
import tempfile
import unittest

from meson_runs import BUILD, MESON, SOURCE, run

DEBIAN = SOURCE / "examples/packaging/debian"
# The package with the header files of each dependency of meson.build that has a version.
HEADERS = {"glib-2.0": "libglib2.0-dev", "json-glib-1.0": "libjson-glib-dev", "libsoup-3.0": "libsoup-3.0-dev",
           "pango": "libpango1.0-dev"}

# The package of each program of GStreamer that README.md uses.
PROGRAMS = {"gst-launch-1.0": "gstreamer1.0-tools", "gst-inspect-1.0": "gstreamer1.0-tools", "gst-play-1.0": "gstreamer1.0-plugins-base-apps",
            "gst-discoverer-1.0": "gstreamer1.0-plugins-base-apps"}


def wanted_versions():
    """What meson.build asks for, by dependency."""
    text = (SOURCE / "meson.build").read_text(encoding="utf-8")
    versions = dict(re.findall(r"dependency\('([^']+)', version: '>= ([\d.]+)'\)", text))
    gstreamer = re.search(r"gst_required = '>= ([\d.]+)'", text)[1]
    meson = re.search(r"meson_version: '>= ([\d.]+)'", text)[1]
    return versions, gstreamer, meson


def install_patterns():
    """What debian/*.install take, by package."""
    return {path.stem: path.read_text(encoding="utf-8").split() for path in DEBIAN.glob("*.install")}


class Debian(unittest.TestCase):
    def test_each_installed_file_is_in_one_package_and_each_line_takes_one(self):
        installed = json.loads(run(MESON, "introspect", "--installed", BUILD).stdout).values()
        # A package has the prefix /usr; debian/rules moves zsh's completion.
        files = [re.sub(r"^/usr(/local)?/", "usr/", place).replace("zsh/site-functions", "zsh/vendor-completions")
                 for place in installed]
        patterns = [pattern for several in install_patterns().values() for pattern in several]
        self.assertGreater(len(files), 4)
        for file in files:
            self.assertEqual(len([pattern for pattern in patterns if fnmatch.fnmatch(file, pattern)]), 1, file)
        for pattern in patterns:
            self.assertTrue(fnmatch.filter(files, pattern), pattern)

    def test_each_package_is_described(self):
        control = (DEBIAN / "control").read_text(encoding="utf-8")
        packages = re.findall(r"^Package: (.*)$", control, re.MULTILINE)
        self.assertEqual(sorted(packages), sorted(install_patterns()))
        page = (SOURCE / "docs/packaging.md").read_text(encoding="utf-8")
        for package in packages:
            self.assertIn(f"| `{package}` |", page)

    def test_versions_are_those_of_meson_build(self):
        control = (DEBIAN / "control").read_text(encoding="utf-8").partition("\nPackage:")[0]
        asked = dict(re.findall(r"^ (\S+) \(>= ([\d.]+)\)", control, re.MULTILINE))
        versions, gstreamer, meson = wanted_versions()
        self.assertEqual(set(versions), set(HEADERS))
        page = (SOURCE / "docs/packaging.md").read_text(encoding="utf-8")
        for dependency, package in HEADERS.items():
            self.assertEqual(asked[package], versions[dependency], package)
            self.assertRegex(page, rf"\| {re.escape(versions[dependency])} \| [^\n]*`{re.escape(package)}`")
        for package in ("libgstreamer1.0-dev", "libgstreamer-plugins-base1.0-dev"):
            self.assertEqual(asked[package], gstreamer)
        self.assertEqual(asked["meson"], meson)
        self.assertRegex(page, rf"\| {re.escape(gstreamer)} \| `libgstreamer1.0-dev`")
        self.assertIn(f"meson {meson}", page)

    def test_the_unit_tests_of_a_package_have_the_plugins_that_they_play_with(self):
        build = (DEBIAN / "control").read_text(encoding="utf-8").partition("\nPackage:")[0]
        asked = set(re.findall(r"^ (\S+) <pkg.genclip.check>,$", build, re.MULTILINE))
        listed = (SOURCE / "examples/packages").read_text(encoding="utf-8").split()
        plugins = {name for name in listed if name.startswith("gstreamer1.0-")}
        # Programs, of which no test of the suite unit starts one.
        self.assertLessEqual(plugins - {"gstreamer1.0-plugins-base-apps", "gstreamer1.0-tools"}, asked)

    def test_each_package_finds_the_types_of_media_without_what_is_recommended(self):
        control = (DEBIAN / "control").read_text(encoding="utf-8")
        for text in control.split("\nPackage: ")[1:]:
            self.assertIn(" gstreamer1.0-plugins-base,", text.partition("Depends:")[2].partition("Recommends:")[0], text.split()[0])

    def test_the_programs_of_the_readme_come_with_genclip(self):
        control = (DEBIAN / "control").read_text(encoding="utf-8").partition("\nPackage: genclip\n")[2]
        recommended = control.partition("Recommends:\n")[2].partition("Suggests:")[0]
        used = set(re.findall(r"\b(?:gst|ges)-[a-z]+-1\.0", (SOURCE / "README.md").read_text(encoding="utf-8")))
        self.assertLessEqual({"gst-launch-1.0", "gst-play-1.0"}, used)
        for program in used:
            self.assertIn(f" {PROGRAMS[program]},\n", recommended, program)

    def test_programs_of_the_package_can_be_run(self):
        for name in ("rules", "tests/first-pipeline"):
            self.assertTrue((DEBIAN / name).stat().st_mode & 0o111, name)

    def test_what_packaged_documents_link_to_is_packaged(self):
        packaged = [word for name in ("docs", "examples") for word in (DEBIAN / f"genclip.{name}").read_text(encoding="utf-8").split()]
        packaged += [word.removeprefix("usr/share/doc/genclip/") for word in (DEBIAN / "genclip.links").read_text(encoding="utf-8").split()]
        packaged.append("changelog.gz")
        changes = re.findall(r"-e '(s,.*,g)'", (DEBIAN / "rules").read_text(encoding="utf-8"))
        self.assertEqual(len(changes), 2)
        pages = [page for path in packaged for page in ([SOURCE / path] if path.endswith(".md") else (SOURCE / path).rglob("*.md"))]
        self.assertGreater(len(pages), 30)
        for page in pages:
            text = run("sed", "-E", *[word for change in changes for word in ("-e", change)], page).stdout
            for link in re.findall(r"\]\(([^)#\s]+)", text):
                path = os.path.relpath(page.parent / link, SOURCE)
                is_there = any(path == one or path.startswith(one + "/") for one in packaged)
                self.assertTrue("://" in link or is_there, f"{page.relative_to(SOURCE)}: {link}")

    def test_the_readme_names_the_examples_where_the_package_has_them(self):
        readme = (SOURCE / "README.md").read_text(encoding="utf-8").partition("instead of the three lines.")[2]
        # The only word that a reader with packages leaves out below that line says so.
        readme = readme.replace("`examples/shell` (installed from packages: not this one)", "", 1)
        packaged = (DEBIAN / "genclip.examples").read_text(encoding="utf-8").split()
        named = set(re.findall(r"(?<![\w/])examples/[\w-]+", readme))
        self.assertLessEqual({"examples/simulated"}, named)
        self.assertLessEqual(named, set(packaged))

    @unittest.skipUnless(shutil.which("dpkg-buildpackage") and shutil.which("dh"), "this machine cannot build Debian packages")
    def test_build_debs_needs_lintian_or_to_be_told_that_nobody_checks(self):
        with tempfile.TemporaryDirectory() as folder:
            # The script with a PATH of its own: all that it asks for before the build, but no lintian.
            top = pathlib.Path(folder)
            for name in ("bash", "cat", "dirname", "dpkg-buildpackage", "dh"):
                (top / name).symlink_to(shutil.which(name))
            script = SOURCE / "examples/packaging/build-debs"
            result = run(top / "bash", script, "--output", top / "out", PATH=str(top))
            self.assertEqual(result.returncode, 1)
            self.assertIn("lintian is missing", result.stderr)
            self.assertFalse((top / "out").exists())
            result = run(top / "bash", script, "--no-lintian", "--output", top / "out", top / "none.tar.gz", PATH=str(top))
            self.assertEqual(result.returncode, 1)
            self.assertIn("there is no such tarball", result.stderr)

    @unittest.skipUnless(shutil.which("dpkg-buildpackage") and shutil.which("dh"), "this machine cannot build Debian packages")
    def test_build_debs_says_what_is_wrong_with_its_words_and_its_tarball(self):
        script = SOURCE / "examples/packaging/build-debs"
        self.assertEqual(run(script, "--help").returncode, 0)
        self.assertEqual(run(script, "--nonsense").returncode, 2)
        self.assertEqual(run(script, "a.tar.gz", "b.tar.gz").returncode, 2)
        with tempfile.TemporaryDirectory() as folder:
            top = pathlib.Path(folder)
            (top / "genclip-1").mkdir()
            (top / "genclip-1/meson.build").write_text("project('genclip', 'cpp',\n  version: '1.0',\n)\n", encoding="utf-8")
            with tarfile.open(top / "genclip-1.tar.gz", "w:gz") as archive:
                archive.add(top / "genclip-1", "genclip-1")
            (top / "genclip-1/examples/packaging/debian").mkdir(parents=True)
            with tarfile.open(top / "old.tar.gz", "w:gz") as archive:
                archive.add(top / "genclip-1", "genclip-1")
            (top / "broken.tar.gz").write_bytes((top / "genclip-1.tar.gz").read_bytes()[:-20])
            (top / "clip.zip").touch()
            # What a user may keep in that folder, with names like those of the script's own files.
            for name in ("work/mine", "genclip_notes.txt", "genclip_0.1.0-1~upstream1_amd64.deb", "lintian.log"):
                (top / "out" / name).parent.mkdir(parents=True, exist_ok=True)
                (top / "out" / name).touch()
            before = {path for path in (top / "out").rglob("*")}
            for tarball, complaint in (("none.tar.gz", "there is no such tarball"), ("genclip-1.tar.gz", "no examples/packaging/debian"),
                                       ("broken.tar.gz", "cannot be unpacked"), ("clip.zip", "neither a .tar.gz nor a .tar.xz")):
                result = run(script, "--output", top / "out", top / tarball)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertIn(complaint, result.stderr)
            result = run(script, "--output", top / "out", top / "old.tar.gz", SOURCE_DATE_EPOCH="today")
            self.assertEqual((result.returncode, result.stderr.splitlines()[-1]),
                             (1, "build-debs: SOURCE_DATE_EPOCH is no number of seconds: today"))
            self.assertEqual(set((top / "out").rglob("*")), before | {top / "out/build.log"})


if __name__ == "__main__":
    unittest.main()
