import { once } from "node:events";
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { checkRequest } from "./check-request.js";
import { startEventStream, type EventStream, type LiveSource } from "./event-stream.js";

/** What is served. */
export interface LiveContent extends LiveSource {
  /** The whole page; `null` while there is nothing to show yet. May throw. */
  readonly page: () => string | null;
  /** Called before a page begins to listen, with the steps in the report that it has already. */
  readonly onListen: (seenSteps: number) => void;
}

/** The server of the live page. */
export type LiveServer = Awaited<ReturnType<typeof startLiveServer>>;

const HOST = "127.0.0.1";
/** Pages that may listen at a time: each costs a little, and more windows are rare. */
const MOST_LISTENERS = 8;
const MOST_CONNECTIONS = 64;
/** Connections on which nothing was asked yet; of more the oldest is closed, so that they keep no user out. */
const MOST_SILENT = 32;
const HEARTBEAT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** How often it is looked which have come to it. */
const TIMEOUT_CHECK_MS = 5000;
const FLUSH_MS = 1000;

/** A redirect would tell the secret part of the address to every user of this machine. */
const NOT_HERE =
  'The address of the live page has a secret part. lbbench prints it in its terminal: "Live: http://127.0.0.1:...".\n';

/** Nothing is kept by the browser, shown in a frame of another page, read by one, or told to one. */
const HEADERS: OutgoingHttpHeaders = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  // Every connection ends with its answer, so that none is idle when lbbench is to exit.
  Connection: "close",
};

/**
 * Serves the live page on the loopback alone; rejects with the error of the system when the port cannot be had.
 *
 * @param options.port 0 for one that is free.
 * @param options.token the secret part of the address.
 * @param options.flushMs how long to wait at the end for pages that do not read what they were sent; a second without this.
 */
export async function startLiveServer(
  options: { readonly port: number; readonly token: string; readonly flushMs?: number },
  content: LiveContent,
) {
  const { token } = options;
  const streams = new Map<ServerResponse, EventStream>();
  const silent = new Set<Socket>();
  let isClosing = false;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    silent.delete(request.socket);
    const asked = checkRequest(request, { port, token });
    if (typeof asked === "number") return refuse(response, asked);
    if (isClosing) return refuse(response, 503);
    if (asked === "page") return sendPage(response, content);
    if (streams.size >= MOST_LISTENERS) return refuse(response, 503);
    response.writeHead(200, { ...HEADERS, "Content-Type": "text/event-stream; charset=utf-8" });
    if (request.method === "HEAD") return void response.end();
    const seen = seenSteps(request);
    content.onListen(seen);
    const stream = startEventStream(response, content, seen);
    streams.set(response, stream);
    response.on("close", () => streams.delete(response));
  };
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    },
    answer,
  );
  server.maxConnections = MOST_CONNECTIONS;
  server.on("connection", (socket) => {
    silent.add(socket);
    const [oldest] = silent;
    if (silent.size > MOST_SILENT) oldest?.destroy();
    socket.on("close", () => silent.delete(socket));
  });
  server.listen(options.port, HOST);
  await once(server, "listening");
  // A connection that could not be accepted, for want of descriptors say, is no reason to end a run.
  server.on("error", () => {});
  const { port } = server.address() as AddressInfo;
  const heartbeat = setInterval(() => {
    for (const stream of streams.values()) stream.beat();
  }, HEARTBEAT_MS).unref();
  const push = (): void => {
    for (const stream of streams.values()) stream.push();
  };
  return {
    url: `http://${HOST}:${port}/${token}/`,
    /** How many pages listen. */
    listeners: (): number => streams.size,
    /** Sends what is new to all of them. */
    push,
    /** Sends the ending, which has to be there, waits until it was taken, though not for long, and leaves nothing open. */
    close: async (): Promise<void> => {
      isClosing = true;
      clearInterval(heartbeat);
      const closed = new Promise((resolve) => server.close(resolve));
      push();
      // Browsers open connections that they may need; nothing has been asked on them.
      for (const socket of silent) socket.destroy();
      const timer = setTimeout(() => server.closeAllConnections(), options.flushMs ?? FLUSH_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

function sendPage(response: ServerResponse, { page }: LiveContent): void {
  let html: string | null;
  try {
    html = page();
  } catch {
    // A report that cannot be drawn does not end the measurement.
    return refuse(response, 500);
  }
  // The run begins within a moment; the browser asks again by itself.
  if (html === null) return send(response, 503, { ...PLAIN, Refresh: "1" }, "The run has not begun yet.\n");
  const type = "text/html; charset=utf-8";
  send(response, 200, { "Content-Type": type, "Content-Length": Buffer.byteLength(html) }, html);
}

function refuse(response: ServerResponse, status: number): void {
  if (status === 404) send(response, 404, PLAIN, NOT_HERE);
  else send(response, status, status === 405 ? { Allow: "GET, HEAD" } : {});
}

const PLAIN = { "Content-Type": "text/plain; charset=utf-8" };

function send(response: ServerResponse, status: number, headers: OutgoingHttpHeaders, body?: string): void {
  response.writeHead(status, { ...HEADERS, ...headers }).end(body);
}

/** Steps in the report that a page has: as it says when it connects again, or as its address says. */
function seenSteps({ url = "", headers }: IncomingMessage): number {
  const told = headers["last-event-id"] ?? new URLSearchParams(url.split("?", 2)[1]).get("steps");
  return Math.max(0, Number(told) || 0);
}
