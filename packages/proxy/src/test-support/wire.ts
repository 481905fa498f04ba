import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type NetConnectOpts, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { serve } from "@lbbench/test-support/servers.js";
import { startRawBackend } from "./servers.js";
import { readWire, type WireRequest } from "@lbbench/test-support/wire-parse.js";

interface SocketInside {
  readonly _handle: { readonly reset: (done: () => void) => void };
}

/**
 * Connects to a port of this machine, or to a Unix socket, until the test ends, writes bytes, and keeps what comes; its own end it ends by
 * itself.
 */
export function wireClient(place: number | string | NetConnectOpts, bytes = "") {
  const where = typeof place === "number" ? { port: place, host: "127.0.0.1" } : { path: place };
  const socket = connect({ ...(typeof place === "object" ? place : (where as NetConnectOpts)), allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let text = "";
  let code: string | undefined;
  const listeners = new Set<() => void>();
  const ended = new Promise<void>((resolve) => {
    socket.once("end", resolve).once("close", resolve);
  });
  socket.on("error", (error: NodeJS.ErrnoException) => (code = error.code));
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    for (const listener of listeners) listener();
  });
  if (bytes !== "") socket.write(bytes, "latin1");
  return {
    socket,
    /** Everything that has come so far, as latin1. */
    received: () => text,
    write: (more: string | Buffer): void =>
      void (typeof more === "string" ? socket.write(more, "latin1") : socket.write(more)),
    /** Resolves when what came matches; rejects when the connection closes before. */
    until: async (pattern: RegExp) => {
      const matched = new Promise<void>((resolve) => {
        const listener = (): void => void (pattern.test(text) && (listeners.delete(listener), resolve()));
        listeners.add(listener);
        listener();
      });
      await Promise.race([matched, ended]);
      if (!pattern.test(text)) throw new Error(`Expected ${String(pattern)}, got ${JSON.stringify(text)}`);
      return text;
    },
    /** Resolves with everything that came when the other side has ended the connection, or broken it. */
    ended: async () => {
      await ended;
      return text;
    },
    /** Code of the error that the connection broke with. */
    broken: () => code,
    /** Breaks the connection. Node's `resetAndDestroy` ends it first, and the other side may see that alone. */
    reset: () => (socket as unknown as SocketInside)._handle.reset(() => void socket.destroy()),
  };
}

/** Says something on a connection of its own and returns what came until the other side ended it. */
export async function say(place: number | string | NetConnectOpts, bytes: string): Promise<string> {
  return wireClient(place, bytes).ended();
}

/** What a backend says to a request: bytes as latin1; it may do something else with the connection. */
type Reply = (request: WireRequest, socket: Socket) => string;

/** Starts a backend that keeps every byte it is sent, and answers each whole request, by default with 200 and its target. */
export async function startWireBackend(
  reply: Reply = ({ method, target }) => plainAnswer(method === "HEAD" ? "" : target),
) {
  const received: string[] = [];
  const server = await startRawBackend((socket) => {
    const index = received.push("") - 1;
    let answered = 0;
    socket.setEncoding("latin1").on("data", (text: string) => {
      received[index] = (received[index] ?? "") + text;
      const requests = tryReading(received[index] ?? "");
      for (; answered < requests.length; answered++) {
        const request = requests[answered];
        if (request !== undefined) socket.write(reply(request, socket), "latin1");
      }
    });
    socket.on("end", () => socket.end());
  });
  return {
    ...server,
    /** What came on each connection, as latin1. */
    received: () => received,
    /** The whole requests of all connections; throws when anything of it is ambiguous. */
    requests: () => received.flatMap((bytes) => readWire(bytes).requests),
  };
}

/** An answer with a length. */
export function plainAnswer(body: string, ...lines: string[]): string {
  return ["HTTP/1.1 200 OK", ...lines, `Content-Length: ${body.length}`, "", body].join("\r\n");
}

/** A request without a body that asks to close the connection. */
export function get(...lines: string[]): string {
  return ["GET / HTTP/1.1", "Host: shop.test:81", ...lines, "Connection: close", "", ""].join("\r\n");
}

/** The statuses of the final answers in what a client received. */
export function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 ([2-5]\d\d) /g)].map(([, status]) => Number(status));
}

const LAST = "GET /behind-all HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

/** What Node's own server makes of the whole requests that one connection brings: method, target and body of each. */
export async function secondOpinion(bytes: string): Promise<{ method: string; target: string; body: string }[]> {
  const seen: { method: string; target: string; body: string }[] = [];
  const server = createServer((incoming, response) => {
    let body = "";
    incoming.setEncoding("latin1").on("data", (text: string) => (body += text));
    incoming.on("error", () => undefined);
    incoming.on("end", () => {
      seen.push({ method: incoming.method ?? "", target: incoming.url ?? "", body });
      response.end();
    });
  });
  // Later releases of Node refuse more than 2,000 headers; it is the framing that is asked about.
  server.maxHeadersCount = 0;
  const { port } = await serve(server);
  const socket = connect(port, "127.0.0.1");
  const closed = once(socket.on("error", () => undefined).resume(), "close");
  socket.write(bytes + LAST, "latin1");
  await closed;
  const last = seen.pop();
  if (last?.target !== "/behind-all" || last.body !== "") throw new Error("The requests do not end where they should.");
  return seen;
}

function tryReading(bytes: string): readonly WireRequest[] {
  try {
    return readWire(bytes).requests;
  } catch {
    return [];
  }
}
