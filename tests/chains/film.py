# SPDX-License-Identifier: LGPL-2.1-or-later
"""A shop whose clips go on from one another, and a folder that a web server shows."""

import functools
import hashlib
import http.server
import pathlib
import threading
import urllib.parse

from shop import LINK_MODEL, Shop


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class PublicFolder:
    """A folder, and the URL at which it is published on loopback."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.path.mkdir()
        handler = functools.partial(Quiet, directory=str(self.path))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def digests(self):
        """The SHA-256 of each file in it."""
        return {hashlib.sha256(file.read_bytes()).hexdigest(): file.name for file in self.path.iterdir()}


class Film(Shop):
    def __init__(self, *options, **settings):
        super().__init__("--padding", "2000", *options, **settings)
        self.public = PublicFolder(pathlib.Path(self.service.folder.name) / "public")
        self.env |= {"GENCLIP_PUBLISH_FOLDER": str(self.public.path), "GENCLIP_PUBLISH_URL": self.public.url}

    def __exit__(self, *_):
        self.public.stop()
        super().__exit__()

    def generate(self, uri, *options, **env):
        """The run, ended, and its exit code."""
        return self.run(*words(uri, *options), **env)


def words(uri, *options):
    return ["generate", "--poll-interval", "10", "--http-timeout", "30", *options, uri]


def uri_of(model=LINK_MODEL, **fields):
    return f"genclip://{model}?" + urllib.parse.urlencode(fields, doseq=True, quote_via=urllib.parse.quote)


def link(prompt, before=None, model=LINK_MODEL, **fields):
    """The URI of a clip that begins with the last frame of another one."""
    if before:
        fields["first_image"] = before + "#last"
    return uri_of(model, prompt=prompt, duration=4, **fields)


def chain(prompts, **fields):
    """The URI of the last of so many clips."""
    last = None
    for prompt in prompts:
        last = link(prompt, last, **fields)
    return last
