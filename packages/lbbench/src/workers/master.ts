/** Locust's master, a Python program of ours that has it as a library: started, asked and heard by lines of JSON. */
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import type * as workerPackage from "@lbbench/worker";
import type { Address } from "../stats/url-address.js";
import { describeExit, waitForExit } from "../system/fork.js";
import { followOutput } from "../system/output.js";
import { messageOf, StartError } from "../system/program.js";
import { within } from "../system/settle.js";

/** What the master tells of its workers, whom Locust knows by an id. */
export type MasterEvent =
  /** It has come, or has left; has fallen silent; has begun anew in the middle of a load. */
  | { readonly event: "ready" | "gone" | "missing" | "returned"; readonly worker: string }
  | { readonly event: "message"; readonly worker: string; readonly data: string };

/** What the master tells of itself: that it listens, what Locust has added up of a load, why it ends. */
type OwnEvent =
  | { readonly event: "listening"; readonly port: number }
  | { readonly event: "stopped"; readonly requests: number; readonly failures: number }
  | { readonly event: "failed"; readonly reason: string; readonly module?: string };

/** A master that listens there. */
export interface Master extends Address {
  readonly send: (worker: string, text: string) => void;
  /** Starts so many users, dealt out to the workers in turn. */
  readonly startUsers: (users: number) => void;
  /** Ends them, and tells what Locust has added up of the load; rejects when the master has ended. One call at a time. */
  readonly stopUsers: () => Promise<{ readonly requests: number; readonly failures: number }>;
  /** Resolves, when it has ended without having been asked to, with how; never rejects. */
  readonly died: Promise<string>;
  /** Tells the workers to end, ends itself, and waits for that. */
  readonly close: () => Promise<void>;
}

const CLOSE_GRACE_MS = 3000;

/** Imports the optional package with the protocol; rejects with a {@link StartError} that says how to install it. */
export async function importWorkerPackage(): Promise<typeof workerPackage> {
  return import("@lbbench/worker").catch((cause: unknown) => {
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND";
    throw new StartError(
      isMissing
        ? "Workers need the package @lbbench/worker, which is not installed: npm install @lbbench/worker"
        : `The package @lbbench/worker could not be loaded: ${messageOf(cause)}. Install it again: npm install @lbbench/worker`,
      { cause },
    );
  });
}

/**
 * The Python that has Locust: that of the environment variable `LBBENCH_PYTHON`; else the one that the program `locust` runs with, which
 * pipx keeps apart; else `python3`.
 */
export function findPython(env: Readonly<Record<string, string | undefined>> = process.env): string {
  if (env["LBBENCH_PYTHON"]) return env["LBBENCH_PYTHON"];
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const program = folders.map((folder) => join(folder, "locust")).find((path) => existsSync(path));
  try {
    const start = program === undefined ? "" : readFileSync(program, "latin1").slice(0, 1000);
    return /^#!\s*(\/\S*python[\d.]*)\s*$/m.exec(start)?.[1] ?? "python3";
  } catch {
    return "python3";
  }
}

/**
 * Starts a master, which ends with this process; resolves when it listens. Rejects with a {@link StartError}, with nothing left behind, where
 * it cannot, or with the reason of the signal.
 *
 * @param port 0 for any that is free.
 */
export async function startMaster(
  host: string,
  port: number,
  onEvent: (event: MasterEvent) => void,
  signal: AbortSignal,
): Promise<Master> {
  const { MASTER_SCRIPT } = await importWorkerPackage();
  signal.throwIfAborted();
  const python = findPython();
  // Ctrl-C on a terminal is for us to hear.
  const child = spawn(python, ["-u", MASTER_SCRIPT, host, String(port)], { stdio: "pipe", detached: true });
  let cannotStart: NodeJS.ErrnoException | undefined;
  let failure: Extract<OwnEvent, { event: "failed" }> | undefined;
  child.once("error", (error) => (cannotStart = error));
  child.stdin.on("error", () => {});
  const exited = waitForExit(child, followOutput(child.stderr));
  const own = new EventEmitter();
  createInterface(child.stdout).on("line", (line) => {
    const told = readEvent(line);
    if (told === undefined) return;
    if ("worker" in told) onEvent(told);
    else if (told.event === "failed") failure = told;
    else own.emit(told.event, told);
  });
  let isClosing = false;
  const close = async (): Promise<void> => {
    isClosing = true;
    child.stdin.end();
    if ((await within(CLOSE_GRACE_MS, exited)) === undefined) child.kill("SIGKILL");
    await exited;
  };
  const listens = once(own, "listening", { signal }).catch(() => []);
  const [listening] = await Promise.race([listens, exited.then(() => [])]);
  if (listening === undefined) {
    await close();
    signal.throwIfAborted();
    const isNoPython = cannotStart?.code === "ENOENT";
    if (!isNoPython && failure?.module !== "locust") {
      const why = failure?.reason ?? cannotStart?.message ?? describeExit(await exited);
      throw new StartError(`Locust's master could not be started: ${why}.`);
    }
    const lack = isNoPython ? `and Python to run it, but "${python}" was not found` : `which "${python}" does not have`;
    throw new StartError(
      `Workers need Locust, ${lack}. Install it: pipx install locust. ` +
        "Or name a Python that has it with the environment variable LBBENCH_PYTHON.",
    );
  }
  const ask = (what: object): void => void child.stdin.write(`${JSON.stringify(what)}\n`);
  const ended = exited.then((exit) => `Locust's master ended with ${describeExit(exit)}`);
  return {
    host,
    port: listening.port,
    send: (worker, text) => ask({ do: "send", to: worker, data: text }),
    startUsers: (users) => ask({ do: "start", users }),
    stopUsers: async () => {
      const stopped = once(own, "stopped");
      ask({ do: "stop" });
      const [sum] = await Promise.race([stopped, ended.then((how) => Promise.reject(new Error(how)))]);
      return sum;
    },
    died: ended.then((how) => (isClosing ? new Promise<never>(() => {}) : how)),
    close,
  };
}

/** Reads an event; `undefined` for a line of anything else that the program prints. */
function readEvent(line: string): MasterEvent | OwnEvent | undefined {
  try {
    const told = JSON.parse(line) as unknown;
    return typeof told === "object" && told !== null && "event" in told ? (told as MasterEvent | OwnEvent) : undefined;
  } catch {
    return undefined;
  }
}
