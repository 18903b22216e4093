#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Serves https with TLS 1.3 and its session tickets, which GIO's own server does not give, until its input ends.

Prints its port. The answer to each request is "resumed" or "new", for the TLS session of its connection.
"""

import http.server
import ssl
import sys
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"resumed" if self.connection.session_reused else b"new"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.minimum_version = ssl.TLSVersion.TLSv1_3
context.load_cert_chain(sys.argv[1] + ".pem", sys.argv[1] + ".key")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
# The handshake is left to the connection's thread, so that a client that breaks it off does no harm.
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
