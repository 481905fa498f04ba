/** Locust's master, a Python program of ours that has it as a library: started, asked and heard by lines of JSON. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import type * as workerPackage from "@lbbench/worker";
import { describeExit, waitForExit } from "../system/fork.js";
import { followOutput } from "../system/output.js";
import { StartError } from "../system/program.js";

/** What the master tells of its workers, whom Locust knows by an id. */
export type MasterEvent =
  /** It has come, or has left; has fallen silent; has begun anew in the middle of a load. */
  | { readonly event: "ready" | "gone" | "missing" | "returned"; readonly worker: string }
  | { readonly event: "message"; readonly worker: string; readonly data: string };

/** What Locust has added up of a load. */
export interface LocustSum {
  readonly requests: number;
  readonly failures: number;
}

/** A master that listens. */
export interface Master {
  readonly host: string;
  readonly port: number;
  /** Version of Locust. */
  readonly locust: string;
  readonly send: (worker: string, text: string) => void;
  /** Starts so many users, dealt out to the workers in turn. */
  readonly startUsers: (users: number) => void;
  /** Ends them; rejects when the master has ended. */
  readonly stopUsers: () => Promise<LocustSum>;
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
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StartError(
      isMissing
        ? "Workers need the package @lbbench/worker, which is not installed: npm install @lbbench/worker"
        : `The package @lbbench/worker could not be loaded: ${why}. Install it again: npm install @lbbench/worker`,
      { cause },
    );
  });
}

/**
 * The Python that has Locust: that of the environment variable `LBBENCH_PYTHON`; else the one that the program `locust` runs with, which
 * pipx keeps apart; else `python3`.
 */
export function findPython(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const named = env["LBBENCH_PYTHON"];
  if (named !== undefined && named !== "") return named;
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const program = folders.map((folder) => join(folder, "locust")).find((path) => existsSync(path));
  const [, python] = /^#!\s*(\/\S*python[\d.]*)\s*$/m.exec(program === undefined ? "" : readStart(program)) ?? [];
  return python ?? "python3";
}

function readStart(path: string): string {
  try {
    return readFileSync(path, "latin1").slice(0, 1000);
  } catch {
    return "";
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
  const child = spawn(python, ["-u", MASTER_SCRIPT, host, String(port)], {
    stdio: ["pipe", "pipe", "pipe"],
    // Ctrl-C on a terminal is for us to hear.
    detached: true,
  });
  let failure: Failure | undefined;
  let cannotStart: NodeJS.ErrnoException | undefined;
  child.once("error", (error) => (cannotStart = error));
  child.stdin.on("error", () => {});
  const exited = waitForExit(child, followOutput(child.stderr));
  const stopped: { resolve: (sum: LocustSum) => void; reject: (error: Error) => void }[] = [];
  let listening: (how: Listening) => void = () => {};
  const listens = new Promise<Listening>((resolve) => (listening = resolve));
  createInterface(child.stdout).on("line", (line) => {
    const told = JSON.parse(line) as MasterEvent | Listening | Stopped | Failure;
    if (told.event === "listening") listening(told);
    else if (told.event === "stopped") stopped.shift()?.resolve(told);
    else if (told.event === "failed") failure = told;
    else onEvent(told);
  });
  let isClosing = false;
  const close = async (): Promise<void> => {
    isClosing = true;
    child.stdin.end();
    const kill = setTimeout(() => child.kill("SIGKILL"), CLOSE_GRACE_MS);
    await exited;
    clearTimeout(kill);
  };
  const died = exited.then((exit) => {
    const how = `Locust's master ended with ${describeExit(exit)}`;
    for (const { reject } of stopped.splice(0)) reject(new Error(how));
    return isClosing ? new Promise<never>(() => {}) : how;
  });
  const aborted = once(signal, "abort").then(() => undefined);
  const how = await Promise.race([listens, exited.then(() => undefined), aborted]);
  if (how === undefined) {
    await close();
    signal.throwIfAborted();
    throw new StartError(explainStart(python, cannotStart, failure, describeExit(await exited)));
  }
  const ask = (what: object): void => void child.stdin.write(`${JSON.stringify(what)}\n`);
  return {
    host,
    port: how.port,
    locust: how.locust,
    send: (worker, text) => ask({ do: "send", to: worker, data: text }),
    startUsers: (users) => ask({ do: "start", users }),
    stopUsers: () => {
      const sum = new Promise<LocustSum>((resolve, reject) => stopped.push({ resolve, reject }));
      ask({ do: "stop" });
      return sum;
    },
    died,
    close,
  };
}

type Listening = { readonly event: "listening"; readonly port: number; readonly locust: string };
type Stopped = LocustSum & { readonly event: "stopped" };
type Failure = { readonly event: "failed"; readonly reason: string; readonly module?: string };

function explainStart(
  python: string,
  cannotStart: NodeJS.ErrnoException | undefined,
  failure: Failure | undefined,
  exit: string,
): string {
  if (cannotStart?.code === "ENOENT") {
    return (
      `Workers need Locust, and Python to run it, but "${python}" was not found. Install it: pipx install locust. ` +
      "Or name a Python that has it with the environment variable LBBENCH_PYTHON."
    );
  }
  if (failure?.module === "locust") {
    return (
      `Workers need Locust, which "${python}" does not have. Install it: pipx install locust. ` +
      "Or name a Python that has it with the environment variable LBBENCH_PYTHON."
    );
  }
  return `Locust's master could not be started: ${failure?.reason ?? cannotStart?.message ?? exit}.`;
}
