/** What a claim is worth: how often lbbench tells equal targets apart, and how often it finds one that does 10 % more work a request. */
import { execFile, fork } from "node:child_process";
import { appendFile, readFile, rename, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { once } from "node:events";
import { compare, compareWithReference, DEFAULTS, readResult, TOOL } from "lbbench";
import { machineShares, readMachineTimes } from "../../packages/lbbench/dist/system/proc.js";
import { CASES, MARGIN, progressOf, renderAlarms, roundsThatCount, tally } from "../alarms/tally.mjs";
import { LBBENCH, makeFolder, program, startChild, toJson } from "../rounds.mjs";
import { summarize } from "../table.mjs";

const here = (path) => fileURLToPath(new URL(`../alarms/${path}`, import.meta.url));
const ROUNDS = here("rounds.jsonl");
/** Of `lbbench sweep`: it went to its end, whatever it says. */
const JUDGED = [0, 1, 3];
/** So many sweeps in a row may fail. */
const MOST_FAILURES = 3;
const QUICK = ["-c", "1,20", "-d", "200ms", "--warmup", "100ms", "--trials", "4"];
const OPPOSITE = { faster: "slower", slower: "faster", fewer: "more", more: "fewer", "~": "~" };

/** The lines of the rounds that were kept, without one that was cut off while it was written. */
async function readLines() {
  const text = await readFile(ROUNDS, "utf8");
  return text.slice(0, text.lastIndexOf("\n") + 1);
}

/** Reads the rounds that were kept and count. */
export async function readRounds() {
  const lines = (await readLines()).split("\n").filter((line) => line !== "");
  return roundsThatCount(lines.map((line) => JSON.parse(line)));
}

/** Sweeps the two targets by the command line, the first of which is the reference; resolves with the result. */
async function sweepTwo(names, handlers, flags, folder) {
  const targets = names.map((name) => ({ name, server: "single", options: { handler: handlers[name] } }));
  const config = join(folder, "lbbench.config.json");
  await writeFile(config, toJson({ targets }));
  const out = join(folder, "out");
  const own = ["sweep", "--config", config, "--quiet", "-f", "json", "-o", out, "--force"];
  // So that a bench that was killed leaves no sweep behind, which would disturb the next round.
  const execArgv = ["--import", pathToFileURL(program("end-with-parent.mjs")).href];
  const child = fork(LBBENCH, [...own, ...flags], { execArgv, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let said = "";
  child.stderr.on("data", (text) => (said += text));
  const [code] = await once(child, "close");
  if (!JUDGED.includes(code)) throw new Error(`lbbench sweep ended with exit code ${code}: ${said}`);
  return (await readResult(out)).result;
}

/** What a result says of `b` beside `a`, whichever of them is the reference. */
function readVerdicts(result) {
  const margins = { margin: MARGIN, errorMargin: DEFAULTS.errorMargin };
  const { status, targets } = compareWithReference(result, margins);
  const [{ other, overall, levels }] = targets;
  const ofB = (verdict) => (other === "b" ? verdict : OPPOSITE[verdict]);
  const said = levels.flatMap(({ level, ...metrics }) =>
    Object.entries(metrics).flatMap(([metric, { verdict = "~" }]) =>
      verdict === "~" ? [] : [`${metric} ${ofB(verdict)} at ${level.connections}`],
    ),
  );
  return {
    overall: ofB(overall?.verdict ?? "~"),
    ...(overall && { change: overall.change, pValue: overall.pValue }),
    levels: said,
    // By the margin: of the second target, which is judged by the first.
    status,
    verdict: result.verdict.status,
    trials: Math.max(...result.steps.map(({ trial }) => trial)),
  };
}

/** Compares a result with that of the round before, where this was made by the same code; keeps it for the next. */
async function compareWithLast(name, commit, result) {
  const path = here(`last-${name}.json`);
  const last = JSON.parse(await readFile(path, "utf8").catch(() => "{}"));
  const { method } = CASES[name];
  await writeFile(`${path}.new`, JSON.stringify({ method, commit, result }));
  await rename(`${path}.new`, path);
  return last.method === method && last.commit === commit ? compare(last.result, result).status : undefined;
}

async function runRound(name, index, folder, { quick, commit }) {
  const { a, b, method, flags = [], neighbour = false, compared = false } = CASES[name];
  const names = index % 2 === 0 ? ["a", "b"] : ["b", "a"];
  const beside = neighbour ? await startChild(program("neighbour.mjs"), []) : undefined;
  try {
    const before = readMachineTimes();
    const startMs = performance.now();
    const result = await sweepTwo(names, { a, b }, [...flags, ...(quick ? QUICK : [])], folder);
    const seconds = (performance.now() - startMs) / 1000;
    const { steal = 0 } = machineShares(before, readMachineTimes());
    const cores = cpus();
    const last = compared && !quick ? { compared: await compareWithLast(name, commit, result) } : {};
    return {
      method,
      case: name,
      round: index,
      date: new Date().toISOString(),
      version: TOOL.version,
      commit,
      cores: cores.length,
      cpu: cores[0]?.model ?? "",
      steal,
      reference: names[0],
      seconds,
      ...readVerdicts(result),
      ...last,
    };
  } finally {
    await beside?.stop();
  }
}

/** The last commit that changed the packages, on which depends what a comparison says; with a `+` where there are changes beside it. */
async function readCommit() {
  const git = async (...args) => (await promisify(execFile)("git", args, { cwd: here(".") })).stdout.trim();
  const packages = fileURLToPath(new URL("../../packages", import.meta.url));
  const changed = await git("status", "--porcelain", "--untracked-files=no", "--", packages);
  return `${await git("log", "-1", "--format=%h", "--", packages)}${changed === "" ? "" : "+"}`;
}

export const alarmsBench = {
  cases: Object.keys(CASES),
  /**
   * Makes rounds of the cases in turn until each has as many as it wants, or the time is over, and keeps each as soon as it has ended. No round
   * is begun that would usually end too late. Resolves with all rounds that are kept, and the rows of them.
   */
  async measure({ quick, forMs = Infinity, cases = Object.keys(CASES) }, say) {
    const endMs = performance.now() + forMs;
    const folder = await makeFolder();
    // What is appended begins a line.
    await writeFile(ROUNDS, await readLines());
    const rounds = await readRounds();
    const commit = await readCommit();
    let failures = 0;
    for (;;) {
      const [next] = cases
        .map((name) => ({ name, progress: progressOf(name, rounds) }))
        .filter(({ progress }) => progress < 1 || quick)
        .toSorted((one, two) => one.progress - two.progress);
      if (next === undefined) break;
      const own = rounds.filter((round) => round.case === next.name);
      const usualMs = (summarize(own.map(({ seconds }) => seconds))?.median ?? 0) * 1000;
      if (performance.now() + usualMs > endMs) break;
      try {
        const round = await runRound(next.name, own.length, folder, { quick, commit });
        failures = 0;
        say(toJson(round));
        if (quick) break;
        await appendFile(ROUNDS, `${toJson(round)}\n`);
        rounds.push(round);
      } catch (error) {
        failures += 1;
        say(error.message);
        if (failures === MOST_FAILURES || quick) throw error;
      }
    }
    return { rows: tally(rounds), rounds };
  },
  render: ({ rounds }) => renderAlarms(rounds),
};
