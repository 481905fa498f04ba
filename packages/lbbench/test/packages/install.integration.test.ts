import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FORMAT_NAMES, renderReport } from "../../src/index.js";
import { chartDefinitions } from "../../src/report/charts/chart-definitions.js";
import { inRepository, readDocument } from "../repository/repository.js";
import { picturesIn, readMarkdown, readStoredResult } from "../support/read-report.js";
import { installInto, npm, pack, type Packed, PACKAGES, runIn, type Outcome } from "./npm.js";

// What the registry sends may take long; what is tested here is not how fast it is.
const MINUTES = 60_000;
const EXIT_CODES = { pass: 0, fail: 1, inconclusive: 3 } as const;
/** What makes sense in the tests of one test runner only, which it does not bring along. */
const OF_RUNNERS: ReadonlySet<string> = new Set(["lbbench/jest", "lbbench/vitest"]);
const TSC = inRepository("node_modules/.bin/tsc");

const root = mkdtempSync(join(tmpdir(), "lbbench-packages-"));
const user = join(root, "user");
const sparing = join(root, "sparing");
let packed: readonly Packed[] = [];

beforeAll(async () => {
  packed = await Promise.all(PACKAGES.map((name) => pack(name, root)));
  const tarballs = packed.map(({ tarball }) => tarball);
  await Promise.all([installInto(user, tarballs), installInto(sparing, tarballs, ["--omit=optional"])]);
}, 8 * MINUTES);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const lbbench = (folder: string, ...args: readonly string[]): Promise<Outcome> =>
  runIn(folder, "npx", ["--no-install", "lbbench", ...args]);

/** Sweeps the built-in targets, then renders in all formats; returns what npm and npx did not say. */
async function sweepAndRender(folder: string, out: string): Promise<{ sweep: Outcome; report: Outcome }> {
  const sweep = await lbbench(folder, "sweep", "-n", "200", "-c", "1,10", "-o", out);
  const formats = await runIn(folder, process.execPath, ["-p", "require('lbbench').FORMAT_NAMES.join()"]);
  const report = await lbbench(folder, "report", out, "-f", formats.stdout.trim());
  return { sweep, report };
}

/** Expects a whole report of a sweep that was judged, with all formats but PNG. */
async function expectReport(
  folder: string,
  out: string,
  { sweep, report }: { sweep: Outcome; report: Outcome },
): Promise<void> {
  const result = readStoredResult(join(folder, out));
  const { complete, steps, verdict } = result;
  expect(complete).toBe(true);
  expect(steps.map(({ target, measurement }) => [target, measurement?.requests.ok])).toEqual(
    steps.map(({ target }) => [target, 200]),
  );
  expect(new Set(steps.map(({ target }) => target)).size).toBe(2);
  expect(sweep.code, sweep.stderr).toBe(EXIT_CODES[verdict?.status ?? "pass"]);
  expect(report.code, report.stderr).toBe(0);
  const formats = FORMAT_NAMES.filter((format) => format !== "png");
  const { files } = await renderReport(result, formats, { charts: "none" });
  expect(picturesOf(folder, out).others).toEqual(files.map(({ name }) => name).toSorted());
}

function picturesOf(folder: string, out: string): { pictures: readonly string[]; others: readonly string[] } {
  const names = readdirSync(join(folder, out)).toSorted();
  const pictures = names.filter((name) => name.endsWith(".png"));
  return { pictures, others: names.filter((name) => !name.endsWith(".png")) };
}

/** What was said of pictures, line by line. */
function noticesOf({ stderr }: Outcome): readonly string[] {
  return stderr.split("\n").filter((line) => /png|canvas/i.test(line));
}

async function expectNoPictures(folder: string, out: string, problem: RegExp): Promise<void> {
  const outcomes = await sweepAndRender(folder, out);
  await expectReport(folder, out, outcomes);
  expect(picturesOf(folder, out).pictures).toEqual([]);
  expect(picturesIn(readMarkdown(join(folder, out)))).toEqual([]);
  for (const outcome of [outcomes.sweep, outcomes.report]) {
    const [notice, ...others] = noticesOf(outcome);
    expect(notice).toMatch(problem);
    expect(notice).toContain("npm install @napi-rs/canvas");
    expect(others).toEqual([]);
  }
}

