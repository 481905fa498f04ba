import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { parseSweepInput } from "../api/sweep.js";
import { ConfigError } from "../config/config-error.js";
import { findAnswers, TAKE_OFFERED, type AnswerFlags, type Answers, type Program, type Subject } from "./answers.js";
import { writeFiles, type Folder, type Manifest, type PlannedFile } from "./folder.js";
import { addScripts, planInit, type InitPlan } from "./plan-init.js";
import { aFolder, someAnswers, SUBJECTS } from "./test-support/fixtures.js";

const OPTIONS = { tool: { npm: "lbbench@1", action: "acme/lbbench@v1" }, force: false } as const;

function plan(answers: Partial<Answers> = {}, folder: Folder = aFolder()): InitPlan {
  return planInit(someAnswers(answers), folder, OPTIONS);
}

function fileOf({ files }: InitPlan, path: string): string {
  const file = files.find((one) => one.path === path);
  expect(file, path).toBeDefined();
  return file?.content ?? "";
}

/** The targets of a config in TypeScript. */
const TARGETS = /^ {2}targets: \[\n[^]*?^ {2}\],\n/m;

describe("the config", () => {
  const textOf = (subject: Subject): string => fileOf(plan({ subject }), "lbbench.config.ts");

  it("of a command, in TypeScript and in JSON", () => {
    expect(textOf(SUBJECTS.command)).toMatchSnapshot("TypeScript");
    expect(fileOf(plan({ format: "json" }), "lbbench.config.json")).toMatchSnapshot("JSON");
  });

  it.each([SUBJECTS.url, SUBJECTS.balanced, SUBJECTS.samples])("of $kind has other targets alone", (subject) => {
    const text = textOf(subject);
    expect(TARGETS.exec(text)?.[0]).toMatchSnapshot("targets");
    expect(text.replace(TARGETS, "")).toBe(textOf(SUBJECTS.command).replace(TARGETS, ""));
  });

  it.each(Object.values(SUBJECTS))("of $kind is accepted", (subject) => {
    const content: unknown = JSON.parse(fileOf(plan({ subject, format: "json" }), "lbbench.config.json"));
    const input = parseSweepInput(content, "lbbench.config.json");
    expect(input.connections).toEqual([1, 10]);
    expect(input.thresholds).toHaveLength(1);
  });

  it("says a time per step only where one was asked for, as each command has a default of its own", async () => {
    const configOf = async (asked: { readonly duration?: string }): Promise<string> => {
      const answers = await findAnswers({ samples: true, format: "ts" }, asked, aFolder(), TAKE_OFFERED);
      return fileOf(plan(answers), "lbbench.config.ts");
    };
    expect(await configOf({})).toMatch(/^ {2}\/\/ duration: "3s",$/m);
    expect(await configOf({ duration: "2s" })).toMatch(/^ {2}duration: "2s",$/m);
  });

  it("quotes what comes from the folder and from answers, so that it stays a text", () => {
    const name = `x", process.exit(1), "*/`;
    const command = `node -e "x\\n" </script>`;
    const subject = { kind: "command", command } as const;
    const text = fileOf(plan({ subject }, aFolder([], { name })), "lbbench.config.ts");
    expect(text).toContain(`  name: ${JSON.stringify(name)},\n`);
    expect(text).toContain(`command: ${JSON.stringify(command)},\n`);
    expect(text.split("process.exit")).toHaveLength(3);
  });
});

describe("samples in place of a program", () => {
  const notesOf = async (content?: Manifest, flags: AnswerFlags = {}): Promise<readonly string[]> => {
    const folder = aFolder([], content);
    return planInit(await findAnswers({ format: "ts", ...flags }, {}, folder, TAKE_OFFERED), folder, OPTIONS).notes;
  };

  it.each<[string, Manifest]>([
    ["express", { dependencies: { express: "^5" }, scripts: { test: "x" } }],
    ["fastify", { dependencies: { fastify: "^5" }, main: "dist/not-built.js" }],
  ])("are told of in a project with %s that nothing starts, with what to do", async (name, content) => {
    expect(await notesOf(content)).toEqual([
      `package.json has ${name}, but nothing tells how its server is started. ` +
        "So lbbench.config.ts measures the sample servers of lbbench. " +
        'Add a script "start" to package.json, or give --command "node server.js", and run lbbench init --force.',
    ]);
  });

  it("are told of where there is nothing at all", async () => {
    expect(await notesOf()).toEqual([
      "No program was found here. So lbbench.config.ts measures the sample servers of lbbench. " +
        'Give --command "node server.js", and run lbbench init --force.',
    ]);
    expect(await notesOf({ dependencies: "odd", devDependencies: null })).toEqual([
      expect.stringMatching(/^No program was found here\./),
    ]);
  });

  it("are not told of where they were asked for, or a program was found", async () => {
    expect(await notesOf({}, { samples: true })).toEqual([]);
    expect(await notesOf({ scripts: { start: "node app.js" } })).toEqual([]);
  });
});

describe("scripts", () => {
  it("that say something else stay, which is told, and are not what to run next", () => {
    const folder = aFolder(["package.json", "pnpm-lock.yaml"], { scripts: { bench: "vitest bench" } });
    const { notes, next } = plan({ scripts: true }, folder);
    expect(notes.join()).toContain('another script "bench"');
    expect(next).toEqual(["pnpm add --save-dev lbbench", "npx lbbench sweep"]);
  });
});

