import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readResult, type SweepInput } from "lbbench";
import { describe, expect, it } from "vitest";
import { commentMark } from "../src/comment.js";
import { startFakeGitHub, type FakeGitHub } from "./support/fake-github.js";
import { copyBundle, startBundle } from "./support/start-bundle.js";

const PATIENCE = { timeout: 40_000, interval: 50 };

const EVENT = JSON.stringify({
  pull_request: { number: 7 },
  repository: { name: "r", owner: { login: "o" } },
});

/** What the runner tells of a run for pull request 7 of o/r, whose event is in the folder. */
const onPullRequest = (folder: string, { url }: FakeGitHub) => ({
  GITHUB_EVENT_PATH: join(folder, "event.json"),
  GITHUB_EVENT_NAME: "pull_request",
  GITHUB_REPOSITORY: "o/r",
  GITHUB_RUN_NUMBER: "2",
  GITHUB_API_URL: url,
});

/** Between them they start every kind of process and thread that there is in the bundle without other programs. */
const SWEEPS: readonly (readonly [what: string, input: SweepInput])[] = [
  [
    "a cluster, its workers, and a balancer with its backends",
    { targets: ["cluster", "balanced"], connections: "1", requests: "20" },
  ],
  [
    "a pool of threads",
    { targets: [{ name: "pool", server: "pool", options: { pool: 2 } }], connections: "1", requests: "20" },
  ],
  ["an open loop, for which a thread keeps the time", { targets: ["single"], rate: "50", duration: "200ms" }],
  ["calls of gRPC, whose .proto is beside the bundle", { targets: ["grpc"], connections: "1", requests: "20" }],
];

