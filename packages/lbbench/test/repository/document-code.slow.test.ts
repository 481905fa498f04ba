import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { killMarked, markedProcesses, markEnvironment } from "@lbbench/test-support/marked-processes.js";
import { compilePrograms, documentPrograms } from "./document-code.js";
import { inRepository } from "@lbbench/test-support/repository.js";

/** What runs in a test runner of its own is run by the examples. */
const RUNNERS = /from "(vitest|jest|@jest\/globals|lbbench\/vitest|lbbench\/jest)"|import "lbbench\/(vitest|jest)"/;
/** Imports are resolved from here as everywhere in the repository. */
const folder = inRepository(`node_modules/.cache/lbbench-programs-${process.pid}`);
const programs = documentPrograms().filter(({ code }) => !RUNNERS.test(code));

// What the compiler says of them is tested beside.
beforeAll(async () => void (await compilePrograms(programs, folder)));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the code in the documents", () => {
  it.concurrent.each(programs)("runs, ends by itself and leaves nothing behind: $place", async ({ file }) => {
    const mark = randomUUID();
    const [cwd, temporary] = ["cwd", "tmp"].map((name) => join(folder, `${file}-${name}`)) as [string, string];
    for (const made of [join(cwd, "reports"), temporary]) mkdirSync(made, { recursive: true });
    // What the examples find in the folder they are run in.
    cpSync(inRepository("reports/sample-sweep"), join(cwd, "reports/sample-sweep"), { recursive: true });
    const kept = inRepository("packages/lbbench/src/engines/ab/test-support/output/good.txt");
    cpSync(kept, join(cwd, "ab.txt"));
    const env = { ...process.env, ...markEnvironment(mark), TMPDIR: temporary, NODE_OPTIONS: "" };
    const outcome = await promisify(execFile)(process.execPath, [join(folder, "built", `${file}.mjs`)], { cwd, env })
      .then(() => "ended")
      .catch(String);
    const left = markedProcesses(mark);
    killMarked(mark);
    expect([outcome, left, readdirSync(temporary)]).toEqual(["ended", [], []]);
  });
});
