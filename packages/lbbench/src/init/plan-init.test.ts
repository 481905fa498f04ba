import { describe, expect, it } from "vitest";
import { parseSweepInput } from "../api/sweep.js";
import { ConfigError } from "../config/config-error.js";
import type { Answers } from "./answers.js";
import type { Folder } from "./folder.js";
import { planInit, type InitPlan } from "./plan-init.js";
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

describe("the config", () => {
  it.each(SUBJECTS.map((subject) => ({ kind: subject.kind, subject })))("of $kind, in TypeScript", ({ subject }) => {
    expect(fileOf(plan({ subject, format: "ts" }), "lbbench.config.ts")).toMatchSnapshot("config");
  });

  it.each(["js", "mjs", "json"] as const)("of a command, in %s", (format) => {
    expect(fileOf(plan({ format }), `lbbench.config.${format}`)).toMatchSnapshot("config");
  });

  it.each(SUBJECTS.map((subject) => ({ kind: subject.kind, subject })))("of $kind is accepted", ({ subject }) => {
    const content: unknown = JSON.parse(fileOf(plan({ subject, format: "json" }), "lbbench.config.json"));
    const input = parseSweepInput(content, "lbbench.config.json");
    expect(input.connections).toEqual([1, 10]);
    expect(input.thresholds).toHaveLength(1);
  });

  it("quotes what comes from the folder and from answers, so that it stays a text", () => {
    const name = `x", process.exit(1), "*/`;
    const command = `node -e "x\\n" </script>`;
    const subject = { kind: "command", command } as const;
    for (const format of ["ts", "mjs"] as const) {
      const text = fileOf(plan({ format, subject }, aFolder([], { name })), `lbbench.config.${format}`);
      expect(text).toContain(`  name: ${JSON.stringify(name)},\n`);
      expect(text).toContain(`command: ${JSON.stringify(command)},\n`);
      expect(text.split("process.exit")).toHaveLength(3);
    }
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
  it.each([SUBJECTS[1], SUBJECTS[2]])("has a config of its own, of base and head: %j", (subject) => {
    const { files } = plan({ workflow: true, format: "json", ...(subject && { subject }) });
    expect(files.map(({ path }) => path)).toEqual([
      "lbbench.config.json",
      "lbbench.pull-request.json",
      ".github/workflows/lbbench.yml",
    ]);
    const input = parseSweepInput(JSON.parse(files[1]?.content ?? ""), "lbbench.pull-request.json");
    expect(input).toMatchObject({ reference: "base", margin: 0.1, targets: [{ name: "base" }, { name: "head" }] });
    const [base = "", head = ""] = (input.targets ?? []).map((target) => JSON.stringify(target));
    expect(base).toContain('"cwd":"../base"');
    expect(head.replace('"head"', '"base"')).toBe(base.replace("../base", "."));
    expect(files[1]?.content).toMatchSnapshot("pull request");
  });

  it("in TypeScript", () => {
    expect(fileOf(plan({ workflow: true, format: "ts" }), "lbbench.pull-request.ts")).toMatchSnapshot("pull request");
  });

  it.each([SUBJECTS[0], SUBJECTS[3]])("is refused for what has no base and head: %j", (subject) => {
    expect(() => plan({ workflow: true, ...(subject && { subject }) })).toThrow(ConfigError);
    expect(() => plan({ workflow: true, ...(subject && { subject }) })).toThrow(/^--workflow: expected a program/);
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
  expect(() => plan({ format: "json" }, aFolder([], undefined, { configs: ["mjs"] }))).toThrow("--format mjs");
  expect(plan({ format: "mjs" }, aFolder([], undefined, { configs: ["mjs"] })).files).toHaveLength(1);
});
