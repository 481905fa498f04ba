import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { needs } from "@lbbench/test-support/needs.js";
import { BIN } from "../../test/support/run-cli.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { ExitCode } from "./io.js";
import { runOnTerminal, type EndOnTerminal } from "./test-support/run-on-terminal.js";

const ENTER = "\r";
const DOWN = "\u001B[B";
const CTRL_C = "\u0003";

/** What is waited for on the screen, and the keys that are pressed then. */
type Answer = readonly [question: string, keys: string];

/** Runs `lbbench init` on a terminal, and answers one question after the other. */
async function answer(
  cwd: string,
  answers: readonly Answer[],
  { columns = 80, args = [] }: { readonly columns?: number; readonly args?: readonly string[] } = {},
): Promise<EndOnTerminal> {
  const left = [...answers];
  const end = await runOnTerminal({
    command: [process.execPath, BIN, "init", ...args],
    cwd,
    columns,
    rows: 40,
    onDrawn: async ({ lines, type }) => {
      const [next] = left;
      // The rule at the left is drawn in every row, also between the words of a question that is broken.
      const shown = (await lines()).join(" ").replaceAll(/[\s│]+/g, " ");
      if (next === undefined || !shown.includes(next[0])) return;
      left.shift();
      type(next[1]);
    },
  });
  expect(left, "questions that never came").toEqual([]);
  return end;
}

const aProject = () =>
  temporaryFolder({ "package.json": '{\n  "name": "shop",\n  "scripts": { "start": "node server.js" }\n}\n' });

const LEVELS = "Levels of load";
const KEEPS = "What every level has to keep";
const LANGUAGE = "Language of the config";
const SCRIPTS = "Add npm scripts";
const WORKFLOW = "Write a workflow";
const QUESTIONS = ["What is to be measured?", "The command that starts it", LEVELS, KEEPS, LANGUAGE];

describe.runIf(needs("python3"))("lbbench init on a terminal", () => {
  it.each([80, 24])("asks, offers what package.json tells, and writes: %i columns", async (columns) => {
    const cwd = aProject();
    const all: readonly Answer[] = [...QUESTIONS, SCRIPTS, WORKFLOW].map((question) => [question, ENTER]);
    const { code, screen } = await answer(cwd, all, { columns });
    const lines = await screen.lines();
    expect(code, lines.join("\n")).toBe(ExitCode.pass);
    expect(lines.filter((line) => /^(Wrote|Changed)/.test(line))).toEqual([
      "Wrote lbbench.config.ts",
      "Changed package.json",
    ]);
    expect(lines.filter((line) => line.includes("What is to be"))).toHaveLength(1);
    expect(readFileSync(join(cwd, "lbbench.config.ts"), "utf8")).toContain('command: "node server.js"');
    expect(existsSync(join(cwd, ".github"))).toBe(false);
  });

  it("takes answers that are typed, and refuses one that cannot be done until it can", async () => {
    const cwd = aProject();
    const { code, screen } = await answer(cwd, [
      ["What is to be measured?", `${DOWN}${DOWN}${ENTER}`],
      ["Its URL", `\u0015localhost:1${ENTER}`],
      ["expected a URL such as", `\u0015http://127.0.0.1:1/${ENTER}`],
      [LEVELS, `\u00155,10${ENTER}`],
      [KEEPS, `\u0015p99<1s, errors<=0${ENTER}`],
      [LANGUAGE, ENTER],
      [SCRIPTS, `n${ENTER}`],
    ]);
    expect(code, (await screen.lines()).join("\n")).toBe(ExitCode.pass);
    const text = readFileSync(join(cwd, "lbbench.config.ts"), "utf8");
    expect(text).toContain('options: { url: "http://127.0.0.1:1/" }');
    expect(text).toContain('connections: "5,10"');
    expect(text).toContain('thresholds: ["p99<1s", "errors<=0"]');
    expect(readdirSync(cwd).toSorted()).toEqual(["lbbench.config.ts", "package.json"]);
  });

  it.each([0, 1, 4])("leaves nothing behind when question %i is left by Ctrl-C, and ends with 130", async (index) => {
    const cwd = aProject();
    const answers = QUESTIONS.slice(0, index + 1).map((question, at): Answer => [
      question,
      at === index ? CTRL_C : ENTER,
    ]);
    const { code, screen } = await answer(cwd, answers);
    expect(code).toBe(ExitCode.interrupted);
    expect((await screen.lines()).at(-1)).toBe("Nothing was written.");
    expect(readdirSync(cwd)).toEqual(["package.json"]);
  });

  it("asks for nothing that flags say but before it overwrites, and leaves what it may not", async () => {
    const cwd = aProject();
    const flags = "--command app -c 1 --threshold errors<1% --format ts --no-scripts --no-workflow";
    const args = flags.split(" ");
    const read = (): string => readFileSync(join(cwd, "lbbench.config.ts"), "utf8");
    expect((await answer(cwd, [], { args })).code).toBe(ExitCode.pass);
    writeFileSync(join(cwd, "lbbench.config.ts"), "mine");
    const question = "Overwrite lbbench.config.ts?";
    expect((await answer(cwd, [[question, ENTER]], { args })).code).toBe(ExitCode.pass);
    expect(read()).toBe("mine");
    expect((await answer(cwd, [[question, CTRL_C]], { args })).code).toBe(ExitCode.interrupted);
    expect(read()).toBe("mine");
    expect((await answer(cwd, [[question, "y"]], { args })).code).toBe(ExitCode.pass);
    expect(read()).toContain('command: "app"');
  });
});
