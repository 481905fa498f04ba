/**
 * How busy the event loops of Node.js processes are. Those of a server preload `preload.cts`, which connects to a hub here and answers
 * each of its questions with the time that its loop has waited and worked.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtEntry } from "./fork.js";

/** How a Node process's event loop has spent its time so far. */
export interface LoopReading {
  /** Waited for something to do, since the loop began. */
  readonly idleMs: number;
  /** Did something, since the loop began. */
  readonly activeMs: number;
  /** When it was asked, on the clock of whoever asked. */
  readonly atMs: number;
}

/**
 * The share of the time between two readings in which an event loop did not wait, 0 to 1; since the loop began where
 * there is no first reading.
 *
 * It is found from the time that the loop waited, because a loop that answers late was busy from the question to the
 * answer: what it says of waiting is as it was when it was asked.
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
  /**
   * Asks processes, by pid. Those that cannot tell, because they are no Node processes or do nothing but one thing for a
   * second, are left out. Never rejects.
   */
  readonly read: (pids: readonly number[]) => Promise<ReadonlyMap<number, LoopReading>>;
  /** Stops listening; the processes that answered go on as they are. */
  readonly close: () => Promise<void>;
}

const PRELOAD = builtEntry(import.meta.url, "./preload.cjs");
const NOBODY: ProbeHub = { env: {}, read: async () => new Map(), close: async () => {} };

/** Starts to listen for probes. Where that cannot be done the hub knows of no process: usage is then told without them. */
export async function startProbeHub(inherited: string | undefined = process.env["NODE_OPTIONS"]): Promise<ProbeHub> {
  // A module that is not there would keep every Node process from starting.
  if (!existsSync(PRELOAD)) return NOBODY;
  const token = randomBytes(16).toString("hex");
  const probes = new Map<number, Ask>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    followProbe(socket, token, probes);
  });
  server.unref();
  const address = await createProbeAddress().catch(() => undefined);
  if (address === undefined) return NOBODY;
  try {
    server.listen({ path: address.path });
    await once(server, "listening");
  } catch {
    await address.remove();
    return NOBODY;
  }
  return {
    env: {
      NODE_OPTIONS: addPreload(inherited, PRELOAD),
      LBBENCH_PROBE: `${address.path.replace("\0", "@")} ${token}`,
    },
    read: async (pids) => {
      const readings = await Promise.all(pids.map(async (pid) => [pid, await probes.get(pid)?.()] as const));
      return new Map(readings.flatMap(([pid, reading]) => (reading === undefined ? [] : [[pid, reading]])));
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
      await address.remove();
    },
  };
}

/** Asks one process; resolves with `undefined` when it is gone, or has not answered within a second. */
type Ask = () => Promise<LoopReading | undefined>;

/**
 * How long an answer is waited for. A server that was overloaded first works off what it had read when the load ended;
 * a sweep need not wait for all of that.
 */
const ANSWER_LIMIT_MS = 1000;

/** Longest line that a probe has to say. */
const LINE_LIMIT = 200;

/**
 * Takes a connection for a probe if it begins with the token and its pid, and keeps it in `probes` until it closes. The
 * names of abstract sockets are for everybody to see: whoever does not know the token is not listened to.
 */
function followProbe(socket: Socket, token: string, probes: Map<number, Ask>): void {
  let rest = "";
  let pid: number | undefined;
  const waiting: ((line: string | undefined) => void)[] = [];
  const ask: Ask = () =>
    new Promise((resolve) => {
      const atMs = performance.now();
      const timer = setTimeout(() => resolve(undefined), ANSWER_LIMIT_MS);
      waiting.push((line) => {
        clearTimeout(timer);
        const [idleMs = Number.NaN, activeMs = Number.NaN] = line?.split(" ").map(Number) ?? [];
        resolve(idleMs >= 0 && activeMs >= 0 ? { idleMs, activeMs, atMs } : undefined);
      });
      socket.write("?");
    });
  const hear = (line: string): void => {
    if (pid !== undefined) return waiting.shift()?.(line);
    const [said, number = ""] = line.split(" ");
    if (said !== token || !/^\d{1,10}$/.test(number)) return void socket.destroy();
    pid = Number(number);
    probes.set(pid, ask);
  };
  socket.setEncoding("utf8");
  socket.unref();
  socket.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) hear(line);
    if (rest.length > LINE_LIMIT) socket.destroy();
  });
  socket.on("error", () => {});
  socket.once("close", () => {
    if (pid !== undefined && probes.get(pid) === ask) probes.delete(pid);
    for (const answer of waiting.splice(0)) answer(undefined);
  });
}

/** Where probes find the hub. */
export interface ProbeAddress {
  readonly path: string;
  /** Removes what is left of it when nobody listens any more. */
  readonly remove: () => Promise<void>;
}

/** Chooses an address that nobody uses: on Linux and Windows a name that is no file, so that nothing can be left of it. */
export async function createProbeAddress(platform: NodeJS.Platform = process.platform): Promise<ProbeAddress> {
  const name = `lbbench-probe-${randomBytes(8).toString("hex")}`;
  if (platform === "linux") return { path: `\0${name}`, remove: async () => {} };
  if (platform === "win32") return { path: `\\\\.\\pipe\\${name}`, remove: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), "lbbench-probe-"));
  return { path: join(folder, "hub.sock"), remove: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * Adds a module to those that NODE_OPTIONS preloads, after what is there already.
 *
 * @param options what NODE_OPTIONS is so far.
 * @param module absolute path; may contain anything.
 */
export function addPreload(options: string | undefined, module: string): string {
  // As Node reads NODE_OPTIONS: within double quotes a backslash takes the next character as it is.
  const quoted = /[\s"\\]/.test(module) ? `"${module.replaceAll(/["\\]/g, String.raw`\$&`)}"` : module;
  const option = `--require=${quoted}`;
  const present = options?.trim() ?? "";
  if (present === "") return option;
  return present.includes(option) ? present : `${present} ${option}`;
}
