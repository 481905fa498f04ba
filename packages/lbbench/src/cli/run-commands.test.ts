import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TESTING, writeFakeEngine, writeFakeServer } from "../../test/support/fake-plugins.js";
import { runAndRead } from "../../test/support/run-and-read.js";
import { readStoredResult } from "../../test/support/read-report.js";
import { aCommandIo, runCommand as run } from "../../test/support/run-command.js";
import { temporaryFolder, write } from "@lbbench/test-support/temporary-folder.js";
import { startTestServer } from "@lbbench/test-support/test-server.js";
import { writeConfig } from "../../test/support/write-config.js";
import { expectRefusal } from "../../test/support/expect-refusal.js";
import { keptText } from "../import/test-support/kept-output.js";
import { resultSchema } from "../model/result-schema.js";
import { createSampleResult } from "../testing/sample-result.js";
import { ExitCode } from "./io.js";
import { runAndReport } from "./run.js";

const ONE = { name: "one", server: "./server.mjs" };
const OTHER = { name: "other", server: "./other.mjs" };

/** A folder whose config measures nothing and takes no time. */
function aFolder(config: object = {}, see?: string): string {
  const cwd = temporaryFolder();
  writeFakeEngine(cwd, see);
  writeFakeServer(cwd);
  writeFakeServer(cwd, "other.mjs", "http://127.0.0.1:2");
  writeConfig(cwd, { targets: [ONE], engine: "./engine.mjs", warmup: "0", formats: ["md"], ...config });
  return cwd;
}

describe("what is typed, or a result says, is printed without what a terminal acts upon", () => {
  const EVIL = "a\u001b[31m\u009b2J\u202eb";
  it.each([
    [["sweep", "-c", "1", "-n", "20", "-o", EVIL], 0],
    [["sweep", "-c", "1", "-n", "20", "-o", EVIL, "--json", "--name", EVIL], 0],
    [["sweep", "-c", "1", "-n", "20", "-o", EVIL, "--json-lines", "-t", "one"], 0],
    [["report", "kept", "-f", "md", "-o", EVIL], 0],
    [["report", EVIL], 2],
    [["compare", "kept", "kept", "--json"], 3],
    [["import", "-", "-o", EVIL, "--name", EVIL, "--json"], 0],
    [["import", EVIL], 2],
    [["sweep", `--${EVIL}`], 2],
    [[EVIL], 2],
    [["sweep", "-t", EVIL], 2],
    [["serve", EVIL], 2],
    [["proxy", "--backend", EVIL], 2],
  ])("%j", async (words, code) => {
    const cwd = aFolder();
    const { steps, scenario, ...kept } = createSampleResult();
    const named = { ...kept, scenario: { ...scenario, name: EVIL }, steps };
    write(join(cwd, "kept/result.json"), JSON.stringify(named));
    const outcome = await run(words, cwd, { stdin: keptText("hey/slow") });
    expect(outcome.code, outcome.stderr).toBe(code);
    expect(`${outcome.stdout}${outcome.stderr}`).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
  });
});

const SHORT = "-c 1,10 -n 200 -o out";

