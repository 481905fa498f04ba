"""
Answers `/` with a short text and every other path with 404, with a thread for each connection. With BLOCK_MS in the environment a
thread waits so many milliseconds for each answer.
"""

import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BLOCK_S = float(os.environ.get("BLOCK_MS", "0")) / 1000
ANSWER = b"hello\n"
NOT_FOUND = b"not found\n"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body are two writes; without this the second waits for the first to be acknowledged.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        if BLOCK_S > 0:
            time.sleep(BLOCK_S)
        status, body = (200, ANSWER) if self.path == "/" else (404, NOT_FOUND)
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing: a line for each request would cost more than the request."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024


port = os.environ.get("PORT")
if port is None:
    sys.exit("expected the port to listen on in the environment variable PORT")
Server(("127.0.0.1", int(port)), Handler).serve_forever()