describe("the tarballs", () => {
  it("have a licence, a README and the build, and nothing that only the repository needs", () => {
    for (const { name, paths } of packed) {
      expect(paths, name).toEqual(
        expect.arrayContaining(["LICENSE", "README.md", "package.json", "dist/index.js", "dist/index.d.ts"]),
      );
      expect(
        paths.filter((path) => /\.map$|tsbuildinfo|\.test\.|test-support|^(src|test|page|pictures)\//.test(path)),
        name,
      ).toEqual([]);
    }
  });

  it("of lbbench has the changelog and the licences of what is bundled", () => {
    const paths = packed.find(({ name }) => name === "lbbench")?.paths;
    expect(paths).toEqual(expect.arrayContaining(["CHANGELOG.md", "dist/pictures/LICENSES.txt"]));
    expect(readFileSync(join(user, "node_modules/lbbench/CHANGELOG.md"), "utf8")).toBe(readDocument("CHANGELOG.md"));
    const licences = readFileSync(join(user, "node_modules/lbbench/dist/pictures/LICENSES.txt"), "utf8");
    for (const name of ["chart.js", "chartjs-node-canvas", "Inter (*.ttf)"]) expect(licences).toContain(`\n${name}\n`);
  });

  it(
    "would be published as they are",
    async () => {
      const published = packed.map(({ tarball }) =>
        runIn(root, "npm", ["publish", "--dry-run", "--access", "public", tarball]),
      );
      for (const [index, { code, stderr }] of (await Promise.all(published)).entries()) {
        expect(stderr).toContain(`${packed[index]?.name}@${packed[index]?.version}`);
        expect(code, stderr).toBe(0);
      }
    },
    4 * MINUTES,
  );
});

describe("installed by npm alone", () => {
  it(
    "npx lbbench sweep measures, and leaves a report in every format, with pictures",
    async () => {
      const outcomes = await sweepAndRender(user, "with-pictures");
      await expectReport(user, "with-pictures", outcomes);
      const { pictures } = picturesOf(user, "with-pictures");
      const drawn = chartDefinitions(readStoredResult(join(user, "with-pictures"))).map(({ id }) => `${id}.png`);
      expect(pictures).toEqual(drawn.toSorted());
      expect(picturesIn(readMarkdown(join(user, "with-pictures"))).toSorted()).toEqual(pictures);
      expect([outcomes.sweep, outcomes.report].flatMap(noticesOf)).toEqual([]);
    },
    5 * MINUTES,
  );

  it("nothing of it is compiled or downloaded from elsewhere", () => {
    const names = readdirSync(join(user, "node_modules"));
    expect(names).not.toContain("canvas");
    expect(names).not.toContain("node-gyp");
  });

  it.each([
    ["an ES module", "import", "mjs"],
    ["CommonJS", "require", "cjs"],
  ])(
    "the library works from %s as its README shows, without a warning",
    async (_, word, ending) => {
      const blocks = [...readDocument("packages/lbbench/README.md").matchAll(/```js\n([\s\S]*?)```/g)].map(
        ([, code = ""]) => code,
      );
      const code = blocks.find((block) => new RegExp(`\\b${word}\\b`).test(block));
      expect(code).toBeDefined();
      writeFileSync(join(user, `readme.${ending}`), code ?? "");
      const { stdout, stderr } = await runIn(user, process.execPath, [`readme.${ending}`]);
      expect(stderr).toBe("");
      expect(Object.keys(EXIT_CODES)).toContain(stdout.trim());
    },
    MINUTES,
  );

  it(
    "every path that packages export can be imported and required, and is the same module, without a warning",
    async () => {
      const paths = packed.flatMap(({ name }) => exportedPaths(name)).filter((path) => !OF_RUNNERS.has(path));
      expect(paths).toEqual(
        expect.arrayContaining([
          "lbbench",
          "lbbench/assert",
          "lbbench/plugin",
          "lbbench/testing",
          "@lbbench/proxy",
          "@lbbench/backends",
        ]),
      );
      await expectModules(paths);
    },
    MINUTES,
  );

  it("everything else is private", async () => {
    const { stderr } = await runIn(user, process.execPath, ["-e", "require('lbbench/dist/cli/main.js')"]);
    expect(stderr).toContain("ERR_PACKAGE_PATH_NOT_EXPORTED");
  });

  it.each([
    ["nodenext, ES module", "nodenext", "nodenext", "mts"],
    ["nodenext, CommonJS", "nodenext", "nodenext", "cts"],
    ["bundler", "esnext", "bundler", "ts"],
  ])(
    "its types check strictly, libraries included: %s",
    async (_, module, resolution, ending) => {
      const paths = packed.flatMap(({ name }) => exportedPaths(name)).filter((path) => !OF_RUNNERS.has(path));
      const imports = paths.map((path, index) => `import * as module${index} from "${path}";\n`);
      const file = `types.${ending}`;
      writeFileSync(
        join(user, file),
        `${imports.join("")}${TYPED_USE}export const all = [${paths.map((_path, index) => `module${index}`).join()}];\n`,
      );
      expect(await typeErrors(file, module, resolution, "false")).toBe("");
      writeFileSync(join(user, file), `${TYPED_USE}export const wrong: number = outcome.result.tool.name;\n`);
      expect(await typeErrors(file, module, resolution, "false")).toContain("TS2322");
    },
    2 * MINUTES,
  );
});

describe("without the canvas that draws", () => {
  it(
    "not installed (--omit=optional): pictures are missing, one line says what to do, and nothing else changes",
    async () => {
      expect(existsSync(join(sparing, "node_modules/@napi-rs"))).toBe(false);
      await expectNoPictures(sparing, "sparing", /Cannot find module '@napi-rs\/canvas'/);
    },
    5 * MINUTES,
  );

  it(
    "broken: likewise, and the line says how",
    async () => {
      const main = join(user, "node_modules/@napi-rs/canvas/index.js");
      const before = readFileSync(main, "utf8");
      writeFileSync(main, 'throw new Error("libstdc++ is too old\\nand so on");\n');
      try {
        await expectNoPictures(user, "broken", /libstdc\+\+ is too old\)/);
      } finally {
        writeFileSync(main, before);
      }
    },
    5 * MINUTES,
  );

  it(
    "with one that somebody installed as `canvas`, pictures are drawn",
    async () => {
      renameSync(join(user, "node_modules/@napi-rs/canvas"), join(user, "node_modules/canvas"));
      try {
        const { code, stderr } = await lbbench(user, "report", "with-pictures", "-o", "other-canvas", "-f", "png");
        expect(code, stderr).toBe(0);
      } finally {
        renameSync(join(user, "node_modules/canvas"), join(user, "node_modules/@napi-rs/canvas"));
      }
      const { pictures } = picturesOf(user, "with-pictures");
      for (const name of pictures) {
        const [one, other] = ["with-pictures", "other-canvas"].map((out) => readFileSync(join(user, out, name)));
        expect(one?.equals(other ?? Buffer.alloc(0)), name).toBe(true);
      }
    },
    5 * MINUTES,
  );
});

