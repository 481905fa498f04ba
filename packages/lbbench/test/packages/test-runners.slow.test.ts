import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { runningOf } from "../../src/testing/contract.js";
import { inRepository } from "@lbbench/test-support/repository.js";
import { follow } from "@lbbench/test-support/run-program.js";

// Inside the repository, so that packages are found from there.
const folder = mkdtempSync(join(inRepository("packages/lbbench/test"), "tmp-runners-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program in the root of the repository, as a document says. */
async function run(program: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const { VITEST: _, NODE_OPTIONS: __, NODE_ENV: ___, ...own } = process.env;
  const child = spawn(program, args, { cwd: inRepository("."), env: { ...own, NO_COLOR: "1", ...more } });
  const { code, stdout, stderr } = await follow(child).ended;
  return { code, output: stdout + stderr };
}

const BIN = inRepository("node_modules/.bin");

const runVitest = (root: string): Promise<Ended> =>
  run(join(BIN, "vitest"), ["run", "--root", root, "--reporter", "verbose"]);

const RUNNERS: Readonly<Record<string, (root: string) => Promise<Ended>>> = {
  vitest: runVitest,
  node: (root) => run(process.execPath, ["--test", "--test-reporter", "spec", join(root, "service.test.mjs")]),
  jest: (root) => {
    const options = ["--verbose", "--config", join(root, "jest.config.json")];
    return run(join(BIN, "jest"), options, { NODE_OPTIONS: "--experimental-vm-modules" });
  },
};

/** Puts a test file, and what a runner needs beside it, in a folder of its own. */
function writeTest(name: string, lines: readonly string[]): string {
  const root = mkdtempSync(join(folder, `${name}-`));
  writeFileSync(join(root, "service.test.mjs"), lines.join("\n"));
  writeFileSync(join(root, "vitest.config.mjs"), "export default { test: { testTimeout: 60000 } };\n");
  const jest = { testMatch: ["<rootDir>/*.test.mjs"], transform: {}, testTimeout: 60_000 };
  writeFileSync(join(root, "jest.config.json"), JSON.stringify(jest));
  return root;
}

describe("the examples of tests", () => {
  it.each(Object.entries(RUNNERS))(
    "run by %s, and pass unless the machine is too busy to tell",
    async (name, runTests) => {
      const { code, output } = await runTests(inRepository(`examples/tests-${name}`));
      expect(output).toMatch(/[✓✔] (service\.test\.ts > )?the balancer shares out requests evenly/);
      if (code === 0) return;
      expect(output, "the only reason there may be").toMatch(/but\s+that\s+cannot\s+be\s+told/);
      expect(output).not.toMatch(/that\s+is\s+not\s+so/);
      expect(output).toMatch(/\b(MACHINE_SATURATED|GENERATOR_SATURATED|HOST_BUSY)\b|the\s+trials\s+vary\s+too\s+much/);
    },
    240_000,
  );
});

/** What each runner calls things. */
const DIALECTS: Readonly<Record<string, readonly string[]>> = {
  vitest: [
    'import { expect, test } from "vitest";',
    'import { startBalancer, startServer } from "lbbench/vitest";',
    "const t = { after: () => {} };",
    "const run = (name, body) => test(name, () => body(t));",
  ],
  node: [
    'import { test } from "node:test";',
    'import { startBalancer, startServer } from "lbbench/testing";',
    'import { assertMeets, assertPasses } from "lbbench/assert";',
    "const expect = (result) => ({ toMeet: (one) => assertMeets(result, one), toPass: () => assertPasses(result) });",
    "const run = (name, body) => test(name, body);",
  ],
  jest: [
    'import "lbbench/jest";',
    'import { startBalancer, startServer } from "lbbench/testing";',
    "const after = [];",
    "afterEach(async () => { for (const stop of after.splice(0).reverse()) await stop(); });",
    "const run = (name, body) => test(name, () => body({ after: (stop) => after.push(stop) }));",
  ],
};

describe("a test that fails", () => {
  it.each(Object.entries(RUNNERS))(
    "shows the message, and leaves nothing behind: %s",
    async (name, runTests) => {
      const pids = join(mkdtempSync(join(folder, "pids-")), "pids.json");
      const root = writeTest(name, [
        ...(DIALECTS[name] ?? []),
        'import { writeFileSync } from "node:fs";',
        'import { createSampleResult } from "lbbench/testing";',
        'run("fails", async (t) => {',
        '  const server = await startServer("single"); t.after(server.stop);',
        "  const balancer = await startBalancer([server]); t.after(balancer.stop);",
        "  const pids = [...new Set([...server.processes, ...balancer.processes].map(({ pid }) => pid))];",
        `  writeFileSync(${JSON.stringify(pids)}, JSON.stringify(pids));`,
        '  expect(createSampleResult({ trials: 3 })).toMeet("p99<1ms");',
        "});",
      ]);
      const { code, output } = await runTests(root);
      expect(output).toContain("Expected the result to meet p99<1ms, but that is not so:");
      expect(output).toContain("missed in 3 of 3 trials");
      expect(code).toBe(1);
      const started = JSON.parse(readFileSync(pids, "utf8")) as readonly number[];
      expect(started).toHaveLength(2);
      expect(runningOf(started)).toEqual([]);
    },
    120_000,
  );
});

describe("lbbench/vitest", () => {
  it("stops what a test starts when it ends, and what beforeAll starts after the last", async () => {
    const root = writeTest("vitest", [
      'import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";',
      'import { startServer } from "lbbench/vitest";',
      "let shared; let each; let own;",
      'beforeAll(async () => { shared = await startServer("single"); });',
      'beforeEach(async () => { each = await startServer("single"); });',
      "const isThere = (url) => fetch(url).then(() => true, () => false);",
      'test("one", async () => {',
      '  own = await startServer("single");',
      "  expect(await Promise.all([shared, each, own].map(({ url }) => isThere(url)))).toEqual([true, true, true]);",
      "  globalThis.first = [each.url, own.url];",
      "});",
      'test("two", async () => {',
      "  expect(await Promise.all(globalThis.first.map(isThere))).toEqual([false, false]);",
      "  expect(await isThere(shared.url)).toBe(true);",
      '  await expect(startServer("singel")).rejects.toThrow(\'Did you mean "single"?\');',
      "  console.log(`shared=${shared.processes[0].pid}`);",
      "});",
    ]);
    const { code, output } = await runVitest(root);
    expect(output).toContain("2 passed");
    expect(code).toBe(0);
    const pid = Number(/shared=(\d+)/.exec(output)?.[1]);
    expect(pid).toBeGreaterThan(0);
    expect(runningOf([pid])).toEqual([]);
  }, 120_000);
});

describe("lbbench/vitest without isolation", () => {
  it("stops what beforeAll of each file starts, and the rest where one cannot be stopped", async () => {
    const fileOf = (name: string, fails: boolean): readonly string[] => [
      'import { beforeAll, expect, test } from "vitest";',
      'import { createFakeServer } from "lbbench/testing";',
      'import { startServer } from "lbbench/vitest";',
      "const plugin = (name, fails) => {",
      "  const fake = createFakeServer({ name });",
      "  const start = async (...args) => {",
      "    const running = await fake.start(...args);",
      "    const stop = async () => {",
      "      console.log(`stopped=${name};`);",
      "      await running.stop();",
      "      if (fails) throw new Error(`no end of ${name}`);",
      "    };",
      "    return { ...running, stop };",
      "  };",
      "  return { ...fake, start };",
      "};",
      "beforeAll(async () => {",
      `  await startServer(plugin("${name}-front", false));`,
      `  await startServer(plugin("${name}-back", ${fails}));`,
      "});",
      `test("of ${name}", () => { console.log("tested=${name};"); });`,
    ];
    const root = writeTest("vitest", fileOf("one", true));
    writeFileSync(join(root, "tests.test.mjs"), fileOf("two", false).join("\n"));
    const config = "export default { test: { isolate: false, fileParallelism: false } };\n";
    writeFileSync(join(root, "vitest.config.mjs"), config);
    const { code, output } = await runVitest(root);
    const told = [...output.matchAll(/(?:stopped|tested)=([\w-]+);/g)].map(([, what]) => what);
    expect(told.filter((what) => what?.startsWith("one"))).toEqual(["one", "one-back", "one-front"]);
    expect(told.filter((what) => what?.startsWith("two"))).toEqual(["two", "two-back", "two-front"]);
    expect(output).toContain("no end of one-back");
    expect(code).toBe(1);
  }, 120_000);
});

describe("a runner that is killed", () => {
  it("takes with it what its tests have started", async () => {
    const root = writeTest("node", [
      ...(DIALECTS["node"] ?? []),
      'run("hangs", async () => {',
      '  const server = await startServer("cluster", { workers: 2 });',
      "  const balancer = await startBalancer([server]);",
      "  const pids = [...new Set([...server.processes, ...balancer.processes].map(({ pid }) => pid))];",
      "  console.log(`pids=${pids.join()};`);",
      "  await new Promise(() => { setInterval(() => {}, 1000); });",
      "});",
    ]);
    // Without the runner's own process: it is the file that is killed.
    const child = spawn(process.execPath, [join(root, "service.test.mjs")], { cwd: inRepository(".") });
    const { stdout } = follow(child);
    const told = await vi.waitUntil(() => /pids=([\d,]+);/.exec(stdout())?.[1], { timeout: 30_000 });
    const pids = told.split(",").map(Number);
    expect(pids).toHaveLength(4);
    expect(runningOf(pids)).toHaveLength(4);
    child.kill("SIGKILL");
    await expect.poll(() => runningOf(pids), { timeout: 30_000 }).toEqual([]);
  }, 60_000);
});

const RESOLUTIONS = Object.entries({ nodenext: "nodenext", esnext: "bundler" });

it.each(RESOLUTIONS)("the types of the matchers know right use from wrong, as %s by %s", async (module, resolution) => {
  const settings = ["--noEmit", "--ignoreConfig", "--strict", "--exactOptionalPropertyTypes", "--target", "es2023"];
  const modules = ["--module", module, "--moduleResolution", resolution, "--types", "node"];
  const files = ["vitest", "jest"].map((name) => inRepository(`packages/lbbench/test/types/${name}-matchers.ts`));
  expect(await run(join(BIN, "tsc"), [...settings, ...modules, ...files])).toEqual({ code: 0, output: "" });
});
