import { readdirSync } from "node:fs";
import { inRepository, readDocument } from "./repository.js";

/** A program in a document: one block of code, or several that belong together. */
export interface DocumentProgram {
  /** Where its first block begins: `docs/library/measure.md:12`. */
  readonly place: string;
  readonly code: string;
}

const BLOCK = /^```(ts|js)( continued)?\n([\s\S]*?)^```$/gm;

/** The documents whose code is checked: all below docs, the README, and those of the balancer and the sample servers. */
export function documentsWithCode(): readonly string[] {
  const ofDocs = readdirSync(inRepository("docs"), { recursive: true, encoding: "utf8" });
  const ofPackages = ["proxy", "backends"].map((name) => `packages/${name}/README.md`);
  return ["README.md", ...ofPackages, ...ofDocs.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`)];
}

/**
 * The programs of a document: its blocks of TypeScript and JavaScript. A block whose first line says `ts continued` goes on
 * with the one before; readers do not see the word.
 */
export function programsOf(document: string): readonly DocumentProgram[] {
  const text = readDocument(document);
  const programs: DocumentProgram[] = [];
  for (const { index, 2: continued, 3: code = "" } of text.matchAll(BLOCK)) {
    const before = programs.at(-1);
    if (continued !== undefined && before !== undefined) {
      programs.splice(-1, 1, { ...before, code: `${before.code}\n${code}` });
    } else {
      programs.push({ place: `${document}:${text.slice(0, index).split("\n").length}`, code });
    }
  }
  return programs;
}

const IMPORT = /^import (?:type )?\{([^}]*)\} from "([^"]+)";$/gm;

/** What a program imports by name, and from where. */
export function importsOf({ code }: DocumentProgram): readonly (readonly [module: string, name: string])[] {
  return [...code.matchAll(IMPORT)].flatMap(([, list = "", module = ""]) =>
    list
      .split(",")
      .map((word) =>
        word
          .trim()
          .replace(/^type /, "")
          .replace(/ as .*$/, ""),
      )
      .filter(Boolean)
      .map((name) => [module, name] as const),
  );
}
