"""
Answers `/` with a short text and every other path with 404, in one thread, by asyncio. With BLOCK_MS in the environment it waits so
many milliseconds for each answer and does nothing else, as by a call that blocks the event loop.
"""

import asyncio
import os
import sys
import time

BLOCK_S = float(os.environ.get("BLOCK_MS", "0")) / 1000
HEAD = b"Content-Type: text/plain; charset=utf-8\r\nContent-Length: "
ANSWER = b"HTTP/1.1 200 OK\r\n" + HEAD + b"6\r\n\r\nhello\n"
NOT_FOUND = b"HTTP/1.1 404 Not Found\r\n" + HEAD + b"10\r\n\r\nnot found\n"


def stays_open(head: bytes) -> bool:
    """ApacheBench speaks HTTP/1.0, with which a connection ends with the answer unless it is asked for more."""
    if b"connection: close" in head:
        return False
    return b" http/1.1\r\n" in head or b"connection: keep-alive" in head


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers the requests of one connection, one after another; their bodies are not expected."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            if BLOCK_S > 0:
                time.sleep(BLOCK_S)
            writer.write(ANSWER if head.split(b" ", 2)[1] == b"/" else NOT_FOUND)
            await writer.drain()
            if not stays_open(head.lower()):
                break
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
        pass
    finally:
        writer.close()


async def main() -> None:
    port = os.environ.get("PORT")
    if port is None:
        sys.exit("expected the port to listen on in the environment variable PORT")
    server = await asyncio.start_server(serve, "127.0.0.1", int(port), backlog=1024)
    async with server:
        await server.serve_forever()


asyncio.run(main())
