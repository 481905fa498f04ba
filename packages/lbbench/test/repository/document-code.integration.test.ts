import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { compile, compilePrograms, documentPrograms, type DocumentProgram } from "./document-code.js";
import { inRepository, loadModule, readDocument } from "@lbbench/test-support/repository.js";

/** What `docs/list-exports.mjs` tells of an export. */
interface Export {
  readonly name: string;
  readonly isType: boolean;
  readonly id: object;
  /** Its comment; empty without one. */
  readonly about: string;
}

/** A module of a package: its declarations, and what is run. */
interface Entry {
  readonly types: string;
  readonly default: string;
}

/** Imports are resolved from here as everywhere in the repository. */
const folder = inRepository(`node_modules/.cache/lbbench-types-${process.pid}`);
const programs = documentPrograms();
/** Modules that only a test runner can import. */
const OF_RUNNERS = ["lbbench/vitest", "lbbench/jest"];
const IMPORT = /^import (?:type )?\{([^}]*)\} from "([^"]+)";$/gm;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the code in the documents", () => {
  it("uses whatever a module exports, but for types: these say what they are in a comment", async () => {
    const modules = await readModules();
    const declared = new Map(
      modules.flatMap(({ module, exports }) => exports.map((one) => [`${module} ${one.name}`, one.id])),
    );
    const used = new Set(programs.flatMap(importsOf).map((name) => declared.get(name)));
    const missing = modules.flatMap(({ module, exports }) =>
      exports
        .filter((one) => (!one.isType && !used.has(one.id)) || one.about === "")
        .map(({ name }) => `${module}: ${name}`),
    );
    expect(modules.length).toBeGreaterThan(8);
    expect(missing).toEqual([]);
    for (const { module, file, exports } of modules.filter((one) => !OF_RUNNERS.includes(one.module))) {
      const there = Object.keys((await import(pathToFileURL(file).href)) as object);
      const values = exports.filter(({ isType }) => !isType).map(({ name }) => name);
      expect(values.toSorted(), module).toEqual(there.filter((name) => name !== "default").toSorted());
    }
  });

  it("has the right types", async () => {
    expect(await compilePrograms(programs, folder)).toBe("");
    expect(readdirSync(join(folder, "built")).length).toBe(programs.length);
  });

  it("has the right types in the plugins of the examples", async () => {
    const files = ["balancer", "engine", "policy", "reporter", "server"].map((kind) =>
      inRepository(`examples/plugin-${kind}/*.mjs`),
    );
    const options = { allowJs: true, checkJs: true, noEmit: true, rootDir: inRepository(".") };
    mkdirSync(join(folder, "plugins"), { recursive: true });
    expect(await compile(join(folder, "plugins"), files, options)).toBe("");
  });
});

it("the documents quote the sample report, the examples and the benches as they are", () => {
  const { stderr } = spawnSync(process.execPath, [inRepository("docs/update.mjs"), "--check", "--but-kept"], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
});

/** What a program imports by name, and from where: `lbbench/plugin Server`. */
function importsOf({ code }: DocumentProgram): readonly string[] {
  return [...code.matchAll(IMPORT)].flatMap(([, list = "", module = ""]) =>
    list
      .split(",")
      .map((word) => word.trim().replace(/^type | as .*$/g, ""))
      .filter((name) => name !== "")
      .map((name) => `${module} ${name}`),
  );
}

/** The modules that packages can be imported by, each with what it exports. */
async function readModules(): Promise<readonly { module: string; file: string; exports: readonly Export[] }[]> {
  const { listExports } = await loadModule<{
    readonly listExports: (files: readonly string[]) => readonly (readonly Export[])[];
  }>("docs/list-exports.mjs");
  const modules = ["lbbench", "wire", "proxy", "backends"].flatMap((name) => {
    const root = inRepository(`packages/${name}`);
    const { name: title, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      readonly name: string;
      readonly exports: Readonly<Record<string, Partial<Entry>>>;
    };
    return Object.entries(exports).flatMap(([path, { types, default: file }]) =>
      types === undefined || file === undefined
        ? []
        : [{ module: join(title, path), file: join(root, file), types: join(root, types) }],
    );
  });
  const files = modules.map(({ types }) => types);
  const { entryPoints } = JSON.parse(readDocument("docs/typedoc.json")) as { readonly entryPoints: readonly string[] };
  expect(entryPoints.map((path) => join(inRepository("docs"), path))).toEqual(files);
  const exports = listExports(files);
  return modules.map(({ module, file }, index) => ({ module, file, exports: exports[index] ?? [] }));
}
