/**
 * Reads what a module exports, types too, from its declarations (`dist/*.d.ts`): TypeScript has no interface for programs to ask.
 */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * @typedef {object} Export
 * @property {string} name
 * @property {boolean} isType whether it exists for the compiler only
 * @property {string} kind as it is declared: `function`, `const`, `class`, `interface`, `type`
 * @property {string} sentence the first one of its comment; empty without a comment
 * @property {string} id of its declaration: the same for one thing that several modules export
 */

const DECLARATION = /^export (?:declare )?(?:abstract )?(function|const|class|interface|type|enum) (\w+)/gm;
const LIST = /^export (type )?\{([^}]*)\}(?: from "([^"]+)")?;/gm;
const ALL = /^export (?:type )?\* from "([^"]+)";/gm;
const TYPES = new Set(["interface", "type"]);

/**
 * @param {string} file a `.d.ts`
 * @returns {readonly Export[]} in the order of the file, those of other modules where they are exported
 */
export function readExports(file) {
  const text = readFileSync(file, "utf8");
  /** @type {{ at: number; exports: readonly Export[] }[]} */
  const found = [];
  for (const match of text.matchAll(DECLARATION)) {
    const [, kind = "", name = ""] = match;
    found.push({
      at: match.index,
      exports: [
        { name, kind, isType: TYPES.has(kind), sentence: sentenceBefore(text, match.index), id: `${file}#${name}` },
      ],
    });
  }
  for (const { index, 1: from = "" } of text.matchAll(ALL)) {
    found.push({ at: index, exports: readExports(locate(file, from)) });
  }
  for (const { index, 1: onlyTypes, 2: list = "", 3: from } of text.matchAll(LIST)) {
    if (from === undefined) continue;
    const inner = new Map(readExports(locate(file, from)).map((one) => [one.name, one]));
    const names = list
      .split(",")
      .map((word) => word.trim())
      .filter(Boolean);
    found.push({ at: index, exports: names.map((word) => pick(word, inner, onlyTypes !== undefined, file)) });
  }
  return found.toSorted((one, other) => one.at - other.at).flatMap((one) => one.exports);
}

/**
 * @param {string} word as it is listed: `type A`, `A as B`
 * @param {ReadonlyMap<string, Export>} inner
 * @param {boolean} onlyTypes
 * @param {string} file
 * @returns {Export}
 */
function pick(word, inner, onlyTypes, file) {
  const [, type, name = "", alias = name] = /^(type )?(\w+)(?: as (\w+))?$/.exec(word) ?? [];
  const one = inner.get(name);
  if (one === undefined) throw new Error(`${file}: expected the declaration of "${word}" in the module it comes from`);
  return { ...one, name: alias, isType: one.isType || onlyTypes || type !== undefined };
}

/**
 * @param {string} file
 * @param {string} from
 */
function locate(file, from) {
  return resolve(dirname(file), from.replace(/\.js$/, ".d.ts"));
}

/**
 * @param {string} text
 * @param {number} index
 */
function sentenceBefore(text, index) {
  const [, comment = ""] = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(text.slice(0, index)) ?? [];
  const plain = comment.replaceAll(/^\s*\* ?/gm, "").replaceAll(/\{@link ([^}]*)\}/g, "`$1`");
  const [first = ""] = plain.trim().split(/\n\s*\n|\n@|\n- /);
  const oneLine = first.replaceAll(/\s+/g, " ").trim();
  return /^.*?\.(?= [A-Z`]|$)/.exec(oneLine)?.[0] ?? oneLine;
}
