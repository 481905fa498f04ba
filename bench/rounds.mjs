/** How benches measure: side by side, in turn, in rounds of a machine that was left alone; and the processes they use for it. */
import { execFile, fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startServer } from "lbbench/testing";
import { machineShares, processTree, readMachineTimes } from "../packages/lbbench/dist/system/proc.js";

/** Share of all cores that a hypervisor may have given to other machines in a round. */
const MOST_STEAL = 0.05;
/** So many times the rounds that are wanted are tried; then those that were not disturbed have to do. */
const MOST_TRIES = 2;
/** So many parts of rounds are measured again because they were disturbed, in all rounds of a bench together. */
const MOST_PARTS_AGAIN = 10;

/** The command line as it is in this checkout. */
export const LBBENCH = fileURLToPath(new URL("../packages/lbbench/bin/lbbench.js", import.meta.url));

/** As JSON, with five digits after the point at most. */
export function toJson(value, indent) {
  const round = (_, each) => (typeof each === "number" ? Number(each.toFixed(5)) : each);
  return JSON.stringify(value, round, indent);
}

/** Path of a program in `bench/programs`. */
export const program = (name) => fileURLToPath(new URL(`programs/${name}`, import.meta.url));

/**
 * Runs the rounds of a bench until so many are kept as it wants, or twice as many were run. A round is thrown away when a hypervisor took
 * more than 5 % of the time of all cores, where the system tells. A bench whose rounds are long measures `inParts`: it gives each part to
 * `quietly`, which measures a disturbed one again a few times; one that stays disturbed, or fails, is `undefined`. Resolves with what the kept rounds
 * resolved with, and how many were thrown away: of `round`, and of each part by its name. `tell` says what a round measured, as JSON unless
 * given. Whatever the bench has said is to be done `after` it is done then, the last first.
 */
export async function measureRounds({ rounds: count, open, inParts = false, tell = toJson }, quick, say) {
  const wanted = quick ? 1 : count;
  const rounds = [];
  const thrownAway = {};
  const endings = [];
  let partsAgain = quick ? 0 : MOST_PARTS_AGAIN;
  const measure = async (name, work) => {
    const before = readMachineTimes();
    const figures = await work();
    const { steal = 0 } = machineShares(before, readMachineTimes());
    const isDisturbed = steal > MOST_STEAL;
    if (isDisturbed) {
      thrownAway[name] = (thrownAway[name] ?? 0) + 1;
      say(`${name} was thrown away: ${Math.round(steal * 100)} % of the machine was taken away`);
    }
    return { figures, isDisturbed };
  };
  const quietly = async (name, work) => {
    for (;;) {
      const { figures, isDisturbed } = await measure(name, work).catch(({ message }) => {
        say(`${name} failed: ${message}`);
        return {};
      });
      if (!isDisturbed) return figures;
      if (partsAgain === 0) return undefined;
      partsAgain -= 1;
    }
  };
  try {
    const round = await open({ quick, say, quietly, after: (end) => endings.unshift(end) });
    for (let index = 0; rounds.length < wanted && index < wanted * MOST_TRIES; index += 1) {
      const work = () => round(index);
      const { figures, isDisturbed } = inParts ? { figures: await work() } : await measure("round", work);
      if (!isDisturbed) rounds.push(figures);
      say(`round ${index + 1}: ${tell(figures)}`);
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

/** Runs a program to its end on these cores alone, with all that it starts, or on any when none are named; resolves with what it printed. */
export function runOn(cores, command, ...args) {
  return cores === undefined ? run(command, ...args) : run("taskset", "-c", cores, command, ...args);
}

/** Moves a process and all that descend from it to these cores. */
export function pin(cores, root) {
  for (const pid of processTree(root)) spawnSync("taskset", ["-a", "-c", "-p", cores, String(pid)]);
}

let sweepFolder;

/** Runs `lbbench sweep` with a single step on these cores alone, its generators with it; resolves with the step, as in result.json. */
export async function sweepOn(cores, url, ...flags) {
  sweepFolder ??= await makeFolder();
  const silent = ["--json", "--quiet", "-f", "json", "-o", sweepFolder, "--force"];
  const [step] = JSON.parse(await runOn(cores, process.execPath, LBBENCH, "sweep", url, ...flags, ...silent)).steps;
  if (step.state !== "completed") throw new Error(`a step ${step.state}: ${step.error?.message}`);
  return step;
}

/** Loads a URL by wrk, with one thread, on these cores alone; resolves with its rate, and how many requests it sent and how many failed. */
export async function runWrk(cores, url, ...flags) {
  const text = await runOn(cores, "wrk", "-t1", ...flags, url);
  const requests = Number(/^\s*(\d+) requests in/m.exec(text)?.[1]);
  const rate = Math.round(Number(/^Requests\/sec:\s+([\d.]+)/m.exec(text)?.[1]));
  if (Number.isNaN(rate + requests)) throw new Error(`wrk printed no rate:\n${text}`);
  const failed = [...text.matchAll(/^\s*(?:Socket errors|Non-2xx or 3xx responses):(.*)$/gm)]
    .flatMap(([, counts]) => counts.match(/\d+/g))
    .reduce((sum, count) => sum + Number(count), 0);
  const [, number, unit] = /^\s*99%\s+([\d.]+)(us|ms|s)$/m.exec(text) ?? [];
  const p99 = number === undefined ? undefined : Number(number) * { us: 0.001, ms: 1, s: 1000 }[unit];
  return { rate, requests, failed, p99 };
}

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

/**
 * Starts nginx by proxy/backend.conf, whose one worker answers `/small` with 20 bytes; resolves with the server.
 *
 * @param files paths of more files, by the names by which that configuration finds them.
 */
export function startNginx(files = {}) {
  const configuration = fileURLToPath(new URL("proxy/backend.conf", import.meta.url));
  const command = ["nginx", "-p", "{folder}", "-e", "stderr", "-c", "nginx.conf"];
  return startServer("command", { command, files: { "nginx.conf": configuration, ...files }, readyPath: "/small" });
}
