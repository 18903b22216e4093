#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs GES' tests on file:// and on genclip://, on the same bytes: as many must pass. tests/peers/ges builds GES, and runs this.

A test file becomes a stored clip: the simulator makes a clip, then its file and what its journal says of the file are replaced.
"""

import concurrent.futures
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from scenarios_test import LENGTH, PATIENCE, SCENARIOS
from simulated_service import SimulatedService

# With a label: GES fails for a URI without a folder (docs/editing.md, "Labels").
VIDEO = "genclip://vidq3-turbo/clip.mp4?prompt={}&duration={}&resolution=540p"
MEDIA = {"audio_video.ogg": "application/ogg", "audio_only.ogg": "application/ogg"}
RENDERS = {"webm": "video/webm:video/x-vp8:audio/x-vorbis", "ogg": "application/ogg:video/x-theora:audio/x-vorbis",
           "mkv": "video/x-matroska:video/x-h264,profile=main:audio/x-vorbis"}
PROJECT = """<ges version='0.3'><project>
<ressources><asset id='{uri}' extractable-type-name='GESUriClip'/></ressources>
<timeline properties='properties, auto-transition=(boolean)false;'>
<track caps='video/x-raw(ANY)' track-type='4' track-id='0'/>
<track caps='audio/x-raw(ANY)' track-type='2' track-id='1'/>
<layer priority='0'>
<clip id='0' asset-id='{uri}' type-name='GESUriClip' layer-priority='0' track-types='6' start='0' duration='{nanoseconds}' inpoint='0' rate='0'/>
</layer></timeline></project></ges>
"""
SINKS = "--videosink=fakevideosink", "--audiosink=fakeaudiosink"


def generated(service, uri):
    """The file of the URI's clip."""
    before = service.clips()
    made = service.run("gst-launch-1.0", "-q", "urisourcebin", f"uri={uri}", "!", "fakesink")
    if made.returncode != 0:
        raise RuntimeError(made.stdout)
    (clip,) = service.clips() - before
    return clip


def store_as_clip(service, path, media_type):
    """Returns the genclip:// URI of a stored clip that has the content of this file."""
    uri = VIDEO.format(path.stem.replace("_", "-"), 2)
    clip = generated(service, uri)
    file = clip.with_suffix(path.suffix)
    clip.unlink()
    file.write_bytes(path.read_bytes())
    journal = clip.with_name("task.json")
    record = json.loads(journal.read_text(encoding="utf-8"))
    record["clip"] = {"file": file.name, "size": file.stat().st_size, "media_type": media_type}
    journal.write_text(json.dumps(record), encoding="utf-8")
    return uri


