import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener, type ServerResponse } from "node:http";
import { connect, createServer as createTcpServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { serve, type TestServer } from "@lbbench/test-support/servers.js";
import { createBalancer } from "../create-balancer.js";
import type { BalancerOptions, ListenOptions, RequestLogEntry } from "../options/options.js";
import { roundRobin } from "../policies/in-turn.js";
import { optionsFor, type Transport } from "./transports.js";
import { watchRequests } from "./watch-requests.js";

/** Starts an HTTP server. */
export async function startBackend(listener: RequestListener, place: number | string = 0): Promise<TestServer> {
  const server = createHttpServer(listener);
  server.keepAliveTimeout = 60_000;
  return serve(server, place);
}

/** Starts a server that sends what `onConnection` writes. */
export async function startRawBackend(
  onConnection: (socket: Socket) => void,
  place: number | string = 0,
): Promise<TestServer> {
  return serve(createTcpServer({ allowHalfOpen: true }, onConnection), place);
}

/** Starts a server that says a text to the first bytes on each connection, and then ends or resets it if it is told so. */
export async function startSaying(text: string, then?: "ends" | "resets"): Promise<TestServer> {
  return startRawBackend((socket) => {
    const leave = (): unknown => (then === "ends" ? socket.end() : then === "resets" && socket.resetAndDestroy());
    endWithPeer(socket).once("data", () => socket.write(text, "latin1", leave));
  });
}

/** Starts an HTTP server that holds its answers back until it lets them go: all, or so many of the first ones. */
export async function startHolding(body = "held") {
  const held: ServerResponse[] = [];
  const server = await startBackend((_, response) => void held.push(response));
  const letGo = (count = held.length): void => held.splice(0, count).forEach((answer) => answer.end(body));
  return { ...server, held, letGo };
}

/** Has a connection closed as soon as the other side has ended it. */
export function endWithPeer(socket: Socket): Socket {
  return socket.on("end", () => socket.end()).resume();
}

interface Named {
  readonly name: string;
  readonly url: string;
}

/** Starts backends that answer with their names, and count that. */
export async function startNamed<Names extends readonly string[]>(
  ...names: Names
): Promise<{ [At in keyof Names]: TestServer & Named & { readonly answers: () => number } }>;
export async function startNamed(...names: readonly string[]): Promise<unknown> {
  return Promise.all(
    names.map(async (name) => {
      let answers = 0;
      const server = await startBackend((_, response) => {
        answers += 1;
        response.end(name);
      });
      return { name, ...server, answers: () => answers };
    }),
  );
}

/** What of servers a balancer is told. */
export function asBackends<Servers extends readonly Named[]>(servers: Servers): { [At in keyof Servers]: Named };
export function asBackends(servers: readonly Named[]): unknown {
  return servers.map(({ url, name }) => ({ url, name }));
}

/** The URL of a place where nothing listens. A port that was free before may be that of another test by now. */
export const GONE_URL = "http://127.0.0.1:1";

type Options = Omit<BalancerOptions, "transport"> & { readonly transport?: Transport };

/**
 * Starts a balancer that ends with the test, at any port unless it is told where; `entries` are what it has told of requests. When it has
 * ended, its policy must have been told of the end of each request.
 */
export async function startBalancer({ transport, ...options }: Options, where: ListenOptions = {}) {
  const entries: RequestLogEntry[] = [];
  const { policy, expectBalanced } = watchRequests(options.policy ?? roundRobin());
  const balancer = createBalancer({
    onRequest: (entry) => entries.push(entry),
    // So that a test sees why.
    errorDetails: true,
    ...(transport !== undefined && optionsFor(transport)),
    ...options,
    policy,
  });
  onTestFinished(async () => {
    await balancer.close({ graceMs: 0 });
    expectBalanced();
  });
  const address = await balancer.listen(where);
  return { ...balancer, ...address, entries };
}

/** Starts a balancer before one backend, which is called `one`. */
export async function startBefore(
  { url }: { readonly url: string },
  options: Partial<Options> = {},
  where?: ListenOptions,
) {
  return startBalancer({ backends: [{ url, name: "one" }], ...options }, where);
}

const DEAF_SERVER = `
  const server = require("node:net").createServer();
  server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
    require("node:fs").writeSync(1, String(server.address().port) + "\\n");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;

/** A port of this machine that answers to no further connection: a server in another process accepts none. */
export async function findSilentPort(): Promise<number> {
  const child = spawn(process.execPath, ["-e", DEAF_SERVER], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(async () => {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const port = Number(line.toString());
  const fillers = Array.from({ length: 8 }, () => connect(port, "127.0.0.1").on("error", () => undefined));
  onTestFinished(() => fillers.forEach((filler) => filler.destroy()));
  await Promise.race(fillers.map((filler) => once(filler, "connect")));
  return port;
}
