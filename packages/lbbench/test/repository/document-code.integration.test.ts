import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { markedProcesses, markEnvironment } from "../support/marked-processes.js";
import { documentsWithCode, importsOf, programsOf, type DocumentProgram } from "./document-code.js";
import { inRepository } from "./repository.js";

const run = promisify(execFile);

/** What `docs/read-exports.mjs` tells of an export. */
interface Export {
  readonly name: string;
  readonly isType: boolean;
  readonly id: string;
}

/** A module of a package: its declarations, and what is run. */
interface Entry {
  readonly types: string;
  readonly default: string;
}

/** Imports are resolved from here as everywhere in the repository. */
const folder = inRepository(`node_modules/.cache/lbbench-documents-${process.pid}`);
const programs = documentsWithCode().flatMap(programsOf);
const named = programs.map((program, index) => ({ ...program, file: `program-${index}` }));
/** What runs in a test runner of its own is run by the examples. */
const RUNNERS = ["vitest", "jest", "@jest/globals", "lbbench/vitest", "lbbench/jest"];
const runs = named.filter(({ code }) => !RUNNERS.some((runner) => code.includes(`"${runner}"`)));
/** Each takes seconds; so much only where many others run beside it. */
const TIME_LIMIT_MS = 180_000;

beforeAll(() => mkdirSync(folder, { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the code in the documents", () => {
  it("is there", () => {
    expect(runs.length).toBeGreaterThan(20);
  });

  it("imports every export of every package by name", async () => {
    const modules = await readModules();
    const declared = new Map(
      modules.flatMap(({ module, exports }) => exports.map((one) => [`${module} ${one.name}`, one.id])),
    );
    const used = new Set(programs.flatMap(importsOf).map(([module, name]) => declared.get(`${module} ${name}`)));
    const missing = modules.flatMap(({ module, exports }) =>
      exports.filter(({ id }) => !used.has(id)).map(({ name }) => `${module}: ${name}`),
    );
    expect(modules.length).toBeGreaterThan(8);
    expect(missing).toEqual([]);
  });

  it("is told of all that a module exports when it is run", async () => {
    for (const { module, file, exports } of (await readModules()).filter(({ module }) => !RUNNERS.includes(module))) {
      const there = Object.keys((await import(pathToFileURL(file).href)) as object);
      const values = exports.filter(({ isType }) => !isType).map(({ name }) => name);
      expect(values.toSorted(), module).toEqual(there.filter((name) => name !== "default").toSorted());
    }
  });

  describe("that is compiled", () => {
    beforeAll(async () => {
      const errors = await compile(named);
      if (errors !== "") throw new Error(`expected no errors of the compiler, got:\n${errors}`);
    }, 120_000);

    it("has the right types", () => {
      expect(readdirSync(join(folder, "built")).length).toBe(named.length);
    });

    it.concurrent.each(runs)(
      "runs, ends by itself and leaves nothing behind: $place",
      async ({ file }) => {
        const mark = randomUUID();
        const [cwd, temporary] = ["cwd", "tmp"].map((name) => join(folder, `${file}-${name}`)) as [string, string];
        provide(cwd);
        mkdirSync(temporary);
        const env = { ...process.env, ...markEnvironment(mark), TMPDIR: temporary, NODE_OPTIONS: "" };
        const entry = join(folder, "built", `${file}.mjs`);
        const outcome = await run(process.execPath, [entry], { cwd, env, timeout: TIME_LIMIT_MS }).then(
          () => "ended",
          (error: unknown) => String(error),
        );
        const left = markedProcesses(mark);
        for (const { pid } of left) process.kill(pid, "SIGKILL");
        expect({ outcome, left, temporary: readdirSync(temporary) }).toEqual({
          outcome: "ended",
          left: [],
          temporary: [],
        });
      },
      TIME_LIMIT_MS + 10_000,
    );
  });

  it("has the right types in the plugins of the examples", async () => {
    const files = readdirSync(inRepository("examples"))
      .filter((name) => name.startsWith("plugin-"))
      .map((name) => inRepository(`examples/${name}/*.mjs`));
    expect(
      await check("examples.json", files, { allowJs: true, checkJs: true, noEmit: true, rootDir: inRepository(".") }),
    ).toBe("");
  });
});

/** The modules that packages can be imported by, each with what it exports. */
async function readModules(): Promise<readonly { module: string; file: string; exports: readonly Export[] }[]> {
  const { readExports } = (await import(pathToFileURL(inRepository("docs/read-exports.mjs")).href)) as {
    readonly readExports: (file: string) => readonly Export[];
  };
  return ["lbbench", "proxy", "backends"].flatMap((name) => {
    const root = inRepository(`packages/${name}`);
    const { name: title, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly name: string;
      readonly exports: Readonly<Record<string, unknown>>;
    };
    return entriesOf(exports).map(([path, { types, default: file }]) => ({
      module: join(title, path),
      file: join(root, file),
      exports: readExports(join(root, types)),
    }));
  });
}

/** What can be imported; `require` and other conditions name the same modules. */
function entriesOf(exports: Readonly<Record<string, unknown>>): readonly [path: string, Entry][] {
  return Object.entries(exports).flatMap(([path, entry]) => {
    const { import: inner } = entry as { readonly import?: Entry };
    const { types, default: file } = inner ?? (entry as Partial<Entry>);
    return types === undefined || file === undefined ? [] : [[path, { types, default: file }]];
  });
}

/** Compiles programs for Node 20, which cannot strip types; resolves with what the compiler says. */
async function compile(all: readonly (DocumentProgram & { readonly file: string })[]): Promise<string> {
  for (const { file, code, place } of all) {
    writeFileSync(join(folder, `${file}.mts`), `// ${place}\n${code}\nexport {};\n`);
  }
  return check(
    "programs.json",
    all.map(({ file }) => join(folder, `${file}.mts`)),
    {
      rootDir: folder,
      outDir: join(folder, "built"),
    },
  );
}

async function check(name: string, include: readonly string[], options: object): Promise<string> {
  const compilerOptions = {
    target: "es2023",
    lib: ["es2023", "esnext.disposable"],
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    types: ["node"],
    skipLibCheck: true,
    ...options,
  };
  writeFileSync(join(folder, name), JSON.stringify({ compilerOptions, include }));
  const tsc = inRepository("node_modules/typescript/bin/tsc");
  return run(process.execPath, [tsc, "-p", join(folder, name)]).then(
    () => "",
    (error: unknown) => withPlaces(error as { readonly stdout: string }),
  );
}

/** What the compiler says, with the place in the document in front of the name of a file of ours. */
function withPlaces({ stdout }: { readonly stdout: string }): string {
  return named.reduce((text, { file, place }) => text.replaceAll(`${file}.mts`, `${place} ${file}.mts`), stdout);
}

/** What the examples find in the folder they are run in. */
function provide(cwd: string): void {
  mkdirSync(join(cwd, "reports"), { recursive: true });
  cpSync(inRepository("reports/sample-sweep"), join(cwd, "reports/sample-sweep"), { recursive: true });
  const output = inRepository("packages/lbbench/src/engines/ab/test-support/output/good.txt");
  if (existsSync(output)) cpSync(output, join(cwd, "ab.txt"));
}