class Comparison:
    def __init__(self, service, folder):
        self.service, self.folder = service, folder
        self.source, self.build = (pathlib.Path(os.environ[name]) for name in ("GES_SOURCE", "GES_BUILD"))
        self.passes = True

    def environment(self, more):
        return {"GST_REGISTRY": str(self.folder / "registry.bin"), "GST_STATE_IGNORE_ELEMENTS": "", "CK_DEFAULT_TIMEOUT": "60",
                "GST_VALIDATE_LOGSDIR": str(self.folder), **more}

    def c_tests(self, uris):
        verdicts = {}
        for program in sorted(self.build.glob("tests/check/ges_*")):
            if not program.is_file():
                continue
            tap = self.folder / "tap"
            tap.unlink(missing_ok=True)
            self.run([str(program)], CK_TAP_LOG_FILE_NAME=str(tap), **uris)
            text = tap.read_text(encoding="utf-8", errors="replace") if tap.exists() else ""
            for good, name, why in re.findall(r"^(ok|not ok) \d+ - [^:]*:(\S+): (.*)$", text, re.M):
                verdicts[name] = (good == "ok", why)
        return verdicts

    def python_tests(self, uris):
        """Each in a process of its own: one that hangs takes none with it."""
        checks = self.source / "tests/check"
        names = [f"python.{path.stem}.{kind}.{test}" for path in sorted(checks.glob("python/test_*.py"))
                 for kind, body in re.findall(r"^class (\w+)\(.*?\n(.*?)(?=^class |\Z)", path.read_text(encoding="utf-8"), re.M | re.S)
                 for test in re.findall(r"^    def (test\w+)\(", body, re.M)]

        def one(name):
            return name, self.run([sys.executable, "-m", "unittest", name], cwd=checks, patience=40, **uris)
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            return {name: (code == 0, text) for name, (code, text) in pool.map(one, names) if "OK (skipped=" not in text}

    def launches(self, uri, kind):
        """ges-launch-1.0 plays a project with the clip under each scenario, and renders the clip into each format."""
        launch = str(self.build / "tools/ges-launch-1.0")
        # It decodes the URI once, and cuts it at a question mark: docs/editing.md.
        clip = ["+clip", uri.replace("%", "%25").replace("?", "%3F")]
        project = self.folder / f"{kind}.xges"
        project.write_text(PROJECT.format(uri=html.escape(uri), nanoseconds=(LENGTH - 1) * 10**9), encoding="utf-8")
        words = {name: [launch, "--no-interactive", *SINKS, f"--set-scenario={name}", "--load", project.as_uri()] for name in SCENARIOS}
        for name, form in RENDERS.items():
            out = (self.folder / f"{kind}.{name}").as_uri()
            words[f"render to {name}"] = [launch, "--no-interactive", *clip, "duration=3.0", f"--outputuri={out}", f"--format={form}"]

        def one(name):
            code, text = self.run(words[name], patience=120)
            return name, (code == 0, text)
        # They wait for the clock, mostly.
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            return dict(pool.map(one, words))

    def run(self, words, cwd=None, patience=PATIENCE, **more):
        """The exit code, and the end of the output."""
        try:
            run = subprocess.run(words, cwd=cwd or self.folder, env=self.service.env | self.environment(more), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=patience, check=False)
        except subprocess.TimeoutExpired:
            return None, "did not end"
        return run.returncode, run.stdout.decode(errors="replace")[-2000:]

    def tell(self, what, on_file, on_clip):
        every = {*on_file, *on_clip}
        passed = [sum(verdicts.get(name, (False,))[0] for name in every) for verdicts in (on_file, on_clip)]
        print(f"{what}: {passed[0]} of {len(every)} on file://, {passed[1]} of {len(every)} on genclip://", flush=True)
        for name in sorted(every):
            good, bad = (verdicts.get(name, (False, "did not run")) for verdicts in (on_file, on_clip))
            if not good[0] and not bad[0]:
                print(f"  fails on both: {name}")
            elif not bad[0]:
                print(f"  fails on genclip://: {name}: {bad[1]}")
            elif not good[0]:
                print(f"  fails on file://: {name}")
        if not passed[0] or passed[1] < passed[0]:
            self.passes = False


def main():
    with SimulatedService("--queued", "0", "--processing", "0") as service, tempfile.TemporaryDirectory() as name:
        comparison = Comparison(service, pathlib.Path(name))
        assets = comparison.source / "tests/check/assets"
        uris = {file: store_as_clip(service, assets / file, media_type) for file, media_type in MEDIA.items()}
        comparison.tell("C tests", comparison.c_tests({}), comparison.c_tests(uris))
        comparison.tell("Python tests", comparison.python_tests({}), comparison.python_tests(uris))
        uri = VIDEO.format("stored", LENGTH)
        path = generated(service, uri)
        comparison.tell("ges-launch", comparison.launches(path.as_uri(), "file"), comparison.launches(uri, "clip"))
        submits = service.stats()["submits"]
        if submits != len(MEDIA) + 1:
            print(f"{submits} requests for {len(MEDIA) + 1} clips")
            comparison.passes = False
    sys.exit(not comparison.passes)


if __name__ == "__main__":
    main()
