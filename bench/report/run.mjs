/**
 * How long rendering takes: all formats of a result of 5 targets x 20 levels x 5 trials, each time in a process of its own, as a user meets
 * it; then how it grows with the number of steps, sizes in turn. Writes result.json beside this file.
 *
 * `--once LEVELS` renders one result of that many levels and prints how long it took, in ms; `--growth` prints the growth alone.
 */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { FORMAT_NAMES, renderReport } from "lbbench";
import { createSampleResult } from "lbbench/testing";

const TARGETS = 5;
const TRIALS = 5;
const LEVELS = 20;
const SIZES = [10, 20, 40];
const RUNS = 5;

const run = promisify(execFile);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** A result nobody has looked at yet: what reports remember of one is not there. */
function createResult(levels) {
  const connections = Array.from({ length: levels }, (_, index) => (index + 1) * 10);
  return createSampleResult({ targets: TARGETS, connections, trials: TRIALS });
}

async function timeRendering(result, formats) {
  const startMs = performance.now();
  await renderReport(result, formats);
  return performance.now() - startMs;
}

async function timeInNewProcess(levels) {
  const { stdout } = await run(process.execPath, [here("run.mjs"), "--once", String(levels)]);
  return Number(stdout);
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function spread(values) {
  return {
    median: Math.round(median(values)),
    least: Math.round(Math.min(...values)),
    most: Math.round(Math.max(...values)),
  };
}

/** Median time for each number of steps, of the same results again and again in turn, after a first round that does not count. */
async function measureGrowth() {
  const results = new Map(SIZES.map((levels) => [levels, createResult(levels)]));
  const times = new Map(SIZES.map((levels) => [levels, []]));
  for (let round = 0; round <= RUNS; round += 1) {
    for (const levels of round % 2 === 0 ? SIZES : SIZES.toReversed()) {
      const ms = await timeRendering(structuredClone(results.get(levels)), FORMAT_NAMES);
      if (round > 0) times.get(levels).push(ms);
    }
  }
  return SIZES.map((levels) => ({ steps: TARGETS * levels * TRIALS, ms: spread(times.get(levels)) }));
}

const [flag, value] = process.argv.slice(2);
if (flag === "--once") {
  console.log((await timeRendering(createResult(Number(value)), FORMAT_NAMES)).toFixed(1));
} else if (flag === "--growth") {
  console.log(JSON.stringify(await measureGrowth()));
} else {
  const whole = [];
  for (let index = 0; index < RUNS; index += 1) whole.push(await timeInNewProcess(LEVELS));
  const result = {
    targets: TARGETS,
    levels: LEVELS,
    trials: TRIALS,
    ms: spread(whole),
    growth: await measureGrowth(),
    machine: { cpu: cpus()[0]?.model ?? "", cores: cpus().length, node: process.version },
  };
  console.log(JSON.stringify(result, null, 2));
  await writeFile(here("result.json"), `${JSON.stringify(result, null, 2)}\n`);
}
