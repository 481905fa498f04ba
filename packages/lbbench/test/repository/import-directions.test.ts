import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, it } from "vitest";
import { inRepository, readDocument } from "@lbbench/test-support/repository.js";

/** A file of a package and what it imports, now or later, types included: files of the package, and modules of Node. */
interface Importer {
  readonly file: string;
  readonly folder: string;
  readonly imports: readonly string[];
}

/** Modules of Node without clock, network or disk. */
const HARMLESS = new Set(["node:path", "node:url", "node:util", "node:zlib", "node:string_decoder"]);

/** What the table of ARCHITECTURE.md allows: beginnings of paths in `src/`, for each folder, and whether it is pure. */
function readTable(): ReadonlyMap<string, { readonly allowed: readonly string[]; readonly isPure: boolean }> {
  const rows = readDocument("ARCHITECTURE.md").matchAll(/^\| `([./\w]+)\/` *\|([^|]*)\|([^|]*)\|$/gm);
  return new Map(
    [...rows].map(([, folder = "", job = "", allowed = ""]) => [
      posix.normalize(`src/${folder}`),
      {
        allowed: [...allowed.matchAll(/`([^`]+)`/g)].map(([, path]) => posix.normalize(`src/${path}`)),
        isPure: /\bpure\b/.test(job),
      },
    ]),
  );
}

function readImporters(
  name: string,
  tops: readonly string[],
  others = /\.test\.ts$|test-support\//,
): readonly Importer[] {
  const root = inRepository(`packages/${name}`);
  return tops.flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.c?ts$/.test(path) && !others.test(path))
      .map((path) => {
        const file = posix.join(top, path);
        const found = readFileSync(join(root, file), "utf8").matchAll(/(?:\bfrom|\bimport\s*\(?)\s*"([^"]+)"/g);
        const imports = [...found].map(([, imported = ""]) =>
          imported.startsWith(".") ? posix.join(posix.dirname(file), imported).replace(/\.(c?)js$/, ".$1ts") : imported,
        );
        const parts = file.split("/");
        const folder = top === "page" ? top : parts.slice(0, Math.min(2, parts.length - 1)).join("/");
        return { file, folder, imports };
      }),
  );
}

const importers = readImporters("lbbench", ["src", "page"]);

it("folders import what ARCHITECTURE.md says, and what is pure neither clock nor network nor disk", () => {
  const table = readTable();
  const folders = new Set(importers.map(({ folder }) => folder).filter((folder) => folder !== "src"));
  expect([...folders].filter((folder) => !table.has(folder))).toEqual([]);
  const wrong = importers.flatMap(({ file, folder, imports }) => {
    const row = table.get(folder);
    if (row === undefined) return [];
    const isRight = (path: string): boolean => {
      if (path.startsWith("node:")) return !row.isPure || HARMLESS.has(path);
      return !/^(?:src|page)\//.test(path) || [folder, ...row.allowed].some((one) => `${path}/`.startsWith(one));
    };
    return imports.filter((path) => !isRight(path)).map((path) => `${file} imports ${path}`);
  });
  expect(wrong).toEqual([]);
});

it("no files import each other in a circle", () => {
  const graph = new Map(importers.map(({ file, imports }) => [file, imports]));
  const done = new Set<string>();
  const circles: string[] = [];
  const walk = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(" > "));
    if (path.includes(file) || done.has(file)) return;
    for (const next of graph.get(file) ?? []) walk(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) walk(file, []);
  expect(circles).toEqual([]);
});

it.each<[name: string, ours: string[], others?: RegExp, tools?: string[]]>([
  // With its tests: they use nothing of the balancer's either.
  ["wire", [], /^$/, ["vitest", "@lbbench/test-support"]],
  ["proxy", ["@lbbench/wire"]],
  ["backends", []],
  ["worker", []],
])("packages/%s imports Node, itself and its dependencies, of ours only %j", (name, ours, others, tools = []) => {
  const { dependencies = {} } = JSON.parse(readDocument(`packages/${name}/package.json`)) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  expect(Object.keys(dependencies).filter((one) => one.includes("lbbench"))).toEqual(ours);
  const allowed = ["node:", "src/", ...[...Object.keys(dependencies), ...tools].map((one) => `${one}/`)];
  const files = readImporters(name, ["src"], others);
  const wrong = files.flatMap(({ file, imports }) =>
    imports
      .filter((path) => !allowed.some((one) => `${path}/`.startsWith(one)))
      .map((path) => `${file} imports ${path}`),
  );
  expect(files.map(({ file }) => file)).toContain("src/index.ts");
  expect(wrong).toEqual([]);
});

it("no package reaches into another one by a relative path, tests included", () => {
  const names = readdirSync(inRepository("packages"));
  const files = names.flatMap((name) => {
    const tops = ["src", "page", "test"].filter((top) => existsSync(inRepository(`packages/${name}/${top}`)));
    return readImporters(name, tops, /^$/).map(({ file, imports }) => ({ file: `${name}/${file}`, imports }));
  });
  expect(files.length).toBeGreaterThan(700);
  expect(
    files.flatMap(({ file, imports }) =>
      imports.filter((path) => path.startsWith("../")).map((path) => `${file}: ${path}`),
    ),
  ).toEqual([]);
});
