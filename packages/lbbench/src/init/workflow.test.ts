import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { packageManagerOf } from "./folder.js";
import { aFolder } from "./test-support/fixtures.js";
import { renderWorkflow, toolOrigin } from "./workflow.js";

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly "working-directory"?: string;
}

interface Workflow {
  readonly on: object;
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

const ACTION = "acme/lbbench@v1";
const BASE_BESIDE = "git -C head worktree add ../base HEAD^1";

function stepsOf(install?: string): readonly Step[] {
  const { jobs } = workflowOf(install);
  return Object.values(jobs).flatMap(({ steps }) => steps);
}

function workflowOf(install?: string): Workflow {
  const tool = { npm: "lbbench@1", action: ACTION };
  return parse(renderWorkflow(tool, "lbbench.pull-request.ts", install)) as Workflow;
}

describe("the workflow", () => {
  it("asks for no more than it needs, of pull requests alone, leaves no token behind, and names actions by commits", () => {
    const { on, permissions } = workflowOf("npm ci");
    expect(on).toEqual({ pull_request: null });
    expect(permissions).toEqual({ contents: "read", "pull-requests": "write" });
    const others = stepsOf("npm ci").filter(({ uses }) => uses !== undefined && uses !== ACTION);
    expect(others.length).toBeGreaterThan(2);
    for (const { uses } of others) expect(uses).toMatch(/@[0-9a-f]{40}$/);
    const checkouts = others.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
    expect(checkouts.map((step) => step.with?.["persist-credentials"])).toEqual([false]);
  });

  it("gives the Action inputs that it has, and uses outputs that it has", () => {
    const action = parse(readFileSync(fileURLToPath(new URL("../../../../action.yml", import.meta.url)), "utf8")) as {
      readonly inputs: object;
      readonly outputs: object;
    };
    const step = stepsOf("npm ci").find(({ uses }) => uses === ACTION);
    expect(step?.with).toEqual({ config: "head/lbbench.pull-request.ts", out: "report" });
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step?.with ?? {})));
    const used = [...JSON.stringify(stepsOf("npm ci")).matchAll(/steps\.lbbench\.outputs\.(\w+)/g)].map(
      ([, name]) => name,
    );
    expect(used.length).toBeGreaterThan(0);
    expect(Object.keys(action.outputs)).toEqual(expect.arrayContaining(used));
  });

  it.each([
    ["package-lock.json", "npm ci"],
    ["package.json", "npm install"],
    ["pnpm-lock.yaml", "corepack enable && pnpm install --frozen-lockfile"],
    ["yarn.lock", "corepack enable && yarn install --frozen-lockfile"],
  ])("installs packages of base and head as %s tells, with nothing of the event in a shell", (file, command) => {
    const install = packageManagerOf(aFolder([file], {}))?.install;
    const commands = stepsOf(install).filter(({ run }) => run !== undefined);
    expect(commands).toEqual([
      { run: BASE_BESIDE },
      { run: command, "working-directory": "base" },
      { run: command, "working-directory": "head" },
    ]);
    expect(
      stepsOf().flatMap(({ run }) => run ?? []),
      "without a package.json",
    ).toEqual([BASE_BESIDE]);
  });
});

it("runs lbbench from npm where the address of the Action is not known, and asks for nothing but the code", () => {
  const text = renderWorkflow({ npm: "lbbench@0.1" }, "c.json");
  const { permissions, jobs } = parse(text) as Workflow;
  expect(permissions).toEqual({ contents: "read" });
  const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  expect(commands).toContain("npx --yes lbbench@0.1 sweep --config head/c.json -o report -f md,html --charts mermaid");
  expect(text).not.toContain("OWNER");
});

it.each([
  [{ version: "0.1.0" }, { npm: "lbbench@0.1" }],
  [
    { version: "0.12.3", repository: "github:acme/lbbench" },
    { npm: "lbbench@0.12", action: "acme/lbbench@v0.12" },
  ],
  [
    { version: "2.3.4", repository: { url: "git+https://github.com/acme/bench.git" } },
    { npm: "lbbench@2", action: "acme/bench@v2" },
  ],
  [
    { version: "2.0.0-rc.1", repository: { url: "git@github.com:acme/lbbench.git" } },
    { npm: "lbbench@2.0.0-rc.1", action: "acme/lbbench@v2.0.0-rc.1" },
  ],
  [{ version: "1.0.0", repository: "https://gitlab.com/acme/lbbench" }, { npm: "lbbench@1" }],
])("a workflow gets the line of versions of %j", (origin, expected) => {
  expect(toolOrigin(origin)).toEqual(expected);
});
