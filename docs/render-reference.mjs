/** Lists every export of the packages, from their declarations, with the pages of the documents that show it in use. */
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { readExports } from "./read-exports.mjs";

const PACKAGES = ["lbbench", "proxy", "backends"];

/** @param {string} root of the repository */
export async function renderReference(root) {
  const modules = (await readModules(root)).map(({ module, types }) => ({ module, exports: readExports(types) }));
  // One thing may be exported by several modules, and be imported from any of them.
  const ids = new Map(
    modules.flatMap(({ module, exports }) => exports.map((one) => [`${module} ${one.name}`, one.id])),
  );
  const uses = await readUses(join(root, "docs"), ids);
  const seen = new Set();
  const sections = [];
  for (const { module, exports } of modules) {
    const rows = exports.map(({ name, kind, sentence, id }) => {
      const again = seen.has(id);
      seen.add(id);
      return again ? undefined : `| \`${name}\` | ${kind} | ${escapeCell(sentence)} | ${uses.get(id) ?? ""} |`;
    });
    sections.push(renderSection(module, rows));
  }
  return `\n${sections.join("\n")}\n`;
}

function renderSection(module, rows) {
  const listed = rows.filter(Boolean);
  const others = rows.length - listed.length;
  const again = others === 0 ? "" : `${others} of its exports are those of a module above.\n\n`;
  const table = ["| export | | what it is | in use |", "| --- | --- | --- | --- |", ...listed].join("\n");
  return `## ${module}\n\n${again}${listed.length === 0 ? "" : `${table}\n`}`;
}

async function readModules(root) {
  const modules = await Promise.all(
    PACKAGES.map(async (folder) => {
      const place = join(root, "packages", folder);
      const { name, exports } = JSON.parse(await readFile(join(place, "package.json"), "utf8"));
      return Object.entries(exports).flatMap(([path, entry]) => {
        const types = entry.types ?? entry.import?.types;
        return types === undefined ? [] : [{ module: join(name, path), types: join(place, types) }];
      });
    }),
  );
  // Types first, whose module has nothing else, so that the library's own section is short.
  return modules
    .flat()
    .toSorted((one, other) => Number(other.module === "lbbench/plugin") - Number(one.module === "lbbench/plugin"));
}

/** A link to the first page that imports a thing, by its id. */
async function readUses(docs, ids) {
  const uses = new Map();
  const pages = (await readdir(docs, { recursive: true })).filter((name) => name.endsWith(".md")).toSorted();
  for (const page of pages) {
    const text = await readFile(join(docs, page), "utf8");
    for (const [, list, module] of text.matchAll(/^import (?:type )?\{([^}]*)\} from "([^"]+)";$/gm)) {
      for (const name of list.split(",").map((word) => word.trim().replace(/^type /, ""))) {
        const id = ids.get(`${module} ${name}`);
        const link = `[${page.replace(/^library\//, "").replace(/\.md$/, "")}](${relative("library", page)})`;
        if (id !== undefined && !uses.has(id)) uses.set(id, link);
      }
    }
  }
  return uses;
}

function escapeCell(text) {
  const parts = text.replaceAll("|", "\\|").split("`");
  // Between backquotes all is text.
  return parts.map((part, index) => (index % 2 === 0 ? part.replaceAll("<", "&lt;") : part)).join("`");
}
