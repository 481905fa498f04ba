import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { connect, createServer as createTcpServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { serve, type TestServer } from "@lbbench/test-support/servers.js";
import { createBalancer } from "../create-balancer.js";
import type { BalancerOptions, ListenOptions, RequestLogEntry } from "../options/options.js";
import { roundRobin } from "../policies/in-turn.js";
import type { ServingBackend } from "./load.js";
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

/** Has a connection closed as soon as the other side has ended it. */
export function endWithPeer(socket: Socket): Socket {
  return socket.on("end", () => socket.end()).resume();
}

/** Starts backends that answer with their names, and count that. */
export async function startNamed(...names: readonly string[]) {
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
export function asBackends(servers: readonly { readonly url: string; readonly name: string }[]) {
  return servers.map(({ url, name }) => ({ url, name }));
}

/** The URL of a place where nothing listens. A port that was free before may be that of another test by now. */
export const GONE_URL = "http://127.0.0.1:1";

/** A backend that notes what it serves, and that can die with all of its connections and come back. */
export async function startMortal(name: string, delayMs = 0) {
  const served: string[] = [];
  const start = (port?: number) =>
    startBackend((request, response) => {
      request.resume().once("end", () => {
        served.push(`${request.method} ${request.url}`);
        setTimeout(() => response.end("served"), delayMs);
      });
    }, port);
  let running = await start();
  const { url, port } = running;
  const comeBack = async (): Promise<void> => {
    running = await start(port);
  };
  const backend: ServingBackend = { name, served: () => served };
  return { ...backend, url, served: () => served, open: () => running.open(), die: () => running.close(), comeBack };
}

/**
 * Starts a balancer that ends with the test, at any port unless it is told where; `entries` are what it has told of requests. When it has
 * ended, its policy must have been told of the end of each request.
 */
export async function startBalancer(
  { transport, ...options }: Omit<BalancerOptions, "transport"> & { readonly transport?: Transport },
  where: ListenOptions = {},
) {
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
