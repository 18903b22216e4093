#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/plugins/gst_plugins_cache.json is what the plugin's own introspection says, and the pages beside it are what that file says."""

import difflib
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PLUGINS = pathlib.Path(__file__).parents[2] / "docs/plugins"
PLUGIN = os.environ["GENCLIP_PLUGIN"]


class PluginsCache(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # A user's home and settings must not show: the file is the same on every machine.
        with tempfile.TemporaryDirectory() as home:
            cls.text = subprocess.run([PLUGINS / "write-cache", PLUGIN], capture_output=True, text=True, check=True, timeout=60,
                                      env={**os.environ, "HOME": home, "GENCLIP_STORE": home, "GENCLIP_PROJECT": "of-nobody"}).stdout
        cls.told = json.loads(cls.text)["genclip"]

    def test_the_file_is_what_the_plugin_says(self):
        kept = (PLUGINS / "gst_plugins_cache.json").read_text(encoding="utf-8")
        differs = difflib.unified_diff(kept.splitlines(), self.text.splitlines(), "gst_plugins_cache.json", "the plugin", n=1, lineterm="")
        self.assertEqual(kept, self.text, "\n".join(["write it anew: docs/plugins/write-cache libgstgenclip.so, then docs/plugins/write-pages", *list(differs)[:40]]))

    def test_each_page_is_what_the_file_says(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PLUGINS / "write-pages", folder], check=True, timeout=60)
            written = {path.name: path.read_text(encoding="utf-8") for path in pathlib.Path(folder).iterdir()}
        self.assertEqual(set(written), {f"{element}.md" for element in self.told["elements"]})
        self.assertEqual({path.name for path in PLUGINS.glob("*.md")}, set(written))
        for name, text in written.items():
            self.assertEqual((PLUGINS / name).read_text(encoding="utf-8"), text, "write it anew: docs/plugins/write-pages")

    def test_every_enum_of_the_plugin_has_its_values(self):
        used = {kind["type"] for element in self.told["elements"].values() for kind in element["properties"].values()
                if kind["type"].startswith("Gen")}
        self.assertGreater(len(used), 8)
        self.assertEqual(used, set(self.told["other-types"]))
        for name, kind in self.told["other-types"].items():
            self.assertGreater(len(kind["values"]), 1, name)

    def test_every_property_has_words_of_its_own(self):
        for element, shown in self.told["elements"].items():
            for name, kind in shown["properties"].items():
                with self.subTest(element=element, property=name):
                    self.assertGreater(len(kind["blurb"]), 10)
                    self.assertFalse(kind["blurb"].endswith("."), "as GStreamer's own")


if __name__ == "__main__":
    unittest.main()
