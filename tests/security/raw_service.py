# SPDX-License-Identifier: LGPL-2.1-or-later
"""Both services on loopback, which send exactly the bytes of a test: answers that the strict simulator would never send."""

import json
import socket
import socketserver
import ssl
import threading

CLIP = b"\0\0\0\x18ftypisom\0\0\2\0isomiso2" + b"\0\0\4\x08mdat" + bytes(range(256)) * 4 + b"\0\0\0\x08moov"  # As whole as a container can be.
CAPTION = "A red kite."


def answer(status, body=b"", *headers, reason="X", content_type="application/json"):
    """A whole answer with its true length."""
    if not isinstance(body, bytes):
        body = (body if isinstance(body, str) else json.dumps(body)).encode()
    lines = [f"HTTP/1.1 {status} {reason}", f"Content-Type: {content_type}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def clip(body=CLIP, *headers):
    return answer(200, body, 'ETag: "1"', *headers, content_type="video/mp4")


def task(status="completed", **fields):
    return answer(200, {"id": "t-7", "status": status, **fields})


def caption(text=CAPTION, reason="STOP"):
    return answer(200, {"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": reason}]})


class Request:
    def __init__(self, method, target, headers, body):
        self.method, self.target, self.headers, self.body = method, target, headers, body


class RawService:
    """`submit`, `query`, `media` and `caption` are bytes, an iterable of them, or a function of the request that makes one.

    They may be changed at any time. A request in absolute form is a proxy's, and is served like any other.
    """

    def __init__(self, address="127.0.0.1", certificate=None):
        service = self

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True
            address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
            request_queue_size = 64

            def handle_error(self, request, client_address):
                pass  # Clients leave in the middle of things, as they should.

        class Handler(socketserver.StreamRequestHandler):
            def setup(self):
                if certificate:
                    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                    context.load_cert_chain(*certificate)
                    self.request = context.wrap_socket(self.request, server_side=True)
                super().setup()

            def handle(self):
                service.serve(self.rfile, self.wfile)

            def finish(self):
                super().finish()
                self.request.close()

        self.requests = []
        self.server = Server((address, 0), Handler)
        host = f"[{address}]" if ":" in address else address
        self.url = f"{'https' if certificate else 'http'}://{host}:{self.server.server_address[1]}"
        self.media_url = f"{self.url}/clip.mp4"
        self.reset()
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        self.thread.start()

    def reset(self):
        self.submit = task("queued")
        self.query = lambda _: task(video_url=self.media_url)
        self.media = clip()
        self.caption = caption()
        self.requests.clear()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def kinds(self):
        return [self.kind_of(request) for request in self.requests]

    def kind_of(self, request):
        if "/llm/" in request.target:
            return "caption"
        if request.method == "POST":
            return "submit"
        return "query" if "/v2/" in request.target else "media"

    def serve(self, reader, writer):
        line = reader.readline(65536).decode("latin-1").split()
        if len(line) < 2:
            return
        headers = {}
        while (header := reader.readline(65536).decode("latin-1").strip()):
            name, _, value = header.partition(":")
            headers[name.lower()] = value.strip()
        body = reader.read(int(headers.get("content-length", 0)))
        request = Request(line[0], line[1], headers, body)
        self.requests.append(request)
        said = getattr(self, self.kind_of(request))
        if callable(said):
            said = said(request)
        try:
            for piece in [said] if isinstance(said, bytes) else said:
                writer.write(piece)
                writer.flush()
        except OSError:
            pass  # The client has left.
