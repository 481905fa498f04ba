/**
 * Runs an example that is made of several commands of `lbbench`, and leaves its reports in `reports/NAME`:
 * `npm run example r1`. What an example runs is in its `example.json`; examples/README.md tells what can be said there.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { howToInstall, notInstalled } from "../.ci/missing-programs.mjs";
import { commandForRest, commandLine, keepSmall, writeIndex } from "./reports.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LBBENCH = join(ROOT, "packages/lbbench/bin/lbbench.js");
const fileOf = (name) => join(ROOT, "examples", name, "example.json");
const NAMES = readdirSync(join(ROOT, "examples")).filter((name) => existsSync(fileOf(name)));
const USAGE = `expected: npm run example NAME [-- [--full | --quick] [--small] [--out FOLDER]]\nNAME is one of ${NAMES.join(", ")}.`;
/** One press of a key arrives more than once where npm passes it on as well. */
const SAME_SIGNAL_MS = 500;

/** What was asked for cannot be run; the exit code is that of `lbbench` for it. */
class UsageError extends Error {}

let running;
let signalledMs = -Infinity;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (running === undefined) process.exit(128 + constants.signals[signal]);
    if (performance.now() - signalledMs > SAME_SIGNAL_MS) running.kill(signal);
    signalledMs = performance.now();
  });
}
try {
  process.exitCode = await main();
} catch (error) {
  const isOfArguments = error.code?.startsWith("ERR_PARSE_ARGS") === true;
  if (!isOfArguments && !(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n${isOfArguments ? `${USAGE}\n` : ""}`);
  process.exitCode = 2;
}

/** Runs what the command line names; resolves with the exit code: 0, or that of the first command that ended otherwise than expected. */
async function main() {
  const { name, size, isSmall, out } = readArguments();
  const { title, needs = [], runs } = JSON.parse(readFileSync(fileOf(name), "utf8"));
  const missing = notInstalled(needs);
  if (missing.length > 0) {
    throw new UsageError(
      `examples/${name} needs ${missing.join(", ")}. Install: ${howToInstall(missing).join(" && ")}`,
    );
  }
  mkdirSync(out, { recursive: true });
  const done = [];
  for (const [at, run] of runs.entries()) {
    const line = commandLine(run, size, pathFromRoot(out));
    const report = run.folder === undefined ? undefined : join(out, run.folder);
    process.stderr.write(`\n${at + 1} of ${runs.length}: ${run.shows}\nlbbench ${line}\n`);
    // A new run is not written over an earlier one unless that is asked for; here it takes its place.
    if (report !== undefined && !line.startsWith("report ")) rmSync(join(report, "result.json"), { force: true });
    const { code, stdout } = await runCommand(line);
    const expected = run.exits ?? [0];
    if (!expected.includes(code)) {
      process.stderr.write(`lbbench ended with exit code ${code}, expected ${expected.join(" or ")}.\n`);
      return code;
    }
    if (run.saves !== undefined) writeFileSync(join(out, run.saves), stdout);
    if (isSmall && report !== undefined) keepSmall(report, commandForRest(pathFromRoot(report)));
    done.push({ ...run, line });
  }
  const flags = [...(size === "default" ? [] : [`--${size}`]), ...(isSmall ? ["--small"] : [])];
  const command = ["npm run example", name, ...(flags.length === 0 ? [] : ["--", ...flags])].join(" ");
  const index = writeIndex({ title, command, runs: done, out });
  process.stderr.write(`\nReports: ${relative(process.cwd(), index)}\n`);
  return 0;
}

function readArguments() {
  const flag = { type: "boolean" };
  const options = { full: flag, quick: flag, small: flag, out: { type: "string" } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [name = "", ...more] = positionals;
  if (!NAMES.includes(name) || more.length > 0) throw new UsageError(USAGE);
  if (values.full && values.quick) throw new UsageError(`--full and --quick exclude each other\n${USAGE}`);
  const size = values.full ? "full" : values.quick ? "quick" : "default";
  return { name, size, isSmall: values.small === true, out: resolve(values.out ?? join(ROOT, "reports", name)) };
}

/** A path as it is shown: from the root of the repository where it is in there. */
function pathFromRoot(path) {
  const inside = relative(ROOT, path);
  return inside.startsWith("..") ? path : inside;
}

/**
 * Runs `lbbench` and passes on what it prints; resolves when it has ended. It is in a process group of its own, so that an
 * interruption reaches it once, from here, and it can write what it has measured.
 */
async function runCommand(line) {
  const words = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, "$1"));
  const stdio = ["ignore", "pipe", "inherit"];
  running = spawn(process.execPath, [LBBENCH, ...words], { cwd: ROOT, stdio, detached: true });
  let stdout = "";
  running.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
    process.stdout.write(text);
  });
  const [code, signal] = await once(running, "close");
  running = undefined;
  return { code: code ?? 128 + constants.signals[signal], stdout };
}
