import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { parseArgsStringToArgv } from "string-argv";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli, startCli } from "../support/run-cli.js";
import { openSandbox, type Sandbox } from "./command-sandbox.js";
import { inRepository } from "./repository.js";
import { allDocuments, shellCommands, type ShownCommand } from "./shell-commands.js";
import { shortenCommand } from "./shorten-command.js";

/** What a document says in place of the user's own server, and of the ports of proxies that run for ever. */
const SHOWN_URL = "http://127.0.0.1:8080/";
const SHOWN_GRPC = "grpc://127.0.0.1:50051";
/** Commands that are run by something else, and by what. */
const RUN_ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/^npm (ci|test|run check)$/, ".ci/run"],
  [/^bash \.ci\/run$/, "CI"],
  [/^apt-get (update|install) /, ".ci/run"],
  [/^npm run test:/, "npm test, of which it is a part"],
  [/^npm run example r\d\b/, "test/examples"],
  [/^npm run bench( -- |$)/, ".github/workflows/bench.yml, every night"],
  [/^node bench\/proxy\/run.mjs --check$/, "proxy-bench.integration.test.ts"],
  [/^npm install --save-dev lbbench$/, "test/packages, with packed tarballs"],
  [/^node --test examples\/tests-node\//, "test/packages/test-runners, which knows when a comparison cannot be told"],
  [/^npm run docs$/, "documents.integration.test.ts, which runs its script"],
  [/^npm run format$/, "npm run check, by its --check"],
  [/^npm run build:action$/, "npm run check, by its --check"],
  [/^npm run build$/, "npm ci"],
  [/^node bench\/install\/run.mjs$/, "nothing: it asks the registry of npm, and takes minutes"],
  [/^npm run version -- /, "release.integration.test.ts"],
  [/^(GITHUB_REPOSITORY=OWNER\/NAME )?node release\/(pack|publish)\.mjs /, "release.integration.test.ts"],
  [/^npm login$/, "nothing: it needs an account"],
  [/^(NODE_OPTIONS=\S+ )?npx (jest|vitest run) .*examples\/tests-/, "test-runners.slow.test.ts"],
];

/** What makes a bench short, and leaves its committed figures alone. */
const SHORT_BENCHES = new Map([
  [
    "node bench/proxy/run.mjs",
    "--only lbbench-undici,nginx --bodies small --rounds 1 --seconds 1 --warmup 1 --skip-paced",
  ],
]);

/** Programs that commands need beside Node, by what is in the command; in CI all of them are there. */
const NEEDED: readonly (readonly [RegExp, readonly string[]])[] = [
  [/-t nginx|bench\/proxy/, ["nginx"]],
  [/-t haproxy/, ["haproxy"]],
  [/examples\/topologies/, ["nginx", "haproxy"]],
  [/examples\/any-language/, ["go", "python3"]],
  [/(^| )ab /, ["ab"]],
  [/--engine wrk|bench\/proxy/, ["wrk"]],
  [/--engine hey/, ["hey"]],
];

const LONG = { timeout: 180_000 };

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

const shown = allDocuments().flatMap(shellCommands);
const distinct = [...new Map(shown.map((one) => [one.command, one])).values()].filter(({ command }) => {
  const missing = process.env["CI"] === undefined ? missingFor(command) : [];
  if (missing.length > 0)
    process.stderr.write(`not run: ${command}; it needs ${missing.join(" and ")}, not found here\n`);
  return missing.length === 0;
});
const ofLbbench = distinct.filter(({ command }) => command.startsWith("npx lbbench "));
const forEver = ofLbbench.filter(({ command }) => /^npx lbbench (proxy|serve) /.test(command));
const piped = distinct.filter(({ command }) => /^lbbench |\| (npx )?lbbench /.test(command));
const scripts = distinct.filter(({ command }) => /^node (--test )?examples\/(?!tests-)/.test(command));
const benches = distinct.filter(({ command }) => SHORT_BENCHES.has(command));
const ended = ofLbbench.filter((one) => !forEver.includes(one) && !piped.includes(one));

