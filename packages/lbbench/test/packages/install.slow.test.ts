import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FORMAT_NAMES, renderReport } from "../../src/index.js";
import { chartDefinitions } from "../../src/report/charts/chart-definitions.js";
import { inRepository, readDocument } from "@lbbench/test-support/repository.js";
import { follow, type CliOutcome } from "@lbbench/test-support/run-program.js";
import { write } from "@lbbench/test-support/temporary-folder.js";
import { picturesIn, readMarkdown, readStoredResult } from "../support/read-report.js";

/** A package as it would be published. */
interface Packed {
  readonly name: string;
  readonly version: string;
  readonly tarball: string;
  /** What is in it, relative to the package. */
  readonly paths: readonly string[];
}

const EXIT_CODES = { pass: 0, fail: 1, inconclusive: 3 } as const;
const SILENT = { code: 0, signal: null, stdout: "", stderr: "" };
const root = mkdtempSync(join(tmpdir(), "lbbench-packages-"));
/** A project with lbbench, and one without what is optional. */
const user = join(root, "user");
const sparing = join(root, "sparing");
let packed: readonly Packed[] = [];
/** What can be imported, but by test runners alone: `lbbench/plugin`. */
let exported: readonly string[] = [];

beforeAll(async () => {
  packed = await Promise.all(["wire", "proxy", "backends", "worker", "lbbench"].map(pack));
  const needed = packed.filter(({ name }) => name !== "@lbbench/worker");
  await Promise.all([install(user, packed), install(sparing, needed, "--omit=optional")]);
  exported = packed.flatMap(({ name }) => {
    const manifest = readFileSync(join(user, "node_modules", name, "package.json"), "utf8");
    return Object.keys((JSON.parse(manifest) as { exports: object }).exports).map((path) => join(name, path));
  });
  exported = exported.filter((path) => !/\.json$|^lbbench\/(jest|vitest)$/.test(path));
}, 600_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("the tarballs", () => {
  it("have a licence, a README and the build, and nothing that only the repository needs", () => {
    for (const { name, paths } of packed) {
      const needed = ["LICENSE", "README.md", "package.json", "dist/index.js", "dist/index.d.ts"];
      expect(paths, name).toEqual(expect.arrayContaining(needed));
      const others = paths.filter((path) =>
        /\.map$|tsbuildinfo|\.test\.|test-support|^(src|test|page|pictures)\//.test(path),
      );
      expect(others, name).toEqual([]);
    }
  });

  it("of lbbench has the changelog and the licences of what is bundled", () => {
    const fileOf = (path: string) => readFileSync(join(user, "node_modules/lbbench", path), "utf8");
    expect(fileOf("CHANGELOG.md")).toBe(readDocument("CHANGELOG.md"));
    for (const name of ["chart.js", "chartjs-node-canvas", "Inter (*.ttf)"])
      expect(fileOf("dist/pictures/LICENSES.txt")).toContain(`\n${name}\n`);
  });

  it("would be published as they are", async () => {
    const publishing = packed.map(({ tarball }) =>
      runIn(root, "npm", "publish", "--dry-run", "--access", "public", tarball),
    );
    for (const [index, { code, stderr }] of (await Promise.all(publishing)).entries()) {
      expect(stderr).toContain(`${packed[index]?.name}@${packed[index]?.version}`);
      expect(code, stderr).toBe(0);
    }
  });
});

describe("installed by npm alone", () => {
  it("npx lbbench sweep measures, and leaves a report in every format, with pictures", async () => {
    const outcomes = await sweepAndRender(user, "report");
    const { pictures } = filesOf(join(user, "report"));
    const drawn = chartDefinitions(readStoredResult(join(user, "report"))).map(({ id }) => `${id}.png`);
    expect(pictures).toEqual(drawn.toSorted());
    expect(picturesIn(readMarkdown(join(user, "report"))).toSorted()).toEqual(pictures);
    expect(outcomes.flatMap(noticesOf)).toEqual([]);
  });

  it("brings nothing that is compiled or downloaded from elsewhere", () => {
    const names = readdirSync(join(user, "node_modules"));
    expect(names.filter((name) => ["canvas", "node-gyp"].includes(name))).toEqual([]);
  });

  it.each([
    ["an ES module", "import", "mjs"],
    ["CommonJS", "require", "cjs"],
  ])("works from %s as its README shows, without a warning", async (_, word, ending) => {
    const blocks = readDocument("packages/lbbench/README.md").matchAll(/```js\n([\s\S]*?)```/g);
    const code = [...blocks].map(([, block = ""]) => block).find((block) => new RegExp(`\\b${word}\\b`).test(block));
    writeFileSync(join(user, `readme.${ending}`), code ?? "");
    const { stdout, stderr } = await runIn(user, process.execPath, `readme.${ending}`);
    expect(stderr).toBe("");
    expect(Object.keys(EXIT_CODES)).toContain(stdout.trim());
  });

  it("can be imported and required by every path that packages export, as the same module, and by no other", async () => {
    const needed =
      "lbbench lbbench/assert lbbench/plugin lbbench/testing @lbbench/proxy @lbbench/backends @lbbench/worker";
    expect(exported).toEqual(expect.arrayContaining(needed.split(" ")));
    const program = `require("lbbench/config.schema.json"); Promise.all(${JSON.stringify(exported)}.map(async (path) => {
      if (require(path) !== (await import(path))) throw new Error(path + ": two modules");
    }))`;
    expect(await runIn(user, process.execPath, "-e", program)).toEqual(SILENT);
    const { stderr } = await runIn(user, process.execPath, "-e", "require('lbbench/dist/cli/main.js')");
    expect(stderr).toContain("ERR_PACKAGE_PATH_NOT_EXPORTED");
  });

  it.each([
    ["nodenext, ES module", "nodenext", "nodenext", "mts"],
    ["nodenext, CommonJS", "nodenext", "nodenext", "cts"],
    ["bundler", "esnext", "bundler", "ts"],
  ])("has types that check strictly, libraries included: %s", async (_, module, resolution, ending) => {
    const imports = exported.map((path, index) => `import * as module${index} from "${path}";\n`);
    const all = `export const all = [${exported.map((_path, index) => `module${index}`).join()}];\n`;
    const flags = "--noEmit --strict --exactOptionalPropertyTypes --target es2023 --types node --skipLibCheck false";
    const how = `--module ${module} --moduleResolution ${resolution} types.${ending}`;
    const tsc = inRepository("node_modules/.bin/tsc");
    const errors = async (code: string): Promise<string> => {
      writeFileSync(join(user, `types.${ending}`), code);
      return (await runIn(user, tsc, ...flags.split(" "), ...how.split(" "))).stdout;
    };
    expect(await errors(`${imports.join("")}${TYPED_USE}${all}`)).toBe("");
    const wrong = "export const wrong: number = outcome.result.tool.name;\n";
    expect(await errors(`${TYPED_USE}${wrong}`)).toContain("TS2322");
  });

  it("has no workers, and says what to install for them", async () => {
    const words = "LBBENCH_TOKEN=s npx lbbench worker --master 127.0.0.1:1".split(" ");
    const { code, stderr } = await runIn(sparing, "env", ...words);
    expect(stderr).toContain("which is not installed: npm install @lbbench/worker");
    expect(code).toBe(4);
  });
});

describe("without the canvas that draws", () => {
  it("not installed: pictures are missing, one line says what to do, and nothing else changes", async () => {
    expect(existsSync(join(sparing, "node_modules/@napi-rs"))).toBe(false);
    const outcomes = await sweepAndRender(sparing, "report");
    expect(filesOf(join(sparing, "report")).pictures).toEqual([]);
    expect(picturesIn(readMarkdown(join(sparing, "report")))).toEqual([]);
    for (const outcome of outcomes) expectAdvice(outcome, /Cannot find module '@napi-rs\/canvas'/);
  });

  it("broken: likewise, and the line says how", async () => {
    const main = join(user, "node_modules/@napi-rs/canvas/index.js");
    const before = readFileSync(main, "utf8");
    writeFileSync(main, 'throw new Error("libstdc++ is too old\\nand so on");\n');
    try {
      expectAdvice(await lbbench(user, "report", "report", "-o", "broken"), /libstdc\+\+ is too old\)/);
    } finally {
      writeFileSync(main, before);
    }
    expect(filesOf(join(user, "broken"))).toEqual({ pictures: [], others: ["report.html", "report.md"] });
  });

  it("with one that somebody installed as `canvas`, the same pictures are drawn", async () => {
    renameSync(join(user, "node_modules/@napi-rs/canvas"), join(user, "node_modules/canvas"));
    try {
      expect(await lbbench(user, "report", "report", "-o", "other", "-f", "png")).toMatchObject({ code: 0 });
    } finally {
      renameSync(join(user, "node_modules/canvas"), join(user, "node_modules/@napi-rs/canvas"));
    }
    for (const name of filesOf(join(user, "report")).pictures) {
      const [one, other] = ["report", "other"].map((out) => readFileSync(join(user, out, name)));
      expect(one?.equals(other ?? Buffer.alloc(0)), name).toBe(true);
    }
  });
});