describe("lbbench sweep", () => {
  it("leaves result and report in a folder named after the run and its start, and says where and how to repeat it", async () => {
    const cwd = aFolder();
    const { code, stdout, stderr } = await run(["sweep", "-c", "1,10", "-n", "200", "--name", "my run"], cwd);
    expect(code, stderr).toBe(ExitCode.pass);
    const [name = "", ...others] = readdirSync(join(cwd, "reports"));
    expect(others).toEqual([]);
    expect(name).toMatch(/^my-run-\d{8}-\d{6}-\d{3}$/);
    const folder = join(cwd, "reports", name);
    expect(stdout).toContain("Verdict: pass");
    expect(stdout).toContain(`Report: ${join(folder, "report.md")}\n`);
    expect(readdirSync(folder).toSorted()).toEqual(["report.md", "result.json"]);
    expect(readStoredResult(folder)).toMatchObject({
      complete: true,
      command: "npx lbbench sweep -c 1,10 -n 200 --name 'my run' --config lbbench.config.json",
      steps: [{ level: { connections: 1, requests: 200 } }, { level: { connections: 10, requests: 200 } }],
    });
  });

  it("prints a line for each step on stderr where that is no terminal, and the summary on stdout", async () => {
    const { stdout, stderr } = await run(`sweep ${SHORT}`, aFolder());
    expect(stderr.trim().split("\n")).toEqual([
      "Config: lbbench.config.json",
      expect.stringMatching(/^\[1\/2\] one, 1 connection: .* requests\/s, .* 0 failed$/),
      expect.stringMatching(/^\[2\/2\] one, 10 connections: .* requests\/s, .* 0 failed$/),
    ]);
    expect(stdout).toContain("Verdict: pass");
    expect(stderr + stdout, "control characters").not.toMatch(/[^\P{Cc}\n]/u);
  });

  it("draws a bar on a terminal, and the verdict in colour", async () => {
    const { stdout, stderr } = await run(`sweep ${SHORT}`, aFolder(), { columns: 80 });
    expect(stderr).toContain("1 of 2 steps done");
    expect(stdout).toContain("\u001B[32m");
  });

  it("prints nothing with --quiet, and only the result with --quiet --json", async () => {
    const cwd = aFolder();
    expect(await run(`sweep ${SHORT} --quiet`, cwd)).toEqual({ code: ExitCode.pass, stdout: "", stderr: "" });
    // Of the default levels some have more connections than there are requests.
    const fewer = await run("sweep -n 20 --trials 1 --warmup 0 --quiet -o fewer", cwd);
    expect(fewer).toEqual({ code: ExitCode.pass, stdout: "", stderr: "" });
    const json = await run(`sweep ${SHORT} --quiet --json --force`, cwd);
    expect(json).toMatchObject({ code: ExitCode.pass, stderr: "" });
    expect(JSON.parse(json.stdout)).toEqual(readStoredResult(join(cwd, "out")));
  });

  it("prints one JSON document on stdout with --json, a line for each step with --json-lines, and the summary on stderr", async () => {
    const whole = await runAndRead(`sweep ${SHORT} --json`, aFolder());
    expect(resultSchema.parse(JSON.parse(whole.stdout)).steps).toHaveLength(2);
    const lines = await runAndRead(`sweep ${SHORT} --json-lines`, aFolder());
    const steps = lines.stdout.trim().split("\n");
    expect(steps.map((line): unknown => JSON.parse(line))).toEqual(lines.steps);
    for (const { stderr } of [whole, lines]) expect(stderr).toContain("Verdict: pass");
  });

  it("writes over the report of a folder only with --force", async () => {
    const cwd = aFolder();
    const { startedAt } = await runAndRead(`sweep ${SHORT}`, cwd);
    expectRefusal(await run(`sweep ${SHORT}`, cwd), ["-o, --out: expected a folder without a report", "--force"]);
    expect(readStoredResult(join(cwd, "out")).startedAt).toBe(startedAt);
    expect((await run(`sweep ${SHORT} --force`, cwd)).code).toBe(ExitCode.pass);
  });

  it.each([
    ["of a range", "-c 10:40:10 -n 25", [10, 20]],
    ["of the default", "-n 60", [1, 50]],
  ])("leaves out levels %s that have more connections than requests, and says so", async (_, flags, kept) => {
    const { stderr, steps } = await runAndRead(`sweep ${flags} -o out`, aFolder());
    expect(stderr).toMatch(
      /^warning: Levels of [\d, ]+ connections are left out, as there are fewer requests \(-n \d+\)/m,
    );
    expect(steps.map(({ level }) => level.connections)).toEqual(kept);
  });

  const FAILING = "() => ({ requests: { ok: 150, non2xx: 50 } })";
  const WORSE = '({ url }) => (url.includes(":2") ? { requests: { ok: 190, non2xx: 10 } } : {})';
  const COMPARED = { targets: [ONE, OTHER], margin: "5%" };

  it.each<[number, string, string, object, string, string]>([
    [ExitCode.pass, "a threshold is met", "--threshold errors<=25%", {}, FAILING, "Verdict: pass"],
    [ExitCode.fail, "one of two is missed", "--threshold errors<50% --threshold errors<10%", {}, FAILING, "errors<10%"],
    [ExitCode.inconclusive, "all fail", "", {}, "() => ({ requests: { ok: 0, non2xx: 200 } })", "ALL_FAILED"],
    [ExitCode.fail, "a target is worse", "--trials 6", COMPARED, WORSE, "; the margin allows 0.1 points."],
    [
      ExitCode.inconclusive,
      "none can be told to be worse",
      "--trials 1",
      COMPARED,
      WORSE,
      "whether it is worse than one by more than 5 %: one trial cannot be told from noise, use --trials",
    ],
    [ExitCode.pass, "none is compared", "-t one", COMPARED, WORSE, "Verdict: pass"],
  ])("exits with %i when %s", async (expected, _, flags, config, see, says) => {
    const words = `sweep -c 8 -n 200 -o out ${flags}`.trim();
    const { code, stdout } = await run(words, aFolder(config, see));
    expect(code, stdout).toBe(expected);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(says);
    expect(stdout).not.toContain("errors<50%");
  });

  it("sends what the command line says of requests", async () => {
    const cwd = aFolder({}, "({ request }) => { throw new Error(JSON.stringify(request)); }");
    const words = `sweep ${SHORT} -m put --expect-status 201 --expect-body made`.split(" ");
    const all = [...words, "-H", "X-One: 1: 2", "-b", "a 'body'"];
    const { steps, report } = await runAndRead(all, cwd, ExitCode.inconclusive);
    expect(JSON.parse(steps[0]?.error?.message ?? "")).toMatchObject({
      method: "PUT",
      headers: [["X-One", "1: 2"]],
      body: "a 'body'",
      expectStatus: "201",
      expectBody: "made",
    });
    expect(report()).toContain(`-H 'X-One: 1: 2' -b 'a '\\''body'\\'''`);
  });
});