describe("with vitest", () => {
  beforeAll(async () => {
    const { devDependencies } = JSON.parse(readDocument("package.json")) as { devDependencies: Record<string, string> };
    await npm(user, ["install", "--no-audit", "--no-fund", "--prefer-offline", `vitest@${devDependencies["vitest"]}`]);
  }, 5 * MINUTES);

  it(
    "lbbench/vitest adds matchers to a test that it runs",
    async () => {
      writeFileSync(
        join(user, "user.test.mjs"),
        `import { sweep } from "lbbench";
import "lbbench/vitest";
import { expect, test } from "vitest";

test("holds", async () => {
  const { result } = await sweep({ targets: ["single"], connections: [1], requests: 200 });
  expect(result).toHaveNoFailures();
  expect(() => expect(result).toMeet("throughput<1")).toThrow();
}, ${MINUTES});
`,
      );
      const { code, stdout, stderr } = await runIn(user, "npx", ["--no-install", "vitest", "run"]);
      expect(code, `${stdout}\n${stderr}`).toBe(0);
      expect(stdout).toMatch(/1 passed/);
    },
    2 * MINUTES,
  );

  it.each([
    ["nodenext", "nodenext", "mts"],
    ["esnext", "bundler", "ts"],
  ])(
    "its types check: %s, %s",
    async (module, resolution, ending) => {
      const file = `matchers.${ending}`;
      writeFileSync(
        join(user, file),
        `${TYPED_USE}import "lbbench/vitest";\nimport { expect } from "vitest";\nexpect(outcome.result).toMeet("p99<50ms");\n`,
      );
      expect(await typeErrors(file, module, resolution, "true")).toBe("");
      writeFileSync(
        join(user, file),
        `${TYPED_USE}import "lbbench/vitest";\nimport { expect } from "vitest";\nexpect(outcome.result).toMeet(5);\n`,
      );
      expect(await typeErrors(file, module, resolution, "true")).toContain("TS2345");
    },
    2 * MINUTES,
  );
});

const TYPED_USE = `import { sweep, type SweepOutcome } from "lbbench";
import type { Engine, Reporter, Server } from "lbbench/plugin";
export type Plugins = [Engine, Reporter, Server];
export declare const outcome: SweepOutcome;
export const running: Promise<SweepOutcome> = sweep({ targets: ["single"], connections: [1, 10], requests: 200 });
`;

/** What a package exports, as a user imports it. */
function exportedPaths(name: string): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(user, "node_modules", name, "package.json"), "utf8")) as {
    exports: Record<string, unknown>;
  };
  return Object.keys(exports)
    .filter((path) => path !== "./package.json")
    .map((path) => join(name, path));
}

async function expectModules(paths: readonly string[]): Promise<void> {
  const program = `Promise.all(${JSON.stringify(paths)}.map(async (path) => {
  if (require(path) !== (await import(path))) throw new Error(path + ": two modules");
}))`;
  expect(await runIn(user, process.execPath, ["-e", program])).toEqual({ code: 0, stdout: "", stderr: "" });
}

/** What the compiler says of a file of the user's project; nothing where all is well. */
async function typeErrors(file: string, module: string, resolution: string, skipLibCheck: string): Promise<string> {
  const flags = `--noEmit --strict --exactOptionalPropertyTypes --target es2023 --types node --skipLibCheck ${skipLibCheck}`;
  const how = `--module ${module} --moduleResolution ${resolution}`;
  const { stdout } = await runIn(user, TSC, [...flags.split(" "), ...how.split(" "), file]);
  return stdout;
}
