import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { renderWorkflow } from "./workflow.js";

function git(cwd: string, ...args: readonly string[]): string {
  const { status, stderr, stdout } = spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    cwd,
    encoding: "utf8",
  });
  expect(status, stderr).toBe(0);
  return stdout.trim();
}

function commit(repository: string, file: string, text: string): void {
  writeFileSync(join(repository, file), text);
  git(repository, "add", ".");
  git(repository, "commit", "-q", "-m", text);
}

/** A repository whose main branch went on after a pull request was opened; returns the commit that merges both. */
function aPullRequest(repository: string): string {
  mkdirSync(repository);
  git(repository, "init", "-q", "-b", "main");
  commit(repository, "server.js", "of old");
  commit(repository, "other.js", "of old");
  git(repository, "checkout", "-q", "-b", "change");
  commit(repository, "server.js", "of the pull request");
  git(repository, "checkout", "-q", "main");
  commit(repository, "other.js", "of others, later");
  git(repository, "checkout", "-q", "--detach");
  git(repository, "merge", "-q", "--no-ff", "-m", "merge", "change");
  return git(repository, "rev-parse", "HEAD");
}

it("puts base beside head so that nothing differs but the pull request, also where main has gone on", () => {
  const folder = temporaryFolder();
  const merge = aPullRequest(join(folder, "origin"));
  const workflow = parse(renderWorkflow({ npm: "lbbench@1", action: "a/b@v1" }, "c.json")) as {
    readonly jobs: { readonly lbbench: { readonly steps: readonly Step[] } };
  };
  const { steps } = workflow.jobs.lbbench;
  const checkouts = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
  expect(checkouts.map((step) => step.with?.ref)).toEqual([undefined]);
  // What the action of GitHub does: so many commits of the merge, from a server that is asked for no more.
  const head = join(folder, "head");
  git(folder, "init", "-q", head);
  const depth = checkouts[0]?.with?.["fetch-depth"] ?? 1;
  const origin = pathToFileURL(join(folder, "origin")).href;
  git(head, "fetch", "-q", `--depth=${depth}`, origin, merge);
  git(head, "checkout", "-q", "--detach", merge);
  rmSync(join(folder, "origin"), { recursive: true });

  for (const { run } of steps) {
    if (run === undefined) continue;
    const { status, stderr } = spawnSync("bash", ["-e", "-c", run], { cwd: folder, encoding: "utf8" });
    expect(status, stderr).toBe(0);
  }

  const contents = (side: string) =>
    ["server.js", "other.js"].map((file) => readFileSync(join(folder, side, file), "utf8"));
  expect(contents("head")).toEqual(["of the pull request", "of others, later"]);
  expect(contents("base")).toEqual(["of old", "of others, later"]);
});

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: { readonly ref?: string; readonly "fetch-depth"?: number };
}