const TYPED_USE = `import { sweep, type SweepOutcome } from "lbbench";
import type { Engine, Reporter, Server } from "lbbench/plugin";
export type Plugins = [Engine, Reporter, Server];
export declare const outcome: SweepOutcome;
export const running: Promise<SweepOutcome> = sweep({ targets: ["single"], connections: [1, 10], requests: 200 });
`;

/** Runs a program to its end, in a folder; the environment is ours, without what `npm run` tells of this repository. */
function runIn(cwd: string, command: string, ...args: readonly string[]): Promise<CliOutcome> {
  const ours = /^(npm_(package|lifecycle|config_local)|INIT_CWD|VITEST|NODE_ENV)/;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
  return follow(spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] })).ended;
}

/** Packs a package of this repository, as `npm publish` would. */
async function pack(name: string): Promise<Packed> {
  const { stdout } = await runIn(inRepository(`packages/${name}`), "npm", "pack", "--json", "--pack-destination", root);
  // A list in older versions of npm, by name in newer ones.
  const [told] = Object.values(JSON.parse(stdout) as Record<string, PackReport>);
  if (told === undefined) throw new Error(`npm pack: expected one package, got ${stdout}`);
  return { ...told, tarball: join(root, told.filename), paths: told.files.map(({ path }) => path) };
}

