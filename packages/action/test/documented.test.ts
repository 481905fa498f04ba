import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { inRepository, readDocument } from "@lbbench/test-support/repository.js";
import { readInputs } from "../src/inputs.js";
import { recommendedWorkflow } from "./support/documented.js";

interface Described {
  readonly description: string;
  readonly default?: string;
}

interface Action {
  readonly inputs: Readonly<Record<string, Described>>;
  readonly outputs: Readonly<Record<string, Described>>;
  readonly runs: { readonly using: string; readonly main: string };
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Workflow {
  readonly on: object;
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

const action = parse(readDocument("action.yml")) as Action;
const workflow = parse(recommendedWorkflow()) as Workflow;
const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

describe("action.yml", () => {
  it("names the inputs that are read, with the defaults that count without them", () => {
    const read = new Set<string>();
    const withDefaults = readInputs((name) => {
      read.add(name);
      return name === "token" ? "" : (action.inputs[name]?.default ?? "");
    });
    expect([...read].toSorted()).toEqual(Object.keys(action.inputs).toSorted());
    expect(withDefaults).toEqual(readInputs(() => ""));
  });

  it("runs a bundle that is there, on node24", () => {
    expect(action.runs.using).toBe("node24");
    expect(existsSync(inRepository(action.runs.main))).toBe(true);
  });
});

describe("docs/github-action.md", () => {
  it("recommends a workflow with the least permissions, for pull requests, forks included", () => {
    expect(workflow.permissions).toEqual({ contents: "read", "pull-requests": "write" });
    expect(Object.keys(workflow.on)).toEqual(["pull_request"]);
  });

  it("recommends only inputs and outputs that there are", () => {
    const ours = steps.filter(({ uses }) => uses?.startsWith("OWNER/lbbench@"));
    expect(ours).toHaveLength(1);
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(ours[0]?.with ?? {})));
    const outputs = [...recommendedWorkflow().matchAll(/steps\.lbbench\.outputs\.(\w+)/g)].map(([, name]) => name);
    expect(outputs.length).toBeGreaterThan(0);
    expect(Object.keys(action.outputs)).toEqual(expect.arrayContaining(outputs));
  });

  it("puts nothing from outside into a shell, and names other actions by commits", () => {
    expect(steps.filter(({ run = "" }) => run.includes("${{"))).toEqual([]);
    const others = steps.flatMap(({ uses = "" }) => (uses.startsWith("actions/") ? [uses] : []));
    expect(others.length).toBeGreaterThan(2);
    expect(others.filter((uses) => !/@[0-9a-f]{40}$/.test(uses))).toEqual([]);
  });

  it("checks out as much of the merge as reaches its first parent", () => {
    const [checkout] = steps.filter(({ uses = "" }) => uses.startsWith("actions/checkout@"));
    expect(checkout?.with).toEqual(expect.objectContaining({ "fetch-depth": 2 }));
    expect(checkout?.with).not.toHaveProperty("ref");
  });
});

it("the bundle holds no path of the machine that made it", () => {
  const folder = dirname(inRepository(action.runs.main));
  const files = readdirSync(folder).filter((name) =>
    readFileSync(join(folder, name), "utf8").includes(inRepository("")),
  );
  expect(files).toEqual([]);
});
