import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { parseArgsStringToArgv } from "string-argv";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "@lbbench/test-support/needs.js";
import { runCommand, startCommand } from "../support/run-command.js";
import { openSandbox } from "./command-sandbox.js";
import { inRepository } from "@lbbench/test-support/repository.js";
import { shownCommands } from "./shown-commands.js";

/** What a document says in place of the user's own server. */
const SHOWN_URL = "http://127.0.0.1:8080/";
const SHOWN_SECURE = "127.0.0.1:8443";
const SHOWN_GRPC = "grpc://127.0.0.1:50051";
const SHOWN_WS = "ws://127.0.0.1:8080/";

/** Programs that commands need beside Node, by what is in the command. */
const NEEDED: readonly (readonly [RegExp, readonly string[]])[] = [
  [/-t nginx|examples\/(topologies|grpc\/lbbench)/, ["nginx"]],
  [/-t haproxy|examples\/topologies/, ["haproxy"]],
  [/examples\/any-language/, ["go", "python3"]],
  [/(^| )ab /, ["ab"]],
];

const commands = shownCommands().filter(({ command }) =>
  NEEDED.every(([pattern, programs]) => !pattern.test(command) || needs(...programs)),
);

function thatRun(way: string): readonly string[] {
  return commands.filter((one) => one.way === way).map(({ command }) => command);
}

let sandbox: Awaited<ReturnType<typeof openSandbox>>;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

function wordsOf(command: string): readonly string[] {
  const url = command.includes("--http2") ? sandbox.urls.http2 : sandbox.urls.http;
  const { grpc, ws, https } = sandbox.urls;
  const line = command
    .replace(/^npx /, "")
    .replaceAll(SHOWN_URL, url)
    .replaceAll(SHOWN_SECURE, new URL(https).host)
    .replaceAll(SHOWN_GRPC, grpc)
    .replaceAll(SHOWN_WS, ws);
  return parseArgsStringToArgv(line).slice(1);
}

/** Flags that make a load short, which count because they come last. */
function shortLoad([name, ...words]: readonly string[]): readonly string[] {
  const has = (...flags: readonly string[]): boolean => flags.some((flag) => words.includes(flag));
  if (has("--resume")) return [];
  if (name === "hold")
    return has("--fault")
      ? ["-c", "10", "--warmup", "0"]
      : ["-c", "10", "--warmup", "0", "--every", "200ms", "--for", "1s"];
  if (name === "ramp") return ["--over", "1s", "--hold", "300ms"];
  const once = ["--warmup", "0", "--trials", "1"];
  const range = words.includes("rate") ? ["100", "200"] : ["8", "16"];
  if (name === "policies") {
    // As few policies as can be compared, for as long as the scenario takes.
    const few = [...once, "--policy", "round-robin", "--policy", "least-connections"];
    return has("--slow") ? [...few, "--slow", "backend-1 by 300ms from 100ms to 400ms", "-d", "1s"] : few;
  }
  if (name === "faults") return [...once, "--fault", "kill backend-2 at 100ms", "-d", "400ms"];
  // As long as they need.
  if (has("--fault")) return once;
  if (name === "max") return [...once, "-d", "150ms", "--start", ...range.slice(0, 1), "--most", ...range.slice(1)];
  if (name !== "sweep") return [];
  // ab takes whole seconds.
  const duration = has("ab") ? "1s" : "150ms";
  return [...once, ...(has("-r") ? ["-r", "500"] : ["-c", "2"]), ...(has("-n") ? ["-n", "200"] : ["-d", duration])];
}

describe("what the documents show", () => {
  it.each(thatRun("to its end"))("ends with a report or an answer: %s", async (command) => {
    const words = wordsOf(command);
    const cwd = words[0] === "init" ? mkdtempSync(join(sandbox.folder, "init-")) : sandbox.folder;
    const leavesFolder =
      /^(sweep|faults|policies|ramp|hold|max)$/.test(words[0] ?? "") && !/ (-o|--out|--resume)\b/.test(command);
    const out = mkdtempSync(join(sandbox.folder, "out-"));
    // Several commands of the documents write to one folder.
    const again = /^(sweep|ramp|max|import) .*(-o|--out) /.test(words.join(" ")) ? ["--force"] : [];
    const whole = [...words, ...shortLoad(words), ...(leavesFolder ? ["-o", out] : again)];
    const { code, stderr } = await runCommand(whole, cwd);
    // Loads this short may be inconclusive, or miss a threshold on a busy machine: 2, 4 and 70 are what must not come.
    expect([0, 1, 3], stderr).toContain(code);
    if (!leavesFolder) return;
    const result: unknown = JSON.parse(readFileSync(join(out, "result.json"), "utf8"));
    expect(result).toMatchObject({ complete: true, version: 1 });
  });

  it.each(thatRun("for ever"))("begins, and ends when it is told to: %s", async (command) => {
    // Ports of its own choice may be in use.
    const words = wordsOf(command).filter((word, at, all) => ![word, all[at - 1]].some((one) => one === "--admin"));
    const { stderr, interrupt, ended } = startCommand([...words, "--port", "0"], sandbox.folder);
    await expect.poll(stderr).toMatch(/:\/\/127\.0\.0\.1:\d+/);
    interrupt();
    expect((await ended).code, stderr()).toBe(0);
  });

  it.each(thatRun("in a shell"))("works in a shell: %s", async (command) => {
    const { stdout } = await promisify(execFile)(
      "bash",
      ["-o", "pipefail", "-c", command.replaceAll(SHOWN_URL, sandbox.urls.http)],
      { cwd: sandbox.folder, env: { ...process.env, PATH: `${sandbox.bin}${delimiter}${process.env["PATH"]}` } },
    );
    const [, file] = / > (\S+)$/.exec(command) ?? [];
    const printed = file === undefined ? stdout : readFileSync(join(sandbox.folder, file), "utf8");
    expect(printed).toMatch(/Verdict: |^# .*lbbench|^# syntax=/);
  });

  it.each(thatRun("by node --test"))("passes, in more than a few tests: %s", async (command) => {
    const stdout = await runNode(command.replace("--test ", "--test --test-reporter=tap "));
    expect(stdout).toMatch(/^# fail 0$/m);
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(5);
  });

  it.each(thatRun("as a script"))("runs, and says what it found: %s", async (command) => {
    expect(await runNode(command)).toMatch(/^pass$/m);
  });
});

/** Runs a command that begins with `node` from the root of the repository; resolves with what it prints. */
async function runNode(command: string): Promise<string> {
  const [, ...words] = parseArgsStringToArgv(command);
  return (await promisify(execFile)(process.execPath, words, { cwd: inRepository(".") })).stdout;
}
