/**
 * How busy the event loops of Node.js processes are. Those of a server preload `preload.cts`, which connects to a hub here and answers
 * each of its questions with the time that its loop has waited and worked.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { builtEntry } from "./fork.js";
import { deferred, within } from "./settle.js";

/** How a Node process's event loop has spent its time so far. */
export interface LoopReading {
  /** Waited for something to do, since the loop began. */
  readonly idleMs: number;
  /** Did something, since the loop began. */
  readonly activeMs: number;
  /** When it was asked, on the clock of the process that asked. */
  readonly atMs: number;
}

/**
 * The share of the time between two readings, or since the loop began, in which an event loop did not wait, 0 to 1. It is found from
 * the time that the loop waited: what a loop that answers late says of that is as it was when it was asked.
 */
export function loopUtilization(before: LoopReading | undefined, after: LoopReading): number {
  const wasThere = before !== undefined && before.idleMs <= after.idleMs;
  const elapsedMs = wasThere ? after.atMs - before.atMs : after.idleMs + after.activeMs;
  const idleMs = wasThere ? after.idleMs - before.idleMs : after.idleMs;
  return elapsedMs > 0 ? Math.min(1, Math.max(0, 1 - idleMs / elapsedMs)) : 0;
}

/** Asks Node processes how busy their event loops are. */
export interface ProbeHub {
  /** What has to be in the environment of a process for it, and all that it starts, to answer. */
  readonly env: Readonly<Record<string, string>>;
  /** Asks processes, by pid. Leaves out processes without Node or without an answer within a second. Never rejects. */
  readonly read: (pids: readonly number[]) => Promise<ReadonlyMap<number, LoopReading>>;
  /** Stops listening; the processes that answered go on as they are. */
  readonly close: () => Promise<void>;
}

const PRELOAD = builtEntry(import.meta.url, "./preload.cjs");

/** Asks one process; resolves with `undefined` when it is gone, or has not answered within a second. */
type Ask = () => Promise<LoopReading | undefined>;

/** Starts to listen for probes, on the loopback. */
export async function startProbeHub(inherited: string | undefined = process.env["NODE_OPTIONS"]): Promise<ProbeHub> {
  // A module that is not there would keep every Node process from starting.
  if (!existsSync(PRELOAD)) return { env: {}, read: async () => new Map(), close: async () => {} };
  const token = randomBytes(16).toString("hex");
  const probes = new Map<number, Ask>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    followProbe(socket, token, probes);
  });
  server.unref().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    env: { NODE_OPTIONS: addPreload(inherited, PRELOAD), LBBENCH_PROBE: `${port} ${token}` },
    read: async (pids) => {
      const readings = await Promise.all(pids.map(async (pid) => [pid, await probes.get(pid)?.()] as const));
      return new Map(readings.flatMap(([pid, reading]) => (reading === undefined ? [] : [[pid, reading]])));
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A server that was overloaded first works off what it had read when the load ended; a sweep need not wait for all of that. */
const ANSWER_LIMIT_MS = 1000;
/** A token and a pid, or two numbers. */
const LONGEST_LINE = 200;

/**
 * Takes a connection for a probe if it begins with the token and its pid, and keeps it in `probes` until it closes. Any user of this
 * machine can connect: a connection without the token is not listened to.
 */
function followProbe(socket: Socket, token: string, probes: Map<number, Ask>): void {
  let pid: number | undefined;
  const waiting: ((line: string | undefined) => void)[] = [];
  const ask: Ask = async () => {
    const atMs = performance.now();
    const { promise, resolve } = deferred<string | undefined>();
    waiting.push(resolve);
    socket.write("?");
    const line = await within(ANSWER_LIMIT_MS, promise);
    const [idleMs = 0, activeMs = 0] = line?.split(" ").map(Number) ?? [];
    return line === undefined ? undefined : { idleMs, activeMs, atMs };
  };
  let begun = "";
  socket.unref().setEncoding("latin1");
  socket.on("error", () => {});
  socket.on("data", (text: string) => {
    const lines = (begun + text).split("\n");
    begun = lines.pop() ?? "";
    for (const line of lines) {
      const [said, number] = line.split(" ");
      if (pid !== undefined) waiting.shift()?.(line);
      else if (said === token) probes.set((pid = Number(number)), ask);
      else socket.destroy();
    }
    if (begun.length > LONGEST_LINE) socket.destroy();
  });
  socket.once("close", () => {
    if (pid !== undefined && probes.get(pid) === ask) probes.delete(pid);
    for (const answer of waiting.splice(0)) answer(undefined);
  });
}

/** Adds a module, whose path may contain anything, to the ones that NODE_OPTIONS preloads, as the last. */
export function addPreload(options: string | undefined, module: string): string {
  // As Node reads NODE_OPTIONS: within double quotes a backslash takes the next character as it is.
  const quoted = /[\s"\\]/.test(module) ? `"${module.replaceAll(/["\\]/g, String.raw`\$&`)}"` : module;
  const option = `--require=${quoted}`;
  const present = options?.trim() ?? "";
  if (present === "") return option;
  return present.includes(option) ? present : `${present} ${option}`;
}
