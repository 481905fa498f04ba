import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { inRepository, readDocument } from "@lbbench/test-support/repository.js";

/** A program in a document: one block of code, or several that belong together. */
export interface DocumentProgram {
  /** Where its first block begins: `docs/library.md:12`. */
  readonly place: string;
  readonly code: string;
  /** Its name among all programs: `program-3`. */
  readonly file: string;
}

const BLOCK = /^```(ts|js)( continued)?\n([\s\S]*?)^```$/gm;

/** The programs of all documents below docs, of the README, and of those of the wire, the balancer and the sample servers. */
export function documentPrograms(): readonly DocumentProgram[] {
  const ofDocs = readdirSync(inRepository("docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !/^(node_modules|reference)\//.test(name))
    .map((name) => `docs/${name}`);
  return ["README.md", "packages/wire/README.md", "packages/proxy/README.md", "packages/backends/README.md", ...ofDocs]
    .flatMap(programsOf)
    .map((program, index) => ({ ...program, file: `program-${index}` }));
}

/** A block whose first line says `ts continued` goes on with the one before; readers do not see the word. */
function programsOf(document: string): readonly Omit<DocumentProgram, "file">[] {
  const text = readDocument(document);
  const programs: Omit<DocumentProgram, "file">[] = [];
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

/**
 * Compiles programs into `built` of a folder, as `program-3.mjs`: Node 20 cannot strip types. Resolves with what the compiler says, with
 * the places of the programs; empty where all is well.
 */
export async function compilePrograms(programs: readonly DocumentProgram[], folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const files = programs.map(({ file }) => join(folder, `${file}.mts`));
  for (const { file, code, place } of programs) {
    writeFileSync(join(folder, `${file}.mts`), `// ${place}\n${code}\nexport {};\n`);
  }
  const said = await compile(folder, files, { rootDir: folder, outDir: join(folder, "built") });
  return programs.reduce((text, { file, place }) => text.replaceAll(`${file}.mts`, `${place} ${file}.mts`), said);
}

/** Compiles files as strictly as a user may; resolves with what the compiler says, empty where all is well. */
export async function compile(folder: string, include: readonly string[], options: object): Promise<string> {
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
  const config = join(folder, "tsconfig.json");
  writeFileSync(config, JSON.stringify({ compilerOptions, include }));
  const tsc = inRepository("node_modules/typescript/bin/tsc");
  return promisify(execFile)(process.execPath, [tsc, "-p", config]).then(
    () => "",
    (error: unknown) => (error as { readonly stdout: string }).stdout,
  );
}
