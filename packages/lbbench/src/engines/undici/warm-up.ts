import { connect, createServer } from "node:http2";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { Client } from "undici";

/** Enough for the code to be compiled. */
const REQUESTS = 100;
const ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/**
 * Lets undici load its parser and answer some requests to itself, over no network: the first request of a measurement is
 * not to wait for that.
 */
export async function warmUpHttp1(): Promise<void> {
  const wire = wireTo(() => wire.push(ANSWER));
  const client = new Client("http://localhost", {
    // Not at once: undici does not expect it, and would wait for ever.
    connect: (_options, callback) => queueMicrotask(() => callback(null, wire as Socket)),
  });
  for (let request = 0; request < REQUESTS; request += 1) {
    await new Promise<void>((resolve, reject) => {
      const handler = { onConnect: () => {}, onHeaders: () => true, onData: () => true, onComplete: () => resolve() };
      client.dispatch({ path: "/", method: "GET" }, { ...handler, onError: reject });
    });
  }
  await client.destroy();
}

/** Lets Node speak HTTP/2 with itself, in the same way and for the same reason. */
export async function warmUpHttp2(): Promise<void> {
  const near: Duplex = wireTo((chunk) => far.push(chunk));
  const far: Duplex = wireTo((chunk) => near.push(chunk));
  const server = createServer((_request, response) => void response.end("ok"));
  server.emit("connection", far);
  const session = connect("http://localhost", { createConnection: () => near });
  for (let request = 0; request < REQUESTS; request += 1) {
    await new Promise((resolve, reject) => {
      const stream = session.request({}, { endStream: true });
      stream.on("error", reject).on("end", resolve).resume();
    });
  }
  near.destroy();
  far.destroy();
}

/** A connection without a network: what is written to it goes to `receive`, and what is pushed to it can be read. */
function wireTo(receive: (chunk: Buffer) => void): Duplex {
  return new Duplex({
    read: () => {},
    write: (chunk, _encoding, done) => {
      receive(chunk);
      done();
    },
  });
}
