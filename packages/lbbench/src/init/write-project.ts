import { createRequire } from "node:module";
import { join } from "node:path";
import { refuse } from "../config/config-error.js";
import { wrapWords } from "../report/text-layout.js";
import { findAnswers, QuestionLeft, TAKE_OFFERED, type AnswerFlags } from "./answers.js";
import type { Terminal } from "./ask-on-terminal.js";
import { findConflicts, readFolder, writeFiles, type PlannedFile } from "./folder.js";
import { planInit, type InitPlan } from "./plan-init.js";
import { toolOrigin, type PackageOrigin } from "./workflow.js";

/** The flags of `lbbench init` that no config has. */
export interface InitFlags extends AnswerFlags {
  readonly keep?: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

/**
 * Writes the config of a project, and what else is wanted; resolves with what was done, as text of at most so many columns, or with
 * `undefined` where a question was left: then nothing was written.
 *
 * @param options.terminal where to ask what no flag says; nothing is asked without it.
 */
export async function writeProject(
  path: string,
  { input, own }: { readonly input: Readonly<Record<string, unknown>>; readonly own: InitFlags },
  { terminal, columns = 100 }: { readonly terminal: Terminal | undefined; readonly columns?: number | undefined },
): Promise<string | undefined> {
  const { keep = false, force = false, dryRun = false } = own;
  refuse(keep && force && "--force: expected one of --keep and --force, got both");
  const folder = await readFolder(path);
  // Questions take a library that nothing else needs.
  const ask = terminal === undefined ? TAKE_OFFERED : (await import("./ask-on-terminal.js")).askOnTerminal(terminal);
  try {
    const answers = await findAnswers(own, input, folder, ask);
    const manifest = createRequire(import.meta.url)("../../package.json") as PackageOrigin;
    const plan = planInit(answers, folder, { tool: toolOrigin(manifest), force });
    const conflicts = await findConflicts(folder.path, plan.files);
    if (dryRun) return renderDryRun(plan, conflicts);
    const kept = keep ? [...conflicts] : [];
    const isLost = !keep && !force && conflicts.length > 0 && terminal === undefined;
    refuse(
      isLost &&
        `Expected to overwrite nothing, but there is already:\n${conflicts.map((file) => `  ${file.path}\n`).join("")}` +
          "Give --force to overwrite, or --keep to leave what is there and write the others. Nothing was written.",
    );
    for (const file of keep || force ? [] : conflicts) {
      if (!(await ask.yes(`Overwrite ${file.path}?`, false))) kept.push(file);
    }
    const files = plan.files.filter((file) => !kept.includes(file));
    await writeFiles(folder.path, files);
    return renderOutcome({ ...plan, files }, kept, columns);
  } catch (error) {
    if (error instanceof QuestionLeft) return undefined;
    throw error;
  }
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
