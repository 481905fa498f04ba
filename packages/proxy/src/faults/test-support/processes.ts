import { fork } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { BalancerOptions, BalancerSnapshot } from "../../options/options.js";

/** Starts a process that ends with the test, and by itself when the tests' process does. */
async function startProcess(kind: "backend" | "balancer", settings: object) {
  const path = fileURLToPath(new URL("process.mjs", import.meta.url));
  const child = fork(path, [kind, JSON.stringify(settings)], { execArgv: ["--expose-gc"] });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
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
  return { pid: child.pid ?? 0, port: message.port, call };
}

/** Starts a backend in a process of its own. */
export async function startBackendProcess() {
  const { port } = await startProcess("backend", {});
  return { url: `http://127.0.0.1:${port}` };
}

/** Starts a balancer in a process of its own; its policy is a text. */
export async function startBalancerProcess(options: Omit<BalancerOptions, "policy"> & { readonly policy?: string }) {
  const { pid, port, call } = await startProcess("balancer", options);
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    snapshot: async () => (await call("snapshot")) as BalancerSnapshot,
    heapBytes: async () => (await call("heapBytes")) as number,
    /** Descriptors that it has open. Linux only. */
    descriptors: async () => (await readdir(`/proc/${pid}/fd`)).length,
  };
}
