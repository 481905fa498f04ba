import { once } from "node:events";
import type { SampleChoice } from "@lbbench/backends";
import { GRPC_DEFAULTS, OVERLOAD_POLICIES, POOL_DEFAULTS } from "@lbbench/backends/defaults";
import { listWords, refuse } from "../../config/config-error.js";
import { DEFAULTS } from "../../config/defaults.js";
import { flagOf, type Setting } from "../../config/field.js";
import { countOf } from "../../stats/format-number.js";
import { givenValue, readFlags, readWord } from "../flags.js";
import { ExitCode, type Command, type Flags, type Invocation } from "../io.js";
import { toPrintable } from "../terminal.js";

/** A flag of `lbbench serve`, and the kinds of servers that it is for. */
interface SampleSetting extends Setting {
  readonly kinds: readonly string[];
  /** What is served where it is not given, if the server itself has another default or none. */
  readonly otherwise?: string | number;
}

const ours = (value: string | number) => ({ otherwise: value, default: `${value}` });

/** Kinds of sample servers. */
const KINDS = ["single", "cluster", "pool", "grpc", "grpc-gateway", "websocket"] as const;
const WITH_HANDLER = KINDS.filter((kind) => kind !== "grpc-gateway");
const OVER_HTTP = KINDS.filter((kind) => kind !== "grpc" && kind !== "websocket");

/** The flags of `lbbench serve`; the path of one is its place in the options of the server. */
// oxfmt-ignore
const SAMPLE_SETTINGS: readonly SampleSetting[] = [
  { path: "port", flags: "-p, --port <port>", kinds: KINDS, kind: "port",
    about: "0 takes a free one", ...ours(DEFAULTS.servePort) },
  { path: "host", flags: "--host <address>", kinds: KINDS,
    about: "address to listen at", ...ours(DEFAULTS.host) },
  { path: "handler", flags: "--handler <spec>", kinds: WITH_HANDLER,
    about: "what it does with a request: hello, json, echo, work, sleep:10ms, cpu:2ms, error:10%, events:100ms",
    ...ours(DEFAULTS.handler) },
  { path: "timing", flags: "--server-timing", kinds: OVER_HTTP, value: true,
    about: "say in Server-Timing how long each answer took" },
  { path: "workers", flags: "--workers <count>", kinds: ["cluster"], kind: "some",
    about: "processes of a cluster", ...ours(DEFAULTS.clusterWorkers) },
  { path: "pool", flags: "--pool <count>", kinds: ["pool"], kind: "some",
    about: "pool: threads", default: `${POOL_DEFAULTS.pool}` },
  { path: "queue", flags: "--queue <count>", kinds: ["pool"], kind: "count",
    about: "pool: requests that may wait for a thread", default: `${POOL_DEFAULTS.queue}` },
  { path: "policy", flags: "--policy <policy>", kinds: ["pool"], kind: "word",
    about: "pool: what to do when the queue is full: block, drop-tail, drop-head or simple",
    words: OVERLOAD_POLICIES, default: POOL_DEFAULTS.policy },
  { path: "refusal", flags: "--refuse-by-closing", kinds: ["pool"], value: "close",
    about: "pool: close the connection of a request that is refused, in place of a 503" },
  { path: "adminPort", flags: "--admin <port>", kinds: ["pool"], kind: "port",
    about: "pool: serve what it has counted (/stats) on a port of this machine" },
  { path: "maxCalls", flags: "--max-calls <count>", kinds: ["grpc"], kind: "some",
    about: "grpc: calls in progress beyond which calls are refused", default: "no limit" },
  { path: "upstream", flags: "--upstream <url>", kinds: ["grpc-gateway"],
    about: "grpc-gateway: the service that it calls, as grpc://host:port" },
  { path: "channels", flags: "--channels <count>", kinds: ["grpc-gateway"], kind: "some",
    about: "grpc-gateway: connections to it", default: `${GRPC_DEFAULTS.channels}` },
];