interface PackReport {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Makes an empty project and installs the tarballs into it, by npm and from its registry alone. */
async function install(folder: string, packages: readonly Packed[], ...flags: readonly string[]): Promise<void> {
  write(join(folder, "package.json"), '{ "name": "user", "version": "1.0.0", "private": true }\n');
  const tarballs = packages.map(({ tarball }) => tarball);
  const how = ["--no-audit", "--no-fund", "--prefer-offline", ...flags];
  const { code, stdout, stderr } = await runIn(folder, "npm", "install", ...how, ...tarballs);
  if (code !== 0) throw new Error(`npm install ended with ${code}:\n${stdout}\n${stderr}`);
}

function lbbench(folder: string, ...args: readonly string[]): Promise<CliOutcome> {
  return runIn(folder, "npx", "--no-install", "lbbench", ...args);
}

/** Sweeps the built-in targets, renders in all formats, and expects a whole report of it; returns how both commands ended. */
async function sweepAndRender(folder: string, out: string): Promise<readonly CliOutcome[]> {
  const sweep = await lbbench(folder, "sweep", "-n", "200", "-c", "1,10", "-o", out);
  const report = await lbbench(folder, "report", out, "-f", FORMAT_NAMES.join());
  const result = readStoredResult(join(folder, out));
  expect(result.complete, sweep.stderr).toBe(true);
  expect(result.steps.map(({ measurement }) => measurement?.requests.ok)).toEqual(result.steps.map(() => 200));
  expect(new Set(result.steps.map(({ target }) => target)).size).toBe(3);
  expect(sweep.code, sweep.stderr).toBe(EXIT_CODES[result.verdict?.status ?? "pass"]);
  expect(report.code, report.stderr).toBe(0);
  const formats = FORMAT_NAMES.filter((format) => format !== "png");
  const { files } = await renderReport(result, formats, { charts: "none" });
  expect(filesOf(join(folder, out)).others).toEqual(files.map(({ name }) => name).toSorted());
  return [sweep, report];
}

function filesOf(folder: string): { readonly pictures: readonly string[]; readonly others: readonly string[] } {
  const names = readdirSync(folder).toSorted();
  const isPicture = (name: string): boolean => name.endsWith(".png");
  return { pictures: names.filter(isPicture), others: names.filter((name) => !isPicture(name)) };
}

/** What was said of pictures, line by line. */
function noticesOf({ stderr }: CliOutcome): readonly string[] {
  return stderr.split("\n").filter((line) => /png|canvas/i.test(line));
}

/** One line says why there are no pictures, and what to install. */
function expectAdvice(outcome: CliOutcome, problem: RegExp): void {
  expect(noticesOf(outcome)).toEqual([expect.stringMatching(problem)]);
  expect(noticesOf(outcome)[0]).toContain("npm install @napi-rs/canvas");
}