describe("lbbench sweep --live", () => {
  it("prints the address of the page also when nothing else is, and leaves stdout to the result", async () => {
    const { code, stdout, stderr } = await run(`sweep ${SHORT} --live --json --quiet`, aFolder());
    expect({ code, stderr }).toEqual({
      code: ExitCode.pass,
      stderr: expect.stringMatching(/^Live: http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/\n$/),
    });
    expect(JSON.parse(stdout)).toMatchObject({ complete: true });
  });

  it("refuses a port that is taken before anything is measured", async () => {
    const { port } = await startTestServer();
    const cwd = aFolder();
    const outcome = await run(`sweep ${SHORT} --live --live-port ${port}`, cwd);
    expectRefusal(outcome, [`--live-port: expected a port that is free, got ${port}`]);
    expect(readdirSync(cwd)).not.toContain("out");
  });
});

describe("faults", () => {
  const SERVER = `import { createFakeServer } from "${TESTING}";
const fake = createFakeServer();
const parts = [{ name: "backend-2", role: "backend", can: ["kill", "start", "slow"], apply: async () => {} }];
export default { ...fake, start: async (...given) => ({ ...(await fake.start(...given)), parts }) };`;
  const ENGINE = `import { createFakeEngine } from "${TESTING}";
export default createFakeEngine({ supports: { slices: true } });`;

  function aFaultyFolder(config: object): string {
    const cwd = aFolder({ duration: "2s", ...config });
    write(join(cwd, "server.mjs"), SERVER);
    write(join(cwd, "engine.mjs"), ENGINE);
    return cwd;
  }

  it("of the command line take the place of those in the config file, and stand in the scenario and in the line that repeats the run", async () => {
    const cwd = aFaultyFolder({ faults: [{ at: "1s", slow: "backend-2", by: "1s" }] });
    const resultOf = async (...words: readonly string[]) => {
      const { stdout, stderr } = await run([...words, "--warmup", "0", "-o", "out", "--force"], cwd);
      expect(stderr + stdout).toContain("Verdict:");
      return readStoredResult(join(cwd, "out"));
    };
    const faults = ["--fault", "start backend-2 at 2s", "--fault", "kill backend-2 at 1s"];
    const inFile = [{ atMs: 1000, kind: "slow", part: "backend-2", byMs: 1000 }];
    const inFlags = [1, 2].map((s) => ({ atMs: s * 1000, kind: s === 1 ? "kill" : "start", part: "backend-2" }));
    expect((await resultOf("sweep")).scenario).toMatchObject({ faults: inFile, restart: "step" });
    expect(await resultOf("sweep", "-d", "3s", ...faults)).toMatchObject({
      command: expect.stringContaining("--fault 'start backend-2 at 2s' --fault 'kill backend-2 at 1s'"),
      scenario: { faults: inFlags, levels: [{ rate: 500, durationMs: 3000 }] },
    });
    const { scenario } = await resultOf("faults", "-r", "50");
    expect(scenario).toMatchObject({ name: "faults", faults: inFile, levels: [{ rate: 50, durationMs: 2000 }] });
  });

  it("last as long as they take where the file says how long a sweep lasts, and are refused before any load where a target cannot do them", async () => {
    const cwd = aFaultyFolder({});
    const { stdout, stderr } = await run(["faults", "--fault", "kill backend-2 at 3s", "-o", "out"], cwd);
    expect(stderr + stdout).toContain("Verdict:");
    expect(readStoredResult(join(cwd, "out")).scenario.levels).toEqual([{ rate: 500, durationMs: 8000 }]);
    const refused = await run(["faults", "--fault", "kill backend-9 at 1s", "-o", "other"], cwd);
    expectRefusal(refused, ['The target "one" has no part "backend-9". It has backend-2 (kill, start, slow).']);
    expect(readdirSync(cwd)).not.toContain("other");
  });
});

