/**
 * What the engine's accounting costs: throughput of lbbench at 50 connections relative to the bare autocannon command, on
 * the same server, in turn. Writes result.json beside this file.
 *
 * `--pairs N`, `--seconds N` and `--out FILE` are for trying it out.
 */
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

const CONNECTIONS = 50;
const { values } = parseArgs({
  options: {
    pairs: { type: "string", default: "5" },
    seconds: { type: "string", default: "5" },
    out: { type: "string", default: fileURLToPath(new URL("result.json", import.meta.url)) },
  },
});
const PAIRS = Number(values.pairs);
const SECONDS = Number(values.seconds);

const run = promisify(execFile);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const autocannon = createRequire(import.meta.url).resolve("autocannon");

async function measureAutocannon(url) {
  const args = [autocannon, "-c", CONNECTIONS, "-d", SECONDS, "--json", "--no-progress", url].map(String);
  const { stdout } = await run(process.execPath, args);
  const { "2xx": ok, duration } = JSON.parse(stdout.slice(stdout.indexOf("{")));
  return ok / duration;
}

async function measureLbbench(url) {
  const args = ["sweep", url, "-c", CONNECTIONS, "-d", `${SECONDS}s`, "--json", "--quiet", "-f", "json"].map(String);
  const { stdout } = await run(process.execPath, [
    here("../../packages/lbbench/bin/lbbench.js"),
    ...args,
    "-o",
    here("out"),
  ]);
  return JSON.parse(stdout).steps[0].measurement.throughput;
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

const server = fork(here("server.mjs"));
try {
  const [port] = await once(server, "message");
  const url = `http://127.0.0.1:${port}/`;
  await measureAutocannon(url);
  const pairs = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    // Every other pair the other way round, so that a drift of the machine falls on both alike.
    const order = pair % 2 === 0 ? [measureAutocannon, measureLbbench] : [measureLbbench, measureAutocannon];
    const rates = new Map();
    for (const measure of order) rates.set(measure, await measure(url));
    const bare = rates.get(measureAutocannon);
    const ours = rates.get(measureLbbench);
    pairs.push({ autocannon: Math.round(bare), lbbench: Math.round(ours), ratio: Number((ours / bare).toFixed(3)) });
    console.log(
      `pair ${pair + 1}: autocannon ${Math.round(bare)}/s, lbbench ${Math.round(ours)}/s, ratio ${(ours / bare).toFixed(3)}`,
    );
  }
  const ratios = pairs.map(({ ratio }) => ratio);
  const summary = { median: median(ratios), low: Math.min(...ratios), high: Math.max(...ratios) };
  console.log(`median ${summary.median}, from ${summary.low} to ${summary.high}`);
  const machine = { cpu: cpus()[0].model, cores: cpus().length, node: process.version };
  const result = { connections: CONNECTIONS, seconds: SECONDS, machine, pairs, ratio: summary };
  await writeFile(values.out, `${JSON.stringify(result, null, 2)}\n`);
} finally {
  server.disconnect();
}
