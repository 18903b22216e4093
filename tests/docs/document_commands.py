# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds the command lines in a Markdown document that readers copy into a shell.

Commands stand in ```sh blocks and in blocks that are indented by four blanks. Each line is run by itself. A block whose lines
depend on each other is run as one script: it sets or unsets a variable, or starts a program in the background. A block that
cannot be run here says so, and why, in a comment just before it: <!-- not run: needs a camera -->. There is no other way to
leave one out.
"""

import dataclasses
import re
import shlex
import urllib.parse

PROGRAMS = {"gst-launch-1.0", "gst-play-1.0", "gst-discoverer-1.0", "gst-inspect-1.0", "ges-launch-1.0", "genclip", "cc", "timeout"}
# Programs of this repository, and what a document has compiled. The rest of examples/ has tests of its own.
PROGRAM_FOLDERS = ("./", "examples/apps/", "examples/captions/")
ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
SUBSTITUTED = re.compile(r"\$\(\s*([^\s)]+)")
PAYS = re.compile(r"commands of this page pay for (\d+) clips?\b".replace(" ", r"\s+"))
NOT_RUN = re.compile(r"<!--\s*not run:\s*(?P<reason>.*?\S)\s*-->")
FENCE = re.compile(r"^ {0,3}```\s*(?P<language>\w*)\s*$")
SHELL_LANGUAGES = {"sh", "bash", "shell", "console"}


@dataclasses.dataclass(frozen=True)
class Command:
    line: int  # in the document, from 1
    text: str  # one line of shell
    not_run: str = ""  # why


def blocks(text):
    """Yields (line number, lines, reason not to run) of each block of shell."""
    lines = text.splitlines()
    reason, at = "", 0
    previous_blank, in_list = True, False
    while at < len(lines):
        line = lines[at]
        fence = FENCE.match(line)
        if fence:
            start, at = at + 1, at + 1
            while at < len(lines) and not FENCE.match(lines[at]):
                at += 1
            if fence["language"] in SHELL_LANGUAGES:
                yield start + 1, lines[start:at], reason
            reason, at, previous_blank = "", at + 1, False
        elif line.startswith("    ") and previous_blank and not in_list:
            start = at
            while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
                at += 1
            yield start + 1, lines[start:at], reason
            reason, previous_blank = "", True
        else:
            mark = NOT_RUN.search(line)
            if mark:
                reason = mark["reason"]
            elif line.strip():
                reason = ""
                in_list = bool(re.match(r"\s*([-*+]|\d+\.)\s", line)) or (in_list and line.startswith(" "))
            previous_blank = not line.strip()
            at += 1


def logical_lines(first, lines):
    """Yields (line number, text) with continued lines joined."""
    text, start = "", first
    for number, line in enumerate(lines, first):
        line = line.strip().removeprefix("$ ")
        text = text + " " + line if text else line
        start = start if text != line else number
        if text.endswith("\\"):
            text = text[:-1].rstrip()
            continue
        if text:
            yield start, text
        text = ""
    if text:
        yield start, text


def program_of(text):
    """The first word that is not an assignment; the empty string for a comment."""
    try:
        words = shlex.split(text, comments=True)
    except ValueError:
        return text.split()[0]
    return next((word for word in words if not ASSIGNMENT.match(word)), "")


def programs_of(line):
    """The line's first program, and those whose output it takes."""
    return [program_of(line), *SUBSTITUTED.findall(line)]


def is_command(line):
    return any(program in PROGRAMS or program.startswith(PROGRAM_FOLDERS) for program in programs_of(line))


def is_one_script(lines):
    """Whether a line of the block needs what an earlier line has set or started."""
    return any(line.endswith(" &") or line.startswith("unset ") or not program_of(line) and ASSIGNMENT.match(line)
               for line in lines)


def commands(text):
    found = []
    for first, lines, reason in blocks(text):
        block = list(logical_lines(first, lines))
        runnable = [(number, line) for number, line in block if is_command(line)]
        texts = [line for _, line in block]
        if runnable and is_one_script(texts):
            runnable = [(block[0][0], "\n".join(texts))]
        found += [Command(number, line, reason) for number, line in runnable]
    return found


def paid_clips(text):
    """For how many clips a page says that its commands pay."""
    return sum(int(number) for number in PAYS.findall(text))


def uri_requests(uri):
    """The requests (model, fields) of a genclip:// URI: its own, then those inside it."""
    if "?" not in uri:  # as ges-launch-1.0 wants it
        uri = urllib.parse.unquote(uri)
    model, _, query = uri.removeprefix("genclip://").partition("?")
    fields = dict(urllib.parse.parse_qsl(query.partition("#")[0]))
    yield model, fields
    yield from (request for value in fields.values() if value.startswith("genclip://") for request in uri_requests(value))


def word_requests(line):
    """The request that a command line writes in words."""
    words = shlex.split(line, comments=True)
    fields = dict(word.split("=", 1) for word in words if re.match(r"[a-z_-]+=", word))
    if not words:
        return
    if words[:2] in (["genclip", "generate"], ["genclip", "check"]) or "genclipsrc" in words or words[0].endswith("generate_clip.py"):
        yield fields.pop("model", None) or next(word for word in words[2:] if not word.startswith("-")), fields


def requests(text, names):
    """The requests (model, prompt, other fields) of a text and its command lines. Only those fields count that are in names."""
    found = [request for uri in re.findall(r"genclip://[\w.-]+(?:\?|%3F)[^\s\"'`<>|]+", text) for request in uri_requests(uri)]
    found += [request for command in commands(text) for line in command.text.splitlines() for request in word_requests(line)]
    for model, fields in found:
        fields = {name.replace("-", "_"): value for name, value in fields.items()}
        kept = {name: value for name, value in fields.items() if name in names and name != "prompt"}
        if "prompt" in fields:
            yield model, fields["prompt"], tuple(sorted(kept.items()))


def listings(text, language):
    """The texts of the fenced blocks in that language."""
    return re.findall(rf"^```{re.escape(language)}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def without_screen(text):
    """The same command for a machine without a screen, loudspeakers or a person, where others use /tmp."""
    text = text.replace("/tmp/", "$PWD/")
    text = re.sub(r"\bauto(video|audio)sink\b", r"fake\1sink", text)
    text = re.sub(r"\bgst-play-1\.0\b", "gst-play-1.0 --no-interactive --videosink=fakevideosink --audiosink=fakeaudiosink",
                  text)
    return re.sub(r"\bgst-discoverer-1\.0\b", "gst-discoverer-1.0 -t 60", text)


def read_files(text):
    """The files that a command reads and that a reader is expected to have."""
    named = re.findall(r"\bfilesrc\s+location=\"?([^\s\"!]+)", text)
    # References that are files: no URI.
    named += re.findall(r"\b(?:first|last|reference)[_-](?:images?|videos)=\"?([\w.-]+\.\w+)(?=[\s\"]|$)", text)
    named += re.findall(r"\bgenclip caption\b[^|;&#]*?\s([\w-]+\.(?:mp4|mkv|srt))(?=\s|$)", text)
    return named + re.findall(r"\bgenclip publish ([\w.-]+\.\w+)", text)