describe("the workflow", () => {
  it.each<[Program, (options: object) => object]>([
    [SUBJECTS.command, (options) => ({ server: "command", options })],
    [
      SUBJECTS.balanced,
      (options) => ({
        server: "balanced",
        options: { policy: "round-robin", backends: [{ server: "command", count: 3, options }] },
      }),
    ],
  ])("has a config of its own, of base and head: %j", (subject, target) => {
    const { files } = plan({ workflow: true, format: "json", subject });
    expect(files.map(({ path }) => path)).toEqual([
      "lbbench.config.json",
      "lbbench.pull-request.json",
      ".github/workflows/lbbench.yml",
    ]);
    const content: unknown = JSON.parse(files[1]?.content ?? "");
    expect(content).toEqual({
      name: "shop, base and head",
      targets: [
        { name: "base", ...target({ command: "node server.js", cwd: "../base" }) },
        { name: "head", ...target({ command: "node server.js", cwd: "." }) },
      ],
      reference: "base",
      margin: "10%",
      trials: "auto",
      connections: "50",
      duration: "1s",
      thresholds: ["errors<1%"],
    });
    expect(parseSweepInput(content, "lbbench.pull-request.json").margin).toBe(0.1);
  });

  it("in TypeScript", () => {
    expect(fileOf(plan({ workflow: true }), "lbbench.pull-request.ts")).toMatchSnapshot("pull request");
  });

  it.each([SUBJECTS.url, SUBJECTS.samples])("is refused for what has no base and head: %j", (subject) => {
    expect(() => plan({ workflow: true, subject })).toThrow(ConfigError);
    expect(() => plan({ workflow: true, subject })).toThrow(/^--workflow: expected a program/);
  });

  it("is refused below the top of a repository, where GitHub does not read it", () => {
    const folder = aFolder([], undefined, { repositoryAbove: "/home/me" });
    expect(() => plan({ workflow: true }, folder)).toThrow("/home/me. Run lbbench init there");
    expect(plan({}, folder).files).toHaveLength(1);
  });

  it("says that it runs the package of npm where the Action has no known address", () => {
    const answers = someAnswers({ workflow: true });
    expect(planInit(answers, aFolder(), { ...OPTIONS, tool: { npm: "lbbench@1" } }).notes.join()).toContain(
      "lbbench@1 from npm",
    );
    expect(planInit(answers, aFolder(), OPTIONS).notes).toEqual([]);
  });
});

it("refuses a config beside another that would be read as well", () => {
  expect(() => plan({ format: "json" }, aFolder([], undefined, { configs: ["lbbench.config.mjs"] }))).toThrow(
    "got lbbench.config.mjs",
  );
  expect(plan({ format: "ts" }, aFolder([], undefined, { configs: ["lbbench.config.ts"] })).files).toHaveLength(1);
});

const KEEP = { force: false };

it.each([
  ["two spaces", "  ", "\n", "\n"],
  ["four spaces, no line break at the end", "    ", "\n", ""],
  ["tabs, line breaks of Windows", "\t", "\r\n", "\r\n"],
])("keeps order, indentation, line breaks and end: %s", (_, indent, newline, end) => {
  const write = (...scripts: readonly string[]): string => {
    const inner = scripts.map((script) => `${indent}${indent}${script}`).join(`,${newline}`);
    const lines = [`${indent}"z": 1,`, `${indent}"scripts": {`, inner, `${indent}},`, `${indent}"a": []`];
    return ["{", ...lines, "}"].join(newline) + end;
  };
  expect(addScripts(write('"test": "x"'), KEEP)).toEqual({
    text: write('"test": "x"', '"bench": "lbbench sweep"', '"bench:max": "lbbench max"'),
    kept: [],
  });
});

it("replaces a script of the same name only when told, and changes nothing where all is there", () => {
  const text = `{\n  "scripts": {\n    "bench": "mine",\n    "test": "x"\n  }\n}\n`;
  const left = addScripts(text, KEEP);
  expect(left.kept).toEqual(["bench"]);
  expect(JSON.parse(left.text)).toEqual({ scripts: { bench: "mine", test: "x", "bench:max": "lbbench max" } });
  const replaced = addScripts(text, { force: true });
  expect(replaced.kept).toEqual([]);
  expect(Object.keys(JSON.parse(replaced.text).scripts)).toEqual(["bench", "test", "bench:max"]);
  expect(replaced.text).toContain('"bench": "lbbench sweep"');
  const whole = `{"scripts":{"bench":"lbbench sweep","bench:max":"lbbench max"}}`;
  expect(addScripts(whole, KEEP)).toEqual({ text: whole, kept: [] });
});

it("keeps a byte order mark, and what an object literal would lose", () => {
  const { text } = addScripts(`\uFEFF{\n  "__proto__": 1\n}`, KEEP);
  expect(text.startsWith(`\uFEFF{\n  "__proto__": 1,\n  "scripts": {`)).toBe(true);
});

function aFile(path: string): PlannedFile {
  return { path, content: "new", manner: "create" };
}

it("puts everything back when one of them cannot be written, and says why", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "old"), "old");
  mkdirSync(join(folder, "in-the-way"));
  const files = [aFile("old"), aFile("made/for/it"), aFile("in-the-way")];
  await expect(writeFiles(folder, files)).rejects.toMatchObject({
    code: "OUTPUT_FAILED",
    message: expect.stringMatching(/in-the-way, but it cannot be written: .*EISDIR.*Nothing was written/),
  });
  expect(readdirSync(folder).toSorted()).toEqual(["in-the-way", "old"]);
  expect(readFileSync(join(folder, "old"), "utf8")).toBe("old");
});
