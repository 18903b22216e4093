# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds phrases in documents, comments and messages that make a reader stop and read again.

Most of them were once in this repository, word for word as German would put them. A pattern matches only what is wrong
in every context, so nothing needs an exception. A phrase in quotation marks is a quotation and passes.
"""

import bisect
import re

import source_tree

# Pattern, what to write instead. A blank matches any white space, also the end of a line of a comment or a string.
PHRASES = [
    (r"(goes|go|went|gone) on with", "resumes, continues with"),
    (r"cut downloads?", "interrupted download"),
    (r"for who (?!is|are)", "for anyone who"),
    (r"nobody (can|could) (tell|know)", "cannot be determined"),
    (r"(fields?|shapes?|names?|answers?|rest) (is|are) not shown", "is undocumented"),
    (r"(service|document|seed) (does|do) not show", "does not document"),
    (r"(is|are|was|were) (told|said) to be", "is reported as"),
    (r"that of which", "whose"),
    (r"for want of", "without"),
    (r"makes? no sense", "is invalid"),
    (r"(cannot|could not) be had", "is lost, cannot be fetched"),
    (r"(told|tells?) of (the|a|an|another|its) task", "reports on the task"),
    (r"(it|this|that|which|what) is no (?!(longer|more|less|one|matter|\w+er)\b)[a-z]+", "is not a"),
    (r"belongs? into", "belongs in"),
    (r"do you mean", "did you mean"),
    (r"judg(e|es|ing) (a|the|each|its|whether) ?request", "validates the request"),
    (r"the judge?ments? (of|by)", "the validation of"),
    (r"came about within", "was established within"),
    (r"(that|which) goes? wrong (is|are)", "failures are"),
    (r"in the words of", "as described in"),
    (r"without a word", "silently, without a warning"),
    (r"(waits?|waited|waiting|hangs?) for ever", "forever"),
]

ANY = re.compile(rf"\b(?:{'|'.join(f'(?P<p{i}>{pattern})' for i, (pattern, _) in enumerate(PHRASES))})")
# What parts the words of one sentence on two lines: the mark of a comment, the joint of two string literals.
MARK = re.compile(r"^[ \t]*(?://|#|\*)[ \t]", re.MULTILINE)
JOINT = re.compile(r'"[ \t]*(\n)[ \t]*[frbu]?"')
TEXTS = source_tree.CPP | {".py", ".md", ".1", ".json", ".build", ".txt", ".sh", ""}
# Here the phrases are data, or bytes that a fuzzer made.
LEFT_OUT = ("tests/source/plain_english", "tests/fuzz/corpus/")


def phrases_in(text):
    """Yields (line number, phrase, what to write instead)."""
    text = MARK.sub("", JOINT.sub(r"\1", text)).lower()
    if not ANY.search(" ".join(text.split())):
        return
    words = [(match[0], match.start()) for match in re.finditer(r"\S+", text)]
    flat = " ".join(word for word, _ in words)
    starts, at = [], 0
    for word, _ in words:
        starts.append(at)
        at += len(word) + 1
    for match in ANY.finditer(flat):
        if flat[match.start() - 1:match.start()] in {'"', "'"}:
            continue
        place = words[bisect.bisect_right(starts, match.start()) - 1][1]
        yield text.count("\n", 0, place) + 1, match[0], PHRASES[int(match.lastgroup[1:])][1]


def violations(top=source_tree.TOP):
    """A line of text for each phrase below top."""
    found = []
    for path in source_tree.files(top):
        if path.suffix not in TEXTS or str(path).startswith(LEFT_OUT):
            continue
        try:
            text = (top / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f'{path}:{line}: "{phrase}"; write: {better}' for line, phrase, better in phrases_in(text)]
    return found
