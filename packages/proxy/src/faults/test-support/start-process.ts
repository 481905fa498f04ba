import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** A process of a test; it is killed when the test ends, and ends by itself when the tests' process does. */
export interface TestProcess {
  readonly pid: number;
  /** What it said when it was ready. */
  readonly ready: unknown;
  /** Calls one of its functions; rejects with what the function throws, and when the process ends before it answers. */
  readonly call: (name: string, ...values: unknown[]) => Promise<unknown>;
  /** Sends a signal and does not wait for what comes of it. */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Sends SIGKILL; resolves when it has ended. */
  readonly kill: () => Promise<void>;
}

interface Reply {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** Starts a module of this folder, which uses `serveCalls`; resolves when it is ready. */
export async function startProcess(
  file: string,
  settings: object,
  execArgv: readonly string[] = [],
): Promise<TestProcess> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, [JSON.stringify(settings)], { execArgv: [...execArgv] });
  const ended = once(child, "exit");
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  onTestFinished(kill);

  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let calls = 0;
  const first = await Promise.race([once(child, "message"), ended]);
  const [message] = first as [{ readonly ready: unknown } | number | null];
  if (message === null || typeof message === "number")
    throw new Error(`${file} ended before it was ready: ${message}.`);
  child.on("message", ({ id, value, error }: Reply) => {
    const waiter = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) waiter?.resolve(value);
    else waiter?.reject(new Error(`${file}: ${error}`));
  });
  child.once("exit", () => {
    for (const { reject } of waiting.values()) reject(new Error(`${file} ended while it was called.`));
    waiting.clear();
  });
  return {
    pid: child.pid ?? 0,
    ready: message.ready,
    call: (name, ...values) =>
      new Promise((resolve, reject) => {
        const id = calls++;
        waiting.set(id, { resolve, reject });
        child.send({ id, name, values }, (error) => {
          if (error !== null) reject(error);
        });
      }),
    signal: (signal) => void child.kill(signal),
    kill,
  };
}
