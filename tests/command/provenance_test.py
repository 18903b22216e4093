#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How a clip tells that a machine made it: clip.xmp, read by others' programs, and tags that survive muxers."""

import json
import pathlib
import re
import shutil
import subprocess
import unittest
import urllib.request

from command import GENCLIP, environment, genclip
from service import KEY, MODEL, ServiceTest

TYPES = "http://cv.iptc.org/newscodes/digitalsourcetype/"
HOSTILE = "</rdf:RDF> <!-- & \"quotes\" 'more' ]]>"


class Provenance(ServiceTest):
    def setUp(self):
        super().setUp()
        self.simulator()

    def generate(self, prompt, *words):
        run = genclip("generate", MODEL, f"prompt={prompt}", "duration=4", "--poll-interval=20", *words, **self.env)
        self.assertEqual(run.returncode, 0, run.stderr)
        return pathlib.Path(run.stdout.strip())

    def task_of(self, clip):
        return json.loads((clip.parent / "task.json").read_text())["task_id"]

    def tags_of(self, path):
        """As ffprobe sees them, those of the file and of its streams, in capitals."""
        run = subprocess.run(["ffprobe", "-v", "error", "-of", "json", "-show_entries", "format_tags:stream_tags", str(path)],
                             capture_output=True, text=True, timeout=60, check=True)
        probed = json.loads(run.stdout)
        tags = {}
        for part in [*probed.get("streams", []), probed["format"]]:
            tags.update({name.upper(): value for name, value in part.get("tags", {}).items()})
        return tags

    def test_the_stored_bytes_are_those_that_the_service_sent(self):
        clip = self.generate("a red kite")
        task = self.task_of(clip)
        request = urllib.request.Request(f"{self.env['GENCLIP_BASE_URL']}/v2/model-center/tasks/{task}",
                                         headers={"Authorization": "Bearer " + KEY})
        with urllib.request.urlopen(request, timeout=30) as answer:
            url = json.load(answer)["video_url"]
        with urllib.request.urlopen(url, timeout=30) as answer:
            sent = answer.read()
        for words in (("store", "gallery", "-o", str(self.folder / "x.html")), ("store", "show", task, "--xmp"),
                      ("store", "show", task, "--taginject"), ("store", "verify")):
            self.assertEqual(genclip(*words, **self.env).returncode, 0)
        self.assertEqual(clip.read_bytes(), sent)

    @unittest.skipUnless(shutil.which("exempi"), "exempi is not installed")
    def test_exempi_reads_the_xmp_whatever_the_prompt_is(self):
        for prompt, told in (("a red kite", ()), (HOSTILE, ("--with-prompt",))):
            clip = self.generate(prompt, *told)
            read = subprocess.run(["exempi", "-X", "-x", str(clip.parent / "clip.xmp")], capture_output=True, text=True,
                                  timeout=60, check=False)
            self.assertEqual(read.returncode, 0, read.stderr)
            self.assertIn(f"<Iptc4xmpExt:DigitalSourceType>{TYPES}trainedAlgorithmicMedia<", read.stdout)
            self.assertEqual("AIPromptInformation" in read.stdout, bool(told))

    @unittest.skipUnless(shutil.which("exiftool"), "exiftool is not installed")
    def test_exiftool_reads_the_xmp(self):
        clip = self.generate(HOSTILE, "--with-prompt", "take=2")
        read = subprocess.run(["exiftool", "-j", "-G0", str(clip.parent / "clip.xmp")], capture_output=True, text=True, timeout=60,
                              check=True)
        tags = json.loads(read.stdout)[0]
        self.assertTrue(tags["XMP:DigitalSourceType"].endswith("trainedAlgorithmicMedia"), tags)
        self.assertEqual(tags["XMP:CreatorTool"], "genclip")
        self.assertIn(HOSTILE, tags.values())
        self.assertIn(MODEL, tags.values())

    def test_the_prompt_is_told_only_when_asked(self):
        clip = self.generate("a secret kite")
        self.assertNotIn("secret", (clip.parent / "clip.xmp").read_text())
        key = clip.parent.name[:8]
        for option in ("--xmp", "--taginject"):
            self.assertNotIn("secret", genclip("store", "show", key, option, **self.env).stdout)
            self.assertIn("secret", genclip("store", "show", key, option, "--with-prompt", **self.env).stdout)
        self.assertEqual(genclip("store", "show", key, "--with-prompt", **self.env).returncode, 2)
        self.assertEqual(genclip("store", "show", key, "--xmp", **self.env).stdout, (clip.parent / "clip.xmp").read_text())

    def test_content_credentials_are_reported_as_there(self):
        clip = self.generate("a red kite")
        show = ("store", "show", clip.parent.name[:8], "--json")
        self.assertIsNone(json.loads(genclip(*show, **self.env).stdout)["provenance"])
        box = bytes.fromhex("d8fec3d61b0e483c92975828877ec481") + b"manifest"
        clip.write_bytes(clip.read_bytes() + (len(box) + 8).to_bytes(4, "big") + b"uuid" + box)
        self.assertEqual(json.loads(genclip(*show, **self.env).stdout)["provenance"], "c2pa")

    def test_a_removed_clip_takes_its_xmp_along(self):
        clip = self.generate("a red kite")
        self.assertEqual(genclip("store", "remove", clip.parent.name, **self.env).returncode, 0)
        self.assertFalse(clip.parent.exists())

    @unittest.skipUnless(shutil.which("ffprobe"), "ffprobe is not installed")
    def test_taginject_puts_it_into_a_render_by_either_muxer(self):
        prompt = "it's a \"big\" red * kite, $HOME"
        clip = self.generate(prompt)
        for muxer, name in (("mp4mux", "render.mp4"), ("matroskamux", "render.mkv")):
            render = self.folder / name
            # As docs/provenance.md has it.
            line = (f'eval "gst-launch-1.0 -q filesrc location={clip} ! decodebin ! videoconvert ! x264enc speed-preset=ultrafast ! h264parse ! '
                    f'$({GENCLIP} store show {clip.parent.name} --taginject --with-prompt) ! {muxer} ! filesink location={render}"')
            run = subprocess.run(["sh", "-c", line], env=environment(**self.env), capture_output=True, text=True, timeout=120,
                                 check=False)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            tags = self.tags_of(render)
            comment = tags.get("COMMENT", tags.get("COMMENTS"))  # So does matroskamux call it.
            if muxer == "matroskamux":  # It writes a tag as GStreamer writes a string in a pipeline.
                comment = re.sub(r"\\(.)", r"\1", comment.strip('"'))
            self.assertEqual(comment, f"genclip:trainedAlgorithmicMedia/model:{MODEL}/task:{self.task_of(clip)}/prompt:{prompt}", (name, tags))

    @unittest.skipUnless(shutil.which("ffprobe"), "ffprobe is not installed")
    def test_the_comment_of_a_picture_gets_through_a_muxer_and_that_of_a_video_does_not(self):
        encode = "videoconvert ! x264enc speed-preset=ultrafast ! h264parse"
        for kind, fields, middle in (("picture", "model=dream-5.0 prompt=dunes", f"pngdec ! {encode}"),
                                     ("video", f"model={MODEL} prompt=dunes duration=4", "qtdemux ! h264parse")):
            for muxer in ("mp4mux", "matroskamux"):
                with self.subTest(kind, muxer=muxer):
                    render = self.folder / (kind + muxer)
                    run = subprocess.run([*f"gst-launch-1.0 -q genclipsrc poll-interval=20 {fields} ! {middle} ! {muxer} ! filesink".split(),
                                          f"location={render}"], env=environment(**self.env), capture_output=True, text=True,
                                         timeout=120, check=False)
                    self.assertEqual((run.returncode, run.stderr), (0, ""))
                    told = [value for value in self.tags_of(render).values() if "genclip:trainedAlgorithmicMedia" in value]
                    self.assertEqual(len(told), 1 if kind == "picture" else 0)


if __name__ == "__main__":
    unittest.main()
