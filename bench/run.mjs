/**
 * Measures what lbbench promises of time, speed and memory, and prints a table: `npm run bench`, or `npm run bench -- engine report` for some.
 * Ends with exit code 1 if something wanted was not reached. See README.md.
 */
import { readFile, writeFile } from "node:fs/promises";
import { cpus, loadavg, release, type } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parseDuration } from "lbbench";
import { howToInstall, notInstalled } from "../.ci/missing-programs.mjs";
import { alarmsBench } from "./benches/alarms.mjs";
import { commandBenches } from "./benches/command.mjs";
import { engineBench } from "./benches/engine-speed.mjs";
import { engineBenches } from "./benches/engines.mjs";
import { http2Bench } from "./benches/http2.mjs";
import { noiseBenches } from "./benches/noise.mjs";
import { proxyBench } from "./benches/proxy.mjs";
import { tlsBench } from "./benches/tls.mjs";
import { workersBench } from "./benches/workers.mjs";
import { measureRounds, toJson } from "./rounds.mjs";
import { judge, renderTable, summarize } from "./table.mjs";

/** By name, in the order in which they run. */
const BENCHES = {
  engine: engineBench,
  ...commandBenches,
  ...engineBenches,
  http2: http2Bench,
  tls: tlsBench,
  workers: workersBench,
  proxy: proxyBench,
  ...noiseBenches,
  alarms: alarmsBench,
};
/** What takes too long to run with the others. */
const BY_NAME_ONLY = ["proxy", "noise", "noise-neighbour", "alarms"];
/** Of all cores, by the load average of the last minute. */
const QUIET_SHARE = 0.25;
const USAGE = `npm run bench -- [NAME...] [--quick] [--neighbour] [--for TIME] [--case NAME]

  NAME         of ${Object.keys(BENCHES).join(", ")} (default: all but ${BY_NAME_ONLY.join(", ")})
  --quick      one short round of each, to see that they work; keeps no result
  --neighbour  noise beside a program that takes half a core: the same as noise-neighbour
  --for TIME   alarms ends after that time, such as 60m (default: when it has all rounds)
  --case NAME  alarms makes rounds of this case alone, repeatable: ${alarmsBench.cases.join(", ")}
`;

const say = (text) => process.stderr.write(`${text}\n`);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

function readArguments() {
  const options = {
    quick: { type: "boolean" },
    neighbour: { type: "boolean" },
    for: { type: "string" },
    case: { type: "string", multiple: true },
  };
  const { values, positionals: given } = parseArgs({ options, allowPositionals: true });
  const positionals = given.map((name) => (name === "noise" && values.neighbour ? "noise-neighbour" : name));
  const wrong = (values.case ?? []).filter((name) => !alarmsBench.cases.includes(name));
  if (wrong.length > 0) throw new Error(`Expected cases of alarms, got ${wrong.join(" ")}.`);
  const unknown = positionals.filter((name) => !Object.hasOwn(BENCHES, name));
  if (unknown.length > 0) throw new Error(`Expected names of benches, got ${unknown.join(" ")}.`);
  const names = Object.keys(BENCHES).filter((name) =>
    positionals.length === 0 ? !BY_NAME_ONLY.includes(name) : positionals.includes(name),
  );
  const forMs = values.for === undefined ? undefined : parseDuration(values.for);
  return { names, options: { quick: values.quick === true, forMs, cases: values.case } };
}

/** Whether all programs are there that a bench needs; in CI they have to be. */
function canRun(name) {
  const missing = notInstalled(BENCHES[name].needs ?? []);
  if (missing.length === 0) return true;
  const text = `${name} needs ${missing.join(", ")}: ${howToInstall(missing).join(" && ")}`;
  if (process.env.CI !== undefined) throw new Error(text);
  say(`Left out: ${text}`);
  return false;
}

/** Runs a bench and judges its rows. One that fails has no rounds, so that its rows are missed, and the others are measured all the same. */
async function measure(name, options) {
  const bench = BENCHES[name];
  // It keeps its rounds itself.
  if (bench.measure !== undefined) return bench.measure(options, (text) => say(`${name}, ${text}`));
  const { quick } = options;
  const { rounds, thrownAway } = await measureRounds(bench, quick, (text) => say(`${name}, ${text}`)).catch((error) => {
    say(`${name} failed: ${error.message}`);
    return { rounds: [], thrownAway: {} };
  });
  // What a row compares with may come out of the rounds.
  const rows = typeof bench.rows === "function" ? bench.rows(rounds) : bench.rows;
  if (rows.length === 0 && rounds.length === 0) throw new Error(`${name} measured nothing.`);
  const judged = rows.map(({ value, parts = ["round"], ...row }) => {
    const values = rounds.map(value).filter(Number.isFinite);
    const lost = parts.reduce((sum, part) => sum + (thrownAway[part] ?? 0), 0);
    return judge({ ...row, figure: summarize(values), rounds: values.length, thrownAway: lost });
  });
  const { version } = JSON.parse(await readFile(here("../packages/lbbench/package.json"), "utf8"));
  const cores = cpus();
  const kernel = `${type()} ${release()}`;
  const machine = { cpu: cores[0]?.model ?? "", cores: cores.length, kernel, node: process.version };
  return { date: new Date().toISOString().slice(0, 10), version, machine, rows: judged, ...bench.keep?.(rounds) };
}

/** Those that were not measured now keep what they were measured at before. */
async function keep(measured) {
  const out = here("result.json");
  const all = { ...JSON.parse(await readFile(out, "utf8")), ...measured };
  const isKept = (name) => all[name] !== undefined && BENCHES[name].measure === undefined;
  const sorted = Object.keys(BENCHES).flatMap((name) => (isKept(name) ? [[name, all[name]]] : []));
  await writeFile(out, `${toJson(Object.fromEntries(sorted), 2)}\n`);
}

// So that folders are removed; whatever was started ends with this process.
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }))
  process.once(signal, () => process.exit(code));
try {
  const { names, options } = readArguments();
  const [load] = loadavg();
  if (load > cpus().length * QUIET_SHARE)
    say(`Other programs use this machine (load average ${load.toFixed(1)}). Rows may be missed because of them.`);
  const measured = {};
  for (const name of names.filter(canRun)) {
    measured[name] = await measure(name, options);
    if (!options.quick) await keep(measured);
  }
  const inRows = Object.keys(measured).filter((name) => BENCHES[name].render === undefined);
  const tables = Object.entries(measured).flatMap(([name, bench]) => BENCHES[name].render?.(bench) ?? []);
  if (inRows.length > 0) tables.unshift(renderTable(inRows.flatMap((name) => measured[name].rows)));
  console.log(tables.join("\n\n"));
  // Of some rows it cannot be said yet.
  const isMissed = Object.values(measured).some(({ rows }) => rows.some(({ reached }) => reached === false));
  process.exitCode = isMissed ? 1 : 0;
} catch (error) {
  say(`${error.message}\n${USAGE}`);
  process.exitCode = 2;
}
