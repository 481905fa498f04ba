/** The servers of @lbbench/backends, each in a process of its own. */
import type { SampleChoice } from "@lbbench/backends";
import { GRPC_DEFAULTS, POOL_DEFAULTS } from "@lbbench/backends/defaults";
import { completeRoom, SAMPLE_OPTIONS } from "@lbbench/backends/options";
import * as z from "zod";
import { DEFAULTS } from "../config/defaults.js";
import type { Child } from "../model/child.js";
import type { Protocol, RunningServer, Server, ServerContext } from "../plugin.js";
import type { Role, WatchedProcess } from "../model/usage.js";
import { builtEntry, describeExit, forkChild, whileAlive } from "../system/fork.js";
import { signalProcess, waitUntilGone } from "../system/proc.js";
import { rethrowStart } from "../system/program.js";
import type { BackendProcess, SampleCounts } from "./backend-process.js";
import { Lives, type Life, type Members } from "./lives.js";
import { handlerOption, portOption, processesOption } from "./options.js";
import { nameWithin, startInFront } from "./start-in-front.js";
import { defined } from "../stats/defined.js";
import { addressOf } from "../stats/url-address.js";

const ENTRY = builtEntry(import.meta.url, "./backend-process.js");

/** A plugin with the options of the sample server of its kind. */
function sampleServer<Options extends object>(
  kind: SampleChoice["kind"],
  options: z.ZodType<Options>,
  { ownName = kind, protocol }: { readonly ownName?: string; readonly protocol?: Protocol } = {},
): Server<Options> {
  return {
    name: kind,
    options,
    ...defined({ protocol: protocol && (() => protocol) }),
    httpVersions: () => ["1.1"],
    start: (chosen, context) => startBackend(ownName, kind, chosen, context),
  };
}

const singleOptions = z.strictObject({ handler: handlerOption, port: portOption });

/** One sample server in one process. */
export const singleServer = sampleServer("single", singleOptions, { ownName: "backend-1" });

const clusterOptions = singleOptions.extend({ workers: processesOption.default(DEFAULTS.clusterWorkers) });

/** A sample server as a node:cluster: several workers on one port. */
export const clusterServer = sampleServer("cluster", clusterOptions);

const poolOptions = singleOptions
  .extend({
    pool: SAMPLE_OPTIONS.pool.optional(),
    queue: SAMPLE_OPTIONS.queue.optional(),
    policy: SAMPLE_OPTIONS.policy.default(POOL_DEFAULTS.policy),
    refusal: SAMPLE_OPTIONS.refusal.default(POOL_DEFAULTS.refusal),
    retryAfterS: SAMPLE_OPTIONS.retryAfterS.default(POOL_DEFAULTS.retryAfterS),
    /** Port of an admin server, whose `/stats` tells what the pool has counted. */
    adminPort: SAMPLE_OPTIONS.adminPort.optional(),
  })
  .transform(({ pool, queue, ...chosen }, context) => {
    const { fault, ...room } = completeRoom(chosen.policy, { pool, queue });
    if (fault) context.addIssue({ code: "custom", path: [fault.option], message: fault.message, input: room });
    return { ...chosen, ...room };
  });

/** A sample server whose requests are served by a fixed number of threads, with a queue between and a policy for when it is full. */
export const poolServer = sampleServer("pool", poolOptions);

const grpcOptions = singleOptions.extend({
  /** Calls in progress beyond which calls are refused; no limit without it. */
  maxCalls: SAMPLE_OPTIONS.maxCalls.optional(),
  refuseWith: SAMPLE_OPTIONS.refuseWith.default(GRPC_DEFAULTS.refuseWith),
});

/** A gRPC service that does the work of the sample servers, one unary call for each request. */
export const grpcServer = sampleServer("grpc", grpcOptions, { protocol: "grpc" });

/** A WebSocket server that does the work of the sample servers for each message, and sends the message back. */
export const webSocketServer = sampleServer("websocket", singleOptions, { protocol: "websocket" });

const gatewayOptions = singleOptions.extend({
  /** Connections to the service. */
  channels: SAMPLE_OPTIONS.channels.default(GRPC_DEFAULTS.channels),
  deadlineMs: SAMPLE_OPTIONS.deadlineMs.default(GRPC_DEFAULTS.deadlineMs),
});

/** An HTTP server that calls a gRPC service, in a process of its own, once for each request; the handler is that of the service. */
export const grpcGatewayServer: Server<z.infer<typeof gatewayOptions>> = {
  name: "grpc-gateway",
  options: gatewayOptions,
  httpVersions: () => ["1.1"],
  start: ({ handler, ...chosen }, context) => {
    const options = { handler, port: 0, refuseWith: GRPC_DEFAULTS.refuseWith };
    const service = { name: "grpc", server: "grpc", options, count: 1, weight: 1 };
    return startInFront([service], context, async ([upstream]) => {
      const own = { ...context, name: nameWithin(context, "gateway") };
      // It stands in front of what does the work, as a balancer does.
      return startBackend("gateway", "grpc-gateway", { ...chosen, upstream: upstream?.url }, own, "balancer");
    });
  },
};

