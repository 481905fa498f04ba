/**
 * Measures what lbbench promises of time, speed and memory, and prints a table: `npm run bench`, or `npm run bench -- engine report` for some.
 * Ends with exit code 1 if something wanted was not reached. See README.md.
 */
import { readFile, writeFile } from "node:fs/promises";
import { cpus, loadavg, release, type } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { howToInstall, notInstalled } from "../.ci/missing-programs.mjs";
import { measureRounds, toJson } from "./rounds.mjs";
import { exitCode, judge, renderTable, summarize } from "./table.mjs";

/** In the order in which they run. */
const NAMES = ["engine", "sweep", "steps", "report", "start", "memory", "percentiles", "sampler", "proxy"];
/** What takes too long to run with the others. */
const BY_NAME_ONLY = ["proxy"];
const USAGE = `npm run bench -- [NAME...] [--quick] [--out FILE]

  NAME        of ${NAMES.join(", ")} (default: all but ${BY_NAME_ONLY.join(", ")})
  --quick     one short round of each, to see that they work; keeps no result
  --out FILE  where the result is kept (default bench/result.json)
`;

/** Of all cores, by the load average of the last minute. */
const QUIET_SHARE = 0.25;

const say = (text) => process.stderr.write(`${text}\n`);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

function readFlags() {
  const options = { quick: { type: "boolean" }, out: { type: "string" }, help: { type: "boolean" } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const unknown = positionals.filter((name) => !NAMES.includes(name));
  if (unknown.length > 0) throw new Error(`expected some of ${NAMES.join(", ")}, got ${unknown.join(" ")}`);
  const isChosen = (name) => (positionals.length === 0 ? !BY_NAME_ONLY.includes(name) : positionals.includes(name));
  const out = values.out ?? (values.quick ? undefined : here("result.json"));
  return { ...values, out, names: NAMES.filter(isChosen) };
}

/** Runs a bench and judges its rows. One that fails has no rounds, so that its rows are missed, and the others are measured all the same. */
async function measure(bench, { quick = false }) {
  const sayOf = (text) => say(`${bench.name}, ${text}`);
  const { rounds, thrownAway } = await runRounds(bench, quick, sayOf).catch((error) => {
    sayOf(`failed: ${error.message}`);
    return { rounds: [], thrownAway: 0 };
  });
  // Those of the table are known before, or come out of the rounds.
  const rows = Array.isArray(bench.rows)
    ? bench.rows.map(({ value, ...row }) => ({ ...row, figure: summarize(rounds.map(value)), rounds: rounds.length }))
    : bench.rows(rounds);
  return { rows: rows.map((row) => judge({ ...row, thrownAway })), rounds };
}

async function runRounds({ rounds, open }, quick, sayOf) {
  const { round, close } = await open({ quick });
  try {
    return await measureRounds(quick ? 1 : rounds, round, sayOf);
  } finally {
    await close();
  }
}

/** Leaves out what needs a program that is not here; in CI that is an error. */
function leaveOut(benches) {
  return benches.filter(({ name, needs = [] }) => {
    const missing = notInstalled(needs);
    if (missing.length === 0) return true;
    const text = `${name} needs ${missing.join(", ")}: ${howToInstall(missing).join(" && ")}`;
    if (process.env.CI !== undefined) throw new Error(text);
    say(`Left out: ${text}`);
    return false;
  });
}

/** Those that were not measured now keep what they were measured at before. */
async function keep(out, measured) {
  const before = await readFile(out, "utf8").then(JSON.parse, () => ({}));
  const benches = NAMES.flatMap((name) => {
    const bench = measured[name] ?? before[name];
    return bench === undefined ? [] : [[name, bench]];
  });
  await writeFile(out, `${toJson(Object.fromEntries(benches), 2)}\n`);
}

async function main() {
  const flags = readFlags();
  if (flags.help) return process.stdout.write(USAGE);
  const modules = await Promise.all(flags.names.map((name) => import(`./benches/${name}.mjs`)));
  const { version } = JSON.parse(await readFile(here("../packages/lbbench/package.json"), "utf8"));
  const machine = {
    cpu: cpus()[0]?.model ?? "",
    cores: cpus().length,
    kernel: `${type()} ${release()}`,
    node: process.version,
  };
  const [load] = loadavg();
  if (load > machine.cores * QUIET_SHARE) {
    say(`Other programs use this machine (load average ${load.toFixed(1)}): rows may be missed because of them.`);
  }
  const measured = {};
  for (const bench of leaveOut(modules.map((module) => module.bench))) {
    measured[bench.name] = {
      date: new Date().toISOString().slice(0, 10),
      version,
      machine,
      ...(await measure(bench, flags)),
    };
    if (flags.out !== undefined) await keep(flags.out, measured);
  }
  const rows = Object.values(measured).flatMap((bench) => bench.rows);
  console.log(renderTable(rows));
  process.exitCode = exitCode(rows);
}

await main().catch((error) => {
  say(error.message);
  process.exitCode = 2;
});