/** `lbbench serve`. */
export const serveCommand: Command = {
  name: "serve",
  summary: "run a sample backend alone",
  about:
    "Runs a sample backend alone, until it is interrupted: one process, a cluster of workers on one port, a pool of threads " +
    "with a queue, a gRPC service, an HTTP server that calls one, or a WebSocket server that sends messages back.",
  arguments: [
    {
      name: "[kind]",
      about: "single, cluster, pool, grpc, grpc-gateway or websocket",
      default: "single",
      words: KINDS,
    },
  ],
  settings: SAMPLE_SETTINGS,
  examples: ["serve --handler cpu:2ms", "serve cluster --workers 4 --port 8081", "serve pool --pool 8 --queue 20"],
  execute: serve,
};

/** Runs a sample server until it is interrupted; resolves with the exit code. */
async function serve({ words: [kind], flags, ...io }: Invocation): Promise<number> {
  const choice = await readSample(readWord(String(kind), KINDS, "kind"), flags, io.cwd);
  // The servers are heavy, and not needed for help.
  const { startSample } = await import("@lbbench/backends");
  const backend = await startSample(choice);
  // Before anything is printed: a reader may interrupt at once. Listeners do not keep Node alive, but a server does.
  const interrupted = once(io.catchInterrupt().signal, "abort");
  const { handler = DEFAULTS.handler, upstream } = flags;
  const what = upstream === undefined ? `"${String(handler)}"` : `the calls of ${String(upstream)}`;
  const { url, pids, adminUrl } = backend;
  const processes = pids.length === 1 ? `process ${pids[0]}` : `${countOf(pids.length, "worker")} (${pids.join(", ")})`;
  io.stderr.write(`Serving ${toPrintable(what)} at ${url} with ${processes}\n`);
  if (adminUrl !== undefined) io.stderr.write(`Counts at ${adminUrl}/stats\n`);
  let left = pids.length;
  const isLost = new Promise<boolean>((resolve) => {
    backend.onDied(({ pid, code, signal }) => {
      io.stderr.write(`Worker ${pid} ended with ${signal === null ? `exit code ${code}` : `signal ${signal}`}\n`);
      left -= 1;
      if (left === 0) resolve(true);
    });
  });
  const mustFail = await Promise.race([interrupted.then(() => false), isLost]);
  await backend.stop();
  if (!mustFail) return ExitCode.pass;
  io.stderr.write("error: All workers have ended, so nothing serves any more. Read above how, and start it again.\n");
  return ExitCode.unreachable;
}

/** Reads what is to be served; rejects with a `ConfigError` that names the flag. The rest is for the server to check. */
export async function readSample(kind: string, flags: Flags, cwd: string): Promise<SampleChoice> {
  const own = SAMPLE_SETTINGS.filter(({ kinds }) => kinds.includes(kind));
  const other = SAMPLE_SETTINGS.find((setting) => !own.includes(setting) && givenValue(setting, flags) !== undefined);
  if (other !== undefined) {
    const [flag, value] = [flagOf(other), givenValue(other, flags)];
    const words = `${flag}${typeof value === "string" ? ` ${value}` : ""}`;
    refuse(`${flag} is for ${listWords(other.kinds)}, not for ${kind}: lbbench serve ${other.kinds[0]} ${words}`);
  }
  refuse(
    kind === "grpc-gateway" &&
      flags["upstream"] === undefined &&
      "--upstream: expected the gRPC service to call, such as grpc://127.0.0.1:50051, got nothing",
  );
  const { input } = await readFlags(flags, own, { cwd });
  const defaults = own.flatMap(({ path = "", otherwise }) => (otherwise === undefined ? [] : [[path, otherwise]]));
  // Every flag was read as the row of its option says.
  return { kind, options: { ...Object.fromEntries(defaults), ...input } } as SampleChoice;
}
