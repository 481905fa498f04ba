import { readdir, readFile } from "node:fs/promises";
import type { BalancerOptions, BalancerSnapshot } from "../../options/options.js";
import { startProcess } from "./start-process.js";

/** Options that can be sent to another process; the policy as `parsePolicy` takes it. */
interface PlainOptions extends Omit<BalancerOptions, "policy" | "onRequest" | "tls" | "backendTls"> {
  readonly policy?: string;
}

/** A balancer in a process of its own, which ends with the test. It is the built one. */
export interface BalancerProcess {
  readonly port: number;
  readonly url: string;
  readonly snapshot: () => Promise<BalancerSnapshot>;
  /** Bytes of its heap that are in use after a collection. */
  readonly heapBytes: () => Promise<number>;
  /** Descriptors that it has open. Linux only. */
  readonly descriptors: () => Promise<number>;
  /** Bytes of memory that it takes of the machine. Linux only. */
  readonly residentBytes: () => Promise<number>;
}

/** Linux tells the memory of a process in pages of this many bytes, on all processors that Node is tested on. */
const PAGE_BYTES = 4096;

/** Starts a balancer in a process of its own. */
export async function startBalancerProcess(options: PlainOptions): Promise<BalancerProcess> {
  const { pid, ready, call } = await startProcess("./balancer-process.mjs", options, ["--expose-gc"]);
  const port = ready as number;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    snapshot: async () => (await call("snapshot")) as BalancerSnapshot,
    heapBytes: async () => (await call("heapBytes")) as number,
    descriptors: async () => (await readdir(`/proc/${pid}/fd`)).length,
    residentBytes: async () => {
      const [, pages] = (await readFile(`/proc/${pid}/statm`, "utf8")).split(" ");
      return Number(pages) * PAGE_BYTES;
    },
  };
}
