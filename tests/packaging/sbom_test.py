#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The bill of materials has what SPDX 2.3 requires, lists every library that is linked, and is the same each time."""

import importlib.machinery
import importlib.util
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

from meson_runs import BUILD, MESON, SOURCE, run

SCRIPT = SOURCE / "examples/packaging/make-sbom"
# What the specification requires, clause by clause.
DOCUMENT = {"spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"}
PACKAGE = {"SPDXID", "name", "downloadLocation"}
IDENTIFIER = re.compile(r"SPDXRef-[A-Za-z0-9.-]+")
CREATOR = re.compile(r"(Tool: \S+-\S+|(Person|Organization): .+)")
PURL = re.compile(r"pkg:(generic|deb/[a-z]+)/[a-z0-9.%A-F-]+@[A-Za-z0-9.+~%-]+(\?[a-z]+=[\w.-]+(&[a-z]+=[\w.-]+)*)?")
LICENCES = {"LGPL-2.0-or-later", "LGPL-2.1-or-later", "GPL-3.0-or-later WITH GCC-exception-3.1"}


def module():
    loader = importlib.machinery.SourceFileLoader("make_sbom", str(SCRIPT))
    loaded = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_sbom", loader))
    loader.exec_module(loaded)
    return loaded


def make(*words, **extra):
    result = run(SCRIPT, *words, BUILD, **{"SOURCE_DATE_EPOCH": "1700000000", **extra})
    assert result.returncode == 0, result.stderr
    return result.stdout


def needed_by_installed_files():
    places = json.loads(run(MESON, "introspect", "--installed", BUILD).stdout)
    needed = set()
    for place in filter(pathlib.Path.is_file, map(pathlib.Path, places)):
        if place.read_bytes()[:4] == b"\x7fELF":
            needed |= set(re.findall(r"Shared library: \[(.*)\]", run("readelf", "-dW", place).stdout))
    return needed


class Sbom(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = make()
        cls.document = json.loads(cls.text)
        cls.packages = {package["name"]: package for package in cls.document["packages"]}

    def test_the_document_has_what_is_required(self):
        self.assertLessEqual(DOCUMENT, set(self.document))
        self.assertEqual((self.document["spdxVersion"], self.document["dataLicense"], self.document["SPDXID"]),
                         ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT"))
        self.assertRegex(self.document["documentNamespace"], r"^https://[^#\s]+$")
        self.assertEqual(self.document["creationInfo"]["created"], "2023-11-14T22:13:20Z")
        for creator in self.document["creationInfo"]["creators"]:
            self.assertRegex(creator, CREATOR)

    def test_each_package_has_what_is_required(self):
        for name, package in self.packages.items():
            with self.subTest(package=name):
                self.assertLessEqual(PACKAGE, set(package))
                self.assertTrue(IDENTIFIER.fullmatch(package["SPDXID"]))
                self.assertIs(package["filesAnalyzed"], False)  # else it would need a verification code
                self.assertIn(package["licenseConcluded"], LICENCES)
                self.assertIn(package["licenseDeclared"], LICENCES)
                self.assertTrue(package["externalRefs"])
                for external in package["externalRefs"]:
                    self.assertEqual((external["referenceCategory"], external["referenceType"]), ("PACKAGE-MANAGER", "purl"))
                    self.assertTrue(PURL.fullmatch(external["referenceLocator"]), external)

    def test_relations_are_between_what_is_listed_and_name_each_package(self):
        known = {"SPDXRef-DOCUMENT", *(package["SPDXID"] for package in self.packages.values())}
        self.assertEqual(len(known), 1 + len(self.document["packages"]))
        relations = [(one["spdxElementId"], one["relationshipType"], one["relatedSpdxElement"])
                     for one in self.document["relationships"]]
        own = self.packages["genclip"]["SPDXID"]
        self.assertEqual(relations[0], ("SPDXRef-DOCUMENT", "DESCRIBES", own))
        self.assertEqual({related for left, kind, related in relations if (left, kind) == (own, "DYNAMIC_LINK")},
                         known - {"SPDXRef-DOCUMENT", own})

    def test_every_library_that_an_installed_file_needs_is_listed(self):
        listed = {word for package in self.packages.values()
                  for word in package.get("comment", "").partition("Shared libraries: ")[2].split()}
        needed = needed_by_installed_files()
        self.assertIn("libsoup-3.0.so.0", needed)
        self.assertEqual(listed, needed)

    def test_a_library_of_no_known_project_stops_it(self):
        with self.assertRaisesRegex(SystemExit, "libnew.so.1 belongs to no project"):
            module().project_of("libnew.so.1")

    def test_what_it_cannot_do_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            for words, extra, complaint in (
                    ([folder], {}, "is no build folder of meson"),
                    ([BUILD, "--tarball", f"{folder}/none.tar.gz"], {}, f"No such file or directory: {folder}/none.tar.gz"),
                    ([BUILD, "--output", f"{folder}/none/sbom.json"], {}, f"No such file or directory: {folder}/none/sbom.json"),
                    ([BUILD], {"SOURCE_DATE_EPOCH": "today"}, "no number of seconds"),
                    ([BUILD], {"SOURCE_DATE_EPOCH": "-5"}, "no number of seconds")):
                result = run(SCRIPT, *words, **extra)
                self.assertEqual((result.returncode, result.stdout), (1, ""), words)
                self.assertRegex(result.stderr, f"^make-sbom: [^\n]*{re.escape(complaint)}[^\n]*\n$")

    def test_versions_are_those_of_the_build(self):
        for name, dependency in (("glib", "glib-2.0"), ("gstreamer", "gstreamer-1.0"), ("libsoup", "libsoup-3.0"), ("pango", "pango")):
            self.assertEqual(self.packages[name]["versionInfo"], run("pkg-config", "--modversion", dependency).stdout.strip())
        project = json.loads(run(MESON, "introspect", "--projectinfo", BUILD).stdout)
        self.assertEqual(self.packages["genclip"]["versionInfo"], project["version"])

    def test_the_same_build_and_time_give_the_same_bytes_and_another_time_another_namespace(self):
        self.assertEqual(make(), self.text)
        other = json.loads(make(SOURCE_DATE_EPOCH="1700000001"))
        self.assertNotEqual(other["documentNamespace"], self.document["documentNamespace"])

    def test_a_tarball_is_named_by_its_digest(self):
        with tempfile.TemporaryDirectory() as folder:
            tarball, output = pathlib.Path(folder) / "genclip-1.tar.gz", pathlib.Path(folder) / "sbom.json"
            tarball.write_bytes(b"abc")
            self.assertEqual(make("--tarball", tarball, "--output", output), "")
            own = json.loads(output.read_text(encoding="utf-8"))["packages"][0]
        self.assertEqual(own["packageFileName"], "genclip-1.tar.gz")
        self.assertEqual(own["checksums"], [{
            "algorithm": "SHA256", "checksumValue": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}])

    @unittest.skipIf(subprocess.run(["dpkg-query", "-W", "libsoup-3.0-0"], capture_output=True, check=False).returncode,
                     "libsoup is no package of Debian's here")
    def test_debians_packages_are_named(self):
        version = run("dpkg-query", "-W", "-f", "${Version}", "libsoup-3.0-0").stdout
        locators = [external["referenceLocator"] for external in self.packages["libsoup"]["externalRefs"]]
        self.assertEqual(len(locators), 1)
        self.assertTrue(locators[0].startswith(f"pkg:deb/debian/libsoup-3.0-0@{version.replace('+', '%2B')}?arch="), locators)


if __name__ == "__main__":
    unittest.main()
