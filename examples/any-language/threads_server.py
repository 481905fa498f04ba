"""Answers every request with a short text, with a thread for each connection."""

import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ANSWER = b"hello\n"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body are two writes; without this the second waits for the first to be acknowledged.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(ANSWER)))
        self.end_headers()
        self.wfile.write(ANSWER)

    def log_message(self, *_: object) -> None:
        """Says nothing: a line for each request would cost more than the request."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024


port = os.environ.get("PORT")
if port is None:
    sys.exit("expected the port to listen on in the environment variable PORT")
Server(("127.0.0.1", int(port)), Handler).serve_forever()