describe("the bundle alone", () => {
  it.each(SWEEPS)("measures %s", async (_, input) => {
    const folder = copyBundle({ "lbbench.config.json": JSON.stringify({ warmup: "0", ...input }) });
    const { ended, log, processes } = startBundle(folder, { out: "report", "fail-on": "never" });
    expect(await ended, log()).toMatchObject({ code: 0 });
    const { steps } = (await readResult(join(folder, "report"))).result;
    expect(steps.map(({ state }) => state)).toEqual(steps.map(() => "completed"));
    for (const { measurement, usage } of steps) {
      expect(measurement?.requests.ok).toBeGreaterThan(0);
      expect(usage?.backends?.[0]).toBeDefined();
    }
    expect(processes()).toEqual([]);
  });

  it("compares with a baseline, and tells it first", async () => {
    const folder = copyBundle();
    const inputs = { targets: "single", connections: "1", requests: "50", warmup: "0" };
    const first = startBundle(folder, { ...inputs, out: "first" });
    expect(await first.ended, first.log()).toMatchObject({ code: 0 });
    // Not the margin of a sweep, which one target alone could not have.
    const second = startBundle(folder, { ...inputs, out: "second", baseline: "first", margin: "2%" });
    const { code, summary, outputs } = await second.ended;
    expect(code, second.log()).toBe(1);
    expect(summary).toMatch(/^### lbbench compare: inconclusive\n/);
    expect(summary).toContain("2 %");
    expect(outputs).toMatch(/verdict.*\ninconclusive\n/);
    expect(second.log()).toContain("The trials do not tell whether it is worse than the baseline.");
  });

  it.each([
    ["ends the process", "process.exit(0);"],
    [
      "throws where nobody can catch it",
      "setTimeout(() => { throw new Error('late'); }); await new Promise(() => {});",
    ],
  ])("fails where a plugin %s", async (_, source) => {
    const folder = copyBundle({ "mine.mjs": source });
    const { ended, log, processes } = startBundle(folder, { targets: "./mine.mjs", requests: "20", connections: "1" });
    expect((await ended).code, log()).not.toBe(0);
    expect(log()).toContain("::error::The process ended before the step was done");
    expect(processes()).toEqual([]);
  });

  it("says what a config file lacks that imports a package which is not installed", async () => {
    const config = 'import "left-pad-of-nobody"; export default {};\n';
    const { ended, log } = startBundle(copyBundle({ "lbbench.config.mjs": config }), {});
    expect(await ended, log()).toMatchObject({
      code: 1,
      outputs: "",
      summary: expect.stringContaining("left-pad-of-nobody"),
    });
    expect(log()).toMatch(/^::error::The config file .* Install left-pad-of-nobody in a step before this one/m);
  });

  it("keeps tokens, inputs and the files of the runner from the config and from servers under test", async () => {
    const folder = copyBundle();
    const dump = (name: string): string =>
      `require("node:fs").writeFileSync(${JSON.stringify(join(folder, name))}, JSON.stringify(process.env));`;
    writeFileSync(
      join(folder, "server.cjs"),
      `${dump("server-env")} require("node:http").createServer((_, response) => response.end("x")).listen(process.env.PORT, "127.0.0.1");`,
    );
    const target = { name: "mine", server: "command", options: { command: "node server.cjs", cwd: "." } };
    const config = { targets: [target], connections: "1", requests: "20", warmup: "0" };
    writeFileSync(
      join(folder, "lbbench.config.mjs"),
      `import { createRequire } from "node:module"; const require = createRequire(import.meta.url); ${dump("config-env")} export default ${JSON.stringify(config)};`,
    );
    const secrets = { ACTIONS_RUNTIME_TOKEN: "s3cr3t", ACTIONS_ID_TOKEN_REQUEST_URL: "s3cr3t" };
    const { ended, log } = startBundle(folder, { out: "report", token: "s3cr3t", comment: "never" }, secrets);
    const { summary, outputs } = await ended;
    for (const name of ["config-env", "server-env"]) {
      const text = readFileSync(join(folder, name), "utf8");
      const names = Object.keys(JSON.parse(text) as object);
      expect(names).toContain("PATH");
      expect(names.filter((found) => /^(?:INPUT_|ACTIONS_|GITHUB_(?:OUTPUT|STEP_SUMMARY)$)/.test(found))).toEqual([]);
      expect(text).not.toContain("s3cr3t");
    }
    expect(summary, log()).toContain("## Verdict: pass");
    expect(outputs).toContain("verdict");
  });

  it("shows no secret of a request in the log, the summary or the page", async () => {
    const config = {
      targets: ["single"],
      connections: "1",
      requests: "20",
      warmup: "0",
      request: { headers: { "x-api-key": "s3cr3t" } },
    };
    const folder = copyBundle({ "lbbench.config.json": JSON.stringify(config) });
    const { ended, log } = startBundle(folder, { out: "report", comment: "never" });
    const { code, summary } = await ended;
    expect(code, log()).toBe(0);
    expect(
      log()
        .split("\n")
        .filter((line) => line.includes("s3cr3t")),
    ).toEqual(["::add-mask::s3cr3t"]);
    expect(summary).toContain("x-api-key: (hidden)");
    for (const file of ["report.md", "report.html"]) {
      expect(readFileSync(join(folder, "report", file), "utf8")).not.toContain("s3cr3t");
    }
    expect(readFileSync(join(folder, "report/result.json"), "utf8")).toContain("s3cr3t");
  });

  it.each([
    ["a server did not start", {}, "absent-server.js"],
    ["an input is none", { thresholds: "p99<50" }, "thresholds"],
  ])("says in the summary and in the comment that %s, in place of an earlier verdict", async (_, inputs, why) => {
    const old = `${commentMark("key", 1)}\nVerdict: pass`;
    const github = await startFakeGitHub({
      comments: [{ body: old, user: { login: "github-actions[bot]", type: "Bot" } }],
    });
    const broken = { name: "head", server: "command", options: { command: "node absent-server.js" } };
    const folder = copyBundle({
      "lbbench.config.json": JSON.stringify({ targets: [broken], connections: "1" }),
      "event.json": EVENT,
    });
    const given = { token: "secret", "comment-key": "key", ...inputs };
    const { ended, log } = startBundle(folder, given, onPullRequest(folder, github));
    const { code, summary, outputs } = await ended;
    expect(code, log()).toBe(1);
    expect(outputs).toBe("");
    expect(github.comments).toHaveLength(1);
    for (const text of [summary, github.comments[0]?.body]) {
      expect(text, log()).toContain("### lbbench: no verdict");
      expect(text).toContain(why);
      expect(text).not.toContain("pass");
    }
  });

  it("fails when it cannot be told unless it is said to let that pass, and comments where it may and is asked to", async () => {
    const github = await startFakeGitHub({ isReadOnly: true });
    const folder = copyBundle({ "event.json": EVENT });
    // A run so short supports no statement about a percentile.
    const load = { targets: "single", connections: "2", duration: "150ms", warmup: "0", thresholds: "p99<60s" };
    const run = (inputs: Readonly<Record<string, string>>) =>
      startBundle(folder, { ...load, token: "secret", ...inputs }, onPullRequest(folder, github));
    const strict = run({ comment: "never", out: "strict" });
    expect(await strict.ended, strict.log()).toMatchObject({ code: 1, summary: expect.stringContaining("p99<60s") });
    expect(strict.log()).toMatch(/^::error::Verdict: inconclusive\..*p99<60s cannot/m);
    expect(github.requests).toEqual([]);

    const lenient = run({ "fail-on": "fail", out: "lenient" });
    expect((await lenient.ended).code, lenient.log()).toBe(0);
    expect(lenient.log()).toMatch(/^::warning::Verdict: inconclusive\..*p99<60s cannot/m);
    expect(lenient.log()).toMatch(/^::notice::.*The report is in the summary of the job\./m);
    expect(github.comments).toEqual([]);
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "ends every process when the job is cancelled by %s, and shows what was measured",
    async (signal) => {
      const inputs = { targets: "cluster", connections: "1", requests: "20,1000000000", warmup: "0", out: "report" };
      const { child, log, processes, ended } = startBundle(copyBundle(), inputs);
      await expect.poll(log, PATIENCE).toContain("[1/2]");
      // Itself, a generator, the primary and its workers.
      await expect.poll(() => processes().length, PATIENCE).toBeGreaterThan(4);
      child.kill(signal);
      const { code, summary, outputs } = await ended;
      expect(code, log()).toBe(1);
      expect(log()).toContain("::error::The job was cancelled. The report holds what was measured until then.");
      expect(summary).toContain("not finished");
      expect(outputs).toContain("verdict");
      expect(processes()).toEqual([]);
    },
  );
});
