/**
 * Runs an example that is made of several commands of `lbbench`, and leaves its reports in `reports/NAME`:
 * `npm run example r1`. What an example runs is in its `example.json`; examples/README.md tells what can be said there.
 */
import { spawn } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { constants as system } from "node:os";
import { delimiter, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { keepSmall } from "./keep-small.mjs";
import { writeIndex } from "./write-index.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LBBENCH = join(ROOT, "packages/lbbench/bin/lbbench.js");
const USAGE = "npm run example NAME [-- [--full | --quick] [--small] [--out FOLDER]]";
/** What to do about a program that is missing. */
const INSTALL = new Map([
  ["ab", "Debian, Ubuntu: apt-get install apache2-utils; macOS has it"],
  ["go", "https://go.dev/dl"],
  ["haproxy", "Debian, Ubuntu: apt-get install haproxy; macOS: brew install haproxy"],
  ["nginx", "Debian, Ubuntu: apt-get install nginx; macOS: brew install nginx"],
  ["python3", "Debian, Ubuntu: apt-get install python3; macOS: brew install python"],
]);
/** One press of a key arrives more than once where npm passes it on as well. */
const SAME_SIGNAL_MS = 500;

/** What was asked for cannot be run; the exit code is that of `lbbench` for it. */
class UsageError extends Error {}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

/** Runs what the command line names; resolves with the exit code: 0, or that of the first command that ended otherwise than expected. */
async function main() {
  const { name, size, isSmall, out } = readArguments();
  const example = JSON.parse(readFileSync(join(ROOT, "examples", name, "example.json"), "utf8"));
  checkPrograms(name, example.needs ?? []);
  mkdirSync(out, { recursive: true });
  const done = [];
  for (const [at, run] of example.runs.entries()) {
    const line = commandLine(run, size, out);
    process.stderr.write(`\n${at + 1} of ${example.runs.length}: ${run.shows}\nlbbench ${line}\n`);
    // A new run is not written over an earlier one unless that is asked for; here it takes its place.
    if (run.folder !== undefined && !line.startsWith("report "))
      rmSync(join(out, run.folder, "result.json"), { force: true });
    const { code, stdout } = await runCommand(splitWords(line));
    const expected = run.exits ?? [0];
    if (!expected.includes(code)) {
      process.stderr.write(`lbbench ended with exit code ${code}, expected ${expected.join(" or ")}.\n`);
      return code;
    }
    if (run.saves !== undefined) writeFileSync(join(out, run.saves), stdout);
    if (isSmall && run.folder !== undefined) {
      await keepSmall(join(out, run.folder), `npx lbbench report ${pathFromRoot(join(out, run.folder))}`);
    }
    done.push({ ...run, line, code });
  }
  const index = writeIndex({ name, size, isSmall, title: example.title, runs: done, out });
  process.stderr.write(`\nReports: ${relative(process.cwd(), index)}\n`);
  return 0;
}

function readArguments() {
  const names = readdirSync(join(ROOT, "examples")).filter((name) =>
    existsSync(join(ROOT, "examples", name, "example.json")),
  );
  const usage = `${USAGE}\nNAME is one of ${names.join(", ")}.`;
  const { values, positionals } = parse(usage);
  const [name = "", ...more] = positionals;
  if (!names.includes(name) || more.length > 0) throw new UsageError(`expected: ${usage}`);
  if (values.full && values.quick) throw new UsageError(`--full and --quick exclude each other\nexpected: ${usage}`);
  return {
    name,
    size: values.full ? "full" : values.quick ? "quick" : "default",
    isSmall: values.small === true,
    out: resolve(values.out ?? join(ROOT, "reports", name)),
  };
}

function parse(usage) {
  const flag = { type: "boolean" };
  const options = { full: flag, quick: flag, small: flag, out: { type: "string" } };
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${error.message}\nexpected: ${usage}`);
  }
}

function checkPrograms(name, needs) {
  const missing = needs.filter((program) => !isInstalled(program));
  if (missing.length === 0) return;
  const lines = missing.map((program) => `  ${program} (${INSTALL.get(program) ?? "see the README of the example"})`);
  throw new UsageError(`examples/${name} needs programs that are not in PATH:\n${lines.join("\n")}`);
}

function isInstalled(program) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** The words after `lbbench`: those of the run, those of the size asked for, and the folder of its report. */
function commandLine(run, size, out) {
  const folder = pathFromRoot(out);
  const words = [run.lbbench, run[size], run.folder === undefined ? undefined : `--out ${join("{out}", run.folder)}`];
  return words
    .filter((part) => part !== undefined)
    .join(" ")
    .replaceAll(/\{out\}(\S*)/g, (_, rest) => quote(`${folder}${rest}`));
}

/** A path as it is shown: from the root of the repository where it is in there. */
function pathFromRoot(path) {
  const inside = relative(ROOT, path);
  return inside.startsWith("..") ? path : inside;
}

function splitWords(line) {
  return (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, "$1"));
}

function quote(path) {
  return /^[\w./-]+$/.test(path) ? path : `"${path}"`;
}

/**
 * Runs `lbbench` and passes on what it prints; resolves when it has ended. It is in a process group of its own, so that an
 * interruption reaches it once, from here, and it can write what it has measured.
 */
async function runCommand(words) {
  const child = spawn(process.execPath, [LBBENCH, ...words], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
    process.stdout.write(text);
  });
  const passOn = passSignals(child);
  try {
    return await new Promise((ended, failed) => {
      child.on("error", failed);
      child.on("close", (code, signal) => ended({ code: code ?? 128 + (system.signals[signal] ?? 0), stdout }));
    });
  } finally {
    passOn.stop();
  }
}

function passSignals(child) {
  let last = -Infinity;
  const passOn = (signal) => {
    const now = performance.now();
    if (now - last > SAME_SIGNAL_MS) child.kill(signal);
    last = now;
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, passOn);
  return {
    stop: () => {
      for (const signal of signals) process.off(signal, passOn);
    },
  };
}