describe("a config file of several commands", () => {
  const ASKED = `import { createFakeEngine } from "${TESTING}";
const check = async ({ levels, trials }) => { throw new Error(JSON.stringify({ levels, trials })); };
export default { ...createFakeEngine({ supports: { slices: true, holds: true } }), check };`;
  const OF_SWEEP = { connections: [1, 50], duration: "3s", trials: "auto" };
  const MIXED = { scenario: "mixed", only: ["random", "round-robin"] };

  it.each<[string, object, object]>([
    ["ramp", OF_SWEEP, { levels: [{ users: 100, durationMs: 30_000 }], trials: 1 }],
    [
      "ramp --to 5",
      { ramp: { over: "4s", hold: "3s", to: 9 } },
      { levels: [{ users: 5, durationMs: 7000 }], trials: 1 },
    ],
    [
      "sweep -c 1 -n 9",
      { ramp: { to: 9 }, hold: { for: "1s" } },
      { levels: [{ connections: 1, requests: 9 }], trials: 1 },
    ],
    ["max", OF_SWEEP, { levels: [{ connections: 1, durationMs: 3000 }], trials: 3 }],
    ["hold -c 9 --for 1s", OF_SWEEP, { levels: [{ connections: 9, durationMs: 1000 }], trials: 1 }],
    ["policies --policy random", OF_SWEEP, { levels: [{ rate: 200, durationMs: 6000 }], trials: 4 }],
    ["policies", { ...OF_SWEEP, policies: MIXED }, { levels: [{ rate: 200, durationMs: 6000 }], trials: 4 }],
    ["policies", { requests: 9, policies: MIXED }, { levels: [{ rate: 200, requests: 9 }], trials: 4 }],
    [
      "ramp",
      { faults: ["kill backend-2 at 1s"], thresholds: ["p99<1s", "lost<10"], policies: MIXED, stopOn: ["within<9%"] },
      { levels: [{ users: 100, durationMs: 30_000 }], trials: 1 },
    ],
    [
      "max --by rate",
      { rate: [9], arrival: { by: "connections" } },
      { levels: [{ rate: 10, durationMs: 3000 }], trials: 3 },
    ],
    ["policies mixed -n 8 -c 2 --trials 2", OF_SWEEP, { levels: [{ connections: 2, requests: 8 }], trials: 2 }],
  ])("says of %s nothing that only another one needs: %j", async (words, config, expected) => {
    const cwd = aFolder({ targets: words.startsWith("policies") ? ["balanced"] : [ONE], ...config });
    write(join(cwd, "engine.mjs"), ASKED);
    const { stderr } = await run(words, cwd);
    expect(JSON.parse(/\{.*\}/s.exec(stderr)?.[0] ?? stderr)).toEqual(expected);
  });
});

