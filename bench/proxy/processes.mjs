import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { chmod, mkdtemp } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const GRACE_MS = 2000;
const running = new Set();
const folders = new Set();

/** Whether the program is there to be run; `args` should make it answer and end. */
export function installed(program, args) {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Core of the contender, and core of the generator and the backend; `undefined` where processes cannot be pinned. */
export const PINNED =
  cpus().length > 1 && installed("taskset", ["-c", "0", "true"]) && installed("taskset", ["-c", "1", "true"])
    ? { contender: 0, generator: 1 }
    : undefined;

/** A temporary folder that is removed when the bench ends. */
export async function makeFolder() {
  const folder = await mkdtemp(join(tmpdir(), "bench-proxy-"));
  folders.add(folder);
  // nginx started as root reads it as somebody else.
  await chmod(folder, 0o755);
  return folder;
}

/**
 * Starts a program, pinned to the core of its role (`contender` or `generator`) where that is possible, and in a process
 * group of its own, which is ended when the bench ends.
 */
export function start(role, program, args, options = {}) {
  const [command, ...rest] = PINNED ? ["taskset", "-c", String(PINNED[role]), program, ...args] : [program, ...args];
  const child = spawn(command, rest, { stdio: ["ignore", "ignore", "inherit"], ...options, detached: true });
  running.add(child);
  child.once("exit", () => running.delete(child));
  child.once("error", () => running.delete(child));
  return child;
}

/** Runs a program to its end and resolves to what it printed. Rejects when it fails. */
export async function output(role, program, args) {
  const child = start(role, program, args, { stdio: ["ignore", "pipe", "pipe"] });
  const printed = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => (printed.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (printed.stderr += text));
  const [code, signal] = await once(child, "close");
  if (code === 0) return printed.stdout;
  throw new Error(`${program} ${args.join(" ")} ended with ${signal ?? code}: ${printed.stderr || printed.stdout}`);
}

function signal(child, name) {
  try {
    process.kill(-child.pid, name);
  } catch {
    // It ended in the meantime.
  }
}

/** Ends everything that was started and removes the folders; resolves when that is done. */
export async function endAll() {
  const ending = [...running].filter((child) => child.pid !== undefined);
  for (const child of ending) signal(child, "SIGTERM");
  const ended = Promise.all(ending.map((child) => child.exitCode ?? child.signalCode ?? once(child, "exit")));
  const grace = new AbortController();
  await Promise.race([ended, sleep(GRACE_MS, undefined, { signal: grace.signal }).catch(() => {})]);
  grace.abort();
  endAtOnce();
}

function endAtOnce() {
  for (const child of running) if (child.pid !== undefined) signal(child, "SIGKILL");
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders.clear();
}

/** Makes sure that nothing is left however the bench ends, save by SIGKILL. */
export function endAllOnExit() {
  const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
  for (const [name, code] of Object.entries(signals)) {
    process.on(name, () => {
      void endAll().finally(() => process.exit(code));
    });
  }
  process.once("exit", endAtOnce);
}