function missingFor(command: string): readonly string[] {
  const needed = NEEDED.flatMap(([pattern, programs]) => (pattern.test(command) ? programs : []));
  return needed.filter((program) => spawnSync("which", [program]).status !== 0);
}

function wordsOf({ command }: ShownCommand): readonly string[] {
  const url = command.includes("--http2") ? sandbox.urls.http2 : sandbox.urls.http;
  const [, , ...words] = parseArgsStringToArgv(
    command.replaceAll(SHOWN_URL, url).replaceAll(SHOWN_GRPC, sandbox.urls.grpc),
  );
  return words;
}

describe("what the documents show", () => {
  it("is known to be run", () => {
    const known = new Set([...ofLbbench, ...piped, ...scripts, ...benches].map(({ command }) => command));
    const unknown = distinct.filter(
      ({ command }) => !known.has(command) && !RUN_ELSEWHERE.some(([pattern]) => pattern.test(command)),
    );
    expect(unknown).toEqual([]);
    expect(ended.length).toBeGreaterThan(30);
  });

  it.each(ended)("ends with a report or an answer: $command", LONG, async (one) => {
    const words = wordsOf(one);
    const cwd = words[0] === "init" ? mkdtempSync(join(sandbox.folder, "init-")) : sandbox.folder;
    const leavesFolder =
      /^(sweep|ramp|max)$/.test(words[0] ?? "") && !/ (-o|--out|--resume|--help)\b/.test(one.command);
    const out = mkdtempSync(join(sandbox.folder, "out-"));
    const { code, stderr } = await runCli([...shortenCommand(words), ...(leavesFolder ? ["-o", out] : [])], cwd);
    // Loads this short may be inconclusive, or miss a threshold on a busy machine: 2, 4 and 70 are what must not come.
    expect([0, 1, 3], stderr).toContain(code);
    if (!leavesFolder) return;
    const result: unknown = JSON.parse(readFileSync(join(out, "result.json"), "utf8"));
    expect(result).toMatchObject({ complete: true, version: 1 });
  });

  it.each(forEver)("begins, and ends when it is told to: $command", async (one) => {
    const shown = wordsOf(one).map((word, index, all) => (/^--(port|admin)$/.test(all[index - 1] ?? "") ? "0" : word));
    // What takes a port of its own choice beside other tests may find it in use.
    const words = shown.includes("--port") ? shown : [...shown, "--port", "0"];
    const cli = startCli(words, sandbox.folder);
    await expect.poll(cli.stderr, { timeout: 20_000 }).toMatch(/:\/\/127\.0\.0\.1:\d+/);
    cli.kill("SIGTERM");
    expect((await cli.ended).code, cli.stderr()).toBe(0);
    expect(cli.processes()).toEqual([]);
  });

  it.each(piped)("works in a shell: $command", async ({ command }) => {
    const line = command.replace("http://localhost:8080/", sandbox.urls.http).replaceAll(SHOWN_URL, sandbox.urls.http);
    const path = `${sandbox.bin}${delimiter}${process.env["PATH"]}`;
    const { stdout } = await promisify(execFile)("bash", ["-o", "pipefail", "-c", line], {
      cwd: sandbox.folder,
      env: { ...process.env, PATH: path },
    });
    expect(stdout).toContain("Verdict: ");
  });

  it.each(scripts)("runs: $command", LONG, async ({ command }) => {
    const [, ...words] = parseArgsStringToArgv(command);
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: inRepository(".") });
    expect(stdout).toMatch(command.includes("--test") ? /^# fail 0$/m : /\S/);
  });

  it.each(benches)("measures: $command", LONG, async ({ command }) => {
    const out = join(sandbox.folder, "bench.json");
    const [, ...words] = parseArgsStringToArgv(`${command} ${SHORT_BENCHES.get(command)} --out ${out}`);
    await promisify(execFile)(process.execPath, words, { cwd: inRepository(".") });
    expect(JSON.parse(readFileSync(out, "utf8"))).toHaveProperty("machine");
  });
});
