#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A field of requests is one row of models.json: planted there, the programs as built know it everywhere.

GLib's variable G_RESOURCE_OVERLAYS puts the file with the planted row in the place of the built-in one.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(os.environ["GENCLIP"]).parent
MODELS_DOC = os.environ["GENCLIP_MODELS_DOC"]

HELP = "How the camera moves, such as pan"
ROW = {"type": "string", "property": {"help": HELP}}
URI = "genclip://veo?prompt=x&camera_motion=pan"

# What an application would do: from a URI to a property, and back.
APPLICATION = """
import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst
Gst.init(None)
src = Gst.Element.make_from_uri(Gst.URIType.SRC, "genclip://veo?prompt=x&camera_motion=pan", None)
print(src.get_property("camera-motion"))
src.set_property("camera-motion", "tilt")
print(src.get_uri())
src.set_property("camera-motion", None)
print(src.get_uri())
"""


class NewField(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        models = json.loads((TOP / "plugin/catalog/models.json").read_text(encoding="utf-8"))
        models["common_fields"]["camera_motion"] = ROW
        (pathlib.Path(folder.name) / "models.json").write_text(json.dumps(models), encoding="utf-8")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GENCLIP_")}
        self.env = {**kept, "G_RESOURCE_OVERLAYS": f"/genclip/catalog={folder.name}", "LC_ALL": "C.UTF-8"}

    def output(self, *command):
        run = subprocess.run([str(word) for word in command], env=self.env, stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run.stdout

    def genclip(self, *words):
        return self.output(PROGRAMS / "genclip", *words)

    def test_is_a_property(self):
        shown = self.output("gst-inspect-1.0", "genclipsrc").partition("  camera-motion ")[2]
        self.assertEqual(shown.split("\n")[0].strip(" :"), HELP)
        self.assertIn("String. Default: null", shown.split("\n")[2])
        sent = self.output("gst-launch-1.0", "-m", "genclipsrc", "dry-run=true", "base-url=http://127.0.0.1", "model=veo", "prompt=x",
                           "camera-motion=pan", "!", "fakesink").replace("\\", "")
        self.assertIn('"camera_motion":"pan"', sent)

    def test_is_a_part_of_uris(self):
        values = self.output(sys.executable, "-c", APPLICATION).splitlines()
        self.assertEqual(values, ["pan", URI.replace("pan", "tilt"), "genclip://veo?prompt=x"])

    def test_is_a_word_of_the_command(self):
        for words in (["veo", "prompt=x", "camera-motion=pan"], ["veo", "prompt=x", "camera_motion=pan"], [URI]):
            verdict = json.loads(self.genclip("check", "--json", *words))
            self.assertEqual(verdict["body"], {"model": "veo", "prompt": "x", "camera_motion": "pan"})
            self.assertEqual(verdict["uri"], URI)
        # A field without a row would have stayed a number.
        self.assertEqual(json.loads(self.genclip("check", "--json", "veo", "prompt=x", "camera_motion=5"))["body"]["camera_motion"], "5")
        self.assertIn("camera_motion", self.genclip("check", "--help"))
        self.assertIn("camera_motion=\n", self.genclip("__complete", "check", "veo", "cam"))

    def test_is_in_the_documents(self):
        self.assertIn("| `camera_motion` | `camera-motion` | text | " + HELP, self.output(MODELS_DOC))


if __name__ == "__main__":
    unittest.main()
