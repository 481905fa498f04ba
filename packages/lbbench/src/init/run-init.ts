import { createRequire } from "node:module";
import { join } from "node:path";
import { ConfigError } from "../config/config-error.js";
import { wrapWords } from "../report/text-layout.js";
import { defaultAnswers, guessCommand, readInitFlags, type InitFlags } from "./answers.js";
import type { Streams } from "./ask-answers.js";
import { findConflicts, readFolder, writeFiles, type PlannedFile } from "./folder.js";
import { planInit, type InitPlan } from "./plan-init.js";
import { toolOrigin, type PackageOrigin } from "./workflow.js";

const WIDTH_WITHOUT_TERMINAL = 100;

/** How questions are asked, and how wide what is told may be. */
export interface InitTerminal {
  /** Where to ask for what no flag says; nothing is asked without it. */
  readonly terminal: Streams | undefined;
  readonly columns: number | undefined;
}

/**
 * Writes the config of a project, and what else is wanted; resolves with what was done, as text, or with `undefined` where a
 * question was left: then nothing was written.
 */
export async function runInit(
  path: string,
  flags: InitFlags,
  { terminal, columns }: InitTerminal,
): Promise<string | undefined> {
  const folder = await readFolder(path);
  const guessed = guessCommand(folder);
  const given = readInitFlags(flags, guessed);
  const offered = defaultAnswers(folder);
  // Questions take a library that nothing else needs.
  const questions = terminal && { ...(await import("./ask-answers.js")), terminal };
  const force = flags["force"] === true;
  try {
    const answers =
      questions === undefined
        ? { ...offered, ...given }
        : await questions.askAnswers(questions.terminal, given, offered, { folder, guessed });
    const manifest = createRequire(import.meta.url)("../../package.json") as PackageOrigin;
    const plan = planInit(answers, folder, { tool: toolOrigin(manifest), force });
    const conflicts = await findConflicts(folder.path, plan.files);
    if (flags["dryRun"] === true) return renderDryRun(plan, conflicts);
    const askYes = questions && ((message: string) => questions.askYes(questions.terminal, message, false));
    const kept = force ? [] : flags["keep"] === true ? conflicts : await chooseKept(conflicts, askYes);
    const files = plan.files.filter((file) => !kept.includes(file));
    await writeFiles(folder.path, files);
    return renderOutcome({ ...plan, files }, kept, columns ?? WIDTH_WITHOUT_TERMINAL);
  } catch (error) {
    if (questions === undefined || !(error instanceof questions.QuestionLeft)) throw error;
    return undefined;
  }
}

/** Files that are there and stay so: asked one by one; where nobody can be asked they are an error. */
async function chooseKept(
  conflicts: readonly PlannedFile[],
  askYes: ((message: string) => Promise<boolean>) | undefined,
): Promise<readonly PlannedFile[]> {
  if (conflicts.length > 0 && askYes === undefined) {
    throw new ConfigError(
      `Expected to overwrite nothing, but there is already:\n${conflicts.map(({ path }) => `  ${path}`).join("\n")}\n` +
        "Give --force to overwrite, or --keep to leave what is there and write the others. Nothing was written.",
    );
  }
  const kept: PlannedFile[] = [];
  for (const file of conflicts) {
    if ((await askYes?.(`Overwrite ${file.path}?`)) !== true) kept.push(file);
  }
  return kept;
}

function renderDryRun({ files, notes }: InitPlan, conflicts: readonly PlannedFile[]): string {
  const blocks = files.map(
    (file) => `--- ${file.path}${conflicts.includes(file) ? " (is there already)" : ""}\n${file.content}`,
  );
  return `${blocks.join("\n")}\n${notes.map((note) => `${note}\n`).join("")}Nothing was written.\n`;
}

function renderOutcome({ files, notes, next }: InitPlan, kept: readonly PlannedFile[], width: number): string {
  const lines = [
    ...(files.length === 0 ? ["There was nothing to write."] : []),
    ...files.map(({ path, manner }) => `${manner === "edit" ? "Changed" : "Wrote"} ${join(path)}`),
    ...kept.map(({ path }) => `Left ${join(path)} as it is`),
    ...notes.flatMap((note) => wrapWords(note, width, "  ")),
    "",
    "Next:",
    ...next.map((command) => `  ${command}`),
  ];
  return `${lines.join("\n")}\n`;
}
