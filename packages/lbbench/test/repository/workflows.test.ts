import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { inRepository, readDocument } from "@lbbench/test-support/repository.js";

interface Job {
  readonly needs?: string;
  /** The workflow that it is, in place of steps. */
  readonly uses?: string;
  readonly environment?: string;
  readonly "timeout-minutes"?: number;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps?: readonly {
    readonly run?: string;
    readonly uses?: string;
    readonly with?: Readonly<Record<string, unknown>>;
  }[];
}

const files = readdirSync(inRepository(".github/workflows")).map((name) => `.github/workflows/${name}`);

function jobsOf(file: string): Readonly<Record<string, Job>> {
  return (parse(readDocument(file)) as { readonly jobs: Readonly<Record<string, Job>> }).jobs;
}

function commandsOf({ steps = [] }: Job = {}): readonly string[] {
  return steps.flatMap(({ run }) => run ?? []);
}

function actionsIn(file: string): readonly (readonly [action: string, commit: string])[] {
  const used = readDocument(file).matchAll(/uses: (actions\/\S+)@(.*)/g);
  return [...used].map(([, action = "", commit = ""]) => [action, commit]);
}

describe.each(files)("the workflow %s", (file) => {
  it("puts no value into a command but by the environment, and runs scripts that are there", () => {
    const commands = Object.values(jobsOf(file)).flatMap(commandsOf);
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.filter((command) => command.includes("${{"))).toEqual([]);
    const scripts = commands.flatMap((command) => /^(?:node|bash) ([\w./-]+)/.exec(command)?.[1] ?? []);
    expect(scripts.filter((script) => !existsSync(inRepository(script)))).toEqual([]);
  });

  it("names the actions of others by the commits that docs/github-action.md names", () => {
    const known = new Map(actionsIn("docs/github-action.md"));
    const used = actionsIn(file);
    expect(used.length).toBe(readDocument(file).match(/uses: (?!\.\/)/g)?.length);
    for (const [action, commit] of used) {
      expect(commit, action).toMatch(/^[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
      expect(known.get(action) ?? commit, action).toBe(commit);
    }
  });

  it("has a limit of time for every job", () => {
    const jobs = Object.values(jobsOf(file)).filter(({ uses }) => uses === undefined);
    for (const job of jobs) expect(job["timeout-minutes"]).toBeLessThanOrEqual(30);
  });
});

describe("the workflow of the benches", () => {
  it("installs every program that a bench needs, without which it would measure nothing", () => {
    const folder = inRepository("bench/benches");
    const texts = readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, "utf8"));
    const lists = texts.flatMap((text) => /^ *needs: \[(.*)\],$/m.exec(text)?.[1]?.match(/\w+/g) ?? []);
    const [, installed = ""] =
      /install-programs (.*)/.exec(commandsOf(jobsOf(".github/workflows/bench.yml")["bench"]).join("\n")) ?? [];
    expect(lists).toContain("ghz");
    expect(installed.split(" ")).toEqual(expect.arrayContaining(lists));
  });
});

describe("the workflow of a release", () => {
  const file = ".github/workflows/release.yml";
  const { check, test, pack, publish } = jobsOf(file);

  it("asks for the identity where it publishes, for writing where it announces, and for no secret", () => {
    const readable = { contents: "read" };
    expect(Object.entries(jobsOf(file)).map(([name, job]) => [name, job.needs, job.permissions])).toEqual([
      ["check", undefined, readable],
      ["test", "check", readable],
      ["pack", "test", readable],
      ["publish", "pack", { ...readable, "id-token": "write" }],
      ["announce", "publish", { contents: "write" }],
    ]);
    expect(parse(readDocument(file))).toMatchObject({ permissions: {} });
    expect(readDocument(file)).not.toContain("secrets.");
  });

  it("takes tags of main alone, packs after all tests, and publishes that without installing anything", () => {
    expect(commandsOf(check)[0]).toBe("git merge-base --is-ancestor HEAD origin/main");
    expect(check?.steps?.[0]?.with).toMatchObject({ "fetch-depth": 0 });
    expect(test?.uses).toBe("./.github/workflows/ci.yml");
    expect(commandsOf(pack).slice(0, 2)).toEqual(["npm ci", "bash release/pack.sh packed"]);
    expect(commandsOf(publish)).toEqual(["bash release/publish.sh packed"]);
    expect(publish?.environment).toBe("npm");
  });
});

const { groups } = JSON.parse(readDocument(".ci/slow-groups.json")) as {
  readonly groups: Readonly<Record<string, { readonly folders: readonly string[]; readonly needs: readonly string[] }>>;
};
const slowTests = readdirSync(inRepository("packages"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".slow.test.ts") && !path.includes("node_modules"))
  .map((path) => `packages/${path}`);

it.each(slowTests)("%s is in one group of slow tests, which has the programs that it needs", (path) => {
  const found = Object.values(groups).filter(({ folders }) => folders.some((folder) => path.startsWith(`${folder}/`)));
  expect(found).toHaveLength(1);
  const needed = [...readDocument(path).matchAll(/needs\(("[^)]+")\)/g)].flatMap(([, list]) => JSON.parse(`[${list}]`));
  expect(found[0]?.needs).toEqual(expect.arrayContaining(needed));
});

describe("the workflow of every push", () => {
  const text = readDocument(".github/workflows/ci.yml");

  it("runs on every Node that is promised the checks, the fast tests and the slow ones of what needs Node alone; on one of them every group", () => {
    const { test, slow } = jobsOf(".github/workflows/ci.yml") as Readonly<Record<string, Job & { strategy: object }>>;
    expect(commandsOf(test)).toEqual(["npm ci", "npm run check", "npm test"]);
    expect(test).toMatchObject({ strategy: { matrix: { node: ["20.19", "22", "24"] } } });
    const include = ["proxy", "programs"].flatMap((group) => ["20.19", "24"].map((node) => ({ node, group })));
    expect(slow).toMatchObject({ strategy: { matrix: { node: ["22"], group: Object.keys(groups), include } } });
    expect(text).toContain("workflow_call:");
  });
});