describe("lbbench max", () => {
  /** Refuses what is beyond seven connections. */
  const SEVEN = "({ level: { connections } }) => (connections > 7 ? { requests: { non2xx: 1 } } : {})";

  it("finds the largest load that holds, tells what it tried, and runs beyond; levels of the file are those of a sweep", async () => {
    const cwd = aFolder({ connections: [1, 2], requests: 100 }, SEVEN);
    const { stdout, stderr } = await runAndRead("max -d 2s -o out --beyond 1.25", cwd);
    expect(stdout).toContain(
      "one: 7 connections held, 8 did not (requests failed); beyond, 0 of 3 trials held 9 connections.",
    );
    expect(stderr).toMatch(/^\[1 of at most \d+\] one, 1 connection: /m);
  });

  it.each([
    [ExitCode.fail, "not even one connection holds", "non2xx: 1", "not even 1 connection held (requests failed)."],
    [
      ExitCode.inconclusive,
      "all that was tried held",
      "",
      "No limit of one was found: the largest load that was tried held.",
    ],
  ])("exits with %i when %s", async (expected, _, requests, says) => {
    const see = `() => ({ requests: { ${requests} } })`;
    const { stdout } = await runAndRead("max -o out --trials 1 --most 4", aFolder({}, see), expected);
    expect(stdout).toContain(says);
  });
});

describe("lbbench --help and --version", () => {
  it.each([
    ["--help", /^Usage: lbbench \[options\] \[command\]\n[^]*\n {2}doctor /],
    ["sweep --help", /^Usage: lbbench sweep \[options\] \[url\]\n/],
    ["--version", /^\d+\.\d+\.\d+\S*\n$/],
    ["doctor --help", /\nExamples:\n {2}lbbench doctor\n {2}lbbench doctor --quick\n/],
    [
      "max --help",
      /\nServers: single, [^]*\n\nEngines; auto, [^]*:\n {2}autocannon {2}[^]*\nExamples:\n {2}lbbench max http/,
    ],
  ])("prints to stdout and nothing else: %s", async (line, expected) => {
    expect(await run(line, "/")).toEqual({ code: ExitCode.pass, stdout: expect.stringMatching(expected), stderr: "" });
  });
});

const FAULT = new Error("The live page could not be drawn", { cause: new Error("no such chart\u001B[31m") });
const LIVE = { quiet: true, live: true } as const;

const openView = () => Promise.resolve({ url: "", onEvent: () => {}, close: () => Promise.reject(FAULT) });

it("leaves the exit code of a run as it is where the live page could not be drawn, says so, and gives the signals back", async () => {
  const { io, stderr, isInterruptCaught } = aCommandIo("/");
  const outcome = { result: createSampleResult(), folder: "out", files: [], problems: [] };
  expect(await runAndReport(LIVE, io, () => Promise.resolve(outcome), openView)).toBe(
    ExitCode[outcome.result.verdict.status],
  );
  expect(stderr()).toBe(
    "Live: \nThe live page did not show all of the run: The live page could not be drawn: no such chart\n",
  );
  expect(isInterruptCaught()).toBe(false);
});

it("does not hide why a run failed behind a live page that could not be drawn", async () => {
  const { io, isInterruptCaught } = aCommandIo("/");
  const failure = new Error("the target is not there");
  await expect(runAndReport(LIVE, io, () => Promise.reject(failure), openView)).rejects.toBe(failure);
  expect(isInterruptCaught()).toBe(false);
});
