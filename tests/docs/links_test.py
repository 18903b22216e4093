#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A reader can follow the documents: each link leads somewhere, and what matters most stands at the top."""

import pathlib
import re
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[[^\]]*\]\((?P<path>[^)#\s]*)(?:#(?P<anchor>[^)\s]*))?\)")
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
NOTE = "**Not yet tested against the real service.**"


def documents(top=TOP):
    return sorted([*top.glob("*.md"), *(top / "docs").rglob("*.md")])


def anchors(text):
    """The anchors of the headings, as the usual viewers of Markdown make them."""
    titles = re.findall(r"^#+ (.*)$", FENCED.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken_links(document):
    text = FENCED.sub("", document.read_text(encoding="utf-8"))
    for link in LINK.finditer(text):
        if "://" in link["path"]:
            continue
        target = (document.parent / link["path"]).resolve() if link["path"] else document
        if not target.exists():
            yield f"{link[0]}: there is no such file"
        elif link["anchor"] and link["anchor"] not in anchors(target.read_text(encoding="utf-8")):
            yield f"{link[0]}: there is no such heading"


def reached(start):
    """The documents that links lead to from there."""
    seen, waiting = set(), [start]
    while waiting:
        document = waiting.pop()
        if document in seen:
            continue
        seen.add(document)
        for link in LINK.finditer(document.read_text(encoding="utf-8")):
            target = (document.parent / link["path"]).resolve()
            if target.suffix == ".md" and target.is_file():
                waiting.append(target)
    return seen


class Links(unittest.TestCase):
    def test_each_leads_to_a_file_and_a_heading(self):
        for document in documents():
            with self.subTest(document=document.relative_to(TOP)):
                self.assertEqual(list(broken_links(document)), [])

    def test_lead_from_the_readme_to_every_document(self):
        self.assertEqual(set(documents()) - reached(TOP / "README.md"), set())

    def test_the_readme_and_the_guide_open_with_what_was_not_tested(self):
        for name in ("README.md", "docs/README.md"):
            with self.subTest(document=name):
                lines = (TOP / name).read_text(encoding="utf-8").splitlines()
                self.assertIn(NOTE, "\n".join(lines[:5]))

    def test_readers_and_contributors_are_led_in_one_step_to_their_first_questions(self):
        for name, questions in (("README.md", ("docs/guide/first-clip.md", "docs/references.md", "docs/guide/captions.md",
                                               "docs/guide/operations.md#costs", "docs/questions.md#costs-and-keys", "CONTRIBUTING.md")),
                                ("CONTRIBUTING.md", ("docs/adding-a-model.md", "docs/architecture.md#threads-of-a-clip",
                                                     "docs/store-format.md#what-a-crash-leaves"))):
            links = {link[0].partition("(")[2][:-1] for link in LINK.finditer((TOP / name).read_text(encoding="utf-8"))}
            for question in questions:
                self.assertIn(question, links, name)


class Reliability(unittest.TestCase):
    def test_each_promise_names_tests_that_exist(self):
        text = FENCED.sub("", (TOP / "docs/reliability.md").read_text(encoding="utf-8"))
        tests = "".join(path.read_text(encoding="utf-8") for path in (TOP / "tests").rglob("*.cpp"))
        suites = set(re.findall(r"\b([A-Z]\w+)\.\*`", text))
        self.assertGreater(len(suites), 50)
        self.assertEqual(suites - set(re.findall(r"\b([A-Z]\w+),\s", tests)), set())
        named = set(re.findall(r"\bT ((?:'[^']+'|[a-z][\w-]*)(?: '[^']+')*)", text.replace("\n", " ")))
        builds = "".join(path.read_text(encoding="utf-8") for path in (TOP / "tests").rglob("meson.build"))
        names = {name.strip("'") for words in named for name in re.findall(r"'[^']+'|\S+", words)}
        self.assertGreater(len(names), 25)
        # Names that a loop of a meson.build makes stand there in parts.
        self.assertEqual({name for name in names if not all(word in builds for word in re.split(r"[ -]", name))}, set())


class Anchors(unittest.TestCase):
    def test_are_those_that_viewers_make_of_headings(self):
        text = "# The life of a clip\n## What it's for, and `why`\n```sh\n# no heading\n```\n### task.json\n"
        self.assertEqual(anchors(text), {"the-life-of-a-clip", "what-its-for-and-why", "taskjson"})


if __name__ == "__main__":
    unittest.main()
