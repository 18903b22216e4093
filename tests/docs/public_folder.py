# SPDX-License-Identifier: LGPL-2.1-or-later
"""The web server of a reader who has set publishing up: a folder that it shows."""

import functools
import http.server
import threading


class QuietFiles(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class PublicFolder:
    """Makes the folder and shows it on a free port. A context manager."""

    def __init__(self, folder):
        folder.mkdir()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietFiles, directory=str(folder)))
        self.settings = {"GENCLIP_PUBLISH_FOLDER": str(folder), "GENCLIP_PUBLISH_URL": f"http://127.0.0.1:{self.server.server_port}"}
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
