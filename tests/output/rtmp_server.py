# SPDX-License-Identifier: LGPL-2.1-or-later
"""nginx with its RTMP module (Debian: libnginx-mod-rtmp), to be killed and started again on one port."""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

NGINX = "/usr/sbin/nginx"
MODULE = pathlib.Path("/usr/lib/nginx/modules/ngx_rtmp_module.so")
PATIENCE = 20
CONFIGURATION = """
load_module {module};
daemon off;
master_process off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr warn;
events {{ worker_connections 64; }}
rtmp {{
  access_log off;
  server {{
    listen 127.0.0.1:{port};
    application live {{ live on; record all; record_path {folder}; record_suffix -%s.flv; record_unique on; }}
    application closed {{ live on; deny publish all; }}
  }}
}}
"""


def missing():
    """Why it cannot run, or an empty text."""
    if not shutil.which(NGINX):
        return "nginx is missing"
    return "" if MODULE.exists() else "nginx's RTMP module is missing (Debian: libnginx-mod-rtmp)"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class RtmpServer:
    """Published streams are recorded below `folder` as KEY-TIME-NUMBER.flv."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.port = free_port()
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()

    def start(self):
        conf = self.folder / "nginx.conf"
        conf.write_text(CONFIGURATION.format(module=MODULE, folder=self.folder, port=self.port), encoding="utf-8")
        with (self.folder / "nginx.log").open("ab") as log:
            self.process = subprocess.Popen([NGINX, "-e", "stderr", "-c", str(conf), "-p", str(self.folder)],
                                            stdout=log, stderr=log)
        deadline = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", self.port), PATIENCE):
                return
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError((self.folder / "nginx.log").read_text(encoding="utf-8"))
            time.sleep(0.02)  # nginx tells nobody when it listens.

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def recordings(self):
        return sorted(path for path in self.folder.glob("*.flv"))
