/** How benches measure: side by side, in turn, in rounds of a machine that was left alone; and the processes they use for it. */
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { machineShares, readMachineTimes } from "../packages/lbbench/dist/system/proc.js";

/** Share of all cores that a hypervisor may have given to other machines in a round. */
const MOST_STEAL = 0.05;
/** So many times the rounds that are wanted are tried; then those that were not disturbed have to do. */
const MOST_TRIES = 2;

/** The command line as it is in this checkout. */
export const LBBENCH = fileURLToPath(new URL("../packages/lbbench/bin/lbbench.js", import.meta.url));

/** As JSON, with three digits after the point at most. */
export function toJson(value, indent) {
  const round = (_, each) => (typeof each === "number" ? Number(each.toFixed(3)) : each);
  return JSON.stringify(value, round, indent);
}

/** Path of a program in `bench/programs`. */
export const program = (name) => fileURLToPath(new URL(`programs/${name}`, import.meta.url));

/**
 * Runs the rounds of a bench until so many are kept as it wants, or twice as many were run. A round is thrown away when a hypervisor took
 * more than 5 % of the time of all cores, where the system tells. Resolves with what the kept rounds resolved with. Whatever the bench
 * has said is to be done `after` it is done then, the last first.
 */
export async function measureRounds({ rounds: count, open }, quick, say) {
  const wanted = quick ? 1 : count;
  const rounds = [];
  let thrownAway = 0;
  const endings = [];
  try {
    const round = await open({ quick, after: (end) => endings.unshift(end) });
    for (let index = 0; rounds.length < wanted && index < wanted * MOST_TRIES; index += 1) {
      const before = readMachineTimes();
      const figures = await round(index);
      const { steal = 0 } = machineShares(before, readMachineTimes());
      if (steal > MOST_STEAL) thrownAway += 1;
      else rounds.push(figures);
      const note =
        steal > MOST_STEAL ? ` (thrown away: ${Math.round(steal * 100)} % of the machine was taken away)` : "";
      say(`round ${index + 1}: ${toJson(figures)}${note}`);
    }
  } finally {
    for (const end of endings) await end();
  }
  return { rounds, thrownAway };
}

/** Does the pieces of work one after the other, every other round from the last to the first; resolves with what each resolved with, by name. */
export async function inTurn(index, works) {
  const entries = Object.entries(works);
  const results = {};
  for (const [name, work] of index % 2 === 0 ? entries : entries.toReversed()) results[name] = await work();
  return results;
}

/** Runs a program to its end; resolves with what it printed. */
export async function run(command, ...args) {
  return (await promisify(execFile)(command, args.map(String), { maxBuffer: 2 ** 28 })).stdout;
}

/** Runs a program of Node to its end; resolves with what it printed. */
export const runNode = (...args) => run(process.execPath, ...args);

/** Makes an empty folder, which is removed when this process ends, also by a signal; resolves with its path. */
export async function makeFolder() {
  const path = await mkdtemp(join(tmpdir(), "lbbench-bench-"));
  process.once("exit", () => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** How long `work` takes, in ms, to a tenth. */
export async function timeOf(work) {
  const startMs = performance.now();
  await work();
  return Math.round((performance.now() - startMs) * 10) / 10;
}

/** How long work takes that is always the same, of the kind that reports are made of, in ms. */
export async function timeSameWork() {
  return Number(await runNode(program("same-work.mjs")));
}

/** Starts a program of Node that sends a message when it is ready and ends with its channel. */
export async function startChild(file, args, execArgv = []) {
  const child = fork(file, args.map(String), { execArgv });
  const failed = once(child, "exit").then(() => Promise.reject(new Error(`${file} ended before it was ready.`)));
  const [ready] = await Promise.race([once(child, "message"), failed]);
  failed.catch(() => {});
  return {
    pid: child.pid,
    ready,
    ask: async (message) => {
      child.send(message);
      return (await once(child, "message"))[0];
    },
    stop: async () => {
      if (!child.connected) return;
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}

/** Starts the server of `programs/server.mjs` that speaks `http`, `http2` or `grpc`, with the URL to ask it at. */
export async function startFastServer(protocol, ...args) {
  const child = await startChild(program("server.mjs"), [protocol, ...args]);
  return { ...child, url: `${protocol === "grpc" ? "grpc" : "http"}://127.0.0.1:${child.ready}/` };
}
