import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { BalancerOptions, RequestLogEntry } from "../../options/options.js";
import { resolveOptions } from "../../options/resolve-options.js";
import { createPool } from "../../pool/create-pool.js";
import type { Pool } from "../../pool/pool.js";
import { redirectDismissed } from "../backend-search.js";
import { createTcpServer, type TcpServer } from "../create-tcp-server.js";
import { closeRelayLink, openRelayLink, type RelayLink } from "../relay-link.js";

/** A server of a test. */
export interface ExampleBackend {
  readonly url: string;
  readonly port: number;
  /** Connections that are open. */
  readonly sockets: ReadonlySet<Socket>;
}

/** A relay of a test, and what it has told. */
export interface ExampleRelay extends TcpServer {
  readonly port: number;
  readonly pool: Pool<RelayLink>;
  readonly entries: readonly RequestLogEntry[];
  readonly refused: () => number;
}

/** Starts a server that ends with the test. */
export async function startTcpBackend(onConnection: (socket: Socket) => void): Promise<ExampleBackend> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    onConnection(socket);
  });
  const port = await listenAnywhere(server);
  onTestFinished(async () => {
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return { url: `tcp://127.0.0.1:${port}`, port, sockets };
}

/** Starts a server that sends back what it is sent, and ends when the client has ended. */
export async function startEcho(): Promise<ExampleBackend> {
  return startTcpBackend((socket) => socket.pipe(socket));
}

/** Starts a server that says its name and ends. */
export async function startNamed(name: string): Promise<ExampleBackend> {
  return startTcpBackend((socket) => {
    socket.resume();
    socket.end(name);
  });
}

/** A port of this machine where nothing listens. */
export async function findClosedPort(): Promise<number> {
  const server = createServer();
  const port = await listenAnywhere(server);
  const closed = once(server, "close");
  server.close();
  await closed;
  return port;
}

/** Starts a relay to the given URLs that ends with the test. */
export async function startRelay(
  urls: readonly string[],
  options: Omit<BalancerOptions, "backends" | "mode"> = {},
): Promise<ExampleRelay> {
  const backends = urls.map((url, index) => ({ url, name: `backend-${index}` }));
  const resolved = resolveOptions({ ...options, backends, mode: "tcp" });
  const { timeouts, retries, tls } = resolved;
  const pool = createPool<RelayLink>({
    ...resolved,
    openLink: openRelayLink,
    closeLink: closeRelayLink,
    onDismissed: redirectDismissed,
  });
  const entries: RequestLogEntry[] = [];
  let refused = 0;
  const relay = createTcpServer({
    pool,
    timeouts,
    retries,
    tls,
    onRefused: () => (refused += 1),
    onEnd: (entry) => entries.push(entry),
  });
  const port = await listenAnywhere(relay.server);
  onTestFinished(async () => {
    const closed = once(relay.server, "close");
    relay.server.close();
    relay.destroyAll();
    await closed;
    await pool.close();
  });
  return { ...relay, port, pool, entries, refused: () => refused };
}

/** Counts of the backend with this number, without what is zero. */
export function countsOf({ pool }: ExampleRelay, index = 0): Record<string, number> {
  const upstream = pool.upstreams[index];
  if (upstream === undefined) throw new Error(`There is no backend number ${index}.`);
  const { requests, errors, aborted, inFlight, retries, queued } = upstream.snapshot();
  const counts = Object.entries({ requests, errors, aborted, inFlight, retries, queued });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

async function listenAnywhere(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
