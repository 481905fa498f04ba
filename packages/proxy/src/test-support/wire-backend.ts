import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { startRawBackend, type TestServer } from "./servers.js";
import { readWire, type WireRequest } from "./wire-parse.js";

/** A backend that keeps every byte it is sent. */
export interface WireBackend extends TestServer {
  /** What came on each connection, as latin1. */
  readonly received: () => readonly string[];
  /** The whole requests of all connections; throws when anything of it is ambiguous. */
  readonly requests: () => readonly WireRequest[];
  /** Connections that are open. */
  readonly open: () => number;
}

/** Answers each whole request, by default with 200 and its target. */
export async function startWireBackend(
  answer: (request: WireRequest, socket: Socket) => string = ({ method, target }) =>
    plainAnswer(method === "HEAD" ? "" : target),
): Promise<WireBackend> {
  const received: string[] = [];
  let open = 0;
  const server = await startRawBackend((socket) => {
    const index = received.push("") - 1;
    let answered = 0;
    open += 1;
    socket.once("close", () => (open -= 1));
    socket.setEncoding("latin1").on("data", (text: string) => {
      received[index] = (received[index] ?? "") + text;
      const { requests } = tryReading(received[index] ?? "");
      for (; answered < requests.length; answered++) {
        const request = requests[answered];
        if (request !== undefined) socket.write(answer(request, socket), "latin1");
      }
    });
  });
  return {
    ...server,
    received: () => received,
    requests: () => received.flatMap((bytes) => readWire(bytes).requests),
    open: () => open,
  };
}

/** An answer with a length. */
export function plainAnswer(body: string, ...lines: string[]): string {
  return ["HTTP/1.1 200 OK", ...lines, `Content-Length: ${body.length}`, "", body].join("\r\n");
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
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const socket = connect(typeof address === "object" && address !== null ? address.port : 0, "127.0.0.1");
  const closed = once(socket.on("error", () => undefined).resume(), "close");
  socket.write(bytes + LAST, "latin1");
  await closed;
  const last = seen.pop();
  if (last?.target !== "/behind-all" || last.body !== "") throw new Error("The requests do not end where they should.");
  return seen;
}

function tryReading(bytes: string): { readonly requests: readonly WireRequest[] } {
  try {
    return readWire(bytes);
  } catch {
    return { requests: [] };
  }
}
