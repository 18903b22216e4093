#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Other programs read what a channel answers: curl, Prometheus' rules, the document type of XMLTV."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from json_shape import differences, documents_in, shape
from served_channel import ServedChannel

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs/channel-monitoring.md"
HELP = re.compile(r"# HELP (?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*) (?P<text>[^\\\n]+)")
TYPE = re.compile(r"# TYPE (?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*) (?P<type>counter|gauge)")
VALUE = r"[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*"'
SAMPLE = re.compile(rf"(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)\{{(?P<labels>{LABEL}(?:,{LABEL})*)\}} (?P<value>{VALUE})")


def problems_of_metrics(text):
    """What breaks Prometheus' text format 0.0.4, or its rules for names."""
    problems, family, kind, seen, helped = [], None, None, set(), set()
    if not text.endswith("\n"):
        problems.append("the last line has no end")
    for line in text.split("\n")[:-1]:
        if match := HELP.fullmatch(line):
            if match["name"] in helped:
                problems.append(f"second HELP: {line}")
            helped.add(match["name"])
            family, kind = match["name"], None
        elif match := TYPE.fullmatch(line):
            if match["name"] != family or kind:
                problems.append(f"TYPE out of place: {line}")
            kind = match["type"]
            if (kind == "counter") != family.endswith("_total"):
                problems.append(f"only a counter ends in _total: {line}")
            if re.search(r"_(ms|milliseconds|minutes|hours)(_|$)", family):
                problems.append(f"not a base unit: {line}")
        elif match := SAMPLE.fullmatch(line):
            if match["name"] != family or not kind:
                problems.append(f"sample out of place: {line}")
            if kind == "counter" and float(match["value"]) < 0:
                problems.append(f"negative counter: {line}")
            series = (match["name"], match["labels"])
            if series in seen:
                problems.append(f"second sample: {line}")
            seen.add(series)
        else:
            problems.append(f"neither comment nor sample: {line}")
    return problems


def run(*words, text=None):
    return subprocess.run(words, input=text, capture_output=True, text=True, check=False, timeout=60)


class Metrics(unittest.TestCase):
    def test_follow_the_format(self):
        for texts in ("plain", "hostile"):
            with self.subTest(texts), ServedChannel(texts) as channel:
                metrics = channel.get("metrics")
                self.assertEqual(problems_of_metrics(metrics), [])
                self.assertGreater(len(metrics.splitlines()), 60)

    def test_satisfy_promtool(self):
        if not shutil.which("promtool"):
            self.skipTest("promtool (Debian: prometheus) is not installed")
        for texts in ("plain", "hostile"):
            with self.subTest(texts), ServedChannel(texts) as channel:
                end = run("promtool", "check", "metrics", text=channel.get("metrics"))
                self.assertEqual((end.returncode, end.stdout, end.stderr), (0, "", ""))

    def test_reader_of_this_test_is_strict(self):
        for wrong in ("a 1\n", "# HELP a b\n# TYPE a counter\na{} 1\n", "# HELP a b\n# TYPE a gauge\na{x=\"y\"} 1",
                      "# HELP a b\n# TYPE a counter\na{x=\"y\"} 1\n", "# HELP a b\n# TYPE a gauge\na{x=\"y\nz\"} 1\n",
                      "# HELP a b\n# TYPE a gauge\na{x=\"y\"} 1\na{x=\"y\"} 2\n", "# HELP a b\n# TYPE a gauge\nb{x=\"y\"} 1\n"):
            self.assertNotEqual(problems_of_metrics(wrong), [], wrong)


class Status(unittest.TestCase):
    def test_has_the_members_that_the_document_shows(self):
        (example,) = re.findall(r"^```json\n(\{\"channel\".*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        answers = []
        for texts in ("plain", "hostile"):  # Each has members that are null in the other one.
            with ServedChannel(texts) as channel:
                answers.append(json.loads(channel.get("status")))
        self.assertEqual([*differences(shape(documents_in(example)), shape(answers))], [])


class Guide(unittest.TestCase):
    def test_follows_its_document_type(self):
        if not shutil.which("xmllint"):
            self.skipTest("xmllint (Debian: libxml2-utils) is not installed")
        for texts in ("plain", "hostile"):
            with self.subTest(texts), ServedChannel(texts) as channel, tempfile.TemporaryDirectory() as folder:
                guide = pathlib.Path(folder) / "epg.xml"
                guide.write_text(channel.get("epg.xml"), encoding="utf-8")
                end = run("xmllint", "--noout", "--nonet", "--dtdvalid", str(HERE / "xmltv.dtd"), str(guide))
                self.assertEqual(end.returncode, 0, end.stderr)

    def test_has_no_hole(self):
        with ServedChannel("plain") as channel:
            times = re.findall(r'start="(\d{14} \+0000)" stop="(\d{14} \+0000)"', channel.get("epg.xml"))
        self.assertGreater(len(times), 2)
        for (_, stop), (start, _) in zip(times, times[1:]):
            self.assertEqual(stop, start)


@unittest.skipUnless(shutil.which("curl"), "curl is not installed")
class Curl(unittest.TestCase):
    def curl(self, *words):
        end = run("curl", "--silent", "--show-error", "--noproxy", "*", "--max-time", "30", "--write-out", "\n%{http_code}", *words)
        self.assertEqual(end.returncode, 0, end.stderr)
        body, _, status = end.stdout.rpartition("\n")
        return int(status), body

    def test_controls_with_the_token_only(self):
        with ServedChannel("plain") as channel:
            key = ["--header", f"Authorization: Bearer {channel.token}"]
            self.assertEqual(self.curl("--data", "", channel.url + "skip")[0], 401)
            self.assertEqual(self.curl("--data", "", "--header", "Authorization: Bearer 0", channel.url + "skip")[0], 401)
            status, body = self.curl("--data", "", *key, channel.url + "skip")
            self.assertEqual((status, json.loads(body)), (200, {"done": "skip"}))
            self.assertEqual(channel.call(), "skip")
            item = json.dumps({"item": {"source": "file:///a.mp4"}, "after": "kite"})
            self.assertEqual(self.curl("--data", item, *key, channel.url + "insert")[0], 200)
            self.assertEqual(channel.call(), 'insert {"source":"file:///a.mp4"} after kite')
            self.assertEqual(self.curl("--data", '{"on": true}', *key, channel.url + "hold")[0], 200)
            self.assertEqual(channel.call(), "hold")
            self.assertTrue(json.loads(channel.get("status"))["hold"])
            self.assertEqual(self.curl("--get", *key, channel.url + "skip")[0], 405)
            self.assertTrue(channel.calls.empty())

    def test_keeps_foreign_names_out(self):
        with ServedChannel("plain") as channel:
            self.assertEqual(self.curl("--header", "Host: evil.example", channel.url + "status")[0], 421)

    def test_sends_large_bodies_in_vain(self):
        with ServedChannel("plain") as channel:
            key = ["--header", f"Authorization: Bearer {channel.token}"]
            self.assertEqual(self.curl("--data", "x" * 70000, *key, channel.url + "insert")[0], 413)
            self.assertEqual(self.curl("--head", channel.url)[0], 200)


if __name__ == "__main__":
    unittest.main()
