import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { builtEntry } from "../system/fork.js";
import type { LoopReading } from "./loop-utilization.js";
import { addPreload } from "./preload-option.js";
import { createProbeAddress, type ProbeAddress } from "./probe-address.js";
import { followProbe, type Probe } from "./probe.js";

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

/** Starts to listen for probes. Where that cannot be done the hub knows of no process: usage is then told without them. */
export async function startProbeHub(inherited: string | undefined = process.env["NODE_OPTIONS"]): Promise<ProbeHub> {
  // A module that is not there would keep every Node process from starting.
  if (!existsSync(PRELOAD)) return NOBODY;
  const token = randomBytes(16).toString("hex");
  const probes = new Map<number, Probe>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    followProbe(socket, token, probes);
  });
  server.unref();
  let address: ProbeAddress;
  try {
    address = await createProbeAddress();
    await listen(server, address);
  } catch {
    return NOBODY;
  }
  return {
    env: {
      NODE_OPTIONS: addPreload(inherited, PRELOAD),
      LBBENCH_PROBE: `${address.path.replace("\0", "@")} ${token}`,
    },
    read: async (pids) => new Map((await Promise.all(pids.map((pid) => readOne(pid, probes)))).flat()),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
      await address.remove();
    },
  };
}

const NOBODY: ProbeHub = { env: {}, read: async () => new Map(), close: async () => {} };

async function listen(server: Server, address: ProbeAddress): Promise<void> {
  try {
    server.listen({ path: address.path });
    await once(server, "listening");
  } catch (error) {
    await address.remove();
    throw error;
  }
}

async function readOne(
  pid: number,
  probes: ReadonlyMap<number, Probe>,
): Promise<readonly (readonly [number, LoopReading])[]> {
  const reading = await probes.get(pid)?.ask();
  return reading === undefined ? [] : [[pid, reading]];
}
