#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The files of `meson install` work from there, and include nothing that they must not."""

import pathlib
import re
import tempfile
import unittest

from meson_runs import BUILD, MESON, run


def is_elf(path):
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.top = pathlib.Path(folder.name)
        cls.destdir = cls.top / "installed"
        result = run(MESON, "install", "-C", BUILD, "--no-rebuild", "--destdir", cls.destdir)
        assert result.returncode == 0, result.stdout + result.stderr
        cls.files = [path for path in cls.destdir.rglob("*") if path.is_file() and not path.is_symlink()]
        cls.objects = [path for path in cls.files if is_elf(path)]
        plugins = [path for path in cls.files if path.name == "libgstgenclip.so"]
        assert len(plugins) == 1, plugins
        cls.plugin = plugins[0]

    def read(self, *words, **extra):
        result = run(*words, **extra)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def test_gst_inspect_finds_the_installed_plugin(self):
        shown = self.read("gst-inspect-1.0", "genclip", GST_PLUGIN_PATH=str(self.plugin.parent),
                          GST_REGISTRY=str(self.top / "registry.bin"), GST_REGISTRY_FORK="no")
        self.assertIn(str(self.plugin), shown)
        for element in ("genclipsrc", "gencaption"):
            self.assertRegex(shown, rf"\b{element}: ")

    def test_a_system_prefix_is_where_gstreamer_looks(self):
        prefix = self.read(MESON, "introspect", "--buildoptions", BUILD)
        if not re.search(r'"name": "prefix", "value": "/usr(/local)?"', prefix):
            self.skipTest("this build has a prefix of its own")
        system = self.read("pkg-config", "--variable=pluginsdir", "gstreamer-1.0").strip()
        self.assertEqual(self.plugin.parent, self.destdir / system.lstrip("/"))

    def test_no_library_path_is_left_in_what_is_installed(self):
        self.assertTrue(self.objects)
        for path in self.objects:
            with self.subTest(path=path.name):
                self.assertNotRegex(self.read("readelf", "-dW", path), r"\((RPATH|RUNPATH)\)")

    def test_every_symbol_and_library_is_there(self):
        for path in self.objects:
            with self.subTest(path=path.name):
                result = run("ldd", "-r", path)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertNotRegex(result.stdout + result.stderr, "undefined symbol|not found")

    def test_libsoup_3_is_linked_and_libsoup_2_is_not_even_by_others(self):
        for path in self.objects:
            with self.subTest(path=path.name):
                loaded = self.read("ldd", path)
                self.assertNotIn("libsoup-2", loaded)
        self.assertIn("libsoup-3.0", self.read("readelf", "-dW", self.plugin))

    def test_the_plugin_shows_only_what_gstreamer_asks_for(self):
        symbols = self.read("nm", "-D", "--defined-only", "--format=just-symbols", self.plugin).split()
        self.assertEqual(sorted(symbols), ["gst_plugin_genclip_get_desc", "gst_plugin_genclip_register"])

    def test_nothing_installed_names_the_build_folder(self):
        for path in self.files:
            if not is_elf(path):
                self.assertNotIn(str(BUILD).encode(), path.read_bytes(), path)

    def test_installed_programs_start(self):
        for path in self.objects:
            if path.parent.name == "bin":
                with self.subTest(path=path.name):
                    self.assertTrue(self.read(path, "--version").strip())


if __name__ == "__main__":
    unittest.main()