/** One life of a sample server. */
interface SampleLife extends Life {
  readonly url: string;
  readonly child: Child<BackendProcess>;
  /** Processes that serve; of a cluster the last ones in each place. */
  readonly serving: number[];
  /** Workers that are killed on purpose. */
  readonly expected: Set<number>;
}

/**
 * Starts a sample server in a child process of its own; rejects with a {@link StartError} that names it, with nothing
 * left behind. `ownName` is what it is called where the context has no name for it.
 */
async function startBackend(
  ownName: string,
  kind: SampleChoice["kind"],
  options: object,
  context: ServerContext,
  role: Role = "backend",
): Promise<RunningServer> {
  const name = context.name ?? ownName;
  const launch = async (port: object, signal: AbortSignal): Promise<SampleLife> => {
    // The sample server checks these options once more.
    const timing = context.serverTiming ?? false;
    const choice = { kind, options: { ...options, ...port, host: DEFAULTS.host, timing } } as SampleChoice;
    const child = forkChild<BackendProcess>(ENTRY, { name, env: context.env });
    try {
      const { url, pids } = await whileAlive(child, child.call.start(choice), signal);
      const serving = [...pids];
      const expected = new Set<number>();
      // The pid of a killed worker may belong to another process by now.
      const left = (): readonly number[] => serving.filter((pid) => !expected.has(pid));
      const died = Promise.race([
        child.died.then((exit) => `${name} ended with ${describeExit(exit)}`),
        // Rejects when the process ends; that is told above.
        untilWorkerDies(child, expected).then(
          (how) => `${name}: ${how}`,
          () => new Promise<string>(() => {}),
        ),
      ]);
      // A worker that is busy would notice only later that its primary was killed; one that ends by itself leaves none.
      void child.died.then(({ signal: how }) => how !== null && left().map((pid) => signalProcess(pid, "SIGKILL")));
      return {
        url,
        child,
        serving,
        expected,
        died,
        pids: () => [...new Set([child.pid, ...left()])],
        watched: () => watched(name, role, child.pid, serving),
        finish: () => {
          signalProcess(child.pid, "SIGTERM");
          return child.exited;
        },
        stop: () => child.stop().then(() => waitUntilGone(serving)),
      };
    } catch (error) {
      await child.stop();
      rethrowStart(`The server "${name}"`, error, signal);
    }
  };
  const first = await launch({}, context.signal);
  const { url } = first;
  const lives = new Lives({
    name,
    role,
    first,
    begin: (signal) => launch({ port: addressOf(url).port }, signal),
    deeds: {
      slow: (life, { byMs = 0 }) => life.child.call.disturb({ slowMs: byMs }),
      errors: (life, { share = 0 }) => life.child.call.disturb({ errorShare: share }),
    },
    ...defined({ members: kind === "cluster" ? workersOf(first.watched().slice(1)) : undefined }),
  });
  const counts = lives.tally<SampleCounts>(
    ({ child: { call } }, isLast) => (isLast ? call.lastCounts() : call.counts()),
    { requests: 0, connections: { accepted: 0, open: 0, active: 0 } },
    (sum, more) => ({
      requests: sum.requests + more.requests,
      // Nothing of an earlier life is open any more.
      connections: { ...more.connections, accepted: sum.connections.accepted + more.connections.accepted },
    }),
  );
  return {
    url,
    ...lives.server,
    requests: async () => (await counts()).requests,
    connections: async () => (await counts()).connections,
  };
}

/** A cluster does not replace a worker that has died by itself. */
function workersOf(workers: readonly WatchedProcess[]): Members<SampleLife> {
  return {
    names: workers.map(({ name }) => name),
    pids: ({ serving, expected }) => serving.map((pid) => (expected.has(pid) ? undefined : pid)),
    expectDeath: ({ expected }, pid) => void expected.add(pid),
    begin: async ({ serving, child }, index) => {
      serving[index] = await child.call.replace(serving[index] ?? -1);
    },
  };
}

/** Resolves when a worker ends unexpectedly, with how it has ended. */
async function untilWorkerDies({ call }: Child<BackendProcess>, expected: ReadonlySet<number>): Promise<string> {
  const known: number[] = [];
  for (;;) {
    const { pid, how } = await call.workerDied(known);
    if (!expected.has(pid)) return how;
    known.push(pid);
  }
}

function watched(name: string, role: Role, primary: number, serving: readonly number[]): readonly WatchedProcess[] {
  if (serving[0] === primary) return [{ pid: primary, role, name, tree: false }];
  const one = (pid: number, ofRole: Role, part: string): WatchedProcess => {
    return { pid, role: ofRole, name: `${name} ${part}`, tree: false };
  };
  // The primary of a cluster accepts the connections and hands them out: it balances, and serves nothing.
  return [
    { ...one(primary, "balancer", "primary"), keepsNone: true },
    ...serving.map((pid, index) => one(pid, "backend", `worker-${index + 1}`)),
  ];
}
