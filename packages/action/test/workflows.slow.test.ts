import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { recommendedWorkflow, recommendedConfig } from "./support/documented.js";
import { startFakeGitHub } from "./support/fake-github.js";
import { needs } from "@lbbench/test-support/needs.js";
import { ACTION, createActRepository } from "./support/run-act.js";

/** Answers at once. */
const SERVER = `
require("node:http").createServer((_, response) => response.end("hello")).listen(process.env.PORT, "127.0.0.1");
`;
/** Answers every second request so late that it is slower on any machine, however busy it is. */
const SLOWER = `
let count = 0;
require("node:http").createServer((_, response) => {
  setTimeout(() => response.end("hello"), count++ % 2 === 0 ? 0 : 60_000).unref();
}).listen(process.env.PORT, "127.0.0.1");
`;

/** A workflow of one step, with these inputs. */
function workflow(inputs: object): string {
  return stringify({
    name: "Benchmark",
    on: "pull_request",
    permissions: { contents: "read", "pull-requests": "write" },
    jobs: {
      bench: {
        "runs-on": "ubuntu-latest",
        steps: [{ uses: "actions/checkout@v4" }, { uses: ACTION, id: "lbbench", with: inputs }],
      },
    },
  });
}

describe.runIf(needs("act"))("the action, in workflows run by act", () => {
  it("passes, tells so in the summary, and keeps one comment up to date", async () => {
    const github = await startFakeGitHub();
    const name = "mine ::error::x $(touch pwned) `touch pwned` ##[error]x | <b>@octocat</b>";
    const config = { name: "bench", targets: [{ name, server: "single" }] };
    const { run, folder } = createActRepository({
      ".github/workflows/bench.yml": workflow({
        duration: "150ms",
        warmup: "0",
        connections: "1,2",
        out: "../report",
        thresholds: "errors<1%\nerrors<2%",
      }),
      "lbbench.config.ts": `import { DEFAULTS, type SweepInput } from "lbbench";\nexport default { ...${JSON.stringify(config)}, trials: DEFAULTS.trials } satisfies SweepInput;\n`,
    });
    const first = await run(github.url);
    expect(first.isSuccess, first.log).toBe(true);
    expect(first.summary).toMatch(/^# bench\n[^]*## Verdict: pass\n/);
    expect(first.summary).toContain("```mermaid");
    expect(first.outputs.get("verdict")).toBe("pass");
    expect(first.outputs.get("result")).toBe(join(first.outputs.get("report") ?? "", "result.json"));
    expect(first.log).toContain("[10/10] mine");
    expect(first.commands.filter(({ command }) => ["error", "warning", "notice"].includes(command))).toEqual([]);
    expect(first.log).toContain("The comment on pull request 7 was created.");
    expect(github.comments).toHaveLength(1);
    const [created] = github.comments;
    expect(created?.body).toMatch(/^<!-- lbbench report \S+ run \d+ -->\n## Verdict: pass\n/);
    expect(created?.body).toMatch(/Measured at [0-9a-f]{40}, the merge of 0123456789abcdef into its base\./);
    for (const text of [first.summary, created?.body])
      expect(text?.replaceAll(/^(```+)[^]*?^\1$/gm, "")).not.toContain("<b>");
    expect(created?.body).not.toContain("@octocat");

    const second = await run(github.url);
    expect(second.isSuccess, second.log).toBe(true);
    expect(second.log).toContain("The comment on pull request 7 was updated.");
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]?.body).not.toBe(created?.body);
    expect([...first.left, ...second.left]).toEqual([]);
    // No shell has seen the name of the target: what is in it was run nowhere.
    const files = readdirSync(dirname(folder), { recursive: true, encoding: "utf8" });
    expect(files).toContain(join("repository", "lbbench.config.ts"));
    expect(files.filter((path) => path.endsWith("pwned"))).toEqual([]);
  });

  it("fails the recommended workflow when the head is slower than the base", async () => {
    const github = await startFakeGitHub();
    const { run } = createActRepository({
      ".github/workflows/bench.yml": stringify(withLocalCheckouts(recommendedWorkflow())),
      "base-files/server.js": SERVER,
      "head-files/server.js": SLOWER,
      "head-files/benchmark.config.json": JSON.stringify({
        ...recommendedConfig(),
        connections: "2",
        duration: "200ms",
        warmup: "0",
        timeout: "50ms",
      }),
    });
    const { isSuccess, summary, outputs, commands, left, log } = await run(github.url);
    expect(isSuccess, log).toBe(false);
    expect(outputs.get("verdict"), log).toBe("fail");
    expect(summary).toMatch(
      /^# Pull request\n[^]*\n## Verdict: fail\n\nhead at 2 connections: .* than base; the margin allows 10 %\./,
    );
    expect(summary).toMatch(/\n- head: .* fewer requests\/s than base at 2 connections/);
    const [error] = commands.filter(({ command }) => command === "error");
    expect(error?.arg).toContain("Verdict: fail.");
    expect(error?.arg).toContain("head at 2 connections");
    expect(github.comments[0]?.body).toMatch(/\n- head: .* fewer requests\/s than base at 2 connections/);
    expect(left).toEqual([]);
  });
});

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
}

/** Makes a merge as GitHub does for a pull request: its first parent is the base. */
const MERGE = `
cp -r base-files head && cd head && git init --quiet && git add --all && git commit --quiet --message base
git checkout --quiet -b side && git rm --quiet -r . && cp -r ../head-files/. . && git add --all && git commit --quiet --message head
git checkout --quiet - && git merge --quiet --no-ff --no-edit side
`;
const COMMITTER = {
  GIT_AUTHOR_NAME: "test",
  GIT_AUTHOR_EMAIL: "test@example.test",
  GIT_COMMITTER_NAME: "test",
  GIT_COMMITTER_EMAIL: "test@example.test",
};

/** The recommended workflow without what needs GitHub: what is checked out is made here, and nothing is installed or uploaded. */
function withLocalCheckouts(text: string): object {
  const document = parse(text) as { readonly jobs: { readonly benchmark: { readonly steps: readonly Step[] } } };
  const { benchmark } = document.jobs;
  const steps = benchmark.steps.flatMap((step): readonly object[] => {
    const { uses = "" } = step;
    if (uses.startsWith("actions/checkout@")) return [{ run: MERGE, env: COMMITTER }];
    if (step.run?.startsWith("git ") === true) return [step];
    if (uses.startsWith("OWNER/lbbench@")) return [{ ...step, uses: ACTION }];
    return [];
  });
  return { ...document, jobs: { benchmark: { ...benchmark, steps: [{ uses: "actions/checkout@v4" }, ...steps] } } };
}
