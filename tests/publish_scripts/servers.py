# SPDX-License-Identifier: LGPL-2.1-or-later
"""Real servers for published files, each on a free port of 127.0.0.1 and ended by its process."""

import getpass
import grp
import http.server
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request

TOP = pathlib.Path(__file__).resolve().parents[2]
NGINX_SNIPPET = TOP / "examples/publish/nginx.conf"
SNIPPETS_FOLDER = "/srv/genclip/references"
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
# Debian's own Python has Debian's packages.
PYTHON = "/usr/bin/python3"

NGINX_CONF = """
daemon off;
user {user} {group};
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    include {folder}/snippet.conf;
  }}
}}
"""


def fetch(url, method="GET", headers=None):
    """(status, headers, body) of the answer, whatever its status is."""
    request = urllib.request.Request(url, headers=headers or {}, method=method)
    try:
        with OPENER.open(request, timeout=60) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read()


class Server:
    """A child process with a folder of its own."""

    def __init__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.process = None
        self.reader = None

    def start(self, words, ready, **options):
        """Starts the program and reads until a line matches. Returns the match. What it writes later is thrown away."""
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                        **options)
        pipe = self.process.stdout
        lines = []
        for line in pipe:
            lines.append(line)
            if match := re.search(ready, line):
                self.reader = threading.Thread(target=lambda: [None for _ in pipe])
                self.reader.start()
                return match
        self.close()
        raise RuntimeError(f"{words[0]} does not start: {''.join(lines)}")

    def close(self):
        if self.process:
            self.process.terminate()  # nginx ends its worker too.
            self.process.wait()
            if self.reader:
                self.reader.join()
            self.process.stdout.close()
        self.temporary.cleanup()


class StatusServer:
    """Answers every request with the same status, as a full or broken server does. A context manager."""

    def __init__(self, status):
        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_GET = do_HEAD = do_PUT = do_MKCOL = do_PROPFIND = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class Nginx(Server):
    """nginx with the configuration of examples/publish over the folder `published`."""

    @staticmethod
    def missing():
        return "" if shutil.which("nginx", path="/usr/sbin:/usr/bin") else "nginx is missing"

    def __init__(self):
        super().__init__()
        # A name with a sibling that begins alike.
        self.published = self.folder / "references"
        self.published.mkdir()
        self.folder.chmod(0o755)
        snippet = NGINX_SNIPPET.read_text(encoding="utf-8")
        assert f"alias {SNIPPETS_FOLDER}/;" in snippet
        (self.folder / "snippet.conf").write_text(snippet.replace(SNIPPETS_FOLDER, str(self.published)), encoding="utf-8")
        # nginx takes a listening socket that it is handed: so no other program can take the port in between.
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            conf = NGINX_CONF.format(folder=self.folder, port=port, user=getpass.getuser(), group=grp.getgrgid(os.getgid()).gr_name)
            (self.folder / "nginx.conf").write_text(conf, encoding="utf-8")
            self.start(["/usr/sbin/nginx", "-e", "stderr", "-c", str(self.folder / "nginx.conf"), "-p", str(self.folder)],
                       "using inherited sockets", pass_fds=[listener.fileno()],
                       env={**os.environ, "NGINX": f"{listener.fileno()};"})
        self.url = f"http://127.0.0.1:{port}/references"


class Rclone(Server):
    """rclone's own WebDAV server, with a password for writing, or for everyone to read."""

    USER, PASSWORD = "publisher", "wr1te me"

    @staticmethod
    def missing():
        return "" if shutil.which("rclone") else "rclone is missing"

    def __init__(self, published=None):
        super().__init__()
        rights = ["--read-only"] if published else ["--user", self.USER, "--pass", self.PASSWORD]
        self.published = published or self.folder / "published"
        self.published.mkdir(exist_ok=True)
        self.url = self.start(["rclone", "serve", "webdav", str(self.published), "--addr", "127.0.0.1:0", "--dir-cache-time", "0", *rights],
                              r"started on \[?(http://[0-9.:]+)",
                              env={**os.environ, "RCLONE_CONFIG": str(self.folder / "none")})[1]

    def settings(self):
        """A remote of that name, by rclone's variables."""
        hidden = subprocess.run(["rclone", "obscure", self.PASSWORD], check=True, capture_output=True, text=True).stdout.strip()
        remote = {"TYPE": "webdav", "URL": self.url, "VENDOR": "other", "USER": self.USER, "PASS": hidden}
        return {f"RCLONE_CONFIG_SERVER_{name}": value for name, value in remote.items()}


class Swift(Server):
    """OpenStack Swift, which speaks the protocol of S3 and serves public buckets. Its bucket is made and made public."""

    ACCESS_KEY, SECRET_KEY = "AKIAGENCLIPTEST", 'se"cr\\et/+='

    @staticmethod
    def missing():
        found = subprocess.run([PYTHON, "-c", "import eventlet, swift.obj.mem_server"], stderr=subprocess.DEVNULL, check=False)
        return "python3-swift is missing" if found.returncode else ""

    def __init__(self):
        super().__init__()
        port = self.start([PYTHON, str(pathlib.Path(__file__).with_name("swift_server.py")), str(self.folder), self.ACCESS_KEY,
                           self.SECRET_KEY], r"^(\d+)$")[1]
        self.endpoint = f"http://127.0.0.1:{port}"
        self.make_public("references")
        self.url = f"{self.endpoint}/v1/AUTH_test/references"

    def make_public(self, bucket):
        login = {"X-Auth-User": "test:tester", "X-Auth-Key": self.SECRET_KEY}
        status, headers, _ = fetch(f"{self.endpoint}/auth/v1.0", headers=login)
        assert status == 200, status
        status, _, body = fetch(f"{headers['X-Storage-Url']}/{bucket}", "PUT", {"X-Auth-Token": headers["X-Auth-Token"],
                                                                              "X-Container-Read": ".r:*"})
        assert status == 201, (status, body)
