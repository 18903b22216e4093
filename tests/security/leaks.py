# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a program with all possible output enabled, and searches this output for secrets."""

import base64
import json
import os
import pathlib
import subprocess
import tempfile
import urllib.parse


def forms(secret):
    """How a secret may be spelled, by the name of the spelling."""
    plain = secret.encode()
    found = {"plain": plain, "hex": plain.hex().encode(),
             "escaped for a URL": urllib.parse.quote(secret, safe="").encode(),
             "escaped for JSON": json.dumps(secret)[1:-1].replace("/", "\\/").encode()}
    for offset in range(3):
        # Its base64 forms at any offset in a longer text, without the characters that depend on neighbouring bytes.
        coded = base64.b64encode(b"\0" * offset + plain).rstrip(b"=")
        begin = 0 if offset == 0 else 4
        end = len(coded) - (0 if (offset + len(plain)) % 3 == 0 else 1)
        found[f"base64 at {offset}"] = coded[begin:end]
        found[f"base64 for URLs at {offset}"] = coded[begin:end].replace(b"+", b"-").replace(b"/", b"_")
    return found


class Traces:
    """A folder for the files of a program: its output, debug log, dot files, store."""

    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.store = self.folder / "store"
        self.dots = self.folder / "dots"
        self.dots.mkdir()
        self.runs = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def environment(self, **settings):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GENCLIP_")}
        return {**kept, "GENCLIP_STORE": str(self.store), "GST_DEBUG": "*:9", "GST_DEBUG_NO_COLOR": "1",
                "GST_DEBUG_FILE": str(self.folder / f"debug-{self.runs}.log"), "GST_DEBUG_DUMP_DOT_DIR": str(self.dots),
                "G_MESSAGES_DEBUG": "all", "SOUP_DEBUG": "all", "SOUP_LOG_LEVEL": "body", "G_DEBUG": "fatal-criticals",
                "GST_REGISTRY_UPDATE": "no", **settings}

    def run(self, *words, timeout=120, **settings):
        """The program's end; what it printed is among the traces, too."""
        self.runs += 1
        ended = subprocess.run(words, env=self.environment(**settings), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, timeout=timeout, check=False)
        (self.folder / f"output-{self.runs}").write_bytes(ended.stdout)
        ended.stdout = ended.stdout.decode(errors="replace")
        return ended

    def leaks(self, *secrets, but=()):
        """All places of any of them, in any spelling, with the surrounding text. `but`: files of the test's own."""
        wanted = [(secret, name, form) for secret in secrets for name, form in forms(secret).items()]
        found = []
        for path in sorted(self.folder.rglob("*")):
            for secret, name, form in wanted:
                if form in os.fsencode(path.name):
                    found.append(f"{name} form of {secret} in the name of {path}")
            if not path.is_file() or path in but:
                continue
            text = path.read_bytes()
            for secret, name, form in wanted:
                at = text.find(form)
                if at >= 0:
                    found.append(f"{name} form of {secret} in {path.name}: {text[max(0, at - 200):at + 100]!r}")
        return found

    def debug_log(self):
        return b"".join(path.read_bytes() for path in self.folder.glob("debug-*.log"))
