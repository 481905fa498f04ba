import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { BalancerOptions, BalancerSnapshot } from "../../options/options.js";

/**
 * Starts a process that ends with the test, and by itself when the tests' process does; with `descriptors` it may open no
 * more of them.
 */
async function startProcess(kind: "backend" | "balancer" | "bare", settings: object, descriptors?: number) {
  const path = fileURLToPath(new URL("process.mjs", import.meta.url));
  const limit = descriptors === undefined ? "" : `ulimit -n ${descriptors} && `;
  const args = [process.execPath, "--expose-gc", path, kind, JSON.stringify(settings)];
  const child = spawn("sh", ["-c", `${limit}exec "$0" "$@"`, ...args], {
    stdio: ["ignore", "inherit", "ignore", "ipc"],
  });
  const ended = once(child, "exit");
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  onTestFinished(kill);
  const [message] = (await Promise.race([once(child, "message"), ended])) as [{ readonly port: number } | null];
  if (message === null || typeof message !== "object") throw new Error(`The ${kind} ended before it was ready.`);
  let calls = 0;
  /** Calls one of its functions; rejects when the process ends before it answers. */
  const call = async (name: string): Promise<unknown> => {
    const id = calls++;
    const answered = new Promise((resolve) => {
      const onMessage = (answer: { readonly id: number; readonly value?: unknown }): void => {
        if (answer.id !== id) return;
        child.off("message", onMessage);
        resolve(answer.value);
      };
      child.on("message", onMessage);
    });
    child.send({ id, name });
    const gone = ended.then(() => Promise.reject(new Error(`The ${kind} ended while it was called.`)));
    return Promise.race([answered, gone]);
  };
  /** Memory of this process alone after a collection: heap, and what OpenSSL and others take. Linux only. */
  const ownBytes = async (): Promise<number> => {
    await call("heapBytes");
    const rollup = await readFile(`/proc/${child.pid}/smaps_rollup`, "utf8");
    const [, kilobytes] = /^Private_Dirty: +(\d+) kB$/m.exec(rollup) ?? [];
    return Number(kilobytes) * 1024;
  };
  const signal = (name: NodeJS.Signals): boolean => child.kill(name);
  return { pid: child.pid ?? 0, port: message.port, call, kill, signal, ownBytes };
}

/** A backend in a process of its own, and what can be done to it. */
export type BackendProcess = Awaited<ReturnType<typeof startBackendProcess>>;

/** Starts a backend in a process of its own, which answers after `delayMs`. */
export async function startBackendProcess(name: string, delayMs = 0) {
  let running = await startProcess("backend", { delayMs });
  const { port } = running;
  let lost = false;
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    /** What it has served since its process was started. */
    served: async () => (await running.call("served")) as string[],
    hasLostNotes: () => lost,
    stopListening: () => running.call("stopListening"),
    listen: () => running.call("listen"),
    hang: () => running.signal("SIGSTOP"),
    goOn: () => running.signal("SIGCONT"),
    /** Kills its process, and with it what it has noted. */
    kill: async () => {
      lost = true;
      await running.kill();
    },
    /** Starts a process in place of the one that was killed, at the same port. */
    start: async () => {
      running = await startProcess("backend", { delayMs, port });
    },
  };
}

/** Starts a balancer in a process of its own; its policy is a text. */
export async function startBalancerProcess(
  options: Omit<BalancerOptions, "policy"> & { readonly policy?: string },
  descriptors?: number,
) {
  const { pid, port, call, ownBytes } = await startProcess("balancer", options, descriptors);
  return {
    port,
    url: `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    snapshot: async () => (await call("snapshot")) as BalancerSnapshot,
    /** Bytes in use after a collection, and processor time so far. */
    usage: async () => (await call("usage")) as { readonly bytes: number; readonly cpuMs: number },
    heapBytes: async () => (await call("heapBytes")) as number,
    ownBytes,
    /** Descriptors that it has open. Linux only. */
    descriptors: async () => (await readdir(`/proc/${pid}/fd`)).length,
  };
}

/** Starts a server of TLS by `node:tls` alone, which answers all that it is sent, in a process of its own. */
export async function startBareTlsProcess(tls: { readonly cert: string; readonly key: string }) {
  const { port, ownBytes } = await startProcess("bare", { tls });
  return { port, ownBytes };
}
