"""Answers every request with a short text, in one thread, by asyncio."""

import asyncio
import os
import sys

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 6\r\n\r\nhello\n"


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers the requests of one connection, one after another; their bodies are not expected."""
    try:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(ANSWER)
            await writer.drain()
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
